//! Fences, idle waits and results of queries: what the host gets to know to be complete.

use super::device_of;
use super::semaphore::Import;
use crate::abi::{find, slice};
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use ash::vk::{self, Handle};
use std::ffi::c_void;

/// vkCreateFence.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_fence(
    handle: vk::Device,
    info: *const vk::FenceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    fence: *mut vk::Fence,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_fence else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, fence);
        if result.as_raw() >= 0 {
            guard(HookId::create_fence, || {
                if !device.recorder.timeline.has_queues() {
                    return;
                }
                let exported = find::<vk::ExportFenceCreateInfo<'_>>((*info).p_next);
                let foreign = exported.is_some_and(|e| !e.handle_types.is_empty());
                device.recorder.timeline.order(|order| order.foreign_fence((*fence).as_raw(), foreign));
            });
        }
        result
    }
}

/// vkDestroyFence.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_fence(
    handle: vk::Device,
    fence: vk::Fence,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_fence, || {
            device.recorder.timeline.order(|order| order.foreign_fence(fence.as_raw(), false));
        });
        if let Some(next) = device.next.destroy_fence {
            next(handle, fence, allocator);
        }
    }
}

/// vkResetFences.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn reset_fences(handle: vk::Device, count: u32, fences: *const vk::Fence) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.reset_fences else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::reset_fences, || {
            device.recorder.timeline.order(|order| {
                slice(fences, count).iter().for_each(|fence| order.forget_fence(fence.as_raw()));
            });
        });
        next(handle, count, fences)
    }
}

/// vkWaitForFences.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn wait_for_fences(
    handle: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.wait_for_fences else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, count, fences, all, timeout);
        if result == vk::Result::SUCCESS {
            guard(HookId::wait_for_fences, || {
                device.recorder.timeline.host_learned();
                if !device.recorder.timeline.has_queues() {
                    return;
                }
                let fences: Vec<_> = slice(fences, count).iter().map(|fence| fence.as_raw()).collect();
                device.recorder.timeline.order(|order| order.host_fences(&fences, all != vk::FALSE));
            });
        }
        result
    }
}

/// vkGetFenceStatus.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_fence_status(handle: vk::Device, fence: vk::Fence) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.get_fence_status else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, fence);
        if result == vk::Result::SUCCESS {
            guard(HookId::get_fence_status, || {
                device.recorder.timeline.host_learned();
                device.recorder.timeline.order(|order| order.host_fences(&[fence.as_raw()], true));
            });
        }
        result
    }
}

/// vkImportFenceFdKHR: from now on others may signal it.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn import_fence_fd(
    handle: vk::Device,
    info: *const vk::ImportFenceFdInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.import_fence_fd else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::import_fence_fd, || {
            device.recorder.timeline.order(|order| order.foreign_fence((*info).fence.as_raw(), true));
        });
        next(handle, info)
    }
}

/// vkImportFenceWin32HandleKHR.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn import_fence_handle(handle: vk::Device, info: *const Import) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.import_fence_handle else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::import_fence_handle, || {
            device.recorder.timeline.order(|order| order.foreign_fence((*info).object(), true));
        });
        next(handle, info)
    }
}

/// vkQueueWaitIdle.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    // SAFETY: a live queue.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.queue_wait_idle else { return vk::Result::ERROR_DEVICE_LOST };
        // What another thread submits while this waits is not waited for.
        let mark = guard(HookId::queue_wait_idle, || device.recorder.timeline.mark(Some(queue.as_raw()))).flatten();
        let result = next(queue);
        guard(HookId::queue_wait_idle, || device.recorder.timeline.host_learned());
        if let Some(mark) = mark.filter(|_| result == vk::Result::SUCCESS) {
            guard(HookId::queue_wait_idle, || device.recorder.timeline.order(|order| order.host_idle(&mark)));
        }
        result
    }
}

/// vkDeviceWaitIdle.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn device_wait_idle(handle: vk::Device) -> vk::Result {
    // SAFETY: a live device.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.device_wait_idle else { return vk::Result::ERROR_DEVICE_LOST };
        let mark = guard(HookId::device_wait_idle, || device.recorder.timeline.mark(None)).flatten();
        let result = next(handle);
        guard(HookId::device_wait_idle, || device.recorder.timeline.host_learned());
        if let Some(mark) = mark.filter(|_| result == vk::Result::SUCCESS) {
            guard(HookId::device_wait_idle, || device.recorder.timeline.order(|order| order.host_idle(&mark)));
        }
        result
    }
}

/// vkGetQueryPoolResults: what the queries are about is done.
///
/// # Safety
/// As the specification demands.
#[allow(clippy::too_many_arguments)] // Vulkan's own.
pub unsafe extern "system" fn get_query_pool_results(
    handle: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    bytes: usize,
    data: *mut c_void,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.get_query_pool_results else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, pool, first, count, bytes, data, stride, flags);
        guard(HookId::get_query_pool_results, || device.recorder.timeline.host_learned());
        result
    }
}
