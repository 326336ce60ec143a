//! One frame: the scene, the resolve command and the postprocessing where the variant has them, and the copy of the output.

use crate::expect::Expected;
use crate::options::{Options, Variant};
use crate::passes::{self, DEPTH_READ, Pass, READ};
use crate::targets::Targets;
use ash::vk;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::descriptors::{Bound, Descriptors};
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::Image;
use tilelens_samples::owned::Owned;
use tilelens_samples::pipeline::{PipelineInfo, Within};
use tilelens_samples::readback::{self, COPIED};
use tilelens_samples::room::{Face, SKY};
use tilelens_samples::room_pipeline::{RoomPipeline, RoomTarget};
use tilelens_samples::{Error, shader};
use vk::AccessFlags as Access;
use vk::ImageLayout as Layout;
use vk::PipelineStageFlags as Stage;

/// All that a frame is recorded from.
pub struct Frame<'g> {
    gpu: &'g Gpu,
    options: &'g Options,
    targets: &'g Targets<'g>,
    // Dropped in this order: the pipelines, then the passes.
    room: RoomPipeline<'g>,
    scene: Pass<'g>,
    outline: Option<Outline<'g>>,
}

/// The second pass.
struct Outline<'g> {
    pipeline: Owned<'g, vk::Pipeline>,
    inputs: Descriptors<'g>,
    pass: Pass<'g>,
    _sampler: Owned<'g, vk::Sampler>,
}

impl<'g> Frame<'g> {
    /// Creates passes and pipelines.
    pub fn new(gpu: &'g Gpu, options: &'g Options, targets: &'g Targets<'g>, faces: &[Face]) -> Result<Self, Error> {
        let scene = passes::scene(gpu, options, targets)?;
        let target = RoomTarget {
            fragment: shader!("forward.frag"),
            pushed: Expected::PUSHED_BYTES,
            within: Within::RenderPass { pass: scene.pass.get(), subpass: 0 },
            size: options.size,
            samples: options.sample_flags(),
            colours: 1,
        };
        let room = RoomPipeline::new(gpu, &target, faces)?;
        let outline =
            targets.resolved.as_ref().map(|colour| Outline::new(gpu, options, targets, colour)).transpose()?;
        Ok(Self { gpu, options, targets, room, scene, outline })
    }

    /// Records a frame, with `pushed` for the scene's fragment shader, and the copy of its output to `result`.
    pub fn record(&self, commands: vk::CommandBuffer, pushed: &[u8], result: &Buffer<'_>) {
        self.pass(commands, "scene", &self.scene, || self.room.draw(commands, pushed));
        if let Some(multisampled) =
            self.targets.multisampled.as_ref().filter(|_| self.options.variant.resolves_by_command())
        {
            self.resolve(commands, multisampled);
        }
        if let Some(outline) = &self.outline {
            let draw = || outline.inputs.draw(commands, outline.pipeline.get(), &[]);
            self.pass(commands, "postprocess", &outline.pass, draw);
        }
        readback::record(self.gpu, commands, &self.targets.output, self.options.size, result);
    }

    fn pass(&self, commands: vk::CommandBuffer, label: &str, pass: &Pass<'_>, draw: impl FnOnce()) {
        // As many as the pass with the most attachments; only attachments with loadOp CLEAR look at theirs.
        let [r, g, b] = SKY.map(|c| f32::from(c) / 255.0);
        let clears = [
            vk::ClearValue { color: vk::ClearColorValue { float32: [r, g, b, 1.0] } },
            vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } },
        ];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(pass.pass.get())
            .framebuffer(pass.framebuffer.get())
            .render_area(self.options.size.rect())
            .clear_values(&clears);
        self.gpu.begin_label(commands, label);
        // SAFETY: the command buffer is being recorded outside a render pass; framebuffer and render pass fit.
        unsafe { self.gpu.device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE) };
        draw();
        // SAFETY: the render pass begun above ends.
        unsafe { self.gpu.device.cmd_end_render_pass(commands) };
        self.gpu.end_label(commands);
    }

    /// Resolves all samples of the colour, which the pass has left in the layout for it.
    fn resolve(&self, commands: vk::CommandBuffer, from: &Image<'_>) {
        let to = self.targets.resolve_target();
        let written = Layout::TRANSFER_DST_OPTIMAL;
        // The last frame's contents are read before they are overwritten; what comes after waits for these.
        let before = to.barrier([Layout::UNDEFINED, written], [Access::empty(), Access::TRANSFER_WRITE]);
        let (reader, layout, access) = match self.options.variant.postprocesses() {
            true => (Stage::FRAGMENT_SHADER, READ, Access::SHADER_READ),
            false => (Stage::TRANSFER, COPIED, Access::TRANSFER_READ),
        };
        let after = to.barrier([written, layout], [Access::TRANSFER_WRITE, access]);
        let whole = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let region = vk::ImageResolve {
            src_subresource: whole,
            dst_subresource: whole,
            extent: self.options.size.extent_3d(),
            ..Default::default()
        };
        let device = &self.gpu.device;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded outside a render pass; both images are live, of one format and size, and in
        // these layouts.
        unsafe {
            device.cmd_pipeline_barrier(commands, reader, Stage::TRANSFER, none, &[], &[], &[before]);
            device.cmd_resolve_image(commands, from.image(), COPIED, to.image(), written, &[region]);
            device.cmd_pipeline_barrier(commands, Stage::TRANSFER, reader, none, &[], &[], &[after]);
        }
    }
}

impl<'g> Outline<'g> {
    fn new(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>, colour: &Image<'_>) -> Result<Self, Error> {
        let pass = passes::postprocess(gpu, options, targets)?;
        // Texels are fetched, not filtered.
        let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
        let bound = |view, layout| Bound {
            kind: vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            view,
            layout,
            sampler: sampler.get(),
        };
        let inputs = [bound(colour.view(), READ), bound(targets.read_depth().view(), DEPTH_READ)];
        let inputs = Descriptors::new(gpu, &inputs, 0)?;
        let fragment: &[u8] = match options.variant {
            Variant::Worst => shader!("outline_ms.frag"),
            _ => shader!("outline.frag"),
        };
        let pipeline = gpu.pipeline(&PipelineInfo {
            vertex: shader!("screen.vert"),
            fragment: Some(fragment),
            attributes: 0,
            layout: inputs.pipeline_layout(),
            within: Within::RenderPass { pass: pass.pass.get(), subpass: 0 },
            flags: vk::PipelineCreateFlags::empty(),
            size: options.size,
            samples: vk::SampleCountFlags::TYPE_1,
            colours: 1,
            depth: false,
        })?;
        Ok(Self { pipeline, inputs, pass, _sampler: sampler })
    }
}
