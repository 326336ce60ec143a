//! Barriers that could wait for less and hold back less: what TL501, TL502 and TL503 say, worked out once.
//!
//! A barrier gets the stages that really touch its images: as source those since the barrier before it that names them, as destination
//! those until the next one. It is proposed only if the schedule says that work overlaps then, and if no two accesses of the frame, or of
//! this frame and one before or after it, lose their order ([`order::broken`]). What cannot be followed counts as touched: buffers that
//! shaders may write, images of which it is not known who reaches them. Frames on several queues, with events or with commands that
//! are not modelled are left alone, and so are barriers of buffers and of memory as a whole: what they are for is not known.
//!
//! The cost is linear in the commands of a frame: every command is looked at a fixed number of times.

use super::{Candidate, Evidence, Instance, Structure, Worth};
use crate::frame::{Barrier, ImageRef, Op};
use crate::report::{Basis, Quantity};
use crate::schedule::order::{self, Frame, Narrowed};
use crate::schedule::stages::{self, Class, Classes};
use crate::schedule::touches::{self, Resource};
use crate::schedule::{self, Cause, Replay};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Distinct frames of a run in which barriers are looked at: each is followed beside each.
const MOST_STRUCTURES: usize = 4;
/// How often proposals that would break an order are dropped before all are.
const ROUNDS: usize = 8;

/// Why a barrier is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Everything before it waits for and everything after it is held back.
    Both,
    /// The destination is too early.
    Destination,
    /// The source is too late.
    Source,
}

/// A barrier that could be narrower.
#[derive(Clone, Debug)]
pub struct Narrower {
    /// Number of the frame structure.
    pub structure: u32,
    /// Number of its operation in the frame.
    pub op: u32,
    /// The pass after it or, if there is none, the last before it.
    pub pass: u32,
    /// Whether that pass comes after it.
    pub before_pass: bool,
    /// Why.
    pub width: Width,
    /// VkPipelineStageFlags2 of source and destination as they are.
    pub is: (u64, u64),
    /// The same as they could be.
    pub could_be: (u64, u64),
    /// Steps that slots stand empty for less.
    pub steps: u64,
}

/// A proposal.
struct Proposal {
    op: u32,
    is: (u64, u64),
    could_be: (u64, u64),
}

/// All of a run.
pub fn of(evidence: &Evidence<'_>) -> Vec<Narrower> {
    let followed = evidence.structures.values().all(can_be_followed);
    if !followed || evidence.structures.len() > MOST_STRUCTURES {
        return Vec::new();
    }
    let images = called(evidence);
    let mut found = Vec::new();
    for (number, structure) in &evidence.structures {
        let proposals = proposals(evidence, *number, structure);
        if !proposals.is_empty() {
            found.extend(kept(evidence, &images, *number, proposals));
        }
    }
    found
}

/// One queue, nothing that orders work unseen, nothing that is not modelled, and semaphores of which it is known which stages wait for them.
fn can_be_followed(structure: &Structure<'_>) -> bool {
    let submissions = &structure.frame.submissions;
    let queue = submissions.first().map(|s| s.queue);
    let one = submissions.iter().all(|s| Some(s.queue) == queue && s.after.is_empty() && s.semaphores.is_some());
    let waits = |op: &Op| matches!(op, Op::Event(_)) || matches!(op, Op::Barrier(barrier) if barrier.event);
    one && !structure.frame.ops().any(waits) && structure.frame.unmodelled.is_empty()
}

/// What each image of each structure is called in all of them.
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

/// The proposals that break nothing and let work overlap.
fn kept(
    evidence: &Evidence<'_>,
    images: &BTreeMap<u32, Vec<u32>>,
    number: u32,
    mut proposals: Vec<Proposal>,
) -> Vec<Narrower> {
    let Some(structure) = evidence.structures.get(&number) else { return Vec::new() };
    let before = schedule::of(structure.frame);
    let alike = alike(structure);
    for _ in 0..ROUNDS {
        unmistakable(&mut proposals, &alike);
        let narrowed: Narrowed = proposals.iter().map(|p| (p.op, p.could_be)).collect();
        let after = schedule::with(structure.frame, &narrowed);
        let gains = |p: &Proposal| lost(&before, p.op).saturating_sub(lost(&after, p.op));
        if proposals.iter().any(|p| gains(p) == 0) {
            proposals.retain(|p| gains(p) > 0);
            continue;
        }
        if proposals.is_empty() || after.length >= before.length {
            return Vec::new();
        }
        match broken(evidence, images, number, &narrowed) {
            None => return told(structure, number, &proposals, gains),
            Some(between) => proposals.retain(|p| !between(p.op)),
        }
    }
    Vec::new()
}

