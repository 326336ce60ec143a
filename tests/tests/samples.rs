//! What the samples in wrong and right variants cost on a Mali-G76: pixels times bytes, attachment by attachment.
//!
//! The figures are those of the passes of a frame in the steady state. Arm's driver does what load and store operations ask for, with one
//! exception that docs/accuracy.md names: an attachment that a pass only reads as input attachment is not written back.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use tbdr_model::report::{Basis, Direction, Entry, Quantity, Report};
use tilelens_tests::need;
use tilelens_tests::real::Missing;
use tilelens_tests::real::sample::{last_frame, layered, pass_bytes, run};
use tilelens_tests::sandbox::Folder;

const GPU: &str = "mali-g76";
const WIDTH: u64 = 256;
const HEIGHT: u64 = 128;
/// Pixels of the output. The tiles of every render area below are whole.
const AREA: u64 = WIDTH * HEIGHT;
/// One attachment with 32 bits a pixel, colour or depth, moved once.
const A: u64 = AREA * 4;

/// Bytes read and written.
type Bytes = (u64, u64);

/// Runs a sample under the layer and returns its report.
fn report(program: &str, variant: &str) -> Result<Report, Missing> {
    let folder = Folder::new();
    let size = format!("{WIDTH}x{HEIGHT}");
    let arguments = ["--size", &size, "--frames", "3", "--variant", variant];
    let settings = [("gpu", GPU), ("sync", "1"), ("frame_submits", "1"), ("log_level", "warn")];
    let outcome = run(layered(program, &arguments, &folder, &settings)?, &folder);
    assert!(outcome.status.success(), "{program} {variant}: {}", outcome.text());
    let report = folder.report();
    assert!(report.complete && report.gaps.is_empty(), "{program} {variant}: {:?}", report.gaps);
    Ok(report)
}

/// Both variants of a sample cost what they should, and of the right one nothing is called waste.
#[track_caller]
fn check(program: &str, variants: [&str; 2], wrong: Bytes, right: Bytes) -> Result<(), Missing> {
    let reports = [report(program, variants[0])?, report(program, variants[1])?];
    let found = reports.each_ref().map(|report| pass_bytes(&last_frame(report).gpus[GPU]));
    assert_eq!(
        found,
        [wrong, right],
        "{program}: (read, written) in multiples of an attachment: {:?}",
        found.map(|(r, w)| { (r as f64 / A as f64, w as f64 / A as f64) })
    );
    assert!(right.0 + right.1 < wrong.0 + wrong.1, "{program}: the right variant costs less");
    let right = &reports[1];
    assert!(right.frames.iter().all(|frame| frame.gpus[GPU].avoidable_bytes.is_none_or(|b| b.0 == 0)), "{program}");
    let warnings: Vec<_> =
        right.findings.iter().filter(|f| f.level == "warn").map(|f| (&f.code, &f.attachment)).collect();
    assert!(warnings.is_empty(), "{program}: {warnings:?}");
    assert_eq!(about_compression(right), BTreeMap::new(), "{program}: layouts in which a GPU may leave tiles out");
    Ok(())
}

const PAIR: [&str; 2] = ["wrong", "right"];

#[test]
fn a_user_interface_in_a_pass_of_its_own_moves_colour_and_depth_once_more_each_way() {
    let (scene, interface) = (2 * A, 2 * A);
    need!(check("split_ui", PAIR, (interface, scene + interface), (0, A)));
}

#[test]
fn a_depth_pre_pass_of_its_own_costs_a_store_and_a_load_of_the_depth() {
    need!(check("depth_prepass", PAIR, (A, A + A), (0, A)));
}

#[test]
fn a_bloom_chain_costs_its_stores_and_no_load() {
    // Each level has a quarter of the pixels of the one before; the first has a quarter of the output's.
    let level = |level: u32| A >> (2 * (level + 1));
    let (shrunk, grown) = (level(0) + level(1) + level(2), level(1) + level(0));
    let (scene, output, depth, unread) = (A, A, A, level(3));
    let stored = scene + shrunk + grown + output;
    need!(check("bloom", PAIR, (shrunk + unread + grown + output, stored + depth + unread), (0, stored)));
}

#[test]
fn history_is_stored_for_the_next_frame_and_not_loaded() {
    let (scene, history, output, depth) = (A, A, A, A);
    let stored = scene + history + output;
    need!(check("history", PAIR, (history, stored + depth), (0, stored)));
}

