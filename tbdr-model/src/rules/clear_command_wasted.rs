//! TL004.

use super::timeline::Timeline;
use super::{Candidate, Evidence, rule};
use crate::frame::TransferKind;
use crate::graph::Event;
use crate::whatif::Edit;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `vkCmdClearColorImage` or `vkCmdClearDepthStencilImage` of what a loadOp CLEAR or DONT_CARE, a transition from
    /// `VK_IMAGE_LAYOUT_UNDEFINED` or another write replaces before anybody reads it.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The command writes all of its range to DRAM. A tile that is cleared, or not loaded, never sees it.
    ///
    /// ## Bad
    /// `vkCmdClearColorImage`, then a pass over the image with `loadOp = CLEAR` or `DONT_CARE`.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_LOAD_OP_CLEAR` alone.
    ///
    /// ## How much
    /// One write of what is cleared per frame: area x layers x samples x bytes of each aspect.
    ///
    /// ## When to ignore
    /// Not for its bytes. Where a DONT_CARE follows, look whether the cleared contents were meant to be there: then loadOp CLEAR is what was wanted.
    ///
    /// ## Known limits
    /// Speaks only of images that can be attachments, where everything between the clear and the loss of all that it wrote was
    /// seen. Silent if the contents were needed in any frame, for what is cleared in more levels, layers or texels than is lost, and wherever
    /// [TL006](#tl006-store-never-read) is silent.
    ///
    /// ## References
    /// Vulkan specification, "Clear Commands". Arm GPU Best Practices Developer Guide, "Render passes".
    CLEAR_COMMAND_WASTED {
        code: "TL004",
        name: "clear-command-wasted",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

/// What Vulkan calls a clear command.
pub(super) fn command(kind: TransferKind) -> &'static str {
    match kind {
        TransferKind::ClearDepthStencil => "vkCmdClearDepthStencilImage",
        _ => "vkCmdClearColorImage",
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut timelines: BTreeMap<u32, Timeline<'_, '_>> = BTreeMap::new();
    let mut all = Vec::new();
    for sites in evidence.written() {
        if sites.iter().any(|(_, fate)| fate.needed > 0) {
            continue;
        }
        let mut candidate: Option<Candidate> = None;
        for (site, fate) in sites.iter().filter(|(_, fate)| fate.dead.count() > 0) {
            let Some(structure) = evidence.structures.get(&site.structure) else { continue };
            let kind = structure.whole.transfers.get(site.pass as usize).map(|t| t.kind);
            let clears = [TransferKind::ClearColor, TransferKind::ClearDepthStencil];
            let Some(kind) = kind.filter(|kind| clears.contains(kind)) else { continue };
            let timeline = timelines.entry(site.structure).or_insert_with(|| Timeline::new(structure));
            let written = timeline.transfer(site.pass).find(|a| matches!(a.event, Event::Overwrite | Event::Touch));
            let Some(image) = written.map(|a| structure.image_id(a.image)) else { continue };
            let candidate = candidate.get_or_insert_with(|| {
                let next =
                    timeline.overwritten_by(site.pass).map(|(pass, clears)| (structure.pass_label(pass), clears));
                Candidate {
                    attachment: Some(image.to_string()),
                    fix: fix(command(kind), image, next),
                    why: "what the command clears is overwritten or thrown away before anybody reads it".to_string(),
                    ..Candidate::default()
                }
            });
            let instance = candidate.instances.entry(site.structure).or_default();
            instance.edits.push(Edit::DropTransfer { transfer: site.pass });
            candidate.frames.extend(&fate.dead);
        }
        all.extend(candidate);
    }
    all
}

fn fix(command: &str, image: &str, next: Option<(&str, bool)>) -> String {
    match next {
        Some((label, true)) => format!("Drop {command} of {image}: {label} clears it"),
        Some((label, false)) => {
            format!("Drop {command} of {image}; if {label} is to see what it clears, set loadOp CLEAR there")
        }
        None => format!("Drop {command} of {image}"),
    }
}
