//! `tilelens init`: writes a tilelens.toml with every key explained, on demand with budgets from what a program moves now.

use crate::check::frames;
use crate::check::words::{bytes, counted};
use crate::input::{Input, Wanted, load};
use crate::ledger::{Place, Sum, debits};
use crate::output;
use crate::profiles::ProfileArgs;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use tbdr_model::report::{Direction, Frame};
use tbdr_model::rules::Level;
use tilelens_capture::{Access, write_atomic};
use tilelens_config::{Config, FILE_NAME};

const TEMPLATE: &str = include_str!("template.toml");
/// Where budgets stand in the template.
const BUDGETS: &str = "# @budgets\n";
/// The line of the template that names GPUs.
const PROFILES: &str = "#profiles = []\n";
/// The largest integer of TOML.
const LARGEST: u64 = i64::MAX as u64;

/// Write a commented tilelens.toml, for `tilelens check`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder to write it to.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Capture or report, or its folder: its GPUs are named, and what it moves, plus a margin, becomes their budget.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Percent that budgets leave above the present figures.
    #[arg(long, value_name = "PERCENT", default_value_t = 5, requires = "from", value_parser = clap::value_parser!(u32).range(..=1000))]
    margin: u32,
    /// GPUs to write budgets for, by id or `all` [default: those of the capture or report].
    #[arg(long, value_name = "ID", value_delimiter = ',', requires = "from")]
    gpu: Option<Vec<String>>,
    #[command(flatten)]
    profiles: ProfileArgs,
    /// Replace a file that is there.
    #[arg(long)]
    force: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let path = args.folder.join(FILE_NAME);
    if !args.force && path.symlink_metadata().is_ok() {
        bail!("{} is there already; --force replaces it", path.display());
    }
    let text = match &args.from {
        None => TEMPLATE.replace(BUDGETS, ""),
        Some(from) => {
            let user = args.profiles.given()?;
            // Avoidable is what check will find it to be: as if nothing were allowed and no level changed.
            let settings = [("allow", String::new()), ("rule_levels", String::new())];
            let gpus = args.gpu.as_deref().unwrap_or_default();
            let input = load(from, Wanted { gpus, user: &user, settings: &settings })?;
            let text = filled(&input, args.margin)?;
            tell_of_findings(&input);
            text
        }
    };
    write_atomic(&path, text.as_bytes(), Access::Umask).with_context(|| format!("cannot write {}", path.display()))?;
    output::message(output::NOTE, "wrote", &format!("{}; `tilelens check` follows it", path.display()));
    Ok(ExitCode::SUCCESS)
}

/// Findings are not made part of the budget: whoever writes the file decides which are wanted.
fn tell_of_findings(input: &Input) {
    let fails = |level: &str| Level::by_name(level).is_none_or(|level| level >= Level::Warn);
    let failing = input.report.findings.iter().filter(|finding| fails(&finding.level)).count();
    if failing > 0 {
        let text = format!(
            "{} of level warn or hazard will fail the check: mend what costs, or say in `[[allow]]` what is wanted and in `deny` what fails",
            counted(failing as u64, "finding")
        );
        output::message(output::NOTE, "note", &text);
    }
}

/// The template with the GPUs of an input and budgets for them.
fn filled(input: &Input, margin: u32) -> Result<String> {
    let frames = frames::counted(&input.report, &Config::default().frames, &input.name())?;
    let ids: Vec<String> = input.report.gpu_ids().into_iter().map(quoted).collect();
    let mut budgets = String::new();
    for id in input.report.gpu_ids() {
        // Writing to a String cannot fail.
        let _ = writeln!(budgets, "[budget.gpu.{}]", quoted(id));
        for (key, present) in present(id, &frames) {
            let limit = with_margin(present, margin);
            let _ = writeln!(budgets, "{key} = {limit} # now {}, and {margin} % more", bytes(present));
        }
        budgets.push('\n');
    }
    Ok(TEMPLATE.replace(BUDGETS, &budgets).replace(PROFILES, &format!("profiles = [{}]\n", ids.join(", "))))
}

