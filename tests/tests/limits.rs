//! A capture that may not grow without end, and output files that no planted link can lead elsewhere.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;
use tbdr_model::record::GapReason;
use tilelens_tests::artefacts;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::{Scene, attachment};

/// Submits `frames` frames, each of them unlike all others.
fn submit(scene: &Scene, frames: u32) {
    for frame in 0..frames {
        let image = scene.image(vk::Format::R8G8B8A8_UNORM, 64 + frame, 64, 1);
        let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        scene.submit(scene.buffer);
    }
}

/// Runs a program of `frames` frames to its end.
fn distinct_frames(frames: u32) {
    let chain = Chain::new(Options::default());
    let scene = Scene::new(chain.start());
    submit(&scene, frames);
    scene.app.stop();
    chain.driver.assert_neutral();
}

fn sandbox(limit: &str) -> Sandbox {
    Sandbox::new().set("frame_submits", "1").set("sync", "on").set("capture_max_bytes", limit)
}

fn analyzed(capture: &Path) -> String {
    let mut command = Command::new(artefacts::cli());
    let output = command.arg("analyze").arg(capture).args(["--format", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts that the capture is at most `limit` bytes long and says the same as report.json.
fn assert_within(done: &Done, limit: u64) {
    let captures = done.folder.files("capture.jsonl");
    let [capture] = &captures[..] else { panic!("{captures:?}: {}", done.folder.log()) };
    assert!(capture.metadata().unwrap().len() <= limit, "{} bytes", capture.metadata().unwrap().len());
    assert!(analyzed(capture) == fs::read_to_string(capture.with_file_name("report.json")).unwrap());
}

#[test]
fn a_full_capture_stays_below_its_limit_and_says_from_which_frame_on_it_is_silent() {
    let done = sandbox("30000").run(|_| distinct_frames(100));
    assert_within(&done, 30_000);
    let report = done.folder.report();
    let [gap] = report.gaps[..] else { panic!("{:?}", report.gaps) };
    assert_eq!(gap.reason, GapReason::CaptureLimit);
    assert!(report.frame_count > 2, "{}", report.frame_count);
    assert_eq!((gap.first, gap.first + gap.count), (report.frame_count, 100));
    assert!(report.complete);
    let log = done.folder.log();
    assert_eq!(log.matches("capture_max_bytes").count(), 1, "said once: {log}");
    assert!(log.contains(&format!("frame {} and later", gap.first)), "{log}");
}

#[test]
fn whatever_record_is_the_first_too_many_file_and_report_agree() {
    // Frames of every second number, so that gaps, structures and frames take turns.
    for limit in (4_000..9_000).step_by(97).map(|n| n.to_string()) {
        let done = sandbox(&limit).set("frames", "0-0-2").case(&limit).run(|_| distinct_frames(20));
        assert_within(&done, limit.parse().unwrap());
        let report = done.folder.report();
        let missing: u64 = report.gaps.iter().map(|gap| gap.count).sum();
        assert_eq!(report.frame_count + missing, 20, "{:?}", report.gaps);
    }
}

#[test]
fn a_killed_program_leaves_a_full_capture_that_says_so() {
    let done = sandbox("30000").attempt(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        submit(&scene, 100);
        // SAFETY: ends this process only.
        unsafe { libc::raise(libc::SIGKILL) };
    });
    assert_within(&done, 30_000);
    let report = done.folder.report();
    assert!(!report.complete);
    assert_eq!(report.gaps.last().map(|gap| gap.reason), Some(GapReason::CaptureLimit), "{:?}", report.gaps);
}

#[test]
fn a_limit_too_small_for_any_capture_leaves_the_report() {
    // Too small for its first line, and for what describes the run.
    for limit in ["1", "600", "900"] {
        let done = sandbox(limit).case(limit).run(|_| distinct_frames(3));
        assert_eq!(done.folder.files("capture.jsonl").len(), 0, "{limit}");
        assert_eq!(done.folder.report().frame_count, 3, "{limit}");
        let log = done.folder.log();
        assert!(log.contains("VK_TILELENS_TBDR_CAPTURE_MAX_BYTES"), "{limit}: {log}");
    }
}

#[test]
fn a_long_run_of_frames_left_out_takes_one_line() {
    let done = sandbox("0").set("frames", "90..").run(|_| distinct_frames(100));
    let capture = fs::read_to_string(&done.folder.files("capture.jsonl")[0]).unwrap();
    assert_eq!(capture.matches("\"record\":\"gap\"").count(), 1);
    assert_within(&done, u64::MAX);
    assert_eq!(done.folder.report().frame_count, 10);
}

#[test]
fn every_nth_frame_is_a_setting() {
    let done = sandbox("0").set("frames", "0-0-10").run(|_| distinct_frames(31));
    let report = done.folder.report();
    assert_eq!(report.frames.iter().map(|f| f.indices[0][0]).collect::<Vec<_>>(), [0, 10, 20, 30]);
}

#[test]
fn a_folder_planted_as_a_link_is_not_written_into() {
    let done = sandbox("0").run(|inside| {
        let out = inside.folder.output();
        fs::create_dir_all(&out).unwrap();
        fs::create_dir(inside.folder.0.join("elsewhere")).unwrap();
        let program = std::env::current_exe().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        let planted = out.join(format!("{program}-{}-0", std::process::id()));
        symlink("../elsewhere", planted).unwrap();
        distinct_frames(1);
    });
    assert_eq!(fs::read_dir(done.folder.0.join("elsewhere")).unwrap().count(), 0);
    assert_eq!(done.folder.reports().len(), 1, "the next free name is taken: {}", done.folder.log());
}

#[test]
fn files_and_folders_of_a_run_are_their_owners_alone() {
    let done = sandbox("0").run(|_| distinct_frames(1));
    let report = &done.folder.files("report.json")[0];
    let capture = &done.folder.files("capture.jsonl")[0];
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    assert_eq!([mode(report), mode(capture), mode(&done.folder.0.join("log"))], [0o600; 3]);
    assert_eq!([mode(report.parent().unwrap()), mode(&done.folder.output())], [0o700; 2]);
}

#[test]
fn a_log_file_planted_as_a_link_is_not_written_through() {
    let done = sandbox("0").run(|inside| {
        fs::write(inside.folder.0.join("victim"), "untouched").unwrap();
        symlink("victim", inside.folder.0.join("log")).unwrap();
        distinct_frames(1);
    });
    assert_eq!(fs::read_to_string(done.folder.0.join("victim")).unwrap(), "untouched");
    assert!(done.outcome.stderr.contains("log is a link"), "{}", done.outcome.stderr);
}

#[test]
fn what_is_wrong_in_three_passes_of_a_hundred_frames_is_logged_once_for_each_pass() {
    let done = Sandbox::new().set("frame_submits", "1").set("sync", "on").run(|_| {
        let scene = Scene::start(Options::default());
        let sizes = [64, 128, 192];
        let images = sizes.map(|width| scene.image(vk::Format::R8G8B8A8_UNORM, width, 64, 1));
        scene.record(|_, _| {
            for image in &images {
                let ops = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
                let pass = scene.render_pass(&[attachment(image, ops.0, ops.1)]);
                scene.pass(pass, scene.framebuffer(pass, &[image]), image.extent, 1);
            }
        });
        (0..100).for_each(|_| scene.submit(scene.buffer));
        scene.stop();
    });
    let log = done.folder.log();
    let told: Vec<_> = log.lines().filter(|line| line.contains("store-never-read")).collect();
    assert_eq!((done.folder.report().findings.len(), told.len()), (3, 3), "{log}");
    let distinct: std::collections::BTreeSet<_> = told.iter().collect();
    assert_eq!(distinct.len(), 3, "each names its pass: {told:?}");
}
