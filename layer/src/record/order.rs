//! Which submissions to other queues are complete when a submission begins: semaphores, fences, and what the host waited for.
//!
//! Input: batches with what they wait for and signal, in the order of submission, and what the host got to know. Output: for each
//! batch with command buffers, references to submissions of other queues ([`Batch::after`], by semaphores alone, so that a frame
//! structure does not depend on when the host looks), and for each frame what the host knew before ([`Waited`]). Where a device
//! was created with one queue nothing is kept. What is not known for sure says nothing: external payloads, the presentation
//! engine, signals that come in a later frame than their wait, events that the host sets or looks at. A submission that fails leaves nothing known.

use super::registry::HandleMap;
use std::collections::{BTreeMap, VecDeque};
use tbdr_model::frame::SubmissionRef;
use tbdr_model::record::{Queues, Waited};

/// Signals of a timeline semaphore that are remembered.
const MOST_SIGNALS: usize = 256;
/// Batches of a queue that are remembered.
const MOST_BATCHES: usize = 4096;
/// Batches that wait for a signal which is yet to be submitted; with more the order is given up.
const MOST_WAITING: usize = 1024;
/// How far back a semaphore may order, in frames: what is older is a matter of the host, and would make each frame another.
const FRAMES_BACK: u64 = 3;
/// How far back the host may have waited, in frames.
const HOST_FRAMES_BACK: u64 = 48;

/// By queue number, how many of its batches are complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Vec<u64>);

impl Clock {
    fn of(&self, queue: u32) -> u64 {
        self.0.get(queue as usize).copied().unwrap_or(0)
    }

    fn raise(&mut self, queue: u32, number: u64) {
        let at = queue as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = self.0[at].max(number);
    }

    fn join(&mut self, other: &Self) {
        other.0.iter().enumerate().for_each(|(queue, number)| self.raise(queue as u32, *number));
    }

    /// What is known whichever of two is the case.
    fn meet(&mut self, other: &Self) {
        self.0.iter_mut().enumerate().for_each(|(queue, number)| *number = (*number).min(other.of(queue as u32)));
    }
}

/// A semaphore and, for timelines, its value.
pub type Point = (u64, u64);

/// What a batch waits for and signals.
#[derive(Default)]
pub struct Edges {
    /// Waits.
    pub waits: Vec<Point>,
    /// Signals.
    pub signals: Vec<Point>,
}

/// A batch that waited for a signal which has now been submitted.
pub struct Late {
    /// Its frame.
    pub frame: u64,
    /// Its index in the frame.
    pub submission: u32,
    /// What it follows.
    pub after: SubmissionRef,
}

enum Semaphore {
    /// Payload: the batch that signals it knows this to be complete.
    Binary(Clock),
    Timeline {
        initial: u64,
        signals: BTreeMap<u64, Signal>,
        /// Signals up to this value are not remembered.
        lost: u64,
    },
}

#[derive(Clone)]
struct Signal {
    clock: Clock,
    /// The batch; `None` for the host.
    batch: Option<(u32, u64)>,
}

struct Waiting {
    queue: u32,
    number: u64,
    frame: u64,
    submission: Option<u32>,
    point: Point,
}

#[derive(Default)]
struct Line {
    /// Batches so far.
    count: u64,
    known: Clock,
    /// What the record says of it.
    told: Clock,
    /// Batches with command buffers: number, frame, index in the frame.
    worked: VecDeque<(u64, u64, u32)>,
    cut: bool,
}

impl Line {
    /// The newest batch with command buffers up to a number.
    fn newest(&self, number: u64) -> Option<(u64, u64, u32)> {
        let behind = self.worked.partition_point(|(n, ..)| *n <= number);
        behind.checked_sub(1).and_then(|at| self.worked.get(at)).copied()
    }
}

