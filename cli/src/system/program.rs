//! What a program's file tells of how it will run, and how this command itself is called.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What the shell would start, with links resolved.
pub fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.canonicalize().ok();
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.is_file())?.canonicalize().ok()
}

/// How the user calls this command: by name if the shell finds it, else by the path that it was called with.
pub fn called() -> String {
    const NAME: &str = env!("CARGO_BIN_NAME");
    let own = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
    match std::env::args_os().next() {
        Some(path) if own.is_none() || find(NAME.as_ref()) != own => quoted(&path.to_string_lossy()),
        _ => NAME.into(),
    }
}

/// `text` as a word for a shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Rights that a program's file gives to whoever runs it. The Vulkan loader ignores variables in a process that has such rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// How it gets them, in words.
    pub how: &'static str,
    /// Whether they are more than this user has: root gains nothing by running a program as root.
    pub for_us: bool,
}

/// The rights that the file `path` gives.
#[cfg(unix)]
pub fn rights(path: &Path) -> Option<Rights> {
    use rustix::process::{getegid, geteuid};
    use std::os::unix::fs::MetadataExt;
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2000;
    let file = path.metadata().ok()?;
    if file.mode() & SET_USER != 0 {
        return Some(Rights { how: "of another user (setuid)", for_us: file.uid() != geteuid().as_raw() });
    }
    if file.mode() & SET_GROUP != 0 {
        return Some(Rights { how: "of another group (setgid)", for_us: file.gid() != getegid().as_raw() });
    }
    has_capabilities(path).then(|| Rights { how: "of its own (file capabilities)", for_us: !geteuid().is_root() })
}

/// Other systems have no such rights.
#[cfg(not(unix))]
pub fn rights(_: &Path) -> Option<Rights> {
    None
}

#[cfg(target_os = "linux")]
fn has_capabilities(path: &Path) -> bool {
    let mut value = [0u8; 64];
    rustix::fs::getxattr(path, "security.capability", &mut value).is_ok_and(|length| length > 0)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_capabilities(_: &Path) -> bool {
    false
}

/// Whether a program of that name runs another one in a sandbox that hides variables and files from it.
pub fn is_sandbox(path: &Path) -> bool {
    matches!(path.file_name().and_then(OsStr::to_str), Some("flatpak" | "snap" | "bwrap" | "firejail"))
}
