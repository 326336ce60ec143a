//! Attachment traffic: loads, stores, resolves and input reads of each tile pass, per aspect.
//!
//! Which subpasses form a tile pass is the family's decision. At an attachment's first use its loadOp applies, in later tile
//! passes its contents come back from memory; after each tile pass that changed them they go to memory, after the last one as
//! the storeOp says, and contents that memory already has are not stored again. Input attachments are read from memory unless
//! the tile pass has rendered to them before. vkCmdClearAttachments happens on chip and moves nothing.

use super::uses::{AspectUses, Use, uses};
use super::{PassView, texels};
use crate::format;
use crate::frame::{Aspects, Attachment, LoadOp, StoreOp};
use crate::gpu::{AttachmentRules, Grouping, Mode, PackedDepthStencil, Plan, Profile};
use crate::ledger::sum;
use crate::report::{Alternative, Basis, Direction, Entry, TilePass, TileSubpass};
use crate::units::Bytes;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// One movement that the walk over the uses of an aspect finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    tile_pass: usize,
    attachment: u32,
    aspect: Aspects,
    direction: Direction,
    cause: &'static str,
    basis: Basis,
}

/// Operations on an aspect as the driver carries them out.
#[derive(Clone, Copy, Debug)]
struct Ops {
    load: bool,
    clear: bool,
    store: bool,
    load_basis: Basis,
    store_basis: Basis,
}

/// The tile passes of a pass, with their entries. `names` are the identities of its attachments.
pub fn tile_passes(
    view: &PassView<'_>,
    index: u32,
    names: &[String],
    profile: &Profile,
    left_out: &mut BTreeSet<String>,
) -> Vec<TilePass> {
    if view.pass.subpasses.is_empty() {
        left_out.insert("a render pass without subpasses".to_string());
    }
    let grouping = profile.tiler.grouping(view);
    let mut passes = grouped(view, index, names, profile, &grouping, left_out);
    if let (Some(other), Some(first)) = (&grouping.alternative, passes.first_mut()) {
        let passes = grouped(view, index, names, profile, other, left_out);
        first.alternative = Some(Alternative {
            note: "other releases of the driver: no merge above the documented colour budget".to_string(),
            read_bytes: passes.iter().map(|p| p.read_bytes).sum(),
            write_bytes: passes.iter().map(|p| p.write_bytes).sum(),
            passes,
        });
    }
    passes
}

/// The tile passes of one grouping.
fn grouped(
    view: &PassView<'_>,
    index: u32,
    names: &[String],
    profile: &Profile,
    grouping: &Grouping,
    left_out: &mut BTreeSet<String>,
) -> Vec<TilePass> {
    let rules = profile.tiler.rules();
    let plans: Vec<Plan> = grouping.groups.iter().map(|group| profile.tiler.plan(view, group)).collect();
    let used = uses(view, &grouping.groups, rules, left_out);
    let moves = moves(view, &grouping.groups, rules, &plans, &used);
    let mut entries: Vec<Vec<Entry>> = alloc::vec![Vec::new(); plans.len()];
    for (found, layers) in moves {
        let (Some(attachment), Some(plan)) = (view.attachment(found.attachment), plans.get(found.tile_pass)) else {
            continue;
        };
        let (bytes, basis) = price(view, attachment, &found, layers, plan);
        if bytes.0 > 0 || basis == Basis::Undecided {
            let image = names.get(found.attachment as usize).cloned().unwrap_or_default();
            let (aspect, cause) = (texels::word(found.aspect).to_string(), found.cause.to_string());
            let (attachment, direction) = (found.attachment, found.direction);
            entries[found.tile_pass].push(Entry { attachment, image, aspect, cause, direction, bytes, basis });
        }
    }
    plans
        .into_iter()
        .zip(entries)
        .zip(&grouping.groups)
        .map(|((plan, entries), group)| tile_pass(view, index, group, grouping, plan, entries))
        .collect()
}

