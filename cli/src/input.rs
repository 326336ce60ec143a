//! A capture or report that a subcommand is given: a capture is evaluated anew, a report is taken as it stands.
use crate::evaluate::{capture_path, evaluate};
use crate::output;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
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

/// What tells a report from other JSON: its schema, or keys that it has at its root.
#[derive(Deserialize)]
struct Head {
    schema: Option<Value>,
    frames: Option<IgnoredAny>,
    findings: Option<IgnoredAny>,
}

impl Head {
    fn is_of_report(&self) -> bool {
        let ours = self.schema.as_ref().and_then(Value::as_str).is_some_and(|schema| schema.starts_with(FAMILY));
        ours || self.frames.is_some() && self.findings.is_some()
    }
}

/// How the schema of every report begins.
const FAMILY: &str = "tilelens.report/";

/// The mark with which some editors and shells begin a file in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether a file is a report of ours, perhaps a damaged one, or one that another tool has written anew with its keys in another
/// order. What cannot be read is left to the reader of captures to tell.
fn is_report(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut reader = BufReader::new(file.take(LARGEST));
    let Ok(start) = reader.fill_buf() else { return false };
    let marked = start.starts_with(BYTE_ORDER_MARK.to_string().as_bytes());
    let start = String::from_utf8_lossy(start);
    let start = start.trim_start_matches(BYTE_ORDER_MARK).trim_start();
    if !start.starts_with('{') || start.contains("\"tilelens_capture\"") {
        return false;
    }
    if start.contains("\"tilelens.report/") {
        return true;
    }
    if marked {
        reader.consume(BYTE_ORDER_MARK.len_utf8());
    }
    serde_json::from_reader::<_, Head>(reader).is_ok_and(|head| head.is_of_report())
}

fn read_report(path: &Path) -> Result<Report> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text))
        .with_context(|| format!("cannot read {}", path.display()))?;
    if text.len() as u64 > LARGEST {
        bail!("{}: larger than a GiB: this is no report", path.display());
    }
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    let schema = serde_json::from_str::<Head>(text).ok().and_then(|head| head.schema);
    match schema.as_ref().map(Value::as_str) {
        Some(Some(SCHEMA)) => {}
        Some(Some(other)) => {
            let newer = number(other) > number(SCHEMA);
            let or = if newer { "read it with the Tilelens that wrote it, or " } else { "" };
            bail!("{}: a {}, and this Tilelens reads {SCHEMA}; {or}{AGAIN}", path.display(), shown(other, 60));
        }
        Some(None) => bail!("{}: `schema`: not a text like {SCHEMA:?}; {AGAIN}", path.display()),
        // What is cut short may have one.
        None if serde_json::from_str::<IgnoredAny>(text).is_ok() => {
            bail!("{}: without `schema`, which says what it is; {AGAIN}", path.display());
        }
        None => {}
    }
    serde_json::from_str(text).map_err(|error| damaged(path, text, &error))
}

/// What to do about a report that cannot be read.
const AGAIN: &str = "make it anew from its capture: `tilelens analyze CAPTURE --format json -o report.json`";

/// The number of a schema, of which there is one for each change that a reader has to know of.
fn number(schema: &str) -> Option<u64> {
    schema.strip_prefix(FAMILY)?.parse().ok()
}

/// What is wrong with a report, and at which key: that is looked for only now, since it takes longer.
fn damaged(path: &Path, text: &str, error: &serde_json::Error) -> anyhow::Error {
    let file = path.display();
    if error.is_eof() {
        return anyhow::anyhow!("{file}: not a whole report: {error}; {AGAIN}");
    }
    let read = serde_path_to_error::deserialize::<_, Report>(&mut serde_json::Deserializer::from_str(text));
    let key = read.err().map(|error| error.path().to_string()).filter(|key| key != ".");
    let key = key.map_or(String::new(), |key| format!("`{}`: ", shown(&key, 120)));
    anyhow::anyhow!("{file}: not a whole report: {key}{}; {AGAIN}", shown(&error.to_string(), 300))
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
