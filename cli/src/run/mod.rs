//! `tilelens run`: runs a program under the layer and shows what it cost.
//!
//! In this order: refuse what can be refused before the program starts (unknown GPU, output folder, library), start it with
//! the layer in its environment, wait whatever signals come, collect what the layer left, show it. The exit status is the
//! program's own.

mod child;
mod diagnose;
pub mod environment;
mod folder;
mod frames;
pub mod library;
pub mod log;
mod summary;

use crate::advice::AdviceArgs;
use crate::choices::ChoiceArgs;
use crate::output;
use crate::profiles::ProfileArgs;
use crate::scale::ScaleArgs;
use anyhow::{Context, Result};
use frames::FrameArgs;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use tilelens_manifest::{LogLevel, Settings, environment_names};

/// Run a program under the layer, then show what it would cost.
///
/// The program's standard output and its exit status stay as they are; the summary goes to the standard error stream.
#[derive(clap::Args)]
pub struct Args {
    /// GPUs to model, by id, `all`, or `running` for the one that the program runs on [default: the setting `gpu`].
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    gpu: Option<Vec<String>>,
    #[command(flatten)]
    profiles: ProfileArgs,
    #[command(flatten)]
    advice: AdviceArgs,
    #[command(flatten)]
    choices: ChoiceArgs,
    #[command(flatten)]
    scale: ScaleArgs,
    #[command(flatten)]
    frames: FrameArgs,
    /// Folder for capture.jsonl and report.json [default: the setting `output_dir`, `tilelens-out`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The layer's library [default: beside this command, or in ../lib].
    #[arg(long, value_name = "PATH", env = "TILELENS_LAYER_LIBRARY")]
    layer: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// A setting, and the variable that it comes from if one is set.
fn source(key: &str) -> String {
    match environment_names(key).iter().find(|name| std::env::var_os(name).is_some()) {
        Some(variable) => format!("{variable}: setting `{key}`"),
        None => format!("setting `{key}`"),
    }
}

/// Runs the subcommand.
pub fn run(args: Args) -> Result<ExitCode> {
    let (settings, problems) = Settings::from_process(Vec::new());
    args.advice.refuse(&problems)?;
    let user = args.profiles.in_force(&settings, &problems)?;
    match &args.gpu {
        Some(gpu) => user.check(gpu).context("--gpu")?,
        // The layer would log it and model others; at the keyboard it is better told before.
        None => user.check(&settings.gpu).with_context(|| source("gpu"))?,
    };
    if !(settings.capture && settings.report) {
        let text = "`tilelens run` needs capture and report: both are written, although the settings switch one off";
        output::message(output::NOTE, "note", text);
    }
    let library = library::find(args.layer.as_deref())?;
    let out = folder::OutputFolder::prepare(args.out.as_ref().unwrap_or(&settings.output_dir))?;

    let private = tempfile::Builder::new().prefix("tilelens-").tempdir().context("cannot make a temporary folder")?;
    let manifests = environment::Manifests::write(private.path(), &library)?;
    let run_log = private.path().join("run.jsonl");
    let variables = environment::variables(&environment::Wanted {
        manifests: &manifests,
        output: out.path(),
        run_log: &run_log,
        gpu: args.gpu.as_deref(),
        others: args
            .advice
            .settings()
            .into_iter()
            .chain(args.profiles.setting()?)
            .chain(args.choices.setting())
            .chain(args.frames.settings()?)
            .collect(),
        default_log: settings.log_level == LogLevel::default()
            && environment_names("log_level").iter().all(|name| std::env::var_os(name).is_none()),
        current: &|name| std::env::var_os(name),
    })?;

    let ended = match child::run(&args.command, &variables) {
        Ok(ended) => ended,
        Err(error) => {
            // As a shell does.
            let status = if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 };
            let program = args.command[0].to_string_lossy();
            output::message(output::ERROR, "error", &format!("cannot start {program}: {error}"));
            return Ok(ExitCode::from(status));
        }
    };

    let log = log::RunLog::read(&run_log);
    let left = out.collect(&log)?;
    if left.is_empty() {
        diagnose::explain(&args.command, &library, &log, &ended, &out.earlier_results());
    } else {
        if !log.faults.is_empty() {
            let text = format!("{}: the report holds the frames up to then. Please report it", diagnose::FAULT);
            output::message(output::WARNING, "warning", &text);
        }
        summary::show(&out.publish(left)?, &ended, &args.scale);
    }
    Ok(ExitCode::from(ended.status))
}
