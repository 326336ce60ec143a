//! The life of contents from frame to frame.
//!
//! For each subresource and aspect of each image this keeps whether its contents are defined, and which stores are pending:
//! written and neither read nor lost. A store's fate is decided by proof only: it is *dead* when an event that covers all of it
//! makes its contents go before anybody read them, with everything in between seen. A read of any part makes it *read*.
//! Everything else stays undecided: gaps in the record, images that shaders, the host or others may read unseen, accesses of two
//! queues that are not known to follow each other, an exclusive image that another queue family uses without getting it, the end
//! of an image, the end of the run.

use super::Rect;
use super::access::{Access, Accesses, Event, Operation, Reader};
use super::lives::Lives;
use super::order::{Place, Progress};
use super::verdict::Fates;
pub use super::verdict::{Fate, Site};
use crate::frame::{Aspects, FrameStructure, HOST_QUEUE, Image, Op, usage};
use crate::record::{FrameRecord, Queues};
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

#[derive(Clone, Debug, Default)]
struct Tracked {
    /// Number of the newest submission of each queue that used it.
    users: BTreeMap<u32, u64>,
    /// Queue family that owns it, where known.
    family: Option<u32>,
    /// A release that no acquire has followed yet.
    released: Option<(u32, u32)>,
    /// Reads that are not recorded are possible, or the record of it is not complete.
    opaque: bool,
    /// Writes that are not recorded are possible.
    unsure: bool,
    contents: BTreeMap<(Aspects, u32, u32), Contents>,
}

impl Tracked {
    /// Nothing is known of its contents any more, nor of what becomes of what was stored.
    fn scrub(&mut self, fates: &mut Fates, place: &Place) {
        for contents in self.contents.values_mut() {
            contents.state = Definedness::Unknown;
            for pending in contents.pending.drain(..) {
                fates.settle(pending.occurrence, true, place);
            }
        }
    }

    /// Whether every use so far is known to be complete before a submission.
    fn is_free(&self, place: &Place) -> bool {
        self.users.iter().all(|(queue, number)| place.follows(*queue, *number))
    }

