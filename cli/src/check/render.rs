//! A check for people, for programs, and for the log of a GitHub workflow.

use super::outcome::{Against, Kind, Outcome, Problem, Scope, Severity, Used};
use super::words;
use crate::output::{ERROR, NOTE, WARNING};
use anstyle::{AnsiColor, Effects, Style};
use serde::Serialize;
use std::fmt::Write;
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;
use tilelens_report::text::{FEW, mib, names};

const TITLE: Style = Style::new().effects(Effects::BOLD);
const GOOD: Style = AnsiColor::Green.on_default().effects(Effects::BOLD);

/// What was checked, for the head of every rendering.
#[derive(Debug, Serialize)]
pub struct Subject {
    /// The program that ran. Hostile.
    pub program: String,
    /// The capture or report.
    pub input: String,
    /// The configuration; absent where the defaults were taken.
    pub config: Option<String>,
    /// GPU ids.
    pub gpus: Vec<String>,
    /// Ranges `[first, last, stride]` of the frames that count, for each distinct one.
    pub frames: Vec<Vec<[u64; 3]>>,
}

/// As text.
pub fn text(subject: &Subject, outcome: &Outcome) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_text(&mut text, subject, outcome);
    text
}

fn write_text(out: &mut String, subject: &Subject, outcome: &Outcome) -> std::fmt::Result {
    for severity in [Severity::Deny, Severity::Warn, Severity::Note] {
        for (problem, message) in alike(told(outcome).filter(|problem| problem.severity == severity)) {
            write_problem(out, problem, &message)?;
        }
    }
    let quiet = outcome.problems.len() - told(outcome).count();
    if quiet > 0 {
        let (is, them) = if quiet == 1 { ("is", "it") } else { ("are", "them") };
        let findings = words::counted(quiet as u64, "finding");
        writeln!(
            out,
            "{findings} {is} allowed, below `warn` or of frames that do not count: `--format json` lists {them}\n"
        )?;
    }
    if !outcome.budgets.is_empty() {
        writeln!(out, "{TITLE}Budgets, per frame{TITLE:#}")?;
        write_budgets(out, &outcome.budgets)?;
        writeln!(out)?;
    }
    write_verdict(out, subject, outcome)
}

/// Problems that have a place in the text.
fn told(outcome: &Outcome) -> impl Iterator<Item = &Problem> {
    let quiet =
        |problem: &Problem| problem.severity == Severity::Note && matches!(problem.kind, Kind::Rule | Kind::Allowed);
    outcome.problems.iter().filter(move |problem| !quiet(problem))
}

/// Problems, each with its message. What is the same on several GPUs is told once, with all of them.
fn alike<'a>(problems: impl Iterator<Item = &'a Problem>) -> Vec<(&'a Problem, String)> {
    let mut groups: Vec<(&Problem, Vec<String>)> = Vec::new();
    for problem in problems {
        let gpu = problem.scope.gpu.as_ref().map(|id| shown(id, 40));
        let same = groups.iter_mut().find(|(first, gpus)| match (&gpu, gpus.first()) {
            (Some(gpu), Some(of_first)) => {
                let rest = problem.message.strip_prefix(gpu.as_str());
                rest.is_some()
                    && rest == first.message.strip_prefix(of_first.as_str())
                    && (problem.kind, problem.severity, &problem.causes, &problem.help)
                        == (first.kind, first.severity, &first.causes, &first.help)
            }
            _ => false,
        });
        match (same, gpu) {
            (Some((_, gpus)), Some(gpu)) => gpus.push(gpu),
            (_, gpu) => groups.push((problem, gpu.into_iter().collect())),
        }
    }
    let message = |problem: &Problem, gpus: &[String]| match gpus {
        [first, .., last] => {
            let rest = problem.message.strip_prefix(first.as_str()).unwrap_or_default();
            match gpus.len() {
                ..=FEW => format!("{} and {last}{rest}", gpus[..gpus.len() - 1].join(", ")),
                count => {
                    let ids: Vec<&str> = gpus.iter().map(String::as_str).collect();
                    format!("{count} GPUs ({}){rest}", names(&ids))
                }
            }
        }
        _ => problem.message.clone(),
    };
    groups.into_iter().map(|(problem, gpus)| (problem, message(problem, &gpus))).collect()
}

fn write_problem(out: &mut String, problem: &Problem, message: &str) -> std::fmt::Result {
    let (style, word) = match problem.severity {
        Severity::Deny => (ERROR, "error"),
        Severity::Warn => (WARNING, "warning"),
        Severity::Note => (NOTE, "note"),
    };
    writeln!(out, "{style}{word}:{style:#} {message}")?;
    for part in &problem.causes {
        writeln!(out, "    {}", words::part(part))?;
    }
    if let Some(help) = &problem.help {
        writeln!(out, "    {TITLE}help:{TITLE:#} {help}")?;
    }
    writeln!(out)
}

