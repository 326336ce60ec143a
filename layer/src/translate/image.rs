//! Images, views and buffers as created.

use super::{extent3, format};
use crate::abi;
use crate::record::{Image, MemoryType, Objects, View};
use ash::vk;
use std::ffi::c_void;
use std::sync::Arc;
use tbdr_model::frame::{self, ImageCompression, Memory};

/// VkImageCreateInfo.
///
/// # Safety
/// `info` is the argument of a vkCreateImage in progress.
pub unsafe fn image(info: &vk::ImageCreateInfo<'_>) -> frame::Image {
    // SAFETY: the chain belongs to a valid create info.
    unsafe {
        let flags = abi::find::<abi::ImageCreateFlags2>(info.p_next).map(|f| f.flags);
        let stencil =
            abi::find::<vk::ImageStencilUsageCreateInfo<'_>>(info.p_next).map(|s| u64::from(s.stencil_usage.as_raw()));
        let stencil = abi::find::<abi::ImageStencilUsage2>(info.p_next).map(|s| s.flags).or(stencil);
        let (usage, beyond) = usage(info.p_next, info.usage);
        frame::Image {
            format: format(info.format),
            dimension: info.image_type.as_raw().unsigned_abs(),
            extent: extent3(info.extent),
            mips: info.mip_levels,
            layers: info.array_layers,
            samples: info.samples.as_raw(),
            usage,
            stencil_usage: stencil.map(low),
            flags: flags.map_or(info.flags.as_raw(), low),
            tiling: info.tiling.as_raw(),
            concurrent: info.sharing_mode == vk::SharingMode::CONCURRENT,
            view_formats: view_formats(info.p_next),
            reached_unseen: has_contents(info.initial_layout)
                || beyond
                || stencil.is_some_and(|usage| usage != u64::from(low(usage))),
            compression_control: compression_control(info.p_next),
            memory: Memory { external: is_external_image(info.p_next), ..Memory::default() },
            ..frame::Image::default()
        }
    }
}

/// Whether [`image`] says all that the memory of the image may depend on: images of the same value need the same.
///
/// # Safety
/// The chain of `info` is valid.
pub unsafe fn is_described(info: &vk::ImageCreateInfo<'_>) -> bool {
    use vk::{ImageStencilUsageCreateInfo, StructureType as S, TaggedStructure};
    let known = |s_type| {
        matches!(s_type, S::IMAGE_FORMAT_LIST_CREATE_INFO | ImageStencilUsageCreateInfo::STRUCTURE_TYPE)
            || s_type == abi::ImageUsageFlags2::STRUCTURE_TYPE
            || s_type == abi::ImageCreateFlags2::STRUCTURE_TYPE
            || s_type == abi::ImageStencilUsage2::STRUCTURE_TYPE
    };
    let tiling = matches!(info.tiling, vk::ImageTiling::OPTIMAL | vk::ImageTiling::LINEAR);
    // SAFETY: by the caller's promise.
    tiling && unsafe { abi::chain(info.p_next) }.all(|item| known(item.s_type))
}

/// Whether an image has contents before any command: written by the host, or zeros (VK_EXT_zero_initialize_device_memory).
fn has_contents(initial: vk::ImageLayout) -> bool {
    initial != vk::ImageLayout::UNDEFINED
}

/// The flags that have a place in 32 bits.
fn low(flags: u64) -> u32 {
    (flags & u64::from(u32::MAX)) as u32
}

/// VkImageUsageFlags, and whether there are usages beyond them (VkImageUsageFlags2CreateInfoKHR), of which nothing is known.
///
/// # Safety
/// `next` is the chain of a valid struct.
unsafe fn usage(next: *const c_void, usage: vk::ImageUsageFlags) -> (u32, bool) {
    // SAFETY: by the caller's promise.
    let more = unsafe { abi::find::<abi::ImageUsageFlags2>(next) };
    more.map_or((usage.as_raw(), false), |more| (low(more.flags), more.flags != u64::from(low(more.flags))))
}

/// VkImageFormatListCreateInfo.
///
/// # Safety
/// `next` is the chain of a valid struct.
unsafe fn view_formats(next: *const c_void) -> Vec<frame::Format> {
    // SAFETY: by the caller's promise; an array of the struct found.
    unsafe {
        let list = abi::find::<vk::ImageFormatListCreateInfo<'_>>(next);
        list.map(|l| abi::slice(l.p_view_formats, l.view_format_count))
            .unwrap_or_default()
            .iter()
            .map(|f| format(*f))
            .collect()
    }
}

/// VkImageCompressionControlEXT.
///
/// # Safety
/// `next` is the chain of a valid struct.
unsafe fn compression_control(next: *const c_void) -> Option<ImageCompression> {
    // SAFETY: by the caller's promise; an array of the struct found.
    unsafe {
        let control = abi::find::<vk::ImageCompressionControlEXT<'_>>(next)?;
        let rates = abi::slice(control.p_fixed_rate_flags.cast_const(), control.compression_control_plane_count);
        let fixed_rates = rates.iter().fold(0, |all, rate| all | rate.as_raw());
        Some(ImageCompression { flags: control.flags.as_raw(), fixed_rates })
    }
}

