//! Deferred shading in two render passes: the first draws a G-buffer, the second lights it. Barriers before each change the layouts of the G-buffer;
//! how they do that is the program's to say.
//!
//! The dependencies of the passes hold back fragments and no vertices: what else waits, waits for the barriers.

use crate::descriptors::Bound;
use crate::gpu::Gpu;
use crate::image::{Image, ImageInfo};
use crate::lighting::Lighting;
use crate::pair::{COLOUR, Frames, Pair};
use crate::pass::{Attachment, DEPTH_READ, DRAWN, LOADED, Pass, READ, Subpass, TESTED, WRITING, WRITTEN};
use crate::picture::Picture;
use crate::readback::COPIED;
use crate::room::{Face, SKY};
use crate::room_pipeline::{RoomPipeline, RoomTarget};
use crate::screen::{Screen, ScreenInfo};
use crate::size::Size;
use crate::visible::Visible;
use crate::{Error, shader};
use ash::vk;
use vk::AccessFlags as Access;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::FormatFeatureFlags as Feature;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;
use vk::PipelineStageFlags as Stage;

/// Format of the output, which stands for a swapchain image.
const OUTPUT: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// Format of the normal.
const NORMAL: vk::Format = vk::Format::A2B10G10R10_UNORM_PACK32;

/// What the barriers of the G-buffer say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barriers {
    /// Whether the one before it is drawn names the old layout UNDEFINED, and not the one in which it has been read.
    pub discards: bool,
    /// Stages before and after the barrier before it is drawn: [`Self::DRAWING`], or more.
    pub drawing: [Stage; 2],
    /// Stages before and after the barrier before it is lit: [`Self::LIGHTING`], or more.
    pub lighting: [Stage; 2],
}

impl Barriers {
    /// The lighting of the frame before has read the G-buffer, and its storeOp counts as a write; then it is drawn.
    pub const DRAWING: [Stage; 2] = [READING, WRITING];
    /// What was drawn is read, by the loads and as input attachments.
    pub const LIGHTING: [Stage; 2] = [WRITING, READING];
    /// What waits for or holds back what touches the G-buffer, and nothing else.
    pub const RIGHT: Self = Self { discards: false, drawing: Self::DRAWING, lighting: Self::LIGHTING };
}

/// Stages of the lighting that touch the G-buffer.
const READING: Stage = Stage::from_raw(Stage::FRAGMENT_SHADER.as_raw() | WRITING.as_raw());

/// The passes, with what they draw.
pub struct TwoPasses<'a> {
    gpu: &'a Gpu,
    size: Size,
    barriers: Barriers,
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

impl<'a> TwoPasses<'a> {
    /// A room of these faces, drawn and lit with these barriers.
    pub fn new(gpu: &'a Gpu, pair: &Pair, barriers: Barriers, faces: &'a [Face]) -> Result<Self, Error> {
        let size = pair.size;
        let images = Images::new(gpu, size)?;
        let [depth, albedo, normal] = images
            .g_buffer()
            .map(|(image, drawn, _)| Attachment::new(image, Load::CLEAR, Store::STORE, drawn).from(drawn));
        let drawn = [depth, albedo.cleared_to(SKY), normal];
        let subpass = Subpass { colours: &[1, 2], depth: Some(0), ..Subpass::default() };
        let geometry = Pass::of_drawn(gpu, "geometry", size, &drawn, &[subpass])?;
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
            barriers,
            faces,
            visible: Visible::new(size, faces, 1, true),
            drawing: RoomPipeline::new(gpu, &target, faces)?,
            lights: Screen::new(gpu, &lights)?,
            geometry,
            lighting,
            images,
        })
    }

    fn before_drawing(&self, commands: vk::CommandBuffer) {
        let barriers = self.images.g_buffer().map(|(image, drawn, read)| {
            let old = if self.barriers.discards { Layout::UNDEFINED } else { read };
            image.barrier([old, drawn], [WRITTEN, WRITTEN | LOADED])
        });
        self.barrier(commands, self.barriers.drawing, &barriers);
    }

    fn before_lighting(&self, commands: vk::CommandBuffer) {
        let used = LOADED | WRITTEN | Access::INPUT_ATTACHMENT_READ;
        let barriers = self.images.g_buffer().map(|(image, drawn, read)| image.barrier([drawn, read], [WRITTEN, used]));
        self.barrier(commands, self.barriers.lighting, &barriers);
    }

    fn barrier(&self, commands: vk::CommandBuffer, [from, to]: [Stage; 2], barriers: &[vk::ImageMemoryBarrier<'_>]) {
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded outside a render pass; the images are live and in these layouts.
        unsafe { self.gpu.device.cmd_pipeline_barrier(commands, from, to, none, &[], &[], barriers) };
    }
}

impl Frames for TwoPasses<'_> {
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
