//! Where each driver merges the subpasses of the samples: one line per GPU, checked by hand once and kept.
//!
//! By hand means: against the rules that docs/accuracy.md states for each family, subpass by subpass. GPUs that decide alike stand in
//! one line.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fmt::Write;
use tbdr_model::report::GpuFrame;
use tilelens_tests::need;
use tilelens_tests::real::Missing;
use tilelens_tests::real::sample::{layered, run};
use tilelens_tests::sandbox::Folder;

/// Tile passes as `[0 1] 16x16 x9452`, with the statuses of the subpasses behind them.
fn told(gpu: &GpuFrame) -> String {
    let mut text = String::new();
    for pass in &gpu.passes {
        let numbers: Vec<String> = pass.subpasses.iter().map(|s| format!("{}.{}", s.pass, s.subpass)).collect();
        let tile = pass.tile.map_or_else(|| pass.mode.to_string(), |t| format!("{}x{}", t.width, t.height));
        let _ = write!(text, "[{}] {tile} x{}", numbers.join(" "), pass.tiles.unwrap_or(0));
        for subpass in &pass.subpasses {
            let status = subpass.merge_status.as_deref().unwrap_or("?");
            let status = status.trim_start_matches("VK_SUBPASS_MERGE_STATUS_").trim_end_matches("_EXT");
            let _ = write!(text, " {status}");
        }
        let _ = write!(text, " r{} w{}; ", pass.read_bytes.0, pass.write_bytes.0);
    }
    text.trim_end_matches("; ").to_string()
}

/// What every GPU makes of a sample.
fn sample(program: &str, arguments: &[&str]) -> Result<String, Missing> {
    let folder = Folder::new();
    let arguments = [&["--size", "2220x1080", "--frames", "1"], arguments].concat();
    let settings = [("gpu", "all"), ("sync", "1"), ("frame_submits", "1"), ("log_level", "warn")];
    let outcome = run(layered(program, &arguments, &folder, &settings)?, &folder);
    assert!(outcome.status.success(), "{program} {arguments:?}: {}", outcome.text());
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, gpu) in &folder.report().frames[0].gpus {
        alike.entry(told(gpu)).or_default().push(id.clone());
    }
    let mut lines: Vec<String> =
        alike.into_iter().map(|(what, ids)| format!("{}\n    {what}\n", ids.join(" "))).collect();
    lines.sort();
    Ok(lines.concat())
}

#[test]
fn the_drivers_merge_the_samples_where_they_did_when_it_was_checked() {
    for (name, program, arguments) in [
        ("subpasses", "subpasses", &["--technique", "subpasses"][..]),
        ("subpasses-large", "subpasses", &["--technique", "subpasses", "--gbuffer", "large"]),
        ("subpasses-not-by-region", "subpasses", &["--technique", "subpasses", "--by-region", "off"]),
        ("renderpasses", "subpasses", &["--technique", "renderpasses", "--transient", "off"]),
        ("msaa-writeback", "msaa", &["--variant", "writeback"]),
        ("msaa-separate-resolve", "msaa", &["--variant", "separate-resolve"]),
    ] {
        let lines = need!(sample(program, arguments));
        insta::assert_snapshot!(name, lines);
    }
}
