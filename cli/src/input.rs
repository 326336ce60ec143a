//! A capture or report that a subcommand is given: a capture is evaluated anew, a report is taken as it stands.
use crate::evaluate::{capture_path, evaluate};
use crate::output;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tbdr_model::report::{Report, SCHEMA};
use tbdr_model::rules::Level;
use tbdr_model::text::shown;
use tilelens_capture::{CAPTURE_FILE_NAME, REPORT_FILE_NAME};
use tilelens_manifest::UserProfiles;

/// Bytes that a report may have.
const LARGEST: u64 = 1 << 30;

/// What is asked of an input.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// GPUs; none for those that it has.
    pub gpus: &'a [String],
    /// GPUs of the user's own.
    pub user: &'a UserProfiles,
    /// Settings that take the place of recorded ones.
    pub settings: &'a [(&'a str, String)],
}

/// An input.
pub struct Input {
    /// Its report.
    pub report: Report,
    /// The file.
    pub path: PathBuf,
    /// Whether it was a report already.
    pub as_it_stands: bool,
}

impl Input {
    /// The file, in messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// The file that `path` means: itself, or the capture in that folder, or else the report.
pub fn file(path: &Path) -> Result<PathBuf> {
    let report = path.join(REPORT_FILE_NAME);
    match path.is_dir() && !path.join(CAPTURE_FILE_NAME).is_file() && report.is_file() {
        true => Ok(report),
        false => capture_path(path),
    }
}

/// Reads a capture or report, for the GPUs that are wanted.
pub fn load(path: &Path, wanted: Wanted<'_>) -> Result<Input> {
    let path = file(path)?;
    if is_report(&path) {
        let report = read_report(&path)?;
        let report = only(report, wanted, &path)?;
        return Ok(Input { report, path, as_it_stands: true });
    }
    let gpus = (!wanted.gpus.is_empty()).then_some(wanted.gpus);
    let evaluated = evaluate(&path, gpus, wanted.user, wanted.settings)?;
    if let Some(cut) = &evaluated.cut {
        let text = format!("{}:{}: cut: {}; what comes before it counts", path.display(), cut.line, cut.reason);
        output::message(output::WARNING, "warning", &text);
    }
    Ok(Input { report: evaluated.report, path, as_it_stands: false })
}

/// What a report says that it is.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

/// Whether a file is a report of ours, perhaps a damaged one, or one that another tool has written anew with its keys in another
/// order. What cannot be read is left to the reader of captures to tell.
fn is_report(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut reader = BufReader::new(file.take(LARGEST));
    let Ok(start) = reader.fill_buf() else { return false };
    let start = String::from_utf8_lossy(start);
    let start = start.trim_start();
    if !start.starts_with('{') || start.contains("\"tilelens_capture\"") {
        return false;
    }
    let marked = start.contains("\"tilelens.report/");
    marked || serde_json::from_reader::<_, Head>(reader).is_ok_and(|head| head.schema.starts_with("tilelens.report/"))
}

fn read_report(path: &Path) -> Result<Report> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text))
        .with_context(|| format!("cannot read {}", path.display()))?;
    if text.len() as u64 > LARGEST {
        bail!("{}: larger than a GiB: this is no report", path.display());
    }
    let again = "make it anew from its capture: `tilelens analyze CAPTURE --format json -o report.json`";
    let damaged = || format!("{}: not a whole report; {again}", path.display());
    let head: Head = serde_json::from_str(&text).with_context(damaged)?;
    if head.schema != SCHEMA {
        bail!("{}: a {}, and this Tilelens reads {SCHEMA}; {again}", path.display(), shown(&head.schema, 60));
    }
    serde_json::from_str(&text).with_context(damaged)
}

/// The report with the wanted GPUs alone. What a report lacks is only in its capture.
fn only(mut report: Report, wanted: Wanted<'_>, path: &Path) -> Result<Report> {
    if wanted.gpus.is_empty() {
        return Ok(report);
    }
    // An id that no profile has may still be in the report: of a profile that is not at hand here.
    let mut ids = Vec::new();
    for gpu in wanted.gpus {
        match report.gpus.contains_key(gpu) {
            true => ids.push(gpu.clone()),
            false => {
                let device = Some(&report.run.device);
                ids.extend(wanted.user.select(&[gpu], device)?.into_iter().map(|profile| profile.id));
            }
        }
    }
    let missing: Vec<&str> = ids.iter().map(String::as_str).filter(|id| !report.gpus.contains_key(*id)).collect();
    if !missing.is_empty() {
        let held: Vec<String> = report.gpus.keys().map(|id| shown(id, 40)).collect();
        bail!(
            "{} is not modelled for {}, only for {}: give the capture ({CAPTURE_FILE_NAME}) it was made from, which can be evaluated for \
             any GPU, or run with `tilelens run --gpu {}`",
            path.display(),
            missing.join(", "),
            held.join(", "),
            ids.join(",")
        );
    }
    report.gpus.retain(|id, _| ids.contains(id));
    report.gpu_order.clone_from(&ids);
    for frame in &mut report.frames {
        frame.gpus.retain(|id, _| ids.contains(id));
    }
    report.findings.retain_mut(|finding| {
        let of_others = !finding.saving.is_empty() && finding.saving.keys().all(|id| !ids.contains(id));
        finding.saving.retain(|id, _| ids.contains(id));
        finding.after_previous.retain(|id, _| ids.contains(id));
        // What saves on other GPUs alone is no advice for these; a hazard is one wherever it saves.
        !of_others || finding.level == Level::Hazard.name()
    });
    Ok(report)
}
