//! Devices: creation builds the table of next pointers and the analysis, destruction waits for what is still to be written.

use super::commitment::CommitmentQuery;
use super::compression::CompressionQuery;
use super::extensions::{self, MergeFeedback, Own};
use super::merge_feedback::is_of_extension;
use crate::abi::{self, Shortened, take_device_link};
use crate::dispatch::devices::{self, Device};
use crate::dispatch::instances::{self, Instance};
use crate::dispatch::table::{DeviceTable, HookId};
use crate::dispatch::{guard::guard, key, typed};
use crate::record::{MemoryType, Named, Objects, Recorder, Timeline};
use crate::sinks::messages;
use crate::sinks::messengers::{During, Message, Object};
use crate::worker::{Analysis, PATIENCE};
use ash::vk::{self, Handle};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tbdr_model::gpu::{Choices, Profile};
use tbdr_model::record::{self, Run};
use tilelens_manifest::Settings;

/// vkCreateDevice.
///
/// # Safety
/// As the specification and the loader interface demand.
pub unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: a live physical device shares its instance's key; the chain is the loader's.
    let (instance, link) = unsafe {
        let instance = instances::find(key(physical_device.as_raw()));
        (instance, info.as_ref().and_then(|i| take_device_link(i.p_next)))
    };
    let (Some(instance), Some(link)) = (instance, link) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: asked for with the real instance: some layers answer nothing for a null one.
    let next: Option<vk::PFN_vkCreateDevice> =
        unsafe { typed((link.get_instance_proc_addr)(instance.handle, c"vkCreateDevice".as_ptr())) };
    let Some(next) = next else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the argument of the call in progress, on its physical device.
    let own = guard(HookId::create_device, || unsafe { extensions::own(&instance, physical_device, &*info) });
    let Own { names, merge_feedback } = own.unwrap_or_default();
    // Of what is changed there is a copy; everything else in it is the application's.
    // SAFETY: as above.
    let changed = names.map(|names| unsafe {
        let chain = match merge_feedback {
            MergeFeedback::Layer => Shortened::without((*info).p_next, is_of_extension),
            _ => None,
        };
        let next = chain.as_ref().map_or((*info).p_next, Shortened::first);
        let (count, list) = (names.len() as u32, names.as_ptr());
        let copy = vk::DeviceCreateInfo {
            p_next: next,
            enabled_extension_count: count,
            pp_enabled_extension_names: list,
            ..*info
        };
        (copy, names, chain)
    });
    let passed = changed.as_ref().map_or(info, |(copy, ..)| ptr::from_ref(copy));
    // SAFETY: the application's own arguments, without what only this layer knows.
    let result = unsafe { next(physical_device, passed, allocator, device) };
    if result.as_raw() < 0 {
        return result;
    }
    // SAFETY: the call down has succeeded, so the handle is live; its loader word is set by the terminator.
    unsafe {
        let handle = *device;
        let get = link.get_device_proc_addr;
        let table = DeviceTable::load(&|name| get(handle, name.as_ptr()));
        let (run, memory_types) =
            guard(HookId::create_device, || describe(&instance, physical_device, &*info)).unwrap_or_default();
        let objects = Objects::default();
        let undeclared = ["VK_EXT_shader_tile_image", "VK_KHR_dynamic_rendering_local_read"];
        let reads = run.device.extensions.iter().any(|name| undeclared.contains(&name.as_str()));
        objects.reads_undeclared.store(reads, Ordering::Relaxed);
        let (mut settings, problems) = crate::runtime::settings(instance.settings.clone());
        let (profiles, unknown_gpu) = crate::runtime::profiles(&mut settings, &run.device);
        guard(HookId::create_device, || {
            let all = problems.iter().chain(&unknown_gpu);
            all.for_each(|problem| instance.messengers.notice(messages::setting(problem)));
        });
        guard(HookId::create_device, || crate::runtime::run_log(&settings, "device"));
        let compression =
            guard(HookId::create_device, || CompressionQuery::new(&*info, &|name| get(handle, name.as_ptr())));
        let feedback_profile = guard(HookId::create_device, || match merge_feedback {
            MergeFeedback::Layer => profiles.first().cloned(),
            _ => None,
        });
        let feedback_profile = feedback_profile.flatten().map(|profile| chosen(profile, &settings));
        let recorder = Recorder {
            objects,
            timeline: guard(HookId::create_device, || timeline(&*info)).unwrap_or_default(),
            analysis: Arc::new(Analysis::new(settings, profiles, run)),
            memory_types,
        };
        let commitment = CommitmentQuery::new(recorder.lazy_types(), &|name| get(handle, name.as_ptr()));
        let live = Box::new(Device {
            handle,
            get_proc_addr: get,
            next: table,
            compression: compression.unwrap_or_default(),
            commitment,
            merge_feedback,
            feedback_profile,
            messengers: Arc::clone(&instance.messengers),
            name: Named::default(),
            recorder,
        });
        devices::insert(key(handle.as_raw()), live);
    }
    crate::runtime::flush_at_exit();
    instance.messengers.note_fault();
    // SAFETY: the call in progress is on the instance's physical device; the device is live.
    unsafe { instance.messengers.say_notices(During::Device, &Object::new(*device)) };
    result
}

