//! In one chain with the layers that developers use, above and below each: the program runs on, and its frames are all accounted for.
//!
//! The order is that of the loader's own words. Layers that programs seldom meet beside ours, and a browser with a driver of its own, take
//! packages that a build does not need: `./test --full` runs them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::process::Command;
use std::time::Duration;
use tbdr_model::report::{Frame, Report};
use tilelens_tests::real::layers::{GFXRECONSTRUCT, MANGOHUD, MESA_OVERLAY, VALIDATION, VKBASALT};
use tilelens_tests::real::{self, Display, Layers, Missing};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{need, process};

const LIMIT: Duration = Duration::from_secs(240);
const FRAMES: u64 = 30;
const GPU: &str = "mali-g76";

/// Whether the slow tests are to run.
fn full() -> bool {
    std::env::var_os("TILELENS_FULL").is_some()
}

/// A layer that is not ours.
#[derive(Clone, Copy)]
struct Neighbour {
    name: &'static str,
    package: &'static str,
    /// What it does to the frames of a program whose calls go through it.
    adds: Adds,
}

/// What a neighbour adds to each frame, seen where we stand below it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Adds {
    Nothing,
    /// A pass of its own over what is shown.
    Pass,
    /// It lets the program draw into images of its own and makes what is shown of them.
    Images,
}

const NEIGHBOURS: [Neighbour; 5] = [
    Neighbour { name: VALIDATION, package: "vulkan-validationlayers", adds: Adds::Nothing },
    Neighbour { name: GFXRECONSTRUCT, package: "gfxreconstruct", adds: Adds::Nothing },
    Neighbour { name: MESA_OVERLAY, package: "mesa-vulkan-drivers", adds: Adds::Pass },
    Neighbour { name: MANGOHUD, package: "mangohud", adds: Adds::Pass },
    Neighbour { name: VKBASALT, package: "vkbasalt", adds: Adds::Images },
];

/// Runs vkcube under a chain, the application's side first; `None` is our layer.
fn cube(display: &Display, chain: &[Option<Neighbour>]) -> Result<Report, Missing> {
    let folder = Folder::new();
    let mut command = real::on_lavapipe(&real::program("vkcube", "vulkan-tools")?)?;
    command.args(["--c", &FRAMES.to_string()]).env("DISPLAY", &display.name);
    real::settings::apply(&mut command, &folder, &[("sync", "1"), ("gpu", GPU)]);
    let mut layers = Layers::new(&folder.0);
    for link in chain {
        layers = match link {
            None => layers.ours(),
            Some(neighbour) => layers.installed(neighbour.name, neighbour.package)?,
        };
    }
    layers.enable(&mut command);
    told_to(&mut command, &folder);
    let outcome = process::run(command, &folder.0, LIMIT);
    assert!(outcome.status.success(), "{}", outcome.text());
    layers.assert_order(&outcome.stderr);
    Ok(folder.report())
}

/// The neighbours' own settings: nothing of the user's, and their files beside the test's.
fn told_to(command: &mut Command, folder: &Folder) {
    command.env("VK_LOADER_DEBUG", "layer").env("HOME", &folder.0).env_remove("XDG_CONFIG_HOME");
    command.env("GFXRECON_PAGE_GUARD_ALIGN_BUFFER_SIZES", "true");
    command.env("GFXRECON_CAPTURE_FILE", folder.0.join("cube.gfxr"));
    command.env("MANGOHUD_CONFIG", "no_display=0").env("VKBASALT_LOG_LEVEL", "none");
}

/// The frame that most frames are like.
fn steady(report: &Report) -> &Frame {
    report.frames.iter().max_by_key(|f| f.count).unwrap()
}

/// Every frame is there, and what the program itself draws is in it.
#[track_caller]
fn assert_cube(report: &Report, chain: &str) {
    assert_eq!(report.frame_count, FRAMES, "{chain}");
    assert!(report.complete && report.gaps.is_empty(), "{chain}: {:?}", report.gaps);
    assert!(report.frames.iter().all(|f| f.boundary == "present"), "{chain}");
    let passes = &steady(report).passes;
    assert!(passes.iter().any(|p| p.draws == 1 && p.attachments.len() == 2), "{chain}: {passes:?}");
}

#[test]
fn a_program_has_its_frames_with_each_neighbour_above_and_below() {
    let display = need!(Display::start());
    for neighbour in NEIGHBOURS {
        // The usual ones are installed for other tests.
        if !full() && !matches!(neighbour.name, VALIDATION | GFXRECONSTRUCT | MESA_OVERLAY) {
            continue;
        }
        let below = need!(cube(&display, &[None, Some(neighbour)]));
        assert_cube(&below, &format!("{} below", neighbour.name));
        // What is below us is none of the program's calls.
        assert_eq!(steady(&below).passes.len(), 1, "{} below: {:?}", neighbour.name, steady(&below).passes);

        let above = need!(cube(&display, &[Some(neighbour), None]));
        assert_cube(&above, &format!("{} above", neighbour.name));
        let passes = steady(&above).passes.len();
        match neighbour.adds {
            Adds::Nothing => assert_eq!(passes, 1, "{} above", neighbour.name),
            Adds::Pass | Adds::Images => {
                assert!(passes > 1, "{} above: its passes are part of the frame", neighbour.name)
            }
        }
    }
}

#[test]
fn a_program_has_its_frames_in_the_middle_of_a_long_chain() {
    if !full() {
        return;
    }
    let display = need!(Display::start());
    let [validation, capture, overlay, hud, filter] = NEIGHBOURS.map(Some);
    for chain in [
        [overlay, hud, None, capture, validation],
        [validation, capture, None, hud, overlay],
        [filter, overlay, None, validation, hud],
        [hud, validation, None, overlay, filter],
    ] {
        let names = chain.map(|link| link.map_or("ours", |n| n.name)).join(", ");
        assert_cube(&need!(cube(&display, &chain)), &names);
    }
}
