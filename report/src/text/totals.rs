//! How much: what each GPU moves between chip and DRAM in a frame.

use super::heaviest_gpus;
use super::write::{
    FAINT, FRAMES_PER_SECOND, Out, TITLE, WARNING, column, counted, frame_numbers, mib, mib_per_second, total,
};
use std::fmt::{self, Write};
use tbdr_model::report::{Basis, Frame, GpuFrame, Report};
use tbdr_model::text::shown;

/// Distinct frames that are listed beside the one that is shown.
const OTHER_FRAMES: usize = 3;

pub(super) fn render(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    let ids = report.gpus.keys().map(|id| shown(id, 30).chars().count()).max().unwrap_or(0).max(3);
    writeln!(out)?;
    out.styled(TITLE, &format!("{:ids$}", "GPU"))?;
    let at_rate = format!("at {FRAMES_PER_SECOND} fps");
    out.line(FAINT, &format!("{:>16}{:>16}{:>16}{at_rate:>19}", "read/frame", "written/frame", "total"))?;
    for (id, gpu) in &frame.gpus {
        let (read, write, sum) = (mib(gpu.read_bytes), mib(gpu.write_bytes), total(gpu));
        out.styled(TITLE, &column(id, ids))?;
        write!(out, "{read:>16}{write:>16}{:>16}{:>19}", mib(sum), mib_per_second(sum))?;
        match undecided(gpu) {
            0 => writeln!(out)?,
            n => out.line(WARNING, &format!("  and {} undecided", counted(n, "entry")))?,
        }
    }
    Ok(())
}

/// Entries that are in no sum.
fn undecided(gpu: &GpuFrame) -> u64 {
    let passes = gpu.passes.iter().flat_map(|pass| &pass.entries).map(|entry| entry.basis);
    let transfers = gpu.transfers.iter().map(|entry| entry.basis);
    passes.chain(transfers).filter(|&basis| basis == Basis::Undecided).count() as u64
}

pub(super) fn render_other_frames(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    let mut others: Vec<_> = report.frames.iter().filter(|other| !std::ptr::eq(*other, frame)).collect();
    if others.is_empty() {
        return Ok(());
    }
    // Heaviest first: a spike is what somebody looks for here. The sort keeps equal ones in order of occurrence.
    let weight = |frame: &Frame| frame.gpus.values().map(|gpu| total(gpu).0).max().unwrap_or(0);
    others.sort_by_key(|other| std::cmp::Reverse(weight(other)));
    writeln!(out)?;
    out.line(TITLE, "Other frames")?;
    for other in others.iter().take(OTHER_FRAMES) {
        let sums: Vec<_> = heaviest_gpus(other)
            .into_iter()
            .map(|(id, gpu)| format!("{} {}", shown(id, 30), mib(total(gpu))))
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
