//! The output folder of one device: capture.jsonl, appended per frame, and report.json, rewritten as a whole.
//!
//! The folder is made with the first record, so that a program that never submits leaves nothing behind. It is new, private, and held
//! open: no link that somebody plants is followed. The first failure is logged with its remedy and ends the writing; the program
//! and the log go on. A capture that reached its limit is told to the caller, so that the session sees what the file holds.

use crate::sinks::log;
use std::path::{Path, PathBuf};
use tbdr_model::record::Record;
use tbdr_model::report::Report;
use tilelens_capture::{Access, Appended, CAPTURE_FILE_NAME, Folder, REPORT_FILE_NAME, Writer, create_folders};
use tilelens_manifest::{Settings, environment_names};

/// The files of one device.
pub struct Files {
    root: PathBuf,
    program: String,
    capture: bool,
    report: bool,
    /// Most bytes of a capture; 0 is any number.
    limit: u64,
    state: State,
}

enum State {
    Unopened,
    Open { folder: Folder, writer: Option<Writer> },
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
            limit: settings.capture_max_bytes.into(),
            state: if settings.capture || settings.report { State::Unopened } else { State::Failed },
        }
    }

    /// Appends a record to the capture. [`Appended::Full`] says that it is not there because the capture would be larger than it may
    /// be; only [`Files::append_last`] makes sense after that. Where no capture is written, every record counts as kept.
    pub fn append(&mut self, record: &Record) -> Appended {
        self.open();
        let State::Open { folder, writer: open @ Some(_) } = &mut self.state else { return Appended::Whole };
        let Some(writer) = open else { return Appended::Whole };
        match writer.append(record) {
            // Not even what every reader needs first: without it the file is no capture.
            Ok(Appended::Full) if matches!(record, Record::Run(_)) => {
                say_too_small(self.limit);
                *open = None;
                let _ = folder.remove(CAPTURE_FILE_NAME.as_ref());
                Appended::Whole
            }
            Ok(appended) => appended,
            Err(error) => {
                self.fail(CAPTURE_FILE_NAME, "; the capture ends here", &error);
                Appended::Whole
            }
        }
    }

    /// Appends one of the records that end a full capture.
    pub fn append_last(&mut self, record: &Record) {
        let State::Open { writer: Some(writer), .. } = &mut self.state else { return };
        if let Err(error) = writer.append_last(record) {
            self.fail(CAPTURE_FILE_NAME, "; the capture ends here", &error);
        }
    }

    /// Rewrites report.json.
    pub fn report(&mut self, report: impl FnOnce() -> Report) {
        if !self.report {
            return;
        }
        self.open();
        let State::Open { folder, .. } = &self.state else { return };
        let json = report().to_json();
        if let Err(error) = folder.write_atomic(REPORT_FILE_NAME.as_ref(), json.as_bytes(), Access::Private) {
            self.fail(REPORT_FILE_NAME, "", &error);
        }
    }

    fn fail(&mut self, name: &str, so: &str, error: &std::io::Error) {
        if let State::Open { folder, .. } = &self.state {
            log::error(&format!(
                "cannot write {}: {error}{so}. Free space or set output_dir to another folder",
                folder.path().join(name).display()
            ));
        }
        self.state = State::Failed;
    }

    fn open(&mut self) {
        if !matches!(self.state, State::Unopened) {
            return;
        }
        let opened = make_folder(&self.root, &self.program).and_then(|folder| {
            let writer = match self.capture.then(|| Writer::create_in(&folder, self.limit)).transpose() {
                Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                    say_too_small(self.limit);
                    None
                }
                made => made?,
            };
            let names = [(writer.is_some(), CAPTURE_FILE_NAME), (self.report, REPORT_FILE_NAME)];
            let names: Vec<_> = names.iter().filter(|(wanted, _)| *wanted).map(|(_, name)| *name).collect();
            // The program may go to another folder meanwhile.
            let path = std::path::absolute(folder.path()).unwrap_or_else(|_| folder.path().into());
            log::info(&format!("{} in {}", names.join(" and "), path.display()));
            Ok(State::Open { folder, writer })
        });
        self.state = opened.unwrap_or_else(|error| {
            log::error(&format!(
                "output_dir: cannot create a folder in {}: {error}. Nothing is written; set {} to a folder that can be written",
                self.root.display(),
                environment_names("output_dir")[0]
            ));
            State::Failed
        });
    }
}

fn say_too_small(limit: u64) {
    log::error(&format!(
        "capture_max_bytes: {limit} bytes are too few to describe the run: no capture is written. Set {} to more, or to 0",
        environment_names("capture_max_bytes")[0]
    ));
}

/// Makes `<root>/<program>-<pid>-<n>` with the first free n: what is there already, a link above all, is left alone.
fn make_folder(root: &Path, program: &str) -> std::io::Result<Folder> {
    create_folders(root)?;
    let pid = std::process::id();
    for n in 0..10_000 {
        match Folder::create(&root.join(format!("{program}-{pid}-{n}"))) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => return made,
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
