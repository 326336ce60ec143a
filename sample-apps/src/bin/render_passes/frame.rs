//! One frame: the pass, as a render pass object or as dynamic rendering, and the copy of its result.

use crate::options::Options;
use crate::pass::{BEFORE, Pass, WITHIN};
use crate::targets::{COLOUR, DEPTH, DRAWN, Targets};
use ash::vk;
use std::ops::Range;
use tilelens_samples::Error;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::commands::Secondary;
use tilelens_samples::expect::Background;
use tilelens_samples::flat::{Drawn, Flat};
use tilelens_samples::gpu::Gpu;
use tilelens_samples::pipeline::Within;
use tilelens_samples::readback::{self, COPIED};
use tilelens_samples::scene::FAR;
use vk::AccessFlags as Access;
use vk::PipelineStageFlags as Stage;

/// Triangles of the scene, and how many of them are drawn before a suspension.
const TRIANGLES: u32 = 3;
const BEFORE_SUSPENSION: u32 = 1;

/// All that a frame is recorded from.
pub struct Frame<'a> {
    gpu: &'a Gpu,
    options: &'a Options,
    targets: &'a Targets<'a>,
    pipeline: Flat<'a>,
    /// Nothing with dynamic rendering.
    pass: Option<Pass<'a>>,
    /// Where what runs in the pass is recorded, if not in the primary.
    secondary: Option<Secondary<'a>>,
}

impl<'a> Frame<'a> {
    /// Creates pass and pipeline.
    pub fn new(gpu: &'a Gpu, options: &'a Options, targets: &'a Targets<'a>) -> Result<Self, Error> {
        let pass = if options.dynamic { None } else { Some(Pass::new(gpu, options, targets)?) };
        let depth = options.depth_format.vk();
        let within = match &pass {
            Some(pass) => Within::RenderPass { pass: pass.get(), subpass: 0 },
            None => Within::Dynamic {
                colours: &[COLOUR],
                depth,
                stencil: if options.depth_format.has_stencil() { depth } else { vk::Format::UNDEFINED },
                local: None,
            },
        };
        let drawn = if options.shader_objects { Drawn::ColourWithShaderObjects } else { Drawn::Colour };
        let flags = vk::PipelineCreateFlags::empty();
        let pipeline = Flat::new(gpu, drawn, within, flags, options.size, options.sample_flags())?;
        let secondary = options.secondary.then(|| Secondary::new(gpu)).transpose()?;
        Ok(Self { gpu, options, targets, pipeline, pass, secondary })
    }

    /// Records the pass, with the scene moved by `offset`, and the copy to `result`. The pass is suspended at the end of every command
    /// buffer but the last, of which there are at most two.
    pub fn record(
        &self,
        all: &[vk::CommandBuffer],
        vertices: &Buffer<'_>,
        result: &Buffer<'_>,
        offset: [i32; 2],
    ) -> Result<(), Error> {
        let none = vk::RenderingFlags::empty();
        let (commands, flags) = match *all {
            [first, second] => {
                let suspending = vk::RenderingFlags::SUSPENDING;
                let begun = 0..BEFORE_SUSPENSION;
                self.labelled(first, suspending, || {
                    self.inside(first, vertices, begun, offset);
                    Ok(())
                })?;
                (second, vk::RenderingFlags::RESUMING)
            }
            _ => (all[0], none),
        };
        self.labelled(commands, flags, || {
            if let Some(secondary) = &self.secondary {
                let recorded = self.record_secondary(secondary, vertices, offset)?;
                // SAFETY: a secondary for this pass, inside the pass, which takes nothing else.
                unsafe { self.gpu.device.cmd_execute_commands(commands, &[recorded]) };
            } else {
                let rest = if flags == none { 0 } else { BEFORE_SUSPENSION };
                self.inside(commands, vertices, rest..TRIANGLES, offset);
            }
            Ok(())
        })?;
        readback::record(self.gpu, commands, self.targets.copied(), self.options.size, result);
        Ok(())
    }

    /// The pass, or a part of it, with what `inside` records.
    fn labelled(
        &self,
        commands: vk::CommandBuffer,
        flags: vk::RenderingFlags,
        inside: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.gpu.begin_label(commands, "render_passes");
        self.begin(commands, flags);
        inside()?;
        self.end(commands, flags);
        self.gpu.end_label(commands);
        Ok(())
    }

    /// What runs in the pass: the triangles `triangles`, the first of which is preceded by the clears.
    fn inside(&self, commands: vk::CommandBuffer, vertices: &Buffer<'_>, triangles: Range<u32>, offset: [i32; 2]) {
        if self.options.clear_attachments && triangles.start == 0 {
            self.clear_attachments(commands);
        }
        self.pipeline.draw(commands, vertices.get(), triangles, offset);
    }

    fn record_secondary(
        &self,
        secondary: &Secondary<'_>,
        vertices: &Buffer<'_>,
        offset: [i32; 2],
    ) -> Result<vk::CommandBuffer, Error> {
        let formats = [COLOUR];
        let depth = self.options.depth_format.vk();
        let stencil = if self.options.depth_format.has_stencil() { depth } else { vk::Format::UNDEFINED };
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
            .color_attachment_formats(&formats)
            .depth_attachment_format(depth)
            .stencil_attachment_format(stencil)
            .rasterization_samples(self.options.sample_flags());
        let mut inheritance = vk::CommandBufferInheritanceInfo::default();
        inheritance = match &self.pass {
            Some(pass) => pass.inherited(inheritance),
            None => inheritance.push_next(&mut rendering),
        };
        secondary.record(&inheritance, |commands| self.inside(commands, vertices, 0..TRIANGLES, offset))
    }

