//! `tilelens check`: what fails a build, what does not, and what is wrong with a configuration.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::scene::{A, scene, store_depth, the_pass, with_first_frame, write};
use common::{Told, folder, tilelens, told};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tbdr_model::frame::{FrameStructure, LoadOp, Op};
use tbdr_model::record::{Gap, GapReason, Record};

/// A folder with captures `clean` and `grown`, the latter with one store more, and a tilelens.toml that checks a Mali-G76.
fn project(name: &str, config: &str) -> PathBuf {
    let folder = folder(name);
    write(&folder.join("clean"), &scene(|_| {}));
    write(&folder.join("grown"), &scene(store_depth));
    fs::write(folder.join("tilelens.toml"), format!("{config}\n")).unwrap();
    folder
}

fn check(folder: &Path, arguments: &[&str]) -> Told {
    told(tilelens(folder).arg("check").args(arguments))
}

fn json(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let told = check(folder, &[arguments, &["--format", "json"]].concat());
    (told.status, serde_json::from_str(&told.out).unwrap_or_else(|e| panic!("{e}: {}{}", told.out, told.err)))
}

/// A report of a capture in the folder, after `change`.
fn report(folder: &Path, capture: &str, to: &str, change: impl Fn(&mut Value)) {
    let made = told(tilelens(folder).args(["analyze", capture, "--gpu", "mali-g76", "--format", "json"]));
    let mut value: Value = serde_json::from_str(&made.out).unwrap();
    change(&mut value);
    fs::write(folder.join(to), serde_json::to_string_pretty(&value).unwrap()).unwrap();
}

const MALI: &str = "[gpus]\nprofiles = ['mali-g76']\n[rules]\ndeny = []\n";

#[test]
fn a_pass_that_grew_by_one_store_fails_and_is_named_with_attachment_and_cause() {
    let folder = project("check-grew", &format!("{MALI}[baseline]\nreport = 'baseline.json'"));
    report(&folder, "clean", "baseline.json", |_| {});
    assert_eq!(check(&folder, &["clean"]).status, 0);
    let failed = check(&folder, &["grown"]);
    assert_eq!(failed.status, 1, "{}{}", failed.out, failed.err);
    for words in [
        "error: mali-g76, pass `main`, frames 0–2: grew by 0.02 MiB (16384 bytes), from 0.02 MiB (16384 bytes) to 0.03 MiB (32768 bytes)",
        "    store of `depth` (depth): 0.02 MiB (16384 bytes) written, 0 before",
        "  OVER read and written 0.03 MiB of the baseline's 0.02 MiB (200 %): mali-g76, frames 0–2",
        "Check FAILED with 1 error and 1 warning: app, 1 GPU, 1 distinct frame against tilelens.toml",
    ] {
        assert!(failed.out.contains(words), "{words}\n{}", failed.out);
    }
    let (status, json) = json(&folder, &["grown"]);
    let problem = &json["problems"][0];
    assert_eq!((status, &json["schema"], &json["passed"]), (1, &"tilelens.check/1".into(), &false.into()));
    assert_eq!(
        (&problem["kind"], &problem["gpu"], &problem["pass"]),
        (&"baseline".into(), &"mali-g76".into(), &"main".into())
    );
    assert_eq!((&problem["figure"]["value"], &problem["figure"]["over"]), (&(2 * A).into(), &A.into()));
    let cause = &problem["causes"][0];
    assert_eq!(
        (&cause["attachment"], &cause["cause"], &cause["direction"]),
        (&"depth".into(), &"store".into(), &"write".into())
    );
    assert_eq!((&cause["before"], &cause["bytes"]), (&0.into(), &A.into()));
}

#[test]
fn a_budget_that_is_exceeded_says_what_grew_where_there_is_a_baseline_and_gpus_alike_are_told_once() {
    let config = "[gpus]\nprofiles = ['mali-g76', 'apple-m1']\n[rules]\ndeny = []\n[budget]\nwrite = 20000\n";
    let folder = project("check-grew-budget", &format!("{config}[baseline]\nreport = 'clean'\ntolerance = '1 MiB'"));
    let failed = check(&folder, &["grown"]);
    let expected = "error: mali-g76 and apple-m1, frames 0–2: 0.03 MiB (32768 bytes) written, budget 0.02 MiB (20000 bytes): 0.01 MiB \
                    (12768 bytes) over\n    store of `depth` (depth) in `main`: 0.02 MiB (16384 bytes) written, 0 before\n    store of `colour`";
    assert!(failed.status == 1 && failed.out.contains(expected), "{}", failed.out);
    let github = check(&folder, &["grown", "--format", "github"]).out;
    assert!(github.matches("::error").count() == 1 && github.contains("Tilelens::mali-g76 and apple-m1, "), "{github}");
    assert_eq!(json(&folder, &["grown"]).1["errors"], 2, "programs get each");
}

