//! GPUs of the user's own, by option and by setting, and in the capture.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::{folder, records, tilelens, told};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tbdr_model::record::Record;
use tilelens_capture::Writer;
use tilelens_manifest::{Settings, UserProfiles};

/// A folder with `mine.toml`: the built-in VideoCore profiles under the ids `mine-vi` and `mine-vii`.
fn with_profiles(name: &str) -> PathBuf {
    let folder = folder(name);
    let built_in = include_str!("../../tbdr-model/gpus/videocore.toml").replace("id = \"videocore-", "id = \"mine-");
    fs::write(folder.join("mine.toml"), format!("family = \"videocore\"\n{built_in}")).unwrap();
    folder
}

const FIT: [&str; 5] = ["fit", "--extent", "640x480", "--attachment", "R8G8B8A8_UNORM"];

#[test]
fn a_gpu_of_the_users_own_is_listed_shown_and_put_before_a_pass() {
    let folder = with_profiles("profiles-own");
    let gpus = |arguments: &[&str]| told(tilelens(&folder).arg("gpus").args(arguments));
    assert!(gpus(&["--gpu-profiles", "mine.toml"]).out.contains("  mine-vii"));
    assert!(gpus(&["--gpu-profiles", "mine.toml", "mine-vii"]).out.starts_with("mine-vii: "));
    assert!(!gpus(&[]).out.contains("mine-vii"));
    let fit = |command: &mut std::process::Command| told(command.args(["--gpu", "mine-vii,videocore-vii"]));
    let by_option = fit(tilelens(&folder).args(FIT).args(["--gpu-profiles", "mine.toml"]));
    let by_setting = fit(tilelens(&folder).args(FIT).env("VK_TBDR_GPU_PROFILES", "mine.toml"));
    assert_eq!(by_option.out, by_setting.out);
    let row = |id: &str| {
        let line = by_option.out.lines().find(|line| line.starts_with(id)).unwrap();
        line.split_whitespace().skip(1).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(row("mine-vii"), row("videocore-vii"), "the same figures decide the same");
    assert_eq!(fit(tilelens(&folder).args(FIT)).status, 2);
}

#[test]
fn a_profile_file_that_cannot_be_used_is_refused_with_what_is_wrong() {
    let folder = with_profiles("profiles-bad");
    fs::write(folder.join("bad.toml"), "family = \"voodoo\"\n[sources]\n[policy]\n[[gpu]]\n").unwrap();
    for (file, words) in [("bad.toml", "bad.toml"), ("none.toml", "cannot be read"), (".", "is no file")] {
        for command in [&FIT[..], &["gpus"], &["run"]] {
            let rest: &[&str] = if command == ["run"] { &["--", "touch", "started"] } else { &[] };
            let option = told(tilelens(&folder).args(command).args(["--gpu-profiles", file]).args(rest));
            let setting = told(tilelens(&folder).env("VK_TBDR_GPU_PROFILES", file).args(command).args(rest));
            for refused in [option, setting] {
                assert_eq!((refused.status, refused.out.as_str()), (2, ""), "{command:?} {file}");
                assert!(
                    refused.err.contains(words) && refused.err.contains(file),
                    "{command:?} {file}: {}",
                    refused.err
                );
            }
        }
    }
    assert!(!folder.join("started").exists());
}

#[test]
fn a_capture_is_modelled_for_the_users_gpu_where_its_file_is_not() {
    let folder = with_profiles("profiles-capture");
    let mut user_profiles = UserProfiles::default();
    user_profiles.read(&folder.join("mine.toml")).unwrap();
    let settings = Settings { gpu: vec!["mine-vii".into()], user_profiles, ..Settings::default() };
    let mut writer = Writer::create(&folder.join("capture.jsonl")).unwrap();
    for mut record in records() {
        if let Record::Run(run) = &mut record {
            run.settings = settings.effective();
        }
        writer.append(&record).unwrap();
    }
    drop(writer);
    fs::remove_file(folder.join("mine.toml")).unwrap();
    let gpus = |arguments: &[&str]| {
        let analyzed = told(tilelens(&folder).args(["analyze", ".", "--format", "json"]).args(arguments));
        assert_eq!((analyzed.status, analyzed.err.as_str()), (0, ""));
        let report: Value = serde_json::from_str(&analyzed.out).unwrap();
        report["gpus"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(gpus(&[]), ["mine-vii"]);
    assert_eq!(gpus(&["--gpu", "mine-vi,mali-g76"]), ["mali-g76", "mine-vi"], "the whole file is carried");
}

#[test]
fn a_capture_without_them_is_modelled_for_the_users_gpus_by_option() {
    let folder = with_profiles("profiles-analyze");
    common::write_capture(&folder.join("capture.jsonl"));
    let analyze =
        |arguments: &[&str]| told(tilelens(&folder).args(["analyze", ".", "--gpu", "mine-vi"]).args(arguments));
    assert!(analyze(&["--gpu-profiles", "mine.toml"]).out.contains("mine-vi"));
    assert_eq!(analyze(&[]).status, 2);
}

#[test]
fn a_run_hands_the_files_on_as_absolute_paths_whatever_is_in_them() {
    let folder = with_profiles("profiles-run");
    fs::rename(folder.join("mine.toml"), folder.join("a:b.toml")).unwrap();
    let arguments = ["run", "--gpu", "mine-vi", "--gpu-profiles", "a:b.toml", "--", "sh", "-c"];
    let ran = told(tilelens(&folder).args(arguments).arg("echo \"$VK_TILELENS_TBDR_GPU_PROFILES\""));
    assert_eq!(ran.out, format!("{},\n", folder.join("a:b.toml").display()), "{}", ran.err);
}
