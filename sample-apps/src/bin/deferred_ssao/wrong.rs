//! Everything in a pass of its own, and all of it through memory.

use crate::frame::{Drawing, Record, Subpasses, Targets};
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::pass::{Attachment, DEPTH_READ, DRAWN, LOADED, Pass, READ, Subpass, WRITING, WRITTEN};
use tilelens_samples::readback::COPIED;
use tilelens_samples::room::{Face, SKY};
use tilelens_samples::size::Size;
use vk::AccessFlags as Access;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;
use vk::PipelineStageFlags as Stage;

const WRITE_TO: Layout = Layout::TRANSFER_DST_OPTIMAL;

/// The passes with what they draw.
pub struct Passes<'g> {
    gpu: &'g Gpu,
    size: Size,
    drawing: Drawing<'g>,
    g_buffer: Pass<'g>,
    shading: Pass<'g>,
    interface: Pass<'g>,
    copy: Image<'g>,
    /// Barriers and transfers between the passes.
    output: vk::Image,
    depth: vk::Image,
    before_copy: [vk::ImageMemoryBarrier<'static>; 1],
    after_copy: [vk::ImageMemoryBarrier<'static>; 2],
    around_clear: [[vk::ImageMemoryBarrier<'static>; 1]; 2],
}

impl<'g> Passes<'g> {
    /// Creates passes and pipelines.
    pub fn new(gpu: &'g Gpu, size: Size, targets: &Targets<'g>, faces: &[Face]) -> Result<Self, Error> {
        let Targets { output, depth, albedo, normal, .. } = targets;
        let copy = Image::new(gpu, &ImageInfo::depth("depth copy", size, Usage::SAMPLED | Usage::TRANSFER_DST))?;
        let g_buffer = [
            Attachment::new(depth, Load::CLEAR, Store::STORE, COPIED),
            Attachment::new(albedo, Load::CLEAR, Store::STORE, READ).cleared_to(SKY),
            Attachment::new(normal, Load::CLEAR, Store::STORE, READ),
        ];
        let geometry = Subpass { colours: &[1, 2], depth: Some(0), ..Subpass::default() };
        let g_buffer = Pass::new(gpu, "G-buffer", size, &g_buffer, &[geometry])?;
        let kept = |image, layout| Attachment::new(image, Load::LOAD, Store::STORE, layout).from(layout);
        let shading = [kept(output, DRAWN), kept(depth, DEPTH_READ), kept(albedo, READ), kept(normal, READ)];
        let lighting = Subpass { colours: &[0], inputs: &[1, 2, 3], ..Subpass::default() };
        let shading = Pass::new(gpu, "lighting", size, &shading, &[lighting])?;
        let interface = Attachment::new(output, Load::LOAD, Store::STORE, COPIED).from(DRAWN);
        let colour = Subpass { colours: &[0], ..Subpass::default() };
        let interface = Pass::new(gpu, "user interface", size, &[interface], &[colour])?;

        let (geometry, lighting, overlay) = (g_buffer.within(0), shading.within(0), interface.within(0));
        let within = Subpasses { geometry, lighting, overlay };
        let to_copy = [Access::TRANSFER_WRITE, Access::SHADER_READ];
        let read_input = LOADED | Access::INPUT_ATTACHMENT_READ;
        Ok(Self {
            gpu,
            size,
            drawing: targets.drawing(gpu, size, faces, (&copy, within))?,
            g_buffer,
            shading,
            interface,
            output: output.image(),
            depth: depth.image(),
            before_copy: [copy.barrier([Layout::UNDEFINED, WRITE_TO], [Access::empty(), Access::TRANSFER_WRITE])],
            after_copy: [
                copy.barrier([WRITE_TO, DEPTH_READ], to_copy),
                depth.barrier([COPIED, DEPTH_READ], [Access::empty(), read_input]),
            ],
            around_clear: [
                [output.barrier([Layout::UNDEFINED, WRITE_TO], [Access::empty(), Access::TRANSFER_WRITE])],
                [output.barrier([WRITE_TO, DRAWN], [Access::TRANSFER_WRITE, WRITTEN | LOADED])],
            ],
            copy,
        })
    }

    /// Copies the depth, so that the original may stay what it is.
    fn copy_depth(&self, commands: vk::CommandBuffer) {
        let (device, none) = (&self.gpu.device, vk::DependencyFlags::empty());
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::DEPTH,
            layer_count: 1,
            ..Default::default()
        };
        let (src_subresource, dst_subresource, extent) = (layers, layers, self.size.extent_3d());
        let whole = vk::ImageCopy { src_subresource, dst_subresource, extent, ..Default::default() };
        let (looking, transfer) = (Stage::FRAGMENT_SHADER, Stage::TRANSFER);
        let (before, after) = (&self.before_copy, &self.after_copy);
        // SAFETY: the command buffer is being recorded outside a render pass; both images are live, of one format and size, and in these
        // layouts.
        unsafe {
            device.cmd_pipeline_barrier(commands, looking, transfer, none, &[], &[], before);
            device.cmd_copy_image(commands, self.depth, COPIED, self.copy.image(), WRITE_TO, &[whole]);
            device.cmd_pipeline_barrier(commands, transfer, looking | WRITING, none, &[], &[], after);
        }
    }

    /// Fills the output, of which the lighting draws every pixel.
    fn clear_output(&self, commands: vk::CommandBuffer) {
        let (device, none) = (&self.gpu.device, vk::DependencyFlags::empty());
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let magenta = vk::ClearColorValue { float32: [1.0, 0.0, 1.0, 1.0] };
        let [before, after] = &self.around_clear;
        let transfer = Stage::TRANSFER;
        // SAFETY: the command buffer is being recorded outside a render pass; the image is live and in these layouts.
        unsafe {
            device.cmd_pipeline_barrier(commands, transfer, transfer, none, &[], &[], before);
            device.cmd_clear_color_image(commands, self.output, WRITE_TO, &magenta, &[range]);
            device.cmd_pipeline_barrier(commands, transfer, WRITING, none, &[], &[], after);
        }
    }
}

impl Record for Passes<'_> {
    fn record(&self, commands: vk::CommandBuffer, lights: &[u8]) {
        self.g_buffer.record(commands, || self.drawing.geometry.draw(commands, &[]));
        self.copy_depth(commands);
        self.drawing.occlusion.record(commands, &[]);
        self.clear_output(commands);
        self.shading.record(commands, || self.drawing.lighting.draw(commands, lights));
        self.interface.record(commands, || self.drawing.overlay.draw(commands));
    }
}