#[test]
fn an_atlas_costs_the_area_of_its_passes_and_every_aspect_of_its_format() {
    let tile = (WIDTH / 4) * (HEIGHT / 4);
    // Two tiles and the one between, 32 bits of depth; or all, with 8 bits of stencil besides.
    let (updated, everything, output) = (3 * tile * 4, AREA * (4 + 1), A);
    need!(check("shadow_atlas", PAIR, (everything, everything + output), (updated, updated + output)));
}

#[test]
fn a_g_buffer_goes_through_memory_only_where_neighbours_are_read() {
    let (depth, albedo, normal, occlusion, output) = (A, A, A, AREA, A);
    let g_buffer = depth + albedo + normal;
    // The lighting loads the output and the G-buffer, the user interface the output once more.
    let read = (output + g_buffer) + output;
    let written = g_buffer + occlusion + output + output;
    need!(check("deferred_ssao", PAIR, (read, written), (0, depth + occlusion + output)));
}

#[test]
fn a_copied_depth_and_a_cleared_output_are_transfers_of_their_own() {
    let report = need!(report("deferred_ssao", "wrong"));
    let frame = &last_frame(&report).gpus[GPU];
    let (read, written) = pass_bytes(frame);
    // The copy of the depth, the clear of the output, and the copy of the output to the host.
    assert_eq!((frame.read_bytes.0 - read, frame.write_bytes.0 - written), (A + A, A + A + A));
}

#[test]
fn four_samples_of_stored_depth_cost_four_times_the_resolved_one() {
    let (colour, depth, output) = (A, A, A);
    let variants = ["stored-depth", "writeback-postprocess"];
    need!(check("msaa", variants, (0, colour + 4 * depth + output), (0, colour + depth + output)));
}

/// What a report says about layouts and compression: code and image, with what is saved on the GPU.
fn about_compression(report: &Report) -> BTreeMap<(&str, &str), (u64, Basis)> {
    let ours = report.findings.iter().filter(|finding| finding.code.starts_with("TL4"));
    ours.map(|finding| {
        let saving = finding.saving.get(GPU).unwrap();
        assert_eq!(saving.quantity, Quantity::Dram, "{finding:?}");
        ((finding.code.as_str(), finding.attachment.as_deref().unwrap()), (saving.value, saving.basis))
    })
    .collect()
}

/// The store of the output, and whether the GPU compresses the image.
fn stored_output(report: &Report) -> (&Entry, Option<bool>) {
    let frame = &last_frame(report).gpus[GPU];
    let is_output = |entry: &&Entry| (entry.image.as_str(), entry.direction) == ("output", Direction::Write);
    let entry = frame.passes.iter().flat_map(|pass| &pass.entries).find(is_output).unwrap();
    let fact = frame.compression.iter().find(|fact| fact.scheme == "AFBC" && fact.attachment == entry.attachment);
    (entry, fact.unwrap().eligible)
}

#[test]
fn an_old_layout_undefined_moves_the_same_bytes_and_may_cost_the_tiles_that_did_not_change() {
    let (depth, albedo, normal, output) = (A, A, A, A);
    let reports = [need!(report("layout_transitions", "wrong")), need!(report("layout_transitions", "right"))];
    for report in &reports {
        let moved = pass_bytes(&last_frame(report).gpus[GPU]);
        assert_eq!(moved, (depth + albedo + normal, depth + albedo + normal + output));
        assert_eq!(last_frame(report).gpus[GPU].eliminable_bytes.0, albedo + normal + output);
    }
    let bound = |bytes| (bytes, Basis::Bound);
    let wrong = BTreeMap::from([(("TL401", "albedo"), bound(albedo)), (("TL401", "normal"), bound(normal))]);
    assert_eq!(about_compression(&reports[0]), wrong);
    assert_eq!(about_compression(&reports[1]), BTreeMap::new());
}

#[test]
fn storage_usage_moves_the_same_bytes_and_keeps_them_from_being_compressed() {
    let (wrong, right) = (need!(report("afbc", "wrong")), need!(report("afbc", "right")));
    let (plain, refused) = stored_output(&wrong);
    assert_eq!((plain.bytes.0, plain.compressed, refused), (A, None, Some(false)));
    let (compressed, applies) = stored_output(&right);
    assert_eq!((compressed.bytes.0, applies), (A, Some(true)));
    let left = compressed.compressed.unwrap().map(|bytes| bytes.0);
    assert_eq!(left, [A * 450 / 1000, (A * 600).div_ceil(1000)]);
    let estimate = (A * 480 / 1000, Basis::Estimate);
    assert_eq!(about_compression(&wrong), BTreeMap::from([(("TL404", "output"), estimate)]));
    assert_eq!(about_compression(&right), BTreeMap::new());
}
