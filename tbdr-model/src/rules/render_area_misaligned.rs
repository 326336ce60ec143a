//! TL012.

use super::{Candidate, Evidence, Instance, Level, Structure, Worth, rule};
use crate::frame::{Aspects, LoadOp, Pass, StoreOp, usage};
use crate::graph::liveness::is_followed;
use crate::graph::{Event, touched};
use crate::model::PassView;
use crate::report::{Basis, Quantity};
use crate::units::{Extent2D, Rect2D};
use crate::whatif::Edit;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A render area whose offset is no multiple of what a driver works in, or whose extent is neither a multiple nor reaches the edge of
    /// the framebuffer, on GPUs whose driver loads attachments because of that.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A tile is written as a whole. Where the area covers it in part, the driver first loads what is to stay around the area: of
    /// every tile and every attachment, cleared ones too, and clears become draws.
    ///
    /// ## Bad
    /// A user interface panel redrawn at offset 5,5 with 300x200 pixels, `loadOp = CLEAR` and `storeOp = STORE`.
    ///
    /// ## Good
    /// Offset and extent at multiples of the granularity, or the area up to the framebuffer's edge; a scissor for what is smaller.
    ///
    /// ## How much
    /// Up to one read of each attachment. Where the pass clears what it stores, a larger area would clear more: then the tiles that are
    /// covered in part are counted, and the finding has level `info`.
    ///
    /// ## When to ignore
    /// If the pixels around the area must stay as they are and the pass clears.
    ///
    /// ## Known limits
    /// Speaks for drivers whose source says what they do at partly covered tiles (panvk, v3dv). Other GPUs move whole tiles, which
    /// their bytes contain, or the area alone.
    ///
    /// ## References
    /// Mesa 25.0, src/panfrost/vulkan/panvk_vX_cmd_draw.c; src/broadcom/vulkan/v3dv_cmd_buffer.c. Vulkan specification,
    /// vkGetRenderAreaGranularity.
    RENDER_AREA_MISALIGNED {
        code: "TL012",
        name: "render-area-misaligned",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["partial tile", "partial tiles"],
        check: check,
    }
}

/// Identity of a pass, and the granularity that it lacks.
type Place<'a> = (&'a str, (u32, u32));

/// By granularity, the GPUs that want it.
type Wanted = BTreeMap<(u32, u32), BTreeSet<String>>;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let loaded = loaded(evidence);
    let mut found: BTreeMap<Place<'_>, (Candidate, BTreeSet<u32>)> = BTreeMap::new();
    for (number, structure) in evidence.structures.iter().filter(|(_, s)| is_followed(s.frame)) {
        for (pass, described) in (0u32..).zip(&structure.whole.passes) {
            for (grain, gpus) in wanted(evidence, structure, described) {
                let granularity = Extent2D::new(grain.0, grain.1);
                let Some(area) = rounded(structure, described, granularity) else { continue };
                let free = is_free(structure, described, &loaded);
                let (candidate, structures) = found.entry((structure.pass_id(pass), grain)).or_insert_with(|| {
                    (words(structure, (pass, described), area, &gpus, (granularity, free)), BTreeSet::new())
                });
                structures.insert(*number);
                candidate.frames.extend(structure.indices);
                let instance: &mut Instance = candidate.instances.entry(*number).or_default();
                if free {
                    instance.edits.push(Edit::SetArea { pass, area });
                }
            }
        }
    }
    let holds = |((pass, _), (candidate, seen)): (Place<'_>, (Candidate, BTreeSet<u32>))| {
        evidence.occurrences(pass).all(|number| seen.contains(&number)).then_some(candidate)
    };
    found.into_iter().filter_map(holds).collect()
}

/// The granularities in which the render area is none, by the GPUs that load because of that.
fn wanted(evidence: &Evidence<'_>, structure: &Structure<'_>, pass: &Pass) -> Wanted {
    let mut wanted = Wanted::new();
    let view = PassView::new(pass, &structure.frame.images);
    if view.is_empty() || !pass.view_areas.is_empty() {
        return wanted;
    }
    for (at, profile) in evidence.profiles.iter().enumerate() {
        let same = evidence.profiles[..at].iter().find(|other| other.decides_like(profile));
        let known =
            same.and_then(|other| wanted.iter().find(|(_, ids)| ids.contains(&other.id)).map(|(grain, _)| *grain));
        let grain = match (same, known) {
            (Some(_), known) => known,
            (None, _) => profile.tiler.loads_beside(&view).map(|grain| (grain.width, grain.height)),
        };
        if let Some(grain) = grain {
            wanted.entry(grain).or_default().insert(profile.id.clone());
        }
    }
    wanted
}

