//! Deferred rendering in two passes, with barriers that name the layout in which the G-buffer really is before it is drawn again, or that name none.
//!
//! The configuration of the sample `layout_transitions` of the Khronos Vulkan-Samples with its toggle, without a window. One submission is one
//! frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use ash::vk;
use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::descriptors::Bound;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::lighting::Lighting;
use tilelens_samples::pair::{COLOUR, Frames, Pair};
use tilelens_samples::pass::{Attachment, DEPTH_READ, DRAWN, LOADED, Pass, READ, Subpass, TESTED, WRITING, WRITTEN};
use tilelens_samples::picture::Picture;
use tilelens_samples::readback::COPIED;
use tilelens_samples::room::{self, Face, SKY};
use tilelens_samples::room_pipeline::{RoomPipeline, RoomTarget};
use tilelens_samples::screen::{Screen, ScreenInfo};
use tilelens_samples::size::Size;
use tilelens_samples::visible::Visible;
use tilelens_samples::{Error, shader};
use vk::AccessFlags as Access;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::FormatFeatureFlags as Feature;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;
use vk::PipelineStageFlags as Stage;

/// Draws a room with a G-buffer in one pass and lights it in another; checks every pixel.
///
/// wrong: the barriers before the G-buffer is drawn name the old layout UNDEFINED. What a GPU knows of the tiles in memory is lost with the contents,
/// and it writes the tiles that did not change once more.
///
/// right: they name the layout in which the lighting of the frame before has read the G-buffer.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("layout_transitions", |gpu| {
        let faces = room::faces(pair.size);
        pair.run(gpu, &mut Deferred::new(gpu, &pair, &faces)?)
    })
}

/// Format of the output, which stands for a swapchain image.
const OUTPUT: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// Format of the normal.
const NORMAL: vk::Format = vk::Format::A2B10G10R10_UNORM_PACK32;

struct Deferred<'a> {
    gpu: &'a Gpu,
    size: Size,
    wrong: bool,
    faces: &'a [Face],
    visible: Visible<'a>,
    drawing: RoomPipeline<'a>,
    lights: Screen<'a>,
    geometry: Pass<'a>,
    lighting: Pass<'a>,
    images: Images<'a>,
}

struct Images<'g> {
    output: Image<'g>,
    depth: Image<'g>,
    albedo: Image<'g>,
    normal: Image<'g>,
}

impl<'g> Images<'g> {
    fn new(gpu: &'g Gpu, size: Size) -> Result<Self, Error> {
        for format in [OUTPUT, COLOUR, NORMAL] {
            gpu.require_format(format, Feature::COLOR_ATTACHMENT)?;
        }
        gpu.require_format(vk::Format::D32_SFLOAT, Feature::DEPTH_STENCIL_ATTACHMENT)?;
        let colour = |name, format, usage| Image::new(gpu, &ImageInfo::colour(name, size, format, usage));
        Ok(Self {
            output: colour("output", OUTPUT, Usage::TRANSFER_SRC)?,
            depth: Image::new(gpu, &ImageInfo::depth("depth", size, Usage::INPUT_ATTACHMENT))?,
            albedo: colour("albedo", COLOUR, Usage::INPUT_ATTACHMENT)?,
            normal: colour("normal", NORMAL, Usage::INPUT_ATTACHMENT)?,
        })
    }

