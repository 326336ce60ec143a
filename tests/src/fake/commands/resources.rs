//! Commands that make memory, resources, render passes and pipelines.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::{
    allocate_memory, buffer_requirements, create, create_pipelines, create_render_pass2, destroy,
    future_image_requirements, image_requirements, map_memory, memory_commitment, plain,
};
use ash::vk;
use std::ffi::c_void;

commands! {
    [device 1.0] vkAllocateMemory =>
        (device: vk::Device, allocate_info: *const vk::MemoryAllocateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, memory: *mut vk::DeviceMemory) -> vk::Result = allocate_memory;
    [device 1.0] vkFreeMemory =>
        (device: vk::Device, memory: vk::DeviceMemory, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkMapMemory =>
        (device: vk::Device, memory: vk::DeviceMemory, offset: vk::DeviceSize, size: vk::DeviceSize, flags:
         vk::MemoryMapFlags, data: *mut *mut c_void) -> vk::Result = map_memory;
    [device 1.0] vkUnmapMemory =>
        (device: vk::Device, memory: vk::DeviceMemory) -> () = plain;
    [device 1.0] vkCreateBuffer =>
        (device: vk::Device, create_info: *const vk::BufferCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, buffer: *mut vk::Buffer) -> vk::Result = create;
    [device 1.0] vkDestroyBuffer =>
        (device: vk::Device, buffer: vk::Buffer, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkBindBufferMemory =>
        (device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, memory_offset: vk::DeviceSize) ->
         vk::Result = plain;
    [device 1.1] vkBindBufferMemory2 | vkBindBufferMemory2KHR =>
        (device: vk::Device, bind_info_count: u32, bind_infos: *const vk::BindBufferMemoryInfo<'_>) -> vk::Result =
         plain;
    [device 1.0] vkCreateBufferView =>
        (device: vk::Device, create_info: *const vk::BufferViewCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, view: *mut vk::BufferView) -> vk::Result = create;
    [device 1.0] vkDestroyBufferView =>
        (device: vk::Device, buffer_view: vk::BufferView, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device 1.0] vkCreateImage =>
        (device: vk::Device, create_info: *const vk::ImageCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, image: *mut vk::Image) -> vk::Result = create;
    [device 1.0] vkDestroyImage =>
        (device: vk::Device, image: vk::Image, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkGetImageMemoryRequirements =>
        (device: vk::Device, image: vk::Image, memory_requirements: *mut vk::MemoryRequirements) -> () =
         image_requirements;
    [device 1.3] vkGetDeviceImageMemoryRequirements | vkGetDeviceImageMemoryRequirementsKHR =>
        (device: vk::Device, info: *const vk::DeviceImageMemoryRequirements<'_>, memory_requirements: *mut
         vk::MemoryRequirements2<'_>) -> () = future_image_requirements;
    [device 1.0] vkGetDeviceMemoryCommitment =>
        (device: vk::Device, memory: vk::DeviceMemory, committed: *mut vk::DeviceSize) -> () = memory_commitment;
    [device 1.0] vkGetBufferMemoryRequirements =>
        (device: vk::Device, buffer: vk::Buffer, memory_requirements: *mut vk::MemoryRequirements) -> () =
         buffer_requirements;
    [device 1.0] vkBindImageMemory =>
        (device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, memory_offset: vk::DeviceSize) -> vk::Result
         = plain;
    [device 1.1] vkBindImageMemory2 | vkBindImageMemory2KHR =>
        (device: vk::Device, bind_info_count: u32, bind_infos: *const vk::BindImageMemoryInfo<'_>) -> vk::Result =
         plain;
    [device 1.0] vkCreateImageView =>
        (device: vk::Device, create_info: *const vk::ImageViewCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, view: *mut vk::ImageView) -> vk::Result = create;
    [device 1.0] vkDestroyImageView =>
        (device: vk::Device, image_view: vk::ImageView, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device 1.0] vkCreateSampler =>
        (device: vk::Device, create_info: *const vk::SamplerCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, sampler: *mut vk::Sampler) -> vk::Result = create;
    [device 1.0] vkDestroySampler =>
        (device: vk::Device, sampler: vk::Sampler, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkCreateRenderPass =>
        (device: vk::Device, create_info: *const vk::RenderPassCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, render_pass: *mut vk::RenderPass) -> vk::Result = create;
    [device 1.2] vkCreateRenderPass2 | vkCreateRenderPass2KHR =>
        (device: vk::Device, create_info: *const vk::RenderPassCreateInfo2<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, render_pass: *mut vk::RenderPass) -> vk::Result = create_render_pass2;
    [device 1.0] vkDestroyRenderPass =>
        (device: vk::Device, render_pass: vk::RenderPass, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device 1.0] vkGetRenderAreaGranularity =>
        (device: vk::Device, render_pass: vk::RenderPass, granularity: *mut vk::Extent2D) -> () = plain;
    [device 1.0] vkCreateFramebuffer =>
        (device: vk::Device, create_info: *const vk::FramebufferCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, framebuffer: *mut vk::Framebuffer) -> vk::Result = create;
    [device 1.0] vkDestroyFramebuffer =>
        (device: vk::Device, framebuffer: vk::Framebuffer, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device 1.0] vkCreateShaderModule =>
        (device: vk::Device, create_info: *const vk::ShaderModuleCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, shader_module: *mut vk::ShaderModule) -> vk::Result = create;
    [device 1.0] vkDestroyShaderModule =>
        (device: vk::Device, shader_module: vk::ShaderModule, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device 1.0] vkCreatePipelineLayout =>
        (device: vk::Device, create_info: *const vk::PipelineLayoutCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, pipeline_layout: *mut vk::PipelineLayout) -> vk::Result = create;
    [device 1.0] vkDestroyPipelineLayout =>
        (device: vk::Device, pipeline_layout: vk::PipelineLayout, allocator: *const vk::AllocationCallbacks<'_>) -> ()
         = destroy;
    [device 1.0] vkCreateGraphicsPipelines =>
        (device: vk::Device, pipeline_cache: vk::PipelineCache, create_info_count: u32, create_infos: *const
         vk::GraphicsPipelineCreateInfo<'_>, allocator: *const vk::AllocationCallbacks<'_>, pipelines: *mut
         vk::Pipeline) -> vk::Result = create_pipelines;
    [device 1.0] vkCreateComputePipelines =>
        (device: vk::Device, pipeline_cache: vk::PipelineCache, create_info_count: u32, create_infos: *const
         vk::ComputePipelineCreateInfo<'_>, allocator: *const vk::AllocationCallbacks<'_>, pipelines: *mut
         vk::Pipeline) -> vk::Result = create_pipelines;
    [device 1.0] vkDestroyPipeline =>
        (device: vk::Device, pipeline: vk::Pipeline, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkCreatePipelineCache =>
        (device: vk::Device, create_info: *const vk::PipelineCacheCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, pipeline_cache: *mut vk::PipelineCache) -> vk::Result = create;
    [device 1.0] vkDestroyPipelineCache =>
        (device: vk::Device, pipeline_cache: vk::PipelineCache, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device ext] vkSetDebugUtilsObjectNameEXT =>
        (device: vk::Device, name_info: *const vk::DebugUtilsObjectNameInfoEXT<'_>) -> vk::Result = plain;
    [device ext] vkSetDebugUtilsObjectTagEXT =>
        (device: vk::Device, tag_info: *const vk::DebugUtilsObjectTagInfoEXT<'_>) -> vk::Result = plain;
}
