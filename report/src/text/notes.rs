//! What is missing: frames that were not recorded, and what the model leaves out.

use super::write::{FAINT, Out, TITLE, WARNING, counted};
use std::fmt::{self, Write};
use tbdr_model::record::GapReason;
use tbdr_model::report::Report;
use tbdr_model::text::shown;

/// Items of the list that are shown.
const SHOWN: usize = 8;

pub(super) fn render(out: &mut Out, report: &Report) -> fmt::Result {
    let missing = |reason| {
        report.gaps.iter().filter(|gap| gap.reason == reason).fold(0u64, |sum, gap| sum.saturating_add(gap.count))
    };
    let reasons = [
        (
            GapReason::Overload,
            "dropped: the analysis was slower than the program, which is never made to wait. The setting `sync` makes it \
             wait, `queue_frames` lets more frames wait.",
        ),
        (GapReason::Selection, "left out, as asked (settings `frames`, `frames_label`, `frames_file`)."),
        (GapReason::Limit, "not kept: the run has more distinct frames than the layer remembers."),
        (
            GapReason::CaptureLimit,
            "after the capture was full (setting `capture_max_bytes`): nothing of them is known.",
        ),
        (GapReason::Fault, "lost by a fault of the layer; its log says more. Please report it."),
    ];
    if !report.gaps.is_empty() {
        writeln!(out)?;
    }
    for (reason, words) in reasons {
        let style = if reason == GapReason::Selection { FAINT } else { WARNING };
        match missing(reason) {
            0 => {}
            n => out.wrapped(style, &format!("{} {words}", counted(n, "frame")), 0)?,
        }
    }
    if !report.not_modelled.is_empty() {
        writeln!(out)?;
        out.line(TITLE, "Not in these figures")?;
        let mut items: Vec<_> = report.not_modelled.iter().take(SHOWN).map(|item| shown(item, 200)).collect();
        if report.not_modelled.len() > SHOWN {
            items.push(format!("and {} more (`--format json` lists them)", report.not_modelled.len() - SHOWN));
        }
        for item in items {
            out.wrapped(FAINT, &item, 2)?;
        }
    }
    Ok(())
}
