//! Whether another scope of some barriers would leave two commands unordered that are ordered now.
//!
//! For every class of stages it is followed up to which command work of every other class has ended before it may begin: what barriers say
//! directly, and in chains. Two accesses to a resource of which one writes are ordered if the later one's class begins only after the
//! earlier one. Every access is compared with the last one of each kind that has ended by then, found by bisection.
//!
//! Frames repeat: [`broken`] takes a sequence of them as one.

use super::replay::scopes;
use super::stages::{Class, Classes, Reading};
use super::touches::{self, Resource, Touch};
use crate::frame::{
    Barrier, Dependency, FrameStructure, Layout, Op, Pass, SUBPASS_EXTERNAL, Scope, StageMasks, Submission, Subpass,
};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Other scopes of barriers, by the number of the operation in the frame: VkPipelineStageFlags2 of source and destination of all image
/// barriers of the command.
pub type Narrowed = BTreeMap<u32, (u64, u64)>;

/// A frame in a sequence.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// What it does.
    pub frame: &'a FrameStructure,
    /// What each of its images is called in the whole sequence.
    pub images: &'a [u32],
    /// Barriers with other scopes.
    pub narrowed: Option<&'a Narrowed>,
}

/// Two commands that are ordered as the program has it and would not be with narrower barriers: their places in the sequence, each the number
/// of the frame and of the operation in it.
pub type Broken = ((usize, u32), (usize, u32));

/// The first pair that other scopes leave unordered, however stages are read.
pub fn broken(sequence: &[Frame<'_>]) -> Option<Broken> {
    let each = |leaving| Reading::EACH.into_iter().find_map(move |reading| follow(sequence, reading, leaving));
    [Leaving::Chains, Leaving::Everything].into_iter().find_map(each)
}

/// What a dependency of a subpass on what follows the pass waits for. Its scope is that subpass alone, which moments cannot say: orders have to
/// be kept where it is less, and where it is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaving {
    /// What had ended before the subpass began.
    Chains,
    /// Everything up to the end of the pass.
    Everything,
}

fn follow(sequence: &[Frame<'_>], reading: Reading, leaving: Leaving) -> Option<Broken> {
    let mut follow = Follow {
        sequence,
        reading,
        leaving,
        rows: [[Row::default(); 2]; 8],
        through: [[Row::default(); 2]; 8],
        moment: 0,
        at: (0, 0),
        known: BTreeMap::new(),
        waits: BTreeMap::new(),
        broken: None,
    };
    (0..sequence.len()).for_each(|number| follow.frame(number));
    follow.broken
}

/// Up to which moment work of each class has ended.
type Row = [u64; 8];
/// The same as the program has it, and with the other scopes.
type Both = [Row; 2];

/// When something was done to a resource, and where in the sequence; in order.
type Moments = Vec<(u64, (usize, u32))>;

/// What was done to a resource.
#[derive(Default)]
struct History {
    writes: [Moments; 8],
    reads: [Moments; 8],
    /// Layout transitions, by the classes that begin only after them: as the program has it, and with the other scopes.
    transitions: BTreeMap<[u8; 2], Moments>,
    /// Layout transitions at the end of passes that say of nothing that it follows: only what waits for everything waits for them.
    finals: Moments,
}

/// An access that is compared with what was done before.
struct Access<'a> {
    resource: Resource,
    /// Of what is no layout transition.
    class: Option<Class>,
    writes: bool,
    /// What has ended before it begins.
    rows: &'a Both,
}

struct Follow<'a> {
    sequence: &'a [Frame<'a>],
    reading: Reading,
    leaving: Leaving,
    rows: [Both; 8],
    /// What had ended before work of each class began that has dependencies of its own: whoever waits for that work waits for this, too.
    through: [Both; 8],
    moment: u64,
    at: (usize, u32),
    /// By resource; images by what the sequence calls them.
    known: BTreeMap<Resource, History>,
    /// When something waited for a semaphore, by the classes that did.
    waits: BTreeMap<u8, Moments>,
    broken: Option<Broken>,
}

