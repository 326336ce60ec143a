//! `cargo xtask manifests [--check]`: the committed copies of both layer manifests.

use crate::output::{self, Generated};
use crate::usage::check_only;
use anyhow::Result;
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