#[test]
fn a_baseline_may_be_a_capture_and_may_tolerate_some() {
    for (settings, status) in [
        ("", 1),
        ("tolerance = '100 %'", 0),
        ("tolerance = '99 %'", 1),
        ("tolerance = 16384", 0),
        ("tolerance = '15.9 KiB'", 1),
        ("passes = false", 1),
        ("passes = false\ntolerance = '16 KiB'", 0),
    ] {
        let folder = project("check-tolerance", &format!("{MALI}[baseline]\nreport = 'clean'\n{settings}"));
        let told = check(&folder, &["grown"]);
        assert_eq!(told.status, status, "{settings}: {}{}", told.out, told.err);
    }
    let folder = project("check-baseline-option", MALI);
    let fell = check(&folder, &["clean", "--baseline", "grown"]);
    assert!(fell.status == 0 && fell.out.contains("0.02 MiB (16384 bytes) less than in the baseline"), "{}", fell.out);
    assert_eq!(check(&folder, &["grown", "--baseline", "clean"]).status, 1);
    let missing = check(&folder, &["grown", "--baseline", "nothing"]);
    assert!(missing.status == 2 && missing.err.contains("the baseline: nothing"), "{}", missing.err);
}

#[test]
fn bytes_that_move_from_one_pass_to_another_fail_only_where_passes_are_looked_at() {
    let folder = project("check-moved", MALI);
    let pass = |name: &str| scene(|frame: &mut FrameStructure| the_pass(frame).name = Some(name.into()));
    write(&folder.join("renamed"), &pass("other"));
    let failed = check(&folder, &["renamed", "--baseline", "clean"]);
    assert_eq!(failed.status, 1, "{}", failed.out);
    assert!(failed.out.contains("pass `other`, frames 0–2: a pass that the baseline has not"), "{}", failed.out);
    assert!(failed.out.contains("pass `main` is gone, which moved as much"), "{}", failed.out);
    fs::write(folder.join("whole.toml"), format!("{MALI}[baseline]\nreport = 'clean'\npasses = false\n")).unwrap();
    assert_eq!(check(&folder, &["renamed", "--config", "whole.toml"]).status, 0);
}

#[test]
fn what_was_undecided_in_the_baseline_is_no_proof_of_growth() {
    let folder = project("check-decided", MALI);
    report(&folder, "grown", "before.json", |report| {
        let gpu = &mut report["frames"][0]["gpus"]["mali-g76"];
        for entry in gpu["passes"][0]["entries"].as_array_mut().unwrap() {
            if entry["aspect"] == "depth" {
                entry["basis"] = "undecided".into();
                entry["bytes"] = 0.into();
            }
        }
        gpu["write_bytes"] = A.into();
    });
    let told = check(&folder, &["grown", "--baseline", "before.json"]);
    assert_eq!(told.status, 0, "{}", told.out);
    assert!(told.out.contains("undecided in the baseline: whether it grew is not known"), "{}", told.out);
    fs::write(folder.join("strict.toml"), format!("undecided = 'deny'\n{MALI}")).unwrap();
    assert_eq!(check(&folder, &["grown", "--baseline", "before.json", "--config", "strict.toml"]).status, 1);
    // The other way round nothing can be said either.
    let told = check(&folder, &["before.json", "--baseline", "clean"]);
    assert!(told.status == 0 && told.out.contains("1 undecided entry more than in the baseline"), "{}", told.out);
}

#[test]
fn each_budget_holds_to_the_byte() {
    let transfer = |budget: &str| format!("{MALI}{budget}");
    for (budget, status, words) in [
        ("[budget]\nwrite = 32768", 0, "written 0.03 MiB of 0.03 MiB (100 %): mali-g76, frames 0–2"),
        (
            "[budget]\nwrite = 32767",
            1,
            "mali-g76, frames 0–2: 0.03 MiB (32768 bytes) written, budget 0.03 MiB (32767 bytes): <0.01 MiB (1 byte) over",
        ),
        ("[budget]\ntotal = '32 KiB'", 0, "read and written"),
        ("[budget]\ntotal = '31 KiB'", 1, "0.03 MiB (32768 bytes) read and written"),
        ("[budget]\nread = 0", 0, "read 0.00 MiB of 0.00 MiB"),
        ("[budget]\ntransfers = 0", 0, "moved by transfers"),
        ("[budget]\navoidable = 16384", 0, "avoidable"),
        ("[budget]\navoidable = 16383", 1, "0.02 MiB (16384 bytes) avoidable"),
        ("[budget]\nwrite = 1\n[budget.gpu.mali-g76]\nwrite = 'none'", 0, "Check passed"),
        ("[budget]\nwrite = 'none'\n[budget.gpu.'Mali G76']\nwrite = 1", 1, "32767 bytes) over"),
        ("[budget]\nwrite = 1\n[budget.gpu.mali-g76]\nwrite = 40000", 0, "written 0.03 MiB of 0.04 MiB"),
        ("[[budget.pass]]\npass = 'ma*'\nwrite = 32768", 0, "pass `main`"),
        (
            "[[budget.pass]]\npass = 'ma*'\nwrite = 32767",
            1,
            "mali-g76, pass `main`, frames 0–2: 0.03 MiB (32768 bytes) written",
        ),
        ("[[budget.pass]]\npass = '*'\nattachment = 'col*'\ntotal = 16384", 0, "attachment `col*`"),
        (
            "[[budget.pass]]\npass = '*'\nattachment = 'depth'\nwrite = 0",
            1,
            "store of `depth` (depth): 0.02 MiB (16384 bytes) written",
        ),
        ("[[budget.pass]]\npass = '*'\ngpu = ['mali-g76']\nread = 0", 0, "ok"),
        ("[[budget.pass]]\npass = '*'\ngpu = ['apple-m1']\nwrite = 0", 0, "not checked"),
    ] {
        let folder = project("check-budget", &transfer(budget));
        let told = check(&folder, &["grown"]);
        assert!(
            told.status == status && told.out.contains(words),
            "{budget}: {} {}{}",
            told.status,
            told.out,
            told.err
        );
    }
}

