//! The one table of hooks: which commands are hooked, under which names, by which function.
//!
//! To hook a command, add a line here and a function under `hooks/`. A line lists the command's name and its aliases; a name
//! is answered with the hook only if the layer below knows that very name.

use crate::dispatch::macros::hook_tables;
use crate::hooks::{
    bind_descriptors, command_buffer, conditional, debug_marker, debug_utils, descriptor, device, device_memory_copy,
    dispatch, draw, dynamic_state, events, fence, framebuffer, host_copy, image, instance, memory, merge_feedback,
    messenger, opaque, pipeline, queue, render_pass, rendering, semaphore, shader, swapchain, sync, tile, tools,
    transfer, video,
};
use ash::vk;
use std::ffi::CStr;
use std::sync::OnceLock;

/// A name and the function that answers to it.
pub struct Hook {
    /// The command's name.
    pub name: &'static str,
    /// The hook.
    pub function: vk::PFN_vkVoidFunction,
}

hook_tables! {
    /// Next pointers of the instance and physical-device commands.
    InstanceTable, INSTANCE_HOOKS {
        create_instance: instance::create_instance as vk::PFN_vkCreateInstance = "vkCreateInstance";
        destroy_instance: instance::destroy_instance as vk::PFN_vkDestroyInstance = "vkDestroyInstance";
        create_device: device::create_device as vk::PFN_vkCreateDevice = "vkCreateDevice";
        enumerate_device_extension_properties: instance::enumerate_device_extension_properties as vk::PFN_vkEnumerateDeviceExtensionProperties = "vkEnumerateDeviceExtensionProperties";
        enumerate_device_layer_properties: instance::enumerate_device_layer_properties as vk::PFN_vkEnumerateDeviceLayerProperties = "vkEnumerateDeviceLayerProperties";

        create_messenger: messenger::create_messenger as vk::PFN_vkCreateDebugUtilsMessengerEXT = "vkCreateDebugUtilsMessengerEXT";
        destroy_messenger: messenger::destroy_messenger as vk::PFN_vkDestroyDebugUtilsMessengerEXT = "vkDestroyDebugUtilsMessengerEXT";

        get_physical_device_features2: merge_feedback::get_physical_device_features2 as vk::PFN_vkGetPhysicalDeviceFeatures2 = "vkGetPhysicalDeviceFeatures2";
        get_physical_device_features2_khr: merge_feedback::get_physical_device_features2_khr as vk::PFN_vkGetPhysicalDeviceFeatures2 = "vkGetPhysicalDeviceFeatures2KHR";

        // One line each: a driver may have one and not the other, and the loader answers for the one that it lacks.
        get_physical_device_tool_properties: tools::get_physical_device_tool_properties as vk::PFN_vkGetPhysicalDeviceToolProperties = "vkGetPhysicalDeviceToolProperties";
        get_physical_device_tool_properties_ext: tools::get_physical_device_tool_properties_ext as vk::PFN_vkGetPhysicalDeviceToolProperties = "vkGetPhysicalDeviceToolPropertiesEXT";
    }

    /// Next pointers of the device commands.
    DeviceTable, DEVICE_HOOKS {
        destroy_device: device::destroy_device as vk::PFN_vkDestroyDevice = "vkDestroyDevice";

        // Queues.
        get_device_queue: queue::get_device_queue as vk::PFN_vkGetDeviceQueue = "vkGetDeviceQueue";
        get_device_queue2: queue::get_device_queue2 as vk::PFN_vkGetDeviceQueue2 = "vkGetDeviceQueue2";
        queue_submit: queue::queue_submit as vk::PFN_vkQueueSubmit = "vkQueueSubmit";
        queue_submit2: queue::queue_submit2 as vk::PFN_vkQueueSubmit2 = "vkQueueSubmit2" | "vkQueueSubmit2KHR";
        queue_bind_sparse: queue::queue_bind_sparse as vk::PFN_vkQueueBindSparse = "vkQueueBindSparse";
        queue_present: swapchain::queue_present as vk::PFN_vkQueuePresentKHR = "vkQueuePresentKHR";

        // What orders queues: semaphores, fences, idle waits.
        create_semaphore: semaphore::create_semaphore as vk::PFN_vkCreateSemaphore = "vkCreateSemaphore";
        destroy_semaphore: semaphore::destroy_semaphore as vk::PFN_vkDestroySemaphore = "vkDestroySemaphore";
        signal_semaphore: semaphore::signal_semaphore as vk::PFN_vkSignalSemaphore = "vkSignalSemaphore" | "vkSignalSemaphoreKHR";
        wait_semaphores: semaphore::wait_semaphores as vk::PFN_vkWaitSemaphores = "vkWaitSemaphores" | "vkWaitSemaphoresKHR";
        get_semaphore_counter_value: semaphore::get_semaphore_counter_value as vk::PFN_vkGetSemaphoreCounterValue = "vkGetSemaphoreCounterValue" | "vkGetSemaphoreCounterValueKHR";
        import_semaphore_fd: semaphore::import_semaphore_fd as vk::PFN_vkImportSemaphoreFdKHR = "vkImportSemaphoreFdKHR";
        import_semaphore_handle: semaphore::import_semaphore_handle as semaphore::ImportHandle = "vkImportSemaphoreWin32HandleKHR";
        import_semaphore_zircon_handle: semaphore::import_semaphore_zircon_handle as semaphore::ImportHandle = "vkImportSemaphoreZirconHandleFUCHSIA";
        create_fence: fence::create_fence as vk::PFN_vkCreateFence = "vkCreateFence";
        destroy_fence: fence::destroy_fence as vk::PFN_vkDestroyFence = "vkDestroyFence";
        reset_fences: fence::reset_fences as vk::PFN_vkResetFences = "vkResetFences";
        wait_for_fences: fence::wait_for_fences as vk::PFN_vkWaitForFences = "vkWaitForFences";
        get_fence_status: fence::get_fence_status as vk::PFN_vkGetFenceStatus = "vkGetFenceStatus";
        import_fence_fd: fence::import_fence_fd as vk::PFN_vkImportFenceFdKHR = "vkImportFenceFdKHR";
        import_fence_handle: fence::import_fence_handle as semaphore::ImportHandle = "vkImportFenceWin32HandleKHR";
        queue_wait_idle: fence::queue_wait_idle as vk::PFN_vkQueueWaitIdle = "vkQueueWaitIdle";
        device_wait_idle: fence::device_wait_idle as vk::PFN_vkDeviceWaitIdle = "vkDeviceWaitIdle";
        get_query_pool_results: fence::get_query_pool_results as vk::PFN_vkGetQueryPoolResults = "vkGetQueryPoolResults";

        // Resources and memory.
        create_image: image::create_image as vk::PFN_vkCreateImage = "vkCreateImage";
        destroy_image: image::destroy_image as vk::PFN_vkDestroyImage = "vkDestroyImage";
        create_image_view: image::create_image_view as vk::PFN_vkCreateImageView = "vkCreateImageView";
        destroy_image_view: image::destroy_image_view as vk::PFN_vkDestroyImageView = "vkDestroyImageView";
        create_buffer: memory::create_buffer as vk::PFN_vkCreateBuffer = "vkCreateBuffer";
        destroy_buffer: memory::destroy_buffer as vk::PFN_vkDestroyBuffer = "vkDestroyBuffer";
        allocate_memory: memory::allocate_memory as vk::PFN_vkAllocateMemory = "vkAllocateMemory";
        free_memory: memory::free_memory as vk::PFN_vkFreeMemory = "vkFreeMemory";
        bind_image_memory: memory::bind_image_memory as vk::PFN_vkBindImageMemory = "vkBindImageMemory";
        bind_image_memory2: memory::bind_image_memory2 as vk::PFN_vkBindImageMemory2 = "vkBindImageMemory2" | "vkBindImageMemory2KHR";
        bind_buffer_memory: memory::bind_buffer_memory as vk::PFN_vkBindBufferMemory = "vkBindBufferMemory";
        bind_buffer_memory2: memory::bind_buffer_memory2 as vk::PFN_vkBindBufferMemory2 = "vkBindBufferMemory2" | "vkBindBufferMemory2KHR";
        get_image_memory_requirements: image::get_image_memory_requirements as vk::PFN_vkGetImageMemoryRequirements = "vkGetImageMemoryRequirements";
        get_image_memory_requirements2: image::get_image_memory_requirements2 as vk::PFN_vkGetImageMemoryRequirements2 = "vkGetImageMemoryRequirements2" | "vkGetImageMemoryRequirements2KHR";
        get_device_image_memory_requirements: image::get_device_image_memory_requirements as vk::PFN_vkGetDeviceImageMemoryRequirements = "vkGetDeviceImageMemoryRequirements" | "vkGetDeviceImageMemoryRequirementsKHR";

        // Swapchains.
        create_swapchain: swapchain::create_swapchain as vk::PFN_vkCreateSwapchainKHR = "vkCreateSwapchainKHR";
        create_shared_swapchains: swapchain::create_shared_swapchains as vk::PFN_vkCreateSharedSwapchainsKHR = "vkCreateSharedSwapchainsKHR";
        destroy_swapchain: swapchain::destroy_swapchain as vk::PFN_vkDestroySwapchainKHR = "vkDestroySwapchainKHR";
        get_swapchain_images: swapchain::get_swapchain_images as vk::PFN_vkGetSwapchainImagesKHR = "vkGetSwapchainImagesKHR";
        acquire_next_image: swapchain::acquire_next_image as vk::PFN_vkAcquireNextImageKHR = "vkAcquireNextImageKHR";
        acquire_next_image2: swapchain::acquire_next_image2 as vk::PFN_vkAcquireNextImage2KHR = "vkAcquireNextImage2KHR";

        // Render passes.
        create_render_pass: render_pass::create_render_pass as vk::PFN_vkCreateRenderPass = "vkCreateRenderPass";
        create_render_pass2: render_pass::create_render_pass2 as vk::PFN_vkCreateRenderPass2 = "vkCreateRenderPass2" | "vkCreateRenderPass2KHR";
        destroy_render_pass: render_pass::destroy_render_pass as vk::PFN_vkDestroyRenderPass = "vkDestroyRenderPass";
        create_framebuffer: framebuffer::create_framebuffer as vk::PFN_vkCreateFramebuffer = "vkCreateFramebuffer";
        destroy_framebuffer: framebuffer::destroy_framebuffer as vk::PFN_vkDestroyFramebuffer = "vkDestroyFramebuffer";
        cmd_begin_render_pass: render_pass::cmd_begin_render_pass as vk::PFN_vkCmdBeginRenderPass = "vkCmdBeginRenderPass";
        cmd_begin_render_pass2: render_pass::cmd_begin_render_pass2 as vk::PFN_vkCmdBeginRenderPass2 = "vkCmdBeginRenderPass2" | "vkCmdBeginRenderPass2KHR";
        cmd_next_subpass: render_pass::cmd_next_subpass as vk::PFN_vkCmdNextSubpass = "vkCmdNextSubpass";
        cmd_next_subpass2: render_pass::cmd_next_subpass2 as vk::PFN_vkCmdNextSubpass2 = "vkCmdNextSubpass2" | "vkCmdNextSubpass2KHR";
        cmd_end_render_pass: render_pass::cmd_end_render_pass as vk::PFN_vkCmdEndRenderPass = "vkCmdEndRenderPass";
        cmd_end_render_pass2: render_pass::cmd_end_render_pass2 as vk::PFN_vkCmdEndRenderPass2 = "vkCmdEndRenderPass2" | "vkCmdEndRenderPass2KHR";
        cmd_begin_rendering: rendering::cmd_begin_rendering as vk::PFN_vkCmdBeginRendering = "vkCmdBeginRendering" | "vkCmdBeginRenderingKHR";
        cmd_end_rendering: rendering::cmd_end_rendering as vk::PFN_vkCmdEndRendering = "vkCmdEndRendering" | "vkCmdEndRenderingKHR";
        cmd_end_rendering2: rendering::cmd_end_rendering2 as crate::abi::CmdEndRendering2 = "vkCmdEndRendering2KHR" | "vkCmdEndRendering2EXT";

        // Shaders.
        create_shader_module: shader::create_shader_module as vk::PFN_vkCreateShaderModule = "vkCreateShaderModule";
        destroy_shader_module: shader::destroy_shader_module as vk::PFN_vkDestroyShaderModule = "vkDestroyShaderModule";

        // Descriptors.
        create_descriptor_set_layout: descriptor::create_descriptor_set_layout as vk::PFN_vkCreateDescriptorSetLayout = "vkCreateDescriptorSetLayout";
        destroy_descriptor_set_layout: descriptor::destroy_descriptor_set_layout as vk::PFN_vkDestroyDescriptorSetLayout = "vkDestroyDescriptorSetLayout";
        create_pipeline_layout: descriptor::create_pipeline_layout as vk::PFN_vkCreatePipelineLayout = "vkCreatePipelineLayout";
        destroy_pipeline_layout: descriptor::destroy_pipeline_layout as vk::PFN_vkDestroyPipelineLayout = "vkDestroyPipelineLayout";
        create_descriptor_pool: descriptor::create_descriptor_pool as vk::PFN_vkCreateDescriptorPool = "vkCreateDescriptorPool";
        destroy_descriptor_pool: descriptor::destroy_descriptor_pool as vk::PFN_vkDestroyDescriptorPool = "vkDestroyDescriptorPool";
        reset_descriptor_pool: descriptor::reset_descriptor_pool as vk::PFN_vkResetDescriptorPool = "vkResetDescriptorPool";
        allocate_descriptor_sets: descriptor::allocate_descriptor_sets as vk::PFN_vkAllocateDescriptorSets = "vkAllocateDescriptorSets";
        free_descriptor_sets: descriptor::free_descriptor_sets as vk::PFN_vkFreeDescriptorSets = "vkFreeDescriptorSets";
        update_descriptor_sets: descriptor::update_descriptor_sets as vk::PFN_vkUpdateDescriptorSets = "vkUpdateDescriptorSets";
        create_descriptor_update_template: descriptor::create_descriptor_update_template as vk::PFN_vkCreateDescriptorUpdateTemplate = "vkCreateDescriptorUpdateTemplate" | "vkCreateDescriptorUpdateTemplateKHR";
        destroy_descriptor_update_template: descriptor::destroy_descriptor_update_template as vk::PFN_vkDestroyDescriptorUpdateTemplate = "vkDestroyDescriptorUpdateTemplate" | "vkDestroyDescriptorUpdateTemplateKHR";
        update_descriptor_set_with_template: descriptor::update_descriptor_set_with_template as vk::PFN_vkUpdateDescriptorSetWithTemplate = "vkUpdateDescriptorSetWithTemplate" | "vkUpdateDescriptorSetWithTemplateKHR";
        get_descriptor: descriptor::get_descriptor as vk::PFN_vkGetDescriptorEXT = "vkGetDescriptorEXT";
        cmd_bind_descriptor_sets: bind_descriptors::cmd_bind_descriptor_sets as vk::PFN_vkCmdBindDescriptorSets = "vkCmdBindDescriptorSets";
        cmd_bind_descriptor_sets2: bind_descriptors::cmd_bind_descriptor_sets2 as vk::PFN_vkCmdBindDescriptorSets2KHR = "vkCmdBindDescriptorSets2" | "vkCmdBindDescriptorSets2KHR";
        cmd_push_descriptor_set: bind_descriptors::cmd_push_descriptor_set as vk::PFN_vkCmdPushDescriptorSetKHR = "vkCmdPushDescriptorSet" | "vkCmdPushDescriptorSetKHR";
        cmd_push_descriptor_set2: bind_descriptors::cmd_push_descriptor_set2 as vk::PFN_vkCmdPushDescriptorSet2KHR = "vkCmdPushDescriptorSet2" | "vkCmdPushDescriptorSet2KHR";
        cmd_push_descriptor_set_with_template: bind_descriptors::cmd_push_descriptor_set_with_template as vk::PFN_vkCmdPushDescriptorSetWithTemplateKHR = "vkCmdPushDescriptorSetWithTemplate" | "vkCmdPushDescriptorSetWithTemplateKHR";
        cmd_push_descriptor_set_with_template2: bind_descriptors::cmd_push_descriptor_set_with_template2 as vk::PFN_vkCmdPushDescriptorSetWithTemplate2KHR = "vkCmdPushDescriptorSetWithTemplate2" | "vkCmdPushDescriptorSetWithTemplate2KHR";
        cmd_set_descriptor_buffer_offsets: bind_descriptors::cmd_set_descriptor_buffer_offsets as vk::PFN_vkCmdSetDescriptorBufferOffsetsEXT = "vkCmdSetDescriptorBufferOffsetsEXT";
        cmd_set_descriptor_buffer_offsets2: bind_descriptors::cmd_set_descriptor_buffer_offsets2 as vk::PFN_vkCmdSetDescriptorBufferOffsets2EXT = "vkCmdSetDescriptorBufferOffsets2EXT";

        // Tiles of Qualcomm.
        get_framebuffer_tile_properties: tile::get_framebuffer_tile_properties as vk::PFN_vkGetFramebufferTilePropertiesQCOM = "vkGetFramebufferTilePropertiesQCOM";
        get_dynamic_rendering_tile_properties: tile::get_dynamic_rendering_tile_properties as vk::PFN_vkGetDynamicRenderingTilePropertiesQCOM = "vkGetDynamicRenderingTilePropertiesQCOM";

        // Command pools and buffers.
        create_command_pool: command_buffer::create_command_pool as vk::PFN_vkCreateCommandPool = "vkCreateCommandPool";
        destroy_command_pool: command_buffer::destroy_command_pool as vk::PFN_vkDestroyCommandPool = "vkDestroyCommandPool";
        reset_command_pool: command_buffer::reset_command_pool as vk::PFN_vkResetCommandPool = "vkResetCommandPool";
        allocate_command_buffers: command_buffer::allocate_command_buffers as vk::PFN_vkAllocateCommandBuffers = "vkAllocateCommandBuffers";
        free_command_buffers: command_buffer::free_command_buffers as vk::PFN_vkFreeCommandBuffers = "vkFreeCommandBuffers";
        begin_command_buffer: command_buffer::begin_command_buffer as vk::PFN_vkBeginCommandBuffer = "vkBeginCommandBuffer";
        end_command_buffer: command_buffer::end_command_buffer as vk::PFN_vkEndCommandBuffer = "vkEndCommandBuffer";
        reset_command_buffer: command_buffer::reset_command_buffer as vk::PFN_vkResetCommandBuffer = "vkResetCommandBuffer";
        cmd_execute_commands: command_buffer::cmd_execute_commands as vk::PFN_vkCmdExecuteCommands = "vkCmdExecuteCommands";

        // Pipelines and shader objects.
        create_graphics_pipelines: pipeline::create_graphics_pipelines as vk::PFN_vkCreateGraphicsPipelines = "vkCreateGraphicsPipelines";
        create_compute_pipelines: pipeline::create_compute_pipelines as vk::PFN_vkCreateComputePipelines = "vkCreateComputePipelines";
        destroy_pipeline: pipeline::destroy_pipeline as vk::PFN_vkDestroyPipeline = "vkDestroyPipeline";
        cmd_bind_pipeline: pipeline::cmd_bind_pipeline as vk::PFN_vkCmdBindPipeline = "vkCmdBindPipeline";
        cmd_bind_pipeline_shader_group_nv: pipeline::cmd_bind_pipeline_shader_group_nv as vk::PFN_vkCmdBindPipelineShaderGroupNV = "vkCmdBindPipelineShaderGroupNV";
        create_shaders: pipeline::create_shaders as vk::PFN_vkCreateShadersEXT = "vkCreateShadersEXT";
        destroy_shader: pipeline::destroy_shader as vk::PFN_vkDestroyShaderEXT = "vkDestroyShaderEXT";
        cmd_bind_shaders: pipeline::cmd_bind_shaders as vk::PFN_vkCmdBindShadersEXT = "vkCmdBindShadersEXT";

        // Dynamic state that bears on attachments.
        cmd_set_viewport: dynamic_state::cmd_set_viewport as vk::PFN_vkCmdSetViewport = "vkCmdSetViewport";
        cmd_set_scissor: dynamic_state::cmd_set_scissor as vk::PFN_vkCmdSetScissor = "vkCmdSetScissor";
        cmd_set_viewport_with_count: dynamic_state::cmd_set_viewport_with_count as vk::PFN_vkCmdSetViewportWithCount = "vkCmdSetViewportWithCount" | "vkCmdSetViewportWithCountEXT";
        cmd_set_scissor_with_count: dynamic_state::cmd_set_scissor_with_count as vk::PFN_vkCmdSetScissorWithCount = "vkCmdSetScissorWithCount" | "vkCmdSetScissorWithCountEXT";
        cmd_set_rasterizer_discard_enable: dynamic_state::cmd_set_rasterizer_discard_enable as vk::PFN_vkCmdSetRasterizerDiscardEnable = "vkCmdSetRasterizerDiscardEnable" | "vkCmdSetRasterizerDiscardEnableEXT";
        cmd_set_depth_test_enable: dynamic_state::cmd_set_depth_test_enable as vk::PFN_vkCmdSetDepthTestEnable = "vkCmdSetDepthTestEnable" | "vkCmdSetDepthTestEnableEXT";
        cmd_set_depth_write_enable: dynamic_state::cmd_set_depth_write_enable as vk::PFN_vkCmdSetDepthWriteEnable = "vkCmdSetDepthWriteEnable" | "vkCmdSetDepthWriteEnableEXT";
        cmd_set_depth_compare_op: dynamic_state::cmd_set_depth_compare_op as vk::PFN_vkCmdSetDepthCompareOp = "vkCmdSetDepthCompareOp" | "vkCmdSetDepthCompareOpEXT";
        cmd_set_depth_bounds_test_enable: dynamic_state::cmd_set_depth_bounds_test_enable as vk::PFN_vkCmdSetDepthBoundsTestEnable = "vkCmdSetDepthBoundsTestEnable" | "vkCmdSetDepthBoundsTestEnableEXT";
        cmd_set_depth_clamp_enable: dynamic_state::cmd_set_depth_clamp_enable as vk::PFN_vkCmdSetDepthClampEnableEXT = "vkCmdSetDepthClampEnableEXT";
        cmd_set_stencil_test_enable: dynamic_state::cmd_set_stencil_test_enable as vk::PFN_vkCmdSetStencilTestEnable = "vkCmdSetStencilTestEnable" | "vkCmdSetStencilTestEnableEXT";
        cmd_set_stencil_op: dynamic_state::cmd_set_stencil_op as vk::PFN_vkCmdSetStencilOp = "vkCmdSetStencilOp" | "vkCmdSetStencilOpEXT";
        cmd_set_stencil_write_mask: dynamic_state::cmd_set_stencil_write_mask as vk::PFN_vkCmdSetStencilWriteMask = "vkCmdSetStencilWriteMask";
        cmd_set_primitive_topology: dynamic_state::cmd_set_primitive_topology as vk::PFN_vkCmdSetPrimitiveTopology = "vkCmdSetPrimitiveTopology" | "vkCmdSetPrimitiveTopologyEXT";
        cmd_set_rasterization_samples: dynamic_state::cmd_set_rasterization_samples as vk::PFN_vkCmdSetRasterizationSamplesEXT = "vkCmdSetRasterizationSamplesEXT";
        cmd_set_alpha_to_coverage_enable: dynamic_state::cmd_set_alpha_to_coverage_enable as vk::PFN_vkCmdSetAlphaToCoverageEnableEXT = "vkCmdSetAlphaToCoverageEnableEXT";
        cmd_set_logic_op_enable: dynamic_state::cmd_set_logic_op_enable as vk::PFN_vkCmdSetLogicOpEnableEXT = "vkCmdSetLogicOpEnableEXT";
        cmd_set_logic_op: dynamic_state::cmd_set_logic_op as vk::PFN_vkCmdSetLogicOpEXT = "vkCmdSetLogicOpEXT";
        cmd_set_color_blend_enable: dynamic_state::cmd_set_color_blend_enable as vk::PFN_vkCmdSetColorBlendEnableEXT = "vkCmdSetColorBlendEnableEXT";
        cmd_set_color_blend_equation: dynamic_state::cmd_set_color_blend_equation as vk::PFN_vkCmdSetColorBlendEquationEXT = "vkCmdSetColorBlendEquationEXT";
        cmd_set_color_blend_advanced: dynamic_state::cmd_set_color_blend_advanced as vk::PFN_vkCmdSetColorBlendAdvancedEXT = "vkCmdSetColorBlendAdvancedEXT";
        cmd_set_color_write_mask: dynamic_state::cmd_set_color_write_mask as vk::PFN_vkCmdSetColorWriteMaskEXT = "vkCmdSetColorWriteMaskEXT";
        cmd_set_color_write_enable: dynamic_state::cmd_set_color_write_enable as vk::PFN_vkCmdSetColorWriteEnableEXT = "vkCmdSetColorWriteEnableEXT";
        cmd_set_vertex_input: dynamic_state::cmd_set_vertex_input as vk::PFN_vkCmdSetVertexInputEXT = "vkCmdSetVertexInputEXT";
        cmd_bind_vertex_buffers2: dynamic_state::cmd_bind_vertex_buffers2 as vk::PFN_vkCmdBindVertexBuffers2 = "vkCmdBindVertexBuffers2" | "vkCmdBindVertexBuffers2EXT";
        cmd_bind_shading_rate_image_nv: dynamic_state::cmd_bind_shading_rate_image_nv as vk::PFN_vkCmdBindShadingRateImageNV = "vkCmdBindShadingRateImageNV";
        cmd_set_attachment_feedback_loop_enable: dynamic_state::cmd_set_attachment_feedback_loop_enable as vk::PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT = "vkCmdSetAttachmentFeedbackLoopEnableEXT";
        cmd_bind_vertex_buffers3: dynamic_state::cmd_bind_vertex_buffers3 as crate::abi::CmdBindVertexBuffers3 = "vkCmdBindVertexBuffers3KHR";
        cmd_set_rendering_attachment_locations: dynamic_state::cmd_set_rendering_attachment_locations as vk::PFN_vkCmdSetRenderingAttachmentLocationsKHR = "vkCmdSetRenderingAttachmentLocations" | "vkCmdSetRenderingAttachmentLocationsKHR";

        // Draws and dispatches.
        cmd_draw: draw::cmd_draw as vk::PFN_vkCmdDraw = "vkCmdDraw";
        cmd_draw_indexed: draw::cmd_draw_indexed as vk::PFN_vkCmdDrawIndexed = "vkCmdDrawIndexed";
        cmd_draw_indirect: draw::cmd_draw_indirect as vk::PFN_vkCmdDrawIndirect = "vkCmdDrawIndirect";
        cmd_draw_indexed_indirect: draw::cmd_draw_indexed_indirect as vk::PFN_vkCmdDrawIndexedIndirect = "vkCmdDrawIndexedIndirect";
        cmd_draw_indirect_count: draw::cmd_draw_indirect_count as vk::PFN_vkCmdDrawIndirectCount = "vkCmdDrawIndirectCount" | "vkCmdDrawIndirectCountKHR" | "vkCmdDrawIndirectCountAMD";
        cmd_draw_indexed_indirect_count: draw::cmd_draw_indexed_indirect_count as vk::PFN_vkCmdDrawIndexedIndirectCount = "vkCmdDrawIndexedIndirectCount" | "vkCmdDrawIndexedIndirectCountKHR" | "vkCmdDrawIndexedIndirectCountAMD";
        cmd_draw_indirect_byte_count: draw::cmd_draw_indirect_byte_count as vk::PFN_vkCmdDrawIndirectByteCountEXT = "vkCmdDrawIndirectByteCountEXT";
        cmd_draw_multi: draw::cmd_draw_multi as vk::PFN_vkCmdDrawMultiEXT = "vkCmdDrawMultiEXT";
        cmd_draw_multi_indexed: draw::cmd_draw_multi_indexed as vk::PFN_vkCmdDrawMultiIndexedEXT = "vkCmdDrawMultiIndexedEXT";
        cmd_draw_mesh_tasks: draw::cmd_draw_mesh_tasks as vk::PFN_vkCmdDrawMeshTasksEXT = "vkCmdDrawMeshTasksEXT";
        cmd_draw_mesh_tasks_indirect: draw::cmd_draw_mesh_tasks_indirect as vk::PFN_vkCmdDrawMeshTasksIndirectEXT = "vkCmdDrawMeshTasksIndirectEXT";
        cmd_draw_mesh_tasks_indirect_count: draw::cmd_draw_mesh_tasks_indirect_count as vk::PFN_vkCmdDrawMeshTasksIndirectCountEXT = "vkCmdDrawMeshTasksIndirectCountEXT";
        cmd_draw_mesh_tasks_nv: draw::cmd_draw_mesh_tasks_nv as vk::PFN_vkCmdDrawMeshTasksNV = "vkCmdDrawMeshTasksNV";
        cmd_draw_mesh_tasks_indirect_nv: draw::cmd_draw_mesh_tasks_indirect_nv as vk::PFN_vkCmdDrawMeshTasksIndirectNV = "vkCmdDrawMeshTasksIndirectNV";
        cmd_draw_mesh_tasks_indirect_count_nv: draw::cmd_draw_mesh_tasks_indirect_count_nv as vk::PFN_vkCmdDrawMeshTasksIndirectCountNV = "vkCmdDrawMeshTasksIndirectCountNV";
        cmd_draw_cluster: draw::cmd_draw_cluster as vk::PFN_vkCmdDrawClusterHUAWEI = "vkCmdDrawClusterHUAWEI";
        cmd_draw_cluster_indirect: draw::cmd_draw_cluster_indirect as vk::PFN_vkCmdDrawClusterIndirectHUAWEI = "vkCmdDrawClusterIndirectHUAWEI";
        cmd_draw_indirect2: draw::cmd_draw_indirect2 as crate::abi::CmdDrawIndirect2 = "vkCmdDrawIndirect2KHR";
        cmd_draw_indexed_indirect2: draw::cmd_draw_indexed_indirect2 as crate::abi::CmdDrawIndirect2 = "vkCmdDrawIndexedIndirect2KHR";
        cmd_draw_mesh_tasks_indirect2: draw::cmd_draw_mesh_tasks_indirect2 as crate::abi::CmdDrawIndirect2 = "vkCmdDrawMeshTasksIndirect2EXT";
        cmd_draw_indirect_count2: draw::cmd_draw_indirect_count2 as crate::abi::CmdWithInfo = "vkCmdDrawIndirectCount2KHR";
        cmd_draw_indexed_indirect_count2: draw::cmd_draw_indexed_indirect_count2 as crate::abi::CmdWithInfo = "vkCmdDrawIndexedIndirectCount2KHR";
        cmd_draw_mesh_tasks_indirect_count2: draw::cmd_draw_mesh_tasks_indirect_count2 as crate::abi::CmdWithInfo = "vkCmdDrawMeshTasksIndirectCount2EXT";
        cmd_draw_indirect_byte_count2: draw::cmd_draw_indirect_byte_count2 as crate::abi::CmdDrawIndirectByteCount2 = "vkCmdDrawIndirectByteCount2EXT";
        cmd_execute_generated_commands_nv: draw::cmd_execute_generated_commands_nv as vk::PFN_vkCmdExecuteGeneratedCommandsNV = "vkCmdExecuteGeneratedCommandsNV";
        cmd_execute_generated_commands: draw::cmd_execute_generated_commands as crate::abi::CmdExecuteGeneratedCommands = "vkCmdExecuteGeneratedCommandsEXT";
        cmd_begin_conditional_rendering: conditional::cmd_begin_conditional_rendering as vk::PFN_vkCmdBeginConditionalRenderingEXT = "vkCmdBeginConditionalRenderingEXT";
        cmd_begin_conditional_rendering2: conditional::cmd_begin_conditional_rendering2 as crate::abi::CmdWithInfo = "vkCmdBeginConditionalRendering2EXT";
        cmd_end_conditional_rendering: conditional::cmd_end_conditional_rendering as vk::PFN_vkCmdEndConditionalRenderingEXT = "vkCmdEndConditionalRenderingEXT";
        cmd_dispatch: dispatch::cmd_dispatch as vk::PFN_vkCmdDispatch = "vkCmdDispatch";
        cmd_dispatch_indirect: dispatch::cmd_dispatch_indirect as vk::PFN_vkCmdDispatchIndirect = "vkCmdDispatchIndirect";
        cmd_dispatch_base: dispatch::cmd_dispatch_base as vk::PFN_vkCmdDispatchBase = "vkCmdDispatchBase" | "vkCmdDispatchBaseKHR";
        cmd_dispatch_indirect2: dispatch::cmd_dispatch_indirect2 as crate::abi::CmdWithInfo = "vkCmdDispatchIndirect2KHR";
        cmd_dispatch_tile: dispatch::cmd_dispatch_tile as crate::abi::CmdWithInfo = "vkCmdDispatchTileQCOM";
        cmd_dispatch_graph: dispatch::cmd_dispatch_graph as crate::abi::CmdDispatchGraph = "vkCmdDispatchGraphAMDX";
        cmd_dispatch_graph_indirect: dispatch::cmd_dispatch_graph_indirect as crate::abi::CmdDispatchGraph = "vkCmdDispatchGraphIndirectAMDX";
        cmd_dispatch_graph_indirect_count: dispatch::cmd_dispatch_graph_indirect_count as crate::abi::CmdDispatchGraphIndirectCount = "vkCmdDispatchGraphIndirectCountAMDX";
        cmd_dispatch_data_graph: dispatch::cmd_dispatch_data_graph as crate::abi::CmdDispatchDataGraph = "vkCmdDispatchDataGraphARM";

        // Synchronization.
        cmd_pipeline_barrier: sync::cmd_pipeline_barrier as vk::PFN_vkCmdPipelineBarrier = "vkCmdPipelineBarrier";
        cmd_pipeline_barrier2: sync::cmd_pipeline_barrier2 as vk::PFN_vkCmdPipelineBarrier2 = "vkCmdPipelineBarrier2" | "vkCmdPipelineBarrier2KHR";
        cmd_wait_events: sync::cmd_wait_events as vk::PFN_vkCmdWaitEvents = "vkCmdWaitEvents";
        cmd_wait_events2: sync::cmd_wait_events2 as vk::PFN_vkCmdWaitEvents2 = "vkCmdWaitEvents2" | "vkCmdWaitEvents2KHR";

        create_event: events::create_event as vk::PFN_vkCreateEvent = "vkCreateEvent";
        destroy_event: events::destroy_event as vk::PFN_vkDestroyEvent = "vkDestroyEvent";
        cmd_set_event: events::cmd_set_event as vk::PFN_vkCmdSetEvent = "vkCmdSetEvent";
        cmd_set_event2: events::cmd_set_event2 as vk::PFN_vkCmdSetEvent2 = "vkCmdSetEvent2" | "vkCmdSetEvent2KHR";
        cmd_reset_event: events::cmd_reset_event as vk::PFN_vkCmdResetEvent = "vkCmdResetEvent";
        cmd_reset_event2: events::cmd_reset_event2 as vk::PFN_vkCmdResetEvent2 = "vkCmdResetEvent2" | "vkCmdResetEvent2KHR";

        // Transfers.
        cmd_copy_buffer: transfer::cmd_copy_buffer as vk::PFN_vkCmdCopyBuffer = "vkCmdCopyBuffer";
        cmd_copy_buffer2: transfer::cmd_copy_buffer2 as vk::PFN_vkCmdCopyBuffer2 = "vkCmdCopyBuffer2" | "vkCmdCopyBuffer2KHR";
        cmd_copy_image: transfer::cmd_copy_image as vk::PFN_vkCmdCopyImage = "vkCmdCopyImage";
        cmd_copy_image2: transfer::cmd_copy_image2 as vk::PFN_vkCmdCopyImage2 = "vkCmdCopyImage2" | "vkCmdCopyImage2KHR";
        cmd_copy_buffer_to_image: transfer::cmd_copy_buffer_to_image as vk::PFN_vkCmdCopyBufferToImage = "vkCmdCopyBufferToImage";
        cmd_copy_buffer_to_image2: transfer::cmd_copy_buffer_to_image2 as vk::PFN_vkCmdCopyBufferToImage2 = "vkCmdCopyBufferToImage2" | "vkCmdCopyBufferToImage2KHR";
        cmd_copy_image_to_buffer: transfer::cmd_copy_image_to_buffer as vk::PFN_vkCmdCopyImageToBuffer = "vkCmdCopyImageToBuffer";
        cmd_copy_image_to_buffer2: transfer::cmd_copy_image_to_buffer2 as vk::PFN_vkCmdCopyImageToBuffer2 = "vkCmdCopyImageToBuffer2" | "vkCmdCopyImageToBuffer2KHR";
        cmd_blit_image: transfer::cmd_blit_image as vk::PFN_vkCmdBlitImage = "vkCmdBlitImage";
        cmd_blit_image2: transfer::cmd_blit_image2 as vk::PFN_vkCmdBlitImage2 = "vkCmdBlitImage2" | "vkCmdBlitImage2KHR";
        cmd_resolve_image: transfer::cmd_resolve_image as vk::PFN_vkCmdResolveImage = "vkCmdResolveImage";
        cmd_resolve_image2: transfer::cmd_resolve_image2 as vk::PFN_vkCmdResolveImage2 = "vkCmdResolveImage2" | "vkCmdResolveImage2KHR";
        cmd_clear_color_image: transfer::cmd_clear_color_image as vk::PFN_vkCmdClearColorImage = "vkCmdClearColorImage";
        cmd_clear_depth_stencil_image: transfer::cmd_clear_depth_stencil_image as vk::PFN_vkCmdClearDepthStencilImage = "vkCmdClearDepthStencilImage";
        cmd_clear_attachments: transfer::cmd_clear_attachments as vk::PFN_vkCmdClearAttachments = "vkCmdClearAttachments";
        cmd_fill_buffer: transfer::cmd_fill_buffer as vk::PFN_vkCmdFillBuffer = "vkCmdFillBuffer";
        cmd_update_buffer: transfer::cmd_update_buffer as vk::PFN_vkCmdUpdateBuffer = "vkCmdUpdateBuffer";

        // Names and labels.
        set_object_name: debug_utils::set_object_name as vk::PFN_vkSetDebugUtilsObjectNameEXT = "vkSetDebugUtilsObjectNameEXT";
        cmd_begin_label: debug_utils::cmd_begin_label as vk::PFN_vkCmdBeginDebugUtilsLabelEXT = "vkCmdBeginDebugUtilsLabelEXT";
        cmd_end_label: debug_utils::cmd_end_label as vk::PFN_vkCmdEndDebugUtilsLabelEXT = "vkCmdEndDebugUtilsLabelEXT";
        queue_begin_label: debug_utils::queue_begin_label as vk::PFN_vkQueueBeginDebugUtilsLabelEXT = "vkQueueBeginDebugUtilsLabelEXT";
        queue_insert_label: debug_utils::queue_insert_label as vk::PFN_vkQueueInsertDebugUtilsLabelEXT = "vkQueueInsertDebugUtilsLabelEXT";
        cmd_insert_label: debug_utils::cmd_insert_label as vk::PFN_vkCmdInsertDebugUtilsLabelEXT = "vkCmdInsertDebugUtilsLabelEXT";
        queue_end_label: debug_utils::queue_end_label as vk::PFN_vkQueueEndDebugUtilsLabelEXT = "vkQueueEndDebugUtilsLabelEXT";

        // Memory by its address, query results and markers.
        cmd_copy_memory: device_memory_copy::cmd_copy_memory as crate::abi::CmdInfo = "vkCmdCopyMemoryKHR";
        cmd_copy_memory_to_image: device_memory_copy::cmd_copy_memory_to_image as crate::abi::CmdInfo = "vkCmdCopyMemoryToImageKHR";
        cmd_copy_image_to_memory: device_memory_copy::cmd_copy_image_to_memory as crate::abi::CmdInfo = "vkCmdCopyImageToMemoryKHR";
        cmd_fill_memory: device_memory_copy::cmd_fill_memory as crate::abi::CmdFillMemory = "vkCmdFillMemoryKHR";
        cmd_update_memory: device_memory_copy::cmd_update_memory as crate::abi::CmdUpdateMemory = "vkCmdUpdateMemoryKHR";
        cmd_write_marker_to_memory: device_memory_copy::cmd_write_marker_to_memory as crate::abi::CmdInfo = "vkCmdWriteMarkerToMemoryAMD";
        cmd_write_buffer_marker: device_memory_copy::cmd_write_buffer_marker as vk::PFN_vkCmdWriteBufferMarkerAMD = "vkCmdWriteBufferMarkerAMD";
        cmd_write_buffer_marker2: device_memory_copy::cmd_write_buffer_marker2 as vk::PFN_vkCmdWriteBufferMarker2AMD = "vkCmdWriteBufferMarker2AMD";
        cmd_copy_query_pool_results: device_memory_copy::cmd_copy_query_pool_results as vk::PFN_vkCmdCopyQueryPoolResults = "vkCmdCopyQueryPoolResults";
        cmd_copy_query_pool_results_to_memory: device_memory_copy::cmd_copy_query_pool_results_to_memory as crate::abi::CmdCopyQueryResultsToMemory = "vkCmdCopyQueryPoolResultsToMemoryKHR";
        cmd_copy_memory_to_image_indirect_nv: device_memory_copy::cmd_copy_memory_to_image_indirect_nv as vk::PFN_vkCmdCopyMemoryToImageIndirectNV = "vkCmdCopyMemoryToImageIndirectNV";
        cmd_copy_memory_to_image_indirect: device_memory_copy::cmd_copy_memory_to_image_indirect as crate::abi::CmdInfo = "vkCmdCopyMemoryToImageIndirectKHR";

        // Copies by the host.
        copy_memory_to_image: host_copy::copy_memory_to_image as vk::PFN_vkCopyMemoryToImageEXT = "vkCopyMemoryToImage" | "vkCopyMemoryToImageEXT";
        copy_image_to_memory: host_copy::copy_image_to_memory as vk::PFN_vkCopyImageToMemoryEXT = "vkCopyImageToMemory" | "vkCopyImageToMemoryEXT";
        copy_image_to_image: host_copy::copy_image_to_image as vk::PFN_vkCopyImageToImageEXT = "vkCopyImageToImage" | "vkCopyImageToImageEXT";
        transition_image_layout: host_copy::transition_image_layout as vk::PFN_vkTransitionImageLayoutEXT = "vkTransitionImageLayout" | "vkTransitionImageLayoutEXT";

        // Video coding and optical flow.
        cmd_decode_video: video::cmd_decode_video as vk::PFN_vkCmdDecodeVideoKHR = "vkCmdDecodeVideoKHR";
        cmd_encode_video: video::cmd_encode_video as vk::PFN_vkCmdEncodeVideoKHR = "vkCmdEncodeVideoKHR";
        bind_optical_flow_session_image: video::bind_optical_flow_session_image as vk::PFN_vkBindOpticalFlowSessionImageNV = "vkBindOpticalFlowSessionImageNV";

        // Names and labels of VK_EXT_debug_marker.
        set_marker_object_name: debug_marker::set_marker_object_name as vk::PFN_vkDebugMarkerSetObjectNameEXT = "vkDebugMarkerSetObjectNameEXT";
        cmd_begin_marker: debug_marker::cmd_begin_marker as vk::PFN_vkCmdDebugMarkerBeginEXT = "vkCmdDebugMarkerBeginEXT";
        cmd_end_marker: debug_marker::cmd_end_marker as vk::PFN_vkCmdDebugMarkerEndEXT = "vkCmdDebugMarkerEndEXT";

        // Commands whose bytes are not modelled: the report names them.
        cmd_build_acceleration_structures: opaque::cmd_build_acceleration_structures as vk::PFN_vkCmdBuildAccelerationStructuresKHR = "vkCmdBuildAccelerationStructuresKHR";
        cmd_build_acceleration_structures_indirect: opaque::cmd_build_acceleration_structures_indirect as vk::PFN_vkCmdBuildAccelerationStructuresIndirectKHR = "vkCmdBuildAccelerationStructuresIndirectKHR";
        cmd_build_acceleration_structure_nv: opaque::cmd_build_acceleration_structure_nv as vk::PFN_vkCmdBuildAccelerationStructureNV = "vkCmdBuildAccelerationStructureNV";
        cmd_build_cluster_acceleration_structure: opaque::cmd_build_cluster_acceleration_structure as crate::abi::CmdInfo = "vkCmdBuildClusterAccelerationStructureIndirectNV";
        cmd_build_partitioned_acceleration_structures: opaque::cmd_build_partitioned_acceleration_structures as crate::abi::CmdInfo = "vkCmdBuildPartitionedAccelerationStructuresNV";
        cmd_copy_acceleration_structure: opaque::cmd_copy_acceleration_structure as crate::abi::CmdInfo = "vkCmdCopyAccelerationStructureKHR";
        cmd_copy_acceleration_structure_nv: opaque::cmd_copy_acceleration_structure_nv as vk::PFN_vkCmdCopyAccelerationStructureNV = "vkCmdCopyAccelerationStructureNV";
        cmd_copy_acceleration_structure_to_memory: opaque::cmd_copy_acceleration_structure_to_memory as crate::abi::CmdInfo = "vkCmdCopyAccelerationStructureToMemoryKHR";
        cmd_copy_memory_to_acceleration_structure: opaque::cmd_copy_memory_to_acceleration_structure as crate::abi::CmdInfo = "vkCmdCopyMemoryToAccelerationStructureKHR";
        cmd_build_micromaps: opaque::cmd_build_micromaps as crate::abi::CmdCountInfo = "vkCmdBuildMicromapsEXT";
        cmd_copy_micromap: opaque::cmd_copy_micromap as crate::abi::CmdInfo = "vkCmdCopyMicromapEXT";
        cmd_copy_micromap_to_memory: opaque::cmd_copy_micromap_to_memory as crate::abi::CmdInfo = "vkCmdCopyMicromapToMemoryEXT";
        cmd_copy_memory_to_micromap: opaque::cmd_copy_memory_to_micromap as crate::abi::CmdInfo = "vkCmdCopyMemoryToMicromapEXT";
        cmd_copy_memory_indirect: opaque::cmd_copy_memory_indirect as crate::abi::CmdInfo = "vkCmdCopyMemoryIndirectKHR";
        cmd_copy_memory_indirect_nv: opaque::cmd_copy_memory_indirect_nv as vk::PFN_vkCmdCopyMemoryIndirectNV = "vkCmdCopyMemoryIndirectNV";
        cmd_copy_tensor: opaque::cmd_copy_tensor as crate::abi::CmdInfo = "vkCmdCopyTensorARM";
        cmd_decompress_memory: opaque::cmd_decompress_memory as crate::abi::CmdInfo = "vkCmdDecompressMemoryEXT";
        cmd_decompress_memory_indirect_count: opaque::cmd_decompress_memory_indirect_count as crate::abi::CmdDecompressIndirect = "vkCmdDecompressMemoryIndirectCountEXT";
        cmd_decompress_memory_nv: opaque::cmd_decompress_memory_nv as crate::abi::CmdCountInfo = "vkCmdDecompressMemoryNV";
        cmd_decompress_memory_indirect_count_nv: opaque::cmd_decompress_memory_indirect_count_nv as vk::PFN_vkCmdDecompressMemoryIndirectCountNV = "vkCmdDecompressMemoryIndirectCountNV";
        cmd_convert_cooperative_vector_matrix: opaque::cmd_convert_cooperative_vector_matrix as crate::abi::CmdCountInfo = "vkCmdConvertCooperativeVectorMatrixNV";
        cmd_copy_gpa_session_results: opaque::cmd_copy_gpa_session_results as crate::abi::CmdHandle = "vkCmdCopyGpaSessionResultsAMD";
        cmd_optical_flow_execute: opaque::cmd_optical_flow_execute as crate::abi::CmdOpticalFlow = "vkCmdOpticalFlowExecuteNV";
        cmd_trace_rays: opaque::cmd_trace_rays as vk::PFN_vkCmdTraceRaysKHR = "vkCmdTraceRaysKHR";
        cmd_trace_rays_indirect: opaque::cmd_trace_rays_indirect as vk::PFN_vkCmdTraceRaysIndirectKHR = "vkCmdTraceRaysIndirectKHR";
        cmd_trace_rays_indirect2: opaque::cmd_trace_rays_indirect2 as vk::PFN_vkCmdTraceRaysIndirect2KHR = "vkCmdTraceRaysIndirect2KHR";
        cmd_trace_rays_nv: opaque::cmd_trace_rays_nv as vk::PFN_vkCmdTraceRaysNV = "vkCmdTraceRaysNV";
        cmd_cu_launch_kernel: opaque::cmd_cu_launch_kernel as crate::abi::CmdInfo = "vkCmdCuLaunchKernelNVX";
        cmd_cuda_launch_kernel: opaque::cmd_cuda_launch_kernel as crate::abi::CmdInfo = "vkCmdCudaLaunchKernelNV";
        cmd_subpass_shading: opaque::cmd_subpass_shading as vk::PFN_vkCmdSubpassShadingHUAWEI = "vkCmdSubpassShadingHUAWEI";
    }
}

fn sorted(list: &'static [Hook]) -> Vec<&'static Hook> {
    let mut hooks: Vec<_> = list.iter().collect();
    hooks.sort_by_key(|h| h.name);
    hooks
}

fn search(hooks: &[&'static Hook], name: &CStr) -> vk::PFN_vkVoidFunction {
    let name = name.to_bytes();
    hooks.binary_search_by(|h| h.name.as_bytes().cmp(name)).ok().and_then(|at| hooks[at].function)
}

/// The hook of an instance or physical-device command.
pub fn instance_hook(name: &CStr) -> vk::PFN_vkVoidFunction {
    static SORTED: OnceLock<Vec<&'static Hook>> = OnceLock::new();
    search(SORTED.get_or_init(|| sorted(INSTANCE_HOOKS)), name)
}

/// The hook of a device command.
pub fn device_hook(name: &CStr) -> vk::PFN_vkVoidFunction {
    static SORTED: OnceLock<Vec<&'static Hook>> = OnceLock::new();
    search(SORTED.get_or_init(|| sorted(DEVICE_HOOKS)), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_hooked_once() {
        let mut names: Vec<_> = INSTANCE_HOOKS.iter().chain(DEVICE_HOOKS).map(|h| h.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(all, names.len());
    }
}
