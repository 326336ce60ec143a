//! Semaphores: what orders the submissions of several queues.
//!
//! A wait of the host is noted after the call down, a signal of the host before it: another thread may see it at once.

use super::device_of;
use crate::abi::{self, find, slice};
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use ash::vk::{self, Handle};
use std::ffi::c_void;

/// vkCreateSemaphore.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_semaphore(
    handle: vk::Device,
    info: *const vk::SemaphoreCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    semaphore: *mut vk::Semaphore,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_semaphore else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, semaphore);
        if result.as_raw() >= 0 {
            guard(HookId::create_semaphore, || {
                if !device.recorder.timeline.has_queues() {
                    return;
                }
                let chain = (*info).p_next;
                let kind = find::<vk::SemaphoreTypeCreateInfo<'_>>(chain);
                let timeline = kind.filter(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE);
                let exported = find::<vk::ExportSemaphoreCreateInfo<'_>>(chain);
                let shared = exported.is_some_and(|e| !e.handle_types.is_empty()) || has_metal_event(chain);
                device.recorder.timeline.order(|order| {
                    if shared {
                        // Others may signal it and wait for it.
                        order.forget_semaphore((*semaphore).as_raw());
                    } else {
                        order.semaphore((*semaphore).as_raw(), timeline.map(|t| t.initial_value));
                    }
                });
            });
        }
        result
    }
}

/// Whether Metal shares the semaphore: it is made of a shared event, or gives one away (VK_EXT_metal_objects).
///
/// # Safety
/// `chain` is the pNext of a valid VkSemaphoreCreateInfo.
unsafe fn has_metal_event(chain: *const c_void) -> bool {
    use vk::StructureType as S;
    // SAFETY: by the caller's promise.
    unsafe { abi::chain(chain) }.any(|item| {
        matches!(item.s_type, S::IMPORT_METAL_SHARED_EVENT_INFO_EXT | S::EXPORT_METAL_OBJECT_CREATE_INFO_EXT)
    })
}

/// vkDestroySemaphore.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_semaphore(
    handle: vk::Device,
    semaphore: vk::Semaphore,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_semaphore, || {
            device.recorder.timeline.order(|order| order.forget_semaphore(semaphore.as_raw()));
        });
        if let Some(next) = device.next.destroy_semaphore {
            next(handle, semaphore, allocator);
        }
    }
}

/// vkSignalSemaphore.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn signal_semaphore(
    handle: vk::Device,
    info: *const vk::SemaphoreSignalInfo<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.signal_semaphore else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::signal_semaphore, || {
            device.recorder.timeline.host_signal(((*info).semaphore.as_raw(), (*info).value));
        });
        next(handle, info)
    }
}

/// vkWaitSemaphores.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn wait_semaphores(
    handle: vk::Device,
    info: *const vk::SemaphoreWaitInfo<'_>,
    timeout: u64,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.wait_semaphores else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, info, timeout);
        if result == vk::Result::SUCCESS {
            guard(HookId::wait_semaphores, || {
                device.recorder.timeline.host_learned();
                if !device.recorder.timeline.has_queues() {
                    return;
                }
                let info = &*info;
                let semaphores = slice(info.p_semaphores, info.semaphore_count);
                let values = slice(info.p_values, info.semaphore_count);
                let points: Vec<_> = semaphores.iter().map(|s| s.as_raw()).zip(values.iter().copied()).collect();
                let all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY);
                device.recorder.timeline.order(|order| order.host_semaphores(&points, all));
            });
        }
        result
    }
}

/// vkGetSemaphoreCounterValue.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_semaphore_counter_value(
    handle: vk::Device,
    semaphore: vk::Semaphore,
    value: *mut u64,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.get_semaphore_counter_value else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, semaphore, value);
        if result == vk::Result::SUCCESS {
            guard(HookId::get_semaphore_counter_value, || {
                device.recorder.timeline.host_learned();
                device.recorder.timeline.order(|order| order.host_value((semaphore.as_raw(), *value)));
            });
        }
        result
    }
}

/// vkImportSemaphoreFdKHR: from now on others may signal it.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn import_semaphore_fd(
    handle: vk::Device,
    info: *const vk::ImportSemaphoreFdInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.import_semaphore_fd else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::import_semaphore_fd, || {
            device.recorder.timeline.order(|order| order.forget_semaphore((*info).semaphore.as_raw()));
        });
        next(handle, info)
    }
}

/// The semaphore or fence of a vkImport…Win32HandleKHR or vkImportSemaphoreZirconHandleFUCHSIA: it stands first in each of these structs.
#[repr(C)]
#[allow(dead_code)] // The head of each struct is there for its size.
pub struct Import {
    s_type: vk::StructureType,
    p_next: *const c_void,
    object: u64,
}

impl Import {
    /// The handle.
    pub fn object(&self) -> u64 {
        self.object
    }
}

/// Its command.
pub type ImportHandle = unsafe extern "system" fn(vk::Device, *const Import) -> vk::Result;

/// Commands of several platforms that import a payload by a handle.
macro_rules! imports {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the specification demands.
        pub unsafe extern "system" fn $name(handle: vk::Device, info: *const Import) -> vk::Result {
            // SAFETY: a live device; the application's own arguments.
            unsafe {
                let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
                let Some(next) = device.next.$name else { return vk::Result::ERROR_DEVICE_LOST };
                guard(HookId::$name, || {
                    device.recorder.timeline.order(|order| order.forget_semaphore((*info).object));
                });
                next(handle, info)
            }
        }
    )*};
}

imports! {
    /// vkImportSemaphoreWin32HandleKHR.
    import_semaphore_handle;
    /// vkImportSemaphoreZirconHandleFUCHSIA.
    import_semaphore_zircon_handle;
}
