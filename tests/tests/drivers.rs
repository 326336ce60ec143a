//! A second driver, SwiftShader, and the browser that brings it and a loader of its own.
//!
//! Both take a package that a build does not need: `./test --full` runs these.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tbdr_model::report::Report;
use tilelens_tests::real::{self, Layers, Missing};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{artefacts, need, process};

const LIMIT: Duration = Duration::from_secs(180);

/// Whether the slow tests are to run.
fn full() -> bool {
    std::env::var_os("TILELENS_FULL").is_some()
}

/// Runs a sample on a driver under the layer, for every GPU.
fn sample(driver: &Path, name: &str, arguments: &[&str]) -> Report {
    let folder = Folder::new();
    let mut command = real::on(driver, &artefacts::sample(name));
    command.args(["--frames", "3"]).args(arguments);
    real::settings::apply(&mut command, &folder, &[("sync", "1"), ("gpu", "all"), ("frame_submits", "1")]);
    Layers::new(&folder.0).ours().enable(&mut command);
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{name} {arguments:?}: {}", outcome.text());
    let report = folder.report();
    assert!(report.complete && report.gaps.is_empty(), "{name} {arguments:?}: {:?}", report.gaps);
    report
}

#[test]
fn what_a_program_costs_does_not_depend_on_the_driver_that_runs_it() {
    if !full() {
        return;
    }
    let swiftshader = need!(real::swiftshader());
    let lavapipe = need!(real::lavapipe());
    for (name, arguments) in [
        ("render_passes", &[][..]),
        ("render_passes", &["--secondary"]),
        ("render_passes", &["--dynamic"]),
        ("subpasses", &[]),
        ("subpasses", &["--technique", "renderpasses"]),
        ("deferred_ssao", &["--variant", "wrong"]),
        ("bloom", &["--variant", "wrong"]),
        ("history", &[]),
    ] {
        let (here, there) = (sample(&lavapipe, name, arguments), sample(&swiftshader, name, arguments));
        assert_ne!(here.run.device, there.run.device, "{name}: the same driver twice");
        assert!(here.frames == there.frames, "{name} {arguments:?}: frames differ");
        assert_eq!(here.findings, there.findings, "{name} {arguments:?}");
    }
}

/// What a page shows in Chromium, on the driver and with the loader that come with it.
fn page(folder: &Folder, layers: Option<&Layers>) -> Result<String, Missing> {
    let mut command = Command::new(real::program("chromium", "chromium")?);
    process::clean(&mut command);
    real::without_implicit_layers(&mut command);
    command.env("HOME", &folder.0).env_remove("DISPLAY");
    command.args(["--headless", "--dump-dom", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
    command.args(["--ignore-gpu-blocklist", "--no-first-run"]);
    // SAFETY: getuid only returns a number.
    if unsafe { libc::getuid() } == 0 {
        // Chromium has no sandbox for root.
        command.arg("--no-sandbox");
    }
    command.arg(format!("--user-data-dir={}", folder.0.join("profile").display()));
    command.arg(format!("file://{}/programs/webgl.html", env!("CARGO_MANIFEST_DIR")));
    if let Some(layers) = layers {
        real::settings::apply(&mut command, folder, &[("sync", "1"), ("frame_submits", "1")]);
        layers.enable(&mut command);
        command.env("VK_LOADER_DEBUG", "layer");
    }
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    if let Some(layers) = layers {
        layers.assert_order(&outcome.stderr);
    }
    let told = outcome.stdout.lines().find(|line| line.contains("id=\"told\"")).unwrap_or_default();
    Ok(told.trim().to_owned())
}

#[test]
fn a_browser_with_a_driver_and_a_loader_of_its_own_shows_the_same_page() {
    if !full() {
        return;
    }
    let alone = need!(page(&Folder::new(), None));
    assert!(alone.contains("pixel 230,128,64,255") && alone.contains("SwiftShader"), "{alone}");
    let folder = Folder::new();
    let layers = Layers::new(&folder.0).ours();
    assert_eq!(need!(page(&folder, Some(&layers))), alone);
    // The canvas is there as an attachment that was cleared and read back.
    let report = folder.report();
    assert!(report.run.device.name.contains("SwiftShader"), "{}", report.run.device.name);
    let attachments = report.frames.iter().flat_map(|f| &f.passes).filter(|pass| pass.extent.width == 256);
    assert!(attachments.count() > 0, "no pass over the canvas");
}
