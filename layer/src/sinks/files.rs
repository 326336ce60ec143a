//! The output folder of one device: capture.jsonl, appended per frame, and report.json, rewritten as a whole.
//!
//! The folder is made with the first record, so that a program that never submits leaves nothing behind. The first failure is logged with
//! its remedy and ends the writing; the program and the log go on.

use crate::sinks::log;
use std::path::{Path, PathBuf};
use tbdr_model::record::Record;
use tbdr_model::session::Session;
use tilelens_capture::{Writer, write_atomic};
use tilelens_manifest::Settings;

/// The files of one device.
pub struct Files {
    root: PathBuf,
    program: String,
    capture: bool,
    report: bool,
    state: State,
}

enum State {
    Unopened,
    Open { folder: PathBuf, writer: Option<Writer> },
    Failed,
}

impl Files {
    /// Nothing is created yet.
    pub fn new(settings: &Settings, program: &str) -> Self {
        Self {
            root: settings.output_dir.clone(),
            program: file_name(program),
            capture: settings.capture,
            report: settings.report,
            state: if settings.capture || settings.report { State::Unopened } else { State::Failed },
        }
    }

    /// Appends a record to the capture.
    pub fn append(&mut self, record: &Record) {
        self.open();
        let State::Open { folder, writer: Some(writer) } = &mut self.state else { return };
        if let Err(error) = writer.append(record) {
            log::error(&format!(
                "cannot write {}: {error}; the capture ends here. Free space or set output_dir to another folder",
                folder.join("capture.jsonl").display()
            ));
            self.state = State::Failed;
        }
    }

    /// Rewrites report.json.
    pub fn report(&mut self, session: &Session) {
        if !self.report {
            return;
        }
        self.open();
        let State::Open { folder, .. } = &self.state else { return };
        let path = folder.join("report.json");
        if let Err(error) = write_atomic(&path, session.report().to_json().as_bytes()) {
            log::error(&format!(
                "cannot write {}: {error}. Free space or set output_dir to another folder",
                path.display()
            ));
            self.state = State::Failed;
        }
    }

    fn open(&mut self) {
        if !matches!(self.state, State::Unopened) {
            return;
        }
        let opened = make_folder(&self.root, &self.program).and_then(|folder| {
            let writer = self.capture.then(|| Writer::create(&folder.join("capture.jsonl"))).transpose()?;
            Ok(State::Open { folder, writer })
        });
        self.state = opened.unwrap_or_else(|error| {
            log::error(&format!(
                "output_dir: cannot create a folder in {}: {error}. Nothing is written; set {} to a folder that can be written",
                self.root.display(),
                tilelens_manifest::environment_names("output_dir")[0]
            ));
            State::Failed
        });
    }
}

/// Makes `<root>/<program>-<pid>-<n>` with the first free n.
fn make_folder(root: &Path, program: &str) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(root)?;
    let pid = std::process::id();
    for n in 0..10_000 {
        let folder = root.join(format!("{program}-{pid}-{n}"));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("ten thousand folders of this process are there already"))
}

/// A program's name as a file name: whatever is not plain becomes an underscore.
fn file_name(program: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = program.chars().take(64).map(plain).collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "program".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_cannot_leave_the_folder() {
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name(""), "program");
        assert_eq!(file_name("a b\n\u{1b}[31m"), "a_b___31m");
    }
}
