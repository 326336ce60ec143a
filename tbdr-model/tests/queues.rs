//! Work on several queues: what is said of a load or store holds in every order in which the submissions may execute.

mod frames;

use frames::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};
use tbdr_model::frame::*;
use tbdr_model::graph::liveness::Site;
use tbdr_model::graph::{Fate, Liveness, Operation, accesses};
use tbdr_model::record::{FrameRecord, Queues, Waited};

/// What a submission does to one of two images.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Do {
    Pass(LoadOp, StoreOp),
    Copy,
    Clear,
    Discard,
    /// Shaders of which nothing is known.
    Shaders,
}

#[derive(Clone, Debug)]
struct Made {
    frame: usize,
    queue: u32,
    /// Frames ago and index.
    after: Vec<(u32, u32)>,
    ops: Vec<(Do, usize)>,
}

#[derive(Clone, Debug)]
struct Schedule {
    made: Vec<Made>,
    /// Frame, submissions made before, what is complete.
    waited: Vec<(usize, u32, (u32, u32))>,
    usage: u32,
    missing: Option<usize>,
    /// Whether it is known how many queues there are.
    told: bool,
    frames: usize,
}

fn op() -> impl Strategy<Value = (Do, usize)> {
    use LoadOp as L;
    use StoreOp as S;
    let what = prop_oneof![
        4 => (
            prop_oneof![Just(L::Load), Just(L::Clear), Just(L::DontCare)],
            prop_oneof![3 => Just(S::Store), 1 => Just(S::DontCare)]
        ).prop_map(|(load, store)| Do::Pass(load, store)),
        1 => Just(Do::Copy),
        1 => Just(Do::Clear),
        2 => Just(Do::Discard),
        1 => Just(Do::Shaders),
    ];
    (what, 0..2usize)
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let one = (
        0..3usize,
        0..3u32,
        proptest::collection::vec((0..3u32, 0..4u32), 0..3),
        proptest::collection::vec(op(), 0..3),
    );
    let made = proptest::collection::vec(one, 1..7);
    let waited = proptest::collection::vec((0..3usize, 0..4u32, (0..3u32, 0..3u32)), 0..3);
    let usage = prop_oneof![2 => Just(0), 1 => Just(usage::SAMPLED), 1 => Just(usage::STORAGE)];
    (made, waited, usage, prop_oneof![3 => Just(None), 1 => (0..3usize).prop_map(Some)], any::<bool>()).prop_map(
        |(made, waited, usage, missing, told)| {
            let mut made: Vec<Made> =
                made.into_iter().map(|(frame, queue, after, ops)| Made { frame, queue, after, ops }).collect();
            made.sort_by_key(|m| m.frame);
            // Few operations: all orders are tried.
            let mut left = 7usize;
            for one in &mut made {
                one.ops.truncate(left.min(2));
                left -= one.ops.len();
            }
            Schedule { made, waited, usage: usage | usage::COLOR_ATTACHMENT, missing, told, frames: 3 }
        },
    )
}

impl Schedule {
    fn of_frame(&self, frame: usize) -> Vec<usize> {
        (0..self.made.len()).filter(|at| self.made[*at].frame == frame).collect()
    }

    fn resolve(&self, frame: usize, (ago, index): (u32, u32)) -> Option<usize> {
        self.of_frame(frame.checked_sub(ago as usize)?).get(index as usize).copied()
    }

    /// Facts of the host that the host could have: of what was submitted before.
    fn facts(&self, frame: usize) -> Vec<Waited> {
        let here = self.of_frame(frame).len() as u32;
        let made = |w: &&(usize, u32, (u32, u32))| w.0 == frame && w.1 <= here && (w.2.0 > 0 || w.2.1 < w.1);
        let fact = |&(_, before, (frames_ago, submission)): &(usize, u32, (u32, u32))| Waited {
            before,
            done: SubmissionRef { frames_ago, submission },
        };
        self.waited.iter().filter(made).map(fact).collect()
    }

    /// What each submission is after.
    fn edges(&self) -> Vec<BTreeSet<usize>> {
        let mut after: Vec<BTreeSet<usize>> = Vec::new();
        for (at, made) in self.made.iter().enumerate() {
            let queue = (0..at).filter(|other| self.made[*other].queue == made.queue);
            let waits = made.after.iter().filter_map(|r| self.resolve(made.frame, *r)).filter(|other| *other != at);
            after.push(queue.chain(waits).collect());
        }
        for frame in 0..self.frames {
            for fact in self.facts(frame) {
                let Some(done) = self.resolve(frame, (fact.done.frames_ago, fact.done.submission)) else { continue };
                let here = self.of_frame(frame);
                for at in (0..self.made.len()).filter(|at| {
                    let place = here.iter().position(|i| i == at);
                    self.made[*at].frame > frame || place.is_some_and(|p| p as u32 >= fact.before)
                }) {
                    after[at].insert(done);
                }
            }
        }
        after
    }