/// The barriers of a frame that advice speaks of in the same words: those of the same images and stages between two passes.
fn alike(structure: &Structure<'_>) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    let mut passes = 0u32;
    for (op, command) in (0u32..).zip(structure.frame.ops()) {
        match command {
            Op::Pass(_) => passes += 1,
            Op::Barrier(barrier) => {
                groups.entry((passes, named(structure, barrier), stages_of(barrier))).or_default().push(op);
            }
            _ => {}
        }
    }
    groups.into_values().filter(|ops| ops.len() > 1).collect()
}

/// Drops proposals that could be taken to speak of another barrier, too, for which they do not hold.
fn unmistakable(proposals: &mut Vec<Proposal>, alike: &[Vec<u32>]) {
    for ops in alike {
        let ours: Vec<_> = proposals.iter().filter(|p| ops.contains(&p.op)).map(|p| p.could_be).collect();
        if ours.len() < ops.len() || ours.windows(2).any(|pair| pair[0] != pair[1]) {
            proposals.retain(|p| !ops.contains(&p.op));
        }
    }
}

/// Steps that slots stand empty for a barrier.
fn lost(replay: &Replay, op: u32) -> u64 {
    replay.waits.iter().filter(|wait| wait.cause == Cause::Barrier(op)).map(|wait| wait.steps).sum()
}

fn classes((source, destination): (u64, u64)) -> (Classes, Classes) {
    (stages::source(source), stages::destination(destination))
}

/// Which barriers have a share in an order that would be lost, if any is.
fn broken(
    evidence: &Evidence<'_>,
    images: &BTreeMap<u32, Vec<u32>>,
    number: u32,
    narrowed: &Narrowed,
) -> Option<impl Fn(u32) -> bool + use<>> {
    let frame = |of: u32| {
        let structure = evidence.structures.get(&of)?;
        let narrowed = (of == number).then_some(narrowed);
        Some(Frame { frame: structure.frame, images: images.get(&of)?, narrowed })
    };
    // Frames that are further apart the host keeps apart, if nothing else does: no program has more than two or three in flight.
    for other in evidence.structures.keys() {
        for sequence in [[number, number, *other], [*other, number, number], [number, *other, number]] {
            let frames: Vec<Frame<'_>> = sequence.into_iter().filter_map(frame).collect();
            if let Some(((first, from), (second, to))) = order::broken(&frames) {
                let own = sequence.map(|of| of == number);
                return Some(move |op: u32| {
                    let after_first = |at: usize| at > first || at == first && op > from;
                    let before_second = |at: usize| at < second || at == second && op <= to;
                    (0..3).any(|at| own[at] && after_first(at) && before_second(at))
                });
            }
        }
    }
    None
}

fn told(
    structure: &Structure<'_>,
    number: u32,
    proposals: &[Proposal],
    gains: impl Fn(&Proposal) -> u64,
) -> Vec<Narrower> {
    // Number of passes before each operation.
    let mut passes = Vec::new();
    let mut count = 0;
    for op in structure.frame.ops() {
        passes.push(count);
        count += u32::from(matches!(op, Op::Pass(_)));
    }
    let narrower = |proposal: &Proposal| {
        let next = passes.get(proposal.op as usize).copied().unwrap_or(0);
        let before_pass = next < count;
        let pass = if before_pass { next } else { count.checked_sub(1)? };
        let (is, could_be) = (proposal.is, proposal.could_be);
        let width = width(is, could_be);
        Some(Narrower {
            structure: number,
            op: proposal.op,
            pass,
            before_pass,
            width,
            is,
            could_be,
            steps: gains(proposal),
        })
    };
    proposals.iter().filter_map(narrower).collect()
}

