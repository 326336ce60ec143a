//! Attachment traffic: loads, stores, resolves and input reads of each tile pass, per aspect.
//!
//! Which subpasses form a tile pass is the family's decision, and so is what each tile pass moves (`super::operations`). Here
//! the views of a pass are told apart, movements are priced, and both become the tile passes of the report.

use super::operations::{Movement, Walk};
use super::uses::{AspectUses, uses};
use super::{PassView, compression, maps, texels};
use crate::format;
use crate::gpu::{
    Alternative as Instead, AttachmentRules, Edge, Grouping, MergeBasis, Mode, PackedDepthStencil, Plan, Profile,
};
use crate::ledger::sum;
use crate::report::{Alternative, Basis, Compression, Direction, Entry, TilePass, TileSubpass};
use crate::units::Bytes;
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// How a pass uses its attachments, for each way to group its subpasses that some GPU has asked for: GPUs that group alike share it.
#[derive(Clone, Debug, Default)]
pub struct KnownUses {
    known: Vec<Known>,
}

/// The uses under one way to group subpasses and to move packed words.
#[derive(Clone, Debug)]
struct Known {
    groups: Vec<Vec<usize>>,
    packed: PackedDepthStencil,
    uses: Arc<[AspectUses]>,
}

impl KnownUses {
    fn of(
        &mut self,
        view: &PassView<'_>,
        groups: &[Vec<usize>],
        rules: AttachmentRules,
        left_out: &mut BTreeSet<String>,
    ) -> Arc<[AspectUses]> {
        let packed = rules.packed_depth_stencil;
        if let Some(known) = self.known.iter().find(|known| known.packed == packed && known.groups == groups) {
            return Arc::clone(&known.uses);
        }
        let found: Arc<[AspectUses]> = uses(view, groups, rules, left_out).into();
        self.known.push(Known { groups: groups.to_vec(), packed, uses: Arc::clone(&found) });
        found
    }
}

/// The tile passes of a pass, with their entries, as if it were pass 0 and its images had no names. `known` belongs to the pass.
/// `Some(facts)` asks for everything that is said beside the ledger, too: what may happen instead, and compression.
pub fn tile_passes(
    view: &PassView<'_>,
    profile: &Profile,
    known: &mut KnownUses,
    left_out: &mut BTreeSet<String>,
    facts: Option<&mut Vec<Compression>>,
) -> Vec<TilePass> {
    if view.pass.subpasses.is_empty() {
        left_out.insert("a render pass without subpasses".to_string());
    }
    let grouping = profile.tiler.grouping(view).as_allowed(view.pass);
    let plan = |grouping: &Grouping| profile.tiler.plans(view, &grouping.groups);
    let plans = plan(&grouping);
    let rules = profile.tiler.rules();
    let used = known.of(view, &grouping.groups, rules, left_out);
    beside_the_ledger(view, &grouping.groups, &plans, left_out);
    let Some(facts) = facts else { return grouped(view, profile, &grouping, plans, &used) };
    compression::facts(view, profile, &grouping, &plans, facts);
    let mut passes = grouped(view, profile, &grouping, plans, &used);
    if let (Some(other), Some(first)) = (grouping.alternative, passes.first_mut()) {
        let Instead { note, grouping, plans } = *other;
        let plans = plans.unwrap_or_else(|| plan(&grouping));
        let used = known.of(view, &grouping.groups, rules, left_out);
        let passes = grouped(view, profile, &grouping, plans, &used);
        first.alternative = Some(Alternative {
            note,
            read_bytes: passes.iter().map(|p| p.read_bytes).sum(),
            write_bytes: passes.iter().map(|p| p.write_bytes).sum(),
            passes,
        });
    }
    passes
}

