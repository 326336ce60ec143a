//! TL106.

use super::{Candidate, Claim, Evidence, Instance, Life, Uses, Worth, rule, tiles};
use crate::format::{by_name, image_bytes, info};
use crate::frame::{Aspects, Attachment, Format, Image, LoadOp, Memory, StoreOp};
use crate::graph::Operation;
use crate::graph::liveness::Site;
use crate::report::{Basis, Quantity};
use crate::whatif::Edit;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An image with a depth-stencil format whose stencil is never used in its whole life: no draw tests or writes it, no clear command, shader,
    /// input attachment, resolve or transfer touches it. Or the other way round: stencil is used, and depth never is.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Beside a depth of 16 or 32 bits stencil takes a byte of its own for each sample, in memory and on GPUs with a common tile buffer
    /// also on chip. In `D24_UNORM_S8_UINT` it shares a word with depth and costs nothing as long as its operations are DONT_CARE. Depth that
    /// nobody uses beside a stencil that is used takes two to four bytes.
    ///
    /// ## Bad
    /// `D32_SFLOAT_S8_UINT` for a depth buffer that is only ever tested for depth; `D24_UNORM_S8_UINT` for the clip mask of an interface.
    ///
    /// ## Good
    /// `D32_SFLOAT`, or `D16_UNORM` where that is precise enough; for a packed format `X8_D24_UNORM_PACK32` or `D32_SFLOAT`, whichever the
    /// device supports. `S8_UINT` where only stencil is used and the device supports that.
    ///
    /// ## How much
    /// One byte per sample of all texels, of memory; of depth what is beside this byte. Of images in lazily allocated memory, which take none: the tiles that a GPU runs
    /// less of. Where stencil operations move bytes these are said first. A packed format gets no smaller: it is named
    /// only where the other format moves fewer bytes.
    ///
    /// ## When to ignore
    /// If the aspect is used in situations that the recorded run did not reach, or no other format is supported.
    ///
    /// ## Known limits
    /// Silent unless every frame of the image's life was recorded and the state of every draw is known; for images that transfers or resolves
    /// use, since these ask for equal formats on both sides; and where it is not known what shaders reach. Of an image of
    /// which neither aspect is used it speaks of stencil. Loads and stores that are for nobody are other rules' business first.
    ///
    /// ## References
    /// Vulkan specification, "Depth/Stencil Formats". Mesa, src/freedreno/vulkan/tu_pass.cc, for the plane of stencil on chip.
    STENCIL_UNUSED {
        code: "TL106",
        name: "stencil-unused",
        category: TransientMemory,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["tile", "tiles"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    evidence.lives.iter().filter_map(|life| candidate(evidence, life)).collect()
}

/// What is not used of an image, and how to do without.
struct Unused {
    aspect: Aspects,
    word: &'static str,
    /// The formats that hold the other aspect alone and alike, the nearest first.
    formats: &'static [&'static str],
    /// What a device need not have of them.
    support: &'static str,
}

impl Unused {
    fn of(format: Format, uses: &Uses) -> Option<Self> {
        let without_stencil: &[&str] = match info(format)?.name {
            "D16_UNORM_S8_UINT" => &["D16_UNORM"],
            "D24_UNORM_S8_UINT" => &["X8_D24_UNORM_PACK32", "D32_SFLOAT"],
            "D32_SFLOAT_S8_UINT" => &["D32_SFLOAT"],
            _ => return None,
        };
        if uses.depth && !uses.stencil {
            return Some(Self { aspect: Aspects::STENCIL, word: "stencil", formats: without_stencil, support: "" });
        }
        let support = " where the device supports it";
        let depth = Self { aspect: Aspects::DEPTH, word: "depth", formats: &["S8_UINT"], support };
        (uses.stencil && !uses.depth_touched).then_some(depth)
    }

    /// The operations of the aspect.
    fn operations(&self, attachment: &Attachment) -> (LoadOp, StoreOp) {
        match self.aspect {
            Aspects::STENCIL => (attachment.stencil_load, attachment.stencil_store),
            _ => (attachment.load, attachment.store),
        }
    }
}

