//! Descriptor set layouts, pipeline layouts, pools, sets and what is written to them.

use super::device_of;
use crate::abi::slice;
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{DescriptorPool, Objects, Set, SetLayout};
use crate::translate;
use ash::vk::{self, Handle};
use std::ffi::c_void;
use std::sync::Arc;

/// A vkCreate* hook: calls down, then records `$body` with the device's objects as `$objects`, the create info as `$info` and the raw
/// handle as `$raw`; and the vkDestroy* hook beside it, which forgets the handle first and then does `$gone` with what it was.
macro_rules! object {
    (
        $create:ident($info_type:ident) |$objects:ident, $info:ident, $raw:ident| $body:expr;
        $destroy:ident($handle_type:ident) $registry:ident |$left:ident, $object:ident| $gone:expr;
    ) => {
        #[doc = concat!("Creates a Vk", stringify!($handle_type), ".")]
        ///
        /// # Safety
        /// As the specification demands.
        pub unsafe extern "system" fn $create(
            handle: vk::Device,
            info: *const vk::$info_type<'_>,
            allocator: *const vk::AllocationCallbacks<'_>,
            object: *mut vk::$handle_type,
        ) -> vk::Result {
            // SAFETY: a live device; the application's own arguments.
            unsafe {
                let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
                let Some(next) = device.next.$create else { return vk::Result::ERROR_INITIALIZATION_FAILED };
                let result = next(handle, info, allocator, object);
                if result.as_raw() >= 0 {
                    guard(HookId::$create, || {
                        let ($objects, $info, $raw) = (&device.recorder.objects, &*info, (*object).as_raw());
                        $body
                    });
                }
                result
            }
        }

        #[doc = concat!("Destroys a Vk", stringify!($handle_type), ".")]
        ///
        /// # Safety
        /// As the specification demands.
        pub unsafe extern "system" fn $destroy(
            handle: vk::Device,
            object: vk::$handle_type,
            allocator: *const vk::AllocationCallbacks<'_>,
        ) {
            // SAFETY: a live device; the application's own arguments.
            unsafe {
                let Some(device) = device_of(handle.as_raw()) else { return };
                guard(HookId::$destroy, || {
                    let $left = &device.recorder.objects;
                    if let Some($object) = $left.$registry.remove(object.as_raw()) {
                        $gone
                    }
                });
                if let Some(next) = device.next.$destroy {
                    next(handle, object, allocator);
                }
            }
        }
    };
}

object! {
    create_descriptor_set_layout(DescriptorSetLayoutCreateInfo) |objects, info, raw| {
        objects.set_layouts.insert(raw, Arc::new(translate::descriptor::set_layout(info)));
    };
    destroy_descriptor_set_layout(DescriptorSetLayout) set_layouts |_objects, layout| drop(layout);
}

object! {
    create_pipeline_layout(PipelineLayoutCreateInfo) |objects, info, raw| {
        objects.pipeline_layouts.insert(raw, Arc::new(translate::descriptor::pipeline_layout(objects, info)));
    };
    destroy_pipeline_layout(PipelineLayout) pipeline_layouts |_objects, layout| drop(layout);
}

object! {
    create_descriptor_pool(DescriptorPoolCreateInfo) |objects, _info, raw| {
        objects.descriptor_pools.insert(raw, Arc::new(DescriptorPool::default()));
    };
    destroy_descriptor_pool(DescriptorPool) descriptor_pools |objects, pool| empty(objects, &pool);
}

object! {
    create_descriptor_update_template(DescriptorUpdateTemplateCreateInfo) |objects, info, raw| {
        objects.templates.insert(raw, Arc::new(translate::descriptor::template(info)));
    };
    destroy_descriptor_update_template(DescriptorUpdateTemplate) templates |_objects, template| drop(template);
}

/// The sets of a pool are gone.
fn empty(objects: &Objects, pool: &DescriptorPool) {
    for (set, ()) in pool.sets.lock().drain() {
        objects.sets.remove(set);
    }
}

