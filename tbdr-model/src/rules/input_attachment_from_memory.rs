//! TL206.

use super::continuations::ties;
use super::{Candidate, Claim, Evidence, Structure, Worth, rule};
use crate::frame::{Aspects, Barrier, HOST_QUEUE, Op, Pass, Scope, usage};
use crate::graph::liveness::{Site, is_followed};
use crate::graph::{Event, Operation, access};
use crate::report::{Basis, Direction, Quantity};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An input attachment that no earlier subpass of its render pass has rendered, whose contents the render pass just before
    /// has stored, over the same area, with nothing but barriers between the two.
    ///
    /// ## Why it costs on a tile-based GPU
    /// An input attachment is read at the own pixel only: what it needs is in the tile while the pass before runs. In a render
    /// pass of its own it comes from memory.
    ///
    /// ## Bad
    /// A G-buffer in one render pass, lighting that reads it as input attachments in the next.
    ///
    /// ## Good
    /// Both as subpasses of one render pass, or in one dynamic rendering with local reads (VK_KHR_dynamic_rendering_local_read).
    ///
    /// ## How much
    /// One write and one read of the attachment, as a bound: the GPU must be able to merge the two, and nobody else may need what
    /// was written.
    ///
    /// ## When to ignore
    /// If what both passes render together does not fit the GPUs you care for (`tilelens fit`).
    ///
    /// ## Known limits
    /// Looks at colour of neighbouring passes of one queue and frame. Passes whose shaders reach what is not known are left alone, and so are
    /// GPUs whose driver never merges.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/subpasses.
    INPUT_ATTACHMENT_FROM_MEMORY {
        code: "TL206",
        name: "input-attachment-from-memory",
        category: Subpasses,
        level: Info,
        since: "0.1.0",
        speaks_before: &["TL103"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found: BTreeMap<(&str, &str), Candidate> = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        if !is_followed(structure.frame) {
            continue;
        }
        for (before, pass) in neighbours(structure) {
            for (attachment, source) in handed_on(structure, before, pass) {
                let (id, image) = (structure.pass_id(pass), structure.attachment_id(pass, attachment));
                let amounts: BTreeMap<_, _> = evidence
                    .profiles
                    .iter()
                    .filter(|profile| profile.tiler.merges())
                    .filter_map(|profile| {
                        let entries = &structure.run(&profile.id, pass)?.ledger.entries;
                        let reads =
                            entries.iter().filter(|e| e.attachment == attachment && e.direction == Direction::Read);
                        let read: u64 = reads.map(|e| e.bytes.0).sum();
                        let written = &structure.run(&profile.id, before)?.ledger.entries;
                        let stores =
                            written.iter().filter(|e| e.attachment == source && e.direction == Direction::Write);
                        // The store goes, too, if nobody else needs it.
                        let bytes = if read > 0 { read + stores.map(|e| e.bytes.0).sum::<u64>() } else { 0 };
                        (bytes > 0).then(|| (profile.id.clone(), (Quantity::Dram, bytes, Basis::Bound)))
                    })
                    .collect();
                if amounts.is_empty() {
                    continue;
                }
                let candidate = found.entry((id, image)).or_insert_with(|| Candidate {
                    pass: Some(id.to_string()),
                    attachment: Some(image.to_string()),
                    gpus: Some(amounts.keys().cloned().collect()),
                    worth: Worth::PerGpu(amounts),
                    fix: format!(
                        "Render {} and {} as subpasses of one render pass, so that {image} stays on chip, and do not store it unless \
                         somebody else reads it",
                        structure.pass_label(before),
                        structure.pass_label(pass)
                    ),
                    why: "an input attachment comes from memory that the pass before has just rendered".to_string(),
                    ..Candidate::default()
                });
                // Until the passes are one the store and the load are needed: nothing else is to be said of them.
                let site = |pass, attachment, operation| {
                    Claim::Site(Site { structure: *number, pass, attachment, aspect: Aspects::COLOR, operation })
                };
                let claims = [site(before, source, Operation::Store), site(pass, attachment, Operation::Load)];
                candidate.instances.entry(*number).or_default().speaks_for.extend(claims);
                candidate.frames.extend(structure.indices);
            }
        }
    }
    found.into_values().collect()
}