    fn structure(&self, frame: usize) -> FrameStructure {
        let described = Image { usage: self.usage, ..image("R8G8B8A8_UNORM", [8, 8, 1]) };
        let submissions = self.of_frame(frame).into_iter().map(|at| {
            let made = &self.made[at];
            let reference = |&(frames_ago, submission): &(u32, u32)| SubmissionRef { frames_ago, submission };
            Submission {
                queue: made.queue,
                family: Some(0),
                after: made.after.iter().map(reference).collect(),
                unwaited: false,
                semaphores: None,
                ops: made.ops.iter().map(|(what, image)| operation(*what, *image)).collect(),
            }
        });
        FrameStructure {
            images: vec![described.clone(), described],
            submissions: submissions.collect(),
            ..FrameStructure::default()
        }
    }

    fn fates(&self) -> BTreeMap<Site, Fate> {
        let mut liveness = Liveness::default();
        if self.told {
            liveness.queues(Queues { count: 1, created: 3, complete_before: 0 });
        }
        for frame in 0..self.frames {
            if self.missing == Some(frame) {
                liveness.queues(Queues { count: 3, created: 3, complete_before: 0 });
                liveness.gap();
                continue;
            }
            let structure = self.structure(frame);
            let record = FrameRecord {
                index: frame as u64,
                structure: frame as u32,
                images: vec![10, 11],
                waited: self.facts(frame),
                ..FrameRecord::default()
            };
            liveness.frame(&structure, &accesses(&structure), &record);
        }
        liveness.end();
        liveness.fates()
    }
}

fn operation(what: Do, image: usize) -> Op {
    let at = Some(ImageRef(image as u32));
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    let extent = tbdr_model::units::Extent3D::from([8, 8, 1]);
    let side =
        Some(Side::Image(ImageRegion { image: at, aspects: Aspects::COLOR, layers: 1, extent, ..Default::default() }));
    match what {
        Do::Pass(load, store) => {
            let mut target = attachment("R8G8B8A8_UNORM", load, store);
            (target.image, target.range) = (at, range);
            target.initial_layout = Layout(1);
            Op::Pass(pass(
                [8, 8],
                vec![target],
                vec![Subpass { shader: ShaderAccess::NOTHING, ..subpass(&[0], None, &[]) }],
            ))
        }
        Do::Copy => {
            let region = Region { src: side, ..Region::default() };
            Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::CopyImageToBuffer, regions: vec![region] })
        }
        Do::Clear => {
            let region = Region { dst: side, ..Region::default() };
            Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::ClearColor, regions: vec![region] })
        }
        Do::Discard => {
            let lost = ImageBarrier { image: at, range, new_layout: Layout(1), ..ImageBarrier::default() };
            Op::Barrier(Barrier { images: vec![lost], ..Barrier::default() })
        }
        Do::Shaders => Op::Dispatch(Dispatch::default()),
    }
}

/// Contents of an image while one order is played.
#[derive(Clone, Default)]
struct Contents {
    defined: bool,
    dropped: bool,
    /// The store or clear that wrote them, while nobody has read it.
    store: Option<Site>,
}

/// Plays every order of the operations that the submissions allow, and takes out of the claims what does not hold in it.
struct Play<'a> {
    schedule: &'a Schedule,
    after: Vec<BTreeSet<usize>>,
    next: Vec<usize>,
    /// Stores that were lost unread in the order that is being played.
    lost: BTreeSet<Site>,
    claims: BTreeSet<Site>,
    wrong: BTreeSet<Site>,
    orders: u64,
}

