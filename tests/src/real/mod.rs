//! The installed loader, lavapipe, and programs.
//!
//! A test that needs a program which is not installed says so and is skipped; with `CI=true` it fails, because a machine
//! that is meant to run all tests must not pass by leaving some out.

pub mod display;
pub mod layers;
mod recording;
pub mod sample;
pub mod settings;
pub mod vulkan;

pub use display::Display;
pub use layers::Layers;
pub use recording::Loop;

use crate::process;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Something that is not installed.
#[derive(Debug)]
pub struct Missing(String);

impl Missing {
    /// Something that a test looked for by itself.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// Says that a test is left out, or fails it where nothing may be missing.
#[allow(clippy::print_stderr)] // The reader of a test run is meant to see what did not run.
pub fn skip(missing: &Missing) {
    let on_ci = std::env::var("CI").is_ok_and(|v| v == "true" || v == "1");
    assert!(!on_ci, "{}, and on CI nothing may be missing", missing.0);
    // Not captured by the test harness, unlike eprintln!.
    let line = format!("SKIPPED {}: {}\n", std::thread::current().name().unwrap_or("test"), missing.0);
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
}

/// What `?` gives in a test that was left out.
#[macro_export]
macro_rules! need {
    ($found:expr) => {
        match $found {
            Ok(found) => found,
            Err(missing) => return $crate::real::skip(&missing),
        }
    };
}

/// An installed program.
pub fn program(name: &str, package: &str) -> Result<PathBuf, Missing> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.is_file());
    found.ok_or_else(|| Missing(format!("{name} is not installed (Debian package {package})")))
}

/// Variable that names the manifest of another lavapipe to test on, not installed; [`OTHER_LIBRARIES`] names the folder of its libraries.
pub const OTHER_DRIVER: &str = "TILELENS_NEWER_ICD";
/// Folder of the libraries of [`OTHER_DRIVER`].
pub const OTHER_LIBRARIES: &str = "TILELENS_NEWER_LIBRARIES";

/// The manifest of lavapipe, the software driver.
pub fn lavapipe() -> Result<PathBuf, Missing> {
    if let Some(other) = std::env::var_os(OTHER_DRIVER) {
        return Ok(PathBuf::from(other));
    }
    let folders = ["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"];
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lvp_icd")))
        .collect();
    found.sort();
    // The machine's own architecture, where several are installed.
    let own = found.iter().find(|p| p.to_string_lossy().contains(std::env::consts::ARCH)).or(found.first());
    own.cloned().ok_or_else(|| Missing("lavapipe is not installed (Debian package mesa-vulkan-drivers)".into()))
}

/// The manifest of SwiftShader, the software driver of browsers.
pub fn swiftshader() -> Result<PathBuf, Missing> {
    let manifest = PathBuf::from("/usr/lib/chromium/vk_swiftshader_icd.json");
    match manifest.is_file() {
        true => Ok(manifest),
        false => Err(Missing("SwiftShader is not installed (Debian package chromium)".into())),
    }
}

/// A command that will run on lavapipe and nothing else, without any layer.
pub fn on_lavapipe(program: &Path) -> Result<Command, Missing> {
    let mut command = on(&lavapipe()?, program);
    if let Some(libraries) = std::env::var_os(OTHER_LIBRARIES) {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    Ok(command)
}

/// A command that will run on the driver of this manifest and nothing else, without any layer.
pub fn on(driver: &Path, program: &Path) -> Command {
    let mut command = Command::new(program);
    process::clean(&mut command);
    command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
    without_implicit_layers(&mut command);
    command
}

/// No implicit layer of the machine takes part.
pub fn without_implicit_layers(command: &mut Command) {
    command.env("NODEVICE_SELECT", "1").env("DISABLE_LAYER_AMD_SWITCHABLE_GRAPHICS_1", "1");
    command.env_remove("MANGOHUD").env_remove("ENABLE_VKBASALT");
}
