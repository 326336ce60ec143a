//! `render_passes` draws what the specification says, in every combination of operations, and the validation layer has nothing to say.

mod common;

const LOADS: [&str; 3] = ["load", "clear", "dont-care"];
const STORES: [&str; 2] = ["store", "dont-care"];
const PROGRAM: &str = env!("CARGO_BIN_EXE_render_passes");

fn pixels(options: &[&str]) -> String {
    common::pixels(PROGRAM, options)
}

fn checked(report: &str) -> usize {
    common::number(report, "checked")
}

/// Every combination of the four operations, with `more` behind it.
fn combinations(more: &[&'static str]) -> Vec<Vec<&'static str>> {
    let mut all = Vec::new();
    for load in LOADS {
        for store in STORES {
            for depth_load in LOADS {
                for depth_store in STORES {
                    let mut options = vec!["--load", load, "--store", store];
                    options.extend(["--depth-load", depth_load, "--depth-store", depth_store]);
                    options.extend(more);
                    all.push(options);
                }
            }
        }
    }
    all
}

#[test]
fn every_combination_of_operations_gives_the_specified_pixels() {
    for options in combinations(&[]) {
        let [_, load, _, store, _, depth_load, _, depth_store, ..] = options[..] else { unreachable!("four options") };
        let with_pass = pixels(&options);
        let dynamic = pixels(&[&options[..], &["--dynamic"]].concat());
        // Undefined contents may differ from run to run; so may pixels whose depth was tested against them.
        let defined = |load, store| load == "clear" || (load == "load" && store == "store");
        if defined(load, store) && defined(depth_load, depth_store) {
            assert_eq!(with_pass, dynamic, "dynamic rendering differs with {options:?}");
        }
    }
}

#[test]
fn a_secondary_command_buffer_draws_the_same() {
    for more in [&[][..], &["--dynamic"], &["--clear-attachments", "--samples", "4"]] {
        assert_eq!(pixels(&[more, &["--secondary"]].concat()), pixels(more), "{more:?}");
    }
}

/// Operations and formats whose pixels are all defined.
const DEFINED: [&[&str]; 4] = [
    &[],
    &["--load", "load", "--depth-load", "load", "--depth-store", "store"],
    &[
        "--load",
        "load",
        "--clear-attachments",
        "--depth-format",
        "D16_UNORM",
        "--depth-load",
        "load",
        "--depth-store",
        "store",
    ],
    &["--samples", "4"],
];

#[test]
fn a_rendering_that_is_suspended_and_resumed_draws_the_same() {
    for more in DEFINED {
        assert_eq!(pixels(&[more, &["--dynamic", "--suspend"]].concat()), pixels(more), "{more:?}");
    }
}

#[test]
fn shader_objects_draw_the_same_as_a_pipeline() {
    if common::has(PROGRAM, "VK_EXT_shader_object", &["--dynamic", "--shader-objects"]) {
        for more in DEFINED {
            for split in [&[][..], &["--suspend"], &["--secondary"]] {
                let options = [more, &["--dynamic", "--shader-objects"], split].concat();
                assert_eq!(pixels(&options), pixels(more), "{options:?}");
            }
        }
    }
}

#[test]
fn a_framebuffer_without_images_draws_the_same() {
    for more in DEFINED {
        assert_eq!(pixels(&[more, &["--imageless"]].concat()), pixels(more), "{more:?}");
    }
}

#[test]
fn contents_that_the_host_has_written_are_loaded_like_cleared_ones() {
    if common::has(PROGRAM, "VK_EXT_host_image_copy", &["--load", "load", "--upload", "host"]) {
        for more in [DEFINED[1], DEFINED[2]] {
            for dynamic in [&[][..], &["--dynamic"]] {
                let options = [more, &["--upload", "host"], dynamic].concat();
                assert_eq!(pixels(&options), pixels(more), "{options:?}");
            }
        }
    }
}

#[test]
fn every_pixel_is_checked_where_nothing_is_undefined() {
    assert_eq!(checked(&pixels(&["--load", "clear", "--depth-load", "clear"])), 96 * 64);
    assert_eq!(checked(&pixels(&["--load", "load", "--depth-load", "load", "--depth-store", "store"])), 96 * 64);
    let drawn = checked(&pixels(&["--load", "dont-care"]));
    assert!(drawn > 1000 && drawn < 96 * 64, "with DONT_CARE the drawn pixels are checked, and only they: {drawn}");
    assert_eq!(checked(&pixels(&["--store", "dont-care"])), 0, "nothing is known of contents that were not stored");
}

#[test]
fn load_keeps_what_earlier_frames_have_drawn() {
    assert_ne!(pixels(&["--load", "load"]), pixels(&["--load", "clear"]));
}

#[test]
fn clear_attachments_replaces_loaded_contents() {
    assert_eq!(pixels(&["--load", "load", "--clear-attachments"]), pixels(&["--load", "clear"]));
    assert_eq!(pixels(&["--load", "dont-care", "--clear-attachments", "--dynamic"]), pixels(&["--load", "clear"]));
}

#[test]
fn four_samples_are_resolved_in_the_pass() {
    for options in combinations(&["--samples", "4"]) {
        pixels(&options);
    }
    let inside = checked(&pixels(&["--samples", "4", "--store", "dont-care"]));
    assert!(inside > 96 * 64 * 3 / 4, "the resolve attachment is stored whatever the multisampled one does: {inside}");
    assert_eq!(pixels(&["--samples", "4"]), pixels(&["--samples", "4", "--dynamic"]));
}

#[test]
fn the_depth_format_does_not_show_in_the_pixels() {
    let expected = pixels(&[]);
    for format in ["D16_UNORM", "D32_SFLOAT_S8_UINT"] {
        assert_eq!(pixels(&["--depth-format", format]), expected, "{format}");
    }
    for [load, store] in LOADS.iter().flat_map(|l| STORES.iter().map(move |s| [*l, *s])) {
        let stencil = ["--depth-format", "D32_SFLOAT_S8_UINT", "--stencil-load", load, "--stencil-store", store];
        assert_eq!(pixels(&stencil), expected, "stencil {load}, {store}");
        assert_eq!(pixels(&[&stencil[..], &["--dynamic"]].concat()), expected, "stencil {load}, {store}, dynamic");
    }
}

#[test]
fn the_operation_none_runs_or_is_refused_by_name() {
    for options in [["--load", "none"], ["--depth-load", "none"], ["--store", "none"], ["--depth-store", "none"]] {
        let output = common::run(PROGRAM, &options);
        let err = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(2) => assert!(err.contains("op NONE") && err.contains("--device"), "{options:?}: {err}"),
            other => panic!("{options:?}: exit {other:?}: {err}"),
        }
    }
}

#[test]
fn bad_options_are_refused_with_the_remedy() {
    let cases = [
        (["--suspend", "--secondary"], "--suspend"),
        (["--shader-objects", "--imageless"], "--imageless"),
        (["--upload", "host"], "add --load load"),
        (["--size", "8x8"], "for example 2220x1080"),
        (["--samples", "3"], "power of two"),
        (["--stencil-load", "load"], "D32_SFLOAT_S8_UINT"),
        (["--device", "99"], "there are only the devices"),
    ];
    for (options, remedy) in cases {
        common::assert_refused(PROGRAM, &options, remedy);
    }
}

#[test]
fn the_validation_layer_has_nothing_to_say() {
    let mut all = combinations(&[]);
    all.extend(combinations(&["--dynamic", "--clear-attachments"]));
    let more: [&[&str]; 10] = [
        &["--samples", "4"],
        &["--samples", "4", "--dynamic", "--load", "load", "--depth-load", "load"],
        &["--samples", "4", "--load", "load", "--depth-load", "load", "--depth-store", "store"],
        &["--depth-format", "D32_SFLOAT_S8_UINT", "--stencil-load", "load", "--stencil-store", "store"],
        &["--depth-format", "D32_SFLOAT_S8_UINT", "--stencil-load", "clear", "--dynamic"],
        &["--dynamic", "--suspend", "--load", "load"],
        &["--dynamic", "--suspend", "--samples", "4", "--clear-attachments"],
        &["--imageless", "--load", "load", "--depth-load", "load", "--depth-store", "store"],
        &["--imageless", "--samples", "4"],
        &["--store", "none", "--depth-store", "none", "--dynamic"],
    ];
    all.extend(more.map(<[_]>::to_vec));
    common::assert_valid(PROGRAM, all);
}
