//! Commands of instances and physical devices.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::{create, destroy, device, instance, plain};
use ash::vk;
use std::ffi::c_char;

commands! {
    [instance 1.0] vkDestroyInstance =>
        (instance: vk::Instance, allocator: *const vk::AllocationCallbacks<'_>) -> () = instance::destroy;
    [instance 1.0] vkEnumeratePhysicalDevices =>
        (instance: vk::Instance, physical_device_count: *mut u32, physical_devices: *mut vk::PhysicalDevice) ->
         vk::Result = instance::physical_devices;
    [instance 1.1] vkEnumeratePhysicalDeviceGroups | vkEnumeratePhysicalDeviceGroupsKHR =>
        (instance: vk::Instance, physical_device_group_count: *mut u32, physical_device_group_properties: *mut
         vk::PhysicalDeviceGroupProperties<'_>) -> vk::Result = instance::physical_device_groups;
    [instance 1.0] vkGetPhysicalDeviceFeatures =>
        (physical_device: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures) -> () = plain;
    [instance 1.1] vkGetPhysicalDeviceFeatures2 | vkGetPhysicalDeviceFeatures2KHR =>
        (physical_device: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures2<'_>) -> () =
         instance::features2;
    [instance 1.0] vkGetPhysicalDeviceFormatProperties =>
        (physical_device: vk::PhysicalDevice, format: vk::Format, format_properties: *mut vk::FormatProperties) -> ()
         = plain;
    [instance 1.0] vkGetPhysicalDeviceProperties =>
        (physical_device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties) -> () =
         instance::properties;
    [instance 1.1] vkGetPhysicalDeviceProperties2 | vkGetPhysicalDeviceProperties2KHR =>
        (physical_device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties2<'_>) -> () =
         instance::properties2;
    [instance 1.0] vkGetPhysicalDeviceQueueFamilyProperties =>
        (physical_device: vk::PhysicalDevice, queue_family_property_count: *mut u32, queue_family_properties: *mut
         vk::QueueFamilyProperties) -> () = instance::queue_families;
    [instance 1.1] vkGetPhysicalDeviceQueueFamilyProperties2 | vkGetPhysicalDeviceQueueFamilyProperties2KHR =>
        (physical_device: vk::PhysicalDevice, queue_family_property_count: *mut u32, queue_family_properties: *mut
         vk::QueueFamilyProperties2<'_>) -> () = instance::queue_families2;
    [instance 1.0] vkGetPhysicalDeviceMemoryProperties =>
        (physical_device: vk::PhysicalDevice, memory_properties: *mut vk::PhysicalDeviceMemoryProperties) -> () =
         instance::memory;
    [instance 1.1] vkGetPhysicalDeviceMemoryProperties2 | vkGetPhysicalDeviceMemoryProperties2KHR =>
        (physical_device: vk::PhysicalDevice, memory_properties: *mut vk::PhysicalDeviceMemoryProperties2<'_>) -> () =
         instance::memory2;
    [instance 1.3] vkGetPhysicalDeviceToolProperties | vkGetPhysicalDeviceToolPropertiesEXT =>
        (physical_device: vk::PhysicalDevice, tool_count: *mut u32, tool_properties: *mut
         vk::PhysicalDeviceToolProperties<'_>) -> vk::Result = instance::tools;
    [instance 1.0] vkEnumerateDeviceExtensionProperties =>
        (physical_device: vk::PhysicalDevice, layer_name: *const c_char, property_count: *mut u32, properties: *mut
         vk::ExtensionProperties) -> vk::Result = instance::device_extensions;
    [instance 1.0] vkEnumerateDeviceLayerProperties =>
        (physical_device: vk::PhysicalDevice, property_count: *mut u32, properties: *mut vk::LayerProperties) ->
         vk::Result = instance::device_layers;
    [instance 1.0] vkCreateDevice =>
        (physical_device: vk::PhysicalDevice, create_info: *const vk::DeviceCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, device: *mut vk::Device) -> vk::Result = device::create;
    [instance ext] vkCreateHeadlessSurfaceEXT =>
        (instance: vk::Instance, create_info: *const vk::HeadlessSurfaceCreateInfoEXT<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, surface: *mut vk::SurfaceKHR) -> vk::Result = create;
    [instance ext] vkDestroySurfaceKHR =>
        (instance: vk::Instance, surface: vk::SurfaceKHR, allocator: *const vk::AllocationCallbacks<'_>) -> () =
         destroy;
    [instance ext] vkCreateDebugUtilsMessengerEXT =>
        (instance: vk::Instance, create_info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, messenger: *mut vk::DebugUtilsMessengerEXT) -> vk::Result = create;
    [instance ext] vkDestroyDebugUtilsMessengerEXT =>
        (instance: vk::Instance, messenger: vk::DebugUtilsMessengerEXT, allocator: *const vk::AllocationCallbacks<'_>)
         -> () = destroy;
    [instance ext] vkSubmitDebugUtilsMessageEXT =>
        (instance: vk::Instance, message_severity: vk::DebugUtilsMessageSeverityFlagsEXT, message_types: vk::DebugUtilsMessageTypeFlagsEXT,
         callback_data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>) -> () = plain;
}
