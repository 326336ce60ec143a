//! How much: what each GPU moves between chip and DRAM in a frame.

use super::write::{
    FAINT, FRAMES_PER_SECOND, Out, TITLE, WARNING, column, counted, frame_numbers, mib, mib_per_second, total, weight,
};
use super::{heaviest_gpus, undecided};
use std::fmt::{self, Write};
use tbdr_model::report::{Direction, Frame, GpuFrame, Report};
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;

/// What bytes mean for a battery; docs/reading-a-report.md names the source.
const SCALE: &str = "For scale: 100 mW for each GB/s is a usual figure for phones (80 to 120).";

/// Distinct frames that are listed beside the one that is shown.
const OTHER_FRAMES: usize = 3;

pub(super) fn render(out: &mut Out, report: &Report, frame: &Frame) -> fmt::Result {
    let ids = report.gpus.keys().map(|id| shown(id, 30).chars().count()).max().unwrap_or(0).max(3);
    writeln!(out)?;
    out.styled(TITLE, &format!("{:ids$}", "GPU"))?;
    let at_rate = format!("at {FRAMES_PER_SECOND} fps");
    out.line(FAINT, &format!("{:>16}{:>16}{:>16}{at_rate:>19}", "read/frame", "written/frame", "total"))?;
    for (id, gpu) in &frame.gpus {
        let of = |bytes, direction| undecided::marked(mib(bytes), undecided::any_of(gpu, direction));
        let (read, write) = (of(gpu.read_bytes, Direction::Read), of(gpu.write_bytes, Direction::Write));
        let rate = undecided::marked(mib_per_second(total(gpu)), undecided::any(gpu));
        out.styled(TITLE, &column(id, ids))?;
        write!(out, "{read:>16}{write:>16}{:>16}{rate:>19}", sum(gpu))?;
        match undecided::count(gpu) {
            0 => writeln!(out)?,
            n => out.line(WARNING, &format!("  {} undecided", counted(n, "entry")))?,
        }
    }
    if frame.gpus.values().any(|gpu| total(gpu) > Bytes(0)) {
        out.wrapped(FAINT, SCALE, 0)?;
    }
    Ok(())
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
        let sums: Vec<_> =
            heaviest_gpus(other).into_iter().map(|(id, gpu)| format!("{} {}", shown(id, 30), sum(gpu))).collect();
        let text =
            format!("{} ({}): {}", frame_numbers(&other.indices), counted(other.count, "frame"), sums.join(", "));
        out.wrapped(FAINT, &text, 2)?;
    }
    match others.len().saturating_sub(OTHER_FRAMES) {
        0 => Ok(()),
        more => out.line(FAINT, &format!("  and {more} more, all lighter")),
    }
}
