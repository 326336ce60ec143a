//! What is known of the contents of an image, subresource by subresource, and what an access changes of it.
//!
//! Input is one access at a time, in execution order; output is what becomes of the stores and transfers that are pending there
//! ([`Fates`]), and whether somebody reads what a pass has discarded ([`Misread`]). Whoever calls says whether all earlier uses of
//! the image are known to be complete.

use super::Rect;
use super::access::{Access, Event, Maker, Operation, Reader};
use super::liveness::{NO_MOMENT, SHADERS};
use super::order::Place;
use super::verdict::{Fates, Read, Site};
use crate::frame::{AccessKind, Aspects, Image, ImageRef, usage};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// More subresources of one access than this are not followed.
const MOST_SUBRESOURCES: u64 = 4096;
/// More pending stores of one subresource than this are not followed.
const MOST_PENDING: usize = 64;

/// Contents of a subresource.
#[derive(Clone, Debug, Default)]
struct Contents {
    state: Definedness,
    /// Who discarded all of it; whether a draw wrote anything that was discarded may be open.
    discarded: Option<Discard>,
    /// Moment after which no shader that was not followed may have written.
    since: u64,
    pending: Vec<Pending>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Definedness {
    /// Nobody knows.
    #[default]
    Unknown,
    /// Never written, or lost by a transition from UNDEFINED.
    Undefined,
    /// Lost by DONT_CARE: who reads it afterwards relies on luck, which is another matter than a wasted load.
    Dropped,
    /// Written.
    Defined,
}

/// A load or store operation that left contents undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Discard {
    /// Which.
    pub site: Site,
    /// The frame, and the operation in it.
    at: (u64, u32),
}

/// What reads contents that were discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// loadOp LOAD of this attachment of a pass.
    Load(u32),
    /// The pass reads it as input attachment, or copies it on its own behalf.
    Input,
    /// A shader reads it through a descriptor that it names exactly.
    Shader,
    /// A transfer command.
    Transfer,
    /// It is presented, or leaves the frame otherwise.
    Output,
}

/// A read of contents that a pass discarded before, with no write between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Misread {
    /// The operation that discarded them.
    pub discard: Site,
    /// Number of the frame structure in which they are read.
    pub structure: u32,
    /// The image there.
    pub image: ImageRef,
    /// Who reads.
    pub reader: Reader,
    /// How.
    pub reading: Reading,
}

/// One part of a store or transfer: what it wrote to one subresource.
#[derive(Clone, Debug)]
struct Pending {
    occurrence: u64,
    rect: Rect,
    /// Moment at which it was stored.
    since: u64,
    by_transfer: bool,
}

/// What is known of an image.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracked {
    /// Number of the newest submission of each queue that used it.
    pub users: BTreeMap<u32, u64>,
    /// Queue family that owns it, where known.
    family: Option<u32>,
    /// A release that no acquire has followed yet.
    released: Option<(u32, u32)>,
    /// Reads that are not recorded are possible, or the record of it is not complete.
    pub opaque: bool,
    /// Writes that are not recorded are possible.
    pub unsure: bool,
    /// The numbers that it had in frame structures, which are told where it turns out that several queues use it; and the newest.
    pub roles: BTreeSet<(u32, u32)>,
    pub newest_role: Option<(u32, u32)>,
    contents: BTreeMap<(Aspects, u32, u32), Contents>,
}

impl Tracked {
    /// Nothing is known of its contents any more, nor of what becomes of what was stored.
    pub fn scrub(&mut self, fates: &mut Fates, place: &Place) {
        for contents in self.contents.values_mut() {
            (contents.state, contents.discarded) = (Definedness::Unknown, None);
            for pending in contents.pending.drain(..) {
                fates.settle(pending.occurrence, true, place);
            }
        }
    }

    /// Whether it may be written unseen.
    pub fn is_unsure(&self) -> bool {
        self.unsure || self.opaque
    }

    /// Whether every use so far is known to be complete before a submission.
    pub fn is_free(&self, place: &Place) -> bool {
        self.users.iter().all(|(queue, number)| place.follows(*queue, *number))
    }

    /// Follows the queue family that owns an exclusive image. `false` if its contents are undefined to whoever uses it here.
    pub fn own(&mut self, access: &Access, family: Option<u32>) -> bool {
        if let Event::Ownership { from, to } = access.event {
            if family == Some(from) {
                (self.released, self.family) = (Some((from, to)), None);
                // Families outside the device: somebody else reads it.
                return to < FIRST_OUTSIDE;
            }
            // A barrier names each aspect and each range of the image: the first acquires it.
            let got = self.released.take() == Some((from, to)) || self.family == Some(to);
            self.family = Some(to);
            return got && family == Some(to);
        }
        let Some(family) = family else { return true };
        let owned = self.released.is_none() && self.family.is_none_or(|owner| owner == family);
        (self.family, self.released) = (Some(family), None);
        // Whoever does away with the contents needs no transfer.
        owned || matches!(access.event, Event::Transition | Event::DontCare | Event::Overwrite)
    }
}

