//! Debits beside the totals: what shaders reach of attachments through descriptors, and what the display reads.
//!
//! Static use is a bound from above on what is read, and the texels that a view shows are one on how much. How many samples of a
//! multisampled image a shader fetches is not known: GPUs keep them a plane each, so that a shader which fetches one sample reads a part
//! (Khronos Vulkan-Samples, performance/msaa: counters of a Mali-G76 fit one plane).

use crate::format;
use crate::frame::{Aspects, FrameStructure, Image, Op, OutputReason, ShaderAccess, SubresourceRange};
use crate::identity::Names;
use crate::model::{aspect_word, each_aspect};
use crate::report::{Basis, BesideEntry, Direction};
use crate::units::Bytes;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Cause of what the display reads.
pub const PRESENT: &str = "present";

/// Mip levels that a view can show: from then on every level is one texel.
const LEVELS: u32 = 32;

/// Half-open ranges of layers by mip level.
type Parts = BTreeMap<u32, Vec<(u64, u64)>>;

/// The entries of a frame, in order of execution.
pub fn entries(frame: &FrameStructure, names: &Names) -> Vec<BesideEntry> {
    let mut found = Vec::new();
    let (mut pass, mut dispatch) = (0, 0);
    // Dispatches with nothing between them are told as one, however the program has submitted them.
    let mut together: Vec<&ShaderAccess> = Vec::new();
    let mut run = |together: &mut Vec<&ShaderAccess>, found: &mut Vec<BesideEntry>| {
        if !together.is_empty() {
            let place = |entry| BesideEntry { dispatch: Some(dispatch), ..entry };
            found.extend(shaders(frame, names, together.drain(..)).into_iter().map(place));
            dispatch += 1;
        }
    };
    for op in frame.ops() {
        if !matches!(op, Op::Dispatch(_)) {
            run(&mut together, &mut found);
        }
        match op {
            Op::Pass(instance) => {
                let drawn = instance.subpasses.iter().filter(|s| s.drawn).map(|s| &s.shader);
                let place = |entry| BesideEntry { pass: Some(pass), ..entry };
                found.extend(shaders(frame, names, drawn).into_iter().map(place));
                pass += 1;
            }
            Op::Dispatch(of) => together.push(&of.shader),
            Op::Transfer(_) | Op::Barrier(_) | Op::Event(_) | Op::Opaque(_) => {}
        }
    }
    run(&mut together, &mut found);
    let presented = frame.early_outputs.iter().chain(&frame.outputs).filter(|o| o.reason == OutputReason::Present);
    for output in presented {
        let Some(image) = frame.images.get(output.image.0 as usize) else { continue };
        let layers = u64::from(image.layers.max(1));
        let key = Key { image: output.image.0, aspect: Aspects::COLOR, cause: PRESENT, direction: Direction::Read };
        found.extend(entry(image, names, key, &Parts::from([(0, alloc::vec![(0, layers)])])));
    }
    found
}

/// What is summed into one entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    image: u32,
    aspect: Aspects,
    direction: Direction,
    cause: &'static str,
}

/// The entries of shaders that run together: each subresource counts once, however many views of it there are.
fn shaders<'a>(frame: &FrameStructure, names: &Names, all: impl Iterator<Item = &'a ShaderAccess>) -> Vec<BesideEntry> {
    use crate::frame::AccessKind::{Read, Sampled, StorageRead, StorageReadWrite, StorageWrite, Write};
    let mut parts: BTreeMap<Key, Parts> = BTreeMap::new();
    for access in all.flat_map(|shader| &shader.images) {
        let Some((number, image)) = access.image.and_then(|i| Some((i.0, frame.images.get(i.0 as usize)?))) else {
            continue;
        };
        let causes: &[_] = match access.kind {
            Sampled => &[("sampled", Direction::Read)],
            StorageRead => &[("storage_read", Direction::Read)],
            StorageWrite => &[("storage_write", Direction::Write)],
            StorageReadWrite => &[("storage_read", Direction::Read), ("storage_write", Direction::Write)],
            // Not by shaders: the work that does it is not modelled.
            Read | Write => &[],
        };
        let own = format::info(image.format).map_or(Aspects::COLOR, format::Info::aspects);
        for aspect in each_aspect(Aspects(access.range.aspects.0 & own.0)) {
            for &(cause, direction) in causes {
                let parts = parts.entry(Key { image: number, aspect, direction, cause }).or_default();
                add(parts, image, access.range);
            }
        }
    }
    let told = |(key, parts): (Key, Parts)| entry(frame.images.get(key.image as usize)?, names, key, &parts);
    parts.into_iter().filter_map(told).collect()
}

/// Takes a view's part in.
fn add(parts: &mut Parts, image: &Image, range: SubresourceRange) {
    let levels = image.mips.min(LEVELS);
    let last = range.base_mip.saturating_add(range.mips).min(levels);
    let layers = u64::from(image.layers.max(1));
    let from = u64::from(range.base_layer);
    let to = from.saturating_add(u64::from(range.layers)).min(layers);
    for level in range.base_mip.min(last)..last {
        if from < to {
            parts.entry(level).or_default().push((from, to));
        }
    }
}

/// Layers in any of the ranges.
fn union(ranges: &[(u64, u64)]) -> u64 {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let (mut all, mut behind) = (0u64, 0u64);
    for (from, to) in sorted {
        all += to.saturating_sub(from.max(behind));
        behind = behind.max(to);
    }
    all
}

/// The entry for these parts of an image; none for nothing. A volume is read through all of its depth.
fn entry(image: &Image, names: &Names, key: Key, parts: &Parts) -> Option<BesideEntry> {
    let Key { image: number, aspect, direction, cause } = key;
    let size = format::info(image.format).and_then(|info| Some((info, info.aspect_bytes(aspect)?)));
    let one_sample = size.map(|(info, bytes)| {
        let of =
            |(level, layers): (&u32, &Vec<(u64, u64)>)| bytes * info.blocks(image.extent.mip(*level)) * union(layers);
        parts.iter().map(of).sum::<Bytes>()
    });
    let samples = u64::from(image.samples.max(1));
    let on_chip = image.memory.on_chip;
    let basis = match (one_sample, cause) {
        _ if on_chip => return None,
        (None, _) => Basis::Undecided,
        (Some(Bytes(0)), _) => return None,
        (_, PRESENT) => Basis::Estimate,
        _ => Basis::Bound,
    };
    Some(BesideEntry {
        pass: None,
        dispatch: None,
        image: names.images.get(number as usize).cloned().unwrap_or_default(),
        aspect: aspect_word(aspect).into(),
        cause: cause.into(),
        direction,
        bytes: one_sample.unwrap_or_default() * samples,
        one_sample_bytes: one_sample.filter(|_| samples > 1 && direction == Direction::Read),
        basis,
        compressed: None,
    })
}