/// The order of a device's submissions.
#[derive(Default)]
pub struct Order {
    several: bool,
    lines: Vec<Line>,
    host: Clock,
    host_told: Clock,
    semaphores: HandleMap<Semaphore>,
    /// What is complete once the fence is signalled.
    fences: HandleMap<Clock>,
    foreign_fences: HandleMap<()>,
    waiting: Vec<Waiting>,
    queues: Queues,
}

impl Order {
    /// The order of a device that was created with this many queues.
    pub fn of(queues: u32) -> Self {
        let known = Queues { created: queues, ..Queues::default() };
        Self { several: queues > 1, queues: known, ..Self::default() }
    }

    /// Whether there is anything to follow.
    pub fn is_on(&self) -> bool {
        self.several
    }

    /// Queues that have work.
    pub fn queues(&self) -> Queues {
        self.queues
    }

    /// vkCreateSemaphore; `initial` for timelines.
    pub fn semaphore(&mut self, handle: u64, initial: Option<u64>) {
        if self.several {
            let made = initial.map_or(Semaphore::Binary(Clock::default()), |initial| Semaphore::Timeline {
                initial,
                signals: BTreeMap::new(),
                lost: 0,
            });
            self.semaphores.insert(handle, made);
        }
    }

    /// A semaphore is destroyed, or others may signal it from now on.
    pub fn forget_semaphore(&mut self, handle: u64) {
        self.semaphores.remove(&handle);
        if self.waiting.iter().any(|w| w.point.0 == handle) {
            // What those batches wait for now is not known.
            self.lose();
        }
    }

    /// A fence is destroyed or reset.
    pub fn forget_fence(&mut self, handle: u64) {
        self.fences.remove(&handle);
    }

    /// Others may signal the fence.
    pub fn foreign_fence(&mut self, handle: u64, foreign: bool) {
        self.forget_fence(handle);
        if foreign && self.several {
            self.foreign_fences.insert(handle, ());
        } else {
            self.foreign_fences.remove(&handle);
        }
    }

    /// A batch is submitted to a queue. `place` is its frame and its index there if it has command buffers. What it follows, and what it
    /// makes known of batches before.
    pub fn batch(
        &mut self,
        queue: u32,
        frame: u64,
        submission: Option<u32>,
        edges: &Edges,
        late: &mut Vec<Late>,
    ) -> Vec<SubmissionRef> {
        if !self.several {
            return Vec::new();
        }
        let at = queue as usize;
        if self.lines.len() <= at {
            self.lines.resize_with(at + 1, Line::default);
        }
        let number = self.lines[at].count + 1;
        self.lines[at].count = number;
        for point in &edges.waits {
            match self.resolve(*point, true) {
                Some(clock) => self.lines[at].known.join(&clock),
                None => self.waiting.push(Waiting { queue, number, frame, submission, point: *point }),
            }
        }
        let mut after = Vec::new();
        if let Some(submission) = submission {
            after = self.tell(queue, frame);
            self.work(queue, number, frame, submission);
        }
        if !edges.signals.is_empty() {
            let mut clock = self.lines[at].known.clone();
            clock.raise(queue, number);
            for point in &edges.signals {
                self.signal(*point, Signal { clock: clock.clone(), batch: Some((queue, number)) });
            }
        }
        if !self.waiting.is_empty() {
            self.settle(frame, late);
            if self.waiting.len() > MOST_WAITING {
                self.lose();
            }
        }
        after
    }

    /// What a batch of a queue follows that the record does not say of an earlier one.
    fn tell(&mut self, queue: u32, frame: u64) -> Vec<SubmissionRef> {
        let mut after = Vec::new();
        let line = &self.lines[queue as usize];
        let mut told = line.told.clone();
        for (other, theirs) in self.lines.iter().enumerate() {
            let other = other as u32;
            let known = line.known.of(other);
            if other == queue || known <= line.told.of(other) {
                continue;
            }
            told.raise(other, known);
            if let Some((number, then, submission)) = theirs.newest(known) {
                let ago = frame.saturating_sub(then);
                if number > line.told.of(other) && ago <= FRAMES_BACK {
                    after.push(SubmissionRef { frames_ago: ago as u32, submission });
                }
            }
        }
        self.lines[queue as usize].told = told;
        after.sort_unstable();
        after
    }

