//! TL007.

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
    /// An attachment that a pass loads, and perhaps stores again, although nothing in the pass touches it: every draw has its write
    /// mask at zero or its test switched off, no command clears it, and nothing resolves or reads it.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Load and store operations follow the attachment, not the draws: it travels into every tile and back unchanged.
    ///
    /// ## Bad
    /// A user interface without depth tests in a pass that loads and stores the depth attachment.
    ///
    /// ## Good
    /// The pass without the attachment (VK_ATTACHMENT_UNUSED, or no view), or `loadOp` and `storeOp` NONE.
    ///
    /// ## How much
    /// One read of the attachment, and one write if it is stored: area x layers x samples x bytes of the aspect.
    ///
    /// ## When to ignore
    /// If draws that the recorded run did not reach use it.
    ///
    /// ## Known limits
    /// Silent if any draw of any pipeline may touch the attachment in any recorded frame, or if the state of a draw is not known. What is
    /// cleared by its loadOp counts as written. An attachment that no subpass refers to costs nothing and is not reported.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Load Operations" and "Render Pass Store Operations". VK_KHR_load_store_op_none.
    UNUSED_ATTACHMENT_TRAFFIC {
        code: "TL007",
        name: "unused-attachment-traffic",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL302", "TL103", "TL008", "TL006", "TL001"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in evidence.structures.iter().filter(|(_, s)| is_followed(s.frame)) {
        for (pass, described) in (0u32..).zip(&structure.whole.passes) {
            let all = untouched::of(described);
            for &Seen { attachment, aspect, load, store, touch } in &all {
                if load != LoadOp::Load || touch.reads || touch.writes {
                    continue;
                }
                let mut edits = Vec::new();
                // Contents that the pass drops at its end may be dropped at its beginning.
                let op = if store == StoreOp::DontCare { LoadOp::DontCare } else { LoadOp::None };
                edits.push(Edit::SetLoad { pass, attachment, aspect, op });
                if store == StoreOp::Store {
                    edits.push(Edit::SetStore { pass, attachment, aspect, op: StoreOp::None });
                }
                let place =
                    Sighting { structure: *number, pass, attachment: Some(attachment), edits, ..Sighting::default() };
                gather.add(place, || {
                    let image = structure.attachment_id(pass, attachment);
                    let label = structure.pass_label(pass);
                    let stencil = aspect == Aspects::STENCIL;
                    let (load_op, store_op) =
                        if stencil { ("stencilLoadOp", "stencilStoreOp") } else { ("loadOp", "storeOp") };
                    let ops = if store == StoreOp::DontCare {
                        format!("{load_op} DONT_CARE")
                    } else {
                        format!("{load_op} and {store_op} NONE (VK_KHR_load_store_op_none)")
                    };
                    // Of an image whose other aspect the pass does use, the image has to stay.
                    let used =
                        |other: &Seen| other.attachment == attachment && (other.touch.reads || other.touch.writes);
                    let fix = if all.iter().any(used) {
                        format!("Set {ops} on {image} in {label}")
                    } else {
                        format!("Leave {image} out of {label}, or set {ops} on it")
                    };
                    let why = match aspect {
                        Aspects::STENCIL => "no draw or clear of the pass touches the stencil of the attachment",
                        Aspects::DEPTH => "no draw or clear of the pass touches the depth of the attachment",
                        _ => "no draw or clear of the pass touches the attachment",
                    };
                    Candidate { fix, why: why.to_string(), ..Candidate::default() }
                });
            }
        }
    }
    gather.everywhere()
}
