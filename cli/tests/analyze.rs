//! `tilelens analyze` on good, foreign, newer, cut and missing captures, and the small subcommands.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::{folder, records, tilelens, told, write_capture};
use std::fs;
use tbdr_model::gpu::select;
use tbdr_model::record::{Device, Record};
use tbdr_model::session::Session;
use tilelens_capture::Writer;

/// What the running layer writes for the same records.
fn report_of_the_layer(gpus: &[&str]) -> String {
    let mut session = Session::new(select(gpus).unwrap());
    records().iter().for_each(|record| session.record(record));
    session.report().to_json()
}

#[test]
fn the_report_from_a_capture_is_the_layers_byte_for_byte() {
    let folder = folder("analyze-same");
    write_capture(&folder.join("capture.jsonl"));
    let told_file = told(tilelens(&folder).args(["analyze", "capture.jsonl", "--format", "json"]));
    assert_eq!((told_file.status, told_file.err.as_str()), (0, ""));
    assert!(told_file.out == report_of_the_layer(&["mali-g76", "adreno-650", "apple-m1"]));
    let told_folder = told(tilelens(&folder).args(["analyze", ".", "--format", "json", "-o", "again.json"]));
    assert_eq!((told_folder.status, told_folder.out.as_str()), (0, ""));
    assert!(fs::read_to_string(folder.join("again.json")).unwrap() == told_file.out);
}

#[test]
fn another_gpu_needs_no_other_run() {
    let folder = folder("analyze-gpu");
    write_capture(&folder.join("capture.jsonl"));
    let other = told(tilelens(&folder).args(["analyze", ".", "--gpu", "mali-t880,adreno-740", "--format", "json"]));
    assert!(other.out == report_of_the_layer(&["mali-t880", "adreno-740"]), "{}", other.err);
    let text = told(tilelens(&folder).args(["analyze", ".", "--gpu", "mali-t880"]));
    assert!(text.out.contains("mali-t880") && text.out.contains("not measured"), "{}", text.out);
    assert!(!text.out.contains('\u{1b}'), "no escapes where no terminal is");
}

#[test]
fn an_unknown_gpu_is_refused_with_what_comes_near() {
    let folder = folder("analyze-unknown");
    write_capture(&folder.join("capture.jsonl"));
    let refused = told(tilelens(&folder).args(["analyze", ".", "--gpu", "mali-g86"]));
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("`mali-g86`") && refused.err.contains("mali-g76"), "{}", refused.err);
    assert!(refused.err.contains("tilelens gpus"), "{}", refused.err);
}

#[test]
fn a_capture_that_a_kill_cut_short_is_read_up_to_there() {
    let folder = folder("analyze-cut");
    let path = folder.join("capture.jsonl");
    write_capture(&path);
    let bytes = fs::read(&path).unwrap();
    let last_frame = bytes.windows(7).rposition(|window| window == b"\"frame\"").unwrap();
    fs::write(&path, &bytes[..last_frame]).unwrap();
    let cut = told(tilelens(&folder).args(["analyze", ".", "--format", "json"]));
    assert_eq!(cut.status, 0, "{}", cut.err);
    assert!(cut.err.contains("capture.jsonl:6: cut"), "{}", cut.err);
    assert!(cut.out.contains("\"frame_count\": 2") && cut.out.contains("\"complete\": false"), "{}", cut.out);
}

#[test]
fn files_that_are_no_captures_are_told_apart() {
    let folder = folder("analyze-foreign");
    fs::write(folder.join("trace.gfxr"), b"GFXR\0\0\0\0").unwrap();
    fs::write(folder.join("report.json"), report_of_the_layer(&["apple-m1"])).unwrap();
    fs::write(folder.join("newer.jsonl"), "{\"tilelens_capture\":2,\"writer\":\"3.0.0\"}\n").unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    let cases = [
        ("trace.gfxr", "gfxreconstruct"),
        ("report.json", "a Tilelens report"),
        ("newer.jsonl", "3.0.0"),
        ("empty.jsonl", "empty"),
        ("missing.jsonl", "missing.jsonl: cannot be read"),
        (".", "holds no capture.jsonl"),
    ];
    for (file, words) in cases {
        let refused = told(tilelens(&folder).args(["analyze", file]));
        assert_eq!((refused.status, refused.out.as_str()), (2, ""), "{file}");
        assert!(refused.err.contains(words), "{file}: {}", refused.err);
    }
}

