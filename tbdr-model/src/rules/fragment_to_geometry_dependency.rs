//! TL504.

use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth, rule};
use crate::frame::{ImageRef, Op};
use crate::report::{Basis, Quantity};
use crate::schedule::stages::{Class, Classes};
use crate::schedule::touches::{self, Resource};
use crate::schedule::{self, Cause, Part, Piece, Replay, Slot};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A chain within a frame and a queue: fragments of a pass write an image, vertices or a dispatch that follow need it and wait for them, and
    /// the next fragments need what those make.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Vertices and compute have one slot, fragments the other. While the one works on what it waited for, the other has nothing to do: the
    /// chain leaves a bubble in which no fragment is shaded.
    ///
    /// ## Bad
    /// A G-buffer pass, a dispatch that computes occlusion from its depth, and a lighting pass that samples the result, one right after the other.
    ///
    /// ## Good
    /// Occlusion in a fragment shader; or the shadow maps, which need none of it, rendered between the G-buffer and lighting; or lighting with the
    /// occlusion of the frame before.
    ///
    /// ## How much
    /// The number of steps for which the slot of fragments stands empty, in a schedule in which every piece of work takes one step: a measure
    /// of what cannot overlap, not of time.
    ///
    /// ## When to ignore
    /// If the GPU has other work meanwhile, of another queue or another program.
    ///
    /// ## Known limits
    /// Only images that can be attachments prove the chain, and only what is known of the shaders: the first image may be read as it is
    /// sampled or stored to, by vertex shaders or dispatches. Chains through buffers, through several frames or several queues are not seen.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/pipeline_barriers. Arm GPU Best Practices, "Pipeline barriers".
    FRAGMENT_TO_GEOMETRY_DEPENDENCY {
        code: "TL504",
        name: "fragment-to-geometry-dependency",
        category: Scheduling,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["empty step", "empty steps"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in &evidence.structures {
        if !structure.frame.unmodelled.is_empty() {
            continue;
        }
        let mut by_pass: BTreeMap<u32, Bubble> = BTreeMap::new();
        for bubble in bubbles(structure) {
            let steps = bubble.steps;
            by_pass.entry(bubble.to).and_modify(|known| known.steps += steps).or_insert(bubble);
        }
        for bubble in by_pass.into_values() {
            gather.add(Sighting { structure: *number, pass: bubble.to, ..Sighting::default() }, || Candidate {
                worth: Worth::Amount { quantity: Quantity::Count, value: bubble.steps, basis: Basis::Estimate },
                fix: fix(structure, &bubble),
                why: "no fragments are shaded while vertices or compute work on what fragments have just made, and fragments wait for that"
                    .to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// Fragments, work in the other slot that waits for them, fragments that wait for that.
struct Bubble {
    /// The pass that writes the image.
    from: u32,
    /// What vertices or dispatches need.
    image: u32,
    /// The pass whose fragments wait.
    to: u32,
    /// Whether its own vertices need the image.
    vertices: bool,
    steps: u64,
}

fn fix(structure: &Structure<'_>, bubble: &Bubble) -> String {
    let (from, to) = (structure.pass_label(bubble.from), structure.pass_label(bubble.to));
    let image = structure.image_id(ImageRef(bubble.image));
    if bubble.vertices {
        format!(
            "Put passes that need neither between {from} and {to}, or read {image} in the fragments of {to} instead of its vertices"
        )
    } else {
        format!(
            "Put passes that need neither between {from} and {to}, make what the dispatches between them make of {image} with a fragment \
             shader, or let {to} use what they made in the frame before"
        )
    }
}

fn bubbles(structure: &Structure<'_>) -> Vec<Bubble> {
    let replay = schedule::of(structure.frame);
    let ops: Vec<&Op> = structure.frame.ops().collect();
    let passes: Vec<&Op> = ops.iter().copied().filter(|op| matches!(op, Op::Pass(_))).collect();
    let op_of = |part: Part| match part {
        Part::Pass(pass) => passes.get(pass as usize).copied(),
        Part::Other(op) => ops.get(op as usize).copied(),
        Part::Transfer(_) => None,
    };
    let touched = |part: Part, classes: Classes, writes: Option<bool>| {
        let list = op_of(part).map(|op| touches::of(structure.frame, op)).unwrap_or_default();
        let images = list.into_iter().filter_map(move |touch| match touch.resource {
            Resource::Image(image) => {
                (classes.contains(touch.class) && writes.is_none_or(|writes| writes == touch.writes)).then_some(image)
            }
            _ => None,
        });
        images.collect::<BTreeSet<u32>>()
    };
    waiting(&replay)
        .filter_map(|chain| {
            let (Part::Pass(from), Part::Pass(to)) = (chain.before.part, chain.after.part) else { return None };
            let made = touched(chain.before.part, Classes::FRAGMENT_SLOT, Some(true));
            let geometry = Classes::of(Class::Geometry).with(Classes::of(Class::Compute));
            let image = made.intersection(&touched(chain.first.part, geometry, None)).next().copied()?;
            let vertices = chain.first.part == chain.after.part;
            // What dispatches made has to be what the fragments need.
            let compute = Classes::of(Class::Compute);
            let needed = || touched(chain.after.part, Classes::GRAPHICS, None);
            let makes = |piece: &&Piece| !touched(piece.part, compute, Some(true)).is_disjoint(&needed());
            (vertices || chain.between.iter().any(makes)).then_some(Bubble {
                from,
                image,
                to,
                vertices,
                steps: chain.steps,
            })
        })
        .collect()
}

/// Work in the slot of vertices that waits for the fragments before it, and the fragments after it.
struct Chain<'r> {
    before: &'r Piece,
    first: &'r Piece,
    /// What the slot of vertices works on meanwhile.
    between: Vec<&'r Piece>,
    after: &'r Piece,
    /// For how long no fragments are shaded.
    steps: u64,
}

fn waiting(replay: &Replay) -> impl Iterator<Item = Chain<'_>> {
    replay.waits.iter().filter_map(|wait| {
        let caused = matches!(wait.cause, Cause::Barrier(_) | Cause::Dependency(_));
        let first = replay.pieces.get(wait.piece).filter(|piece| caused && piece.slot == Slot::Vertex)?;
        let ours = |piece: &&Piece| piece.queue == first.queue;
        // Pieces stand in the order of commands: what a piece waits for stands before it, and the nearest fragments end last.
        let mut earlier = replay.pieces.get(..wait.piece)?.iter().rev().filter(ours);
        let before = earlier.find(|piece| piece.slot == Slot::Fragment)?;
        let mut later = replay.pieces.get(wait.piece..)?.iter().filter(ours);
        let mut between = Vec::new();
        let after = later.find(|piece| {
            let fragments = piece.slot == Slot::Fragment;
            if !fragments {
                between.push(*piece);
            }
            fragments
        })?;
        let steps = after.from.checked_sub(before.to).filter(|steps| *steps > 0)?;
        (before.to == first.from).then_some(Chain { before, first, between, after, steps })
    })
}
