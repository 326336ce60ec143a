//! The frame on a machine with two slots a queue.
//!
//! Every command is looked at once, and every scope of a barrier costs the number of [`Class`]es: the cost is linear in the frame.

use super::order::Narrowed;
use super::stages::{self, Class, Classes};
use crate::frame::{
    Barrier, Dependency, EventAction, FrameStructure, HOST_QUEUE, Op, Pass, SUBPASS_EXTERNAL, Scope, Side, Submission,
    Transfer,
};
use crate::graph::order::execution_order;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Where work runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// Vertices and compute.
    Vertex,
    /// Fragments, with loads, stores and resolves.
    Fragment,
}

/// What a piece of work is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A pass, by its number in the frame.
    Pass(u32),
    /// A transfer, by its number in the frame.
    Transfer(u32),
    /// Dispatches, or work that is not modelled, by the number of the operation in the frame.
    Other(u32),
}

/// What makes work wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A barrier, by the number of the operation in the frame.
    Barrier(u32),
    /// A wait for events, by the number of the operation in the frame.
    Event(u32),
    /// A dependency of a pass on VK_SUBPASS_EXTERNAL, by the number of the pass.
    Dependency(u32),
    /// Another queue: a semaphore.
    Queue,
}

/// A piece of work in its slot. Times are steps from the beginning of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its queue.
    pub queue: u32,
    /// Its slot.
    pub slot: Slot,
    /// What it is part of.
    pub part: Part,
    /// When it begins.
    pub from: u64,
    /// When it has ended.
    pub to: u64,
}

/// Work that could have begun earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The work, as [`Replay::pieces`] numbers it.
    pub piece: usize,
    /// What it waits for.
    pub cause: Cause,
    /// How many steps its slot stands empty for it.
    pub steps: u64,
}

/// A frame as it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// All work, in the order of the commands.
    pub pieces: Vec<Piece>,
    /// Work that had to wait with its slot empty.
    pub waits: Vec<Wait>,
    /// Steps until all work has ended.
    pub length: u64,
    /// The same if no command had to wait for another.
    pub free: u64,
}

/// Steps that each piece takes.
const STEP: u64 = 1;

/// Replays a frame.
pub fn of(frame: &FrameStructure) -> Replay {
    with(frame, &Narrowed::new())
}

/// Replays a frame some of whose barriers have other scopes.
pub fn with(frame: &FrameStructure, narrowed: &Narrowed) -> Replay {
    let mut machine = Machine { keeps_order: true, narrowed: Some(narrowed), ..Machine::default() };
    machine.frame(frame);
    let mut free = Machine::default();
    free.frame(frame);
    let end = |pieces: &[Piece]| pieces.iter().map(|piece| piece.to).max().unwrap_or(0);
    Replay { length: end(&machine.pieces), free: end(&free.pieces), pieces: machine.pieces, waits: machine.waits }
}

/// When something may begin, and why no earlier.
#[derive(Clone, Copy, Default)]
struct Gate {
    at: u64,
    cause: Option<Cause>,
}

#[derive(Clone, Default)]
struct Queue {
    /// When each slot is free again.
    busy: [u64; 2],
    /// When all work of each class so far has ended.
    end: [u64; 8],
    /// When the next work of each class may begin.
    gates: [Gate; 8],
}

impl Queue {
    fn ended(&self, classes: Classes) -> u64 {
        classes.each().map(|class| self.end[class as usize]).max().unwrap_or(0)
    }

    fn hold(&mut self, classes: Classes, gate: Gate) {
        for class in classes.each() {
            let known = &mut self.gates[class as usize];
            if gate.at > known.at {
                *known = gate;
            }
        }
    }

    fn gate(&self, classes: Classes) -> Gate {
        classes.each().map(|class| self.gates[class as usize]).max_by_key(|gate| gate.at).unwrap_or_default()
    }
}

