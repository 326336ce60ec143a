//! What both variants have in common: the images, what the lighting reads, and the frames.

use crate::expect::Occlusion;
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::compare::srgb;
use tilelens_samples::descriptors::Bound;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::lighting::Lighting;
use tilelens_samples::overlay::{self, Overlay};
use tilelens_samples::pair::{COLOUR, Frames, Pair};
use tilelens_samples::pass::{DEPTH_READ, READ};
use tilelens_samples::picture::Picture;
use tilelens_samples::pipeline::Within;
use tilelens_samples::readback::COPIED;
use tilelens_samples::room::Face;
use tilelens_samples::room_pipeline::{RoomPipeline, RoomTarget};
use tilelens_samples::screen::{Screen, ScreenInfo};
use tilelens_samples::screen_pass::{Begin, ScreenPass, Target};
use tilelens_samples::shader;
use tilelens_samples::size::Size;
use tilelens_samples::visible::Visible;
use vk::ImageUsageFlags as Usage;

/// Format of the output, which stands for a swapchain image.
const OUTPUT: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// Formats of the normal and of the occlusion.
const NORMAL: vk::Format = vk::Format::A2B10G10R10_UNORM_PACK32;
const OCCLUSION: vk::Format = vk::Format::R8_UNORM;

/// The images that both variants have.
pub struct Targets<'g> {
    /// What is copied to the host.
    pub output: Image<'g>,
    /// Depth.
    pub depth: Image<'g>,
    /// G-buffer: albedo.
    pub albedo: Image<'g>,
    /// G-buffer: normal.
    pub normal: Image<'g>,
    /// How much light the ambient occlusion leaves.
    pub occlusion: Image<'g>,
}

impl<'g> Targets<'g> {
    /// Creates the images.
    pub fn new(gpu: &'g Gpu, pair: &Pair) -> Result<Self, Error> {
        use vk::FormatFeatureFlags as Feature;
        for (format, feature) in [
            (OUTPUT, Feature::COLOR_ATTACHMENT),
            (NORMAL, Feature::COLOR_ATTACHMENT),
            (OCCLUSION, Feature::COLOR_ATTACHMENT | Feature::SAMPLED_IMAGE),
            (vk::Format::D32_SFLOAT, Feature::DEPTH_STENCIL_ATTACHMENT | Feature::SAMPLED_IMAGE),
        ] {
            gpu.require_format(format, feature)?;
        }
        let size = pair.size;
        let colour = |name, format, usage| Image::new(gpu, &ImageInfo::colour(name, size, format, usage));
        let g_buffer = Usage::INPUT_ATTACHMENT | pair.choose(Usage::empty(), Usage::TRANSIENT_ATTACHMENT);
        let depth = Usage::INPUT_ATTACHMENT | Usage::SAMPLED | pair.choose(Usage::TRANSFER_SRC, Usage::empty());
        Ok(Self {
            output: colour("output", OUTPUT, Usage::TRANSFER_SRC | pair.choose(Usage::TRANSFER_DST, Usage::empty()))?,
            depth: Image::new(gpu, &ImageInfo::depth("depth", size, depth))?,
            albedo: colour("albedo", COLOUR, g_buffer)?,
            normal: colour("normal", NORMAL, g_buffer)?,
            occlusion: colour("occlusion", OCCLUSION, Usage::SAMPLED)?,
        })
    }

