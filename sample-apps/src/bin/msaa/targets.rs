//! The images of each variant, with the usage that it needs and no more.

use crate::options::{Options, Variant};
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use vk::ImageUsageFlags as Usage;

/// Format of all colours.
pub const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// Format of all depths.
pub const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// The images.
pub struct Targets<'g> {
    /// What is copied to the host; stands for a swapchain image.
    pub output: Image<'g>,
    /// Depth of the scene, with its samples.
    pub depth: Image<'g>,
    /// Colour of the scene, with its samples, if they are several.
    pub multisampled: Option<Image<'g>>,
    /// What the samples are resolved to for the second pass.
    pub resolved: Option<Image<'g>>,
    /// What the depth's samples are resolved to for the second pass.
    pub resolved_depth: Option<Image<'g>>,
}

impl<'g> Targets<'g> {
    /// Creates the images of the variant.
    pub fn new(gpu: &'g Gpu, options: &Options) -> Result<Self, Error> {
        let variant = options.variant;
        let one = vk::SampleCountFlags::TYPE_1;
        require(gpu, options)?;
        let output = ImageInfo {
            name: "output",
            size: options.size,
            format: COLOUR,
            aspects: vk::ImageAspectFlags::COLOR,
            samples: one,
            usage: Usage::COLOR_ATTACHMENT
                | Usage::TRANSFER_SRC
                | if variant == Variant::SeparateResolve { Usage::TRANSFER_DST } else { Usage::empty() },
            flags: if variant == Variant::SingleSampled {
                vk::ImageCreateFlags::MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXT
            } else {
                vk::ImageCreateFlags::empty()
            },
        };
        let name =
            |what: &str| if options.attached() != one { format!("{what} {}x", options.samples()) } else { what.into() };
        let depth = ImageInfo {
            name: &name("depth"),
            format: DEPTH,
            aspects: vk::ImageAspectFlags::DEPTH,
            samples: options.attached(),
            usage: Usage::DEPTH_STENCIL_ATTACHMENT
                | if variant.stores_samples_of_depth() { Usage::SAMPLED } else { Usage::TRANSIENT_ATTACHMENT },
            ..output
        };
        let multisampled = ImageInfo {
            name: &name("colour"),
            samples: options.attached(),
            usage: Usage::COLOR_ATTACHMENT
                | if variant.resolves_by_command() { Usage::TRANSFER_SRC } else { Usage::TRANSIENT_ATTACHMENT },
            ..output
        };
        let resolved = ImageInfo {
            name: "resolved colour",
            usage: Usage::COLOR_ATTACHMENT
                | Usage::SAMPLED
                | if variant.resolves_by_command() { Usage::TRANSFER_DST } else { Usage::empty() },
            ..output
        };
        let resolved_depth = ImageInfo {
            name: "resolved depth",
            samples: one,
            usage: Usage::DEPTH_STENCIL_ATTACHMENT | Usage::SAMPLED,
            ..depth
        };
        let create_if = |wanted: bool, info: &ImageInfo<'_>| wanted.then(|| Image::new(gpu, info)).transpose();
        Ok(Self {
            output: Image::new(gpu, &output)?,
            depth: Image::new(gpu, &depth)?,
            multisampled: create_if(options.attached() != one, &multisampled)?,
            resolved: create_if(variant.postprocesses(), &resolved)?,
            resolved_depth: create_if(variant == Variant::WritebackPostprocess, &resolved_depth)?,
        })
    }

    /// Where the samples of the colour are resolved to.
    pub fn resolve_target(&self) -> &Image<'g> {
        self.resolved.as_ref().unwrap_or(&self.output)
    }

    /// The depth that the second pass reads.
    pub fn read_depth(&self) -> &Image<'g> {
        self.resolved_depth.as_ref().unwrap_or(&self.depth)
    }
}

/// Fails where the device lacks something that the variant needs.
fn require(gpu: &Gpu, options: &Options) -> Result<(), Error> {
    use vk::FormatFeatureFlags as Feature;
    let read = if options.variant.postprocesses() { Feature::SAMPLED_IMAGE } else { Feature::empty() };
    gpu.require_format(COLOUR, Feature::COLOR_ATTACHMENT | read)?;
    gpu.require_format(DEPTH, Feature::DEPTH_STENCIL_ATTACHMENT | read)?;
    gpu.require_samples(options.sample_flags())?;
    if options.variant.stores_samples_of_depth() {
        gpu.require_sampled_depth(options.sample_flags())?;
    }
    Ok(())
}
