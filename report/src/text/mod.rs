//! The summary for a terminal: what ran, what each GPU moves in a frame, which passes and which causes that comes from.
//!
//! Its parts stand in the order in which somebody asks: `head` what is this, `totals` how much, `potential` how good it could be,
//! `passes` where, `entries` why, `schedule` what has to wait, `findings` what to change, `notes` what is missing.

mod compression;
mod entries;
mod findings;
mod groups;
mod head;
mod merging;
mod notes;
mod passes;
mod potential;
mod schedule;
mod totals;
mod undecided;
mod untouched;
mod write;

pub use groups::{FEW, label, names};
pub use write::{frame_numbers, mib, weight};

use std::fmt;
use tbdr_model::ledger::scale::FRAMES_PER_SECOND;
use tbdr_model::report::{Frame, GpuFrame, Report};
use write::Out;

/// How the summary is laid out.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// Whether terminal escapes for colour and weight are written.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Frames per second of every rate that is shown; it always stands beside the rate.
    pub fps: u32,
    /// Whether the power that external memory takes is shown.
    pub energy: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { color: false, width: 100, fps: FRAMES_PER_SECOND, energy: false }
    }
}

/// Renders the summary.
pub fn render(report: &Report, options: &TextOptions) -> String {
    let mut out = Out::new(options);
    // Writing to a String cannot fail.
    let _ = render_to(&mut out, report);
    out.text
}

fn render_to(out: &mut Out, report: &Report) -> fmt::Result {
    let shown = shown_frame(report);
    head::render(out, report, shown)?;
    if let Some(frame) = shown {
        totals::render(out, report, frame)?;
        potential::render(out, report, frame)?;
        passes::render(out, report, frame)?;
        compression::render(out, frame)?;
        entries::render(out, report, frame)?;
        schedule::render(out, frame)?;
        findings::render(out, report)?;
        totals::render_other_frames(out, report, frame)?;
    }
    notes::render(out, report)
}

/// The distinct frame that stands for most frames: the steady state. Of several, the one that moves most; of those, the first.
pub fn shown_frame(report: &Report) -> Option<&Frame> {
    let most = report.frames.iter().map(|frame| frame.count).max()?;
    heaviest(report.frames.iter().filter(|frame| frame.count == most))
}

/// The frame that moves most on the GPU on which it moves most; of several, the first.
pub fn heaviest<'a>(frames: impl DoubleEndedIterator<Item = &'a Frame>) -> Option<&'a Frame> {
    frames.rev().max_by_key(|frame| write::weight(frame))
}

/// GPUs that are shown in detail.
const GPUS: usize = 3;

/// The GPU that moves most in the frame, then those with undecided entries, which may move more than is counted, then those that move
/// most; in order.
fn heaviest_gpus<'a>(report: &'a Report, frame: &'a Frame) -> Vec<(&'a str, &'a GpuFrame)> {
    // Of GPUs with equal figures one is enough.
    let firsts = groups::of(report, frame).into_iter().filter_map(|g| Some((*g.ids.first()?, g.gpu)));
    let mut gpus: Vec<_> = firsts.enumerate().collect();
    gpus.sort_by_key(|(_, (_, gpu))| std::cmp::Reverse(write::total(gpu)));
    // The sort keeps them by weight.
    if let [_, others @ ..] = &mut gpus[..] {
        others.sort_by_key(|(_, (_, gpu))| !undecided::any(gpu));
    }
    gpus.truncate(GPUS);
    gpus.sort_by_key(|(place, _)| *place);
    gpus.into_iter().map(|(_, gpu)| gpu).collect()
}
