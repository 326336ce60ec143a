//! From evidence to findings: runs the rules, lets the more specific ones speak first, prices every fix by evaluating the edited
//! frame, and adds up what all of them save together.

use crate::gpu::Profile;
use crate::graph::liveness::Site;
use crate::model;
use crate::report::{Basis, Direction, Finding, GpuFrame, Quantity, Saving};
use crate::rules::{Candidate, Evidence, Level, RULES, Rule};
use crate::whatif::{Edit, Focus, apply};
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Levels and suppressions that a user has set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Level by rule code or name.
    pub levels: BTreeMap<String, Level>,
    /// What is not reported: `CODE`, or `CODE:PATTERN` with a pass or image identity in which `*` stands for anything.
    pub allowed: Vec<String>,
}

impl Policy {
    /// The policy in settings of a run: `rule_levels` is a list of `CODE=level`, `allow` a list of suppressions. Words that fit
    /// nothing are returned.
    pub fn from_settings(settings: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let list = |key: &str| {
            let text = settings.get(key).map_or("", String::as_str);
            text.split(',').map(str::trim).filter(|s| !s.is_empty()).map(String::from).collect::<Vec<_>>()
        };
        let known = |code: &str| RULES.iter().find(|r| r.code.eq_ignore_ascii_case(code) || r.name == code);
        let (mut policy, mut unknown) = (Self::default(), Vec::new());
        for item in list("rule_levels") {
            let parts = item
                .split_once('=')
                .and_then(|(code, level)| Some((known(code.trim())?, Level::by_name(level.trim())?)));
            match parts {
                Some((rule, level)) => {
                    policy.levels.insert(rule.code.to_string(), level);
                }
                None => unknown.push(alloc::format!("rule_levels: {item}")),
            }
        }
        for item in list("allow") {
            let (code, pattern) = item.split_once(':').map_or((item.as_str(), None), |(c, p)| (c, Some(p)));
            match (known(code.trim()), pattern) {
                (Some(rule), Some(pattern)) => policy.allowed.push(alloc::format!("{}:{pattern}", rule.code)),
                (Some(rule), None) => policy.allowed.push(rule.code.to_string()),
                (None, _) => unknown.push(alloc::format!("allow: {item}")),
            }
        }
        (policy, unknown)
    }

    fn level(&self, rule: &Rule) -> Level {
        self.levels.get(rule.code).copied().unwrap_or(rule.level)
    }

    fn allows(&self, rule: &Rule, candidate: &Candidate) -> bool {
        self.allowed.iter().any(|item| match item.split_once(':') {
            None => item == rule.code,
            Some((code, pattern)) => {
                code == rule.code && (matches(pattern, &candidate.pass) || matches(pattern, &candidate.attachment))
            }
        })
    }
}

/// Whether `text` fits `pattern`, in which `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// All advice of a run.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    /// Findings, the most saving first.
    pub findings: Vec<Finding>,
    /// What the findings save together per frame, by structure and GPU id.
    pub avoidable: BTreeMap<u32, BTreeMap<String, u64>>,
}

