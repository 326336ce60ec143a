//! `tilelens explain`: the manual of a rule.

use crate::output::{self, Format};
use crate::rules::RuleJson;
use anyhow::{Result, bail};
use std::process::ExitCode;
use tbdr_model::rules::{RULES, Rule};

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
    let Some(rule) = find(&args.rule) else {
        let near = RULES.iter().max_by(|a, b| likeness(a, &args.rule).total_cmp(&likeness(b, &args.rule)));
        let near = near.map(|r| format!("; the nearest is {} {}", r.code, r.name)).unwrap_or_default();
        bail!("there is no rule `{}`{near}. `tilelens rules` lists all", args.rule.escape_debug());
    };
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

fn find(word: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|r| r.code.eq_ignore_ascii_case(word) || r.name.eq_ignore_ascii_case(word))
}

fn likeness(rule: &Rule, word: &str) -> f64 {
    let word = word.to_lowercase();
    strsim::jaro_winkler(&rule.code.to_lowercase(), &word).max(strsim::jaro_winkler(rule.name, &word))
}

/// The manual without the space that a doc comment has before each line.
fn plain(manual: &str) -> String {
    manual.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n").trim_end().into()
}
