//! Images, views and buffers as created.

use super::{extent3, format};
use crate::abi;
use crate::record::{Image, Objects, View};
use ash::vk;
use std::sync::Arc;
use tbdr_model::frame::{self, Memory};

/// VkImageCreateInfo.
///
/// # Safety
/// `info` is the argument of a vkCreateImage in progress.
pub unsafe fn image(info: &vk::ImageCreateInfo<'_>) -> frame::Image {
    // SAFETY: the chain belongs to a valid create info.
    let external = unsafe { abi::find::<vk::ExternalMemoryImageCreateInfo<'_>>(info.p_next) }
        .is_some_and(|e| !e.handle_types.is_empty());
    // Stencil may have usages of its own: what any aspect is used for, the image is used for.
    // SAFETY: as above.
    let stencil = unsafe { abi::find::<vk::ImageStencilUsageCreateInfo<'_>>(info.p_next) }
        .map_or(vk::ImageUsageFlags::empty(), |s| s.stencil_usage);
    frame::Image {
        name: None,
        swapchain: None,
        format: format(info.format),
        dimension: info.image_type.as_raw().unsigned_abs(),
        extent: extent3(info.extent),
        mips: info.mip_levels,
        layers: info.array_layers,
        samples: info.samples.as_raw(),
        usage: (info.usage | stencil).as_raw(),
        flags: info.flags.as_raw(),
        tiling: info.tiling.as_raw(),
        concurrent: info.sharing_mode == vk::SharingMode::CONCURRENT,
        memory: Memory { properties: None, external },
    }
}

/// The images of a swapchain, by VkSwapchainCreateInfoKHR.
pub fn swapchain_image(info: &vk::SwapchainCreateInfoKHR<'_>, number: u32) -> frame::Image {
    frame::Image {
        name: None,
        swapchain: Some(number),
        format: format(info.image_format),
        dimension: 1,
        extent: tbdr_model::units::Extent3D {
            width: info.image_extent.width,
            height: info.image_extent.height,
            depth: 1,
        },
        mips: 1,
        layers: info.image_array_layers,
        samples: 1,
        usage: info.image_usage.as_raw(),
        flags: 0,
        tiling: vk::ImageTiling::OPTIMAL.as_raw(),
        concurrent: info.image_sharing_mode == vk::SharingMode::CONCURRENT,
        memory: Memory::default(),
    }
}

/// VkImageViewCreateInfo, once its image is known.
pub fn view(info: &vk::ImageViewCreateInfo<'_>, image: Arc<Image>) -> View {
    let range = image.resolve(super::range(&info.subresource_range));
    View { range, format: format(info.format), image }
}

/// VkBufferCreateInfo.
///
/// # Safety
/// `info` is the argument of a vkCreateBuffer in progress.
pub unsafe fn buffer(info: &vk::BufferCreateInfo<'_>) -> frame::Buffer {
    // SAFETY: the chain belongs to a valid create info.
    let external = unsafe { abi::find::<vk::ExternalMemoryBufferCreateInfo<'_>>(info.p_next) }
        .is_some_and(|e| !e.handle_types.is_empty());
    frame::Buffer {
        name: None,
        size: info.size,
        usage: info.usage.as_raw(),
        memory: Memory { properties: None, external },
    }
}

/// VkMemoryAllocateInfo: the properties of its type, and whether it is imported or exported.
///
/// # Safety
/// `info` is the argument of a vkAllocateMemory in progress.
pub unsafe fn memory(info: &vk::MemoryAllocateInfo<'_>, types: &[u32]) -> Memory {
    use vk::StructureType as S;
    // SAFETY: the chain belongs to a valid allocate info.
    let external = unsafe { abi::chain(info.p_next) }.any(|s| {
        matches!(
            s.s_type,
            S::IMPORT_MEMORY_FD_INFO_KHR
                | S::IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR
                | S::IMPORT_MEMORY_HOST_POINTER_INFO_EXT
                | S::IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID
                | S::IMPORT_MEMORY_ZIRCON_HANDLE_INFO_FUCHSIA
                | S::EXPORT_MEMORY_ALLOCATE_INFO
        )
    });
    Memory { properties: types.get(info.memory_type_index as usize).copied(), external }
}

/// The image of a handle, numbered in a recording.
pub fn number(
    objects: &Objects,
    recording: &mut crate::record::Recording,
    image: vk::Image,
) -> Option<frame::ImageRef> {
    use vk::Handle;
    objects.images.get(image.as_raw()).map(|image| recording.image(&image))
}

/// The buffer of a handle, numbered in a recording.
pub fn buffer_number(
    objects: &Objects,
    recording: &mut crate::record::Recording,
    buffer: vk::Buffer,
) -> Option<frame::BufferRef> {
    use vk::Handle;
    objects.buffers.get(buffer.as_raw()).map(|buffer| recording.buffer(&buffer))
}
