//! `sampled` shows the map that a frame reads, however it is named to the shader, and the validation layer has nothing to say.

mod common;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sampled");

/// Every way to name the map, with the extension that it needs.
const WAYS: [(&str, Option<&str>); 4] = [
    ("set", None),
    ("push", Some("VK_KHR_push_descriptor")),
    ("buffer", Some("VK_EXT_descriptor_buffer")),
    ("bindless", Some("VK_EXT_descriptor_indexing")),
];

fn pixels(options: &[&str]) -> String {
    common::pixels(PROGRAM, options)
}

/// The ways that the device has.
fn ways() -> impl Iterator<Item = &'static str> {
    let there = |(bind, extension): &(&str, Option<&str>)| {
        extension.is_none_or(|extension| common::has(PROGRAM, extension, &["--bind", bind]))
    };
    WAYS.into_iter().filter(there).map(|(bind, _)| bind)
}

#[test]
fn a_map_is_the_same_however_it_is_named_to_the_shader() {
    for more in [&[][..], &["--history"], &["--every", "2", "--frames", "5"], &["--unused"]] {
        let expected = pixels(more);
        for bind in ways() {
            // More frames than the array has elements, ending with the same map.
            for frames in ["3", "11"].into_iter().filter(|_| !more.contains(&"--frames")) {
                let options = [more, &["--bind", bind, "--frames", frames]].concat();
                assert_eq!(pixels(&options), expected, "{options:?}");
            }
            assert_eq!(pixels(&[more, &["--bind", bind]].concat()), expected, "{bind}, {more:?}");
        }
    }
}

#[test]
fn history_is_the_map_of_the_frame_before() {
    assert_eq!(pixels(&["--history", "--frames", "3"]), pixels(&["--frames", "2"]));
    assert_eq!(pixels(&["--history", "--frames", "1"]), pixels(&["--unused"]), "the first frame has no history");
}

#[test]
fn frames_that_read_no_map_show_none() {
    let unused = pixels(&["--unused"]);
    for (frames, read) in [("4", true), ("5", false), ("6", false), ("7", true)] {
        let shown = pixels(&["--every", "3", "--frames", frames]);
        assert_eq!(shown != unused, read, "{frames} frames");
    }
}

#[test]
fn maps_that_nobody_reads_do_not_show_in_the_pixels() {
    assert_eq!(pixels(&["--unused", "--discard"]), pixels(&["--unused"]));
    for more in [&["--every", "3"][..], &["--every", "2", "--history"]] {
        for frames in ["4", "5", "7"] {
            let all = [more, &["--frames", frames]].concat();
            assert_eq!(pixels(&[&all[..], &["--on-demand"]].concat()), pixels(&all), "{all:?}");
        }
    }
}

#[test]
fn every_pixel_is_checked_at_any_size() {
    for (size, count) in [("16x16", 256), ("333x77", 333 * 77), ("16x400", 6400)] {
        assert_eq!(common::number(&pixels(&["--size", size]), "checked"), count, "{size}");
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let cases: [(&[&str], &str); 4] = [
        (&["--discard"], "--unused"),
        (&["--on-demand"], "--every"),
        (&["--unused", "--history"], "--history"),
        (&["--device", "99"], "there are only the devices"),
    ];
    for (options, remedy) in cases {
        common::assert_refused(PROGRAM, options, remedy);
    }
}

#[test]
fn the_validation_layer_has_nothing_to_say() {
    let uses: [&[&str]; 4] = [&[], &["--unused", "--discard"], &["--history"], &["--every", "2", "--on-demand"]];
    let all: Vec<_> = ways().flat_map(|bind| uses.map(|more| [&["--bind", bind], more].concat())).collect();
    common::assert_valid(PROGRAM, all);
}
