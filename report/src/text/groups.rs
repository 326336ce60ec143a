//! GPUs whose figures are equal, as one: with all of them a table would say the same thing dozens of times.

use super::undecided;
use tbdr_model::report::{Floor, Frame, GpuFrame};
use tbdr_model::text::shown;

/// So many GPUs have a line each.
const FEW: usize = 8;

/// GPUs with equal figures in a frame.
pub(super) struct Group<'a> {
    /// Their ids, sorted; at least one.
    pub(super) ids: Vec<&'a str>,
    /// The figures.
    pub(super) gpu: &'a GpuFrame,
}

impl Group<'_> {
    /// The first id, and how many others there are.
    pub(super) fn label(&self) -> String {
        let first = shown(self.ids.first().copied().unwrap_or_default(), 30);
        match self.ids.len() {
            0 | 1 => first,
            n => format!("{first} +{}", n - 1),
        }
    }
}

/// The GPUs of a frame, in order of the first id of each group; few GPUs are a group each.
pub(super) fn of(frame: &Frame) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (id, gpu) in &frame.gpus {
        let same = groups.iter_mut().find(|group| frame.gpus.len() > FEW && alike(group.gpu, gpu));
        match same {
            Some(group) => group.ids.push(id),
            None => groups.push(Group { ids: vec![id], gpu }),
        }
    }
    groups
}

/// Whether the tables say the same of both.
fn alike(a: &GpuFrame, b: &GpuFrame) -> bool {
    let floor = |gpu: &GpuFrame| gpu.floor.map(|Floor { read_bytes, write_bytes, .. }| (read_bytes, write_bytes));
    let figures = |gpu: &GpuFrame| (gpu.read_bytes, gpu.write_bytes, gpu.avoidable_bytes, floor(gpu), gpu.compressed);
    figures(a) == figures(b) && undecided::count(a) == undecided::count(b)
}