/// What moves in a frame on a GPU: each debit with its cause, as often as it stands in the ledger.
type Debits = BTreeMap<(Direction, String, Cow<'static, str>, u64, Basis), i64>;

fn debits(gpu: &GpuFrame) -> Debits {
    let mut all = Debits::new();
    for e in gpu.passes.iter().flat_map(|p| &p.entries) {
        *all.entry((e.direction, e.image.clone(), e.cause.clone(), e.bytes.0, e.basis)).or_default() += 1;
    }
    for e in &gpu.transfers {
        *all.entry((e.direction, e.resource.clone(), e.cause.clone(), e.bytes.0, e.basis)).or_default() += 1;
    }
    all.retain(|(.., basis), _| *basis != Basis::Undecided);
    all
}

/// How far the difference of two ledgers may be off: only what differs counts.
fn basis(was: &GpuFrame, is: &GpuFrame) -> Basis {
    let mut difference = debits(was);
    for (debit, count) in debits(is) {
        *difference.entry(debit).or_default() -= count;
    }
    difference.iter().filter(|(_, count)| **count != 0).map(|((.., basis), _)| *basis).max().unwrap_or(Basis::Exact)
}

/// Bytes read and written.
fn total(gpu: &GpuFrame) -> u64 {
    gpu.read_bytes.0.saturating_add(gpu.write_bytes.0)
}

/// What the passes and transfers in focus move on a GPU, with these edits made.
fn price(focus: &Focus, edits: &[Edit], profile: &Profile) -> GpuFrame {
    let edits = focus.edits(edits);
    let mut left_out = BTreeSet::new();
    if edits.is_empty() {
        return model::evaluate(&focus.frame, &focus.names, profile, &mut left_out);
    }
    model::evaluate(&apply(&focus.frame, &edits), &focus.names, profile, &mut left_out)
}

/// Runs all rules on the evidence.
pub fn advise(evidence: &Evidence<'_>, profiles: &[Profile], policy: &Policy) -> Advice {
    let mut found: Vec<(&Rule, Level, Candidate, BTreeMap<String, Saving>)> = Vec::new();
    let mut claimed: BTreeSet<Site> = BTreeSet::new();
    for rule in order() {
        let level = policy.level(rule);
        let mut kept = Vec::new();
        for mut candidate in (rule.check)(evidence) {
            candidate.instances.retain(|structure, i| !i.claims(*structure).any(|site| claimed.contains(&site)));
            if candidate.instances.is_empty() {
                continue;
            }
            // A rule that is switched off or suppressed still speaks for its bytes: no general rule takes its place.
            claimed.extend(candidate.instances.iter().flat_map(|(s, i)| i.claims(*s)));
            if level != Level::Off && !policy.allows(rule, &candidate) {
                kept.push(candidate);
            }
        }
        for candidate in joined(kept) {
            let saving = saving(evidence, profiles, &candidate, &[]);
            let worse = saving.values().any(|s| s.0 < 0);
            let saving: BTreeMap<String, Saving> = saving
                .into_iter()
                .filter(|(_, s)| s.0 > 0)
                .map(|(id, (value, basis))| (id, dram(value, basis)))
                .collect();
            if saving.is_empty() && !candidate.without_saving {
                continue;
            }
            let own = candidate.level.filter(|_| !policy.levels.contains_key(rule.code)).unwrap_or(level);
            // A warning makes no GPU worse.
            let level = if worse { own.min(Level::Info) } else { own };
            found.push((rule, level, candidate, saving));
        }
    }
    let most = |saving: &BTreeMap<String, Saving>| saving.values().map(|s| s.value).max().unwrap_or(0);
    found.sort_by(|a, b| {
        let key = |f: &(&Rule, Level, Candidate, BTreeMap<String, Saving>)| {
            (core::cmp::Reverse(most(&f.3)), f.0.code, f.2.pass.clone(), f.2.attachment.clone())
        };
        key(a).cmp(&key(b))
    });
    let mut advice = Advice::default();
    let mut before: Vec<&Candidate> = Vec::new();
    for (rule, level, candidate, alone) in &found {
        let rest = saving(evidence, profiles, candidate, &before);
        let after_previous =
            rest.into_iter().filter(|(_, s)| s.0 > 0).map(|(id, (value, basis))| (id, dram(value, basis))).collect();
        advice.findings.push(Finding {
            code: rule.code.to_string(),
            name: rule.name.to_string(),
            level: level.name().to_string(),
            pass: Some(candidate.pass.clone()),
            attachment: Some(candidate.attachment.clone()),
            frames: candidate.frames.sorted(),
            saving: alone.clone(),
            after_previous,
            fix: candidate.fix.clone(),
            why: candidate.why.clone(),
        });
        before.push(candidate);
    }
    for (number, structure) in &evidence.structures {
        let edits = edits_of(&before, *number);
        let focus = Focus::new(structure.frame, structure.names, &edits);
        let saved = per_profile(profiles, |profile| {
            if edits.is_empty() {
                return 0;
            }
            let plain = total(&price(&focus, &[], profile));
            plain.saturating_sub(total(&price(&focus, &edits, profile)))
        });
        advice.avoidable.insert(*number, saved);
    }
    advice
}

/// Passes that differ only in their ordinal, as the passes of a loop do, are one finding.
fn joined(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut order: Vec<(Candidate, usize)> = Vec::new();
    let mut known: BTreeMap<(String, String, Option<Level>, String), usize> = BTreeMap::new();
    for candidate in candidates {
        let base = |id: &str| without_ordinal(id).to_string();
        let key = (base(&candidate.pass), base(&candidate.attachment), candidate.level, candidate.why.clone());
        match known.get(&key).and_then(|at| order.get_mut(*at)) {
            Some((first, passes)) => {
                *passes += 1;
                for (structure, instance) in candidate.instances {
                    let to = first.instances.entry(structure).or_default();
                    to.edits.extend(instance.edits);
                    to.speaks_for.extend(instance.speaks_for);
                }
                first.frames.extend(&candidate.frames);
            }
            None => {
                known.insert(key, order.len());
                order.push((candidate, 1));
            }
        }
    }
    let told = |(mut candidate, passes): (Candidate, usize)| {
        if passes > 1 {
            candidate.fix += &alloc::format!(" (and so in {} more passes like it)", passes - 1);
        }
        candidate
    };
    order.into_iter().map(told).collect()
}

/// An identity without the ordinal that makes it unique in its frame.
fn without_ordinal(id: &str) -> &str {
    match id.rsplit_once('#') {
        Some((base, ordinal)) if !ordinal.is_empty() && ordinal.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => id,
    }
}

/// The rules, each after those that speak before it.
fn order() -> Vec<&'static Rule> {
    let mut left: Vec<&'static Rule> = RULES.to_vec();
    let mut ordered: Vec<&'static Rule> = Vec::new();
    while !left.is_empty() {
        let ready = left
            .iter()
            .position(|rule| !left.iter().any(|other| other.speaks_before.contains(&rule.code)))
            // A circle is a fault of the table, which a test finds; it must not hang a program.
            .unwrap_or(0);
        ordered.push(left.remove(ready));
    }
    ordered
}

