//! From evidence to findings: runs the rules, lets the more specific ones speak first, prices every fix by evaluating the edited
//! frame, and adds up what all of them save together.

use crate::policy::Policy;
use crate::price::{Prices, Saved};
use crate::report::{Basis, Finding, Quantity, Saving};
use crate::rules::{Candidate, Claim, Evidence, Instance, Level, RULES, Rule, Structure, Worth};
use crate::whatif::{Change, Made};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// All advice of a run.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    /// Findings, the most saving first.
    pub findings: Vec<Finding>,
    /// Findings that are suppressed, by rule code.
    pub allowed: BTreeMap<String, u64>,
    /// What the findings save together per frame, by structure and GPU id.
    pub avoidable: BTreeMap<u32, BTreeMap<String, Saved>>,
}

/// What is found, on its way to a [`Finding`].
struct Found<'a> {
    rule: &'a Rule,
    level: Level,
    candidate: Candidate,
    /// Alone, by GPU id.
    saving: BTreeMap<String, Saving>,
}

/// Runs all rules on the evidence.
pub fn advise<'a>(evidence: &'a Evidence<'a>, policy: &Policy) -> Advice {
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut claimed: BTreeSet<Claim> = BTreeSet::new();
    let mut prices = Prices::new(evidence.profiles);
    let mut allowed: BTreeMap<String, u64> = BTreeMap::new();
    for rule in order() {
        let level = policy.level(rule);
        let (mut kept, mut suppressed) = (Vec::new(), Vec::new());
        for mut candidate in (rule.check)(evidence) {
            candidate.instances.retain(|structure, i| !i.claims(*structure).any(|claim| claimed.contains(&claim)));
            if candidate.instances.is_empty() {
                continue;
            }
            // A rule that is switched off or suppressed still speaks for its bytes: no general rule takes its place.
            claimed.extend(candidate.instances.iter().flat_map(|(s, i)| i.claims(*s)));
            match level {
                Level::Off => {}
                _ if policy.allows(rule, candidate.pass.as_deref(), candidate.attachment.as_deref()) => {
                    suppressed.push(candidate);
                }
                _ => kept.push(candidate),
            }
        }
        for candidate in joined(suppressed) {
            let mut saves = || {
                let alone = prices.saved(alone(evidence, &candidate));
                !savings(evidence, &candidate, alone).is_empty()
            };
            if candidate.worth == Worth::Saying || saves() {
                *allowed.entry(rule.code.to_string()).or_default() += 1;
            }
        }
        for candidate in joined(kept) {
            let bytes = prices.saved(alone(evidence, &candidate));
            let worse = bytes.values().any(|saved| saved.total() < 0 && saved.basis != Basis::Undecided);
            let saving = savings(evidence, &candidate, bytes);
            let unit_missing =
                |s: &Saving| matches!(s.quantity, Quantity::Work | Quantity::Count) && rule.counts.is_none();
            debug_assert!(!saving.values().any(unit_missing), "{} does not say what it counts", rule.code);
            if saving.is_empty() && candidate.worth != Worth::Saying {
                continue;
            }
            let own = candidate.level.filter(|_| !policy.levels.contains_key(rule.code)).unwrap_or(level);
            // A warning makes no GPU worse.
            let level = if worse { own.min(Level::Info) } else { own };
            found.push(Found { rule, level, candidate, saving });
        }
    }
    found.sort_by_cached_key(|f| {
        let most = |of: fn(Quantity) -> bool| f.saving.values().filter(|s| of(s.quantity)).map(|s| s.value).max();
        let (bytes, other) = (most(|q| q == Quantity::Dram), most(|q| q != Quantity::Dram));
        let place = (f.candidate.pass.clone(), f.candidate.attachment.clone());
        (core::cmp::Reverse((bytes, other)), f.rule.code, place)
    });
    let mut advice = Advice { allowed, ..Advice::default() };
    let gpus = evidence.profiles.len();
    let new = |(number, structure): (&u32, &'a Structure<'_>)| (*number, Made::new(&structure.whole, gpus));
    let mut made: BTreeMap<u32, Made<'a>> = evidence.structures.iter().map(new).collect();
    for Found { rule, level, candidate, saving } in &found {
        let priced = priced(evidence, candidate);
        let mut rest = BTreeMap::new();
        for (number, instance) in &candidate.instances {
            let Some(made) = made.get_mut(number) else { continue };
            let holds = |gpu| holds(evidence, candidate, gpu);
            if priced == Some(*number) {
                rest = prices.saved(made.change(&instance.edits, holds));
            } else {
                made.add(&instance.edits, holds);
            }
        }
        advice.findings.push(Finding {
            code: rule.code.to_string(),
            name: rule.name.to_string(),
            level: level.name().to_string(),
            pass: candidate.pass.clone(),
            attachment: candidate.attachment.clone(),
            frames: candidate.frames.sorted(),
            saving: saving.clone(),
            after_previous: savings(evidence, candidate, rest),
            fix: candidate.fix.clone(),
            why: candidate.why.clone(),
        });
    }
    for (number, made) in &made {
        advice.avoidable.insert(*number, prices.saved(made.all()));
    }
    advice
}

