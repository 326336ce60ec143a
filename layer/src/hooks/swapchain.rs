//! Swapchains, their images, and the present that ends a frame.

use super::queue::frame_end;
use super::{compression, device_of};
use crate::abi::{find, slice};
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{Image, Swapchain};
use crate::translate;
use ash::vk::{self, Handle};
use std::sync::Arc;
use tbdr_model::frame::{Boundary, OutputReason};

/// vkCreateSwapchainKHR.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_swapchain(
    handle: vk::Device,
    info: *const vk::SwapchainCreateInfoKHR<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    swapchain: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_swapchain else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, swapchain);
        if result.as_raw() >= 0 {
            guard(HookId::create_swapchain, || register(device, &*info, *swapchain));
        }
        result
    }
}

/// vkCreateSharedSwapchainsKHR.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_shared_swapchains(
    handle: vk::Device,
    count: u32,
    infos: *const vk::SwapchainCreateInfoKHR<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    swapchains: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_shared_swapchains else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, count, infos, allocator, swapchains);
        if result.as_raw() >= 0 {
            guard(HookId::create_shared_swapchains, || {
                for (info, swapchain) in slice(infos, count).iter().zip(slice(swapchains, count)) {
                    register(device, info, *swapchain);
                }
            });
        }
        result
    }
}

/// A swapchain that replaces another plays the other's role.
///
/// # Safety
/// `info` is the argument of a call in progress.
unsafe fn register(device: &Device, info: &vk::SwapchainCreateInfoKHR<'_>, swapchain: vk::SwapchainKHR) {
    let objects = &device.recorder.objects;
    let replaced = objects.swapchains.get(info.old_swapchain.as_raw());
    let number = objects.swapchain_role(replaced.map(|old| old.number));
    // SAFETY: by the caller's promise.
    let image = unsafe { translate::image::swapchain_image(info, number) };
    objects.swapchains.insert(swapchain.as_raw(), Arc::new(Swapchain::new(number, image)));
}

/// vkDestroySwapchainKHR.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_swapchain(
    handle: vk::Device,
    swapchain: vk::SwapchainKHR,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_swapchain, || {
            let objects = &device.recorder.objects;
            if let Some(gone) = objects.swapchains.remove(swapchain.as_raw()) {
                for image in gone.handles() {
                    objects.images.remove(image);
                }
                objects.swapchain_gone(gone.number);
                gone.serials().for_each(|image| device.recorder.timeline.destroyed(image));
            }
        });
        if let Some(next) = device.next.destroy_swapchain {
            next(handle, swapchain, allocator);
        }
    }
}

/// vkGetSwapchainImagesKHR: may be called for the count, for a part, and again.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_swapchain_images(
    handle: vk::Device,
    swapchain: vk::SwapchainKHR,
    count: *mut u32,
    images: *mut vk::Image,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.get_swapchain_images else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, swapchain, count, images);
        if result.as_raw() >= 0 && !images.is_null() {
            guard(HookId::get_swapchain_images, || {
                let objects = &device.recorder.objects;
                if let Some(owner) = objects.swapchains.get(swapchain.as_raw()) {
                    let images = slice(images, *count);
                    owner.told(images.iter().map(|image| image.as_raw()), objects);
                    for handle in images {
                        if let Some(image) = objects.images.get(handle.as_raw()) {
                            compression::ask(device, *handle, &image);
                        }
                    }
                }
            });
        }
        result
    }
}

/// vkAcquireNextImageKHR.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn acquire_next_image(
    handle: vk::Device,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    index: *mut u32,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.acquire_next_image else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, swapchain, timeout, semaphore, fence, index);
        acquired(HookId::acquire_next_image, device, (swapchain, semaphore, fence), result, index);
        result
    }
}

/// vkAcquireNextImage2KHR.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn acquire_next_image2(
    handle: vk::Device,
    info: *const vk::AcquireNextImageInfoKHR<'_>,
    index: *mut u32,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.acquire_next_image2 else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, info, index);
        let info = &*info;
        acquired(HookId::acquire_next_image2, device, (info.swapchain, info.semaphore, info.fence), result, index);
        result
    }
}

/// Notes which image came back from the presentation engine.
///
/// # Safety
/// `index` is where the call down has written its result.
unsafe fn acquired(
    hook: HookId,
    device: &Device,
    (swapchain, semaphore, fence): (vk::SwapchainKHR, vk::Semaphore, vk::Fence),
    result: vk::Result,
    index: *const u32,
) {
    if result != vk::Result::SUCCESS && result != vk::Result::SUBOPTIMAL_KHR {
        return;
    }
    guard(hook, || {
        device.recorder.timeline.order(|order| order.signalled_outside(semaphore.as_raw(), fence.as_raw()));
        // SAFETY: by the caller's promise; the result was a success.
        if let Some(image) = image_of(device, swapchain, unsafe { *index }) {
            device.recorder.timeline.acquired(image.serial);
        }
    });
}

fn image_of(device: &Device, swapchain: vk::SwapchainKHR, index: u32) -> Option<Arc<Image>> {
    let objects = &device.recorder.objects;
    objects.swapchains.get(swapchain.as_raw())?.image(index, objects)
}

/// vkQueuePresentKHR: the frame ends, whatever the presentation engine makes of it.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_present(queue: vk::Queue, info: *const vk::PresentInfoKHR<'_>) -> vk::Result {
    // SAFETY: a live queue; the application's own arguments.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.queue_present else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::queue_present, || {
            let info = &*info;
            let waits = slice(info.p_wait_semaphores, info.wait_semaphore_count).iter().map(|s| s.as_raw());
            let fences = find::<vk::SwapchainPresentFenceInfoEXT<'_>>(info.p_next);
            let fences = fences.map_or(&[][..], |f| slice(f.p_fences, f.swapchain_count)).iter().map(|f| f.as_raw());
            device.recorder.timeline.order(|order| order.present(waits, fences));
        });
        let result = next(queue, info);
        guard(HookId::queue_present, || {
            let info = &*info;
            let swapchains = slice(info.p_swapchains, info.swapchain_count);
            let indices = slice(info.p_image_indices, info.swapchain_count);
            let mut outputs: Vec<_> = swapchains
                .iter()
                .zip(indices)
                .filter_map(|(swapchain, index)| image_of(device, *swapchain, *index))
                .map(|image| (image, OutputReason::Present))
                .collect();
            outputs.extend(frame_end(device, info.p_next).unwrap_or_default());
            device.recorder.close_frame(Boundary::Present, outputs);
        });
        result
    }
}
