//! Runs a sample on the software driver, with and without the validation layer.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";

/// Names the manifest of a newer lavapipe, which has every extension that the samples use, and the folder of its libraries.
const NEWER_DRIVER: &str = "TILELENS_NEWER_ICD";
const NEWER_LIBRARIES: &str = "TILELENS_NEWER_LIBRARIES";

/// The software driver's manifest, so that the tests do not depend on the machine's GPU.
fn software_driver() -> Option<PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let entries = folders.into_iter().filter_map(|f| std::fs::read_dir(f).ok()).flatten().flatten();
    let mut found: Vec<_> = entries
        .map(|e| e.path())
        .filter(|p| {
            p.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with("lvp_icd") && n.ends_with(".json"))
        })
        .collect();
    found.sort();
    found.into_iter().next()
}

fn command(program: &str, options: &[&str]) -> Command {
    let mut command = Command::new(program);
    if !options.contains(&"--size") {
        command.args(["--size", "96x64"]);
    }
    if !options.contains(&"--frames") {
        command.args(["--frames", "3"]);
    }
    command.args(options);
    // Layers that a user has switched on would take part in what is tested.
    for variable in ["VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE", "ENABLE_TILELENS"] {
        command.env_remove(variable);
    }
    if let Some(driver) = std::env::var_os(NEWER_DRIVER) {
        command.env("VK_ICD_FILENAMES", &driver).env("VK_DRIVER_FILES", &driver);
        if let Some(libraries) = std::env::var_os(NEWER_LIBRARIES) {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        return command;
    }
    let chosen = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"].iter().any(|v| std::env::var_os(v).is_some());
    if let Some(driver) = software_driver().filter(|_| !chosen) {
        // Loaders before 1.3.207 know the first name only.
        command.env("VK_ICD_FILENAMES", &driver).env("VK_DRIVER_FILES", &driver);
    }
    command
}

/// Runs `program` with 96x64 pixels and three frames, unless the options say otherwise.
pub fn run(program: &str, options: &[&str]) -> Output {
    command(program, options).output().expect("the sample was built with this test")
}

/// Runs the sample and returns what it prints: the hash of its pixels and how many it has checked.
pub fn pixels(program: &str, options: &[&str]) -> String {
    let output = run(program, options);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {}: {}\n{out}{err}", options.join(" "), output.status);
    assert!(out.starts_with("pixels: "), "{out}");
    out.into_owned()
}

/// Whether the device has `extension`, which `options` need; it must have it on the newer driver. If not, the program says so.
#[allow(dead_code, reason = "not every sample has options that need an extension")]
pub fn has(program: &str, extension: &str, options: &[&str]) -> bool {
    let output = run(program, options);
    if output.status.code() != Some(2) {
        return true;
    }
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains(&format!("has no {extension}: take another device")), "{options:?}: {err}");
    assert!(std::env::var_os(NEWER_DRIVER).is_none(), "{options:?}: {err}");
    eprintln!("skipped: {}", err.trim());
    false
}

/// The number that a report gives for `what`.
pub fn number(report: &str, what: &str) -> usize {
    let line = report.lines().find_map(|l| l.strip_prefix(what)?.strip_prefix(": "));
    let line = line.unwrap_or_else(|| panic!("no {what} in {report}"));
    line.split(' ').next().and_then(|n| n.parse().ok()).expect("a number")
}

/// The option is refused with exit status 2 and a message that holds `remedy`.
pub fn assert_refused(program: &str, options: &[&str], remedy: &str) {
    let output = run(program, options);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{options:?}: {err}");
    assert!(err.contains(remedy), "{options:?}: {err}");
}

/// The validation layer, its synchronisation checks included, has nothing to say of any of the runs.
pub fn assert_valid<'a>(program: &str, all: impl IntoIterator<Item = Vec<&'a str>>) {
    if !Path::new("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json").exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "the validation layer is not installed (package vulkan-validationlayers)"
        );
        eprintln!("skipped: the validation layer is not installed (package vulkan-validationlayers)");
        return;
    }
    for options in all {
        let mut command = command(program, &options);
        command.env("VK_INSTANCE_LAYERS", VALIDATION);
        command.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT");
        let output = command.output().expect("the sample was built with this test");
        let said = [output.stdout, output.stderr].map(|s| String::from_utf8_lossy(&s).into_owned()).concat();
        assert!(output.status.success(), "{options:?}: {said}");
        let own = |line: &&str| ["pixels: ", "checked: ", "blended: "].iter().any(|o| line.starts_with(o));
        let others: Vec<_> = said.lines().filter(|l| !own(l)).collect();
        assert!(others.is_empty(), "{options:?}:\n{}", others.join("\n"));
    }
}
