//! In which order submissions execute: within a frame ([`execution_order`]) and over the run ([`Progress`]).
//!
//! Inputs are [`Submission::after`](crate::frame::Submission::after) and what the host waited for
//! ([`crate::record::Waited`]). Output is, for each submission, what is known to be complete before it begins. Submissions to one
//! queue follow each other; a semaphore orders whole batches, whatever stages it names: two batches that each wait for a part of
//! the other cannot both begin. References that lead nowhere, or around in a circle, say nothing.

use crate::frame::{FrameStructure, HOST_QUEUE, SubmissionRef};
use crate::record::Waited;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// Frames that a reference can reach back.
pub const FRAMES_BACK: u64 = 64;
/// Queues that are told apart; of more nothing is known.
const MOST_QUEUES: usize = 64;

/// The submissions of a frame in an order in which they may execute: each queue's in the order in which they were made, and none
/// before what it waits for; of several that may come next, the one that was submitted first.
pub fn execution_order(frame: &FrameStructure) -> Vec<usize> {
    let count = frame.submissions.len();
    if frame.submissions.iter().all(|s| s.after.is_empty()) {
        return (0..count).collect();
    }
    let mut waits = vec![0usize; count];
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut newest: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, submission) in frame.submissions.iter().enumerate() {
        let before = newest.insert(submission.queue, index);
        let here = submission.after.iter().filter(|r| r.frames_ago == 0).map(|r| r.submission as usize);
        for other in before.into_iter().chain(here.filter(|other| *other < count && *other != index)) {
            next[other].push(index);
            waits[index] += 1;
        }
    }
    let mut ready: BTreeSet<usize> = (0..count).filter(|index| waits[*index] == 0).collect();
    let mut left: BTreeSet<usize> = (0..count).filter(|index| waits[*index] > 0).collect();
    let mut order = Vec::with_capacity(count);
    // A circle is broken where it was submitted first.
    while let Some(index) = ready.pop_first().or_else(|| left.pop_first()) {
        order.push(index);
        for other in &next[index] {
            waits[*other] = waits[*other].saturating_sub(1);
            if waits[*other] == 0 && left.remove(other) {
                ready.insert(*other);
            }
        }
    }
    order
}

/// For each queue the number of its newest submission that is complete; numbers count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(BTreeMap<u32, u64>);

impl Clock {
    /// How many submissions of a queue are complete.
    pub fn of(&self, queue: u32) -> u64 {
        self.0.get(&queue).copied().unwrap_or(0)
    }

    fn raise(&mut self, queue: u32, number: u64) {
        if self.0.len() < MOST_QUEUES || self.0.contains_key(&queue) {
            let known = self.0.entry(queue).or_default();
            *known = number.max(*known);
        }
    }

    fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(queue, number)| self.raise(*queue, *number));
    }
}

/// Where a submission stands in the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its queue.
    pub queue: u32,
    /// Its number on the queue.
    pub number: u64,
    /// What is complete before it begins.
    pub before: Clock,
}

impl Place {
    /// Whether submission `number` of a queue is complete before this one begins. The host is ordered with everything.
    pub fn follows(&self, queue: u32, number: u64) -> bool {
        self.queue == queue || self.queue == HOST_QUEUE || queue == HOST_QUEUE || self.before.of(queue) >= number
    }
}

/// How far a run has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Submissions made to each queue, and what the newest of them waited for.
    queues: BTreeMap<u32, (u64, Clock)>,
    /// What the host knows to be complete: every later submission follows it.
    host: Clock,
    recent: BTreeMap<u64, Vec<Place>>,
    /// Work in frames that are missing: on each queue it is complete before this number.
    missing: Clock,
    /// Whether queues of which nothing was recorded may have had work there.
    missing_elsewhere: bool,
}

impl Progress {
    /// Queues that work was submitted to.
    pub fn queues(&self) -> usize {
        self.queues.len()
    }

    /// Whether every later submission on any other of the `queues` queues that there are follows this one.
    pub fn is_behind_all(&self, queue: u32, number: u64, queues: usize) -> bool {
        let mut others = self.queues.iter().filter(|(other, _)| **other != queue);
        self.host.of(queue) >= number
            || self.queues.len() >= queues && others.all(|(_, (_, clock))| clock.of(queue) >= number)
    }