/// Whether the image is shared with others than this device, or its texels are those of another API.
///
/// # Safety
/// `next` is the chain of a valid VkImageCreateInfo.
unsafe fn is_external_image(next: *const c_void) -> bool {
    use vk::StructureType as S;
    // SAFETY: by the caller's promise.
    unsafe {
        let handles =
            abi::find::<vk::ExternalMemoryImageCreateInfo<'_>>(next).is_some_and(|e| !e.handle_types.is_empty());
        let handles_nv =
            abi::find::<vk::ExternalMemoryImageCreateInfoNV<'_>>(next).is_some_and(|e| !e.handle_types.is_empty());
        let foreign = abi::chain(next).any(|s| {
            matches!(
                s.s_type,
                S::BUFFER_COLLECTION_IMAGE_CREATE_INFO_FUCHSIA
                    | S::EXPORT_METAL_OBJECT_CREATE_INFO_EXT
                    | S::IMPORT_METAL_TEXTURE_INFO_EXT
                    | S::IMPORT_METAL_IO_SURFACE_INFO_EXT
                    | abi::external::NATIVE_BUFFER_ANDROID
                    | abi::external::NATIVE_BUFFER_OHOS
            )
        });
        // The external format of these structs is 0 where the format of the image counts.
        let format = |s_type| abi::chain(next).any(|s| s.s_type == s_type && abi::is_external_format(s));
        let formats = [S::EXTERNAL_FORMAT_ANDROID, S::EXTERNAL_FORMAT_QNX, abi::external::EXTERNAL_FORMAT_OHOS];
        handles || handles_nv || foreign || formats.into_iter().any(format)
    }
}

/// Which plane an aspect names, counted from 1; 0 is the whole image.
pub fn plane(aspect: vk::ImageAspectFlags) -> u32 {
    match aspect {
        vk::ImageAspectFlags::PLANE_0 => 1,
        vk::ImageAspectFlags::PLANE_1 => 2,
        vk::ImageAspectFlags::PLANE_2 => 3,
        _ => 0,
    }
}

/// The images of a swapchain, by VkSwapchainCreateInfoKHR.
///
/// # Safety
/// `info` is the argument of a call in progress.
pub unsafe fn swapchain_image(info: &vk::SwapchainCreateInfoKHR<'_>, number: u32) -> frame::Image {
    let with = |swapchain, image: vk::ImageCreateFlags| {
        if info.flags.contains(swapchain) { image.as_raw() } else { 0 }
    };
    let flags = with(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT, vk::ImageCreateFlags::MUTABLE_FORMAT)
        | with(vk::SwapchainCreateFlagsKHR::PROTECTED, vk::ImageCreateFlags::PROTECTED)
        | with(
            vk::SwapchainCreateFlagsKHR::SPLIT_INSTANCE_BIND_REGIONS,
            vk::ImageCreateFlags::SPLIT_INSTANCE_BIND_REGIONS,
        );
    // SAFETY: the chain belongs to a valid create info.
    let (usage, beyond) = unsafe { usage(info.p_next, info.image_usage) };
    frame::Image {
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
        usage,
        flags,
        tiling: vk::ImageTiling::OPTIMAL.as_raw(),
        concurrent: info.image_sharing_mode == vk::SharingMode::CONCURRENT,
        // SAFETY: the chain belongs to a valid create info.
        view_formats: unsafe { view_formats(info.p_next) },
        always_shown: matches!(
            info.present_mode,
            vk::PresentModeKHR::SHARED_DEMAND_REFRESH | vk::PresentModeKHR::SHARED_CONTINUOUS_REFRESH
        ),
        reached_unseen: beyond,
        // SAFETY: the chain belongs to a valid create info.
        compression_control: unsafe { compression_control(info.p_next) },
        ..frame::Image::default()
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
        memory: Memory { external, ..Memory::default() },
    }
}

/// VkMemoryAllocateInfo: the properties of its type, and whether it is imported or exported.
///
/// # Safety
/// `info` is the argument of a vkAllocateMemory in progress.
pub unsafe fn memory(info: &vk::MemoryAllocateInfo<'_>, types: &[MemoryType]) -> Memory {
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
                | S::IMPORT_MEMORY_BUFFER_COLLECTION_FUCHSIA
                | S::IMPORT_MEMORY_WIN32_HANDLE_INFO_NV
                | S::IMPORT_METAL_BUFFER_INFO_EXT
                | S::IMPORT_SCREEN_BUFFER_INFO_QNX
                | S::EXPORT_MEMORY_ALLOCATE_INFO
                | S::EXPORT_MEMORY_ALLOCATE_INFO_NV
                | S::EXPORT_METAL_OBJECT_CREATE_INFO_EXT
                | abi::external::IMPORT_MEMORY_METAL_HANDLE
                | abi::external::IMPORT_NATIVE_BUFFER_OHOS
        )
    });
    let kind = types.get(info.memory_type_index as usize);
    Memory {
        properties: kind.map(|kind| kind.properties),
        external,
        on_chip: kind.is_some_and(|kind| kind.heap & abi::MEMORY_HEAP_TILE_MEMORY != 0),
        ..Memory::default()
    }
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