/// What moves now, in the frame that moves most, by key of the configuration.
fn present(gpu: &str, frames: &[&Frame]) -> Vec<(&'static str, u64)> {
    let mut most = [0u64; 3];
    let mut avoidable = None;
    for frame in frames {
        let Some(on_gpu) = frame.gpus.get(gpu) else { continue };
        let debits = debits(frame, on_gpu);
        let sums = [
            Sum::of(debits.iter().filter(|debit| debit.cause.direction == Direction::Read)),
            Sum::of(debits.iter().filter(|debit| debit.cause.direction == Direction::Write)),
            Sum::of(debits.iter().filter(|debit| matches!(debit.place, Place::Transfer(_)))),
        ];
        for (most, sum) in most.iter_mut().zip(sums) {
            *most = (*most).max(sum.total().0);
        }
        avoidable = avoidable.max(on_gpu.avoidable_bytes.map(|bytes| bytes.0));
    }
    let [read, write, transfers] = most;
    let mut all = vec![("read", read), ("write", write), ("transfers", transfers)];
    all.extend(avoidable.map(|bytes| ("avoidable", bytes)));
    all
}

fn with_margin(present: u64, margin: u32) -> u64 {
    let more = (u128::from(present) * u128::from(margin)).div_ceil(100);
    u64::try_from(u128::from(present) + more).unwrap_or(u64::MAX).min(LARGEST)
}

/// A TOML string of any text.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Writing to a String cannot fail.
            c if c.is_control() => drop(write!(quoted, "\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The template with its keys in force: those that have a default, or all.
    fn in_force(all: bool) -> String {
        let text = TEMPLATE.replace(BUDGETS, "");
        let text = if all { &text[..] } else { text.split("# ---- Examples").next().unwrap_or_default() };
        // Keys and tables follow the mark at once, words after a space.
        let line = |line: &str| match line.strip_prefix('#') {
            Some(key) if !key.is_empty() && !key.starts_with(' ') => format!("{key}\n"),
            _ => format!("{line}\n"),
        };
        text.lines().map(line).collect()
    }

    #[test]
    fn the_template_says_the_defaults_whether_its_keys_are_in_force_or_not() {
        let parsed = |text: &str| toml::from_str::<Config>(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(parsed(&TEMPLATE.replace(BUDGETS, "")), Config::default());
        let mut defaults = parsed(&in_force(false));
        // `none` and no limit at all are the same where no more general limit is.
        let budget = &mut defaults.budget;
        for limit in
            [&mut budget.read, &mut budget.write, &mut budget.total, &mut budget.transfers, &mut budget.avoidable]
        {
            assert_eq!(limit.take(), Some(tilelens_config::Limit::None));
        }
        assert_eq!(defaults, Config::default());
    }

    #[test]
    fn every_key_and_table_of_the_configuration_is_in_the_template() {
        let config = toml::from_str::<Config>(&in_force(true)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((config.budget.gpu.len(), config.budget.pass.len(), config.allow.len()), (1, 1, 1));
        assert_eq!(config.rules.levels.len(), 2);
        assert!(config.baseline.is_some_and(|baseline| baseline.passes && baseline.tolerance == Default::default()));
        // What the parser expects instead of a word that no table has.
        for table in [
            "",
            "[gpus]\n",
            "[frames]\n",
            "[budget]\n",
            "[[budget.pass]]\n",
            "[rules]\n",
            "[[allow]]\n",
            "[baseline]\n",
        ] {
            let error = toml::from_str::<Config>(&format!("{table}no_such_key = 1\n")).expect_err(table);
            let keys: Vec<&str> = error.message().split('`').skip(3).step_by(2).collect();
            assert!(!keys.is_empty(), "{error}");
            for key in keys {
                let there = |line: &str| {
                    let line = line.trim_start_matches(['#', '[']);
                    let word = line.split([' ', ']']).next().unwrap_or_default();
                    word.split('.').next_back() == Some(key) || word.split('.').next() == Some(key)
                };
                assert!(TEMPLATE.lines().any(there), "{table}{key}");
            }
        }
    }

    #[test]
    fn a_margin_rounds_up_and_stays_a_number_that_toml_has() {
        assert_eq!(with_margin(101, 5), 107);
        assert_eq!(with_margin(0, 5), 0);
        assert_eq!(with_margin(u64::MAX, 1000), LARGEST);
        assert_eq!(quoted("a\"\\\u{1b}\u{7f}é"), "\"a\\\"\\\\\\u001B\\u007Fé\"");
    }
}
