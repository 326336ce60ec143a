//! `tilelens diff`: what changed between two captures or reports, pass by pass.

mod pair;
mod render;

use crate::changes::{self, compare, moves};
use crate::check::frames;
use crate::input::{self, Input, Wanted, load};
use crate::ledger::{Sum, debits};
use crate::output::{self, Format};
use crate::profiles::ProfileArgs;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use tbdr_model::report::Finding;
use tbdr_model::text::shown;

/// Show what changed between two captures or reports: passes, causes and findings.
///
/// Compared are the frames of the steady state: those that occurred at least half as often as the most frequent one. Of a pass that
/// occurs in several the heaviest occurrence counts; frames as a whole are compared by two of the same structure. `tilelens check --baseline` fails where something grew.
#[derive(clap::Args)]
pub struct Args {
    /// The capture or report before the change, or its folder.
    before: PathBuf,
    /// The capture or report after the change, or its folder.
    after: PathBuf,
    /// GPUs to compare, by id or `all` [default: those that both have].
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    gpu: Option<Vec<String>>,
    #[command(flatten)]
    profiles: ProfileArgs,
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// File to write to instead of the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let inputs = [input::file(&args.before)?, input::file(&args.after)?];
    output::refuse_input(args.output.as_deref(), args.profiles.files().chain(inputs.iter().map(PathBuf::as_path)))?;
    let user = args.profiles.given()?;
    let wanted = Wanted { gpus: args.gpu.as_deref().unwrap_or_default(), user: &user, settings: &[] };
    let (before, after) = (load(&args.before, wanted)?, load(&args.after, wanted)?);
    let other = changes::other_program(&before.report.run, &after.report.run);
    if let Some(text) = &other {
        output::message(output::WARNING, "warning", text);
    }
    let gpus = before.report.gpu_ids().into_iter().filter(|id| after.report.gpus.contains_key(*id));
    let gpus: Vec<&str> = gpus.collect();
    if gpus.is_empty() {
        let ids = |input: &Input| input.report.gpus.keys().map(|id| shown(id, 40)).collect::<Vec<_>>().join(", ");
        bail!("the two have no GPU in common ({}; {}): choose with --gpu, from captures", ids(&before), ids(&after));
    }
    let which = tilelens_config::Frames::default();
    let was = frames::counted(&before.report, &which, &before.name())?;
    let is = frames::counted(&after.report, &which, &after.name())?;
    let pair = pair::of(&was, &is).context("nothing to compare")?;
    let sides: Vec<_> = gpus
        .iter()
        .filter_map(|id| Some((*id, moves(was.iter().copied(), id)?, moves(is.iter().copied(), id)?)))
        .collect();
    let diff = render::Diff {
        before: before.name(),
        after: after.name(),
        other_program: other,
        pair,
        gpus: sides
            .iter()
            .map(|(id, was, is)| render::GpuDiff {
                id,
                sums: pair
                    .frames
                    .map(|frame| frame.gpus.get(*id).map(|gpu| Sum::of(&debits(frame, gpu))).unwrap_or_default()),
                changes: compare(was, is),
            })
            .collect(),
        new_findings: only_in(&after.report.findings, &before.report.findings),
        gone_findings: only_in(&before.report.findings, &after.report.findings),
    };
    let text = match args.format {
        Format::Text => render::text(&diff),
        Format::Json => render::json(&diff)?,
    };
    output::deliver(&text, args.output.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// Findings of one side that the other has not, by rule, pass and image.
fn only_in<'a>(these: &'a [Finding], those: &[Finding]) -> Vec<&'a Finding> {
    let key = |finding: &Finding| (finding.code.clone(), finding.pass.clone(), finding.attachment.clone());
    let known: BTreeSet<_> = those.iter().map(key).collect();
    these.iter().filter(|finding| !known.contains(&key(finding))).collect()
}
