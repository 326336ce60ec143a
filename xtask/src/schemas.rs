//! `cargo xtask schemas [--check]`: the JSON schemas that `tilelens schema` prints, as files.

use crate::manifests::check_only;
use crate::output::{self, Generated};
use anyhow::Result;

/// Runs the command.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = check_only("schemas", arguments)?;
    let text = |schema: &schemars::Schema| serde_json::to_string_pretty(schema).map(|text| text + "\n");
    let files = [
        Generated { path: "docs/schema/report.json", text: text(&schemars::schema_for!(tbdr_model::report::Report))? },
        Generated { path: "docs/schema/capture.json", text: text(&tilelens_capture::schema())? },
    ];
    output::deliver(&files, check)
}
