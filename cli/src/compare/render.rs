//! A comparison as text and as JSON.

use super::ledger::Modelled;
use super::quantity::{Pair, Rates};
use super::verdict::Verdict;
use crate::output::{ERROR, NOTE};
use anstyle::{AnsiColor, Effects, Style};
use serde::Serialize;
use std::fmt::Write;
use tbdr_model::text::shown;
use tbdr_model::units::Extent2D;

/// A capture and the frame of it that is compared.
#[derive(Debug, Serialize)]
pub struct Side {
    /// The capture.
    pub capture: String,
    /// Number of the first frame that is like it.
    pub frame: u64,
    /// Number of frames that are like it.
    pub count: u64,
}

/// One direction.
#[derive(Debug)]
pub struct Row {
    /// `read` or `write`.
    pub direction: &'static str,
    /// By the model.
    pub modelled: Modelled,
    /// By the counters, in bytes per frame.
    pub measured: Option<Pair<f64>>,
    /// The judgement, where something was measured.
    pub verdict: Option<Verdict>,
}

/// A whole comparison.
#[derive(Debug)]
pub struct Comparison {
    /// GPU id.
    pub gpu: String,
    /// The captures.
    pub sides: Pair<Side>,
    /// Frame rates.
    pub rates: Option<Rates>,
    /// What a BU is measured by, and what that is, in words.
    pub unit: (Extent2D, &'static str),
    /// Both directions.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Bytes of one BU.
    #[allow(clippy::cast_precision_loss)] // Far below 2^53.
    fn unit_bytes(&self) -> f64 {
        (self.unit.0.pixels().max(1) * 4) as f64
    }

    /// Whether every direction that was measured agrees.
    pub fn agrees(&self) -> bool {
        self.rows.iter().all(|row| row.verdict.as_ref().is_none_or(|verdict| verdict.within))
    }
}

const TITLE: Style = Style::new().effects(Effects::BOLD);
const GOOD: Style = AnsiColor::Green.on_default().effects(Effects::BOLD);

/// As text.
pub fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_text(&mut text, comparison);
    text
}

#[allow(clippy::cast_precision_loss)] // For people.
fn write_text(out: &mut String, comparison: &Comparison) -> std::fmt::Result {
    let Extent2D { width, height } = comparison.unit.0;
    let bu = comparison.unit_bytes();
    writeln!(
        out,
        "{TITLE}Modelled for {} beside measured{TITLE:#}, bytes per frame between chip and DRAM",
        comparison.gpu
    )?;
    for (name, side) in [("before", &comparison.sides.before), ("after", &comparison.sides.after)] {
        writeln!(out, "  {name:7} {}, frame {} ({} like it)", shown(&side.capture, 200), side.frame, side.count)?;
    }
    writeln!(out, "  1 MiB = 2^20 bytes; 1 BU = {width}x{height} x 4 bytes = {} ({})", mib(bu), comparison.unit.1)?;
    if let Some(rates) = comparison.rates {
        writeln!(out, "  rates were divided by {rates}")?;
    }
    for row in &comparison.rows {
        writeln!(
            out,
            "\n{TITLE}{:14}{:>16}{:>16}{:>16}{:>12}{TITLE:#}",
            row.direction, "before", "after", "difference", "in BU"
        )?;
        let mut line = |name: &str, before: f64, after: f64, difference: f64| {
            writeln!(
                out,
                "  {name:12}{:>16}{:>16}{:>16}{:>12}",
                mib(before),
                mib(after),
                signed(difference),
                format!("{:+.3}", difference / bu)
            )
        };
        let modelled = &row.modelled;
        line("modelled", modelled.before as f64, modelled.after as f64, modelled.difference() as f64)?;
        let Some(measured) = row.measured else {
            writeln!(out, "  not measured: give --measured {}=BEFORE:AFTER", row.direction)?;
            continue;
        };
        line("measured", measured.before, measured.after, measured.difference())?;
        if let Some(verdict) = &row.verdict {
            write_verdict(out, verdict)?;
        }
    }
    writeln!(out, "\nOnly differences are compared: counters also hold textures, geometry and what else the GPU does.")
}

fn write_verdict(out: &mut String, verdict: &Verdict) -> std::fmt::Result {
    let (style, words) = match verdict.within {
        true => (GOOD, "in tolerance"),
        false => (ERROR, "OUT OF TOLERANCE"),
    };
    let ratio = verdict.ratio.map(|ratio| format!("measured/modelled {ratio:.3}, ")).unwrap_or_default();
    writeln!(out, "  {ratio}{style}{words}{style:#} ({})", verdict.class.words())?;
    let [least, most] = verdict.range;
    writeln!(out, "  expected {}, from {} to {}", signed(verdict.expected), signed(least), signed(most))?;
    match verdict.hint {
        Some(hint) => writeln!(out, "  {NOTE}hint:{NOTE:#} {hint}"),
        None => Ok(()),
    }
}

fn mib(bytes: f64) -> String {
    format!("{:.3} MiB", bytes / 1_048_576.0)
}

fn signed(bytes: f64) -> String {
    format!("{:+.3} MiB", bytes / 1_048_576.0)
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    notice: &'static str,
    gpu: &'a str,
    before: &'a Side,
    after: &'a Side,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames_per_second: Option<[f64; 2]>,
    bu_extent: Extent2D,
    bu_bytes: f64,
    agrees: bool,
    directions: Vec<JsonRow<'a>>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    direction: &'static str,
    modelled_bytes: [u64; 2],
    modelled_difference: i64,
    modelled_difference_multisampled: i64,
    modelled_difference_bu: f64,
    measured_bytes: Option<[f64; 2]>,
    measured_difference: Option<f64>,
    measured_difference_bu: Option<f64>,
    verdict: Option<&'a Verdict>,
}

/// As JSON, `tilelens.compare/1`.
#[allow(clippy::cast_precision_loss)] // Far below 2^53.
pub fn json(comparison: &Comparison) -> anyhow::Result<String> {
    let bu = comparison.unit_bytes();
    let clamped = |bytes: i128| i64::try_from(bytes).unwrap_or(if bytes < 0 { i64::MIN } else { i64::MAX });
    let rows = comparison.rows.iter().map(|row| JsonRow {
        direction: row.direction,
        modelled_bytes: [row.modelled.before, row.modelled.after],
        modelled_difference: clamped(row.modelled.difference()),
        modelled_difference_multisampled: clamped(row.modelled.multisampled),
        modelled_difference_bu: row.modelled.difference() as f64 / bu,
        measured_bytes: row.measured.map(|pair| [pair.before, pair.after]),
        measured_difference: row.measured.map(Pair::difference),
        measured_difference_bu: row.measured.map(|pair| pair.difference() / bu),
        verdict: row.verdict.as_ref(),
    });
    let json = Json {
        schema: "tilelens.compare/1",
        notice: "Bytes per frame. What is modelled was not measured; what is measured was given on the command line.",
        gpu: &comparison.gpu,
        before: &comparison.sides.before,
        after: &comparison.sides.after,
        frames_per_second: comparison.rates.map(|rates| [rates.0.before, rates.0.after]),
        bu_extent: comparison.unit.0,
        bu_bytes: bu,
        agrees: comparison.agrees(),
        directions: rows.collect(),
    };
    Ok(serde_json::to_string_pretty(&json)? + "\n")
}
