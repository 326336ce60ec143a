//! `tilelens compare` on the published measurements that the tolerances come from.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::{Told, folder, records, tilelens, told};
use std::path::Path;
use tbdr_model::frame::{FrameStructure, ImageRef, LoadOp, Op, Output, OutputReason, Pass};
use tbdr_model::record::Record;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};
use tilelens_capture::Writer;

/// Writes a capture of three equal frames with one pass of 2220x1080, 32 bits per pixel, after `change`.
fn capture(path: &Path, change: impl Fn(&mut Pass, &mut FrameStructure)) {
    let mut writer = Writer::create(path).unwrap();
    for mut record in records() {
        if let Record::Structure { frame, .. } = &mut record {
            let Op::Pass(mut pass) = frame.submissions[0].ops.remove(0) else { unreachable!("the one pass") };
            let extent = Extent2D::new(2220, 1080);
            frame.images[0].extent = Extent3D { width: 2220, height: 1080, depth: 1 };
            frame.outputs = vec![Output { image: ImageRef(0), reason: OutputReason::Present }];
            (pass.extent, pass.render_area) = (extent, Rect2D { x: 0, y: 0, extent });
            change(&mut pass, frame);
            frame.submissions[0].ops.push(Op::Pass(pass));
        }
        writer.append(&record).unwrap();
    }
}

/// Captures of the colour attachment cleared and loaded, on a Mali-G71 and with several samples, and a comparison of two of them.
fn compare(name: &str, arguments: &[&str]) -> Told {
    let folder = folder(name);
    capture(&folder.join("clear"), |_, _| {});
    capture(&folder.join("load"), |pass, _| pass.attachments[0].load = LoadOp::Load);
    let samples = |pass: &mut Pass, frame: &mut FrameStructure| {
        frame.images[0].samples = 4;
        pass.attachments[0].samples = 4;
    };
    capture(&folder.join("clear4"), samples);
    capture(&folder.join("load4"), |pass, frame| {
        samples(pass, frame);
        pass.attachments[0].load = LoadOp::Load;
    });
    told(tilelens(&folder).arg("compare").args(arguments))
}

fn json(name: &str, arguments: &[&str]) -> (i32, serde_json::Value) {
    let told = compare(name, &[arguments, &["--format", "json"]].concat());
    (told.status, serde_json::from_str(&told.out).unwrap_or_else(|e| panic!("{e}: {}{}", told.out, told.err)))
}

#[test]
fn a_load_on_a_mali_g71_measures_what_is_modelled_and_writes_nothing_more() {
    // Khronos Vulkan-Samples, render_passes.
    let (status, json) = json(
        "compare-g01",
        &[
            "clear",
            "load",
            "--gpu",
            "mali-g71",
            "--fps",
            "60",
            "--measured",
            "read=933.7:1533.9MiB/s,write=962.4:986.3MiB/s",
        ],
    );
    let [read, write] = &json["directions"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!(status, 0, "{json}");
    assert_eq!(read["modelled_difference"], 2220 * 1080 * 4);
    assert_eq!(read["verdict"]["class"], "single");
    assert!((read["verdict"]["ratio"].as_f64().unwrap() - 1.094).abs() < 0.001, "{read}");
    assert_eq!((&write["modelled_difference"], &write["verdict"]["class"]), (&0.into(), &"zero".into()));
    // One BU is the frame's result once.
    assert_eq!(read["modelled_difference_bu"], 1.0);
    assert!((read["measured_difference_bu"].as_f64().unwrap() - 1.094).abs() < 0.001, "{read}");
}

#[test]
fn a_reading_that_does_not_agree_is_an_exit_status_of_1_and_a_hint() {
    let arguments = ["clear", "load", "--gpu", "mali-g71", "--measured", "read=0:5MiB"];
    let told = compare("compare-out", &arguments);
    assert_eq!(told.status, 1, "{}", told.out);
    assert!(told.out.contains("OUT OF TOLERANCE") && told.out.contains("--class compressible"), "{}", told.out);
    assert!(told.out.contains("1 MiB = 2^20 bytes") && told.out.contains("1 BU = 2220x1080 x 4 bytes"), "{}", told.out);
    let told = compare("compare-class", &[&arguments[..], &["--class", "compressible"]].concat());
    assert_eq!(told.status, 0, "{}", told.out);
}

#[test]
fn traffic_of_several_samples_is_told_from_traffic_of_one() {
    let (status, json) =
        json("compare-samples", &["clear4", "load4", "--gpu", "mali-g76", "--measured", "read=0:39MiB"]);
    assert_eq!(status, 0, "{json}");
    let read = &json["directions"][0];
    assert_eq!(read["verdict"]["class"], "multisampled");
    assert_eq!(read["modelled_difference_multisampled"], 4 * 2220 * 1080 * 4);
}

#[test]
fn two_frame_rates_make_two_rates_comparable() {
    // The same bytes per frame at half the rate: nothing changed.
    let (status, json) = json(
        "compare-rates",
        &["load", "load", "--gpu", "mali-g71", "--fps", "60:30", "--measured", "read=600MB/s:300MB/s"],
    );
    assert_eq!((status, &json["directions"][0]["measured_difference"]), (0, &0.0.into()), "{json}");
}

#[test]
fn without_readings_the_modelled_difference_is_shown() {
    let told = compare("compare-unmeasured", &["load", "clear", "--gpu", "adreno-650"]);
    assert_eq!(told.status, 0);
    assert!(told.out.contains("-9.146 MiB") && told.out.contains("not measured"), "{}", told.out);
}

#[test]
fn the_frame_that_is_compared_can_be_chosen() {
    let (_, json) = json("compare-frame", &["load", "clear", "--gpu", "mali-g71", "--frame", "1:2"]);
    assert_eq!((&json["before"]["count"], &json["after"]["count"]), (&3.into(), &3.into()));
    let told = compare("compare-no-frame", &["load", "clear", "--gpu", "mali-g71", "--frame", "1:7"]);
    assert!(told.status == 2 && told.err.contains("no frame 7"), "{}", told.err);
}

#[test]
fn wrong_usage_is_told_with_what_would_be_right() {
    for (name, arguments, words) in [
        ("gpu", &["load", "clear"][..], "choose with --gpu"),
        ("unknown", &["load", "clear", "--gpu", "mali-g86"], "mali-g76"),
        ("rate", &["load", "clear", "--gpu", "mali-g71", "--measured", "read=1:2MB/s"], "--fps"),
        ("unit", &["load", "clear", "--gpu", "mali-g71", "--measured", "read=1:2Mb"], "MiB"),
        ("form", &["load", "clear", "--gpu", "mali-g71", "--measured", "reads=1:2"], "read=BEFORE:AFTER"),
        ("missing", &["load", "nothing", "--gpu", "mali-g71"], "nothing"),
    ] {
        let told = compare(&format!("compare-usage-{name}"), arguments);
        assert!(told.status == 2 && told.err.contains(words), "{name}: {}{}", told.out, told.err);
    }
}
