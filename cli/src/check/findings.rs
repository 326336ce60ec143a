//! Findings of rules: which fail, which are allowed, and which `[[allow]]` nothing needs.

use super::frames::meet;
use super::outcome::{Kind, Outcome, Problem, Scope, Severity};
use std::collections::BTreeMap;
use tbdr_model::policy::Policy;
use tbdr_model::report::{Finding, Frame, Quantity, Report};
use tbdr_model::rules::{Level, Rule};
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;
use tilelens_config::{Allow, ConfigFile, Denied, LevelWord, Pattern, Unused};
use tilelens_report::text::{FEW, label, mib, names};

/// Judges the findings of the frames that count. Returns the bytes of those that are allowed, by GPU and by position in `frames`.
pub fn judge(
    report: &Report,
    as_it_stands: bool,
    frames: &[&Frame],
    file: &ConfigFile,
    outcome: &mut Outcome,
) -> BTreeMap<(String, usize), u64> {
    let rules = &file.config.rules;
    let recorded = Policy::from_settings(&report.run.settings).0;
    let mut wanted: BTreeMap<(String, usize), u64> = BTreeMap::new();
    let mut used = vec![false; file.config.allow.len()];
    for finding in &report.findings {
        // A rule that this version does not know is judged by its level alone.
        let rule = Rule::by_code(&finding.code);
        let own = rules.levels.iter().find(|(code, _)| code.0 == finding.code).map(|(_, word)| *word);
        let level = level(finding, rule, own, as_it_stands.then_some(&recorded));
        let counted = frames.iter().any(|frame| meet(&frame.indices, &finding.frames));
        let allowed = file.config.allow.iter().zip(&mut used).find_map(|(allow, used)| {
            speaks_for(allow, finding).then(|| {
                *used = true;
                allow
            })
        });
        if let Some(allow) = allowed {
            add_savings(finding, frames, &mut wanted);
            let reason = allow.reason.as_ref().map(|reason| format!(": {}", shown(reason, 200))).unwrap_or_default();
            push(outcome, finding, Kind::Allowed, Severity::Note, format!("{} is allowed{reason}", what(finding)));
            continue;
        }
        if level == Level::Off {
            continue;
        }
        let denied = own == Some(LevelWord::Deny)
            || rules.deny.iter().any(|denied| match denied {
                Denied::Rule(code) => *code == finding.code,
                Denied::Level(least) => level >= *least,
            });
        let severity = match level {
            _ if !counted => Severity::Note,
            _ if denied => Severity::Deny,
            Level::Warn | Level::Hazard => Severity::Warn,
            _ => Severity::Note,
        };
        let saved = saved(report, finding);
        let apart = if counted { "" } else { ", in frames that do not count" };
        let message = format!("{} ({}{apart}): {}{saved}", what(finding), level.name(), shown(&finding.why, 400));
        push(outcome, finding, Kind::Rule, severity, message);
    }
    unused(file, &used, outcome);
    if as_it_stands {
        left_out(report, &recorded, outcome);
    }
    wanted
}

/// `; saves 0.88 MiB on mali-g76, apple-m1 per frame`; nothing where it saves no bytes.
fn saved(report: &Report, finding: &Finding) -> String {
    let mut amounts: Vec<(String, Vec<&str>)> = Vec::new();
    for (id, saving) in report.in_order(&finding.saving) {
        if saving.quantity != Quantity::Dram {
            continue;
        }
        let amount = mib(Bytes(saving.value));
        match amounts.iter_mut().find(|(known, _)| *known == amount) {
            Some((_, ids)) => ids.push(id),
            None => amounts.push((amount, vec![id])),
        }
    }
    let on = |ids: &[&str]| if ids.len() > FEW { label(ids) } else { names(ids) };
    let saved: Vec<String> = amounts.iter().map(|(amount, ids)| format!("{amount} on {}", on(ids))).collect();
    if saved.is_empty() { String::new() } else { format!("; saves {} per frame", saved.join(", ")) }
}