    fn begin(&self, commands: vk::CommandBuffer, flags: vk::RenderingFlags) {
        let clears = clear_values();
        if let Some(pass) = &self.pass {
            pass.begin(commands, &clears);
        } else if let Some(dynamic) = &self.gpu.dynamic {
            // Between a suspended pass and its resumption nothing synchronises.
            if !flags.contains(vk::RenderingFlags::RESUMING) {
                self.dynamic_barrier(commands);
            }
            let mut colour = vk::RenderingAttachmentInfo::default()
                .image_view(self.targets.colour.view())
                .image_layout(DRAWN)
                .load_op(self.options.load.into())
                .store_op(self.options.store.into())
                .clear_value(clears[0]);
            if let Some(resolve) = &self.targets.resolve {
                colour = colour
                    .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                    .resolve_image_view(resolve.view())
                    .resolve_image_layout(DRAWN);
            }
            let depth = vk::RenderingAttachmentInfo::default()
                .image_view(self.targets.depth.view())
                .image_layout(DEPTH)
                .clear_value(clears[1]);
            let stencil =
                depth.load_op(self.options.stencil_load().into()).store_op(self.options.stencil_store().into());
            let depth = depth.load_op(self.options.depth_load.into()).store_op(self.options.depth_store.into());
            let colours = [colour];
            let mut info = vk::RenderingInfo::default()
                .flags(flags)
                .render_area(self.options.size.rect())
                .layer_count(1)
                .color_attachments(&colours)
                .depth_attachment(&depth);
            if self.options.depth_format.has_stencil() {
                info = info.stencil_attachment(&stencil);
            }
            if self.options.secondary {
                info = info.flags(flags | vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS);
            }
            // SAFETY: the command buffer is being recorded outside a render pass; the views are live and in these layouts.
            unsafe { dynamic.cmd_begin_rendering(commands, &info) };
        }
    }

    fn end(&self, commands: vk::CommandBuffer, flags: vk::RenderingFlags) {
        let device = &self.gpu.device;
        if let Some(dynamic) = self.gpu.dynamic.as_ref().filter(|_| self.pass.is_none()) {
            // SAFETY: the rendering that `begin` has begun ends here.
            unsafe { dynamic.cmd_end_rendering(commands) };
            if flags.contains(vk::RenderingFlags::SUSPENDING) {
                return;
            }
            let image = self.targets.copied();
            let barrier = image.barrier([DRAWN, COPIED], [Access::COLOR_ATTACHMENT_WRITE, Access::TRANSFER_READ]);
            // SAFETY: the command buffer is being recorded outside a render pass.
            unsafe {
                let (from, to) = (Stage::COLOR_ATTACHMENT_OUTPUT, Stage::TRANSFER);
                device.cmd_pipeline_barrier(commands, from, to, vk::DependencyFlags::empty(), &[], &[], &[barrier]);
            }
        } else {
            // SAFETY: the render pass that `begin` has begun ends here.
            unsafe { device.cmd_end_render_pass(commands) };
        }
    }

    /// What the first dependency and the initial layouts of the render pass do.
    fn dynamic_barrier(&self, commands: vk::CommandBuffer) {
        let from = |keeps: bool, between| if keeps { between } else { vk::ImageLayout::UNDEFINED };
        let drawn = Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE;
        let tested = Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let targets = self.targets;
        let colour = [from(self.options.keeps_colour(), targets.colour_between()), DRAWN];
        let depth = [from(self.options.keeps_depth(), DEPTH), DEPTH];
        let mut barriers = vec![
            targets.colour.barrier(colour, [Access::TRANSFER_WRITE | Access::COLOR_ATTACHMENT_WRITE, drawn]),
            targets.depth.barrier(depth, [Access::TRANSFER_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE, tested]),
        ];
        if let Some(resolve) = &targets.resolve {
            barriers.push(resolve.barrier([vk::ImageLayout::UNDEFINED, DRAWN], [Access::empty(), drawn]));
        }
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded outside a render pass.
        unsafe { self.gpu.device.cmd_pipeline_barrier(commands, BEFORE, WITHIN, none, &[], &[], &barriers) };
    }

    fn clear_attachments(&self, commands: vk::CommandBuffer) {
        let clear = vk::ClearAttachment {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            color_attachment: 0,
            clear_value: clear_values()[0],
        };
        let rect = vk::ClearRect { rect: self.options.size.rect(), base_array_layer: 0, layer_count: 1 };
        // SAFETY: the command buffer is being recorded inside a render pass instance with this colour attachment.
        unsafe { self.gpu.device.cmd_clear_attachments(commands, &[clear], &[rect]) };
    }
}

fn clear_values() -> [vk::ClearValue; 2] {
    [
        vk::ClearValue { color: Background::Clear.clear_value() },
        vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: FAR, stencil: 0 } },
    ]
}
