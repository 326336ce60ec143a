//! A command that is called the wrong way says so in a line that names the argument and the right way, and ends with code 2.
#![allow(clippy::unwrap_used)]

use std::process::Command;

/// Exit code, and what is told.
fn told(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    // A programmer's environment: anyhow would print where the error was made.
    let output = command.args(arguments).env("RUST_BACKTRACE", "1").output().unwrap();
    assert!(output.stdout.is_empty(), "{output:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_argument_that_no_command_knows_is_named_with_the_usage_and_without_a_backtrace() {
    for command in ["registry", "manifests", "docs", "coverage", "schemas"] {
        let (code, text) = told(&[command, "--list"]);
        assert_eq!(code, Some(2), "{text}");
        assert!(
            text.starts_with(&format!("error: unexpected argument \"--list\". Usage: cargo xtask {command}")),
            "{text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[test]
fn a_check_asked_for_twice_and_a_second_registry_are_unexpected() {
    for arguments in [&["docs", "--check", "--check"], &["registry", "vk.xml", "video.xml"]] {
        let (code, text) = told(arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("unexpected argument"), "{text}");
    }
}

#[test]
fn a_registry_has_to_be_named() {
    let (code, text) = told(&["registry", "--check"]);
    assert_eq!((code, text.lines().count()), (Some(2), 1), "{text}");
    assert!(text.contains("no PATH of the registry"), "{text}");
}

#[test]
fn no_command_and_an_unknown_one_list_those_there_are() {
    for (arguments, what) in
        [(&[][..], "no command."), (&["cover\u{1b}[31mage"], "no such command: \"cover\\u{1b}[31mage\"")]
    {
        let (code, text) = told(arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.starts_with(&format!("error: {what}")), "{text}");
        for command in ["registry", "manifests", "docs", "coverage", "schemas"] {
            assert!(text.contains(&format!("\n  cargo xtask {command} ")), "{text}");
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_no_wrong_call() {
    let (code, text) = told(&["registry", "no/such/vk.xml"]);
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    assert!(text.starts_with("error: cannot read the registry no/such/vk.xml: "), "{text}");
}
