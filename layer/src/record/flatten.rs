//! From a closed frame to the model's [`FrameStructure`]: command buffers are dissolved, images and buffers renumbered in
//! order of first use, label regions joined over command buffers, suspended passes joined with what resumes them. The parts of a pass that is
//! resumed in another frame stay apart: the first has the loads, the last the stores, and what lies between is named as not modelled.
//!
//! Runs on the analysis thread.

use super::descriptors::{Contents, Late, Set, resolve};
use super::objects::{Buffer, Image};
use super::recording::{
    Activity, Event, PassEvent, PassTemplate, Recording, add, event_number, renumber_barrier, renumber_shader,
};
use super::registry::HandleMap;
use super::sharing;
use super::timeline::{ClosedFrame, Item};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tbdr_model::frame::{
    Aspects, AttachmentUse, Barrier, BufferRef, Dispatch, EventOp, EventRef, FrameStructure, ImageRef, Layout, LoadOp,
    Op, Opaque, Output, OutputReason, Pass, ShaderAccess, Side, StoreOp, Submission, Subpass, Transfer,
};
use tbdr_model::record::Counters;
use tbdr_model::units::Rect2D;

/// What is said of a pass whose parts lie in two frames.
const APART: &str = "a render pass instance that is suspended in one frame and resumed in another";

/// Secondary command buffers may execute secondary command buffers; deeper than this is not followed.
const DEEPEST: u32 = 64;

/// A frame without handles, and what filled its roles.
pub struct FlatFrame {
    /// The structure.
    pub structure: FrameStructure,
    /// Identity of each image.
    pub images: Vec<u64>,
    /// Identity of each buffer.
    pub buffers: Vec<u64>,
    /// Counters per subpass, then of the rest.
    pub counters: Vec<Counters>,
}

/// Carries what goes on from frame to frame: the label regions open on each queue.
#[derive(Default)]
pub struct Flattener {
    queue_labels: BTreeMap<u32, Vec<String>>,
}

impl Flattener {
    /// The label regions that are open on the queues.
    pub fn open_labels(&self) -> impl Iterator<Item = &str> {
        self.queue_labels.values().flatten().map(String::as_str)
    }

    /// Flattens a frame; images whose debug name is in `outputs` are outputs of it.
    pub fn flatten(&mut self, frame: &ClosedFrame, outputs: &[String]) -> FlatFrame {
        let mut build = Builder::default();
        for item in &frame.items {
            match item {
                Item::Batch { queue, family, after, unwaited, semaphores, recordings, contents } => {
                    build.contents = Some(contents);
                    build.structure.submissions.push(Submission {
                        queue: *queue,
                        family: *family,
                        after: after.clone(),
                        unwaited: *unwaited,
                        semaphores: *semaphores,
                        ..Submission::default()
                    });
                    let labels = self.queue_labels.entry(*queue).or_default();
                    for recording in recordings {
                        build.recording(recording, *queue, labels, 0);
                    }
                }
                Item::LabelBegin(queue, text) => {
                    push_label(self.queue_labels.entry(*queue).or_default(), text);
                }
                Item::Label(_) => {}
                Item::LabelEnd(queue) => {
                    self.queue_labels.entry(*queue).or_default().pop();
                }
            }
        }
        build.finish(frame, outputs)
    }
}

/// Label regions of a queue that are open at once. A program that opens more than it closes would grow without end: the outermost
/// are forgotten.
const MOST_LABELS: usize = 64;

fn push_label(labels: &mut Vec<String>, label: &str) {
    if labels.len() >= MOST_LABELS {
        labels.remove(0);
    }
    labels.push(label.into());
}

#[derive(Default)]
struct Builder<'a> {
    structure: FrameStructure,
    images: Numbers<Image>,
    buffers: Numbers<Buffer>,
    /// Numbers of the VkEvents, in order of first use.
    events: Vec<u64>,
    passes: Vec<Vec<Counters>>,
    rest: Counters,
    unmodelled: BTreeSet<String>,
    /// What descriptor sets held when the batch was submitted.
    contents: Option<&'a Contents>,
    /// Where the pass that a queue has suspended stands: submission, operation, pass number.
    suspended: BTreeMap<u32, (usize, usize, usize)>,
    /// Descriptors that are read at submission.
    late: Vec<Deferred<'a>>,
}

