//! The operations of tile passes: what moves between chip and memory, when, and why.
//!
//! A family decides them (`Tiler::operations`). [`Walk`] holds what it decides on: the pass, its tile passes, and how each of
//! them uses each aspect. [`Walk::as_specified`] is the answer of a driver that does what the specification asks for and no
//! more: at an attachment's first use its loadOp applies, in later tile passes its contents come back from memory; after each
//! tile pass that changed them they go to memory, after the last one as the storeOp says, and contents that memory already has
//! are not stored again. Input attachments are read from memory unless the tile pass has rendered to them before.
//! vkCmdClearAttachments happens on chip and moves nothing.

use super::PassView;
use super::uses::{AspectUses, Use};
use crate::format;
use crate::frame::{Aspects, Attachment, LoadOp, StoreOp};
use crate::gpu::{AttachmentRules, Mode, PackedDepthStencil, Plan};
use crate::report::{Basis, Direction};
use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;

/// One movement of an aspect of an attachment between chip and memory, over the area of its tile pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Movement {
    /// Index of the tile pass.
    pub tile_pass: usize,
    /// Index of the attachment.
    pub attachment: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// Read or written.
    pub direction: Direction,
    /// The word for the report: `load`, `store`, `resolve`, `input`, …
    pub cause: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Bytes per sample where they are not those of the aspect in memory.
    pub sample_bytes: Option<u32>,
    /// Texels over all layers, where they are not those of the tile pass's area.
    pub texels: Option<u64>,
}

impl Movement {
    /// A movement of the aspect as it lies in memory.
    pub fn new(tile_pass: usize, of: &AspectUses, direction: Direction, cause: &'static str, basis: Basis) -> Self {
        let AspectUses { attachment, aspect, .. } = *of;
        Self { tile_pass, attachment, aspect, direction, cause, basis, sample_bytes: None, texels: None }
    }
}

/// A pass as tile passes, as the views of one group see it.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The pass.
    pub view: &'a PassView<'a>,
    /// Subpasses of each tile pass, in order of execution.
    pub groups: &'a [Vec<usize>],
    /// How each tile pass runs.
    pub plans: &'a [Plan],
    /// Each aspect that is used, with its uses by tile pass.
    pub uses: &'a Arc<[AspectUses]>,
}

/// What movements rest on: something of the family's, and the walk.
struct Grounds<K> {
    own: K,
    groups: Vec<Vec<usize>>,
    /// Of each tile pass, if something is in memory.
    memory: Option<Vec<(Mode, BTreeSet<u32>)>>,
    uses: Arc<[AspectUses]>,
}

/// Movements as they are, whatever they follow from.
struct Moved(Vec<Vec<usize>>);

/// The basis of what the specification asks for.
#[derive(PartialEq)]
struct Specified(AttachmentRules);

impl Walk<'_> {
    /// The movements that follow from the walk and from `own`, which holds all that the family decides by beside the shape of the pass, its
    /// groups, its uses, and which tile passes and attachments are in memory. Recalled if another GPU has come to them before.
    ///
    /// Equal movements of the same groups are the same: what follows from them need be worked out only once.
    pub fn by<K: PartialEq + 'static>(&self, own: K, movements: impl FnOnce(&K) -> Vec<Movement>) -> Arc<[Movement]> {
        let shape = self.view.shape();
        let tiled = |plan: &Plan| plan.mode == Mode::Tiled && plan.spilled.is_empty();
        let memory = (!self.plans.iter().all(tiled))
            .then(|| self.plans.iter().map(|plan| (plan.mode, plan.spilled.clone())).collect::<Vec<_>>());
        let is = |known: &Grounds<K>| {
            known.own == own && known.groups == self.groups && known.memory == memory && known.uses == *self.uses
        };
        if let Some(known) = shape.known(is) {
            return known;
        }
        let found = movements(&own);
        if !shape.shares() {
            return found.into();
        }
        let same = |known: &Moved| known.0 == self.groups;
        let moved: Rc<RefCell<Vec<Arc<[Movement]>>>> =
            shape.known(same).unwrap_or_else(|| shape.keep(|| Moved(self.groups.to_vec()), Rc::default()));
        let known = moved.borrow().iter().find(|known| ***known == *found).cloned();
        let found = known.unwrap_or_else(|| {
            let found: Arc<[Movement]> = found.into();
            moved.borrow_mut().push(Arc::clone(&found));
            found
        });
        shape.keep(|| Grounds { own, groups: self.groups.to_vec(), memory, uses: Arc::clone(self.uses) }, found)
    }

    /// [`Self::as_specified`], recalled where another GPU has the same rules.
    pub fn specified(&self, rules: AttachmentRules) -> Arc<[Movement]> {
        self.by(Specified(rules), |Specified(rules)| self.as_specified(*rules))
    }

    /// The operations that the specification asks for, under these rules.
    pub fn as_specified(&self, rules: AttachmentRules) -> Vec<Movement> {
        let mut found = Vec::new();
        for used in self.uses.iter() {
            let mut add = |tile_pass, direction, cause, basis| {
                found.push(Movement::new(tile_pass, used, direction, cause, basis));
            };
            if self.is_in_memory(used) {
                walk_in_memory(used, &mut add);
            } else if let Some(ops) = self.ops(used, rules) {
                walk(used, ops, rules, &mut add);
            }
        }
        found
    }

    /// Whether draws access the aspect in memory in some tile pass.
    pub fn is_in_memory(&self, used: &AspectUses) -> bool {
        let in_memory = |plan: &Plan| plan.mode == Mode::Immediate || plan.spilled.contains(&used.attachment);
        used.uses.keys().any(|tile_pass| self.plans.get(*tile_pass).is_some_and(in_memory))
    }

    /// Load and store of an aspect as the rules have them; `None` for an attachment that the pass lacks.
    pub fn ops(&self, of: &AspectUses, rules: AttachmentRules) -> Option<Ops> {
        let used = |aspect| self.uses.iter().any(|u| u.attachment == of.attachment && u.aspect == aspect);
        Some(ops(self.view.attachment(of.attachment)?, of.aspect, rules, used))
    }
}

