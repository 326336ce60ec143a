//! VK_EXT_conditional_rendering: what stands between these commands happens if a word in memory says so, which only the GPU reads.
//!
//! Draws, dispatches and vkCmdClearAttachments in between may do what they say, or nothing. What the word is is not looked at.

use super::command;
use ash::vk;
use std::ffi::c_void;

command! {
    /// vkCmdBeginConditionalRenderingEXT.
    cmd_begin_conditional_rendering(info: *const vk::ConditionalRenderingBeginInfoEXT<'_>) |device, state| {
        state.set_conditional(true);
    }
}

command! {
    /// vkCmdBeginConditionalRendering2EXT.
    cmd_begin_conditional_rendering2(info: *const c_void) |device, state| state.set_conditional(true)
}

command! {
    /// vkCmdEndConditionalRenderingEXT.
    cmd_end_conditional_rendering() |device, state| state.set_conditional(false)
}