/// What work reaches through descriptors that are read at submission. It is looked up once everything else has its number: where work is
/// split must not decide which image comes first.
struct Deferred<'a> {
    /// Submission and operation.
    place: (usize, usize),
    /// Subpass, for passes.
    subpass: usize,
    late: &'a [Late],
    sets: &'a [Arc<Set>],
    contents: Option<&'a Contents>,
}

/// What has a serial number on its device.
trait Serial {
    fn serial(&self) -> u64;
}

impl Serial for Image {
    fn serial(&self) -> u64 {
        self.serial
    }
}

impl Serial for Buffer {
    fn serial(&self) -> u64 {
        self.serial
    }
}

struct Numbers<T> {
    items: Vec<Arc<T>>,
    numbers: HandleMap<u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: HandleMap::default() }
    }
}

impl<T: Serial> Numbers<T> {
    /// The number of item `at` of a recording's list.
    fn of(&mut self, from: &[Arc<T>], at: u32) -> Option<u32> {
        from.get(at as usize).map(|item| self.number(item.serial(), item))
    }
}

impl<T> Numbers<T> {
    fn number(&mut self, serial: u64, item: &Arc<T>) -> u32 {
        let items = &mut self.items;
        *self.numbers.entry(serial).or_insert_with(|| {
            items.push(Arc::clone(item));
            items.len() as u32 - 1
        })
    }
}

impl<'a> Builder<'a> {
    fn recording(&mut self, recording: &'a Recording, queue: u32, labels: &mut Vec<String>, depth: u32) {
        if depth > DEEPEST {
            self.unmodelled.insert("secondary command buffers nested too deeply".into());
            return;
        }
        add(&mut self.rest, recording.outside);
        self.unmodelled.extend(recording.unmodelled.iter().cloned());
        for event in &recording.events {
            match event {
                Event::Pass(pass) => self.pass(pass, recording, queue, labels),
                Event::Transfer(transfer, own) => {
                    let mut transfer = Transfer::clone(transfer);
                    transfer.labels = path(labels, own);
                    self.renumber_transfer(&mut transfer, recording);
                    self.op(Op::Transfer(transfer));
                }
                Event::Barrier(at) => {
                    let Some(barrier) = recording.barriers.get(*at as usize) else { continue };
                    let (images, buffers) = (&mut self.images, &mut self.buffers);
                    let events = &mut self.events;
                    let barrier = renumber_barrier(
                        barrier,
                        |i| images.of(&recording.images, i.0).map(ImageRef),
                        |b| buffers.of(&recording.buffers, b.0).map(BufferRef),
                        |e| recording.device_events.get(e.0 as usize).map(|e| EventRef(event_number(events, *e))),
                    );
                    self.op(Op::Barrier(barrier));
                }
                Event::Signal(op) => {
                    if let Some(serial) = recording.device_events.get(op.event.0 as usize) {
                        let event = EventRef(event_number(&mut self.events, *serial));
                        self.op(Op::Event(EventOp { event, ..*op }));
                    }
                }
                Event::Dispatch(reached) => {
                    let shader = self.shader(&reached.shader, recording);
                    self.op(Op::Dispatch(Dispatch { shader }));
                    self.defer(&reached.late, recording, self.last_op(), 0);
                }
                Event::Opaque(command, shader) => {
                    let shader = self.shader(shader, recording);
                    self.op(Op::Opaque(Opaque { command: (*command).into(), shader }));
                }
                Event::Execute(secondaries, own) => {
                    for secondary in secondaries {
                        // A secondary opens and closes regions of its own only.
                        let mut around = path(labels, own);
                        self.recording(secondary, queue, &mut around, depth + 1);
                    }
                }
                Event::LabelEnd => {
                    labels.pop();
                }
            }
        }
        recording.open_labels.iter().for_each(|label| push_label(labels, label));
    }

    fn op(&mut self, op: Op) {
        if let Some(submission) = self.structure.submissions.last_mut() {
            match (op, submission.ops.last_mut()) {
                (Op::Dispatch(later), Some(Op::Dispatch(before))) => before.shader.merge(later.shader),
                (op, _) => submission.ops.push(op),
            }
        }
    }

    /// Where the operation that was pushed last stands.
    fn last_op(&self) -> (usize, usize) {
        let submission = self.structure.submissions.len().saturating_sub(1);
        let op = self.structure.submissions.last().map_or(0, |s| s.ops.len().saturating_sub(1));
        (submission, op)
    }

