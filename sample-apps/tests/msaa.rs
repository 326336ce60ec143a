//! `msaa` draws the same picture however its samples are resolved, and the validation layer has nothing to say.

mod common;

const PROGRAM: &str = env!("CARGO_BIN_EXE_msaa");
const VARIANTS: [&str; 6] =
    ["no-msaa", "writeback", "separate-resolve", "writeback-postprocess", "stored-depth", "worst"];

fn pixels(options: &[&str]) -> String {
    common::pixels(PROGRAM, options)
}

#[test]
fn a_resolve_in_the_pass_and_a_resolve_command_give_the_same_pixels() {
    assert_eq!(pixels(&["--variant", "writeback"]), pixels(&["--variant", "separate-resolve"]));
    assert_ne!(pixels(&["--variant", "writeback"]), pixels(&["--variant", "no-msaa"]));
}

/// The options of samples that exist in the pass alone, if the device has that.
fn single_sampled() -> Option<[&'static str; 2]> {
    let options = ["--variant", "single-sampled"];
    common::has(PROGRAM, "VK_EXT_multisampled_render_to_single_sampled", &options).then_some(options)
}

#[test]
fn samples_that_exist_in_the_pass_alone_give_the_same_pixels() {
    let Some(options) = single_sampled() else { return };
    assert_eq!(pixels(&options), pixels(&["--variant", "writeback"]));
}

#[test]
fn resolved_depth_is_the_first_sample_of_the_multisampled_depth() {
    for stored in ["stored-depth", "worst"] {
        assert_eq!(pixels(&["--variant", "writeback-postprocess"]), pixels(&["--variant", stored]));
    }
    assert_ne!(pixels(&["--variant", "worst"]), pixels(&["--variant", "separate-resolve"]), "outlines are drawn");
}

#[test]
fn every_pixel_is_checked_at_any_size() {
    for (size, count) in [("96x64", 96 * 64), ("16x16", 256), ("333x77", 333 * 77), ("16x400", 6400), ("400x16", 6400)]
    {
        for variant in VARIANTS {
            let report = pixels(&["--size", size, "--variant", variant]);
            assert_eq!(common::number(&report, "checked"), count, "{size}, {variant}");
        }
    }
}

#[test]
fn edges_are_blended_by_a_resolve_and_by_nothing_else() {
    for variant in VARIANTS {
        let blended = common::number(&pixels(&["--variant", variant]), "blended");
        assert_eq!(blended > 0, variant != "no-msaa", "{variant}: {blended} pixels");
    }
}

#[test]
fn four_samples_are_the_default() {
    for variant in &VARIANTS[1..] {
        assert_eq!(pixels(&["--variant", variant]), pixels(&["--variant", variant, "--samples", "4"]));
    }
    assert_eq!(pixels(&[]), pixels(&["--variant", "writeback"]));
}

#[test]
fn other_numbers_of_samples_run_or_are_refused_by_name() {
    for samples in ["2", "8", "64"] {
        for variant in &VARIANTS[1..] {
            let output = common::run(PROGRAM, &["--variant", variant, "--samples", samples]);
            let err = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => {}
                Some(2) => assert!(err.contains("samples: choose another --samples"), "{samples}: {err}"),
                other => panic!("--variant {variant} --samples {samples}: exit {other:?}: {err}"),
            }
        }
    }
}

#[test]
fn options_that_contradict_each_other_are_refused_with_the_remedy() {
    let cases: [(&[&str], &str); 5] = [
        (&["--samples", "3"], "power of two"),
        (&["--samples", "1"], "--variant no-msaa"),
        (&["--samples", "4", "--variant", "no-msaa"], "one sample per pixel"),
        (&["--variant", "best"], "separate-resolve"),
        (&["--device", "99"], "there are only the devices"),
    ];
    for (options, remedy) in cases {
        common::assert_refused(PROGRAM, options, remedy);
    }
}

#[test]
fn the_validation_layer_has_nothing_to_say() {
    let mut all: Vec<_> = VARIANTS.iter().map(|variant| vec!["--variant", variant]).collect();
    all.extend(single_sampled().map(|options| options.to_vec()));
    common::assert_valid(PROGRAM, all);
}
