//! TL005.

use super::{Candidate, Evidence, Gather, Level, Sighting, Structure, Worth, rule};
use crate::frame::{Aspects, Attachment, AttachmentUse, ClearAttachment, LoadOp, Pass, Subpass};
use crate::graph::liveness::is_followed;
use crate::model::{PassView, is_read_only};
use crate::report::{Basis, Quantity};
use crate::units::Rect2D;
use crate::whatif::Edit;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `vkCmdClearAttachments` that clears an attachment over the whole render area, in all layers, before anything else in the pass has
    /// touched it. One command may do so with several rectangles, and it may stand in a secondary command buffer.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The load operation CLEAR initialises the tile for nothing. The command is a draw that covers every pixel, and what the load
    /// operation LOAD has read before it is overwritten.
    ///
    /// ## Bad
    /// `loadOp = LOAD`, then `vkCmdClearAttachments` over the render area as the first command of the pass.
    ///
    /// ## Good
    /// `loadOp = CLEAR` with the same value.
    ///
    /// ## How much
    /// With `loadOp = LOAD` one read of the attachment. Otherwise no bytes: one fragment for each pixel and layer, as work, and the finding
    /// has level `info`.
    ///
    /// ## When to ignore
    /// If whether to clear is decided after the pass has begun.
    ///
    /// ## Known limits
    /// Rectangles of several commands are not added up, since values of clears are not recorded. A clear after a draw of the same
    /// subpass is left alone, and so is one under conditional rendering: whether it happens only the GPU knows.
    ///
    /// ## References
    /// Vulkan specification, "Clearing Images Inside a Render Pass Instance". Arm, "Mali GPU Best Practices", render passes.
    CLEAR_ATTACHMENTS_AT_START {
        code: "TL005",
        name: "clear-attachments-at-start",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL103", "TL001"],
        counts: ["fragment", "fragments"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in evidence.structures.iter().filter(|(_, s)| is_followed(s.frame)) {
        for (index, pass) in (0u32..).zip(&structure.whole.passes) {
            let view = PassView::new(pass, &structure.frame.images);
            let mut cleared: BTreeMap<u32, Vec<Aspects>> = BTreeMap::new();
            for (attachment, aspect) in at_start(pass, &view) {
                cleared.entry(attachment).or_default().push(aspect);
            }
            for (attachment, aspects) in cleared {
                let edit = |aspect: &Aspects| Edit::ClearAtLoad { pass: index, attachment, aspect: *aspect };
                let seen = Sighting {
                    structure: *number,
                    pass: index,
                    attachment: Some(attachment),
                    edits: aspects.iter().map(edit).collect(),
                    ..Sighting::default()
                };
                gather.add(seen, || words(structure, &view, (index, attachment), &aspects));
            }
        }
    }
    gather.everywhere()
}

fn words(structure: &Structure<'_>, view: &PassView<'_>, place: (u32, u32), aspects: &[Aspects]) -> Candidate {
    let (pass, attachment) = place;
    let loads = |a: &Attachment| {
        aspects.iter().any(|aspect| (if *aspect == Aspects::STENCIL { a.stencil_load } else { a.load }) == LoadOp::Load)
    };
    let loads = view.attachment(attachment).is_some_and(loads);
    let stencil = aspects.contains(&Aspects::STENCIL);
    let field = match (aspects.iter().any(|aspect| *aspect != Aspects::STENCIL), stencil) {
        (true, true) => "loadOp and stencilLoadOp",
        (false, true) => "stencilLoadOp",
        _ => "loadOp",
    };
    let [(x0, y0), (x1, y1)] = view.area_corners();
    let layers = (0..view.pass.subpasses.len()).map(|s| view.layers(s)).max().unwrap_or(1);
    Candidate {
        level: (!loads).then_some(Level::Info),
        worth: Worth::Amount {
            quantity: Quantity::Work,
            value: (x1 - x0).saturating_mul(y1 - y0).saturating_mul(layers),
            basis: Basis::Estimate,
        },
        fix: format!(
            "Set {field} CLEAR with the same value on {} in {} and drop vkCmdClearAttachments",
            structure.attachment_id(pass, attachment),
            structure.pass_label(pass)
        ),
        why: if loads {
            "the pass loads what its first command clears"
        } else {
            "the pass begins with a draw over every pixel that its loadOp does for nothing"
        }
        .to_string(),
        ..Candidate::default()
    }
}

/// Aspects of attachments that are cleared as a whole before anything touches them.
fn at_start(pass: &Pass, view: &PassView<'_>) -> Vec<(u32, Aspects)> {
    let mut found = Vec::new();
    if !pass.view_areas.is_empty() || view.is_empty() {
        return found;
    }
    for (number, subpass) in pass.subpasses.iter().enumerate() {
        let earlier = &pass.subpasses[..number];
        let mut add = |used: &Option<AttachmentUse>, aspect: Aspects, slot: Option<usize>| {
            let Some(used) = used else { return };
            let writable = aspect == Aspects::COLOR || !is_read_only(used.layout, aspect);
            let untouched = !earlier.iter().any(|s| uses(s, used.attachment));
            // A loadOp clears the views of all subpasses.
            let same_views =
                pass.subpasses.iter().filter(|s| uses(s, used.attachment)).all(|s| s.view_mask == subpass.view_mask);
            let mut clears = subpass.clears.iter().filter(|clear| is_of(clear, aspect, slot) && !clear.after_draw);
            // The last of them leaves its value; what came before it is not seen. One that may not happen leaves what was loaded.
            let whole =
                clears.next_back().is_some_and(|clear| !clear.conditional && covers(clear, pass, subpass, view));
            if writable && untouched && same_views && whole && view.attachment(used.attachment).is_some() {
                found.push((used.attachment, aspect));
            }
        };
        for (slot, used) in subpass.color.iter().enumerate() {
            add(used, Aspects::COLOR, Some(slot));
        }
        add(&subpass.depth, Aspects::DEPTH, None);
        add(&subpass.stencil, Aspects::STENCIL, None);
    }
    found
}

fn is_of(clear: &ClearAttachment, aspect: Aspects, slot: Option<usize>) -> bool {
    clear.aspects.contains(aspect) && slot.is_none_or(|slot| slot == clear.slot as usize)
}

/// Whether a subpass does anything with an attachment, or only keeps it.
fn uses(subpass: &Subpass, attachment: u32) -> bool {
    let inputs = subpass.input.iter().flatten();
    let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]).flatten();
    subpass.targets().chain(inputs).any(|used| used.attachment == attachment)
        || resolves.into_iter().any(|used| used.attachment == attachment)
}

