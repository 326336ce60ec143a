//! Device extensions that the layer itself provides: who is told of them, and that no driver is asked for one that it does not know.

use super::instance::extension_properties;
use crate::abi::slice;
use crate::dispatch::instances::Instance;
use ash::vk;
use std::ffi::{CStr, c_char};
use std::ptr;
use tilelens_manifest as manifest;

/// The device extensions that the layer offers, as it lists them where it is asked by name.
pub fn provided() -> Vec<vk::ExtensionProperties> {
    manifest::DEVICE_EXTENSIONS.iter().map(extension_properties).collect()
}

/// The names of device extensions that go down to the driver: `None` where the application's own list can.
///
/// # Safety
/// `info` is the argument of a vkCreateDevice in progress on this physical device.
pub unsafe fn passed_down(
    instance: &Instance,
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
) -> Option<Vec<*const c_char>> {
    // SAFETY: the array and the strings of a valid create info.
    unsafe {
        let asked = slice(info.pp_enabled_extension_names, info.enabled_extension_count);
        let is_ours = |name: &CStr| manifest::DEVICE_EXTENSIONS.iter().any(|e| e.name.as_bytes() == name.to_bytes());
        if !asked.iter().any(|name| !name.is_null() && is_ours(CStr::from_ptr(*name))) {
            return None;
        }
        let known = below(instance, physical_device)?;
        let knows = |name: &CStr| known.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        let passes = |name: &*const c_char| {
            name.is_null() || {
                let name = CStr::from_ptr(*name);
                !is_ours(name) || knows(name)
            }
        };
        let kept: Vec<_> = asked.iter().copied().filter(passes).collect();
        (kept.len() < asked.len()).then_some(kept)
    }
}

/// The device extensions that the next layer lists; `None` where it cannot be asked.
///
/// # Safety
/// `physical_device` is live.
unsafe fn below(instance: &Instance, physical_device: vk::PhysicalDevice) -> Option<Vec<vk::ExtensionProperties>> {
    let next = instance.next.enumerate_device_extension_properties?;
    let mut count = 0;
    // SAFETY: the next layer's function, a count and an array of that many structs.
    unsafe {
        if next(physical_device, ptr::null(), &raw mut count, ptr::null_mut()) != vk::Result::SUCCESS {
            return None;
        }
        let mut list = vec![vk::ExtensionProperties::default(); count as usize];
        let result = next(physical_device, ptr::null(), &raw mut count, list.as_mut_ptr());
        list.truncate(count as usize);
        (result == vk::Result::SUCCESS).then_some(list)
    }
}
