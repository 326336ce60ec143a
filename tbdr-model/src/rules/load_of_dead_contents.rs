//! TL001.

use super::{Candidate, Evidence, rule};
use crate::graph::Operation;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `VK_ATTACHMENT_LOAD_OP_LOAD` of an attachment aspect whose contents are undefined: nothing has been written to it
    /// since it was created, or a layout transition from `VK_IMAGE_LAYOUT_UNDEFINED` has just thrown its contents away.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A load reads the attachment from DRAM into every tile before the first draw. Here it reads bytes that mean nothing.
    ///
    /// ## Bad
    /// `initialLayout = VK_IMAGE_LAYOUT_UNDEFINED` together with `loadOp = VK_ATTACHMENT_LOAD_OP_LOAD`.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_LOAD_OP_CLEAR` where draws leave gaps or depth is tested, `VK_ATTACHMENT_LOAD_OP_DONT_CARE` where they
    /// cover everything.
    ///
    /// ## How much
    /// One read of the attachment per frame: area x layers x samples x bytes of the aspect.
    ///
    /// ## When to ignore
    /// Never for its bytes: what is loaded is undefined.
    ///
    /// ## Known limits
    /// Silent if the same attachment of the same pass loads defined contents in any other frame; for images that shaders,
    /// the host or another process may write unseen; after gaps in the record; and for contents lost by a storeOp
    /// DONT_CARE, which are a hazard of their own.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Load Operations". Khronos Vulkan-Samples, performance/render_passes.
    LOAD_OF_DEAD_CONTENTS {
        code: "TL001",
        name: "load-of-dead-contents",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let why = "the pass loads contents that are undefined";
    evidence.idle(Operation::Load).into_iter().map(|idle| Candidate::drop_load(idle, why)).collect()
}