    /// The G-buffer, with the layouts in which it is drawn and read.
    fn g_buffer(&self) -> [(&Image<'g>, Layout, Layout); 3] {
        [(&self.depth, TESTED, DEPTH_READ), (&self.albedo, DRAWN, READ), (&self.normal, DRAWN, READ)]
    }
}

impl<'a> Deferred<'a> {
    fn new(gpu: &'a Gpu, pair: &Pair, faces: &'a [Face]) -> Result<Self, Error> {
        let size = pair.size;
        let images = Images::new(gpu, size)?;
        let [depth, albedo, normal] = images
            .g_buffer()
            .map(|(image, drawn, _)| Attachment::new(image, Load::CLEAR, Store::STORE, drawn).from(drawn));
        let drawn = [depth, albedo.cleared_to(SKY), normal];
        let subpass = Subpass { colours: &[1, 2], depth: Some(0), ..Subpass::default() };
        let geometry = Pass::new(gpu, "geometry", size, &drawn, &[subpass])?;
        let [depth, albedo, normal] = images
            .g_buffer()
            .map(|(image, _, read)| Attachment::new(image, Load::LOAD, Store::DONT_CARE, read).from(read));
        let output = Attachment::new(&images.output, Load::DONT_CARE, Store::STORE, COPIED).from(COPIED);
        let subpass = Subpass { colours: &[0], inputs: &[1, 2, 3], ..Subpass::default() };
        let lighting = Pass::new(gpu, "lighting", size, &[output, depth, albedo, normal], &[subpass])?;
        let target = RoomTarget {
            fragment: Some(shader!("geometry.frag")),
            pushed: 0,
            within: geometry.within(0),
            size,
            samples: vk::SampleCountFlags::TYPE_1,
            colours: 2,
        };
        let read = images.g_buffer().map(|(image, _, read)| Bound::input(image.view(), read));
        let lights = ScreenInfo {
            fragment: shader!("lighting.frag"),
            within: lighting.within(0),
            size,
            colours: 1,
            read: &read,
            pushed: Lighting::PUSHED_BYTES,
        };
        Ok(Self {
            gpu,
            size,
            wrong: pair.wrong(),
            faces,
            visible: Visible::new(size, faces, 1, true),
            drawing: RoomPipeline::new(gpu, &target, faces)?,
            lights: Screen::new(gpu, &lights)?,
            geometry,
            lighting,
            images,
        })
    }

    /// Before the G-buffer is drawn again: the lighting of the frame before has read it, and its storeOp counts as a write.
    fn before_drawing(&self, commands: vk::CommandBuffer) {
        let barriers = self.images.g_buffer().map(|(image, drawn, read)| {
            let old = if self.wrong { Layout::UNDEFINED } else { read };
            image.barrier([old, drawn], [WRITTEN, WRITTEN | LOADED])
        });
        self.barrier(commands, (Stage::FRAGMENT_SHADER | WRITING, WRITING), &barriers);
    }

    /// What was drawn becomes readable, by the loads and as input attachments.
    fn before_lighting(&self, commands: vk::CommandBuffer) {
        let used = LOADED | WRITTEN | Access::INPUT_ATTACHMENT_READ;
        let barriers = self.images.g_buffer().map(|(image, drawn, read)| image.barrier([drawn, read], [WRITTEN, used]));
        self.barrier(commands, (WRITING, Stage::FRAGMENT_SHADER | WRITING), &barriers);
    }

    fn barrier(
        &self,
        commands: vk::CommandBuffer,
        (from, to): (Stage, Stage),
        barriers: &[vk::ImageMemoryBarrier<'_>],
    ) {
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded outside a render pass; the images are live and in these layouts.
        unsafe { self.gpu.device.cmd_pipeline_barrier(commands, from, to, none, &[], &[], barriers) };
    }
}

impl Frames for Deferred<'_> {
    fn output(&self) -> &Image<'_> {
        &self.images.output
    }

    fn found(&self) -> Vec<(&Image<'_>, Layout)> {
        let g_buffer = self.images.g_buffer().map(|(image, _, read)| (image, read));
        [&[(&self.images.output, COPIED)][..], &g_buffer].concat()
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        self.before_drawing(commands);
        self.geometry.record(commands, || self.drawing.draw(commands, &[]));
        self.before_lighting(commands);
        let lights = Lighting::new(self.size, frame).push_constants();
        self.lighting.record(commands, || self.lights.draw(commands, &lights));
    }

    fn expected(&mut self, frame: u32) -> Picture {
        let Size { width, height } = self.size;
        let lighting = Lighting::new(self.size, frame);
        Picture::new(width, height, |x, y| {
            let at = (y * width + x) as usize;
            // The lighting is less exact than rounding alone.
            lighting.shown(at, self.faces, &self.visible, (1.0, 1.0)).stored()
        })
    }
}
