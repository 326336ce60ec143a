//! Submissions in the application's order, and where frames end.
//!
//! A lock is held for the push only, never while calling down. What is held between two boundaries is bounded: submissions without
//! command buffers leave nothing, and a frame of far too many operations is forgotten but for its number.

use super::descriptors::Contents;
use super::objects::Image;
use super::order::{Clock, Edges, Late, Order, Point};
use super::recording::Recording;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tbdr_model::frame::{Boundary, HOST_QUEUE, OutputReason, SemaphoreStages, StageMasks, SubmissionRef};
use tbdr_model::record::{Commitment, Queues, Waited};

/// One thing that happened on a queue.
pub enum Item {
    /// A batch of command buffers, or what the host did to images.
    Batch {
        /// Number of the queue, in order of first use, or [`HOST_QUEUE`].
        queue: u32,
        /// Its family, where known.
        family: Option<u32>,
        /// What it follows on other queues.
        after: Vec<SubmissionRef>,
        /// Whether the host learned of nothing since the batch before it in the frame.
        unwaited: bool,
        /// At which stages semaphores are waited for and signalled, where known.
        semaphores: Option<SemaphoreStages>,
        /// The command buffers.
        recordings: Vec<Arc<Recording>>,
        /// What descriptor sets hold that count as they are at submission.
        contents: Contents,
    },
    /// vkQueueBeginDebugUtilsLabelEXT.
    LabelBegin(u32, Arc<str>),
    /// vkQueueEndDebugUtilsLabelEXT.
    LabelEnd(u32),
    /// vkQueueInsertDebugUtilsLabelEXT.
    Label(Arc<str>),
}

/// One batch of a submission.
#[derive(Default)]
pub struct Batch {
    /// Its command buffers.
    pub recordings: Vec<Arc<Recording>>,
    /// The stages of its semaphores.
    pub semaphores: SemaphoreStages,
    /// Its semaphores, where the device has several queues.
    pub edges: Edges,
}

/// A frame as it leaves the application's threads.
pub struct ClosedFrame {
    /// Number of the frame on its device.
    pub index: u64,
    /// What happened, in order.
    pub items: Vec<Item>,
    /// Serial numbers of the swapchain images acquired since the last boundary.
    pub acquired: Vec<u64>,
    /// Images that were presented or named by a boundary since the last frame was closed and before anything of this one was submitted.
    pub early_outputs: Vec<(Arc<Image>, OutputReason)>,
    /// Images that leave the frame.
    pub outputs: Vec<(Arc<Image>, OutputReason)>,
    /// What ended it.
    pub boundary: Boundary,
    /// It held so many operations that none were kept.
    pub too_large: bool,
    /// What the host got to know to be complete.
    pub waited: Vec<Waited>,
    /// The frames before this one were known to be complete when its first submission was made; 0 where one queue is used.
    pub complete_before: u64,
    /// Serial numbers of the images destroyed since the last boundary.
    pub destroyed: Vec<u64>,
    /// Lazily allocated memory freed since the last boundary.
    pub commitments: Vec<Commitment>,
    /// The queues that have work.
    pub queues: Queues,
    /// What the device is that is not modelled.
    pub unmodelled: &'static [&'static str],
}

/// How a run ends.
pub struct Ended {
    /// The frame in flight.
    pub frame: Option<ClosedFrame>,
    /// What is known behind it.
    pub tail: Tail,
}

/// What is known when there are no more frames.
#[derive(Default)]
pub struct Tail {
    /// Number of frames that there were.
    pub frames: u64,
    /// The queues that have work.
    pub queues: Queues,
    /// Lazily allocated memory freed since the last frame.
    pub commitments: Vec<Commitment>,
}

/// An item that can be taken back.
struct Entry {
    token: u64,
    ops: u64,
    item: Item,
}

#[derive(Default)]
struct Pending {
    items: Vec<Entry>,
    ops: u64,
    too_large: bool,
    early_outputs: Vec<(Arc<Image>, OutputReason)>,
    next_frame: u64,
    next_token: u64,
    submits: u32,
    presents: bool,
    acquired: Vec<u64>,
    queues: BTreeMap<u64, (u32, Option<u32>)>,
    /// Batches with command buffers in the frame so far.
    batches: u32,
    /// By queue, the stages of batches without command buffers since the last batch that has some.
    passed_on: BTreeMap<u32, Option<SemaphoreStages>>,
    order: Order,
    waited: Vec<Waited>,
    complete_before: u64,
    destroyed: Vec<u64>,
    commitments: Vec<Commitment>,
    unmodelled: &'static [&'static str],
}

