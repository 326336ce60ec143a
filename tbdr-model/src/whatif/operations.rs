//! Other load and store operations.

use super::Draft;
use crate::frame::{Aspects, Attachment, LoadOp, StoreOp};

/// Pass, attachment and aspect.
type Place = (u32, u32, Aspects);

pub fn set_load(draft: &mut Draft, (pass, attachment, aspect): Place, op: LoadOp) {
    if let Some(a) = attachment_mut(draft, pass, attachment) {
        *if aspect == Aspects::STENCIL { &mut a.stencil_load } else { &mut a.load } = op;
    }
}

pub fn set_store(draft: &mut Draft, (pass, attachment, aspect): Place, op: StoreOp) {
    if let Some(a) = attachment_mut(draft, pass, attachment) {
        *if aspect == Aspects::STENCIL { &mut a.stencil_store } else { &mut a.store } = op;
    }
}

fn attachment_mut(draft: &mut Draft, pass: u32, attachment: u32) -> Option<&mut Attachment> {
    draft.pass_mut(pass)?.attachments.get_mut(attachment as usize)
}
