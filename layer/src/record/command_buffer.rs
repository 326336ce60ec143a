//! The state of a command buffer while it is recorded. A draw is two additions, and a look whether any state has changed since the draw
//! before; everything else is per pass, per barrier or per transfer. Malformed recordings (an end without a begin) are kept as far as they make sense and never panic.

use super::descriptors::{BindPoint, Point, Reach, Reached};
use super::draw_state::DrawState;
use super::objects::View;
use super::recording::{Activity, Event, PassEvent, Recording, add};
use super::static_use::StaticUse;
use std::sync::Arc;
use tbdr_model::frame::{
    AccessKind, Barrier, ClearAttachment, DrawFacts, EventAction, EventOp, EventRef, ImageAccess, ShaderAccess,
    Transfer,
};
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
    /// Whether that has changed since the last dispatch.
    compute_changed: bool,
    /// What is bound, and what it adds to the open subpass and to the last dispatches.
    reach: Reach,
    building: Recording,
    pass: Option<Box<PassEvent>>,
    /// vkCmdBindShadingRateImageNV.
    shading_rate: Option<Arc<View>>,
    /// VK_COMMAND_BUFFER_LEVEL_SECONDARY.
    secondary: bool,
    /// A secondary that continues a pass of its primary.
    continues: bool,
    /// Whether what is recorded now may not happen: it stands between the commands of conditional rendering, or inherits that.
    conditional: bool,
    /// VkCommandBufferInheritanceConditionalRenderingInfoEXT.
    inherits_conditional: bool,
    /// Whether rasterisation is turned (VK_QCOM_render_pass_transform): viewports and scissors are not where they are set.
    turned: bool,
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

    /// A secondary that may be executed while conditional rendering is active in its primary: nothing in it is sure to happen.
    pub fn inherit_conditional(&mut self) {
        (self.inherits_conditional, self.conditional) = (true, true);
    }

    /// vkCmdBeginConditionalRenderingEXT, and its end.
    pub fn set_conditional(&mut self, active: bool) {
        self.conditional = active || self.inherits_conditional;
        // The same shaders and descriptors count anew.
        (self.state.dirty, self.state.rebound, self.compute_changed) = (true, true, true);
    }

    /// Draws from now on are turned as the render pass transform says, or are not.
    pub fn set_turned(&mut self, turned: bool) {
        self.turned = turned;
        self.state.dirty = true;
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
        self.compute_changed = true;
    }

    /// A bind point by its VkPipelineBindPoint, to bind descriptors; `None` for those that are not followed.
    pub fn bind_point(&mut self, bind_point: i32) -> Option<&mut BindPoint> {
        match bind_point {
            0 => {
                self.state.dirty = true;
                Some(self.reach.bind(Point::Graphics))
            }
            1 => Some(self.reach.bind(Point::Compute)),
            _ => None,
        }
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
        let mut facts = self.state.facts();
        if self.turned {
            (facts.viewport, facts.scissor) = (None, None);
        }
        self.take_in(DrawFacts { conditional: self.conditional, ..facts });
        if self.state.rebound || self.reach.is_stale(Point::Graphics) {
            let activity = self.activity();
            let (shader, late) = (std::mem::take(&mut activity.shader), std::mem::take(&mut activity.late));
            let mut reached = Reached { shader, late };
            self.reach.fold(Point::Graphics, self.state.uses(), self.conditional, &mut self.building, &mut reached);
            let activity = self.activity();
            (activity.shader, activity.late) = (reached.shader, reached.late);
            self.state.rebound = false;
        }
        self.read_shading_rate();
        self.state.dirty = false;
    }

    /// The image that decides how densely draws shade is read by them.
    fn read_shading_rate(&mut self) {
        let Some(view) = &self.shading_rate else { return };
        let image = Some(self.building.image(&view.image));
        let read = ImageAccess { image, range: view.range, kind: AccessKind::Read, ..ImageAccess::default() };
        let shader = &mut self.activity().shader;
        if !shader.images.contains(&read) {
            shader.images.push(read);
        }
    }

    /// vkCmdBindShadingRateImageNV.
    pub fn bind_shading_rate(&mut self, view: Option<Arc<View>>) {
        self.shading_rate = view;
        self.state.dirty = true;
    }

    /// A draw is about to be counted that can do this to attachments.
    fn take_in(&mut self, facts: DrawFacts) {
        // What was counted until now belongs to the state before.
        self.flush();
        let activity = self.activity();
        if activity.drawn() {
            activity.draws.merge(facts);
        } else {
            (activity.draws, activity.shader) = (facts, ShaderAccess::NOTHING);
            activity.late.clear();
        }
    }

    /// Counts work inside a pass that is no draw, but may do to its attachments what a draw can, in ways that are not known.
    fn draw_unknown(&mut self) {
        self.take_in(DrawFacts { conditional: self.conditional, ..DrawFacts::default() });
        let shader = &mut self.activity().shader;
        (shader.known, shader.keeps_memory) = (false, false);
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
        let first = !matches!(self.building.events.last(), Some(Event::Dispatch(_)));
        if first {
            let nothing = Reached { shader: ShaderAccess::NOTHING, late: Vec::new() };
            self.building.push(Event::Dispatch(Box::new(nothing)));
            self.reach.restart(Point::Compute);
        }
        if first || self.compute_changed || self.reach.is_stale(Point::Compute) {
            let Some(Event::Dispatch(last)) = self.building.events.last_mut() else { return };
            let mut reached = std::mem::take(&mut **last);
            let uses = self.compute.as_ref().map(|uses| [uses]);
            self.reach.fold(Point::Compute, uses, self.conditional, &mut self.building, &mut reached);
            if let Some(Event::Dispatch(last)) = self.building.events.last_mut() {
                **last = reached;
            }
            self.compute_changed = false;
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
        self.forget();
    }

    /// Nothing that was bound or set is known any more.
    fn forget(&mut self) {
        self.state.forget();
        self.shading_rate = None;
        self.bind_compute(None);
        self.reach.forget();
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
        self.turned = false;
        self.begin_activity();
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
        self.begin_activity();
        if let Some(pass) = &mut self.pass {
            pass.subpasses.push(Activity::default());
        }
    }

    /// What draws do from now on belongs to another subpass.
    fn begin_activity(&mut self) {
        self.state.dirty = true;
        self.reach.restart(Point::Graphics);
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
        let conditional = self.conditional;
        let activity = self.activity();
        let after_draw = activity.drawn();
        activity.clears.extend(clears.into_iter().map(|c| ClearAttachment { after_draw, conditional, ..c }));
    }

    /// A barrier, inside a pass or outside.
    pub fn barrier(&mut self, barrier: Barrier) {
        if self.inside() {
            self.activity().barriers.push(barrier);
        } else {
            let at = self.building.barriers.len() as u32;
            self.building.barriers.push(barrier);
            self.building.push(Event::Barrier(at));
        }
    }

    /// An event is set or reset.
    pub fn event(&mut self, event: Option<EventRef>, action: EventAction, stages: u64) {
        if let Some(event) = event {
            self.building.push(Event::Signal(EventOp { event, action, stages }));
        }
    }

    /// A label, for who chooses frames by labels.
    pub fn mark(&mut self, label: &str) {
        self.building.marks.push(Arc::from(label));
    }

    /// A transfer command.
    pub fn transfer(&mut self, transfer: Transfer) {
        let labels = self.labels();
        self.building.push(Event::Transfer(Box::new(transfer), labels));
    }

    /// vkCmdExecuteCommands.
    pub fn execute(&mut self, secondaries: Vec<Arc<Recording>>) {
        // What was bound and set before is undefined afterwards.
        self.forget();
        self.state.set_unused(0);
        for secondary in secondaries.iter().filter(|secondary| !secondary.marks.is_empty()) {
            self.building.marks.extend(secondary.marks.iter().cloned());
        }
        if !self.inside() {
            for set in secondaries.iter().flat_map(|s| &s.sets) {
                self.building.set(set);
            }
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
