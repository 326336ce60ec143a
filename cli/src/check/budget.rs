//! Budgets: bytes per frame of a GPU, of passes, of images in passes. The frame that uses most of a budget speaks for it.

use super::outcome::{Against, CausePart, Figure, Kind, Outcome, Problem, Quantity, Scope, Severity, Used};
use super::words;
use crate::changes::Moves;
use crate::ledger::{Cause, Debit, Place, Sum, debits, instead};
use anyhow::{Result, bail};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tbdr_model::report::{Direction, Frame, GpuFrame, Report};
use tbdr_model::text::shown;
use tilelens_config::{Budget, ConfigFile, Limit, Limits, PassBudget, Pattern, Reserve, nearest};

/// What budgets are judged on.
pub struct Given<'a> {
    /// The report.
    pub report: &'a Report,
    /// The frames that count.
    pub frames: &'a [&'a Frame],
    /// The configuration.
    pub file: &'a ConfigFile,
    /// Bytes of findings that are allowed, by GPU and by position in `frames`: they are not avoidable.
    pub wanted: &'a BTreeMap<(String, usize), u64>,
    /// What moves in the baseline, by GPU, so that a budget that is exceeded can say what grew.
    pub before: &'a BTreeMap<&'a str, Moves<'a>>,
}

/// Judges every budget.
pub fn judge(given: &Given<'_>, outcome: &mut Outcome) -> Result<()> {
    let budget = &given.file.config.budget;
    let own = own_limits(given, outcome)?;
    for gpu in given.report.gpu_ids() {
        for (quantity, limit) in limits(budget, own.get(gpu).copied()) {
            frame_budget(given, gpu, quantity, limit, outcome);
        }
    }
    for pass in &budget.pass {
        pass_budget(given, pass, outcome)?;
    }
    Ok(())
}

/// `[budget.gpu.ID]` by the ids that they mean.
fn own_limits<'a>(given: &Given<'a>, outcome: &mut Outcome) -> Result<BTreeMap<&'a str, &'a Limits>> {
    let mut own = BTreeMap::new();
    for (id, limits) in &given.file.config.budget.gpu {
        match gpu_id(given, id)? {
            Some(known) if own.insert(known, limits).is_some() => {
                bail!("{}", given.file.at(&id.span(), &format!("a second budget of {}", shown(known, 40))));
            }
            Some(_) => {}
            None => outcome.problems.push(Problem::new(
                Kind::Note,
                Severity::Note,
                Scope { gpu: Some(id.get_ref().clone()), ..Scope::default() },
                format!(
                    "the budget of {} is not checked: that GPU is not among those of this check",
                    shown(id.get_ref(), 40)
                ),
            )),
        }
    }
    Ok(own)
}

/// The GPU of the report that a word of the configuration means; `None` for one that is not in it.
fn gpu_id<'a>(given: &Given<'a>, id: &toml::Spanned<String>) -> Result<Option<&'a str>> {
    let held = |id: &str| given.report.gpus.keys().find(|held| *held == id).map(String::as_str);
    if let Some(held) = held(id.get_ref()) {
        return Ok(Some(held));
    }
    match tbdr_model::gpu::select(&[id.get_ref()]) {
        Ok(profiles) if profiles.len() == 1 => Ok(profiles.first().and_then(|profile| held(&profile.id))),
        Ok(_) => bail!("{}", given.file.at(&id.span(), "a budget is of one GPU; that of all is in `[budget]`")),
        Err(why) => bail!("{}", given.file.at(&id.span(), &why.to_string())),
    }
}

/// The limits of a GPU: its own, else those of all.
fn limits(all: &Budget, own: Option<&Limits>) -> Vec<(Quantity, u64)> {
    let own = own.cloned().unwrap_or_default();
    let limits = [
        (Quantity::Read, own.read.or(all.read)),
        (Quantity::Write, own.write.or(all.write)),
        (Quantity::Total, own.total.or(all.total)),
        (Quantity::Transfers, own.transfers.or(all.transfers)),
        (Quantity::Avoidable, own.avoidable.or(all.avoidable)),
    ];
    limits.into_iter().filter_map(|(quantity, limit)| Some((quantity, bytes(limit)?))).collect()
}