#[test]
fn transfers_have_a_budget_of_their_own() {
    use tbdr_model::frame::{ImageRef, ImageRegion, Region, Side, Transfer, TransferKind};
    use tbdr_model::units::Extent3D;
    let folder = project("check-transfers", &format!("{MALI}[budget]\ntransfers = 32768"));
    let copies = |count: usize| {
        scene(move |frame: &mut FrameStructure| {
            let side = |image| {
                Side::Image(ImageRegion {
                    image: Some(ImageRef(image)),
                    aspects: tbdr_model::frame::Aspects::COLOR,
                    layers: 1,
                    extent: Extent3D { width: 64, height: 64, depth: 1 },
                    ..ImageRegion::default()
                })
            };
            let mut target = frame.images[0].clone();
            target.name = Some("copy".into());
            frame.images.push(target);
            let region = Region { src: Some(side(0)), dst: Some(side(2)) };
            let copy = Transfer { labels: Vec::new(), kind: TransferKind::CopyImage, regions: vec![region] };
            let ops = &mut frame.submissions[0].ops;
            ops.extend(std::iter::repeat_n(Op::Transfer(copy), count));
        })
    };
    write(&folder.join("one"), &copies(1));
    write(&folder.join("two"), &copies(2));
    let one = check(&folder, &["one"]);
    assert!(one.status == 0 && one.out.contains("moved by transfers 0.03 MiB"), "{}{}", one.out, one.err);
    let two = check(&folder, &["two"]);
    assert!(two.status == 1 && two.out.contains("0.06 MiB (65536 bytes) moved by transfers"), "{}", two.out);
    let grew = check(&folder, &["two", "--baseline", "one"]);
    assert!(grew.status == 1 && grew.out.contains("a transfer that the baseline has not"), "{}", grew.out);
}

#[test]
fn findings_fail_by_rule_and_by_level_and_those_that_are_allowed_do_not() {
    let mali = "[gpus]\nprofiles = ['mali-g76']\n";
    for (config, status, words) in [
        ("", 1, "error: TL006 store-never-read, pass `main`, attachment `depth`"),
        ("[rules]\ndeny = []", 0, "warning: TL006 store-never-read"),
        ("[rules]\ndeny = ['hazard']", 0, "Check passed with 1 warning"),
        ("[rules]\ndeny = ['note']", 1, "error: TL006"),
        ("[rules]\ndeny = ['store-never-read']", 1, "tilelens explain TL006"),
        ("[rules]\ndeny = ['TL001']", 0, "warning: TL006"),
        ("[rules.levels]\nTL006 = 'info'", 0, "1 finding is allowed, below `warn`"),
        ("[rules.levels]\nTL006 = 'off'", 0, "Check passed:"),
        ("[rules]\ndeny = []\n[rules.levels]\nstore-never-read = 'deny'", 1, "error: TL006"),
        ("[[allow]]\ncode = 'TL006'\npass = 'ma*'\nattachment = 'depth'\nreason = 'next level'", 0, "Check passed:"),
        ("[[allow]]\ncode = 'TL006'\nattachment = 'colour'", 1, "no finding needs this `[[allow]]` of TL006"),
        ("[[allow]]\ncode = 'TL006'\npass = 'other'", 1, "error: TL006"),
    ] {
        let folder = project("check-rules", &format!("{config}\n{mali}"));
        let told = check(&folder, &["grown"]);
        assert!(
            told.status == status && told.out.contains(words),
            "{config}: {} {}{}",
            told.status,
            told.out,
            told.err
        );
        // A report as it stands is judged alike.
        report(&folder, "grown", "grown.json", |_| {});
        let same = check(&folder, &["grown.json"]);
        assert!(
            same.status == status && same.out.contains(words),
            "{config}: {} {}{}",
            same.status,
            same.out,
            same.err
        );
    }
}

#[test]
fn an_allow_that_nothing_needs_is_told_with_its_line_and_may_fail() {
    for (word, status, told_of) in [("warn", 0, true), ("deny", 1, true), ("allow", 0, false)] {
        let config = format!(
            "[rules]\nunused_allow = '{word}'\n\n[[allow]]\ncode = 'TL001'\n{}",
            "[gpus]\nprofiles = ['mali-g76']"
        );
        let folder = project("check-unused", &config);
        let told = check(&folder, &["clean"]);
        let text = "tilelens.toml:5: no finding needs this `[[allow]]` of TL001: it can go (in `code = 'TL001'`)";
        assert_eq!((told.status, told.out.contains(text)), (status, told_of), "{word}: {}", told.out);
    }
}