/// BOTTOM_OF_PIPE or TOP_OF_PIPE, ALL_GRAPHICS, ALL_COMMANDS.
const LAST: u64 = 0x2000 | 0x8000 | 0x1_0000;
const FIRST: u64 = 0x1 | 0x8000 | 0x1_0000;

fn width(is: (u64, u64), could_be: (u64, u64)) -> Width {
    if stages::destination(is.1) == stages::destination(could_be.1) {
        Width::Source
    } else if is.0 & LAST != 0 && is.1 & FIRST != 0 {
        Width::Both
    } else {
        Width::Destination
    }
}

/// Every barrier of images alone, with the stages that really touch them.
fn proposals(evidence: &Evidence<'_>, number: u32, structure: &Structure<'_>) -> Vec<Proposal> {
    let frame = structure.frame;
    let mut uses: BTreeMap<u32, Vec<Use>> = BTreeMap::new();
    let mut barriers: Vec<(u32, &Barrier)> = Vec::new();
    for (op, command) in (0u32..).zip(frame.ops()) {
        if let Op::Barrier(barrier) = command {
            barriers.push((op, barrier));
            let named: BTreeSet<u32> = barrier.images.iter().filter_map(|b| b.image).map(|image| image.0).collect();
            named.into_iter().for_each(|image| uses.entry(image).or_default().push(Use { op, by: None }));
        }
        for touch in touches::of(frame, command) {
            if let Resource::Image(image) = touch.resource {
                uses.entry(image).or_default().push(Use { op, by: Some(touch.class) });
            }
        }
    }
    let queue = frame.submissions.first().map_or(0, |s| s.queue);
    let alone = |image: u32| {
        let described = frame.images.get(image as usize);
        described.is_some_and(|image| image.swapchain.is_none()) && evidence.is_alone(number, ImageRef(image), queue)
    };
    let beside: BTreeMap<u32, BTreeMap<u32, [Classes; 2]>> =
        uses.into_iter().map(|(image, uses)| (image, around(&uses))).collect();
    let proposal = |(op, barrier): (u32, &Barrier)| {
        let is = stages_of(barrier)?;
        let (mut source, mut destination) = (Classes::NONE, Classes::NONE);
        for named in &barrier.images {
            let image = named.image.filter(|image| named.families.is_none() && alone(image.0))?;
            let [before, after] = *beside.get(&image.0)?.get(&op)?;
            (source, destination) = (source.with(before), destination.with(after));
        }
        let could_be = (mask(source), mask(destination));
        let (wide, narrow) = (classes(is), classes(could_be));
        let within = narrow.0.0 & !wide.0.0 == 0 && narrow.1.0 & !wide.1.0 == 0;
        (within && wide != narrow && could_be.0 != 0 && could_be.1 != 0).then_some(Proposal { op, is, could_be })
    };
    barriers.into_iter().filter_map(proposal).collect()
}

/// A use of an image, or a barrier that names it.
#[derive(Clone, Copy)]
struct Use {
    op: u32,
    by: Option<Class>,
}

/// For each barrier the classes that touch the image between the barrier before it and itself, and between itself and the next one. The frame
/// after this one is taken to be like it.
fn around(uses: &[Use]) -> BTreeMap<u32, [Classes; 2]> {
    // Stretches between barriers; what follows the last one comes before the first one of the next frame.
    let mut stretches = alloc::vec![Classes::NONE];
    let mut barriers = Vec::new();
    for one in uses {
        match (one.by, stretches.last_mut()) {
            (Some(class), Some(stretch)) => *stretch = stretch.with(Classes::of(class)),
            _ => {
                barriers.push(one.op);
                stretches.push(Classes::NONE);
            }
        }
    }
    let (first, last) = (stretches[0], stretches[stretches.len() - 1]);
    let around = last.with(first);
    let count = barriers.len();
    let stretch = |at: usize| if at == 0 || at == count { around } else { stretches[at] };
    barriers.iter().enumerate().map(|(at, op)| (*op, [stretch(at), stretch(at + 1)])).collect()
}