    /// Everything that both variants draw.
    pub fn drawing(
        &self,
        gpu: &'g Gpu,
        size: Size,
        faces: &[Face],
        (depth, within): (&Image<'_>, Subpasses<'_>),
    ) -> Result<Drawing<'g>, Error> {
        Ok(Drawing {
            geometry: room(gpu, size, faces, within.geometry, false)?,
            occlusion: self.occluding(gpu, size, depth)?,
            lighting: self.lighting(gpu, size, within.lighting)?,
            overlay: Overlay::new(gpu, within.overlay, size)?,
        })
    }

    /// The pass that makes the occlusion of a depth image.
    fn occluding(&self, gpu: &'g Gpu, size: Size, depth: &Image<'_>) -> Result<ScreenPass<'g>, Error> {
        let (read, target) = ([Bound::sampled(depth.view(), DEPTH_READ)], Target::read(&self.occlusion, size));
        ScreenPass::new(gpu, "ambient occlusion", &target, Begin::DontCare, shader!("ssao.frag"), &read, 0)
    }

    /// What lights the G-buffer, which it reads as input attachments.
    fn lighting(&self, gpu: &'g Gpu, size: Size, within: Within<'_>) -> Result<Screen<'g>, Error> {
        let read = [
            Bound::input(self.depth.view(), DEPTH_READ),
            Bound::input(self.albedo.view(), READ),
            Bound::input(self.normal.view(), READ),
            Bound::sampled(self.occlusion.view(), READ),
        ];
        let fragment = shader!("lighting_ssao.frag");
        Screen::new(
            gpu,
            &ScreenInfo { fragment, within, size, colours: 1, read: &read, pushed: Lighting::PUSHED_BYTES },
        )
    }
}

/// What draws a frame, wherever its passes begin and end.
pub struct Drawing<'g> {
    /// The G-buffer.
    pub geometry: RoomPipeline<'g>,
    /// The pass of the ambient occlusion.
    pub occlusion: ScreenPass<'g>,
    /// The lights.
    pub lighting: Screen<'g>,
    /// The user interface.
    pub overlay: Overlay<'g>,
}

/// The subpasses that it is drawn in.
pub struct Subpasses<'a> {
    /// Of the G-buffer.
    pub geometry: Within<'a>,
    /// Of the lights.
    pub lighting: Within<'a>,
    /// Of the user interface.
    pub overlay: Within<'a>,
}

/// What draws the faces: albedo, normal and depth, or depth alone.
pub fn room<'g>(
    gpu: &'g Gpu,
    size: Size,
    faces: &[Face],
    within: Within<'_>,
    depth_alone: bool,
) -> Result<RoomPipeline<'g>, Error> {
    let (fragment, colours) = if depth_alone { (None, 0) } else { (Some(&shader!("geometry.frag")[..]), 2) };
    let samples = vk::SampleCountFlags::TYPE_1;
    RoomPipeline::new(gpu, &RoomTarget { fragment, pushed: 0, within, size, samples, colours }, faces)
}

/// The passes of a variant.
pub trait Record {
    /// Records a frame, with `lights` for the lighting.
    fn record(&self, commands: vk::CommandBuffer, lights: &[u8]);
}

/// The frames of a variant.
pub struct Deferred<'a> {
    size: Size,
    targets: &'a Targets<'a>,
    faces: &'a [Face],
    passes: &'a dyn Record,
    visible: Visible<'a>,
    occlusion: Occlusion,
}

impl<'a> Deferred<'a> {
    /// The frames that `passes` draw.
    pub fn new(size: Size, targets: &'a Targets<'_>, faces: &'a [Face], passes: &'a dyn Record) -> Self {
        let visible = Visible::new(size, faces, 1, true);
        let occlusion = Occlusion::new(size, &visible);
        Self { size, targets, faces, passes, visible, occlusion }
    }
}

impl Frames for Deferred<'_> {
    fn output(&self) -> &Image<'_> {
        &self.targets.output
    }

    fn found(&self) -> Vec<(&Image<'_>, vk::ImageLayout)> {
        vec![(&self.targets.output, COPIED), (&self.targets.occlusion, READ)]
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        self.passes.record(commands, &Lighting::new(self.size, frame).push_constants());
    }

    fn expected(&mut self, frame: u32) -> Picture {
        let Size { width, height } = self.size;
        let lighting = Lighting::new(self.size, frame);
        let mut picture = Picture::new(width, height, |x, y| {
            let at = (y * width + x) as usize;
            // The lighting is less exact than rounding alone.
            lighting.shown(at, self.faces, &self.visible, self.occlusion.light_kept(x, y)).stored()
        });
        overlay::paint(&mut picture, srgb);
        picture
    }
}
