//! The state of a command buffer while it is recorded. A draw is two additions, and a look whether any state has changed since the draw
//! before; everything else is per pass, per barrier or per transfer. Malformed recordings (an end without a begin) are kept as far as they make sense and never panic.

use super::draw_state::{DrawState, UNKNOWN};
use super::recording::{Activity, Event, PassEvent, Recording, add};
use super::static_use::StaticUse;
use std::sync::Arc;
use tbdr_model::frame::{Barrier, ClearAttachment, DrawFacts, ShaderAccess, Transfer};
use tbdr_model::record::Counters;

/// One command buffer.
#[derive(Default)]
pub struct CommandBuffer {
    /// Counters of the open subpass, or of what lies outside passes.
    counters: Counters,
    /// Graphics state: what a draw made now can do.
    state: DrawState,
    /// What the compute shader reaches; `None` if nothing is bound that is known.
    compute: Option<Arc<StaticUse>>,
    building: Recording,
    pass: Option<Box<PassEvent>>,
    /// VK_COMMAND_BUFFER_LEVEL_SECONDARY.
    secondary: bool,
    /// A secondary that continues a pass of its primary.
    continues: bool,
    /// Label regions opened in this command buffer.
    labels: Vec<Arc<str>>,
    frozen: Option<Arc<Recording>>,
}

impl CommandBuffer {
    /// A command buffer that was just allocated.
    pub fn new(secondary: bool) -> Self {
        Self { secondary, ..Self::default() }
    }

    /// vkBeginCommandBuffer: an implicit reset. `continues` is RENDER_PASS_CONTINUE_BIT, which is ignored for primaries.
    pub fn begin(&mut self, continues: bool) {
        *self = Self { continues: continues && self.secondary, ..Self::new(self.secondary) };
    }

    /// vkResetCommandBuffer and everything that resets implicitly.
    pub fn reset(&mut self) {
        *self = Self::new(self.secondary);
    }

    /// vkEndCommandBuffer: freezes the recording.
    pub fn end(&mut self) {
        if self.pass.is_some() {
            // Invalid use: the pass is accounted as if it had ended here.
            self.end_pass();
        }
        self.flush();
        let mut recording = std::mem::take(&mut self.building);
        recording.open_labels = std::mem::take(&mut self.labels);
        self.frozen = Some(Arc::new(recording));
    }

    /// What a submission or an execution of this command buffer does; `None` before vkEndCommandBuffer.
    pub fn frozen(&self) -> Option<Arc<Recording>> {
        self.frozen.clone()
    }

    /// The recording being built, to number images and buffers.
    pub fn recording(&mut self) -> &mut Recording {
        &mut self.building
    }

    /// Whether it is a secondary command buffer.
    pub fn is_secondary(&self) -> bool {
        self.secondary
    }

    /// The graphics state, to bind and to set.
    pub fn state(&mut self) -> &mut DrawState {
        &mut self.state
    }

    /// vkCmdBindPipeline at the compute bind point, or a compute shader object.
    pub fn bind_compute(&mut self, uses: Option<Arc<StaticUse>>) {
        self.compute = uses;
    }

    /// Counts draws whose number and vertices are known.
    #[inline(always)]
    pub fn draw(&mut self, draws: u64, vertices: u64) {
        self.settle();
        self.counters.draws += draws;
        self.counters.vertices = self.counters.vertices.wrapping_add(vertices);
    }

    /// Counts a draw command of which the GPU knows more than the CPU: its vertices, and where `draws` is 0 also how many draws it makes.
    #[inline(always)]
    pub fn draw_indirect(&mut self, draws: u64) {
        self.settle();
        self.counters.draws += draws;
        self.counters.indirect_draws += 1;
    }

    /// Brings the facts of the open subpass up to date with the state, before a draw.
    #[inline(always)]
    fn settle(&mut self) {
        if self.state.dirty {
            self.fold();
        }
    }

    #[cold]
    #[inline(never)]
    fn fold(&mut self) {
        let facts = self.state.facts();
        let shader = access(self.state.uses());
        self.take_in(facts, shader);
        self.state.dirty = false;
    }

    /// A draw is about to be counted that can do this.
    fn take_in(&mut self, facts: DrawFacts, shader: ShaderAccess) {
        // What was counted until now belongs to the state before.
        self.flush();
        let activity = self.activity();
        if activity.drawn() {
            activity.draws.merge(facts);
            activity.shader.merge(shader);
        } else {
            (activity.draws, activity.shader) = (facts, shader);
        }
    }

    /// Counts work inside a pass that is no draw, but may do to its attachments what a draw can, in ways that are not known.
    fn draw_unknown(&mut self) {
        self.take_in(DrawFacts::default(), ShaderAccess::default());
        self.counters.indirect_draws += 1;
        self.state.dirty = true;
    }

