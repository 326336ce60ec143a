//! TL003.

use super::timeline::Timeline;
use super::{Candidate, Evidence, Gather, Sighting, Structure, rule};
use crate::frame::{Aspects, ImageRef, LoadOp, TransferKind, usage};
use crate::graph::liveness::is_followed;
use crate::whatif::Edit;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `vkCmdCopyImage`, `vkCmdBlitImage` or `vkCmdResolveImage` into what a render pass of the same frame then loads as a whole, with nothing between.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The command writes its destination to DRAM, and the load reads it back into every tile. A draw at the beginning of
    /// the pass that samples the source puts the same texels where they are needed.
    ///
    /// ## Bad
    /// `vkCmdBlitImage` of a background into the swapchain image, then a pass over it with `loadOp = LOAD`.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_LOAD_OP_DONT_CARE`, and a first draw that covers the render area with the background.
    ///
    /// ## How much
    /// One write and one read of the attachment per frame; the source is read either way.
    ///
    /// ## When to ignore
    /// If the draw would need what the pass cannot have: another format of the source, filtering between sRGB texels that only a blit does.
    ///
    /// ## Known limits
    /// Speaks only if the command writes exactly what the pass loads, and the source stays as it is until the pass is over and is no
    /// attachment of it. Copies from buffers are left alone. Silent for views of another format, volumes, images that several queues use or that others may
    /// use unseen, and across frames.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Load Operations". Arm GPU Best Practices Developer Guide, "Render passes".
    LOAD_AFTER_TRANSFER {
        code: "TL003",
        name: "load-after-transfer",
        category: LoadStoreClear,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

/// What Vulkan calls the command.
fn command(kind: TransferKind) -> Option<&'static str> {
    match kind {
        TransferKind::CopyImage => Some("vkCmdCopyImage"),
        TransferKind::Blit => Some("vkCmdBlitImage"),
        TransferKind::Resolve => Some("vkCmdResolveImage"),
        _ => None,
    }
}

/// Whether a draw can do what the command does: a copy moves bits as they are, and shaders write neither stencil nor single samples.
fn can_be_drawn(
    structure: &Structure<'_>,
    kind: TransferKind,
    (source, target): (ImageRef, ImageRef),
    loads: &[(u32, Aspects)],
) -> bool {
    let image = |image: ImageRef| structure.frame.images.get(image.0 as usize);
    let (Some(source), Some(target)) = (image(source), image(target)) else { return false };
    (kind != TransferKind::CopyImage || source.format == target.format)
        && target.samples == 1
        && loads.iter().all(|(_, aspect)| *aspect != Aspects::STENCIL)
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in &evidence.structures {
        if !is_followed(structure.frame) || !structure.whole.transfers.iter().any(|t| command(t.kind).is_some()) {
            continue;
        }
        let timeline = Timeline::new(structure);
        for (transfer, recorded) in (0u32..).zip(&structure.whole.transfers) {
            let Some(command) = command(recorded.kind) else { continue };
            let Some(found) = timeline.loaded_next(transfer).filter(|found| timeline.source_is_kept(found)) else {
                continue;
            };
            let Some(source) = found.source else { continue };
            if !can_be_drawn(structure, recorded.kind, (source, found.image), &found.loads) {
                continue;
            }
            let alone = [found.image, source].iter().all(|image| evidence.is_alone(*number, *image, found.queue));
            if !alone {
                continue;
            }
            let pass = found.pass;
            let mut edits = alloc::vec![Edit::DrawInstead { transfer }];
            let load = |&(attachment, aspect): &_| Edit::SetLoad { pass, attachment, aspect, op: LoadOp::DontCare };
            edits.extend(found.loads.iter().map(load));
            let attachment = found.loads.first().map(|(attachment, _)| *attachment);
            let seen = Sighting { structure: *number, pass, attachment, edits, ..Sighting::default() };
            gather.add(seen, || {
                let (image, label) = (structure.image_id(found.image), structure.pass_label(pass));
                let op = super::candidate::field(found.loads.iter().map(|(_, aspect)| *aspect), "loadOp", "stencilLoadOp");
                let described = structure.frame.images.get(source.0 as usize);
                let sampled = described.is_some_and(|image| image.usage & usage::SAMPLED != 0);
                let needs = if sampled { "" } else { " (created with VK_IMAGE_USAGE_SAMPLED_BIT)" };
                let source = structure.image_id(source);
                Candidate {
                    fix: format!(
                        "Draw {source}{needs} into {image} first thing in {label}, with {op} DONT_CARE, and drop {command}"
                    ),
                    why: "a command writes the contents to memory, and the pass loads them".to_string(),
                    ..Candidate::default()
                }
            });
        }
    }
    gather.everywhere()
}