#[test]
fn what_is_allowed_is_not_avoidable() {
    let config = "[gpus]\nprofiles = ['mali-g76']\n[budget]\navoidable = 0\n";
    let folder = project("check-avoidable", &format!("{config}[rules]\ndeny = []"));
    assert_eq!(check(&folder, &["grown"]).status, 1);
    let folder = project("check-avoidable", &format!("{config}[[allow]]\ncode = 'TL006'"));
    let told = check(&folder, &["grown"]);
    assert_eq!(told.status, 0, "{}", told.out);
}

#[test]
fn the_levels_and_suppressions_of_the_run_give_way_for_a_capture_and_are_told_of_for_a_report() {
    let folder = project("check-recorded", "[gpus]\nprofiles = ['mali-g76']");
    let mut records = scene(store_depth);
    let Record::Run(run) = &mut records[0] else { panic!("the first record is the run") };
    run.settings.insert("allow".into(), "TL006".into());
    write(&folder.join("silenced"), &records);
    assert_eq!(check(&folder, &["silenced"]).status, 1);
    report(&folder, "silenced", "silenced.json", |_| {});
    let told = check(&folder, &["silenced.json"]);
    assert!(told.status == 0 && told.out.contains("made without findings of TL006"), "{}{}", told.out, told.err);
}

#[test]
fn the_frames_that_count_are_those_that_were_asked_for() {
    // Frame 0 loads, as a program does that starts; frames 1 to 3 do not.
    let spike = |frame: &mut FrameStructure| the_pass(frame).attachments[0].load = LoadOp::Load;
    for (frames, status, words) in [
        ("", 0, "frames 1–3"),
        ("which = 'most_frequent'", 0, "frames 1–3"),
        ("which = 'every'", 1, "mali-g76, frame 0: 0.02 MiB (16384 bytes) read"),
        ("which = 'every'\nskip_first = 1", 0, "frames 1–3"),
        ("which = 'every'\nmin_count = 2", 0, "frames 1–3"),
    ] {
        let folder = project("check-frames", &format!("{MALI}[budget]\nread = 0\n[frames]\n{frames}"));
        write(&folder.join("spiked"), &with_first_frame(scene(|_| {}), spike));
        let told = check(&folder, &["spiked"]);
        assert!(told.status == status && told.out.contains(words), "{frames}: {}{}", told.out, told.err);
    }
    let folder = project("check-frames", &format!("{MALI}[frames]\nskip_first = 100"));
    let none = check(&folder, &["clean"]);
    assert!(none.status == 2 && none.err.contains("no frame of clean counts: 3 were recorded"), "{}", none.err);
}

#[test]
fn findings_of_frames_that_do_not_count_do_not_fail() {
    let dead = |frame: &mut FrameStructure| the_pass(frame).attachments[1].load = LoadOp::Load;
    for (which, status) in [("steady", 0), ("every", 1)] {
        let folder = project("check-once", &format!("[gpus]\nprofiles = ['mali-g76']\n[frames]\nwhich = '{which}'"));
        write(&folder.join("once"), &with_first_frame(scene(|_| {}), dead));
        let told = check(&folder, &["once"]);
        assert_eq!(told.status, status, "{}{}", told.out, told.err);
    }
}

#[test]
fn a_budget_that_holds_for_what_is_decided_alone_says_so_and_one_that_is_exceeded_all_the_same_fails() {
    let undecided = |report: &mut Value| {
        report["frames"][0]["gpus"]["mali-g76"]["passes"][0]["entries"][0]["basis"] = "undecided".into();
    };
    for (undecided_word, limit, status, words) in [
        (
            "allow",
            16384,
            0,
            "0.02 MiB (16384 bytes) written are within the budget of 0.02 MiB (16384 bytes) as far as is decided; 1 undecided entry is in no sum",
        ),
        ("allow", 16384, 0, "With a reserve: 1 budget holds for what is decided alone"),
        ("deny", 16384, 1, "error: mali-g76, frames 0–2: 0.02 MiB (16384 bytes) written are within"),
        ("allow", 16383, 1, "(1 byte) over, and 1 undecided entry more"),
    ] {
        let folder =
            project("check-undecided", &format!("undecided = '{undecided_word}'\n{MALI}[budget]\nwrite = {limit}"));
        report(&folder, "grown", "doubtful.json", undecided);
        let told = check(&folder, &["doubtful.json"]);
        assert!(
            told.status == status && told.out.contains(words),
            "{undecided_word} {limit}: {}{}",
            told.out,
            told.err
        );
    }
}

