//! The one analysis thread of the process, and the analysis of each device.
//!
//! Closed frames arrive through a bounded queue. Under pressure frames are dropped and counted; the application is never made to wait,
//! except in `sync` mode, which analyses in place for tests, and for some seconds at most when a device or the process ends.
//! The thread is started by the first frame, never by loading the library or creating an instance.

mod ended;
mod queue;

use self::ended::Ended;
use self::queue::Queue;
use crate::dispatch::guard;
use crate::record::{ClosedFrame, FlatFrame, Flattener, Selection, Tail};
use crate::sinks::files::Files;
use crate::sinks::messengers::Message;
use crate::sinks::places::Places;
use crate::sinks::signals::unharmed;
use crate::sinks::{log, messages};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};
use tbdr_model::frame::FrameStructure;
use tbdr_model::gpu::Profile;
use tbdr_model::record::{Commitment, FrameRecord, Gap, GapReason, Queues, Record, Run};
use tbdr_model::report::Finding;
use tbdr_model::session::Session;
use tilelens_capture::Appended;
use tilelens_manifest::Settings;

/// Distinct frames kept per device; a program that never repeats itself would otherwise fill memory and disk.
const MOST_STRUCTURES: usize = 20_000;
/// How long the end of a device or of the process waits for frames that are still to be analysed.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// The analysis of one device.
pub struct Analysis {
    settings: Settings,
    pid: u32,
    /// Held while the analysis works and writes, which may take any time.
    state: Mutex<State>,
    /// Whether nothing more will be written.
    ended: Ended,
    /// Whether the application has a messenger at the end of the device.
    messages_wanted: AtomicBool,
    /// What is to be said to the application's messengers.
    messages: Mutex<Vec<Message>>,
}

struct State {
    run: Option<Run>,
    session: Session,
    /// Id of the first GPU modelled.
    gpu: String,
    flattener: Flattener,
    selection: Selection,
    /// How many queues with work were told of.
    queues: u32,
    structures: HashMap<u64, Vec<(u32, Arc<FrameStructure>)>>,
    structure_count: u32,
    places: Places,
    /// Frames up to here arrived, or are known to be lost.
    next_frame: u64,
    /// Frames up to here are told by records that were kept.
    told: u64,
    /// Frames that are missing, as long as more of them may follow: one record tells of all.
    pending: Option<Gap>,
    /// Whether the capture has reached the size it may have.
    full: bool,
    /// Whether the log has told of a frame that was too large.
    told_of_size: bool,
    recorded: u64,
    next_report: u64,
    files: Files,
    ended: bool,
}

enum Job {
    Frame(ClosedFrame),
    End(Tail),
}

impl Analysis {
    /// The analysis of a device about which `run` is known, for these GPUs.
    pub fn new(settings: Settings, profiles: Vec<Profile>, run: Run) -> Self {
        let run = Run { settings: settings.effective(), ..run };
        let files = Files::new(&settings, &run.program);
        Self {
            pid: std::process::id(),
            state: Mutex::new(State {
                run: Some(run),
                gpu: profiles.first().map(|p| p.id.clone()).unwrap_or_default(),
                session: Session::new(profiles),
                flattener: Flattener::default(),
                selection: Selection::default(),
                queues: 1,
                structures: HashMap::new(),
                structure_count: 0,
                places: Places::default(),
                next_frame: 0,
                told: 0,
                pending: None,
                full: false,
                told_of_size: false,
                recorded: 0,
                next_report: 1,
                files,
                ended: false,
            }),
            settings,
            ended: Ended::new(),
            messages_wanted: AtomicBool::new(false),
            messages: Mutex::default(),
        }
    }

    /// The settings in force for the device.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Asks for messages at the end, before [`Analysis::end`].
    pub fn want_messages(&self) {
        self.messages_wanted.store(true, Ordering::Relaxed);
    }

    /// What is to be said to the application's messengers, once: after [`Analysis::end`].
    pub fn take_messages(&self) -> Vec<Message> {
        std::mem::take(&mut *self.messages.lock())
    }

