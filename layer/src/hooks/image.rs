//! Images and image views.

use super::device_of;
use crate::abi::find;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{Descriptor, Image, Needs};
use crate::translate;
use ash::vk::{self, Handle};
use std::sync::Arc;

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
                let created = Image::new(objects.next_serial(), translate::image::image(&*info));
                let lazy = device.recorder.lazy_types();
                if translate::image::is_described(&*info) {
                    for (plane, needs) in objects.foreseen.of(&created.created) {
                        created.needs(plane, needs, lazy);
                    }
                }
                if lazy == Some(0) {
                    created.never_lazy();
                }
                objects.images.insert((*image).as_raw(), Arc::new(created));
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
        guard(HookId::destroy_image, || {
            let objects = &device.recorder.objects;
            if let Some(gone) = objects.images.remove(image.as_raw()) {
                gone.place.leave();
                // Where two images share a handle the other one lives on under the same number.
                if objects.images.get(image.as_raw()).is_none() {
                    device.recorder.timeline.destroyed(gone.serial);
                }
            }
        });
        if let Some(next) = device.next.destroy_image {
            next(handle, image, allocator);
        }
    }
}

/// vkGetImageMemoryRequirements: the answer tells which bytes the image will take.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_image_memory_requirements(
    handle: vk::Device,
    image: vk::Image,
    requirements: *mut vk::MemoryRequirements,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.get_image_memory_requirements {
            next(handle, image, requirements);
        }
        guard(HookId::get_image_memory_requirements, || {
            if let Some(image) = device.recorder.objects.images.get(image.as_raw()) {
                image.needs(0, needs(&*requirements), device.recorder.lazy_types());
            }
        });
    }
}

/// vkGetImageMemoryRequirements2: of an image or of one of its planes.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_image_memory_requirements2(
    handle: vk::Device,
    info: *const vk::ImageMemoryRequirementsInfo2<'_>,
    requirements: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.get_image_memory_requirements2 {
            next(handle, info, requirements);
        }
        guard(HookId::get_image_memory_requirements2, || {
            if let Some(image) = device.recorder.objects.images.get((*info).image.as_raw()) {
                let plane = find::<vk::ImagePlaneMemoryRequirementsInfo<'_>>((*info).p_next);
                let plane = plane.map_or(0, |plane| translate::image::plane(plane.plane_aspect));
                image.needs(plane, needs(&(*requirements).memory_requirements), device.recorder.lazy_types());
            }
        });
    }
}

/// vkGetDeviceImageMemoryRequirements: of images that are not made yet.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_device_image_memory_requirements(
    handle: vk::Device,
    info: *const vk::DeviceImageMemoryRequirements<'_>,
    requirements: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.get_device_image_memory_requirements {
            next(handle, info, requirements);
        }
        guard(HookId::get_device_image_memory_requirements, || {
            let created = &*(*info).p_create_info;
            if translate::image::is_described(created) {
                let plane = translate::image::plane((*info).plane_aspect);
                let needs = needs(&(*requirements).memory_requirements);
                device.recorder.objects.foreseen.set(translate::image::image(created), plane, needs);
            }
        });
    }
}

fn needs(requirements: &vk::MemoryRequirements) -> Needs {
    Needs { bytes: requirements.size, types: requirements.memory_type_bits }
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