fn bytes(limit: Option<Limit>) -> Option<u64> {
    match limit {
        Some(Limit::Bytes(bytes)) => Some(bytes),
        Some(Limit::None) | None => None,
    }
}

fn counts(quantity: Quantity, debit: &Debit<'_>) -> bool {
    match quantity {
        Quantity::Read => debit.cause.direction == Direction::Read,
        Quantity::Write => debit.cause.direction == Direction::Write,
        Quantity::Total | Quantity::Avoidable => true,
        Quantity::Transfers => matches!(debit.place, Place::Transfer(_)),
    }
}

/// By how much the lines that count may grow if the driver runs passes another way than is counted, wherever that moves more.
fn alternative_bytes<'a>(
    frame: &'a Frame,
    gpu: &'a GpuFrame,
    counted: &[Debit<'_>],
    counts: impl Fn(&Debit<'_>) -> bool,
) -> u64 {
    let more = instead(frame, gpu).into_iter().map(|other| {
        let place = other.first().map(|debit| debit.place.clone());
        let is = counted.iter().filter(|debit| Some(&debit.place) == place.as_ref());
        Sum::of(other.iter().filter(|debit| counts(debit))).total().0.saturating_sub(Sum::of(is).total().0)
    });
    more.fold(0, u64::saturating_add)
}

fn frame_budget(given: &Given<'_>, gpu: &str, quantity: Quantity, limit: u64, outcome: &mut Outcome) {
    let mut found = Vec::new();
    for (at, frame) in given.frames.iter().enumerate() {
        let Some(on_gpu) = frame.gpus.get(gpu) else { continue };
        let counted = |debit: &Debit<'_>| counts(quantity, debit);
        let debits: Vec<_> = debits(frame, on_gpu).into_iter().filter(counted).collect();
        let figure = match quantity {
            Quantity::Avoidable => avoidable(given, gpu, at, on_gpu, limit),
            _ => Figure::new(quantity, Sum::of(&debits), limit),
        };
        let scope = Scope { gpu: Some(gpu.into()), frames: frame.indices.clone(), ..Scope::default() };
        // What is avoidable is named by the findings.
        let causes =
            if quantity == Quantity::Avoidable { Vec::new() } else { largest(&debits, given.before.get(gpu), true) };
        let alternative_bytes = match quantity {
            Quantity::Avoidable => 0,
            _ => alternative_bytes(frame, on_gpu, &debits, counted),
        };
        found.push((scope, Figure { alternative_bytes, ..figure }, causes));
    }
    settle(given, found, outcome);
}

/// What findings that are not allowed would save together; unknown is undecided.
fn avoidable(given: &Given<'_>, gpu: &str, at: usize, on_gpu: &GpuFrame, limit: u64) -> Figure {
    let wanted = given.wanted.get(&(gpu.to_string(), at)).copied().unwrap_or(0);
    // A report that does not say what is undecided leaves a doubt.
    let doubts = given.report.undecided_advice.as_ref().map_or(1, |doubts| doubts.len() as u64);
    let (bytes, doubts) = match on_gpu.avoidable_bytes {
        Some(bytes) => (bytes.0.saturating_sub(wanted), doubts),
        None => (0, doubts.max(1)),
    };
    Figure { undecided_entries: doubts, ..Figure::of_bytes(Quantity::Avoidable, bytes, limit) }
}

/// The largest of these debits, or beside a baseline those that grew most; each with its place if they are of a whole frame.
fn largest(debits: &[Debit<'_>], before: Option<&Moves<'_>>, with_place: bool) -> Vec<CausePart> {
    let mut sums: BTreeMap<_, u64> = BTreeMap::new();
    for debit in debits {
        let sum = sums.entry((&debit.place, debit.cause)).or_default();
        *sum = sum.saturating_add(debit.bytes);
    }
    let was = |place: &Place<'_>, cause: &Cause<'_>| {
        let sum =
            before?.places.iter().find(|(known, _)| *known == place).and_then(|(_, moved)| moved.causes.get(cause));
        Some(sum.map_or(0, |sum| sum.total().0))
    };
    let mut sums: Vec<_> = sums
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0)
        .map(|((place, cause), bytes)| (place, cause, was(place, &cause), bytes))
        .collect();
    // The sort keeps equal ones by place.
    sums.sort_by_key(|(.., was, bytes)| Reverse((i128::from(*bytes) - i128::from(was.unwrap_or(0)), *bytes)));
    sums.iter()
        .take(SHOWN)
        .map(|(place, cause, was, bytes)| CausePart::new(cause, with_place.then(|| place.id()), *was, *bytes))
        .collect()
}

/// Causes that are told of a budget.
const SHOWN: usize = 5;

fn pass_budget(given: &Given<'_>, budget: &PassBudget, outcome: &mut Outcome) -> Result<()> {
    let pattern = budget.pass.get_ref();
    let limits: Vec<(Quantity, u64)> =
        [(Quantity::Read, budget.read), (Quantity::Write, budget.write), (Quantity::Total, budget.total)]
            .into_iter()
            .filter_map(|(quantity, limit)| Some((quantity, bytes(limit)?)))
            .collect();
    if limits.is_empty() {
        bail!("{}", given.file.at(&budget.pass.span(), "a budget without a limit: give `read`, `write` or `total`"));
    }
    let gpus = gpus_of(given, budget, outcome)?;
    let passes = || given.frames.iter().flat_map(|frame| &frame.passes);
    matched(given, &budget.pass, "pass", passes().map(|pass| pass.id.as_str()))?;
    if let Some(attachment) = &budget.attachment {
        let attachments = passes().filter(|pass| pattern.fits(&pass.id)).flat_map(|pass| &pass.attachments);
        matched(
            given,
            attachment,
            "attachment of such a pass",
            attachments.map(|attachment| attachment.image.as_str()),
        )?;
    }
    for gpu in gpus {
        let mut by_pass: BTreeMap<String, Vec<(&Frame, Vec<Debit<'_>>)>> = BTreeMap::new();
        for frame in given.frames {
            let Some(on_gpu) = frame.gpus.get(gpu) else { continue };
            let mut all: BTreeMap<String, Vec<Debit<'_>>> = BTreeMap::new();
            // A pass that moves nothing keeps its budget too.
            for pass in frame.passes.iter().filter(|pass| pattern.fits(&pass.id)) {
                all.entry(pass.id.clone()).or_default();
            }
            for debit in debits(frame, on_gpu) {
                match &debit.place {
                    Place::Pass(id) if of_image(budget, &debit) && pattern.fits(id) => {
                        all.entry(id.to_string()).or_default().push(debit);
                    }
                    _ => {}
                }
            }
            all.into_iter().for_each(|(id, debits)| by_pass.entry(id).or_default().push((frame, debits)));
        }
        for (id, frames) in by_pass {
            for (quantity, limit) in &limits {
                let found = frames.iter().map(|(frame, debits)| {
                    let counted = |debit: &Debit<'_>| counts(*quantity, debit) && of_image(budget, debit);
                    let debits: Vec<_> = debits.iter().filter(|debit| counted(debit)).cloned().collect();
                    let in_pass = |debit: &Debit<'_>| counted(debit) && debit.place.id() == id;
                    let more = frame.gpus.get(gpu).map(|on_gpu| alternative_bytes(frame, on_gpu, &debits, in_pass));
                    let scope = Scope {
                        gpu: Some(gpu.into()),
                        pass: Some(id.clone()),
                        attachment: budget.attachment.as_ref().map(|pattern| pattern.get_ref().0.clone()),
                        frames: frame.indices.clone(),
                        ..Scope::default()
                    };
                    let figure = Figure::new(*quantity, Sum::of(&debits), *limit);
                    (
                        scope,
                        Figure { alternative_bytes: more.unwrap_or(0), ..figure },
                        largest(&debits, given.before.get(gpu), false),
                    )
                });
                settle(given, found.collect(), outcome);
            }
        }
    }
    Ok(())
}

/// Whether a line is of an image that the budget is about.
fn of_image(budget: &PassBudget, debit: &Debit<'_>) -> bool {
    budget.attachment.as_ref().is_none_or(|image| image.get_ref().fits(debit.cause.resource))
}

fn gpus_of<'a>(given: &Given<'a>, budget: &PassBudget, outcome: &mut Outcome) -> Result<Vec<&'a str>> {
    if budget.gpu.is_empty() {
        return Ok(given.report.gpu_ids());
    }
    let mut gpus = Vec::new();
    for id in &budget.gpu {
        match gpu_id(given, id)? {
            Some(known) => gpus.push(known),
            None => outcome.problems.push(Problem::new(
                Kind::Note,
                Severity::Note,
                Scope { gpu: Some(id.get_ref().clone()), ..Scope::default() },
                format!(
                    "a pass's budget on {} is not checked: that GPU is not among those of this check",
                    shown(id.get_ref(), 40)
                ),
            )),
        }
    }
    gpus.dedup();
    Ok(gpus)
}

