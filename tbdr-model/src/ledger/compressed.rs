//! What compression leaves of each debit, from and to, and in sum. The debits themselves stay uncompressed.
//!
//! Whether a scheme applies is the family's answer (`GpuFrame::compression`); how much it leaves is a matter of the content. The
//! interval is what published counters of real programs span: Khronos Vulkan-Samples, performance/afbc (Mali-G76: 0.52 to 0.54 of a
//! swapchain image are left), with what its subpasses and msaa samples show of other attachments.

use crate::format;
use crate::frame::{FrameStructure, Image, ImageCompression, Pass};
use crate::gpu::compression::TRANSACTION_ELIMINATION;
use crate::identity::Names;
use crate::report::{Basis, Compressed, Direction, Entry, GpuFrame, Interval, TilePass, TransferEntry};
use crate::units::Bytes;
use alloc::collections::{BTreeMap, BTreeSet};

/// What is left of real content, in thousandths: from, usual, to.
pub const MEASURED: [u64; 3] = [450, 520, 600];
/// What is left of content without detail, in thousandths.
pub const FLAT: u64 = 300;

/// Thousandths that are left, from and to.
type Left = [u64; 2];

/// Fills in what is left of every entry and sum of a GPU.
pub fn fill(gpu: &mut GpuFrame, frame: &FrameStructure, passes: &[&Pass], names: &Names) {
    let schemes = Schemes::of(gpu, frame, passes, names);
    for pass in &mut gpu.passes {
        tile_pass(pass, &schemes, passes);
        if let Some(other) = &mut pass.alternative {
            other.passes.iter_mut().for_each(|pass| tile_pass(pass, &schemes, passes));
        }
    }
    for entry in &mut gpu.transfers {
        let left = schemes.by_image.get(entry.resource.as_str()).filter(|_| entry.basis != Basis::Undecided);
        entry.compressed = left.map(|left| {
            // Whether what a transfer writes is compressed is the driver's matter: on Mali it seems not to be.
            let left = if entry.direction == Direction::Write { [left[0], 1000] } else { *left };
            part(entry.bytes, left)
        });
    }
    for entry in &mut gpu.beside {
        // One sample that is all that is read is the low end.
        let low = entry.one_sample_bytes.unwrap_or(entry.bytes);
        let left = schemes.by_image.get(entry.image.as_str()).filter(|_| entry.basis != Basis::Undecided);
        entry.compressed = left.map(|left| [part(low, *left)[0], part(entry.bytes, *left)[1]]);
    }
    let transfers = sum(&gpu.transfers);
    let all = gpu.passes.iter().map(|p| p.compressed.unwrap_or_else(|| uncompressed(p.read_bytes, p.write_bytes)));
    let all = all.fold(transfers, |a, b| Compressed { read: add(a.read, b.read), write: add(a.write, b.write) });
    gpu.compressed = (all != uncompressed(gpu.read_bytes, gpu.write_bytes)).then_some(all);
    let eliminable = |pass: &TilePass| {
        let number = pass.source_passes.first().copied();
        let kept = pass.entries.iter().filter(|e| e.direction == Direction::Write && e.basis != Basis::Undecided);
        let kept = kept.filter(|e| number.is_some_and(|pass| schemes.eliminated.contains(&(pass, e.attachment))));
        kept.map(|e| e.bytes).sum::<Bytes>()
    };
    gpu.eliminable_bytes = gpu.passes.iter().map(eliminable).sum();
}

/// What is left of the bytes of each attachment and image to which a scheme applies or may apply.
struct Schemes<'a> {
    by_attachment: BTreeMap<(u32, u32), Left>,
    by_image: BTreeMap<&'a str, Left>,
    /// Attachments of passes whose unchanged tiles are not written.
    eliminated: BTreeSet<(u32, u32)>,
}