    /// Hands over a closed frame. Only in `sync` mode, and only without a `deadline`, it may take longer than a moment.
    pub fn frame(self: &Arc<Self>, frame: ClosedFrame, deadline: Option<Instant>) {
        if self.settings.sync {
            unharmed(|| self.run(Job::Frame(frame), deadline));
        } else {
            Worker::current().push(self, Job::Frame(frame), self.settings.queue_frames as usize, deadline);
        }
    }

    /// The device or the process ends: waits until what is queued is analysed and written, or until `deadline` if the thread is stuck in a
    /// write that does not return.
    pub fn end(self: &Arc<Self>, tail: Tail, deadline: Instant) {
        if self.pid != std::process::id() || guard::passing_through() {
            return;
        }
        let worker = Worker::get().filter(|_| !self.settings.sync);
        let Some(worker) = worker else {
            // Nothing was ever handed to the thread of this process.
            if tail.frames > 0 {
                unharmed(|| self.run(Job::End(tail), Some(deadline)));
            }
            return;
        };
        if !worker.push(self, Job::End(tail), usize::MAX, Some(deadline)) {
            return;
        }
        self.ended.wait_until(deadline);
    }

    fn run(&self, job: Job, deadline: Option<Instant>) {
        if self.pid != std::process::id() {
            return;
        }
        if guard::passing_through() {
            return self.ended.set();
        }
        let state = deadline.map_or_else(|| Some(self.state.lock()), |until| self.state.try_lock_until(until));
        let Some(mut state) = state else { return };
        let done = catch_unwind(AssertUnwindSafe(|| match job {
            Job::Frame(frame) => state.frame(&frame, &self.settings),
            Job::End(tail) => {
                let wanted = self.messages_wanted.load(Ordering::Relaxed);
                *self.messages.lock() = state.end(&tail, wanted);
            }
        }));
        if let Err(payload) = done {
            guard::fault("the analysis", payload.as_ref());
            state.ended = true;
        }
        if state.ended {
            drop(state);
            self.ended.set();
        }
    }
}

impl State {
    fn frame(&mut self, frame: &ClosedFrame, settings: &Settings) {
        if self.full {
            return;
        }
        self.queues(frame.queues);
        self.gap(frame.index, GapReason::Overload);
        self.next_frame = frame.index + 1;
        self.take(frame, settings);
        self.commitments(&frame.commitments);
        if self.full {
            log::warn(&format!(
                "capture_max_bytes: the capture is full; frame {} and later ones are not recorded. Set {} to more, or record fewer \
                 frames with {}",
                self.told,
                tilelens_manifest::environment_names("capture_max_bytes")[0],
                tilelens_manifest::environment_names("frames")[0]
            ));
            self.untold(self.next_frame);
            self.files.report(|| self.session.report());
        }
    }

    fn take(&mut self, frame: &ClosedFrame, settings: &Settings) {
        // Flattened even if not selected: label regions go on from frame to frame.
        let selected = self.selection.takes(frame, self.flattener.open_labels(), settings);
        let flat = (!frame.too_large).then(|| self.flattener.flatten(frame, &settings.outputs));
        if !selected {
            self.record(Record::Gap(Gap { first: frame.index, count: 1, reason: GapReason::Selection }));
            return;
        }
        let Some(flat) = flat else {
            if !std::mem::replace(&mut self.told_of_size, true) {
                log::warn(&format!(
                    "max_frame_ops: frame {} and others like it hold more than twice {} operations in few submissions and are not \
                     recorded. Set {} to more",
                    frame.index,
                    settings.max_frame_ops,
                    tilelens_manifest::environment_names("max_frame_ops")[0]
                ));
            }
            self.record(Record::Gap(Gap { first: frame.index, count: 1, reason: GapReason::Limit }));
            return;
        };
        let Some(structure) = self.structure(&flat) else {
            self.record(Record::Gap(Gap { first: frame.index, count: 1, reason: GapReason::Limit }));
            return;
        };
        self.places.frame(frame.index, structure, &flat.images);
        self.record(Record::Frame(FrameRecord {
            index: frame.index,
            structure,
            images: flat.images,
            buffers: flat.buffers,
            acquired: frame.acquired.clone(),
            counters: flat.counters,
            waited: frame.waited.clone(),
            complete_before: frame.complete_before,
            destroyed: frame.destroyed.clone(),
        }));
        if self.full {
            return;
        }
        self.recorded += 1;
        log::frame(frame.index, structure, &self.session.totals(structure).unwrap_or_default());
        if self.recorded >= self.next_report {
            self.next_report = self.next_report.saturating_mul(2);
            self.files.report(|| self.session.report());
        }
    }

