//! Bad input: a line names what is wrong and what to do, and the program runs on as if nothing were.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::Command;
use tilelens_tests::real::{Missing, sample};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{artefacts, need, process};

const ARGUMENTS: [&str; 4] = ["--size", "64x64", "--frames", "2"];

/// Runs the sample under the layer and asserts that it notices nothing; returns log and standard error.
fn run(folder: &Folder, keys: &[(&str, &str)], prepare: impl FnOnce(&mut Command)) -> Result<String, Missing> {
    let bare = Folder::new();
    let expected = sample::run(sample::command("render_passes", &ARGUMENTS)?, &bare);
    let mut command = sample::layered("render_passes", &ARGUMENTS, folder, keys)?;
    prepare(&mut command);
    let outcome = sample::run(command, folder);
    assert_eq!(outcome.status.code(), Some(0), "{}", outcome.text());
    assert_eq!(outcome.stdout, expected.stdout, "stdout is the application's");
    Ok(folder.log() + &outcome.stderr)
}

/// The lines of a log that warn or report an error.
fn complaints(log: &str) -> Vec<&str> {
    log.lines().filter(|l| l.contains("warn:") || l.contains("error:")).collect()
}

#[track_caller]
fn assert_names(log: &str, words: &[&str]) {
    let complaints = complaints(log);
    let found = complaints.iter().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(found, "no line names all of {words:?}: {log}");
}

#[test]
fn nothing_is_complained_about_when_all_is_well() {
    let folder = Folder::new();
    let log = need!(run(&folder, &[], |_| {}));
    assert_eq!(complaints(&log), [""; 0], "{log}");
}

#[test]
fn an_unknown_gpu_is_named_and_so_is_what_is_modelled_instead() {
    let folder = Folder::new();
    let log = need!(run(&folder, &[("gpu", "mali-g76,riva-tnt2")], |_| {}));
    assert_names(&log, &["gpu", "riva-tnt2"]);
    assert_eq!(complaints(&log).len(), 1, "said once: {log}");
    let report = folder.report();
    assert!(report.gpus.contains_key("mali-g76"));
    for gpu in report.gpus.keys() {
        assert_names(&log, &[gpu]);
    }
}

#[test]
fn an_output_folder_that_cannot_be_made_is_named() {
    let folder = Folder::new();
    let file = folder.0.join("a-file");
    fs::write(&file, "").unwrap();
    let below = file.join("out");
    let log = need!(run(&folder, &[("output_dir", below.to_str().unwrap())], |_| {}));
    assert_names(&log, &["output_dir", below.to_str().unwrap()]);
    assert!(complaints(&log).len() <= 2, "said once a device, not once a frame: {log}");
}

#[test]
fn a_log_file_that_cannot_be_opened_is_named_on_stderr() {
    let folder = Folder::new();
    let file = folder.0.join("a-file");
    fs::write(&file, "").unwrap();
    let below = file.join("log");
    let log = need!(run(&folder, &[("log_file", below.to_str().unwrap())], |_| {}));
    assert_names(&log, &["log_file", below.to_str().unwrap()]);
    assert_eq!(folder.reports().len(), 1);
}

#[test]
fn a_number_that_is_none_is_named_and_the_default_holds() {
    let folder = Folder::new();
    let log = need!(run(&folder, &[("frame_submits", "many")], |_| {}));
    assert_names(&log, &["frame_submits", "many"]);
    assert_eq!(folder.reports().len(), 1);
}

#[test]
fn a_malformed_settings_file_is_named_with_its_line() {
    for (text, words) in [
        (&b"tilelens_tbdr.gpu mali-g76\n"[..], &["vk_layer_settings.txt", "1"][..]),
        (b"# fine\ntilelens_tbdr.gpus = mali-g76\n", &["vk_layer_settings.txt", "2", "gpus"]),
        (b"\n\ntilelens_tbdr.sync = \xff\xfe\n", &["vk_layer_settings.txt", "3", "sync"]),
        (b"tilelens_tbdr.frames = 9..3", &["vk_layer_settings.txt", "1", "frames"]),
    ] {
        let folder = Folder::new();
        let file = folder.0.join("vk_layer_settings.txt");
        fs::write(&file, text).unwrap();
        let log = need!(run(&folder, &[], |command| {
            command.env("VK_LAYER_SETTINGS_PATH", &file);
        }));
        assert_names(&log, words);
        assert_eq!(folder.reports().len(), 1);
    }
}

#[test]
fn settings_of_other_layers_in_the_shared_file_are_their_own_matter() {
    let folder = Folder::new();
    let file = folder.0.join("vk_layer_settings.txt");
    fs::write(&file, "khronos_validation.report_flags = error\nsome line of another layer\n").unwrap();
    let log = need!(run(&folder, &[], |command| {
        command.env("VK_LAYER_SETTINGS_PATH", &file);
    }));
    assert!(complaints(&log).iter().all(|l| !l.contains("khronos_validation")), "{log}");
}

#[test]
fn a_program_without_home_in_a_read_only_folder_with_no_file_space_runs_on() {
    let folder = Folder::new();
    let bare = need!(sample::command("render_passes", &ARGUMENTS));
    let layered = need!(sample::layered("render_passes", &ARGUMENTS, &folder, &[("output_dir", "/proc/tilelens")]));
    let confined = |sample: &Command, limit: &str| {
        let mut command = Command::new("sh");
        let script = format!("{limit} cd /proc && exec \"$0\" \"$@\"");
        command.args(["-c", &script]).arg(sample.get_program()).args(sample.get_args());
        process::clean(&mut command);
        for (name, value) in sample.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.env_remove("HOME").env_remove("VK_TILELENS_TBDR_LOG_FILE");
        // The outputs are pipes: files could not grow.
        command.output().unwrap()
    };
    // lavapipe of Mesa 25 has memory in files without a name, and dies of the limit by itself.
    let limit = ["ulimit -f 0;", ""].into_iter().find(|limit| confined(&bare, limit).status.success());
    let output = confined(&layered, limit.unwrap());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_names(&stderr, &["output_dir", "/proc/tilelens"]);
}

#[test]
fn a_foreign_or_missing_capture_is_named_and_a_cut_one_is_read_as_far_as_it_goes() {
    let folder = Folder::new();
    let analyze = |path: &std::path::Path| {
        let mut command = Command::new(artefacts::cli());
        process::clean(&mut command);
        command.arg("analyze").arg(path).args(["--format", "json"]).output().unwrap()
    };
    let foreign = folder.0.join("foreign.jsonl");
    fs::write(&foreign, "\x7fELF\x02\x01\x01\0\0\0").unwrap();
    for path in [foreign, folder.0.join("nowhere.jsonl")] {
        let output = analyze(&path);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(path.file_name().unwrap().to_str().unwrap()), "{text}");
    }
    let keys = [("frame_submits", "1"), ("sync", "1")];
    let outcome = sample::run(need!(sample::layered("render_passes", &ARGUMENTS, &folder, &keys)), &folder);
    assert!(outcome.status.success(), "{}", outcome.text());
    let whole = fs::read(&folder.files("capture.jsonl")[0]).unwrap();
    let cut = folder.0.join("cut.jsonl");
    fs::write(&cut, &whole[..whole.len() - 20]).unwrap();
    let output = analyze(&cut);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report: tbdr_model::report::Report = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!report.complete);
    assert!(report.frame_count >= 1);
}