impl Play<'_> {
    fn site(&self, at: usize, op: usize, operation: Operation) -> Site {
        let frame = self.schedule.made[at].frame;
        let is_pass = |(what, _): &&(Do, usize)| match operation {
            Operation::Write => matches!(what, Do::Copy | Do::Clear),
            Operation::Load | Operation::Store => matches!(what, Do::Pass(..)),
        };
        let before: usize = self
            .schedule
            .of_frame(frame)
            .into_iter()
            .filter(|other| *other < at)
            .map(|other| self.schedule.made[other].ops.iter().filter(is_pass).count())
            .sum();
        let pass = before + self.schedule.made[at].ops[..op].iter().filter(is_pass).count();
        let aspect = if operation == Operation::Write { Aspects::default() } else { Aspects::COLOR };
        Site { structure: frame as u32, pass: pass as u32, attachment: 0, aspect, operation }
    }

    fn done(&self, at: usize) -> bool {
        self.next[at] == self.schedule.made[at].ops.len()
    }

    fn play(&mut self, images: &[Contents; 2]) {
        let mut ended = true;
        for at in 0..self.schedule.made.len() {
            // Empty submissions pass on what they wait for.
            if self.done(at) || !self.may_begin(at, 0) {
                continue;
            }
            ended = false;
            let op = self.next[at];
            let (lost, mut then) = (self.lost.clone(), images.clone());
            self.step(at, op, &mut then);
            self.next[at] += 1;
            self.play(&then);
            self.next[at] -= 1;
            self.lost = lost;
        }
        if ended && (0..self.next.len()).all(|at| self.done(at)) {
            self.orders += 1;
            let stores = self.claims.iter().filter(|site| site.operation != Operation::Load);
            self.wrong.extend(stores.filter(|site| !self.lost.contains(site)).copied());
        }
    }

    fn may_begin(&self, at: usize, depth: usize) -> bool {
        depth <= self.after.len()
            && self.after[at].iter().all(|other| self.done(*other) && self.may_begin(*other, depth + 1))
    }

    fn step(&mut self, at: usize, op: usize, images: &mut [Contents; 2]) {
        let (what, image) = self.schedule.made[at].ops[op];
        let lose = |lost: &mut BTreeSet<Site>, contents: &mut Contents| lost.extend(contents.store.take());
        match what {
            Do::Pass(load, store) => {
                let contents = &mut images[image];
                match load {
                    LoadOp::Load => {
                        let site = self.site(at, op, Operation::Load);
                        if contents.defined || contents.dropped {
                            self.wrong.extend(self.claims.get(&site));
                        }
                        contents.store = None;
                    }
                    _ => lose(&mut self.lost, contents),
                }
                contents.defined = store == StoreOp::Store;
                contents.dropped = !contents.defined;
                if contents.defined {
                    contents.store = Some(self.site(at, op, Operation::Store));
                } else {
                    lose(&mut self.lost, contents);
                }
            }
            Do::Copy => images[image].store = None,
            Do::Clear => {
                lose(&mut self.lost, &mut images[image]);
                (images[image].defined, images[image].dropped) = (true, false);
                images[image].store = Some(self.site(at, op, Operation::Write));
            }
            Do::Discard => {
                lose(&mut self.lost, &mut images[image]);
                images[image] = Contents::default();
            }
            Do::Shaders => {
                for contents in images {
                    if self.schedule.usage & (usage::SAMPLED | usage::STORAGE) != 0 {
                        contents.store = None;
                    }
                    contents.defined |= self.schedule.usage & usage::STORAGE != 0;
                }
            }
        }
    }
}

/// Claims that do not hold, how many there were, and the orders that were tried.
fn check(schedule: &Schedule) -> (BTreeSet<Site>, usize, u64) {
    let fates = schedule.fates();
    let dead = fates.iter().filter(|(_, fate)| fate.dead.count() > 0 || !fate.by_transfers.is_empty());
    // What transfers alone read is no claim here.
    let claims: BTreeSet<Site> = dead.filter(|(_, fate)| fate.by_transfers.is_empty()).map(|(site, _)| *site).collect();
    let count = claims.len();
    if count == 0 {
        return (BTreeSet::new(), 0, 0);
    }
    let mut play = Play {
        schedule,
        after: schedule.edges(),
        next: vec![0; schedule.made.len()],
        lost: BTreeSet::new(),
        claims,
        wrong: BTreeSet::new(),
        orders: 0,
    };
    play.play(&Default::default());
    (play.wrong, count, play.orders)
}

#[test]
fn a_verdict_holds_in_every_order_in_which_the_queues_may_execute() {
    let mut runner = TestRunner::deterministic();
    let strategy = schedule();
    let (mut claims, mut of_several) = (0, 0);
    for _ in 0..6000 {
        let schedule = strategy.new_tree(&mut runner).unwrap().current();
        let (wrong, count, orders) = check(&schedule);
        assert!(wrong.is_empty(), "{wrong:?} does not hold in {schedule:#?}");
        claims += count;
        of_several += if orders > 1 { count } else { 0 };
    }
    // The test is worth nothing if nothing is claimed.
    assert!(claims > 1000 && of_several > 100, "{claims} claims, {of_several} of them with a choice of orders");
}