    fn pass(&mut self, event: &'a PassEvent, from: &'a Recording, queue: u32, labels: &[String]) {
        let mut pass = self.begun(event, from);
        if event.resuming {
            if self.resume(event, &pass, from, queue) {
                return;
            }
            // The part before it lies in another frame: what it has loaded is still on chip.
            self.unmodelled.insert(APART.into());
            for attachment in &mut pass.attachments {
                (attachment.load, attachment.stencil_load) = (LoadOp::None, LoadOp::None);
            }
        }
        pass.labels = path(labels, &event.labels);
        let mut counters = vec![Counters::default(); pass.subpasses.len()];
        for ((subpass, counted), activity) in pass.subpasses.iter_mut().zip(&mut counters).zip(&event.subpasses) {
            self.activity(subpass, counted, activity, event.render_area, from);
        }
        let number = self.passes.len();
        self.passes.push(counters);
        self.op(Op::Pass(pass));
        let (submission, op) = self.last_op();
        for (subpass, activity) in event.subpasses.iter().enumerate() {
            self.defer(&activity.late, from, (submission, op), subpass);
        }
        self.suspend(event, queue, (submission, op, number));
    }

    /// A pass as its begin command has it, with nothing that ran in it.
    fn begun(&mut self, event: &PassEvent, from: &Recording) -> Pass {
        let PassTemplate { attachments, subpasses, dependencies, .. } = &*event.template;
        let mut pass = Pass {
            labels: Vec::new(),
            name: event.names.iter().flatten().find_map(|n| n.get()),
            dynamic: event.dynamic,
            render_area: event.render_area,
            extent: event.extent,
            layers: event.layers,
            attachments: attachments.clone(),
            subpasses: subpasses.clone(),
            dependencies: dependencies.clone(),
            density_map: event.template.density_map,
            disallow_merging: event.template.disallow_merging,
            view_areas: event.view_areas.clone(),
            tile_memory: event.template.tile_memory,
            tile_shading: event.template.tile_shading,
            driver_tile: event.tile.as_ref().and_then(|told| told.get()),
            driver_merging: event.template.driver_merging.clone(),
        };
        for (attachment, view) in pass.attachments.iter_mut().zip(&event.views) {
            if let Some(view) = view {
                attachment.image = self.image(Some(view.image), from);
                attachment.range = view.range;
            }
        }
        pass
    }

    fn suspend(&mut self, event: &PassEvent, queue: u32, place: (usize, usize, usize)) {
        if event.suspending {
            self.suspended.insert(queue, place);
        } else {
            self.suspended.remove(&queue);
        }
    }

    /// Joins a resuming instance with the one that its queue has suspended. `false` if there is none of that kind.
    fn resume(&mut self, event: &'a PassEvent, resumed: &Pass, from: &'a Recording, queue: u32) -> bool {
        let Some(&(submission, op, number)) = self.suspended.get(&queue) else { return false };
        let submissions = &self.structure.submissions;
        // Valid use has nothing in between on the queue. What there is has happened before the stores of the pass, which stands earlier.
        let later = |(at, s): (usize, &Submission)| {
            let known = if at == submission { op + 1 } else { 0 };
            at >= submission && s.queue == queue && s.ops.len() > known
        };
        if submissions.iter().enumerate().any(later) {
            self.unmodelled.insert("commands between the parts of a suspended render pass instance".into());
        }
        let Some(Op::Pass(pass)) = self.structure.submissions.get_mut(submission).and_then(|s| s.ops.get_mut(op))
        else {
            return false;
        };
        if pass.attachments != resumed.attachments || pass.render_area != resumed.render_area {
            return false;
        }
        let (Some(subpass), Some(activity)) = (pass.subpasses.first_mut(), event.subpasses.first()) else {
            return false;
        };
        let mut joined = std::mem::take(subpass);
        let mut counted = self.passes[number].first().copied().unwrap_or_default();
        self.activity(&mut joined, &mut counted, activity, event.render_area, from);
        self.defer(&activity.late, from, (submission, op), 0);
        if let Some(Op::Pass(pass)) = self.structure.submissions[submission].ops.get_mut(op) {
            pass.subpasses[0] = joined;
        }
        if let Some(first) = self.passes[number].first_mut() {
            *first = counted;
        }
        self.suspend(event, queue, (submission, op, number));
        true
    }

