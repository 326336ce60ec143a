//! Finds the layer's library.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use tilelens_manifest::library_file_name;

/// The library at `given` (or in that folder), else beside this command or in `../lib`, as an absolute path.
pub fn find(given: Option<&Path>) -> Result<PathBuf> {
    let name = library_file_name();
    if let Some(given) = given {
        let path = if given.is_dir() { given.join(&name) } else { given.into() };
        return path.canonicalize().with_context(|| format!("no layer library at {}", path.display()));
    }
    let own = std::env::current_exe().context("cannot find out where this command lies; use --layer")?;
    let folder = own.parent().unwrap_or(Path::new("."));
    let places = [folder.to_path_buf(), folder.join("../lib"), folder.join("../lib/tilelens")];
    for place in &places {
        let path = place.join(&name);
        if path.is_file() {
            return path.canonicalize().with_context(|| format!("cannot reach {}", path.display()));
        }
    }
    let looked: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    bail!(
        "no {name} in {}; build it (`cargo build -p tilelens-layer`) or name it with --layer or TILELENS_LAYER_LIBRARY",
        looked.join(", ")
    )
}

/// The path as a manifest can hold it.
pub fn text(library: &Path) -> Result<String> {
    match library.to_str() {
        Some(text) => Ok(text.into()),
        None => bail!(
            "the path {} is not UTF-8, which a layer manifest must be: copy the library elsewhere",
            library.display()
        ),
    }
}