/// Operations on an aspect as the driver carries them out.
#[derive(Clone, Copy, Debug)]
pub struct Ops {
    /// Contents come from memory.
    pub load: bool,
    /// Contents become the clear value.
    pub clear: bool,
    /// Contents go to memory.
    pub store: bool,
    /// How sure the bytes of the load are.
    pub load_basis: Basis,
    /// How sure the bytes of the store are.
    pub store_basis: Basis,
}

/// Movements of an aspect that lives on chip, over its uses in order.
fn walk(of: &AspectUses, ops: Ops, rules: AttachmentRules, add: &mut dyn FnMut(usize, Direction, &'static str, Basis)) {
    let uses: Vec<(usize, Use)> = of.uses.iter().map(|(tile_pass, used)| (*tile_pass, *used)).collect();
    let (mut modified, mut stored) = (false, false);
    for (at, &(tile_pass, used)) in uses.iter().enumerate() {
        let (first, last) = (at == 0, at + 1 == uses.len());
        if first && ops.load && used.target {
            add(tile_pass, Direction::Read, "load", ops.load_basis);
        } else if first && ops.clear && used.input && !used.target {
            // What an input attachment is cleared to has to be in memory before the tile pass reads it.
            add(tile_pass, Direction::Write, "clear", Basis::Exact);
            stored = true;
        } else if !first && used.target {
            add(tile_pass, Direction::Read, "load", Basis::Exact);
        }
        if used.input && used.drawn && !(used.target && ops.clear) {
            // Once per pixel: overdraw and caches pull in opposite directions.
            add(tile_pass, Direction::Read, "input", Basis::Estimate);
        }
        modified |= used.target && (used.writes || (first && ops.clear));
        if used.target && last && ops.store && (modified || !stored) {
            add(tile_pass, Direction::Write, "store", ops.store_basis);
        } else if used.target && !last && modified {
            add(tile_pass, Direction::Write, "store", Basis::Exact);
            (modified, stored) = (false, true);
        }
        if used.resolve {
            add(tile_pass, Direction::Write, "resolve", Basis::Exact);
            (modified, stored) = (false, true);
            let rendered = |uses: &[(usize, Use)]| uses.iter().any(|(_, u)| u.target);
            if rules.resolve_loads_back && rendered(&uses) && !rendered(&uses[at + 1..]) {
                // A later tile pass that renders to the target loads it anyway.
                add(tile_pass, Direction::Read, "resolve_load_back", Basis::Exact);
                if ops.store && !(used.target && last) {
                    add(tile_pass, Direction::Write, "store", ops.store_basis);
                }
            }
        }
    }
}

/// Movements of an aspect that draws access in memory: how often depends on what is drawn.
fn walk_in_memory(of: &AspectUses, add: &mut dyn FnMut(usize, Direction, &'static str, Basis)) {
    for (&tile_pass, &used) in &of.uses {
        if used.target {
            add(tile_pass, Direction::Read, "in_memory", Basis::Undecided);
            add(tile_pass, Direction::Write, "in_memory", Basis::Undecided);
        }
        if used.input && !used.target {
            add(tile_pass, Direction::Read, "input", Basis::Undecided);
        }
        if used.resolve {
            add(tile_pass, Direction::Write, "resolve", Basis::Undecided);
        }
    }
}

/// Operations on one aspect; `used` tells whether some subpass uses an aspect of the attachment.
fn ops(attachment: &Attachment, aspect: Aspects, rules: AttachmentRules, used: impl Fn(Aspects) -> bool) -> Ops {
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
