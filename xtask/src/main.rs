//! Generators and repository checks: `cargo xtask <command> [arguments]`.
//!
//! One module per command; [`COMMANDS`] is the only place that knows them all. Every generator takes `--check`, which writes
//! nothing and fails when a committed file differs from what would be generated.

mod commands;
mod conformance;
mod coverage;
mod docs;
mod formats;
mod gpus;
mod manifests;
mod output;
mod registry;
mod schemas;
mod touching;
mod usage;

use anyhow::Result;
use std::io::Write;
use std::process::ExitCode;
use usage::Usage;

/// A command: name, what it does, and what runs it on the arguments after the name.
type Command = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const COMMANDS: &[Command] = &[
    (
        "registry",
        "registry PATH/vk.xml [--check] [--check-hooks]: format table and command names from the Vulkan registry; compare the hooks with it",
        registry::run,
    ),
    ("manifests", "manifests [--check]: layer manifests from the settings table", manifests::run),
    ("docs", "docs [--check]: pages of the book from tables in the code", docs::run),
    (
        "coverage",
        "coverage [--check]: every command that can touch images is hooked or listed; the page of them",
        coverage::run,
    ),
    ("schemas", "schemas [--check]: JSON schemas of report and capture", schemas::run),
];

/// Exit code 0: done; 1: a check failed, or something could not be read or written; 2: called the wrong way.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Err(error) = run(&arguments) else { return ExitCode::SUCCESS };
    // The causes in one line: a backtrace is for faults of ours, which panic.
    // Where nobody hears it the code still tells.
    writeln!(std::io::stderr(), "error: {error:#}").unwrap_or_default();
    ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
}

fn run(arguments: &[String]) -> Result<()> {
    let name = arguments.first().map_or("", String::as_str);
    match COMMANDS.iter().find(|(command, ..)| *command == name) {
        Some((.., run)) => run(&arguments[1..]),
        None => {
            let help: Vec<_> = COMMANDS.iter().map(|(_, help, _)| format!("  cargo xtask {help}")).collect();
            let what = if name.is_empty() { "no command".to_string() } else { format!("no such command: {name:?}") };
            Err(Usage(format!("{what}. There are:\n{}", help.join("\n"))).into())
        }
    }
}