/// The level of a finding, where the configuration may have another opinion than who made the report.
fn level(finding: &Finding, rule: Option<&Rule>, own: Option<LevelWord>, recorded: Option<&Policy>) -> Level {
    // A level that this version does not know is taken seriously.
    let told = Level::by_name(&finding.level).unwrap_or(Level::Warn);
    match (own, rule, recorded) {
        (Some(LevelWord::Level(Level::Off)), ..) => Level::Off,
        // What is evaluated anew has the levels of the configuration already. A finding of a report that is quieter than its rule was is so
        // for a reason (it makes some GPU worse, say), which no level takes away.
        (Some(LevelWord::Level(own)), Some(rule), Some(recorded)) if told < recorded.level(rule) => own.min(told),
        (Some(LevelWord::Level(own)), _, Some(_)) => own,
        _ => told,
    }
}

fn speaks_for(allow: &Allow, finding: &Finding) -> bool {
    let fits = |pattern: &Option<Pattern>, id: &Option<String>| {
        pattern.as_ref().is_none_or(|pattern| id.as_ref().is_some_and(|id| pattern.fits(id)))
    };
    allow.code.get_ref().0 == finding.code
        && fits(&allow.pass, &finding.pass)
        && fits(&allow.attachment, &finding.attachment)
}

/// What a finding still saves after those above it, which is what adds up.
fn add_savings(finding: &Finding, frames: &[&Frame], wanted: &mut BTreeMap<(String, usize), u64>) {
    for (at, _) in frames.iter().enumerate().filter(|(_, frame)| meet(&frame.indices, &finding.frames)) {
        for (id, saving) in finding.after_previous.iter().filter(|(_, saving)| saving.quantity == Quantity::Dram) {
            let sum = wanted.entry((id.clone(), at)).or_default();
            *sum = sum.saturating_add(saving.value);
        }
    }
}

/// `TL006 store-never-read, pass …, attachment …, frames …`.
fn what(finding: &Finding) -> String {
    let place = super::words::place(&scope(finding));
    let comma = if place.is_empty() { "" } else { ", " };
    format!("{} {}{comma}{place}", shown(&finding.code, 10), shown(&finding.name, 60))
}

fn scope(finding: &Finding) -> Scope {
    Scope {
        pass: finding.pass.clone(),
        attachment: finding.attachment.clone(),
        frames: finding.frames.clone(),
        ..Scope::default()
    }
}

fn push(outcome: &mut Outcome, finding: &Finding, kind: Kind, severity: Severity, message: String) {
    let mut problem = Problem::new(kind, severity, scope(finding), message);
    problem.code = Some(finding.code.clone());
    if kind == Kind::Rule {
        problem.help = Some(format!("{}. `tilelens explain {}`", shown(&finding.fix, 400), shown(&finding.code, 10)));
    }
    outcome.problems.push(problem);
}

fn unused(file: &ConfigFile, used: &[bool], outcome: &mut Outcome) {
    let severity = match file.config.rules.unused_allow {
        Unused::Allow => return,
        Unused::Warn => Severity::Warn,
        Unused::Deny => Severity::Deny,
    };
    for (allow, _) in file.config.allow.iter().zip(used).filter(|(_, used)| !**used) {
        let text = format!("no finding needs this `[[allow]]` of {}: it can go", allow.code.get_ref().0);
        let mut problem =
            Problem::new(Kind::UnusedAllow, severity, Scope::default(), file.at(&allow.code.span(), &text));
        problem.code = Some(allow.code.get_ref().0.into());
        outcome.problems.push(problem);
    }
}

/// What whoever made a report left out of it, which nothing can bring back.
fn left_out(report: &Report, recorded: &Policy, outcome: &mut Outcome) {
    let off = recorded.levels.iter().filter(|(_, level)| **level == Level::Off).map(|(code, _)| shown(code, 60));
    let mut silent: Vec<String> = off.collect();
    silent.extend(recorded.allowed.iter().map(|item| shown(item, 60)));
    if silent.is_empty() {
        return;
    }
    let text = format!(
        "the report of {} was made without findings of {} (settings `rule_levels` and `allow`), which are therefore not judged: give the \
         capture instead",
        shown(&report.run.program, 40),
        silent.join(", ")
    );
    outcome.problems.push(Problem::new(Kind::Note, Severity::Warn, Scope::default(), text));
}
