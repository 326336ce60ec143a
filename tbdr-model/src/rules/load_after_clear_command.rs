//! TL002.

use super::timeline::Timeline;
use super::{Candidate, Evidence, Gather, Sighting, rule};
use crate::frame::{LoadOp, TransferKind};
use crate::graph::liveness::is_followed;
use crate::whatif::Edit;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `vkCmdClearColorImage` or `vkCmdClearDepthStencilImage` of what a render pass of the same frame then loads as a whole, with nothing
    /// between.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The command writes the clear value to DRAM, and the load reads it back into every tile. `loadOp = CLEAR` gives the tiles
    /// the same value and moves nothing.
    ///
    /// ## Bad
    /// `vkCmdClearColorImage`, then a pass over the image with `loadOp = LOAD`.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_LOAD_OP_CLEAR` with the same value, without the command.
    ///
    /// ## How much
    /// One write and one read of the attachment per frame: area x layers x samples x bytes of the aspect, each.
    ///
    /// ## When to ignore
    /// If the pass is shared with frames outside the recorded run that load something else.
    ///
    /// ## Known limits
    /// Speaks only if the command clears exactly the levels, layers and aspects that the pass loads, the render area covers them, the pass
    /// stores or discards them and the pattern holds in every frame in which the pass occurs. Silent for views of another
    /// format, volumes, images that several queues use or that others may use unseen, and across frames.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Load Operations". Arm GPU Best Practices Developer Guide, "Render passes".
    LOAD_AFTER_CLEAR_COMMAND {
        code: "TL002",
        name: "load-after-clear-command",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in &evidence.structures {
        let is_clear = |kind| matches!(kind, TransferKind::ClearColor | TransferKind::ClearDepthStencil);
        if !is_followed(structure.frame) || !structure.whole.transfers.iter().any(|t| is_clear(t.kind)) {
            continue;
        }
        let timeline = Timeline::new(structure);
        for (transfer, command) in (0u32..).zip(&structure.whole.transfers).filter(|(_, t)| is_clear(t.kind)) {
            let found = timeline.loaded_next(transfer);
            let Some(found) = found.filter(|f| evidence.is_alone(*number, f.image, f.queue)) else { continue };
            let pass = found.pass;
            let mut edits = alloc::vec![Edit::DropTransfer { transfer }];
            let load = |&(attachment, aspect): &_| Edit::SetLoad { pass, attachment, aspect, op: LoadOp::Clear };
            edits.extend(found.loads.iter().map(load));
            let attachment = found.loads.first().map(|(attachment, _)| *attachment);
            let seen = Sighting { structure: *number, pass, attachment, edits, ..Sighting::default() };
            gather.add(seen, || {
                let (image, label) = (structure.image_id(found.image), structure.pass_label(pass));
                let op =
                    super::candidate::field(found.loads.iter().map(|(_, aspect)| *aspect), "loadOp", "stencilLoadOp");
                let command = super::clear_command_wasted::command(command.kind);
                Candidate {
                    fix: format!("Set {op} CLEAR on {image} in {label}, with the same clear value, and drop {command}"),
                    why: "a command writes the clear value to memory, and the pass loads it".to_string(),
                    ..Candidate::default()
                }
            });
        }
    }
    gather.everywhere()
}
