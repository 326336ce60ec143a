//! The bounded queue between the application's threads and the analysis thread. Every interleaving of both is tried in `interleavings/`.

use crate::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::time::Instant;

/// Jobs in the order in which they came.
pub struct Queue<T> {
    jobs: Mutex<VecDeque<T>>,
    work: Condvar,
}

impl<T> Queue<T> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { jobs: Mutex::new(VecDeque::new()), work: Condvar::new() }
    }

    /// Queues a job unless `most` wait already. `false` if the queue could not be had until `deadline`.
    pub fn push(&self, job: T, most: usize, deadline: Option<Instant>) -> bool {
        let jobs = deadline.map_or_else(|| Some(self.jobs.lock()), |until| self.jobs.try_lock_until(until));
        let Some(mut jobs) = jobs else { return false };
        if jobs.len() < most {
            jobs.push_back(job);
            self.work.notify_one();
        }
        true
    }

    /// Takes the oldest job, and waits for one where there is none.
    pub fn pop(&self) -> T {
        let mut jobs = self.jobs.lock();
        loop {
            match jobs.pop_front() {
                Some(job) => return job,
                None => self.work.wait(&mut jobs),
            }
        }
    }
}
