//! The baseline: no frame, pass or transfer may move more than it did in an earlier report.

use super::outcome::{Against, CausePart, Figure, Kind, Outcome, Problem, Quantity, Scope, Severity, Used};
use super::words;
use crate::changes::{Change, Moves, compare, moves};
use crate::ledger::{Place, Sum};
use std::collections::BTreeMap;
use tbdr_model::report::{Frame, Report};
use tbdr_model::text::shown;
use tilelens_config::{Baseline, ConfigFile, Reserve, Tolerance};

/// Causes that are told of a pass that grew.
const SHOWN: usize = 5;

/// Judges every GPU of `before` and `after` against the baseline, in the order of the report.
pub fn judge(
    report: &Report,
    before: &BTreeMap<&str, Moves<'_>>,
    after: &BTreeMap<&str, Moves<'_>>,
    baseline: &Baseline,
    file: &ConfigFile,
    outcome: &mut Outcome,
) {
    for gpu in report.gpu_ids() {
        let (Some(was), Some(is)) = (before.get(gpu), after.get(gpu)) else { continue };
        let changes = compare(was, is);
        let grown = baseline.passes && on_gpu(gpu, &changes, baseline, outcome);
        whole(gpu, was, is, &changes, baseline, grown, outcome);
        doubts(gpu, &changes, file, outcome);
    }
}

/// What moves in these frames, by GPU.
pub fn by_gpu<'a>(report: &'a Report, frames: &[&'a Frame]) -> BTreeMap<&'a str, Moves<'a>> {
    let ids = report.gpus.keys().map(String::as_str);
    ids.filter_map(|id| Some((id, moves(frames.iter().copied(), id)?))).collect()
}

/// Passes and transfers that outgrew theirs; whether there is one.
fn on_gpu(gpu: &str, changes: &[Change<'_>], baseline: &Baseline, outcome: &mut Outcome) -> bool {
    let mut any = false;
    for change in changes {
        let [was, is] = change.bytes();
        let sum = change.after.unwrap_or_default();
        let figure = Figure::new(Quantity::Total, sum, baseline.tolerance.most(was));
        // What was undecided may have moved all the time.
        if is.saturating_sub(change.newly_decided()) <= figure.limit {
            continue;
        }
        any = true;
        let scope = scope(gpu, change);
        let grew = growth(&change.place, change.before, sum, baseline);
        let mut problem =
            Problem::new(Kind::Baseline, Severity::Deny, scope.clone(), format!("{}: {grew}", words::place(&scope)));
        problem.figure = Some(figure);
        problem.causes = parts(change, None);
        if change.before.is_none() {
            let gone = |other: &&Change<'_>| {
                other.after.is_none() && other.place.word() == change.place.word() && other.bytes()[0] == sum.total().0
            };
            problem.help = changes.iter().find(gone).map(|other| {
                format!(
                    "{} `{}` is gone, which moved as much: if it was renamed, make the baseline anew",
                    other.place.word(),
                    shown(other.place.id(), 80)
                )
            });
        }
        outcome.problems.push(problem);
    }
    any
}

fn scope(gpu: &str, change: &Change<'_>) -> Scope {
    let id = Some(change.place.id().to_string());
    let scope = match change.place {
        Place::Pass(_) => Scope { pass: id, ..Scope::default() },
        Place::Transfer(_) => Scope { transfer: id, ..Scope::default() },
    };
    Scope { gpu: Some(gpu.into()), frames: change.frames.to_vec(), ..scope }
}

fn growth(place: &Place<'_>, before: Option<Sum>, after: Sum, baseline: &Baseline) -> String {
    let tolerated = match baseline.tolerance {
        Tolerance::Bytes(0) => String::new(),
        tolerance => format!(" (tolerance {tolerance})"),
    };
    match before {
        Some(before) => format!(
            "grew by {}, from {} to {}{tolerated}",
            words::bytes(after.total().0.saturating_sub(before.total().0)),
            words::bytes(before.total().0),
            words::bytes(after.total().0)
        ),
        None => format!(
            "a {} that the baseline has not, which moves {}{tolerated}",
            place.word(),
            words::bytes(after.total().0)
        ),
    }
}

/// What grew, the most first.
fn parts(change: &Change<'_>, place: Option<&str>) -> Vec<CausePart> {
    let grown = change.causes.iter().filter(|cause| cause.difference() > 0);
    grown
        .take(SHOWN)
        .map(|cause| CausePart::new(&cause.cause, place, Some(cause.before.total().0), cause.after.total().0))
        .collect()
}

/// The frame as a whole. Where a pass that grew is told of already, the sum is only shown.
fn whole(
    gpu: &str,
    was: &Moves<'_>,
    is: &Moves<'_>,
    changes: &[Change<'_>],
    baseline: &Baseline,
    told: bool,
    outcome: &mut Outcome,
) {
    let figure = Figure::new(Quantity::Total, is.frame.sum, baseline.tolerance.most(was.frame.sum.total().0));
    let newly_decided = changes.iter().fold(0u64, |sum, change| sum.saturating_add(change.newly_decided()));
    let grown = is.frame.sum.total().0.saturating_sub(newly_decided) > figure.limit;
    let scope = Scope { gpu: Some(gpu.into()), frames: is.frame.frames.to_vec(), ..Scope::default() };
    if grown && !told {
        let place = words::place(&scope);
        let text = format!(
            "{place}: the frame grew by {}, from {} to {} (tolerance {})",
            words::bytes(is.frame.sum.total().0 - was.frame.sum.total().0),
            words::bytes(was.frame.sum.total().0),
            words::bytes(is.frame.sum.total().0),
            baseline.tolerance
        );
        let mut problem = Problem::new(Kind::Baseline, Severity::Deny, scope.clone(), text);
        problem.figure = Some(figure);
        problem.causes = changes.iter().flat_map(|change| parts(change, Some(change.place.id()))).take(SHOWN).collect();
        outcome.problems.push(problem);
    } else if is.frame.sum.total().0 < was.frame.sum.total().0 {
        let text = format!(
            "{}: {} less than in the baseline: a new one would keep it so",
            words::place(&scope),
            words::bytes(was.frame.sum.total().0 - is.frame.sum.total().0)
        );
        outcome.problems.push(Problem::new(Kind::Note, Severity::Note, scope.clone(), text));
    }
    outcome.budgets.push(Used { scope, figure, within: !grown, against: Against::Baseline });
}

/// Entries that are undecided on one side alone: whether their pass grew is not known.
fn doubts(gpu: &str, changes: &[Change<'_>], file: &ConfigFile, outcome: &mut Outcome) {
    let severity = match file.config.undecided {
        Reserve::Allow => Severity::Note,
        Reserve::Deny => Severity::Deny,
    };
    for change in changes {
        let text = match (change.more_undecided(), change.newly_decided()) {
            (0, 0) => continue,
            (0, bytes) => {
                format!("{} that are undecided in the baseline: whether it grew is not known", words::bytes(bytes))
            }
            (more, _) => format!(
                "{} more than in the baseline, in no sum: whether it grew is not known",
                words::undecided(Quantity::Total, more)
            ),
        };
        let scope = scope(gpu, change);
        let text = format!("{}: {text}", words::place(&scope));
        outcome.problems.push(Problem::new(Kind::Undecided, severity, scope, text));
    }
}
