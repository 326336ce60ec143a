//! Commands that bind pipelines and shader objects, set state, and draw or dispatch in newer or rarer ways.
//!
//! Signatures are those of the Vulkan registry, with `c_void` for structs that the headers in use do not have; the word after `=` is what
//! the fake driver does.

use super::commands;
use crate::fake::driver::{create_shaders, destroy, plain};
use ash::vk;
use std::ffi::c_void;

commands! {
    [device ext] vkCreateShadersEXT =>
        (device: vk::Device, create_info_count: u32, create_infos: *const vk::ShaderCreateInfoEXT<'_>, allocator:
         *const vk::AllocationCallbacks<'_>, shaders: *mut vk::ShaderEXT) -> vk::Result = create_shaders;
    [device ext] vkDestroyShaderEXT =>
        (device: vk::Device, shader: vk::ShaderEXT, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device ext] vkCmdBindPipelineShaderGroupNV =>
        (command_buffer: vk::CommandBuffer, pipeline_bind_point: vk::PipelineBindPoint, pipeline: vk::Pipeline,
         group_index: u32) -> () = plain;
    [device ext] vkCmdBindShadersEXT =>
        (command_buffer: vk::CommandBuffer, stage_count: u32, stages: *const vk::ShaderStageFlags, shaders: *const
         vk::ShaderEXT) -> () = plain;
    [device 1.3] vkCmdSetViewportWithCount | vkCmdSetViewportWithCountEXT =>
        (command_buffer: vk::CommandBuffer, viewport_count: u32, viewports: *const vk::Viewport) -> () = plain;
    [device 1.3] vkCmdSetScissorWithCount | vkCmdSetScissorWithCountEXT =>
        (command_buffer: vk::CommandBuffer, scissor_count: u32, scissors: *const vk::Rect2D) -> () = plain;
    [device 1.3] vkCmdSetRasterizerDiscardEnable | vkCmdSetRasterizerDiscardEnableEXT =>
        (command_buffer: vk::CommandBuffer, rasterizer_discard_enable: vk::Bool32) -> () = plain;
    [device 1.3] vkCmdSetDepthTestEnable | vkCmdSetDepthTestEnableEXT =>
        (command_buffer: vk::CommandBuffer, depth_test_enable: vk::Bool32) -> () = plain;
    [device 1.3] vkCmdSetDepthWriteEnable | vkCmdSetDepthWriteEnableEXT =>
        (command_buffer: vk::CommandBuffer, depth_write_enable: vk::Bool32) -> () = plain;
    [device 1.3] vkCmdSetDepthCompareOp | vkCmdSetDepthCompareOpEXT =>
        (command_buffer: vk::CommandBuffer, depth_compare_op: vk::CompareOp) -> () = plain;
    [device 1.3] vkCmdSetDepthBoundsTestEnable | vkCmdSetDepthBoundsTestEnableEXT =>
        (command_buffer: vk::CommandBuffer, depth_bounds_test_enable: vk::Bool32) -> () = plain;
    [device ext] vkCmdSetDepthClampEnableEXT =>
        (command_buffer: vk::CommandBuffer, depth_clamp_enable: vk::Bool32) -> () = plain;
    [device 1.3] vkCmdSetStencilTestEnable | vkCmdSetStencilTestEnableEXT =>
        (command_buffer: vk::CommandBuffer, stencil_test_enable: vk::Bool32) -> () = plain;
    [device 1.3] vkCmdSetStencilOp | vkCmdSetStencilOpEXT =>
        (command_buffer: vk::CommandBuffer, face_mask: vk::StencilFaceFlags, fail_op: vk::StencilOp, pass_op:
         vk::StencilOp, depth_fail_op: vk::StencilOp, compare_op: vk::CompareOp) -> () = plain;
    [device 1.0] vkCmdSetStencilWriteMask =>
        (command_buffer: vk::CommandBuffer, face_mask: vk::StencilFaceFlags, write_mask: u32) -> () = plain;
    [device 1.3] vkCmdSetPrimitiveTopology | vkCmdSetPrimitiveTopologyEXT =>
        (command_buffer: vk::CommandBuffer, primitive_topology: vk::PrimitiveTopology) -> () = plain;
    [device ext] vkCmdSetRasterizationSamplesEXT =>
        (command_buffer: vk::CommandBuffer, rasterization_samples: vk::SampleCountFlags) -> () = plain;
    [device ext] vkCmdSetAlphaToCoverageEnableEXT =>
        (command_buffer: vk::CommandBuffer, alpha_to_coverage_enable: vk::Bool32) -> () = plain;
    [device ext] vkCmdSetLogicOpEnableEXT =>
        (command_buffer: vk::CommandBuffer, logic_op_enable: vk::Bool32) -> () = plain;
    [device ext] vkCmdSetLogicOpEXT =>
        (command_buffer: vk::CommandBuffer, logic_op: vk::LogicOp) -> () = plain;
    [device ext] vkCmdSetColorBlendEnableEXT =>
        (command_buffer: vk::CommandBuffer, first_attachment: u32, attachment_count: u32, color_blend_enables:
         *const vk::Bool32) -> () = plain;
    [device ext] vkCmdSetColorBlendEquationEXT =>
        (command_buffer: vk::CommandBuffer, first_attachment: u32, attachment_count: u32, color_blend_equations:
         *const vk::ColorBlendEquationEXT) -> () = plain;
    [device ext] vkCmdSetColorBlendAdvancedEXT =>
        (command_buffer: vk::CommandBuffer, first_attachment: u32, attachment_count: u32, color_blend_advanced:
         *const vk::ColorBlendAdvancedEXT) -> () = plain;
    [device ext] vkCmdSetColorWriteMaskEXT =>
        (command_buffer: vk::CommandBuffer, first_attachment: u32, attachment_count: u32, color_write_masks: *const
         vk::ColorComponentFlags) -> () = plain;
    [device ext] vkCmdSetColorWriteEnableEXT =>
        (command_buffer: vk::CommandBuffer, attachment_count: u32, color_write_enables: *const vk::Bool32) -> () =
         plain;
    [device ext] vkCmdSetVertexInputEXT =>
        (command_buffer: vk::CommandBuffer, vertex_binding_description_count: u32, vertex_binding_descriptions:
         *const vk::VertexInputBindingDescription2EXT<'_>, vertex_attribute_description_count: u32,
         vertex_attribute_descriptions: *const vk::VertexInputAttributeDescription2EXT<'_>) -> () = plain;
    [device 1.3] vkCmdBindVertexBuffers2 | vkCmdBindVertexBuffers2EXT =>
        (command_buffer: vk::CommandBuffer, first_binding: u32, binding_count: u32, buffers: *const vk::Buffer,
         offsets: *const vk::DeviceSize, sizes: *const vk::DeviceSize, strides: *const vk::DeviceSize) -> () = plain;
    [device ext] vkCmdSetAttachmentFeedbackLoopEnableEXT =>
        (command_buffer: vk::CommandBuffer, aspect_mask: vk::ImageAspectFlags) -> () = plain;
    [device ext] vkCmdBindVertexBuffers3KHR =>
        (command_buffer: vk::CommandBuffer, first_binding: u32, binding_count: u32, binding_infos: *const c_void) ->
         () = plain;
    [device 1.4] vkCmdSetRenderingAttachmentLocations | vkCmdSetRenderingAttachmentLocationsKHR =>
        (command_buffer: vk::CommandBuffer, location_info: *const vk::RenderingAttachmentLocationInfoKHR<'_>) -> ()
         = plain;
    [device ext] vkCmdDrawClusterHUAWEI =>
        (command_buffer: vk::CommandBuffer, group_count_x: u32, group_count_y: u32, group_count_z: u32) -> () = plain;
    [device ext] vkCmdDrawClusterIndirectHUAWEI =>
        (command_buffer: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize) -> () = plain;
    [device ext] vkCmdDrawIndirect2KHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDrawIndexedIndirect2KHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDrawMeshTasksIndirect2EXT =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDrawIndirectCount2KHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDrawIndexedIndirectCount2KHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDrawMeshTasksIndirectCount2EXT =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDrawIndirectByteCount2EXT =>
        (command_buffer: vk::CommandBuffer, instance_count: u32, first_instance: u32, counter_info: *const c_void,
         counter_offset: u32, vertex_stride: u32) -> () = plain;
    [device ext] vkCmdExecuteGeneratedCommandsNV =>
        (command_buffer: vk::CommandBuffer, is_preprocessed: vk::Bool32, generated_commands_info: *const
         vk::GeneratedCommandsInfoNV<'_>) -> () = plain;
    [device ext] vkCmdExecuteGeneratedCommandsEXT =>
        (command_buffer: vk::CommandBuffer, is_preprocessed: vk::Bool32, generated_commands_info: *const c_void) ->
         () = plain;
    [device ext] vkCmdDispatchIndirect2KHR =>
        (command_buffer: vk::CommandBuffer, info: *const c_void) -> () = plain;
    [device ext] vkCmdDispatchTileQCOM =>
        (command_buffer: vk::CommandBuffer, dispatch_tile_info: *const c_void) -> () = plain;
    [device ext] vkCmdDispatchGraphAMDX =>
        (command_buffer: vk::CommandBuffer, scratch: vk::DeviceAddress, scratch_size: vk::DeviceSize, count_info:
         *const c_void) -> () = plain;
    [device ext] vkCmdDispatchGraphIndirectAMDX =>
        (command_buffer: vk::CommandBuffer, scratch: vk::DeviceAddress, scratch_size: vk::DeviceSize, count_info:
         *const c_void) -> () = plain;
    [device ext] vkCmdDispatchGraphIndirectCountAMDX =>
        (command_buffer: vk::CommandBuffer, scratch: vk::DeviceAddress, scratch_size: vk::DeviceSize, count_info:
         vk::DeviceAddress) -> () = plain;
    [device ext] vkCmdBindShadingRateImageNV =>
        (command_buffer: vk::CommandBuffer, view: vk::ImageView, layout: vk::ImageLayout) -> () = plain;
    [device ext] vkCmdDispatchDataGraphARM =>
        (command_buffer: vk::CommandBuffer, session: u64, info: *const c_void) -> () = plain;

}
