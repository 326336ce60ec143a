//! First contents written by the host, without a buffer and without commands (VK_EXT_host_image_copy).

use ash::{ext, vk};
use tilelens_samples::Error;
use tilelens_samples::error::Named;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::Image;
use tilelens_samples::size::Size;

/// The layout in which the host leaves an image.
pub const WRITTEN: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// Writes `texel` all over the one aspect of `image`.
pub fn fill(gpu: &Gpu, image: &Image<'_>, size: Size, aspect: vk::ImageAspectFlags, texel: &[u8]) -> Result<(), Error> {
    let host = gpu.commands(ext::host_image_copy::Device::new);
    let transition = vk::HostImageLayoutTransitionInfoEXT::default()
        .image(image.image())
        .old_layout(vk::ImageLayout::UNDEFINED)
        .new_layout(WRITTEN)
        .subresource_range(image.range());
    let texels = texel.repeat(size.pixels());
    let region = vk::MemoryToImageCopyEXT::default()
        .host_pointer(texels.as_ptr().cast())
        .image_subresource(vk::ImageSubresourceLayers { aspect_mask: aspect, layer_count: 1, ..Default::default() })
        .image_extent(size.extent_3d());
    let regions = [region];
    let info =
        vk::CopyMemoryToImageInfoEXT::default().dst_image(image.image()).dst_image_layout(WRITTEN).regions(&regions);
    // SAFETY: no submission uses the image, which has HOST_TRANSFER usage; `texels` holds one texel for every pixel of the region.
    unsafe {
        host.transition_image_layout(&[transition]).named("vkTransitionImageLayoutEXT")?;
        host.copy_memory_to_image(&info).named("vkCopyMemoryToImageEXT")
    }
}
