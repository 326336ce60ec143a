//! From a capture to its report: the very code that the layer runs, fed from the file.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use tbdr_model::gpu::Profile;
use tbdr_model::record::{Record, Run};
use tbdr_model::report::Report;
use tbdr_model::session::Session;
use tilelens_capture::{CAPTURE_FILE_NAME, CutTail, Reader};
use tilelens_manifest::{Settings, UserProfiles};

/// A capture, evaluated.
pub struct Evaluated {
    /// The report.
    pub report: Report,
    /// Whether the capture ends in the middle of a record.
    pub cut: Option<CutTail>,
}

/// Evaluates the capture at `path` for the GPUs `gpus`, or for those of the settings it was recorded under. GPUs may come from the
/// profiles `user`, and from those that the capture carries; `settings` take the place of recorded ones.
pub fn evaluate(
    path: &Path,
    gpus: Option<&[String]>,
    user: &UserProfiles,
    settings: &[(&str, String)],
) -> Result<Evaluated> {
    let mut reader = Reader::open(path)?;
    let first = reader.next().transpose()?;
    let set = |record: Record| match record {
        Record::Run(mut run) => {
            run.settings.extend(settings.iter().map(|(key, value)| ((*key).into(), value.clone())));
            Record::Run(run)
        }
        other => other,
    };
    let recorded = first.iter().find_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    });
    let mut session = Session::new(profiles(path, gpus, user, recorded)?);
    if let Some(record) = first {
        session.record(&set(record));
    }
    for record in reader.by_ref() {
        session.record(&set(record?));
    }
    Ok(Evaluated { report: session.report(), cut: reader.cut().cloned() })
}

fn profiles(path: &Path, gpus: Option<&[String]>, user: &UserProfiles, recorded: Option<&Run>) -> Result<Vec<Profile>> {
    let mut user = user.clone();
    if let Some(run) = recorded {
        user.add_of_run(&run.settings).with_context(|| format!("{}: GPU profiles of the run", path.display()))?;
    }
    let device = recorded.map(|run| &run.device);
    if let Some(gpus) = gpus {
        return Ok(user.select(gpus, device)?);
    }
    let ids = match recorded.and_then(|run| run.settings.get("gpu")) {
        Some(ids) => ids.split(',').map(String::from).collect(),
        None => Settings::default().gpu,
    };
    user.select(&ids, device).with_context(|| {
        format!("{} was recorded for GPUs that this version does not model; choose with --gpu", path.display())
    })
}

/// The capture that `path` means: itself, or the one in that folder.
pub fn capture_path(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.into());
    }
    let inside = path.join(CAPTURE_FILE_NAME);
    if inside.is_file() {
        return Ok(inside);
    }
    let mut folders: Vec<_> = std::fs::read_dir(path)
        .with_context(|| format!("cannot read the folder {}", path.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|folder| folder.join(CAPTURE_FILE_NAME).is_file())
        .map(|folder| folder.display().to_string())
        .collect();
    folders.sort();
    match folders.is_empty() {
        true => bail!("{} holds no {CAPTURE_FILE_NAME}: run `tilelens run -- <program>` first", path.display()),
        false => {
            bail!("{} holds the captures of several devices; name one of\n  {}", path.display(), folders.join("\n  "))
        }
    }
}
