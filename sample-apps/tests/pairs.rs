//! The samples in a wrong and a right variant draw the same picture in both, and the validation layer has nothing to say.

mod common;

const PROGRAMS: [&str; 9] = [
    env!("CARGO_BIN_EXE_layout_transitions"),
    env!("CARGO_BIN_EXE_afbc"),
    BARRIERS,
    env!("CARGO_BIN_EXE_deferred_ssao"),
    env!("CARGO_BIN_EXE_bloom"),
    env!("CARGO_BIN_EXE_split_ui"),
    env!("CARGO_BIN_EXE_depth_prepass"),
    env!("CARGO_BIN_EXE_shadow_atlas"),
    env!("CARGO_BIN_EXE_history"),
];
const BARRIERS: &str = env!("CARGO_BIN_EXE_pipeline_barriers");
const WRONG: [&str; 2] = ["--variant", "wrong"];
/// Ways in which the barriers of the wrong variant are too wide.
const WIDE: [&str; 3] = ["bottom-to-top", "all-commands", "output-to-vertex"];

#[test]
fn wrong_and_right_give_the_same_pixels_in_every_frame() {
    for program in PROGRAMS {
        // Each run reports its last frame; the atlas needs five frames until a row is drawn again.
        for frames in ["1", "2", "3", "5", "9"] {
            let right = common::pixels(program, &["--frames", frames]);
            assert_eq!(
                common::pixels(program, &[&WRONG[..], &["--frames", frames]].concat()),
                right,
                "{program}, {frames}"
            );
        }
    }
}

#[test]
fn barriers_of_any_width_give_the_same_pixels_and_nothing_to_say_to_the_validation_layer() {
    let right = common::pixels(BARRIERS, &[]);
    for wide in WIDE {
        let options = [&WRONG[..], &["--wide", wide]].concat();
        assert_eq!(common::pixels(BARRIERS, &options), right, "{wide}");
        common::assert_valid(BARRIERS, [options]);
    }
    common::assert_refused(BARRIERS, &["--wide", "everything"], "bottom-to-top");
    common::assert_refused(BARRIERS, &["--wide", "all-commands"], "give --variant wrong with it");
}

#[test]
fn every_pixel_is_checked_at_any_size() {
    for (size, count) in [("16x16", 256), ("333x77", 333 * 77), ("16x200", 3200), ("200x16", 3200)] {
        for program in PROGRAMS {
            for variant in ["wrong", "right"] {
                let report = common::pixels(program, &["--size", size, "--variant", variant]);
                assert_eq!(common::number(&report, "checked"), count, "{program}, {size}, {variant}");
            }
        }
    }
}

#[test]
fn frames_differ_from_each_other() {
    for program in PROGRAMS {
        let [one, two] = ["1", "2"].map(|frames| common::pixels(program, &["--frames", frames]));
        assert_ne!(one, two, "{program}");
    }
}

#[test]
fn the_help_says_what_is_wrong_and_what_is_right() {
    for program in PROGRAMS {
        let help = common::run(program, &["--help"]);
        let help = String::from_utf8_lossy(&help.stdout);
        assert!(help.contains("\nwrong: ") && help.contains("\nright: "), "{program}: {help}");
    }
}

#[test]
fn bad_options_are_refused_with_the_remedy() {
    for program in PROGRAMS {
        common::assert_refused(program, &["--variant", "best"], "right");
        common::assert_refused(program, &["--device", "99"], "there are only the devices");
    }
}

#[test]
fn the_validation_layer_has_nothing_to_say() {
    for program in PROGRAMS {
        common::assert_valid(program, [vec!["--frames", "6"], [&WRONG[..], &["--frames", "6"]].concat()]);
    }
}