impl Follow<'_> {
    fn frame(&mut self, number: usize) {
        let frame = self.sequence[number];
        let mut op = 0u32;
        for submission in &frame.frame.submissions {
            (self.at, self.moment) = ((number, op), self.moment + 1);
            self.wait(&waiting(submission, self.reading));
            for command in &submission.ops {
                (self.at, self.moment) = ((number, op), self.moment + 1);
                match command {
                    Op::Barrier(barrier) => self.barrier(barrier, op),
                    Op::Pass(pass) => self.pass(pass),
                    Op::Transfer(_) | Op::Dispatch(_) | Op::Opaque(_) => self.command(command),
                    Op::Event(_) => {}
                }
                op += 1;
            }
            (self.at, self.moment) = ((number, op.saturating_sub(1)), self.moment + 1);
            self.signal(&signalling(submission, self.reading));
        }
    }

    /// Work of some classes begins only after a semaphore. It may be that of any swapchain image, which others use until then, and it may be
    /// one that the program signals itself, after anything that came before.
    fn wait(&mut self, semaphores: &[Classes]) {
        let Frame { frame, images, .. } = self.sequence[self.at.0];
        for held in semaphores {
            self.waits.entry(held.0).or_default().push((self.moment, self.at));
            for (_, image) in frame.images.iter().zip(images).filter(|(image, _)| image.swapchain.is_some()) {
                let history = self.known.entry(Resource::Image(*image)).or_default();
                history.transitions.entry([held.0; 2]).or_default().push((self.moment, self.at));
            }
        }
    }

    /// Semaphores are signalled once some classes have ended: what waits for them, elsewhere, may use anything.
    fn signal(&mut self, semaphores: &[Classes]) {
        for source in semaphores {
            let rows = [0, 1].map(|which| self.after(*source, &self.chained(), which));
            let known: Vec<Resource> = self.known.keys().copied().collect();
            for resource in known {
                self.compare(&Access { resource, class: None, writes: true, rows: &rows });
            }
        }
    }

    /// What has ended once what `source` waits for has: as the program has it, or with the other scopes.
    fn after(&self, source: Classes, rows: &[Both; 8], which: usize) -> Row {
        let mut row = Row::default();
        for class in source.each() {
            raise(&mut row, &rows[class as usize][which]);
        }
        for class in source.each() {
            row[class as usize] = self.moment;
        }
        row
    }

    fn barrier(&mut self, barrier: &Barrier, op: u32) {
        // Events may have been set long before: what they order is not followed.
        if barrier.event {
            return;
        }
        let before = self.chained();
        let reading = self.reading;
        let other = self.sequence[self.at.0].narrowed.and_then(|narrowed| narrowed.get(&op));
        let other = other.map(|(source, destination)| (reading.source(*source), reading.destination(*destination)));
        let both = |scope: &Scope| {
            let is = reading.of(scope);
            [is, other.unwrap_or(is)]
        };
        for scope in scopes(barrier).filter(|scope| scope.src_stages | scope.dst_stages != 0) {
            for (which, (source, held)) in both(&scope).into_iter().enumerate() {
                let row = self.after(source, &before, which);
                held.each().for_each(|class| raise(&mut self.rows[class as usize][which], &row));
            }
        }
        for image in barrier.images.iter().filter(|image| image.old_layout != image.new_layout) {
            let Some(number) = image.image else { continue };
            let scope = Scope {
                src_stages: barrier.stages.src_stages | image.scope.src_stages,
                dst_stages: barrier.stages.dst_stages | image.scope.dst_stages,
                ..image.scope
            };
            let both = both(&scope);
            let rows = [0, 1].map(|which| self.after(both[which].0, &before, which));
            // A transition is a write between what a barrier waits for and what it holds back.
            let resource = self.named(Resource::Image(number.0));
            self.compare(&Access { resource, class: None, writes: true, rows: &rows });
            let (moment, at, held) = (self.moment, self.at, both.map(|(_, held)| held.0));
            self.known.entry(resource).or_default().transitions.entry(held).or_default().push((moment, at));
        }
    }

    /// What waits for each class waits for.
    fn chained(&self) -> [Both; 8] {
        let mut all = self.rows;
        for (known, through) in all.iter_mut().zip(&self.through) {
            (0..2).for_each(|which| raise(&mut known[which], &through[which]));
        }
        all
    }

    fn pass(&mut self, pass: &Pass) {
        let before = self.chained();
        let outside = |d: &&Dependency| d.src == SUBPASS_EXTERNAL && d.dst != SUBPASS_EXTERNAL;
        let mut entering = Both::default();
        let mut subpasses: Vec<[Both; 8]> = Vec::with_capacity(pass.subpasses.len());
        for number in 0..pass.subpasses.len() {
            let mut rows = self.rows;
            for dependency in pass.dependencies.iter().filter(|d| d.dst as usize == number) {
                let (source, held) =
                    (self.reading.source(dependency.src_stages), self.reading.destination(dependency.dst_stages));
                for which in 0..2 {
                    let row = if dependency.src == SUBPASS_EXTERNAL {
                        self.after(source, &before, which)
                    } else {
                        // What had ended before an earlier subpass began.
                        let earlier = subpasses.get(dependency.src as usize);
                        earlier.map_or_else(Row::default, |rows| joined(rows, source, which))
                    };
                    held.each().for_each(|class| raise(&mut rows[class as usize][which], &row));
                    if dependency.src == SUBPASS_EXTERNAL {
                        raise(&mut entering[which], &row);
                    }
                }
            }
            for (through, rows) in self.through.iter_mut().zip(&rows) {
                (0..2).for_each(|which| raise(&mut through[which], &rows[which]));
            }
            subpasses.push(rows);
        }
        if !pass.dependencies.iter().any(|d| outside(&d)) {
            // The dependency that is implied waits for nothing: what holds back everything holds back a transition as well.
            entering = [0, 1].map(|which| all_have_ended(&self.rows.map(|rows| rows[which])));
        }
        // Layouts change as the pass begins, once what its dependencies wait for has ended. Its own work follows in any case.
        let attachments = || (0u32..).zip(&pass.attachments).filter(|_| !pass.dynamic);
        for image in attachments().filter_map(|(_, attachment)| attachment.image) {
            let resource = self.named(Resource::Image(image.0));
            self.compare(&Access { resource, class: None, writes: true, rows: &entering });
        }
        let frame = self.sequence[self.at.0].frame;
        let touched = (0..pass.subpasses.len()).map(|number| touches::of_subpass(frame, pass, number));
        self.work(subpasses.iter().zip(touched).collect());
        let leaves = |d: &&Dependency| d.dst == SUBPASS_EXTERNAL && d.src != SUBPASS_EXTERNAL;
        for dependency in pass.dependencies.iter().filter(leaves) {
            let Some(rows) = subpasses.get(dependency.src as usize) else { continue };
            let source = self.reading.source(dependency.src_stages);
            for which in 0..2 {
                let row = match self.leaving {
                    Leaving::Chains => joined(rows, source, which),
                    Leaving::Everything => self.after(source, rows, which),
                };
                let held = self.reading.destination(dependency.dst_stages);
                held.each().for_each(|class| raise(&mut self.rows[class as usize][which], &row));
            }
        }
        for (number, attachment) in attachments() {
            let Some((image, (last, layout))) = attachment.image.zip(last_use(pass, number)) else { continue };
            if layout == attachment.final_layout && attachment.stencil_final_layout.is_none() {
                continue;
            }
            let (moment, at, reading) = (self.moment, self.at, self.reading);
            let history = self.known.entry(self.named(Resource::Image(image.0))).or_default();
            let mut implied = true;
            for dependency in pass.dependencies.iter().filter(leaves).filter(|d| d.src == last) {
                let held = reading.destination(dependency.dst_stages).0;
                history.transitions.entry([held; 2]).or_default().push((moment, at));
                implied = false;
            }
            if implied {
                history.finals.push((moment, at));
            }
        }
    }

    fn command(&mut self, command: &Op) {
        let rows = self.rows;
        let touched = touches::of(self.sequence[self.at.0].frame, command);
        self.work([(&rows, touched)].into());
    }

    fn work(&mut self, parts: Vec<(&[Both; 8], Vec<Touch>)>) {
        // What one command does to a resource it orders itself: all is compared before any is added.
        for (rows, touch) in parts.iter().flat_map(|(rows, touched)| touched.iter().map(move |touch| (rows, touch))) {
            let (resource, rows) = (self.named(touch.resource), &rows[touch.class as usize]);
            self.compare(&Access { resource, class: Some(touch.class), writes: touch.writes, rows });
        }
        for touch in parts.into_iter().flat_map(|(_, touched)| touched) {
            let done = (self.moment, self.at);
            let history = self.known.entry(self.named(touch.resource)).or_default();
            let kind = if touch.writes { &mut history.writes } else { &mut history.reads };
            let moments = &mut kind[touch.class as usize];
            if moments.last() != Some(&done) {
                moments.push(done);
            }
        }
    }

    /// A resource as the sequence calls it.
    fn named(&self, resource: Resource) -> Resource {
        match resource {
            Resource::Image(image) => {
                let images = self.sequence[self.at.0].images;
                Resource::Image(images.get(image as usize).copied().unwrap_or(u32::MAX))
            }
            other => other,
        }
    }

    /// Compares an access with all that was done before: what has ended by then as the program has it has to have ended with the other
    /// scopes, too.
    fn compare(&mut self, access: &Access<'_>) {
        let Some(history) = self.known.get(&access.resource) else { return };
        if self.broken.is_some() {
            return;
        }
        let after = |held: [u8; 2]| {
            [0, 1].map(|which| {
                let held = Classes(held[which]);
                let begins = access.class.is_some_and(|class| held.contains(class));
                let ended = held.each().map(|class| access.rows[which][class as usize]).max().unwrap_or(0);
                if begins { u64::MAX } else { ended }
            })
        };
        // What came before the wait for a semaphore may have ended by then. Where this access follows the wait as the program has it and not
        // with the other scopes, all of it has to have ended without the semaphore.
        let by_semaphore = self.waits.iter().filter_map(|(held, moments)| {
            let [is, would_be] = after([*held; 2]);
            let ended = moments.partition_point(|(moment, _)| *moment <= is);
            let last = ended.checked_sub(1).and_then(|last| moments.get(last));
            last.map(|(moment, _)| *moment).filter(|moment| *moment > would_be)
        });
        let by_semaphore = by_semaphore.max().unwrap_or(0);
        // The last thing done up to the one moment has to be done up to the other.
        let lost = |moments: &Moments, [is, would_be]: [u64; 2]| {
            let ended = moments.partition_point(|(moment, _)| *moment <= is.max(by_semaphore));
            let last = ended.checked_sub(1).and_then(|last| moments.get(last));
            last.filter(|(moment, _)| *moment > would_be).map(|(_, at)| *at)
        };
        let of_class = |class: usize| access.rows.map(|row| row[class]);
        let written = history.writes.iter().enumerate().find_map(|(class, moments)| lost(moments, of_class(class)));
        // What may write anything may write a swapchain's image.
        let acquired = || self.waits.iter().filter(|_| access.resource == Resource::All && access.writes);
        let acquired = || acquired().find_map(|(held, moments)| lost(moments, after([*held; 2])));
        let moved = || history.transitions.iter().find_map(|(held, moments)| lost(moments, after(*held)));
        let everything = || [0, 1].map(|which| access.rows[which].iter().copied().min().unwrap_or(0));
        let moved = || moved().or_else(acquired).or_else(|| lost(&history.finals, everything()));
        let read = || {
            let mut reads = history.reads.iter().enumerate().filter(|_| access.writes);
            reads.find_map(|(class, moments)| lost(moments, of_class(class)))
        };
        self.broken = written.or_else(moved).or_else(read).map(|first| (first, self.at));
    }
}