    /// Tells of queues that got work since: before the gaps in which they may have done it.
    fn queues(&mut self, queues: Queues) {
        if queues.count > self.queues && !self.full {
            self.queues = queues.count;
            self.record(Record::Queues(queues));
        }
    }

    /// Tells what lazily allocated memory had cost when it was freed: after the frame, whose images it may name.
    fn commitments(&mut self, commitments: &[Commitment]) {
        commitments.iter().for_each(|commitment| self.record(Record::Commitment(commitment.clone())));
    }

    /// Ends the capture and the report. What the messengers of the application are to be told, if that is `wanted`.
    fn end(&mut self, tail: &Tail, wanted: bool) -> Vec<Message> {
        let &Tail { frames, queues, .. } = tail;
        if self.ended {
            return Vec::new();
        }
        self.queues(queues);
        self.gap(frames, GapReason::Overload);
        self.commitments(&tail.commitments);
        self.flush();
        if self.full && queues.count > self.queues {
            self.record_last(&Record::Queues(queues));
        }
        // Which of these the limit took is all the same: no record of them was kept.
        if self.full {
            self.untold(frames.max(self.next_frame));
        }
        self.record_last(&Record::End);
        let report = self.session.report();
        log::findings(&report.findings, &self.gpu);
        let messages = if wanted { self.messages(&report.findings) } else { Vec::new() };
        self.files.report(|| report);
        self.ended = true;
        messages
    }

    /// What the messengers of the application are to be told.
    fn messages(&self, findings: &[Finding]) -> Vec<Message> {
        let structures = self.structures.values().flatten().map(|(id, structure)| (*id, &**structure)).collect();
        let mut finder = self.places.finder(structures);
        messages::of(findings, &self.gpu, |finding| finder.find(finding))
    }

    /// Notes that the frames up to `index` never arrived.
    fn gap(&mut self, index: u64, reason: GapReason) {
        if index > self.next_frame {
            self.record(Record::Gap(Gap { first: self.next_frame, count: index - self.next_frame, reason }));
        }
    }

    /// The number of the frame's structure; `None` when there are too many.
    fn structure(&mut self, flat: &FlatFrame) -> Option<u32> {
        let mut hasher = DefaultHasher::new();
        flat.structure.hash(&mut hasher);
        let known = self.structures.entry(hasher.finish()).or_default();
        if let Some((id, _)) = known.iter().find(|(_, s)| **s == flat.structure) {
            return Some(*id);
        }
        if self.structure_count as usize >= MOST_STRUCTURES {
            return None;
        }
        let id = self.structure_count;
        self.structure_count += 1;
        known.push((id, Arc::new(flat.structure.clone())));
        self.record(Record::Structure { id, frame: flat.structure.clone() });
        Some(id)
    }

    /// Records what happened. Gaps wait for what follows them, so that many frames left out in a row take one record.
    fn record(&mut self, record: Record) {
        let Record::Gap(gap) = record else {
            self.flush();
            return self.keep(&record);
        };
        match &mut self.pending {
            Some(last) if last.reason == gap.reason && last.first + last.count == gap.first => last.count += gap.count,
            _ => {
                self.flush();
                self.pending = Some(gap);
            }
        }
    }