#[test]
fn what_a_driver_may_do_instead_is_a_reserve_where_it_would_exceed_the_budget() {
    // Counted are a store of colour and of depth; instead colour might be loaded and stored twice.
    let other = |report: &mut Value| {
        let pass = &mut report["frames"][0]["gpus"]["mali-g76"]["passes"][0];
        let mut instead = pass.clone();
        let mut entries = instead["entries"].as_array().unwrap().clone();
        entries.extend(entries.clone());
        instead["entries"] = entries.into();
        pass["alternative"] = serde_json::json!({
            "note": "not merged", "read_bytes": 0, "write_bytes": 4 * A, "passes": [instead]
        });
    };
    for (budget, words) in [
        ("[budget]\nwrite = 65535", "with up to 0.03 MiB (32768 bytes) more"),
        ("[budget]\nwrite = 65536", "  ok   written"),
        ("[budget]\nread = 0", "  ok   read"),
        (
            "[[budget.pass]]\npass = 'main'\nattachment = 'depth'\nwrite = 32767",
            "with up to 0.02 MiB (16384 bytes) more",
        ),
        ("[[budget.pass]]\npass = 'main'\nattachment = 'depth'\nwrite = 32768", "  ok   written"),
    ] {
        let folder = project("check-instead", &format!("{MALI}{budget}"));
        report(&folder, "grown", "other.json", other);
        let told = check(&folder, &["other.json"]);
        assert!(told.status == 0 && told.out.contains(words), "{budget}: {}{}", told.out, told.err);
    }
}

#[test]
fn advice_that_could_not_be_given_is_a_reserve_of_what_is_avoidable() {
    let folder = project("check-reserve", &format!("{MALI}[budget]\navoidable = 0"));
    let mut records = scene(|frame| frame.outputs.clear());
    // Cut before the end, nobody knows what becomes of the last frame's image.
    records.truncate(3);
    write(&folder.join("open"), &records);
    let told = check(&folder, &["open"]);
    assert!(told.status == 0 && told.out.contains("some advice that is undecided"), "{}{}", told.out, told.err);

    // It is a field of the report that says so; no sentence for people does. A report without the field leaves the doubt.
    fn reworded(report: &mut Value) {
        report["not_modelled"] = serde_json::json!(["no advice is possible"]);
    }
    fn said(report: &mut Value) {
        report["not_modelled"] = serde_json::json!(["advice on nothing"]);
    }
    fn older(report: &mut Value) {
        report.as_object_mut().unwrap().remove("undecided_advice").unwrap();
    }
    type Change = fn(&mut Value);
    let cases: [(&str, Change, bool); 4] =
        [("open", reworded, true), ("clean", said, false), ("clean", older, true), ("clean", |_| {}, false)];
    for (capture, change, doubt) in cases {
        report(&folder, capture, "changed.json", change);
        let told = check(&folder, &["changed.json"]);
        let doubted = told.out.contains("some advice that is undecided (see `undecided_advice` of the report)");
        assert_eq!((told.status, doubted), (0, doubt), "{capture}: {}{}", told.out, told.err);
    }
}

#[test]
fn frames_that_are_missing_are_told_and_may_fail() {
    for (word, status) in [("allow", 0), ("deny", 1)] {
        let folder = project("check-gaps", &format!("gaps = '{word}'\n{MALI}"));
        let gap = |reason| Record::Gap(Gap { first: 3, count: 2, reason });
        for (name, reason, end, status, words) in [
            ("dropped", GapReason::Overload, true, status, "2 frames missing from the record"),
            ("cut", GapReason::Selection, false, status, "the record was cut short"),
            ("asked", GapReason::Selection, true, 0, "Check passed"),
        ] {
            let mut records = scene(|_| {});
            records.insert(records.len() - 1, gap(reason));
            if !end {
                records.pop();
            }
            write(&folder.join(name), &records);
            let told = check(&folder, &[name]);
            assert!(told.status == status && told.out.contains(words), "{word} {name}: {}{}", told.out, told.err);
        }
    }
}

#[test]
fn the_configuration_is_found_as_cargo_finds_its_own_and_its_paths_start_at_its_folder() {
    let folder = project("check-found", &format!("{MALI}[baseline]\nreport = 'clean'"));
    fs::create_dir_all(folder.join("a/b")).unwrap();
    let deep = told(tilelens(&folder).current_dir(folder.join("a/b")).args(["check", "../../grown"]));
    assert!(deep.status == 1 && deep.out.contains("grew by"), "{}{}", deep.out, deep.err);
    fs::write(folder.join("a/tilelens.toml"), MALI).unwrap();
    let nearest = told(tilelens(&folder).current_dir(folder.join("a/b")).args(["check", "../../grown"]));
    assert_eq!(nearest.status, 0, "{}{}", nearest.out, nearest.err);
    let named = told(tilelens(&folder).current_dir(folder.join("a")).args([
        "check",
        "../grown",
        "--config",
        "../tilelens.toml",
    ]));
    assert_eq!(named.status, 1, "{}{}", named.out, named.err);
    let missing = check(&folder, &["clean", "--config", "other.toml"]);
    assert!(missing.status == 2 && missing.err.contains("cannot read other.toml"), "{}", missing.err);
}

#[test]
fn without_a_configuration_warnings_fail_and_it_is_said_that_there_is_none() {
    // Outside of any folder that could hold one.
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("capture.jsonl"), &scene(|_| {}));
    write(&folder.path().join("grown"), &scene(store_depth));
    let clean = check(folder.path(), &["."]);
    assert!(clean.status == 0 && clean.err.contains("tilelens init"), "{}{}", clean.out, clean.err);
    assert!(
        clean.out.contains("3 GPUs") && clean.out.contains("against the defaults"),
        "those of the capture: {}",
        clean.out
    );
    assert_eq!(check(folder.path(), &["grown"]).status, 1);
}

