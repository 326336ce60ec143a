//! The state of a stream's draws and dispatches: what they want, and what the command buffer that they are recorded into has already.
//!
//! A command buffer begins with nothing bound or set, and after vkCmdExecuteCommands it has nothing any more; a pipeline that fixes a
//! state leaves nothing of what was set of it. So the state is bound again wherever the stream is cut, as an application has to.

use super::stream::{COMPUTE, Change, PIPELINES, Pass, RECTS};
use ash::vk::{self, CommandBuffer, DynamicState};
use std::collections::BTreeMap;
use std::ptr;
use tbdr_model::frame::AccessKind;
use tilelens_spirv::{Element, ExecutionModel, Use};
use tilelens_tests::script::pipelines::{Graphics, blended, depth_test, opaque};
use tilelens_tests::script::{Image, Scene, attachment};

const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;

/// What the stream has asked for so far.
struct Wanted {
    pipeline: usize,
    set: bool,
    scissor: usize,
    viewport: usize,
    depth_test: bool,
}

/// What a command buffer has.
#[derive(Default)]
struct Has {
    /// The pipeline, and its number.
    pipeline: Option<(vk::Pipeline, usize)>,
    set: Option<bool>,
    scissor: Option<usize>,
    viewport: Option<usize>,
    depth_test: Option<bool>,
    compute: Option<usize>,
}

/// What is bound, and what there is to bind.
pub struct State<'a> {
    scene: &'a Scene,
    color: Image,
    depth: Image,
    layout: vk::PipelineLayout,
    /// Sets with the texture, and with the first colour image.
    sets: [vk::DescriptorSet; 2],
    /// A set with the texture whose contents count when it is submitted.
    late: vk::DescriptorSet,
    vertex: vk::ShaderModule,
    /// Fragment shaders that use no set, the first set and the late one.
    fragment: [vk::ShaderModule; 3],
    compute: [vk::Pipeline; COMPUTE],
    /// By number, whether for dynamic rendering, and whether with depth.
    pipelines: BTreeMap<(usize, bool, bool), vk::Pipeline>,
    wanted: Wanted,
    has: BTreeMap<CommandBuffer, Has>,
}

impl<'a> State<'a> {
    /// Everything there is to bind; shaders reach the first of the colour images.
    pub fn new(scene: &'a Scene, [color, _]: [Image; 2], depth: Image) -> Self {
        // Like the colour images in everything, so that only the order of first use tells them apart.
        let texture = scene.shared_image(color.format, color.extent.width, color.extent.height);
        let none = vk::DescriptorBindingFlags::empty();
        let (sampled, storage) = (vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::STORAGE_IMAGE);
        let plain = scene
            .set_layout(&[(0, sampled, 1, none), (1, storage, 1, none)], vk::DescriptorSetLayoutCreateFlags::empty());
        let at_submission = scene.set_layout(
            &[(0, sampled, 1, vk::DescriptorBindingFlags::UPDATE_AFTER_BIND)],
            vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL,
        );
        let (layout, pool) = (scene.pipeline_layout(&[plain, at_submission]), scene.descriptor_pool());
        let sets = [texture, color].map(|image| {
            let set = scene.descriptor_set(pool, plain);
            scene.write(set, (0, 0), sampled, &[image.view]);
            scene.write(set, (1, 0), storage, &[image.view]);
            set
        });
        let late = scene.descriptor_set(pool, at_submission);
        scene.write(late, (0, 0), sampled, &[texture.view]);
        let uses = |set, binding, kind| Use { set, binding, kind, element: Element::One(0) };
        let (first, last) = (uses(0, 0, AccessKind::Sampled), uses(1, 0, AccessKind::Sampled));
        let written = uses(0, 1, AccessKind::StorageWrite);
        let fragment = [&[][..], &[first], &[last]].map(|uses| scene.shader(ExecutionModel::Fragment, uses));
        let compute = [&[][..], &[first, last], &[written]].map(|uses| scene.compute(layout, uses));
        Self {
            scene,
            color,
            depth,
            layout,
            sets,
            late,
            vertex: scene.shader(ExecutionModel::Vertex, &[]),
            fragment,
            compute,
            pipelines: BTreeMap::new(),
            wanted: Wanted { pipeline: 0, set: false, scissor: 0, viewport: 0, depth_test: false },
            has: BTreeMap::new(),
        }
    }