fn dram(value: i128, basis: Basis) -> Saving {
    Saving { quantity: Quantity::Dram, value: u64::try_from(value).unwrap_or(0), basis }
}

fn edits_of(candidates: &[&Candidate], structure: u32) -> Vec<Edit> {
    candidates.iter().filter_map(|c| c.instances.get(&structure)).flat_map(|i| i.edits.iter().copied()).collect()
}

/// What a candidate saves per frame once those of `before` are done, in the frame structure in which it held most often.
fn saving(
    evidence: &Evidence<'_>,
    profiles: &[Profile],
    candidate: &Candidate,
    before: &[&Candidate],
) -> BTreeMap<String, (i128, Basis)> {
    let count = |number: &u32| evidence.structures.get(number).map_or(0, |s| s.indices.count());
    let Some(number) = candidate.instances.keys().copied().max_by_key(|n| (count(n), core::cmp::Reverse(*n))) else {
        return BTreeMap::new();
    };
    let Some(structure) = evidence.structures.get(&number) else { return BTreeMap::new() };
    let own = candidate.instances.get(&number).map_or(&[][..], |i| &i.edits);
    let focus = Focus::new(structure.frame, structure.names, own);
    let done = edits_of(before, number);
    let mut edits = done.clone();
    edits.extend_from_slice(own);
    per_profile(profiles, |profile| {
        let (was, is) = (price(&focus, &done, profile), price(&focus, &edits, profile));
        (i128::from(total(&was)) - i128::from(total(&is)), basis(&was, &is))
    })
}

/// An answer per GPU id; GPUs that decide alike are asked once.
fn per_profile<T: Clone>(profiles: &[Profile], mut of: impl FnMut(&Profile) -> T) -> BTreeMap<String, T> {
    let mut answers: Vec<(&Profile, T)> = Vec::new();
    for profile in profiles {
        let known = answers.iter().find(|(other, _)| other.decides_like(profile)).map(|(_, answer)| answer.clone());
        let answer = known.unwrap_or_else(|| of(profile));
        answers.push((profile, answer));
    }
    answers.into_iter().map(|(profile, answer)| (profile.id.clone(), answer)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_identities() {
        assert!(matches("shadow*", "shadow map#2"));
        assert!(matches("*depth*", "main depth"));
        assert!(matches("a*b*c", "a-b-b-c"));
        assert!(!matches("shadow", "shadow map"));
        assert!(!matches("*map", "map x"));
        assert!(matches("*", ""));
    }

    #[test]
    fn more_specific_rules_speak_first_and_no_rule_waits_for_itself() {
        let order: Vec<&str> = order().iter().map(|r| r.code).collect();
        assert_eq!(order.len(), RULES.len());
        for rule in RULES {
            let at = |code: &str| order.iter().position(|c| *c == code).expect("a rule of the table");
            for later in rule.speaks_before {
                assert!(at(rule.code) < at(later), "{} before {later}", rule.code);
            }
        }
    }
}
