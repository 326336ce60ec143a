//! `tilelens explain`: the manual of a rule.

use crate::output::{self, Format};
use crate::rules::RuleJson;
use anyhow::Result;
use std::process::ExitCode;
use tilelens_manifest::find_rule;

/// Show what a rule detects, why it costs, and when to ignore it.
#[derive(clap::Args)]
pub struct Args {
    /// Code or name of a rule, e.g. TL006 or store-never-read.
    rule: String,
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let rule = find_rule(&args.rule)?;
    let text = match args.format {
        Format::Json => serde_json::to_string_pretty(&RuleJson::new(rule, true))? + "\n",
        Format::Text => format!(
            "{} {} ({}, level {}, since {})\n\n{}\n",
            rule.code,
            rule.name,
            rule.category.name(),
            rule.level.name(),
            rule.since,
            plain(rule.manual)
        ),
    };
    output::deliver(&text, None)?;
    Ok(ExitCode::SUCCESS)
}

/// The manual without the space that a doc comment has before each line.
fn plain(manual: &str) -> String {
    manual.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n").trim_end().into()
}