fn candidate(evidence: &Evidence<'_>, life: &Life<'_>) -> Option<Candidate> {
    let uses = life.uses;
    if !life.complete || uses.transferred || uses.resolves {
        return None;
    }
    let unused = Unused::of(life.image.format, &uses)?;
    let new = by_name(unused.formats.first()?)?.format;
    let mut instances: BTreeMap<u32, Instance> = BTreeMap::new();
    for place in &life.places {
        let structure = evidence.structures.get(&place.structure)?;
        let attachment = structure.attachment(place.pass, place.attachment)?;
        // A view of another format, or images of several formats in one role.
        if attachment.format != life.image.format {
            return None;
        }
        let instance = instances.entry(place.structure).or_default();
        instance.edits.push(Edit::SetFormat { pass: place.pass, attachment: place.attachment, format: new });
        let (load, store) = unused.operations(attachment);
        let moved = [(load == LoadOp::Load, Operation::Load), (store == StoreOp::Store, Operation::Store)];
        for (_, operation) in moved.into_iter().filter(|(moved, _)| *moved) {
            let site = Site {
                structure: place.structure,
                pass: place.pass,
                attachment: place.attachment,
                aspect: unused.aspect,
                operation,
            };
            instance.speaks_for.push(Claim::Site(site));
        }
    }
    Some(Candidate {
        pass: Some(life.pass.to_string()),
        attachment: Some(life.id.to_string()),
        instances,
        frames: life.frames.clone(),
        worth: worth(evidence, life, new),
        fix: format!(
            "Create {}, which {} renders to, as {}{}",
            life.id,
            life.label,
            unused.formats.join(" or "),
            unused.support
        ),
        why: format!("nothing ever tests, writes or reads its {}", unused.word),
        ..Candidate::default()
    })
}

/// Memory for the aspect, else the tiles that a GPU runs less of.
fn worth(evidence: &Evidence<'_>, life: &Life<'_>, new: Format) -> Worth {
    let lazy = life.image.memory.properties.is_some_and(|p| p & Memory::LAZILY_ALLOCATED != 0);
    if lazy && life.stays_on_chip() {
        return Worth::PerGpu(fewer_tiles(evidence, life, new));
    }
    let smaller = image_bytes(&Image { format: new, ..life.image.clone() }).map(|bytes| bytes.0);
    let own = image_bytes(life.image).map(|bytes| bytes.0);
    match own.zip(smaller).and_then(|(own, smaller)| own.checked_sub(smaller)).filter(|bytes| *bytes > 0) {
        Some(value) => Worth::Amount { quantity: Quantity::Footprint, value, basis: Basis::Bound },
        None => Worth::Bytes,
    }
}

/// In the frame that occurs most, over all passes that render to it.
fn fewer_tiles(evidence: &Evidence<'_>, life: &Life<'_>, new: Format) -> BTreeMap<String, (Quantity, u64, Basis)> {
    let count = |structure: &u32| evidence.structures.get(structure).map_or(0, |s| s.indices.count());
    let most = life.places.iter().map(|place| place.structure).max_by_key(|s| (count(s), core::cmp::Reverse(*s)));
    let mut worth = Worth::PerGpu(BTreeMap::new());
    for place in life.places.iter().filter(|place| Some(place.structure) == most) {
        let Some((structure, pass)) =
            evidence.structures.get(&place.structure).and_then(|s| Some((s, s.pass(place.pass)?)))
        else {
            continue;
        };
        let mut changed = pass.clone();
        if let Some(attachment) = changed.attachments.get_mut(place.attachment as usize) {
            attachment.format = new;
        }
        worth.add(Worth::PerGpu(tiles::saved(evidence, structure, place.pass, &changed)));
    }
    match worth {
        Worth::PerGpu(tiles) => tiles,
        _ => BTreeMap::new(),
    }
}
