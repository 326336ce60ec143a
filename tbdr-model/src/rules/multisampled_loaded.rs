//! TL303.

use super::{Candidate, Evidence, rule};
use crate::graph::Operation;
use crate::graph::liveness::Site;
use alloc::format;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `VK_ATTACHMENT_LOAD_OP_LOAD` of a multisampled attachment aspect whose contents are undefined: nothing has been written to it
    /// since it was created, or a layout transition from `VK_IMAGE_LAYOUT_UNDEFINED` has just thrown its contents away.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A load reads all samples of all pixels from DRAM into every tile before the first draw: N times what the same mistake costs
    /// with one sample. It also forces memory behind an image that could live on chip.
    ///
    /// ## Bad
    /// A 4x attachment with `initialLayout = VK_IMAGE_LAYOUT_UNDEFINED` and `loadOp = VK_ATTACHMENT_LOAD_OP_LOAD`.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_LOAD_OP_CLEAR` where draws leave gaps or depth is tested, `VK_ATTACHMENT_LOAD_OP_DONT_CARE` where they cover
    /// everything.
    ///
    /// ## How much
    /// N x one read of the attachment per frame, for N samples.
    ///
    /// ## When to ignore
    /// Never for its bytes: what is loaded is undefined.
    ///
    /// ## Known limits
    /// As for TL001: silent if the same attachment of the same pass loads defined contents in any frame, and wherever a write may have
    /// gone unseen. Samples that one pass stores and the next loads are needed as long as the passes are two: whether they could be one
    /// is another question.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Load Operations". Khronos Vulkan-Samples, performance/msaa.
    MULTISAMPLED_LOADED {
        code: "TL303",
        name: "multisampled-loaded",
        category: Multisampling,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL001", "TL103"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let samples = |site: &Site| {
        let structure = evidence.structures.get(&site.structure)?;
        structure.attachment(site.pass, site.attachment).map(|a| a.samples)
    };
    let mut found = Vec::new();
    for mut idle in evidence.idle(Operation::Load) {
        idle.sites.retain(|site| samples(site).is_some_and(|n| n > 1));
        if let Some(n) = idle.sites.first().and_then(samples) {
            found.push(Candidate::drop_load(idle, &format!("all {n} samples are loaded although they are undefined")));
        }
    }
    found
}
