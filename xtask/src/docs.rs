//! `cargo xtask docs [--check]`: the pages of the book that follow from tables in the code.

use crate::manifests::check_only;
use crate::output::{self, Generated};
use anyhow::Result;

/// Runs the command.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = check_only("docs", arguments)?;
    let settings = Generated { path: "docs/settings.md", text: tilelens_manifest::settings_page() };
    output::deliver(&[settings], check)
}
