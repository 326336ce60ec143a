//! Commands that copy, clear, resolve and order memory.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::plain;
use ash::vk;
use std::ffi::c_void;

commands! {
    [device 1.0] vkCmdCopyBuffer =>
        (command_buffer: vk::CommandBuffer, src_buffer: vk::Buffer, dst_buffer: vk::Buffer, region_count: u32,
         regions: *const vk::BufferCopy) -> () = plain;
    [device 1.0] vkCmdCopyImage =>
        (command_buffer: vk::CommandBuffer, src_image: vk::Image, src_image_layout: vk::ImageLayout, dst_image:
         vk::Image, dst_image_layout: vk::ImageLayout, region_count: u32, regions: *const vk::ImageCopy) -> () =
         plain;
    [device 1.0] vkCmdBlitImage =>
        (command_buffer: vk::CommandBuffer, src_image: vk::Image, src_image_layout: vk::ImageLayout, dst_image:
         vk::Image, dst_image_layout: vk::ImageLayout, region_count: u32, regions: *const vk::ImageBlit, filter:
         vk::Filter) -> () = plain;
    [device 1.0] vkCmdCopyBufferToImage =>
        (command_buffer: vk::CommandBuffer, src_buffer: vk::Buffer, dst_image: vk::Image, dst_image_layout:
         vk::ImageLayout, region_count: u32, regions: *const vk::BufferImageCopy) -> () = plain;
    [device 1.0] vkCmdCopyImageToBuffer =>
        (command_buffer: vk::CommandBuffer, src_image: vk::Image, src_image_layout: vk::ImageLayout, dst_buffer:
         vk::Buffer, region_count: u32, regions: *const vk::BufferImageCopy) -> () = plain;
    [device 1.0] vkCmdUpdateBuffer =>
        (command_buffer: vk::CommandBuffer, dst_buffer: vk::Buffer, dst_offset: vk::DeviceSize, data_size:
         vk::DeviceSize, data: *const c_void) -> () = plain;
    [device 1.0] vkCmdFillBuffer =>
        (command_buffer: vk::CommandBuffer, dst_buffer: vk::Buffer, dst_offset: vk::DeviceSize, size: vk::DeviceSize,
         data: u32) -> () = plain;
    [device 1.0] vkCmdClearColorImage =>
        (command_buffer: vk::CommandBuffer, image: vk::Image, image_layout: vk::ImageLayout, color: *const
         vk::ClearColorValue, range_count: u32, ranges: *const vk::ImageSubresourceRange) -> () = plain;
    [device 1.0] vkCmdClearDepthStencilImage =>
        (command_buffer: vk::CommandBuffer, image: vk::Image, image_layout: vk::ImageLayout, depth_stencil: *const
         vk::ClearDepthStencilValue, range_count: u32, ranges: *const vk::ImageSubresourceRange) -> () = plain;
    [device 1.0] vkCmdResolveImage =>
        (command_buffer: vk::CommandBuffer, src_image: vk::Image, src_image_layout: vk::ImageLayout, dst_image:
         vk::Image, dst_image_layout: vk::ImageLayout, region_count: u32, regions: *const vk::ImageResolve) -> () =
         plain;
    [device 1.3] vkCmdCopyBuffer2 | vkCmdCopyBuffer2KHR =>
        (command_buffer: vk::CommandBuffer, copy_buffer_info: *const vk::CopyBufferInfo2<'_>) -> () = plain;
    [device 1.3] vkCmdCopyImage2 | vkCmdCopyImage2KHR =>
        (command_buffer: vk::CommandBuffer, copy_image_info: *const vk::CopyImageInfo2<'_>) -> () = plain;
    [device 1.3] vkCmdBlitImage2 | vkCmdBlitImage2KHR =>
        (command_buffer: vk::CommandBuffer, blit_image_info: *const vk::BlitImageInfo2<'_>) -> () = plain;
    [device 1.3] vkCmdCopyBufferToImage2 | vkCmdCopyBufferToImage2KHR =>
        (command_buffer: vk::CommandBuffer, copy_buffer_to_image_info: *const vk::CopyBufferToImageInfo2<'_>) -> () =
         plain;
    [device 1.3] vkCmdCopyImageToBuffer2 | vkCmdCopyImageToBuffer2KHR =>
        (command_buffer: vk::CommandBuffer, copy_image_to_buffer_info: *const vk::CopyImageToBufferInfo2<'_>) -> () =
         plain;
    [device 1.3] vkCmdResolveImage2 | vkCmdResolveImage2KHR =>
        (command_buffer: vk::CommandBuffer, resolve_image_info: *const vk::ResolveImageInfo2<'_>) -> () = plain;
    [device 1.0] vkCmdPipelineBarrier =>
        (command_buffer: vk::CommandBuffer, src_stage_mask: vk::PipelineStageFlags, dst_stage_mask:
         vk::PipelineStageFlags, dependency_flags: vk::DependencyFlags, memory_barrier_count: u32, memory_barriers:
         *const vk::MemoryBarrier<'_>, buffer_memory_barrier_count: u32, buffer_memory_barriers: *const
         vk::BufferMemoryBarrier<'_>, image_memory_barrier_count: u32, image_memory_barriers: *const
         vk::ImageMemoryBarrier<'_>) -> () = plain;
    [device 1.3] vkCmdPipelineBarrier2 | vkCmdPipelineBarrier2KHR =>
        (command_buffer: vk::CommandBuffer, dependency_info: *const vk::DependencyInfo<'_>) -> () = plain;
    [device 1.0] vkCmdSetEvent =>
        (command_buffer: vk::CommandBuffer, event: vk::Event, stage_mask: vk::PipelineStageFlags) -> () = plain;
    [device 1.0] vkCmdResetEvent =>
        (command_buffer: vk::CommandBuffer, event: vk::Event, stage_mask: vk::PipelineStageFlags) -> () = plain;
    [device 1.0] vkCmdWaitEvents =>
        (command_buffer: vk::CommandBuffer, event_count: u32, events: *const vk::Event, src_stage_mask:
         vk::PipelineStageFlags, dst_stage_mask: vk::PipelineStageFlags, memory_barrier_count: u32, memory_barriers:
         *const vk::MemoryBarrier<'_>, buffer_memory_barrier_count: u32, buffer_memory_barriers: *const
         vk::BufferMemoryBarrier<'_>, image_memory_barrier_count: u32, image_memory_barriers: *const
         vk::ImageMemoryBarrier<'_>) -> () = plain;
    [device 1.3] vkCmdSetEvent2 | vkCmdSetEvent2KHR =>
        (command_buffer: vk::CommandBuffer, event: vk::Event, dependency_info: *const vk::DependencyInfo<'_>) -> () =
         plain;
    [device 1.3] vkCmdResetEvent2 | vkCmdResetEvent2KHR =>
        (command_buffer: vk::CommandBuffer, event: vk::Event, stage_mask: vk::PipelineStageFlags2) -> () = plain;
    [device 1.3] vkCmdWaitEvents2 | vkCmdWaitEvents2KHR =>
        (command_buffer: vk::CommandBuffer, event_count: u32, events: *const vk::Event, dependency_infos: *const
         vk::DependencyInfo<'_>) -> () = plain;
}
