//! Why the table is as it is: what merged and what did not, why a tile is smaller or missing; each reason once, with its GPUs.

use super::Answer;
use super::table::numbers;
use anstyle::Style;
use std::fmt::{self, Write};
use tbdr_model::report::{Alternative, Basis, Frame, TilePass, TileSubpass};
use tbdr_model::text::shown;
use tilelens_report::text::mib;

const FAINT: Style = Style::new().dimmed();
/// GPUs that are named beside a reason.
const NAMED: usize = 10;

/// Writes the reasons, in the order in which the GPUs bring them up.
pub fn write(out: &mut String, answer: &Answer<'_>, frame: &Frame, width: usize) -> fmt::Result {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for profile in answer.profiles {
        let passes = frame.gpus.get(&profile.id).map_or(&[][..], |gpu| &gpu.passes);
        for reason in reasons(passes) {
            match all.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, ids)) if ids.last() == Some(&profile.id.as_str()) => {}
                Some((_, ids)) => ids.push(&profile.id),
                None => all.push((reason, vec![&profile.id])),
            }
        }
    }
    for (reason, ids) in all {
        writeln!(out)?;
        for line in wrap(&reason, width, 0) {
            writeln!(out, "{line}")?;
        }
        let mut named = match ids.len() {
            n if n > 1 && n == answer.profiles.len() => "every GPU".into(),
            _ => ids.iter().take(NAMED).copied().collect::<Vec<_>>().join(", "),
        };
        if ids.len() > NAMED && ids.len() < answer.profiles.len() {
            named += &format!(" and {} more", ids.len() - NAMED);
        }
        for line in wrap(&named, width, 2) {
            writeln!(out, "{FAINT}{line}{FAINT:#}")?;
        }
    }
    Ok(())
}

/// What there is to say of the tile passes of one GPU.
fn reasons(passes: &[TilePass]) -> Vec<String> {
    let subpasses: Vec<&TileSubpass> = passes.iter().flat_map(|pass| &pass.subpasses).collect();
    let several = subpasses.len() > 1;
    let mut found = Vec::new();
    if several {
        found.extend(merging(passes, &subpasses));
    }
    for pass in passes {
        let place = if several && passes.len() > 1 { format!("subpass {}: ", numbers(pass)) } else { String::new() };
        for note in &pass.notes {
            // A reason that holds for every tile pass need not name each.
            let everywhere = passes.iter().all(|other| other.notes.contains(note));
            let place = if everywhere { "" } else { place.as_str() };
            found.push(format!("{place}{}", shown(note, 200)));
        }
        if let Some(other) = &pass.alternative {
            found.push(format!("or, {}: {}", shown(&other.note, 200), alternative(other)));
        }
    }
    found
}

/// What runs and moves instead.
fn alternative(other: &Alternative) -> String {
    let entries = || other.passes.iter().flat_map(|pass| &pass.entries);
    let how = match other.passes.len() {
        _ if other.passes.iter().any(|pass| pass.tile.is_none()) => "without tiles".into(),
        1 => "1 tile pass".into(),
        count => format!("{count} tile passes"),
    };
    if entries().any(|entry| entry.basis == Basis::Undecided) {
        return format!("{how}, bytes undecided");
    }
    format!("{how}, {} read and {} written", mib(other.read_bytes), mib(other.write_bytes))
}

fn merging(passes: &[TilePass], subpasses: &[&TileSubpass]) -> Vec<String> {
    let inferred = passes.iter().any(|pass| pass.merge_basis.as_deref() == Some("inferred"));
    let inferred = if inferred { " (inferred)" } else { "" };
    if passes.len() == 1 {
        return vec![format!("all {} subpasses merge into one tile pass{inferred}", subpasses.len())];
    }
    // One reason for all of them, the first included, is the GPU's or the pass's and not a subpass's.
    if passes.len() == subpasses.len() && subpasses.windows(2).all(|pair| pair[0].merge_note == pair[1].merge_note) {
        return vec![format!("no subpass merges: {}", shown(&subpasses[0].merge_note, 200))];
    }
    let mut found = Vec::new();
    for (number, pass) in passes.iter().enumerate() {
        if pass.subpasses.len() > 1 {
            found.push(format!("subpasses {} merge into one tile pass{inferred}", numbers(pass)));
        }
        let Some(first) = pass.subpasses.first().filter(|_| number > 0) else { continue };
        let status = first.merge_status.as_deref().unwrap_or_default();
        let status = status.trim_start_matches("VK_SUBPASS_MERGE_STATUS_").trim_end_matches("_EXT");
        found.push(format!("subpass {}: {}: {}", first.subpass, shown(status, 60), shown(&first.merge_note, 200)));
    }
    found
}

/// `text` in lines of at most `width` columns, broken at spaces, all of them after `indent` spaces.
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![" ".repeat(indent)];
    for word in text.split_whitespace() {
        let last = lines
            .last_mut()
            .filter(|line| line.chars().count() == indent || line.chars().count() + 1 + word.chars().count() <= width);
        match last {
            Some(line) => {
                if line.len() > indent {
                    line.push(' ');
                }
                line.push_str(word);
            }
            None => lines.push(" ".repeat(indent) + word),
        }
    }
    lines
}
