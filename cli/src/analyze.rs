//! `tilelens analyze`: the report of a capture, for any GPU, without the program.

use crate::advice::AdviceArgs;
use crate::choices::ChoiceArgs;
use crate::evaluate::{capture_path, evaluate};
use crate::output::{self, Format};
use crate::profiles::ProfileArgs;
use crate::scale::ScaleArgs;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;
use tilelens_report::text;

/// Make the report of a capture, for any GPU.
#[derive(clap::Args)]
pub struct Args {
    /// The capture, or the folder that it lies in.
    capture: PathBuf,
    /// GPUs to model, by id, `all`, or `running` for the one that the program ran on [default: those that the capture was recorded for].
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
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// File to write to instead of the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let capture = capture_path(&args.capture)?;
    output::refuse_input(args.output.as_deref(), args.profiles.files().chain([capture.as_path()]))?;
    let settings: Vec<_> = args.advice.settings().into_iter().chain(args.choices.setting()).collect();
    let evaluated = evaluate(&capture, args.gpu.as_deref(), &args.profiles.given()?, &settings)?;
    if let Some(cut) = &evaluated.cut {
        let text =
            format!("{}:{}: cut: {}; the report holds everything before it", capture.display(), cut.line, cut.reason);
        output::message(output::WARNING, "warning", &text);
    }
    let text = match args.format {
        Format::Text => text::render(&evaluated.report, &args.scale.of(output::text_options(false))),
        Format::Json => evaluated.report.to_json(),
    };
    output::deliver(&text, args.output.as_deref())?;
    Ok(ExitCode::SUCCESS)
}
