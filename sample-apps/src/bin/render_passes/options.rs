//! The command line, and what its operations do to the contents of the attachments.

use ash::vk;
use clap::{Parser, ValueEnum};
use tilelens_samples::expect::{Background, Contents};
use tilelens_samples::features::Feature;
use tilelens_samples::gpu::Wanted;
use tilelens_samples::ops::{DepthFormat, Load, Store};
use tilelens_samples::size::Size;

/// Draws triangles into an offscreen colour and depth attachment and checks every pixel.
#[derive(Clone, Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// Size of the attachments in pixels.
    #[arg(long, default_value = "320x180", value_name = "WIDTHxHEIGHT")]
    pub size: Size,
    /// Number of frames; each is one submission.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// loadOp of the colour attachment.
    #[arg(long, value_enum, default_value_t = Load::Clear, value_name = "OP")]
    pub load: Load,
    /// storeOp of the colour attachment.
    #[arg(long, value_enum, default_value_t = Store::Store, value_name = "OP")]
    pub store: Store,
    /// loadOp of the depth aspect.
    #[arg(long, value_enum, default_value_t = Load::Clear, value_name = "OP")]
    pub depth_load: Load,
    /// storeOp of the depth aspect.
    #[arg(long, value_enum, default_value_t = Store::DontCare, value_name = "OP")]
    pub depth_store: Store,
    /// loadOp of the stencil aspect; dont-care unless given.
    #[arg(long, value_enum, value_name = "OP")]
    pub stencil_load: Option<Load>,
    /// storeOp of the stencil aspect; dont-care unless given.
    #[arg(long, value_enum, value_name = "OP")]
    pub stencil_store: Option<Store>,
    /// Format of the depth attachment.
    #[arg(long, value_enum, default_value_t = DepthFormat::D32_SFLOAT, value_name = "FORMAT", ignore_case = true)]
    pub depth_format: DepthFormat,
    /// Begin the pass with vkCmdClearAttachments of the whole colour attachment; the loadOp stays as it is.
    #[arg(long)]
    pub clear_attachments: bool,
    /// Use VK_KHR_dynamic_rendering instead of a render pass.
    #[arg(long)]
    pub dynamic: bool,
    /// Suspend the pass after the first triangle and resume it in the next command buffer of the same batch.
    #[arg(long, requires = "dynamic", conflicts_with_all = ["secondary", "imageless"])]
    pub suspend: bool,
    /// Draw with shader objects (VK_EXT_shader_object), all state being dynamic, instead of a pipeline.
    #[arg(long, requires = "dynamic", conflicts_with = "imageless")]
    pub shader_objects: bool,
    /// Create the framebuffer without its images, which the beginning of the pass names.
    #[arg(long, conflicts_with = "dynamic")]
    pub imageless: bool,
    /// How attachments that come into the first pass with contents get them.
    #[arg(long, value_enum, default_value_t = Upload::Clear, value_name = "HOW")]
    pub upload: Upload,
    /// Record what runs in the pass into a secondary command buffer, which the primary executes.
    #[arg(long)]
    pub secondary: bool,
    /// Samples per pixel; with more than 1 the pass resolves into a third attachment, which is stored.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub samples: u32,
    /// Device to run on, counted from 0; the first software device unless given.
    #[arg(long, value_name = "INDEX")]
    pub device: Option<usize>,
}

/// How an image gets its first contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Upload {
    /// The device clears it.
    Clear,
    /// The host writes it (VK_EXT_host_image_copy).
    Host,
}

impl Options {
    /// Refuses options that contradict each other.
    pub fn plan(&self) -> Result<(), String> {
        if !self.samples.is_power_of_two() {
            return Err(format!("--samples {}: the number of samples is a power of two", self.samples));
        }
        if !self.depth_format.has_stencil() && (self.stencil_load.is_some() || self.stencil_store.is_some()) {
            return Err(format!(
                "--stencil-load and --stencil-store need a --depth-format with stencil, such as D32_SFLOAT_S8_UINT; {:?} has none",
                self.depth_format
            ));
        }
        // lavapipe (Mesa 25.0) reads a texel of all aspects for each one.
        if self.upload == Upload::Host && self.depth_format.has_stencil() && self.keeps_depth() {
            return Err("--upload host writes formats of one aspect: choose a --depth-format without stencil".into());
        }
        if self.upload == Upload::Host && !self.keeps_colour() && !self.keeps_depth() {
            return Err(
                "--upload host: nothing has contents before the pass; add --load load or --depth-load load".into()
            );
        }
        Ok(())
    }

    /// Command buffers of a frame.
    pub fn command_buffers(&self) -> u32 {
        if self.suspend { 2 } else { 1 }
    }

    /// What the device must have.
    pub fn wanted(&self) -> Wanted {
        let features = [
            (self.dynamic, Feature::DynamicRendering),
            (self.shader_objects, Feature::ShaderObjects),
            (self.imageless, Feature::Imageless),
            (self.upload == Upload::Host, Feature::HostImageCopy),
        ];
        Wanted {
            index: self.device,
            features: features.into_iter().filter_map(|(wanted, feature)| wanted.then_some(feature)).collect(),
            vulkan_1_2: self.imageless || self.upload == Upload::Host,
            load_op_none: [self.load, self.depth_load, self.stencil_load()].contains(&Load::None),
            store_op_none: [self.store, self.depth_store, self.stencil_store()].contains(&Store::None),
            messages: false,
        }
    }

    /// loadOp of the stencil aspect.
    pub fn stencil_load(&self) -> Load {
        self.stencil_load.unwrap_or(Load::DontCare)
    }

    /// storeOp of the stencil aspect.
    pub fn stencil_store(&self) -> Store {
        self.stencil_store.unwrap_or(Store::DontCare)
    }

    /// Whether a pixel has several samples.
    pub fn multisampled(&self) -> bool {
        self.samples > 1
    }

    /// Samples per pixel as Vulkan has it.
    pub fn sample_flags(&self) -> vk::SampleCountFlags {
        vk::SampleCountFlags::from_raw(self.samples)
    }

    /// Whether the colour attachment comes into the pass with contents.
    pub fn keeps_colour(&self) -> bool {
        keeps(self.load)
    }

    /// Whether the depth attachment comes into the pass with contents, in any aspect.
    pub fn keeps_depth(&self) -> bool {
        keeps(self.depth_load) || (self.depth_format.has_stencil() && keeps(self.stencil_load()))
    }

    /// Takes `contents` through one frame. What the frame shows is returned where it differs from what the attachments hold afterwards.
    pub fn expect_frame(&self, contents: &mut Contents, offset: [i32; 2]) -> Option<Contents> {
        match self.load {
            Load::Load => {}
            Load::Clear => contents.set_colour(Background::Clear),
            Load::DontCare | Load::None => contents.set_colour(Background::Unknown),
        }
        match self.depth_load {
            Load::Load => {}
            Load::Clear => contents.set_depth(true),
            Load::DontCare | Load::None => contents.set_depth(false),
        }
        if self.clear_attachments {
            contents.set_colour(Background::Clear);
        }
        contents.draw(offset);
        // The resolve attachment is always stored: it shows the pass before the store operations.
        let shown = self.multisampled().then(|| contents.clone());
        // NONE after a pass that has written leaves undefined contents, as DONT_CARE does.
        if self.store != Store::Store {
            contents.set_colour(Background::Unknown);
        }
        if self.depth_store != Store::Store {
            contents.set_depth(false);
        }
        shown
    }
}

/// NONE wants a defined layout too: it may leave the contents as they are.
fn keeps(op: Load) -> bool {
    matches!(op, Load::Load | Load::None)
}
