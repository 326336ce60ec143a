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
    semaphores(scene);
}

/// Fences and semaphores of both kinds, waited for and signalled by the host, and imported.
fn semaphores(scene: &Scene) {
    let app = &scene.app;
    let device = app.device;
    let (mut fence, mut binary, mut timeline) = (Fence::null(), Semaphore::null(), Semaphore::null());
    call!(app, vkCreateFence(device, &vk::FenceCreateInfo::default(), NO, &mut fence));
    call!(app, vkCreateSemaphore(device, &vk::SemaphoreCreateInfo::default(), NO, &mut binary));
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    call!(app, vkCreateSemaphore(device, &info, NO, &mut timeline));
    let (both, values, stages) = ([binary, timeline], [0, 1], [vk::PipelineStageFlags::ALL_COMMANDS; 2]);
    let mut points = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
    let signal = vk::SubmitInfo::default().signal_semaphores(&both).push_next(&mut points);
    call!(app, vkQueueSubmit(scene.queue, 1, &signal, fence));
    let mut points = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
    let wait = vk::SubmitInfo::default().wait_semaphores(&both).wait_dst_stage_mask(&stages).push_next(&mut points);
    call!(app, vkQueueSubmit(scene.queue, 1, &wait, Fence::null()));
    call!(app, vkGetFenceStatus(device, fence));
    let timelines = [timeline];
    let reached = vk::SemaphoreWaitInfo::default().semaphores(&timelines).values(&values[1..]);
    call!(app, vkWaitSemaphores | vkWaitSemaphoresKHR(device, &reached, 0));
    let mut value = 0;
    call!(app, vkGetSemaphoreCounterValue | vkGetSemaphoreCounterValueKHR(device, timeline, &mut value));
    let signal = vk::SemaphoreSignalInfo::default().semaphore(timeline).value(2);
    call!(app, vkSignalSemaphore | vkSignalSemaphoreKHR(device, &signal));
    call!(app, vkImportFenceFdKHR(device, &vk::ImportFenceFdInfoKHR::default().fence(fence)));
    call!(app, vkImportFenceWin32HandleKHR(device, &vk::ImportFenceWin32HandleInfoKHR::default().fence(fence)));
    call!(app, vkImportSemaphoreFdKHR(device, &vk::ImportSemaphoreFdInfoKHR::default().semaphore(binary)));
    let import = vk::ImportSemaphoreWin32HandleInfoKHR::default().semaphore(binary);
    call!(app, vkImportSemaphoreWin32HandleKHR(device, &import));
    let import = vk::ImportSemaphoreZirconHandleInfoFUCHSIA::default().semaphore(binary);
    call!(app, vkImportSemaphoreZirconHandleFUCHSIA(device, &import));
    call!(app, vkDestroySemaphore(device, binary, NO));
    call!(app, vkDestroySemaphore(device, timeline, NO));
    call!(app, vkDestroyFence(device, fence, NO));
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