/// vkResetDescriptorPool: frees its sets.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn reset_descriptor_pool(
    handle: vk::Device,
    pool: vk::DescriptorPool,
    flags: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.reset_descriptor_pool else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::reset_descriptor_pool, || {
            let objects = &device.recorder.objects;
            if let Some(pool) = objects.descriptor_pools.get(pool.as_raw()) {
                empty(objects, &pool);
            }
        });
        next(handle, pool, flags)
    }
}

/// vkAllocateDescriptorSets.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn allocate_descriptor_sets(
    handle: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    sets: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.allocate_descriptor_sets else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, sets);
        if result.as_raw() >= 0 {
            guard(HookId::allocate_descriptor_sets, || allocated(device, &*info, sets));
        }
        result
    }
}

/// # Safety
/// The arguments of a vkAllocateDescriptorSets that has succeeded.
unsafe fn allocated(device: &Device, info: &vk::DescriptorSetAllocateInfo<'_>, sets: *const vk::DescriptorSet) {
    let objects = &device.recorder.objects;
    // SAFETY: two arrays of so many items.
    let (layouts, sets) =
        unsafe { (slice(info.p_set_layouts, info.descriptor_set_count), slice(sets, info.descriptor_set_count)) };
    let pool = objects.descriptor_pools.get(info.descriptor_pool.as_raw());
    let mut last: Option<(u64, Arc<SetLayout>)> = None;
    for (layout, set) in layouts.iter().zip(sets) {
        if last.as_ref().is_none_or(|(handle, _)| *handle != layout.as_raw()) {
            last = objects.set_layouts.get(layout.as_raw()).map(|known| (layout.as_raw(), known));
        }
        let Some((_, layout)) = &last else { continue };
        objects.sets.insert(set.as_raw(), Arc::new(Set::new(objects.next_serial(), Arc::clone(layout))));
        if let Some(pool) = &pool {
            pool.sets.lock().insert(set.as_raw(), ());
        }
    }
}

/// vkFreeDescriptorSets; null handles are allowed among them.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn free_descriptor_sets(
    handle: vk::Device,
    pool: vk::DescriptorPool,
    count: u32,
    sets: *const vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.free_descriptor_sets else { return vk::Result::ERROR_DEVICE_LOST };
        guard(HookId::free_descriptor_sets, || {
            let objects = &device.recorder.objects;
            let pool = objects.descriptor_pools.get(pool.as_raw());
            for set in slice(sets, count) {
                objects.sets.remove(set.as_raw());
                if let Some(pool) = &pool {
                    pool.sets.lock().remove(&set.as_raw());
                }
            }
        });
        next(handle, pool, count, sets)
    }
}

/// vkUpdateDescriptorSets.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn update_descriptor_sets(
    handle: vk::Device,
    write_count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
    copy_count: u32,
    copies: *const vk::CopyDescriptorSet<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.update_descriptor_sets {
            next(handle, write_count, writes, copy_count, copies);
        }
        guard(HookId::update_descriptor_sets, || {
            let objects = &device.recorder.objects;
            translate::descriptor::update(objects, slice(writes, write_count), slice(copies, copy_count));
        });
    }
}

/// vkUpdateDescriptorSetWithTemplate.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn update_descriptor_set_with_template(
    handle: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.update_descriptor_set_with_template {
            next(handle, set, template, data);
        }
        guard(HookId::update_descriptor_set_with_template, || {
            let objects = &device.recorder.objects;
            let (set, template) = (objects.sets.get(set.as_raw()), objects.templates.get(template.as_raw()));
            if let (Some(set), Some(template)) = (set, template) {
                translate::descriptor::update_with(objects, &set, &template, data);
            }
        });
    }
}

/// vkGetDescriptorEXT: from now on shaders may find the image in memory.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_descriptor(
    handle: vk::Device,
    info: *const vk::DescriptorGetInfoEXT<'_>,
    size: usize,
    descriptor: *mut c_void,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.get_descriptor {
            next(handle, info, size, descriptor);
        }
        guard(HookId::get_descriptor, || {
            let objects = &device.recorder.objects;
            if let Some((number, taken)) = translate::descriptor::taken(objects, &*info) {
                objects.taken.0.put(number, taken);
            }
        });
    }
}
