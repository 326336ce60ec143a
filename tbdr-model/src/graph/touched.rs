//! Whether anything in a subpass may read or write an attachment that it renders to: its draws and vkCmdClearAttachments.
//!
//! Load, store and resolve operations are not asked here, and neither is what shaders reach through descriptors. A `false` is a proof: draws
//! whose state is not known may do everything.

use crate::frame::{Aspects, AttachmentUse, Layout, Pass, Subpass};
use crate::model::is_read_only;

/// What may happen to one aspect of an attachment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// A draw may depend on what is there: a test, blending, a logical operation.
    pub reads: bool,
    /// A draw or a clear may change it.
    pub writes: bool,
}

impl Touch {
    fn merge(&mut self, other: Self) {
        self.reads |= other.reads;
        self.writes |= other.writes;
    }
}

/// What may happen to a colour slot of a subpass.
pub fn color(subpass: &Subpass, slot: usize) -> Touch {
    let cleared = subpass.clears.iter().any(|c| c.aspects.contains(Aspects::COLOR) && c.slot as usize == slot);
    let bit =
        |bits: u32| u32::try_from(slot).ok().and_then(|slot| bits.checked_shr(slot)).is_none_or(|bits| bits & 1 == 1);
    let drawn = match (subpass.drawn, subpass.draws.known) {
        (false, _) => Touch::default(),
        (true, false) => Touch { reads: true, writes: true },
        (true, true) => Touch { reads: bit(subpass.draws.color_reads), writes: bit(subpass.draws.color_writes) },
    };
    let sampled = subpass.drawn && subpass.color.get(slot).is_some_and(|used| used.is_some_and(|used| used.feedback));
    Touch { reads: drawn.reads || sampled, writes: drawn.writes || cleared }
}

/// What may happen to depth or stencil of a subpass, in this layout.
pub fn depth_stencil(subpass: &Subpass, aspect: Aspects, layout: Layout) -> Touch {
    let cleared = subpass.clears.iter().any(|c| c.aspects.contains(aspect));
    let facts = &subpass.draws;
    let drawn = match (subpass.drawn, facts.known) {
        (false, _) => Touch::default(),
        (true, false) => Touch { reads: true, writes: true },
        (true, true) if aspect == Aspects::DEPTH => Touch { reads: facts.depth_tests, writes: facts.depth_writes },
        (true, true) => Touch { reads: facts.stencil_tests, writes: facts.stencil_writes },
    };
    let own = if aspect == Aspects::DEPTH { subpass.depth } else { subpass.stencil };
    let sampled = subpass.drawn && own.is_some_and(|used| used.feedback);
    let writes = (drawn.writes || cleared) && !is_read_only(layout, aspect);
    Touch { reads: drawn.reads || sampled, writes }
}

/// What may happen to an aspect of an attachment in all subpasses together; `None` if none renders to it.
pub fn in_pass(pass: &Pass, attachment: u32, aspect: Aspects) -> Option<Touch> {
    let mut found: Option<Touch> = None;
    let mut add = |touch: Touch| found.get_or_insert_default().merge(touch);
    for subpass in &pass.subpasses {
        if aspect == Aspects::COLOR {
            let is_it = |used: &Option<AttachmentUse>| used.is_some_and(|u| u.attachment == attachment);
            subpass
                .color
                .iter()
                .enumerate()
                .filter(|(_, used)| is_it(used))
                .for_each(|(slot, _)| add(color(subpass, slot)));
        } else {
            let used = if aspect == Aspects::DEPTH { subpass.depth } else { subpass.stencil };
            if let Some(used) = used.filter(|u| u.attachment == attachment) {
                add(depth_stencil(subpass, aspect, used.layout));
            }
        }
    }
    found
}
