//! `tilelens run` around programs that do to the output folder what the layer does, and around programs that do not use Vulkan.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::{folder, tilelens, told, write_capture};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tbdr_model::frame::Boundary;
use tbdr_model::record::Record;

/// A shell script that leaves a capture for each of `devices`, as the layer would, and then runs `then`.
fn plays_the_layer(folder: &Path, devices: u32, then: &str) -> String {
    let _ = fs::remove_file(folder.join("played"));
    write_capture(&folder.join("played"));
    let made: String = (0..devices)
        .map(|n| {
            format!(
                "mkdir \"$VK_TILELENS_TBDR_OUTPUT_DIR/my-app-$$-{n}\"
                 cp played \"$VK_TILELENS_TBDR_OUTPUT_DIR/my-app-$$-{n}/capture.jsonl\"
                 echo '{{\"event\":\"device\",\"pid\":'$$'}}' >> \"$VK_TILELENS_TBDR_RUN_LOG\"\n"
            )
        })
        .collect();
    format!("set -e\n{made}{then}")
}

fn run(folder: &Path, script: &str) -> Command {
    let mut command = tilelens(folder);
    command.args(["run", "--out", "out", "--", "sh", "-c", script]);
    command
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_program_keeps_its_output_and_its_status_and_leaves_capture_and_report() {
    let folder = folder("run-one");
    let ran = told(&mut run(&folder, &plays_the_layer(&folder, 1, "echo mine; exit 7")));
    assert_eq!((ran.status, ran.out.as_str()), (7, "mine\n"), "{}", ran.err);
    assert!(ran.err.contains("not measured") && ran.err.contains("out/report.json"), "{}", ran.err);
    assert_eq!(names(&folder.join("out")), ["capture.jsonl", "report.json"]);
    let again = told(tilelens(&folder).args(["analyze", "out", "--format", "json"]));
    assert!(again.out == fs::read_to_string(folder.join("out/report.json")).unwrap());
}

#[test]
fn a_second_run_replaces_the_first_and_leaves_other_files_alone() {
    let folder = folder("run-again");
    told(&mut run(&folder, &plays_the_layer(&folder, 2, "")));
    fs::write(folder.join("out/notes.txt"), "mine").unwrap();
    let several = names(&folder.join("out"));
    assert!(several.contains(&"index.json".into()) && !several.contains(&"report.json".into()), "{several:?}");
    told(&mut run(&folder, &plays_the_layer(&folder, 1, "")));
    told(&mut run(&folder, &plays_the_layer(&folder, 1, "")));
    let one: Vec<_> = names(&folder.join("out")).into_iter().filter(|name| !name.starts_with("my-app-")).collect();
    assert_eq!(one, ["capture.jsonl", "notes.txt", "report.json"]);
}

#[test]
fn several_devices_keep_a_folder_each_and_an_index_lists_them() {
    let folder = folder("run-several");
    let ran = told(&mut run(&folder, &plays_the_layer(&folder, 2, "")));
    assert_eq!(ran.status, 0);
    let index: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("out/index.json")).unwrap()).unwrap();
    assert_eq!(index["schema"], "tilelens.index/1");
    for row in index["runs"].as_array().unwrap() {
        assert_eq!((row["program"].as_str(), row["frames"].as_u64()), (Some("app"), Some(3)));
        let named = folder.join("out").join(row["folder"].as_str().unwrap());
        assert_eq!(names(&named), ["capture.jsonl", "report.json"]);
        assert!(ran.err.contains(row["folder"].as_str().unwrap()), "{}", ran.err);
    }
    assert_eq!(index["runs"].as_array().unwrap().len(), 2);
    let refused = told(tilelens(&folder).args(["analyze", "out"]));
    assert!(refused.status == 2 && refused.err.contains("name one of"), "{}", refused.err);
}

#[test]
fn a_killed_program_still_gets_its_report() {
    let folder = folder("run-killed");
    let then = "cd \"$VK_TILELENS_TBDR_OUTPUT_DIR\"/my-app-$$-0; head -n 5 capture.jsonl > cut; printf '{\"rec' >> cut; \
                mv cut capture.jsonl; echo old > report.json; kill -9 $$";
    let ran = told(&mut run(&folder, &plays_the_layer(&folder, 1, then)));
    assert_eq!(ran.status, 128 + 9);
    assert!(ran.err.contains("signal 9") && ran.err.contains("cut short"), "{}", ran.err);
    let report = fs::read_to_string(folder.join("out/report.json")).unwrap();
    assert!(report.contains("\"frame_count\": 2") && report.contains("\"complete\": false"), "{report}");
}

