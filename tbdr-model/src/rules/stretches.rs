//! What touches an image between two barriers that name it, frame after frame.
//!
//! A part of an image is followed only if its barriers are all of the same part, and make everything between them visible themselves: what
//! touches it between two barriers is held back by the first and waited for by the second. Then stages that touch nothing between
//! them can be left out of both, and what was written is as visible as before.

use super::{Evidence, Structure};
use crate::frame::{Op, SubresourceRange};
use crate::schedule::stages::{Classes, Reading};
use crate::schedule::touches::{self, Resource};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// Parts of an image that are followed; an image with barriers of more is left alone.
const MOST_PARTS: usize = 16;

/// A part of an image, by the image's identity.
pub type Part<'a> = (&'a str, SubresourceRange);

/// The stretches of a run.
pub struct Stretches<'a> {
    /// By structure and operation: what touches the part before a barrier, and what after.
    beside: BTreeMap<(u32, u32, Part<'a>), [Classes; 2]>,
}

/// A barrier of a part: its operation, what it waits for and what it holds back.
type Named = (u32, [Classes; 2]);

/// The barriers and touches of a frame.
#[derive(Default)]
struct Frame<'a> {
    touches: BTreeMap<&'a str, Vec<(u32, Classes)>>,
    barriers: BTreeMap<Part<'a>, Vec<Named>>,
}

impl<'a> Stretches<'a> {
    /// Of a run.
    pub fn of(evidence: &Evidence<'a>) -> Self {
        let frames: BTreeMap<u32, Frame<'a>> =
            evidence.structures.iter().map(|(number, structure)| (*number, read(structure))).collect();
        let mut parts: BTreeMap<&'a str, BTreeSet<SubresourceRange>> = BTreeMap::new();
        for (image, range) in frames.values().flat_map(|frame| frame.barriers.keys()) {
            parts.entry(*image).or_default().insert(*range);
        }
        let mut beside = BTreeMap::new();
        for (image, ranges) in parts.iter().filter(|(_, ranges)| are_apart(ranges)) {
            for part in ranges.iter().map(|range| (*image, *range)) {
                let begins = |structure| evidence.is_beginning(structure);
                for (number, op, classes) in followed(&frames, part, begins).into_iter().flatten() {
                    beside.insert((number, op, part), classes);
                }
            }
        }
        Self { beside }
    }

    /// What touches a part between the barrier before and this one, and between this one and the next; `None` if it is not followed.
    pub fn beside(&self, structure: u32, op: u32, part: Part<'a>) -> Option<[Classes; 2]> {
        self.beside.get(&(structure, op, part)).copied()
    }
}

fn are_apart(ranges: &BTreeSet<SubresourceRange>) -> bool {
    let share = |from: u32, count: u32, other: u32, others: u32| {
        from < other.saturating_add(others) && other < from.saturating_add(count)
    };
    let meet = |a: &SubresourceRange, b: &SubresourceRange| {
        a.aspects.0 & b.aspects.0 != 0
            && share(a.base_mip, a.mips, b.base_mip, b.mips)
            && share(a.base_layer, a.layers, b.base_layer, b.layers)
    };
    ranges.len() <= MOST_PARTS && ranges.iter().all(|a| ranges.iter().all(|b| a == b || !meet(a, b)))
}

fn read<'a>(structure: &Structure<'a>) -> Frame<'a> {
    let mut frame = Frame::default();
    for (op, command) in (0u32..).zip(structure.frame.ops()) {
        if let Op::Barrier(barrier) = command {
            for named in &barrier.images {
                let Some(image) = named.image else { continue };
                let (source, destination) = Reading::NARROWEST.of(&named.scope);
                let known = frame.barriers.entry((structure.image_id(image), named.range)).or_default();
                match known.last_mut() {
                    // One command names it twice: what both wait for and hold back is sure.
                    Some((at, [waits, holds])) if *at == op => {
                        (*waits, *holds) = (Classes(waits.0 & source.0), Classes(holds.0 & destination.0));
                    }
                    _ => known.push((op, [source, destination])),
                }
            }
        }
        for touch in touches::of(structure.frame, command) {
            if let Resource::Image(image) = touch.resource {
                let known = frame.touches.entry(structure.image_id(crate::frame::ImageRef(image))).or_default();
                known.push((op, Classes::of(touch.class)));
            }
        }
    }
    frame
}

/// The barriers of a part in all frames, by structure and operation, with what touches it before and after each. `None` if some touch is not
/// held back by the barrier before it or not waited for by the one after it, whatever frame follows upon which; but before the one that `begins`
/// the run comes none.
fn followed<'a>(
    frames: &BTreeMap<u32, Frame<'a>>,
    part: Part<'a>,
    begins: impl Fn(u32) -> bool,
) -> Option<Vec<(u32, u32, [Classes; 2])>> {
    let none = Vec::new();
    let of = |frame: &Frame<'a>| {
        let barriers = frame.barriers.get(&part).unwrap_or(&none).clone();
        let mut stretches = alloc::vec![Classes::NONE; barriers.len() + 1];
        for (op, class) in frame.touches.get(part.0).into_iter().flatten() {
            let at = barriers.partition_point(|(barrier, _)| barrier < op);
            stretches[at] = stretches[at].with(*class);
        }
        (barriers, stretches)
    };
    let all: BTreeMap<u32, _> = frames.iter().map(|(number, frame)| (*number, of(frame))).collect();
    // What follows the last barrier of a frame comes before the first one of the next.
    let ends = all.values().flat_map(|(_, stretches)| [stretches.first(), stretches.last()]).flatten();
    let around = ends.fold(Classes::NONE, |around, classes| around.with(*classes));
    let mut found = Vec::new();
    for (number, (barriers, stretches)) in all {
        let count = barriers.len();
        for (at, (op, [waits, holds])) in barriers.into_iter().enumerate() {
            let stretch = |at: usize| match at {
                0 if begins(number) => stretches[0],
                at if at == 0 || at == count => around,
                at => stretches[at],
            };
            let beside = [stretch(at), stretch(at + 1)];
            if beside[0].0 & !waits.0 != 0 || beside[1].0 & !holds.0 != 0 {
                return None;
            }
            found.push((number, op, beside));
        }
    }
    Some(found)
}
