//! Submissions in the application's order, and where frames end.
//!
//! A lock is held for the push only, never while calling down. What is held between two boundaries is bounded: submissions without
//! command buffers leave nothing, and a frame of far too many operations is forgotten but for its number.

use super::descriptors::Contents;
use super::objects::Image;
use super::recording::Recording;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tbdr_model::frame::{Boundary, HOST_QUEUE, OutputReason};

/// One thing that happened on a queue.
pub enum Item {
    /// A batch of command buffers, or what the host did to images.
    Batch {
        /// Number of the queue, in order of first use, or [`HOST_QUEUE`].
        queue: u32,
        /// Its family, where known.
        family: Option<u32>,
        /// The command buffers.
        recordings: Vec<Arc<Recording>>,
        /// What descriptor sets hold that count as they are at submission.
        contents: Contents,
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
    /// Images that were presented or named by a boundary since the last frame was closed and before anything of this one was submitted.
    pub early_outputs: Vec<(Arc<Image>, OutputReason)>,
    /// Images that leave the frame.
    pub outputs: Vec<(Arc<Image>, OutputReason)>,
    /// What ended it.
    pub boundary: Boundary,
    /// It held so many operations that none were kept.
    pub too_large: bool,
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

    /// Batches are submitted. The token takes them back if the call down fails. Beyond `most` operations none of the frame are kept.
    pub fn submit(&self, queue: u64, batches: Vec<Vec<Arc<Recording>>>, most: u64) -> u64 {
        let mut pending = self.0.lock();
        let (queue, family) = pending.queue(queue);
        let token = pending.token();
        pending.submits = pending.submits.saturating_add(1);
        for recordings in batches.into_iter().filter(|batch| !batch.is_empty()) {
            let ops = recordings.iter().fold(0u64, |ops, r| ops.saturating_add(r.ops).saturating_add(1));
            pending.ops = pending.ops.saturating_add(ops);
            if pending.ops > most {
                pending.too_large = true;
                pending.items = Vec::new();
            }
            let mut contents = Contents::new();
            recordings.iter().for_each(|recording| recording.contents(&mut contents));
            pending.push(token, ops, Item::Batch { queue, family, recordings, contents });
        }
        token
    }

    /// What the host did to images, at its place among the submissions. Alone it makes no frame.
    pub fn host(&self, recording: Arc<Recording>, most: u64) {
        let mut pending = self.0.lock();
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
        let (recordings, contents) = (vec![recording], Contents::new());
        pending.push(token, ops, Item::Batch { queue: HOST_QUEUE, family: None, recordings, contents });
    }

    /// The submission with this token failed.
    pub fn retract(&self, token: u64) {
        let mut pending = self.0.lock();
        let taken: u64 = pending.items.iter().filter(|entry| entry.token == token).map(|entry| entry.ops).sum();
        pending.ops -= taken;
        pending.items.retain(|entry| entry.token != token);
    }

    /// A swapchain image was acquired.
    pub fn acquired(&self, image: u64) {
        let mut pending = self.0.lock();
        if pending.acquired.len() < MOST_IMAGES {
            pending.acquired.push(image);
        }
    }

    /// A queue label region begins, or ends.
    pub fn label(&self, queue: u64, label: Option<&str>) {
        let mut pending = self.0.lock();
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

    /// Whether the frame in flight is to be closed after a submit: every `every` submits while nothing was presented, or when it holds more
    /// than `most` operations.
    pub fn due(&self, every: u32, most: u32) -> Option<Boundary> {
        let pending = self.0.lock();
        if every > 0 && !pending.presents && pending.submits >= every {
            return Some(Boundary::Submits);
        }
        (pending.ops > u64::from(most)).then_some(Boundary::Limit)
    }

    /// Closes the frame in flight. `None` if nothing was submitted since the last boundary: the images then leave the next frame, before
    /// anything else happens in it.
    pub fn close(&self, boundary: Boundary, outputs: Vec<(Arc<Image>, OutputReason)>) -> Option<ClosedFrame> {
        self.0.lock().close(boundary, outputs)
    }

    /// Closes the frame in flight for good; with the number of frames that there were. `None` if the timeline cannot be had: the
    /// process may end in the middle of one of our calls, and nobody waits for that.
    pub fn end(&self) -> Option<(Option<ClosedFrame>, u64)> {
        let mut pending = self.0.try_lock_for(Duration::from_millis(100))?;
        let frame = pending.close(Boundary::End, Vec::new());
        Some((frame, pending.next_frame))
    }
}

/// Images acquired or presented that are remembered without a submission: a program that never submits must not fill memory.
const MOST_IMAGES: usize = 1024;

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
        self.ops = 0;
        let index = self.next_frame;
        self.next_frame += 1;
        Some(ClosedFrame {
            index,
            items: std::mem::take(&mut self.items).into_iter().map(|entry| entry.item).collect(),
            acquired: std::mem::take(&mut self.acquired),
            early_outputs: std::mem::take(&mut self.early_outputs),
            outputs,
            boundary,
            too_large,
        })
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
