//! What passes do with their attachments beside loading and storing them: what TL007 and TL008 rest on.

use crate::format;
use crate::frame::{Aspects, LoadOp, Pass, StoreOp, Subpass};
use crate::graph::touched::{self, Touch};
use alloc::vec::Vec;

/// One aspect of an attachment that some subpass renders to.
pub struct Seen {
    /// Index of the attachment.
    pub attachment: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// Its load operation.
    pub load: LoadOp,
    /// Its store operation.
    pub store: StoreOp,
    /// What may happen to it in between.
    pub touch: Touch,
}

/// Every aspect of the attachments that subpasses render to.
pub fn of(pass: &Pass) -> Vec<Seen> {
    let mut found = Vec::new();
    for (attachment, described) in (0u32..).zip(&pass.attachments) {
        for aspect in [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL] {
            let has = format::info(described.format).is_some_and(|info| info.aspects().contains(aspect));
            let Some(touch) = touched::in_pass(pass, attachment, aspect).filter(|_| has) else { continue };
            let (load, store) = match aspect {
                Aspects::STENCIL => (described.stencil_load, described.stencil_store),
                _ => (described.load, described.store),
            };
            let touch = Touch {
                reads: touch.reads || pass.subpasses.iter().any(|s| reads_otherwise(s, attachment)),
                writes: touch.writes || pass.subpasses.iter().any(|s| writes_otherwise(s, attachment)),
            };
            found.push(Seen { attachment, aspect, load, store, touch });
        }
    }
    found
}

/// Whether a subpass reads an attachment as input or as the source of a resolve. Which aspect plays no part.
fn reads_otherwise(subpass: &Subpass, attachment: u32) -> bool {
    let input = subpass.input.iter().flatten().any(|used| used.attachment == attachment);
    let colors = subpass.color.iter().zip(&subpass.resolve).filter(|(_, resolve)| resolve.is_some());
    let depth = [(subpass.depth, subpass.depth_resolve), (subpass.stencil, subpass.stencil_resolve)];
    let depth = depth.into_iter().filter(|(_, resolve)| resolve.is_some()).filter_map(|(used, _)| used);
    let resolved = colors.filter_map(|(used, _)| *used).chain(depth).any(|used| used.attachment == attachment);
    let rates = subpass.shading_rate.is_some_and(|rate| rate.attachment == attachment);
    input || resolved || rates
}

/// Whether a subpass resolves into an attachment, or draws that resolve may write it.
fn writes_otherwise(subpass: &Subpass, attachment: u32) -> bool {
    let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]).flatten();
    let custom = subpass.flags & Subpass::CUSTOM_RESOLVE != 0 && subpass.drawn;
    custom || resolves.into_iter().any(|used| used.attachment == attachment)
}
