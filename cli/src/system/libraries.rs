//! Where the dynamic linker finds a library that is named without a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that the dynamic linker most likely takes for `name`: from `LD_LIBRARY_PATH`, from the folders that
/// /etc/ld.so.conf names, or from those that every linker knows.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    let own = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&own).filter(|folder| !folder.as_os_str().is_empty()).collect();
    configured(Path::new("/etc/ld.so.conf"), 0, &mut folders);
    for base in ["/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"] {
        folders.push(Path::new(base).join(format!("{}-linux-gnu", std::env::consts::ARCH)));
        folders.push(base.into());
    }
    folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Reads a list of folders with its `include` lines, whose only pattern in use is `<folder>/*.conf`.
fn configured(file: &Path, depth: u8, folders: &mut Vec<PathBuf>) {
    let Some(text) = std::fs::read_to_string(file).ok().filter(|_| depth < 4) else { return };
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.strip_prefix("include ") {
            Some(pattern) => {
                let Some(folder) = pattern.trim().strip_suffix("/*.conf") else { continue };
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let mut files: Vec<_> = entries
                    .map(|entry| entry.path())
                    .filter(|path| path.extension() == Some("conf".as_ref()))
                    .collect();
                files.sort();
                files.iter().for_each(|file| configured(file, depth + 1, folders));
            }
            None if line.starts_with('/') => folders.push(line.into()),
            None => {}
        }
    }
}

/// Whether the file holds these bytes; also true if it cannot be read: who cannot read it cannot blame it.
pub fn contains(path: &Path, wanted: &[u8]) -> bool {
    std::fs::read(path).map_or(true, |bytes| bytes.windows(wanted.len()).any(|window| window == wanted))
}

/// The settings of the Vulkan Configurator, which decide about layers before every variable does.
pub fn configurator_settings() -> Option<PathBuf> {
    let home = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share")));
    let folders = home.into_iter().chain(["/etc".into()]);
    folders
        .map(|folder| folder.join("vulkan/loader_settings.d/vk_loader_settings.json"))
        .find(|settings| settings.is_file())
}