    /// A batch with command buffers has its place.
    fn work(&mut self, queue: u32, number: u64, frame: u64, submission: u32) {
        if self.lines[queue as usize].worked.is_empty() && !self.lines[queue as usize].cut {
            self.first_work(frame);
        }
        let host = self.host.of(queue);
        let line = &mut self.lines[queue as usize];
        line.worked.push_back((number, frame, submission));
        // The newest one that the host knows of stays: references go to it.
        while line.worked.len() > MOST_BATCHES
            || line.worked.get(1).is_some_and(|(n, then, _)| *n <= host && frame - then > HOST_FRAMES_BACK)
        {
            line.worked.pop_front();
            line.cut = true;
        }
    }

    fn first_work(&mut self, frame: u64) {
        self.queues.count += 1;
        self.queues.complete_before = self.complete_before(frame);
    }

    /// Every submission of the frames before this number is known to the host to be complete.
    pub fn complete_before(&self, frame: u64) -> u64 {
        let mut complete = frame;
        for (queue, line) in self.lines.iter().enumerate() {
            let known = self.host.of(queue as u32);
            if let Some(at) = line.worked.iter().position(|(number, ..)| *number > known) {
                let then = if at == 0 && line.cut { 0 } else { line.worked[at].1 };
                complete = complete.min(then);
            }
        }
        complete
    }

    /// What the host got to know since the last call, for a batch that becomes number `before` of a frame.
    pub fn waited(&mut self, frame: u64, before: u32, waited: &mut Vec<Waited>) {
        if self.queues.count < 2 || self.host == self.host_told {
            return;
        }
        for (queue, line) in self.lines.iter().enumerate() {
            let queue = queue as u32;
            let told = self.host_told.of(queue);
            let Some((_, then, submission)) = line.newest(self.host.of(queue)).filter(|(n, ..)| *n > told) else {
                continue;
            };
            let ago = frame.saturating_sub(then);
            if ago <= HOST_FRAMES_BACK {
                let done = SubmissionRef { frames_ago: ago as u32, submission };
                waited.push(Waited { before, done });
            }
        }
        self.host_told = self.host.clone();
    }

    /// What is complete once a point is reached; `None` if what signals it is yet to come. A binary semaphore is unsignalled by it.
    fn resolve(&mut self, point: Point, take: bool) -> Option<Clock> {
        let (handle, value) = point;
        match self.semaphores.get_mut(&handle) {
            None => Some(Clock::default()),
            Some(Semaphore::Binary(clock)) if take => Some(std::mem::take(clock)),
            Some(Semaphore::Binary(_)) => Some(Clock::default()),
            Some(Semaphore::Timeline { initial, lost, .. }) if value <= *initial || value <= *lost => {
                Some(Clock::default())
            }
            Some(Semaphore::Timeline { signals, .. }) => {
                let (_, signal) = signals.range(value..).next()?;
                let signal = signal.clone();
                // What waits itself may let a smaller value come first that is submitted later.
                let settled = signal
                    .batch
                    .is_none_or(|(queue, number)| !self.waiting.iter().any(|w| w.queue == queue && w.number <= number));
                settled.then_some(signal.clock)
            }
        }
    }

    fn signal(&mut self, (handle, value): Point, signal: Signal) {
        match self.semaphores.get_mut(&handle) {
            Some(Semaphore::Binary(clock)) => *clock = signal.clock,
            Some(Semaphore::Timeline { signals, lost, .. }) => {
                signals.insert(value, signal);
                if signals.len() > MOST_SIGNALS {
                    if let Some((value, _)) = signals.pop_first() {
                        *lost = value;
                    }
                }
            }
            None => {}
        }
    }

