//! The command line: how the multisampled attachments are resolved and read.

use ash::vk;
use clap::{Parser, ValueEnum};
use tilelens_samples::features::Feature;
use tilelens_samples::gpu::Wanted;
use tilelens_samples::size::Size;

/// Draws a scene with multisampling, resolved in one of several ways; checks every pixel.
#[derive(Clone, Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// How the scene is drawn, resolved and read.
    #[arg(long, value_enum, default_value_t = Variant::Writeback)]
    pub variant: Variant,
    /// Samples per pixel: 2, 4 or 8 where the device has them; 4 unless given, and 1 with no-msaa.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    samples: Option<u32>,
    /// Size of the attachments in pixels.
    #[arg(long, default_value = "320x180", value_name = "WIDTHxHEIGHT")]
    pub size: Size,
    /// Number of frames; each is one submission.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// Device to run on, counted from 0; the first software device unless given.
    #[arg(long, value_name = "INDEX")]
    pub device: Option<usize>,
}

/// What happens to the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// One sample per pixel.
    NoMsaa,
    /// Colour is resolved in the pass, nothing else leaves the chip.
    Writeback,
    /// The attachments have one sample; those of the pass exist in it alone (VK_EXT_multisampled_render_to_single_sampled).
    SingleSampled,
    /// All samples of the colour are stored, then resolved with vkCmdResolveImage.
    SeparateResolve,
    /// Colour and depth are resolved in the pass; a second pass reads both and draws outlines.
    WritebackPostprocess,
    /// As writeback-postprocess, but all samples of the depth are stored, and the second pass reads the first of them.
    StoredDepth,
    /// All samples of colour and depth are stored; the colour is resolved with vkCmdResolveImage, and a second pass reads it and
    /// the multisampled depth.
    Worst,
}

impl Variant {
    /// Whether the scene has several samples per pixel.
    pub fn multisampled(self) -> bool {
        self != Self::NoMsaa
    }

    /// Whether colour is resolved by the pass that draws it.
    pub fn resolves_in_pass(self) -> bool {
        matches!(self, Self::Writeback | Self::WritebackPostprocess | Self::StoredDepth)
    }

    /// Whether colour is resolved by a command after the pass.
    pub fn resolves_by_command(self) -> bool {
        matches!(self, Self::SeparateResolve | Self::Worst)
    }

    /// Whether a second pass draws outlines.
    pub fn postprocesses(self) -> bool {
        matches!(self, Self::WritebackPostprocess | Self::StoredDepth | Self::Worst)
    }

    /// Whether all samples of the depth are stored, for the second pass.
    pub fn stores_samples_of_depth(self) -> bool {
        matches!(self, Self::StoredDepth | Self::Worst)
    }
}

impl Options {
    /// Refuses options that contradict each other.
    pub fn plan(&self) -> Result<(), String> {
        let samples = self.samples();
        if !samples.is_power_of_two() {
            return Err(format!("--samples {samples}: the number of samples is a power of two"));
        }
        match (self.variant.multisampled(), samples) {
            (true, 1) => Err("--samples 1: there is nothing to resolve; use --variant no-msaa".into()),
            (false, 2..) => Err(format!("--samples {samples}: --variant no-msaa has one sample per pixel")),
            _ => Ok(()),
        }
    }

    /// Samples per pixel of the scene.
    pub fn samples(&self) -> u32 {
        self.samples.unwrap_or(if self.variant.multisampled() { 4 } else { 1 })
    }

    /// Samples per pixel of the attachments that are drawn to.
    pub fn attached(&self) -> vk::SampleCountFlags {
        if self.variant == Variant::SingleSampled { vk::SampleCountFlags::TYPE_1 } else { self.sample_flags() }
    }

    /// What the device must have.
    pub fn wanted(&self) -> Wanted {
        let single = (self.variant == Variant::SingleSampled).then_some(Feature::MultisampledToSingle);
        Wanted { index: self.device, vulkan_1_2: true, features: single.into_iter().collect(), ..Wanted::default() }
    }

    /// Samples per pixel as Vulkan has it.
    pub fn sample_flags(&self) -> vk::SampleCountFlags {
        vk::SampleCountFlags::from_raw(self.samples())
    }
}
