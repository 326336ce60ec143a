//! Which frame of each side stands for it as a whole: two of the same structure, where there are such.
//!
//! In: the frames of the steady state of both sides. Out: one of each, and whether a difference between the two means something. Runs in
//! which every frame is distinct have many that are equally frequent; the heaviest of each would be two frames that did different things.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use tbdr_model::report::Frame;
use tilelens_report::text::weight;

/// The frames that are compared.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Before and after.
    pub frames: [&'a Frame; 2],
    /// What they have in common.
    pub likeness: Likeness,
}

/// How two frames go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The same passes and transfers in the same order, by identity.
    Same,
    /// Passes or transfers differ, and each is the whole steady state of its side: the change itself made them differ.
    Steady,
    /// Passes or transfers differ, and each is only the median of several: their difference says nothing.
    Medians,
}

/// Identities of passes and transfers.
type Structure<'a> = (Vec<&'a str>, Vec<&'a str>);

fn structure(frame: &Frame) -> Structure<'_> {
    (
        frame.passes.iter().map(|pass| pass.id.as_str()).collect(),
        frame.transfers.iter().map(|transfer| transfer.id.as_str()).collect(),
    )
}

/// The pair that is compared; `None` if a side has no frame.
pub fn of<'a>(was: &[&'a Frame], is: &[&'a Frame]) -> Option<Pair<'a>> {
    let (before, after) = (by_structure(was), by_structure(is));
    let shared = before.iter().filter_map(|(structure, was)| Some([*was, *after.get(structure)?]));
    // Most occurrences on both sides, then the most bytes on either; of equals the first before.
    let best = shared.max_by_key(|pair| {
        let [was, is] = pair;
        (was.count.min(is.count), weight(was).max(weight(is)), Reverse(first(was)))
    });
    if let Some(frames) = best {
        return Some(Pair { frames, likeness: Likeness::Same });
    }
    let likeness = if was.len() == 1 && is.len() == 1 { Likeness::Steady } else { Likeness::Medians };
    Some(Pair { frames: [median(was)?, median(is)?], likeness })
}

/// Of each structure the most frequent frame, of several the heaviest, of these the first.
fn by_structure<'a>(frames: &[&'a Frame]) -> BTreeMap<Structure<'a>, &'a Frame> {
    let rank = |frame: &Frame| (frame.count, weight(frame), Reverse(first(frame)));
    let mut found: BTreeMap<Structure<'a>, &'a Frame> = BTreeMap::new();
    for frame in frames {
        let known = found.entry(structure(frame)).or_insert(frame);
        if rank(frame) > rank(known) {
            *known = frame;
        }
    }
    found
}

/// The median in bytes of the most frequent frames; of an even number the lighter of the two in the middle.
fn median<'a>(frames: &[&'a Frame]) -> Option<&'a Frame> {
    let most = frames.iter().map(|frame| frame.count).max()?;
    let mut frequent: Vec<&'a Frame> = frames.iter().copied().filter(|frame| frame.count == most).collect();
    frequent.sort_by_key(|frame| (weight(frame), first(frame)));
    frequent.get((frequent.len() - 1) / 2).copied()
}

/// Number of the first frame that it stands for.
fn first(frame: &Frame) -> u64 {
    frame.indices.iter().map(|range| range[0]).min().unwrap_or_default()
}
