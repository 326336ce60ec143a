//! The sample programs of this workspace on lavapipe.

use super::{Layers, Missing, on_lavapipe, settings};
use crate::artefacts;
use crate::process::{self, Outcome};
use crate::sandbox::Folder;
use std::process::Command;
use std::time::Duration;
use tbdr_model::report::{Frame, GpuFrame, Report};

/// A sample with arguments, to be run on lavapipe without any layer.
pub fn command(name: &str, arguments: &[&str]) -> Result<Command, Missing> {
    let mut command = on_lavapipe(&artefacts::sample(name))?;
    command.args(arguments);
    Ok(command)
}

/// A sample with arguments, to be run under our layer with settings.
pub fn layered(name: &str, arguments: &[&str], folder: &Folder, keys: &[(&str, &str)]) -> Result<Command, Missing> {
    let mut command = command(name, arguments)?;
    settings::apply(&mut command, folder, keys);
    Layers::new(&folder.0).ours().enable(&mut command);
    Ok(command)
}

/// Runs a program for a minute at most.
pub fn run(command: Command, folder: &Folder) -> Outcome {
    process::run(command, &folder.0, Duration::from_secs(60))
}

/// Runs `render_passes` under the layer, for every GPU, and returns its report.
pub fn render_passes(arguments: &[&str]) -> Result<Report, Missing> {
    let folder = Folder::new();
    let command = layered("render_passes", arguments, &folder, &[("gpu", "all"), ("sync", "1")])?;
    let outcome = run(command, &folder);
    assert!(outcome.status.success(), "{arguments:?}: {}", outcome.text());
    Ok(folder.report())
}

/// The last frame of a report that has passes; the first may stand for contents that nobody has written before.
#[track_caller]
pub fn last_frame(report: &Report) -> &Frame {
    let last = |frame: &&Frame| frame.indices.iter().map(|[_, last, _]| *last).max();
    report.frames.iter().filter(|f| !f.passes.is_empty()).max_by_key(last).unwrap()
}

/// Bytes that the render pass of a frame reads and writes: the copies around it are not part of it.
pub fn pass_bytes(frame: &GpuFrame) -> (u64, u64) {
    (frame.passes.iter().map(|p| p.read_bytes.0).sum(), frame.passes.iter().map(|p| p.write_bytes.0).sum())
}
