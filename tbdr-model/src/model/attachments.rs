//! Attachment traffic: loads, stores, resolves and input reads of each tile pass, per aspect.
//!
//! Which subpasses form a tile pass is the family's decision, and so is what each tile pass moves (`super::operations`). Here
//! the views of a pass are told apart, and movements are priced.

use super::operations::{Movement, Walk};
use super::uses::AspectUses;
use super::view::Cover;
use super::{PassView, maps};
use crate::format;
use crate::frame::Aspects;
use crate::gpu::{Edge, Grouping, MergeBasis, Plan, Profile};
use crate::ledger::{Debit, sum};
use crate::report::{Basis, Direction};
use crate::units::{Bytes, Extent2D};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Every debit of a pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// In order of tile pass, attachment and aspect.
    pub entries: Vec<Entry>,
    /// Sum of the read entries.
    pub read_bytes: Bytes,
    /// Sum of the write entries.
    pub write_bytes: Bytes,
}

/// One debit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Index of the tile pass.
    pub tile_pass: usize,
    /// Index of the attachment.
    pub attachment: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// The word for the report.
    pub cause: &'static str,
    /// Whether DRAM is read or written.
    pub direction: Direction,
    /// Bytes.
    pub bytes: Bytes,
    /// How far the figure may be off.
    pub basis: Basis,
}

impl Debit for Entry {
    fn direction(&self) -> Direction {
        self.direction
    }
    fn bytes(&self) -> Bytes {
        self.bytes
    }
    fn basis(&self) -> Basis {
        self.basis
    }
}

/// Movements, and the number of layers or views that make them.
type Moves = (Arc<[Movement]>, u64);

/// What a ledger rests on. Movements rest on the groups, so that they stand for them.
struct Priced {
    moves: Vec<Moves>,
    /// What each tile pass moves whole multiples of, and what it covers therefore.
    covers: Vec<(Extent2D, Edge, Cover)>,
    basis: MergeBasis,
}

/// The ledger of a pass that is grouped and run like this and uses its attachments so.
pub fn ledger(
    view: &PassView<'_>,
    profile: &Profile,
    grouping: &Grouping,
    plans: &[Plan],
    uses: &Arc<[AspectUses]>,
) -> Arc<Ledger> {
    let of = |uses: &Arc<[AspectUses]>| profile.tiler.operations(&Walk { view, groups: &grouping.groups, plans, uses });
    if view.pass.subpasses.iter().all(|s| s.view_mask == 0) {
        known_ledger(view, grouping, plans, &[(of(uses), view.layers(0))])
    } else {
        let moves: Vec<Moves> =
            by_views(view, &grouping.groups, uses).map(|(uses, views)| (of(&uses), views)).collect();
        known_ledger(view, grouping, plans, &moves)
    }
}

/// The ledger of these movements, recalled where another GPU moves the same over the same area.
fn known_ledger(view: &PassView<'_>, grouping: &Grouping, plans: &[Plan], moves: &[Moves]) -> Arc<Ledger> {
    let same = |((a, of), (b, layers)): (&Moves, &Moves)| Arc::ptr_eq(a, b) && of == layers;
    let moves_so = |known: &Priced| {
        known.basis == grouping.basis && known.moves.len() == moves.len() && known.moves.iter().zip(moves).all(same)
    };
    let steps_so = |known: &Priced| {
        let mut steps = known.covers.iter().zip(plans);
        moves_so(known) && steps.all(|((step, edge, _), plan)| (*step, *edge) == (plan.granularity, plan.edge))
    };
    // Tiles of another size often cover the same.
    view.memo().known(steps_so).unwrap_or_else(|| {
        let cover = |plan: &Plan| (plan.granularity, plan.edge, view.cover(plan.granularity, plan.edge));
        let covers: Vec<_> = plans.iter().map(cover).collect();
        let covers_so = |known: &Priced| moves_so(known) && known.covers.iter().zip(&covers).all(|(a, b)| a.2 == b.2);
        let known = view.memo().known(covers_so);
        let found = known.unwrap_or_else(|| Arc::new(priced(view, grouping, &covers, moves)));
        view.memo().keep(|| Priced { moves: moves.to_vec(), covers, basis: grouping.basis }, found)
    })
}

/// The ledger of these movements.
fn priced(view: &PassView<'_>, grouping: &Grouping, covers: &[(Extent2D, Edge, Cover)], moves: &[Moves]) -> Ledger {
    let mut entries = Vec::new();
    // Movements of no tile pass that exists are dropped.
    for (found, layers) in ordered(view, &grouping.groups, moves) {
        let Some((.., cover)) = covers.get(found.tile_pass) else { continue };
        let (bytes, basis) = price(view, &found, layers, *cover);
        if bytes.0 > 0 || basis == Basis::Undecided {
            let Movement { tile_pass, attachment, aspect, direction, cause, .. } = found;
            // What rests on a merge that is only inferred is no more certain than the merge.
            let inferred = grouping.basis == MergeBasis::Inferred && basis == Basis::Exact;
            let basis = if inferred { Basis::Estimate } else { basis };
            entries.push(Entry { tile_pass, attachment, aspect, cause, direction, bytes, basis });
        }
    }
    let (read_bytes, write_bytes) = (sum(&entries, Direction::Read), sum(&entries, Direction::Write));
    Ledger { entries, read_bytes, write_bytes }
}

/// Bytes of a movement over `layers` layers.
fn price(view: &PassView<'_>, found: &Movement, layers: u64, cover: Cover) -> (Bytes, Basis) {
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
            let pixels = view.covered(attachment, cover);
            // Views with areas of their own move no more than the area around them all.
            let own_areas = found.basis == Basis::Exact && !view.pass.view_areas.is_empty();
            (sample * pixels * layers * samples, if own_areas { Basis::Bound } else { found.basis })
        }
        _ => (Bytes(0), Basis::Undecided),
    }
}

/// The uses of a pass by groups of views, and how many views each group has.
fn by_views<'a>(
    view: &PassView<'_>,
    groups: &'a [Vec<usize>],
    used: &'a [AspectUses],
) -> impl Iterator<Item = (Arc<[AspectUses]>, u64)> + 'a {
    let of_views = |(members, layers): (Vec<bool>, u64)| {
        // Subpasses that run together have one view mask.
        let seen =
            |tile_pass: &usize| groups.get(*tile_pass).and_then(|group| members.get(*group.first()?)) == Some(&true);
        let of_views = |all: &AspectUses| {
            let uses: BTreeMap<_, _> = all.uses.iter().filter(|(t, _)| seen(t)).map(|(t, u)| (*t, *u)).collect();
            (!uses.is_empty()).then_some(AspectUses { uses, ..*all })
        };
        (used.iter().filter_map(of_views).collect(), layers)
    };
    view_groups(view).into_iter().map(of_views)
}

/// All movements of a pass, each with the number of layers or views it is for, ordered by tile pass, attachment and aspect.
fn ordered(view: &PassView<'_>, groups: &[Vec<usize>], moves: &[Moves]) -> Vec<(Movement, u64)> {
    let of_uses = moves.iter().flat_map(|(found, layers)| found.iter().map(|movement| (*movement, *layers)));
    let mut found: Vec<(Movement, u64)> = of_uses.collect();
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
