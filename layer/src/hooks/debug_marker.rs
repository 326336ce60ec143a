//! Object names and label regions of VK_EXT_debug_marker, the forerunner of VK_EXT_debug_utils that older engines and translation
//! layers still use.

use super::debug_utils::name;
use super::{command, device_of};
use crate::abi::string;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use ash::vk::{self, Handle};

/// vkDebugMarkerSetObjectNameEXT.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn set_marker_object_name(
    handle: vk::Device,
    info: *const vk::DebugMarkerObjectNameInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.set_marker_object_name else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info);
        guard(HookId::set_marker_object_name, || {
            let info = &*info;
            let ty = match info.object_type {
                vk::DebugReportObjectTypeEXT::DEVICE => vk::ObjectType::DEVICE,
                vk::DebugReportObjectTypeEXT::IMAGE => vk::ObjectType::IMAGE,
                vk::DebugReportObjectTypeEXT::BUFFER => vk::ObjectType::BUFFER,
                vk::DebugReportObjectTypeEXT::RENDER_PASS => vk::ObjectType::RENDER_PASS,
                vk::DebugReportObjectTypeEXT::FRAMEBUFFER => vk::ObjectType::FRAMEBUFFER,
                _ => return,
            };
            name(device, ty, info.object, string(info.p_object_name).as_deref());
        });
        result
    }
}

command! {
    /// vkCmdDebugMarkerBeginEXT.
    cmd_begin_marker(info: *const vk::DebugMarkerMarkerInfoEXT<'_>) |device, state| {
        // SAFETY: the argument of the call in progress.
        let label = unsafe { string((*info).p_marker_name) };
        state.begin_label(label.as_deref().unwrap_or(""));
    }
}

command! {
    /// vkCmdDebugMarkerEndEXT.
    cmd_end_marker() |device, state| state.end_label()
}
