//! A frame whose passes and transfers are found by their numbers, and the part of it that is looked at: only what edits touch has to be
//! evaluated again, since a ledger is a sum over passes and transfers.
//!
//! A part costs what is touched, however large the frame is: its images are those that its operations name. They have numbers of their own, in
//! order of their use, so that parts which are alike are equal.

use super::{Draft, Touched};
use crate::frame::{
    Buffer, BufferRef, FrameStructure, HOST_QUEUE, Image, ImageRef, Op, Pass, Submission, Transfer, renumber,
};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// A frame whose passes and transfers are found by their numbers.
#[derive(Clone, Debug)]
pub struct Numbered<'a> {
    /// The frame.
    pub frame: &'a FrameStructure,
    /// Its render pass instances.
    pub passes: Vec<&'a Pass>,
    /// Its transfer commands.
    pub transfers: Vec<&'a Transfer>,
    /// For each transfer whether the host itself makes it.
    pub by_host: Vec<bool>,
}

impl<'a> Numbered<'a> {
    /// The numbers of a frame.
    pub fn new(frame: &'a FrameStructure) -> Self {
        let mut numbered = Self { frame, passes: Vec::new(), transfers: Vec::new(), by_host: Vec::new() };
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

/// The numbers of images and buffers in a part, in order of their use.
#[derive(Debug, Default)]
pub struct Numbering {
    images: BTreeMap<u32, u32>,
    buffers: BTreeMap<u32, u32>,
}

impl Numbering {
    /// What these passes and transfers are in a draft, without those that are gone. Several parts may share a numbering: what is in both
    /// has the same number.
    pub fn part(&mut self, draft: &Draft<'_>, touched: &Touched) -> FrameStructure {
        let places: BTreeSet<u32> = touched.passes.iter().map(|pass| draft.place(*pass)).collect();
        let mut by_gpu: Vec<Op> = places.into_iter().filter_map(|pass| draft.pass(pass)).map(Op::Pass).collect();
        let mut by_host = Vec::new();
        for number in touched.transfers.iter().filter(|number| !draft.gone.transfers.contains(number)) {
            let Some(transfer) = draft.transfer(*number) else { continue };
            // Whose submission it is decides whether a GPU moves a byte for it.
            let host = draft.whole.by_host.get(*number as usize).copied().unwrap_or_default();
            let transfer = Transfer { labels: Vec::new(), ..transfer.clone() };
            if host { &mut by_host } else { &mut by_gpu }.push(Op::Transfer(transfer));
        }
        let mut submissions = alloc::vec![Submission { ops: by_gpu, ..Submission::default() }];
        if !by_host.is_empty() {
            submissions.push(Submission { queue: HOST_QUEUE, ops: by_host, ..Submission::default() });
        }
        self.renumber(draft, &mut submissions);
        let (images, buffers) = self.resources(draft);
        FrameStructure { images, buffers, submissions, ..FrameStructure::default() }
    }

    /// Gives the images and buffers that the operations name numbers of the part; those that there are not have none.
    fn renumber(&mut self, draft: &Draft<'_>, submissions: &mut [Submission]) {
        let Self { images, buffers } = self;
        let number = |numbers: &mut BTreeMap<u32, u32>, old: u32, is_there: bool| {
            let next = numbers.len() as u32;
            if is_there { *numbers.entry(old).or_insert(next) } else { u32::MAX }
        };
        let mut image =
            |image: &mut ImageRef| *image = ImageRef(number(images, image.0, draft.image(image.0).is_some()));
        let known = draft.whole.frame.buffers.len();
        let mut buffer =
            |buffer: &mut BufferRef| *buffer = BufferRef(number(buffers, buffer.0, (buffer.0 as usize) < known));
        for op in submissions.iter_mut().flat_map(|submission| &mut submission.ops) {
            renumber(op, &mut image, &mut buffer);
        }
    }

    /// The images and buffers numbered so far, without what they are called.
    fn resources(&self, draft: &Draft<'_>) -> (Vec<Image>, Vec<Buffer>) {
        let in_order = |numbers: &BTreeMap<u32, u32>| {
            let mut order: Vec<(u32, u32)> = numbers.iter().map(|(old, new)| (*new, *old)).collect();
            order.sort_unstable();
            order.into_iter().map(|(_, old)| old)
        };
        let image = |old| draft.image(old).map(|image| Image { name: None, ..image.clone() });
        let buffer = |old: u32| draft.whole.frame.buffers.get(old as usize);
        let buffers = in_order(&self.buffers).filter_map(buffer).map(|buffer| Buffer { name: None, ..buffer.clone() });
        (in_order(&self.images).filter_map(image).collect(), buffers.collect())
    }
}
