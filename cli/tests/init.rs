//! `tilelens init`.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::scene::{A, scene, store_depth, write};
use common::{folder, tilelens, told};
use std::fs;

#[test]
fn a_configuration_is_written_once_and_check_follows_it() {
    let folder = folder("init");
    write(&folder.join("grown"), &scene(store_depth));
    let wrote = told(tilelens(&folder).arg("init"));
    assert!(wrote.status == 0 && wrote.err.contains("tilelens.toml"), "{}", wrote.err);
    // As it comes it says the defaults: warnings fail.
    let checked = told(tilelens(&folder).args(["check", "grown"]));
    assert!(
        checked.status == 1 && checked.out.contains("TL006") && checked.err.is_empty(),
        "{}{}",
        checked.out,
        checked.err
    );
    fs::write(folder.join("tilelens.toml"), "# mine\n").unwrap();
    let refused = told(tilelens(&folder).args(["init", "."]));
    assert!(refused.status == 2 && refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(fs::read_to_string(folder.join("tilelens.toml")).unwrap(), "# mine\n");
    assert_eq!(told(tilelens(&folder).args(["init", "--force"])).status, 0);
    assert!(fs::read_to_string(folder.join("tilelens.toml")).unwrap().contains("[budget]"));
    let nowhere = told(tilelens(&folder).args(["init", "no/such/folder"]));
    assert!(nowhere.status == 2 && nowhere.err.contains("no/such/folder"), "{}", nowhere.err);
}

#[test]
fn budgets_from_a_run_hold_for_that_run_and_not_for_one_store_more() {
    let folder = folder("init-from");
    write(&folder.join("capture.jsonl"), &scene(|_| {}));
    write(&folder.join("grown"), &scene(store_depth));
    let made = told(tilelens(&folder).args(["analyze", ".", "--format", "json", "-o", "report.json"]));
    assert_eq!(made.status, 0);
    for (from, gpus) in [("report.json", 3), (".", 3)] {
        let wrote = told(tilelens(&folder).args(["init", "--force", "--from", from, "--margin", "10"]));
        assert_eq!(wrote.status, 0, "{}", wrote.err);
        let text = fs::read_to_string(folder.join("tilelens.toml")).unwrap();
        assert!(text.contains("profiles = [\"mali-g76\", \"adreno-650\", \"apple-m1\"]"), "{text}");
        assert_eq!(text.matches("\n[budget.gpu.\"").count(), gpus, "{text}");
        let line = format!("write = {} # now 0.02 MiB (16384 bytes), and 10 % more", A + (A * 10).div_ceil(100));
        assert!(text.contains(&line) && text.contains("avoidable = 0 #"), "{text}");
        let clean = told(tilelens(&folder).args(["check", "."]));
        assert_eq!(clean.status, 0, "{}{}", clean.out, clean.err);
        let grown = told(tilelens(&folder).args(["check", "grown"]));
        assert!(
            grown.status == 1 && grown.out.contains("apple-m1, frames 0–2: 0.03 MiB (32768 bytes) written"),
            "{}",
            grown.out
        );
    }
    let with_findings = told(tilelens(&folder).args(["init", "--force", "--from", "grown", "--gpu", "mali-g76"]));
    assert!(with_findings.err.contains("1 finding of level warn or hazard will fail"), "{}", with_findings.err);
    let without = told(tilelens(&folder).args(["init", "--force", "--margin", "3"]));
    assert!(without.status == 2 && without.err.contains("--from"), "{}", without.err);
}
