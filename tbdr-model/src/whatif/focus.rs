//! The part of a frame that edits touch: only this has to be evaluated again, since a ledger is a sum over passes and transfers.

use super::{Edit, Touched};
use crate::frame::{FrameStructure, Op, Submission};
use crate::identity::Names;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The passes and transfers that edits touch, numbered on their own.
pub struct Focus {
    /// The passes and transfers touched.
    pub frame: FrameStructure,
    /// Their identities.
    pub names: Names,
    passes: BTreeMap<u32, u32>,
    transfers: BTreeMap<u32, u32>,
}

impl Focus {
    /// These operations of a frame.
    pub fn new(frame: &FrameStructure, names: &Names, touched: &Touched) -> Self {
        let mut focus = Self {
            frame: FrameStructure {
                images: frame.images.clone(),
                buffers: frame.buffers.clone(),
                ..FrameStructure::default()
            },
            names: Names { images: names.images.clone(), buffers: names.buffers.clone(), ..Names::default() },
            passes: BTreeMap::new(),
            transfers: BTreeMap::new(),
        };
        let (mut pass, mut transfer) = (0, 0);
        for from in &frame.submissions {
            // Whose submission it is decides whether a GPU moves a byte for it.
            let mut to = Submission { queue: from.queue, ..Submission::default() };
            for op in &from.ops {
                let (number, wanted, renumbered) = match op {
                    Op::Pass(_) => (&mut pass, &touched.passes, &mut focus.passes),
                    Op::Transfer(_) => (&mut transfer, &touched.transfers, &mut focus.transfers),
                    Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => continue,
                };
                if wanted.contains(number) {
                    let new = renumbered.len() as u32;
                    renumbered.insert(*number, new);
                    to.ops.push(op.clone());
                    if let Op::Pass(_) = op {
                        let of_pass = names.attachments.get(*number as usize).cloned().unwrap_or_default();
                        focus.names.attachments.push(of_pass);
                    }
                }
                *number += 1;
            }
            if !to.ops.is_empty() {
                focus.frame.submissions.push(to);
            }
        }
        focus
    }

    /// Those of `edits` that lie in the focus, in its numbers.
    pub fn edits(&self, edits: &[Edit]) -> Vec<Edit> {
        let pass = |number| self.passes.get(&number).copied();
        let transfer = |number| self.transfers.get(&number).copied();
        edits.iter().filter_map(|edit| edit.renumbered(pass, transfer)).collect()
    }
}
