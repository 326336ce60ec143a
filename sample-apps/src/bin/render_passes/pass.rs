//! The render pass object and its framebuffer, with its images or without them (`--imageless`).

use crate::options::Options;
use crate::targets::{COLOUR, DEPTH, DRAWN, Targets};
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::Image;
use tilelens_samples::owned::Owned;
use tilelens_samples::readback::COPIED;
use vk::AccessFlags as Access;
use vk::PipelineStageFlags as Stage;

/// Stages that wrote or read the attachments before the pass.
pub const BEFORE: Stage = Stage::from_raw(
    Stage::TRANSFER.as_raw() | Stage::COLOR_ATTACHMENT_OUTPUT.as_raw() | Stage::LATE_FRAGMENT_TESTS.as_raw(),
);
/// Stages that access the attachments in the pass.
pub const WITHIN: Stage = Stage::from_raw(
    Stage::COLOR_ATTACHMENT_OUTPUT.as_raw()
        | Stage::EARLY_FRAGMENT_TESTS.as_raw()
        | Stage::LATE_FRAGMENT_TESTS.as_raw(),
);

/// A render pass and its framebuffer.
pub struct Pass<'a> {
    gpu: &'a Gpu,
    options: &'a Options,
    views: Vec<vk::ImageView>,
    // Dropped in this order: the framebuffer, then the render pass.
    framebuffer: Owned<'a, vk::Framebuffer>,
    pass: Owned<'a, vk::RenderPass>,
}

impl<'a> Pass<'a> {
    /// The render pass that `options` describe, for `targets`.
    pub fn new(gpu: &'a Gpu, options: &'a Options, targets: &Targets<'_>) -> Result<Self, Error> {
        let pass = create_pass(gpu, options, targets)?;
        let images: Vec<_> =
            [Some(&targets.colour), Some(&targets.depth), targets.resolve.as_ref()].into_iter().flatten().collect();
        let views: Vec<_> = images.iter().map(|i| i.view()).collect();
        let descriptions: Vec<_> = images.iter().map(|i| Image::attachment_info(i)).collect();
        let mut all = vk::FramebufferAttachmentsCreateInfo::default().attachment_image_infos(&descriptions);
        let mut info = vk::FramebufferCreateInfo::default()
            .render_pass(pass.get())
            .width(options.size.width)
            .height(options.size.height)
            .layers(1);
        info = if options.imageless {
            let count = descriptions.len() as u32;
            info.flags(vk::FramebufferCreateFlags::IMAGELESS).attachment_count(count).push_next(&mut all)
        } else {
            info.attachments(&views)
        };
        let framebuffer = gpu.framebuffer(&info)?;
        Ok(Self { gpu, options, views, framebuffer, pass })
    }

    /// The render pass.
    pub fn get(&self) -> vk::RenderPass {
        self.pass.get()
    }

    /// What a secondary command buffer inherits.
    pub fn inherited<'i>(&self, info: vk::CommandBufferInheritanceInfo<'i>) -> vk::CommandBufferInheritanceInfo<'i> {
        info.render_pass(self.pass.get()).framebuffer(self.framebuffer.get())
    }

    /// Records the beginning of the pass.
    pub fn begin(&self, commands: vk::CommandBuffer, clears: &[vk::ClearValue]) {
        let mut named = vk::RenderPassAttachmentBeginInfo::default().attachments(&self.views);
        let mut info = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass.get())
            .framebuffer(self.framebuffer.get())
            .render_area(self.options.size.rect())
            .clear_values(clears);
        if self.options.imageless {
            info = info.push_next(&mut named);
        }
        let contents = if self.options.secondary {
            vk::SubpassContents::SECONDARY_COMMAND_BUFFERS
        } else {
            vk::SubpassContents::INLINE
        };
        // SAFETY: the command buffer is being recorded outside a render pass; framebuffer and render pass fit.
        unsafe { self.gpu.device.cmd_begin_render_pass(commands, &info, contents) };
    }
}

fn create_pass<'a>(gpu: &'a Gpu, options: &Options, targets: &Targets<'_>) -> Result<Owned<'a, vk::RenderPass>, Error> {
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
    let colours = [vk::AttachmentReference { attachment: 0, layout: DRAWN }];
    let depth_reference = vk::AttachmentReference { attachment: 1, layout: DEPTH };
    let resolves = [vk::AttachmentReference { attachment: 2, layout: DRAWN }];
    let mut subpass = vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colours)
        .depth_stencil_attachment(&depth_reference);
    if targets.resolve.is_some() {
        attachments.push(
            colour
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::DONT_CARE)
                .store_op(vk::AttachmentStoreOp::STORE)
                .initial_layout(vk::ImageLayout::UNDEFINED)
                .final_layout(COPIED),
        );
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
    Ok(pass)
}
