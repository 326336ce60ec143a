//! TL511.

use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth, rule};
use crate::frame::{HOST_QUEUE, Op};
use crate::report::{Basis, Quantity};
use crate::schedule::touches::{self, Resource};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// More than four changes between render passes and dispatches on one queue in a frame, with barriers between them, and dispatches that
    /// could run beside earlier ones: nothing that they read or write is used by the passes between.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Dispatches share a slot with the vertices of render passes. Barriers between the two drain one slot or the other at every change.
    ///
    /// ## Bad
    /// Before each of six passes a dispatch of its own that prepares what only that pass needs.
    ///
    /// ## Good
    /// All six dispatches first, one barrier, then the passes.
    ///
    /// ## How much
    /// The number of changes that go: two for each group of dispatches that moves.
    ///
    /// ## When to ignore
    /// If the memory that the dispatches write is used again from pass to pass in ways that the record does not show. A note never
    /// fails a check.
    ///
    /// ## Known limits
    /// Buffers are not told apart: dispatches that write any count as needed where they stand, and so does what is not known of a shader.
    ///
    /// ## References
    /// Arm GPU Best Practices, "Compute and graphics workloads". Khronos Vulkan-Samples, performance/pipeline_barriers.
    COMPUTE_GRAPHICS_ALTERNATION {
        code: "TL511",
        name: "compute-graphics-alternation",
        category: Scheduling,
        level: Note,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["change between passes and compute", "changes between passes and compute"],
        check: check,
    }
}

/// Changes in a frame that are nothing unusual: dispatches before the passes, and dispatches in the middle for what follows.
const USUAL: usize = 4;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in &evidence.structures {
        if !structure.frame.unmodelled.is_empty() {
            continue;
        }
        for pass in movable(structure) {
            let label = structure.pass_label(pass);
            gather.add(Sighting { structure: *number, pass, ..Sighting::default() }, || Candidate {
                worth: Worth::Amount { quantity: Quantity::Count, value: 2, basis: Basis::Exact },
                fix: format!("Move the dispatches before {label} to the dispatches before them, with their barriers"),
                why: "passes and dispatches alternate, and the passes between use nothing of what these dispatches read and write"
                    .to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// What some commands do to each resource: whether they write it.
#[derive(Default)]
struct Uses(BTreeMap<Resource, bool>);

impl Uses {
    fn add(&mut self, resource: Resource, writes: bool) {
        *self.0.entry(resource).or_default() |= writes;
    }

    fn conflicts(&self, other: &Self) -> bool {
        self.0.iter().any(|(resource, writes)| other.0.get(resource).is_some_and(|also| *also || *writes))
    }
}

/// Commands of one kind that follow each other.
struct Stretch {
    compute: bool,
    /// Number of the first pass in it or after it.
    pass: u32,
    uses: Uses,
    /// Images that barriers in it and right before it name.
    barriers: Vec<u32>,
    barrier_before: bool,
}

/// Passes whose dispatches right before them could run beside earlier ones.
fn movable(structure: &Structure<'_>) -> Vec<u32> {
    let mut queues: BTreeMap<u32, Vec<Stretch>> = BTreeMap::new();
    let mut waiting: BTreeMap<u32, (bool, Vec<u32>)> = BTreeMap::new();
    let mut passes = 0u32;
    for submission in &structure.frame.submissions {
        if submission.queue == HOST_QUEUE {
            continue;
        }
        let stretches = queues.entry(submission.queue).or_default();
        let (barrier, images) = waiting.entry(submission.queue).or_default();
        for command in &submission.ops {
            let compute = match command {
                Op::Barrier(found) => {
                    *barrier = true;
                    images.extend(found.images.iter().filter_map(|image| image.image).map(|image| image.0));
                    continue;
                }
                Op::Event(_) => {
                    *barrier = true;
                    continue;
                }
                Op::Dispatch(_) => true,
                Op::Pass(_) | Op::Transfer(_) | Op::Opaque(_) => false,
            };
            if stretches.last().is_none_or(|last| last.compute != compute) {
                let uses = Uses::default();
                let before = *barrier;
                stretches.push(Stretch { compute, pass: passes, uses, barriers: Vec::new(), barrier_before: before });
            }
            if let Some(stretch) = stretches.last_mut() {
                stretch.barriers.append(images);
                for touch in touches::of(structure.frame, command) {
                    stretch.uses.add(touch.resource, touch.writes);
                }
            }
            *barrier = false;
            passes += u32::from(matches!(command, Op::Pass(_)));
        }
    }
    let mut found = Vec::new();
    for stretches in queues.values() {
        let changes = stretches.iter().skip(1).filter(|stretch| stretch.barrier_before).count();
        if changes <= USUAL {
            continue;
        }
        // Dispatches, passes, dispatches, passes.
        for four in stretches.windows(4).filter(|four| four[0].compute) {
            let (earlier, between, moved) = (&four[0], &four[1], &four[2]);
            // A layout that changes between a use there and a use here is a conflict, even where both read.
            let changed = |image: &u32| {
                let both = |of: &Stretch| of.uses.0.contains_key(&Resource::Image(*image));
                both(between) && both(moved)
            };
            let kept = between.barriers.iter().chain(&moved.barriers).chain(&earlier.barriers).any(changed);
            if !kept && !between.uses.conflicts(&moved.uses) {
                found.push(four[3].pass);
            }
        }
    }
    found
}
