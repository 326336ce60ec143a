//! How good it could be: what findings save, the least that must move, what compression leaves, and what it means for a battery.

use super::groups::{self, Group};
use super::write::{FAINT, Out, TITLE, column, mib, total};
use std::fmt::{self, Write};
use tbdr_model::ledger::scale::{MILLIWATTS_PER_GB, hundredths_bu32, main_image, milliwatts};
use tbdr_model::report::{Floor, Frame, Interval, Report};
use tbdr_model::units::{Bytes, Extent2D};

/// Title of the table.
const TITLED: &str = "Potential";

/// A column: title, width, and what stands in it.
type Column<'a> = (&'static str, usize, Box<dyn Fn(&Group<'_>) -> String + 'a>);

pub(super) fn render(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    let groups = groups::of(report, frame);
    let anything = groups.iter().any(|g| g.gpu.floor.is_some() || g.gpu.avoidable_bytes.is_some());
    if !anything || groups.iter().all(|group| total(group.gpu) == Bytes(0)) {
        return Ok(());
    }
    let main = main_image(frame).map(|(_, extent)| extent);
    let ids = groups.iter().map(|group| group.label().chars().count()).max().unwrap_or(0).max(TITLED.len());
    let columns = columns(out, ids, main);
    writeln!(out)?;
    out.styled(TITLE, &format!("{:ids$}", TITLED))?;
    for (title, width, _) in &columns {
        out.styled(FAINT, &format!("{title:>width$}"))?;
    }
    writeln!(out)?;
    for group in &groups {
        out.styled(TITLE, &column(&group.label(), ids))?;
        for (_, width, cell) in &columns {
            write!(out, "{:>width$}", cell(group))?;
        }
        writeln!(out)?;
    }
    notes(out, &groups, main)
}

/// The columns, as many as there is room for.
fn columns(out: &Out, ids: usize, main: Option<Extent2D>) -> Vec<Column<'static>> {
    let fps = out.fps;
    let known = |bytes: Option<Bytes>| bytes.map_or_else(|| "?".into(), mib);
    let mut all: Vec<Column<'static>> = vec![
        ("avoidable", 16, Box::new(move |group| known(group.gpu.avoidable_bytes))),
        (
            "least",
            16,
            Box::new(|group| group.gpu.floor.map_or_else(|| "?".into(), |f| format!(">= {}", mib(f.total())))),
        ),
        ("efficiency", 12, Box::new(|group| efficiency(group.gpu.floor))),
    ];
    if out.energy {
        all.push((
            "for the memory",
            16,
            Box::new(move |group| {
                let [low, high] = milliwatts(total(group.gpu), fps);
                format!("{low}-{high} mW")
            }),
        ));
    }
    if let Some(main) = main {
        all.push((
            "BU32",
            8,
            Box::new(move |group| {
                let hundredths = hundredths_bu32(total(group.gpu), main);
                format!("{}.{:02}", hundredths / 100, hundredths % 100)
            }),
        ));
    }
    all.push(("compressed", 20, Box::new(|group| group.compressed.map_or_else(|| "-".into(), interval))));
    let mut room = out.width.saturating_sub(ids);
    all.retain(|(_, width, _)| {
        let fits = *width <= room;
        room = if fits { room - width } else { 0 };
        fits
    });
    all
}

fn efficiency(floor: Option<Floor>) -> String {
    let part = floor.and_then(|floor| floor.efficiency);
    // Rounded down, as the figure itself is.
    part.map_or_else(|| "?".into(), |part| format!("{} %", (part * 100.0).floor() as u64))
}

/// `14.10-18.80 MiB`.
fn interval([low, high]: Interval) -> String {
    format!("{}-{}", mib(low).trim_end_matches(" MiB"), mib(high))
}

fn notes(out: &mut Out, groups: &[Group<'_>], main: Option<Extent2D>) -> fmt::Result {
    let unknown = groups.iter().filter_map(|group| Some((group, group.gpu.floor?.undecided_bytes)));
    let unknown = unknown.max_by_key(|(_, bytes)| *bytes).filter(|(_, bytes)| *bytes > Bytes(0));
    let mut text =
        "Least: what has to move if passes, copies and shaders read and write what they do now; efficiency: its part of what moves."
            .to_string();
    if let Some((group, bytes)) = unknown {
        text += &format!(" Up to {} more ({}) are undecided: nobody is known to read them.", mib(bytes), group.label());
    }
    if let Some(main) = main {
        text += &format!(" BU32: one move of 32 bits for each of {}x{} pixels.", main.width, main.height);
    }
    if groups.iter().any(Group::compress_otherwise) {
        text += " Compressed: from the least to the most of any GPU in the row.";
    }
    if out.energy {
        let [low, high] = MILLIWATTS_PER_GB;
        text += &format!(" Memory takes {low} to {high} mW for each GB/s; at {} fps.", out.fps);
    }
    out.wrapped(FAINT, &text, 0)?;
    let Some(first) = groups.first().map(|group| group.gpu) else { return Ok(()) };
    // What shaders and the display read is no matter of the GPU.
    let mut beside = Vec::new();
    if first.sampled_read_bytes > Bytes(0) {
        let least = first.beside.iter().filter_map(|e| Some((e.bytes, e.one_sample_bytes?)));
        let spared: u64 = least.map(|(all, one)| all.0.saturating_sub(one.0)).fold(0, u64::saturating_add);
        let all = first.sampled_read_bytes;
        let from = match spared {
            0 => String::new(),
            _ => format!("{} to ", mib(Bytes(all.0.saturating_sub(spared)))),
        };
        beside.push(format!("shaders read {from}<= {} of attachments", mib(all)));
    }
    if first.storage_write_bytes > Bytes(0) {
        beside.push(format!("shaders write <= {} of them", mib(first.storage_write_bytes)));
    }
    if first.display_read_bytes > Bytes(0) {
        beside.push(format!("the display reads ~ {}", mib(first.display_read_bytes)));
    }
    if !beside.is_empty() {
        out.wrapped(FAINT, &format!("Beside these sums, per frame: {}.", beside.join(", ")), 0)?;
    }
    for group in groups.iter().filter(|group| group.ids.len() > 1) {
        let [first, others @ ..] = &group.ids[..] else { continue };
        let text = format!("{} stands for {} as well.", tbdr_model::text::shown(first, 30), groups::names(others));
        out.wrapped(FAINT, &text, 0)?;
    }
    Ok(())
}
