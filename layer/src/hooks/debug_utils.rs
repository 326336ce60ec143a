//! Object names and label regions of VK_EXT_debug_utils: how passes and resources are called in the report.

use super::{command, device_of};
use crate::abi::string;
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use ash::vk::{self, Handle};

/// vkSetDebugUtilsObjectNameEXT.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn set_object_name(
    handle: vk::Device,
    info: *const vk::DebugUtilsObjectNameInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.set_object_name else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info);
        guard(HookId::set_object_name, || {
            let info = &*info;
            name(device, info.object_type, info.object_handle, string(info.p_object_name).as_deref());
        });
        result
    }
}

/// Names an object, as far as objects of its type have names here.
pub(super) fn name(device: &Device, ty: vk::ObjectType, handle: u64, name: Option<&str>) {
    let objects = &device.recorder.objects;
    match ty {
        vk::ObjectType::DEVICE if handle == device.handle.as_raw() => device.name.set(name),
        vk::ObjectType::IMAGE => {
            if let Some(image) = objects.images.get(handle) {
                image.name.set(name);
            }
        }
        vk::ObjectType::BUFFER => {
            if let Some(buffer) = objects.buffers.get(handle) {
                buffer.name.set(name);
            }
        }
        vk::ObjectType::RENDER_PASS => {
            if let Some(pass) = objects.render_passes.get(handle) {
                pass.name.set(name);
            }
        }
        vk::ObjectType::FRAMEBUFFER => {
            if let Some(framebuffer) = objects.framebuffers.get(handle) {
                framebuffer.name.set(name);
            }
        }
        _ => {}
    }
}

command! {
    /// vkCmdBeginDebugUtilsLabelEXT.
    cmd_begin_label(info: *const vk::DebugUtilsLabelEXT<'_>) |device, state| {
        // SAFETY: the argument of the call in progress.
        let label = unsafe { string((*info).p_label_name) };
        let label = label.as_deref().unwrap_or("");
        if device.recorder.marks() {
            state.mark(label);
        }
        state.begin_label(label);
    }
}

command! {
    /// vkCmdInsertDebugUtilsLabelEXT: bears on nothing but the choice of frames.
    cmd_insert_label(info: *const vk::DebugUtilsLabelEXT<'_>) |device, state| {
        if device.recorder.marks() {
            // SAFETY: the argument of the call in progress.
            if let Some(label) = unsafe { string((*info).p_label_name) } {
                state.mark(&label);
            }
        }
    }
}

command! {
    /// vkCmdEndDebugUtilsLabelEXT.
    cmd_end_label() |device, state| state.end_label()
}

/// vkQueueBeginDebugUtilsLabelEXT.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_begin_label(queue: vk::Queue, info: *const vk::DebugUtilsLabelEXT<'_>) {
    // SAFETY: a live queue; the application's own arguments.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return };
        if let Some(next) = device.next.queue_begin_label {
            next(queue, info);
        }
        guard(HookId::queue_begin_label, || {
            let label = string((*info).p_label_name).unwrap_or_default();
            device.recorder.timeline.label(queue.as_raw(), Some(&label));
        });
    }
}

/// vkQueueInsertDebugUtilsLabelEXT: bears on nothing but the choice of frames.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_insert_label(queue: vk::Queue, info: *const vk::DebugUtilsLabelEXT<'_>) {
    // SAFETY: a live queue; the application's own arguments.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return };
        if let Some(next) = device.next.queue_insert_label {
            next(queue, info);
        }
        guard(HookId::queue_insert_label, || {
            if device.recorder.marks() {
                device.recorder.timeline.insert_label(&string((*info).p_label_name).unwrap_or_default());
            }
        });
    }
}

/// vkQueueEndDebugUtilsLabelEXT.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_end_label(queue: vk::Queue) {
    // SAFETY: a live queue.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return };
        if let Some(next) = device.next.queue_end_label {
            next(queue);
        }
        guard(HookId::queue_end_label, || device.recorder.timeline.label(queue.as_raw(), None));
    }
}
