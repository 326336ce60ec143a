//! `cargo xtask manifests [--check]`: the committed copies of both layer manifests.

use crate::output::{self, Generated};
use anyhow::{Result, bail};
use tilelens_manifest::{explicit_manifest, implicit_manifest};

/// The library lies beside the manifest in a package. Installers write the path of their own.
const LIBRARY: &str = "./libVkLayer_tilelens.so";

/// Runs the command.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = check_only("manifests", arguments)?;
    let files = [
        Generated { path: "manifest/json/explicit/VkLayer_tilelens.json", text: explicit_manifest(LIBRARY) },
        Generated { path: "manifest/json/implicit/VkLayer_tilelens.json", text: implicit_manifest(LIBRARY) },
    ];
    output::deliver(&files, check)
}

/// Whether `--check` is given; nothing else may be.
pub fn check_only(command: &str, arguments: &[String]) -> Result<bool> {
    match arguments {
        [] => Ok(false),
        [check] if check == "--check" => Ok(true),
        _ => bail!("usage: cargo xtask {command} [--check]"),
    }
}