/// A tile pass of the subpasses `group`.
fn tile_pass(
    view: &PassView<'_>,
    pass: u32,
    group: &[usize],
    grouping: &Grouping,
    plan: Plan,
    entries: Vec<Entry>,
) -> TilePass {
    let mut notes = plan.notes;
    if plan.mode == Mode::Tiled && plan.tile.is_some() && view.is_rounded(plan.granularity) {
        let (w, h) = (plan.granularity.width, plan.granularity.height);
        notes.push(format!("the render area is counted rounded out to {w}x{h}"));
    }
    let subpass = |subpass: &usize| {
        let verdict = grouping.verdicts.get(*subpass);
        TileSubpass {
            pass,
            subpass: *subpass as u32,
            merge_status: verdict.map(|v| v.status.spelled().to_string()),
            merge_note: verdict.map(|v| v.note.clone()).unwrap_or_default(),
        }
    };
    TilePass {
        source_passes: alloc::vec![pass],
        read_bytes: sum(&entries, Direction::Read),
        write_bytes: sum(&entries, Direction::Write),
        tile: plan.tile,
        tiles: plan.tiles,
        bits_per_pixel: plan.bits_per_pixel,
        budget_bits_per_pixel: plan.budget_bits_per_pixel,
        mode: plan.mode.name().to_string(),
        notes,
        merge_basis: (view.pass.subpasses.len() > 1).then(|| grouping.basis.name().to_string()),
        subpasses: group.iter().map(subpass).collect(),
        entries,
        alternative: None,
    }
}

/// Bytes of a movement over `layers` layers.
fn price(view: &PassView<'_>, attachment: &Attachment, found: &Move, layers: u64, plan: &Plan) -> (Bytes, Basis) {
    let texel =
        format::info(attachment.format).filter(|i| i.block == [1, 1, 1]).and_then(|i| i.aspect_bytes(found.aspect));
    match texel {
        Some(texel) if found.basis != Basis::Undecided => {
            let samples = u64::from(attachment.samples.max(1));
            (texel * view.pixels(attachment, plan.granularity) * layers * samples, found.basis)
        }
        _ => (Bytes(0), Basis::Undecided),
    }
}

/// All movements of a pass, each with the number of layers or views it is for, ordered by tile pass, attachment and aspect.
fn moves(
    view: &PassView<'_>,
    tile_passes: &[Vec<usize>],
    rules: AttachmentRules,
    plans: &[Plan],
    used: &[AspectUses],
) -> BTreeMap<Move, u64> {
    let mut found = BTreeMap::new();
    // Subpasses that run together have one view mask.
    let seen = |members: &[bool], tile_pass: usize| {
        tile_passes.get(tile_pass).and_then(|group| members.get(*group.first()?)) == Some(&true)
    };
    for (members, layers) in view_groups(view) {
        for AspectUses { attachment, aspect, uses } in used {
            let Some(described) = view.attachment(*attachment) else { continue };
            let aspect_used = |aspect| used.iter().any(|u| u.attachment == *attachment && u.aspect == aspect);
            let ops = operations(described, *aspect, rules, aspect_used);
            let in_group: Vec<(usize, Use)> =
                uses.iter().map(|(s, u)| (*s, *u)).filter(|(s, _)| seen(&members, *s)).collect();
            let mut add = |tile_pass, direction, cause, basis| {
                let found =
                    found.entry(Move { tile_pass, attachment: *attachment, aspect: *aspect, direction, cause, basis });
                let count = found.or_insert(0u64);
                *count = count.saturating_add(layers);
            };
            if in_group.iter().any(|(s, _)| plans.get(*s).is_some_and(|plan| in_memory(plan, *attachment))) {
                walk_in_memory(&in_group, &mut add);
            } else {
                walk(&in_group, ops, rules, &mut add);
            }
        }
    }
    found
}

/// Whether draws access the attachment in memory.
fn in_memory(plan: &Plan, attachment: u32) -> bool {
    plan.mode == Mode::Immediate || plan.spilled.contains(&attachment)
}

