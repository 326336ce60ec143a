//! `tilelens rules`: the table of all advice.

use crate::output::{self, Format};
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;
use tbdr_model::rules::{RULES, Rule};

/// List the rules that advice comes from.
#[derive(clap::Args)]
pub struct Args {
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A rule as JSON.
#[derive(Serialize)]
pub struct RuleJson {
    code: &'static str,
    name: &'static str,
    category: &'static str,
    level: &'static str,
    since: &'static str,
    /// What savings that are no bytes count, in the plural.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    manual: Option<&'static str>,
}

impl RuleJson {
    /// The rule, with its manual or without.
    pub fn new(rule: &Rule, with_manual: bool) -> Self {
        Self {
            code: rule.code,
            name: rule.name,
            category: rule.category.name(),
            level: rule.level.name(),
            since: rule.since,
            counts: rule.counts.map(|[_, several]| several),
            manual: with_manual.then_some(rule.manual),
        }
    }
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let text = match args.format {
        Format::Json => {
            let rules: Vec<_> = RULES.iter().map(|rule| RuleJson::new(rule, false)).collect();
            serde_json::to_string_pretty(&rules)? + "\n"
        }
        Format::Text => table(),
    };
    output::deliver(&text, None)?;
    Ok(ExitCode::SUCCESS)
}

fn table() -> String {
    let width = RULES.iter().map(|r| r.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in RULES {
        let _ =
            writeln!(text, "{}  {:width$}  {:6}  {}", rule.code, rule.name, rule.level.name(), rule.category.name());
    }
    let _ = writeln!(
        text,
        "\n`tilelens explain CODE` shows a rule's manual; levels and suppressions are settings (rule_levels, allow)."
    );
    text
}
