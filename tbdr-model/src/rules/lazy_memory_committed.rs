//! TL104.

use super::{Candidate, Evidence, Worth, rule};
use crate::frame::ImageRef;
use crate::report::LazyMemory;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Lazily allocated memory of an attachment for which the driver that ran the program had committed bytes when it was freed
    /// (`vkGetDeviceMemoryCommitment`).
    ///
    /// ## Why it costs on a tile-based GPU
    /// Such memory is meant to stay empty: bytes are committed once something has to leave the chip, by a load or a store, a pass that was split, or
    /// tiles that did not fit.
    ///
    /// ## Bad
    /// A transient attachment that is stored in one frame of a thousand.
    ///
    /// ## Good
    /// `loadOp` CLEAR or DONT_CARE and `storeOp` DONT_CARE in every pass, subpasses that merge, and few enough bytes per pixel.
    ///
    /// ## How much
    /// The driver's own figure stands in the reason. It is measured on the device that ran, not modelled, so no saving is
    /// given for any other GPU.
    ///
    /// ## When to ignore
    /// On drivers that commit all of it when the memory is bound.
    ///
    /// ## Known limits
    /// The commitment is that of a memory object: images that share one share its figure. Only memory that was freed while the run was
    /// recorded is known.
    ///
    /// ## References
    /// Vulkan specification, vkGetDeviceMemoryCommitment and "Lazily Allocated Memory".
    LAZY_MEMORY_COMMITTED {
        code: "TL104",
        name: "lazy-memory-committed",
        category: TransientMemory,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut most: BTreeMap<&str, LazyMemory> = BTreeMap::new();
    for structure in evidence.structures.values() {
        for (number, image) in (0u32..).zip(structure.images) {
            let Some(found) = image.lazy_memory.filter(|found| found.committed_bytes.0 > 0) else { continue };
            let known = most.entry(structure.image_id(ImageRef(number))).or_insert(found);
            if found.committed_bytes > known.committed_bytes {
                *known = found;
            }
        }
    }
    let committed = evidence.lives.iter().filter_map(|life| Some((life, most.get(life.id)?)));
    let candidate = |(life, found): (&super::Life<'_>, &LazyMemory)| {
        let fix = if life.uses.moved {
            format!(
                "Neither load nor store {} in {} or any other pass, or bind it to other memory",
                life.id, life.label
            )
        } else {
            format!("Make room on chip for {}: merged subpasses or fewer bytes per pixel in {}", life.id, life.label)
        };
        let (size, committed) = (found.size_bytes.0, found.committed_bytes.0);
        Candidate {
            worth: Worth::Saying,
            fix,
            why: format!(
                "the driver that ran had committed {committed} of {size} bytes of its lazily allocated memory"
            ),
            ..life.candidate()
        }
    };
    committed.map(candidate).collect()
}