/// The frame in flight of one device.
#[derive(Default)]
pub struct Timeline {
    pending: Mutex<Pending>,
    /// Whether the device has several queues, so that their order is followed.
    several: AtomicBool,
    /// The host learned that something is complete, since the last batch.
    learned: AtomicBool,
}

impl Timeline {
    /// The timeline of a device that was created with this many queues, and what of it is not modelled.
    pub fn new(queues: u32, unmodelled: &'static [&'static str]) -> Self {
        let pending = Pending { order: Order::of(queues), unmodelled, ..Pending::default() };
        let several = AtomicBool::new(pending.order.is_on());
        Self { several, learned: AtomicBool::new(false), pending: Mutex::new(pending) }
    }

    /// Whether the order of several queues is followed.
    pub fn has_queues(&self) -> bool {
        self.several.load(Ordering::Relaxed)
    }

    /// The host learned that something is complete: it waited, or looked at a fence, a semaphore or a query.
    pub fn host_learned(&self) {
        self.learned.store(true, Ordering::Relaxed);
    }

    /// Something that bears on the order of queues.
    pub fn order(&self, change: impl FnOnce(&mut Order)) {
        if self.has_queues() {
            change(&mut self.pending.lock().order);
        }
    }

    /// The host signals a timeline semaphore.
    pub fn host_signal(&self, point: Point) {
        if self.has_queues() {
            let mut pending = self.pending.lock();
            let (frame, mut late) = (pending.next_frame, Vec::new());
            pending.order.host_signal(point, frame, &mut late);
            pending.late(late);
        }
    }

    /// Everything submitted by now, to a queue or to all: what an idle wait that begins now is known to have waited for.
    pub fn mark(&self, queue: Option<u64>) -> Option<Clock> {
        self.has_queues().then(|| {
            let mut pending = self.pending.lock();
            let queue = queue.map(|handle| pending.queue(handle).0);
            pending.order.mark(queue)
        })
    }

    /// A queue was fetched: its family is known from now on.
    pub fn queue_family(&self, queue: u64, family: u32) {
        let mut pending = self.pending.lock();
        let number = pending.queues.len() as u32;
        pending.queues.entry(queue).or_insert((number, Some(family)));
    }

    /// Batches are submitted, after which a fence is signalled. The token takes them back if the call down fails. Beyond `most` operations
    /// none of the frame are kept.
    pub fn submit(&self, queue: u64, batches: impl IntoIterator<Item = Batch>, fence: u64, most: u64) -> u64 {
        let mut pending = self.pending.lock();
        let (queue, family) = pending.queue(queue);
        let token = pending.token();
        pending.submits = pending.submits.saturating_add(1);
        let mut late = Vec::new();
        for Batch { recordings, semaphores, edges } in batches {
            let (frame, at) = (pending.next_frame, pending.batches);
            let Pending { order, waited, complete_before, .. } = &mut *pending;
            let place = (!recordings.is_empty()).then_some(at);
            let after = order.batch(queue, frame, place, &edges, &mut late);
            if recordings.is_empty() {
                pending.pass_on(queue, semaphores);
                continue;
            }
            order.waited(frame, at, waited);
            let unwaited = !self.learned.swap(false, Ordering::Relaxed) && at > 0;
            if at == 0 && order.queues().count > 1 {
                *complete_before = order.complete_before(frame);
            }
            let ops = recordings.iter().fold(0u64, |ops, r| ops.saturating_add(r.ops).saturating_add(1));
            pending.ops = pending.ops.saturating_add(ops);
            let semaphores = pending.with_passed_on(queue, semaphores);
            pending.batches += 1;
            if pending.ops > most {
                pending.too_large = true;
                pending.items = Vec::new();
            }
            let mut contents = Contents::new();
            recordings.iter().for_each(|recording| recording.contents(&mut contents));
            pending.push(token, ops, Item::Batch { queue, family, after, unwaited, semaphores, recordings, contents });
        }
        pending.order.fence(fence, queue);
        if !late.is_empty() {
            pending.late(late);
        }
        token
    }

    /// What the host did to images, at its place among the submissions. Alone it makes no frame.
    pub fn host(&self, recording: Arc<Recording>, most: u64) {
        let mut pending = self.pending.lock();
        let ops = recording.ops.saturating_add(1);
        pending.ops = pending.ops.saturating_add(ops);
        if pending.ops > most {
            pending.too_large = true;
            pending.items = Vec::new();
        }
        if let Some(Entry { item: Item::Batch { queue: HOST_QUEUE, recordings, .. }, ops: before, .. }) =
            pending.items.last_mut()
        {
            recordings.push(recording);
            *before = before.saturating_add(ops);
            return;
        }
        let token = pending.token();
        pending.batches += 1;
        let (after, recordings, contents) = (Vec::new(), vec![recording], Contents::new());
        let (queue, family, unwaited) = (HOST_QUEUE, None, false);
        let semaphores = Some(SemaphoreStages::default());
        pending.push(token, ops, Item::Batch { queue, family, after, unwaited, semaphores, recordings, contents });
    }

    /// Sparse bindings are made, between semaphores.
    pub fn bind(&self, queue: u64, binds: Vec<Edges>, fence: u64) {
        let mut pending = self.pending.lock();
        let (queue, _) = pending.queue(queue);
        let (frame, mut late) = (pending.next_frame, Vec::new());
        for edges in binds {
            pending.order.batch(queue, frame, None, &edges, &mut late);
        }
        pending.order.fence(fence, queue);
        pending.late(late);
    }

    /// The submission with this token failed.
    pub fn retract(&self, token: u64) {
        let mut pending = self.pending.lock();
        let mine = |entry: &&Entry| entry.token == token;
        let taken: u64 = pending.items.iter().filter(mine).map(|entry| entry.ops).sum();
        pending.ops -= taken;
        pending.items.retain(|entry| entry.token != token);
        if pending.order.is_on() {
            // Indices have moved, and nobody knows which semaphores were signalled.
            pending.order.lose();
            pending.waited.clear();
            for entry in &mut pending.items {
                if let Item::Batch { after, .. } = &mut entry.item {
                    after.clear();
                }
            }
        }
        if !pending.too_large {
            let batches = pending.items.iter().filter(|entry| matches!(entry.item, Item::Batch { .. })).count();
            pending.batches = batches as u32;
        }
    }

    /// An image is destroyed.
    pub fn destroyed(&self, image: u64) {
        let mut pending = self.pending.lock();
        if pending.destroyed.len() < MOST_DESTROYED {
            pending.destroyed.push(image);
        }
    }

    /// Lazily allocated memory is freed.
    pub fn committed(&self, commitment: Commitment) {
        let mut pending = self.pending.lock();
        if pending.commitments.len() < MOST_COMMITMENTS {
            pending.commitments.push(commitment);
        }
    }

    /// A swapchain image was acquired.
    pub fn acquired(&self, image: u64) {
        let mut pending = self.pending.lock();
        if pending.acquired.len() < MOST_IMAGES {
            pending.acquired.push(image);
        }
    }

    /// A queue label region begins, or ends.
    pub fn label(&self, queue: u64, label: Option<&str>) {
        let mut pending = self.pending.lock();
        let (queue, _) = pending.queue(queue);
        let token = pending.token();
        let item = label.map_or(Item::LabelEnd(queue), |text| Item::LabelBegin(queue, Arc::from(text)));
        // A region around nothing is no news: a program may mark the work of a queue that has none.
        let before = pending.items.last().map(|entry| &entry.item);
        match (before, &item) {
            (Some(Item::LabelBegin(begun, _)), Item::LabelEnd(ended)) if begun == ended => drop(pending.items.pop()),
            _ => pending.push(token, 0, item),
        }
    }

    /// A label between two submissions.
    pub fn insert_label(&self, text: &str) {
        let mut pending = self.pending.lock();
        let token = pending.token();
        // A program that never submits must not fill memory.
        if pending.items.len() < MOST_LABELS {
            pending.push(token, 0, Item::Label(Arc::from(text)));
        }
    }

    /// Whether the frame in flight is to be closed after a submit: every `every` submits while nothing was presented, or when it holds more
    /// than `most` operations.
    pub fn due(&self, every: u32, most: u32) -> Option<Boundary> {
        let pending = self.pending.lock();
        if every > 0 && !pending.presents && pending.submits >= every {
            return Some(Boundary::Submits);
        }
        (pending.ops > u64::from(most)).then_some(Boundary::Limit)
    }

    /// Closes the frame in flight. `None` if nothing was submitted since the last boundary: the images then leave the next frame, before
    /// anything else happens in it.
    pub fn close(&self, boundary: Boundary, outputs: Vec<(Arc<Image>, OutputReason)>) -> Option<ClosedFrame> {
        self.pending.lock().close(boundary, outputs)
    }

    /// Closes the frame in flight for good. Images that were presented after the last submission leave a frame of their own. `None` if the
    /// timeline cannot be had: the process may end in the middle of one of our calls, and nobody waits for that.
    pub fn end(&self) -> Option<Ended> {
        let mut pending = self.pending.try_lock_for(Duration::from_millis(100))?;
        let frame = pending.close(Boundary::End, Vec::new());
        let frame =
            frame.or_else(|| (!pending.early_outputs.is_empty()).then(|| pending.closed(Boundary::End, Vec::new())));
        let commitments = std::mem::take(&mut pending.commitments);
        Some(Ended { frame, tail: Tail { frames: pending.next_frame, queues: pending.order.queues(), commitments } })
    }
}