/// VK_QUEUE_FAMILY_FOREIGN_EXT and VK_QUEUE_FAMILY_EXTERNAL; VK_QUEUE_FAMILY_IGNORED is the largest of the three.
const FIRST_OUTSIDE: u32 = u32::MAX - 2;

/// When and where an access happens.
pub(super) struct Moment<'a> {
    pub structure: u32,
    pub frame: u64,
    /// How often shaders ran before that are not followed.
    pub now: u64,
    /// The image.
    pub identity: u64,
    pub place: &'a Place,
    /// Whether all earlier uses of the image are known to be complete.
    pub free: bool,
    /// What a transfer writes here.
    pub written: Option<u64>,
}

/// One access. Tells of a read of what was discarded.
pub(super) fn apply(
    tracked: &mut Tracked,
    fates: &mut Fates,
    moment: &Moment<'_>,
    access: &Access,
    image: &Image,
) -> Option<Misread> {
    let &Moment { structure, frame, now, identity, place, free, written } = moment;
    let usages = image.all_usage();
    let (read_by_shaders, written_by_shaders) = (usages & SHADERS != 0, usages & usage::STORAGE != 0);
    let site = |pass, attachment, operation| Site { structure, pass, attachment, aspect: access.aspect, operation };
    let range = access.range;
    if u64::from(range.mips).saturating_mul(u64::from(range.layers)) > MOST_SUBRESOURCES {
        (tracked.opaque, tracked.unsure) = (true, true);
        if let (Maker::Transfer(_), Some(occurrence)) = (access.by, written) {
            fates.give_up(occurrence);
        }
        return None;
    }
    if range.layers == 0 {
        // However many mip levels a hostile record names.
        return None;
    }
    let (opaque, unsure) = (tracked.opaque || !free, tracked.unsure || !free);
    let stored = match access.event {
        Event::Store { pass, attachment } => {
            Some(fates.begin(site(pass, attachment, Operation::Store), frame, identity, read_by_shaders))
        }
        Event::Overwrite | Event::Touch if matches!(access.by, Maker::Transfer(_)) => written,
        _ => None,
    };
    let reads = Read {
        structure,
        frame,
        op: access.op,
        now,
        reader: match access.event {
            Event::Read(reader) => reader,
            Event::Load { pass, .. } => Reader::Pass(pass),
            _ => Reader::Output,
        },
        by: access.by,
    };
    let mut loaded: Option<Definedness> = None;
    let (mut parts, mut discards, mut undefined) = (0u64, Vec::new(), true);
    for mip in range.base_mip..range.base_mip.saturating_add(range.mips) {
        let level = image.extent.mip(mip);
        let all = Rect { from: [0; 3], to: [u64::from(level.width), u64::from(level.height), u64::from(level.depth)] };
        let whole = access.rect.covers(&all);
        for layer in range.base_layer..range.base_layer.saturating_add(range.layers) {
            let contents = tracked.contents.entry((access.aspect, mip, layer)).or_insert_with(|| Contents {
                state: if unsure { Definedness::Unknown } else { Definedness::Undefined },
                ..Contents::default()
            });
            parts += 1;
            let written = written_by_shaders && (contents.since != now || now == NO_MOMENT);
            contents.since = now;
            if unsure || written {
                (contents.state, contents.discarded) = (Definedness::Unknown, None);
            }
            discards.extend(contents.discarded);
            undefined &= matches!(contents.state, Definedness::Undefined | Definedness::Dropped);
            if !matches!(access.event, Event::Read(_) | Event::Load { .. }) {
                // What is read from now on is not, or not only, what the copies wrote.
                for pending in contents.pending.iter().filter(|p| p.by_transfer && p.rect.meets(&access.rect)) {
                    fates.mixed(pending.occurrence);
                }
                contents.discarded = match discard(access, structure, frame) {
                    // A part of what was discarded is discarded again.
                    Some(discard) => (whole || contents.discarded.is_some()).then_some(discard),
                    None if matches!(access.event, Event::Ownership { .. }) => contents.discarded,
                    None => None,
                };
            }
            match access.event {
                Event::Transition | Event::DontCare | Event::Overwrite => {
                    let opaque =
                        |pending: &Pending| opaque || read_by_shaders && (pending.since != now || now == NO_MOMENT);
                    lose(contents, fates, (&access.rect, place), opaque);
                    contents.state = match (access.event, whole) {
                        (Event::Transition, true) => Definedness::Undefined,
                        (Event::DontCare, true) => Definedness::Dropped,
                        (Event::Overwrite, _) => Definedness::Defined,
                        _ => contents.state,
                    };
                }
                Event::Read(_) => read(contents, fates, &access.rect, &reads),
                Event::Load { .. } => {
                    loaded = Some(join(loaded, contents.state));
                    read(contents, fates, &access.rect, &reads);
                }
                Event::Touch => contents.state = Definedness::Defined,
                Event::Ownership { .. } => {}
                Event::Store { .. } => contents.state = Definedness::Defined,
            }
            if let Some(occurrence) = stored {
                let by_transfer = matches!(access.by, Maker::Transfer(_));
                // Of a whole level, transfers name everything: no more can go than there is.
                let rect = if by_transfer { access.rect.within(&all) } else { access.rect };
                contents.pending.push(Pending { occurrence, rect, since: now, by_transfer });
                fates.part(occurrence);
                if contents.pending.len() > MOST_PENDING {
                    // Stores are worth more.
                    let oldest = contents.pending.iter().position(|p| p.by_transfer).unwrap_or(0);
                    fates.settle(contents.pending.remove(oldest).occurrence, true, place);
                }
            }
        }
    }
    if let (Event::Store { .. }, Some(occurrence), true) = (access.event, stored, undefined && parts > 0) {
        fates.stores_undefined(occurrence);
    }
    if let (Event::Load { pass, attachment }, Some(state)) = (access.event, loaded) {
        let site = site(pass, attachment, Operation::Load);
        match state {
            Definedness::Undefined => fates.dead_load(site, frame, identity, read_by_shaders, place),
            Definedness::Unknown => fates.of(site).undecided += 1,
            Definedness::Dropped | Definedness::Defined => fates.of(site).needed += 1,
        }
    }
    misread(access, (structure, frame), &discards, parts)
}

