//! What to change: the findings, the most saving first, each with its fix and what it saves.

use super::groups::FEW;
use super::write::{FAINT, Out, TITLE, WARNING, frame_numbers, mib};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use tbdr_model::report::{Basis, Finding, Quantity, Report, Saving};
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;

/// Findings that are shown whole.
const SHOWN: usize = 10;

pub(super) fn render(out: &mut Out, report: &Report) -> fmt::Result {
    if report.findings.is_empty() && report.allowed.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    if report.findings.is_empty() {
        return allowed(out, report);
    }
    out.line(TITLE, "Findings")?;
    for finding in report.findings.iter().take(SHOWN) {
        one(out, report, finding)?;
    }
    match report.findings.len().saturating_sub(SHOWN) {
        0 => {}
        more => out.line(FAINT, &format!("  and {more} more (`--format json` lists them)"))?,
    }
    allowed(out, report)
}

/// What settings keep from being reported: it must not be forgotten that there is more.
fn allowed(out: &mut Out, report: &Report) -> fmt::Result {
    if report.allowed.is_empty() {
        return Ok(());
    }
    let rules: Vec<_> = report.allowed.iter().map(|(code, count)| format!("{count} of {}", shown(code, 10))).collect();
    out.wrapped(FAINT, &format!("Allowed by the setting `allow`, and not shown: {}.", rules.join(", ")), 0)
}

fn one(out: &mut Out, report: &Report, finding: &Finding) -> fmt::Result {
    let recorded = report.frame_count;
    let level = shown(&finding.level, 10);
    let style = if matches!(level.as_str(), "warn" | "hazard") { WARNING } else { TITLE };
    out.styled(style, &format!("  {level:6} "))?;
    writeln!(out, "{} {}", shown(&finding.code, 10), shown(&finding.name, 60))?;
    let savings = savings(report, finding);
    let several = !matches!(finding.frames[..], [[first, last, _]] if first == last);
    if !savings.is_empty() {
        // What happens once, while a program starts, is no matter of every frame.
        let once = !several && recorded > 1;
        // Memory is saved once and for all.
        let footprint = finding.saving.values().all(|s| s.quantity == Quantity::Footprint);
        let when = match once {
            _ if footprint => String::new(),
            true => format!(" in frame {} alone", frame_numbers(&finding.frames)),
            false => " per frame".into(),
        };
        out.wrapped(TITLE, &format!("saves{when}: {}", savings.join(", ")), 9)?;
    }
    if let Some(left) = after_previous(report, finding) {
        out.wrapped(FAINT, &format!("once the findings above are mended: {left}"), 9)?;
    }
    out.wrapped(anstyle::Style::new(), &format!("{}.", shown(&finding.fix, 600)), 9)?;
    let frames =
        format!("proved in frame{} {} of {recorded}", if several { "s" } else { "" }, frame_numbers(&finding.frames));
    out.wrapped(
        FAINT,
        &format!("{} ({frames}). `tilelens explain {}`", shown(&finding.why, 400), shown(&finding.code, 10)),
        9,
    )
}

/// `mali-g76 9.15 MiB`; of many GPUs those that save the same together: `mali-g52 and 11 more 9.15 MiB`.
fn savings(report: &Report, finding: &Finding) -> Vec<String> {
    grouped(report.in_order(&finding.saving).into_iter().map(|(id, saving)| (id, amount(finding, saving))).collect())
}

/// What it saves once the findings above it are mended, on the GPUs on which that is another amount: savings that are about the same bytes
/// must not look as if they added up. `None` if nothing differs.
fn after_previous(report: &Report, finding: &Finding) -> Option<String> {
    let both = [&finding.saving, &finding.after_previous];
    let ids: BTreeMap<String, ()> = both.into_iter().flat_map(|map| map.keys()).map(|id| (id.clone(), ())).collect();
    let told = |saving: Option<&Saving>| saving.map_or_else(|| "nothing more".into(), |saving| amount(finding, saving));
    // That a figure is less certain then, or differs in what is not shown, is no other amount.
    let value =
        |saving: Option<&Saving>| saving.map(|saving| amount(finding, &Saving { basis: Basis::Exact, ..*saving }));
    let (other, same): (Vec<_>, Vec<_>) = report
        .in_order(&ids)
        .into_iter()
        .map(|(id, ())| (id, finding.saving.get(id), finding.after_previous.get(id)))
        .partition(|(_, alone, after)| value(*alone) != value(*after));
    let other: Vec<(&str, String)> = other.into_iter().map(|(id, _, after)| (id, told(after))).collect();
    let (_, first) = other.first()?;
    let equal = same.is_empty() && other.iter().all(|(_, amount)| amount == first);
    Some(if equal { first.clone() } else { grouped(other).join(", ") })
}

/// Each GPU with its amount; of many GPUs those with the same amount together.
fn grouped(amounts: Vec<(&str, String)>) -> Vec<String> {
    let many = amounts.len() > FEW;
    let mut groups: Vec<(String, String, usize)> = Vec::new();
    for (id, amount) in amounts {
        match groups.iter_mut().find(|(_, other, _)| many && *other == amount) {
            Some((.., others)) => *others += 1,
            None => groups.push((shown(id, 30), amount, 0)),
        }
    }
    let told = |(id, amount, others): (String, String, usize)| match others {
        0 => format!("{id} {amount}"),
        more => format!("{id} and {more} more {amount}"),
    };
    groups.into_iter().map(told).collect()
}

fn amount(finding: &Finding, saving: &Saving) -> String {
    let amount = match saving.quantity {
        Quantity::Dram => mib(Bytes(saving.value)),
        Quantity::Footprint => format!("{} of memory", mib(Bytes(saving.value))),
        Quantity::Work | Quantity::Count => finding.counted(saving.value),
    };
    if saving.basis == Basis::Exact { amount } else { format!("{} {amount}", saving.basis.sign()) }
}
