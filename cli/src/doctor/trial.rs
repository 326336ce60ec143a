//! Starts a [`probe`](super::probe) and reads what it tells, however it ends.

use super::probe::Step;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A driver that takes longer to start is broken.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a probe told.
#[derive(Debug)]
pub struct Told {
    /// Its steps.
    pub steps: Vec<Step>,
    /// Why it did not get to its end, in words.
    pub died: Option<String>,
    /// Whether our layer wrote to the run log.
    pub layer_loaded: bool,
}

/// Tries the Vulkan loader with `variables` set. Files go to `folder`.
pub fn instance(folder: &Path, variables: &[(String, OsString)]) -> Result<Told> {
    let run_log = folder.join("probe-run.jsonl");
    let _ = std::fs::remove_file(&run_log);
    let set = |key: &str, value: &Path| {
        let [name, _] = tilelens_manifest::environment_names(key);
        (name, value.as_os_str().to_owned())
    };
    let mut all = variables.to_vec();
    all.extend([set("run_log", &run_log), set("output_dir", &folder.join("probe-out"))]);
    let mut told = run(folder, &[], &all)?;
    told.layer_loaded = run_log.metadata().is_ok_and(|log| log.len() > 0);
    Ok(told)
}

/// Tries to load a library.
pub fn library(folder: &Path, library: &Path) -> Result<Told> {
    run(folder, &[library.as_os_str().to_owned()], &[])
}

fn run(folder: &Path, arguments: &[OsString], variables: &[(String, OsString)]) -> Result<Told> {
    let own = std::env::current_exe().context("cannot find out where this command lies")?;
    let output = folder.join("probe-stdout");
    let file = File::create(&output).with_context(|| format!("cannot write {}", output.display()))?;
    let mut command = Command::new(own);
    command.arg(super::PROBE).args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
    // What the loader complains about on the standard error stream, the checks say better.
    command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
    let mut child = command.spawn().context("cannot start this command again")?;
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    // Drivers and layers may write to the same stream.
    let text = String::from_utf8_lossy(&std::fs::read(&output).unwrap_or_default()).into_owned();
    let steps: Vec<Step> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let died = match status {
        None => Some(format!("did not end within {} seconds", PATIENCE.as_secs())),
        Some(_) if steps.contains(&Step::Done) => None,
        Some(status) => Some(words(status)),
    };
    Ok(Told { steps, died, layer_loaded: false })
}

fn words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("crashed (signal {signal})");
    }
    format!("ended early ({status})")
}
