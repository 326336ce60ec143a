//! A resolve attachment in place of a resolve command.

use super::Draft;
use crate::frame::{Aspects, Attachment, LoadOp, Pass, ResolveUse, Side, StoreOp, SubresourceRange};
use alloc::vec::Vec;

/// The command goes if the pass can do it.
pub fn apply(draft: &mut Draft<'_>, (pass, subpass, slot): (u32, u32, u32), transfer: u32) {
    let target = resolve_target(draft, transfer);
    if let (Some(target), Some(pass)) = (target, draft.pass_mut(pass)) {
        if add_resolve(pass, subpass, slot, target) {
            draft.gone.transfers.insert(transfer);
        }
    }
}

/// What a resolve command writes, as an attachment.
fn resolve_target(draft: &Draft<'_>, transfer: u32) -> Option<Attachment> {
    let Some(Side::Image(side)) = &draft.transfer(transfer)?.regions.first()?.dst else { return None };
    let image = draft.image(side.image?.0)?;
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
