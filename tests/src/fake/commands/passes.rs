//! Commands that begin, advance and end render pass instances.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::{framebuffer_tiles, plain, rendering_tile};
use ash::vk;
use std::ffi::c_void;

commands! {
    [device 1.0] vkCmdBeginRenderPass =>
        (command_buffer: vk::CommandBuffer, render_pass_begin: *const vk::RenderPassBeginInfo<'_>, contents:
         vk::SubpassContents) -> () = plain;
    [device 1.0] vkCmdNextSubpass =>
        (command_buffer: vk::CommandBuffer, contents: vk::SubpassContents) -> () = plain;
    [device 1.0] vkCmdEndRenderPass =>
        (command_buffer: vk::CommandBuffer) -> () = plain;
    [device 1.2] vkCmdBeginRenderPass2 | vkCmdBeginRenderPass2KHR =>
        (command_buffer: vk::CommandBuffer, render_pass_begin: *const vk::RenderPassBeginInfo<'_>, subpass_begin_info:
         *const vk::SubpassBeginInfo<'_>) -> () = plain;
    [device 1.2] vkCmdNextSubpass2 | vkCmdNextSubpass2KHR =>
        (command_buffer: vk::CommandBuffer, subpass_begin_info: *const vk::SubpassBeginInfo<'_>, subpass_end_info:
         *const vk::SubpassEndInfo<'_>) -> () = plain;
    [device 1.2] vkCmdEndRenderPass2 | vkCmdEndRenderPass2KHR =>
        (command_buffer: vk::CommandBuffer, subpass_end_info: *const vk::SubpassEndInfo<'_>) -> () = plain;
    [device 1.3] vkCmdBeginRendering | vkCmdBeginRenderingKHR =>
        (command_buffer: vk::CommandBuffer, rendering_info: *const vk::RenderingInfo<'_>) -> () = plain;
    [device 1.3] vkCmdEndRendering | vkCmdEndRenderingKHR =>
        (command_buffer: vk::CommandBuffer) -> () = plain;
    [device ext] vkCmdEndRendering2KHR | vkCmdEndRendering2EXT =>
        (command_buffer: vk::CommandBuffer, rendering_end_info: *const c_void) -> () = plain;
    [device ext] vkCmdBeginCustomResolveEXT =>
        (command_buffer: vk::CommandBuffer, begin_custom_resolve_info: *const c_void) -> () = plain;
    [device ext] vkCmdSetRenderingInputAttachmentIndices | vkCmdSetRenderingInputAttachmentIndicesKHR =>
        (command_buffer: vk::CommandBuffer, input_attachment_index_info: *const
         vk::RenderingInputAttachmentIndexInfoKHR<'_>) -> () = plain;
    [device ext] vkCmdBeginPerTileExecutionQCOM =>
        (command_buffer: vk::CommandBuffer, per_tile_begin_info: *const c_void) -> () = plain;
    [device ext] vkCmdEndPerTileExecutionQCOM =>
        (command_buffer: vk::CommandBuffer, per_tile_end_info: *const c_void) -> () = plain;
    [device ext] vkCmdBindTileMemoryQCOM =>
        (command_buffer: vk::CommandBuffer, tile_memory_bind_info: *const c_void) -> () = plain;
    [device ext] vkGetFramebufferTilePropertiesQCOM =>
        (device: vk::Device, framebuffer: vk::Framebuffer, properties_count: *mut u32, properties: *mut
         vk::TilePropertiesQCOM<'_>) -> vk::Result = framebuffer_tiles;
    [device ext] vkGetDynamicRenderingTilePropertiesQCOM =>
        (device: vk::Device, rendering_info: *const vk::RenderingInfo<'_>, properties: *mut
         vk::TilePropertiesQCOM<'_>) -> vk::Result = rendering_tile;
    [device 1.0] vkCmdClearAttachments =>
        (command_buffer: vk::CommandBuffer, attachment_count: u32, attachments: *const vk::ClearAttachment,
         rect_count: u32, rects: *const vk::ClearRect) -> () = plain;
}