    /// Looks again at batches that wait for a signal which was yet to come.
    fn settle(&mut self, frame: u64, late: &mut Vec<Late>) {
        loop {
            let mut found = None;
            for at in 0..self.waiting.len() {
                if let Some(clock) = self.resolve(self.waiting[at].point, false) {
                    found = Some((at, clock));
                    break;
                }
            }
            let Some((at, clock)) = found else { return };
            let batch = self.waiting.remove(at);
            let line = &mut self.lines[batch.queue as usize];
            line.known.join(&clock);
            let Some(submission) = batch.submission.filter(|_| batch.frame == frame) else { continue };
            for (other, theirs) in self.lines.iter().enumerate() {
                let newest = theirs.newest(clock.of(other as u32)).filter(|_| other != batch.queue as usize);
                let known = self.lines[batch.queue as usize].told.of(other as u32);
                if let Some((_, then, done)) = newest.filter(|(number, ..)| *number > known) {
                    let ago = frame.saturating_sub(then);
                    if ago <= FRAMES_BACK {
                        let after = SubmissionRef { frames_ago: ago as u32, submission: done };
                        late.push(Late { frame, submission, after });
                    }
                }
            }
            self.lines[batch.queue as usize].told.join(&clock);
        }
    }

    /// A fence is signalled once everything that was submitted to the queue is complete.
    pub fn fence(&mut self, fence: u64, queue: u32) {
        if !self.several || fence == 0 || self.foreign_fences.contains_key(&fence) {
            return;
        }
        let clock = self.everything_of(queue);
        self.fences.insert(fence, clock);
    }

    fn everything_of(&self, queue: u32) -> Clock {
        let Some(line) = self.lines.get(queue as usize) else { return Clock::default() };
        let mut clock = line.known.clone();
        clock.raise(queue, line.count);
        clock
    }

    /// A presentation waits for semaphores, and signals fences once it has.
    pub fn present(&mut self, waits: impl Iterator<Item = u64>, fences: impl Iterator<Item = u64>) {
        if !self.several {
            return;
        }
        let mut clock = Clock::default();
        for semaphore in waits {
            clock.join(&self.resolve((semaphore, 0), true).unwrap_or_default());
        }
        for fence in fences.filter(|f| *f != 0) {
            if !self.foreign_fences.contains_key(&fence) {
                self.fences.insert(fence, clock.clone());
            }
        }
    }

    /// Somebody outside the device signals a binary semaphore and a fence: the presentation engine.
    pub fn signalled_outside(&mut self, semaphore: u64, fence: u64) {
        if let Some(Semaphore::Binary(clock)) = self.semaphores.get_mut(&semaphore) {
            *clock = Clock::default();
        }
        self.fences.remove(&fence);
    }

    /// The host signals a timeline semaphore.
    pub fn host_signal(&mut self, point: Point, frame: u64, late: &mut Vec<Late>) {
        if self.several {
            self.signal(point, Signal { clock: self.host.clone(), batch: None });
            self.settle(frame, late);
        }
    }

    /// The host found these fences signalled: all of them, or at least one.
    pub fn host_fences(&mut self, fences: &[u64], all: bool) {
        if self.several {
            let none = Clock::default();
            let clocks: Vec<Clock> = fences.iter().map(|f| self.fences.get(f).unwrap_or(&none).clone()).collect();
            self.host_learns(clocks, all);
        }
    }

    /// The host found these values reached: all of them, or at least one.
    pub fn host_semaphores(&mut self, points: &[Point], all: bool) {
        if self.several {
            let reached = |(handle, value): &Point| match self.semaphores.get(handle) {
                Some(Semaphore::Timeline { signals, lost, .. }) if value > lost => {
                    signals.range(value..).next().map(|(_, signal)| signal.clock.clone()).unwrap_or_default()
                }
                _ => Clock::default(),
            };
            let clocks = points.iter().map(reached).collect();
            self.host_learns(clocks, all);
        }
    }

    /// The host read the value of a timeline semaphore.
    pub fn host_value(&mut self, (handle, value): Point) {
        if let Some(Semaphore::Timeline { signals, .. }) = self.semaphores.get(&handle) {
            if let Some((_, signal)) = signals.range(..=value).next_back() {
                let clock = signal.clock.clone();
                self.host.join(&clock);
            }
        }
    }

