//! Messengers of VK_EXT_debug_utils: who is told of the findings.

use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::dispatch::{instances, key};
use crate::sinks::messengers::Messenger;
use ash::vk::{self, Handle};

/// vkCreateDebugUtilsMessengerEXT.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_messenger(
    handle: vk::Instance,
    info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    messenger: *mut vk::DebugUtilsMessengerEXT,
) -> vk::Result {
    // SAFETY: a live instance; the application's own arguments.
    unsafe {
        let instance = instances::find(key(handle.as_raw()));
        let Some(instance) = instance else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = instance.next.create_messenger else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, messenger);
        if result == vk::Result::SUCCESS {
            guard(HookId::create_messenger, || instance.messengers.add(Messenger::new(*messenger, &*info)));
        }
        result
    }
}

/// vkDestroyDebugUtilsMessengerEXT. Forgotten even after a fault: the callback may go with it.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_messenger(
    handle: vk::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live instance; the application's own arguments.
    unsafe {
        let Some(instance) = instances::find(key(handle.as_raw())) else { return };
        if !messenger.is_null() {
            instance.messengers.remove(messenger);
        }
        if let Some(next) = instance.next.destroy_messenger {
            next(handle, messenger, allocator);
        }
    }
}