/// The render area rounded out, as far as framebuffer and attachments go; `None` if that is no other.
fn rounded(structure: &Structure<'_>, pass: &Pass, grain: Extent2D) -> Option<Rect2D> {
    let view = PassView::new(pass, &structure.frame.images);
    let mut limit = if pass.dynamic { Extent2D::new(u32::MAX, u32::MAX) } else { pass.extent };
    for attachment in &pass.attachments {
        let extent = view.view_extent(attachment);
        limit = Extent2D::new(limit.width.min(extent.width), limit.height.min(extent.height));
    }
    let along = |(from, to): (u64, u64), step: u32, limit: u32| {
        let step = u64::from(step.max(1));
        let to = to.div_ceil(step).saturating_mul(step).min(u64::from(limit)).max(to);
        let from = from / step * step;
        i32::try_from(from).ok().zip(u32::try_from(to - from).ok())
    };
    let [(x0, y0), (x1, y1)] = view.area_corners();
    let (x, width) = along((x0, x1), grain.width, limit.width)?;
    let (y, height) = along((y0, y1), grain.height, limit.height)?;
    let area = Rect2D { x, y, extent: Extent2D::new(width, height) };
    (area != pass.render_area).then_some(area)
}

/// Identities of images that some pass loads or stores, or that are read, in any frame.
fn loaded<'a>(evidence: &Evidence<'a>) -> BTreeSet<&'a str> {
    let needs = |event: &Event| matches!(event, Event::Read(_) | Event::Load { .. } | Event::Store { .. });
    let of = |s: &Structure<'a>| {
        let needed: Vec<&'a str> =
            s.accesses.list.iter().filter(|a| needs(&a.event)).map(|a| s.image_id(a.image)).collect();
        needed
    };
    evidence.structures.values().flat_map(of).collect()
}

/// Whether a larger area changes nothing outside of the smaller one: what it holds is loaded and stored again, or nobody ever needs it.
fn is_free(structure: &Structure<'_>, pass: &Pass, loaded: &BTreeSet<&str>) -> bool {
    let resolves = |s: &crate::frame::Subpass| {
        s.resolve.iter().chain([&s.depth_resolve, &s.stencil_resolve]).flatten().next().is_some()
    };
    !pass.subpasses.iter().any(resolves)
        && (0u32..).zip(&pass.attachments).all(|(index, attachment)| {
            let scratch = structure.image(attachment).is_some_and(|image| {
                image.usage & usage::TRANSIENT_ATTACHMENT != 0
                    || !attachment.image.is_some_and(|i| loaded.contains(structure.image_id(i)))
            });
            let kept = |aspect| {
                let (load, store) = match aspect {
                    Aspects::STENCIL => (attachment.stencil_load, attachment.stencil_store),
                    _ => (attachment.load, attachment.store),
                };
                // What is written and not stored is undefined in all of the area.
                let written = touched::in_pass(pass, index, aspect).is_none_or(|touch| touch.writes);
                load == LoadOp::Load && (store == StoreOp::Store || store == StoreOp::None && !written)
            };
            let input = pass.subpasses.iter().flat_map(|s| s.input.iter().flatten()).any(|u| u.attachment == index);
            let used = |aspect: &Aspects| input || touched::in_pass(pass, index, *aspect).is_some();
            [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL].into_iter().filter(used).all(|a| scratch || kept(a))
        })
}

fn words(
    structure: &Structure<'_>,
    (number, pass): (u32, &Pass),
    area: Rect2D,
    gpus: &BTreeSet<String>,
    (grain, free): (Extent2D, bool),
) -> Candidate {
    let view = PassView::new(pass, &structure.frame.images);
    let [(x0, y0), (x1, y1)] = view.area_corners();
    let whole = |from: u64, to: u64, step: u32, limit: u32| {
        let step = u64::from(step.max(1));
        let end = if to == u64::from(limit) { to.div_ceil(step) } else { to / step };
        end.saturating_sub(from.div_ceil(step))
    };
    let inside =
        whole(x0, x1, grain.width, pass.extent.width).saturating_mul(whole(y0, y1, grain.height, pass.extent.height));
    let partial = view.tiles(grain).saturating_sub(inside);
    let label = structure.pass_label(number);
    let (w, h) = (area.extent.width, area.extent.height);
    let place = format!("offset {},{} and extent {w}x{h}", area.x, area.y);
    let fix = if free {
        format!("Set renderArea in {label} to {place}, and leave the smaller rectangle to the scissor")
    } else {
        format!("Set renderArea in {label} to {place} if the pixels around it may be rendered as well")
    };
    let worth = Worth::Amount { quantity: Quantity::Count, value: partial, basis: Basis::Exact };
    Candidate {
        pass: Some(structure.pass_id(number).to_string()),
        gpus: Some(gpus.clone()),
        level: (!free).then_some(Level::Info),
        worth: if free { Worth::Bytes } else { worth },
        fix,
        why: format!(
            "the render area covers tiles of {}x{} in part, and the driver loads every attachment first",
            grain.width, grain.height
        ),
        ..Candidate::default()
    }
}
