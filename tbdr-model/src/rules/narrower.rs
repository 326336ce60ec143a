//! Barriers that could wait for less and hold back less: what TL501, TL502 and TL503 say, worked out once.
//!
//! A barrier gets the stages that really touch its images: as source those since the barrier before it that names them, as destination
//! those until the next one ([`Stretches`]). It is proposed only if the schedule says that work overlaps then, and if no two accesses of the frame, or of
//! this frame and one before or after it, lose their order ([`order::broken`]). What cannot be followed counts as touched: buffers that
//! shaders may write, images of which it is not known who reaches them. Frames on several queues, with events or with commands that
//! are not modelled are left alone, and so are barriers of buffers and of memory as a whole: what they are for is not known.
//!
//! The cost is linear in the commands of a frame: every command is looked at a fixed number of times.

use super::between::{Beside, Between};
use super::orders::{self, Orders, named, stages_of};
use super::stretches::Stretches;
use super::{Candidate, Evidence, Instance, Structure, Worth};
use crate::frame::{Barrier, ImageRef, Op, usage};
use crate::report::{Basis, Quantity};
use crate::schedule::order::Narrowed;
use crate::schedule::stages::{self, Class, Classes};
use crate::schedule::{self, Cause, Replay};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

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
    /// The pass beside it.
    pub beside: Beside,
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

/// Proposals by the number of their frame structure.
type Proposals = BTreeMap<u32, Vec<Proposal>>;

/// All of a run: proposals that break nothing, all of them together, and let work overlap.
pub fn of(evidence: &Evidence<'_>) -> Vec<Narrower> {
    let Some(orders) = Orders::of(evidence) else { return Vec::new() };
    let stretches = Stretches::of(evidence);
    let mut all: Proposals = BTreeMap::new();
    let mut known = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        let proposals = proposals(evidence, &stretches, (*number, structure));
        if !proposals.is_empty() {
            known.insert(*number, (structure, schedule::of(structure.frame), alike(structure)));
            all.insert(*number, proposals);
        }
    }
    for _ in 0..ROUNDS {
        let (mut settled, mut found) = (true, Vec::new());
        for (number, proposals) in &mut all {
            let Some((structure, before, alike)) = known.get(number) else { continue };
            unmistakable(proposals, alike);
            let after = schedule::with(structure.frame, &narrowed(proposals));
            let gains = |p: &Proposal| lost(before, p.op).saturating_sub(lost(&after, p.op));
            let count = proposals.len();
            if after.length >= before.length {
                proposals.clear();
            }
            proposals.retain(|p| gains(p) > 0);
            settled &= proposals.len() == count;
            found.extend(told(structure, *number, proposals, gains));
        }
        all.retain(|_, proposals| !proposals.is_empty());
        if all.is_empty() {
            break;
        }
        if !settled {
            continue;
        }
        let changes = all.iter().map(|(number, proposals)| (*number, narrowed(proposals))).collect();
        match orders.broken(&changes) {
            None => return found,
            Some(shares) => {
                for (number, proposals) in &mut all {
                    proposals.retain(|p| !shares(*number, p.op));
                }
            }
        }
    }
    Vec::new()
}

fn narrowed(proposals: &[Proposal]) -> Narrowed {
    proposals.iter().map(|p| (p.op, p.could_be)).collect()
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

fn told(
    structure: &Structure<'_>,
    number: u32,
    proposals: &[Proposal],
    gains: impl Fn(&Proposal) -> u64,
) -> Vec<Narrower> {
    let between = Between::of(structure.frame);
    let narrower = |proposal: &Proposal| {
        let Proposal { op, is, could_be } = *proposal;
        let (beside, width, steps) = (between.beside(op)?, width(is, could_be), gains(proposal));
        Some(Narrower { structure: number, op, beside, width, is, could_be, steps })
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

/// VkImageUsageFlags of what is read at stages of its own, which FRAGMENT_SHADER does not hold back: shading rates and density maps.
const RATES: u32 = usage::SHADING_RATE | usage::DENSITY_MAP;

/// Every barrier of images alone, with the stages that really touch them.
fn proposals<'a>(
    evidence: &Evidence<'a>,
    stretches: &Stretches<'a>,
    (number, structure): (u32, &Structure<'a>),
) -> Vec<Proposal> {
    let proposal = |(op, barrier): (u32, &Barrier)| {
        let is = stages_of(barrier)?;
        let (mut source, mut destination) = (Classes::NONE, Classes::NONE);
        for named in &barrier.images {
            let alone = |image: &ImageRef| {
                let rates = structure.frame.images.get(image.0 as usize).is_some_and(|i| i.all_usage() & RATES != 0);
                orders::is_alone(evidence, number, structure, *image) && !rates
            };
            let image = named.image.filter(|image| named.families.is_none() && alone(image))?;
            let [before, after] = stretches.beside(number, op, (structure.image_id(image), named.range))?;
            // Barriers with nothing between them lead on to each other.
            if before == Classes::NONE || after == Classes::NONE {
                return None;
            }
            (source, destination) = (source.with(before), destination.with(after));
        }
        // VERTEX_SHADER comes before some of the shaders that it would stand for as a source, and holds back no mesh shader and no vertex
        // input: what the program names there is kept.
        let (geometry, fragment) = (Classes::of(Class::Geometry), Classes::FRAGMENT_SLOT);
        let last = source.0 & geometry.0 != 0 && source.0 & fragment.0 == 0;
        let could_be = (
            if last { is.0 } else { mask(source) },
            if destination.0 & geometry.0 != 0 { is.1 } else { mask(destination) },
        );
        let (wide, narrow) = (classes(is), classes(could_be));
        let within = narrow.0.0 & !wide.0.0 == 0 && narrow.1.0 & !wide.1.0 == 0;
        (within && wide != narrow && could_be.0 != 0 && could_be.1 != 0).then_some(Proposal { op, is, could_be })
    };
    let barriers = (0u32..).zip(structure.frame.ops()).filter_map(|(op, command)| match command {
        Op::Barrier(barrier) => Some((op, barrier)),
        _ => None,
    });
    barriers.filter_map(proposal).collect()
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
        let (pass, images) = (structure.pass_id(found.beside.pass), named(structure, barrier));
        let Some(first) = images.first().copied() else { continue };
        let (source, destination) = (words(found.could_be.0), words(found.could_be.1));
        let key = (pass, first, found.is, found.could_be);
        let (candidate, seen) = gathered.entry(key).or_insert_with(|| {
            let fix = format!(
                "Set srcStageMask {source} and dstStageMask {destination} in the barrier of {} {} (now {} and {}), and keep in its \
                 access masks what these stages do",
                images.join(", "),
                found.beside.words(structure),
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
