//! The part of the script that records what is neither a draw nor a classic transfer, and what the host does to images itself.

use super::by_address::{
    AddressRange, CopyDeviceMemoryImageInfo, CopyDeviceMemoryInfo, CopyMemoryToImageIndirectInfo, DeviceMemoryCopy,
    DeviceMemoryImageCopy, StridedAddressRange,
};
use super::objects::Objects;
use crate::fake::App;
use ash::vk::{self, CommandBuffer, Handle};
use std::ffi::c_void;
use std::ptr;

const LAYERS: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};
const SIZE: vk::Extent3D = vk::Extent3D { width: 16, height: 16, depth: 1 };
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
/// An argument that no layer has a reason to look at.
const NOTHING: *const c_void = ptr::null();

/// Memory by its address, query results, markers.
fn memory(app: &App, cb: CommandBuffer, objects: &Objects) {
    let (image, buffer) = (objects.color.image, objects.buffer);
    let range = AddressRange { address: 0x1000, size: 256 };
    let regions = [DeviceMemoryCopy::new(range, range)];
    let copy = CopyDeviceMemoryInfo::new(&regions);
    call!(app, vkCmdCopyMemoryKHR(cb, copy.as_ptr()));
    let regions = [DeviceMemoryImageCopy::new(range, LAYERS, SIZE)];
    let texels = CopyDeviceMemoryImageInfo::new(image, &regions);
    call!(app, vkCmdCopyMemoryToImageKHR(cb, texels.as_ptr()));
    call!(app, vkCmdCopyImageToMemoryKHR(cb, texels.as_ptr()));
    call!(app, vkCmdFillMemoryKHR(cb, (&raw const range).cast(), 0, 7));
    call!(app, vkCmdUpdateMemoryKHR(cb, (&raw const range).cast(), 0, 4, (&raw const range).cast()));
    call!(app, vkCmdWriteMarkerToMemoryAMD(cb, NOTHING));
    call!(app, vkCmdWriteBufferMarkerAMD(cb, vk::PipelineStageFlags::TRANSFER, buffer, 8, 1));
    call!(app, vkCmdWriteBufferMarker2AMD(cb, vk::PipelineStageFlags2::TRANSFER, buffer, 8, 1));
    let flags = vk::QueryResultFlags::TYPE_64;
    call!(app, vkCmdCopyQueryPoolResults(cb, objects.queries, 0, 4, buffer, 0, 8, flags));
    let strided = StridedAddressRange { address: 0x1000, size: 32, stride: 8 };
    let strided: *const c_void = (&raw const strided).cast();
    call!(app, vkCmdCopyQueryPoolResultsToMemoryKHR(cb, objects.queries, 0, 4, strided, 0, flags));
    call!(app, vkCmdCopyMemoryToImageIndirectNV(cb, 0x1000, 1, 64, image, GENERAL, &LAYERS));
    let indirect = CopyMemoryToImageIndirectInfo::new(image, &[LAYERS]);
    call!(app, vkCmdCopyMemoryToImageIndirectKHR(cb, indirect.as_ptr()));
}

/// Video coding and optical flow.
fn video(app: &App, cb: CommandBuffer, objects: &Objects) {
    let picture = vk::VideoPictureResourceInfoKHR::default().image_view_binding(objects.color.view);
    let slots = [vk::VideoReferenceSlotInfoKHR::default().picture_resource(&picture)];
    let decode = vk::VideoDecodeInfoKHR::default()
        .src_buffer(objects.buffer)
        .dst_picture_resource(picture)
        .setup_reference_slot(&slots[0])
        .reference_slots(&slots);
    call!(app, vkCmdDecodeVideoKHR(cb, &decode));
    let encode = vk::VideoEncodeInfoKHR::default()
        .dst_buffer(objects.buffer)
        .src_picture_resource(picture)
        .reference_slots(&slots);
    call!(app, vkCmdEncodeVideoKHR(cb, &encode));
    let (session, point) = (vk::OpticalFlowSessionNV::from_raw(7), vk::OpticalFlowSessionBindingPointNV::INPUT);
    call!(app, vkBindOpticalFlowSessionImageNV(app.device, session, point, objects.color.view, GENERAL));
    call!(app, vkCmdOpticalFlowExecuteNV(cb, session, NOTHING));
}

/// Everything that a command buffer can be told outside passes and that is not part of the other scripts.
pub(super) fn recorded(app: &App, cb: CommandBuffer, objects: &Objects) {
    memory(app, cb, objects);
    video(app, cb, objects);
    let marker = vk::DebugMarkerMarkerInfoEXT::default().marker_name(c"marker \x1b[0m");
    call!(app, vkCmdDebugMarkerBeginEXT(cb, &marker));
    call!(app, vkCmdDebugMarkerInsertEXT(cb, &marker));
    opaque(app, cb);
    call!(app, vkCmdDebugMarkerEndEXT(cb));
}

