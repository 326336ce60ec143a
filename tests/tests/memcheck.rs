//! Whole programs under valgrind: the layer reads and writes no memory that is not its own, and loses none.
//!
//! What the driver and the loader do is theirs, also where we have called them: an error counts if our code made it. Slow: `./test --full` runs this.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::Command;
use std::time::Duration;
use tilelens_tests::real::{self, Layers, Missing};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{artefacts, need, process};

const LIMIT: Duration = Duration::from_secs(600);

/// The errors of a valgrind report in XML that `library` made: whose innermost frame is its own, but for those of the C library.
fn errors_of<'a>(xml: &'a str, library: &str) -> Vec<&'a str> {
    let whole = |text: &'a str| text.split("</error>").next().unwrap();
    let of_system =
        |object: &str| ["/valgrind/", "/libc.so", "/libm.so", "/ld-linux"].iter().any(|s| object.contains(s));
    let made = |error: &str| {
        let mut objects = error.split("<obj>").skip(1).map(|text| text.split("</obj>").next().unwrap());
        objects.find(|object| !of_system(object)).is_some_and(|object| object.contains(library))
    };
    xml.split("<error>").skip(1).map(whole).filter(|error| made(error)).collect()
}

/// Runs a sample under the layer in valgrind and returns valgrind's report.
fn checked(name: &str, arguments: &[&str], keys: &[(&str, &str)]) -> Result<String, Missing> {
    let folder = Folder::new();
    let xml = folder.0.join("valgrind.xml");
    let mut command: Command = real::on_lavapipe(&real::program("valgrind", "valgrind")?)?;
    command.args(["--xml=yes", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=60"]);
    command.arg(format!("--xml-file={}", xml.display()));
    command.arg(artefacts::sample(name)).args(["--size", "64x64", "--frames", "3", "--device", "0"]).args(arguments);
    let keys = [&[("frame_submits", "1"), ("gpu", "mali-g76,adreno-650")], keys].concat();
    real::settings::apply(&mut command, &folder, &keys);
    Layers::new(&folder.0).ours().enable(&mut command);
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    let report = folder.report();
    assert!(report.complete && report.frame_count >= 3, "the layer took no part");
    Ok(fs::read_to_string(xml).unwrap())
}

#[test]
fn valgrind_finds_no_fault_of_the_layer_in_whole_programs() {
    if std::env::var_os("TILELENS_FULL").is_none() {
        return;
    }
    for (name, arguments, keys) in [
        ("render_passes", &["--secondary"][..], &[("sync", "1")][..]),
        ("render_passes", &["--dynamic"], &[]),
        ("subpasses", &[], &[]),
        ("deferred_ssao", &["--variant", "wrong"], &[]),
        ("sampled", &[], &[]),
    ] {
        let xml = need!(checked(name, arguments, keys));
        let errors = errors_of(&xml, "VkLayer_tilelens");
        assert!(errors.is_empty(), "{name} {arguments:?}: {}", errors.join("\n"));
    }
}

#[test]
fn an_error_counts_when_our_code_made_it_and_not_the_driver_that_it_called() {
    let error = |objects: &[&str]| {
        let frames: String = objects.iter().map(|object| format!("<frame><obj>{object}</obj></frame>")).collect();
        format!("<error><kind>InvalidRead</kind><stack>{frames}</stack></error>")
    };
    let ours = [error(&["/lib/libc.so.6", "/x/ours.so", "/x/program"]), error(&["/x/ours.so"])].concat();
    let drivers =
        [error(&["/lib/libc.so.6", "/x/driver.so", "/x/ours.so", "/x/program"]), error(&["/x/program"])].concat();
    assert_eq!(errors_of(&ours, "ours.so").len(), 2);
    assert_eq!(errors_of(&[ours, drivers].concat(), "ours.so").len(), 2);
}
