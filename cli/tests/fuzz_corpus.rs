//! Every file that the fuzzers keep goes through the function that they fuzz.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is what is looked for")]

#[path = "../../fuzz/src/capture_reader.rs"]
mod capture_reader;
#[path = "../../fuzz/src/config.rs"]
mod config;
#[path = "../../fuzz/src/settings.rs"]
mod settings;
#[path = "../../fuzz/src/shaders.rs"]
mod shaders;

use std::fs;
use std::path::Path;

/// Runs each file of a corpus, which must hold at least `least`.
fn run(target: &str, least: usize, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= least, "{} files", files.len());
    for file in files {
        let bytes = fs::read(&file).unwrap();
        let ran = std::panic::catch_unwind(|| run(&bytes));
        assert!(ran.is_ok(), "{}: see the message above", file.display());
    }
}

#[test]
fn no_file_taken_for_a_capture_makes_anything_panic() {
    run("capture_reader", 30, capture_reader::run);
}

#[test]
fn no_text_taken_for_a_configuration_makes_anything_panic() {
    run("config", 30, config::run);
}

#[test]
fn no_bytes_taken_for_a_shader_make_anything_panic() {
    run("shaders", 20, shaders::run);
}

#[test]
fn no_text_taken_for_settings_makes_anything_panic() {
    run("settings", 30, settings::run);
}
