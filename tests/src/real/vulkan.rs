//! The installed loader, loaded by hand: a device of lavapipe with or without our layer.

use crate::fake::link::{GetDeviceProcAddr, GetInstanceProcAddr};
use ash::vk;
use libloading::Library;
use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::sync::OnceLock;

/// An instance and a device of the installed loader. They live as long as the process.
pub struct Vulkan {
    get: GetInstanceProcAddr,
    get_device: GetDeviceProcAddr,
    /// The instance.
    pub instance: vk::Instance,
    /// The device, with one queue of family 0.
    pub device: vk::Device,
    /// Names of the extensions that are enabled, of the instance and of the device.
    pub extensions: [Vec<CString>; 2],
}

/// What is asked for.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    /// VkApplicationInfo::apiVersion.
    pub api: u32,
    /// Enable all extensions, not none.
    pub extensions: bool,
    /// Enable our layer by name.
    pub layer: bool,
    /// What the application sets of our layer with VK_EXT_layer_settings, as strings.
    pub settings: &'static [(&'static CStr, &'static CStr)],
}

/// vkGetInstanceProcAddr of the installed loader.
fn loader() -> GetInstanceProcAddr {
    static LOADER: OnceLock<Library> = OnceLock::new();
    let name = "libvulkan.so.1";
    // SAFETY: the loader runs nothing of ours when loaded.
    let loader = LOADER.get_or_init(|| unsafe { Library::new(name) }.unwrap_or_else(|e| panic!("{name}: {e}")));
    // SAFETY: the loader exports this function with this type.
    *unsafe { loader.get(b"vkGetInstanceProcAddr\0") }.unwrap()
}

/// A function under its own type.
///
/// # Safety
/// `F` is the type of the function.
unsafe fn typed<F: Copy>(found: vk::PFN_vkVoidFunction, name: &CStr) -> F {
    let found = found.unwrap_or_else(|| panic!("{name:?} is missing"));
    assert_eq!(size_of::<F>(), size_of_val(&found));
    // SAFETY: by the caller's promise, and the sizes are equal.
    unsafe { std::mem::transmute_copy(&found) }
}

/// Calls a query of Vulkan's two-call form.
fn list<T: Default + Clone>(mut query: impl FnMut(*mut u32, *mut T) -> vk::Result) -> Vec<T> {
    let mut count = 0;
    query(&mut count, ptr::null_mut()).result().unwrap();
    let mut all = vec![T::default(); count as usize];
    query(&mut count, all.as_mut_ptr()).result().unwrap();
    all.truncate(count as usize);
    all
}

fn names(list: &[vk::ExtensionProperties]) -> Vec<CString> {
    // SAFETY: the names are terminated by specification.
    list.iter().map(|e| unsafe { CStr::from_ptr(e.extension_name.as_ptr()) }.to_owned()).collect()
}

impl Vulkan {
    /// The first device that the loader offers.
    pub fn new(wanted: Wanted) -> Self {
        let get = loader();
        let null = vk::Instance::null();
        let layer = CString::new(tilelens_manifest::LAYER_NAME).unwrap();
        let layers = if wanted.layer { vec![layer.as_ptr()] } else { Vec::new() };
        // SAFETY: types and names belong together; arguments are valid; handles are live.
        unsafe {
            let enumerate: vk::PFN_vkEnumerateInstanceExtensionProperties =
                typed(get(null, c"vkEnumerateInstanceExtensionProperties".as_ptr()), c"");
            let found = list(|count, out| enumerate(ptr::null(), count, out));
            let of_instance = if wanted.extensions { names(&found) } else { Vec::new() };
            let pointers: Vec<*const c_char> = of_instance.iter().map(|e| e.as_ptr()).collect();
            let application = vk::ApplicationInfo::default().api_version(wanted.api);
            let values: Vec<_> = wanted.settings.iter().map(|(_, value)| value.as_ptr()).collect();
            let setting = |((key, _), value): (&(&'static CStr, _), &*const c_char)| vk::LayerSettingEXT {
                p_layer_name: layer.as_ptr(),
                p_setting_name: key.as_ptr(),
                ty: vk::LayerSettingTypeEXT::STRING,
                value_count: 1,
                p_values: ptr::from_ref(value).cast(),
                ..Default::default()
            };
            let settings: Vec<_> = wanted.settings.iter().zip(&values).map(setting).collect();
            let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
            let mut info = vk::InstanceCreateInfo::default()
                .application_info(&application)
                .enabled_layer_names(&layers)
                .enabled_extension_names(&pointers);
            if !wanted.settings.is_empty() {
                info = info.push_next(&mut settings);
            }
            let create: vk::PFN_vkCreateInstance = typed(get(null, c"vkCreateInstance".as_ptr()), c"vkCreateInstance");
            let mut instance = null;
            create(&info, ptr::null(), &mut instance).result().unwrap();
            let get_device = typed(get(instance, c"vkGetDeviceProcAddr".as_ptr()), c"vkGetDeviceProcAddr");
            let mut vulkan =
                Self { get, get_device, instance, device: vk::Device::null(), extensions: [of_instance, Vec::new()] };

            let devices: vk::PFN_vkEnumeratePhysicalDevices = vulkan.of_instance(c"vkEnumeratePhysicalDevices");
            let physical = list(|count, out| devices(instance, count, out))[0];
            let enumerate: vk::PFN_vkEnumerateDeviceExtensionProperties =
                vulkan.of_instance(c"vkEnumerateDeviceExtensionProperties");
            let found = list(|count, out| enumerate(physical, ptr::null(), count, out));
            vulkan.extensions[1] = if wanted.extensions { names(&found) } else { Vec::new() };
            let pointers: Vec<*const c_char> = vulkan.extensions[1].iter().map(|e| e.as_ptr()).collect();
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&pointers);
            let create: vk::PFN_vkCreateDevice = vulkan.of_instance(c"vkCreateDevice");
            create(physical, &info, ptr::null(), &mut vulkan.device).result().unwrap();
            vulkan
        }
    }

    /// vkGetInstanceProcAddr.
    pub fn instance_address(&self, instance: vk::Instance, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: a live instance or null, and a terminated string.
        unsafe { (self.get)(instance, name.as_ptr()) }
    }

    /// vkGetDeviceProcAddr.
    pub fn device_address(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: a live device and a terminated string.
        unsafe { (self.get_device)(self.device, name.as_ptr()) }
    }

    /// An instance-level function.
    ///
    /// # Safety
    /// `F` is the function's type.
    pub unsafe fn of_instance<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: by the caller's promise.
        unsafe { typed(self.instance_address(self.instance, name), name) }
    }

    /// A device-level function.
    ///
    /// # Safety
    /// `F` is the function's type.
    pub unsafe fn of_device<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: by the caller's promise.
        unsafe { typed(self.device_address(name), name) }
    }

    /// vkDestroyDevice and vkDestroyInstance.
    pub fn stop(self) {
        // SAFETY: the types are those of the names; the handles are live and not used afterwards.
        unsafe {
            self.of_instance::<vk::PFN_vkDestroyDevice>(c"vkDestroyDevice")(self.device, ptr::null());
            self.of_instance::<vk::PFN_vkDestroyInstance>(c"vkDestroyInstance")(self.instance, ptr::null());
        }
    }
}