#[test]
fn a_signal_to_the_command_reaches_the_program_and_the_report_is_finished() {
    let folder = folder("run-signal");
    let script = plays_the_layer(&folder, 1, "trap 'exit 3' TERM; touch ready; while :; do sleep 0.05; done");
    let child = run(&folder, &script).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !folder.join("ready").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // The shell's own kill: the command of that name is not everywhere.
    let kill = format!("kill {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(&folder.join("out")), ["capture.jsonl", "report.json"]);
}

#[test]
fn an_unknown_gpu_is_refused_before_the_program_starts() {
    let folder = folder("run-unknown-gpu");
    let refused = told(tilelens(&folder).args(["run", "--gpu", "adreno-651", "--", "touch", "started"]));
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("`adreno-651`") && refused.err.contains("adreno-650"), "{}", refused.err);
    let from_variable = told(tilelens(&folder).env("VK_TBDR_GPU", "x").args(["run", "--", "touch", "started"]));
    assert!(from_variable.status == 2 && from_variable.err.contains("setting `gpu`"), "{}", from_variable.err);
    let near = told(tilelens(&folder).env("VK_TILELENS_TBDR_GPU", "mali-g86").args(["run", "--", "touch", "started"]));
    assert!(
        near.status == 2 && near.err.contains("VK_TILELENS_TBDR_GPU") && near.err.contains("mali-g76"),
        "{}",
        near.err
    );
    let frames = told(tilelens(&folder).args(["run", "--frames", "9..2", "--", "touch", "started"]));
    assert!(frames.status == 2 && frames.err.contains("first-count-step"), "{}", frames.err);
    assert!(!folder.join("started").exists());
}

#[test]
fn every_way_to_choose_frames_is_an_option() {
    let folder = folder("run-frames");
    let chosen = ["--frames", "5..", "--frames-label", "record..stop", "--frames-file", "go", "--frame-submits", "3"];
    let print = ["--", "sh", "-c", "env | grep ^VK_TILELENS_TBDR_FRAME | sort"];
    let ran = told(tilelens(&folder).arg("run").args(chosen).args(print));
    let file = folder.canonicalize().unwrap().join("go");
    let expected = [
        "VK_TILELENS_TBDR_FRAMES=5..".into(),
        format!("VK_TILELENS_TBDR_FRAMES_FILE={}", file.display()),
        "VK_TILELENS_TBDR_FRAMES_LABEL=record..stop".into(),
        "VK_TILELENS_TBDR_FRAME_SUBMITS=3".into(),
    ];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), expected, "the program may change its folder: {}", ran.err);
    let none = told(tilelens(&folder).args(["run", "--frames-label", "", "--frames-file", ""]).args(print));
    assert_eq!(
        none.out.lines().collect::<Vec<_>>(),
        // A blank: an empty variable counts as none.
        ["VK_TILELENS_TBDR_FRAMES_FILE= ", "VK_TILELENS_TBDR_FRAMES_LABEL= "]
    );
}

#[test]
fn an_output_folder_that_cannot_be_written_is_refused_before_the_program_starts() {
    let folder = folder("run-unwritable");
    fs::write(folder.join("file"), "").unwrap();
    let refused = told(tilelens(&folder).args(["run", "--out", "file/out", "--", "touch", "started"]));
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("file/out") && refused.err.contains("--out"), "{}", refused.err);
    assert!(!folder.join("started").exists());
}

#[test]
fn somebody_elses_report_is_never_replaced() {
    let folder = folder("run-foreign-report");
    fs::create_dir(folder.join("out")).unwrap();
    fs::write(folder.join("out/report.json"), "{\"passed\": true}").unwrap();
    let refused = told(&mut run(&folder, "touch started"));
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("out/report.json"), "{}", refused.err);
    assert_eq!(fs::read_to_string(folder.join("out/report.json")).unwrap(), "{\"passed\": true}");
}

#[test]
fn a_program_that_never_loads_the_layer_is_told_so() {
    let folder = folder("run-no-vulkan");
    let ran = told(&mut run(&folder, "echo hello; exit 4"));
    assert_eq!((ran.status, ran.out.as_str()), (4, "hello\n"));
    assert!(ran.err.contains("sh never loaded the layer"), "{}", ran.err);
    assert_eq!(names(&folder.join("out")), [] as [&str; 0]);
}

#[test]
fn a_program_that_is_only_asked_about_itself_ends_with_one_short_line() {
    let folder = folder("run-help");
    for word in ["--help", "--version"] {
        let mut command = run(&folder, "echo usage; exit 0");
        command.arg(word);
        let ran = told(&mut command);
        assert_eq!((ran.status, ran.out.as_str()), (0, "usage\n"));
        assert_eq!(ran.err, "note: sh made no Vulkan device: nothing was recorded\n");
    }
}

