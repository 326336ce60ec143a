//! A difference as text and as JSON.

use super::pair::{Likeness, Pair};
use crate::changes::Change;
use crate::check::words;
use crate::ledger::Sum;
use anstyle::{Effects, Style};
use serde::Serialize;
use std::fmt::Write;
use tbdr_model::report::{Direction, Finding};
use tbdr_model::text::shown;
use tilelens_report::text::{mib, names};

/// A whole difference.
pub struct Diff<'a> {
    /// The file before.
    pub before: String,
    /// The file after.
    pub after: String,
    /// What is odd where two programs ran.
    pub other_program: Option<String>,
    /// The two frames that stand for the sides as a whole.
    pub pair: Pair<'a>,
    /// By GPU.
    pub gpus: Vec<GpuDiff<'a>>,
    /// Findings after that are not before.
    pub new_findings: Vec<&'a Finding>,
    /// Findings before that are not after.
    pub gone_findings: Vec<&'a Finding>,
}

/// What changed on a GPU.
pub struct GpuDiff<'a> {
    /// Its id.
    pub id: &'a str,
    /// What the two frames move, before and after.
    pub sums: [Sum; 2],
    /// Passes and transfers.
    pub changes: Vec<Change<'a>>,
}

const TITLE: Style = Style::new().effects(Effects::BOLD);
const FAINT: Style = Style::new().effects(Effects::DIMMED);

/// As text.
pub fn text(diff: &Diff<'_>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_text(&mut text, diff);
    text
}

fn write_text(out: &mut String, diff: &Diff<'_>) -> std::fmt::Result {
    writeln!(out, "{TITLE}{} -> {}{TITLE:#}, bytes per frame: modelled, not measured", diff.before, diff.after)?;
    writeln!(out, "{FAINT}{}{FAINT:#}", compared(&diff.pair))?;
    for (gpus, changes) in alike(diff)? {
        writeln!(out, "\n{TITLE}{}{TITLE:#}: {changes}", names(&gpus))?;
    }
    for (title, findings) in [("New findings", &diff.new_findings), ("Findings that are gone", &diff.gone_findings)] {
        if !findings.is_empty() {
            writeln!(out, "\n{TITLE}{title}{TITLE:#}")?;
        }
        for finding in findings {
            let of = [&finding.pass, &finding.attachment].into_iter().flatten();
            let of: Vec<_> = of.map(|id| format!("`{}`", shown(id, 80))).collect();
            let of = if of.is_empty() { String::new() } else { format!(" {}", of.join(", ")) };
            writeln!(out, "  {} {}{of}", shown(&finding.code, 10), shown(&finding.name, 60))?;
        }
    }
    Ok(())
}

/// What changed on the GPUs, without an end of the last line; what is the same on several is told once, with all of them.
fn alike<'a>(diff: &'a Diff<'_>) -> Result<Vec<(Vec<&'a str>, String)>, std::fmt::Error> {
    let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
    for gpu in &diff.gpus {
        let mut text = String::new();
        on_gpu(&mut text, diff.pair.likeness, gpu)?;
        let text = text.trim_end().to_string();
        match groups.iter_mut().find(|(_, known)| *known == text) {
            Some((ids, _)) => ids.push(gpu.id),
            None => groups.push((vec![gpu.id], text)),
        }
    }
    Ok(groups)
}

fn on_gpu(out: &mut String, likeness: Likeness, gpu: &GpuDiff<'_>) -> std::fmt::Result {
    let whole = match likeness {
        Likeness::Same | Likeness::Steady => step(gpu.sums.map(Some)),
        // A number would be taken for what the change did.
        Likeness::Medians => {
            let [was, is] = gpu.sums.map(amount);
            format!("{was} in the one, {is} in the other")
        }
    };
    writeln!(out, "{whole}")?;
    for change in &gpu.changes {
        let place = format!("{} `{}`", change.place.word(), shown(change.place.id(), 80));
        writeln!(out, "  {place}: {}", step([change.before, change.after]))?;
        for cause in &change.causes {
            let what = cause.cause;
            let aspect = if what.aspect == "buffer" { String::new() } else { format!(" ({})", shown(what.aspect, 20)) };
            writeln!(
                out,
                "    {} of `{}`{aspect}, {}: {}",
                shown(what.cause, 40),
                shown(what.resource, 80),
                direction(what.direction),
                step([Some(cause.before), Some(cause.after)])
            )?;
        }
    }
    if gpu.changes.is_empty() {
        writeln!(out, "  {FAINT}no pass and no transfer changed{FAINT:#}")?;
    }
    Ok(())
}

const fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "written",
    }
}

