//! Says why nothing was recorded.

use super::child::Ended;
use super::log::RunLog;
use crate::output;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Tells the user, as far as it can be known, why the layer has nothing of `program`.
pub fn explain(program: &OsStr, library: &Path, log: &RunLog, ended: &Ended) {
    let name = tbdr_model::text::shown(&program.to_string_lossy(), 60);
    let text = if log.devices > 0 {
        let killed = if ended.signal.is_some() { ", or was killed before its first frame ended" } else { "" };
        format!("{name} created a Vulkan device and submitted no work to it{killed}: there is nothing to model")
    } else if !log.processes.is_empty() {
        format!("{name} created a Vulkan instance and no device: there is nothing to model")
    } else {
        let reasons = reasons(program, library);
        format!("{name} never loaded the layer{}", match reasons.is_empty() {
            true => ": it created no Vulkan instance. It does not use Vulkan, or not with these arguments on this machine; \
                     VK_LOADER_DEBUG=all shows what a Vulkan loader does"
                .into(),
            false => format!(":\n  - {}", reasons.join("\n  - ")),
        })
    };
    output::message(output::WARNING, "warning", &text);
}

/// Reasons that can be seen from outside.
fn reasons(program: &OsStr, library: &Path) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(path) = find(program) {
        if let Some(reason) = elevated(&path) {
            reasons.push(reason);
        }
        if let (Some(program), Some(layer)) = (machine(&path), machine(library)) {
            if program != layer {
                reasons.push(format!(
                    "{} is for another kind of machine (for instance 32 bits) than the layer {}: build the layer for it too",
                    path.display(),
                    library.display()
                ));
            }
        }
        if matches!(path.file_name().and_then(OsStr::to_str), Some("flatpak" | "snap" | "bwrap" | "firejail")) {
            reasons.push(
                "the program runs in a sandbox that hides variables and files: run what is in it directly".into(),
            );
        }
    }
    #[cfg(target_os = "linux")]
    reasons.extend(loader_reasons());
    reasons
}

/// What the shell would start.
fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.canonicalize().ok();
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.is_file())?.canonicalize().ok()
}

#[cfg(unix)]
fn elevated(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    const SET_USER_OR_GROUP: u32 = 0o6000;
    let mode = path.metadata().ok()?.mode();
    (mode & SET_USER_OR_GROUP != 0).then(|| {
        format!("{} runs with the rights of another user or group (setuid, setgid): the Vulkan loader then ignores variables", path.display())
    })
}

#[cfg(not(unix))]
fn elevated(_: &Path) -> Option<String> {
    None
}

/// Class and machine of an ELF file.
fn machine(path: &Path) -> Option<(u8, [u8; 2])> {
    let mut header = [0; 20];
    std::fs::File::open(path).ok()?.read_exact(&mut header).ok()?;
    header.starts_with(b"\x7fELF").then_some((header[4], [header[18], header[19]]))
}

/// Reasons that lie with the Vulkan loader.
#[cfg(target_os = "linux")]
fn loader_reasons() -> Vec<String> {
    let mut reasons = Vec::new();
    match loader() {
        None => reasons.push(
            "no Vulkan loader (libvulkan.so.1) was found on this machine: install it (Debian: libvulkan1)".into(),
        ),
        // The name stands in the library if it knows the variable.
        Some(path) if !contains(&path, b"VK_ADD_LAYER_PATH") && std::env::var_os("VK_LAYER_PATH").is_none() => {
            reasons.push(format!(
                "the Vulkan loader {} is too old to know VK_ADD_LAYER_PATH: set \
                 VK_LAYER_PATH=/usr/share/vulkan/explicit_layer.d and run again",
                path.display()
            ));
        }
        Some(_) => {}
    }
    let home = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share")));
    for folder in home.into_iter().chain(["/etc".into()]) {
        let settings = folder.join("vulkan/loader_settings.d/vk_loader_settings.json");
        if settings.is_file() {
            reasons.push(format!(
                "{} (Vulkan Configurator) decides about layers: switch it off there",
                settings.display()
            ));
        }
    }
    reasons
}

/// The library that programs most likely load.
#[cfg(target_os = "linux")]
fn loader() -> Option<PathBuf> {
    let own = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&own).collect();
    for base in ["/usr/local/lib", "/usr/lib64", "/lib64", "/usr/lib", "/lib"] {
        folders.push(Path::new(base).join(format!("{}-linux-gnu", std::env::consts::ARCH)));
        folders.push(base.into());
    }
    folders.into_iter().map(|folder| folder.join("libvulkan.so.1")).find(|path| path.is_file())
}

#[cfg(target_os = "linux")]
fn contains(path: &Path, wanted: &[u8]) -> bool {
    // Who cannot read it cannot blame it.
    std::fs::read(path).map_or(true, |bytes| bytes.windows(wanted.len()).any(|window| window == wanted))
}
