//! Output files stay in the folder that was asked for and are their owner's alone, whatever was planted there before.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tilelens_capture::{Access, Folder, Writer, append, create_folders, write_atomic};

/// An empty folder of this test with a file outside that a planted link would reach.
fn planted(name: &str) -> (PathBuf, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("run")).unwrap();
    fs::write(folder.join("victim"), "untouched").unwrap();
    (folder.join("run"), folder.join("victim"))
}

fn untouched(victim: &Path) -> bool {
    fs::read(victim).unwrap() == b"untouched"
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_link_named_like_the_capture_is_refused() {
    for target in ["../victim", "../nowhere"] {
        let (run, victim) = planted("capture-link");
        symlink(target, run.join("capture.jsonl")).unwrap();
        let folder = Folder::open(&run, false).unwrap();
        for error in [Writer::create(&run.join("capture.jsonl")), Writer::create_in(&folder, 0)] {
            let error = error.unwrap_err().to_string();
            assert!(error.contains("capture.jsonl is a link") && error.contains("remove it"), "{error}");
        }
        assert!(untouched(&victim) && !victim.with_file_name("nowhere").exists());
    }
}

#[test]
fn a_link_named_like_the_report_is_refused() {
    let (run, victim) = planted("report-link");
    symlink("../victim", run.join("report.json")).unwrap();
    let error = write_atomic(&run.join("report.json"), b"{}", Access::Private).unwrap_err().to_string();
    assert!(error.contains("report.json is a link"), "{error}");
    assert!(untouched(&victim) && run.join("report.json").is_symlink());
    assert_eq!(fs::read_dir(&run).unwrap().count(), 1, "nothing else is left behind");
}

#[test]
fn a_link_named_like_the_unfinished_report_is_refused() {
    let (run, victim) = planted("partial-link");
    symlink("../victim", run.join(".report.json.partial")).unwrap();
    let error = write_atomic(&run.join("report.json"), b"{}", Access::Private).unwrap_err().to_string();
    assert!(error.contains(".report.json.partial is a link"), "{error}");
    assert!(untouched(&victim) && !run.join("report.json").exists());
}

#[test]
fn a_link_named_like_the_folder_of_a_run_is_refused() {
    let (run, _) = planted("folder-link");
    let link = run.with_file_name("link");
    symlink("run", &link).unwrap();
    assert_eq!(Folder::create(&link).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    assert!(Folder::open(&link, false).unwrap_err().to_string().contains("link is a link"));
    assert!(Folder::open(&link, true).is_ok(), "whoever names a link to be written into may");
}

#[test]
fn a_folder_whose_name_is_given_to_a_link_later_still_gets_its_files() {
    let (run, victim) = planted("folder-swapped");
    let folder = Folder::create(&run.join("app-1-0")).unwrap();
    fs::create_dir(victim.with_file_name("elsewhere")).unwrap();
    fs::rename(run.join("app-1-0"), run.join("moved")).unwrap();
    symlink("../elsewhere", run.join("app-1-0")).unwrap();
    Writer::create_in(&folder, 0).unwrap();
    folder.write_atomic(OsStr::new("report.json"), b"{}", Access::Private).unwrap();
    assert_eq!(fs::read_dir(victim.with_file_name("elsewhere")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(run.join("moved")).unwrap().count(), 2);
}

#[test]
fn a_name_cannot_leave_its_folder() {
    let (run, victim) = planted("names");
    let folder = Folder::open(&run, false).unwrap();
    for name in ["../victim", "..", ".", "", "/etc/x", "a/b"] {
        assert!(folder.write_atomic(OsStr::new(name), b"", Access::Private).is_err(), "{name}");
        assert!(folder.create_file(name, Access::Private).is_err(), "{name}");
        assert!(folder.remove(OsStr::new(name)).is_err(), "{name}");
    }
    assert!(untouched(&victim));
}

#[test]
fn a_log_is_appended_to_a_file_and_never_through_a_link() {
    let (run, victim) = planted("log");
    symlink("../victim", run.join("log")).unwrap();
    let error = append(&run.join("log")).unwrap_err().to_string();
    assert!(error.contains("log is a link") && untouched(&victim), "{error}");
    for line in ["one\n", "two\n"] {
        append(&run.join("plain")).unwrap().write_all(line.as_bytes()).unwrap();
    }
    assert_eq!(fs::read_to_string(run.join("plain")).unwrap(), "one\ntwo\n");
    assert_eq!(mode(&run.join("plain")), 0o600);
}

#[test]
fn a_log_in_a_pipe_that_nobody_reads_does_not_make_the_program_wait() {
    let (run, _) = planted("pipe");
    let made = std::process::Command::new("mkfifo").arg(run.join("pipe")).status();
    assert!(made.unwrap().success());
    assert!(append(&run.join("pipe")).is_err());
}

#[test]
fn captures_and_reports_are_their_owners_alone() {
    let (run, _) = planted("modes");
    create_folders(&run.join("a/b")).unwrap();
    let folder = Folder::create(&run.join("a/b/app-1-0")).unwrap();
    Writer::create_in(&folder, 0).unwrap();
    folder.write_atomic(OsStr::new("report.json"), b"{}", Access::Private).unwrap();
    for made in ["a", "a/b", "a/b/app-1-0"] {
        assert_eq!(mode(&run.join(made)), 0o700, "{made}");
    }
    for file in ["capture.jsonl", "report.json"] {
        assert_eq!(mode(&folder.path().join(file)), 0o600, "{file}");
    }
    write_atomic(&run.join("asked.json"), b"{}", Access::Umask).unwrap();
    assert_ne!(mode(&run.join("asked.json")) & 0o400, 0);
}

#[test]
fn an_output_folder_that_is_another_users_link_is_refused() {
    let (run, _) = planted("foreign-link");
    let link = run.with_file_name("out");
    symlink("run", &link).unwrap();
    create_folders(&link).unwrap();
    // Only root can give a link away; everybody else meets the case in shared folders only.
    if link.symlink_metadata().unwrap().uid() == 0 {
        std::os::unix::fs::lchown(&link, Some(65534), Some(65534)).unwrap();
        let error = create_folders(&link).unwrap_err().to_string();
        assert!(error.contains("out is a link"), "{error}");
    }
}

#[test]
fn a_report_is_replaced_whole_and_what_a_kill_left_goes() {
    let (run, _) = planted("atomic");
    let path = run.join("report.json");
    write_atomic(&path, b"one", Access::Private).unwrap();
    fs::write(run.join(".report.json.partial"), "left by a kill").unwrap();
    write_atomic(&path, b"two", Access::Private).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::read_dir(&run).unwrap().count(), 1);
    assert_eq!(Writer::create(&path).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
}
