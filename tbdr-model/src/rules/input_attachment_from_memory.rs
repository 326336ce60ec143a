//! TL206.

use super::{Candidate, Evidence, Structure, Worth, rule};
use crate::frame::{HOST_QUEUE, Op, Pass, usage};
use crate::graph::Event;
use crate::graph::liveness::is_followed;
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
    /// One read of the attachment, as a bound: the GPU must be able to merge the two. The write goes, too, if nobody else reads it.
    ///
    /// ## When to ignore
    /// If what both passes render together does not fit the GPUs you care for (`tilelens fit`).
    ///
    /// ## Known limits
    /// Looks at neighbouring passes of one queue and frame. Passes whose shaders reach what is not known are left alone, and so are
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
        speaks_before: &[],
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
            for attachment in handed_on(structure, before, pass) {
                let (id, image) = (structure.pass_id(pass), structure.attachment_id(pass, attachment));
                let amounts: BTreeMap<_, _> = evidence
                    .profiles
                    .iter()
                    .filter(|profile| profile.tiler.merges())
                    .filter_map(|profile| {
                        let entries = &structure.run(&profile.id, pass)?.ledger.entries;
                        let reads =
                            entries.iter().filter(|e| e.attachment == attachment && e.direction == Direction::Read);
                        let bytes: u64 = reads.map(|e| e.bytes.0).sum();
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
                        "Render {} and {} as subpasses of one render pass, so that {image} stays on chip",
                        structure.pass_label(before),
                        structure.pass_label(pass)
                    ),
                    why: "an input attachment comes from memory that the pass before has just rendered".to_string(),
                    ..Candidate::default()
                });
                candidate.instances.entry(*number).or_default();
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
                Op::Barrier(_) | Op::Event(_) => {}
                Op::Transfer(_) | Op::Dispatch(_) | Op::Opaque(_) => last = None,
            }
        }
    }
    found
}

/// Attachments of `pass` that it reads as input, that none of its subpasses has rendered by then, and that the pass `before` has stored.
fn handed_on(structure: &Structure<'_>, before: u32, pass: u32) -> Vec<u32> {
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
    let samples = |p: &Pass| {
        p.subpasses.iter().filter(|s| s.drawn).any(|s| {
            !s.shader.known || s.shader.images.iter().any(|a| a.image.is_none_or(|image| rendered.contains(&image.0)))
        })
    };
    if samples(second) {
        return Vec::new();
    }
    let mut made = BTreeSet::new();
    let mut found = BTreeSet::new();
    for subpass in &second.subpasses {
        for input in subpass.input.iter().flatten() {
            if subpass.drawn
                && !made.contains(&input.attachment)
                && was_stored(structure, before, pass, input.attachment)
            {
                found.insert(input.attachment);
            }
        }
        made.extend(subpass.targets().map(|used| used.attachment));
    }
    found.into_iter().collect()
}

fn image_of(pass: &Pass, attachment: u32) -> Option<u32> {
    pass.attachments.get(attachment as usize)?.image.map(|image| image.0)
}

/// Whether the pass `before` stores the view of an attachment of `pass`, as the same texels.
fn was_stored(structure: &Structure<'_>, before: u32, pass: u32, attachment: u32) -> bool {
    let Some(read) = structure.attachment(pass, attachment) else { return false };
    let Some(image) = structure.image(read) else { return false };
    let apart = image.all_usage() & usage::INPUT_ATTACHMENT == 0 || image.memory.aliased;
    !apart
        && structure.accesses.list.iter().any(|access| match access.event {
            Event::Store { pass: by, attachment: of } if by == before => structure
                .attachment(before, of)
                .is_some_and(|w| w.image == read.image && w.range == read.range && w.samples == read.samples),
            _ => false,
        })
}
