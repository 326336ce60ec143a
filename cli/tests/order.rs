//! GPUs stand in the order in which they were asked for, and many that do the same share a row.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::scene::{scene, store_depth, write};
use common::{folder, tilelens, told};
use std::fs;

const ASKED: &str = "mali-g76,apple-m1,adreno-650,mali-g52";
const BUDGETS: &str = "[rules]\ndeny = []\n[budget]\nread = 0\nwrite = 0\n";

/// Where the words first occur, one after the other.
fn places(text: &str, words: &[&str]) -> Vec<usize> {
    words.iter().map(|word| text.find(word).unwrap_or_else(|| panic!("no {word} in {text}"))).collect()
}

#[test]
fn every_table_keeps_the_order_of_the_command_line() {
    let folder = folder("order");
    write(&folder.join("clean"), &scene(|_| {}));
    write(&folder.join("grown"), &scene(store_depth));
    fs::write(folder.join("tilelens.toml"), BUDGETS).unwrap();
    let run = |arguments: &[&str]| {
        let told = told(tilelens(&folder).args(arguments).args(["--gpu", ASKED]));
        assert!(told.status < 2, "{arguments:?}: {}", told.err);
        told.out
    };
    fs::write(folder.join("report.json"), run(&["analyze", "grown", "--format", "json"])).unwrap();
    let fit = ["fit", "--extent", "64x64", "--attachment", "R8G8B8A8_UNORM"];
    for arguments in [
        &["analyze", "grown"][..],
        &["check", "grown"],
        &["check", "report.json"],
        &["check", "grown", "--baseline", "clean"],
        &["diff", "clean", "grown"],
        &["diff", "report.json", "grown"],
        &fit,
    ] {
        let text = run(arguments);
        let ids: Vec<&str> = ASKED.split(',').collect();
        let at = places(&text, &ids);
        assert!(at.is_sorted(), "{arguments:?}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&run(&["analyze", "grown", "--format", "json"])).unwrap();
    let order: Vec<&str> = json["gpu_order"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(order.join(","), ASKED);
    // Whoever asks for less of a report, or in another order, has that.
    let fewer = told(tilelens(&folder).args(["check", "report.json", "--gpu", "adreno-650,mali-g76"])).out;
    assert!(fewer.contains("read 0.00 MiB of 0.00 MiB: adreno-650, mali-g76, frames 0–2"), "{fewer}");
}

#[test]
fn with_all_gpus_those_that_do_the_same_share_a_row() {
    let folder = folder("order-all");
    write(&folder.join("clean"), &scene(|_| {}));
    write(&folder.join("grown"), &scene(store_depth));
    fs::write(folder.join("tilelens.toml"), BUDGETS).unwrap();
    let run = |arguments: &[&str]| told(tilelens(&folder).args(arguments).args(["--gpu", "all"])).out;
    for (arguments, lines) in [
        (&["analyze", "grown"][..], 75),
        (&["check", "grown"], 40),
        (&["diff", "clean", "grown"], 40),
        (&["fit", "--extent", "1920x1080", "--attachment", "R8G8B8A8_UNORM", "--attachment", "D32_SFLOAT"], 60),
    ] {
        let text = run(arguments);
        assert!(text.lines().count() <= lines, "{arguments:?}: {} lines\n{text}", text.lines().count());
        // None is lost: each is named, by what is its own where many begin alike.
        for own in ["g925", "adreno-610", "apple-a7", "videocore-vi"] {
            assert!(text.contains(own), "{arguments:?}: {own}\n{text}");
        }
    }
}
