//! The seven exports: what loaders look up by name. Each is a thin door to a function that is not exported: a reference to an
//! exported symbol would be bound to the loader library's function of the same name.

use super::{entry, instance};
use crate::abi::NegotiateInterface;
use ash::vk;
use std::ffi::c_char;

macro_rules! exports {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) -> $result:ty = $function:path;)+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the specification and the loader interface demand.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name($($arg: $ty),*) -> $result {
            // SAFETY: by the caller's promise.
            unsafe { $function($($arg),*) }
        }
    )+};
}

exports! {
    /// The Khronos loader's first question.
    vkNegotiateLoaderLayerInterfaceVersion(interface: *mut NegotiateInterface) -> vk::Result = entry::negotiate;
    /// vkGetInstanceProcAddr.
    vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction
        = entry::get_instance_proc_addr;
    /// vkGetDeviceProcAddr.
    vkGetDeviceProcAddr(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction = entry::get_device_proc_addr;
    /// vkEnumerateInstanceLayerProperties: Android's loader.
    vkEnumerateInstanceLayerProperties(count: *mut u32, properties: *mut vk::LayerProperties) -> vk::Result
        = entry::enumerate_instance_layer_properties;
    /// vkEnumerateInstanceExtensionProperties: Android's loader.
    vkEnumerateInstanceExtensionProperties(
        layer: *const c_char,
        count: *mut u32,
        properties: *mut vk::ExtensionProperties
    ) -> vk::Result = entry::enumerate_instance_extension_properties;
    /// vkEnumerateDeviceLayerProperties: Android's loader, with a null device.
    vkEnumerateDeviceLayerProperties(
        physical_device: vk::PhysicalDevice,
        count: *mut u32,
        properties: *mut vk::LayerProperties
    ) -> vk::Result = instance::enumerate_device_layer_properties;
    /// vkEnumerateDeviceExtensionProperties: Android's loader, with a null device.
    vkEnumerateDeviceExtensionProperties(
        physical_device: vk::PhysicalDevice,
        layer: *const c_char,
        count: *mut u32,
        properties: *mut vk::ExtensionProperties
    ) -> vk::Result = instance::enumerate_device_extension_properties;
}
