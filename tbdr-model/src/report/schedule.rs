//! When the work of a frame can run.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The work of a frame in the slots of its queues: vertices and compute beside fragments. All times are steps; every piece of work
/// takes one, so that they say what overlaps and never how long it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Schedule {
    /// Steps from the first to the last.
    pub steps: u64,
    /// The same if nothing had to wait for a barrier, an event, a dependency or another queue.
    pub steps_unordered: u64,
    /// All work, in the order of the commands.
    pub work: Vec<ScheduledWork>,
    /// Work for which its slot stands empty because something else has to end first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<ScheduledWait>,
}

/// A piece of work in its slot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScheduledWork {
    /// Number of the queue, in the order of the first submissions.
    pub queue: u32,
    /// `vertex` (with compute) or `fragment`.
    pub slot: Cow<'static, str>,
    /// The pass, by its number in the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<u32>,
    /// The transfer, by its number in the frame. Neither: dispatches, or work that is not modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<u32>,
    /// Step at which it begins.
    pub from: u64,
    /// Step at which it has ended.
    pub to: u64,
}

/// Work that could have begun earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScheduledWait {
    /// The work, by its place in [`Schedule::work`].
    pub work: u64,
    /// `barrier`, `event`, `dependency` (on VK_SUBPASS_EXTERNAL) or `queue` (a semaphore).
    pub cause: Cow<'static, str>,
    /// Steps for which its slot stands empty.
    pub steps: u64,
}

impl Schedule {
    /// Steps that the frame takes longer for what has to wait.
    pub fn lost(&self) -> u64 {
        self.steps.saturating_sub(self.steps_unordered)
    }

    /// Whether both slots of a queue work at the same time.
    pub fn overlaps(&self) -> bool {
        let sorted = |slot: &str| {
            let of_slot = self.work.iter().filter(|work| work.slot == slot && work.from < work.to);
            let mut all: Vec<_> = of_slot.map(|work| (work.queue, work.from, work.to)).collect();
            all.sort_unstable();
            all.into_iter().peekable()
        };
        let (mut vertices, mut fragments) = (sorted("vertex"), sorted("fragment"));
        while let (Some(v), Some(f)) = (vertices.peek(), fragments.peek()) {
            if v.0 == f.0 && v.1 < f.2 && f.1 < v.2 {
                return true;
            }
            // Whatever ends first meets nothing that comes later.
            if (v.0, v.2) < (f.0, f.2) {
                vertices.next()
            } else {
                fragments.next()
            };
        }
        false
    }

    /// Name of a piece of work, given those of passes and transfers.
    pub fn name<'a>(work: &ScheduledWork, passes: &'a [super::Pass], transfers: &'a [super::Transfer]) -> &'a str {
        let pass = work.pass.and_then(|pass| passes.get(pass as usize)).map(|pass| pass.label.as_str());
        let transfer = work.transfer.and_then(|t| transfers.get(t as usize)).map(|transfer| transfer.kind.as_str());
        pass.or(transfer).unwrap_or("dispatches")
    }
}
