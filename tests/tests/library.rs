//! The layer as a shared library: what it exports, what it needs, and that it does nothing before it is asked to.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::process::Command;
use tilelens_tests::artefacts;
use tilelens_tests::fake::{Chain, Layer, Options};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::Scene;

fn readelf(option: &str) -> String {
    let output = Command::new("readelf").args(["--wide", option]).arg(artefacts::layer()).output();
    let output = output.unwrap_or_else(|e| panic!("readelf comes with the linker that built this test: {e}"));
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_library_exports_the_seven_names_that_loaders_look_up_and_nothing_else() {
    let table = readelf("--dyn-syms");
    let mut exported: Vec<&str> = table
        .lines()
        .filter_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [_, _, _, _, binding, _, section, name] = columns[..] else { return None };
            (section != "UND" && section != "Ndx" && binding != "LOCAL").then_some(name)
        })
        .collect();
    exported.sort_unstable();
    let expected = [
        "vkEnumerateDeviceExtensionProperties",
        "vkEnumerateDeviceLayerProperties",
        "vkEnumerateInstanceExtensionProperties",
        "vkEnumerateInstanceLayerProperties",
        "vkGetDeviceProcAddr",
        "vkGetInstanceProcAddr",
        "vkNegotiateLoaderLayerInterfaceVersion",
    ];
    assert_eq!(exported, expected);
}

#[test]
fn the_library_is_never_unmapped_and_needs_only_the_system() {
    let dynamic = readelf("--dynamic");
    assert!(dynamic.contains("NODELETE"), "{dynamic}");
    let system = ["libc.so.6", "libgcc_s.so.1", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"];
    for line in dynamic.lines().filter(|l| l.contains("(NEEDED)")) {
        let name = line.split(['[', ']']).nth(1).unwrap();
        assert!(system.contains(&name), "needs {name}");
    }
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn no_thread_runs_before_the_first_submit() {
    let done = Sandbox::new().run(|_| {
        let before = threads();
        Layer::get();
        assert_eq!(threads(), before, "loading starts a thread");
        let scene = Scene::new(Chain::new(Options::default()).start());
        scene.record(|_, _| {});
        assert_eq!(threads(), before, "recording starts a thread");
        scene.submit(scene.buffer);
        assert!(threads() <= before + 1, "one analysis thread at most");
    });
    assert!(done.outcome.stdout.lines().all(|l| !l.contains("tilelens:")), "stdout is the application's");
}

#[test]
fn the_library_survives_being_closed_and_opened_again() {
    Sandbox::new().run(|_| {
        let path = artefacts::layer();
        let files = || -> Vec<_> {
            let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
            open.filter_map(|e| std::fs::read_link(e.path()).ok()).collect()
        };
        let before = (threads(), files().len());
        for _ in 0..200 {
            // SAFETY: the library runs nothing on its own when loaded.
            let library = unsafe { libloading::Library::new(path) }.unwrap();
            drop(library);
        }
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(maps.contains("libVkLayer_tilelens"), "nodelete keeps it mapped");
        for _ in 0..20 {
            let scene = Scene::new(Chain::new(Options::default()).start());
            scene.record(|_, _| {});
            scene.submit(scene.buffer);
            scene.app.stop();
        }
        assert!(threads() <= before.0 + 1, "threads are left: {}", threads());
        // The log stays open; the analysis thread lets go of the last device in its own time.
        let patience = std::time::Instant::now() + std::time::Duration::from_secs(5);
        while files().len() > before.1 + 1 && std::time::Instant::now() < patience {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(files().len() <= before.1 + 1, "files are left open: {:?}", files());
    });
}