/// The profile with what the settings choose where documents leave it open.
fn chosen(profile: Profile, settings: &Settings) -> Profile {
    let choices = Choices { over_budget: settings.over_budget };
    let tiler = profile.tiler.choosing(&choices).unwrap_or_else(|| Arc::clone(&profile.tiler));
    Profile { tiler, ..profile }
}

/// How many queues the device has, and whether it is made of several physical devices.
///
/// # Safety
/// `info` is the argument of the call in progress.
unsafe fn timeline(info: &vk::DeviceCreateInfo<'_>) -> Timeline {
    // SAFETY: array and chain of a valid create info.
    unsafe {
        let families = abi::slice(info.p_queue_create_infos, info.queue_create_info_count);
        let queues = families.iter().fold(0u32, |all, family| all.saturating_add(family.queue_count));
        let group = abi::find::<vk::DeviceGroupDeviceCreateInfo<'_>>(info.p_next);
        let grouped = group.is_some_and(|group| group.physical_device_count > 1);
        // Masks say which of the devices runs what, and each has contents of its own.
        Timeline::new(
            queues,
            if grouped { &["VkDeviceGroupDeviceCreateInfo with several physical devices"] } else { &[] },
        )
    }
}

/// vkDestroyDevice.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_device(handle: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    if handle.is_null() {
        return;
    }
    // SAFETY: a live device; the key is read before the call down frees it.
    let key = unsafe { key(handle.as_raw()) };
    let messages = guard(HookId::destroy_device, || {
        let Some(device) = devices::find(key) else { return (Vec::new(), BTreeMap::new()) };
        if device.messengers.any() {
            device.recorder.analysis.want_messages();
        }
        device.recorder.finish(Instant::now() + PATIENCE);
        let messages = device.recorder.analysis.take_messages();
        let images = live_images(device, &messages);
        (messages, images)
    });
    let Some(device) = devices::remove(key) else { return };
    device.messengers.note_fault();
    let itself = Object { name: device.name.get().map(messages::text), ..Object::new(handle) };
    // SAFETY: the call in progress is on the device, which is destroyed below.
    unsafe { device.messengers.say_notices(During::Device, &itself) };
    if let Some((messages, images)) = messages.filter(|(messages, _)| !messages.is_empty()) {
        let about = |message: &Message| {
            let image = message.image.and_then(|serial| images.get(&serial)).cloned();
            image.into_iter().chain([itself.clone()]).collect()
        };
        // SAFETY: as above; what is an image of the device is destroyed before it.
        unsafe { device.messengers.say(&messages, about) };
    }
    for pool in device.recorder.objects.pools.drain() {
        super::command_buffer::forget_all(&pool);
    }
    if let Some(next) = device.next.destroy_device {
        // SAFETY: the application's own arguments.
        unsafe { next(handle, allocator) };
    }
}

/// The images that messages are about and that the application has not destroyed, by identity.
fn live_images(device: &Device, messages: &[Message]) -> BTreeMap<u64, Object> {
    let wanted: BTreeSet<u64> = messages.iter().filter_map(|message| message.image).collect();
    let mut found = BTreeMap::new();
    if !wanted.is_empty() {
        device.recorder.objects.images.for_each(|handle, image| {
            if wanted.contains(&image.serial) {
                let name = image.name.get().map(messages::text);
                found.insert(image.serial, Object { ty: vk::ObjectType::IMAGE, handle, name });
            }
        });
    }
    found
}

/// What the report says of the device. Two read-only queries of Vulkan 1.0 reach the driver: the properties of the physical
/// device and of its memory.
///
/// # Safety
/// Called while vkCreateDevice is in progress.
unsafe fn describe(
    instance: &Instance,
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
) -> (Run, Vec<MemoryType>) {
    let mut properties = vk::PhysicalDeviceProperties::default();
    let mut memory = vk::PhysicalDeviceMemoryProperties::default();
    // SAFETY: the next layer's functions with a live physical device; arrays of a valid create info.
    let extensions = unsafe {
        if let Some(get) = instance.queries.properties {
            get(physical_device, &raw mut properties);
        }
        if let Some(get) = instance.queries.memory {
            get(physical_device, &raw mut memory);
        }
        let mut names: Vec<String> = abi::slice(info.pp_enabled_extension_names, info.enabled_extension_count)
            .iter()
            .filter_map(|n| abi::string(*n))
            .collect();
        names.sort();
        names
    };
    let version = properties.api_version;
    let run = Run {
        program: crate::runtime::program(),
        application: instance.application.clone(),
        engine: instance.engine.clone(),
        layer_version: tilelens_manifest::VERSION.into(),
        device: record::Device {
            name: properties.device_name_as_c_str().unwrap_or(<&CStr>::default()).to_string_lossy().into_owned(),
            vendor_id: properties.vendor_id,
            device_id: properties.device_id,
            api_version: format!(
                "{}.{}.{}",
                vk::api_version_major(version),
                vk::api_version_minor(version),
                vk::api_version_patch(version)
            ),
            driver_version: properties.driver_version,
            extensions,
        },
        ..Run::default()
    };
    let count = memory.memory_type_count.min(vk::MAX_MEMORY_TYPES as u32) as usize;
    let heap = |index: u32| memory.memory_heaps.get(index as usize).map_or(0, |heap| heap.flags.as_raw());
    let types = memory.memory_types[..count].iter();
    let types = types.map(|t| MemoryType { properties: t.property_flags.as_raw(), heap: heap(t.heap_index) });
    (run, types.collect())
}
