//! Images and image views.

use super::device_of;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{Descriptor, Image, Named};
use crate::translate;
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::sync::Arc;
use tbdr_model::frame::Memory;

/// vkCreateImage.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_image(
    handle: vk::Device,
    info: *const vk::ImageCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    image: *mut vk::Image,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_image else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, image);
        if result.as_raw() >= 0 {
            guard(HookId::create_image, || {
                let objects = &device.recorder.objects;
                let created = Arc::new(Image {
                    serial: objects.next_serial(),
                    created: translate::image::image(&*info),
                    memory: Mutex::new(Memory::default()),
                    name: Named::default(),
                });
                objects.images.insert((*image).as_raw(), created);
            });
        }
        result
    }
}

/// vkDestroyImage.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_image(
    handle: vk::Device,
    image: vk::Image,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_image, || device.recorder.objects.images.remove(image.as_raw()));
        if let Some(next) = device.next.destroy_image {
            next(handle, image, allocator);
        }
    }
}

/// vkCreateImageView.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_image_view(
    handle: vk::Device,
    info: *const vk::ImageViewCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    view: *mut vk::ImageView,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_image_view else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, view);
        if result.as_raw() >= 0 {
            guard(HookId::create_image_view, || {
                let objects = &device.recorder.objects;
                if let Some(image) = objects.images.get((*info).image.as_raw()) {
                    objects.views.insert((*view).as_raw(), Arc::new(translate::image::view(&*info, image)));
                }
            });
        }
        result
    }
}

/// vkDestroyImageView.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_image_view(
    handle: vk::Device,
    view: vk::ImageView,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_image_view, || {
            let objects = &device.recorder.objects;
            objects.views.remove(view.as_raw());
            objects.taken.0.put(view.as_raw(), Descriptor::Other);
        });
        if let Some(next) = device.next.destroy_image_view {
            next(handle, view, allocator);
        }
    }
}