/// The classes that wait for each semaphore: any, if it is not known, or if one is waited for at a stage in which nothing runs.
fn waiting(submission: &Submission, reading: Reading) -> Vec<Classes> {
    /// HOST and BOTTOM_OF_PIPE.
    const NOTHING: u64 = 0x4000 | 0x2000;
    match submission.semaphores.map(|semaphores| semaphores.waits) {
        Some(masks) if masks.any & NOTHING == 0 => each(masks, |mask| reading.destination(mask)),
        _ => Class::ALL.map(Classes::of).into(),
    }
}

/// The classes after which each semaphore is signalled that is not signalled after everything: any, if it is not known.
fn signalling(submission: &Submission, reading: Reading) -> Vec<Classes> {
    let known = submission.semaphores.map(|semaphores| each(semaphores.signals, |mask| reading.source(mask)));
    known.unwrap_or_else(|| Class::ALL.map(Classes::of).into())
}

/// The classes of each semaphore. Of several with other stages it is not known which has which: then each may have any one of the classes.
fn each(masks: StageMasks, classes: impl Fn(u64) -> Classes) -> Vec<Classes> {
    match masks {
        StageMasks { any: 0, .. } => Vec::new(),
        StageMasks { any, every } if any == every => [classes(any)].into(),
        StageMasks { any, .. } => classes(any).each().map(Classes::of).collect(),
    }
}