#[test]
fn results_of_an_earlier_run_are_not_taken_for_those_of_a_program_that_left_none() {
    let folder = folder("run-earlier");
    told(&mut run(&folder, &plays_the_layer(&folder, 1, "")));
    let ran = told(&mut run(&folder, "exit 0"));
    assert!(ran.err.contains("sh never loaded the layer"), "{}", ran.err);
    let line = ran.err.lines().find(|line| line.contains("earlier run")).unwrap_or_else(|| panic!("{}", ran.err));
    assert!(line.contains("out/capture.jsonl") && line.contains("out/report.json"), "{line}");
    assert_eq!(names(&folder.join("out")), ["capture.jsonl", "report.json"], "they are left alone");
    let first = told(tilelens(&folder).args(["run", "--out", "new", "--", "true"]));
    assert!(!first.err.contains("earlier run"), "{}", first.err);
}

#[test]
fn a_pipe_in_the_output_folder_is_refused_and_never_waited_for() {
    for name in ["capture.jsonl", "report.json", "index.json"] {
        let folder = folder("run-pipe");
        fs::create_dir(folder.join("out")).unwrap();
        assert!(Command::new("mkfifo").arg(folder.join("out").join(name)).status().unwrap().success());
        let refused = told(&mut run(&folder, "touch started"));
        assert!(refused.status == 2 && refused.err.contains(&format!("{name} is no file")), "{}", refused.err);
        assert!(!folder.join("started").exists());
    }
}

#[test]
fn a_fault_of_the_layer_is_not_taken_for_a_program_that_does_nothing() {
    let folder = folder("run-fault");
    let log = |event: &str| format!("echo '{{\"event\":\"{event}\",\"pid\":'$$'}}' >> \"$VK_TILELENS_TBDR_RUN_LOG\"\n");
    let ran = told(&mut run(&folder, &(log("instance") + &log("device") + &log("fault"))));
    let words = "the layer stepped aside after a fault; its log says more";
    assert!(ran.status == 0 && ran.err.contains(words) && !ran.err.contains("submitted no work"), "{}", ran.err);
    let half = told(&mut run(&folder, &plays_the_layer(&folder, 1, &log("fault"))));
    assert!(half.err.contains(words) && half.err.contains("3 frames recorded"), "{}", half.err);
}

#[test]
fn submissions_per_frame_are_an_option_too() {
    let folder = folder("run-frame-submits");
    let script = "echo \"$VK_TILELENS_TBDR_FRAME_SUBMITS\"";
    let ran = told(tilelens(&folder).args(["run", "--frame-submits", "7", "--", "sh", "-c", script]));
    assert_eq!(ran.out, "7\n");
    let given = told(tilelens(&folder).env("VK_TBDR_FRAME_SUBMITS", "3").args(["run", "--", "sh", "-c", script]));
    assert_eq!(given.out, "\n", "what the environment says stands");
    let refused = told(tilelens(&folder).args(["run", "--frame-submits", "many", "--", "touch", "started"]));
    assert!(refused.status == 2 && refused.err.contains("--frame-submits"), "{}", refused.err);
}

#[test]
fn a_program_without_presents_is_told_how_its_frames_are_told_apart() {
    let folder = folder("run-no-present");
    let mut writer = tilelens_capture::Writer::create(&folder.join("capture.jsonl")).unwrap();
    for mut record in common::records().into_iter().filter(|record| !matches!(record, Record::Frame(f) if f.index > 0))
    {
        if let Record::Structure { frame, .. } = &mut record {
            frame.boundary = Boundary::End;
        }
        writer.append(&record).unwrap();
    }
    drop(writer);
    let text = told(tilelens(&folder).args(["analyze", "."])).out;
    let [variable, _] = tilelens_manifest::environment_names("frame_submits");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("--frame-submits N") && words.contains(&format!("{variable}=N")), "{text}");
}

#[test]
fn a_run_writes_both_files_and_says_so_where_a_setting_forbids_one() {
    let folder = folder("run-needs-both");
    for key in ["CAPTURE", "REPORT"] {
        let script = plays_the_layer(&folder, 1, &format!("echo $VK_TILELENS_TBDR_{key}"));
        let ran = told(run(&folder, &script).env(format!("VK_TBDR_{key}"), "off"));
        assert!(ran.out == "on\n" && ran.err.contains("needs capture and report"), "{}{}", ran.out, ran.err);
    }
    let ran = told(&mut run(&folder, &plays_the_layer(&folder, 1, "")));
    assert!(!ran.err.contains("needs capture and report"), "{}", ran.err);
}

