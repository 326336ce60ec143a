//! Finds what this workspace builds, beside the running test in the target directory, and builds it once when missing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the build profile (`target/debug` or `target/release`) that the running program belongs to.
fn profile_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let program = std::env::current_exe().unwrap();
        let folder = program.parent().unwrap();
        let folder = if folder.ends_with("deps") { folder.parent().unwrap() } else { folder };
        folder.to_owned()
    })
}

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Brings the artefacts of a package up to date. Cargo's own lock keeps several tests from building at once.
fn build(package: &str) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", package]).current_dir(workspace());
    command.arg("--target-dir").arg(profile_folder().parent().unwrap());
    if profile_folder().ends_with("release") {
        command.arg("--release");
    }
    let status = command.status().unwrap_or_else(|e| panic!("cannot run cargo to build {package}: {e}"));
    assert!(status.success(), "cargo build --package {package} failed");
}

/// The path of an artefact. The first process of a test run asks cargo, which knows whether sources changed; processes below it
/// are told by environment that this has been done.
fn find(package: &'static str, file: &str, done: &OnceLock<()>) -> PathBuf {
    let told = format!("TILELENS_BUILT_{}", package.replace('-', "_").to_uppercase());
    done.get_or_init(|| {
        if std::env::var_os(&told).is_none() {
            build(package);
        }
    });
    let path = profile_folder().join(file);
    assert!(path.exists(), "{} is missing after building {package}", path.display());
    path
}

/// Tells a child process that the artefacts are up to date.
pub(crate) fn tell(command: &mut Command) {
    for package in ["LAYER", "CLI", "SAMPLES"] {
        command.env(format!("TILELENS_BUILT_TILELENS_{package}"), "1");
    }
}

/// The layer library.
pub fn layer() -> &'static Path {
    static DONE: OnceLock<()> = OnceLock::new();
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let name = format!("{}VkLayer_tilelens{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    PATH.get_or_init(|| find("tilelens-layer", &name, &DONE))
}

/// The `tilelens` command.
pub fn cli() -> &'static Path {
    static DONE: OnceLock<()> = OnceLock::new();
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| find("tilelens-cli", &format!("tilelens{}", std::env::consts::EXE_SUFFIX), &DONE))
}

/// A sample program.
pub fn sample(name: &str) -> PathBuf {
    static DONE: OnceLock<()> = OnceLock::new();
    find("tilelens-samples", &format!("{name}{}", std::env::consts::EXE_SUFFIX), &DONE)
}