#[test]
fn what_is_wrong_with_a_configuration_is_told_with_its_line_and_what_was_meant() {
    for (config, words) in [
        ("[budgets]", "tilelens.toml:1: unknown field `budgets`"),
        ("[budgets]", "did you mean `budget`?"),
        ("[budget]\nwirte = 1", "tilelens.toml:2: unknown field `wirte`"),
        ("[budget]\nwirte = 1", "did you mean `write`? (in `wirte = 1`)"),
        ("[budget]\nwrite = '12 Mb'", "tilelens.toml:2: `Mb` is no unit; write a number of bytes per frame"),
        ("[budget]\nwrite = -1", "`-1` is not a number of bytes"),
        ("[budget]\nwrite = 1.5", "`\"1 MiB\"`"),
        ("undecided = 'maybe'", "expected `allow` or `deny`"),
        ("[frames]\nwhich = 'stedy'", "did you mean `steady`?"),
        (
            "[frames]\nskip_first = -3",
            "tilelens.toml:2: invalid value: integer `-3`, expected a whole number, 0 or more",
        ),
        ("[rules]\ndeny = 'warn'", "expected a list: `[…]` (in `deny = 'warn'`)"),
        (
            "[rules.levels]\nTL006 = 'off'\nstore-never-read = 'deny'",
            "TL006 has two levels here, one by its code and one by its name: keep one",
        ),
        ("[rules]\ndeny = ['TL999']", "tilelens.toml:2: no rule `TL999`"),
        ("[rules]\ndeny = ['store-never-raed']", "near: TL006 store-never-read"),
        ("[rules]\ndeny = ['off']", "`off` denies nothing"),
        (
            "[rules.levels]\nTL006 = 'loud'",
            "`loud` is no level; write `off`, `note`, `info`, `warn`, `hazard` or `deny`",
        ),
        ("[rules.levels]\nTL99 = 'warn'", "no rule `TL99`"),
        ("[[allow]]\npass = 'x'", "missing field `code`"),
        ("[[allow]]\ncode = 'TL006'\npass = ''", "an empty pattern"),
        (
            "[[budget.pass]]\npass = 'mian'\nwrite = 1",
            "tilelens.toml:2: no pass in the frames that count fits `mian`; the nearest is `main`",
        ),
        ("[[budget.pass]]\npass = 'zzzzzzz*'\nwrite = 1", "there are `main`"),
        ("[[budget.pass]]\npass = 'main'\nattachment = 'dpeth'\nwrite = 1", "the nearest is `depth`"),
        ("[[budget.pass]]\npass = 'main'", "a budget without a limit"),
        ("[[budget.pass]]\npass = 'main'\ngpu = ['mali-g86']\nwrite = 1", "tilelens.toml:3: unknown GPU `mali-g86`"),
        ("[budget.gpu.mali-g86]\nwrite = 1", "tilelens.toml:1: unknown GPU `mali-g86` (near: mali-g"),
        ("[budget.gpu.all]\nwrite = 1", "a budget is of one GPU"),
        ("[gpus]\nprofiles = ['adreno-651']", "tilelens.toml:2: unknown GPU `adreno-651`"),
        ("[gpus]\nfiles = ['none.toml']", "tilelens.toml: `files` of `[gpus]`"),
        ("[baseline]\nreport = 'clean'\ntolerance = '2 percent'", "write a share"),
        ("[baseline]\ntolerance = '2 %'", "missing field `report`"),
        ("[baseline]\nreport = 'none.json'", "the baseline: none.json"),
        ("[budget", "tilelens.toml:1:"),
        ("a = \"\u{1b}[31m", "tilelens.toml:1:"),
    ] {
        let folder = project("check-wrong", config);
        let told = check(&folder, &["clean"]);
        assert!(
            told.status == 2 && told.out.is_empty() && told.err.contains(words),
            "{config}: {}{}",
            told.out,
            told.err
        );
        assert!(!told.err.contains('\u{1b}'), "{}", told.err);
    }
}

#[test]
fn a_configuration_that_is_none_is_refused() {
    let folder = project("check-foreign", "");
    for (bytes, words) in [
        (vec![0xff, 0xfe, 0x00], "not UTF-8"),
        (vec![b'#'; (1 << 20) + 1], "larger than a MiB"),
        ([b"a = ".as_slice(), &vec![b'['; 100_000]].concat(), "tilelens.toml:1:"),
        (b"[budget]\nwrite = 99999999999999999999".to_vec(), "tilelens.toml:2:"),
    ] {
        fs::write(folder.join("tilelens.toml"), bytes).unwrap();
        let told = check(&folder, &["clean"]);
        assert!(told.status == 2 && told.err.contains(words), "{words}: {}", told.err);
    }
}

