//! vkcube, an unmodified program that presents: its frames are all accounted for, and its pixels are its own.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tbdr_model::report::Report;
use tilelens_tests::real::layers::GFXRECONSTRUCT;
use tilelens_tests::real::{self, Display, Layers, Missing};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{artefacts, need, process};

const LIMIT: Duration = Duration::from_secs(120);

/// A command that runs `vkcube --c 60` on lavapipe.
fn cube(display: &Display) -> Result<Command, Missing> {
    let mut command = real::on_lavapipe(&real::program("vkcube", "vulkan-tools")?)?;
    command.args(["--c", "60"]).env("DISPLAY", &display.name);
    Ok(command)
}

/// Asserts that a report accounts for 60 presented frames, most of them one steady state.
#[track_caller]
fn assert_sixty_frames(report: &Report) {
    assert_eq!(report.frame_count, 60);
    assert!(report.gaps.is_empty(), "{:?}", report.gaps);
    assert!(report.complete);
    assert_eq!(report.frames.iter().map(|f| f.count).sum::<u64>(), 60);
    assert!(report.frames.len() <= 3, "{} distinct frames", report.frames.len());
    let steady = report.frames.iter().max_by_key(|f| f.count).unwrap();
    assert!(steady.count >= 57, "{:?}", steady.indices);
    assert_eq!(steady.boundary, "present");
    assert_eq!(steady.passes.len(), 1);
    assert_eq!(steady.passes[0].draws, 1);
    // Colour is stored, depth is cleared and dropped.
    let area = steady.passes[0].extent.pixels();
    for (gpu, bytes) in &steady.gpus {
        assert_eq!(bytes.read_bytes.0, 0, "{gpu}");
        assert_eq!(bytes.write_bytes.0, area * 4, "{gpu}");
    }
}

#[test]
fn sixty_frames_of_vkcube_are_a_steady_state_and_the_capture_says_the_same() {
    let display = need!(Display::start());
    let mut command = need!(cube(&display));
    let folder = Folder::new();
    real::settings::apply(&mut command, &folder, &[("sync", "1")]);
    Layers::new(&folder.0).ours().enable(&mut command);
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    assert_sixty_frames(&folder.report());

    let captures = folder.files("capture.jsonl");
    assert_eq!(captures.len(), 1);
    let mut analyze = Command::new(artefacts::cli());
    process::clean(&mut analyze);
    analyze.arg("analyze").arg(&captures[0]).args(["--format", "json"]);
    let analyzed = analyze.output().unwrap();
    assert!(analyzed.status.success(), "{}", String::from_utf8_lossy(&analyzed.stderr));
    let report = fs::read(&folder.files("report.json")[0]).unwrap();
    assert!(analyzed.stdout == report, "the report from the capture is not the layer's, byte for byte");
    // One structure line stands for the steady state; what is kept per frame is small.
    let size = fs::metadata(&captures[0]).unwrap().len();
    assert!(size < 60_000, "{size} bytes for 60 frames");
}

#[test]
fn vkcube_runs_on_in_the_background_mode_with_nothing_dropped() {
    let display = need!(Display::start());
    let mut command = need!(cube(&display));
    let folder = Folder::new();
    real::settings::apply(&mut command, &folder, &[]);
    Layers::new(&folder.0).ours().enable(&mut command);
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    assert_sixty_frames(&folder.report());
}

#[test]
fn vkcube_has_its_sixty_frames_above_and_below_a_capturing_layer() {
    let display = need!(Display::start());
    for above in [true, false] {
        let mut command = need!(cube(&display));
        let folder = Folder::new();
        real::settings::apply(&mut command, &folder, &[("sync", "1")]);
        let layers = Layers::new(&folder.0);
        let layers = if above { layers.ours() } else { layers };
        let layers = need!(layers.installed(GFXRECONSTRUCT, "gfxreconstruct"));
        let layers = if above { layers } else { layers.ours() };
        layers.enable(&mut command);
        command.env("GFXRECON_PAGE_GUARD_ALIGN_BUFFER_SIZES", "true").env("VK_LOADER_DEBUG", "layer");
        command.env("GFXRECON_CAPTURE_FILE", folder.0.join("cube.gfxr"));
        let outcome = process::run(command, &folder.0, LIMIT);
        assert!(outcome.status.success(), "{}", outcome.text());
        layers.assert_order(&outcome.stderr);
        assert_sixty_frames(&folder.report());
    }
}

/// Replays a gfxreconstruct capture and returns the screenshots of frames 1, 30 and 60.
fn replay(capture: &Path, display: &Display, folder: &Folder, layer: bool) -> Result<Vec<PathBuf>, Missing> {
    let shots = folder.0.join("shots");
    fs::create_dir_all(&shots).unwrap();
    let mut command = real::on_lavapipe(&real::program("gfxrecon-replay", "gfxreconstruct")?)?;
    command.args(["--screenshots", "1,30,60", "--screenshot-dir"]).arg(&shots).arg(capture);
    command.env("DISPLAY", &display.name);
    real::settings::apply(&mut command, folder, &[("sync", "1")]);
    if layer {
        Layers::new(&folder.0).ours().enable(&mut command);
    }
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    let mut files: Vec<PathBuf> = fs::read_dir(shots).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    Ok(files)
}

#[test]
fn a_replay_of_vkcube_has_the_same_pixels_and_frames_with_and_without_the_layer() {
    let display = need!(Display::start());
    let mut command = need!(cube(&display));
    let recording = Folder::new();
    let capture = recording.0.join("cube.gfxr");
    // Without the alignment this version corrupts programs that map memory.
    command.env("GFXRECON_PAGE_GUARD_ALIGN_BUFFER_SIZES", "true").env("GFXRECON_CAPTURE_FILE", &capture);
    command.env("GFXRECON_CAPTURE_FILE_TIMESTAMP", "false");
    need!(Layers::new(&recording.0).installed(GFXRECONSTRUCT, "gfxreconstruct")).enable(&mut command);
    let outcome = process::run(command, &recording.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());

    let (without, with) = (Folder::new(), Folder::new());
    let expected = need!(replay(&capture, &display, &without, false));
    let pictures = need!(replay(&capture, &display, &with, true));
    assert_eq!(expected.len(), 3, "{expected:?}");
    assert_eq!(pictures.len(), 3, "{pictures:?}");
    let mut distinct = Vec::new();
    for (expected, picture) in expected.iter().zip(&pictures) {
        assert_eq!(expected.file_name(), picture.file_name());
        let bytes = fs::read(expected).unwrap();
        assert!(bytes == fs::read(picture).unwrap(), "{}", picture.display());
        distinct.push(bytes);
    }
    // The cube turns: equal pictures would mean that nothing was drawn.
    assert!(distinct[0] != distinct[1]);
    // Screenshots add copies to three frames, so only the count and the passes are vkcube's own.
    let report = with.report();
    assert_eq!(report.frame_count, 60);
    assert!(report.frames.iter().all(|f| f.boundary != "present" || !f.passes.is_empty()));
}
