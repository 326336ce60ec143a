//! Where: the passes of the frame as bars, per GPU.

use super::write::{BAR, FAINT, Out, TITLE, WARNING, column, counted, extent, fit, mib, percent, total};
use super::{heaviest_gpus, merging, undecided, untouched};
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use tbdr_model::ledger::sums;
use tbdr_model::report::{Basis, Frame, GpuFrame, Report, TilePass};
use tbdr_model::units::Bytes;
use unicode_width::UnicodeWidthStr;

/// Passes drawn per GPU; of more, those that move most.
const PASSES: usize = 6;
/// Causes and images that are named in a line.
const SUMS: usize = 4;
/// Columns of a name in such a line.
const NAME: usize = 24;
/// Columns beside label and bar: extent, tile, bytes, share and what is between them.
const FIXED: usize = 45;

pub(super) fn render(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    if frame.passes.is_empty() && frame.transfers.is_empty() {
        writeln!(out)?;
        return out.line(FAINT, "The frame has neither render passes nor transfers.");
    }
    let gpus = heaviest_gpus(report, frame);
    let left_out = frame.gpus.len() - gpus.len();
    let shown: Vec<String> = gpus.iter().map(|(id, _)| (*id).to_string()).collect();
    let mut untouched = BTreeSet::new();
    let heaviest = gpus.iter().map(|(_, gpu)| total(gpu)).max().unwrap_or_default();
    let mut summed = false;
    for (id, gpu) in gpus {
        writeln!(out)?;
        let id_shown = fit(id, 30);
        let about = report.gpus.get(id).map(|gpu| format!("  {}; {}", gpu.name, gpu.policy)).unwrap_or_default();
        let about = fit(&about, out.width.saturating_sub(id_shown.width()));
        out.styled(TITLE, &id_shown)?;
        out.line(FAINT, &about)?;
        render_gpu(out, frame, gpu, &mut untouched)?;
        // Causes and images weigh much the same everywhere: the first of the heaviest tells them.
        if !summed && total(gpu) == heaviest {
            summed = true;
            sums_of(out, gpu)?;
        }
        instead(out, gpu)?;
    }
    let unknown = if frame.gpus.values().any(undecided::any) { "  ? undecided, in no sum" } else { "" };
    out.line(FAINT, &format!("  ░ read from DRAM  █ written to DRAM{unknown}"))?;
    match left_out {
        0 => Ok(()),
        n => {
            let doubtful = frame.gpus.iter().filter(|(id, gpu)| undecided::any(gpu) && !shown.contains(id)).count();
            let doubtful = match doubtful {
                0 => String::new(),
                n => format!(", {n} of them with undecided entries,"),
            };
            let text = format!("the passes of {} more{doubtful} are in the JSON report", counted(n as u64, "GPU"));
            out.wrapped(FAINT, &text, 2)
        }
    }
}

/// A row of the chart.
struct Row {
    label: String,
    extent: String,
    tile: String,
    read: Bytes,
    write: Bytes,
    undecided: bool,
}

impl Row {
    fn sum(&self) -> Bytes {
        self.read + self.write
    }
}

fn render_gpu(out: &mut Out, frame: &Frame, gpu: &GpuFrame, untouched: &mut BTreeSet<u32>) -> fmt::Result {
    let mut rows: Vec<_> = gpu.passes.iter().map(|pass| pass_row(frame, pass)).collect();
    let passes = rows.len();
    if !gpu.transfers.is_empty() {
        rows.push(transfer_row(frame, gpu));
    }
    let longest = rows.iter().map(Row::sum).max().unwrap_or_default();
    // The heaviest, in the order of execution.
    let mut order: Vec<_> = (0..rows.len()).collect();
    order.sort_by_key(|&n| (std::cmp::Reverse(rows[n].sum()), n));
    let kept = if rows.len() > PASSES + 1 { PASSES } else { rows.len() };
    let rest: Vec<_> = order.split_off(kept);
    order.sort_unstable();

    let bar = out.width.saturating_sub(FIXED) * 2 / 5;
    let label = out.width.saturating_sub(FIXED + bar);
    let mut told = BTreeSet::new();
    for n in order {
        let row = &rows[n];
        write!(out, "  {} {:>11} {:>9} ", column(&row.label, label), row.extent, row.tile)?;
        let (read, write) = (length(row.read, longest, bar), length(row.sum(), longest, bar));
        let drawn = format!("{}{}", "░".repeat(read), "█".repeat(write - read));
        out.styled(BAR, &drawn)?;
        let unknown = if row.undecided && write < bar { "?" } else { "" };
        out.styled(WARNING, unknown)?;
        // What is not known is no share of what is.
        let share = if row.undecided { "?".into() } else { percent(row.sum(), total(gpu)) };
        let space = " ".repeat(bar.saturating_sub(write + unknown.len()));
        writeln!(out, "{space}{:>13}{share:>7}", undecided::marked(mib(row.sum()), row.undecided))?;
        for line in merging::lines(frame, gpu, n, &mut told) {
            out.wrapped(FAINT, &line, 4)?;
        }
        if let Some(line) = gpu.passes.get(n).and_then(|pass| untouched::line(frame, pass, untouched)) {
            out.wrapped(FAINT, &line, 4)?;
        }
        if let Some(tile) = gpu.passes.get(n).and_then(|pass| driver_tile(frame, pass)) {
            out.wrapped(FAINT, &format!("the driver that ran the program named tiles of {tile}"), 4)?;
        }
        let reason = undecided::reason(gpu.passes.get(n).into_iter());
        if !reason.is_empty() {
            out.wrapped(WARNING, &format!("undecided: {reason}"), 4)?;
        }
    }
    if !rest.is_empty() {
        let bytes: Bytes = rest.iter().map(|&n| rows[n].sum()).sum();
        let sum = undecided::marked(mib(bytes), rest.iter().any(|&n| rows[n].undecided));
        out.line(FAINT, &format!("  and {} more: {sum}", counted(rest.len() as u64, "pass")))?;
        let reason = undecided::reason(rest.iter().filter_map(|&n| gpu.passes.get(n)));
        if !reason.is_empty() {
            out.wrapped(WARNING, &format!("undecided among them: {reason}"), 4)?;
        }
    }
    if passes == 0 {
        out.line(FAINT, "  no render passes")?;
    }
    Ok(())
}