#[test]
fn an_output_file_that_cannot_be_written_is_named() {
    let folder = folder("analyze-unwritable");
    write_capture(&folder.join("capture.jsonl"));
    let refused = told(tilelens(&folder).args(["analyze", ".", "-o", "capture.jsonl/x/report.txt"]));
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("capture.jsonl/x/report.txt") && refused.err.contains("-o"), "{}", refused.err);
}

#[test]
fn the_capture_is_never_replaced_by_its_report() {
    let folder = folder("analyze-onto-itself");
    write_capture(&folder.join("capture.jsonl"));
    write_capture(&folder.join("after.jsonl"));
    let before = fs::read(folder.join("capture.jsonl")).unwrap();
    let commands: [&[&str]; 3] = [
        &["analyze", ".", "-o", "./capture.jsonl"],
        &["analyze", "capture.jsonl", "--format", "json", "-o", "../analyze-onto-itself/capture.jsonl"],
        &["compare", "--gpu", "mali-g76", "after.jsonl", "capture.jsonl", "-o", "capture.jsonl"],
    ];
    for command in commands {
        let refused = told(tilelens(&folder).args(command));
        assert!(refused.status == 2 && refused.err.contains("made from"), "{command:?}: {}", refused.err);
        assert!(fs::read(folder.join("capture.jsonl")).unwrap() == before);
    }
}

#[test]
#[cfg(unix)]
fn what_is_no_file_is_written_into_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let folder = folder("analyze-no-file");
    write_capture(&folder.join("capture.jsonl"));
    let analyze = |output: &str| told(tilelens(&folder).args(["analyze", ".", "--format", "json", "-o", output]));
    let report = report_of_the_layer(&["mali-g76", "adreno-650", "apple-m1"]);
    let shown = analyze("/dev/stdout");
    assert!(shown.status == 0 && shown.out == report, "{}", shown.err);
    assert_eq!(analyze("/dev/null").status, 0);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());

    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    assert_eq!(analyze("pipe").status, 0);
    assert!(reader.join().unwrap() == report && fs::metadata(&pipe).unwrap().file_type().is_fifo());

    // A shell's `> file`: what it has opened is not replaced by another file behind its back.
    let file = fs::File::create(folder.join("redirected")).unwrap();
    let status = tilelens(&folder)
        .args(["analyze", ".", "--format", "json", "-o", "/dev/stdout"])
        .stdout(file.try_clone().unwrap())
        .status()
        .unwrap();
    assert!(status.success() && file.metadata().unwrap().len() == report.len() as u64);
}

