//! Commands that move bytes other than by draws, dispatches and classic transfers: memory by its address, host copies, video, ray tracing,
//! and the work of extensions that nobody models. Also the markers of VK_EXT_debug_marker and questions about images.
//!
//! Signatures are those of the Vulkan registry; structs that the headers in use do not have are plain pointers.

use super::commands;
use crate::fake::driver::{image_requirements2, plain, subresource_layout2};
use ash::vk;
use std::ffi::c_void;

commands! {
    [device ext] vkCmdCopyMemoryKHR => (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyMemoryToImageKHR => (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyImageToMemoryKHR => (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdFillMemoryKHR =>
        (command_buffer: vk::CommandBuffer, range: *const c_void, flags: u32, data: u32) -> () = plain;
    [device ext] vkCmdUpdateMemoryKHR =>
        (command_buffer: vk::CommandBuffer, range: *const c_void, flags: u32, size: u64, data: *const c_void) -> () =
         plain;
    [device ext] vkCmdWriteMarkerToMemoryAMD => (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdWriteBufferMarkerAMD =>
        (command_buffer: vk::CommandBuffer, stage: vk::PipelineStageFlags, buffer: vk::Buffer, offset: u64, marker:
         u32) -> () = plain;
    [device ext] vkCmdWriteBufferMarker2AMD =>
        (command_buffer: vk::CommandBuffer, stage: vk::PipelineStageFlags2, buffer: vk::Buffer, offset: u64, marker:
         u32) -> () = plain;
    [device 1.0] vkCmdCopyQueryPoolResults =>
        (command_buffer: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32, buffer: vk::Buffer, offset:
         u64, stride: u64, flags: vk::QueryResultFlags) -> () = plain;
    [device ext] vkCmdCopyQueryPoolResultsToMemoryKHR =>
        (command_buffer: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32, range: *const c_void,
         range_flags: u32, flags: vk::QueryResultFlags) -> () = plain;
    [device ext] vkCmdCopyMemoryToImageIndirectNV =>
        (command_buffer: vk::CommandBuffer, address: u64, count: u32, stride: u32, image: vk::Image, layout:
         vk::ImageLayout, subresources: *const vk::ImageSubresourceLayers) -> () = plain;
    [device ext] vkCmdCopyMemoryToImageIndirectKHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;

    [device 1.4] vkCopyMemoryToImage | vkCopyMemoryToImageEXT =>
        (device: vk::Device, info: *const vk::CopyMemoryToImageInfoEXT<'_>) -> vk::Result = plain;
    [device 1.4] vkCopyImageToMemory | vkCopyImageToMemoryEXT =>
        (device: vk::Device, info: *const vk::CopyImageToMemoryInfoEXT<'_>) -> vk::Result = plain;
    [device 1.4] vkCopyImageToImage | vkCopyImageToImageEXT =>
        (device: vk::Device, info: *const vk::CopyImageToImageInfoEXT<'_>) -> vk::Result = plain;
    [device 1.4] vkTransitionImageLayout | vkTransitionImageLayoutEXT =>
        (device: vk::Device, count: u32, transitions: *const vk::HostImageLayoutTransitionInfoEXT<'_>) -> vk::Result =
         plain;
    [device 1.1] vkGetImageMemoryRequirements2 | vkGetImageMemoryRequirements2KHR =>
        (device: vk::Device, info: *const vk::ImageMemoryRequirementsInfo2<'_>, requirements: *mut
         vk::MemoryRequirements2<'_>) -> () = image_requirements2;
    [device 1.4] vkGetImageSubresourceLayout2 | vkGetImageSubresourceLayout2KHR =>
        (device: vk::Device, image: vk::Image, subresource: *const vk::ImageSubresource2KHR<'_>, layout: *mut
         vk::SubresourceLayout2KHR<'_>) -> () = subresource_layout2;

    [device ext] vkCmdDecodeVideoKHR =>
        (command_buffer: vk::CommandBuffer, info: *const vk::VideoDecodeInfoKHR<'_>) -> () = plain;
    [device ext] vkCmdEncodeVideoKHR =>
        (command_buffer: vk::CommandBuffer, info: *const vk::VideoEncodeInfoKHR<'_>) -> () = plain;
    [device ext] vkBindOpticalFlowSessionImageNV =>
        (device: vk::Device, session: vk::OpticalFlowSessionNV, point: vk::OpticalFlowSessionBindingPointNV, view:
         vk::ImageView, layout: vk::ImageLayout) -> vk::Result = plain;
    [device ext] vkCmdOpticalFlowExecuteNV =>
        (command_buffer: vk::CommandBuffer, session: vk::OpticalFlowSessionNV, info: *const c_void) -> () = plain;

    [device ext] vkDebugMarkerSetObjectNameEXT =>
        (device: vk::Device, info: *const vk::DebugMarkerObjectNameInfoEXT<'_>) -> vk::Result = plain;
    [device ext] vkCmdDebugMarkerBeginEXT =>
        (command_buffer: vk::CommandBuffer, info: *const vk::DebugMarkerMarkerInfoEXT<'_>) -> () = plain;
    [device ext] vkCmdDebugMarkerEndEXT => (command_buffer: vk::CommandBuffer) -> () = plain;
    [device ext] vkCmdDebugMarkerInsertEXT =>
        (command_buffer: vk::CommandBuffer, info: *const vk::DebugMarkerMarkerInfoEXT<'_>) -> () = plain;

    [device ext] vkCmdBuildAccelerationStructuresKHR =>
        (command_buffer: vk::CommandBuffer, count: u32, infos: *const c_void, ranges: *const *const c_void) -> () =
         plain;
    [device ext] vkCmdBuildAccelerationStructuresIndirectKHR =>
        (command_buffer: vk::CommandBuffer, count: u32, infos: *const c_void, addresses: *const c_void, strides:
         *const c_void, most: *const *const c_void) -> () = plain;
    [device ext] vkCmdBuildAccelerationStructureNV =>
        (command_buffer: vk::CommandBuffer, info: *const c_void, instances: vk::Buffer, instance_offset:
         vk::DeviceSize, update: vk::Bool32, dst: vk::AccelerationStructureNV, src: vk::AccelerationStructureNV,
         scratch: vk::Buffer, scratch_offset: vk::DeviceSize) -> () = plain;
    [device ext] vkCmdBuildClusterAccelerationStructureIndirectNV =>
        (command_buffer: vk::CommandBuffer, infos: *const c_void) -> () = plain;
    [device ext] vkCmdBuildPartitionedAccelerationStructuresNV =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyAccelerationStructureKHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyAccelerationStructureNV =>
        (command_buffer: vk::CommandBuffer, dst: vk::AccelerationStructureNV, src: vk::AccelerationStructureNV, mode:
         vk::CopyAccelerationStructureModeKHR) -> () = plain;
    [device ext] vkCmdCopyAccelerationStructureToMemoryKHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyMemoryToAccelerationStructureKHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdBuildMicromapsEXT =>
        (command_buffer: vk::CommandBuffer, count: u32, infos: *const c_void) -> () = plain;
    [device ext] vkCmdCopyMicromapEXT =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyMicromapToMemoryEXT =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyMemoryToMicromapEXT =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyMemoryIndirectKHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCopyMemoryIndirectNV =>
        (command_buffer: vk::CommandBuffer, address: vk::DeviceAddress, count: u32, stride: u32) -> () = plain;
    [device ext] vkCmdCopyTensorARM =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDecompressMemoryEXT =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDecompressMemoryIndirectCountEXT =>
        (command_buffer: vk::CommandBuffer, method: u64, address: vk::DeviceAddress, count_address:
         vk::DeviceAddress, most: u32, stride: u32) -> () = plain;
    [device ext] vkCmdDecompressMemoryNV =>
        (command_buffer: vk::CommandBuffer, count: u32, regions: *const c_void) -> () = plain;
    [device ext] vkCmdDecompressMemoryIndirectCountNV =>
        (command_buffer: vk::CommandBuffer, address: vk::DeviceAddress, count_address: vk::DeviceAddress, stride:
         u32) -> () = plain;
    [device ext] vkCmdConvertCooperativeVectorMatrixNV =>
        (command_buffer: vk::CommandBuffer, count: u32, infos: *const c_void) -> () = plain;
    [device ext] vkCmdCopyGpaSessionResultsAMD =>
        (command_buffer: vk::CommandBuffer, session: u64) -> () = plain;
    [device ext] vkCmdTraceRaysIndirectKHR =>
        (command_buffer: vk::CommandBuffer, raygen: *const c_void, miss: *const c_void, hit: *const c_void, callable:
         *const c_void, address: vk::DeviceAddress) -> () = plain;
    [device ext] vkCmdTraceRaysIndirect2KHR =>
        (command_buffer: vk::CommandBuffer, address: vk::DeviceAddress) -> () = plain;
    [device ext] vkCmdTraceRaysNV =>
        (command_buffer: vk::CommandBuffer, raygen: vk::Buffer, raygen_offset: vk::DeviceSize, miss: vk::Buffer,
         miss_offset: vk::DeviceSize, miss_stride: vk::DeviceSize, hit: vk::Buffer, hit_offset: vk::DeviceSize,
         hit_stride: vk::DeviceSize, callable: vk::Buffer, callable_offset: vk::DeviceSize, callable_stride:
         vk::DeviceSize, width: u32, height: u32, depth: u32) -> () = plain;
    [device ext] vkCmdCuLaunchKernelNVX =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdCudaLaunchKernelNV =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdSubpassShadingHUAWEI =>
        (command_buffer: vk::CommandBuffer) -> () = plain;
}
