//! `tilelens completions`: completion scripts for shells.

use crate::{Cli, output};
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::{Shell, generate};
use std::process::ExitCode;

/// Print a completion script for a shell.
#[derive(clap::Args)]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "tilelens", &mut script);
    output::deliver(&String::from_utf8_lossy(&script), None)?;
    Ok(ExitCode::SUCCESS)
}
