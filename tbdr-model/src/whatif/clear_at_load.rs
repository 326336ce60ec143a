//! loadOp CLEAR in place of the vkCmdClearAttachments with which a subpass begins.

use super::Draft;
use crate::frame::{Aspects, Attachment, ClearAttachment, LoadOp, Subpass};

pub fn apply(draft: &mut Draft<'_>, (pass, attachment, aspect): (u32, u32, Aspects)) {
    let Some(pass) = draft.pass_mut(pass) else { return };
    let Some(Attachment { load, stencil_load, .. }) = pass.attachments.get_mut(attachment as usize) else { return };
    *if aspect == Aspects::STENCIL { stencil_load } else { load } = LoadOp::Clear;
    // The first subpass that renders to it.
    if let Some(subpass) = pass.subpasses.iter_mut().find(|s| s.targets().any(|used| used.attachment == attachment)) {
        let slot = subpass.color.iter().position(|used| used.is_some_and(|used| used.attachment == attachment));
        drop_clears(subpass, slot, aspect);
    }
}

fn drop_clears(subpass: &mut Subpass, slot: Option<usize>, aspect: Aspects) {
    let of_it = |clear: &ClearAttachment| {
        let same = aspect != Aspects::COLOR || slot == Some(clear.slot as usize);
        !clear.after_draw && same && clear.aspects.contains(aspect)
    };
    for clear in subpass.clears.iter_mut().filter(|clear| of_it(clear)) {
        clear.aspects = Aspects(clear.aspects.0 & !aspect.0);
    }
    subpass.clears.retain(|clear| clear.aspects.0 != 0);
}
