//! Commands of devices, pools and synchronisation objects.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::{create, destroy, device, plain};
use ash::vk;

commands! {
    [device 1.0] vkDestroyDevice =>
        (device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) -> () = device::destroy;
    [device 1.0] vkGetDeviceQueue =>
        (device: vk::Device, queue_family_index: u32, queue_index: u32, queue: *mut vk::Queue) -> () = device::queue;
    [device 1.1] vkGetDeviceQueue2 =>
        (device: vk::Device, queue_info: *const vk::DeviceQueueInfo2<'_>, queue: *mut vk::Queue) -> () =
         device::queue2;
    [device 1.0] vkDeviceWaitIdle =>
        (device: vk::Device) -> vk::Result = plain;
    [device 1.0] vkCreateCommandPool =>
        (device: vk::Device, create_info: *const vk::CommandPoolCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, command_pool: *mut vk::CommandPool) -> vk::Result = create;
    [device 1.0] vkDestroyCommandPool =>
        (device: vk::Device, command_pool: vk::CommandPool, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device 1.0] vkResetCommandPool =>
        (device: vk::Device, command_pool: vk::CommandPool, flags: vk::CommandPoolResetFlags) -> vk::Result = plain;
    [device 1.1] vkTrimCommandPool | vkTrimCommandPoolKHR =>
        (device: vk::Device, command_pool: vk::CommandPool, flags: vk::CommandPoolTrimFlags) -> () = plain;
    [device 1.0] vkAllocateCommandBuffers =>
        (device: vk::Device, allocate_info: *const vk::CommandBufferAllocateInfo<'_>, command_buffers: *mut
         vk::CommandBuffer) -> vk::Result = device::allocate_command_buffers;
    [device 1.0] vkFreeCommandBuffers =>
        (device: vk::Device, command_pool: vk::CommandPool, command_buffer_count: u32, command_buffers: *const
         vk::CommandBuffer) -> () = device::free_command_buffers;
    [device 1.0] vkCreateFence =>
        (device: vk::Device, create_info: *const vk::FenceCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, fence: *mut vk::Fence) -> vk::Result = create;
    [device 1.0] vkDestroyFence =>
        (device: vk::Device, fence: vk::Fence, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkWaitForFences =>
        (device: vk::Device, fence_count: u32, fences: *const vk::Fence, wait_all: vk::Bool32, timeout: u64) ->
         vk::Result = plain;
    [device 1.0] vkResetFences =>
        (device: vk::Device, fence_count: u32, fences: *const vk::Fence) -> vk::Result = plain;
    [device 1.0] vkGetFenceStatus =>
        (device: vk::Device, fence: vk::Fence) -> vk::Result = plain;
    [device ext] vkImportFenceFdKHR =>
        (device: vk::Device, import_info: *const vk::ImportFenceFdInfoKHR<'_>) -> vk::Result = plain;
    [device ext] vkImportFenceWin32HandleKHR =>
        (device: vk::Device, import_info: *const vk::ImportFenceWin32HandleInfoKHR<'_>) -> vk::Result = plain;
    [device 1.2] vkSignalSemaphore | vkSignalSemaphoreKHR =>
        (device: vk::Device, signal_info: *const vk::SemaphoreSignalInfo<'_>) -> vk::Result = plain;
    [device 1.2] vkWaitSemaphores | vkWaitSemaphoresKHR =>
        (device: vk::Device, wait_info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64) -> vk::Result = plain;
    [device 1.2] vkGetSemaphoreCounterValue | vkGetSemaphoreCounterValueKHR =>
        (device: vk::Device, semaphore: vk::Semaphore, value: *mut u64) -> vk::Result = plain;
    [device ext] vkImportSemaphoreFdKHR =>
        (device: vk::Device, import_info: *const vk::ImportSemaphoreFdInfoKHR<'_>) -> vk::Result = plain;
    [device ext] vkImportSemaphoreWin32HandleKHR =>
        (device: vk::Device, import_info: *const vk::ImportSemaphoreWin32HandleInfoKHR<'_>) -> vk::Result = plain;
    [device ext] vkImportSemaphoreZirconHandleFUCHSIA =>
        (device: vk::Device, import_info: *const vk::ImportSemaphoreZirconHandleInfoFUCHSIA<'_>) -> vk::Result = plain;
    [device 1.0] vkCreateSemaphore =>
        (device: vk::Device, create_info: *const vk::SemaphoreCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, semaphore: *mut vk::Semaphore) -> vk::Result = create;
    [device 1.0] vkDestroySemaphore =>
        (device: vk::Device, semaphore: vk::Semaphore, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkCreateEvent =>
        (device: vk::Device, create_info: *const vk::EventCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, event: *mut vk::Event) -> vk::Result = create;
    [device 1.0] vkDestroyEvent =>
        (device: vk::Device, event: vk::Event, allocator: *const vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkCreateQueryPool =>
        (device: vk::Device, create_info: *const vk::QueryPoolCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, query_pool: *mut vk::QueryPool) -> vk::Result = create;
    [device 1.0] vkDestroyQueryPool =>
        (device: vk::Device, query_pool: vk::QueryPool, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
}
