//! Dynamic rendering.

use super::command;
use super::render_pass::name;
use crate::translate;
use ash::vk;
use std::ffi::c_void;

command! {
    /// vkCmdBeginRendering.
    cmd_begin_rendering(info: *const vk::RenderingInfo<'_>) |device, state| {
        // SAFETY: the argument of the call in progress.
        let mut pass = unsafe { translate::rendering::rendering(&*info, &device.recorder.objects, state.recording()) };
        pass.labels = state.labels();
        pass.tile = device.recorder.objects.rendering_tiles.find(&pass);
        state.begin_pass(pass);
    }
}

command! {
    /// vkCmdEndRendering.
    cmd_end_rendering() |device, state| state.end_pass()
}

command! {
    /// vkCmdEndRendering2KHR.
    cmd_end_rendering2(info: *const c_void) |device, state| {
        // SAFETY: null or a VkRenderingEndInfoKHR, which begins as every struct that can be extended.
        unsafe { name(state, info.cast::<vk::BaseInStructure<'_>>().as_ref().map(|info| info.p_next.cast())) };
        state.end_pass();
    }
}
