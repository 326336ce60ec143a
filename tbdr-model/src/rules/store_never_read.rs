//! TL006.

use super::{Candidate, Evidence, rule};
use crate::graph::Operation;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `VK_ATTACHMENT_STORE_OP_STORE` of an attachment aspect whose contents are overwritten, cleared or thrown away before
    /// anybody reads them. Colour, depth and stencil, mip levels and layers are followed apart.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A store writes the attachment from every tile to DRAM. Depth that the next frame clears is the usual case.
    ///
    /// ## Bad
    /// A depth attachment with `loadOp = CLEAR` and `storeOp = STORE` that only its own pass uses.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_STORE_OP_DONT_CARE`.
    ///
    /// ## How much
    /// One write of the attachment per frame: area x layers x samples x bytes of the aspect.
    ///
    /// ## When to ignore
    /// If contents are read in situations that the recorded run did not reach, such as a screenshot key.
    ///
    /// ## Known limits
    /// Speaks only where everything between the store and the loss of the contents was seen. Images that shaders may read (usage
    /// SAMPLED or STORAGE) count as read by every draw and dispatch whose shaders statically use a descriptor of them, whether or not
    /// they reach that code; it is silent where it is not known what shaders reach, for external or aliased memory, for host-visible images
    /// with linear tiling, for images used on several queues without a known order, for what is still pending at the end of the run, and for
    /// a pass and attachment that was read once.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Store Operations". Khronos Vulkan-Samples, performance/render_passes.
    STORE_NEVER_READ {
        code: "TL006",
        name: "store-never-read",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL106"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let why = "the contents are overwritten or thrown away before anybody reads them";
    evidence.idle(Operation::Store).into_iter().map(|idle| Candidate::drop_store(idle, why)).collect()
}
