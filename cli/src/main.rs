//! The command `tilelens`: runs programs under the layer and shows what they recorded.
//!
//! One subcommand a file, each with its arguments and a `run`. Exit status: 0 clean, 1 findings or a budget exceeded, 2 usage
//! or input and output; `tilelens run` exits with its program's status.
#![deny(unsafe_code)]

mod advice;
mod analyze;
mod changes;
mod check;
mod choices;
mod compare;
mod completions;
mod diff;
mod doctor;
mod evaluate;
mod explain;
mod fit;
mod gpus;
mod init;
mod input;
mod ledger;
mod man;
mod output;
mod parse;
mod profiles;
mod rules;
mod run;
mod scale;
mod schema;
mod system;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Exit status for wrong usage and for files that cannot be read or written.
const USAGE_OR_IO: u8 = 2;

/// Tells what a Vulkan program would cost on tile-based GPUs. All figures are modelled, not measured.
#[derive(Parser)]
#[command(name = "tilelens", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Analyze(analyze::Args),
    Check(check::Args),
    Init(init::Args),
    Diff(diff::Args),
    Compare(compare::Args),
    Doctor(doctor::Args),
    #[command(name = doctor::PROBE, hide = true)]
    DoctorProbe(doctor::probe::Args),
    Fit(fit::Args),
    Gpus(gpus::Args),
    Rules(rules::Args),
    Explain(explain::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Man(man::Args),
}

fn main() -> ExitCode {
    let result = match parse::parse().command {
        Command::Run(args) => run::run(args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::DoctorProbe(args) => doctor::probe::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Gpus(args) => gpus::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    result.unwrap_or_else(|error| {
        // Whoever reads our output has gone, as `head` does: that is no fault.
        if output::is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        output::message(output::ERROR, "error", &format!("{error:#}"));
        ExitCode::from(USAGE_OR_IO)
    })
}
