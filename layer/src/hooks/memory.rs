//! Buffers, device memory, and what is bound to what.

use super::{commitment, compression, device_of};
use crate::abi::{find, slice};
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{Buffer, MemoryBlock, Named, Place, Resource};
use crate::translate;
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::sync::Arc;
use tbdr_model::frame::Memory;

/// vkCreateBuffer.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_buffer(
    handle: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    buffer: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_buffer else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, buffer);
        if result.as_raw() >= 0 {
            guard(HookId::create_buffer, || {
                let objects = &device.recorder.objects;
                let created = Arc::new(Buffer {
                    serial: objects.next_serial(),
                    created: translate::image::buffer(&*info),
                    memory: Mutex::new(Memory::default()),
                    place: Place::default(),
                    name: Named::default(),
                });
                objects.buffers.insert((*buffer).as_raw(), created);
            });
        }
        result
    }
}

/// vkDestroyBuffer.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_buffer(
    handle: vk::Device,
    buffer: vk::Buffer,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_buffer, || {
            if let Some(gone) = device.recorder.objects.buffers.remove(buffer.as_raw()) {
                gone.place.leave();
            }
        });
        if let Some(next) = device.next.destroy_buffer {
            next(handle, buffer, allocator);
        }
    }
}

/// vkAllocateMemory.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn allocate_memory(
    handle: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.allocate_memory else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, memory);
        if result.as_raw() >= 0 {
            guard(HookId::allocate_memory, || {
                let known = translate::image::memory(&*info, &device.recorder.memory_types);
                let block = MemoryBlock::new(known, (*info).allocation_size);
                device.recorder.objects.memory.insert((*memory).as_raw(), Arc::new(block));
            });
        }
        result
    }
}

/// vkFreeMemory. Before lazily allocated memory is gone the driver is asked what it has committed.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn free_memory(
    handle: vk::Device,
    memory: vk::DeviceMemory,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::free_memory, || {
            if let Some(block) = device.recorder.objects.memory.remove(memory.as_raw()) {
                commitment::ask(device, memory, &block);
            }
        });
        if let Some(next) = device.next.free_memory {
            next(handle, memory, allocator);
        }
    }
}

/// vkBindImageMemory.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn bind_image_memory(
    handle: vk::Device,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.bind_image_memory else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, image, memory, offset);
        if result.as_raw() >= 0 {
            guard(HookId::bind_image_memory, || bind_image(device, image, (memory, offset), 0));
        }
        result
    }
}

/// vkBindImageMemory2. An image may be bound to a swapchain image instead: it then is that image.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn bind_image_memory2(
    handle: vk::Device,
    count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.bind_image_memory2 else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, count, infos);
        if result.as_raw() >= 0 {
            guard(HookId::bind_image_memory2, || {
                for info in slice(infos, count) {
                    match find::<vk::BindImageMemorySwapchainInfoKHR<'_>>(info.p_next) {
                        Some(swapchain) => alias_swapchain(device, info.image, swapchain),
                        None => {
                            let plane = find::<vk::BindImagePlaneMemoryInfo<'_>>(info.p_next);
                            let plane = plane.map_or(0, |plane| translate::image::plane(plane.plane_aspect));
                            bind_image(device, info.image, (info.memory, info.memory_offset), plane);
                        }
                    }
                }
            });
        }
        result
    }
}

/// vkBindBufferMemory.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn bind_buffer_memory(
    handle: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.bind_buffer_memory else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, buffer, memory, offset);
        if result.as_raw() >= 0 {
            guard(HookId::bind_buffer_memory, || bind_buffer(device, buffer, (memory, offset)));
        }
        result
    }
}

/// vkBindBufferMemory2.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn bind_buffer_memory2(
    handle: vk::Device,
    count: u32,
    infos: *const vk::BindBufferMemoryInfo<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.bind_buffer_memory2 else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, count, infos);
        if result.as_raw() >= 0 {
            guard(HookId::bind_buffer_memory2, || {
                for info in slice(infos, count) {
                    bind_buffer(device, info.buffer, (info.memory, info.memory_offset));
                }
            });
        }
        result
    }
}

/// Plane 0 is the whole image.
///
/// # Safety
/// `image` is live.
unsafe fn bind_image(device: &Device, handle: vk::Image, (memory, offset): (vk::DeviceMemory, u64), plane: u32) {
    let objects = &device.recorder.objects;
    let Some(image) = objects.images.get(handle.as_raw()) else { return };
    if let Some(block) = objects.memory.get(memory.as_raw()) {
        block.bind(Resource::Image(Arc::clone(&image)), plane, offset, image.bytes(plane));
    }
    // SAFETY: by the caller's promise; bound by now, as far as it can be with one plane.
    unsafe { compression::ask(device, handle, &image) };
}

fn bind_buffer(device: &Device, buffer: vk::Buffer, (memory, offset): (vk::DeviceMemory, u64)) {
    let objects = &device.recorder.objects;
    let (buffer, block) = (objects.buffers.get(buffer.as_raw()), objects.memory.get(memory.as_raw()));
    if let (Some(buffer), Some(block)) = (buffer, block) {
        let bytes = buffer.created.size;
        block.bind(Resource::Buffer(buffer), 0, offset, bytes);
    }
}

fn alias_swapchain(device: &Device, image: vk::Image, info: &vk::BindImageMemorySwapchainInfoKHR<'_>) {
    let objects = &device.recorder.objects;
    let swapchain = objects.swapchains.get(info.swapchain.as_raw());
    if let Some(target) = swapchain.and_then(|swapchain| swapchain.image(info.image_index, objects)) {
        objects.images.remove(image.as_raw());
        objects.images.insert(image.as_raw(), target);
    }
}
