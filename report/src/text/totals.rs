//! How much: what each GPU moves between chip and DRAM in a frame.

use super::write::{
    FAINT, Out, TITLE, WARNING, column, counted, frame_numbers, mib, mib_per_second, percent, total, weight,
};
use super::{groups, heaviest_gpus, undecided};
use std::fmt::{self, Write};
use tbdr_model::report::{Direction, Frame, GpuFrame, Report};
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;

/// Part of what moves that has to, from which on there is little left to gain.
const WELL: f64 = 0.75;

/// Distinct frames that are listed beside the one that is shown.
const OTHER_FRAMES: usize = 3;

pub(super) fn render(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    waste(out, report, frame)?;
    let groups = groups::of(report, frame);
    let ids = groups.iter().map(|group| group.label().chars().count()).max().unwrap_or(0).max(3);
    writeln!(out)?;
    out.styled(TITLE, &format!("{:ids$}", "GPU"))?;
    let at_rate = format!("at {} fps", out.fps);
    out.line(FAINT, &format!("{:>16}{:>16}{:>16}{at_rate:>19}", "read/frame", "written/frame", "total"))?;
    for group in &groups {
        let gpu = group.gpu;
        let of = |bytes, direction| undecided::marked(mib(bytes), undecided::any_of(gpu, direction));
        let (read, write) = (of(gpu.read_bytes, Direction::Read), of(gpu.write_bytes, Direction::Write));
        let rate = undecided::marked(mib_per_second(total(gpu), out.fps), undecided::any(gpu));
        out.styled(TITLE, &column(&group.label(), ids))?;
        write!(out, "{read:>16}{write:>16}{:>16}{rate:>19}", sum(gpu))?;
        match undecided::count(gpu) {
            0 => writeln!(out)?,
            n => out.line(WARNING, &format!("  {} undecided", counted(n, "entry")))?,
        }
    }
    Ok(())
}

/// The answer in a sentence: how much is proved to be waste, on the GPU that wastes most.
fn waste(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    let gpus = report.in_order(&frame.gpus).into_iter();
    let wasted = gpus.filter_map(|(id, gpu)| Some((id, gpu, gpu.avoidable_bytes?)));
    // Of equals the first.
    let Some((id, gpu, bytes)) = wasted.rev().max_by_key(|(_, _, bytes)| *bytes) else { return Ok(()) };
    if total(gpu) == Bytes(0) {
        return Ok(());
    }
    if bytes == Bytes(0) {
        return out.wrapped(TITLE, &nothing(report, frame), 0);
    }
    let text = format!(
        "{} per frame are waste on {}: {} of {}, {} at {} fps.",
        mib(bytes),
        shown(id, 30),
        percent(bytes, total(gpu)),
        sum(gpu),
        mib_per_second(bytes, out.fps),
        out.fps
    );
    out.wrapped(TITLE, &text, 0)
}

/// That no finding saves anything, which is no promise where much more moves than has to.
fn nothing(report: &Report, frame: &Frame) -> String {
    let efficiency = |gpu: &GpuFrame| gpu.floor?.efficiency;
    let of_gpus = report.in_order(&frame.gpus).into_iter().filter_map(|(id, gpu)| Some((id, efficiency(gpu)?)));
    // Of equals the first.
    match of_gpus.min_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, part)| *part < WELL) {
        None => "Nothing of what moves is proved to be waste.".into(),
        Some((id, part)) => format!(
            "Nothing of what moves is proved to be waste, though only {} % of it has to move on {}.",
            (part * 100.0).floor(),
            shown(id, 30)
        ),
    }
}

fn sum(gpu: &GpuFrame) -> String {
    undecided::marked(mib(total(gpu)), undecided::any(gpu))
}

pub(super) fn render_other_frames(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    let mut others: Vec<_> = report.frames.iter().filter(|other| !std::ptr::eq(*other, frame)).collect();
    if others.is_empty() {
        return Ok(());
    }
    // Heaviest first: a spike is what somebody looks for here. The sort keeps equal ones in order of occurrence.
    others.sort_by_key(|other| std::cmp::Reverse(weight(other)));
    writeln!(out)?;
    out.line(TITLE, "Other frames")?;
    for other in others.iter().take(OTHER_FRAMES) {
        let sums: Vec<_> = heaviest_gpus(report, other)
            .into_iter()
            .map(|(id, gpu)| format!("{} {}", shown(id, 30), sum(gpu)))
            .collect();
        let text =
            format!("{} ({}): {}", frame_numbers(&other.indices), counted(other.count, "frame"), sums.join(", "));
        out.wrapped(FAINT, &text, 2)?;
    }
    match others.len().saturating_sub(OTHER_FRAMES) {
        0 => Ok(()),
        more => out.line(FAINT, &format!("  and {more} more, all lighter")),
    }
}
