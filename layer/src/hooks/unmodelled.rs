//! Commands that move bytes in ways that are not modelled: the report lists those that were seen, so that its figures are
//! never taken for the whole.

use super::command;
use ash::vk;
use tbdr_model::frame::ShaderAccess;

command! {
    /// vkCmdCopyQueryPoolResults.
    cmd_copy_query_pool_results(
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) |device, state| state.unmodelled("vkCmdCopyQueryPoolResults")
}

command! {
    /// vkCmdTraceRaysKHR.
    cmd_trace_rays(
        raygen: *const vk::StridedDeviceAddressRegionKHR,
        miss: *const vk::StridedDeviceAddressRegionKHR,
        hit: *const vk::StridedDeviceAddressRegionKHR,
        callable: *const vk::StridedDeviceAddressRegionKHR,
        width: u32,
        height: u32,
        depth: u32,
    ) |device, state| state.opaque("vkCmdTraceRaysKHR", ShaderAccess::default())
}

command! {
    /// vkCmdTraceRaysIndirectKHR.
    cmd_trace_rays_indirect(
        raygen: *const vk::StridedDeviceAddressRegionKHR,
        miss: *const vk::StridedDeviceAddressRegionKHR,
        hit: *const vk::StridedDeviceAddressRegionKHR,
        callable: *const vk::StridedDeviceAddressRegionKHR,
        address: vk::DeviceAddress,
    ) |device, state| state.opaque("vkCmdTraceRaysIndirectKHR", ShaderAccess::default())
}

command! {
    /// vkCmdBuildAccelerationStructuresKHR.
    cmd_build_acceleration_structures(
        count: u32,
        infos: *const vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
        ranges: *const *const vk::AccelerationStructureBuildRangeInfoKHR,
    ) |device, state| state.opaque("vkCmdBuildAccelerationStructuresKHR", ShaderAccess::default())
}

command! {
    /// vkCmdDecodeVideoKHR.
    cmd_decode_video(info: *const vk::VideoDecodeInfoKHR<'_>) |device, state| state.opaque("vkCmdDecodeVideoKHR", ShaderAccess::default())
}

command! {
    /// vkCmdSubpassShadingHUAWEI.
    cmd_subpass_shading() |device, state| state.opaque("vkCmdSubpassShadingHUAWEI", ShaderAccess::default())
}
