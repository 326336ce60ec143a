//! Prints, for every command name of the registry, whether the loader's vkGetInstanceProcAddr and vkGetDeviceProcAddr know it.
//!
//! Usage: `proc_matrix 1.0|1.1|1.2|1.3 none|all`: API version of the instance, and which extensions are enabled.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ffi::{CStr, CString, c_char};
use std::io::Write;
use std::ptr;
use tilelens_tests::fake::link::{GetDeviceProcAddr, GetInstanceProcAddr};

/// A function of the loader under its own type.
///
/// # Safety
/// `F` is the function pointer type of `name`.
unsafe fn function<F: Copy>(get: GetInstanceProcAddr, instance: vk::Instance, name: &CStr) -> F {
    // SAFETY: a live instance or null, and a terminated string.
    let found = unsafe { get(instance, name.as_ptr()) }.unwrap_or_else(|| panic!("{name:?} is missing"));
    assert_eq!(size_of::<F>(), size_of_val(&found));
    // SAFETY: by the caller's promise, and the sizes are equal.
    unsafe { std::mem::transmute_copy(&found) }
}

fn names(list: &[vk::ExtensionProperties]) -> Vec<CString> {
    // SAFETY: the names are terminated by specification.
    list.iter().map(|e| unsafe { CStr::from_ptr(e.extension_name.as_ptr()) }.to_owned()).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let minor: u32 = arguments[1].trim_start_matches("1.").parse().unwrap();
    let all = arguments[2] == "all";
    // SAFETY: the loader is loaded once and stays; all calls follow the specification.
    unsafe {
        let loader = libloading::Library::new("libvulkan.so.1").unwrap();
        let get = *loader.get::<GetInstanceProcAddr>(b"vkGetInstanceProcAddr\0").unwrap();
        let null = vk::Instance::null();
        let enumerate: vk::PFN_vkEnumerateInstanceExtensionProperties =
            function(get, null, c"vkEnumerateInstanceExtensionProperties");
        let mut count = 0;
        enumerate(ptr::null(), &mut count, ptr::null_mut()).result().unwrap();
        let mut list = vec![vk::ExtensionProperties::default(); count as usize];
        enumerate(ptr::null(), &mut count, list.as_mut_ptr()).result().unwrap();
        let extensions = if all { names(&list[..count as usize]) } else { Vec::new() };
        let pointers: Vec<*const c_char> = extensions.iter().map(|e| e.as_ptr()).collect();
        let application = vk::ApplicationInfo::default().api_version(vk::make_api_version(0, 1, minor, 0));
        let info =
            vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&pointers);
        let create: vk::PFN_vkCreateInstance = function(get, null, c"vkCreateInstance");
        let mut instance = null;
        create(&info, ptr::null(), &mut instance).result().unwrap();

        let devices: vk::PFN_vkEnumeratePhysicalDevices = function(get, instance, c"vkEnumeratePhysicalDevices");
        let (mut count, mut physical) = (1, vk::PhysicalDevice::null());
        let _ = devices(instance, &mut count, &mut physical);
        let enumerate: vk::PFN_vkEnumerateDeviceExtensionProperties =
            function(get, instance, c"vkEnumerateDeviceExtensionProperties");
        enumerate(physical, ptr::null(), &mut count, ptr::null_mut()).result().unwrap();
        let mut list = vec![vk::ExtensionProperties::default(); count as usize];
        enumerate(physical, ptr::null(), &mut count, list.as_mut_ptr()).result().unwrap();
        let extensions = if all { names(&list[..count as usize]) } else { Vec::new() };
        let pointers: Vec<*const c_char> = extensions.iter().map(|e| e.as_ptr()).collect();
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&pointers);
        let create: vk::PFN_vkCreateDevice = function(get, instance, c"vkCreateDevice");
        let mut device = vk::Device::null();
        create(physical, &info, ptr::null(), &mut device).result().unwrap();

        let get_device: GetDeviceProcAddr = function(get, instance, c"vkGetDeviceProcAddr");
        let mut text = format!("extensions {extensions:?}\n");
        for name in tilelens_tests::names::commands() {
            let c_name = CString::new(name).unwrap();
            let of_nothing = get(null, c_name.as_ptr()).is_some();
            let of_instance = get(instance, c_name.as_ptr()).is_some();
            let of_device = get_device(device, c_name.as_ptr()).is_some();
            text.push_str(&format!("{name} {of_nothing} {of_instance} {of_device}\n"));
        }
        std::io::stdout().write_all(text.as_bytes()).unwrap();

        function::<vk::PFN_vkDestroyDevice>(get, instance, c"vkDestroyDevice")(device, ptr::null());
        function::<vk::PFN_vkDestroyInstance>(get, instance, c"vkDestroyInstance")(instance, ptr::null());
    }
}
