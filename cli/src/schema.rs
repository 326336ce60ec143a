//! `tilelens schema`: the JSON schemas of what Tilelens writes, and of what it is told.

use crate::output;
use anyhow::Result;
use clap::ValueEnum;
use std::process::ExitCode;

/// Print the JSON schema of a file that Tilelens writes or reads.
#[derive(clap::Args)]
pub struct Args {
    /// Which file.
    #[arg(value_enum, default_value = "report")]
    of: Of,
}

/// A file that has a schema.
#[derive(Clone, Copy, ValueEnum)]
enum Of {
    /// report.json.
    Report,
    /// A line of capture.jsonl.
    Capture,
    /// tilelens.toml, for editors that complete and check it.
    Config,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    // Generated from the types by `cargo xtask schemas` and committed, so that the command need not carry the generator.
    let text = match args.of {
        Of::Report => include_str!("../../docs/schema/report.json"),
        Of::Capture => include_str!("../../docs/schema/capture.json"),
        Of::Config => include_str!("../../docs/schema/config.json"),
    };
    output::deliver(text, None)?;
    Ok(ExitCode::SUCCESS)
}