    fn activity(
        &mut self,
        subpass: &mut Subpass,
        counted: &mut Counters,
        activity: &Activity,
        area: Rect2D,
        from: &Recording,
    ) {
        let (images, buffers) = (&mut self.images, &mut self.buffers);
        let events = &mut self.events;
        let later = activity.renumbered(
            |i| images.of(&from.images, i.0).map(ImageRef),
            |b| buffers.of(&from.buffers, b.0).map(BufferRef),
            |e| from.device_events.get(e.0 as usize).map(|e| EventRef(event_number(events, *e))),
        );
        let mut whole = Activity {
            counters: *counted,
            clears: std::mem::take(&mut subpass.clears),
            barriers: std::mem::take(&mut subpass.barriers),
            draws: subpass.draws,
            shader: std::mem::take(&mut subpass.shader),
            late: Vec::new(),
        };
        whole.append(later);
        *counted = whole.counters;
        subpass.drawn = whole.drawn();
        subpass.clears = whole.clears;
        subpass.barriers = whole.barriers;
        subpass.draws = whole.draws.within(subpass.color.len(), area);
        subpass.shader = whole.shader;
    }

    fn image(&mut self, image: Option<ImageRef>, from: &Recording) -> Option<ImageRef> {
        self.images.of(&from.images, image?.0).map(ImageRef)
    }

    fn shader(&mut self, shader: &ShaderAccess, from: &Recording) -> ShaderAccess {
        renumber_shader(shader, |image| self.image(Some(image), from))
    }

    /// Notes what work reaches through descriptors that are read at submission.
    fn defer(&mut self, late: &'a [Late], from: &'a Recording, place: (usize, usize), subpass: usize) {
        if !late.is_empty() {
            self.late.push(Deferred { place, subpass, late, sets: &from.sets, contents: self.contents });
        }
    }

    /// Descriptors that are read at submission, as they were then.
    fn look_up(&mut self) {
        let nothing = Contents::new();
        let images = &mut self.images;
        for Deferred { place: (submission, op), subpass, late, sets, contents } in std::mem::take(&mut self.late) {
            let op = self.structure.submissions.get_mut(submission).and_then(|s| s.ops.get_mut(op));
            let shader = match op {
                Some(Op::Pass(pass)) => pass.subpasses.get_mut(subpass).map(|s| &mut s.shader),
                Some(Op::Dispatch(dispatch)) => Some(&mut dispatch.shader),
                _ => None,
            };
            let Some(shader) = shader else { continue };
            let number = |image: &Arc<Image>| ImageRef(images.number(image.serial, image));
            resolve(late, sets, contents.unwrap_or(&nothing), shader, number);
        }
    }

    fn renumber_transfer(&mut self, transfer: &mut Transfer, from: &Recording) {
        for region in &mut transfer.regions {
            for side in [&mut region.src, &mut region.dst].into_iter().flatten() {
                match side {
                    Side::Image(image) => image.image = self.image(image.image, from),
                    Side::Buffer(buffer) => {
                        buffer.buffer = buffer.buffer.and_then(|b| self.buffers.of(&from.buffers, b.0)).map(BufferRef);
                    }
                }
            }
        }
    }

    fn local_reads(&mut self) {
        for op in self.structure.submissions.iter_mut().flat_map(|s| &mut s.ops) {
            if let Op::Pass(pass) = op {
                if pass.dynamic {
                    pass.subpasses.iter_mut().for_each(add_local_reads);
                }
            }
        }
    }

    /// Passes that are still suspended when the frame ends: what they store is stored by the part that resumes them.
    fn leave_suspended(&mut self) {
        for (submission, op, _) in std::mem::take(&mut self.suspended).into_values() {
            let op = self.structure.submissions.get_mut(submission).and_then(|s| s.ops.get_mut(op));
            let Some(Op::Pass(pass)) = op else { continue };
            self.unmodelled.insert(APART.into());
            for attachment in &mut pass.attachments {
                (attachment.store, attachment.stencil_store) = (StoreOp::None, StoreOp::None);
            }
            for subpass in &mut pass.subpasses {
                subpass.resolve.clear();
                (subpass.depth_resolve, subpass.stencil_resolve) = (None, None);
            }
        }
    }

