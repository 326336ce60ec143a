//! What a change of the program would save: an edit of the recorded frame, applied and evaluated again.

use crate::frame::{
    Aspects, Attachment, FrameStructure, LoadOp, Op, Pass, ResolveUse, Side, StoreOp, Submission, SubresourceRange,
};
use crate::identity::Names;
use alloc::collections::{BTreeMap, BTreeSet};
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

impl Edit {
    /// The pass that it changes.
    pub const fn pass(&self) -> u32 {
        match *self {
            Self::SetLoad { pass, .. } | Self::SetStore { pass, .. } | Self::ResolveInPass { pass, .. } => pass,
        }
    }

    /// The transfer that it replaces.
    pub const fn transfer(&self) -> Option<u32> {
        match *self {
            Self::ResolveInPass { transfer, .. } => Some(transfer),
            Self::SetLoad { .. } | Self::SetStore { .. } => None,
        }
    }

    fn renumbered(self, new_pass: u32, new_transfer: u32) -> Self {
        match self {
            Self::SetLoad { attachment, aspect, op, .. } => Self::SetLoad { pass: new_pass, attachment, aspect, op },
            Self::SetStore { attachment, aspect, op, .. } => Self::SetStore { pass: new_pass, attachment, aspect, op },
            Self::ResolveInPass { subpass, slot, .. } => {
                Self::ResolveInPass { pass: new_pass, subpass, slot, transfer: new_transfer }
            }
        }
    }
}

/// What changes touch of a frame: only this has to be evaluated again, since a ledger is a sum over passes and transfers.
pub struct Focus {
    /// The passes and transfers touched.
    pub frame: FrameStructure,
    /// Their identities.
    pub names: Names,
    passes: BTreeMap<u32, u32>,
    transfers: BTreeMap<u32, u32>,
}

impl Focus {
    /// What `edits` touch of a frame.
    pub fn new(frame: &FrameStructure, names: &Names, edits: &[Edit]) -> Self {
        let passes: BTreeSet<u32> = edits.iter().map(Edit::pass).collect();
        let transfers: BTreeSet<u32> = edits.iter().filter_map(Edit::transfer).collect();
        let mut focus = Self {
            frame: FrameStructure { images: frame.images.clone(), ..FrameStructure::default() },
            names: Names { images: names.images.clone(), ..Names::default() },
            passes: BTreeMap::new(),
            transfers: BTreeMap::new(),
        };
        let (mut ops, mut pass, mut transfer) = (Vec::new(), 0, 0);
        for op in frame.ops() {
            let (number, wanted, renumbered) = match op {
                Op::Pass(_) => (&mut pass, &passes, &mut focus.passes),
                Op::Transfer(_) => (&mut transfer, &transfers, &mut focus.transfers),
                Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => continue,
            };
            if wanted.contains(number) {
                let new = renumbered.len() as u32;
                renumbered.insert(*number, new);
                ops.push(op.clone());
                if let Op::Pass(_) = op {
                    let of_pass = names.attachments.get(*number as usize).cloned().unwrap_or_default();
                    focus.names.attachments.push(of_pass);
                }
            }
            *number += 1;
        }
        focus.frame.submissions.push(Submission { ops, ..Submission::default() });
        focus
    }

    /// Those of `edits` that lie in the focus, in its numbers.
    pub fn edits(&self, edits: &[Edit]) -> Vec<Edit> {
        let renumbered = |edit: &Edit| {
            let pass = *self.passes.get(&edit.pass())?;
            let transfer = match edit.transfer() {
                Some(transfer) => *self.transfers.get(&transfer)?,
                None => 0,
            };
            Some(edit.renumbered(pass, transfer))
        };
        edits.iter().filter_map(renumbered).collect()
    }
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
