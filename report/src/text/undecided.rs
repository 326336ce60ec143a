//! Entries that are in no sum: how a sum that lacks them is marked, and why they are undecided.
//!
//! A sum without them must not look as if it were all: it reads `9.15 MiB + ?`.

use std::collections::BTreeSet;
use tbdr_model::report::{Basis, Direction, GpuFrame, TilePass};
use tbdr_model::text::shown;

/// Characters of the reasons of one pass.
const LONGEST: usize = 200;

/// Directions of the undecided entries of a GPU.
fn directions(gpu: &GpuFrame) -> impl Iterator<Item = Direction> {
    let passes = gpu.passes.iter().flat_map(|pass| &pass.entries).map(|entry| (entry.basis, entry.direction));
    let transfers = gpu.transfers.iter().map(|entry| (entry.basis, entry.direction));
    passes.chain(transfers).filter(|(basis, _)| *basis == Basis::Undecided).map(|(_, direction)| direction)
}

/// Number of undecided entries of a GPU.
pub(super) fn count(gpu: &GpuFrame) -> u64 {
    directions(gpu).count() as u64
}

/// Whether a GPU has undecided entries.
pub(super) fn any(gpu: &GpuFrame) -> bool {
    directions(gpu).next().is_some()
}

/// Whether a GPU has undecided entries of that direction.
pub(super) fn any_of(gpu: &GpuFrame, wanted: Direction) -> bool {
    directions(gpu).any(|direction| direction == wanted)
}

/// Whether a tile pass has undecided entries.
pub(super) fn in_pass(pass: &TilePass) -> bool {
    pass.entries.iter().any(|entry| entry.basis == Basis::Undecided)
}

/// `sum`, marked if something is missing from it.
pub(super) fn marked(sum: String, lacks: bool) -> String {
    if lacks { sum + " + ?" } else { sum }
}

/// Why entries of these tile passes are undecided: their notes, each once.
pub(super) fn reason<'a>(passes: impl Iterator<Item = &'a TilePass>) -> String {
    let mut told = BTreeSet::new();
    let notes = passes.filter(|pass| in_pass(pass)).flat_map(|pass| &pass.notes).filter(|note| told.insert(*note));
    let notes: Vec<&str> = notes.map(String::as_str).collect();
    shown(&notes.join("; "), LONGEST)
}