    /// A command buffer has nothing any more: it executed others.
    pub fn lose(&mut self, buffer: CommandBuffer) {
        self.has.remove(&buffer);
    }

    /// The stream changes its state; at once where that is valid, else before the next draw.
    pub fn change(&mut self, buffer: CommandBuffer, pass: &Pass, change: Change) {
        let bound = self.has.entry(buffer).or_default().pipeline;
        let now = |state| bound.is_some_and(|(_, number)| dynamic(number).contains(&state));
        match change {
            Change::Pipeline(number) => {
                self.wanted.pipeline = number;
                self.bind_pipeline(buffer, pass);
            }
            Change::Set(color) => {
                self.wanted.set = color;
                self.bind_set(buffer, pass);
            }
            Change::Scissor(number) => {
                self.wanted.scissor = number;
                if now(DynamicState::SCISSOR) {
                    self.set_scissor(buffer);
                }
            }
            Change::Viewport(number) => {
                self.wanted.viewport = number;
                if now(DynamicState::VIEWPORT) {
                    self.set_viewport(buffer);
                }
            }
            Change::DepthTest(on) => {
                self.wanted.depth_test = on;
                if now(DynamicState::DEPTH_TEST_ENABLE) {
                    self.set_depth_test(buffer);
                }
            }
        }
    }

    /// Binds and sets what a draw needs and the command buffer has not.
    pub fn before_draw(&mut self, buffer: CommandBuffer, pass: &Pass) {
        let pipeline = self.pipeline(pass);
        if self.has.entry(buffer).or_default().pipeline.is_none_or(|(bound, _)| bound != pipeline) {
            self.bind_pipeline(buffer, pass);
        }
        let set = self.set_for(pass);
        let has = self.has.entry(buffer).or_default();
        let needs = |state| dynamic(self.wanted.pipeline).contains(&state);
        let scissor = needs(DynamicState::SCISSOR) && has.scissor != Some(self.wanted.scissor);
        let viewport = needs(DynamicState::VIEWPORT) && has.viewport != Some(self.wanted.viewport);
        let depth_test = needs(DynamicState::DEPTH_TEST_ENABLE) && has.depth_test != Some(self.wanted.depth_test);
        if has.set != Some(set) {
            self.bind_set(buffer, pass);
        }
        if scissor {
            self.set_scissor(buffer);
        }
        if viewport {
            self.set_viewport(buffer);
        }
        if depth_test {
            self.set_depth_test(buffer);
        }
    }

    /// Binds what a dispatch of a compute pipeline needs.
    pub fn before_dispatch(&mut self, buffer: CommandBuffer, number: usize) {
        let point = vk::PipelineBindPoint::COMPUTE;
        let has = self.has.entry(buffer).or_default();
        let app = &self.scene.app;
        // SAFETY: a command buffer being recorded, live handles.
        unsafe {
            if has.compute.is_none() {
                let sets = [self.sets[1], self.late];
                app.vkCmdBindDescriptorSets(buffer, point, self.layout, 0, 2, sets.as_ptr(), 0, ptr::null());
            }
            if has.compute != Some(number) {
                app.vkCmdBindPipeline(buffer, point, self.compute[number]);
            }
        }
        has.compute = Some(number);
    }

    /// Whether the set of a draw holds the colour image: not where the pass renders to it.
    fn set_for(&self, pass: &Pass) -> bool {
        self.wanted.set && pass.image != 0
    }

    fn bind_set(&mut self, buffer: CommandBuffer, pass: &Pass) {
        let color = self.set_for(pass);
        let sets = [self.sets[usize::from(color)], self.late];
        let app = &self.scene.app;
        // SAFETY: a command buffer being recorded, live handles.
        unsafe { app.vkCmdBindDescriptorSets(buffer, GRAPHICS, self.layout, 0, 2, sets.as_ptr(), 0, ptr::null()) };
        self.has.entry(buffer).or_default().set = Some(color);
    }

    fn bind_pipeline(&mut self, buffer: CommandBuffer, pass: &Pass) {
        let (number, pipeline) = (self.wanted.pipeline, self.pipeline(pass));
        self.scene.bind(buffer, pipeline);
        let has = self.has.entry(buffer).or_default();
        has.pipeline = Some((pipeline, number));
        let keeps = |state| dynamic(number).contains(&state);
        has.scissor = has.scissor.filter(|_| keeps(DynamicState::SCISSOR));
        has.viewport = has.viewport.filter(|_| keeps(DynamicState::VIEWPORT));
        has.depth_test = has.depth_test.filter(|_| keeps(DynamicState::DEPTH_TEST_ENABLE));
    }