    /// Takes in the submissions of a frame; `order` is their [`execution_order`].
    pub fn frame(&mut self, index: u64, frame: &FrameStructure, order: &[usize], waited: &[Waited]) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::with_capacity(frame.submissions.len());
        for submission in &frame.submissions {
            let mut number = 0;
            if submission.queue != HOST_QUEUE {
                let count = &mut self.queues.entry(submission.queue).or_default().0;
                *count += 1;
                number = *count;
            }
            places.push(Place { queue: submission.queue, number, before: Clock::default() });
        }
        let mut waited: Vec<Waited> = waited.to_vec();
        waited.sort_by_key(|w| w.before);
        // On one queue, each fact of the host is taken in once.
        let mut told: BTreeMap<u32, usize> = BTreeMap::new();
        let mut placed = vec![false; places.len()];
        for &at in order {
            let Some(submission) = frame.submissions.get(at).filter(|s| s.queue != HOST_QUEUE) else { continue };
            let mut before = self.queues.get(&submission.queue).map(|(_, clock)| clock.clone()).unwrap_or_default();
            before.join(&self.host);
            let told = told.entry(submission.queue).or_default();
            while let Some(fact) = waited.get(*told).filter(|w| w.before as usize <= at) {
                self.learn(&mut before, fact.done, index, &places, &placed);
                *told += 1;
            }
            for other in &submission.after {
                self.learn(&mut before, *other, index, &places, &placed);
            }
            if let Some((_, clock)) = self.queues.get_mut(&submission.queue) {
                clock.clone_from(&before);
            }
            (places[at].before, placed[at]) = (before, true);
        }
        let mut host = core::mem::take(&mut self.host);
        waited.iter().for_each(|fact| self.learn(&mut host, fact.done, index, &places, &placed));
        self.host = host;
        self.recent.insert(index, places.clone());
        while self.recent.len() as u64 > FRAMES_BACK {
            self.recent.pop_first();
        }
        places
    }

    /// Frames are missing, with work on several of the `queues` queues that there are.
    pub fn gap(&mut self, queues: usize) {
        for (queue, (count, _)) in &mut self.queues {
            *count += 1;
            self.missing.raise(*queue, *count);
        }
        self.missing_elsewhere |= self.queues.len() < queues;
        if self.missing.0.len() < self.queues.len() {
            // More queues than are told apart.
            self.missing_elsewhere = true;
        }
    }

    /// All that is missing is known to be complete.
    pub fn nothing_is_missing(&mut self) {
        (self.missing, self.missing_elsewhere) = (Clock::default(), false);
    }

    /// Whether all work that is missing is complete before a submission.
    pub fn is_after_gaps(&self, place: &Place) -> bool {
        place.queue == HOST_QUEUE
            || !self.missing_elsewhere && self.missing.0.iter().all(|(queue, number)| place.follows(*queue, *number))
    }

    /// A submission is complete, and with it what it followed.
    fn learn(&self, clock: &mut Clock, done: SubmissionRef, index: u64, here: &[Place], placed: &[bool]) {
        let at = done.submission as usize;
        let place = match done.frames_ago {
            0 => here.get(at).filter(|_| placed.get(at) == Some(&true)),
            ago => index.checked_sub(ago.into()).and_then(|frame| self.recent.get(&frame)?.get(at)),
        };
        if let Some(place) = place.filter(|p| p.queue != HOST_QUEUE) {
            clock.join(&place.before);
            clock.raise(place.queue, place.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Submission;

    fn submission(queue: u32, after: &[(u32, u32)]) -> Submission {
        let after = after
            .iter()
            .map(|(frames_ago, submission)| SubmissionRef { frames_ago: *frames_ago, submission: *submission });
        Submission { queue, after: after.collect(), ..Submission::default() }
    }

    fn frame(submissions: Vec<Submission>) -> FrameStructure {
        FrameStructure { submissions, ..FrameStructure::default() }
    }

    #[test]
    fn a_wait_before_its_signal_moves_the_waiting_submission_back() {
        let frame = frame(vec![submission(0, &[(0, 2)]), submission(0, &[]), submission(1, &[])]);
        let order = execution_order(&frame);
        assert_eq!(order, [2, 0, 1]);
        let mut progress = Progress::default();
        let places = progress.frame(0, &frame, &order, &[]);
        assert!(places[0].follows(1, 1) && places[1].follows(1, 1) && !places[2].follows(0, 1));
    }

    #[test]
    fn circles_and_references_to_nowhere_say_nothing() {
        let frame = frame(vec![submission(0, &[(0, 1), (0, 0), (0, 77), (5, 0)]), submission(1, &[(0, 0)])]);
        let order = execution_order(&frame);
        assert_eq!(order, [0, 1]);
        let mut progress = Progress::default();
        let places = progress.frame(0, &frame, &order, &[]);
        assert!(!places[0].follows(1, 1));
        assert!(places[1].follows(0, 1), "the half of the circle that is left");
    }

    #[test]
    fn what_the_host_waited_for_is_before_whatever_is_submitted_later_on_any_queue() {
        let frame = frame(vec![submission(0, &[]), submission(1, &[]), submission(1, &[])]);
        let waited = [Waited { before: 2, done: SubmissionRef { frames_ago: 0, submission: 0 } }];
        let mut progress = Progress::default();
        let places = progress.frame(0, &frame, &[0, 1, 2], &waited);
        assert!(!places[1].follows(0, 1) && places[2].follows(0, 1));
        assert!(progress.is_behind_all(0, 1, 9) && !progress.is_behind_all(1, 2, 9));
        let places = progress.frame(1, &frame, &[0, 1, 2], &[]);
        assert!(places[1].follows(0, 1) && !places[1].follows(0, 2));
    }
}
