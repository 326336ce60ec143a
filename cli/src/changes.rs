//! What changed between two reports: per pass and transfer, which debits grew and which fell.
//!
//! A pass is known again by its identity. Where it occurs in several of the frames that are compared, the frame in which it moves most
//! speaks for it, on either side, so that a steady state of several frames compares with one of fewer.

use crate::ledger::{Cause, Place, Sum, debits};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tbdr_model::record::Run;
use tbdr_model::report::Frame;
use tbdr_model::text::shown;

/// What one pass or transfer moves in a frame.
#[derive(Clone, Debug, Default)]
pub struct Moved<'a> {
    /// By cause.
    pub causes: BTreeMap<Cause<'a>, Sum>,
    /// Everything.
    pub sum: Sum,
    /// The frame, as ranges of its numbers.
    pub frames: &'a [[u64; 3]],
}

/// Passes and transfers.
pub type Places<'a> = BTreeMap<Place<'a>, Moved<'a>>;

/// One side of a comparison: what moves on a GPU in these frames.
#[derive(Clone, Debug, Default)]
pub struct Moves<'a> {
    /// The heaviest occurrence of each pass and transfer.
    pub places: Places<'a>,
    /// The heaviest frame as a whole.
    pub frame: Moved<'a>,
}

/// What these frames move on a GPU; `None` if none of them is modelled for it.
pub fn moves<'a>(frames: impl IntoIterator<Item = &'a Frame>, gpu: &str) -> Option<Moves<'a>> {
    let mut moves: Option<Moves<'a>> = None;
    for frame in frames {
        let Some(on_gpu) = frame.gpus.get(gpu) else { continue };
        let moves = moves.get_or_insert_default();
        let mut places = Places::new();
        let mut whole = Moved { frames: &frame.indices, ..Moved::default() };
        for debit in debits(frame, on_gpu) {
            whole.sum.add(&debit);
            let moved = places.entry(debit.place.clone()).or_default();
            moved.frames = &frame.indices;
            moved.causes.entry(debit.cause).or_default().add(&debit);
            moved.sum.add(&debit);
        }
        for (place, moved) in places {
            let known = moves.places.entry(place).or_insert_with(|| moved.clone());
            if moved.sum.total().0 > known.sum.total().0 {
                *known = moved;
            }
        }
        if moves.frame.frames.is_empty() || whole.sum.total().0 > moves.frame.sum.total().0 {
            moves.frame = whole;
        }
    }
    moves
}

/// A pass or transfer that moves other bytes than before.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// Which.
    pub place: Place<'a>,
    /// Before; `None` if it is new.
    pub before: Option<Sum>,
    /// After; `None` if it is gone.
    pub after: Option<Sum>,
    /// The frames that speak for it: of after, or of before where it is gone.
    pub frames: &'a [[u64; 3]],
    /// The debits that changed, those that grew most first.
    pub causes: Vec<CauseChange<'a>>,
}

/// A debit that changed.
#[derive(Clone, Copy, Debug)]
pub struct CauseChange<'a> {
    /// What moves, and why.
    pub cause: Cause<'a>,
    /// Before.
    pub before: Sum,
    /// After.
    pub after: Sum,
}

impl Change<'_> {
    /// Bytes before and after; what is not there moves none.
    pub fn bytes(&self) -> [u64; 2] {
        [self.before, self.after].map(|sum| sum.map_or(0, |sum| sum.total().0))
    }

    /// After less before.
    pub fn difference(&self) -> i128 {
        let [before, after] = self.bytes();
        i128::from(after) - i128::from(before)
    }

    /// Bytes of causes that were undecided before and are decided now: how much of them is growth is not known.
    pub fn newly_decided(&self) -> u64 {
        let decided = self.causes.iter().filter(|cause| cause.before.undecided > cause.after.undecided);
        decided.fold(0, |sum, cause| sum.saturating_add(cause.after.total().0.saturating_sub(cause.before.total().0)))
    }

    /// Undecided lines that were not there before.
    pub fn more_undecided(&self) -> u64 {
        let undecided = |sum: Option<Sum>| sum.map_or(0, |sum| sum.undecided);
        undecided(self.after).saturating_sub(undecided(self.before))
    }
}

impl CauseChange<'_> {
    /// After less before.
    pub fn difference(&self) -> i128 {
        i128::from(self.after.total().0) - i128::from(self.before.total().0)
    }
}

/// What changed from `before` to `after`: those that grew most first.
pub fn compare<'a>(before: &Moves<'a>, after: &Moves<'a>) -> Vec<Change<'a>> {
    let places: std::collections::BTreeSet<&Place<'a>> = before.places.keys().chain(after.places.keys()).collect();
    let mut changes = Vec::new();
    for place in places {
        let (was, is) = (before.places.get(place), after.places.get(place));
        let none = BTreeMap::new();
        let sides = [was, is].map(|side| side.map_or(&none, |moved| &moved.causes));
        let causes = cause_changes(sides[0], sides[1]);
        if causes.is_empty() && was.is_some() == is.is_some() {
            continue;
        }
        changes.push(Change {
            place: place.clone(),
            before: was.map(|moved| moved.sum),
            after: is.map(|moved| moved.sum),
            frames: is.or(was).map_or(&[], |moved| moved.frames),
            causes,
        });
    }
    changes.sort_by_key(|change| Reverse(change.difference()));
    changes
}

fn cause_changes<'a>(before: &BTreeMap<Cause<'a>, Sum>, after: &BTreeMap<Cause<'a>, Sum>) -> Vec<CauseChange<'a>> {
    let all: std::collections::BTreeSet<&Cause<'a>> = before.keys().chain(after.keys()).collect();
    let side = |side: &BTreeMap<Cause<'a>, Sum>, cause| side.get(cause).copied().unwrap_or_default();
    let mut changes: Vec<_> = all
        .into_iter()
        .map(|cause| CauseChange { cause: *cause, before: side(before, cause), after: side(after, cause) })
        .filter(|change| {
            (change.before.total().0, change.before.undecided) != (change.after.total().0, change.after.undecided)
        })
        .collect();
    changes.sort_by_key(|change| Reverse(change.difference()));
    changes
}

/// What to say where the two sides are runs of two programs: a comparison of them means little.
pub fn other_program(before: &Run, after: &Run) -> Option<String> {
    let names = |run: &Run| [run.program.clone(), run.application.clone()];
    let (before, after) = (names(before), names(after));
    let at =
        (0..before.len()).find(|&at| !before[at].is_empty() && !after[at].is_empty() && before[at] != after[at])?;
    let what = ["program", "application"][at];
    Some(format!(
        "the two are runs of different programs ({what} `{}` before, `{}` after): what differs may be no change of either",
        shown(&before[at], 60),
        shown(&after[at], 60)
    ))
}