/// The tile passes of one grouping, whose attachments are used so.
fn grouped(
    view: &PassView<'_>,
    profile: &Profile,
    grouping: &Grouping,
    plans: Vec<Plan>,
    used: &[AspectUses],
) -> Vec<TilePass> {
    let moves = moves(view, &grouping.groups, profile, &plans, used);
    let mut moves = moves.into_iter().peekable();
    let mut passes = Vec::with_capacity(plans.len());
    for (index, (plan, group)) in plans.into_iter().zip(&grouping.groups).enumerate() {
        // Movements come by tile pass; those of none that exists are dropped.
        let mut entries = Vec::with_capacity(moves.len());
        while let Some((found, layers)) = moves.next_if(|(found, _)| found.tile_pass <= index) {
            if found.tile_pass != index {
                continue;
            }
            let (bytes, basis) = price(view, &found, layers, &plan);
            if bytes.0 > 0 || basis == Basis::Undecided {
                let (aspect, cause) = (Cow::Borrowed(texels::word(found.aspect)), Cow::Borrowed(found.cause));
                let (attachment, direction) = (found.attachment, found.direction);
                // What rests on a merge that is only inferred is no more certain than the merge.
                let inferred = grouping.basis == MergeBasis::Inferred && basis == Basis::Exact;
                let basis = if inferred { Basis::Estimate } else { basis };
                entries.push(Entry { attachment, image: String::new(), aspect, cause, direction, bytes, basis });
            }
        }
        passes.push(tile_pass(view, group, grouping, plan, entries));
    }
    passes
}

/// What a pass asks for that changes tiles or traffic in ways that no figure contains.
fn beside_the_ledger(view: &PassView<'_>, groups: &[Vec<usize>], plans: &[Plan], left_out: &mut BTreeSet<String>) {
    let pass = view.pass;
    if pass.tile_memory > 0 {
        left_out.insert(text(
            "tile memory set aside by VkTileMemorySizeInfoQCOM: tiles are predicted as if all of it were free",
        ));
    }
    if pass.tile_shading.is_some_and(|shading| shading.apron.width > 0 || shading.apron.height > 0) {
        left_out.insert(text("what tiles load around them for the apron of tile shading (VK_QCOM_tile_shading)"));
    }
    let in_memory = |(group, plan): (&Vec<usize>, &Plan)| {
        let members = group.iter().filter_map(|s| pass.subpasses.get(*s));
        plan.mode == Mode::Immediate && members.into_iter().any(|s| s.samples > 1)
    };
    if groups.iter().zip(plans).any(in_memory) {
        left_out.insert(text(
            "the samples of VK_EXT_multisampled_render_to_single_sampled in immediate mode, where they need memory",
        ));
    }
}

fn text(text: &str) -> String {
    text.to_string()
}

/// A tile pass of the subpasses `group`.
fn tile_pass(view: &PassView<'_>, group: &[usize], grouping: &Grouping, plan: Plan, entries: Vec<Entry>) -> TilePass {
    let mut notes = plan.notes;
    let on_chip = group.iter().filter_map(|s| view.pass.subpasses.get(*s)).map(|s| s.samples).max().unwrap_or(0);
    if on_chip > 1 && plan.mode == Mode::Tiled {
        notes.push(format!("{on_chip} samples per pixel exist on chip only"));
    }
    if plan.mode == Mode::Tiled && plan.tile.is_some() && view.is_rounded(plan.granularity) {
        let (w, h) = (plan.granularity.width, plan.granularity.height);
        notes.push(format!("the render area is counted rounded out to {w}x{h}"));
    }
    let subpass = |subpass: &usize| {
        let verdict = grouping.verdicts.get(*subpass);
        TileSubpass {
            pass: 0,
            subpass: *subpass as u32,
            merge_status: verdict.map(|v| v.status.spelled().into()),
            merge_note: verdict.map(|v| v.note.clone()).unwrap_or_default(),
        }
    };
    TilePass {
        source_passes: alloc::vec![0],
        read_bytes: sum(&entries, Direction::Read),
        write_bytes: sum(&entries, Direction::Write),
        tile: plan.tile,
        tiles: plan.tiles,
        bits_per_pixel: plan.bits_per_pixel,
        budget_bits_per_pixel: plan.budget_bits_per_pixel,
        mode: plan.mode.name().into(),
        notes,
        merge_basis: (view.pass.subpasses.len() > 1).then(|| grouping.basis.name().into()),
        subpasses: group.iter().map(subpass).collect(),
        entries,
        alternative: None,
    }
}

