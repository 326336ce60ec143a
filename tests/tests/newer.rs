//! What the report says of the samples' newer ways to draw: the same as of the older ways to ask for the same.
//!
//! The installed driver lacks some of these extensions; the newer one, which `./test --full` names, has them all, and only there these tests
//! run.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use tbdr_model::report::Report;
use tilelens_tests::need;
use tilelens_tests::real::sample::{last_frame, layered, pass_bytes, run};
use tilelens_tests::real::{Missing, OTHER_DRIVER};
use tilelens_tests::sandbox::Folder;

/// A size that no tile divides, so that edges count.
const SIZE: &str = "500x300";
/// One 32-bit attachment, moved once.
const A: u64 = 500 * 300 * 4;
/// GPUs whose drivers do as the operations ask, one of each family that merges.
const AS_ASKED: [&str; 3] = ["mali-g76", "adreno-650", "apple-m1"];
/// Every way to name an image to a shader.
const BINDS: [&str; 4] = ["set", "push", "buffer", "bindless"];

/// Whether the driver is the newer one.
fn newer() -> bool {
    std::env::var_os(OTHER_DRIVER).is_some()
}

/// Runs a sample under the layer, for every GPU, and returns its report.
fn report(program: &str, arguments: &[&str]) -> Result<Report, Missing> {
    let folder = Folder::new();
    let frames = if arguments.contains(&"--frames") { &[][..] } else { &["--frames", "3"] };
    let arguments = [&["--size", SIZE], frames, arguments].concat();
    let settings = [("gpu", "all"), ("sync", "1"), ("frame_submits", "1"), ("log_level", "warn")];
    let outcome = run(layered(program, &arguments, &folder, &settings)?, &folder);
    assert!(outcome.status.success(), "{program} {arguments:?}: {}", outcome.text());
    let report = folder.report();
    assert!(report.complete && report.gaps.is_empty(), "{program} {arguments:?}: {:?}", report.gaps);
    Ok(report)
}

/// Bytes that the passes of the last frame read and write, for every GPU.
fn bytes(report: &Report) -> BTreeMap<String, (u64, u64)> {
    last_frame(report).gpus.iter().map(|(gpu, frame)| (gpu.clone(), pass_bytes(frame))).collect()
}

/// Draws and passes of the last frame.
fn shape(report: &Report) -> Vec<(u64, usize)> {
    last_frame(report).passes.iter().map(|pass| (pass.draws, pass.attachments.len())).collect()
}

#[test]
fn a_rendering_costs_the_same_in_whichever_way_it_is_asked_for() {
    if !newer() {
        return;
    }
    let kept = ["--load", "load", "--depth-load", "load", "--depth-store", "store"];
    for operations in [&[][..], &kept] {
        for (usual, newer) in [
            (&["--dynamic"][..], &["--dynamic", "--suspend"][..]),
            (&["--dynamic"], &["--dynamic", "--shader-objects"]),
            (&["--dynamic"], &["--dynamic", "--suspend", "--shader-objects"]),
            (&[], &["--imageless"]),
            (&[], &["--imageless", "--secondary"]),
        ] {
            let [usual, newer] = [usual, newer].map(|more| report("render_passes", &[operations, more].concat()));
            let (usual, newer) = (need!(usual), need!(newer));
            assert_eq!(shape(&newer), [(3, 2)], "one pass with three draws: {operations:?}");
            assert_eq!(shape(&newer), shape(&usual), "{operations:?}");
            assert_eq!(bytes(&newer), bytes(&usual), "{operations:?}");
        }
    }
}