/// Where it comes from in other words than passes: the causes, and the images and buffers that move most.
fn sums_of(out: &mut Out, gpu: &GpuFrame) -> fmt::Result {
    for (title, sums) in [("by cause", sums::by_cause(gpu)), ("by image", sums::by_resource(gpu))] {
        let mut sums: Vec<_> = sums.into_iter().collect();
        // One sum is the total, and says nothing new. The sort keeps equal ones by name.
        sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.total()));
        if sums.len() < 2 {
            continue;
        }
        let named = sums.iter().take(SUMS).map(|(name, sum)| {
            format!("{} {}", fit(name, NAME), undecided::marked(mib(sum.total()), sum.undecided > 0))
        });
        let mut text = named.collect::<Vec<_>>().join(", ");
        let rest = sums.get(SUMS..).unwrap_or_default();
        if !rest.is_empty() {
            let bytes: Bytes = rest.iter().map(|(_, sum)| sum.total()).sum();
            let lacks = rest.iter().any(|(_, sum)| sum.undecided > 0);
            text += &format!(", {} more {}", rest.len(), undecided::marked(mib(bytes), lacks));
        }
        out.wrapped(FAINT, &format!("{title}: {text}"), 2)?;
    }
    Ok(())
}

/// What passes would move if the driver chose otherwise where merging is certain: turnip's immediate mode.
fn instead(out: &mut Out, gpu: &GpuFrame) -> fmt::Result {
    let certain = |pass: &&TilePass| pass.merge_basis.as_deref() != Some("inferred");
    let choices: Vec<_> =
        gpu.passes.iter().filter(certain).filter_map(|p| Some((p, p.alternative.as_ref()?))).collect();
    let Some((_, first)) = choices.first() else { return Ok(()) };
    let sources: BTreeSet<u32> = choices.iter().flat_map(|(pass, _)| &pass.source_passes).copied().collect();
    let own = gpu.passes.iter().filter(|pass| pass.source_passes.iter().any(|source| sources.contains(source)));
    let now: Bytes = own.map(|pass| pass.read_bytes + pass.write_bytes).sum();
    let then: Bytes = choices.iter().map(|(_, other)| other.read_bytes + other.write_bytes).sum();
    let lacks = choices.iter().any(|(_, other)| other.passes.iter().any(undecided::in_pass));
    let text = format!(
        "or {} instead of {} in {}: {}",
        undecided::marked(mib(then), lacks),
        mib(now),
        counted(sources.len() as u64, "pass"),
        tbdr_model::text::shown(&first.note, 160)
    );
    out.wrapped(FAINT, &text, 2)
}

/// Columns of a bar of `bytes` where `longest` fills `columns`. What is not nothing has at least one.
fn length(bytes: Bytes, longest: Bytes, columns: usize) -> usize {
    match (bytes.0, longest.0) {
        (0, _) | (_, 0) => 0,
        (bytes, longest) => ((u128::from(bytes) * columns as u128 / u128::from(longest)) as usize).clamp(1, columns),
    }
}

/// The tile that the driver named for the first pass of a tile pass.
fn driver_tile(frame: &Frame, pass: &TilePass) -> Option<String> {
    let source = frame.passes.get(*pass.source_passes.first()? as usize)?;
    source.driver_tile.map(|tile| format!("{}x{}", tile.size.width, tile.size.height))
}

fn pass_row(frame: &Frame, pass: &TilePass) -> Row {
    let source = pass.source_passes.first().and_then(|&n| frame.passes.get(n as usize));
    let mut label = source.map_or("unknown pass", |source| source.label.as_str()).to_string();
    if pass.source_passes.len() > 1 {
        label += &format!(" and {} merged", pass.source_passes.len() - 1);
    } else if source.is_some_and(|source| source.subpasses > 1 && pass.subpasses.len() < source.subpasses as usize) {
        // Before the label: it is the end of a long label that is cut.
        label = format!("subpass {} of {label}", merging::numbers(pass));
    }
    Row {
        label,
        extent: source.map(|source| extent(source.extent)).unwrap_or_default(),
        tile: pass.tile.map_or_else(|| pass.mode.to_string(), extent),
        read: pass.read_bytes,
        write: pass.write_bytes,
        undecided: undecided::in_pass(pass),
    }
}

/// All transfer commands together.
fn transfer_row(frame: &Frame, gpu: &GpuFrame) -> Row {
    let sum = |direction| gpu.transfers.iter().filter(|e| e.direction == direction).map(|e| e.bytes).sum();
    let count = frame.transfers.len() as u64;
    let label = match &frame.transfers[..] {
        [first, others @ ..] if others.iter().all(|other| other.kind == first.kind) => {
            format!("{}, {}", first.kind, counted(count, "command"))
        }
        _ => counted(count, "transfer command"),
    };
    Row {
        label,
        extent: String::new(),
        tile: String::new(),
        read: sum(tbdr_model::report::Direction::Read),
        write: sum(tbdr_model::report::Direction::Write),
        undecided: gpu.transfers.iter().any(|entry| entry.basis == Basis::Undecided),
    }
}
