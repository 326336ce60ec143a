//! TL302.

use super::{Candidate, Evidence, rule};
use crate::frame::Aspects;
use crate::graph::Operation;
use alloc::format;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `VK_ATTACHMENT_STORE_OP_STORE` of a multisampled colour attachment that nobody reads as multisampled afterwards; in
    /// render passes of both versions and in dynamic rendering.
    ///
    /// ## Why it costs on a tile-based GPU
    /// All samples of all pixels go to DRAM: four times the attachment at 4x. The resolved image, which is what later passes
    /// read, is written on chip at the end of each tile anyway.
    ///
    /// ## Bad
    /// A 4x colour attachment with a resolve attachment and `storeOp = STORE` on both.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_STORE_OP_DONT_CARE` on the multisampled attachment, which can then be transient and lazily allocated.
    ///
    /// ## How much
    /// N x one write of the attachment per frame, for N samples.
    ///
    /// ## When to ignore
    /// If the samples are read in situations that the recorded run did not reach.
    ///
    /// ## Known limits
    /// As for TL006: silent wherever a read may have gone unseen. A store that a later pass loads, or that a command resolves,
    /// is not reported here.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/msaa.
    MULTISAMPLED_COLOUR_STORED {
        code: "TL302",
        name: "multisampled-colour-stored",
        category: Multisampling,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL006", "TL103"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for mut idle in evidence.idle(Operation::Store) {
        let samples = |site: &crate::graph::liveness::Site| {
            evidence
                .structures
                .get(&site.structure)
                .and_then(|s| s.attachment(site.pass, site.attachment))
                .map(|a| a.samples)
        };
        idle.sites.retain(|site| site.aspect == Aspects::COLOR && samples(site).is_some_and(|n| n > 1));
        if let Some(n) = idle.sites.first().and_then(samples) {
            found.push(Candidate::drop_store(idle, &format!("all {n} samples are stored and nobody reads them")));
        }
    }
    found
}