/// Passes that differ only in their ordinal, as the passes of a loop do, are one finding, and so are images.
fn joined(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut order: Vec<(Candidate, BTreeSet<Option<String>>, usize)> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for candidate in candidates {
        let base = |id: &Option<String>| id.as_deref().map(|id| without_ordinal(id).to_string());
        let (pass, attachment) = (base(&candidate.pass), base(&candidate.attachment));
        let key = (pass, attachment, candidate.gpus.clone(), candidate.level, candidate.why.clone());
        match known.get(&key).and_then(|at| order.get_mut(*at)) {
            Some((first, passes, found)) => {
                passes.insert(candidate.pass);
                *found += 1;
                for (structure, instance) in candidate.instances {
                    let to = first.instances.entry(structure).or_default();
                    to.edits.extend(instance.edits);
                    to.speaks_for.extend(instance.speaks_for);
                }
                first.frames.extend(&candidate.frames);
                first.worth.add(candidate.worth);
            }
            None => {
                known.insert(key, order.len());
                order.push((candidate.clone(), BTreeSet::from([candidate.pass]), 1));
            }
        }
    }
    let told = |(mut candidate, passes, found): (Candidate, BTreeSet<Option<String>>, usize)| {
        let more = match (passes.len(), found) {
            (_, ..=1) => return candidate,
            (1, 2) => "1 more image like it".to_string(),
            (1, images) => format!("{} more images like it", images - 1),
            (2, _) => "1 more pass like it".to_string(),
            (passes, _) => format!("{} more passes like it", passes - 1),
        };
        candidate.fix += &format!(" (and so in {more})");
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

/// The frame structure in which a candidate held most often: there it is priced. `None` where nothing is edited.
fn priced(evidence: &Evidence<'_>, candidate: &Candidate) -> Option<u32> {
    let count = |number: &u32| evidence.structures.get(number).map_or(0, |s| s.indices.count());
    let held = candidate.instances.iter().max_by_key(|(n, _)| (count(n), core::cmp::Reverse(**n)));
    held.filter(|(_, instance)| !instance.edits.is_empty()).map(|(number, _)| *number)
}

/// What a candidate changes if nothing else is changed.
fn alone(evidence: &Evidence<'_>, candidate: &Candidate) -> Vec<Change> {
    let held = priced(evidence, candidate);
    let of_frame = held.and_then(|held| Some((candidate.instances.get(&held)?, evidence.structures.get(&held)?)));
    let change = |(instance, structure): (&Instance, &Structure<'_>)| {
        let mut made = Made::new(&structure.whole, evidence.profiles.len());
        made.change(&instance.edits, |gpu| holds(evidence, candidate, gpu))
    };
    of_frame.map_or_else(Vec::new, change)
}

/// Whether a candidate holds for a GPU, by its number.
fn holds(evidence: &Evidence<'_>, candidate: &Candidate, gpu: usize) -> bool {
    evidence.profiles.get(gpu).is_some_and(|profile| candidate.holds_for(&profile.id))
}

/// What a candidate saves on each GPU: bytes between chip and DRAM where there are any, else what the rule counts.
fn savings(evidence: &Evidence<'_>, candidate: &Candidate, bytes: BTreeMap<String, Saved>) -> BTreeMap<String, Saving> {
    let counted = |id: &str| match &candidate.worth {
        Worth::Bytes | Worth::Saying => None,
        Worth::Amount { quantity, value, basis } => Some((*quantity, *value, *basis)),
        Worth::PerGpu(amounts) => amounts.get(id).copied(),
    };
    let mut all = BTreeMap::new();
    for profile in evidence.profiles.iter().filter(|p| candidate.holds_for(&p.id)) {
        let known = bytes.get(&profile.id).filter(|saved| saved.basis != Basis::Undecided);
        // What costs bytes saves nothing, whatever else it does.
        if known.is_some_and(|saved| saved.total() < 0) {
            continue;
        }
        let saved = known.and_then(|saved| {
            let bytes = u64::try_from(saved.total()).ok().filter(|bytes| *bytes > 0)?;
            Some((Quantity::Dram, bytes, saved.basis))
        });
        if let Some((quantity, value, basis)) =
            saved.or_else(|| counted(&profile.id)).filter(|(_, value, _)| *value > 0)
        {
            all.insert(profile.id.clone(), Saving { quantity, value, basis });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

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
