//! Other load and store operations.

use super::pass_mut;
use crate::frame::{Aspects, Attachment, FrameStructure, LoadOp, StoreOp};

/// Pass, attachment and aspect.
type Place = (u32, u32, Aspects);

pub fn set_load(frame: &mut FrameStructure, (pass, attachment, aspect): Place, op: LoadOp) {
    if let Some(a) = attachment_mut(frame, pass, attachment) {
        *if aspect == Aspects::STENCIL { &mut a.stencil_load } else { &mut a.load } = op;
    }
}

pub fn set_store(frame: &mut FrameStructure, (pass, attachment, aspect): Place, op: StoreOp) {
    if let Some(a) = attachment_mut(frame, pass, attachment) {
        *if aspect == Aspects::STENCIL { &mut a.stencil_store } else { &mut a.store } = op;
    }
}

fn attachment_mut(frame: &mut FrameStructure, pass: u32, attachment: u32) -> Option<&mut Attachment> {
    pass_mut(frame, pass)?.attachments.get_mut(attachment as usize)
}
