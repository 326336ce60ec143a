//! The life of contents from frame to frame.
//!
//! For each subresource and aspect of each image this keeps whether its contents are defined, and which stores are pending:
//! written and neither read nor lost. A store's fate is decided by proof only: it is *dead* when an event that covers all of it
//! makes its contents go before anybody read them, with everything in between seen. A read of any part makes it *read*.
//! Everything else stays undecided: gaps in the record, images that shaders, the host or others may read unseen, accesses of two
//! queues that are not known to follow each other, an exclusive image that another queue family uses without getting it, the end
//! of an image, the end of the run.

use super::access::{Access, Accesses, Event, Maker, Operation};
use super::contents::{Misread, Moment, Tracked, apply};
use super::lives::Lives;
use super::order::{Place, Progress};
use super::verdict::Fates;
pub use super::verdict::{CopyReader, Fate, Site};
use crate::frame::{Aspects, FrameStructure, HOST_QUEUE, Image, Op, usage};
use crate::ranges::Ranges;
use crate::record::{FrameRecord, Queues};
use alloc::collections::{BTreeMap, BTreeSet};
use core::mem::take;

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
    /// Reads of contents that somebody discarded, with the frames of the reads.
    misreads: BTreeMap<Misread, Ranges>,
    /// Images that more than one queue uses, by number of the structure and of the image in it.
    shared: BTreeSet<(u32, u32)>,
    /// The transfer whose accesses are being taken in.
    writing: Option<Writing>,
}

/// A transfer on its way through the list of accesses.
#[derive(Clone, Copy, Debug)]
struct Writing {
    transfer: u32,
    /// The image that it reads.
    source: Option<(u64, bool)>,
    /// What became of what it writes.
    occurrence: Option<u64>,
}

/// Moment of an access to which no other moment is equal: shaders that are not followed may run before or after it.
pub(super) const NO_MOMENT: u64 = u64::MAX;

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
pub(super) const SHADERS: u32 = usage::SAMPLED | usage::STORAGE;
/// Usages of which every use by shaders is recorded too: what shaders reach of other images is not.
const ATTACHMENT: u32 =
    usage::COLOR_ATTACHMENT | usage::DEPTH_STENCIL_ATTACHMENT | usage::TRANSIENT_ATTACHMENT | usage::INPUT_ATTACHMENT;
/// VK_IMAGE_CREATE_SPARSE_BINDING, _SPARSE_RESIDENCY, _SPARSE_ALIASED: which memory such an image has at which time is not followed.
const SPARSE: u32 = 0x1 | 0x2 | 0x4;
/// VK_IMAGE_CREATE_ALIAS.
const ALIAS: u32 = 0x400;
/// VK_IMAGE_TILING_OPTIMAL: the host cannot make sense of the bytes.
const OPTIMAL: i32 = 0;

/// Whether something that is not recorded may read the image.
pub fn may_be_read_unseen(image: &Image) -> bool {
    let host = image.tiling != OPTIMAL && (image.memory.properties.is_none() || image.memory.host_visible());
    image.all_usage() & !RECORDED != 0
        || image.memory.external
        || image.reached_unseen
        || image.always_shown
        || may_share_memory(image)
        || host
}

/// Whether other images or buffers may lie in the same memory.
pub const fn may_share_memory(image: &Image) -> bool {
    image.memory.aliased || image.flags & (SPARSE | ALIAS) != 0
}

/// Whether the image gets its memory by vkQueueBindSparse.
pub const fn is_sparse(image: &Image) -> bool {
    image.flags & SPARSE != 0
}

