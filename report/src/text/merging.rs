//! Which subpasses run together and why others do not: what stands beneath the bar of a tile pass.

use super::write::mib;
use std::collections::BTreeSet;
use tbdr_model::report::{Frame, GpuFrame, TilePass, TileSubpass};
use tbdr_model::text::shown;

/// Characters of a reason.
const LONGEST: usize = 120;

/// The lines for tile pass number `index`. `told` holds the reasons of this GPU that were given already and concern no single subpass,
/// as of a driver that never merges.
pub(super) fn lines<'a>(frame: &Frame, gpu: &'a GpuFrame, index: usize, told: &mut BTreeSet<&'a str>) -> Vec<String> {
    let Some(pass) = gpu.passes.get(index) else { return Vec::new() };
    let Some(source) = source(pass).filter(|source| count(frame, *source) > 1) else { return Vec::new() };
    let mut lines = Vec::new();
    let inferred = pass.merge_basis.as_deref() == Some("inferred");
    if pass.subpasses.len() > 1 {
        let sure = if inferred { ", inferred from measurements" } else { "" };
        lines.push(format!("subpasses {} merged{sure}", numbers(pass)));
    }
    // Tile passes of one render pass stand together.
    let siblings = gpu.passes.iter().filter(|other| self::source(other) == Some(source));
    let notes: Vec<&str> = siblings.flat_map(|s| &s.subpasses).map(|s| s.merge_note.as_ref()).collect();
    let of_all = notes.windows(2).all(|pair| pair[0] == pair[1]);
    let first = index == 0 || gpu.passes.get(index - 1).and_then(self::source) != Some(source);
    if let (Some(own), false) = (pass.subpasses.first(), own_note(pass).is_empty()) {
        if of_all {
            if told.insert(&own.merge_note) {
                lines.push(format!("no subpass merged: {}", shown(&own.merge_note, LONGEST)));
            }
        } else if !first {
            lines.push(format!("subpass {} not merged: {}", own.subpass, shown(&own.merge_note, LONGEST)));
        }
    }
    lines.extend(pass.subpasses.iter().filter_map(driver));
    // Where merging is certain, an alternative is about something else, as a driver's choice by the number of draws.
    if let Some(other) = pass.alternative.as_ref().filter(|_| inferred) {
        lines.push(format!(
            "or, on other driver releases: {} tile passes, {} read and {} written",
            other.passes.len(),
            mib(other.read_bytes),
            mib(other.write_bytes)
        ));
    }
    lines
}

/// What the driver that ran the program says of a subpass, where it says otherwise.
fn driver(subpass: &TileSubpass) -> Option<String> {
    let status = subpass.driver_differs.as_deref()?;
    let reason = status.trim_start_matches("VK_SUBPASS_MERGE_STATUS_").trim_end_matches("_EXT");
    let number = subpass.subpass;
    Some(format!("the driver that ran the program says otherwise of subpass {number}: {}", shown(reason, 60)))
}

/// The one render pass that a tile pass is of.
fn source(pass: &TilePass) -> Option<u32> {
    match pass.source_passes[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn count(frame: &Frame, pass: u32) -> u32 {
    frame.passes.get(pass as usize).map_or(0, |pass| pass.subpasses)
}

fn own_note(pass: &TilePass) -> &str {
    pass.subpasses.first().map_or("", |subpass| subpass.merge_note.as_ref())
}

/// `0+1+2`, and of many `0+1+…+9`.
pub(super) fn numbers(pass: &TilePass) -> String {
    let numbers: Vec<_> = pass.subpasses.iter().map(|subpass| subpass.subpass.to_string()).collect();
    match &numbers[..] {
        [first, second, .., last] if numbers.len() > 6 => format!("{first}+{second}+…+{last}"),
        _ => numbers.join("+"),
    }
}
