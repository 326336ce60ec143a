//! One frame: the pass, as a render pass object or as dynamic rendering, and the copy of its result.

use crate::options::Options;
use crate::targets::{COLOUR, DEPTH, DRAWN, Targets};
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::commands::Secondary;
use tilelens_samples::expect::Background;
use tilelens_samples::flat::Flat;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::owned::Owned;
use tilelens_samples::pipeline::Within;
use tilelens_samples::readback::{self, COPIED};
use tilelens_samples::scene::FAR;
use vk::AccessFlags as Access;
use vk::PipelineStageFlags as Stage;

/// Triangles of the scene.
const TRIANGLES: u32 = 3;

/// All that a frame is recorded from.
pub struct Frame<'a> {
    gpu: &'a Gpu,
    options: &'a Options,
    targets: &'a Targets<'a>,
    pipeline: Flat<'a>,
    /// The render pass and its framebuffer; nothing with dynamic rendering.
    pass: Option<(Owned<'a, vk::Framebuffer>, Owned<'a, vk::RenderPass>)>,
    /// Where what runs in the pass is recorded, if not in the primary.
    secondary: Option<Secondary<'a>>,
}

impl<'a> Frame<'a> {
    /// Creates pass and pipeline.
    pub fn new(gpu: &'a Gpu, options: &'a Options, targets: &'a Targets<'a>) -> Result<Self, Error> {
        let pass = if options.dynamic { None } else { Some(create_pass(gpu, options, targets)?) };
        let depth = options.depth_format.vk();
        let within = match &pass {
            Some((_, pass)) => Within::RenderPass { pass: pass.get(), subpass: 0 },
            None => Within::Dynamic {
                colour: COLOUR,
                depth,
                stencil: if options.depth_format.has_stencil() { depth } else { vk::Format::UNDEFINED },
            },
        };
        let pipeline = Flat::new(gpu, within, options.size, options.sample_flags())?;
        let secondary = options.secondary.then(|| Secondary::new(gpu)).transpose()?;
        Ok(Self { gpu, options, targets, pipeline, pass, secondary })
    }

    /// Records the pass, with the scene moved by `offset`, and the copy to `result`.
    pub fn record(
        &self,
        commands: vk::CommandBuffer,
        vertices: &Buffer<'_>,
        result: &Buffer<'_>,
        offset: [i32; 2],
    ) -> Result<(), Error> {
        self.gpu.begin_label(commands, "render_passes");
        if let Some(secondary) = &self.secondary {
            let recorded = self.record_secondary(secondary, vertices, offset)?;
            self.begin(commands);
            // SAFETY: a secondary for this pass, inside the pass, which takes nothing else.
            unsafe { self.gpu.device.cmd_execute_commands(commands, &[recorded]) };
        } else {
            self.begin(commands);
            self.inside(commands, vertices, offset);
        }
        self.end(commands);
        self.gpu.end_label(commands);
        readback::record(self.gpu, commands, self.targets.copied(), self.options.size, result);
        Ok(())
    }

