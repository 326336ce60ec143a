//! TL403.

use super::signatures::{Cause, candidates};
use super::{Candidate, Evidence, rule};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A vkCmdBlitImage onto a colour attachment that a Mali GPU could write without the tiles that did not change (transaction elimination), between
    /// two passes that render to it.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A blit writes past the tile buffer. What the GPU knows of the tiles in memory is no longer true, and the next pass writes all of them, the same
    /// or not.
    ///
    /// ## Bad
    /// The scene is blitted to the swapchain's image, and the user interface is drawn over it in a pass of its own.
    ///
    /// ## Good
    /// A triangle that samples the scene, as the first draw of that pass.
    ///
    /// ## How much
    /// At most the bytes that the pass stores, as for TL401. What the blit itself moves, and what the pass loads of it, is TL003's to say.
    ///
    /// ## When to ignore
    /// If the whole picture changes in every frame.
    ///
    /// ## Known limits
    /// Silent where anything else writes the image between the two passes, and where TL401 is silent, but for swapchains. That a draw filters as the blit does
    /// is for the program to see to.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/layout_transitions. Arm, Mali best practices, transaction elimination.
    SIGNATURE_LOST_BLIT {
        code: "TL403",
        name: "signature-lost-blit",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    candidates(evidence, Cause::Blit)
}
