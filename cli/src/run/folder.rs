//! The output folder: what the layer left in it becomes what the command promises to leave.
//!
//! The layer makes one folder `<program>-<pid>-<n>` per device. One such folder: its files move up. Several: they stay and
//! index.json lists them. Only names that are ours are ever replaced or removed.

use super::log::RunLog;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use tilelens_capture::{Access, CAPTURE_FILE_NAME, REPORT_FILE_NAME, create_folders, write_atomic};

/// Name of the list of folders.
const INDEX_FILE_NAME: &str = "index.json";
/// Files that lie directly in the folder.
const OURS: [&str; 3] = [CAPTURE_FILE_NAME, REPORT_FILE_NAME, INDEX_FILE_NAME];

/// An output folder that can be written to.
pub struct OutputFolder {
    path: PathBuf,
    /// As the user called it, for messages.
    shown: PathBuf,
    /// What was in it before the program ran.
    earlier: BTreeSet<OsString>,
}

/// What the layer left of one device.
#[derive(Debug)]
pub struct Left {
    /// The folder.
    pub path: PathBuf,
    /// Process that ran under the layer.
    pub pid: u32,
}

impl OutputFolder {
    /// Makes the folder if it is missing, and makes sure that the results can be put there.
    pub fn prepare(path: &Path) -> Result<Self> {
        let remedy = "choose another folder with --out";
        create_folders(path).with_context(|| format!("cannot make the folder {}; {remedy}", path.display()))?;
        tempfile::tempfile_in(path)
            .with_context(|| format!("cannot write into the folder {}; {remedy}", path.display()))?;
        for name in OURS {
            let file = path.join(name);
            let Ok(found) = file.symlink_metadata() else { continue };
            if found.is_symlink() {
                bail!("{} is a link, which is not followed: remove it, or {remedy}", file.display());
            }
            // Before it is opened: a pipe would be waited for.
            if !found.is_file() {
                bail!("{} is no file: remove it, or {remedy}", file.display());
            }
            if !is_ours(&file) {
                bail!("{} was not written by Tilelens and would be replaced; {remedy}", file.display());
            }
        }
        Ok(Self {
            path: std::path::absolute(path).with_context(|| format!("no such path: {}", path.display()))?,
            shown: path.into(),
            earlier: entries(path)?,
        })
    }

    /// The absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What an earlier run left here: files directly in the folder, and folders of devices.
    pub fn earlier_results(&self) -> Vec<PathBuf> {
        let ours = |name: &OsString| {
            let text = name.to_str().unwrap_or_default();
            OURS.contains(&text) || (process(text).is_some() && is_folder(&self.shown.join(name)))
        };
        self.earlier.iter().filter(|name| ours(name)).map(|name| self.shown.join(name)).collect()
    }

    /// The folders that the layer made in the processes of `log`, by name.
    pub fn collect(&self, log: &RunLog) -> Result<Vec<Left>> {
        let left = entries(&self.path)?.into_iter().filter(|name| !self.earlier.contains(name)).filter_map(|name| {
            let pid = name.to_str().and_then(process)?;
            let path = self.shown.join(&name);
            let whole = [CAPTURE_FILE_NAME, REPORT_FILE_NAME].iter().any(|file| is_file(&path.join(file)));
            (whole && is_folder(&path) && log.processes.contains(&pid)).then_some(Left { path, pid })
        });
        Ok(left.collect())
    }

    /// Puts the results where the command promises them: the only ones directly into the folder, several with an index.
    pub fn publish(&self, mut left: Vec<Left>) -> Result<Published> {
        // What an earlier run left directly in the folder would be taken for this run's.
        for name in OURS {
            let _ = fs::remove_file(self.shown.join(name));
        }
        let [only] = &mut left[..] else {
            return Ok(Published { left, index: Some(self.shown.join(INDEX_FILE_NAME)) });
        };
        for name in [CAPTURE_FILE_NAME, REPORT_FILE_NAME] {
            let (from, to) = (only.path.join(name), self.shown.join(name));
            if is_file(&from) {
                fs::rename(&from, &to)
                    .with_context(|| format!("cannot move {} to {}", from.display(), to.display()))?;
            }
        }
        // What a killed write_atomic may have left. Anything else keeps the folder.
        let _ = fs::remove_file(only.path.join(format!(".{REPORT_FILE_NAME}.partial")));
        let _ = fs::remove_dir(&only.path);
        only.path.clone_from(&self.shown);
        Ok(Published { left, index: None })
    }
}

/// Results in their place.
pub struct Published {
    /// Where each device's files lie.
    pub left: Vec<Left>,
    /// Where the list of several belongs.
    pub index: Option<PathBuf>,
}

/// A row of index.json.
#[derive(Serialize)]
pub struct IndexRow {
    /// Folder, relative to the index.
    pub folder: String,
    /// Program that ran.
    pub program: String,
    /// Its process.
    pub pid: u32,
    /// Frames recorded.
    pub frames: u64,
}

/// index.json.
#[derive(Serialize)]
struct Index {
    schema: &'static str,
    runs: Vec<IndexRow>,
}

/// Writes the list of several results.
pub fn write_index(path: &Path, runs: Vec<IndexRow>) -> Result<()> {
    let text = serde_json::to_string_pretty(&Index { schema: "tilelens.index/1", runs })? + "\n";
    write_atomic(path, text.as_bytes(), Access::Private).with_context(|| format!("cannot write {}", path.display()))
}

/// The process in a folder's name `<program>-<pid>-<n>`.
fn process(name: &str) -> Option<u32> {
    let mut parts = name.rsplitn(3, '-');
    let (number, pid, program) = (parts.next()?, parts.next()?, parts.next()?);
    number.parse::<u32>().ok()?;
    pid.parse().ok().filter(|_| !program.is_empty())
}

fn entries(path: &Path) -> Result<BTreeSet<OsString>> {
    let read = || fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.file_name())).collect::<std::io::Result<_>>();
    read().with_context(|| format!("cannot list the folder {}", path.display()))
}

/// A file itself, not a link to one.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// A folder itself, not a link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Whether a file of that name is one that we wrote: all of ours name themselves at the start.
fn is_ours(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    let text = String::from_utf8_lossy(&start);
    // A program that was killed at once leaves an empty one.
    read.is_ok() && (start.is_empty() || text.contains("\"tilelens_capture\"") || text.contains("\"tilelens."))
}

/// Opens a file. What somebody put in its place meanwhile is not waited for.
fn open(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.union(rustix::fs::OFlags::NOFOLLOW).bits() as i32,
    );
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::process;

    #[test]
    fn a_program_with_dashes_in_its_name_keeps_its_process() {
        assert_eq!(process("vk-cube-2-4711-0"), Some(4711));
        for other in ["capture.jsonl", "a-b", "x-y-0", "x-1-y", "-5-0", "5-0"] {
            assert_eq!(process(other), None, "{other}");
        }
    }
}
