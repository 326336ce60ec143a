//! Runs a program with a time limit and keeps what it wrote.

use crate::artefacts;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Debug)]
pub struct Outcome {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Outcome {
    /// How it ended and the end of both outputs, for a failure's message.
    pub fn text(&self) -> String {
        let tail = |text: &str| {
            text.lines().rev().take(30).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
        };
        format!("{}\n{}\n{}", self.status, tail(&self.stdout), tail(&self.stderr))
    }
}

/// Removes what would make a test depend on who runs it: every variable of Vulkan's loader and layers.
pub fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["VK_", "ENABLE_TILELENS", "DISABLE_TILELENS", "GFXRECON_"].iter().any(|p| text.starts_with(p)) {
            command.env_remove(&name);
        }
    }
    command.env("RUST_BACKTRACE", "0");
    artefacts::tell(command);
}

/// Runs a program to its end, or kills it after `limit` and fails the test.
pub fn run(mut command: Command, folder: &Path, limit: Duration) -> Outcome {
    let mut child = start(&mut command, folder);
    let status = wait(&mut child, limit).unwrap_or_else(|| {
        let _ = child.kill();
        let _ = child.wait();
        panic!("{command:?} still ran after {limit:?}: {}", outputs(folder).concat());
    });
    let [stdout, stderr] = outputs(folder);
    Outcome { status, stdout, stderr }
}

/// Starts a program whose outputs go to files in `folder`.
pub fn start(command: &mut Command, folder: &Path) -> Child {
    command.stdin(Stdio::null());
    command.stdout(File::create(folder.join("stdout")).unwrap());
    command.stderr(File::create(folder.join("stderr")).unwrap());
    command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// Waits for the end of a program for at most `limit`.
pub fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn outputs(folder: &Path) -> [String; 2] {
    ["stdout", "stderr"]
        .map(|name| String::from_utf8_lossy(&fs::read(folder.join(name)).unwrap_or_default()).into_owned())
}
