//! Devices, queues and command buffers.

use super::Driver;
use crate::fake::handle::{self, Object};
use crate::fake::link;
use ash::vk::{self, Handle};
use std::ffi::CStr;

/// vkCreateDevice, driver and the loader's terminator in one: the first word of a device is set when this returns.
pub(crate) fn create<A>(
    driver: &'static Driver,
    (_, info, _, out): (vk::PhysicalDevice, *const vk::DeviceCreateInfo<'_>, *const A, *mut vk::Device),
) -> vk::Result {
    // SAFETY: the specification demands valid pointers.
    unsafe {
        match link::link_of((*info).p_next, link::DEVICE) {
            Some(next) if !next.is_null() => {
                driver.fault("vkCreateDevice: the link was not advanced before the call down")
            }
            _ => {}
        }
        let names = match (*info).enabled_extension_count {
            0 => &[][..],
            count => std::slice::from_raw_parts((*info).pp_enabled_extension_names, count as usize),
        };
        let names = names.iter().map(|name| CStr::from_ptr(*name).to_string_lossy().into_owned()).collect();
        driver.state().enabled_extensions = names;
        driver.state().chained = super::render_pass::types((*info).p_next);
        let device: vk::Device = Object::create(driver, 0);
        handle::set_dispatch(device, driver.new_dispatch());
        out.write(device);
    }
    vk::Result::SUCCESS
}

/// vkDestroyDevice.
pub(crate) fn destroy<A>(driver: &'static Driver, (device, _): (vk::Device, *const A)) {
    driver.free_dispatch(handle::dispatch(device));
    driver.state().queues.retain(|(owner, ..), _| *owner != device.as_raw());
    driver.retire(device);
}

fn queue_of(driver: &'static Driver, device: vk::Device, family: u32, index: u32) -> vk::Queue {
    let key = (device.as_raw(), family, index);
    let known = driver.state().queues.get(&key).copied();
    known.unwrap_or_else(|| {
        let queue = Object::create(driver, 0);
        driver.state().queues.insert(key, queue);
        queue
    })
}

/// vkGetDeviceQueue: the first word of a new queue is not the loader's yet.
pub(crate) fn queue(driver: &'static Driver, (device, family, index, out): (vk::Device, u32, u32, *mut vk::Queue)) {
    // SAFETY: the specification demands a valid pointer.
    unsafe { out.write(queue_of(driver, device, family, index)) };
}

/// vkGetDeviceQueue2.
pub(crate) fn queue2(
    driver: &'static Driver,
    (device, info, out): (vk::Device, *const vk::DeviceQueueInfo2<'_>, *mut vk::Queue),
) {
    // SAFETY: the specification demands valid pointers.
    unsafe { out.write(queue_of(driver, device, (*info).queue_family_index, (*info).queue_index)) };
}

/// vkAllocateCommandBuffers: the first word of a new command buffer is not the loader's yet.
pub(crate) fn allocate_command_buffers(
    driver: &'static Driver,
    (_, info, out): (vk::Device, *const vk::CommandBufferAllocateInfo<'_>, *mut vk::CommandBuffer),
) -> vk::Result {
    // SAFETY: the specification demands a valid struct and an array of the length that it names.
    unsafe {
        let pool = (*info).command_pool.as_raw();
        for index in 0..(*info).command_buffer_count as usize {
            let buffer: vk::CommandBuffer = Object::create(driver, pool);
            driver.state().pools.entry(pool).or_default().push(buffer);
            out.add(index).write(buffer);
        }
    }
    vk::Result::SUCCESS
}

/// vkFreeCommandBuffers.
pub(crate) fn free_command_buffers(
    driver: &'static Driver,
    (_, pool, count, buffers): (vk::Device, vk::CommandPool, u32, *const vk::CommandBuffer),
) {
    for index in 0..count as usize {
        // SAFETY: the specification demands an array of `count` elements.
        let buffer = unsafe { buffers.add(index).read() };
        if buffer != vk::CommandBuffer::null() {
            if let Some(list) = driver.state().pools.get_mut(&pool.as_raw()) {
                list.retain(|b| *b != buffer);
            }
            driver.retire(buffer);
        }
    }
}