/// Refuses a pattern that nothing fits: a budget of a pass that was renamed would hold for ever.
fn matched<'a>(
    given: &Given<'_>,
    pattern: &toml::Spanned<Pattern>,
    what: &str,
    ids: impl Iterator<Item = &'a str> + Clone,
) -> Result<()> {
    if ids.clone().any(|id| pattern.get_ref().fits(id)) {
        return Ok(());
    }
    let text = &pattern.get_ref().0;
    let near =
        nearest(text.trim_matches('*'), ids.clone()).map(|near| format!("; the nearest is `{}`", shown(near, 80)));
    let near = near.unwrap_or_else(|| {
        let mut all: Vec<String> = ids.map(|id| format!("`{}`", shown(id, 60))).collect();
        all.sort();
        all.dedup();
        all.truncate(8);
        if all.is_empty() { "; there is none".into() } else { format!("; there are {}", all.join(", ")) }
    });
    bail!(
        "{}",
        given.file.at(&pattern.span(), &format!("no {what} in the frames that count fits `{}`{near}", shown(text, 80)))
    )
}

/// Of the frames of one budget, the one that uses most; a budget that is exceeded is a problem.
fn settle(given: &Given<'_>, found: Vec<(Scope, Figure, Vec<CausePart>)>, outcome: &mut Outcome) {
    let over = found.iter().filter(|(_, figure, _)| figure.over > 0).count();
    // Of equal ones one that is in doubt: it may use more.
    let worst = found.into_iter().rev().max_by_key(|(_, figure, _)| (figure.value, figure.in_doubt()));
    let Some((scope, figure, causes)) = worst else { return };
    if figure.over > 0 {
        let mut problem =
            Problem::new(Kind::Budget, Severity::Deny, scope.clone(), words::over_budget(&scope, &figure));
        problem.causes = causes;
        if over > 1 {
            let others = words::counted(over as u64 - 1, "other distinct frame");
            problem.help =
                Some(format!("{others} {} over it too, by less or as much", if over == 2 { "is" } else { "are" }));
        }
        problem.figure = Some(figure);
        outcome.problems.push(problem);
    } else if figure.in_doubt() {
        let severity = match given.file.config.undecided {
            Reserve::Allow => Severity::Note,
            Reserve::Deny => Severity::Deny,
        };
        let mut problem = Problem::new(Kind::Undecided, severity, scope.clone(), words::in_doubt(&scope, &figure));
        problem.figure = Some(figure);
        outcome.problems.push(problem);
    }
    outcome.budgets.push(Used { scope, figure, within: figure.over == 0, against: Against::Budget });
}