    fn set_scissor(&mut self, buffer: CommandBuffer) {
        let number = self.wanted.scissor;
        // SAFETY: a command buffer being recorded.
        unsafe { self.scene.app.vkCmdSetScissor(buffer, 0, 1, &rect(number)) };
        self.has.entry(buffer).or_default().scissor = Some(number);
    }

    fn set_viewport(&mut self, buffer: CommandBuffer) {
        let number = self.wanted.viewport;
        let vk::Rect2D { offset, extent } = rect(number);
        let viewport = vk::Viewport {
            x: offset.x as f32,
            y: offset.y as f32,
            width: extent.width as f32,
            height: extent.height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        // SAFETY: a command buffer being recorded.
        unsafe { self.scene.app.vkCmdSetViewport(buffer, 0, 1, &viewport) };
        self.has.entry(buffer).or_default().viewport = Some(number);
    }

    fn set_depth_test(&mut self, buffer: CommandBuffer) {
        let on = self.wanted.depth_test;
        // SAFETY: a command buffer being recorded.
        unsafe { self.scene.app.vkCmdSetDepthTestEnable(buffer, vk::Bool32::from(on)) };
        self.has.entry(buffer).or_default().depth_test = Some(on);
    }

    /// The pipeline that is wanted, for a pass.
    fn pipeline(&mut self, pass: &Pass) -> vk::Pipeline {
        let (number, depth) = (self.wanted.pipeline, pass.depth.is_some());
        let key = (number, pass.dynamic, depth);
        if let Some(made) = self.pipelines.get(&key) {
            return *made;
        }
        let images: &[Image] = if depth { &[self.color, self.depth] } else { &[self.color] };
        let ops = (vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE);
        let mut made = Graphics::new(vk::RenderPass::null(), &[opaque()]);
        if pass.dynamic {
            let depth = if depth { self.depth.format } else { vk::Format::UNDEFINED };
            made.formats = (vec![self.color.format], depth, depth);
        } else {
            // Compatible with every pass of these formats.
            let attachments: Vec<_> = images.iter().map(|image| attachment(image, ops.0, ops.1)).collect();
            made.pass = self.scene.render_pass(&attachments);
        }
        made.layout = self.layout;
        made.dynamic = dynamic(number).to_vec();
        let [plain, first, late] = self.fragment.map(|fragment| Some([self.vertex, fragment]));
        let masked = opaque().color_write_mask(vk::ColorComponentFlags::empty());
        match number {
            0 => made.shaders = plain,
            1 => (made.shaders, made.blend[0]) = (plain, masked),
            2 => (made.shaders, made.blend[0]) = (plain, blended()),
            3 => made.shaders = first,
            4 => (made.shaders, made.blend[0]) = (late, masked),
            5 => (made.shaders, made.rasterization.rasterizer_discard_enable) = (first, vk::TRUE),
            // Shaders that nobody knows.
            _ => made.shaders = None,
        }
        made.depth = match number {
            1 | 3 => depth_test(vk::CompareOp::LESS, true),
            2 => depth_test(vk::CompareOp::LESS, false),
            4 => depth_test(vk::CompareOp::ALWAYS, true),
            _ => made.depth,
        };
        let pipeline = made.create(self.scene);
        self.pipelines.insert(key, pipeline);
        pipeline
    }
}

/// What of a pipeline is dynamic.
fn dynamic(number: usize) -> &'static [DynamicState] {
    const STATES: [&[DynamicState]; PIPELINES] = [
        &[],
        &[DynamicState::VIEWPORT],
        &[DynamicState::SCISSOR, DynamicState::VIEWPORT],
        &[DynamicState::SCISSOR, DynamicState::DEPTH_TEST_ENABLE],
        &[DynamicState::SCISSOR],
        &[],
        &[],
    ];
    STATES[number]
}

/// A scissor or viewport: of everything, of corners, and of nothing that is rendered to in half a pass.
fn rect(number: usize) -> vk::Rect2D {
    const RECTANGLES: [[u32; 4]; RECTS] = [[0, 0, 512, 256], [0, 0, 100, 70], [130, 60, 200, 150], [300, 0, 212, 256]];
    let [x, y, width, height] = RECTANGLES[number];
    vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent: vk::Extent2D { width, height } }
}
