//! `tilelens check`: does a program keep what its team has asked of it, in tilelens.toml?

mod baseline;
mod budget;
mod findings;
pub mod frames;
mod outcome;
mod render;
pub mod words;

use crate::changes;
use crate::input::{self, Input, Wanted, load};
use crate::output;
use crate::profiles::ProfileArgs;
use anyhow::{Context, Result, bail};
use budget::Given;
use clap::ValueEnum;
use outcome::{Kind, Outcome, Problem, Scope, Severity};
use render::Subject;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use tbdr_model::gpu::SelectError;
use tbdr_model::record::GapReason;
use tbdr_model::report::{Frame, Report};
use tbdr_model::text::shown;
use tilelens_config::{Baseline, ConfigFile, Reserve, Tolerance, rule_levels};

/// Check a capture or report against budgets, denied rules and a baseline.
///
/// What is asked stands in `tilelens.toml`, which `tilelens init` writes; without one, findings of level `warn` and `hazard` fail. Exit
/// status: 0 clean, 1 a budget is exceeded or a finding denied, 2 wrong usage, files or configuration.
#[derive(clap::Args)]
pub struct Args {
    /// The capture, the report, or the folder that they lie in; a capture can be checked for any GPU.
    input: PathBuf,
    /// The configuration [default: tilelens.toml in the current folder or the nearest one above it].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// GPUs to check, by id or `all`; takes the place of `profiles` in the configuration.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    gpu: Option<Vec<String>>,
    /// Report or capture that nothing may outgrow; takes the place of `report` in `[baseline]`.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    profiles: ProfileArgs,
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// File to write to instead of the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How a check is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs: `tilelens.check/1`.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let file = ConfigFile::find(args.config.as_deref())?;
    if file.path.is_none() {
        let text = "no tilelens.toml here or above: findings of level warn and hazard are denied, and there are no budgets; \
                    `tilelens init` writes one";
        output::message(output::NOTE, "note", text);
    }
    let (subject, outcome) = check(args, &file)?;
    let text = match args.format {
        Format::Text => render::text(&subject, &outcome),
        Format::Json => render::json(&subject, &outcome)?,
        Format::Github => render::github(&subject, &outcome),
    };
    output::deliver(&text, args.output.as_deref())?;
    Ok(ExitCode::from(u8::from(!outcome.passed())))
}

