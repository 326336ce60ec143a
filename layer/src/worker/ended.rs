//! That something has ended, for threads that wait for it. Every interleaving is tried in `interleavings/`.

use crate::sync::{Condvar, Mutex};
use std::time::Instant;

/// Whether something has ended. Whoever waits for it waits for nothing else.
pub struct Ended {
    ended: Mutex<bool>,
    changed: Condvar,
}

impl Ended {
    /// It has not.
    pub fn new() -> Self {
        Self { ended: Mutex::new(false), changed: Condvar::new() }
    }

    /// It has, for ever.
    pub fn set(&self) {
        *self.ended.lock() = true;
        self.changed.notify_all();
    }

    /// Waits until it has ended, or until `deadline`; whether it has.
    pub fn wait_until(&self, deadline: Instant) -> bool {
        let Some(mut ended) = self.ended.try_lock_until(deadline) else { return false };
        while !*ended && !self.changed.wait_until(&mut ended, deadline).timed_out() {}
        *ended
    }
}
