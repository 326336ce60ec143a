//! The part of the script that submits and presents.

use super::{NO, Scene};
use ash::vk::{self, Fence, Semaphore};
use std::ffi::c_void;
use std::ptr;

/// Submits a command buffer in every form, with empty batches and without any.
pub(super) fn submit(scene: &Scene) {
    let app = &scene.app;
    let queue = scene.queue;
    let buffers = [scene.buffer];
    let full = vk::SubmitInfo::default().command_buffers(&buffers);
    let batches = [vk::SubmitInfo::default(), full];
    call!(app, vkQueueSubmit(queue, 2, batches.as_ptr(), Fence::null()));
    call!(app, vkQueueSubmit(queue, 0, ptr::null(), Fence::null()));
    let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(scene.buffer)];
    let batch = vk::SubmitInfo2::default().command_buffer_infos(&buffers);
    call!(app, vkQueueSubmit2 | vkQueueSubmit2KHR(queue, 1, &batch, Fence::null()));
    call!(app, vkQueueBindSparse(queue, 0, ptr::null(), Fence::null()));
    let label = vk::DebugUtilsLabelEXT::default().label_name(c"frame");
    call!(app, vkQueueBeginDebugUtilsLabelEXT(queue, &label));
    call!(app, vkQueueInsertDebugUtilsLabelEXT(queue, &label));
    call!(app, vkQueueEndDebugUtilsLabelEXT(queue));
    call!(app, vkQueueWaitIdle(queue));
    let fence = Fence::null();
    call!(app, vkWaitForFences(app.device, 1, &fence, vk::TRUE, 0));
    call!(app, vkResetFences(app.device, 1, &fence));
}

/// A surface, two swapchains, acquires and presents.
pub(super) fn present(scene: &Scene) {
    let app = &scene.app;
    let device = app.device;
    let mut surface = vk::SurfaceKHR::null();
    let info = vk::HeadlessSurfaceCreateInfoEXT::default();
    call!(app, vkCreateHeadlessSurfaceEXT(app.instance, &info, NO, &mut surface));
    if app.has("vkCreateSwapchainKHR") {
        let extent = vk::Extent2D { width: 640, height: 480 };
        let (swapchain, _) = scene.swapchain(vk::Format::B8G8R8A8_UNORM, extent);
        let mut index = 0;
        call!(app, vkAcquireNextImageKHR(device, swapchain, u64::MAX, Semaphore::null(), Fence::null(), &mut index));
        scene.present(swapchain, index);
        let info = vk::AcquireNextImageInfoKHR::default().swapchain(swapchain).timeout(u64::MAX).device_mask(1);
        call!(app, vkAcquireNextImage2KHR(device, &info, &mut index));
        scene.present(swapchain, index);
        let indices = [index];
        let release = vk::ReleaseSwapchainImagesInfoEXT::default().swapchain(swapchain).image_indices(&indices);
        let release: *const c_void = (&raw const release).cast();
        call!(app, vkReleaseSwapchainImagesKHR | vkReleaseSwapchainImagesEXT(device, release));
        let mut shared = vk::SwapchainKHR::null();
        let info = vk::SwapchainCreateInfoKHR::default()
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_extent(extent)
            .image_array_layers(1)
            .old_swapchain(swapchain);
        call!(app, vkCreateSharedSwapchainsKHR(device, 1, &info, NO, &mut shared));
        for swapchain in [swapchain, shared] {
            call!(app, vkDestroySwapchainKHR(device, swapchain, NO));
        }
    }
    call!(app, vkDestroySurfaceKHR(app.instance, surface, NO));
}
