//! Any bytes, taken for a capture: read, modelled for one GPU of each family, and shown as text and as JSON.
//!
//! Nothing may panic; a message or a summary may not carry what a terminal obeys; report.json must read back as what it was
//! written from. Called by libFuzzer and, for every file of the corpus, by an ordinary test.

use std::sync::OnceLock;
use tbdr_model::gpu::{Profile, select};
use tbdr_model::report::{Direction, Report};
use tbdr_model::session::Session;
use tilelens_capture::Reader;
use tilelens_report::text::{TextOptions, render};

/// Runs the target.
pub fn run(bytes: &[u8]) {
    static PROFILES: OnceLock<Vec<Profile>> = OnceLock::new();
    let profiles = PROFILES.get_or_init(|| select(&["mali-g76", "adreno-650", "apple-m1"]).expect("GPUs of the table"));
    let mut reader = match Reader::new(bytes, "fuzz/capture.jsonl".as_ref()) {
        Ok(reader) => reader,
        Err(error) => return harmless(&error.to_string()),
    };
    let mut session = Session::new(profiles.clone());
    for record in reader.by_ref() {
        match record {
            Ok(record) => session.record(&record),
            Err(error) => harmless(&error.to_string()),
        }
    }
    if let Some(cut) = reader.cut() {
        harmless(&cut.reason);
    }
    let report = session.report();
    sums(&report);
    let json = report.to_json();
    let again: Report = serde_json::from_str(&json).expect("report.json is read by its own types");
    assert!(again == report, "report.json does not read back as what it was written from");
    for width in [0, 40, 100] {
        harmless(&render(&report, &TextOptions { width, ..TextOptions::default() }));
    }
}

/// Asserts that every sum is the sum of its entries.
fn sums(report: &Report) {
    for gpu in report.frames.iter().flat_map(|frame| frame.gpus.values()) {
        for (direction, sum) in [(Direction::Read, gpu.read_bytes), (Direction::Write, gpu.write_bytes)] {
            let passes = gpu.passes.iter().flat_map(|pass| &pass.entries).filter(|e| e.direction == direction);
            let transfers = gpu.transfers.iter().filter(|e| e.direction == direction);
            let undecided = tbdr_model::report::Basis::Undecided;
            let total = passes
                .filter(|e| e.basis != undecided)
                .map(|e| e.bytes)
                .chain(transfers.filter(|e| e.basis != undecided).map(|e| e.bytes))
                .fold(0u64, |sum, bytes| sum.saturating_add(bytes.0));
            assert_eq!(sum.0, total, "a sum is not that of its entries");
        }
    }
}

/// Asserts that a terminal would only show this text.
fn harmless(text: &str) {
    let obeyed = text.chars().find(|&c| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c));
    assert!(obeyed.is_none(), "{obeyed:?} in {text:?}");
}
