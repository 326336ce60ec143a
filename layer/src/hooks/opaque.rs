//! Commands whose bytes are not modelled: the report lists those that were seen, so that its figures are never taken for the whole.
//!
//! Each is recorded at its place with what it can reach: buffers and memory only, so that no verdict about an image changes; or
//! shaders of which nothing is known, so that every image with a usage for shaders may have been read or written.

use super::command;
use ash::vk;
use std::ffi::c_void;
use tbdr_model::frame::ShaderAccess;

macro_rules! opaque {
    ($access:expr; $($name:ident = $command:literal ($($arg:ident: $ty:ty),* $(,)?);)+) => {$(
        command! {
            #[doc = concat!($command, ".")]
            $name($($arg: $ty),*) |device, state| state.opaque($command, $access)
        }
    )+};
}

// Buffers, acceleration structures, micromaps, tensors and plain memory. A tensor that shares memory with an image needs a usage of the
// image that is not followed at all.
opaque! {
    ShaderAccess::NOTHING;
    cmd_build_acceleration_structures = "vkCmdBuildAccelerationStructuresKHR" (
        count: u32,
        infos: *const vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
        ranges: *const *const vk::AccelerationStructureBuildRangeInfoKHR,
    );
    cmd_build_acceleration_structures_indirect = "vkCmdBuildAccelerationStructuresIndirectKHR" (
        count: u32,
        infos: *const vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
        addresses: *const vk::DeviceAddress,
        strides: *const u32,
        most: *const *const u32,
    );
    cmd_build_acceleration_structure_nv = "vkCmdBuildAccelerationStructureNV" (
        info: *const vk::AccelerationStructureInfoNV<'_>,
        instances: vk::Buffer,
        instance_offset: vk::DeviceSize,
        update: vk::Bool32,
        dst: vk::AccelerationStructureNV,
        src: vk::AccelerationStructureNV,
        scratch: vk::Buffer,
        scratch_offset: vk::DeviceSize,
    );
    cmd_build_cluster_acceleration_structure = "vkCmdBuildClusterAccelerationStructureIndirectNV" (infos: *const c_void);
    cmd_build_partitioned_acceleration_structures = "vkCmdBuildPartitionedAccelerationStructuresNV" (info: *const c_void);
    cmd_copy_acceleration_structure = "vkCmdCopyAccelerationStructureKHR" (info: *const c_void);
    cmd_copy_acceleration_structure_nv = "vkCmdCopyAccelerationStructureNV" (
        dst: vk::AccelerationStructureNV,
        src: vk::AccelerationStructureNV,
        mode: vk::CopyAccelerationStructureModeKHR,
    );
    cmd_copy_acceleration_structure_to_memory = "vkCmdCopyAccelerationStructureToMemoryKHR" (info: *const c_void);
    cmd_copy_memory_to_acceleration_structure = "vkCmdCopyMemoryToAccelerationStructureKHR" (info: *const c_void);
    cmd_build_micromaps = "vkCmdBuildMicromapsEXT" (count: u32, infos: *const c_void);
    cmd_copy_micromap = "vkCmdCopyMicromapEXT" (info: *const c_void);
    cmd_copy_micromap_to_memory = "vkCmdCopyMicromapToMemoryEXT" (info: *const c_void);
    cmd_copy_memory_to_micromap = "vkCmdCopyMemoryToMicromapEXT" (info: *const c_void);
    cmd_copy_memory_indirect = "vkCmdCopyMemoryIndirectKHR" (info: *const c_void);
    cmd_copy_memory_indirect_nv = "vkCmdCopyMemoryIndirectNV" (address: vk::DeviceAddress, count: u32, stride: u32);
    cmd_copy_tensor = "vkCmdCopyTensorARM" (info: *const c_void);
    cmd_decompress_memory = "vkCmdDecompressMemoryEXT" (info: *const c_void);
    cmd_decompress_memory_indirect_count = "vkCmdDecompressMemoryIndirectCountEXT" (
        method: u64,
        address: vk::DeviceAddress,
        count_address: vk::DeviceAddress,
        most: u32,
        stride: u32,
    );
    cmd_decompress_memory_nv = "vkCmdDecompressMemoryNV" (count: u32, regions: *const c_void);
    cmd_decompress_memory_indirect_count_nv = "vkCmdDecompressMemoryIndirectCountNV" (
        address: vk::DeviceAddress,
        count_address: vk::DeviceAddress,
        stride: u32,
    );
    cmd_convert_cooperative_vector_matrix = "vkCmdConvertCooperativeVectorMatrixNV" (count: u32, infos: *const c_void);
    cmd_copy_gpa_session_results = "vkCmdCopyGpaSessionResultsAMD" (session: u64);
    // Sessions are tied to their images when they are made: see `bind_optical_flow_session_image`.
    cmd_optical_flow_execute = "vkCmdOpticalFlowExecuteNV" (session: vk::OpticalFlowSessionNV, info: *const c_void);
}

// Shaders, or machines that read descriptors.
opaque! {
    ShaderAccess::default();
    cmd_trace_rays = "vkCmdTraceRaysKHR" (
        raygen: *const vk::StridedDeviceAddressRegionKHR,
        miss: *const vk::StridedDeviceAddressRegionKHR,
        hit: *const vk::StridedDeviceAddressRegionKHR,
        callable: *const vk::StridedDeviceAddressRegionKHR,
        width: u32,
        height: u32,
        depth: u32,
    );
    cmd_trace_rays_indirect = "vkCmdTraceRaysIndirectKHR" (
        raygen: *const vk::StridedDeviceAddressRegionKHR,
        miss: *const vk::StridedDeviceAddressRegionKHR,
        hit: *const vk::StridedDeviceAddressRegionKHR,
        callable: *const vk::StridedDeviceAddressRegionKHR,
        address: vk::DeviceAddress,
    );
    cmd_trace_rays_indirect2 = "vkCmdTraceRaysIndirect2KHR" (address: vk::DeviceAddress);
    cmd_trace_rays_nv = "vkCmdTraceRaysNV" (
        raygen: vk::Buffer,
        raygen_offset: vk::DeviceSize,
        miss: vk::Buffer,
        miss_offset: vk::DeviceSize,
        miss_stride: vk::DeviceSize,
        hit: vk::Buffer,
        hit_offset: vk::DeviceSize,
        hit_stride: vk::DeviceSize,
        callable: vk::Buffer,
        callable_offset: vk::DeviceSize,
        callable_stride: vk::DeviceSize,
        width: u32,
        height: u32,
        depth: u32,
    );
    cmd_cu_launch_kernel = "vkCmdCuLaunchKernelNVX" (info: *const c_void);
    cmd_cuda_launch_kernel = "vkCmdCudaLaunchKernelNV" (info: *const c_void);
    cmd_subpass_shading = "vkCmdSubpassShadingHUAWEI" ();
}
