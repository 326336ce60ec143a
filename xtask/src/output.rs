//! Generated files: written, or with `--check` compared with what is committed.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// A generated file: its path from the root of the repository, and its text.
pub struct Generated {
    /// Path from the root of the repository.
    pub path: &'static str,
    /// Contents.
    pub text: String,
}

/// Writes the files, or compares them if `check`.
pub fn deliver(files: &[Generated], check: bool) -> Result<()> {
    let mut stale = Vec::new();
    for file in files {
        let path = root().join(file.path);
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        if committed == file.text {
            continue;
        }
        if check {
            stale.push(file.path);
        } else {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            }
            std::fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("out of date, run the same command without --check: {}", stale.join(", "))
}

/// A committed file.
pub fn committed(path: &str) -> Result<String> {
    std::fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))
}

/// The root of the repository.
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}
