//! The attachments: colour, depth and, with several samples, the resolve target.

use crate::options::{Options, Upload};
use crate::upload;
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::expect::{Background, Contents};
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::readback::COPIED;
use tilelens_samples::scene::FAR;

/// Format of the colour attachments: 32 bits per pixel.
pub const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// Layout of the depth attachment, in frames and between them.
pub const DEPTH: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
/// Layout of colour attachments in the pass.
pub const DRAWN: vk::ImageLayout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;

/// The attachments of the pass.
pub struct Targets<'g> {
    /// Colour attachment.
    pub colour: Image<'g>,
    /// Depth attachment, with stencil if the format has it.
    pub depth: Image<'g>,
    /// Resolve attachment.
    pub resolve: Option<Image<'g>>,
}

impl<'g> Targets<'g> {
    /// Creates the attachments that the options ask for.
    pub fn new(gpu: &'g Gpu, options: &Options) -> Result<Self, Error> {
        use vk::{FormatFeatureFlags as Feature, ImageUsageFlags as Usage};
        let depth_format = options.depth_format.vk();
        gpu.require_format(depth_format, Feature::DEPTH_STENCIL_ATTACHMENT)?;
        gpu.require_samples(options.sample_flags())?;
        let copied = Usage::COLOR_ATTACHMENT | Usage::TRANSFER_SRC;
        let filled = |keeps: bool| match options.upload {
            _ if !keeps => Usage::empty(),
            Upload::Clear => Usage::TRANSFER_DST,
            Upload::Host => Usage::HOST_TRANSFER_EXT,
        };
        let colour = ImageInfo {
            name: "colour",
            size: options.size,
            format: COLOUR,
            aspects: vk::ImageAspectFlags::COLOR,
            samples: options.sample_flags(),
            usage: if options.multisampled() { Usage::COLOR_ATTACHMENT } else { copied }
                | filled(options.keeps_colour()),
            flags: vk::ImageCreateFlags::empty(),
        };
        let depth = ImageInfo {
            name: "depth",
            format: depth_format,
            aspects: options.depth_format.aspects(),
            usage: Usage::DEPTH_STENCIL_ATTACHMENT | filled(options.keeps_depth()),
            ..colour
        };
        let resolve = ImageInfo { name: "resolve", samples: vk::SampleCountFlags::TYPE_1, usage: copied, ..colour };
        gpu.require_image(&colour)?;
        gpu.require_image(&depth)?;
        Ok(Self {
            colour: Image::new(gpu, &colour)?,
            depth: Image::new(gpu, &depth)?,
            resolve: options.multisampled().then(|| Image::new(gpu, &resolve)).transpose()?,
        })
    }

    /// The image that is copied to the host.
    pub fn copied(&self) -> &Image<'g> {
        self.resolve.as_ref().unwrap_or(&self.colour)
    }

    /// The layout of the colour attachment between frames.
    pub fn colour_between(&self) -> vk::ImageLayout {
        if self.resolve.is_some() { DRAWN } else { COPIED }
    }

    /// With `--upload host`, writes what [`Targets::fill`] records otherwise; that records the change of the layouts then.
    pub fn fill_from_host(&self, gpu: &Gpu, options: &Options) -> Result<(), Error> {
        if options.upload != Upload::Host {
            return Ok(());
        }
        if options.keeps_colour() {
            let texel = Background::Initial.rgba().unwrap_or_default();
            upload::fill(gpu, &self.colour, options.size, vk::ImageAspectFlags::COLOR, &texel)?;
        }
        if options.keeps_depth() {
            let far = options.depth_format.farthest();
            upload::fill(gpu, &self.depth, options.size, vk::ImageAspectFlags::DEPTH, far)?;
        }
        Ok(())
    }

    /// Records what gives the attachments that come into the pass with contents their first ones.
    pub fn fill(&self, gpu: &Gpu, commands: vk::CommandBuffer, options: &Options) {
        use vk::AccessFlags as Access;
        use vk::PipelineStageFlags as Stage;
        let to = match options.upload {
            Upload::Clear => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
            Upload::Host => upload::WRITTEN,
        };
        let written = if options.upload == Upload::Host { Access::HOST_WRITE } else { Access::TRANSFER_WRITE };
        let mut images = Vec::new();
        if options.keeps_colour() {
            images.push((&self.colour, self.colour_between()));
        }
        if options.keeps_depth() {
            images.push((&self.depth, DEPTH));
        }
        let before: Vec<_> = images
            .iter()
            .map(|(i, _)| i.barrier([vk::ImageLayout::UNDEFINED, to], [Access::empty(), Access::TRANSFER_WRITE]))
            .collect();
        // The passes' own dependencies and barriers wait for the transfer.
        let after: Vec<_> =
            images.iter().map(|(i, layout)| i.barrier([to, *layout], [written, Access::empty()])).collect();
        let colour = Background::Initial.clear_value();
        let depth = vk::ClearDepthStencilValue { depth: FAR, stencil: 0 };
        let device = &gpu.device;
        let none = vk::DependencyFlags::empty();
        if options.upload == Upload::Host {
            // What the host has written is visible to every command of a later submission.
            // SAFETY: the command buffer is being recorded outside a render pass.
            unsafe { device.cmd_pipeline_barrier(commands, Stage::HOST, Stage::TRANSFER, none, &[], &[], &after) };
            return;
        }
        // SAFETY: the command buffer is being recorded outside a render pass; the images are live and may be transferred to.
        unsafe {
            device.cmd_pipeline_barrier(commands, Stage::TOP_OF_PIPE, Stage::TRANSFER, none, &[], &[], &before);
            if options.keeps_colour() {
                device.cmd_clear_color_image(commands, self.colour.image(), to, &colour, &[self.colour.range()]);
            }
            if options.keeps_depth() {
                device.cmd_clear_depth_stencil_image(commands, self.depth.image(), to, &depth, &[self.depth.range()]);
            }
            device.cmd_pipeline_barrier(commands, Stage::TRANSFER, Stage::TRANSFER, none, &[], &[], &after);
        }
    }

    /// Does to the expectation what [`Targets::fill`] does to the images.
    pub fn expect_fill(&self, contents: &mut Contents, options: &Options) {
        if options.keeps_colour() {
            contents.set_colour(Background::Initial);
        }
        if options.keeps_depth() {
            contents.set_depth(true);
        }
    }
}
