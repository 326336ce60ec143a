//! A resolve attachment in place of a resolve command.

use super::pass_mut;
use crate::frame::{
    Aspects, Attachment, FrameStructure, LoadOp, Op, Pass, ResolveUse, Side, StoreOp, SubresourceRange,
};
use alloc::vec::Vec;

/// Whether the pass can do it; `frame` is what the edits began with.
pub fn apply(
    frame: &FrameStructure,
    edited: &mut FrameStructure,
    (pass, subpass, slot): (u32, u32, u32),
    transfer: u32,
) -> bool {
    match (resolve_target(frame, transfer), pass_mut(edited, pass)) {
        (Some(target), Some(pass)) => add_resolve(pass, subpass, slot, target),
        _ => false,
    }
}

/// What a resolve command writes, as an attachment.
fn resolve_target(frame: &FrameStructure, transfer: u32) -> Option<Attachment> {
    let mut transfers = frame.ops().filter_map(|op| match op {
        Op::Transfer(transfer) => Some(transfer),
        _ => None,
    });
    let region = transfers.nth(transfer as usize)?.regions.first()?.clone();
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
