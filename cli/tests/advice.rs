//! Levels and suppressions: from options and settings into the report, and refused where they name no rule.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::{folder, records, tilelens, told};
use serde_json::Value;
use std::path::Path;
use tbdr_model::frame::{LoadOp, Op};
use tbdr_model::record::Record;
use tilelens_capture::Writer;

/// A capture whose one pass loads what is undefined and stores what the next frame discards: TL001 and TL006 in pass `main`, image `colour`.
fn write_capture(path: &Path, settings: &[(&str, &str)]) {
    let mut writer = Writer::create(path).unwrap();
    for mut record in records() {
        match &mut record {
            Record::Run(run) => {
                run.settings.extend(settings.iter().map(|(key, value)| ((*key).into(), (*value).into())));
            }
            Record::Structure { frame, .. } => {
                let Op::Pass(pass) = &mut frame.submissions[0].ops[0] else { continue };
                pass.attachments[0].load = LoadOp::Load;
            }
            _ => {}
        }
        writer.append(&record).unwrap();
    }
}

/// Codes and levels of the findings of a report.
fn findings(report: &str) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(report).unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_string();
    report["findings"].as_array().unwrap().iter().map(|f| (text(f, "code"), text(f, "level"))).collect()
}

fn analyzed(name: &str, recorded: &[(&str, &str)], options: &[&str]) -> Vec<(String, String)> {
    let folder = folder(name);
    write_capture(&folder.join("capture.jsonl"), recorded);
    let analyzed = told(tilelens(&folder).args(["analyze", ".", "--format", "json"]).args(options));
    assert_eq!((analyzed.status, analyzed.err.as_str()), (0, ""));
    findings(&analyzed.out)
}

#[test]
fn a_finding_is_silenced_by_rule_by_pass_and_by_image() {
    let finding = |code: &str| (code.to_string(), "warn".to_string());
    let (loud, silenced) = ([finding("TL001"), finding("TL006")], [finding("TL006")]);
    assert_eq!(analyzed("advice-plain", &[], &[]), loud);
    for allow in ["TL001", "tl001", "load-of-dead-contents", "TL001:main", "TL001:col*r", "TL301,TL001:*"] {
        assert_eq!(analyzed("advice-allow", &[], &["--allow", allow]), silenced, "{allow}");
    }
    for allow in ["TL301", "TL001:mai", "TL001:*depth*", ""] {
        assert_eq!(analyzed("advice-other", &[], &["--allow", allow]), loud, "{allow}");
    }
    assert_eq!(analyzed("advice-off", &[], &["--level", "TL001=off"]), silenced);
    assert_eq!(analyzed("advice-both", &[], &["--level", "TL001=off,TL006=off"]), []);
    assert_eq!(analyzed("advice-level", &[], &["--level", "load-of-dead-contents=Note"])[0].1, "note");
}

#[test]
fn how_many_findings_are_kept_quiet_is_told() {
    let folder = folder("advice-allowed");
    write_capture(&folder.join("capture.jsonl"), &[]);
    let analyzed = |options: &[&str]| told(tilelens(&folder).args(["analyze", "."]).args(options)).out;
    let json = |options: &[&str]| -> Value {
        serde_json::from_str(&analyzed(&[options, &["--format", "json"]].concat())).unwrap()
    };
    assert_eq!(json(&["--allow", "TL001:col*r"])["allowed"], serde_json::json!({"TL001": 1}));
    assert_eq!(json(&["--allow", "TL301"])["allowed"], Value::Null, "nothing was kept quiet");
    assert_eq!(json(&["--level", "TL001=off"])["allowed"], Value::Null, "a rule that is off finds nothing");
    assert!(analyzed(&["--allow", "TL001"]).contains("not shown: 1 of TL001."));
}

#[test]
fn options_take_the_place_of_what_the_capture_says_and_nothing_else_changes() {
    let recorded = [("allow", "TL001"), ("rule_levels", "TL001=info")];
    assert_eq!(analyzed("advice-recorded", &recorded, &[]).len(), 1);
    assert_eq!(analyzed("advice-recorded", &recorded, &["--allow", ""])[0].1, "info");
    assert_eq!(analyzed("advice-recorded", &recorded, &["--allow", "", "--level", ""])[0].1, "warn");
}

#[test]
fn an_unknown_rule_is_refused_with_near_ones() {
    let folder = folder("advice-unknown");
    write_capture(&folder.join("capture.jsonl"), &[]);
    for (options, words) in [
        (["--allow", "store-never-raed"], "TL006 store-never-read"),
        (["--allow", "TL001:a,b"], "a comma in a pattern is written `*`"),
        (["--level", "TL066=off"], "TL006 store-never-read"),
        (["--level", "TL006=loud"], "`note`, `info`, `warn` or `hazard`"),
        (["--level", "TL006"], "lacks a level"),
    ] {
        for command in [&["analyze", "."][..], &["run", "--out", "out"]] {
            let refused = told(tilelens(&folder).args(command).args(options).args(match command[0] {
                "run" => &["--", "touch", "started"][..],
                _ => &[],
            }));
            assert_eq!((refused.status, refused.out.as_str()), (2, ""), "{options:?}");
            assert!(refused.err.contains(words) && refused.err.contains(options[0]), "{options:?}: {}", refused.err);
        }
    }
    assert!(!folder.join("started").exists());
}

#[test]
fn a_setting_that_names_no_rule_is_refused_before_the_program_starts() {
    let folder = folder("advice-setting");
    let run = |options: &[&str]| {
        let mut command = tilelens(&folder);
        command.env("VK_TBDR_ALLOW", "TL001:a,b").args(["run"]).args(options).args(["--", "touch", "started"]);
        told(&mut command)
    };
    let refused = run(&[]);
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("VK_TBDR_ALLOW: setting `allow` = `b`"), "{}", refused.err);
    assert!(!folder.join("started").exists());
    assert_eq!(run(&["--allow", "TL001:a*b"]).status, 0, "an option takes its place");
}

#[test]
fn options_of_a_run_reach_the_program_as_settings() {
    let folder = folder("advice-run");
    let script = "echo \"$VK_TILELENS_TBDR_ALLOW|$VK_TILELENS_TBDR_RULE_LEVELS\"";
    let options = ["--allow", "store-never-read:shadow: a*", "--allow", "tl001", "--level", "TL006=OFF"];
    let ran = told(tilelens(&folder).arg("run").args(options).args(["--", "sh", "-c", script]));
    assert_eq!(ran.out, "TL006:shadow: a*,TL001|TL006=off\n", "{}", ran.err);
    let emptied = tilelens(&folder)
        .env("VK_TBDR_ALLOW", "TL001")
        .args(["run", "--allow", "", "--", "sh", "-c", "env | grep ^VK_TILELENS_TBDR_ALLOW="])
        .output()
        .unwrap();
    // A blank: an empty variable counts as none.
    assert_eq!(String::from_utf8_lossy(&emptied.stdout), "VK_TILELENS_TBDR_ALLOW= \n");
}