/// A frame in which queue 0 renders, and queue 1 reads, then the contents go.
fn producer_and_consumer(after: &[(usize, (u32, u32))]) -> Schedule {
    let made = |frame: usize| {
        let render = (Do::Pass(LoadOp::Clear, StoreOp::Store), 0);
        let idle = (Do::Pass(LoadOp::Clear, StoreOp::Store), 1);
        vec![
            Made { frame, queue: 0, after: Vec::new(), ops: vec![render, idle] },
            Made { frame, queue: 1, after: Vec::new(), ops: vec![(Do::Copy, 0)] },
        ]
    };
    let mut made: Vec<Made> = (0..3).flat_map(made).collect();
    for one in &mut made {
        one.after = after.iter().filter(|(queue, _)| *queue as u32 == one.queue).map(|(_, r)| *r).collect();
    }
    Schedule { made, waited: Vec::new(), usage: usage::COLOR_ATTACHMENT, missing: None, told: true, frames: 3 }
}

fn store(schedule: &Schedule, frame: u32, pass: u32) -> Fate {
    let site = Site { structure: frame, pass, attachment: 0, aspect: Aspects::COLOR, operation: Operation::Store };
    schedule.fates().get(&site).cloned().unwrap_or_default()
}

#[test]
fn semaphores_between_two_queues_make_their_accesses_those_of_one() {
    let ordered = producer_and_consumer(&[(1, (0, 0)), (0, (1, 1))]);
    let read = store(&ordered, 0, 0);
    assert_eq!((read.transferred, read.undecided, read.dead.count()), (1, 0, 0));
    assert_eq!(read.by_transfers.len(), 1);
    assert_eq!(store(&ordered, 0, 1).dead.count(), 1, "the other image is of one queue alone");
    assert!(check(&ordered).0.is_empty());
}

#[test]
fn without_an_order_between_the_queues_an_image_of_both_is_undecided_and_one_of_a_single_queue_is_not() {
    let unordered = producer_and_consumer(&[]);
    let fate = store(&unordered, 1, 0);
    assert_eq!((fate.dead.count(), fate.by_transfers.len()), (0, 0));
    assert!(fate.undecided > 0);
    assert_eq!(store(&unordered, 1, 1).dead.count(), 1);
}

#[test]
fn an_image_that_was_raced_for_once_is_followed_again_once_its_queues_are_ordered() {
    let mut schedule = producer_and_consumer(&[(1, (0, 0)), (0, (1, 1))]);
    schedule.made[1].after.clear();
    assert!(store(&schedule, 0, 0).undecided > 0);
    assert_eq!(store(&schedule, 1, 0).by_transfers.len(), 1);
}

#[test]
fn an_exclusive_image_that_another_family_reads_without_getting_it_is_undecided() {
    let schedule = producer_and_consumer(&[(1, (0, 0)), (0, (1, 1))]);
    let run = |transfer: bool| {
        let mut liveness = Liveness::default();
        for frame in 0..3 {
            let mut structure = schedule.structure(frame);
            let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
            let own = |families| {
                let layout = Layout(1);
                let (image, families) = (Some(ImageRef(0)), Some(families));
                let moved = ImageBarrier {
                    image,
                    range,
                    old_layout: layout,
                    new_layout: layout,
                    families,
                    ..Default::default()
                };
                Op::Barrier(Barrier { images: vec![moved], ..Barrier::default() })
            };
            structure.submissions[1].family = Some(7);
            if transfer {
                structure.submissions[0].ops.push(own((0, 7)));
                structure.submissions[1].ops.insert(0, own((0, 7)));
            }
            let (index, number) = (frame as u64, frame as u32);
            let record = FrameRecord { index, structure: number, images: vec![10, 11], ..FrameRecord::default() };
            liveness.frame(&structure, &accesses(&structure), &record);
        }
        liveness.end();
        let operation = Operation::Store;
        liveness.fates()[&Site { structure: 0, pass: 0, attachment: 0, aspect: Aspects::COLOR, operation }].clone()
    };
    assert_eq!((run(false).undecided, run(false).by_transfers.len()), (1, 0));
    assert_eq!((run(true).undecided, run(true).by_transfers.len()), (0, 1));
}

#[test]
fn nothing_is_kept_of_images_that_are_destroyed() {
    let structure = producer_and_consumer(&[]).structure(0);
    let found = accesses(&structure);
    let mut liveness = Liveness::default();
    for index in 0..1000 {
        let images = vec![2 * index, 2 * index + 1];
        let record = FrameRecord { index, images: images.clone(), destroyed: images, ..FrameRecord::default() };
        liveness.frame(&structure, &found, &record);
    }
    assert_eq!(liveness.size(), (0, 0));
    let fates = liveness.fates();
    assert!(fates.values().all(|fate| fate.dead.count() == 0), "what a destroyed image held is undecided");
}
