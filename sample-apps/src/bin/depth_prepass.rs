//! A depth pre-pass: as the first draws of the pass that it is for, or as a pass of its own whose depth goes through memory.
//!
//! One submission is one frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

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

/// Draws a scene's depth first, then its colour where the depth is equal; checks every pixel.
///
/// wrong: the depth is drawn by a render pass of its own, which stores it, and loaded by the pass that draws the colour.
///
/// right: the same draws in the same order within one pass. The depth never leaves the chip.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("depth_prepass", |gpu| pair.run(gpu, &mut Prepass::new(gpu, &pair)?))
}

struct Prepass<'g> {
    size: Size,
    depth_first: Triangles<'g>,
    colour: Triangles<'g>,
    /// The first pass of the wrong variant.
    prepass: Option<Pass<'g>>,
    scene: Pass<'g>,
    output: Image<'g>,
    _depth: Image<'g>,
}

impl<'g> Prepass<'g> {
    fn new(gpu: &'g Gpu, pair: &Pair) -> Result<Self, Error> {
        let size = pair.size;
        let output = Image::new(gpu, &ImageInfo::colour("output", size, COLOUR, Usage::TRANSFER_SRC))?;
        let depth_usage = pair.choose(Usage::empty(), Usage::TRANSIENT_ATTACHMENT);
        let depth = Image::new(gpu, &ImageInfo::depth("depth", size, depth_usage))?;
        let stored = Attachment::new(&depth, Load::CLEAR, Store::STORE, TESTED);
        let alone = Subpass { depth: Some(0), ..Subpass::default() };
        let prepass = pair.wrong().then(|| Pass::new(gpu, "depth pre-pass", size, &[stored], &[alone])).transpose()?;
        let scene = [
            Attachment::new(&output, Load::CLEAR, Store::STORE, COPIED).from(COPIED).cleared_to(Background::CLEAR_RGB),
            pair.choose(
                Attachment::new(&depth, Load::LOAD, Store::DONT_CARE, TESTED).from(TESTED),
                Attachment::new(&depth, Load::CLEAR, Store::DONT_CARE, TESTED),
            ),
        ];
        let both = Subpass { colours: &[0], depth: Some(1), ..Subpass::default() };
        let scene = Pass::new(gpu, "scene", size, &scene, &[both])?;
        let depth_first = match &prepass {
            Some(prepass) => Triangles::of_scene(gpu, Drawn::Depth, prepass.within(0), size),
            None => Triangles::of_scene(gpu, Drawn::DepthBesideColour, scene.within(0), size),
        }?;
        let colour = Triangles::of_scene(gpu, Drawn::ColourOfDepth, scene.within(0), size)?;
        Ok(Self { size, depth_first, colour, prepass, scene, output, _depth: depth })
    }
}

impl Frames for Prepass<'_> {
    fn output(&self) -> &Image<'_> {
        &self.output
    }

    fn found(&self) -> Vec<(&Image<'_>, Layout)> {
        vec![(&self.output, COPIED)]
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        let offset = scene::offset(self.size, frame);
        if let Some(prepass) = &self.prepass {
            prepass.record(commands, || self.depth_first.draw(commands, offset));
        }
        self.scene.record(commands, || {
            if self.prepass.is_none() {
                self.depth_first.draw(commands, offset);
            }
            self.colour.draw(commands, offset);
        });
    }

    fn expected(&mut self, frame: u32) -> Picture {
        Contents::of_frame(self.size, frame).colours()
    }
}