/// What had ended before work of some classes began.
fn joined(rows: &[Both; 8], classes: Classes, which: usize) -> Row {
    let mut row = Row::default();
    classes.each().for_each(|class| raise(&mut row, &rows[class as usize][which]));
    row
}

/// What has ended before work of any class may begin.
fn all_have_ended(rows: &[Row; 8]) -> Row {
    let mut all = rows[0];
    for row in rows {
        all.iter_mut().zip(row).for_each(|(known, other)| *known = (*known).min(*other));
    }
    all
}

/// The last subpass that uses an attachment, and the layout in which it does.
fn last_use(pass: &Pass, attachment: u32) -> Option<(u32, Layout)> {
    let uses = |subpass: &Subpass| {
        let used = subpass.targets().chain(subpass.input.iter().flatten()).map(|used| (used.attachment, used.layout));
        let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]).flatten();
        let rate = subpass.shading_rate.iter().map(|used| (used.attachment, used.layout));
        let mut all = used.chain(resolves.map(|used| (used.attachment, used.layout))).chain(rate);
        all.find(|(number, _)| *number == attachment).map(|(_, layout)| layout)
    };
    (0u32..).zip(&pass.subpasses).filter_map(|(number, subpass)| Some((number, uses(subpass)?))).last()
}

fn raise(row: &mut Row, by: &Row) {
    for (known, new) in row.iter_mut().zip(by) {
        *known = (*known).max(*new);
    }
}
