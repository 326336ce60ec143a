//! TL013.

use super::{Candidate, Evidence, Gather, Sighting, Structure, rule};
use crate::format;
use crate::frame::{Aspects, Attachment, GRAIN, LoadOp, Pass, StoreOp};
use crate::graph::liveness::is_followed;
use crate::model::PassView;
use crate::units::Rect2D;
use crate::whatif::Edit;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A pass that loads and stores its attachments over a render area of which its draws and clears reach only a part: all scissors
    /// lie in a smaller rectangle.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Loads and stores cover the render area, whatever is drawn: tiles without a draw travel to the chip and back unchanged.
    ///
    /// ## Bad
    /// One corner of an atlas or of a window is redrawn with a scissor, in a pass whose render area is all of it.
    ///
    /// ## Good
    /// `renderArea` around what is redrawn, at multiples of `vkGetRenderAreaGranularity`.
    ///
    /// ## How much
    /// The reads and writes of the tiles outside of the smaller area. Rectangles are recorded rounded out to multiples of 64 pixels:
    /// what is claimed is saved in any case, and the exact rectangle may save more.
    ///
    /// ## When to ignore
    /// If the scissor moves over the whole area from frame to frame and the area cannot be known when the pass begins.
    ///
    /// ## Known limits
    /// Silent for passes that clear by loadOp what they store, since pixels outside would no longer be cleared; for passes that resolve; if
    /// some draw has no scissor that is known; and if some frame draws to all of it. Viewports are not looked at.
    ///
    /// ## References
    /// Vulkan specification, VkRenderPassBeginInfo::renderArea and vkGetRenderAreaGranularity.
    LOAD_STORE_LARGER_THAN_DRAWN {
        code: "TL013",
        name: "load-store-larger-than-drawn",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    let followed = || evidence.structures.iter().filter(|(_, s)| is_followed(s.frame));
    // One rectangle for all frames: what moves from frame to frame has to fit in it everywhere.
    let mut around: BTreeMap<&str, Rect2D> = BTreeMap::new();
    for (_, structure) in followed() {
        for (pass, described) in (0u32..).zip(&structure.whole.passes) {
            if let Some(area) = smaller(structure, described) {
                around.entry(structure.pass_id(pass)).and_modify(|all| *all = all.union(area)).or_insert(area);
            }
        }
    }
    for (number, structure) in followed() {
        for (pass, described) in (0u32..).zip(&structure.whole.passes) {
            let all = around.get(structure.pass_id(pass)).filter(|_| smaller(structure, described).is_some());
            let Some(area) = all.map(|all| all.intersection(described.render_area)) else { continue };
            if area == described.render_area {
                continue;
            }
            let edits = alloc::vec![Edit::SetArea { pass, area }];
            let seen = Sighting { structure: *number, pass, edits, ..Sighting::default() };
            gather.add(seen, || Candidate {
                fix: format!(
                    "Set renderArea in {} to the rectangle around its scissors, in all frames within offset {},{} and extent {}x{}",
                    structure.pass_label(pass),
                    area.x,
                    area.y,
                    area.extent.width,
                    area.extent.height
                ),
                why: "the pass loads and stores all of its render area and draws to a part of it".to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// The part of the render area that the pass may change, if it is smaller and nothing outside would become another.
fn smaller(structure: &Structure<'_>, pass: &Pass) -> Option<Rect2D> {
    let view = PassView::new(pass, &structure.frame.images);
    if view.is_empty() || !pass.view_areas.is_empty() || pass.density_map.is_some() || pass.tile_shading.is_some() {
        return None;
    }
    let mut area: Option<Rect2D> = None;
    let mut add = |rect: Rect2D| area = Some(area.map_or(rect, |area| area.union(rect)));
    for subpass in &pass.subpasses {
        let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]);
        if resolves.flatten().next().is_some() || subpass.samples > 1 {
            return None;
        }
        if subpass.drawn {
            add(subpass.draws.scissor.filter(|_| subpass.draws.known)?);
        }
        subpass.clears.iter().flat_map(|clear| &clear.rects).for_each(|(rect, ..)| add(*rect));
    }
    // Whole tiles, lest the smaller area cost what TL012 tells of.
    let area = area?.rounded_out(GRAIN).intersection(pass.render_area);
    let aspects = [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL];
    let kept = pass.attachments.iter().all(|attachment| aspects.into_iter().all(|aspect| stays(attachment, aspect)));
    let smaller = area != pass.render_area && area.extent.pixels() > 0;
    (kept && smaller && moves(pass)).then_some(area)
}

/// Whether pixels outside of a smaller area would be as they are: kept, or of no value.
fn stays(attachment: &Attachment, aspect: Aspects) -> bool {
    let has = format::info(attachment.format).is_none_or(|info| info.aspects().contains(aspect));
    let (load, store) = match aspect {
        Aspects::STENCIL => (attachment.stencil_load, attachment.stencil_store),
        _ => (attachment.load, attachment.store),
    };
    !has || load != LoadOp::Clear || store == StoreOp::DontCare
}

/// Whether the pass loads and stores something.
fn moves(pass: &Pass) -> bool {
    pass.attachments.iter().any(|a| {
        (a.load == LoadOp::Load && a.store == StoreOp::Store)
            || (a.stencil_load == LoadOp::Load && a.stencil_store == StoreOp::Store)
    })
}
