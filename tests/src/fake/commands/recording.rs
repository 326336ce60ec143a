//! Commands that record state, draws, dispatches, labels and queries.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::plain;
use ash::vk;
use std::ffi::c_void;

commands! {
    [device 1.0] vkBeginCommandBuffer =>
        (command_buffer: vk::CommandBuffer, begin_info: *const vk::CommandBufferBeginInfo<'_>) -> vk::Result = plain;
    [device 1.0] vkEndCommandBuffer =>
        (command_buffer: vk::CommandBuffer) -> vk::Result = plain;
    [device 1.0] vkResetCommandBuffer =>
        (command_buffer: vk::CommandBuffer, flags: vk::CommandBufferResetFlags) -> vk::Result = plain;
    [device 1.0] vkCmdBindPipeline =>
        (command_buffer: vk::CommandBuffer, pipeline_bind_point: vk::PipelineBindPoint, pipeline: vk::Pipeline) -> ()
         = plain;
    [device 1.0] vkCmdBindVertexBuffers =>
        (command_buffer: vk::CommandBuffer, first_binding: u32, binding_count: u32, buffers: *const vk::Buffer,
         offsets: *const vk::DeviceSize) -> () = plain;
    [device 1.0] vkCmdBindIndexBuffer =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, index_type: vk::IndexType) ->
         () = plain;
    [device 1.0] vkCmdPushConstants =>
        (command_buffer: vk::CommandBuffer, layout: vk::PipelineLayout, stage_flags: vk::ShaderStageFlags, offset:
         u32, size: u32, values: *const c_void) -> () = plain;
    [device 1.0] vkCmdSetViewport =>
        (command_buffer: vk::CommandBuffer, first_viewport: u32, viewport_count: u32, viewports: *const vk::Viewport)
         -> () = plain;
    [device 1.0] vkCmdSetScissor =>
        (command_buffer: vk::CommandBuffer, first_scissor: u32, scissor_count: u32, scissors: *const vk::Rect2D) -> ()
         = plain;
    [device 1.0] vkCmdSetBlendConstants =>
        (command_buffer: vk::CommandBuffer, blend_constants: *const [f32; 4]) -> () = plain;
    [device 1.0] vkCmdSetDepthBias =>
        (command_buffer: vk::CommandBuffer, depth_bias_constant_factor: f32, depth_bias_clamp: f32,
         depth_bias_slope_factor: f32) -> () = plain;
    [device 1.0] vkCmdDraw =>
        (command_buffer: vk::CommandBuffer, vertex_count: u32, instance_count: u32, first_vertex: u32, first_instance:
         u32) -> () = plain;
    [device 1.0] vkCmdDrawIndexed =>
        (command_buffer: vk::CommandBuffer, index_count: u32, instance_count: u32, first_index: u32, vertex_offset:
         i32, first_instance: u32) -> () = plain;
    [device 1.0] vkCmdDrawIndirect =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, draw_count: u32, stride: u32)
         -> () = plain;
    [device 1.0] vkCmdDrawIndexedIndirect =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, draw_count: u32, stride: u32)
         -> () = plain;
    [device 1.2] vkCmdDrawIndirectCount | vkCmdDrawIndirectCountKHR | vkCmdDrawIndirectCountAMD =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, count_buffer: vk::Buffer,
         count_buffer_offset: vk::DeviceSize, max_draw_count: u32, stride: u32) -> () = plain;
    [device 1.2] vkCmdDrawIndexedIndirectCount | vkCmdDrawIndexedIndirectCountKHR | vkCmdDrawIndexedIndirectCountAMD =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, count_buffer: vk::Buffer,
         count_buffer_offset: vk::DeviceSize, max_draw_count: u32, stride: u32) -> () = plain;
    [device ext] vkCmdDrawMultiEXT =>
        (command_buffer: vk::CommandBuffer, draw_count: u32, vertex_info: *const vk::MultiDrawInfoEXT, instance_count:
         u32, first_instance: u32, stride: u32) -> () = plain;
    [device ext] vkCmdDrawMultiIndexedEXT =>
        (command_buffer: vk::CommandBuffer, draw_count: u32, index_info: *const vk::MultiDrawIndexedInfoEXT,
         instance_count: u32, first_instance: u32, stride: u32, vertex_offset: *const i32) -> () = plain;
    [device ext] vkCmdDrawMeshTasksEXT =>
        (command_buffer: vk::CommandBuffer, group_count_x: u32, group_count_y: u32, group_count_z: u32) -> () = plain;
    [device ext] vkCmdDrawMeshTasksIndirectEXT =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, draw_count: u32, stride: u32)
         -> () = plain;
    [device ext] vkCmdDrawMeshTasksIndirectCountEXT =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, count_buffer: vk::Buffer,
         count_buffer_offset: vk::DeviceSize, max_draw_count: u32, stride: u32) -> () = plain;
    [device ext] vkCmdDrawMeshTasksNV =>
        (command_buffer: vk::CommandBuffer, task_count: u32, first_task: u32) -> () = plain;
    [device ext] vkCmdDrawMeshTasksIndirectNV =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, draw_count: u32, stride: u32)
         -> () = plain;
    [device ext] vkCmdDrawMeshTasksIndirectCountNV =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, count_buffer: vk::Buffer,
         count_buffer_offset: vk::DeviceSize, max_draw_count: u32, stride: u32) -> () = plain;
    [device ext] vkCmdDrawIndirectByteCountEXT =>
        (command_buffer: vk::CommandBuffer, instance_count: u32, first_instance: u32, counter_buffer: vk::Buffer,
         counter_buffer_offset: vk::DeviceSize, counter_offset: u32, vertex_stride: u32) -> () = plain;
    [device 1.0] vkCmdDispatch =>
        (command_buffer: vk::CommandBuffer, group_count_x: u32, group_count_y: u32, group_count_z: u32) -> () = plain;
    [device 1.1] vkCmdDispatchBase | vkCmdDispatchBaseKHR =>
        (command_buffer: vk::CommandBuffer, base_group_x: u32, base_group_y: u32, base_group_z: u32, group_count_x:
         u32, group_count_y: u32, group_count_z: u32) -> () = plain;
    [device 1.0] vkCmdDispatchIndirect =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize) -> () = plain;
    [device ext] vkCmdTraceRaysKHR =>
        (command_buffer: vk::CommandBuffer, raygen_shader_binding_table: *const vk::StridedDeviceAddressRegionKHR,
         miss_shader_binding_table: *const vk::StridedDeviceAddressRegionKHR, hit_shader_binding_table: *const
         vk::StridedDeviceAddressRegionKHR, callable_shader_binding_table: *const vk::StridedDeviceAddressRegionKHR,
         width: u32, height: u32, depth: u32) -> () = plain;
    [device ext] vkCmdBeginConditionalRenderingEXT =>
        (command_buffer: vk::CommandBuffer, conditional_rendering_begin: *const
         vk::ConditionalRenderingBeginInfoEXT<'_>) -> () = plain;
    [device ext] vkCmdBeginConditionalRendering2EXT =>
        (command_buffer: vk::CommandBuffer, conditional_rendering_begin: *const c_void) -> () = plain;
    [device ext] vkCmdEndConditionalRenderingEXT =>
        (command_buffer: vk::CommandBuffer) -> () = plain;
    [device 1.0] vkCmdExecuteCommands =>
        (command_buffer: vk::CommandBuffer, command_buffer_count: u32, command_buffers: *const vk::CommandBuffer) ->
         () = plain;
    [device ext] vkCmdBeginDebugUtilsLabelEXT =>
        (command_buffer: vk::CommandBuffer, label_info: *const vk::DebugUtilsLabelEXT<'_>) -> () = plain;
    [device ext] vkCmdEndDebugUtilsLabelEXT =>
        (command_buffer: vk::CommandBuffer) -> () = plain;
    [device ext] vkCmdInsertDebugUtilsLabelEXT =>
        (command_buffer: vk::CommandBuffer, label_info: *const vk::DebugUtilsLabelEXT<'_>) -> () = plain;
    [device 1.0] vkCmdResetQueryPool =>
        (command_buffer: vk::CommandBuffer, query_pool: vk::QueryPool, first_query: u32, query_count: u32) -> () =
         plain;
    [device 1.0] vkCmdBeginQuery =>
        (command_buffer: vk::CommandBuffer, query_pool: vk::QueryPool, query: u32, flags: vk::QueryControlFlags) -> ()
         = plain;
    [device 1.0] vkCmdEndQuery =>
        (command_buffer: vk::CommandBuffer, query_pool: vk::QueryPool, query: u32) -> () = plain;
    [device ext] vkCmdFutureThingEXT =>
        (command_buffer: vk::CommandBuffer, info: *const vk::BaseInStructure<'_>) -> () = plain;
}