    /// Counts a dispatch.
    pub fn dispatch(&mut self) {
        self.counters.dispatches += 1;
        if self.inside() {
            // Tile shading: compute shaders that may write the attachments.
            self.draw_unknown();
            return;
        }
        let shader = access(self.compute.as_deref().map_or([&UNKNOWN], |uses| [uses]).into_iter());
        match self.building.events.last_mut() {
            Some(Event::Dispatch(before)) => before.merge(shader),
            _ => self.building.push(Event::Dispatch(Box::new(shader))),
        }
    }

    /// Work that is not modelled: `shader` is what it reaches, numbered as [`CommandBuffer::recording`] numbers.
    pub fn opaque(&mut self, command: &'static str, shader: ShaderAccess) {
        self.building.unmodelled(command);
        if self.inside() {
            // Inside a pass it stands for a draw.
            self.draw_unknown();
        } else {
            self.building.push(Event::Opaque(command, Box::new(shader)));
        }
    }

    /// Commands that a buffer holds and the CPU does not see: they may bind and set anything.
    pub fn generated(&mut self, command: &'static str) {
        self.opaque(command, ShaderAccess::default());
        self.state.forget();
        self.compute = None;
    }

    /// Notes a command or struct that is not modelled.
    pub fn unmodelled(&mut self, what: &str) {
        self.building.unmodelled(what);
    }

    /// The label regions open in this command buffer, outermost first.
    pub fn labels(&self) -> Vec<Arc<str>> {
        self.labels.clone()
    }

    /// A label region begins.
    pub fn begin_label(&mut self, label: &str) {
        self.labels.push(Arc::from(label));
    }

    /// A label region ends, perhaps one that an earlier command buffer of the queue opened.
    pub fn end_label(&mut self) {
        if self.labels.pop().is_none() {
            self.building.push(Event::LabelEnd);
        }
    }

    /// A render pass instance begins.
    pub fn begin_pass(&mut self, mut pass: PassEvent) {
        if self.pass.is_some() {
            self.end_pass();
        }
        self.flush();
        pass.subpasses.push(Activity::default());
        self.state.dirty = true;
        // Each instance begins with attachment n at location n.
        self.state.set_unused(0);
        for item in &pass.template.unmodelled {
            self.building.unmodelled(item);
        }
        self.pass = Some(Box::new(pass));
    }

    /// vkCmdNextSubpass.
    pub fn next_subpass(&mut self) {
        self.flush();
        self.state.dirty = true;
        if let Some(pass) = &mut self.pass {
            pass.subpasses.push(Activity::default());
        }
    }

    /// The render pass instance ends.
    pub fn end_pass(&mut self) {
        self.flush();
        if let Some(pass) = self.pass.take() {
            self.building.push(Event::Pass(pass));
        }
    }

    /// vkCmdClearAttachments.
    pub fn clear_attachments(&mut self, clears: Vec<ClearAttachment>) {
        self.flush();
        let activity = self.activity();
        let after_draw = activity.drawn();
        activity.clears.extend(clears.into_iter().map(|c| ClearAttachment { after_draw, ..c }));
    }

    /// A barrier, inside a pass or outside.
    pub fn barrier(&mut self, barrier: Barrier) {
        if self.inside() {
            self.activity().barriers.push(barrier);
        } else {
            self.building.push(Event::Barrier(Box::new(barrier)));
        }
    }

    /// A transfer command.
    pub fn transfer(&mut self, transfer: Transfer) {
        let labels = self.labels();
        self.building.push(Event::Transfer(Box::new(transfer), labels));
    }

    /// vkCmdExecuteCommands.
    pub fn execute(&mut self, secondaries: Vec<Arc<Recording>>) {
        // What was bound and set before is undefined afterwards.
        self.state.forget();
        self.state.set_unused(0);
        self.compute = None;
        if !self.inside() {
            self.building.ops = secondaries.iter().fold(self.building.ops, |ops, s| ops.saturating_add(s.ops));
            let labels = self.labels();
            self.building.push(Event::Execute(secondaries, labels));
            return;
        }
        self.flush();
        for secondary in secondaries {
            let continued = self.building.adopt(&secondary.continued, &secondary);
            for item in &secondary.unmodelled {
                self.building.unmodelled(item);
            }
            self.activity().append(continued);
        }
    }

    fn inside(&self) -> bool {
        self.continues || self.pass.is_some()
    }

    /// The activity that commands inside a pass belong to.
    fn activity(&mut self) -> &mut Activity {
        match self.pass.as_mut().and_then(|p| p.subpasses.last_mut()) {
            Some(activity) => activity,
            None => &mut self.building.continued,
        }
    }

    /// Moves the hot counters to where they belong.
    fn flush(&mut self) {
        let counters = std::mem::take(&mut self.counters);
        if self.inside() {
            add(&mut self.activity().counters, counters);
        } else {
            add(&mut self.building.outside, counters);
        }
    }
}

/// What shaders with these descriptors reach.
fn access<'a>(mut uses: impl Iterator<Item = &'a StaticUse>) -> ShaderAccess {
    // Which images are bound is not followed.
    if uses.all(|uses| uses.known && uses.bindings.is_empty()) {
        ShaderAccess::NOTHING
    } else {
        ShaderAccess::default()
    }
}
