//! The command line: the toggles of the original, and one for the dependency between the subpasses.

use ash::vk;
use clap::{Parser, ValueEnum};
use tilelens_samples::features::Feature;
use tilelens_samples::gpu::Wanted;
use tilelens_samples::size::Size;

/// Deferred rendering with a G-buffer on chip or in memory; checks every pixel.
#[derive(Clone, Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// One pass, as a render pass with two subpasses or as a dynamic rendering, or two of either with a barrier between.
    #[arg(long, value_enum, default_value_t = Technique::Subpasses)]
    pub technique: Technique,
    /// Whether the G-buffer has TRANSIENT usage, in lazily allocated memory where there is some.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub transient: Switch,
    /// Formats of the G-buffer: 32 or 128 bits each for albedo and normal.
    #[arg(long = "gbuffer", value_enum, default_value_t = GBuffer::Small)]
    pub g_buffer: GBuffer,
    /// Whether the dependency between the subpasses is BY_REGION.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub by_region: Switch,
    /// Size of the attachments in pixels.
    #[arg(long, default_value = "320x180", value_name = "WIDTHxHEIGHT")]
    pub size: Size,
    /// Number of frames; each is one submission.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// Device to run on, counted from 0; the first software device unless given.
    #[arg(long, value_name = "INDEX")]
    pub device: Option<usize>,
}

/// How geometry and lighting are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Technique {
    /// Two subpasses of one render pass.
    Subpasses,
    /// One dynamic rendering that reads its own attachments (VK_KHR_dynamic_rendering_local_read).
    LocalRead,
    /// Two dynamic renderings, of which the second loads what the first has stored (VK_KHR_dynamic_rendering_local_read).
    Renderings,
    /// Two render passes.
    #[value(name = "renderpasses")]
    RenderPasses,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// The size of the G-buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GBuffer {
    /// 96 bits of colour in a pixel, with the output.
    Small,
    /// 288 bits of colour in a pixel, with the output.
    Large,
}

impl GBuffer {
    /// Format of the albedo.
    pub fn albedo(self) -> vk::Format {
        match self {
            Self::Small => vk::Format::R8G8B8A8_UNORM,
            Self::Large => vk::Format::R32G32B32A32_SFLOAT,
        }
    }

    /// Format of the normal.
    pub fn normal(self) -> vk::Format {
        match self {
            Self::Small => vk::Format::A2B10G10R10_UNORM_PACK32,
            Self::Large => vk::Format::R32G32B32A32_SFLOAT,
        }
    }
}

impl Options {
    /// Refuses options that contradict each other.
    pub fn plan(&self) -> Result<(), String> {
        if self.technique != Technique::Subpasses && self.by_region == Switch::Off {
            return Err(
                "--by-region off needs --technique subpasses: there is no dependency between subpasses, and a barrier \
                        within a dynamic rendering is always by region"
                    .into(),
            );
        }
        Ok(())
    }

    /// What the device must have.
    pub fn wanted(&self) -> Wanted {
        let features = match self.technique {
            Technique::LocalRead | Technique::Renderings => vec![Feature::DynamicRendering, Feature::LocalRead],
            Technique::Subpasses | Technique::RenderPasses => Vec::new(),
        };
        Wanted { index: self.device, features, ..Wanted::default() }
    }
}
