//! `subpasses` draws the same picture whether the G-buffer stays on chip or goes through memory, and the validation layer has
//! nothing to say.

mod common;

const PROGRAM: &str = env!("CARGO_BIN_EXE_subpasses");
const TECHNIQUES: [&str; 2] = ["subpasses", "renderpasses"];
const SWITCHES: [&str; 2] = ["on", "off"];
const G_BUFFERS: [&str; 2] = ["small", "large"];

fn pixels(options: &[&str]) -> String {
    common::pixels(PROGRAM, options)
}

/// Every combination of the toggles that the program accepts.
fn combinations() -> Vec<Vec<&'static str>> {
    let mut all = Vec::new();
    for technique in TECHNIQUES {
        for transient in SWITCHES {
            for g_buffer in G_BUFFERS {
                let options = vec!["--technique", technique, "--transient", transient, "--gbuffer", g_buffer];
                if technique == "subpasses" {
                    all.push([&options[..], &["--by-region", "off"]].concat());
                }
                all.push(options);
            }
        }
    }
    all
}

#[test]
fn neither_technique_nor_memory_nor_dependency_shows_in_the_pixels() {
    for g_buffer in G_BUFFERS {
        let expected = pixels(&["--gbuffer", g_buffer]);
        for options in combinations().iter().filter(|o| o.contains(&g_buffer)) {
            assert_eq!(pixels(options), expected, "{options:?}");
        }
    }
}

#[test]
fn every_pixel_is_checked_at_any_size() {
    for (size, count) in [("96x64", 96 * 64), ("16x16", 256), ("333x77", 333 * 77), ("16x400", 6400), ("400x16", 6400)]
    {
        for technique in TECHNIQUES {
            let report = pixels(&["--size", size, "--technique", technique]);
            assert_eq!(common::number(&report, "checked"), count, "{size}, {technique}");
        }
    }
}

/// The options of one and of two dynamic renderings that read their own attachments, if the device has that.
fn local_reads() -> impl Iterator<Item = [&'static str; 2]> {
    ["local-read", "renderings"]
        .map(|technique| ["--technique", technique])
        .into_iter()
        .filter(|options| common::has(PROGRAM, "VK_KHR_dynamic_rendering_local_read", options))
}

#[test]
fn local_reads_of_a_dynamic_rendering_show_the_same() {
    for local_read in local_reads() {
        for transient in SWITCHES {
            for g_buffer in G_BUFFERS {
                let more = ["--transient", transient, "--gbuffer", g_buffer];
                let options = [local_read, [more[0], more[1]], [more[2], more[3]]].concat();
                assert_eq!(pixels(&options), pixels(&more), "{options:?}");
            }
        }
    }
}

#[test]
fn ten_bits_of_the_normal_are_not_thirty_two() {
    assert_ne!(pixels(&["--gbuffer", "small"]), pixels(&["--gbuffer", "large"]));
}

#[test]
fn options_that_contradict_each_other_are_refused_with_the_remedy() {
    let contradiction = ["--technique", "renderpasses", "--by-region", "off"];
    common::assert_refused(PROGRAM, &contradiction, "--technique subpasses");
    let contradiction = ["--technique", "local-read", "--by-region", "off"];
    common::assert_refused(PROGRAM, &contradiction, "always by region");
    common::assert_refused(PROGRAM, &["--device", "99"], "there are only the devices");
}

#[test]
fn the_validation_layer_has_nothing_to_say() {
    common::assert_valid(PROGRAM, combinations());
}
