//! TL010.

use super::continuations::{Continuation, continuations};
use super::pass_split::{claims, merges};
use super::{Candidate, Evidence, Gather, Level, Sighting, Structure, Worth, rule};
use crate::frame::{ImageRef, LoadOp, Pass, StoreOp, SubresourceRange};
use crate::graph::liveness::is_followed;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Three or more passes in a row that take turns between two targets, each loading what it stored the turn before.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Each change of the target stores the one to DRAM and loads the other from it. Draws sorted by target cost one pass each.
    ///
    /// ## Bad
    /// Draw into A, into B, into A again, into B again, all with `loadOp = LOAD` and `storeOp = STORE`.
    ///
    /// ## Good
    /// All draws into A in one pass, then all draws into B in another; or both as attachments of one pass.
    ///
    /// ## How much
    /// The write and the read of a target for each turn that goes. Where each turn samples the other target the order of the
    /// draws cannot change: then the finding has level `info` and no saving.
    ///
    /// ## When to ignore
    /// Chains that really read the other target, as blurs do, and do not cover all of their own.
    ///
    /// ## Known limits
    /// Speaks of a saving where all turns can be sorted by the proofs of TL009. Silent where it is neither known that the turns are
    /// independent nor that they sample each other.
    ///
    /// ## References
    /// Arm, "Mali GPU Best Practices", render passes. Khronos Vulkan-Samples, performance/render_passes.
    PING_PONG {
        code: "TL010",
        name: "ping-pong",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL009", "TL302", "TL103", "TL007", "TL008", "TL006", "TL005", "TL001"],
        check: check,
    }
}

/// What a pass renders to.
type Targets = BTreeSet<(ImageRef, SubresourceRange)>;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in evidence.structures.iter().filter(|(_, s)| is_followed(s.frame)) {
        let runs = runs(structure);
        if runs.is_empty() {
            continue;
        }
        let proved: BTreeMap<u32, Continuation> =
            continuations(structure).into_iter().map(|found| (found.second, found)).collect();
        for run in runs {
            let turns = || run.clone().skip(2);
            let sorted: Vec<&Continuation> =
                turns().filter_map(|pass| proved.get(&pass).filter(|found| found.first + 2 == pass)).collect();
            let independent = sorted.len() == turns().count();
            if !independent && !turns().all(|pass| samples_the_other(structure, pass)) {
                continue;
            }
            let place = Sighting { structure: *number, pass: run.start, ..Sighting::default() };
            let [one, other] = [run.start, run.start + 1].map(|pass| name(structure, pass));
            let (first, second) = (structure.pass_label(run.start), structure.pass_label(run.start + 1));
            if independent {
                let edits = sorted.iter().flat_map(|found| merges(found)).collect();
                let speaks_for = sorted.iter().flat_map(|found| claims(*number, found)).collect();
                gather.add(Sighting { edits, speaks_for, ..place }, || Candidate {
                    level: sorted.iter().any(|found| found.apart).then_some(Level::Info),
                    fix: format!(
                        "Record all draws into {one} in {first} and all draws into {other} in {second}, instead of {} passes in turns",
                        run.len()
                    ),
                    why: "passes take turns between two targets, and each turn stores and loads".to_string(),
                    ..Candidate::default()
                });
            } else {
                gather.add(place, || Candidate {
                    level: Some(Level::Info),
                    worth: Worth::Saying,
                    fix: format!(
                        "Set loadOp DONT_CARE on {one} and {other} in the passes from {first} on if each covers its render area, or do several steps in one pass or dispatch"
                    ),
                    why: "passes take turns between two targets that sample each other, and each turn stores and loads"
                        .to_string(),
                    ..Candidate::default()
                });
            }
        }
    }
    gather.everywhere()
}

fn name<'a>(structure: &'a Structure<'_>, pass: u32) -> &'a str {
    let target = structure.pass(pass).and_then(|p| p.subpasses.first()?.targets().next().map(|used| used.attachment));
    target.map_or("", |attachment| structure.attachment_id(pass, attachment))
}

fn targets(pass: &Pass) -> Targets {
    let used = pass.subpasses.iter().flat_map(|s| s.targets());
    used.filter_map(|used| pass.attachments.get(used.attachment as usize))
        .filter_map(|a| Some((a.image?, a.range)))
        .collect()
}

/// Whether a pass loads, and stores, what it renders to.
fn operations(pass: &Pass) -> (bool, bool) {
    let used: BTreeSet<u32> = pass.subpasses.iter().flat_map(|s| s.targets()).map(|used| used.attachment).collect();
    let attachments = || used.iter().filter_map(|a| pass.attachments.get(*a as usize));
    let loads = attachments().any(|a| a.load == LoadOp::Load || a.stencil_load == LoadOp::Load);
    (loads, attachments().any(|a| a.store == StoreOp::Store || a.stencil_store == StoreOp::Store))
}

/// Runs of passes that take turns between two targets.
fn runs(structure: &Structure<'_>) -> Vec<core::ops::Range<u32>> {
    let all: Vec<(Targets, (bool, bool))> =
        structure.whole.passes.iter().map(|pass| (targets(pass), operations(pass))).collect();
    let distinct = |one: &Targets, other: &Targets| {
        let images = |of: &Targets| of.iter().map(|(image, _)| *image).collect::<BTreeSet<_>>();
        !one.is_empty() && !other.is_empty() && images(one).is_disjoint(&images(other))
    };
    let turns = |at: usize| {
        let (Some((now, (loads, _))), Some((before, (_, stored)))) = (all.get(at), all.get(at - 2)) else {
            return false;
        };
        *loads && *stored && now == before && all.get(at - 1).is_some_and(|(other, _)| distinct(now, other))
    };
    let (mut found, mut at) = (Vec::new(), 2);
    while at < all.len() {
        let start = at - 2;
        let mut end = at;
        while turns(end) {
            end += 1;
        }
        // Both are loaded: a pass that another target interrupts once is split, which is another matter.
        if end > at && all.get(start + 1..end).is_some_and(|run| run.iter().step_by(2).any(|(_, (loads, _))| *loads)) {
            found.push(start as u32..end as u32);
        }
        at = end.max(at + 1);
    }
    found
}

/// Whether the shaders of a pass, or of the turn before, sample what the turn before rendered, or the one before that.
fn samples_the_other(structure: &Structure<'_>, pass: u32) -> bool {
    let reads = |pass: u32, of: u32| {
        let (Some(reader), Some(writer)) = (structure.pass(pass), structure.pass(of)) else { return false };
        let targets = targets(writer);
        let mut reached = reader.subpasses.iter().filter(|s| s.drawn).flat_map(|s| &s.shader.images);
        reached.any(|access| access.kind.reads() && targets.iter().any(|(image, _)| access.image == Some(*image)))
    };
    reads(pass, pass - 1) || reads(pass - 1, pass - 2)
}
