//! The life of contents from frame to frame.
//!
//! For each subresource and aspect of each image this keeps whether its contents are defined, and which stores are pending:
//! written and neither read nor lost. A store's fate is decided by proof only: it is *dead* when an event that covers all of it
//! makes its contents go before anybody read them, with everything in between seen. A read of any part makes it *read*.
//! Everything else stays undecided: gaps in the record, images that shaders, the host or others may read unseen, more than one
//! queue, the end of the run.

use super::Rect;
use super::access::{Access, Accesses, Event, Operation, Reader};
use crate::frame::{Aspects, FrameStructure, HOST_QUEUE, Image, Op, usage};
use crate::ranges::Ranges;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// More subresources of one access than this are not followed.
const MOST_SUBRESOURCES: u64 = 4096;
/// More pending stores of one subresource than this are not followed.
const MOST_PENDING: usize = 64;

/// An attachment's load or store in a frame structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Number of the structure.
    pub structure: u32,
    /// Number of the pass in the frame.
    pub pass: u32,
    /// Its attachment.
    pub attachment: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// Load or store.
    pub operation: Operation,
}

/// What became of a site over the run.
#[derive(Clone, Debug, Default)]
pub struct Fate {
    /// Frames in which a load had nothing to load, or a store was for nobody.
    pub dead: Ranges,
    /// Frames in which a store was read by transfers only, and by which; then its contents went.
    pub by_transfers: BTreeMap<BTreeSet<u32>, Ranges>,
    /// Times the contents were needed, or may be by any reader but a transfer.
    pub needed: u64,
    /// Times transfers read it, whatever came after.
    pub transferred: u64,
    /// Times nothing could be proved.
    pub undecided: u64,
}

/// Contents of a subresource.
#[derive(Clone, Debug, Default)]
struct Contents {
    state: Definedness,
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

/// One part of a store: what it wrote to one subresource.
#[derive(Clone, Debug)]
struct Pending {
    occurrence: u64,
    rect: Rect,
    /// Moment at which it was stored.
    since: u64,
}

/// A store in one frame, over all its subresources: it was for nothing only if all of it was.
#[derive(Clone, Debug)]
struct Occurrence {
    site: Site,
    frame: u64,
    parts: u32,
    transfers: BTreeSet<u32>,
    needed: bool,
    undecided: bool,
}

/// Stores whose fate is still open, and what became of the others.
#[derive(Clone, Debug, Default)]
struct Fates {
    by_site: BTreeMap<Site, Fate>,
    open: BTreeMap<u64, Occurrence>,
    next: u64,
}

impl Fates {
    fn of(&mut self, site: Site) -> &mut Fate {
        self.by_site.entry(site).or_default()
    }

    fn begin(&mut self, site: Site, frame: u64) -> u64 {
        self.next += 1;
        let (transfers, needed, undecided) = (BTreeSet::new(), false, false);
        self.open.insert(self.next, Occurrence { site, frame, parts: 0, transfers, needed, undecided });
        self.next
    }

    /// A part was read in `frame`.
    fn read(&mut self, occurrence: u64, frame: u64, reader: Reader) {
        let Some(open) = self.open.get_mut(&occurrence) else { return };
        let fate = self.by_site.entry(open.site).or_default();
        match reader {
            // A transfer of another frame is beyond what an edit of this frame can replace.
            Reader::Transfer(number) if frame == open.frame => {
                open.transfers.insert(number);
                fate.transferred += 1;
            }
            _ if !open.needed => {
                open.needed = true;
                fate.needed += 1;
            }
            _ => {}
        }
    }

