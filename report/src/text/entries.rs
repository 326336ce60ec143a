//! Why: the biggest entries of the ledger with their cause, the GPUs side by side.

use super::heaviest_gpus;
use super::write::{FAINT, Out, TITLE, column, fit, mib};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use tbdr_model::ledger::sums::{self, Debited, Place};
use tbdr_model::report::{Basis, Direction, Frame, GpuFrame, Report};
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;
use unicode_width::UnicodeWidthStr;

/// Causes that are shown.
const SHOWN: usize = 6;
/// Columns that a cause has at least.
const WORDS: usize = 32;
/// Columns of a GPU's figure.
const FIGURE: usize = 16;

/// What an entry is about. The same on every GPU, so that their figures can stand side by side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cause<'a> {
    place: Place,
    /// The pass's attachment; 0 for a transfer.
    attachment: u32,
    cause: &'a str,
    aspect: &'a str,
    resource: &'a str,
    direction: Direction,
}

/// Sum of the entries of one cause on one GPU.
#[derive(Clone, Copy)]
struct Figure {
    bytes: Bytes,
    basis: Basis,
}

pub(super) fn render(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    let mut gpus = heaviest_gpus(report, frame);
    gpus.truncate((out.width.saturating_sub(WORDS) / FIGURE).max(1));
    let mut causes: BTreeMap<Cause<'_>, Vec<Option<Figure>>> = BTreeMap::new();
    for (n, (_, gpu)) in gpus.iter().enumerate() {
        for (cause, figure) in figures(gpu) {
            let row = causes.entry(cause).or_insert_with(|| vec![None; gpus.len()]);
            row[n] = Some(add(row[n], figure));
        }
    }
    if causes.is_empty() {
        return Ok(());
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    // The sort keeps equal ones in the order of execution.
    causes.sort_by_key(|(_, row)| Reverse(row.iter().flatten().map(|figure| figure.bytes).max()));

    let words = out.width.saturating_sub(gpus.len() * FIGURE);
    writeln!(out)?;
    out.styled(TITLE, &format!("{:words$}", "Biggest entries"))?;
    for (id, _) in &gpus {
        out.styled(FAINT, &format!("{:>FIGURE$}", shown(id, FIGURE - 1)))?;
    }
    writeln!(out)?;
    for (cause, row) in causes.iter().take(SHOWN) {
        write!(out, "  {}", column(&describe(cause, frame, words.saturating_sub(2)), words.saturating_sub(2)))?;
        for figure in row {
            let text = match figure {
                Some(Figure { basis: Basis::Undecided, .. }) => "undecided".into(),
                Some(Figure { bytes, basis }) => format!("{} {}", basis.sign(), mib(*bytes)),
                None => "-".into(),
            };
            write!(out, "{text:>FIGURE$}")?;
        }
        writeln!(out)?;
    }
    let more = match causes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("and {more} smaller; "),
    };
    out.line(FAINT, &format!("  {more}= exact before compression, <= upper bound, ~ estimate"))
}

fn figures(gpu: &GpuFrame) -> impl Iterator<Item = (Cause<'_>, Figure)> {
    sums::debits(gpu).map(|debit| {
        let Debited { place, attachment, resource, aspect, cause, direction, bytes, basis, .. } = debit;
        (Cause { place, attachment, cause, aspect, resource, direction }, Figure { bytes, basis })
    })
}

/// A sum is as good as its weakest part; an undecided entry is no part of it.
fn add(sum: Option<Figure>, next: Figure) -> Figure {
    let rank = |basis| match basis {
        Basis::Undecided => 0,
        Basis::Exact => 1,
        Basis::Bound => 2,
        Basis::Estimate => 3,
    };
    match sum {
        None => next,
        Some(sum) => Figure {
            bytes: sum.bytes + next.bytes,
            basis: if rank(next.basis) > rank(sum.basis) { next.basis } else { sum.basis },
        },
    }
}

/// `store color of image in pass`, `copy_image reads color of image`, within `limit` columns.
fn describe(cause: &Cause<'_>, frame: &Frame, limit: usize) -> String {
    let Cause { cause: what, aspect, resource, direction, place, .. } = *cause;
    match place {
        Place::Pass(pass) => {
            let label = frame.passes.get(pass as usize).map_or("unknown pass", |pass| pass.label.as_str());
            let head = format!("{what} {aspect} of ");
            let room = limit.saturating_sub(head.width() + JOINT.width());
            // Both names keep something: neither gets more than half unless the other leaves it.
            let label = fit(label, room.saturating_sub(fit(resource, room / 2).width()));
            head + &fit(resource, room.saturating_sub(label.width())) + JOINT + &label
        }
        Place::Transfer(_) => {
            let verb = if direction == Direction::Read { "reads" } else { "writes" };
            let head = format!("{what} {verb} {aspect} of ");
            let room = limit.saturating_sub(head.width());
            head + &fit(resource, room)
        }
    }
}

/// What stands between an image and its pass.
const JOINT: &str = " in ";
