//! Shows what the layer left, and completes what a killed program could not.

use super::child::Ended;
use super::folder::{IndexRow, Left, Published, write_index};
use crate::evaluate::evaluate;
use crate::output;
use crate::scale::ScaleArgs;
use crate::system::program;
use anyhow::{Context, Result};
use tbdr_model::report::Report;
use tilelens_capture::{Access, CAPTURE_FILE_NAME, REPORT_FILE_NAME, write_atomic};
use tilelens_manifest::UserProfiles;
use tilelens_report::text;

/// Results that are shown in full.
const FULL: usize = 4;

/// Shows every result, the ones with most frames in full.
pub fn show(published: &Published, ended: &Ended, scale: &ScaleArgs) {
    if let Some(signal) = ended.signal {
        let text = format!("the program was ended by signal {signal}; the report holds the frames up to then");
        output::message(output::NOTE, "note", &text);
    }
    let mut results: Vec<_> =
        published.left.iter().filter_map(|left| finished(left).map(|report| (left, report))).collect();
    if let Some(index) = &published.index {
        let rows = results.iter().map(|(left, report)| row(left, report)).collect();
        if let Err(error) = write_index(index, rows) {
            output::message(output::ERROR, "error", &format!("{error:#}"));
        }
    }
    // The sort keeps equal ones by folder.
    results.sort_by_key(|(_, report)| std::cmp::Reverse(report.frame_count));
    for (left, report) in results.iter().take(FULL) {
        output::to_stderr(&text::render(report, &scale.of(output::text_options(true))));
        let folder = left.path.display();
        output::to_stderr(&format!(
            "\nReport:  {folder}/{REPORT_FILE_NAME}\nCapture: {folder}/{CAPTURE_FILE_NAME}\n\
             Other GPUs: {} analyze {} --gpu all\n\n",
            program::called(),
            program::quoted(&folder.to_string())
        ));
    }
    for (left, report) in results.iter().skip(FULL) {
        let plural = if report.frame_count == 1 { "" } else { "s" };
        let text = format!("{}: {} frame{plural}, not shown", left.path.display(), report.frame_count);
        output::message(output::NOTE, "note", &text);
    }
    if let Some(index) = &published.index {
        output::to_stderr(&format!("All results of this run: {}\n", index.display()));
    }
}

/// The report of a result, or a message why there is none.
fn finished(left: &Left) -> Option<Report> {
    finish(left).map_err(|error| output::message(output::ERROR, "error", &format!("{error:#}"))).ok()
}

/// Evaluates the capture and writes report.json where the program did not live to.
fn finish(left: &Left) -> Result<Report> {
    let report = evaluate(&left.path.join(CAPTURE_FILE_NAME), None, &UserProfiles::default(), &[])?.report;
    let path = left.path.join(REPORT_FILE_NAME);
    if !report.complete || !path.is_file() {
        write_atomic(&path, report.to_json().as_bytes(), Access::Private)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(report)
}

fn row(left: &Left, report: &Report) -> IndexRow {
    let folder = left.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    IndexRow { folder, program: report.run.program.clone(), pid: left.pid, frames: report.frame_count }
}
