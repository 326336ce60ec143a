//! Programs that know nothing of the layer: they run on as they do without it, and the passes in the report are the ones that they make.
//!
//! What each program does was checked by hand once against what it asks of Vulkan (gfxreconstruct's record of it, or its source), and is
//! kept as a snapshot of its most frequent frame. Slow, and in need of programs that a build does not need: `./test --full` runs them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tbdr_model::report::{Frame, Report};
use tilelens_tests::real::layers::GFXRECONSTRUCT;
use tilelens_tests::real::{self, Display, Layers, Missing, sample};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{need, process};

const LIMIT: Duration = Duration::from_secs(240);
const GPU: &str = "mali-g76";

/// Whether the slow tests are to run.
fn full() -> bool {
    std::env::var_os("TILELENS_FULL").is_some()
}

/// A frame, as its passes and transfers with what they move, and what was found.
fn told(report: &Report) -> String {
    let frame = steady(report);
    let mut text = String::new();
    for (number, pass) in frame.passes.iter().enumerate() {
        let _ =
            writeln!(text, "{} {}x{} draws {:?}", pass.label, pass.extent.width, pass.extent.height, pass.draws_range);
        let of_pass = frame.gpus[GPU].passes.iter().filter(|p| p.source_passes.contains(&(number as u32)));
        for entry in of_pass.flat_map(|p| &p.entries) {
            let (cause, bytes) = (&entry.cause, entry.bytes.0);
            let _ = writeln!(text, "    {cause} {} of {}: {bytes}", entry.aspect, entry.image);
        }
    }
    for entry in &frame.gpus[GPU].transfers {
        let (direction, bytes) = (entry.direction, entry.bytes.0);
        let _ = writeln!(text, "{} {direction:?} {} of {}: {bytes}", entry.cause, entry.aspect, entry.resource);
    }
    for finding in &report.findings {
        let _ = writeln!(text, "{} {}", finding.code, finding.fix);
    }
    text
}

/// The most frequent frame.
fn steady(report: &Report) -> &Frame {
    report.frames.iter().max_by_key(|f| f.count).unwrap()
}

/// Runs a program as it is and under the layer: it ends alike, and prints what `pixels` takes from its output alike.
fn compare(command: impl Fn() -> Result<Command, Missing>, pixels: impl Fn(&str) -> String) -> Result<Report, Missing> {
    let alone = Folder::new();
    let without = process::run(command()?, &alone.0, LIMIT);
    let folder = Folder::new();
    let mut with = command()?;
    real::settings::apply(&mut with, &folder, &[("sync", "1"), ("gpu", GPU)]);
    Layers::new(&folder.0).ours().enable(&mut with);
    let with = process::run(with, &folder.0, LIMIT);
    assert!(without.status.success(), "without the layer: {}", without.text());
    assert_eq!(with.status.code(), without.status.code(), "{}", with.text());
    assert_eq!(pixels(&with.stdout), pixels(&without.stdout));
    let report = folder.report();
    assert!(report.complete && report.gaps.is_empty(), "{:?}", report.gaps);
    Ok(report)
}

fn gl_on_zink(display: &Display, program: &str, package: &str, arguments: &[&str]) -> Result<Command, Missing> {
    let mut command = real::on_lavapipe(&real::program(program, package)?)?;
    command.args(arguments).env("DISPLAY", &display.name);
    command.env("LIBGL_ALWAYS_SOFTWARE", "1").env("MESA_LOADER_DRIVER_OVERRIDE", "zink");
    // Zink is the distribution's own Mesa, whatever driver is below it.
    command.env_remove("LD_LIBRARY_PATH");
    Ok(command)
}

#[test]
fn gl_with_shadow_mapping_on_zink_is_seen_pass_by_pass() {
    if !full() {
        return;
    }
    let display = need!(Display::start());
    // The score is a matter of the day.
    let command = || gl_on_zink(&display, "glmark2", "glmark2-x11", &["-b", "shadow:nframes=30", "-s", "300x200"]);
    let report = need!(compare(command, |_| String::new()));
    assert_eq!(report.frame_count, 30);
    insta::assert_snapshot!("glmark2-shadow", told(&report));
}

#[test]
fn a_desktop_with_blurred_windows_on_zink_is_seen_pass_by_pass() {
    if !full() {
        return;
    }
    let display = need!(Display::start());
    let options = "desktop:blur-radius=5:effect=blur:passes=1:separable=true:windows=2:nframes=10";
    let command = || gl_on_zink(&display, "glmark2", "glmark2-x11", &["-b", options, "-s", "300x200"]);
    let report = need!(compare(command, |_| String::new()));
    insta::assert_snapshot!("glmark2-desktop", told(&report));
}

#[test]
fn wgpu_draws_the_same_pixels_and_its_passes_are_seen() {
    if !full() {
        return;
    }
    let command = || {
        let python = std::env::var_os("TILELENS_WGPU_PYTHON");
        let python = python.ok_or_else(|| Missing::new("a Python with wgpu (TILELENS_WGPU_PYTHON) is not there"))?;
        let mut command = real::on_lavapipe(Path::new(&python))?;
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/wgpu_msaa.py"));
        command.env("WGPU_BACKEND_TYPE", "Vulkan").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        Ok(command)
    };
    let report = need!(compare(command, |hash| hash.trim().to_owned()));
    insta::assert_snapshot!("wgpu-msaa", told(&report));
}

/// A program recorded by gfxreconstruct, then replayed.
fn replayed(name: &str, options: &[&str]) -> Result<Report, Missing> {
    let recording = Folder::new();
    let capture = recording.0.join("program.gfxr");
    let mut command = sample::command(name, options)?;
    command.env("GFXRECON_PAGE_GUARD_ALIGN_BUFFER_SIZES", "true").env("GFXRECON_CAPTURE_FILE", &capture);
    command.env("GFXRECON_CAPTURE_FILE_TIMESTAMP", "false");
    Layers::new(&recording.0).installed(GFXRECONSTRUCT, "gfxreconstruct")?.enable(&mut command);
    let outcome = process::run(command, &recording.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    let folder = Folder::new();
    let mut command = real::on_lavapipe(&real::program("gfxrecon-replay", "gfxreconstruct")?)?;
    command.arg(&capture);
    real::settings::apply(&mut command, &folder, &[("sync", "1"), ("gpu", GPU), ("frame_submits", "1")]);
    Layers::new(&folder.0).ours().enable(&mut command);
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    Ok(folder.report())
}

#[test]
fn a_replay_costs_what_the_program_costs() {
    if !full() {
        return;
    }
    for (name, options) in [
        ("subpasses", &["--frames", "2"][..]),
        ("render_passes", &["--frames", "2", "--secondary"]),
        ("render_passes", &["--frames", "2", "--dynamic"]),
        ("msaa", &["--frames", "2", "--variant", "worst"]),
    ] {
        let report = need!(replayed(name, options));
        let folder = Folder::new();
        let settings = [("sync", "1"), ("gpu", GPU), ("frame_submits", "1")];
        let outcome = sample::run(need!(sample::layered(name, options, &folder, &settings)), &folder);
        assert!(outcome.status.success(), "{}", outcome.text());
        assert_eq!(told(&report), told(&folder.report()), "{name} {options:?}");
    }
}