#[test]
fn gpus_go_by_any_spelling_and_a_misspelt_command_is_told_the_right_one() {
    let folder = folder("spelling");
    let details = |id: &str| told(tilelens(&folder).args(["gpus", id])).out;
    assert!(details("MALI-G76").starts_with("mali-g76: ") && details("Mali_G76") == details("mali-g76"));
    write_capture(&folder.join("capture.jsonl"));
    let analyzed = told(tilelens(&folder).args(["analyze", ".", "--gpu", "Adreno 650", "--format", "json"]));
    assert!(analyzed.out == report_of_the_layer(&["adreno-650"]), "{}", analyzed.err);
    for (typed, meant) in [("rnu", "run"), ("analyse", "analyze"), ("gpu", "gpus"), ("docter", "doctor")] {
        let refused = told(tilelens(&folder).arg(typed));
        assert!(refused.status == 2 && refused.err.contains(&format!("exists: '{meant}'")), "{}", refused.err);
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder("analyze-pipe");
    // `true` has ended long before the first byte is written.
    let script = "(sleep 0.3; \"$TILELENS\" schema capture 2>errors; echo $? >status) | true; sleep 0.6";
    let status = std::process::Command::new("sh")
        .args(["-c", script])
        .env("TILELENS", env!("CARGO_BIN_EXE_tilelens"))
        .current_dir(&folder)
        .status()
        .unwrap();
    assert!(status.success());
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!((read("status").as_str(), read("errors").as_str()), ("0\n", ""));
}

#[test]
fn every_gpu_is_listed_and_shows_its_sources() {
    let folder = folder("gpus");
    let list = told(tilelens(&folder).arg("gpus"));
    for profile in tbdr_model::gpu::builtin() {
        assert!(list.out.contains(&profile.id), "{}", list.out);
        let details = told(tilelens(&folder).args(["gpus", &profile.id]));
        for figure in &profile.figures {
            assert!(details.out.contains(&figure.key) && details.out.contains(&figure.source), "{}", details.out);
        }
    }
    let json: serde_json::Value =
        serde_json::from_str(&told(tilelens(&folder).args(["gpus", "--format", "json"])).out).unwrap();
    assert_eq!(json.as_array().unwrap().len(), tbdr_model::gpu::builtin().len());
    assert_eq!(told(tilelens(&folder).args(["gpus", "no-such-gpu"])).status, 2);
}

#[test]
fn schemas_are_json_and_name_what_they_describe() {
    let folder = folder("schema");
    let report: serde_json::Value = serde_json::from_str(&told(tilelens(&folder).arg("schema")).out).unwrap();
    let mut described: Vec<_> = report["properties"].as_object().unwrap().keys().cloned().collect();
    let written: serde_json::Value = serde_json::from_str(&report_of_the_layer(&["all"])).unwrap();
    described.retain(|key| !["allowed", "gaps"].contains(&key.as_str()));
    assert_eq!(written.as_object().unwrap().keys().cloned().collect::<Vec<_>>(), described);
    serde_json::from_str::<serde_json::Value>(&told(tilelens(&folder).args(["schema", "capture"])).out).unwrap();
}

#[test]
fn a_rule_is_explained_by_code_or_name_and_a_word_that_is_neither_is_answered_with_rules_that_come_near() {
    let folder = folder("explain");
    let explain = |word: &str| told(tilelens(&folder).args(["explain", word]));
    for word in ["tl006", "Store-Never-Read"] {
        assert!(explain(word).out.starts_with("TL006 store-never-read"), "{word}: {}", explain(word).err);
    }
    for (word, near) in
        [("TL06", "near: TL00"), ("never-read", "TL006 store-never-read"), ("dead", "TL001 load-of-dead")]
    {
        let refused = explain(word);
        assert!(refused.status == 2 && refused.err.contains(near), "{word}: {}", refused.err);
    }
    let far = explain("foo").err;
    assert!(!far.contains("near") && far.contains("`tilelens rules` lists them"), "{far}");
}

#[test]
fn shells_complete_the_subcommands() {
    let script = told(tilelens(&folder("completions")).args(["completions", "bash"]));
    assert!(script.status == 0 && script.out.contains("analyze") && script.out.contains("--frames"));
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let folder = folder("man");
    let main = told(tilelens(&folder).arg("man"));
    assert!(main.status == 0 && main.out.contains(".TH tilelens 1"), "{}", main.out);
    assert_eq!(told(tilelens(&folder).args(["man", "--output", "pages"])).status, 0);
    for name in ["tilelens", "tilelens-run", "tilelens-check", "tilelens-init", "tilelens-diff", "tilelens-compare"] {
        let page = fs::read_to_string(folder.join("pages").join(format!("{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")) && page.contains(".SH OPTIONS"), "{page}");
    }
    assert!(told(tilelens(&folder).args(["man", "run"])).out.contains("every tenth frame"));
    let refused = told(tilelens(&folder).args(["man", "doctor-probe"]));
    assert!(refused.status == 2 && refused.err.contains("there are tilelens"), "{}", refused.err);
}

#[test]
fn the_gpu_that_ran_is_found_in_the_capture_and_a_foreign_one_is_refused_with_the_remedy() {
    let folder = folder("analyze-running");
    let with_device = |file: &str, vendor_id, name: &str| {
        let mut records = records();
        let Record::Run(run) = &mut records[0] else { panic!("the first record is the run") };
        run.device = Device { vendor_id, name: name.into(), ..Device::default() };
        let mut writer = Writer::create(&folder.join(file)).unwrap();
        for record in &records {
            writer.append(record).unwrap();
        }
    };
    with_device("adreno.jsonl", 0x5143, "Adreno (TM) 650");
    with_device("desktop.jsonl", 0x10DE, "GeForce\u{1b}[1m");
    let running = |file: &str| told(tilelens(&folder).args(["analyze", file, "--gpu", "Running", "--format", "json"]));
    assert!(running("adreno.jsonl").out.contains("\"adreno-650\": {"), "{}", running("adreno.jsonl").err);
    let refused = running("desktop.jsonl");
    assert_eq!((refused.status, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("`GeForce\\u{1b}[1m`, is not modelled; name a GPU instead"), "{}", refused.err);
}

#[test]
fn a_choice_about_drivers_takes_the_place_of_the_recorded_one_and_a_wrong_one_is_answered_with_those_there_are() {
    let folder = folder("analyze-choices");
    write_capture(&folder.join("capture.jsonl"));
    let chosen =
        |choice: &str| told(tilelens(&folder).args(["analyze", ".", "--format", "json", "--over-budget", choice]));
    assert!(chosen("not_merged").out.contains("\"over_budget\": \"not_merged\""));
    let refused = chosen("neither");
    assert_eq!((refused.status, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("smaller_tiles") && refused.err.contains("not_merged"), "{}", refused.err);
}