/// Rectangles of one clear that are looked at; more are no clear of everything.
const MOST_RECTANGLES: usize = 16;

/// Whether a clear covers the whole render area in every layer.
fn covers(clear: &ClearAttachment, pass: &Pass, subpass: &Subpass, view: &PassView<'_>) -> bool {
    // With multiview a clear is one of every view.
    let layers = if subpass.view_mask == 0 { pass.layers.max(1) } else { 1 };
    let [(x0, y0), (x1, y1)] = view.area_corners().map(|(x, y)| (x as i64, y as i64));
    if clear.rects.len() > MOST_RECTANGLES {
        return false;
    }
    // Corners cut area and layers into cells; each has to lie in some rectangle.
    let cuts = |low: i64, high: i64, along: Along| {
        let ends = clear.rects.iter().flat_map(|rect| <[i64; 2]>::from(along(rect)));
        let mut all: Vec<i64> = ends.filter(|at| *at > low && *at < high).chain([low, high]).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let along_x: Along = |(rect, ..)| (i64::from(rect.x), i64::from(rect.x) + i64::from(rect.extent.width));
    let along_y: Along = |(rect, ..)| (i64::from(rect.y), i64::from(rect.y) + i64::from(rect.extent.height));
    let in_layers: Along = |(_, first, count)| (i64::from(*first), i64::from(*first) + i64::from(*count));
    let (xs, ys, zs) = (cuts(x0, x1, along_x), cuts(y0, y1, along_y), cuts(0, i64::from(layers), in_layers));
    let holds = |(from, to): (i64, i64), cell: &[i64]| from <= cell[0] && to >= cell[1];
    zs.windows(2).all(|z| {
        let of_layer: Vec<_> = clear.rects.iter().filter(|rect| holds(in_layers(rect), z)).collect();
        ys.windows(2).all(|y| {
            let of_row: Vec<_> = of_layer.iter().filter(|rect| holds(along_y(rect), y)).collect();
            xs.windows(2).all(|x| of_row.iter().any(|rect| holds(along_x(rect), x)))
        })
    })
}

/// From where to where a rectangle with its layers reaches along one axis.
type Along = fn(&(Rect2D, u32, u32)) -> (i64, i64);
