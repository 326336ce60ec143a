//! The sample `render_passes` at the size of the published measurements: the ledger is the formula to the byte, and the
//! differences are those that Arm's counters showed.
//!
//! Measured values: the performance samples of KhronosGroup/Vulkan-Samples, `render_passes`, as printed in its README and
//! shown in its screenshots (Mali-G71, 2220x1080, 60 frames a second).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use tbdr_model::report::Report;
use tilelens_tests::need;
use tilelens_tests::real::Missing;
use tilelens_tests::real::sample::{pass_bytes, render_passes};

/// One 32-bit attachment, moved once.
const A: u64 = 2220 * 1080 * 4;
/// What a driver without VK_EXT_load_store_op_none has.
const LOADS: [&str; 3] = ["load", "clear", "dont-care"];
const STORES: [&str; 3] = ["store", "dont-care", "none"];

/// Whether a GPU's driver does what the operations ask for and no more: panvk 25.0 and honeykrisp store what nobody asked for,
/// v3dv moves whole tiles.
fn does_as_asked(gpu: &str) -> bool {
    !gpu.ends_with("-panvk-25.0") && !gpu.ends_with("-hk") && !gpu.starts_with("videocore-")
}

/// Runs one configuration; with the bytes of every GPU that does as it is asked checked against the formula.
fn check(load: &str, store: &str, depth_load: &str, depth_store: &str, dynamic: bool) -> Result<(), Missing> {
    let mut arguments = vec!["--size", "2220x1080", "--load", load, "--store", store];
    arguments.extend(["--depth-load", depth_load, "--depth-store", depth_store]);
    arguments.extend(dynamic.then_some("--dynamic"));
    let report = render_passes(&arguments)?;
    assert_eq!(report.frames.len(), 1, "{arguments:?}");
    let gpus: Vec<_> = report.frames[0].gpus.iter().filter(|(gpu, _)| does_as_asked(gpu)).collect();
    assert!(gpus.len() >= 12);
    let moved = |ops: [bool; 2]| ops.into_iter().map(u64::from).sum::<u64>() * A;
    let expected = (moved([load == "load", depth_load == "load"]), moved([store == "store", depth_store == "store"]));
    for (gpu, frame) in gpus {
        assert_eq!(pass_bytes(frame), expected, "{gpu}: {arguments:?}");
    }
    Ok(())
}

#[test]
fn every_op_of_each_attachment_costs_the_formula_to_the_byte() {
    for (index, (load, store)) in LOADS.iter().flat_map(|l| STORES.map(|s| (*l, s))).enumerate() {
        // Depth goes through its nine pairs in another order, so that attachments cannot be mistaken for each other.
        let depth = (index * 2 + 1) % 9;
        for dynamic in [false, true] {
            need!(check(load, store, LOADS[depth / 3], STORES[depth % 3], dynamic));
        }
    }
}

#[test]
#[ignore = "slow: 162 runs"]
fn every_combination_of_ops_costs_the_formula_to_the_byte() {
    for load in LOADS {
        for store in STORES {
            for depth_load in LOADS {
                for depth_store in STORES {
                    for dynamic in [false, true] {
                        need!(check(load, store, depth_load, depth_store, dynamic));
                    }
                }
            }
        }
    }
}

/// Read and write rates of the render pass on Mali-G71 in MiB/s at 60 frames a second.
fn rates(report: &Report) -> (f64, f64) {
    let (read, write) = pass_bytes(&report.frames[0].gpus["mali-g71"]);
    let rate = |bytes: u64| bytes as f64 * 60.0 / f64::from(1 << 20);
    (rate(read), rate(write))
}

/// A measured row: the counter's value before and after a change, and what the model says of the same change.
struct Row {
    id: &'static str,
    what: &'static str,
    measured: (f64, f64),
    predicted: f64,
}

/// Noise of the counters between runs of equal traffic, as a part of the counter's value.
const NOISE: f64 = 0.05;
/// Tolerance for one load or store of an uncompressed attachment.
const TOLERANCE: f64 = 0.10;

#[test]
fn the_differences_measured_on_a_mali_g71_are_predicted() {
    let run = |load: &str, depth_store: &str, clear: &[&str]| {
        let mut arguments = vec!["--size", "2220x1080", "--store", "store", "--depth-load", "clear"];
        arguments.extend(["--load", load, "--depth-store", depth_store]);
        arguments.extend(clear);
        render_passes(&arguments).map(|report| rates(&report))
    };
    let load = need!(run("load", "store", &[]));
    let clear = need!(run("clear", "store", &[]));
    let lean = need!(run("clear", "dont-care", &[]));
    let cleared = need!(run("clear", "dont-care", &["--clear-attachments"]));
    let rows = [
        Row { id: "G01", what: "read, CLEAR to LOAD", measured: (933.7, 1533.9), predicted: load.0 - clear.0 },
        Row { id: "G02", what: "write, CLEAR to LOAD", measured: (962.4, 986.3), predicted: load.1 - clear.1 },
        Row {
            id: "G03",
            what: "write, depth DONT_CARE to STORE",
            measured: (431.5, 962.4),
            predicted: clear.1 - lean.1,
        },
        Row {
            id: "G04",
            what: "read, depth STORE to DONT_CARE",
            measured: (933.7, 951.1),
            predicted: lean.0 - clear.0,
        },
        Row { id: "G05", what: "read, vkCmdClearAttachments", measured: (951.1, 950.9), predicted: cleared.0 - lean.0 },
        Row {
            id: "G05",
            what: "write, vkCmdClearAttachments",
            measured: (431.5, 431.1),
            predicted: cleared.1 - lean.1,
        },
    ];
    let mut table = String::from("row  change                             measured MiB/s  modelled MiB/s  ratio\n");
    let mut wrong = Vec::new();
    for row in &rows {
        let measured = row.measured.1 - row.measured.0;
        let (ratio, right) = if row.predicted == 0.0 {
            ("-".to_owned(), measured.abs() <= NOISE * row.measured.0)
        } else {
            let ratio = measured / row.predicted;
            (format!("{ratio:.3}"), (ratio - 1.0).abs() <= TOLERANCE)
        };
        let (what, predicted) = (row.what, row.predicted);
        writeln!(table, "{}  {what:<34} {measured:>14.1}  {predicted:>14.1}  {ratio:>5}", row.id).unwrap();
        if !right {
            wrong.push(format!("{} {}", row.id, row.what));
        }
    }
    // Shown whether the test passes or not: the table is what a reader wants to see.
    std::io::Write::write_all(&mut std::io::stderr(), table.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{wrong:?}\n{table}");
    // A row of zero must be zero in the model, and the others must not be.
    let zero: Vec<bool> = rows.iter().map(|r| r.predicted == 0.0).collect();
    assert_eq!(zero, [false, true, false, true, true, true]);
}
