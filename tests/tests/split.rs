//! How work is split over command buffers, secondaries, suspended passes, batches and submits does not change what it costs.
//!
//! Random streams are recorded whole and cut at random; what the two reports say of passes, bytes and findings is compared. No family's
//! policy depends on how work is split, so none is exempt.
#![allow(clippy::unwrap_used)]

#[path = "split/emit.rs"]
mod emit;
#[path = "split/stream.rs"]
mod stream;

use emit::Emitter;
use proptest::test_runner::{Config, TestRunner};
use std::collections::BTreeSet;
use std::path::PathBuf;
use stream::Item;
use tbdr_model::report::Report;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::{Folder, Sandbox};
use tilelens_tests::script::Scene;

/// One GPU of each family and policy.
const GPUS: &str =
    "mali-g76,mali-g610-panvk,mali-g610-panvk-25.0,adreno-650,apple-m1,powervr-gx6250,videocore-vi,videocore-vii";

/// Runs a stream on a device of its own; the report of that device. `None` if nothing was submitted.
fn report(stream: &[Item], cuts: &[u8], folder: &Folder) -> Option<Report> {
    let before: BTreeSet<PathBuf> = folder.files("report.json").into_iter().collect();
    let scene = Scene::new(Chain::new(Options::default()).start());
    Emitter::new(&scene, cuts).run(stream);
    let driver = scene.app.driver();
    scene.app.stop();
    driver.assert_neutral();
    let new = folder.files("report.json").into_iter().find(|path| !before.contains(path))?;
    let text = std::fs::read_to_string(&new).unwrap();
    // Thousands of folders are no use to anybody.
    std::fs::remove_dir_all(new.parent().unwrap()).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn a_stream_costs_the_same_however_it_is_split() {
    let cases = if std::env::var_os("TILELENS_FULL").is_some() { 5000 } else { 150 };
    Sandbox::new().set("sync", "1").set("gpu", GPUS).case(&cases.to_string()).run(|inside| {
        let config = Config { cases: inside.case().parse().unwrap(), failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new(config);
        let strategy = (stream::stream(), stream::cuts());
        let run = runner.run(&strategy, |(stream, cuts)| {
            let whole = report(&stream, &[0], &inside.folder);
            let split = report(&stream, &cuts, &inside.folder);
            proptest::prop_assert_eq!(whole.is_some(), split.is_some());
            let Some((whole, split)) = whole.zip(split) else { return Ok(()) };
            let [whole_frame, split_frame] = [&whole, &split].map(|r| r.frames.first());
            proptest::prop_assert_eq!(whole_frame.map(|f| &f.passes), split_frame.map(|f| &f.passes));
            proptest::prop_assert_eq!(whole_frame.map(|f| &f.gpus), split_frame.map(|f| &f.gpus));
            proptest::prop_assert_eq!(&whole.findings, &split.findings);
            proptest::prop_assert_eq!(&whole.not_modelled, &split.not_modelled);
            Ok(())
        });
        if let Err(error) = run {
            panic!("{error}");
        }
    });
}
