//! The rules by which a name is answered: a hook is given out only for a name that the layer below
//! knows, so that the program sees the same set of commands as without us.

use crate::abi::NegotiateInterface;
use crate::dispatch::{instances, key};
use crate::dispatch::{table, void};
use crate::hooks::{device, instance};
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char};

/// The loader's first question.
///
/// # Safety
/// `interface` is null or the loader's struct.
pub unsafe extern "system" fn negotiate(interface: *mut NegotiateInterface) -> vk::Result {
    // SAFETY: by the caller's promise; the loader's struct is ours for the call.
    match unsafe { interface.as_mut() } {
        Some(interface) => {
            interface.answer(get_instance_proc_addr, get_device_proc_addr, get_physical_device_proc_addr)
        }
        None => vk::Result::ERROR_INITIALIZATION_FAILED,
    }
}

/// vkGetInstanceProcAddr.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_instance_proc_addr(
    handle: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: a null-terminated string, by valid usage.
    let name = unsafe { CStr::from_ptr(name) };
    // The global commands are answered whatever `handle` is: some loaders pass one that is not usable.
    match name.to_bytes() {
        b"vkGetInstanceProcAddr" => return void!(get_instance_proc_addr => vk::PFN_vkGetInstanceProcAddr),
        b"vkCreateInstance" => return void!(instance::create_instance => vk::PFN_vkCreateInstance),
        // Layers above ask for it with a null instance (MangoHud, vkBasalt); the loader answers programs itself.
        b"vkCreateDevice" => return void!(device::create_device => vk::PFN_vkCreateDevice),
        b"vkEnumerateInstanceLayerProperties" => {
            return void!(enumerate_instance_layer_properties => vk::PFN_vkEnumerateInstanceLayerProperties);
        }
        b"vkEnumerateInstanceExtensionProperties" => {
            return void!(enumerate_instance_extension_properties => vk::PFN_vkEnumerateInstanceExtensionProperties);
        }
        b"vk_layerGetPhysicalDeviceProcAddr" => {
            return void!(get_physical_device_proc_addr => crate::abi::GetPhysicalDeviceProcAddr);
        }
        _ => {}
    }
    if handle.is_null() {
        return None;
    }
    // SAFETY: a live instance, by valid usage.
    let instance = instances::find(unsafe { key(handle.as_raw()) })?;
    if is_provided(name) {
        return table::instance_hook(name);
    }
    let below = instance.below(name)?;
    if name.to_bytes() == b"vkGetDeviceProcAddr" {
        return void!(get_device_proc_addr => vk::PFN_vkGetDeviceProcAddr);
    }
    table::instance_hook(name).or_else(|| table::device_hook(name)).or(Some(below))
}

/// Whether the command is the layer's own, there whatever the layer below knows.
fn is_provided(name: &CStr) -> bool {
    let mut commands = tilelens_manifest::DEVICE_EXTENSIONS.iter().flat_map(|extension| extension.entry_points);
    commands.any(|command| command.as_bytes() == name.to_bytes())
}

/// vkGetDeviceProcAddr.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_device_proc_addr(handle: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    if name.is_null() || handle.is_null() {
        return None;
    }
    // SAFETY: a null-terminated string and a live device, by valid usage.
    let (name, device) = unsafe { (CStr::from_ptr(name), super::device_of(handle.as_raw())?) };
    let below = device.below(name)?;
    if name.to_bytes() == b"vkGetDeviceProcAddr" {
        return void!(get_device_proc_addr => vk::PFN_vkGetDeviceProcAddr);
    }
    table::device_hook(name).or(Some(below))
}

/// vk_layerGetPhysicalDeviceProcAddr: physical-device commands only. Answering a device command here would make the loader
/// jump into the wrong trampoline.
///
/// # Safety
/// As the loader interface demands.
pub unsafe extern "system" fn get_physical_device_proc_addr(
    handle: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() || handle.is_null() {
        return None;
    }
    // SAFETY: a null-terminated string and a live instance, by the loader interface.
    let (name, instance) = unsafe { (CStr::from_ptr(name), instances::find(key(handle.as_raw()))?) };
    match name.to_bytes() {
        _ if is_provided(name) => table::instance_hook(name),
        // Hooked commands that take a VkPhysicalDevice.
        b"vkCreateDevice"
        | b"vkEnumerateDeviceExtensionProperties"
        | b"vkEnumerateDeviceLayerProperties"
        | b"vkGetPhysicalDeviceToolProperties"
        | b"vkGetPhysicalDeviceFeatures2"
        | b"vkGetPhysicalDeviceFeatures2KHR" => instance.below(name).and(table::instance_hook(name)),
        _ if table::instance_hook(name).or(table::device_hook(name)).is_some() => None,
        _ => {
            let next = instance.get_physical_device_proc_addr?;
            // SAFETY: the next layer's function with the instance of the chain.
            unsafe { next(handle, name.as_ptr()) }
        }
    }
}

/// Exactly one layer: this one.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn enumerate_instance_layer_properties(
    count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: by valid usage.
    unsafe { instance::fill(&[instance::layer_properties()], count, properties) }
}

/// The instance extensions of this layer; no other layer's.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn enumerate_instance_extension_properties(
    layer: *const c_char,
    count: *mut u32,
    properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: by valid usage.
    unsafe {
        if !instance::is_this_layer(layer) {
            return vk::Result::ERROR_LAYER_NOT_PRESENT;
        }
        instance::fill(&instance::instance_extensions(), count, properties)
    }
}