#[test]
fn a_report_is_checked_for_the_gpus_that_it_holds_and_says_how_to_get_others() {
    let folder = project("check-report", "[gpus]\nprofiles = ['mali-g76', 'adreno-650']\n[rules]\ndeny = []");
    report(&folder, "clean", "report.json", |_| {});
    let missing = check(&folder, &["report.json"]);
    assert_eq!((missing.status, missing.out.as_str()), (2, ""));
    for words in
        ["not modelled for adreno-650, only for mali-g76", "capture.jsonl", "tilelens run --gpu mali-g76,adreno-650"]
    {
        assert!(missing.err.contains(words), "{}", missing.err);
    }
    assert_eq!(check(&folder, &["report.json", "--gpu", "Mali-G76"]).status, 0);
    assert_eq!(check(&folder, &["clean"]).status, 0, "a capture has every GPU");
    // A folder means its capture, or else its report.
    assert_eq!(check(&folder, &[".", "--gpu", "mali-g76"]).status, 0);
    fs::copy(folder.join("clean"), folder.join("capture.jsonl")).unwrap();
    assert_eq!(check(&folder, &["."]).status, 0);
}

#[test]
fn a_finding_of_a_report_fails_only_for_gpus_on_which_it_saves() {
    let folder = project("check-elsewhere", "");
    let made = told(tilelens(&folder).args(["analyze", "grown", "--gpu", "mali-g76,adreno-650", "--format", "json"]));
    let mut value: Value = serde_json::from_str(&made.out).unwrap();
    for saving in ["saving", "after_previous"] {
        value["findings"][0][saving].as_object_mut().unwrap().remove("mali-g76");
    }
    fs::write(folder.join("report.json"), value.to_string()).unwrap();
    assert_eq!(check(&folder, &["report.json", "--gpu", "mali-g76"]).status, 0);
    assert_eq!(check(&folder, &["report.json", "--gpu", "adreno-650"]).status, 1);
    value["findings"][0]["level"] = "hazard".into();
    fs::write(folder.join("report.json"), value.to_string()).unwrap();
    assert_eq!(check(&folder, &["report.json", "--gpu", "mali-g76"]).status, 1);
}

#[test]
fn files_that_are_no_capture_and_no_report_are_refused_and_hostile_reports_do_no_harm() {
    let folder =
        project("check-hostile", &format!("{MALI}[budget]\ntotal = 1\n[[budget.pass]]\npass = '*'\nwrite = 1"));
    report(&folder, "clean", "newer.json", |report| report["schema"] = "tilelens.report/9".into());
    fs::write(folder.join("damaged.json"), "{\"schema\": \"tilelens.report/1\", ").unwrap();
    report(&folder, "clean", "empty.json", |report| report["frames"] = Value::Array(Vec::new()));
    report(&folder, "clean", "hollow.json", |report| report["frames"][0]["gpus"] = serde_json::json!({}));
    report(&folder, "clean", "older.json", |report| report["schema"] = "tilelens.report/0".into());
    report(&folder, "clean", "lacking.json", |report| {
        drop(report["frames"][0].as_object_mut().unwrap().remove("gpus"))
    });
    report(&folder, "clean", "mistyped.json", |report| {
        report["frames"][0]["gpus"]["mali-g76"]["read_bytes"] = "many".into();
    });
    report(&folder, "clean", "negative.json", |report| report["frame_count"] = (-1).into());
    report(&folder, "clean", "number.json", |report| report["schema"] = 1.into());
    report(&folder, "clean", "nameless.json", |report| drop(report.as_object_mut().unwrap().remove("schema")));
    const AGAIN: &str = "make it anew from its capture: `tilelens analyze CAPTURE --format json -o report.json`";
    for (file, words) in [
        (
            "newer.json",
            "a tilelens.report/9, and this Tilelens reads tilelens.report/1; read it with the Tilelens that wrote it, or",
        ),
        ("older.json", &format!("a tilelens.report/0, and this Tilelens reads tilelens.report/1; {AGAIN}")),
        ("damaged.json", "damaged.json: not a whole report: EOF"),
        ("damaged.json", AGAIN),
        ("lacking.json", "lacking.json: not a whole report: `frames[0]`: missing field `gpus`"),
        ("lacking.json", AGAIN),
        ("mistyped.json", "`frames[0].gpus.mali-g76.read_bytes`: invalid type: string \"many\""),
        ("negative.json", "`frame_count`: invalid value: integer `-1`"),
        ("number.json", "number.json: `schema`: not a text like \"tilelens.report/1\""),
        ("nameless.json", "nameless.json: without `schema`"),
        ("nameless.json", AGAIN),
        ("empty.json", "empty.json holds no frame, so there is nothing to look at: record some"),
        ("hollow.json", "hollow.json holds frames 0–2 without figures for mali-g76"),
        ("tilelens.toml", "not a Tilelens capture"),
        ("missing", "missing"),
    ] {
        let told = check(&folder, &[file]);
        assert!(told.status == 2 && told.err.contains(words), "{file}: {}{}", told.out, told.err);
    }
    // As some editors and shells write it.
    let text = fs::read_to_string(folder.join("newer.json")).unwrap().replace("report/9", "report/1");
    fs::write(folder.join("marked.json"), format!("\u{feff}{text}")).unwrap();
    let told = check(&folder, &["marked.json"]);
    assert!(told.status == 1 && told.err.is_empty(), "{}{}", told.out, told.err);
    report(&folder, "grown", "hostile.json", |report| {
        let frame = &mut report["frames"][0];
        frame["indices"] = serde_json::json!([[u64::MAX, 0, 0], [5, u64::MAX, u64::MAX]]);
        frame["count"] = u64::MAX.into();
        frame["passes"][0]["id"] = "\u{1b}[31m\n::error::x".into();
        let gpu = &mut frame["gpus"]["mali-g76"];
        gpu["passes"][0]["source_passes"] = serde_json::json!([4_000_000_000u32, 0]);
        for entry in gpu["passes"][0]["entries"].as_array_mut().unwrap() {
            entry["bytes"] = u64::MAX.into();
            entry["attachment"] = u32::MAX.into();
        }
        report["findings"][0]["frames"] = serde_json::json!([[0, u64::MAX, 0], [9, 1, 5]]);
        report["findings"][0]["level"] = "terrible".into();
    });
    for format in ["text", "json", "github"] {
        let told = check(&folder, &["hostile.json", "--baseline", "clean", "--format", format]);
        assert!(told.status == 1 && !told.out.contains('\u{1b}'), "{format}: {}{}", told.out, told.err);
        assert!(!told.out.lines().any(|line| line.starts_with("::error::")), "{}", told.out);
    }
}