/// Whether shaders may reach the image through descriptors.
pub fn may_be_reached_by_shaders(image: &Image) -> bool {
    image.all_usage() & SHADERS != 0
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

    /// Reads of contents that a pass had discarded, and in which frames they happened. Of images that several queues use the order is
    /// the one in which the work was submitted.
    pub const fn misreads(&self) -> &BTreeMap<Misread, Ranges> {
        &self.misreads
    }

    /// Images that more than one queue uses, by number of the structure and of the image in it.
    pub const fn shared(&self) -> &BTreeSet<(u32, u32)> {
        &self.shared
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
        for mut tracked in take(&mut self.images).into_values() {
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
            self.fates.disturb(*image, None);
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
            self.transfer(access, record, (image, *identity));
            self.access((access, family), record, (image, *identity), place_of(access.submission));
        }
        self.written();
        for work in unseen {
            self.unseen_at(place_of(work.submission));
        }
    }

    /// Follows what transfers write: all of what one command writes is one occurrence.
    fn transfer(&mut self, access: &Access, record: &FrameRecord, (image, identity): (&Image, u64)) {
        let Maker::Transfer(transfer) = access.by else { return self.written() };
        if self.writing.is_none_or(|writing| writing.transfer != transfer) {
            self.written();
            self.writing = Some(Writing { transfer, source: None, occurrence: None });
        }
        let Some(writing) = &mut self.writing else { return };
        match access.event {
            Event::Read(_) => writing.source = Some((identity, image.all_usage() & usage::STORAGE != 0)),
            // Of images that can be no attachment nobody knows who reads them.
            _ if writing.occurrence.is_none() && image.all_usage() & ATTACHMENT != 0 => {
                let (structure, operation, aspect) = (record.structure, Operation::Write, Aspects::default());
                let site = Site { structure, pass: transfer, attachment: 0, aspect, operation };
                let occurrence = self.fates.begin(site, record.index, identity, image.all_usage() & SHADERS != 0);
                // It is open until all of its regions are known.
                self.fates.part(occurrence);
                if let Some((source, storage)) = writing.source {
                    let opaque = self.images.get(&source).is_none_or(Tracked::is_unsure);
                    let gone = record.destroyed.contains(&source) || source == identity;
                    self.fates.copies(occurrence, source, storage.then_some(self.unseen), opaque || gone);
                }
                writing.occurrence = Some(occurrence);
            }
            _ => {}
        }
    }

    /// All regions of a transfer are known.
    fn written(&mut self) {
        if let Some(occurrence) = self.writing.take().and_then(|writing| writing.occurrence) {
            self.fates.settle(occurrence, false, &Place { queue: HOST_QUEUE, ..Place::default() });
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
        if unseen && !tracked.opaque {
            self.fates.disturb(identity, None);
        }
        (tracked.opaque, tracked.unsure) = (tracked.opaque || unseen, tracked.unsure || unseen);
        let free = tracked.is_free(place) && self.progress.is_after_gaps(place);
        if !free {
            self.fates.doubt(Some(identity), place);
        }
        if !free || !image.concurrent && !tracked.own(access, family) {
            tracked.scrub(&mut self.fates, place);
            self.fates.disturb(identity, None);
        }
        if tracked.newest_role != Some((record.structure, access.image.0)) {
            tracked.newest_role = Some((record.structure, access.image.0));
            tracked.roles.insert((record.structure, access.image.0));
        }
        if !matches!(access.event, Event::Read(_) | Event::Load { .. }) {
            self.fates.disturb(identity, Some((record.index, access.op)));
        }
        // Shaders that may reach the image, before or after this access.
        let beside = self.unseen_by.iter().any(|(queue, number)| !place.follows(*queue, *number));
        let now = if beside { NO_MOMENT } else { self.unseen };
        let written = self.writing.and_then(|writing| writing.occurrence);
        let moment = Moment { structure: record.structure, frame: record.index, now, identity, place, free, written };
        if let Some(misread) = apply(tracked, &mut self.fates, &moment, access, image) {
            self.misreads.entry(misread).or_default().insert(record.index);
        }
        if !free {
            tracked.scrub(&mut self.fates, place);
        }
        if place.queue != HOST_QUEUE {
            let user = tracked.users.entry(place.queue).or_default();
            *user = place.number.max(*user);
            if tracked.users.len() > 1 {
                self.shared.append(&mut tracked.roles);
            }
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
