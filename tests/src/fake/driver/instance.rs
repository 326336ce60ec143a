//! Instances and the one physical device.

use super::Driver;
use crate::fake::commands::word;
use crate::fake::handle::{self, Object};
use crate::fake::link;
use ash::vk::{self, Handle};
use std::ffi::c_char;

/// Vulkan's two-call protocol: without an array the number, else as many elements as fit and VK_INCOMPLETE if some did not.
///
/// # Safety
/// `count` must be valid and `out` null or an array of `*count` elements.
pub(super) unsafe fn fill<T: Clone>(list: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        if out.is_null() {
            count.write(list.len() as u32);
            return vk::Result::SUCCESS;
        }
        let room = (count.read() as usize).min(list.len());
        for (index, value) in list.iter().take(room).enumerate() {
            out.add(index).write(value.clone());
        }
        count.write(room as u32);
        if room < list.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// vkCreateInstance. It carries no handle, so the thread's driver answers.
pub(super) unsafe extern "system" fn create(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    let Some(driver) = Driver::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    driver.note("vkCreateInstance", || vec![word(&info), word(&allocator), word(&out)]);
    if let Some(result) = driver.injected("vkCreateInstance") {
        return result;
    }
    // SAFETY: the specification demands valid pointers.
    unsafe {
        match link::link_of((*info).p_next, link::INSTANCE) {
            Some(next) if !next.is_null() => {
                driver.fault("vkCreateInstance: the link was not advanced before the call down");
            }
            _ => {}
        }
        let instance: vk::Instance = Object::create(driver, 0);
        handle::set_dispatch(instance, driver.new_dispatch());
        out.write(instance);
    }
    vk::Result::SUCCESS
}

/// vkDestroyInstance.
pub(crate) fn destroy<A>(driver: &'static Driver, (instance, _): (vk::Instance, *const A)) {
    let physical = driver.state().physical_devices.remove(&instance.as_raw());
    if let Some(physical) = physical {
        driver.retire(physical);
    }
    driver.free_dispatch(handle::dispatch(instance));
    driver.retire(instance);
}

fn physical_device(driver: &'static Driver, instance: vk::Instance) -> vk::PhysicalDevice {
    let known = driver.state().physical_devices.get(&instance.as_raw()).copied();
    known.unwrap_or_else(|| {
        let physical = Object::create(driver, 0);
        handle::set_dispatch(physical, handle::dispatch(instance));
        driver.state().physical_devices.insert(instance.as_raw(), physical);
        physical
    })
}

/// vkEnumeratePhysicalDevices.
pub(crate) fn physical_devices(
    driver: &'static Driver,
    (instance, count, out): (vk::Instance, *mut u32, *mut vk::PhysicalDevice),
) -> vk::Result {
    // SAFETY: the specification demands a count and, if given, an array of that many elements.
    unsafe { fill(&[physical_device(driver, instance)], count, out) }
}

/// vkEnumeratePhysicalDeviceGroups.
pub(crate) fn physical_device_groups(
    driver: &'static Driver,
    (instance, count, out): (vk::Instance, *mut u32, *mut vk::PhysicalDeviceGroupProperties<'_>),
) -> vk::Result {
    let physical = physical_device(driver, instance);
    // SAFETY: the specification demands a count and, if given, an array of that many structs.
    unsafe {
        if !out.is_null() && *count > 0 {
            (*out).physical_device_count = 1;
            (*out).physical_devices[0] = physical;
        }
        count.write(1);
    }
    vk::Result::SUCCESS
}

fn properties_of(driver: &Driver) -> vk::PhysicalDeviceProperties {
    let mut name = [0; vk::MAX_PHYSICAL_DEVICE_NAME_SIZE];
    let gpu = driver.options.gpu;
    for (to, from) in name.iter_mut().zip(gpu.name.bytes()) {
        *to = from as c_char;
    }
    vk::PhysicalDeviceProperties {
        api_version: driver.options.api,
        driver_version: gpu.driver_version,
        vendor_id: gpu.vendor,
        device_id: gpu.device,
        device_type: vk::PhysicalDeviceType::CPU,
        device_name: name,
        ..Default::default()
    }
}

/// vkGetPhysicalDeviceProperties.
pub(crate) fn properties(driver: &'static Driver, (_, out): (vk::PhysicalDevice, *mut vk::PhysicalDeviceProperties)) {
    // SAFETY: the specification demands a valid pointer.
    unsafe { out.write(properties_of(driver)) };
}

/// vkGetPhysicalDeviceProperties2.
pub(crate) fn properties2(
    driver: &'static Driver,
    (_, out): (vk::PhysicalDevice, *mut vk::PhysicalDeviceProperties2<'_>),
) {
    // SAFETY: the specification demands a valid pointer.
    unsafe { (*out).properties = properties_of(driver) };
}

/// Name of the extension whose feature [`features2`] answers for.
const MERGE_FEEDBACK: &str = "VK_EXT_subpass_merge_feedback";

impl Driver {
    /// Whether the driver has VK_EXT_subpass_merge_feedback.
    pub(super) fn has_merge_feedback(&self) -> bool {
        self.options.device_extensions.contains(&MERGE_FEEDBACK)
    }
}

/// vkGetPhysicalDeviceFeatures2: merge feedback, where the driver has it. Structs that it does not know it passes over.
pub(crate) fn features2(driver: &'static Driver, (_, out): (vk::PhysicalDevice, *mut vk::PhysicalDeviceFeatures2<'_>)) {
    if !driver.has_merge_feedback() {
        return;
    }
    // SAFETY: the specification demands a valid struct with a valid chain.
    unsafe {
        let mut next = (*out).p_next.cast::<vk::BaseOutStructure<'_>>();
        while let Some(item) = next.as_mut() {
            if item.s_type == vk::StructureType::PHYSICAL_DEVICE_SUBPASS_MERGE_FEEDBACK_FEATURES_EXT {
                (*next.cast::<vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT<'_>>()).subpass_merge_feedback = 1;
            }
            next = item.p_next;
        }
    }
}

const FAMILY: vk::QueueFamilyProperties = vk::QueueFamilyProperties {
    queue_flags: vk::QueueFlags::from_raw(0b111),
    queue_count: 4,
    timestamp_valid_bits: 64,
    min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
};

/// vkGetPhysicalDeviceQueueFamilyProperties.
pub(crate) fn queue_families(
    _: &'static Driver,
    (_, count, out): (vk::PhysicalDevice, *mut u32, *mut vk::QueueFamilyProperties),
) {
    // SAFETY: the specification demands a count and, if given, an array of that many structs.
    let _ = unsafe { fill(&[FAMILY], count, out) };
}

/// vkGetPhysicalDeviceQueueFamilyProperties2.
pub(crate) fn queue_families2(
    _: &'static Driver,
    (_, count, out): (vk::PhysicalDevice, *mut u32, *mut vk::QueueFamilyProperties2<'_>),
) {
    // SAFETY: the specification demands a count and, if given, an array of that many structs.
    unsafe {
        if !out.is_null() && *count > 0 {
            (*out).queue_family_properties = FAMILY;
        }
        count.write(1);
    }
}

/// Memory types: 0 device local, 1 host visible and coherent, 2 lazily allocated.
fn memory_of() -> vk::PhysicalDeviceMemoryProperties {
    let mut memory =
        vk::PhysicalDeviceMemoryProperties { memory_type_count: 4, memory_heap_count: 2, ..Default::default() };
    memory.memory_types[0].property_flags = vk::MemoryPropertyFlags::DEVICE_LOCAL;
    memory.memory_types[1].property_flags =
        vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    memory.memory_types[2].property_flags =
        vk::MemoryPropertyFlags::DEVICE_LOCAL | vk::MemoryPropertyFlags::LAZILY_ALLOCATED;
    // VK_MEMORY_HEAP_TILE_MEMORY_BIT_QCOM.
    let tile_memory = vk::MemoryHeapFlags::DEVICE_LOCAL | vk::MemoryHeapFlags::from_raw(0x8);
    memory.memory_types[3] = vk::MemoryType { property_flags: vk::MemoryPropertyFlags::DEVICE_LOCAL, heap_index: 1 };
    memory.memory_heaps[1] = vk::MemoryHeap { size: 1 << 20, flags: tile_memory };
    memory.memory_heaps[0] = vk::MemoryHeap { size: 1 << 30, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    memory
}

/// vkGetPhysicalDeviceMemoryProperties.
pub(crate) fn memory(_: &'static Driver, (_, out): (vk::PhysicalDevice, *mut vk::PhysicalDeviceMemoryProperties)) {
    // SAFETY: the specification demands a valid pointer.
    unsafe { out.write(memory_of()) };
}

/// vkGetPhysicalDeviceMemoryProperties2.
pub(crate) fn memory2(
    _: &'static Driver,
    (_, out): (vk::PhysicalDevice, *mut vk::PhysicalDeviceMemoryProperties2<'_>),
) {
    // SAFETY: the specification demands a valid pointer.
    unsafe { (*out).memory_properties = memory_of() };
}

/// vkGetPhysicalDeviceToolProperties: the driver itself is no tool, unless the options name some.
pub(crate) fn tools(
    driver: &'static Driver,
    (_, count, out): (vk::PhysicalDevice, *mut u32, *mut vk::PhysicalDeviceToolProperties<'_>),
) -> vk::Result {
    let names = &driver.options.tools;
    // SAFETY: the specification demands a count and, if given, an array of that many structs.
    unsafe {
        if out.is_null() {
            count.write(names.len() as u32);
            return vk::Result::SUCCESS;
        }
        let room = (count.read() as usize).min(names.len());
        for (at, name) in names.iter().take(room).enumerate() {
            for (to, from) in (*out.add(at)).name.iter_mut().zip(name.bytes().chain([0])) {
                *to = from as c_char;
            }
        }
        count.write(room as u32);
        if room < names.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// vkEnumerateDeviceExtensionProperties.
pub(crate) fn device_extensions(
    driver: &'static Driver,
    (_, _, count, out): (vk::PhysicalDevice, *const c_char, *mut u32, *mut vk::ExtensionProperties),
) -> vk::Result {
    let list: Vec<vk::ExtensionProperties> = driver
        .options
        .device_extensions
        .iter()
        .chain(driver.options.adds_merge_feedback.then_some(&MERGE_FEEDBACK))
        .map(|name| {
            let mut entry = vk::ExtensionProperties { spec_version: 1, ..Default::default() };
            for (to, from) in entry.extension_name.iter_mut().zip(name.bytes()) {
                *to = from as c_char;
            }
            entry
        })
        .collect();
    // SAFETY: the specification demands a count and, if given, an array of that many structs.
    unsafe { fill(&list, count, out) }
}

/// vkEnumerateDeviceLayerProperties: a driver has no layers.
pub(crate) fn device_layers<P>(
    _: &'static Driver,
    (_, count, _): (vk::PhysicalDevice, *mut u32, *mut P),
) -> vk::Result {
    // SAFETY: the specification demands a valid count.
    unsafe { count.write(0) };
    vk::Result::SUCCESS
}