    /// Follows the queue family that owns an exclusive image. `false` if its contents are undefined to whoever uses it here.
    fn own(&mut self, access: &Access, family: Option<u32>) -> bool {
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

/// The state of all images of a run.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    images: BTreeMap<u64, Tracked>,
    lives: Lives,
    fates: Fates,
    progress: Progress,
    /// How many queues are known to have work.
    queues: u32,
    /// How many the device has; 0 where that is not known.
    created: u32,
    gap: bool,
    /// Frames before this number are missing in part.
    missing_before: Option<u64>,
    /// How often shaders ran of which it is not known what they reach.
    unseen: u64,
    /// Whether the program may use an [extension](super::EXTERNAL_READERS) that reaches images unseen.
    pub external_readers: bool,
    /// Newest submission of each queue in which they did.
    unseen_by: BTreeMap<u32, u64>,
    newest: Option<u64>,
}

/// Moment of an access to which no other moment is equal: shaders that are not followed may run before or after it.
const NO_MOMENT: u64 = u64::MAX;

/// Usages whose every read and write is recorded in its order, or is by shaders that [`Accesses::unseen`] tells of. Not HOST_TRANSFER: work
/// that was submitted may wait for the host, and what the host does meanwhile comes before it.
const RECORDED: u32 = SHADERS
    | usage::TRANSFER_SRC
    | usage::TRANSFER_DST
    | usage::COLOR_ATTACHMENT
    | usage::DEPTH_STENCIL_ATTACHMENT
    | usage::TRANSIENT_ATTACHMENT
    | usage::INPUT_ATTACHMENT
    | usage::ATTACHMENT_FEEDBACK_LOOP
    | usage::SHADING_RATE
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
        let all = self.fates.all();
        let unsettled = self.fates.unsettled(&all);
        unsettled
            .into_iter()
            .filter(|site| site.operation == Operation::Store)
            .filter(|site| all.get(site).is_none_or(|f| f.needed == 0 && f.transferred == 0 && f.dead.count() == 0))
            .map(|site| (site.structure, site.pass, site.attachment))
            .collect()
    }

    /// What became of every site that was met.
    pub fn fates(&self) -> BTreeMap<Site, Fate> {
        self.fates.all()
    }

    /// Which images of which frames are the same one.
    pub fn lives(&self) -> &Lives {
        &self.lives
    }

    /// Whether the host, another process or an extension may do something to the image that is not recorded, or shaders of which it is
    /// known that what they reach is not.
    pub fn may_be_reached_unseen(&self, image: &Image) -> bool {
        let by_shaders = self.external_readers || self.unseen > 0;
        may_be_read_unseen(image) || by_shaders && image.all_usage() & SHADERS != 0
    }

    /// Images that are followed, and stores and verdicts that are open.
    pub fn size(&self) -> (usize, usize) {
        (self.images.len(), self.fates.open.len())
    }

    /// The record has a hole: nothing that was pending can be proved any more, and nothing is known of any image.
    pub fn gap(&mut self) {
        self.gap = true;
        self.lives.gap();
        self.fates.gap();
        if self.progress.queues().max(self.queues as usize) > 1 {
            self.progress.gap(if self.created > 0 { self.created as usize } else { usize::MAX });
            // Known once the next frame comes.
            self.missing_before = Some(u64::MAX);
        }
        let nowhere = Place { queue: HOST_QUEUE, ..Place::default() };
        for mut tracked in core::mem::take(&mut self.images).into_values() {
            tracked.scrub(&mut self.fates, &nowhere);
        }
    }

    /// Several queues have work from now on, be it in frames that are missing.
    pub fn queues(&mut self, queues: Queues) {
        self.created = self.created.max(queues.created);
        if queues.count > self.queues.max(1) {
            self.queues = queues.count;
            self.fates.several(Some(queues.complete_before));
        }
    }

    /// The run is over: nothing more can come between.
    pub fn end(&mut self) {
        self.fates.end();
    }

    /// Takes in one occurrence of a structure.
    pub fn frame(&mut self, frame: &FrameStructure, found: &Accesses, record: &FrameRecord) {
        let late = self.newest.is_some_and(|newest| record.index <= newest);
        self.newest = self.newest.max(Some(record.index));
        if record.complete_before > 0 {
            self.fates.confirm(|_, _, frame| frame < record.complete_before);
        }
        if let Some(before) = &mut self.missing_before {
            *before = record.index.min(*before);
            if record.complete_before >= *before {
                self.progress.nothing_is_missing();
                self.missing_before = None;
            }
        }
        let places = self.progress.frame(record.index, frame, &found.order, &record.waited);
        if late || !is_followed(frame) || record.images.len() < frame.images.len() {
            // Nothing of it is believed: neither what it found nor what it leaves.
            self.gap();
            self.missing_before = self.missing_before.map(|_| record.index.saturating_add(1));
        } else {
            self.accesses(frame, found, record, &places);
            self.lives.frame(record.structure, frame, &record.images);
        }
        for image in &record.destroyed {
            self.lives.forget(*image);
            if let Some(mut gone) = self.images.remove(image) {
                gone.scrub(&mut self.fates, &Place { queue: HOST_QUEUE, ..Place::default() });
            }
            self.fates.forget(*image);
        }
        let queues = self.progress.queues().max(self.queues as usize);
        if queues > 1 {
            self.fates.several(None);
            let created = if self.created > 0 { self.created as usize } else { usize::MAX };
            self.fates.confirm(|queue, number, _| self.progress.is_behind_all(queue, number, created));
        }
    }

    fn accesses(&mut self, frame: &FrameStructure, found: &Accesses, record: &FrameRecord, places: &[Place]) {
        let outside = Place { queue: HOST_QUEUE, ..Place::default() };
        let place_of = |submission: u32| places.get(submission as usize).unwrap_or(&outside);
        let mut unseen = found.unseen.iter().peekable();
        for (number, access) in found.list.iter().enumerate() {
            while let Some(work) = unseen.next_if(|work| work.before <= number) {
                self.unseen_at(place_of(work.submission));
            }
            let (Some(image), Some(identity)) =
                (frame.images.get(access.image.0 as usize), record.images.get(access.image.0 as usize))
            else {
                continue;
            };
            let family = frame.submissions.get(access.submission as usize).and_then(|s| s.family);
            self.access((access, family), record, (image, *identity), place_of(access.submission));
        }
        for work in unseen {
            self.unseen_at(place_of(work.submission));
        }
    }

    fn access(
        &mut self,
        (access, family): (&Access, Option<u32>),
        record: &FrameRecord,
        (image, identity): (&Image, u64),
        place: &Place,
    ) {
        let fresh = !self.images.contains_key(&identity);
        let tracked = self.images.entry(identity).or_default();
        if fresh {
            tracked.unsure = self.gap;
        }
        let unseen = may_be_read_unseen(image) || self.external_readers && image.all_usage() & SHADERS != 0;
        (tracked.opaque, tracked.unsure) = (tracked.opaque || unseen, tracked.unsure || unseen);
        let free = tracked.is_free(place) && self.progress.is_after_gaps(place);
        if !free {
            self.fates.doubt(Some(identity), place);
        }
        if !free || !image.concurrent && !tracked.own(access, family) {
            tracked.scrub(&mut self.fates, place);
        }
        // Shaders that may reach the image, before or after this access.
        let beside = self.unseen_by.iter().any(|(queue, number)| !place.follows(*queue, *number));
        let now = if beside { NO_MOMENT } else { self.unseen };
        let moment = Moment { structure: record.structure, frame: record.index, now, identity, place, free };
        apply(tracked, &mut self.fates, &moment, access, image);
        if !free {
            tracked.scrub(&mut self.fates, place);
        }
        if place.queue != HOST_QUEUE {
            let user = tracked.users.entry(place.queue).or_default();
            *user = place.number.max(*user);
        }
    }

    /// Shaders run that may reach any image.
    fn unseen_at(&mut self, place: &Place) {
        self.unseen += 1;
        self.fates.doubt(None, place);
        if place.queue != HOST_QUEUE {
            self.unseen_by.insert(place.queue, place.number);
        }
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

/// When and where an access happens.
struct Moment<'a> {
    structure: u32,
    frame: u64,
    /// How often shaders ran before that are not followed.
    now: u64,
    /// The image.
    identity: u64,
    place: &'a Place,
    /// Whether all earlier uses of the image are known to be complete.
    free: bool,
}

