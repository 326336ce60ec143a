//! A scene and a user interface over it: in one pass, or in two of which the second loads what the first has stored.
//!
//! One submission is one frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use ash::vk;
use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::expect::{Background, Contents};
use tilelens_samples::flat::Drawn;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::overlay::{self, Overlay};
use tilelens_samples::pair::{COLOUR, Frames, Pair};
use tilelens_samples::pass::{Attachment, DRAWN, Pass, Subpass, TESTED};
use tilelens_samples::picture::Picture;
use tilelens_samples::readback::COPIED;
use tilelens_samples::size::Size;
use tilelens_samples::triangles::Triangles;
use tilelens_samples::{Error, scene};
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;

/// Draws a scene with depth and a user interface over it; checks every pixel.
///
/// wrong: the user interface has a pass of its own on the same attachments. Colour and depth are stored by the first pass and loaded by the second,
/// which stores both once more although it does not even test the depth.
///
/// right: the user interface is drawn last in the pass of the scene. The depth never leaves the chip.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("split_ui", |gpu| pair.run(gpu, &mut SplitUi::new(gpu, &pair)?))
}

struct SplitUi<'g> {
    size: Size,
    triangles: Triangles<'g>,
    overlay: Overlay<'g>,
    scene: Pass<'g>,
    /// The second pass of the wrong variant.
    interface: Option<Pass<'g>>,
    output: Image<'g>,
    _depth: Image<'g>,
}

impl<'g> SplitUi<'g> {
    fn new(gpu: &'g Gpu, pair: &Pair) -> Result<Self, Error> {
        let size = pair.size;
        let output = Image::new(gpu, &ImageInfo::colour("output", size, COLOUR, Usage::TRANSFER_SRC))?;
        let depth_usage = pair.choose(Usage::empty(), Usage::TRANSIENT_ATTACHMENT);
        let depth = Image::new(gpu, &ImageInfo::depth("depth", size, depth_usage))?;
        let both = [Subpass { colours: &[0], depth: Some(1), ..Subpass::default() }];
        let scene = [
            Attachment::new(&output, Load::CLEAR, Store::STORE, pair.choose(DRAWN, COPIED))
                .from(COPIED)
                .cleared_to(Background::CLEAR_RGB),
            Attachment::new(&depth, Load::CLEAR, pair.choose(Store::STORE, Store::DONT_CARE), TESTED),
        ];
        let scene = Pass::new(gpu, pair.choose("scene", "scene and user interface"), size, &scene, &both)?;
        let interface = [
            Attachment::new(&output, Load::LOAD, Store::STORE, COPIED).from(DRAWN),
            Attachment::new(&depth, Load::LOAD, Store::STORE, TESTED).from(TESTED),
        ];
        let interface = pair.wrong().then(|| Pass::new(gpu, "user interface", size, &interface, &both)).transpose()?;
        let triangles = Triangles::of_scene(gpu, Drawn::Colour, scene.within(0), size)?;
        let overlay = Overlay::new(gpu, interface.as_ref().unwrap_or(&scene).within(0), size)?;
        Ok(Self { size, triangles, overlay, scene, interface, output, _depth: depth })
    }
}

impl Frames for SplitUi<'_> {
    fn output(&self) -> &Image<'_> {
        &self.output
    }

    fn found(&self) -> Vec<(&Image<'_>, Layout)> {
        vec![(&self.output, COPIED)]
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        self.scene.record(commands, || {
            self.triangles.draw(commands, scene::offset(self.size, frame));
            if self.interface.is_none() {
                self.overlay.draw(commands);
            }
        });
        if let Some(interface) = &self.interface {
            interface.record(commands, || self.overlay.draw(commands));
        }
    }

    fn expected(&mut self, frame: u32) -> Picture {
        let mut picture = Contents::of_frame(self.size, frame).colours();
        overlay::paint(&mut picture, |c| c * 255.0);
        picture
    }
}
