//! TL407.

use super::signatures::{Cause, candidates};
use super::{Candidate, Evidence, rule};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A colour attachment that a pass renders to in layout GENERAL though it does not read it meanwhile and no shader has it as storage image, on a GPU
    /// that keeps what it knows of an image by layout: Mali, with transaction elimination.
    ///
    /// ## Why it costs on a tile-based GPU
    /// GENERAL is for images that anybody may write at any time. What the GPU knows of the tiles in memory is worth nothing then, and every pass writes all of its
    /// tiles, the same or not.
    ///
    /// ## Bad
    /// One layout for everything, to be rid of barriers that change it.
    ///
    /// ## Good
    /// COLOR_ATTACHMENT_OPTIMAL while it is rendered to; or VK_KHR_unified_image_layouts, with which a driver says that GENERAL costs nothing.
    ///
    /// ## How much
    /// At most the bytes that the pass stores, as for TL401: how many tiles come out the same depends on what is on screen.
    ///
    /// ## When to ignore
    /// If the whole picture changes in every frame.
    ///
    /// ## Known limits
    /// Silent if the program enabled VK_KHR_unified_image_layouts; for attachment feedback loops, input attachments that are read where they are rendered to and storage
    /// images; for depth, and on GPUs of which it is not known that GENERAL costs anything; and where TL402 is silent.
    ///
    /// ## References
    /// Arm, Mali best practices, transaction elimination. Vulkan specification, VK_KHR_unified_image_layouts.
    GENERAL_LAYOUT_ATTACHMENT {
        code: "TL407",
        name: "general-layout-attachment",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    candidates(evidence, Cause::General)
}
