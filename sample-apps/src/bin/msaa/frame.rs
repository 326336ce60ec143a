//! One frame: the scene, the resolve command and the postprocessing where the variant has them, and the copy of the output.

use crate::expect::Expected;
use crate::options::Options;
use crate::passes;
use crate::targets::Targets;
use ash::vk;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::descriptors::Bound;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::Image;
use tilelens_samples::pass::{DEPTH_READ, Pass, READ};
use tilelens_samples::readback::{self, COPIED};
use tilelens_samples::room::Face;
use tilelens_samples::room_pipeline::{RoomPipeline, RoomTarget};
use tilelens_samples::screen::{Screen, ScreenInfo};
use tilelens_samples::{Error, new_images, shader};
use vk::AccessFlags as Access;
use vk::ImageLayout as Layout;
use vk::PipelineStageFlags as Stage;

/// All that a frame is recorded from.
pub struct Frame<'g> {
    gpu: &'g Gpu,
    options: &'g Options,
    targets: &'g Targets<'g>,
    // Dropped in this order: the pipelines, then the passes.
    room: RoomPipeline<'g>,
    scene: Pass<'g>,
    outline: Option<Outline<'g>>,
}

/// The second pass.
struct Outline<'g> {
    screen: Screen<'g>,
    pass: Pass<'g>,
}

impl<'g> Frame<'g> {
    /// Creates passes and pipelines.
    pub fn new(gpu: &'g Gpu, options: &'g Options, targets: &'g Targets<'g>, faces: &[Face]) -> Result<Self, Error> {
        let scene = passes::scene(gpu, options, targets)?;
        let target = RoomTarget {
            fragment: Some(shader!("forward.frag")),
            pushed: Expected::PUSHED_BYTES,
            within: scene.within(0),
            size: options.size,
            samples: options.sample_flags(),
            colours: 1,
        };
        let room = RoomPipeline::new(gpu, &target, faces)?;
        let outline =
            targets.resolved.as_ref().map(|colour| Outline::new(gpu, options, targets, colour)).transpose()?;
        Ok(Self { gpu, options, targets, room, scene, outline })
    }

    /// Gives the output, which is new, the layout in which the second pass finds it.
    pub fn begin(&self, commands: vk::CommandBuffer) {
        if self.outline.is_some() {
            new_images::record(self.gpu, commands, &[(&self.targets.output, COPIED)]);
        }
    }

    /// Records a frame, with `pushed` for the scene's fragment shader, and the copy of its output to `result`.
    pub fn record(&self, commands: vk::CommandBuffer, pushed: &[u8], result: &Buffer<'_>) {
        self.scene.record(commands, || self.room.draw(commands, pushed));
        if let Some(multisampled) =
            self.targets.multisampled.as_ref().filter(|_| self.options.variant.resolves_by_command())
        {
            self.resolve(commands, multisampled);
        }
        if let Some(outline) = &self.outline {
            outline.pass.record(commands, || outline.screen.draw(commands, &[]));
        }
        readback::record(self.gpu, commands, &self.targets.output, self.options.size, result);
    }

    /// Resolves all samples of the colour, which the pass has left in the layout for it.
    fn resolve(&self, commands: vk::CommandBuffer, from: &Image<'_>) {
        let to = self.targets.resolve_target();
        let written = Layout::TRANSFER_DST_OPTIMAL;
        // The last frame's contents are read before they are overwritten; what comes after waits for these.
        let before = to.barrier([Layout::UNDEFINED, written], [Access::empty(), Access::TRANSFER_WRITE]);
        let (reader, layout, access) = match self.options.variant.postprocesses() {
            true => (Stage::FRAGMENT_SHADER, READ, Access::SHADER_READ),
            false => (Stage::TRANSFER, COPIED, Access::TRANSFER_READ),
        };
        let after = to.barrier([written, layout], [Access::TRANSFER_WRITE, access]);
        let whole = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let region = vk::ImageResolve {
            src_subresource: whole,
            dst_subresource: whole,
            extent: self.options.size.extent_3d(),
            ..Default::default()
        };
        let device = &self.gpu.device;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded outside a render pass; both images are live, of one format and size, and in
        // these layouts.
        unsafe {
            device.cmd_pipeline_barrier(commands, reader, Stage::TRANSFER, none, &[], &[], &[before]);
            device.cmd_resolve_image(commands, from.image(), COPIED, to.image(), written, &[region]);
            device.cmd_pipeline_barrier(commands, Stage::TRANSFER, reader, none, &[], &[], &[after]);
        }
    }
}

impl<'g> Outline<'g> {
    fn new(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>, colour: &Image<'_>) -> Result<Self, Error> {
        let pass = passes::postprocess(gpu, options, targets)?;
        let read = [Bound::sampled(colour.view(), READ), Bound::sampled(targets.read_depth().view(), DEPTH_READ)];
        let fragment: &[u8] = match options.variant.stores_samples_of_depth() {
            true => shader!("outline_ms.frag"),
            false => shader!("outline.frag"),
        };
        let (within, size) = (pass.within(0), options.size);
        let screen = Screen::new(gpu, &ScreenInfo { fragment, within, size, colours: 1, read: &read, pushed: 0 })?;
        Ok(Self { screen, pass })
    }
}
