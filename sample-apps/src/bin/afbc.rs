//! A scene in one pass, whose output a GPU may keep compressed, or not because of a usage that nobody needs.
//!
//! The configuration of the sample `afbc` of the Khronos Vulkan-Samples with its toggle, without a window: the output stands for the swapchain's
//! image. One submission is one frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use ash::vk;
use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::expect::{Background, Contents};
use tilelens_samples::flat::Drawn;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::pair::{COLOUR, Frames, Pair};
use tilelens_samples::pass::{Attachment, Pass, Subpass, TESTED};
use tilelens_samples::picture::Picture;
use tilelens_samples::readback::COPIED;
use tilelens_samples::size::Size;
use tilelens_samples::triangles::Triangles;
use tilelens_samples::{Error, scene};
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;

/// Draws a scene with depth, which moves from frame to frame; checks every pixel.
///
/// wrong: the output has usage STORAGE, which no shader makes use of. GPUs that would compress it store all of its bytes.
///
/// right: the output has the usages that it needs: colour attachment and source of copies.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("afbc", |gpu| pair.run(gpu, &mut Forward::new(gpu, &pair)?))
}

struct Forward<'g> {
    size: Size,
    triangles: Triangles<'g>,
    scene: Pass<'g>,
    output: Image<'g>,
    _depth: Image<'g>,
}

impl<'g> Forward<'g> {
    fn new(gpu: &'g Gpu, pair: &Pair) -> Result<Self, Error> {
        let size = pair.size;
        gpu.require_format(COLOUR, vk::FormatFeatureFlags::COLOR_ATTACHMENT | vk::FormatFeatureFlags::STORAGE_IMAGE)?;
        let usage = Usage::TRANSFER_SRC | pair.choose(Usage::STORAGE, Usage::empty());
        let output = Image::new(gpu, &ImageInfo::colour("output", size, COLOUR, usage))?;
        let depth = Image::new(gpu, &ImageInfo::depth("depth", size, Usage::TRANSIENT_ATTACHMENT))?;
        let attachments = [
            Attachment::new(&output, Load::CLEAR, Store::STORE, COPIED).from(COPIED).cleared_to(Background::CLEAR_RGB),
            Attachment::new(&depth, Load::CLEAR, Store::DONT_CARE, TESTED),
        ];
        let both = [Subpass { colours: &[0], depth: Some(1), ..Subpass::default() }];
        let scene = Pass::new(gpu, "scene", size, &attachments, &both)?;
        let triangles = Triangles::of_scene(gpu, Drawn::Colour, scene.within(0), size)?;
        Ok(Self { size, triangles, scene, output, _depth: depth })
    }
}

impl Frames for Forward<'_> {
    fn output(&self) -> &Image<'_> {
        &self.output
    }

    fn found(&self) -> Vec<(&Image<'_>, Layout)> {
        vec![(&self.output, COPIED)]
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        self.scene.record(commands, || self.triangles.draw(commands, scene::offset(self.size, frame)));
    }

    fn expected(&mut self, frame: u32) -> Picture {
        Contents::of_frame(self.size, frame).colours()
    }
}