    fn flush(&mut self) {
        if let Some(gap) = self.pending.take() {
            self.keep(&Record::Gap(gap));
        }
    }

    /// Feeds the session and the capture alike: they never differ. Once the capture is full, neither gets more than
    /// [`State::record_last`] gives both.
    fn keep(&mut self, record: &Record) {
        if let Some(run) = self.run.take() {
            self.keep(&Record::Run(run));
        }
        if self.full {
            return;
        }
        if self.files.append(record) == Appended::Full {
            self.full = true;
            return;
        }
        match record {
            Record::Gap(gap) => self.told = gap.first + gap.count,
            Record::Frame(frame) => self.told = frame.index + 1,
            _ => {}
        }
        self.session.record(record);
    }

    /// Tells that the frames up to `end` are missing because the capture is full.
    fn untold(&mut self, end: u64) {
        self.pending = None;
        if end > self.told {
            let gap = Gap { first: self.told, count: end - self.told, reason: GapReason::CaptureLimit };
            self.record_last(&Record::Gap(gap));
            self.told = end;
        }
    }

    /// Records what ends a capture, for which it has room when nothing else fits any more.
    fn record_last(&mut self, record: &Record) {
        if let Some(run) = self.run.take() {
            self.keep(&Record::Run(run));
        }
        self.session.record(record);
        self.files.append_last(record);
    }
}

/// The thread and its queue. A child process gets a new one: threads do not survive a fork.
struct Worker {
    pid: u32,
    queue: Queue<(Arc<Analysis>, Job)>,
}

static WORKER: AtomicPtr<Worker> = AtomicPtr::new(std::ptr::null_mut());
static START: Mutex<()> = Mutex::new(());

impl Worker {
    fn get() -> Option<&'static Self> {
        let worker = WORKER.load(Ordering::Acquire);
        // Workers are leaked, so the pointer is good for ever.
        crate::dispatch::leaked(worker).filter(|w| w.pid == std::process::id())
    }

    fn current() -> &'static Self {
        if let Some(worker) = Self::get() {
            return worker;
        }
        let _start = START.lock();
        if let Some(worker) = Self::get() {
            return worker;
        }
        let worker: &'static Self = Box::leak(Box::new(Self { pid: std::process::id(), queue: Queue::new() }));
        let spawned = std::thread::Builder::new().name("tilelens".into()).spawn(|| worker.work());
        if let Err(error) = spawned {
            guard::fault("starting the analysis thread", &error.to_string());
        }
        WORKER.store(std::ptr::from_ref(worker).cast_mut(), Ordering::Release);
        worker
    }

    /// Queues a job unless `most` wait already. `false` if the queue could not be had until `deadline`.
    fn push(&self, analysis: &Arc<Analysis>, job: Job, most: usize, deadline: Option<Instant>) -> bool {
        self.queue.push((Arc::clone(analysis), job), most, deadline)
    }

    fn work(&self) {
        crate::sinks::background_thread();
        loop {
            let (analysis, job) = self.queue.pop();
            analysis.run(job, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_device_does_not_wait_for_a_thread_that_is_stuck_in_a_write() {
        for sync in [false, true] {
            let settings = Settings { sync, capture: false, report: false, ..Settings::default() };
            let analysis = Arc::new(Analysis::new(settings, Vec::new(), Run::default()));
            let stuck = analysis.state.lock();
            if !sync {
                let end = Job::End(Tail { frames: 1, ..Tail::default() });
                Worker::current().push(&analysis, end, usize::MAX, None);
            }
            let before = Instant::now();
            analysis.end(Tail { frames: 1, ..Tail::default() }, before + Duration::from_millis(50));
            let waited = before.elapsed();
            drop(stuck);
            assert!(waited >= Duration::from_millis(50) && waited < PATIENCE, "{waited:?}");
            // Once the thread comes back there is nothing to wait for.
            analysis.end(Tail { frames: 1, ..Tail::default() }, Instant::now() + PATIENCE);
            assert!(analysis.ended.wait_until(Instant::now()), "sync: {sync}");
        }
    }
}
