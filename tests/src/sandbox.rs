//! Runs the body of a test in a process of its own.
//!
//! The layer reads its settings from the environment and keeps state per process, as it must; so each test that loads it
//! starts its own test program again, with this one test selected. A test has one [`Sandbox::run`]; what comes after it
//! sees how the process ended. Several cases of one body are told apart by [`Inside::case`].

use crate::artefacts;
use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tbdr_model::frame::FrameStructure;
use tbdr_model::record::{FrameRecord, Record};
use tbdr_model::report::Report;

const INSIDE: &str = "TILELENS_SANDBOX";
const CASE: &str = "TILELENS_SANDBOX_CASE";
/// What every variable of the layer begins with.
pub const PREFIX: &str = "VK_TILELENS_TBDR_";

/// A process to come, with a folder and settings.
#[derive(Default)]
pub struct Sandbox {
    settings: Vec<(String, String)>,
    case: String,
    test: Option<String>,
    /// How long it may take; two minutes unless set.
    limit: Option<Duration>,
}

/// What the body of a test sees.
pub struct Inside {
    /// Folder of this process alone.
    pub folder: Folder,
    case: String,
}

/// A folder of a test's own. Whoever made it removes it in the end, unless the test failed: then there is something to see.
#[derive(Debug)]
pub struct Folder(pub PathBuf, Owner);

/// Who removes a folder.
#[derive(Debug, PartialEq)]
enum Owner {
    /// This value.
    Us,
    /// The process that started this one.
    Parent,
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.1 == Owner::Us && !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

impl Sandbox {
    /// A process with default settings, whose files and log go to its folder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a setting of the layer by its key.
    #[must_use]
    pub fn set(mut self, key: &str, value: &str) -> Self {
        self.settings.push((format!("{PREFIX}{}", key.to_uppercase()), value.to_owned()));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Lets it take this many seconds.
    #[must_use]
    pub fn within(mut self, seconds: u64) -> Self {
        self.limit = Some(Duration::from_secs(seconds));
        self
    }

    /// Names the case that the body shall run.
    #[must_use]
    pub fn case(mut self, case: &str) -> Self {
        case.clone_into(&mut self.case);
        self
    }

    /// Says which test this is by a closure of the test's own, for helpers whose closures are theirs.
    #[must_use]
    pub fn of<F>(mut self, _: &F) -> Self {
        self.test = Some(test_name::<F>());
        self
    }

    /// Runs `body` in a process of its own and fails the test unless it ends with status 0.
    pub fn run<F: FnOnce(&Inside)>(self, body: F) -> Done {
        let done = self.attempt(body);
        assert!(done.outcome.status.success(), "{}", done.outcome.text());
        done
    }

    /// Runs `body` in a process of its own, however it ends.
    pub fn attempt<F: FnOnce(&Inside)>(self, body: F) -> Done {
        if let Some(folder) = std::env::var_os(INSIDE) {
            let inside =
                Inside { folder: Folder(folder.into(), Owner::Parent), case: std::env::var(CASE).unwrap_or_default() };
            body(&inside);
            std::process::exit(0);
        }
        artefacts::layer();
        let folder = Folder::new();
        let mut command = Command::new(std::env::current_exe().unwrap());
        let test = self.test.unwrap_or_else(test_name::<F>);
        command.args([test.as_str(), "--exact", "--nocapture", "--include-ignored", "--test-threads=1"]);
        process::clean(&mut command);
        folder.tell(&mut command);
        command.env(INSIDE, &folder.0).env(CASE, &self.case).envs(self.settings);
        let outcome = process::run(command, &folder.0, self.limit.unwrap_or(Duration::from_secs(120)));
        Done { outcome, folder }
    }
}

/// The test's name from its closure's: `crate::module::test::{{closure}}`.
fn test_name<F>() -> String {
    let name = std::any::type_name::<F>();
    let name = name.split("::{{closure}}").next().unwrap_or(name);
    name.split_once("::").map_or(name, |(_, rest)| rest).to_owned()
}

impl Inside {
    /// The case given by [`Sandbox::case`].
    pub fn case(&self) -> &str {
        &self.case
    }
}

/// A process that has ended, with what it left.
pub struct Done {
    /// How it ended.
    pub outcome: Outcome,
    /// Its folder.
    pub folder: Folder,
}

impl Done {
    /// The records of the only capture.
    #[track_caller]
    pub fn records(&self) -> Vec<Record> {
        let captures = self.folder.files("capture.jsonl");
        let [capture] = &captures[..] else { panic!("{captures:?}: {}", self.folder.log()) };
        tilelens_capture::read(capture).unwrap().records
    }

    /// Each frame with its structure, in order.
    #[track_caller]
    pub fn frames(&self) -> Vec<(FrameRecord, FrameStructure)> {
        let records = self.records();
        let structure = |wanted: u32| {
            let found = records.iter().find_map(|r| match r {
                Record::Structure { id, frame } if *id == wanted => Some(frame.clone()),
                _ => None,
            });
            found.unwrap()
        };
        let frames = records.iter().filter_map(|r| match r {
            Record::Frame(frame) => Some((frame.clone(), structure(frame.structure))),
            _ => None,
        });
        frames.collect()
    }
}

impl Folder {
    /// A new empty folder among the system's temporary files.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tilelens-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder, Owner::Us)
    }

    /// Tells the layer in a process to come to put its files here.
    pub fn tell(&self, command: &mut Command) {
        command.env(format!("{PREFIX}OUTPUT_DIR"), self.output()).env(format!("{PREFIX}LOG_FILE"), self.0.join("log"));
    }

    /// Where the layer puts captures and reports.
    pub fn output(&self) -> PathBuf {
        self.0.join("out")
    }

    /// What the layer logged.
    pub fn log(&self) -> String {
        fs::read(self.0.join("log")).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default()
    }

    /// Every file of this name below the output folder, in order of path.
    pub fn files(&self, name: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.output(), name, &mut found);
        found.sort();
        found
    }

    /// Every report.
    pub fn reports(&self) -> Vec<Report> {
        self.files("report.json")
            .iter()
            .map(|path| {
                let text = fs::read_to_string(path).unwrap();
                serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
            })
            .collect()
    }

    /// The only report.
    #[track_caller]
    pub fn report(&self) -> Report {
        let mut reports = self.reports();
        assert_eq!(reports.len(), 1, "reports below {}; log: {}", self.output().display(), self.log());
        reports.remove(0)
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

fn collect(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, name, found);
        } else if entry.file_name() == name {
            found.push(path);
        }
    }
}
