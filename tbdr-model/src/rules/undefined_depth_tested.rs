//! TL014.

use super::timeline::load_of;
use super::{Candidate, Evidence, Gather, Level, Sighting, Structure, Worth, rule};
use crate::format;
use crate::frame::{Aspects, LoadOp, Pass, ResolveUse};
use crate::graph::Operation;
use crate::graph::liveness::{Site, is_followed};
use crate::ranges::Ranges;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Draws that test depth which is undefined: a depth attachment with `loadOp = DONT_CARE`, or one that loads contents which
    /// are undefined, with no clear before the draws.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A tile that is not loaded begins with whatever the tile memory held. Other GPUs, which keep what memory held, hide the
    /// fault: which fragments survive differs from GPU to GPU and from frame to frame.
    ///
    /// ## Bad
    /// Depth with `loadOp = DONT_CARE` and a pipeline with `depthCompareOp = LESS`.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_LOAD_OP_CLEAR`, which costs no bytes.
    ///
    /// ## How much
    /// No bytes: what is drawn is undefined.
    ///
    /// ## When to ignore
    /// If the draws that test cover only what draws without a reading test have written before; where that is possible the level is `info`.
    ///
    /// ## Known limits
    /// Silent where the state of a draw is not known, and where anything in the pass clears or resolves into the attachment before.
    /// Stencil is not looked at.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Load Operations" and "Depth Test".
    UNDEFINED_DEPTH_TESTED {
        code: "TL014",
        name: "undefined-depth-tested",
        category: LoadStoreClear,
        level: Hazard,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in evidence.structures.iter().filter(|(_, s)| is_followed(s.frame)) {
        for (pass, recorded) in (0u32..).zip(&structure.whole.passes) {
            for attachment in depth_attachments(recorded) {
                let Some(frames) = undefined(evidence, structure, (*number, pass, attachment)) else { continue };
                let Some(level) = tested(recorded, attachment) else { continue };
                let seen =
                    Sighting { structure: *number, pass, attachment: Some(attachment), frames, ..Sighting::default() };
                gather.add(seen, || {
                    let (image, label) = (structure.attachment_id(pass, attachment), structure.pass_label(pass));
                    Candidate {
                        level: Some(level),
                        worth: Worth::Saying,
                        fix: alloc::format!("Set loadOp CLEAR on {image} in {label}"),
                        why: "draws test depth that is undefined".to_string(),
                        ..Candidate::default()
                    }
                });
            }
        }
    }
    gather.anywhere()
}

/// Attachments that some subpass uses for depth.
fn depth_attachments(pass: &Pass) -> Vec<u32> {
    let mut all: Vec<u32> = pass.subpasses.iter().filter_map(|s| Some(s.depth?.attachment)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Frames in which the depth of an attachment is undefined when its pass begins; `Some(None)`: wherever the structure occurs.
fn undefined(
    evidence: &Evidence<'_>,
    structure: &Structure<'_>,
    (number, pass, attachment): (u32, u32, u32),
) -> Option<Option<Ranges>> {
    let described = structure.attachment(pass, attachment)?;
    let has_depth = format::info(described.format)?.aspects().contains(Aspects::DEPTH);
    match load_of(described, Aspects::DEPTH) {
        LoadOp::DontCare if has_depth => Some(None),
        LoadOp::Load if has_depth => {
            let (aspect, operation) = (Aspects::DEPTH, Operation::Load);
            let site = Site { structure: number, pass, attachment, aspect, operation };
            let fate = evidence.fate(site).filter(|fate| fate.dead.count() > 0)?;
            (!evidence.was_needed(site)).then(|| Some(fate.dead.clone()))
        }
        _ => None,
    }
}

/// VK_COMPARE_OP_NEVER and VK_COMPARE_OP_ALWAYS: they read nothing.
const READ_NOTHING: u32 = 1 << 0 | 1 << 7;

/// Whether draws test the depth of an attachment before anything gives it contents, and how sure that is.
fn tested(pass: &Pass, attachment: u32) -> Option<Level> {
    // Draws that may have covered everything without a test that reads.
    let mut written = false;
    for subpass in &pass.subpasses {
        let resolved = |used: &Option<ResolveUse>| used.is_some_and(|used| used.attachment == attachment);
        if subpass.depth.is_some_and(|used| used.attachment == attachment) {
            if subpass.clears.iter().any(|clear| clear.aspects.contains(Aspects::DEPTH))
                || subpass.drawn && (!subpass.draws.known || subpass.draws.conditional)
            {
                return None;
            }
            let facts = &subpass.draws;
            let writes_untested = facts.depth_writes && facts.depth_compares & READ_NOTHING != 0;
            let reads = facts.depth_tests && (facts.depth_compares & !READ_NOTHING != 0 || facts.depth_bounds);
            if subpass.drawn && reads {
                return Some(if written || writes_untested { Level::Info } else { Level::Hazard });
            }
            written |= subpass.drawn && facts.depth_writes;
        }
        if resolved(&subpass.depth_resolve) {
            return None;
        }
    }
    None
}
