//! One frame: geometry, lighting, and the copy of the output.

use crate::lighting::Lighting;
use crate::local_read::{self, LOCAL, Rendering};
use crate::options::{Options, Technique};
use crate::passes::{self, DEPTH_READ, Pass, READ};
use crate::targets::Targets;
use ash::vk;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::descriptors::{Bound, Descriptors};
use tilelens_samples::gpu::Gpu;
use tilelens_samples::owned::Owned;
use tilelens_samples::pipeline::{PipelineInfo, Within};
use tilelens_samples::room::{Face, SKY};
use tilelens_samples::room_pipeline::{RoomPipeline, RoomTarget};
use tilelens_samples::{Error, readback, shader};

/// All that a frame is recorded from.
pub struct Frame<'g> {
    gpu: &'g Gpu,
    options: &'g Options,
    targets: &'g Targets<'g>,
    // Dropped in this order: the pipelines, then the passes.
    geometry: RoomPipeline<'g>,
    lighting: Owned<'g, vk::Pipeline>,
    inputs: Descriptors<'g>,
    passes: Passes<'g>,
}

enum Passes<'g> {
    Merged(Pass<'g>),
    Apart { geometry: Pass<'g>, lighting: Pass<'g> },
    Local(Rendering<'g>),
}

impl<'g> Frame<'g> {
    /// Creates passes and pipelines.
    pub fn new(gpu: &'g Gpu, options: &'g Options, targets: &'g Targets<'g>, faces: &[Face]) -> Result<Self, Error> {
        let passes = match options.technique {
            Technique::Subpasses => Passes::Merged(passes::merged(gpu, options, targets)?),
            Technique::RenderPasses => Passes::Apart {
                geometry: passes::geometry_pass(gpu, options, targets)?,
                lighting: passes::lighting_pass(gpu, options, targets)?,
            },
            Technique::LocalRead => Passes::Local(Rendering::new(gpu)),
        };
        let formats = local_read::formats(options);
        let of = |pass: &Pass<'_>, subpass| Within::RenderPass { pass: pass.pass.get(), subpass };
        let [geometry_within, lighting_within] = match &passes {
            Passes::Merged(both) => [of(both, 0), of(both, 1)],
            Passes::Apart { geometry, lighting } => [of(geometry, 0), of(lighting, 0)],
            Passes::Local(_) => local_read::within(&formats),
        };
        // A dynamic rendering has one set of colour attachments for both.
        let local = options.technique == Technique::LocalRead;
        let [geometry_colours, lighting_colours] = if local { [local_read::COLOURS; 2] } else { [2, 1] };
        let samples = vk::SampleCountFlags::TYPE_1;
        let target = RoomTarget {
            fragment: shader!("geometry.frag"),
            pushed: 0,
            within: geometry_within,
            size: options.size,
            samples,
            colours: geometry_colours,
        };
        let geometry = RoomPipeline::new(gpu, &target, faces)?;
        let input = |view, layout| Bound {
            kind: vk::DescriptorType::INPUT_ATTACHMENT,
            view,
            layout,
            sampler: vk::Sampler::null(),
        };
        let [depth_layout, colour_layout] = if local { [LOCAL; 2] } else { [DEPTH_READ, READ] };
        let inputs = [
            input(targets.depth.view(), depth_layout),
            input(targets.albedo.view(), colour_layout),
            input(targets.normal.view(), colour_layout),
        ];
        let inputs = Descriptors::new(gpu, &inputs, Lighting::PUSHED_BYTES)?;
        let lighting = gpu.pipeline(&PipelineInfo {
            vertex: shader!("screen.vert"),
            fragment: Some(shader!("lighting.frag")),
            attributes: 0,
            layout: inputs.pipeline_layout(),
            within: lighting_within,
            flags: vk::PipelineCreateFlags::empty(),
            size: options.size,
            samples,
            colours: lighting_colours,
            depth: false,
        })?;
        Ok(Self { gpu, options, targets, geometry, lighting, inputs, passes })
    }

    /// Records a frame lit by `lighting` and the copy of its output to `result`.
    pub fn record(&self, commands: vk::CommandBuffer, lighting: &Lighting, result: &Buffer<'_>) {
        let device = &self.gpu.device;
        match &self.passes {
            Passes::Merged(both) => {
                self.gpu.begin_label(commands, "geometry and lighting");
                self.begin(commands, both);
                self.labelled(commands, "geometry", || self.geometry.draw(commands, &[]));
                // SAFETY: the render pass instance has a second subpass.
                unsafe { device.cmd_next_subpass(commands, vk::SubpassContents::INLINE) };
                self.labelled(commands, "lighting", || self.light(commands, lighting));
                self.end(commands);
                self.gpu.end_label(commands);
            }
            Passes::Local(rendering) => {
                self.gpu.begin_label(commands, "geometry and lighting");
                rendering.begin(commands, self.options, self.targets, &clear_values());
                self.labelled(commands, "geometry", || self.geometry.draw(commands, &[]));
                rendering.next(commands);
                self.labelled(commands, "lighting", || self.light(commands, lighting));
                rendering.end(commands, self.targets);
                self.gpu.end_label(commands);
            }
            Passes::Apart { geometry, lighting: second } => {
                self.labelled(commands, "geometry", || {
                    self.begin(commands, geometry);
                    self.geometry.draw(commands, &[]);
                    self.end(commands);
                });
                let (from, to, barriers) = passes::barriers(self.targets);
                let none = vk::DependencyFlags::empty();
                // SAFETY: the command buffer is being recorded outside a render pass.
                unsafe { device.cmd_pipeline_barrier(commands, from, to, none, &[], &[], &barriers) };
                self.labelled(commands, "lighting", || {
                    self.begin(commands, second);
                    self.light(commands, lighting);
                    self.end(commands);
                });
            }
        }
        readback::record(self.gpu, commands, &self.targets.output, self.options.size, result);
    }

    fn labelled(&self, commands: vk::CommandBuffer, label: &str, record: impl FnOnce()) {
        self.gpu.begin_label(commands, label);
        record();
        self.gpu.end_label(commands);
    }

    fn begin(&self, commands: vk::CommandBuffer, pass: &Pass<'_>) {
        let clears = clear_values();
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(pass.pass.get())
            .framebuffer(pass.framebuffer.get())
            .render_area(self.options.size.rect())
            .clear_values(&clears);
        // SAFETY: the command buffer is being recorded outside a render pass; framebuffer and render pass fit.
        unsafe { self.gpu.device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE) };
    }

    fn end(&self, commands: vk::CommandBuffer) {
        // SAFETY: the render pass that `begin` has begun ends here, in its last subpass.
        unsafe { self.gpu.device.cmd_end_render_pass(commands) };
    }

    fn light(&self, commands: vk::CommandBuffer, lighting: &Lighting) {
        self.inputs.draw(commands, self.lighting.get(), &lighting.push_constants());
    }
}

fn clear_values() -> [vk::ClearValue; 4] {
    let colour = |float32| vk::ClearValue { color: vk::ClearColorValue { float32 } };
    let [r, g, b] = SKY.map(|c| f32::from(c) / 255.0);
    [
        // A colour that no right pixel has: the lighting writes all of them.
        colour([1.0, 0.0, 1.0, 1.0]),
        vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } },
        colour([r, g, b, 1.0]),
        colour([0.0; 4]),
    ]
}
