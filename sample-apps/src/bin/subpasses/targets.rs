//! The output and the G-buffer, in the order of the attachments.

use crate::options::{Options, Switch};
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};

/// Format of the output, which stands for a swapchain image.
pub const OUTPUT: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// Format of the depth.
pub const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// The attachments.
pub struct Targets<'g> {
    /// Attachment 0.
    pub output: Image<'g>,
    /// Attachment 1.
    pub depth: Image<'g>,
    /// Attachment 2.
    pub albedo: Image<'g>,
    /// Attachment 3.
    pub normal: Image<'g>,
}

impl<'g> Targets<'g> {
    /// Creates the attachments that the options ask for.
    pub fn new(gpu: &'g Gpu, options: &Options) -> Result<Self, Error> {
        use vk::{FormatFeatureFlags as Feature, ImageUsageFlags as Usage};
        let (albedo, normal) = (options.g_buffer.albedo(), options.g_buffer.normal());
        gpu.require_format(OUTPUT, Feature::COLOR_ATTACHMENT)?;
        gpu.require_format(DEPTH, Feature::DEPTH_STENCIL_ATTACHMENT)?;
        gpu.require_format(albedo, Feature::COLOR_ATTACHMENT)?;
        gpu.require_format(normal, Feature::COLOR_ATTACHMENT)?;
        let read = match options.transient {
            Switch::On => Usage::INPUT_ATTACHMENT | Usage::TRANSIENT_ATTACHMENT,
            Switch::Off => Usage::INPUT_ATTACHMENT,
        };
        let output = ImageInfo {
            name: "output",
            size: options.size,
            format: OUTPUT,
            aspects: vk::ImageAspectFlags::COLOR,
            samples: vk::SampleCountFlags::TYPE_1,
            usage: Usage::COLOR_ATTACHMENT | Usage::TRANSFER_SRC,
            flags: vk::ImageCreateFlags::empty(),
        };
        let colour = Usage::COLOR_ATTACHMENT | read;
        let depth = ImageInfo {
            name: "depth",
            format: DEPTH,
            aspects: vk::ImageAspectFlags::DEPTH,
            usage: Usage::DEPTH_STENCIL_ATTACHMENT | read,
            ..output
        };
        Ok(Self {
            output: Image::new(gpu, &output)?,
            depth: Image::new(gpu, &depth)?,
            albedo: Image::new(gpu, &ImageInfo { name: "albedo", format: albedo, usage: colour, ..output })?,
            normal: Image::new(gpu, &ImageInfo { name: "normal", format: normal, usage: colour, ..output })?,
        })
    }

    /// The views in the order of the attachments.
    pub fn views(&self) -> [vk::ImageView; 4] {
        [&self.output, &self.depth, &self.albedo, &self.normal].map(Image::view)
    }
}
