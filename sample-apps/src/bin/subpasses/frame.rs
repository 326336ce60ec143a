//! One frame: geometry, lighting, and the copy of the output.

use crate::local_read::{self, LOCAL, Rendering};
use crate::options::{Options, Technique};
use crate::passes::{self, DEPTH_READ, Pass, READ};
use crate::targets::Targets;
use ash::vk;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::descriptors::Bound;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::lighting::Lighting;
use tilelens_samples::pipeline::Within;
use tilelens_samples::room::{Face, SKY};
use tilelens_samples::room_pipeline::{RoomPipeline, RoomTarget};
use tilelens_samples::screen::{Screen, ScreenInfo};
use tilelens_samples::{Error, readback, shader};

/// All that a frame is recorded from.
pub struct Frame<'g> {
    gpu: &'g Gpu,
    options: &'g Options,
    targets: &'g Targets<'g>,
    // Dropped in this order: the pipelines, then the passes.
    geometry: RoomPipeline<'g>,
    lighting: Screen<'g>,
    passes: Passes<'g>,
}

enum Passes<'g> {
    Merged(Pass<'g>),
    Apart { geometry: Pass<'g>, lighting: Pass<'g> },
    Local(Rendering<'g>),
    LocalApart(Rendering<'g>),
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
            Technique::Renderings => Passes::LocalApart(Rendering::new(gpu)),
        };
        let formats = local_read::formats(options);
        let of = |pass: &Pass<'_>, subpass| Within::RenderPass { pass: pass.pass.get(), subpass };
        let [geometry_within, lighting_within] = match &passes {
            Passes::Merged(both) => [of(both, 0), of(both, 1)],
            Passes::Apart { geometry, lighting } => [of(geometry, 0), of(lighting, 0)],
            Passes::Local(_) => local_read::within(&formats, false),
            Passes::LocalApart(_) => local_read::within(&formats, true),
        };
        // A dynamic rendering has its input attachments among its colour attachments, and one set of these for both.
        let [geometry_colours, lighting_colours] = match &passes {
            Passes::Local(_) => [local_read::COLOURS; 2],
            Passes::LocalApart(_) => [2, local_read::COLOURS],
            Passes::Merged(_) | Passes::Apart { .. } => [2, 1],
        };
        let local = matches!(passes, Passes::Local(_) | Passes::LocalApart(_));
        let target = RoomTarget {
            fragment: Some(shader!("geometry.frag")),
            pushed: 0,
            within: geometry_within,
            size: options.size,
            samples: vk::SampleCountFlags::TYPE_1,
            colours: geometry_colours,
        };
        let geometry = RoomPipeline::new(gpu, &target, faces)?;
        let [depth_layout, colour_layout] = if local { [LOCAL; 2] } else { [DEPTH_READ, READ] };
        let inputs = [
            Bound::input(targets.depth.view(), depth_layout),
            Bound::input(targets.albedo.view(), colour_layout),
            Bound::input(targets.normal.view(), colour_layout),
        ];
        let lighting = ScreenInfo {
            fragment: shader!("lighting.frag"),
            within: lighting_within,
            size: options.size,
            colours: lighting_colours,
            read: &inputs,
            pushed: Lighting::PUSHED_BYTES,
        };
        let lighting = Screen::new(gpu, &lighting)?;
        Ok(Self { gpu, options, targets, geometry, lighting, passes })
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
                rendering.end(commands);
                self.gpu.end_label(commands);
                rendering.finish(commands, self.targets);
            }
            Passes::LocalApart(rendering) => {
                self.labelled(commands, "geometry", || {
                    rendering.begin_geometry(commands, self.options, self.targets, &clear_values());
                    self.geometry.draw(commands, &[]);
                    rendering.end(commands);
                });
                self.labelled(commands, "lighting", || {
                    rendering.begin_lighting(commands, self.options, self.targets, &clear_values());
                    self.light(commands, lighting);
                    rendering.end(commands);
                });
                rendering.finish(commands, self.targets);
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
        self.lighting.draw(commands, &lighting.push_constants());
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
