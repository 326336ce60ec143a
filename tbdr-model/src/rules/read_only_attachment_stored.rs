//! TL008.

use super::untouched::{self, Seen};
use super::{Candidate, Evidence, Gather, Sighting, rule};
use crate::frame::{Aspects, LoadOp, StoreOp};
use crate::graph::liveness::is_followed;
use crate::whatif::Edit;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `VK_ATTACHMENT_STORE_OP_STORE` of an attachment aspect that the pass loads and reads, by tests or as an input attachment, and never
    /// writes: its layout is read-only, or every draw has writing switched off, and no command clears it.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The store writes back to DRAM what was read from there a moment before.
    ///
    /// ## Bad
    /// Transparent draws that test against the depth of an earlier pass, with depth writes off and `storeOp = STORE`.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_STORE_OP_NONE`: memory keeps what it has. DONT_CARE would allow the driver to lose it.
    ///
    /// ## How much
    /// One write of the attachment per frame: area x layers x samples x bytes of the aspect.
    ///
    /// ## When to ignore
    /// If draws that the recorded run did not reach write it: with `storeOp = NONE` what they write would be lost.
    ///
    /// ## Known limits
    /// Silent if any draw or clear may write the aspect in any recorded frame, or if the state of a draw is not known. Where depth and
    /// stencil share a word, a store of the one moves the other as well.
    ///
    /// ## References
    /// Vulkan specification, VkAttachmentStoreOp. VK_KHR_load_store_op_none.
    READ_ONLY_ATTACHMENT_STORED {
        code: "TL008",
        name: "read-only-attachment-stored",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL302", "TL103", "TL006"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in evidence.structures.iter().filter(|(_, s)| is_followed(s.frame)) {
        for (pass, described) in (0u32..).zip(&structure.whole.passes) {
            for Seen { attachment, aspect, load, store, touch } in untouched::of(described) {
                if load != LoadOp::Load || store != StoreOp::Store || !touch.reads || touch.writes {
                    continue;
                }
                let place = Sighting {
                    structure: *number,
                    pass,
                    attachment: Some(attachment),
                    edits: alloc::vec![Edit::SetStore { pass, attachment, aspect, op: StoreOp::None }],
                    ..Sighting::default()
                };
                gather.add(place, || {
                    let field = if aspect == Aspects::STENCIL { "stencilStoreOp" } else { "storeOp" };
                    let (image, label) = (structure.attachment_id(pass, attachment), structure.pass_label(pass));
                    Candidate {
                        fix: format!(
                            "Set {field} NONE on {image} in {label} (Vulkan 1.3 or VK_KHR_load_store_op_none)"
                        ),
                        why: "the pass reads the attachment and never writes it: memory has what it stores".to_string(),
                        ..Candidate::default()
                    }
                });
            }
        }
    }
    gather.everywhere()
}