/// Passes of one submission with nothing but barriers between them, by number: the earlier and the later one.
fn neighbours(structure: &Structure<'_>) -> Vec<(u32, u32)> {
    let (mut found, mut number) = (Vec::new(), 0);
    for submission in &structure.frame.submissions {
        let mut last = None;
        for op in &submission.ops {
            match op {
                Op::Pass(_) => {
                    found.extend(last.map(|last| (last, number)).filter(|_| submission.queue != HOST_QUEUE));
                    last = Some(number);
                    number += 1;
                }
                // What shaders of the one leave in memory for those of the other, at any pixel.
                Op::Barrier(barrier) if carries(barrier) => last = None,
                Op::Barrier(_) => {}
                Op::Event(_) | Op::Transfer(_) | Op::Dispatch(_) | Op::Opaque(_) => last = None,
            }
        }
    }
    found
}

/// Whether a barrier may be for what shaders write and read in memory.
fn carries(barrier: &Barrier) -> bool {
    let own = barrier.buffers.iter().map(|b| &b.scope).chain(barrier.images.iter().map(|b| &b.scope));
    core::iter::once(&barrier.stages).chain(&barrier.memory).chain(own).any(|scope| {
        let stages = Scope {
            src_stages: scope.src_stages | barrier.stages.src_stages,
            dst_stages: scope.dst_stages | barrier.stages.dst_stages,
            ..*scope
        };
        ties(&stages)
    })
}

/// Attachments of `pass` that it reads as input and that none of its subpasses has rendered by then, each with the attachment of the pass
/// `before` that has stored it.
fn handed_on(structure: &Structure<'_>, before: u32, pass: u32) -> Vec<(u32, u32)> {
    let (Some(first), Some(second)) = (structure.pass(before), structure.pass(pass)) else { return Vec::new() };
    let same_area =
        first.render_area == second.render_area && first.extent == second.extent && first.layers == second.layers;
    let views = |p: &Pass| p.subpasses.iter().map(|s| s.view_mask).collect::<BTreeSet<_>>();
    if !same_area || views(first) != views(second) || views(second).len() != 1 {
        return Vec::new();
    }
    let rendered: BTreeSet<u32> =
        first.subpasses.iter().flat_map(|s| s.targets()).filter_map(|u| image_of(first, u.attachment)).collect();
    // Shaders that sample what the pass before has rendered look at other pixels, for all that is known.
    let samples = |p: &Pass, of: &BTreeSet<u32>| {
        p.subpasses.iter().filter(|s| s.drawn).any(|s| {
            !s.shader.known || s.shader.images.iter().any(|a| a.image.is_none_or(|image| of.contains(&image.0)))
        })
    };
    // Nor may the first sample what the second renders to: it would be an attachment by then.
    let of_second = second.attachments.iter().filter_map(|a| a.image).map(|image| image.0).collect();
    if samples(second, &rendered) || samples(first, &of_second) {
        return Vec::new();
    }
    let mut made = BTreeSet::new();
    let mut found = BTreeSet::new();
    for subpass in &second.subpasses {
        for input in subpass.input.iter().flatten() {
            if subpass.drawn && !made.contains(&input.attachment) {
                found
                    .extend(stored(structure, before, pass, input.attachment).map(|source| (input.attachment, source)));
            }
        }
        made.extend(subpass.targets().map(|used| used.attachment));
    }
    found.into_iter().collect()
}

fn image_of(pass: &Pass, attachment: u32) -> Option<u32> {
    pass.attachments.get(attachment as usize)?.image.map(|image| image.0)
}

/// The attachment of the pass `before` that stores the view of an attachment of `pass`, as the same texels.
fn stored(structure: &Structure<'_>, before: u32, pass: u32, attachment: u32) -> Option<u32> {
    let read = structure.attachment(pass, attachment)?;
    let image = structure.image(read)?;
    // Of depth and stencil together one may have been stored and the other be read.
    let colour = access::aspects_of(image) == Aspects::COLOR;
    if image.all_usage() & usage::INPUT_ATTACHMENT == 0 || image.memory.aliased || !colour {
        return None;
    }
    structure.accesses.list.iter().find_map(|access| match access.event {
        Event::Store { pass: by, attachment: of } if by == before => {
            let written = structure.attachment(before, of)?;
            let same = (written.image, written.range, written.samples) == (read.image, read.range, read.samples);
            same.then_some(of)
        }
        _ => None,
    })
}
