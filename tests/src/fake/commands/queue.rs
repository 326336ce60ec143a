//! Commands of queues, swapchains and presentation.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::{acquire, acquire2, create, create_shared_swapchains, destroy, plain, swapchain_images};
use ash::vk;
use std::ffi::c_void;

commands! {
    [device 1.0] vkQueueSubmit =>
        (queue: vk::Queue, submit_count: u32, submits: *const vk::SubmitInfo<'_>, fence: vk::Fence) -> vk::Result =
         plain;
    [device 1.3] vkQueueSubmit2 | vkQueueSubmit2KHR =>
        (queue: vk::Queue, submit_count: u32, submits: *const vk::SubmitInfo2<'_>, fence: vk::Fence) -> vk::Result =
         plain;
    [device 1.0] vkQueueWaitIdle =>
        (queue: vk::Queue) -> vk::Result = plain;
    [device 1.0] vkQueueBindSparse =>
        (queue: vk::Queue, bind_info_count: u32, bind_info: *const vk::BindSparseInfo<'_>, fence: vk::Fence) ->
         vk::Result = plain;
    [device ext] vkCreateSwapchainKHR =>
        (device: vk::Device, create_info: *const vk::SwapchainCreateInfoKHR<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, swapchain: *mut vk::SwapchainKHR) -> vk::Result = create;
    [device ext] vkCreateSharedSwapchainsKHR =>
        (device: vk::Device, swapchain_count: u32, create_infos: *const vk::SwapchainCreateInfoKHR<'_>, allocator:
         *const vk::AllocationCallbacks<'_>, swapchains: *mut vk::SwapchainKHR) -> vk::Result =
         create_shared_swapchains;
    [device ext] vkDestroySwapchainKHR =>
        (device: vk::Device, swapchain: vk::SwapchainKHR, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [device ext] vkGetSwapchainImagesKHR =>
        (device: vk::Device, swapchain: vk::SwapchainKHR, swapchain_image_count: *mut u32, images: *mut
         vk::Image) -> vk::Result = swapchain_images;
    [device ext] vkAcquireNextImageKHR =>
        (device: vk::Device, swapchain: vk::SwapchainKHR, timeout: u64, semaphore: vk::Semaphore, fence: vk::Fence,
         image_index: *mut u32) -> vk::Result = acquire;
    [device ext] vkAcquireNextImage2KHR =>
        (device: vk::Device, acquire_info: *const vk::AcquireNextImageInfoKHR<'_>, image_index: *mut u32) ->
         vk::Result = acquire2;
    [device ext] vkQueuePresentKHR =>
        (queue: vk::Queue, present_info: *const vk::PresentInfoKHR<'_>) -> vk::Result = plain;
    [device ext] vkReleaseSwapchainImagesKHR | vkReleaseSwapchainImagesEXT =>
        (device: vk::Device, release_info: *const c_void) -> vk::Result = plain;
    [device ext] vkQueueBeginDebugUtilsLabelEXT =>
        (queue: vk::Queue, label_info: *const vk::DebugUtilsLabelEXT<'_>) -> () = plain;
    [device ext] vkQueueEndDebugUtilsLabelEXT =>
        (queue: vk::Queue) -> () = plain;
    [device ext] vkQueueInsertDebugUtilsLabelEXT =>
        (queue: vk::Queue, label_info: *const vk::DebugUtilsLabelEXT<'_>) -> () = plain;
}