fn opaque(app: &App, cb: CommandBuffer) {
    call!(app, vkCmdBuildAccelerationStructuresKHR(cb, 0, NOTHING, NOTHING.cast()));
    call!(app, vkCmdBuildAccelerationStructuresIndirectKHR(cb, 0, NOTHING, NOTHING, NOTHING, NOTHING.cast()));
    call!(
        app,
        vkCmdBuildAccelerationStructureNV(
            cb,
            NOTHING,
            vk::Buffer::null(),
            0,
            0,
            vk::AccelerationStructureNV::null(),
            vk::AccelerationStructureNV::null(),
            vk::Buffer::null(),
            0
        )
    );
    call!(app, vkCmdBuildClusterAccelerationStructureIndirectNV(cb, NOTHING));
    call!(app, vkCmdBuildPartitionedAccelerationStructuresNV(cb, NOTHING));
    call!(app, vkCmdCopyAccelerationStructureKHR(cb, NOTHING));
    call!(
        app,
        vkCmdCopyAccelerationStructureNV(
            cb,
            vk::AccelerationStructureNV::null(),
            vk::AccelerationStructureNV::null(),
            vk::CopyAccelerationStructureModeKHR::CLONE
        )
    );
    call!(app, vkCmdCopyAccelerationStructureToMemoryKHR(cb, NOTHING));
    call!(app, vkCmdCopyMemoryToAccelerationStructureKHR(cb, NOTHING));
    call!(app, vkCmdBuildMicromapsEXT(cb, 0, NOTHING));
    call!(app, vkCmdCopyMicromapEXT(cb, NOTHING));
    call!(app, vkCmdCopyMicromapToMemoryEXT(cb, NOTHING));
    call!(app, vkCmdCopyMemoryToMicromapEXT(cb, NOTHING));
    call!(app, vkCmdCopyMemoryIndirectKHR(cb, NOTHING));
    call!(app, vkCmdCopyMemoryIndirectNV(cb, 0, 0, 0));
    call!(app, vkCmdCopyTensorARM(cb, NOTHING));
    call!(app, vkCmdDecompressMemoryEXT(cb, NOTHING));
    call!(app, vkCmdDecompressMemoryIndirectCountEXT(cb, 0, 0, 0, 0, 0));
    call!(app, vkCmdDecompressMemoryNV(cb, 0, NOTHING));
    call!(app, vkCmdDecompressMemoryIndirectCountNV(cb, 0, 0, 0));
    call!(app, vkCmdConvertCooperativeVectorMatrixNV(cb, 0, NOTHING));
    call!(app, vkCmdCopyGpaSessionResultsAMD(cb, 0));
    call!(app, vkCmdTraceRaysIndirectKHR(cb, NOTHING, NOTHING, NOTHING, NOTHING, 0));
    call!(app, vkCmdTraceRaysIndirect2KHR(cb, 0));
    call!(
        app,
        vkCmdTraceRaysNV(
            cb,
            vk::Buffer::null(),
            0,
            vk::Buffer::null(),
            0,
            0,
            vk::Buffer::null(),
            0,
            0,
            vk::Buffer::null(),
            0,
            0,
            0,
            0,
            0
        )
    );
    call!(app, vkCmdCuLaunchKernelNVX(cb, NOTHING));
    call!(app, vkCmdCudaLaunchKernelNV(cb, NOTHING));
}

/// What the host does to images, and what it asks about them.
pub(super) fn by_host(app: &App, objects: &Objects) {
    let (device, image) = (app.device, objects.color.image);
    let bytes = [0u8; 16 * 16 * 4];
    let texels = vk::MemoryToImageCopyEXT::default().image_subresource(LAYERS).image_extent(SIZE);
    let regions = [vk::MemoryToImageCopyEXT { p_host_pointer: bytes.as_ptr().cast(), ..texels }];
    let info = vk::CopyMemoryToImageInfoEXT::default().dst_image(image).dst_image_layout(GENERAL).regions(&regions);
    call!(app, vkCopyMemoryToImage | vkCopyMemoryToImageEXT(device, &info));
    let regions = [vk::ImageToMemoryCopyEXT::default().image_subresource(LAYERS).image_extent(SIZE)];
    let info = vk::CopyImageToMemoryInfoEXT::default().src_image(image).src_image_layout(GENERAL).regions(&regions);
    call!(app, vkCopyImageToMemory | vkCopyImageToMemoryEXT(device, &info));
    let regions = [vk::ImageCopy2::default().src_subresource(LAYERS).dst_subresource(LAYERS).extent(SIZE)];
    let info = vk::CopyImageToImageInfoEXT::default().src_image(image).dst_image(image).regions(&regions);
    call!(app, vkCopyImageToImage | vkCopyImageToImageEXT(device, &info));
    let range = vk::ImageSubresourceRange {
        aspect_mask: LAYERS.aspect_mask,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    let transition =
        vk::HostImageLayoutTransitionInfoEXT::default().image(image).new_layout(GENERAL).subresource_range(range);
    call!(app, vkTransitionImageLayout | vkTransitionImageLayoutEXT(device, 1, &transition));
    let ask = vk::ImageMemoryRequirementsInfo2::default().image(image);
    let mut answer = vk::MemoryRequirements2::default();
    call!(app, vkGetImageMemoryRequirements2 | vkGetImageMemoryRequirements2KHR(device, &ask, &mut answer));
    let (subresource, mut layout) = (vk::ImageSubresource2KHR::default(), vk::SubresourceLayout2KHR::default());
    call!(
        app,
        vkGetImageSubresourceLayout2 | vkGetImageSubresourceLayout2KHR(device, image, &subresource, &mut layout)
    );
    let name = vk::DebugMarkerObjectNameInfoEXT::default()
        .object_type(vk::DebugReportObjectTypeEXT::IMAGE)
        .object(image.as_raw())
        .object_name(c"colour");
    call!(app, vkDebugMarkerSetObjectNameEXT(device, &name));
}
