//! GPUs whose figures are equal, as one: with all of them a table would say the same thing dozens of times.

use super::undecided;
use tbdr_model::report::{Floor, Frame, GpuFrame, Interval, Report};
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;

/// So many GPUs have a line each.
pub const FEW: usize = 8;

/// GPUs with equal figures in a frame.
pub(super) struct Group<'a> {
    /// Their ids, in order; at least one.
    pub(super) ids: Vec<&'a str>,
    /// The figures of the first, which are those of all but for what compression leaves.
    pub(super) gpu: &'a GpuFrame,
    /// What compression leaves of both directions, from the least to the most of any of them; `None` if none compresses.
    pub(super) compressed: Option<Interval>,
}

impl Group<'_> {
    /// The first id, and how many others there are.
    pub(super) fn label(&self) -> String {
        label(&self.ids)
    }

    /// Whether compression leaves less or more on others of them than on the first.
    pub(super) fn compress_otherwise(&self) -> bool {
        self.compressed != compressed(self.gpu)
    }
}

/// The GPUs of a frame, in order of the first id of each group; few GPUs are a group each.
pub(super) fn of<'a>(report: &'a Report, frame: &'a Frame) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (id, gpu) in report.in_order(&frame.gpus) {
        let compressed = compressed(gpu);
        let same = groups.iter_mut().find(|group| frame.gpus.len() > FEW && alike(group.gpu, gpu));
        match same {
            Some(group) => {
                group.ids.push(id);
                group.compressed = both(group.compressed, compressed, gpu.read_bytes + gpu.write_bytes);
            }
            None => groups.push(Group { ids: vec![id], gpu, compressed }),
        }
    }
    groups
}

/// What compression leaves of both directions.
fn compressed(gpu: &GpuFrame) -> Option<Interval> {
    let left = gpu.compressed?;
    Some([left.read[0] + left.write[0], left.read[1] + left.write[1]])
}

/// From the least to the most of two GPUs that move as many bytes uncompressed.
fn both(a: Option<Interval>, b: Option<Interval>, uncompressed: Bytes) -> Option<Interval> {
    a.or(b)?;
    let [a, b] = [a, b].map(|left| left.unwrap_or([uncompressed; 2]));
    Some([a[0].min(b[0]), a[1].max(b[1])])
}

/// The first id, and how many others there are: `mali-g52 +11`.
pub fn label(ids: &[&str]) -> String {
    let first = shown(ids.first().copied().unwrap_or_default(), 30);
    match ids.len() {
        0 | 1 => first,
        n => format!("{first} +{}", n - 1),
    }
}

/// Ids in a sentence; of many in a row that begin alike, the beginning once: `mali-g51 g52 g57, apple-m1`.
pub fn names(ids: &[&str]) -> String {
    let mut text = String::new();
    let mut family = None;
    for id in ids {
        match id.split_once('-') {
            Some((first, rest)) if family == Some(first) && ids.len() > FEW => {
                text.push(' ');
                text += &shown(rest, 30);
            }
            parts => {
                text += if text.is_empty() { "" } else { ", " };
                text += &shown(id, 30);
                family = parts.map(|(first, _)| first);
            }
        }
    }
    text
}

/// Whether the tables say the same of both.
fn alike(a: &GpuFrame, b: &GpuFrame) -> bool {
    let floor = |gpu: &GpuFrame| gpu.floor.map(|Floor { read_bytes, write_bytes, .. }| (read_bytes, write_bytes));
    let figures = |gpu: &GpuFrame| (gpu.read_bytes, gpu.write_bytes, gpu.avoidable_bytes, floor(gpu));
    figures(a) == figures(b) && undecided::count(a) == undecided::count(b)
}