/// Bytes of a movement over `layers` layers.
fn price(view: &PassView<'_>, found: &Movement, layers: u64, plan: &Plan) -> (Bytes, Basis) {
    let Some(attachment) = view.attachment(found.attachment) else { return (Bytes(0), Basis::Undecided) };
    if view.image(attachment).is_some_and(|image| image.memory.on_chip) {
        return (Bytes(0), Basis::Exact);
    }
    let own = || format::info(attachment.format).filter(|i| i.block == [1, 1, 1])?.aspect_bytes(found.aspect);
    match found.sample_bytes.map(|bytes| Bytes(u64::from(bytes))).or_else(own) {
        Some(sample) if found.basis != Basis::Undecided => {
            let samples = u64::from(attachment.samples.max(1));
            if let Some(texels) = found.texels {
                return (sample * texels * samples, found.basis);
            }
            let pixels = match plan.edge {
                Edge::Clipped => view.pixels(attachment, plan.granularity),
                Edge::Padded => view.tiles(plan.granularity).saturating_mul(plan.granularity.pixels()),
            };
            // Views with areas of their own move no more than the area around them all.
            let own_areas = found.basis == Basis::Exact && !view.pass.view_areas.is_empty();
            (sample * pixels * layers * samples, if own_areas { Basis::Bound } else { found.basis })
        }
        _ => (Bytes(0), Basis::Undecided),
    }
}

/// All movements of a pass, each with the number of layers or views it is for, ordered by tile pass, attachment and aspect.
fn moves(
    view: &PassView<'_>,
    groups: &[Vec<usize>],
    profile: &Profile,
    plans: &[Plan],
    used: &[AspectUses],
) -> Vec<(Movement, u64)> {
    let mut found: Vec<(Movement, u64)> = Vec::new();
    let mut count = |uses: &[AspectUses], layers: u64| {
        let movements = profile.tiler.operations(&Walk { view, groups, plans, uses });
        found.extend(movements.into_iter().map(|movement| (movement, layers)));
    };
    if view.pass.subpasses.iter().all(|s| s.view_mask == 0) {
        count(used, view.layers(0));
    } else {
        for (members, layers) in view_groups(view) {
            // Subpasses that run together have one view mask.
            let seen = |tile_pass: &usize| {
                groups.get(*tile_pass).and_then(|group| members.get(*group.first()?)) == Some(&true)
            };
            let of_views = |all: &AspectUses| {
                let uses: BTreeMap<_, _> = all.uses.iter().filter(|(t, _)| seen(t)).map(|(t, u)| (*t, *u)).collect();
                (!uses.is_empty()).then_some(AspectUses { uses, ..*all })
            };
            count(&used.iter().filter_map(of_views).collect::<Vec<_>>(), layers);
        }
    }
    found.extend(maps::reads(view, groups).into_iter().map(|movement| (movement, 1)));
    found.sort_unstable();
    found.dedup_by(|next, sum| {
        let equal = next.0 == sum.0;
        if equal {
            sum.1 = sum.1.saturating_add(next.1);
        }
        equal
    });
    found
}

/// Groups of views that take part in the same subpasses, and how many views each has.
fn view_groups(view: &PassView<'_>) -> BTreeMap<Vec<bool>, u64> {
    let subpasses = &view.pass.subpasses;
    let mut groups = BTreeMap::new();
    for bit in 0..u32::BITS {
        let members: Vec<bool> = subpasses.iter().map(|s| s.view_mask.max(1) >> bit & 1 == 1).collect();
        if members.contains(&true) {
            *groups.entry(members).or_insert(0) += 1;
        }
    }
    groups
}
