//! TL402.

use super::signatures::{Cause, candidates};
use super::{Candidate, Evidence, rule};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A colour attachment that a Mali GPU could write without the tiles that did not change (transaction elimination), which is in layout GENERAL
    /// or TRANSFER_DST_OPTIMAL between two passes that render to it though nothing that happens to it there needs that layout.
    ///
    /// ## Why it costs on a tile-based GPU
    /// In these layouts anybody may write the image past the GPU's tile buffer, so that the signatures of its tiles are worth nothing afterwards: all tiles are
    /// written. They are kept in COLOR_ATTACHMENT_OPTIMAL, SHADER_READ_ONLY_OPTIMAL, TRANSFER_SRC_OPTIMAL and PRESENT_SRC_KHR.
    ///
    /// ## Bad
    /// `finalLayout = GENERAL`, because the image is sampled by some passes and copied by others.
    ///
    /// ## Good
    /// The layout of each use: SHADER_READ_ONLY_OPTIMAL to sample, TRANSFER_SRC_OPTIMAL to copy from.
    ///
    /// ## How much
    /// At most the bytes that the pass stores, as for TL401: how many tiles come out the same depends on what is on screen.
    ///
    /// ## When to ignore
    /// If the whole picture changes in every frame.
    ///
    /// ## Known limits
    /// Silent if the program enabled VK_KHR_unified_image_layouts; where a shader has the image as storage image, or a copy, a clear command or a
    /// resolve writes it, which needs the layout and changes the contents; where other layouts than the six named here occur; and where TL401 is silent, but for
    /// swapchains. If an old layout UNDEFINED stands in the way as well, the advice names both.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/layout_transitions. Arm, Mali best practices, transaction elimination.
    SIGNATURE_LOST_LAYOUT {
        code: "TL402",
        name: "signature-lost-layout",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    candidates(evidence, Cause::Layout)
}
