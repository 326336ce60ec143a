//! The two render passes: the depth map, which is read afterwards, and the output, which is copied afterwards.

use crate::options::Options;
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::owned::Owned;
use tilelens_samples::readback::COPIED;
use vk::AccessFlags as Access;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;
use vk::PipelineStageFlags as Stage;

/// Layout of the map while it is read.
pub const READ: Layout = Layout::DEPTH_STENCIL_READ_ONLY_OPTIMAL;

const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// An image and the render pass that draws it.
pub struct Pass<'g> {
    framebuffer: Owned<'g, vk::Framebuffer>,
    pass: Owned<'g, vk::RenderPass>,
    /// What is drawn.
    pub image: Image<'g>,
}

/// What a pass does to its one attachment, and which stage reads that afterwards.
struct Use {
    load: Load,
    store: Store,
    within: Layout,
    after: Layout,
    stages: Stage,
    accesses: Access,
    reading: Stage,
    read: Access,
}

impl<'g> Pass<'g> {
    /// Draws the map.
    pub fn map(gpu: &'g Gpu, options: &Options) -> Result<Self, Error> {
        use vk::FormatFeatureFlags as Feature;
        gpu.require_format(DEPTH, Feature::DEPTH_STENCIL_ATTACHMENT | Feature::SAMPLED_IMAGE)?;
        let image = ImageInfo {
            name: "depth map",
            format: DEPTH,
            aspects: vk::ImageAspectFlags::DEPTH,
            usage: Usage::DEPTH_STENCIL_ATTACHMENT | Usage::SAMPLED,
            ..output_image(options)
        };
        let attachment = Use {
            load: Load::CLEAR,
            store: if options.discard { Store::DONT_CARE } else { Store::STORE },
            within: Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            after: READ,
            stages: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
            accesses: Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
            reading: Stage::FRAGMENT_SHADER,
            read: Access::SHADER_READ,
        };
        Self::new(gpu, &image, &attachment)
    }

    /// Draws every pixel of the output.
    pub fn output(gpu: &'g Gpu, options: &Options) -> Result<Self, Error> {
        let attachment = Use {
            load: Load::DONT_CARE,
            store: Store::STORE,
            within: Layout::COLOR_ATTACHMENT_OPTIMAL,
            after: COPIED,
            stages: Stage::COLOR_ATTACHMENT_OUTPUT,
            accesses: Access::COLOR_ATTACHMENT_WRITE,
            reading: Stage::TRANSFER,
            read: Access::TRANSFER_READ,
        };
        Self::new(gpu, &output_image(options), &attachment)
    }

    /// The render pass.
    pub fn get(&self) -> vk::RenderPass {
        self.pass.get()
    }

    /// Records the pass under its label, with what `inside` records.
    pub fn record(
        &self,
        gpu: &Gpu,
        commands: vk::CommandBuffer,
        label: &str,
        options: &Options,
        inside: impl FnOnce(),
    ) {
        // The output is not cleared, so only the map looks at it.
        let far = [vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } }];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass.get())
            .framebuffer(self.framebuffer.get())
            .render_area(options.size.rect())
            .clear_values(&far);
        gpu.begin_label(commands, label);
        // SAFETY: the command buffer is being recorded outside a render pass; framebuffer and render pass fit.
        unsafe { gpu.device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE) };
        inside();
        // SAFETY: the render pass begun above ends.
        unsafe { gpu.device.cmd_end_render_pass(commands) };
        gpu.end_label(commands);
    }

    fn new(gpu: &'g Gpu, image: &ImageInfo<'_>, wanted: &Use) -> Result<Self, Error> {
        let size = image.size;
        let attachment = vk::AttachmentDescription::default()
            .format(image.format)
            .samples(image.samples)
            .load_op(wanted.load)
            .store_op(wanted.store)
            .stencil_load_op(Load::DONT_CARE)
            .stencil_store_op(Store::DONT_CARE)
            .initial_layout(Layout::UNDEFINED)
            .final_layout(wanted.after);
        let attachments = [attachment];
        let references = [vk::AttachmentReference { attachment: 0, layout: wanted.within }];
        let subpass = vk::SubpassDescription::default().pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS);
        let subpasses = [if image.aspects == vk::ImageAspectFlags::DEPTH {
            subpass.depth_stencil_attachment(&references[0])
        } else {
            subpass.color_attachments(&references)
        }];
        let dependency = vk::SubpassDependency::default();
        let dependencies = [
            dependency
                .src_subpass(vk::SUBPASS_EXTERNAL)
                .src_stage_mask(wanted.stages | wanted.reading)
                .dst_stage_mask(wanted.stages)
                .src_access_mask(wanted.accesses)
                .dst_access_mask(wanted.accesses),
            dependency
                .dst_subpass(vk::SUBPASS_EXTERNAL)
                .src_stage_mask(wanted.stages)
                .dst_stage_mask(wanted.reading)
                .src_access_mask(wanted.accesses)
                .dst_access_mask(wanted.read),
        ];
        let pass = gpu.render_pass(
            &vk::RenderPassCreateInfo::default()
                .attachments(&attachments)
                .subpasses(&subpasses)
                .dependencies(&dependencies),
        )?;
        let image = Image::new(gpu, image)?;
        let views = [image.view()];
        let framebuffer = gpu.framebuffer(
            &vk::FramebufferCreateInfo::default()
                .render_pass(pass.get())
                .attachments(&views)
                .width(size.width)
                .height(size.height)
                .layers(1),
        )?;
        Ok(Self { framebuffer, pass, image })
    }
}

fn output_image(options: &Options) -> ImageInfo<'static> {
    ImageInfo {
        name: "output",
        size: options.size,
        format: COLOUR,
        aspects: vk::ImageAspectFlags::COLOR,
        samples: vk::SampleCountFlags::TYPE_1,
        usage: Usage::COLOR_ATTACHMENT | Usage::TRANSFER_SRC,
        flags: vk::ImageCreateFlags::empty(),
    }
}