#[test]
fn the_summary_names_a_command_that_the_shell_finds() {
    let folder = folder("run-hint");
    let own = env!("CARGO_BIN_EXE_tilelens");
    let ran = told(&mut run(&folder, &plays_the_layer(&folder, 1, "")));
    assert!(ran.err.contains(&format!("Other GPUs: {own} analyze out --gpu all")), "{}", ran.err);
    let path = format!("{}:{}", Path::new(own).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let ran = told(run(&folder, &plays_the_layer(&folder, 1, "")).env("PATH", path));
    assert!(ran.err.contains("Other GPUs: tilelens analyze out --gpu all"), "{}", ran.err);
}

#[test]
fn a_link_in_the_output_folder_is_refused_before_the_program_starts() {
    for name in ["capture.jsonl", "report.json", "index.json"] {
        let folder = folder("run-link");
        fs::create_dir(folder.join("out")).unwrap();
        fs::write(folder.join("victim"), "untouched").unwrap();
        std::os::unix::fs::symlink("../victim", folder.join("out").join(name)).unwrap();
        let refused = told(&mut run(&folder, "touch started"));
        assert!(refused.status == 2 && refused.err.contains(&format!("{name} is a link")), "{}", refused.err);
        assert!(!folder.join("started").exists());
        assert_eq!(fs::read_to_string(folder.join("victim")).unwrap(), "untouched");
    }
}

#[test]
fn what_a_run_leaves_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("run-modes");
    told(&mut run(&folder, &plays_the_layer(&folder, 2, "")));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.join("out")), 0o700);
    assert_eq!(mode(&folder.join("out/index.json")), 0o600);
    let reports = names(&folder.join("out")).into_iter().filter(|name| name.starts_with("my-app"));
    assert!(reports.map(|name| mode(&folder.join("out").join(name).join("report.json"))).all(|mode| mode == 0o600));
}

#[test]
fn a_program_that_submits_nothing_is_told_so() {
    let folder = folder("run-idle");
    let log = |event: &str| format!("echo '{{\"event\":\"{event}\",\"pid\":'$$'}}' >> \"$VK_TILELENS_TBDR_RUN_LOG\"\n");
    let ran = told(&mut run(&folder, &(log("instance") + &log("device"))));
    assert!(ran.status == 0 && ran.err.contains("submitted no work"), "{}", ran.err);
    let ran = told(&mut run(&folder, &log("instance")));
    assert!(ran.err.contains("no device"), "{}", ran.err);
}

#[test]
fn a_program_of_another_architecture_or_with_other_rights_is_told_why() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("run-reasons");
    let program = folder.join("program");
    fs::copy("/bin/true", &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let mut other = fs::read(env!("CARGO_BIN_EXE_tilelens")).unwrap()[..64].to_vec();
    other[4] = 3 - other[4];
    fs::write(folder.join("other.so"), other).unwrap();
    let ran = told(tilelens(&folder).args(["run", "--layer", "other.so", "--", "./program"]));
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.err.contains("setuid") && ran.err.contains("another kind of machine"), "{}", ran.err);
}

#[test]
fn a_program_that_is_not_there_ends_as_in_a_shell() {
    let folder = folder("run-missing");
    fs::write(folder.join("text"), "no program").unwrap();
    let missing = told(tilelens(&folder).args(["run", "--", "./no-such-program"]));
    assert!(missing.status == 127 && missing.err.contains("no-such-program"), "{}", missing.err);
    assert_eq!(told(tilelens(&folder).args(["run", "--", "./text"])).status, 126);
    assert_eq!(told(tilelens(&folder).args(["run", "--layer", "nowhere.so", "--", "true"])).status, 2);
    assert_eq!(told(tilelens(&folder).args(["run"])).status, 2);
}

#[test]
fn the_gpu_that_will_run_can_be_asked_for_before_anything_runs() {
    let folder = folder("run-running");
    let script = plays_the_layer(&folder, 1, "echo \"$VK_TILELENS_TBDR_GPU $VK_TILELENS_TBDR_OVER_BUDGET\"");
    let options = ["run", "--gpu", "running,mali-g76", "--over-budget", "not_merged", "--", "sh", "-c", &script];
    let ran = told(tilelens(&folder).args(options));
    assert_eq!((ran.status, ran.out.as_str()), (0, "running,mali-g76 not_merged\n"), "{}", ran.err);
    let refused = told(tilelens(&folder).args(["run", "--gpu", "running,mali-g67", "--", "sh", "-c", "echo started"]));
    assert!(refused.status == 2 && refused.out.is_empty() && refused.err.contains("near: mali-g"), "{}", refused.err);
}