/// Images acquired or presented that are remembered without a submission: a program that never submits must not fill memory.
const MOST_IMAGES: usize = 1024;
/// Images destroyed that are remembered without a submission; of those beyond, the analysis keeps what it knows.
const MOST_DESTROYED: usize = 65_536;
/// Lazily allocated blocks freed that are remembered without a submission.
const MOST_COMMITMENTS: usize = 1024;
/// Items of a frame among which labels are kept.
const MOST_LABELS: usize = 65_536;

impl Pending {
    fn push(&mut self, token: u64, ops: u64, item: Item) {
        if !self.too_large {
            self.items.push(Entry { token, ops, item });
        }
    }

    fn close(&mut self, boundary: Boundary, outputs: Vec<(Arc<Image>, OutputReason)>) -> Option<ClosedFrame> {
        self.presents |= boundary == Boundary::Present;
        self.submits = 0;
        let too_large = std::mem::take(&mut self.too_large);
        let submitted = |entry: &Entry| matches!(entry.item, Item::Batch { queue, .. } if queue != HOST_QUEUE);
        // At the end of the run, uploads of the host are told as well.
        let any = |entry: &Entry| matches!(entry.item, Item::Batch { .. });
        let something =
            if boundary == Boundary::End { self.items.iter().any(any) } else { self.items.iter().any(submitted) };
        if !too_large && !something {
            for (image, reason) in outputs {
                let known = self.early_outputs.iter().any(|(i, r)| i.serial == image.serial && *r == reason);
                if !known && self.early_outputs.len() < MOST_IMAGES {
                    self.early_outputs.push((image, reason));
                }
            }
            return None;
        }
        let frame = self.closed(boundary, outputs);
        Some(ClosedFrame { too_large, ..frame })
    }

