//! What a frame has to move through memory whatever its passes are, as far as that is known: the same for every GPU.
//!
//! The accesses of the frame are walked from its end to its beginning. What leaves the frame is wanted, and so are dispatches and what is
//! copied into buffers; what they read is wanted in turn. Contents that a later pass of the same frame loads or reads as input attachment
//! are wanted too, but can stay on chip; those that shaders, transfers or the outside read are wanted in memory. A load that no write
//! of the frame stands before comes from an earlier frame.
//!
//! Everything errs to the low side: contents that nobody is known to want count nothing, something that may have overwritten them
//! ends what was wanted of them, and texels that are stored several times for one reader count once.

use crate::format;
use crate::frame::{Aspects, FrameStructure, Op, Pass, Side, Transfer, TransferKind};
use crate::graph::liveness::{Fate, Site, is_followed, may_be_read_unseen};
use crate::graph::{Access, Accesses, Event, Operation, Reader, Rect};
use crate::units::Bytes;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// Images of which one access has more subresources than this are not followed.
const MOST_SUBRESOURCES: u64 = 1024;
/// Readers of one subresource beyond this are forgotten.
const MOST_READERS: usize = 64;

/// What the run has shown of loads and stores.
#[derive(Clone, Copy)]
pub(crate) struct Proofs<'a> {
    /// Number of the frame structure.
    pub structure: u32,
    /// What became of loads and stores.
    pub fates: &'a BTreeMap<Site, Fate>,
    /// Stores of which nobody can say whether somebody reads them: structure, pass, attachment.
    pub undecided: &'a BTreeSet<(u32, u32, u32)>,
}

/// Where in the ledger: one aspect of an attachment of a pass, loaded or stored.
pub(crate) type Place = (u32, u32, Aspects, Operation);

/// Bytes that must move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Attachments of passes.
    pub attachments: BTreeMap<Place, Bytes>,
    /// Transfers of which the source must be read.
    pub read: BTreeSet<u32>,
    /// Transfers of which some must be written: the part in [`WHOLE`]ths.
    pub written: BTreeMap<u32, u64>,
    /// Attachments of which nobody knows.
    pub undecided: BTreeMap<Place, Bytes>,
}

/// All of a transfer.
pub(crate) const WHOLE: u64 = 1 << 16;

impl Needs {
    /// What a frame needs; `None` where it is not known what it does to its images.
    pub fn of(frame: &FrameStructure, accesses: &Accesses, proofs: Proofs<'_>) -> Option<Self> {
        if !is_followed(frame) {
            return None;
        }
        let mut walk = Walk::new(frame, accesses, proofs);
        // Accesses of one operation stand together.
        let together = |a: &Access, b: &Access| (a.submission, a.op) == (b.submission, b.op);
        let operations: Vec<&[Access]> = accesses.list.chunk_by(together).collect();
        operations.into_iter().rev().for_each(|of| walk.operation(of));
        walk.loads_of_earlier_frames();
        Some(walk.needs)
    }
}

/// An operation of the frame.
#[derive(Clone, Copy)]
enum Kind<'a> {
    Pass(u32, &'a Pass),
    Transfer(u32, &'a Transfer),
    Other,
}

/// Somebody who wants the contents of a rectangle.
#[derive(Clone, Copy)]
struct Want {
    rect: Rect,
    /// In memory: not by a pass of the frame that could have them on chip.
    in_memory: bool,
    /// The load that wants them, and whether there is no doubt that there is something to load.
    load: Option<(Place, bool)>,
}

/// One subresource and aspect.
#[derive(Clone, Default)]
struct State {
    wants: Vec<Want>,
    /// What has been stored already for those who want it in memory.
    stored: Vec<Rect>,
}

/// Image, aspect, mip level, layer.
type Key = (u32, Aspects, u32, u32);

struct Walk<'a> {
    frame: &'a FrameStructure,
    proofs: Proofs<'a>,
    operations: Vec<Kind<'a>>,
    states: BTreeMap<Key, State>,
    /// Images that are too large to follow.
    skipped: BTreeSet<u32>,
    needs: Needs,
}

