//! `tilelens fit`: render passes of the vendors' documents put before the GPUs that they speak of.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod common;

use common::{Told, folder, tilelens, told};
use serde_json::Value;

/// Four bytes for each pixel of the framebuffer that all of these passes have.
const A: u64 = 2220 * 1080 * 4;

fn fit(arguments: &[&str]) -> Told {
    told(tilelens(&folder("fit")).args(["fit", "--extent", "2220x1080"]).args(arguments))
}

fn json(gpus: &str, attachments: &[&str], subpasses: &[&str]) -> Value {
    let mut arguments = vec!["--format", "json", "--gpu", gpus];
    arguments.extend(attachments.iter().flat_map(|a| ["--attachment", a]));
    arguments.extend(subpasses.iter().flat_map(|s| ["--subpass", s]));
    let answer = fit(&arguments);
    assert_eq!((answer.status, answer.err.as_str()), (0, ""));
    serde_json::from_str(&answer.out).unwrap()
}

/// A G-buffer of these formats and a light pass that reads it: `(attachments, subpasses)`.
fn deferred(g_buffer: &[&str]) -> (Vec<String>, [String; 2]) {
    let mut attachments = vec!["R8G8B8A8_UNORM".to_string(), "D32_SFLOAT".into()];
    attachments.extend(g_buffer.iter().map(|format| format!("{format}:load=CLEAR,store=DONT_CARE")));
    let targets = (2..attachments.len()).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    (attachments, [format!("color={targets};depth=1"), format!("color=0;input=1,{targets}")])
}

fn deferred_on(gpus: &str, g_buffer: &[&str]) -> Value {
    let (attachments, subpasses) = deferred(g_buffer);
    let attachments: Vec<&str> = attachments.iter().map(String::as_str).collect();
    let subpasses: Vec<&str> = subpasses.iter().map(String::as_str).collect();
    json(gpus, &attachments, &subpasses)
}

/// Statuses of the subpasses of a GPU, without what all of them begin and end with.
fn statuses(gpu: &Value) -> Vec<String> {
    let passes = gpu["passes"].as_array().unwrap();
    let subpasses = passes.iter().flat_map(|pass| pass["subpasses"].as_array().unwrap());
    let status = |s: &Value| s["merge_status"].as_str().unwrap().to_string();
    let plain = |s: String| s.trim_start_matches("VK_SUBPASS_MERGE_STATUS_").trim_end_matches("_EXT").to_string();
    subpasses.map(status).map(plain).collect()
}

const RGBA8: &str = "R8G8B8A8_UNORM";
const RGBA16F: &str = "R16G16B16A16_SFLOAT";

#[test]
fn three_targets_of_96_bits_and_depth_fit_every_mali_of_the_documents() {
    let attachments = [RGBA8, "A2B10G10R10_UNORM_PACK32", "R8G8B8A8_SRGB", "D32_SFLOAT"];
    let answer = json("mali-g71,mali-g72,mali-g76", &attachments, &[]);
    assert_eq!(answer["schema"], "tilelens.fit/1");
    for (id, budget, more) in [("mali-g71", 128, 1), ("mali-g72", 256, 5), ("mali-g76", 256, 5)] {
        let gpu = &answer["gpus"][id];
        let pass = &gpu["passes"][0];
        assert_eq!((&pass["tile"], &pass["tiles"]), (&serde_json::json!([16, 16]), &Value::from(139 * 68)), "{id}");
        assert_eq!((&pass["bits_per_pixel"], &pass["budget_bits_per_pixel"]), (&96.into(), &budget.into()), "{id}");
        assert_eq!((&gpu["read_bytes"], &gpu["write_bytes"]), (&0.into(), &(3 * A).into()), "{id}");
        assert_eq!((&gpu["more"]["full_tile"], &gpu["more"]["same_tiles"]), (&more.into(), &more.into()), "{id}");
    }
}