/// One access.
fn apply(tracked: &mut Tracked, fates: &mut Fates, moment: &Moment<'_>, access: &Access, image: &Image) {
    let &Moment { structure, frame, now, identity, place, free } = moment;
    let usages = image.all_usage();
    let (read_by_shaders, written_by_shaders) = (usages & SHADERS != 0, usages & usage::STORAGE != 0);
    let site = |pass, attachment, operation| Site { structure, pass, attachment, aspect: access.aspect, operation };
    let range = access.range;
    if u64::from(range.mips).saturating_mul(u64::from(range.layers)) > MOST_SUBRESOURCES {
        (tracked.opaque, tracked.unsure) = (true, true);
        return;
    }
    if range.layers == 0 {
        // However many mip levels a hostile record names.
        return;
    }
    let (opaque, unsure) = (tracked.opaque || !free, tracked.unsure || !free);
    let stored = match access.event {
        Event::Store { pass, attachment } => {
            Some(fates.begin(site(pass, attachment, Operation::Store), frame, identity, read_by_shaders))
        }
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
            let written = written_by_shaders && (contents.since != now || now == NO_MOMENT);
            contents.since = now;
            if unsure || written {
                contents.state = Definedness::Unknown;
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
                Event::Read(reader) => read(contents, fates, &access.rect, frame, reader),
                Event::Load { pass, .. } => {
                    loaded = Some(join(loaded, contents.state));
                    read(contents, fates, &access.rect, frame, Reader::Pass(pass));
                }
                Event::Touch => contents.state = Definedness::Defined,
                Event::Ownership { .. } => {}
                Event::Store { .. } => {
                    contents.state = Definedness::Defined;
                    if let Some(occurrence) = stored {
                        contents.pending.push(Pending { occurrence, rect: access.rect, since: now });
                        if let Some(open) = fates.open.get_mut(&occurrence) {
                            open.parts += 1;
                        }
                        if contents.pending.len() > MOST_PENDING {
                            let oldest = contents.pending.remove(0);
                            fates.settle(oldest.occurrence, true, place);
                        }
                    }
                }
            }
        }
    }
    if let (Event::Load { pass, attachment }, Some(state)) = (access.event, loaded) {
        let site = site(pass, attachment, Operation::Load);
        match state {
            Definedness::Undefined => fates.dead_load(site, frame, identity, read_by_shaders, place),
            Definedness::Unknown => fates.of(site).undecided += 1,
            Definedness::Dropped | Definedness::Defined => fates.of(site).needed += 1,
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
fn read(contents: &Contents, fates: &mut Fates, rect: &Rect, frame: u64, reader: Reader) {
    for pending in contents.pending.iter().filter(|p| p.rect.meets(rect)) {
        fates.read(pending.occurrence, frame, reader);
    }
}