impl<'a> Walk<'a> {
    fn new(frame: &'a FrameStructure, accesses: &Accesses, proofs: Proofs<'a>) -> Self {
        let (mut pass, mut transfer) = (0, 0);
        let kind = |op: &'a Op| match op {
            Op::Pass(instance) => {
                pass += 1;
                Kind::Pass(pass - 1, instance)
            }
            Op::Transfer(command) => {
                transfer += 1;
                Kind::Transfer(transfer - 1, command)
            }
            Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => Kind::Other,
        };
        let large = |a: &&Access| u64::from(a.range.mips).saturating_mul(u64::from(a.range.layers)) > MOST_SUBRESOURCES;
        Self {
            frame,
            proofs,
            operations: frame.ops().map(kind).collect(),
            states: BTreeMap::new(),
            skipped: accesses.list.iter().filter(large).map(|a| a.image.0).collect(),
            needs: Needs::default(),
        }
    }

    /// Takes in what one operation does, after everything that comes later.
    fn operation(&mut self, of: &[Access]) {
        let Some(first) = of.first() else { return };
        let outside = first.submission == crate::graph::access::NO_SUBMISSION;
        let kind = self.operations.get(first.op as usize).copied().filter(|_| !outside).unwrap_or(Kind::Other);
        let wanted = match kind {
            Kind::Pass(number, pass) => self.stores(of, number, pass),
            Kind::Transfer(number, transfer) => self.transfer(of, number, transfer),
            Kind::Other => true,
        };
        of.iter().rev().for_each(|access| self.ends(access));
        if wanted {
            of.iter().rev().for_each(|access| self.reads(access, kind));
        }
    }

    /// The subresources of an access with the part of the access in each.
    fn parts(&self, access: &Access) -> Vec<(Key, Rect)> {
        let Some(image) = self.frame.images.get(access.image.0 as usize) else { return Vec::new() };
        let range = access.range;
        // However many mip levels a hostile record names.
        if self.skipped.contains(&access.image.0) || range.layers == 0 {
            return Vec::new();
        }
        let mips = range.base_mip..range.base_mip.saturating_add(range.mips);
        let layers = range.base_layer..range.base_layer.saturating_add(range.layers);
        let of = |mip: u32, layer: u32| {
            let level = image.extent.mip(mip);
            let all = [level.width, level.height, level.depth].map(u64::from);
            let clip = |axis: usize, at: u64| at.min(all[axis]);
            let rect = Rect {
                from: core::array::from_fn(|axis| clip(axis, access.rect.from[axis])),
                to: core::array::from_fn(|axis| clip(axis, access.rect.to[axis])),
            };
            ((access.image.0, access.aspect, mip, layer), rect)
        };
        mips.flat_map(|mip| layers.clone().map(move |layer| (mip, layer))).map(|(mip, layer)| of(mip, layer)).collect()
    }

    fn state(&mut self, key: Key) -> &mut State {
        let images = &self.frame.images;
        self.states.entry(key).or_insert_with(|| {
            // Whoever may read the image unseen wants what the frame leaves there.
            let unseen = images.get(key.0 as usize).is_some_and(may_be_read_unseen);
            let want = Want { rect: Rect::ALL, in_memory: true, load: None };
            State { wants: unseen.then_some(want).into_iter().collect(), stored: Vec::new() }
        })
    }

    /// Counts what of a write must reach memory: texels that somebody wants there and that no later store of the frame has written, of
    /// all texels of the write. Tells beside whether anybody wants it at all. `kept` is wanted by later frames.
    fn written(&mut self, access: &Access, kept: bool) -> (u64, u64, bool) {
        let (mut must, mut all, mut wanted) = (0u64, 0u64, kept);
        for (key, rect) in self.parts(access) {
            let texels = texels(&rect);
            all = all.saturating_add(texels);
            let state = self.state(key);
            let meeting = || state.wants.iter().filter(|want| want.rect.meets(&rect));
            wanted |= meeting().next().is_some();
            if kept || meeting().any(|want| want.in_memory) {
                let again = state.stored.iter().map(|stored| common(stored, &rect)).fold(0u64, u64::saturating_add);
                must = must.saturating_add(texels.saturating_sub(again));
                state.stored.push(rect);
            }
        }
        (must, all, wanted)
    }

    /// What a pass stores; whether anybody wants anything of it.
    fn stores(&mut self, of: &[Access], number: u32, pass: &Pass) -> bool {
        let mut wanted = false;
        for access in of {
            match access.event {
                Event::Store { attachment, .. } => {
                    let place = (number, attachment, access.aspect, Operation::Store);
                    let kept = self.fate(place).is_some_and(|fate| fate.kept > 0);
                    let (must, all, by_any) = self.written(access, kept);
                    wanted |= by_any;
                    let texel = texel_bytes(pass, attachment, access.aspect);
                    if must > 0 {
                        *self.needs.attachments.entry(place).or_default() += texel * must;
                    } else if !by_any && self.proofs.undecided.contains(&(self.proofs.structure, number, attachment)) {
                        *self.needs.undecided.entry(place).or_default() += texel * all;
                    }
                }
                // Shaders of the pass may have written it.
                Event::Touch => {
                    let parts = self.parts(access);
                    wanted |=
                        parts.iter().any(|(key, rect)| self.state(*key).wants.iter().any(|want| want.rect.meets(rect)));
                }
                _ => {}
            }
        }
        wanted
    }

    /// What a transfer writes; whether anybody wants anything of it.
    fn transfer(&mut self, of: &[Access], number: u32, transfer: &Transfer) -> bool {
        let to_buffer = transfer
            .regions
            .iter()
            .any(|region| matches!(region.src, Some(Side::Image(_))) && !matches!(region.dst, Some(Side::Image(_))));
        let (mut must, mut all, mut wanted) = (0u64, 0u64, to_buffer);
        for access in of.iter().filter(|a| matches!(a.event, Event::Overwrite | Event::Touch)) {
            let (part, whole, by_any) = self.written(access, false);
            (must, all) = (must.saturating_add(part), all.saturating_add(whole));
            wanted |= by_any;
        }
        if to_buffer {
            self.needs.written.insert(number, WHOLE);
        } else if must > 0 {
            let part = u128::from(must) * u128::from(WHOLE) / u128::from(all.max(1));
            self.needs.written.insert(number, part as u64);
        }
        // Of a resolve the samples can have stayed on chip. What comes from a buffer need not pass memory twice if nobody wants it there.
        let from_image = transfer.regions.iter().any(|region| matches!(region.src, Some(Side::Image(_))));
        if wanted && transfer.kind != TransferKind::Resolve && (from_image || must > 0) {
            self.needs.read.insert(number);
        }
        wanted
    }

    /// What an operation may have overwritten was there before for nobody.
    fn ends(&mut self, access: &Access) {
        match access.event {
            Event::Store { .. } | Event::Overwrite | Event::DontCare | Event::Transition | Event::Touch => {}
            Event::Read(_) | Event::Load { .. } | Event::Ownership { .. } => return,
        }
        for (key, rect) in self.parts(access) {
            let level = self.frame.images.get(key.0 as usize).map(|image| image.extent.mip(key.2));
            let all = level
                .is_some_and(|l| rect.covers(&Rect { from: [0; 3], to: [l.width, l.height, l.depth].map(u64::from) }));
            // Nobody knows what a shader leaves alone.
            let touched = access.event == Event::Touch;
            self.state(key).wants.retain(|want| !(all || rect.covers(&want.rect) || touched && want.rect.meets(&rect)));
        }
    }

    /// What an operation reads is wanted.
    fn reads(&mut self, access: &Access, kind: Kind<'_>) {
        let (in_memory, load) = match (access.event, kind) {
            (Event::Load { pass, attachment }, _) => {
                let place = (pass, attachment, access.aspect, Operation::Load);
                let sure = self.fate(place).is_some_and(|fate| fate.needed > 0);
                (false, Some((place, sure)))
            }
            // Shaders reach whole subresources through descriptors; what else a pass reads are its attachments, in its area.
            (Event::Read(Reader::Pass(number)), Kind::Pass(_, pass)) if access.rect != Rect::ALL => {
                let of = (0u32..).zip(&pass.attachments).find(|(_, a)| a.image == Some(access.image));
                (false, of.map(|(attachment, _)| ((number, attachment, access.aspect, Operation::Load), true)))
            }
            (Event::Read(Reader::Transfer(_)), Kind::Transfer(_, transfer)) => {
                (transfer.kind != TransferKind::Resolve, None)
            }
            (Event::Read(_), _) => (true, None),
            _ => return,
        };
        for (key, rect) in self.parts(access) {
            let state = self.state(key);
            if in_memory {
                // What is stored later is another reader's.
                state.stored.clear();
            }
            if state.wants.len() < MOST_READERS {
                state.wants.push(Want { rect, in_memory, load });
            }
        }
    }

    /// Loads of contents that the frame itself has not written.
    fn loads_of_earlier_frames(&mut self) {
        let Self { states, operations, needs, .. } = self;
        let passes: Vec<&Pass> = operations
            .iter()
            .filter_map(|kind| match kind {
                Kind::Pass(_, pass) => Some(*pass),
                Kind::Transfer(..) | Kind::Other => None,
            })
            .collect();
        for state in states.values() {
            let mut read: Vec<Rect> = Vec::new();
            // Walked backwards: the first reader stands last.
            for want in state.wants.iter().rev() {
                let Some((place, sure)) = want.load else { continue };
                let Some(pass) = passes.get(place.0 as usize) else { continue };
                let again = read.iter().map(|r| common(r, &want.rect)).fold(0u64, u64::saturating_add);
                let texels = texels(&want.rect).saturating_sub(again);
                let to = if sure { &mut needs.attachments } else { &mut needs.undecided };
                *to.entry(place).or_default() += texel_bytes(pass, place.1, place.2) * texels;
                read.push(want.rect);
            }
        }
    }

    fn fate(&self, (pass, attachment, aspect, operation): Place) -> Option<&'a Fate> {
        self.proofs.fates.get(&Site { structure: self.proofs.structure, pass, attachment, aspect, operation })
    }
}

/// Texels of a rectangle.
fn texels(rect: &Rect) -> u64 {
    (0..3).map(|axis| rect.to[axis].saturating_sub(rect.from[axis])).fold(1, u64::saturating_mul)
}

/// Texels that two rectangles share.
fn common(a: &Rect, b: &Rect) -> u64 {
    let both = Rect {
        from: core::array::from_fn(|axis| a.from[axis].max(b.from[axis])),
        to: core::array::from_fn(|axis| a.to[axis].min(b.to[axis])),
    };
    texels(&both)
}

/// Bytes of a texel of an attachment with all its samples; nothing where they are not known.
fn texel_bytes(pass: &Pass, attachment: u32, aspect: Aspects) -> Bytes {
    let Some(of) = pass.attachments.get(attachment as usize) else { return Bytes(0) };
    let bytes =
        format::info(of.format).filter(|info| info.block == [1, 1, 1]).and_then(|info| info.aspect_bytes(aspect));
    bytes.unwrap_or_default() * u64::from(of.samples.max(1))
}
