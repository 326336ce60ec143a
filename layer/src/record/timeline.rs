//! Submissions in the application's order, and where frames end.
//!
//! A lock is held for the push only, never while calling down.

use super::objects::Image;
use super::recording::Recording;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tbdr_model::frame::{Boundary, OutputReason};

/// One thing that happened on a queue.
pub enum Item {
    /// A batch of command buffers.
    Batch {
        /// Number of the queue, in order of first use.
        queue: u32,
        /// Its family, where known.
        family: Option<u32>,
        /// The command buffers.
        recordings: Vec<Arc<Recording>>,
    },
    /// vkQueueBeginDebugUtilsLabelEXT.
    LabelBegin(u32, Arc<str>),
    /// vkQueueEndDebugUtilsLabelEXT.
    LabelEnd(u32),
}

/// A frame as it leaves the application's threads.
pub struct ClosedFrame {
    /// Number of the frame on its device.
    pub index: u64,
    /// What happened, in order.
    pub items: Vec<Item>,
    /// Serial numbers of the swapchain images acquired since the last boundary.
    pub acquired: Vec<u64>,
    /// Images that leave the frame.
    pub outputs: Vec<(Arc<Image>, OutputReason)>,
    /// What ended it.
    pub boundary: Boundary,
}

#[derive(Default)]
struct Pending {
    items: Vec<(u64, Item)>,
    ops: u64,
    next_frame: u64,
    next_token: u64,
    submits: u32,
    presents: bool,
    acquired: Vec<u64>,
    queues: BTreeMap<u64, (u32, Option<u32>)>,
}

/// The frame in flight of one device.
#[derive(Default)]
pub struct Timeline(Mutex<Pending>);

impl Timeline {
    /// A queue was fetched: its family is known from now on.
    pub fn queue_family(&self, queue: u64, family: u32) {
        let mut pending = self.0.lock();
        let number = pending.queues.len() as u32;
        pending.queues.entry(queue).or_insert((number, Some(family)));
    }

    /// Batches are submitted. The token takes them back if the call down fails.
    pub fn submit(&self, queue: u64, batches: Vec<Vec<Arc<Recording>>>) -> u64 {
        let mut pending = self.0.lock();
        let (queue, family) = pending.queue(queue);
        let token = pending.token();
        pending.submits += 1;
        for recordings in batches {
            pending.ops += recordings.iter().map(|r| r.ops + 1).sum::<u64>();
            pending.items.push((token, Item::Batch { queue, family, recordings }));
        }
        token
    }

    /// The submission with this token failed.
    pub fn retract(&self, token: u64) {
        self.0.lock().items.retain(|(t, _)| *t != token);
    }

    /// A swapchain image was acquired.
    pub fn acquired(&self, image: u64) {
        let mut pending = self.0.lock();
        // A program that acquires and never submits must not fill memory.
        if pending.acquired.len() < 1024 {
            pending.acquired.push(image);
        }
    }

    /// A queue label region begins, or ends.
    pub fn label(&self, queue: u64, label: Option<&str>) {
        let mut pending = self.0.lock();
        let (queue, _) = pending.queue(queue);
        let token = pending.token();
        let item = label.map_or(Item::LabelEnd(queue), |text| Item::LabelBegin(queue, Arc::from(text)));
        pending.items.push((token, item));
    }

    /// Whether the frame in flight is to be closed after a submit: every `every` submits while nothing was presented, or when it holds more
    /// than `most` operations.
    pub fn due(&self, every: u32, most: u32) -> Option<Boundary> {
        let pending = self.0.lock();
        if every > 0 && !pending.presents && pending.submits >= every {
            return Some(Boundary::Submits);
        }
        (pending.ops > u64::from(most)).then_some(Boundary::Limit)
    }

    /// Closes the frame in flight. `None` if nothing was submitted since the last boundary.
    pub fn close(&self, boundary: Boundary, outputs: Vec<(Arc<Image>, OutputReason)>) -> Option<ClosedFrame> {
        let mut pending = self.0.lock();
        pending.presents |= boundary == Boundary::Present;
        pending.submits = 0;
        let work = |item: &(u64, Item)| matches!(&item.1, Item::Batch { recordings, .. } if !recordings.is_empty());
        if !pending.items.iter().any(work) {
            return None;
        }
        pending.ops = 0;
        let acquired = std::mem::take(&mut pending.acquired);
        let index = pending.next_frame;
        pending.next_frame += 1;
        let items = std::mem::take(&mut pending.items).into_iter().map(|(_, item)| item).collect();
        Some(ClosedFrame { index, items, acquired, outputs, boundary })
    }

    /// Number of frames closed so far. `None` if another thread is in the timeline: at the end of the process nobody waits.
    pub fn try_frames(&self) -> Option<u64> {
        self.0.try_lock().map(|p| p.next_frame)
    }
}

impl Pending {
    fn queue(&mut self, handle: u64) -> (u32, Option<u32>) {
        let number = self.queues.len() as u32;
        *self.queues.entry(handle).or_insert((number, None))
    }

    fn token(&mut self) -> u64 {
        self.next_token += 1;
        self.next_token
    }
}
