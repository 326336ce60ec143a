//! TL408.

use super::{Candidate, Evidence, Families, Life, Worth, compressible, rule};
use alloc::format;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An attachment created with `VK_SHARING_MODE_CONCURRENT` that work of one queue family alone uses over its whole life, on a GPU that compresses
    /// it.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Engines of different families need not all understand compressed images. A driver that allows for the least of them keeps an image that
    /// they share uncompressed, whoever uses it in the end.
    ///
    /// ## Bad
    /// `sharingMode = CONCURRENT` on every render target, since there is a transfer queue.
    ///
    /// ## Good
    /// `sharingMode = EXCLUSIVE`, and ownership transfers for the images that really move.
    ///
    /// ## How much
    /// At most 48 % of the bytes that passes load and store of it, as for TL404. It is a bound: no driver of the GPUs modelled here is known
    /// to look at the sharing mode, and Mesa's do not. Desktop drivers do.
    ///
    /// ## When to ignore
    /// If situations that the recorded run did not reach use the image on another family.
    ///
    /// ## Known limits
    /// A note, since what it costs is not known. Silent unless every use of the image was recorded and the family of every queue that uses it is
    /// known; for swapchains, since on which queue they are presented is not.
    ///
    /// ## References
    /// Vulkan specification, Resource Sharing Mode. Khronos Validation Layers, best practices for AMD, which know the pattern.
    CONCURRENT_RENDER_TARGET {
        code: "TL408",
        name: "concurrent-render-target",
        category: Compression,
        level: Note,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    evidence.lives.iter().filter_map(|life| candidate(evidence, life)).collect()
}

fn candidate(evidence: &Evidence<'_>, life: &Life<'_>) -> Option<Candidate> {
    // A swapchain may be presented on a queue of another family, which is not recorded.
    if !life.image.concurrent || !life.complete || !life.uses.rendered || life.image.swapchain.is_some() {
        return None;
    }
    let Families::One(family) = life.uses.families else { return None };
    let amounts = compressible::at_stake(evidence, life);
    (!amounts.is_empty()).then(|| Candidate {
        worth: Worth::PerGpu(amounts),
        fix: format!("Create {}, which {} renders to, with sharing mode EXCLUSIVE", life.id, life.label),
        why: format!("only queue family {family} uses it, and drivers may keep what families share uncompressed"),
        ..life.candidate()
    })
}