#[test]
fn contents_that_the_host_has_written_are_loaded_like_others() {
    if !newer() {
        return;
    }
    let kept = ["--load", "load", "--depth-load", "load", "--depth-store", "store"];
    for dynamic in [&[][..], &["--dynamic"]] {
        let host = need!(report("render_passes", &[&kept[..], &["--upload", "host"], dynamic].concat()));
        let cleared = need!(report("render_passes", &[&kept[..], dynamic].concat()));
        assert_eq!(bytes(&host), bytes(&cleared), "{dynamic:?}");
        for gpu in AS_ASKED {
            assert_eq!(bytes(&host)[gpu], (2 * A, 2 * A), "{gpu}, {dynamic:?}");
        }
    }
}

#[test]
fn a_g_buffer_that_a_rendering_reads_locally_stays_on_chip() {
    if !newer() {
        return;
    }
    let local = need!(report("subpasses", &["--technique", "local-read"]));
    assert_eq!(shape(&local), [(2, 4)], "geometry and lighting are one pass");
    for gpu in AS_ASKED {
        assert_eq!(last_frame(&local).gpus[gpu].passes.len(), 1, "{gpu}");
        assert_eq!(bytes(&local)[gpu], (0, A), "{gpu}: the output, and nothing else, leaves the chip");
    }
    let apart = need!(report("subpasses", &["--technique", "renderings", "--transient", "off"]));
    assert_eq!(shape(&apart), [(1, 3), (1, 4)], "the first rendering has no output");
    for gpu in AS_ASKED {
        // Depth, albedo and normal are stored and loaded back; the output is stored.
        assert_eq!(bytes(&apart)[gpu], (3 * A, 4 * A), "{gpu}");
    }
}

#[test]
fn samples_that_exist_in_the_pass_alone_cost_what_a_resolve_in_the_pass_costs() {
    if !newer() {
        return;
    }
    let single = need!(report("msaa", &["--variant", "single-sampled"]));
    for gpu in AS_ASKED {
        assert_eq!(bytes(&single)[gpu], (0, A), "{gpu}");
    }
}

#[test]
fn a_map_that_another_pass_reads_is_stored_whatever_names_it_to_the_shader() {
    if !newer() {
        return;
    }
    for bind in BINDS {
        for more in [&[][..], &["--history"], &["--unused"], &["--unused", "--discard"]] {
            let report = need!(report("sampled", &[&["--bind", bind], more].concat()));
            let stored = if more.contains(&"--discard") { A } else { 2 * A };
            for gpu in AS_ASKED {
                assert_eq!(bytes(&report)[gpu], (0, stored), "{gpu}: {bind}, {more:?}");
            }
        }
    }
}

#[test]
fn a_map_that_is_drawn_on_demand_is_stored_in_the_frames_that_read_it() {
    if !newer() {
        return;
    }
    for (frames, passes) in [("3", 1), ("4", 2)] {
        let report = need!(report("sampled", &["--every", "3", "--on-demand", "--frames", frames]));
        assert_eq!(last_frame(&report).passes.len(), passes, "{frames} frames");
        for gpu in AS_ASKED {
            assert_eq!(bytes(&report)[gpu], (0, passes as u64 * A), "{gpu}, {frames} frames");
        }
    }
}

#[test]
fn a_store_that_no_shader_uses_is_waste_and_no_other_is() {
    if !newer() {
        return;
    }
    let wasted = |arguments: &[&str]| {
        let report = report("sampled", &[&["--frames", "7"], arguments].concat())?;
        let of_map =
            report.findings.iter().filter(|f| f.code == "TL006" && f.attachment.as_deref() == Some("depth map"));
        Ok::<_, Missing>(of_map.count())
    };
    for bind in BINDS {
        assert_eq!(need!(wasted(&["--bind", bind, "--unused"])), 1, "{bind}: the shader does not use what is bound");
        // A map that one frame in three reads cannot be left out by its store operation.
        let read =
            [&[][..], &["--history"], &["--every", "3"], &["--every", "3", "--history"], &["--unused", "--discard"]];
        for more in read {
            assert_eq!(need!(wasted(&[&["--bind", bind], more].concat())), 0, "{bind}, {more:?}");
        }
    }
}
