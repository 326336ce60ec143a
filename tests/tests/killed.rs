//! Programs are killed, not closed: what lies on the disk is good at any moment.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::time::Duration;
use tbdr_model::record::Record;
use tilelens_tests::real::sample;
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{need, process};

const TRIES: u64 = 50;

#[test]
fn a_program_killed_at_any_moment_leaves_a_readable_capture_and_a_whole_report() {
    let arguments = ["--size", "64x64", "--frames", "100000"];
    let mut with_frames = 0;
    let mut with_report = 0;
    // A fixed sequence of moments from the loading of the driver to the steady state.
    let mut moment = 12345u64;
    for attempt in 0..TRIES {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let delay = Duration::from_micros((moment >> 33) % 600_000);
        let folder = Folder::new();
        let keys = [("frame_submits", "1")];
        let mut command = need!(sample::layered("render_passes", &arguments, &folder, &keys));
        let mut child = process::start(&mut command, &folder.0);
        let ended = process::wait(&mut child, delay);
        assert!(ended.is_none(), "the program ended by itself: {}", folder.log());
        child.kill().unwrap();
        child.wait().unwrap();

        for path in folder.files("capture.jsonl") {
            let capture = tilelens_capture::read(&path).unwrap_or_else(|e| panic!("try {attempt}, {delay:?}: {e}"));
            let frames = capture.records.iter().filter(|r| matches!(r, Record::Frame(_))).count();
            with_frames += usize::from(frames > 0);
            assert!(!capture.records.contains(&Record::End), "the run did not end in order");
        }
        // `reports` fails on a report that is not whole.
        for report in folder.reports() {
            assert!(!report.complete, "the run did not end in order");
            with_report += 1;
        }
    }
    // Killing only before anything was written would prove nothing.
    assert!(with_frames >= TRIES as usize / 5, "{with_frames} of {TRIES} captures had frames");
    assert!(with_report >= TRIES as usize / 5, "{with_report} of {TRIES} runs left a report");
}