/// Movements of an aspect that lives on chip, over its uses in order.
fn walk(
    uses: &[(usize, Use)],
    ops: Ops,
    rules: AttachmentRules,
    add: &mut dyn FnMut(usize, Direction, &'static str, Basis),
) {
    let (mut modified, mut stored) = (false, false);
    for (at, &(subpass, used)) in uses.iter().enumerate() {
        let (first, last) = (at == 0, at + 1 == uses.len());
        if first && ops.load && used.target {
            add(subpass, Direction::Read, "load", ops.load_basis);
        } else if first && ops.clear && used.input && !used.target {
            // What an input attachment is cleared to has to be in memory before the subpass reads it.
            add(subpass, Direction::Write, "clear", Basis::Exact);
            stored = true;
        } else if !first && used.target {
            add(subpass, Direction::Read, "load", Basis::Exact);
        }
        if used.input && used.drawn && !(used.target && ops.clear) {
            // Once per pixel: overdraw and caches pull in opposite directions.
            add(subpass, Direction::Read, "input", Basis::Estimate);
        }
        modified |= used.target && (used.writes || (first && ops.clear));
        if used.target && last && ops.store && (modified || !stored) {
            add(subpass, Direction::Write, "store", ops.store_basis);
        } else if used.target && !last && modified {
            add(subpass, Direction::Write, "store", Basis::Exact);
            (modified, stored) = (false, true);
        }
        if used.resolve {
            add(subpass, Direction::Write, "resolve", Basis::Exact);
            (modified, stored) = (false, true);
            let rendered = |uses: &[(usize, Use)]| uses.iter().any(|(_, u)| u.target);
            if rules.resolve_loads_back && rendered(uses) && !rendered(&uses[at + 1..]) {
                // A later subpass that renders to the target loads it anyway.
                add(subpass, Direction::Read, "resolve_load_back", Basis::Exact);
                if ops.store && !(used.target && last) {
                    add(subpass, Direction::Write, "store", ops.store_basis);
                }
            }
        }
    }
}

/// Movements of an aspect that draws access in memory: how often depends on what is drawn.
fn walk_in_memory(uses: &[(usize, Use)], add: &mut dyn FnMut(usize, Direction, &'static str, Basis)) {
    for &(subpass, used) in uses {
        if used.target {
            add(subpass, Direction::Read, "in_memory", Basis::Undecided);
            add(subpass, Direction::Write, "in_memory", Basis::Undecided);
        }
        if used.input && !used.target {
            add(subpass, Direction::Read, "input", Basis::Undecided);
        }
        if used.resolve {
            add(subpass, Direction::Write, "resolve", Basis::Undecided);
        }
    }
}

/// Operations on one aspect; `used` tells whether some subpass uses an aspect of the attachment.
fn operations(attachment: &Attachment, aspect: Aspects, rules: AttachmentRules, used: impl Fn(Aspects) -> bool) -> Ops {
    let of = |aspect| {
        if aspect == Aspects::STENCIL {
            (attachment.stencil_load, attachment.stencil_store)
        } else {
            (attachment.load, attachment.store)
        }
    };
    let (load, store) = of(aspect);
    let mut ops = Ops {
        load: load == LoadOp::Load,
        clear: load == LoadOp::Clear,
        store: store == StoreOp::Store,
        load_basis: Basis::Exact,
        store_basis: Basis::Exact,
    };
    if !format::info(attachment.format).is_some_and(format::Info::packs_depth_stencil) {
        return ops;
    }
    // An aspect that the pass does not use is not touched: the same as NONE.
    let both = [Aspects::DEPTH, Aspects::STENCIL].map(|a| if used(a) { of(a) } else { (LoadOp::None, StoreOp::None) });
    let loads = both.map(|(load, _)| load == LoadOp::Load);
    let stores = both.map(|(_, store)| store == StoreOp::Store);
    match rules.packed_depth_stencil {
        PackedDepthStencil::Together => {
            ops.store = stores.contains(&true);
            // The word is written as a whole, so an aspect that must stay as it is has to be there first.
            let keeps = ops.store && both.iter().any(|(_, store)| *store == StoreOp::None);
            ops.load = loads.contains(&true) || keeps;
        }
        PackedDepthStencil::Apart => {
            let basis = |same: bool| if same { Basis::Exact } else { Basis::Estimate };
            ops.load_basis = basis(loads[0] == loads[1]);
            ops.store_basis = basis(stores[0] == stores[1]);
        }
    }
    ops
}

/// Groups of views that take part in the same subpasses, and how many views each has; all layers in one group without multiview.
fn view_groups(view: &PassView<'_>) -> BTreeMap<Vec<bool>, u64> {
    let subpasses = &view.pass.subpasses;
    if subpasses.iter().all(|s| s.view_mask == 0) {
        return [(alloc::vec![true; subpasses.len()], view.layers(0))].into();
    }
    let mut groups = BTreeMap::new();
    for bit in 0..u32::BITS {
        let members: Vec<bool> = subpasses.iter().map(|s| s.view_mask.max(1) >> bit & 1 == 1).collect();
        if members.contains(&true) {
            *groups.entry(members).or_insert(0) += 1;
        }
    }
    groups
}