/// Which frames stand for the sides, and what they have in common.
fn compared(pair: &Pair<'_>) -> String {
    let [was, is] = pair.frames.map(|frame| words::frames(&frame.indices));
    match pair.likeness {
        Likeness::Same => format!("{was} with {is}: the same passes and transfers"),
        Likeness::Steady => format!("{was} with {is}: the steady states, whose passes or transfers differ"),
        Likeness::Medians => format!(
            "{was} and {is}: medians of the most frequent. No two frames have the same passes and transfers, so that frames as a whole tell \
             nothing of the change"
        ),
    }
}

/// Bytes, with `+ ?` where something is undecided.
fn amount(sum: Sum) -> String {
    if sum.undecided > 0 { format!("{} + ?", mib(sum.total())) } else { mib(sum.total()) }
}

/// `1.00 MiB -> 2.00 MiB (+1048576)`, with `+ ?` where something is undecided.
fn step(sums: [Option<Sum>; 2]) -> String {
    let told = |sum: Option<Sum>| sum.map_or_else(|| "nothing".into(), amount);
    let bytes = sums.map(|sum| sum.map_or(0, |sum| i128::from(sum.total().0)));
    let word = match sums {
        [None, _] => "new, ",
        [_, None] => "gone, ",
        _ => "",
    };
    format!("{word}{} -> {} ({:+} bytes)", told(sums[0]), told(sums[1]), bytes[1] - bytes[0])
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    notice: &'static str,
    before: &'a str,
    after: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'a str>,
    compared: JsonPair<'a>,
    gpus: std::collections::BTreeMap<&'a str, JsonGpu<'a>>,
    new_findings: &'a [&'a Finding],
    gone_findings: &'a [&'a Finding],
}

#[derive(Serialize)]
struct JsonPair<'a> {
    frames: [&'a [[u64; 3]]; 2],
    counts: [u64; 2],
    likeness: &'static str,
}

#[derive(Serialize)]
struct JsonGpu<'a> {
    bytes: [u64; 2],
    undecided_entries: [u64; 2],
    changes: Vec<JsonChange<'a>>,
}

#[derive(Serialize)]
struct JsonChange<'a> {
    kind: &'static str,
    id: &'a str,
    bytes: [Option<u64>; 2],
    undecided_entries: [u64; 2],
    frames: &'a [[u64; 3]],
    causes: Vec<JsonCause<'a>>,
}

#[derive(Serialize)]
struct JsonCause<'a> {
    attachment: &'a str,
    aspect: &'a str,
    cause: &'a str,
    direction: Direction,
    bytes: [u64; 2],
    undecided_entries: [u64; 2],
}

/// As JSON, `tilelens.diff/1`. Pairs are before and after; `null` is a pass or transfer that is not there.
pub fn json(diff: &Diff<'_>) -> anyhow::Result<String> {
    let json = Json {
        schema: "tilelens.diff/1",
        notice: "Bytes per frame, modelled for the GPUs named here, never measured.",
        before: &diff.before,
        after: &diff.after,
        warning: diff.other_program.as_deref(),
        compared: JsonPair {
            frames: diff.pair.frames.map(|frame| &frame.indices[..]),
            counts: diff.pair.frames.map(|frame| frame.count),
            likeness: match diff.pair.likeness {
                Likeness::Same => "same",
                Likeness::Steady => "steady",
                Likeness::Medians => "medians",
            },
        },
        gpus: diff.gpus.iter().map(|gpu| (gpu.id, json_gpu(gpu))).collect(),
        new_findings: &diff.new_findings,
        gone_findings: &diff.gone_findings,
    };
    Ok(serde_json::to_string_pretty(&json)? + "\n")
}

fn json_gpu<'a>(gpu: &'a GpuDiff<'a>) -> JsonGpu<'a> {
    JsonGpu {
        bytes: gpu.sums.map(|sum| sum.total().0),
        undecided_entries: gpu.sums.map(|sum| sum.undecided),
        changes: gpu.changes.iter().map(json_change).collect(),
    }
}

fn json_change<'a>(change: &'a Change<'a>) -> JsonChange<'a> {
    let sums = [change.before, change.after];
    let causes = change.causes.iter().map(|cause| JsonCause {
        attachment: cause.cause.resource,
        aspect: cause.cause.aspect,
        cause: cause.cause.cause,
        direction: cause.cause.direction,
        bytes: [cause.before.total().0, cause.after.total().0],
        undecided_entries: [cause.before.undecided, cause.after.undecided],
    });
    JsonChange {
        kind: change.place.word(),
        id: change.place.id(),
        bytes: sums.map(|sum| sum.map(|sum| sum.total().0)),
        undecided_entries: sums.map(|sum| sum.map_or(0, |sum| sum.undecided)),
        frames: change.frames,
        causes: causes.collect(),
    }
}