impl<'a> Schemes<'a> {
    fn of(gpu: &GpuFrame, frame: &FrameStructure, passes: &[&Pass], names: &'a Names) -> Self {
        let mut schemes =
            Self { by_attachment: BTreeMap::new(), by_image: BTreeMap::new(), eliminated: BTreeSet::new() };
        for fact in &gpu.compression {
            let key = (fact.pass, fact.attachment);
            if fact.scheme == TRANSACTION_ELIMINATION {
                if fact.eligible == Some(true) {
                    schemes.eliminated.insert(key);
                }
                continue;
            }
            let attachment = passes.get(fact.pass as usize).and_then(|p| p.attachments.get(fact.attachment as usize));
            let image = attachment.and_then(|a| frame.images.get(a.image?.0 as usize));
            let Some(left) = left(fact.eligible, image) else { continue };
            schemes.by_attachment.insert(key, left);
            let name = names.attachments.get(fact.pass as usize).and_then(|of| of.get(fact.attachment as usize));
            if let (Some(name), Some(_)) = (name, image) {
                schemes.by_image.insert(name, left);
            }
        }
        schemes
    }
}

/// What is left of an image's bytes; `None` where no scheme applies.
fn left(eligible: Option<bool>, image: Option<&Image>) -> Option<Left> {
    let [low, _, high] = MEASURED;
    if eligible == Some(false) {
        return None;
    }
    // A rate that the application asked for is exact where the GPU has it, and whether it has is not known.
    if let Some(fixed) = image.and_then(fixed_rate) {
        return Some([fixed.min(low), 1000]);
    }
    Some(if eligible == Some(true) { [low, high] } else { [low, 1000] })
}

/// Thousandths that the lowest fixed rate leaves which the application allows for the image.
fn fixed_rate(image: &Image) -> Option<u64> {
    let explicit = |control: &ImageCompression| control.flags & ImageCompression::FIXED_RATE_EXPLICIT != 0;
    let control: ImageCompression = image.compression_control.filter(explicit)?;
    let info = format::info(image.format)?;
    let bits = u64::from(control.fixed_rates.trailing_zeros()) + 1;
    let rate = bits.saturating_mul(info.components.len() as u64).saturating_mul(1000);
    (control.fixed_rates != 0).then(|| (rate / (8 * u64::from(info.block_bytes)).max(1)).min(1000))
}

/// The entries of a tile pass, and their sums.
fn tile_pass(pass: &mut TilePass, schemes: &Schemes<'_>, passes: &[&Pass]) {
    let Some(number) = pass.source_passes.first().copied() else { return };
    let drawn = passes.get(number as usize).is_none_or(|p| p.subpasses.iter().any(|s| s.drawn));
    for entry in &mut pass.entries {
        let left = schemes.by_attachment.get(&(number, entry.attachment)).filter(|_| entry.basis != Basis::Undecided);
        entry.compressed = left.map(|left| {
            // What a pass without draws writes is what it clears to.
            let flat = !drawn && entry.direction == Direction::Write;
            part(entry.bytes, if flat { [left[0].min(FLAT), left[1]] } else { *left })
        });
    }
    let left = sum(&pass.entries);
    pass.compressed = (left != uncompressed(pass.read_bytes, pass.write_bytes)).then_some(left);
}

/// These parts of `bytes`, rounded outwards.
fn part(bytes: Bytes, [low, high]: Left) -> Interval {
    let of = |part: u64, up: u128| Bytes(((u128::from(bytes.0) * u128::from(part) + up) / 1000) as u64);
    [of(low, 0), of(high, 999)]
}

fn add(a: Interval, b: Interval) -> Interval {
    [a[0] + b[0], a[1] + b[1]]
}

fn uncompressed(read: Bytes, write: Bytes) -> Compressed {
    Compressed { read: [read; 2], write: [write; 2] }
}

/// Entries that say what is left of them.
pub trait Compressible {
    /// Direction, bytes and what is left of them; `None` for what is in no sum.
    fn left(&self) -> Option<(Direction, Interval)>;
}

macro_rules! lefts {
    ($($entry:ty),*) => {$(
        impl Compressible for $entry {
            fn left(&self) -> Option<(Direction, Interval)> {
                let left = self.compressed.unwrap_or([self.bytes; 2]);
                (self.basis != Basis::Undecided).then_some((self.direction, left))
            }
        }
    )*};
}

lefts!(Entry, TransferEntry);

/// What is left of all entries.
pub fn sum(entries: &[impl Compressible]) -> Compressed {
    let mut all = Compressed::default();
    for (direction, left) in entries.iter().filter_map(Compressible::left) {
        let sum = if direction == Direction::Read { &mut all.read } else { &mut all.write };
        *sum = add(*sum, left);
    }
    all
}