fn check(args: &Args, file: &ConfigFile) -> Result<(Subject, Outcome)> {
    let config = &file.config;
    let mut user = args.profiles.given()?;
    for path in &config.gpus.files {
        user.read(&file.beside(path)).with_context(|| format!("{}: `files` of `[gpus]`", file.name()))?;
    }
    let baseline = baseline(args, file);
    let wanted_file = input::file(&args.input)?;
    let others = baseline.iter().filter_map(|baseline| input::file(&baseline.report).ok());
    let inputs: Vec<PathBuf> = std::iter::once(wanted_file).chain(others).chain(file.path.clone()).collect();
    output::refuse_input(args.output.as_deref(), args.profiles.files().chain(inputs.iter().map(PathBuf::as_path)))?;

    // What the configuration says takes the place of what was set when the program ran; what it allows is judged here, so that
    // an `allow` that nothing needs is seen.
    let settings = [("allow", String::new()), ("rule_levels", rule_levels(&config.rules))];
    let chosen = args.gpu.as_ref().unwrap_or(config.gpus.profiles.get_ref());
    let wanted = Wanted { gpus: chosen, user: &user, settings: &settings };
    let after = load(&args.input, wanted).map_err(|error| match error.downcast_ref::<SelectError>() {
        Some(why) if args.gpu.is_none() => {
            anyhow::anyhow!("{}", file.at(&config.gpus.profiles.span(), &why.to_string()))
        }
        Some(_) => error.context("--gpu"),
        None => error,
    })?;
    let report = &after.report;
    let counted = frames::counted(report, &config.frames, &after.name())?;

    whole(report, &counted, &after.name())?;

    let mut outcome = Outcome::default();
    let before = match &baseline {
        Some(baseline) => Some(load_baseline(baseline, report, wanted)?),
        None => None,
    };
    let mut moved_before = BTreeMap::new();
    if let Some(before) = &before {
        if let Some(text) = changes::other_program(&before.report.run, &report.run) {
            let text = format!("baseline: {text}");
            outcome.problems.push(Problem::new(Kind::Note, Severity::Warn, Scope::default(), text));
        }
        let was = frames::counted(&before.report, &config.frames, &before.name()).context("the baseline")?;
        whole(&before.report, &was, &before.name()).context("the baseline")?;
        moved_before = baseline::by_gpu(&before.report, &was);
    }
    let wanted = findings::judge(report, after.as_it_stands, &counted, file, &mut outcome);
    budget::judge(&Given { report, frames: &counted, file, wanted: &wanted, before: &moved_before }, &mut outcome)?;
    if let Some(baseline) = &baseline {
        baseline::judge(report, &moved_before, &baseline::by_gpu(report, &counted), baseline, file, &mut outcome);
    }
    gaps(report, config.gaps, &mut outcome);
    // Within a severity they stay in the order in which they were found.
    outcome.problems.sort_by_key(|problem| (problem.severity, problem.kind));
    let subject = Subject {
        program: report.run.program.clone(),
        input: after.name(),
        config: file.path.as_ref().map(|path| path.display().to_string()),
        gpus: report.gpu_ids().into_iter().map(String::from).collect(),
        frames: counted.iter().map(|frame| frame.indices.clone()).collect(),
    };
    Ok((subject, outcome))
}

/// The baseline, for the GPUs of the report that is checked.
fn load_baseline(baseline: &Baseline, report: &Report, wanted: Wanted<'_>) -> Result<Input> {
    let gpus: Vec<String> = report.gpu_ids().into_iter().map(String::from).collect();
    load(&baseline.report, Wanted { gpus: &gpus, ..wanted }).context("the baseline")
}

/// Refuses a report that lacks what would be judged: a budget of nothing would hold.
fn whole(report: &Report, counted: &[&Frame], name: &str) -> Result<()> {
    if report.gpus.is_empty() {
        bail!("{name} is modelled for no GPU: name one with --gpu");
    }
    for frame in counted {
        if let Some(id) = report.gpus.keys().find(|id| !frame.gpus.contains_key(*id)) {
            bail!("{name} holds {} without figures for {}", words::frames(&frame.indices), shown(id, 40));
        }
    }
    Ok(())
}

/// The baseline, with its file where it is.
fn baseline(args: &Args, file: &ConfigFile) -> Option<Baseline> {
    let configured = file.config.baseline.clone().map(|mut baseline| {
        baseline.report = file.beside(&baseline.report);
        baseline
    });
    match &args.baseline {
        None => configured,
        Some(report) => Some(match configured {
            Some(baseline) => Baseline { report: report.clone(), ..baseline },
            None => Baseline { report: report.clone(), tolerance: Tolerance::default(), passes: true },
        }),
    }
}

/// Frames that are missing although nobody asked for that.
fn gaps(report: &Report, reserve: Reserve, outcome: &mut Outcome) {
    let severity = match reserve {
        Reserve::Allow => Severity::Note,
        Reserve::Deny => Severity::Deny,
    };
    let missing = report
        .gaps
        .iter()
        .filter(|gap| gap.reason != GapReason::Selection)
        .fold(0u64, |sum, gap| sum.saturating_add(gap.count));
    let mut tell = |text: String| outcome.problems.push(Problem::new(Kind::Gaps, severity, Scope::default(), text));
    if missing > 0 {
        let frames = words::counted(missing, "frame");
        tell(format!("{frames} missing from the record: what is judged are the others (`tilelens analyze` says why)"));
    }
    if !report.complete {
        tell("the record was cut short: what is judged are the frames up to then".into());
    }
}