    /// A part went, by proof or because nothing more can be said of it.
    fn settle(&mut self, occurrence: u64, undecided: bool) {
        let Some(open) = self.open.get_mut(&occurrence) else { return };
        open.parts = open.parts.saturating_sub(1);
        open.undecided |= undecided;
        if open.parts > 0 {
            return;
        }
        let Some(done) = self.open.remove(&occurrence) else { return };
        let fate = self.by_site.entry(done.site).or_default();
        if done.needed {
            // Counted when it was read.
        } else if done.undecided {
            fate.undecided += 1;
        } else if done.transfers.is_empty() {
            fate.dead.insert(done.frame);
        } else {
            fate.by_transfers.entry(done.transfers).or_default().insert(done.frame);
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Tracked {
    queue: Option<u32>,
    /// Reads that are not recorded are possible, or the record of it is not complete.
    opaque: bool,
    /// Writes that are not recorded are possible.
    unsure: bool,
    contents: BTreeMap<(Aspects, u32, u32), Contents>,
}

/// The state of all images of a run.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    images: BTreeMap<u64, Tracked>,
    fates: Fates,
    gap: bool,
    /// How often shaders ran of which it is not known what they reach.
    unseen: u64,
    /// Whether the program may use an [extension](super::EXTERNAL_READERS) that reaches images unseen.
    pub external_readers: bool,
}

/// Usages whose every read and write is recorded, or is by shaders that [`Accesses::unseen`] tells of.
const RECORDED: u32 = SHADERS
    | usage::TRANSFER_SRC
    | usage::TRANSFER_DST
    | usage::COLOR_ATTACHMENT
    | usage::DEPTH_STENCIL_ATTACHMENT
    | usage::TRANSIENT_ATTACHMENT
    | usage::INPUT_ATTACHMENT
    | usage::HOST_TRANSFER
    | usage::VIDEO;
/// Usages by which shaders reach an image through descriptors.
const SHADERS: u32 = usage::SAMPLED | usage::STORAGE;
/// Sparse residency and aliasing: VK_IMAGE_CREATE_SPARSE_BINDING, _SPARSE_RESIDENCY, _SPARSE_ALIASED, _ALIAS.
const SHARED_MEMORY: u32 = 0x1 | 0x2 | 0x4 | 0x400;
/// VK_IMAGE_TILING_OPTIMAL: the host cannot make sense of the bytes.
const OPTIMAL: i32 = 0;

/// Whether something that is not recorded may read the image.
pub fn may_be_read_unseen(image: &Image) -> bool {
    let host = image.tiling != OPTIMAL && (image.memory.properties.is_none() || image.memory.host_visible());
    image.all_usage() & !RECORDED != 0
        || image.memory.external
        || image.memory.aliased
        || image.reached_unseen
        || image.always_shown
        || image.flags & SHARED_MEMORY != 0
        || host
}

impl Liveness {
    /// Stores of which nobody can say whether somebody reads them.
    pub fn undecided_stores(&self) -> BTreeSet<(u32, u32, u32)> {
        let open = self.fates.open.values().filter(|o| !o.needed && o.transfers.is_empty()).map(|o| o.site);
        let settled = self.fates.by_site.iter().filter(|(_, fate)| fate.undecided > 0).map(|(site, _)| *site);
        open.chain(settled)
            .filter(|site| site.operation == Operation::Store)
            .filter(|site| {
                self.fates.by_site.get(site).is_none_or(|f| f.needed == 0 && f.transferred == 0 && f.dead.count() == 0)
            })
            .map(|site| (site.structure, site.pass, site.attachment))
            .collect()
    }

    /// What became of every site that was met.
    pub fn fates(&self) -> impl Iterator<Item = (&Site, &Fate)> {
        self.fates.by_site.iter()
    }

    /// The record has a hole: nothing that was pending can be proved any more, and nothing is known of any image.
    pub fn gap(&mut self) {
        self.gap = true;
        for tracked in core::mem::take(&mut self.images).into_values() {
            for pending in tracked.contents.into_values().flat_map(|c| c.pending) {
                self.fates.settle(pending.occurrence, true);
            }
        }
    }

    /// Takes in one occurrence of a structure. `identities` are the images behind its image numbers.
    pub fn frame(&mut self, structure: u32, frame: &FrameStructure, found: &Accesses, index: u64, identities: &[u64]) {
        if !is_followed(frame) || identities.len() < frame.images.len() {
            // Nothing of it is believed: neither what it found nor what it leaves.
            self.gap();
            return;
        }
        let mut unseen = found.unseen.iter().peekable();
        for (number, access) in found.list.iter().enumerate() {
            while unseen.next_if(|before| **before <= number).is_some() {
                self.unseen += 1;
            }
            let (Some(image), Some(identity)) =
                (frame.images.get(access.image.0 as usize), identities.get(access.image.0 as usize))
            else {
                continue;
            };
            let fresh = !self.images.contains_key(identity);
            let tracked = self.images.entry(*identity).or_default();
            if fresh {
                tracked.unsure = self.gap;
            }
            let unseen = may_be_read_unseen(image) || self.external_readers && image.usage & SHADERS != 0;
            (tracked.opaque, tracked.unsure) = (tracked.opaque || unseen, tracked.unsure || unseen);
            if access.queue != HOST_QUEUE {
                if tracked.queue.is_some_and(|q| q != access.queue) {
                    // The order of two queues is not followed.
                    (tracked.opaque, tracked.unsure) = (true, true);
                }
                tracked.queue = Some(access.queue);
            }
            apply(tracked, &mut self.fates, (structure, index, self.unseen), access, image);
        }
        self.unseen += unseen.count() as u64;
    }
}

/// Whether everything that the frame does to its images is known.
pub fn is_followed(frame: &FrameStructure) -> bool {
    let placed = |command: &str| frame.ops().any(|op| matches!(op, Op::Opaque(opaque) if opaque.command == command));
    frame.unmodelled.iter().all(|u| is_harmless(u) || placed(u))
}

/// Commands that cannot read an image other than through descriptors, which images must have a usage for.
fn is_harmless(unmodelled: &str) -> bool {
    ["vkCmdCopyQueryPoolResults", "vkCmdTraceRays", "vkCmdBuildAccelerationStructures"]
        .iter()
        .any(|name| unmodelled.starts_with(name))
}

/// One access, in a frame of a structure, at a moment: how often shaders ran before that are not followed.
fn apply(
    tracked: &mut Tracked,
    fates: &mut Fates,
    (structure, frame, now): (u32, u64, u64),
    access: &Access,
    image: &Image,
) {
    let usages = image.all_usage();
    let (read_by_shaders, written_by_shaders) = (usages & SHADERS != 0, usages & usage::STORAGE != 0);
    let site = |pass, attachment, operation| Site { structure, pass, attachment, aspect: access.aspect, operation };
    let range = access.range;
    if u64::from(range.mips).saturating_mul(u64::from(range.layers)) > MOST_SUBRESOURCES {
        (tracked.opaque, tracked.unsure) = (true, true);
        return;
    }
    let (opaque, unsure) = (tracked.opaque, tracked.unsure);
    let stored = match access.event {
        Event::Store { pass, attachment } => Some(fates.begin(site(pass, attachment, Operation::Store), frame)),
        _ => None,
    };
    let mut loaded: Option<Definedness> = None;
    for mip in range.base_mip..range.base_mip.saturating_add(range.mips) {
        let level = image.extent.mip(mip);
        let all = Rect { from: [0; 3], to: [u64::from(level.width), u64::from(level.height), u64::from(level.depth)] };
        let whole = access.rect.covers(&all);
        for layer in range.base_layer..range.base_layer.saturating_add(range.layers) {
            let contents = tracked.contents.entry((access.aspect, mip, layer)).or_insert_with(|| Contents {
                state: if unsure { Definedness::Unknown } else { Definedness::Undefined },
                since: 0,
                pending: Vec::new(),
            });
            let written = written_by_shaders && contents.since != now;
            contents.since = now;
            if unsure || written {
                contents.state = Definedness::Unknown;
            }
            match access.event {
                Event::Transition | Event::DontCare | Event::Overwrite => {
                    let opaque = |pending: &Pending| opaque || read_by_shaders && pending.since != now;
                    lose(contents, fates, &access.rect, opaque);
                    contents.state = match (access.event, whole) {
                        (Event::Transition, true) => Definedness::Undefined,
                        (Event::DontCare, true) => Definedness::Dropped,
                        (Event::Overwrite, _) => Definedness::Defined,
                        _ => contents.state,
                    };
                }
                Event::Read(reader) => read(contents, fates, &access.rect, frame, reader),
                Event::Load { pass, .. } => {
                    loaded = Some(join(loaded, contents.state));
                    read(contents, fates, &access.rect, frame, Reader::Pass(pass));
                }
                Event::Touch => contents.state = Definedness::Defined,
                Event::Store { .. } => {
                    contents.state = Definedness::Defined;
                    if let Some(occurrence) = stored {
                        contents.pending.push(Pending { occurrence, rect: access.rect, since: now });
                        if let Some(open) = fates.open.get_mut(&occurrence) {
                            open.parts += 1;
                        }
                        if contents.pending.len() > MOST_PENDING {
                            let oldest = contents.pending.remove(0);
                            fates.settle(oldest.occurrence, true);
                        }
                    }
                }
            }
        }
    }
    if let (Event::Load { pass, attachment }, Some(state)) = (access.event, loaded) {
        let fate = fates.of(site(pass, attachment, Operation::Load));
        match state {
            Definedness::Undefined => {
                fate.dead.insert(frame);
            }
            Definedness::Unknown => fate.undecided += 1,
            Definedness::Dropped | Definedness::Defined => fate.needed += 1,
        }
    }
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
fn lose(contents: &mut Contents, fates: &mut Fates, rect: &Rect, opaque: impl Fn(&Pending) -> bool) {
    contents.pending.retain(|pending| {
        let gone = rect.covers(&pending.rect);
        if gone {
            fates.settle(pending.occurrence, opaque(pending));
        }
        !gone
    });
}

/// Contents in `rect` are read.
fn read(contents: &Contents, fates: &mut Fates, rect: &Rect, frame: u64, reader: Reader) {
    for pending in contents.pending.iter().filter(|p| p.rect.meets(rect)) {
        fates.read(pending.occurrence, frame, reader);
    }
}
