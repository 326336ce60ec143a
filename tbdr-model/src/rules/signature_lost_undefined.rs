//! TL401.

use super::signatures::{Cause, candidates};
use super::{Candidate, Evidence, rule};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A colour attachment that a Mali GPU could write without the tiles that did not change (transaction elimination), whose layout is given as
    /// `VK_IMAGE_LAYOUT_UNDEFINED` before it is rendered to again, by a barrier or as the initial layout of the render pass.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The GPU keeps a signature of every tile that it has written. If the tile comes out the same in the next frame, it is not written again. UNDEFINED
    /// says that the contents are of no interest, and with them goes what is known of the tiles in memory: all of them are written.
    ///
    /// ## Bad
    /// `oldLayout = UNDEFINED` for every target in every frame, because loadOp CLEAR overwrites it anyway.
    ///
    /// ## Good
    /// The layout that the image really has, e.g. `SHADER_READ_ONLY_OPTIMAL` where the lighting has sampled it; UNDEFINED once, when the image is new.
    /// With loadOp CLEAR or DONT_CARE nothing else changes: no contents are lost that were there before.
    ///
    /// ## How much
    /// At most the bytes that the pass stores: how many tiles come out the same depends on what is on screen. In the published measurement the advice
    /// saved 9 % of all writes of a Mali-G76.
    ///
    /// ## When to ignore
    /// If the whole picture changes in every frame.
    ///
    /// ## Known limits
    /// Silent for swapchains, of which UNDEFINED keeps the signatures; where the pass loads the contents (TL001 is about that) or nobody reads what it stores (TL006); for images that are not the
    /// same VkImage in a later frame, share memory, or have several levels or layers; where anything else happens to the image between two passes that
    /// signatures do not survive, or that is not known; on GPUs other than Mali under Arm's driver. Whether the source stages and accesses of a barrier fit the
    /// layout is not looked at: it must wait for the last use of the image, with UNDEFINED as without.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/layout_transitions: 1765 to 1603 MiB/s written on a Mali-G76. Arm, Mali best practices, transaction
    /// elimination.
    SIGNATURE_LOST_UNDEFINED {
        code: "TL401",
        name: "signature-lost-undefined",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    candidates(evidence, Cause::Undefined)
}