    fn host_learns(&mut self, clocks: Vec<Clock>, all: bool) {
        let mut clocks = clocks.into_iter();
        let Some(mut known) = clocks.next() else { return };
        clocks.for_each(|clock| if all { known.join(&clock) } else { known.meet(&clock) });
        self.host.join(&known);
    }

    /// The host waited for a queue, or for all of them. `upto` is what [`Order::mark`] said before the wait.
    pub fn host_idle(&mut self, upto: &Clock) {
        self.host.join(upto);
    }

    /// Everything that was submitted so far, to a queue or to all of them.
    pub fn mark(&self, queue: Option<u32>) -> Clock {
        match queue {
            Some(queue) => self.everything_of(queue),
            None => {
                let mut clock = Clock::default();
                (0..self.lines.len() as u32).for_each(|queue| clock.join(&self.everything_of(queue)));
                clock
            }
        }
    }

    /// A submission failed: which waits and signals took place is not known, and indices have moved.
    pub fn lose(&mut self) {
        self.semaphores.values_mut().for_each(|semaphore| match semaphore {
            Semaphore::Binary(clock) => *clock = Clock::default(),
            Semaphore::Timeline { signals, lost, .. } => {
                *lost = signals.last_key_value().map_or(*lost, |(value, _)| *value);
                signals.clear();
            }
        });
        self.fences.clear();
        self.waiting.clear();
        for line in &mut self.lines {
            (line.known, line.told) = (Clock::default(), Clock::default());
            line.cut |= !line.worked.is_empty();
            line.worked.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(waits: &[Point], signals: &[Point]) -> Edges {
        Edges { waits: waits.to_vec(), signals: signals.to_vec() }
    }

    fn after(order: &mut Order, queue: u32, place: (u64, u32), edges: &Edges) -> Vec<(u32, u32)> {
        let batch = order.batch(queue, place.0, Some(place.1), edges, &mut Vec::new());
        batch.iter().map(|r| (r.frames_ago, r.submission)).collect()
    }

    #[test]
    fn a_steady_state_of_two_queues_repeats_itself() {
        let mut order = Order::of(2);
        order.semaphore(1, None);
        order.semaphore(2, None);
        let mut frames = Vec::new();
        for frame in 0..5 {
            let back: &[Point] = if frame == 0 { &[] } else { &[(2, 0)] };
            let first = after(&mut order, 0, (frame, 0), &edges(back, &[(1, 0)]));
            let second = after(&mut order, 1, (frame, 1), &edges(&[(1, 0)], &[(2, 0)]));
            frames.push((first, second));
        }
        assert_eq!(frames[0], (vec![], vec![(0, 0)]));
        assert!(frames[1..].iter().all(|f| *f == (vec![(1, 1)], vec![(0, 0)])), "{frames:?}");
    }

    #[test]
    fn a_wait_before_its_signal_is_told_once_the_signal_comes_in_the_same_frame() {
        let mut order = Order::of(2);
        order.semaphore(1, Some(0));
        let mut late = Vec::new();
        assert!(order.batch(0, 0, Some(0), &edges(&[(1, 5)], &[]), &mut late).is_empty());
        order.batch(1, 0, Some(1), &edges(&[], &[(1, 6)]), &mut late);
        assert_eq!(late.iter().map(|l| (l.submission, l.after.submission)).collect::<Vec<_>>(), [(0, 1)]);
        // In a later frame it comes too late for the batch itself; the next on its queue follows it.
        late.clear();
        order.batch(0, 1, Some(0), &edges(&[(1, 7)], &[]), &mut late);
        order.batch(1, 2, Some(0), &edges(&[], &[(1, 7)]), &mut late);
        assert!(late.is_empty());
        assert_eq!(after(&mut order, 0, (2, 1), &edges(&[], &[])), [(0, 0)]);
    }

    #[test]
    fn a_larger_value_that_waits_itself_does_not_stand_for_a_smaller_one() {
        let mut order = Order::of(3);
        order.semaphore(1, Some(0));
        order.semaphore(2, Some(0));
        let mut late = Vec::new();
        order.batch(1, 0, Some(0), &edges(&[(2, 1)], &[(1, 9)]), &mut late);
        // Value 4 may still come first, from another queue.
        assert_eq!(after(&mut order, 0, (0, 1), &edges(&[(1, 3)], &[])), []);
        order.batch(2, 0, Some(2), &edges(&[], &[(1, 4), (2, 1)]), &mut late);
        let told: Vec<_> = late.iter().map(|l| (l.submission, l.after.submission)).collect();
        assert_eq!(told, [(0, 2), (1, 2)], "batch 1 follows the smaller value");
    }

    #[test]
    fn a_host_that_looks_at_other_times_changes_what_the_host_knows_and_nothing_else() {
        let run = |looks: &[u64]| {
            let mut order = Order::of(2);
            order.semaphore(1, None);
            let (mut structure, mut host) = (Vec::new(), Vec::new());
            for frame in 0..6 {
                order.waited(frame, 0, &mut host);
                structure.push(after(&mut order, 0, (frame, 0), &edges(&[], &[(1, 0)])));
                order.fence(100 + frame, 0);
                structure.push(after(&mut order, 1, (frame, 1), &edges(&[(1, 0)], &[])));
                if looks.contains(&frame) {
                    order.host_fences(&[100 + frame], true);
                }
            }
            (structure, host)
        };
        let (some, every) = (run(&[1, 4]), run(&[0, 1, 2, 3, 4, 5]));
        assert_eq!(some.0, every.0);
        assert_eq!((some.1.len(), every.1.len()), (2, 5));
        assert_eq!(every.1[0], Waited { before: 0, done: SubmissionRef { frames_ago: 1, submission: 0 } });
    }

    #[test]
    fn of_any_of_several_fences_only_what_all_of_them_say_is_known() {
        let mut order = Order::of(2);
        for (at, fence) in [(0, 7), (1, 8)] {
            order.batch(0, 0, Some(at), &Edges::default(), &mut Vec::new());
            order.fence(fence, 0);
        }
        order.batch(1, 0, Some(2), &Edges::default(), &mut Vec::new());
        let mut waited = Vec::new();
        order.host_fences(&[7, 8], false);
        order.waited(1, 0, &mut waited);
        assert_eq!(waited.iter().map(|w| w.done.submission).collect::<Vec<_>>(), [0]);
        order.host_fences(&[7, 9], true);
        order.waited(1, 0, &mut waited);
        assert_eq!(waited.len(), 1, "nothing new");
    }

    #[test]
    fn one_queue_leaves_nothing_and_a_second_says_what_was_complete_when_it_came() {
        let mut order = Order::of(1);
        assert!(after(&mut order, 0, (0, 0), &edges(&[(1, 0)], &[(1, 0)])).is_empty());
        assert_eq!(order.queues().count, 0);
        let mut order = Order::of(2);
        let mut waited = Vec::new();
        for frame in 0..10 {
            after(&mut order, 0, (frame, 0), &Edges::default());
            order.fence(frame + 1, 0);
            order.waited(frame, 0, &mut waited);
        }
        order.host_fences(&[8], true);
        after(&mut order, 1, (9, 1), &Edges::default());
        assert_eq!(order.queues(), Queues { count: 2, created: 2, complete_before: 8 });
        assert!(waited.is_empty());
    }

    #[test]
    fn a_submission_that_fails_leaves_nothing_known() {
        let mut order = Order::of(2);
        order.semaphore(1, Some(0));
        after(&mut order, 0, (0, 0), &edges(&[], &[(1, 1)]));
        order.lose();
        assert_eq!(after(&mut order, 1, (0, 0), &edges(&[(1, 1)], &[])), []);
    }
}