/// The operation of a pass by which contents become undefined.
fn discard(access: &Access, structure: u32, frame: u64) -> Option<Discard> {
    let (pass, attachment, operation) = match (access.by, access.event) {
        (Maker::LoadOp { pass, attachment }, Event::DontCare) => (pass, attachment, Operation::Load),
        (Maker::Discard { pass, attachment }, _) => (pass, attachment, Operation::Store),
        _ => return None,
    };
    Some(Discard {
        site: Site { structure, pass, attachment, aspect: access.aspect, operation },
        at: (frame, access.op),
    })
}

/// Whether an access surely reads what was discarded: `discards` of the `parts` subresources that it reads.
fn misread(access: &Access, (structure, frame): (u32, u64), discards: &[Discard], parts: u64) -> Option<Misread> {
    let all = discards.len() as u64 == parts;
    let (reader, reading, sure) = match (access.event, access.by) {
        (Event::Load { pass, attachment }, _) => (Reader::Pass(pass), Reading::Load(attachment), true),
        (Event::Read(reader), Maker::LoadOp { .. }) => (reader, Reading::Input, all),
        // Which of the levels and layers of a view a shader reads is not known.
        (Event::Read(reader), Maker::Shader { kind: AccessKind::Sampled | AccessKind::StorageRead, certain }) => {
            (reader, Reading::Shader, all && certain)
        }
        (Event::Read(reader), Maker::Transfer(_)) => (reader, Reading::Transfer, true),
        (Event::Read(Reader::Output), Maker::Other) => (Reader::Output, Reading::Output, all),
        _ => return None,
    };
    // What else the same pass does with the contents lies before or after, as its subpasses are.
    let first = discards.iter().find(|discard| discard.at != (frame, access.op))?;
    let image = access.image;
    sure.then_some(Misread { discard: first.site, structure, image, reader, reading })
}

/// A load of several subresources is for nothing only if all of them are undefined.
fn join(before: Option<Definedness>, now: Definedness) -> Definedness {
    match (before, now) {
        (None, now) => now,
        (Some(before), now) if before == now => now,
        (Some(Definedness::Defined | Definedness::Dropped), _) | (_, Definedness::Defined | Definedness::Dropped) => {
            Definedness::Defined
        }
        _ => Definedness::Unknown,
    }
}

/// Contents in `rect` go. Stores that lie inside are lost; stores that stick out may still be read. `opaque` tells of which nobody knows
/// whether they were read before.
fn lose(contents: &mut Contents, fates: &mut Fates, (rect, place): (&Rect, &Place), opaque: impl Fn(&Pending) -> bool) {
    contents.pending.retain(|pending| {
        let gone = rect.covers(&pending.rect);
        if gone {
            fates.settle(pending.occurrence, opaque(pending), place);
        }
        !gone
    });
}

/// Contents in `rect` are read.
fn read(contents: &Contents, fates: &mut Fates, rect: &Rect, by: &Read) {
    for pending in contents.pending.iter().filter(|p| p.rect.meets(rect)) {
        fates.read(pending.occurrence, by);
    }
}