/// A line for each; those that are the same on several GPUs share one.
fn write_budgets(out: &mut String, budgets: &[Used]) -> std::fmt::Result {
    let mut lines: Vec<(String, String, Vec<&str>)> = Vec::new();
    for used in budgets {
        let place = words::place(&Scope { gpu: None, ..used.scope.clone() });
        let text = budget(used);
        let gpus = used.scope.gpu.as_deref();
        match lines.iter_mut().find(|(known, at, _)| *known == text && *at == place) {
            Some((.., ids)) => ids.extend(gpus),
            None => lines.push((text, place, gpus.into_iter().collect())),
        }
    }
    for (text, place, gpus) in lines {
        let comma = if gpus.is_empty() || place.is_empty() { "" } else { ", " };
        writeln!(out, "{text}: {}{comma}{place}", names(&gpus))?;
    }
    Ok(())
}

fn budget(used: &Used) -> String {
    let figure = &used.figure;
    let (style, word) = match (used.within, figure.in_doubt()) {
        (false, _) => (ERROR, "OVER"),
        (true, false) => (GOOD, "ok  "),
        (true, true) => (WARNING, "ok ?"),
    };
    let share = match figure.limit {
        0 => String::new(),
        limit => format!(" ({} %)", u128::from(figure.value) * 100 / u128::from(limit)),
    };
    let of = if used.against == Against::Baseline { "the baseline's " } else { "" };
    let more = if figure.undecided_entries > 0 { " + ?" } else { "" };
    format!(
        "  {style}{word}{style:#} {} {}{more} of {of}{}{share}",
        figure.quantity.words(),
        mib(Bytes(figure.value)),
        mib(Bytes(figure.limit)),
    )
}

fn write_verdict(out: &mut String, subject: &Subject, outcome: &Outcome) -> std::fmt::Result {
    let (style, verdict) = if outcome.passed() { (GOOD, "passed") } else { (ERROR, "FAILED") };
    let numbers: Vec<String> = [(Severity::Deny, "error"), (Severity::Warn, "warning")]
        .into_iter()
        .filter(|(severity, _)| outcome.count(*severity) > 0)
        .map(|(severity, word)| words::counted(outcome.count(severity) as u64, word))
        .collect();
    let numbers = if numbers.is_empty() { String::new() } else { format!(" with {}", numbers.join(" and ")) };
    writeln!(
        out,
        "{style}Check {verdict}{style:#}{numbers}: {}, {}, {} against {}. Modelled, not measured.",
        shown(&subject.program, 40),
        words::counted(subject.gpus.len() as u64, "GPU"),
        words::counted(subject.frames.len() as u64, "distinct frame"),
        subject.config.as_deref().unwrap_or("the defaults")
    )?;
    let doubts = outcome.budgets.iter().filter(|used| used.within && used.figure.in_doubt()).count();
    match doubts {
        0 => Ok(()),
        n => writeln!(
            out,
            "{WARNING}With a reserve:{WARNING:#} {} for what is decided alone (`undecided = \"deny\"` would refuse that).",
            if n == 1 { "1 budget holds".into() } else { format!("{n} budgets hold") }
        ),
    }
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    notice: &'static str,
    passed: bool,
    errors: usize,
    warnings: usize,
    #[serde(flatten)]
    subject: &'a Subject,
    problems: &'a [Problem],
    budgets: &'a [Used],
}

/// As JSON, `tilelens.check/1`.
pub fn json(subject: &Subject, outcome: &Outcome) -> anyhow::Result<String> {
    let json = Json {
        schema: "tilelens.check/1",
        notice: "Bytes per frame, modelled for the GPUs named here, never measured.",
        passed: outcome.passed(),
        errors: outcome.count(Severity::Deny),
        warnings: outcome.count(Severity::Warn),
        subject,
        problems: &outcome.problems,
        budgets: &outcome.budgets,
    };
    Ok(serde_json::to_string_pretty(&json)? + "\n")
}

/// As commands of a GitHub workflow: an annotation for each error and warning, then the verdict.
pub fn github(subject: &Subject, outcome: &Outcome) -> String {
    let mut text = String::new();
    let problems = outcome.problems.iter().filter(|problem| problem.severity != Severity::Note);
    for (problem, mut message) in alike(problems) {
        let command = if problem.severity == Severity::Deny { "error" } else { "warning" };
        for part in &problem.causes {
            message += &format!("\n{}", words::part(part));
        }
        message.extend(problem.help.iter().map(|help| format!("\nhelp: {help}")));
        let escaped = message.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "::{command} title=Tilelens::{escaped}");
    }
    let _ = write_verdict(&mut text, subject, outcome);
    text
}