    fn closed(&mut self, boundary: Boundary, outputs: Vec<(Arc<Image>, OutputReason)>) -> ClosedFrame {
        (self.ops, self.batches) = (0, 0);
        let index = self.next_frame;
        self.next_frame += 1;
        ClosedFrame {
            index,
            items: std::mem::take(&mut self.items).into_iter().map(|entry| entry.item).collect(),
            acquired: std::mem::take(&mut self.acquired),
            early_outputs: std::mem::take(&mut self.early_outputs),
            outputs,
            boundary,
            too_large: false,
            waited: std::mem::take(&mut self.waited),
            complete_before: std::mem::take(&mut self.complete_before),
            destroyed: std::mem::take(&mut self.destroyed),
            commitments: std::mem::take(&mut self.commitments),
            queues: self.order.queues(),
            unmodelled: self.unmodelled,
        }
    }

    /// Batches of this frame whose signal has come.
    fn late(&mut self, late: Vec<Late>) {
        for late in late.into_iter().filter(|late| late.frame == self.next_frame) {
            let mut batches = self.items.iter_mut().filter_map(|entry| match &mut entry.item {
                Item::Batch { after, .. } => Some(after),
                _ => None,
            });
            if let Some(after) = batches.nth(late.submission as usize) {
                if let Err(at) = after.binary_search(&late.after) {
                    after.insert(at, late.after);
                }
            }
        }
    }

    /// A batch without command buffers leaves its waits to the next one on its queue. When it signals, nothing of the record can say.
    fn pass_on(&mut self, queue: u32, semaphores: SemaphoreStages) {
        if semaphores != SemaphoreStages::default() {
            let all = self.passed_on.entry(queue).or_insert_with(|| Some(SemaphoreStages::default()));
            *all = all.filter(|_| semaphores.signals == StageMasks::default());
            if let Some(all) = all {
                all.waits = all.waits.with(semaphores.waits);
            }
        }
    }

    /// The stages of a batch with what the batches before it have passed on.
    fn with_passed_on(&mut self, queue: u32, semaphores: SemaphoreStages) -> Option<SemaphoreStages> {
        let Some(passed_on) = self.passed_on.remove(&queue) else { return Some(semaphores) };
        passed_on.map(|before| SemaphoreStages { waits: before.waits.with(semaphores.waits), ..semaphores })
    }

    fn queue(&mut self, handle: u64) -> (u32, Option<u32>) {
        let number = self.queues.len() as u32;
        *self.queues.entry(handle).or_insert((number, None))
    }

    fn token(&mut self) -> u64 {
        self.next_token += 1;
        self.next_token
    }
}
