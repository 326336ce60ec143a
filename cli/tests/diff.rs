//! `tilelens diff`: what changed, and which frames are compared.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::scene::{A, scene, store_depth, the_pass, write};
use common::{folder, tilelens, told};
use tbdr_model::frame::{Op, Pass};
use tbdr_model::record::{Counters, FrameRecord, Record};

#[test]
fn a_difference_names_the_pass_and_what_moves_more() {
    let folder = folder("diff");
    write(&folder.join("before"), &scene(|_| {}));
    write(&folder.join("after"), &scene(store_depth));
    let diff = |arguments: &[&str]| told(tilelens(&folder).arg("diff").args(arguments).args(["--gpu", "mali-g76"]));
    let text = diff(&["before", "after"]);
    assert_eq!((text.status, text.err.as_str()), (0, ""));
    for words in [
        "frames 0–2 with frames 0–2: the same passes and transfers\n\nmali-g76: 0.02 MiB -> 0.03 MiB (+16384 bytes)",
        "  pass `main`: 0.02 MiB -> 0.03 MiB (+16384 bytes)",
        "    store of `depth` (depth), written: 0.00 MiB -> 0.02 MiB (+16384 bytes)",
        "New findings\n  TL006 store-never-read `main`, `depth`",
    ] {
        assert!(text.out.contains(words), "{words}\n{}", text.out);
    }
    let back = diff(&["after", "before"]);
    assert!(back.out.contains("(-16384 bytes)") && back.out.contains("Findings that are gone"), "{}", back.out);
    assert!(diff(&["after", "after"]).out.contains("no pass and no transfer changed"));
    let json: serde_json::Value = serde_json::from_str(&diff(&["before", "after", "--format", "json"]).out).unwrap();
    assert_eq!(json["schema"], "tilelens.diff/1");
    let change = &json["gpus"]["mali-g76"]["changes"][0];
    assert_eq!((&change["id"], &change["bytes"]), (&"main".into(), &serde_json::json!([A, 2 * A])));
    assert_eq!(change["causes"][0]["bytes"], serde_json::json!([0, A]));
    let missing = diff(&["before", "nothing"]);
    assert!(missing.status == 2 && missing.err.contains("nothing"), "{}", missing.err);
}

/// A run whose frames are all distinct: each has passes of these names, each of which stores [`A`] bytes.
fn distinct(frames: &[&[&str]]) -> Vec<Record> {
    let mut records = scene(|_| {});
    let [Record::Structure { frame, .. }, Record::Frame(occurrence)] = [records[1].clone(), records[2].clone()] else {
        panic!("a run, a structure, and its frames")
    };
    records.truncate(1);
    for (number, names) in (0u32..).zip(frames) {
        let mut frame = frame.clone();
        let pass = the_pass(&mut frame).clone();
        let named = |name: &&str| Op::Pass(Pass { name: Some((*name).into()), ..pass.clone() });
        frame.submissions[0].ops = names.iter().map(named).collect();
        let counters = vec![Counters::default(); names.len() + 1];
        records.push(Record::Structure { id: number, frame });
        let (index, structure) = (number.into(), number);
        records.push(Record::Frame(FrameRecord { index, structure, counters, ..occurrence.clone() }));
    }
    records.push(Record::End);
    records
}

#[test]
fn where_every_frame_is_distinct_frames_that_did_the_same_are_compared_or_no_difference_is_told() {
    let compared = |before: &[&[&str]], after: &[&[&str]]| {
        let folder = folder("diff-distinct");
        write(&folder.join("before"), &distinct(before));
        write(&folder.join("after"), &distinct(after));
        let diff = |format: &str| {
            let told =
                told(tilelens(&folder).args(["diff", "before", "after", "--gpu", "mali-g76", "--format", format]));
            assert_eq!(told.status, 0, "{}", told.err);
            told.out
        };
        let json: serde_json::Value = serde_json::from_str(&diff("json")).unwrap();
        let bytes = &json["gpus"]["mali-g76"]["bytes"];
        let side = |n: usize| (json["compared"]["frames"][n][0][0].as_u64().unwrap(), bytes[n].as_u64().unwrap() / A);
        (json["compared"]["likeness"].as_str().unwrap().to_string(), side(0), side(1), diff("text"))
    };
    // The heaviest of each run are a frame with three passes and one with four.
    let (likeness, was, is, text) =
        compared(&[&["a"], &["a", "b", "c"], &["a", "b"]], &[&["a", "b"], &["a", "d", "e", "f"], &["d"]]);
    assert_eq!((likeness.as_str(), was, is), ("same", (2, 2), (0, 2)));
    assert!(text.contains("frame 2 with frame 0: the same passes and transfers"), "{text}");
    assert!(text.contains("mali-g76: 0.03 MiB -> 0.03 MiB (+0 bytes)"), "{text}");

    let (likeness, was, is, text) =
        compared(&[&["a"], &["a", "b", "c"], &["a", "b"]], &[&["d"], &["d", "e", "f", "g"], &["d", "e", "f"]]);
    assert_eq!((likeness.as_str(), was, is), ("medians", (2, 2), (2, 3)));
    assert!(text.contains("No two frames have the same passes and transfers"), "{text}");
    assert!(text.contains("mali-g76: 0.03 MiB in the one, 0.05 MiB in the other\n"), "{text}");

    // A pass less is what the change did.
    let (likeness, was, is, text) = compared(&[&["a", "b"]], &[&["a"]]);
    assert_eq!((likeness.as_str(), was, is), ("steady", (0, 2), (0, 1)));
    assert!(text.contains("mali-g76: 0.03 MiB -> 0.02 MiB (-16384 bytes)"), "{text}");
}

#[test]
fn two_programs_that_are_compared_are_told_of() {
    let folder = folder("diff-programs");
    write(&folder.join("before"), &scene(|_| {}));
    let mut records = scene(|_| {});
    let Record::Run(run) = &mut records[0] else { panic!("the first record is the run") };
    run.program = "other\u{1b}[1m".into();
    write(&folder.join("after"), &records);
    for command in ["diff", "compare"] {
        let other = told(tilelens(&folder).args([command, "before", "after", "--gpu", "mali-g76"]));
        assert_eq!(other.status, 0, "{}", other.err);
        assert!(
            other.err.contains("different programs (program `app` before, `other\\u{1b}[1m` after)"),
            "{}",
            other.err
        );
        let same = told(tilelens(&folder).args([command, "before", "before", "--gpu", "mali-g76"]));
        assert_eq!((same.status, same.err.as_str()), (0, ""));
    }
}