/// The stages of a barrier of images alone, if all have the same.
fn stages_of(barrier: &Barrier) -> Option<(u64, u64)> {
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

/// Each class as the stages that stand for it in advice.
const WORDS: [(Class, u64, &str); 8] = [
    (Class::Indirect, 0x2, "DRAW_INDIRECT"),
    (Class::Geometry, 0x8, "VERTEX_SHADER"),
    (Class::EarlyTests, 0x100, "EARLY_FRAGMENT_TESTS"),
    (Class::Fragment, 0x80, "FRAGMENT_SHADER"),
    (Class::LateTests, 0x200, "LATE_FRAGMENT_TESTS"),
    (Class::Color, 0x400, "COLOR_ATTACHMENT_OUTPUT"),
    (Class::Compute, 0x800, "COMPUTE_SHADER"),
    (Class::Transfer, 0x1000, "TRANSFER"),
];

fn mask(classes: Classes) -> u64 {
    WORDS.iter().filter(|(class, ..)| classes.contains(*class)).fold(0, |mask, (_, bit, _)| mask | bit)
}

/// Stages by name, as they stand in a call.
pub fn words(mask: u64) -> String {
    let ends = [(0x1, "TOP_OF_PIPE"), (0x2000, "BOTTOM_OF_PIPE"), (0x8000, "ALL_GRAPHICS"), (0x1_0000, "ALL_COMMANDS")];
    let known = WORDS.iter().map(|(_, bit, word)| (*bit, *word)).chain(ends);
    let found: Vec<&str> = known.filter(|(bit, _)| mask & bit != 0).map(|(_, word)| word).collect();
    if found.is_empty() { "other stages".into() } else { found.join(" | ") }
}

/// The findings about barriers that are too wide in this way: one for each pass, first image and pair of stages, if it holds in every
/// frame structure in which the pass occurs.
pub fn candidates(evidence: &Evidence<'_>, width: Width, why: &str) -> Vec<Candidate> {
    let mut gathered: BTreeMap<_, (Candidate, BTreeSet<u32>)> = BTreeMap::new();
    for found in evidence.narrower().iter().filter(|found| found.width == width) {
        let Some(structure) = evidence.structures.get(&found.structure) else { continue };
        let Some(Op::Barrier(barrier)) = structure.frame.ops().nth(found.op as usize) else { continue };
        let (pass, images) = (structure.pass_id(found.pass), named(structure, barrier));
        let Some(first) = images.first().copied() else { continue };
        let (source, destination) = (words(found.could_be.0), words(found.could_be.1));
        let key = (pass, first, found.is, found.could_be);
        let (candidate, seen) = gathered.entry(key).or_insert_with(|| {
            let fix = format!(
                "Set srcStageMask {source} and dstStageMask {destination} in the barrier of {} {} {} (now {} and {}), and keep in its \
                 access masks what these stages do",
                images.join(", "),
                if found.before_pass { "before" } else { "after" },
                structure.pass_label(found.pass),
                words(found.is.0),
                words(found.is.1),
            );
            let worth = Worth::Amount { quantity: Quantity::Count, value: found.steps, basis: Basis::Estimate };
            let candidate = Candidate {
                pass: Some(pass.to_string()),
                attachment: Some(first.to_string()),
                worth,
                fix,
                why: format!("{why}: {source} to {destination} orders all of it"),
                ..Candidate::default()
            };
            (candidate, BTreeSet::new())
        });
        seen.insert(found.structure);
        candidate.frames.extend(structure.indices);
        candidate.instances.entry(found.structure).or_insert_with(Instance::default);
    }
    let everywhere = |((pass, ..), (candidate, seen)): ((&str, _, _, _), (Candidate, BTreeSet<u32>))| {
        evidence.occurrences(pass).all(|number| seen.contains(&number)).then_some(candidate)
    };
    gathered.into_iter().filter_map(everywhere).collect()
}

/// Identities of the images that a barrier names.
fn named<'a>(structure: &Structure<'a>, barrier: &Barrier) -> Vec<&'a str> {
    let mut images: Vec<&str> = barrier.images.iter().filter_map(|b| b.image).map(|i| structure.image_id(i)).collect();
    images.dedup();
    images
}
