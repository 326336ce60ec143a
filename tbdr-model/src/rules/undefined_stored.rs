//! TL018.

use super::candidate::field;
use super::timeline::{Timeline, load_of, store_of};
use super::{Candidate, Evidence, Gather, Sighting, Worth, rule};
use crate::frame::{Aspects, LoadOp, StoreOp};
use crate::graph::liveness::{Site, is_followed};
use crate::graph::{Operation, access, touched};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `storeOp = STORE` of an attachment that has no contents: its loadOp is DONT_CARE, or NONE over undefined contents, nothing in the
    /// pass can write it, and somebody reads what was stored.
    ///
    /// ## Why it costs on a tile-based GPU
    /// What is stored is whatever tile memory held. Other GPUs, where memory still holds what was there before, hide the fault.
    ///
    /// ## Bad
    /// A colour attachment with `loadOp = DONT_CARE`, `storeOp = STORE` and a write mask of zero in every draw, which a later pass samples.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_LOAD_OP_CLEAR`, or `LOAD` where there are contents to keep.
    ///
    /// ## How much
    /// No bytes: what is read is undefined.
    ///
    /// ## When to ignore
    /// If a shader that statically uses the image never gets to the code that reads it.
    ///
    /// ## Known limits
    /// Silent if any draw or clear may have covered the attachment, if the state of a draw is not known, for passes that render a part of an
    /// image whose rest has contents, for images that several queues use or that others may reach unseen, and after gaps in the record.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Load Operations" and "Render Pass Store Operations".
    UNDEFINED_STORED {
        code: "TL018",
        name: "undefined-stored",
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
        let mut timeline: Option<Timeline<'_, '_>> = None;
        for (pass, recorded) in (0u32..).zip(&structure.whole.passes) {
            for (attachment, described) in (0u32..).zip(&recorded.attachments) {
                let Some((reference, image)) = described.image.zip(structure.image(described)) else { continue };
                for aspect in access::each(access::aspects_of(image)) {
                    let loads = matches!(load_of(described, aspect), LoadOp::DontCare | LoadOp::None);
                    let idle = || touched::in_pass(recorded, attachment, aspect).is_some_and(|touch| !touch.writes);
                    // Stencil that comes along with depth is loaded and stored by passes that never look at it.
                    let unseen = aspect == Aspects::STENCIL;
                    if unseen || !loads || store_of(described, aspect) != StoreOp::Store || !idle() {
                        continue;
                    }
                    let site = Site { structure: *number, pass, attachment, aspect, operation: Operation::Store };
                    let Some(fate) = evidence.fate(site).filter(|fate| fate.read_undefined.count() > 0) else {
                        continue;
                    };
                    let timeline = timeline.get_or_insert_with(|| Timeline::new(structure));
                    let queue = timeline.queue_of(reference);
                    let resolved = recorded.subpasses.iter().any(|subpass| {
                        let depth = [subpass.depth_resolve, subpass.stencil_resolve];
                        subpass.resolve.iter().chain(&depth).flatten().any(|used| used.attachment == attachment)
                    });
                    if resolved || !queue.is_some_and(|queue| evidence.is_alone(*number, reference, queue)) {
                        continue;
                    }
                    let frames = Some(fate.read_undefined.clone());
                    let seen = Sighting {
                        structure: *number,
                        pass,
                        attachment: Some(attachment),
                        frames,
                        ..Sighting::default()
                    };
                    gather.add(seen, || {
                        let (image, label) = (structure.attachment_id(pass, attachment), structure.pass_label(pass));
                        let op = field([aspect].into_iter(), "loadOp", "stencilLoadOp");
                        Candidate {
                            worth: Worth::Saying,
                            fix: format!("Set {op} CLEAR on {image} in {label}, or LOAD if it is to keep its contents"),
                            why: "contents are stored and read that nothing has given a value".to_string(),
                            ..Candidate::default()
                        }
                    });
                }
            }
        }
    }
    gather.anywhere()
}