#[derive(Default)]
struct Machine<'a> {
    /// Whether barriers count.
    keeps_order: bool,
    /// Barriers with other scopes.
    narrowed: Option<&'a Narrowed>,
    queues: BTreeMap<u32, Queue>,
    /// When the work before each event that is set has ended.
    events: BTreeMap<u32, u64>,
    pieces: Vec<Piece>,
    waits: Vec<Wait>,
}

/// Numbers of the next pass, transfer and operation.
#[derive(Clone, Copy, Default)]
struct Numbers {
    pass: u32,
    transfer: u32,
    op: u32,
}

impl Machine<'_> {
    fn frame(&mut self, frame: &FrameStructure) {
        let mut next = Numbers::default();
        let starts: Vec<Numbers> = frame
            .submissions
            .iter()
            .map(|submission| {
                let start = next;
                for op in &submission.ops {
                    next.pass += u32::from(matches!(op, Op::Pass(_)));
                    next.transfer += u32::from(matches!(op, Op::Transfer(_)));
                    next.op += 1;
                }
                start
            })
            .collect();
        let mut ends: BTreeMap<u32, u64> = BTreeMap::new();
        for index in execution_order(frame) {
            let (Some(submission), Some(start)) = (frame.submissions.get(index), starts.get(index)) else { continue };
            // What the host does itself takes no slot.
            if submission.queue == HOST_QUEUE {
                continue;
            }
            self.submission(submission, *start, &ends);
            let queue = self.queues.entry(submission.queue).or_default();
            ends.insert(index as u32, queue.ended(Classes::ALL));
        }
    }

    fn submission(&mut self, submission: &Submission, start: Numbers, ends: &BTreeMap<u32, u64>) {
        let mut queue = self.queues.remove(&submission.queue).unwrap_or_default();
        let here = submission.after.iter().filter(|after| after.frames_ago == 0);
        let after = here.filter_map(|after| ends.get(&after.submission)).max().copied().unwrap_or(0);
        if self.keeps_order {
            queue.hold(Classes::ALL, Gate { at: after, cause: Some(Cause::Queue) });
        }
        let Numbers { mut pass, mut transfer, mut op } = start;
        for command in &submission.ops {
            match command {
                Op::Pass(instance) => {
                    self.pass(&mut queue, (submission.queue, pass), instance);
                    pass += 1;
                }
                Op::Transfer(command) => {
                    let slot = if touches_images(command) { Slot::Fragment } else { Slot::Vertex };
                    let classes = Classes::of(Class::Transfer);
                    self.work(&mut queue, submission.queue, slot, Part::Transfer(transfer), classes, Gate::default());
                    transfer += 1;
                }
                Op::Barrier(barrier) => self.barrier(&mut queue, barrier, op),
                Op::Event(event) => {
                    let at = match event.action {
                        EventAction::Set => queue.ended(stages::source(event.stages)),
                        EventAction::Reset => 0,
                    };
                    self.events.insert(event.event.0, at);
                }
                Op::Dispatch(_) => {
                    let classes = Classes::of(Class::Compute).with(Classes::of(Class::Indirect));
                    self.work(&mut queue, submission.queue, Slot::Vertex, Part::Other(op), classes, Gate::default());
                }
                Op::Opaque(_) => {
                    for slot in [Slot::Vertex, Slot::Fragment] {
                        self.work(&mut queue, submission.queue, slot, Part::Other(op), Classes::ALL, Gate::default());
                    }
                }
            }
            op += 1;
        }
        self.queues.insert(submission.queue, queue);
    }

    /// Puts work into its slot; returns when it has ended.
    fn work(&mut self, queue: &mut Queue, number: u32, slot: Slot, part: Part, classes: Classes, own: Gate) -> u64 {
        let gate = queue.gate(classes);
        let ready = queue.busy[slot as usize];
        let gate = if own.at > gate.at { own } else { gate };
        let from = ready.max(gate.at);
        if let Some(cause) = gate.cause.filter(|_| gate.at > ready) {
            self.waits.push(Wait { piece: self.pieces.len(), cause, steps: gate.at - ready });
        }
        let to = from + STEP;
        self.pieces.push(Piece { queue: number, slot, part, from, to });
        queue.busy[slot as usize] = to;
        for class in classes.each() {
            let end = &mut queue.end[class as usize];
            *end = to.max(*end);
        }
        to
    }

    fn pass(&mut self, queue: &mut Queue, (number, pass): (u32, u32), instance: &Pass) {
        let external = |d: &&Dependency| d.src == SUBPASS_EXTERNAL && d.dst != SUBPASS_EXTERNAL;
        let (mut vertices, mut fragments) = (0, 0);
        if self.keeps_order {
            for dependency in instance.dependencies.iter().filter(external) {
                let at = queue.ended(stages::source(dependency.src_stages));
                let held = stages::destination(dependency.dst_stages);
                if held.contains(Class::Geometry) {
                    vertices = at.max(vertices);
                }
                if held.0 & Classes::FRAGMENT_SLOT.0 != 0 {
                    fragments = at.max(fragments);
                }
            }
        }
        let cause = Some(Cause::Dependency(pass));
        let mut shaded = 0;
        if instance.subpasses.iter().any(|subpass| subpass.drawn) {
            let classes = Classes::of(Class::Geometry).with(Classes::of(Class::Indirect));
            let own = Gate { at: vertices, cause };
            shaded = self.work(queue, number, Slot::Vertex, Part::Pass(pass), classes, own);
        }
        // Fragments follow their own vertices in any case.
        let own = Gate { at: fragments, cause };
        let busy = &mut queue.busy[Slot::Fragment as usize];
        *busy = shaded.max(*busy);
        let end = self.work(queue, number, Slot::Fragment, Part::Pass(pass), Classes::FRAGMENT_SLOT, own);
        if self.keeps_order {
            let leaves = |d: &&Dependency| d.dst == SUBPASS_EXTERNAL && d.src != SUBPASS_EXTERNAL;
            for dependency in instance.dependencies.iter().filter(leaves) {
                let source = stages::source(dependency.src_stages);
                let at = if source.0 & Classes::FRAGMENT_SLOT.0 != 0 { end } else { shaded };
                if source.0 & Classes::GRAPHICS.0 != 0 {
                    queue.hold(stages::destination(dependency.dst_stages), Gate { at, cause });
                }
            }
        }
    }

    fn barrier(&mut self, queue: &mut Queue, barrier: &Barrier, op: u32) {
        if !self.keeps_order {
            return;
        }
        let cause = Some(if barrier.event { Cause::Event(op) } else { Cause::Barrier(op) });
        // What events were set after has ended when they were, whatever came since.
        let set = barrier.events.iter().filter_map(|event| self.events.get(&event.0)).max().copied();
        let gates: Vec<(Classes, Gate)> = scopes(barrier)
            .filter(|scope| scope.src_stages | scope.dst_stages != 0)
            .map(|scope| {
                let other = self.narrowed.and_then(|narrowed| narrowed.get(&op)).copied();
                let (source, held) = other.map_or_else(
                    || stages::of(&scope),
                    |(source, held)| (stages::source(source), stages::destination(held)),
                );
                let at = if barrier.event { set.unwrap_or(0) } else { queue.ended(source) };
                (held, Gate { at, cause })
            })
            .collect();
        gates.into_iter().for_each(|(held, gate)| queue.hold(held, gate));
    }
}

/// The execution scopes of a barrier.
pub(super) fn scopes(barrier: &Barrier) -> impl Iterator<Item = Scope> + '_ {
    let own = barrier.buffers.iter().map(|b| b.scope).chain(barrier.images.iter().map(|b| b.scope));
    core::iter::once(barrier.stages).chain(barrier.memory.iter().copied()).chain(own)
}

/// Whether a transfer reads or writes an image.
fn touches_images(transfer: &Transfer) -> bool {
    let sides = transfer.regions.iter().flat_map(|region| [&region.src, &region.dst]).flatten();
    sides.into_iter().any(|side| matches!(side, Side::Image(_)))
}
