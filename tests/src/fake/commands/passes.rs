//! Commands that begin, advance and end render pass instances.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::plain;
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
    [device 1.0] vkCmdClearAttachments =>
        (command_buffer: vk::CommandBuffer, attachment_count: u32, attachments: *const vk::ClearAttachment,
         rect_count: u32, rects: *const vk::ClearRect) -> () = plain;
}
