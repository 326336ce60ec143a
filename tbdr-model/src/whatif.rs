//! What a change of the program would save: an edit of the recorded frame, applied and evaluated again.

use crate::frame::{
    Aspects, Attachment, FrameStructure, LoadOp, Op, Pass, ResolveUse, Side, StoreOp, SubresourceRange,
};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// One change of a frame. Passes and transfers are numbered in submission order, as in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another loadOp for one aspect of an attachment.
    SetLoad {
        /// The pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
        /// One aspect.
        aspect: Aspects,
        /// The new operation.
        op: LoadOp,
    },
    /// Another storeOp for one aspect of an attachment.
    SetStore {
        /// The pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
        /// One aspect.
        aspect: Aspects,
        /// The new operation.
        op: StoreOp,
    },
    /// The resolve command goes; a resolve attachment of the pass takes its place.
    ResolveInPass {
        /// The pass that renders the multisampled image.
        pass: u32,
        /// The subpass that does so last.
        subpass: u32,
        /// Colour slot of the image there.
        slot: u32,
        /// The vkCmdResolveImage.
        transfer: u32,
    },
}

/// The frame with these changes. A change that does not fit the frame changes nothing.
pub fn apply(frame: &FrameStructure, edits: &[Edit]) -> FrameStructure {
    let mut edited = frame.clone();
    let mut dropped = BTreeSet::new();
    for edit in edits {
        match *edit {
            Edit::SetLoad { pass, attachment, aspect, op } => {
                if let Some(a) = attachment_mut(&mut edited, pass, attachment) {
                    *if aspect == Aspects::STENCIL { &mut a.stencil_load } else { &mut a.load } = op;
                }
            }
            Edit::SetStore { pass, attachment, aspect, op } => {
                if let Some(a) = attachment_mut(&mut edited, pass, attachment) {
                    *if aspect == Aspects::STENCIL { &mut a.stencil_store } else { &mut a.store } = op;
                }
            }
            Edit::ResolveInPass { pass, subpass, slot, transfer } => {
                let target = resolve_target(frame, transfer);
                if let (Some(target), Some(pass)) = (target, pass_mut(&mut edited, pass)) {
                    if add_resolve(pass, subpass, slot, target) {
                        dropped.insert(transfer);
                    }
                }
            }
        }
    }
    let mut number = 0;
    for submission in &mut edited.submissions {
        submission.ops.retain(|op| {
            let Op::Transfer(_) = op else { return true };
            number += 1;
            !dropped.contains(&(number - 1))
        });
    }
    edited
}

fn pass_mut(frame: &mut FrameStructure, number: u32) -> Option<&mut Pass> {
    let ops = frame.submissions.iter_mut().flat_map(|s| s.ops.iter_mut());
    let mut passes = ops.filter_map(|op| match op {
        Op::Pass(pass) => Some(pass),
        _ => None,
    });
    passes.nth(number as usize)
}

fn attachment_mut(frame: &mut FrameStructure, pass: u32, attachment: u32) -> Option<&mut Attachment> {
    pass_mut(frame, pass)?.attachments.get_mut(attachment as usize)
}

/// What a resolve command writes, as an attachment.
fn resolve_target(frame: &FrameStructure, transfer: u32) -> Option<Attachment> {
    let transfers = frame.ops().filter_map(|op| match op {
        Op::Transfer(transfer) => Some(transfer),
        _ => None,
    });
    let region = transfers.into_iter().nth(transfer as usize)?.regions.first()?.clone();
    let Some(Side::Image(side)) = region.dst else { return None };
    let image = frame.images.get(side.image?.0 as usize)?;
    Some(Attachment {
        image: side.image,
        range: SubresourceRange {
            aspects: Aspects::COLOR,
            base_mip: side.mip,
            mips: 1,
            base_layer: side.base_layer,
            layers: side.layers,
        },
        format: image.format,
        samples: 1,
        load: LoadOp::DontCare,
        store: StoreOp::Store,
        ..Attachment::default()
    })
}

fn add_resolve(pass: &mut Pass, subpass: u32, slot: u32, target: Attachment) -> bool {
    let number = pass.attachments.len() as u32;
    let Some(subpass) = pass.subpasses.get_mut(subpass as usize) else { return false };
    let slots = subpass.color.len();
    if slot as usize >= slots {
        return false;
    }
    let mut resolve: Vec<Option<ResolveUse>> = core::mem::take(&mut subpass.resolve);
    resolve.resize(slots, None);
    // VK_RESOLVE_MODE_AVERAGE_BIT: what vkCmdResolveImage does.
    resolve[slot as usize] = Some(ResolveUse { attachment: number, mode: 2, ..ResolveUse::default() });
    subpass.resolve = resolve;
    pass.attachments.push(target);
    true
}
