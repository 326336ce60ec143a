//! TL506.

use super::between::{Beside, Between};
use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth, rule};
use crate::frame::{Barrier, HOST_QUEUE, ImageBarrier, Op};
use crate::report::{Basis, Quantity};
use crate::schedule::stages::{Classes, Reading};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Barrier commands one after the other, with no work between them, that one command could hold: they name different images and buffers, and
    /// either all have the same stages or, with synchronization 2, none waits for what another holds back.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A driver makes of every command a wait and a cache operation of its own; of one command with several barriers it can make one.
    ///
    /// ## Bad
    /// Four times `vkCmdPipelineBarrier` with one image each, before a pass that samples four images.
    ///
    /// ## Good
    /// One `vkCmdPipelineBarrier` with four image barriers.
    ///
    /// ## How much
    /// The number of commands that can go.
    ///
    /// ## When to ignore
    /// If the commands come from parts of a program that do not know of each other. A note never fails a check.
    ///
    /// ## Known limits
    /// How work is split into command buffers is not recorded: the commands may stand in several of one submission. Barriers of memory as a
    /// whole, with dependency flags, of aliased memory and waits for events are left alone. With synchronization 1 all have to have
    /// the same stage masks: otherwise one command would widen them.
    ///
    /// ## References
    /// Vulkan specification, vkCmdPipelineBarrier2. Arm GPU Best Practices, "Pipeline barriers".
    MERGEABLE_BARRIERS {
        code: "TL506",
        name: "mergeable-barriers",
        category: Scheduling,
        level: Note,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["barrier command", "barrier commands"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in &evidence.structures {
        // Commands, and commands that would be left.
        let mut by_pass: BTreeMap<Beside, (usize, usize)> = BTreeMap::new();
        let between = Between::of(structure.frame);
        for (op, group) in groups(structure) {
            if let Some(beside) = between.beside(op).filter(|_| group > 1) {
                let (are, left) = by_pass.entry(beside).or_default();
                (*are, *left) = (*are + group, *left + 1);
            }
        }
        for (beside, (are, left)) in by_pass {
            gather.add(Sighting { structure: *number, pass: beside.pass, ..Sighting::default() }, || Candidate {
                worth: Worth::Amount { quantity: Quantity::Count, value: (are - left) as u64, basis: Basis::Exact },
                fix: format!(
                    "Make {left} of {are} barrier commands that follow each other {}",
                    beside.words(structure)
                ),
                why: "each barrier command is a wait of its own, and one can hold the barriers of all".to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// Runs of barrier commands that one could hold: the operation of the first, and how many they are.
fn groups(structure: &Structure<'_>) -> Vec<(u32, usize)> {
    let mut found = Vec::new();
    let mut op = 0u32;
    for submission in &structure.frame.submissions {
        let mut group: Option<Group<'_>> = None;
        for command in &submission.ops {
            let barrier = match command {
                Op::Barrier(barrier) if submission.queue != HOST_QUEUE => Some(barrier),
                _ => None,
            };
            let plain = barrier.filter(|barrier| is_plain(structure, barrier));
            match (&mut group, plain) {
                (Some(group), Some(barrier)) if group.takes(barrier) => group.add(barrier),
                _ => {
                    found.extend(group.take().map(|group| (group.op, group.barriers.len())));
                    group = plain.map(|barrier| Group::of(op, barrier));
                }
            }
            op += 1;
        }
        found.extend(group.map(|group| (group.op, group.barriers.len())));
    }
    found
}

/// Whether a command has nothing but barriers of images and buffers that are known and share memory with nothing.
fn is_plain(structure: &Structure<'_>, barrier: &Barrier) -> bool {
    let frame = structure.frame;
    let image = |image: &ImageBarrier| {
        let described = image.image.and_then(|image| frame.images.get(image.0 as usize));
        described.is_some_and(|described| !described.memory.aliased)
    };
    let some = !barrier.images.is_empty() || !barrier.buffers.is_empty();
    let plain = !barrier.event && barrier.flags == 0 && barrier.memory.is_empty();
    some && plain && barrier.images.iter().all(image) && barrier.buffers.iter().all(|buffer| buffer.buffer.is_some())
}

struct Group<'a> {
    op: u32,
    barriers: Vec<&'a Barrier>,
    images: BTreeSet<u32>,
    buffers: BTreeSet<u32>,
    /// What the group holds back.
    held: Classes,
}

impl<'a> Group<'a> {
    fn of(op: u32, barrier: &'a Barrier) -> Self {
        let mut group =
            Self { op, barriers: Vec::new(), images: BTreeSet::new(), buffers: BTreeSet::new(), held: Classes::NONE };
        group.add(barrier);
        group
    }

    fn add(&mut self, barrier: &'a Barrier) {
        self.images.extend(images(barrier));
        self.buffers.extend(buffers(barrier));
        self.held = scopes(barrier).fold(self.held, |held, stages| held.with(Reading::WIDEST.destination(stages.1)));
        self.barriers.push(barrier);
    }

    /// Whether the same command could hold another barrier, and nothing would wait for more or less than it does.
    fn takes(&self, barrier: &Barrier) -> bool {
        let others = images(barrier).all(|image| !self.images.contains(&image))
            && buffers(barrier).all(|buffer| !self.buffers.contains(&buffer));
        let is_first = |b: &Barrier| (b.stages.src_stages, b.stages.dst_stages) != (0, 0);
        let first = self.barriers.iter().any(|known| is_first(known)) || is_first(barrier);
        let mut all: BTreeSet<(u64, u64)> = self.barriers.iter().flat_map(|known| scopes(known)).collect();
        all.extend(scopes(barrier));
        // Barriers of several commands wait for each other where the later one waits for what the earlier one holds back.
        let chained = scopes(barrier).any(|stages| Reading::WIDEST.source(stages.0).0 & self.held.0 != 0);
        others && (all.len() == 1 || !first && !chained)
    }
}

fn images(barrier: &Barrier) -> impl Iterator<Item = u32> + '_ {
    barrier.images.iter().filter_map(|image| image.image).map(|image| image.0)
}

fn buffers(barrier: &Barrier) -> impl Iterator<Item = u32> + '_ {
    barrier.buffers.iter().filter_map(|buffer| buffer.buffer).map(|buffer| buffer.0)
}

/// Stages of each barrier of a command.
fn scopes(barrier: &Barrier) -> impl Iterator<Item = (u64, u64)> + '_ {
    let own = barrier.images.iter().map(|image| image.scope).chain(barrier.buffers.iter().map(|buffer| buffer.scope));
    own.map(|scope| (scope.src_stages, scope.dst_stages))
}
