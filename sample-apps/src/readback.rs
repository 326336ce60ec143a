//! The copy of a finished image to the host, which stands for presenting it.

use crate::buffer::Buffer;
use crate::gpu::Gpu;
use crate::image::Image;
use crate::size::Size;
use ash::vk;
use vk::AccessFlags as Access;
use vk::PipelineStageFlags as Stage;

/// Layout of an image while it is copied.
pub const COPIED: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;

/// Records the copy of `image`, whose texels have four bytes, to `result`, and makes it visible to the host. The image is in the
/// layout [`COPIED`], and whatever wrote it is waited for.
pub fn record(gpu: &Gpu, commands: vk::CommandBuffer, image: &Image<'_>, size: Size, result: &Buffer<'_>) {
    let region = vk::BufferImageCopy::default()
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        })
        .image_extent(size.extent_3d());
    let to_host =
        vk::MemoryBarrier::default().src_access_mask(Access::TRANSFER_WRITE).dst_access_mask(Access::HOST_READ);
    let none = vk::DependencyFlags::empty();
    // SAFETY: the command buffer is being recorded outside a render pass, the image is in this layout, and the buffer holds four
    // bytes for every pixel.
    unsafe {
        gpu.device.cmd_copy_image_to_buffer(commands, image.image(), COPIED, result.get(), &[region]);
        gpu.device.cmd_pipeline_barrier(commands, Stage::TRANSFER, Stage::HOST, none, &[to_host], &[], &[]);
    }
}
