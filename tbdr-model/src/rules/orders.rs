//! Whether other scopes of barriers keep every order of the frames of a run, whatever frame follows upon which.

use super::{Evidence, Structure};
use crate::frame::{Barrier, ImageRef, Op, Pass};
use crate::schedule::order::{self, Frame, Narrowed};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Distinct frames of a run in which orders are looked at: each is followed beside each.
const MOST_STRUCTURES: usize = 3;

/// The frames of a run as sequences.
pub struct Orders<'e, 'a> {
    evidence: &'e Evidence<'a>,
    /// What each image of each structure is called in all of them.
    images: BTreeMap<u32, Vec<u32>>,
}

impl<'e, 'a> Orders<'e, 'a> {
    /// Of a run: `None` if anything may order work in it that is not followed.
    pub fn of(evidence: &'e Evidence<'a>) -> Option<Self> {
        let followed = evidence.structures.values().all(can_be_followed);
        (followed && evidence.structures.len() <= MOST_STRUCTURES).then(|| Self { evidence, images: called(evidence) })
    }

    /// Which barriers, by structure and operation, have a share in an order that these scopes would lose, if any does.
    pub fn broken(&self, changes: &BTreeMap<u32, Narrowed>) -> Option<impl Fn(u32, u32) -> bool + use<>> {
        // Frames that are further apart the host keeps apart, if nothing else does: no program has more than two or three in flight.
        let all = || self.evidence.structures.keys().copied();
        // Nothing comes before the first one of the run.
        let later = || all().filter(|structure| !self.evidence.is_beginning(*structure));
        let sequences = all().flat_map(|a| later().flat_map(move |b| later().map(move |c| [a, b, c])));
        for sequence in sequences.filter(|sequence| sequence.iter().any(|of| changes.contains_key(of))) {
            let frames: Vec<Frame<'_>> = sequence.into_iter().filter_map(|of| self.frame(of, changes)).collect();
            if let Some(((first, from), (second, to))) = order::broken(&frames) {
                return Some(move |structure: u32, op: u32| {
                    let after_first = |at: usize| at > first || at == first && op > from;
                    let before_second = |at: usize| at < second || at == second && op <= to;
                    (0..3).any(|at| sequence[at] == structure && after_first(at) && before_second(at))
                });
            }
        }
        None
    }

    fn frame<'s>(&'s self, of: u32, changes: &'s BTreeMap<u32, Narrowed>) -> Option<Frame<'s>> {
        let structure = self.evidence.structures.get(&of)?;
        Some(Frame { frame: structure.frame, images: self.images.get(&of)?, narrowed: changes.get(&of) })
    }
}

/// One queue, nothing that orders work unseen, no barriers inside passes, nothing that is not modelled, and semaphores of which it is known which stages wait for them.
fn can_be_followed(structure: &Structure<'_>) -> bool {
    let submissions = &structure.frame.submissions;
    let queue = submissions.first().map(|s| s.queue);
    let one = submissions.iter().all(|s| Some(s.queue) == queue && s.after.is_empty() && s.semaphores.is_some());
    let waits = |op: &Op| matches!(op, Op::Event(_)) || matches!(op, Op::Barrier(barrier) if barrier.event);
    let barriers = |pass: &Pass| pass.subpasses.iter().any(|subpass| !subpass.barriers.is_empty());
    one && !structure.frame.passes().any(barriers)
        && !structure.frame.ops().any(waits)
        && structure.frame.unmodelled.is_empty()
}

fn called(evidence: &Evidence<'_>) -> BTreeMap<u32, Vec<u32>> {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        let of_frame = (0u32..).zip(&structure.frame.images).map(|(image, _)| {
            let next = known.len() as u32;
            *known.entry(structure.image_id(ImageRef(image))).or_insert(next)
        });
        all.insert(*number, of_frame.collect());
    }
    all
}

/// The stages of a barrier of images alone, if all have the same.
pub fn stages_of(barrier: &Barrier) -> Option<(u64, u64)> {
    /// VK_PIPELINE_STAGE_2_HOST_BIT.
    const HOST: u64 = 0x4000;
    let first = barrier.images.first()?.scope;
    let stages = (first.src_stages, first.dst_stages);
    let same = barrier.images.iter().all(|image| (image.scope.src_stages, image.scope.dst_stages) == stages);
    let command = (barrier.stages.src_stages, barrier.stages.dst_stages);
    let own = command == (0, 0) || command == stages;
    let alone = barrier.memory.is_empty() && barrier.buffers.is_empty() && barrier.flags == 0;
    (same && own && alone && (stages.0 | stages.1) & HOST == 0).then_some(stages)
}

/// Whether a barrier can only be for what is known of this image: nobody else uses it, and the display does not.
pub fn is_alone(evidence: &Evidence<'_>, number: u32, structure: &Structure<'_>, image: ImageRef) -> bool {
    let queue = structure.frame.submissions.first().map_or(0, |s| s.queue);
    let described = structure.frame.images.get(image.0 as usize);
    described.is_some_and(|image| image.swapchain.is_none()) && evidence.is_alone(number, image, queue)
}

/// Identities of the images that a barrier names.
pub fn named<'a>(structure: &Structure<'a>, barrier: &Barrier) -> Vec<&'a str> {
    let mut images: Vec<&str> = barrier.images.iter().filter_map(|b| b.image).map(|i| structure.image_id(i)).collect();
    images.dedup();
    images
}