    /// What runs in the pass.
    fn inside(&self, commands: vk::CommandBuffer, vertices: &Buffer<'_>, offset: [i32; 2]) {
        if self.options.clear_attachments {
            self.clear_attachments(commands);
        }
        self.pipeline.draw(commands, vertices.get(), TRIANGLES, offset);
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
            Some((framebuffer, pass)) => inheritance.render_pass(pass.get()).framebuffer(framebuffer.get()),
            None => inheritance.push_next(&mut rendering),
        };
        secondary.record(&inheritance, |commands| self.inside(commands, vertices, offset))
    }

    fn begin(&self, commands: vk::CommandBuffer) {
        let clears = clear_values();
        let device = &self.gpu.device;
        if let Some((framebuffer, pass)) = &self.pass {
            let info = vk::RenderPassBeginInfo::default()
                .render_pass(pass.get())
                .framebuffer(framebuffer.get())
                .render_area(self.options.size.rect())
                .clear_values(&clears);
            let contents = if self.options.secondary {
                vk::SubpassContents::SECONDARY_COMMAND_BUFFERS
            } else {
                vk::SubpassContents::INLINE
            };
            // SAFETY: the command buffer is being recorded outside a render pass; framebuffer and render pass fit.
            unsafe { device.cmd_begin_render_pass(commands, &info, contents) };
        } else if let Some(dynamic) = &self.gpu.dynamic {
            self.dynamic_barrier(commands);
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
                .render_area(self.options.size.rect())
                .layer_count(1)
                .color_attachments(&colours)
                .depth_attachment(&depth);
            if self.options.depth_format.has_stencil() {
                info = info.stencil_attachment(&stencil);
            }
            if self.options.secondary {
                info = info.flags(vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS);
            }
            // SAFETY: the command buffer is being recorded outside a render pass; the views are live and in these layouts.
            unsafe { dynamic.cmd_begin_rendering(commands, &info) };
        }
    }

    fn end(&self, commands: vk::CommandBuffer) {
        let device = &self.gpu.device;
        if let Some(dynamic) = self.gpu.dynamic.as_ref().filter(|_| self.pass.is_none()) {
            let image = self.targets.copied();
            let barrier = image.barrier([DRAWN, COPIED], [Access::COLOR_ATTACHMENT_WRITE, Access::TRANSFER_READ]);
            // SAFETY: the rendering that `begin` has begun ends here; the barrier stands outside of it.
            unsafe {
                dynamic.cmd_end_rendering(commands);
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

/// Stages that wrote or read the attachments before the pass.
const BEFORE: Stage = Stage::from_raw(
    Stage::TRANSFER.as_raw() | Stage::COLOR_ATTACHMENT_OUTPUT.as_raw() | Stage::LATE_FRAGMENT_TESTS.as_raw(),
);
/// Stages that access the attachments in the pass.
const WITHIN: Stage = Stage::from_raw(
    Stage::COLOR_ATTACHMENT_OUTPUT.as_raw()
        | Stage::EARLY_FRAGMENT_TESTS.as_raw()
        | Stage::LATE_FRAGMENT_TESTS.as_raw(),
);

fn clear_values() -> [vk::ClearValue; 2] {
    [
        vk::ClearValue { color: Background::Clear.clear_value() },
        vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: FAR, stencil: 0 } },
    ]
}

fn create_pass<'a>(
    gpu: &'a Gpu,
    options: &Options,
    targets: &Targets<'_>,
) -> Result<(Owned<'a, vk::Framebuffer>, Owned<'a, vk::RenderPass>), Error> {
    let from = |keeps: bool, between| if keeps { between } else { vk::ImageLayout::UNDEFINED };
    let samples = options.sample_flags();
    let colour = vk::AttachmentDescription::default()
        .format(COLOUR)
        .samples(samples)
        .load_op(options.load.into())
        .store_op(options.store.into())
        .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
        .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
        .initial_layout(from(options.keeps_colour(), targets.colour_between()))
        .final_layout(targets.colour_between());
    let depth = vk::AttachmentDescription::default()
        .format(options.depth_format.vk())
        .samples(samples)
        .load_op(options.depth_load.into())
        .store_op(options.depth_store.into())
        .stencil_load_op(options.stencil_load().into())
        .stencil_store_op(options.stencil_store().into())
        .initial_layout(from(options.keeps_depth(), DEPTH))
        .final_layout(DEPTH);
    let mut attachments = vec![colour, depth];
    let mut views = vec![targets.colour.view(), targets.depth.view()];
    let colours = [vk::AttachmentReference { attachment: 0, layout: DRAWN }];
    let depth_reference = vk::AttachmentReference { attachment: 1, layout: DEPTH };
    let resolves = [vk::AttachmentReference { attachment: 2, layout: DRAWN }];
    let mut subpass = vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colours)
        .depth_stencil_attachment(&depth_reference);
    if let Some(resolve) = &targets.resolve {
        attachments.push(
            colour
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::DONT_CARE)
                .store_op(vk::AttachmentStoreOp::STORE)
                .initial_layout(vk::ImageLayout::UNDEFINED)
                .final_layout(COPIED),
        );
        views.push(resolve.view());
        subpass = subpass.resolve_attachments(&resolves);
    }
    let written = Access::TRANSFER_WRITE | Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let accessed = Access::COLOR_ATTACHMENT_READ
        | Access::COLOR_ATTACHMENT_WRITE
        | Access::DEPTH_STENCIL_ATTACHMENT_READ
        | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let dependencies = [
        vk::SubpassDependency::default()
            .src_subpass(vk::SUBPASS_EXTERNAL)
            .dst_subpass(0)
            .src_stage_mask(BEFORE)
            .dst_stage_mask(WITHIN)
            .src_access_mask(written)
            .dst_access_mask(accessed),
        vk::SubpassDependency::default()
            .src_subpass(0)
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(Stage::COLOR_ATTACHMENT_OUTPUT)
            .dst_stage_mask(Stage::TRANSFER)
            .src_access_mask(Access::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(Access::TRANSFER_READ),
    ];
    let subpasses = [subpass];
    let pass = gpu.render_pass(
        &vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies),
    )?;
    gpu.name_object(pass.get(), "render_passes")?;
    let framebuffer = gpu.framebuffer(
        &vk::FramebufferCreateInfo::default()
            .render_pass(pass.get())
            .attachments(&views)
            .width(options.size.width)
            .height(options.size.height)
            .layers(1),
    )?;
    Ok((framebuffer, pass))
}
