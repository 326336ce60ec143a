//! `tilelens gpus`: which GPUs are modelled, and what each model rests on.

use crate::output::{self, Format};
use crate::profiles::ProfileArgs;
use anstyle::Style;
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;
use tbdr_model::gpu::{Confidence, Figure, Part, Profile};
use tilelens_manifest::Settings;

const TITLE: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// List the GPUs that are modelled, or show what one model rests on.
#[derive(clap::Args)]
pub struct Args {
    /// Show this GPU with all its figures and their sources.
    id: Option<String>,
    #[command(flatten)]
    profiles: ProfileArgs,
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A GPU as JSON.
#[derive(Serialize)]
struct GpuJson<'a> {
    id: &'a str,
    name: &'a str,
    family: &'a str,
    policy: &'a str,
    /// Whether it is modelled if nobody chooses.
    default: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    figures: Vec<FigureJson<'a>>,
}

/// A figure as JSON.
#[derive(Serialize)]
struct FigureJson<'a> {
    key: &'a str,
    part: &'a str,
    value: String,
    unit: &'a str,
    source: &'a str,
    confidence: &'a str,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (settings, problems) = Settings::from_process(Vec::new());
    let mut profiles =
        args.profiles.in_force(&settings, &problems)?.select(&[args.id.as_deref().unwrap_or("all")], None)?;
    let families: Vec<_> = profiles.iter().map(|profile| profile.family).collect();
    // GPUs of the user's own come last, and stand with their family all the same.
    profiles.sort_by_key(|profile| families.iter().position(|family| *family == profile.family));
    let detailed = args.id.is_some();
    let text = match args.format {
        Format::Json => json(&profiles, detailed)?,
        Format::Text if detailed => profiles.iter().map(details).collect(),
        Format::Text => list(&profiles),
    };
    output::deliver(&text, None)?;
    Ok(ExitCode::SUCCESS)
}

fn json(profiles: &[Profile], detailed: bool) -> Result<String> {
    let default = Settings::default().gpu;
    let gpus: Vec<_> = profiles
        .iter()
        .map(|profile| GpuJson {
            id: &profile.id,
            name: &profile.name,
            family: profile.family,
            policy: &profile.policy,
            default: default.contains(&profile.id),
            figures: if detailed { profile.figures.iter().map(figure_json).collect() } else { Vec::new() },
        })
        .collect();
    Ok(serde_json::to_string_pretty(&gpus)? + "\n")
}

fn figure_json(figure: &Figure) -> FigureJson<'_> {
    FigureJson {
        key: &figure.key,
        part: part(figure.part),
        value: figure.value.to_string(),
        unit: &figure.unit,
        source: &figure.source,
        confidence: confidence(figure.confidence),
    }
}

fn list(profiles: &[Profile]) -> String {
    let default = Settings::default().gpu;
    let ids = profiles.iter().map(|profile| profile.id.len()).max().unwrap_or(0);
    let names = profiles.iter().map(|profile| profile.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let mut family = "";
    for profile in profiles {
        if profile.family != family {
            let space = if family.is_empty() { "" } else { "\n" };
            family = profile.family;
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{space}{TITLE}{family}{TITLE:#}");
        }
        let mark = if default.contains(&profile.id) { '*' } else { ' ' };
        let _ =
            writeln!(text, "{mark} {:ids$}  {:names$}  {FAINT}{}{FAINT:#}", profile.id, profile.name, profile.policy);
    }
    text + "\n* modelled unless others are chosen. `tilelens gpus ID` shows figures and sources.\n"
}

fn details(profile: &Profile) -> String {
    let mut text = format!("{}: {}\n{}\n", profile.id, profile.name, profile.policy);
    for (wanted, title) in [(Part::Hardware, "Hardware"), (Part::Driver, "Driver")] {
        let _ = writeln!(text, "\n{title}");
        for figure in profile.figures.iter().filter(|figure| figure.part == wanted) {
            let Figure { key, value, unit, source, .. } = figure;
            let _ = writeln!(text, "  {key} = {value} ({unit})\n      {}: {source}", confidence(figure.confidence));
        }
    }
    text
}

const fn part(part: Part) -> &'static str {
    match part {
        Part::Hardware => "hardware",
        Part::Driver => "driver",
    }
}

const fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Driver => "driver",
        Confidence::Kernel => "kernel",
        Confidence::Vendor => "vendor",
        Confidence::Inferred => "inferred",
    }
}