    fn finish(mut self, frame: &ClosedFrame, by_name: &[String]) -> FlatFrame {
        self.leave_suspended();
        self.local_reads();
        self.look_up();
        let mut number = |named: &[(Arc<Image>, OutputReason)]| -> Vec<Output> {
            let images = &mut self.images;
            let output = |(image, reason): &(Arc<Image>, OutputReason)| Output {
                image: ImageRef(images.number(image.serial, image)),
                reason: *reason,
            };
            named.iter().map(output).collect()
        };
        // Numbered after what the frame itself does, so that a late present does not rename the images of the frame.
        let early_outputs = number(&frame.early_outputs);
        let mut outputs = number(&frame.outputs);
        let mut structure = self.structure;
        structure.early_outputs = early_outputs;
        structure.boundary = frame.boundary;
        self.unmodelled.extend(frame.unmodelled.iter().map(|what| String::from(*what)));
        structure.images = self.images.items.iter().map(|i| i.describe()).collect();
        structure.buffers = self.buffers.items.iter().map(|b| b.describe()).collect();
        sharing::fill_in(&mut structure, &self.images.items, &self.buffers.items);
        for (number, image) in structure.images.iter().enumerate() {
            if image.name.as_ref().is_some_and(|name| by_name.contains(name)) {
                outputs.push(Output { image: ImageRef(number as u32), reason: OutputReason::Setting });
            }
        }
        for (number, image) in structure.images.iter().enumerate() {
            if image.always_shown {
                outputs.push(Output { image: ImageRef(number as u32), reason: OutputReason::AlwaysShown });
            }
        }
        for image in host_copies(&structure) {
            outputs.push(Output { image, reason: OutputReason::HostCopy });
        }
        structure.outputs = outputs;
        structure.unmodelled = self.unmodelled.into_iter().collect();
        let mut counters: Vec<Counters> = self.passes.into_iter().flatten().collect();
        counters.push(self.rest);
        FlatFrame {
            structure,
            images: self.images.items.iter().map(|i| i.serial).collect(),
            buffers: self.buffers.items.iter().map(|b| b.serial).collect(),
            counters,
        }
    }
}

/// VK_IMAGE_LAYOUT_GENERAL.
const GENERAL: Layout = Layout(1);
/// VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT.
const INPUT_READ: u64 = 0x10;

/// Whether a barrier makes what was rendered readable as input attachment.
fn makes_input(barrier: &Barrier) -> bool {
    let images = barrier.images.iter().map(|image| &image.scope);
    barrier.memory.iter().chain(images).chain([&barrier.stages]).any(|scope| scope.dst_access & INPUT_READ != 0)
}

/// The attachments of a dynamic rendering that shaders may read as input because a barrier in it says so and their layout allows it.
fn add_local_reads(subpass: &mut Subpass) {
    if !subpass.barriers.iter().any(makes_input) {
        return;
    }
    let readable = |used: Option<AttachmentUse>, aspects| {
        used.filter(|used| used.layout == GENERAL).map(|used| AttachmentUse { aspects, feedback: false, ..used })
    };
    let color = subpass.color.iter().map(|used| readable(*used, Aspects::COLOR));
    let depth = [readable(subpass.depth, Aspects::DEPTH), readable(subpass.stencil, Aspects::STENCIL)];
    let found: Vec<_> = color.chain(depth).collect();
    if subpass.input.len() < found.len() {
        subpass.input.resize(found.len(), None);
    }
    for (slot, found) in subpass.input.iter_mut().zip(found) {
        *slot = slot.or(found);
    }
    while subpass.input.last().is_some_and(Option::is_none) {
        subpass.input.pop();
    }
}

/// VK_IMAGE_TILING_LINEAR: the host can make sense of the texels. Some devices have host-visible memory only, so that the
/// memory alone says nothing.
const LINEAR: i32 = 1;

/// Images that the frame copies to memory which the host can read, each once, in order.
fn host_copies(structure: &FrameStructure) -> Vec<ImageRef> {
    let mut found = Vec::new();
    for op in structure.ops() {
        let Op::Transfer(transfer) = op else { continue };
        for region in &transfer.regions {
            let Some(Side::Image(source)) = &region.src else { continue };
            let to_host = match &region.dst {
                Some(Side::Buffer(b)) => {
                    b.buffer.and_then(|b| structure.buffers.get(b.0 as usize)).is_some_and(|b| b.memory.host_visible())
                }
                Some(Side::Image(i)) => i
                    .image
                    .and_then(|i| structure.images.get(i.0 as usize))
                    .is_some_and(|i| i.tiling == LINEAR && i.memory.host_visible()),
                None => false,
            };
            if let Some(image) = source.image.filter(|i| to_host && !found.contains(i)) {
                found.push(image);
            }
        }
    }
    found
}

fn path(outer: &[String], own: &[Arc<str>]) -> Vec<String> {
    outer.iter().cloned().chain(own.iter().map(|l| String::from(&**l))).collect()
}