#[test]
fn g_buffers_of_the_sources_merge_within_the_documented_budget_of_each_mali() {
    // Bits per pixel with the light target; pixels of a tile and tile passes on a G71 (128 bits), then on a G72 and a G76 (256).
    type Case<'a> = (&'a [&'a str], u64, (u64, usize), (u64, usize));
    let cases: [Case<'_>; 5] = [
        (&[RGBA8, RGBA8], 96, (256, 1), (256, 1)),
        (&[RGBA8, RGBA8, RGBA8], 128, (256, 1), (256, 1)),
        (&[RGBA8, RGBA8, RGBA8, RGBA8], 160, (128, 1), (256, 1)),
        (&[RGBA16F, RGBA16F, RGBA8], 192, (128, 1), (256, 1)),
        (&[RGBA16F, RGBA16F, RGBA16F, RGBA16F], 288, (0, 2), (128, 1)),
    ];
    for (g_buffer, bits, g71, later) in cases {
        let answer = deferred_on("mali-g71,mali-g72,mali-g76", g_buffer);
        for (id, budget, (pixels, passes)) in
            [("mali-g71", 128, g71), ("mali-g72", 256, later), ("mali-g76", 256, later)]
        {
            let gpu = &answer["gpus"][id];
            assert_eq!(gpu["passes"].as_array().unwrap().len(), passes, "{id} {bits}");
            if passes == 2 {
                assert_eq!(statuses(gpu)[1], "NOT_MERGED_INSUFFICIENT_STORAGE", "{id} {bits}");
                assert!(gpu["read_bytes"].as_u64().unwrap() >= 8 * A, "{id} {bits}: the G-buffer goes through memory");
                continue;
            }
            let pass = &gpu["passes"][0];
            let tile = pass["tile"].as_array().unwrap().iter().map(|side| side.as_u64().unwrap()).product::<u64>();
            assert_eq!((&pass["bits_per_pixel"], tile), (&bits.into(), pixels), "{id} {bits}");
            assert_eq!(statuses(gpu)[1], "MERGED", "{id} {bits}");
            assert_eq!((&gpu["read_bytes"], &gpu["write_bytes"]), (&0.into(), &A.into()), "{id} {bits}");
            let basis = if bits > budget { "inferred" } else { "documented" };
            assert_eq!(pass["merge_basis"], basis, "{id} {bits}");
            assert_eq!(pass.get("alternative").is_some(), bits > budget, "{id} {bits}");
        }
    }
}

#[test]
fn a_layered_framebuffer_sends_an_adreno_to_memory_and_nothing_more_fits_on_the_chip() {
    let text = fit(&["--gpu", "adreno-650,mali-g76", "--layers", "2", "--attachment", RGBA8]);
    let row = text.out.lines().find(|line| line.starts_with("adreno-650")).unwrap();
    assert_eq!(
        row.split_whitespace().skip(1).collect::<Vec<_>>(),
        "immediate - 32 - - - undecided undecided".split(' ').collect::<Vec<_>>()
    );
    assert!(text.out.contains("immediate mode: the framebuffer has layers"), "{}", text.out);
    let layers = json("adreno-650", &[RGBA8], &[]);
    assert!(layers["gpus"]["adreno-650"]["more"]["on_chip"].as_u64().is_some(), "one layer is binned");
}

#[test]
fn what_would_still_fit_is_what_fits_when_it_is_there() {
    let three = [RGBA8, RGBA8, RGBA8];
    let more = |gpu: &str, attachments: &[&str]| json(gpu, attachments, &[])["gpus"][gpu]["more"].clone();
    assert_eq!(more("mali-g71", &three)["full_tile"], 1);
    let five = json("mali-g71", &[RGBA8; 5], &[]);
    assert_ne!(five["gpus"]["mali-g71"]["passes"][0]["tile"], serde_json::json!([16, 16]));
    assert_eq!(more("mali-g71", &[RGBA8; 5])["full_tile"], 0);
    // Eight attachments that are input or colour may be on chip; a G-buffer of four and the light target leave three.
    let merged = json("mali-g76", &[RGBA8; 5], &["color=1,2,3,4", "color=0;input=1,2,3,4"]);
    assert_eq!(merged["gpus"]["mali-g76"]["more"]["on_chip"], 3);
    // Bins shrink with everything that is added, and no bin is the largest.
    let adreno = more("adreno-650", &three);
    assert_eq!((&adreno["full_tile"], &adreno["on_chip"]), (&Value::Null, &adreno["tried"]));
    // 192 bits fit the full tile of an Apple GPU.
    assert_eq!(more("apple-m1", &three)["full_tile"], 3);
}

#[test]
fn subpasses_are_said_to_merge_or_why_they_do_not() {
    let (attachments, subpasses) = deferred(&[RGBA16F; 4]);
    let mut arguments = vec!["--gpu", "mali-g71,mali-g76,adreno-650,apple-m1"];
    arguments.extend(attachments.iter().flat_map(|a| ["--attachment", a]));
    arguments.extend(subpasses.iter().flat_map(|s| ["--subpass", s]));
    let text = fit(&arguments).out;
    for words in [
        "subpass 1: NOT_MERGED_INSUFFICIENT_STORAGE: 288 colour bits per pixel",
        "all 2 subpasses merge into one tile pass (inferred) mali-g76 tile",
        "no merge above the documented colour budget: 2 tile passes, 82.32 MiB read",
        "no subpass merges: subpasses are never merged",
        "modelled for 4 GPUs, not measured",
    ] {
        let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(in_one_line(&text).contains(&in_one_line(words)), "{words}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\u{1b}'), "no escapes where no terminal is");
}

#[test]
fn samples_are_resolved_on_chip() {
    let attachments = ["R8G8B8A8_UNORM@4:store=DONT_CARE", "D24_UNORM_S8_UINT@4", RGBA8];
    let answer = json("mali-g76", &attachments, &["color=0;resolve=2;depth=1"]);
    assert_eq!(answer["gpus"]["mali-g76"]["write_bytes"], A);
    assert_eq!(answer["attachments"][2]["role"], "resolve 0");
}

#[test]
fn every_gpu_has_an_answer_for_absurd_passes() {
    for extent in ["1x1", "16384x16384", "1x16384"] {
        for attachment in ["R32G32B32A32_SFLOAT@16", "S8_UINT@64", "R8_UNORM@2", "R64G64B64A64_SFLOAT"] {
            let mut arguments = vec!["fit", "--gpu", "all", "--format", "json", "--extent", extent];
            arguments.extend(["--attachment", attachment].repeat(8));
            let answer = told(tilelens(&folder("fit-absurd")).args(arguments));
            assert_eq!((answer.status, answer.err.as_str()), (0, ""), "{extent} {attachment}");
        }
    }
}

#[test]
fn bad_input_is_refused_with_the_argument_and_the_remedy() {
    let extent = |text: &str| told(tilelens(&folder("fit-bad")).args(["fit", "--attachment", RGBA8, "--extent", text]));
    for text in ["", "5", "0x5", "5x0", "16385x1", "5x5x5", "5x-1", "99999999999x1", "axb"] {
        let refused = extent(text);
        assert!(refused.status == 2 && refused.err.contains("each from 1 to 16384"), "{text}: {}", refused.err);
    }
    let many: Vec<&str> = ["--attachment", RGBA8].repeat(33);
    let cases: [(&[&str], &str); 21] = [
        (&[], "--attachment"),
        (&["--attachment", "R8G8B8A8_UNROM"], "R8G8B8A8_UNORM"),
        (&["--attachment", "RGBA8"], "near: R8G8B8A8_UNORM, "),
        (&["--attachment", "rgba8888_srgb"], "near: R8G8B8A8_SRGB, "),
        (&["--attachment", "RG16F"], "near: R16G16_SFLOAT, "),
        (&["--attachment", "RGB10A2"], "near: A2B10G10R10_UNORM_PACK32, "),
        (&["--attachment", "R11G11B10F"], "near: B10G11R11_UFLOAT_PACK32"),
        (&["--attachment", "RGB565"], "near: R5G6B5_UNORM_PACK16"),
        (&["--attachment", "D24S8"], "near: D24_UNORM_S8_UINT"),
        (&["--attachment", "D32F"], "near: D32_SFLOAT"),
        (&["--attachment", "foo"], "no format `foo`. Formats go by their VkFormat"),
        (&["--attachment", "R8_UNORM@5"], "1, 2, 4, 8, 16, 32 or 64"),
        (&["--attachment", "R8_UNORM:load=KEEP"], "CLEAR, DONT_CARE or NONE"),
        (&["--attachment", RGBA8, "--subpass", "color=1"], "--subpass number 0: there is no attachment 1"),
        (&["--attachment", RGBA8, "--subpass", "depth=0"], "write color=0"),
        (&["--attachment", RGBA8, "--subpass", "color"], "lacks `=`"),
        (&["--attachment", RGBA8, "--attachment", "R8_UNORM@4"], "Describe the subpass with --subpass"),
        (&["--attachment", RGBA8, "--layers", "0"], "--layers"),
        (&["--attachment", RGBA8, "--layers", "x"], "--layers"),
        (&["--attachment", RGBA8, "--gpu", "mali-g67"], "near: mali-g"),
        (&many, "at most 32"),
    ];
    for (arguments, words) in cases {
        let refused = fit(arguments);
        assert_eq!((refused.status, refused.out.as_str()), (2, ""), "{arguments:?}");
        assert!(refused.err.contains(words), "{arguments:?}: {}", refused.err);
    }
}

#[test]
fn what_costs_nothing_or_is_rarely_offered_is_remarked() {
    let unused = fit(&["--gpu", "mali-g76", "--attachment", RGBA8, "--attachment", RGBA8, "--subpass", "color=1"]);
    assert!(unused.out.contains("attachment 0 is used by no subpass"), "{}", unused.out);
    let many: Vec<&str> = ["--attachment", RGBA8].repeat(9);
    let many = fit(&many);
    assert!(many.out.contains("9 colour slots") && many.out.contains("maxColorAttachments"), "{}", many.out);
}

#[test]
fn what_drivers_do_above_arms_budget_is_the_users_choice_as_it_is_for_a_run() {
    let (attachments, subpasses) = deferred(&["R32G32B32A32_SFLOAT", "R32G32B32A32_SFLOAT"]);
    let mut arguments = vec!["fit", "--extent", "320x180", "--gpu", "mali-g76", "--format", "json"];
    arguments.extend(attachments.iter().flat_map(|a| ["--attachment", a]));
    arguments.extend(subpasses.iter().flat_map(|s| ["--subpass", s]));
    let tile_passes = |option: &[&str], setting: &str| {
        let arguments = [&arguments[..], option].concat();
        let told = told(tilelens(&folder("fit")).args(arguments).env("VK_TILELENS_TBDR_OVER_BUDGET", setting));
        assert_eq!((told.status, told.err.as_str()), (0, ""));
        let answer: Value = serde_json::from_str(&told.out).unwrap();
        answer["gpus"]["mali-g76"]["passes"].as_array().unwrap().len()
    };
    assert_eq!(tile_passes(&[], "smaller_tiles"), 1);
    assert_eq!(tile_passes(&[], "not_merged"), 2);
    assert_eq!(tile_passes(&["--over-budget", "smaller_tiles"], "not_merged"), 1);
    let wrong = told(tilelens(&folder("fit")).args(&arguments).env("VK_TILELENS_TBDR_OVER_BUDGET", "sometimes"));
    assert!(wrong.status == 2 && wrong.err.contains("`smaller_tiles`, `not_merged`"), "{}", wrong.err);
}

#[test]
fn nothing_more_fits_where_even_the_smallest_tile_is_too_large() {
    let answer = json("mali-g71", &["R32G32B32A32_SFLOAT@4"; 4], &[]);
    let more = &answer["gpus"]["mali-g71"]["more"];
    assert_eq!([&more["full_tile"], &more["same_tiles"], &more["on_chip"]], [&Value::from(0); 3]);
}

#[test]
fn a_sum_of_estimates_and_bounds_is_marked_as_they_are() {
    let subpasses = ["--subpass", "color=0", "--subpass", "color=0"];
    let arguments = [&["--gpu", "mali-g610-panvk-25.0", "--attachment", RGBA8][..], &subpasses].concat();
    let told = fit(&arguments);
    let together = told.out.lines().find(|line| line.contains("together")).unwrap();
    assert!(together.contains("<="), "{}", told.out);
}

#[test]
fn no_advice_is_undecided_where_none_is_given() {
    let answer = json("all", &[RGBA8], &[]);
    let notes = answer["not_modelled"].as_array().unwrap();
    assert!(!notes.is_empty() && notes.iter().all(|note| !note.as_str().unwrap().contains("advice")), "{notes:?}");
}
