//! TL209.

use super::{Candidate, Evidence, Gather, Sighting, Worth, rule};
use crate::frame::Pass;
use crate::report::{Basis, Quantity};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A render pass with several subpasses that use more than eight different attachments as input or colour, together, or a
    /// subpass that reads more than four input attachments.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Arm's driver merges subpasses only while they use at most eight input and colour attachments together. Devices need not
    /// offer more than four input attachments (`maxPerStageDescriptorInputAttachments`), so a fifth does not run everywhere.
    ///
    /// ## Bad
    /// A G-buffer of six targets that two lighting subpasses turn into three more.
    ///
    /// ## Good
    /// At most eight attachments in all subpasses that are to merge, at most four of them read as input in one subpass.
    ///
    /// ## How much
    /// The number of attachments beyond the limit. What the missing merge costs is TL201's to say.
    ///
    /// ## When to ignore
    /// If the GPUs you build for have neither limit.
    ///
    /// ## Known limits
    /// Depth and stencil attachments count only where they are read as input.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/subpasses. Vulkan specification, Required Limits.
    MANY_INPUTS {
        code: "TL209",
        name: "many-inputs",
        category: Subpasses,
        level: Note,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["attachment beyond the limit", "attachments beyond the limit"],
        check: check,
    }
}

/// Attachments used as input or colour in merged subpasses (Khronos Vulkan-Samples, performance/subpasses).
const MOST_TOGETHER: usize = 8;
/// maxPerStageDescriptorInputAttachments that every device has (Vulkan specification, Required Limits).
const MOST_INPUTS: usize = 4;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (structure, seen) in &evidence.structures {
        for (pass, recorded) in (0u32..).zip(&seen.whole.passes) {
            let label = seen.pass_label(pass);
            let (together, inputs) = (together(recorded), inputs(recorded));
            let (beyond, fix) = if together > MOST_TOGETHER {
                let fix =
                    format!("Use at most {MOST_TOGETHER} input and colour attachments in {label} ({together} now)");
                (together - MOST_TOGETHER, fix)
            } else if inputs > MOST_INPUTS {
                let fix =
                    format!("Read at most {MOST_INPUTS} input attachments in a subpass of {label} ({inputs} now)");
                (inputs - MOST_INPUTS, fix)
            } else {
                continue;
            };
            gather.add(Sighting { structure: *structure, pass, ..Sighting::default() }, || Candidate {
                worth: Worth::Amount { quantity: Quantity::Count, value: beyond as u64, basis: Basis::Exact },
                fix,
                why: "more attachments than drivers merge or devices have to offer".to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.anywhere()
}

/// Different attachments that all subpasses together use as input or colour; 0 for a single subpass, which merges with nothing.
fn together(pass: &Pass) -> usize {
    if pass.subpasses.len() < 2 {
        return 0;
    }
    let used = pass.subpasses.iter().flat_map(|s| s.color.iter().chain(&s.input).flatten()).map(|u| u.attachment);
    used.collect::<BTreeSet<u32>>().len()
}

/// The most input attachments that a subpass reads.
fn inputs(pass: &Pass) -> usize {
    let of = |slots: &[Option<crate::frame::AttachmentUse>]| slots.iter().flatten().count();
    pass.subpasses.iter().map(|s| of(&s.input)).max().unwrap_or(0)
}
