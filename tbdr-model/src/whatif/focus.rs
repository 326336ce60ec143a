//! The part of a frame that edits touch: only this has to be evaluated again, since a ledger is a sum over passes and transfers.
//!
//! A part costs what is touched, however large the frame is: its images are those that its operations name.

use super::{Edit, Touched};
use crate::frame::{BufferRef, FrameStructure, HOST_QUEUE, ImageRef, Op, Pass, Submission, Transfer, renumber};
use crate::identity::Names;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A frame whose passes and transfers are found by their numbers.
#[derive(Clone, Debug)]
pub struct Numbered<'a> {
    /// The frame.
    pub frame: &'a FrameStructure,
    /// Its identities.
    pub names: &'a Names,
    /// Its render pass instances.
    pub passes: Vec<&'a Pass>,
    /// Its transfer commands.
    pub transfers: Vec<&'a Transfer>,
    /// For each transfer whether the host itself makes it.
    pub by_host: Vec<bool>,
}

impl<'a> Numbered<'a> {
    /// The numbers of a frame.
    pub fn new(frame: &'a FrameStructure, names: &'a Names) -> Self {
        let mut numbered = Self { frame, names, passes: Vec::new(), transfers: Vec::new(), by_host: Vec::new() };
        for (by_host, op) in frame.ops_by_maker() {
            match op {
                Op::Pass(pass) => numbered.passes.push(pass),
                Op::Transfer(transfer) => {
                    numbered.transfers.push(transfer);
                    numbered.by_host.push(by_host);
                }
                Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => {}
            }
        }
        numbered
    }
}

/// The passes and transfers that edits touch, numbered on their own.
#[derive(Clone, Debug, Default)]
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
    pub fn new(whole: &Numbered<'_>, touched: &Touched) -> Self {
        let mut focus = Self::default();
        let (mut by_gpu, mut by_host) = (Vec::new(), Vec::new());
        for number in &touched.passes {
            let Some(pass) = whole.passes.get(*number as usize) else { continue };
            focus.passes.insert(*number, focus.passes.len() as u32);
            by_gpu.push(Op::Pass(Pass::clone(pass)));
            focus.names.attachments.push(whole.names.attachments.get(*number as usize).cloned().unwrap_or_default());
        }
        // Whose submission it is decides whether a GPU moves a byte for it. Those of the GPU come first, and have the first numbers.
        for host in [false, true] {
            for number in &touched.transfers {
                let (Some(transfer), Some(made_by_host)) =
                    (whole.transfers.get(*number as usize), whole.by_host.get(*number as usize))
                else {
                    continue;
                };
                if *made_by_host == host {
                    focus.transfers.insert(*number, focus.transfers.len() as u32);
                    let ops = if host { &mut by_host } else { &mut by_gpu };
                    ops.push(Op::Transfer(Transfer::clone(transfer)));
                }
            }
        }
        focus.frame.submissions.push(Submission { ops: by_gpu, ..Submission::default() });
        if !by_host.is_empty() {
            focus.frame.submissions.push(Submission { queue: HOST_QUEUE, ops: by_host, ..Submission::default() });
        }
        focus.take_resources(whole);
        focus
    }

    /// Takes over the images and buffers that the operations name.
    fn take_resources(&mut self, whole: &Numbered<'_>) {
        let (mut images, mut buffers) = (BTreeMap::new(), BTreeMap::new());
        let FrameStructure { images: own_images, buffers: own_buffers, submissions, .. } = &mut self.frame;
        let mut image = |reference: &mut ImageRef| {
            let old = reference.0;
            *reference = *images.entry(old).or_insert_with(|| {
                let Some(found) = whole.frame.images.get(old as usize) else { return ImageRef(u32::MAX) };
                own_images.push(found.clone());
                self.names.images.push(whole.names.images.get(old as usize).cloned().unwrap_or_default());
                ImageRef(own_images.len() as u32 - 1)
            });
        };
        let mut buffer = |reference: &mut BufferRef| {
            let old = reference.0;
            *reference = *buffers.entry(old).or_insert_with(|| {
                let Some(found) = whole.frame.buffers.get(old as usize) else { return BufferRef(u32::MAX) };
                own_buffers.push(found.clone());
                self.names.buffers.push(whole.names.buffers.get(old as usize).cloned().unwrap_or_default());
                BufferRef(own_buffers.len() as u32 - 1)
            });
        };
        for op in submissions.iter_mut().flat_map(|submission| &mut submission.ops) {
            renumber(op, &mut image, &mut buffer);
        }
    }

    /// Those of `edits` that lie in the focus, in its numbers.
    pub fn edits(&self, edits: &[Edit]) -> Vec<Edit> {
        let pass = |number| self.passes.get(&number).copied();
        let transfer = |number| self.transfers.get(&number).copied();
        edits.iter().filter_map(|edit| edit.renumbered(pass, transfer)).collect()
    }
}