#[test]
fn a_workflow_gets_an_annotation_for_each_error_on_one_line() {
    let folder = project("check-github", &format!("{MALI}[budget]\nwrite = 16384"));
    let told = check(&folder, &["grown", "--format", "github"]);
    let first = told.out.lines().next().unwrap();
    assert_eq!(told.status, 1);
    assert!(
        first.starts_with("::error title=Tilelens::mali-g76, frames 0–2: 0.03 MiB (32768 bytes) written"),
        "{first}"
    );
    assert!(first.contains("%0Astore of `depth` (depth) in `main`: 0.02 MiB"), "{first}");
    assert_eq!(check(&folder, &["clean", "--format", "github"]).out.matches("::error").count(), 0);
}

#[test]
fn the_json_holds_every_budget_with_value_and_limit() {
    let folder = project("check-json", &format!("{MALI}[budget]\nwrite = 20000\nread = 0"));
    let (status, json) = json(&folder, &["clean", "-o", "/dev/stdout"]);
    assert_eq!((status, &json["passed"], &json["errors"], &json["warnings"]), (0, &true.into(), &0.into(), &0.into()));
    assert_eq!(
        (&json["program"], &json["input"], &json["config"]),
        (&"app".into(), &"clean".into(), &"tilelens.toml".into())
    );
    assert_eq!(json["frames"], serde_json::json!([[[0, 2, 1]]]));
    let write = json["budgets"].as_array().unwrap().iter().find(|budget| budget["quantity"] == "write").unwrap();
    assert_eq!(
        (&write["gpu"], &write["value"], &write["limit"], &write["over"], &write["basis"], &write["within"]),
        (&"mali-g76".into(), &A.into(), &20000.into(), &0.into(), &"exact".into(), &true.into())
    );
    let onto_itself = check(&folder, &["clean", "-o", "clean"]);
    assert!(onto_itself.status == 2 && onto_itself.err.contains("made from"), "{}", onto_itself.err);
    let onto_config = check(&folder, &["clean", "-o", "tilelens.toml"]);
    assert!(onto_config.status == 2 && onto_config.err.contains("made from"), "{}", onto_config.err);
}

#[test]
fn a_baseline_of_another_program_is_told() {
    let folder = project("check-other", MALI);
    let mut records = scene(|_| {});
    let Record::Run(run) = &mut records[0] else { panic!("the first record is the run") };
    run.program = "another".into();
    write(&folder.join("another"), &records);
    let told = check(&folder, &["clean", "--baseline", "another"]);
    assert!(told.status == 0 && told.out.contains("program `another` before, `app` after"), "{}{}", told.out, told.err);
}

#[test]
fn passes_in_several_frames_of_a_steady_state_are_compared_by_their_heaviest_occurrence() {
    // Two frames in turn, one of which stores depth: as in a program that updates its shadows every other frame.
    let folder = project("check-period", MALI);
    let alternating = |change: fn(&mut FrameStructure)| {
        let mut records = with_first_frame(scene(|_| {}), change);
        for record in &mut records {
            if let Record::Frame(frame) = record {
                frame.structure = u32::from(frame.index % 2 == 0);
            }
        }
        records
    };
    write(&folder.join("one"), &alternating(|frame| the_pass(frame).render_area.extent.width = 32));
    write(&folder.join("two"), &alternating(store_depth));
    assert_eq!(check(&folder, &["one", "--baseline", "one"]).status, 0);
    let grew = check(&folder, &["two", "--baseline", "one"]);
    assert!(
        grew.status == 1 && grew.out.contains("pass `main`, frames 0–2 every 2: grew by"),
        "{}{}",
        grew.out,
        grew.err
    );
}
