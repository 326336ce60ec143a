//! Other load and store operations.

use super::Draft;
use crate::frame::{Aspects, Attachment, LoadOp, StoreOp};

/// Pass, attachment and aspect.
type Place = (u32, u32, Aspects);

pub fn set_load(draft: &mut Draft<'_>, (pass, attachment, aspect): Place, op: LoadOp) {
    if let Some(a) = attachment_mut(draft, pass, attachment) {
        *if aspect == Aspects::STENCIL { &mut a.stencil_load } else { &mut a.load } = op;
    }
}

pub fn set_store(draft: &mut Draft<'_>, (pass, attachment, aspect): Place, op: StoreOp) {
    if let Some(a) = attachment_mut(draft, pass, attachment) {
        *if aspect == Aspects::STENCIL { &mut a.stencil_store } else { &mut a.store } = op;
    }
}

fn attachment_mut<'d>(draft: &'d mut Draft<'_>, pass: u32, attachment: u32) -> Option<&'d mut Attachment> {
    draft.pass_mut(pass)?.attachments.get_mut(attachment as usize)
}
