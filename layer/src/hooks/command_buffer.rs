//! Command pools and the life of command buffers. Pools know their buffers, since resetting or destroying a pool concerns
//! all of them.

use super::render_pass::is_turned;
use super::{command, device_of};
use crate::abi::{find, slice};
use crate::dispatch::command_buffers;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{CommandBuffer, Pool};
use crate::translate::rendering::without_location;
use ash::vk::{self, Handle};
use std::sync::Arc;

/// vkCreateCommandPool.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_command_pool(
    handle: vk::Device,
    info: *const vk::CommandPoolCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pool: *mut vk::CommandPool,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_command_pool else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, pool);
        if result.as_raw() >= 0 {
            guard(HookId::create_command_pool, || {
                device.recorder.objects.pools.insert((*pool).as_raw(), Arc::new(Pool::default()));
            });
        }
        result
    }
}

/// vkDestroyCommandPool: frees its buffers.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_command_pool(
    handle: vk::Device,
    pool: vk::CommandPool,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_command_pool, || {
            if let Some(pool) = device.recorder.objects.pools.remove(pool.as_raw()) {
                forget_all(&pool);
            }
        });
        if let Some(next) = device.next.destroy_command_pool {
            next(handle, pool, allocator);
        }
    }
}

/// The buffers of a pool are gone.
pub fn forget_all(pool: &Pool) {
    for buffer in std::mem::take(&mut *pool.buffers.lock()) {
        command_buffers::remove(vk::CommandBuffer::from_raw(buffer));
    }
}

/// vkResetCommandPool: resets its buffers.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn reset_command_pool(
    handle: vk::Device,
    pool: vk::CommandPool,
    flags: vk::CommandPoolResetFlags,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments. The pool's buffers are externally synchronised with it.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.reset_command_pool else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, pool, flags);
        guard(HookId::reset_command_pool, || {
            if let Some(pool) = device.recorder.objects.pools.get(pool.as_raw()) {
                for buffer in pool.buffers.lock().iter() {
                    let state =
                        command_buffers::enter_known(vk::CommandBuffer::from_raw(*buffer)).and_then(|e| e.state());
                    if let Some(state) = state {
                        state.reset();
                    }
                }
            }
        });
        result
    }
}

/// vkAllocateCommandBuffers. The loader writes the dispatch words of the new buffers only after this returns: nothing of
/// them is read here.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn allocate_command_buffers(
    handle: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    buffers: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.allocate_command_buffers else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, buffers);
        if result.as_raw() >= 0 {
            guard(HookId::allocate_command_buffers, || {
                let info = &*info;
                let pool = device.recorder.objects.pools.get(info.command_pool.as_raw());
                let secondary = info.level == vk::CommandBufferLevel::SECONDARY;
                for buffer in slice(buffers, info.command_buffer_count) {
                    command_buffers::insert(*buffer, device, CommandBuffer::new(secondary));
                    if let Some(pool) = &pool {
                        pool.buffers.lock().insert(buffer.as_raw());
                    }
                }
            });
        }
        result
    }
}

/// vkFreeCommandBuffers; null handles are allowed among them.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn free_command_buffers(
    handle: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    buffers: *const vk::CommandBuffer,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::free_command_buffers, || {
            let freed = slice(buffers, count);
            if let Some(pool) = device.recorder.objects.pools.get(pool.as_raw()) {
                let mut known = pool.buffers.lock();
                for buffer in freed {
                    known.remove(&buffer.as_raw());
                }
            }
            for buffer in freed {
                command_buffers::remove(*buffer);
            }
        });
        if let Some(next) = device.next.free_command_buffers {
            next(handle, pool, count, buffers);
        }
    }
}

/// vkBeginCommandBuffer: resets implicitly.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn begin_command_buffer(
    buffer: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    // SAFETY: a live command buffer; the application's own arguments.
    unsafe {
        let Some(entry) = command_buffers::enter(buffer) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = entry.device.next.begin_command_buffer else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = next(buffer, info);
        guard(HookId::begin_command_buffer, || {
            if let (Some(state), Some(info)) = (entry.state(), info.as_ref()) {
                state.begin(info.flags.contains(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE));
                // Secondaries inherit where attachments are written; for primaries the pointer is ignored.
                if state.is_secondary() {
                    let inherited = info.p_inheritance_info.as_ref().map(|i| i.p_next);
                    let conditional: Option<&vk::CommandBufferInheritanceConditionalRenderingInfoEXT<'_>> =
                        inherited.and_then(|next| find(next));
                    if conditional.is_some_and(|c| c.conditional_rendering_enable != vk::FALSE) {
                        state.inherit_conditional();
                    }
                    let transform: Option<&vk::CommandBufferInheritanceRenderPassTransformInfoQCOM<'_>> =
                        inherited.and_then(|next| find(next));
                    state.set_turned(transform.is_some_and(|t| is_turned(t.transform)));
                    if let Some(locations) = inherited.and_then(|next| find(next)) {
                        state.state().set_unused(without_location(locations));
                    }
                }
            }
        });
        result
    }
}

/// vkEndCommandBuffer: the recording is frozen.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn end_command_buffer(buffer: vk::CommandBuffer) -> vk::Result {
    // SAFETY: a live command buffer.
    unsafe {
        let Some(entry) = command_buffers::enter(buffer) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = entry.device.next.end_command_buffer else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = next(buffer);
        guard(HookId::end_command_buffer, || {
            if let Some(state) = entry.state() {
                state.end();
            }
        });
        result
    }
}

/// vkResetCommandBuffer.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn reset_command_buffer(
    buffer: vk::CommandBuffer,
    flags: vk::CommandBufferResetFlags,
) -> vk::Result {
    // SAFETY: a live command buffer.
    unsafe {
        let Some(entry) = command_buffers::enter(buffer) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = entry.device.next.reset_command_buffer else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(buffer, flags);
        guard(HookId::reset_command_buffer, || {
            if let Some(state) = entry.state() {
                state.reset();
            }
        });
        result
    }
}

command! {
    /// vkCmdExecuteCommands: what the secondaries hold now, since they may be recorded anew later.
    cmd_execute_commands(count: u32, buffers: *const vk::CommandBuffer) |device, state| {
        // SAFETY: an array of live secondaries that are not being recorded, by valid usage.
        let secondaries: Vec<_> = unsafe {
            slice(buffers, count).iter().filter_map(|b| command_buffers::read(*b)?.frozen()).collect()
        };
        if secondaries.len() < count as usize {
            state.unmodelled("a secondary command buffer whose recording was not seen");
        }
        state.execute(secondaries);
    }
}
