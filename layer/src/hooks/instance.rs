//! Instances, and what the layer says of itself.

use super::extensions;
use crate::abi::{self, take_instance_link};
use crate::dispatch::instances::{self, Instance};
use crate::dispatch::table::HookId;
use crate::dispatch::{guard::guard, key, typed};
use crate::sinks::messages;
use crate::sinks::messengers::{During, Messenger, Messengers, Object};
use ash::vk::{self, Handle};
use std::ffi::{CStr, CString, c_char};
use std::sync::Arc;
use tilelens_manifest as manifest;

/// vkCreateInstance.
///
/// # Safety
/// As the specification and the loader interface demand.
pub unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the loader's chain; the link is advanced before the call down, as its contract demands.
    let Some(link) = (unsafe { info.as_ref().and_then(|i| take_instance_link(i.p_next)) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: global commands are asked for with a null instance.
    let next: Option<vk::PFN_vkCreateInstance> =
        unsafe { typed((link.get_instance_proc_addr)(vk::Instance::null(), c"vkCreateInstance".as_ptr())) };
    let Some(next) = next else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the application's own arguments.
    let result = unsafe { next(info, allocator, instance) };
    if result.as_raw() < 0 {
        return result;
    }
    // The instance must be known even if what we read of it fails: without its table nothing could be called down.
    let (application, engine, api, allowed, chained) = guard(HookId::create_instance, || {
        // SAFETY: the create info is valid during the call.
        unsafe {
            let info = &*info;
            let app = info.p_application_info.as_ref();
            let text = |p: Option<*const c_char>| p.and_then(|p| abi::string(p)).unwrap_or_default();
            (
                text(app.map(|a| a.p_application_name)),
                text(app.map(|a| a.p_engine_name)),
                layer_settings(info),
                allowed(info),
                chained_messengers(info),
            )
        }
    })
    .unwrap_or_default();
    let settings = guard(HookId::create_instance, || crate::runtime::settings(api.clone()));
    let (settings, problems) = settings.map_or((None, Vec::new()), |(settings, problems)| (Some(settings), problems));
    let messengers = Arc::new(Messengers::default());
    // SAFETY: the call down has succeeded, so the handle is live.
    unsafe {
        let handle = *instance;
        let mut live = Instance::new(handle, &link, application, engine, api);
        live.messengers = Arc::clone(&messengers);
        live.merge_feedback = settings.as_ref().is_some_and(|settings| settings.merge_feedback);
        live.features2 = match allowed {
            Features2::Core => live.next.get_physical_device_features2,
            Features2::Extension => live.next.get_physical_device_features2_khr,
            Features2::Not => None,
        };
        instances::insert(key(handle.as_raw()), Arc::new(live));
    }
    guard(HookId::create_instance, || {
        settings.iter().for_each(|s| crate::runtime::run_log(s, "instance"));
        chained.into_iter().for_each(|messenger| messengers.add(messenger));
        problems.iter().for_each(|problem| messengers.notice(messages::setting(problem)));
    });
    // SAFETY: the call in progress is the one to which these messengers are chained; the instance is live.
    unsafe { messengers.say_notices(During::Instance, &Object::new(*instance)) };
    result
}

/// The messengers that live during vkCreateInstance and vkDestroyInstance.
///
/// # Safety
/// `info` is the argument of a vkCreateInstance in progress.
unsafe fn chained_messengers(info: &vk::InstanceCreateInfo<'_>) -> Vec<Messenger> {
    let s_type = vk::StructureType::DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    // SAFETY: chained structs of a valid create info; there may be several of these.
    unsafe {
        let chained = abi::chain(info.p_next).filter(|item| item.s_type == s_type);
        let chained = chained.map(|item| &*std::ptr::from_ref(item).cast::<vk::DebugUtilsMessengerCreateInfoEXT<'_>>());
        chained.map(Messenger::chained).collect()
    }
}

/// By which name the application may call vkGetPhysicalDeviceFeatures2.
#[derive(Default)]
enum Features2 {
    /// By none.
    #[default]
    Not,
    /// By that of Vulkan 1.1.
    Core,
    /// By that of VK_KHR_get_physical_device_properties2.
    Extension,
}

/// # Safety
/// `info` is the argument of a vkCreateInstance in progress.
unsafe fn allowed(info: &vk::InstanceCreateInfo<'_>) -> Features2 {
    // SAFETY: the structs, the array and the strings of a valid create info.
    unsafe {
        let version = info.p_application_info.as_ref().map_or(0, |app| app.api_version);
        let names = abi::slice(info.pp_enabled_extension_names, info.enabled_extension_count);
        let extension = c"VK_KHR_get_physical_device_properties2";
        match version {
            vk::API_VERSION_1_1.. => Features2::Core,
            _ if names.iter().any(|n| !n.is_null() && CStr::from_ptr(*n) == extension) => Features2::Extension,
            _ => Features2::Not,
        }
    }
}

/// vkDestroyInstance.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_instance(handle: vk::Instance, allocator: *const vk::AllocationCallbacks<'_>) {
    if handle.is_null() {
        return;
    }
    // SAFETY: a live instance; the key is read before the call down frees it.
    let instance = instances::remove(unsafe { key(handle.as_raw()) });
    if let Some(instance) = &instance {
        instance.messengers.note_fault();
        // SAFETY: chained messengers live during this call, and the instance does until the call down.
        unsafe { instance.messengers.say_notices(During::Instance, &Object::new(handle)) };
    }
    if let Some(next) = instance.and_then(|i| i.next.destroy_instance) {
        // SAFETY: the application's own arguments.
        unsafe { next(handle, allocator) };
    }
}

/// vkEnumerateDeviceExtensionProperties: ours when asked by our name, else the layer below's.
///
/// # Safety
/// As the specification demands; on Android `physical_device` is null when this layer is named.
pub unsafe extern "system" fn enumerate_device_extension_properties(
    physical_device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: a string or null, by valid usage.
    let named = unsafe { is_this_layer(layer) };
    let instance = match physical_device.is_null() {
        true => None,
        // SAFETY: a live physical device; it shares its instance's key.
        false => instances::find(unsafe { key(physical_device.as_raw()) }),
    };
    if named {
        let merge_feedback = match &instance {
            Some(instance) => instance.merge_feedback,
            None => manifest::Settings::from_process(Vec::new()).0.merge_feedback,
        };
        // SAFETY: by valid usage.
        return unsafe { fill(&extensions::provided(merge_feedback), count, properties) };
    }
    if physical_device.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    let Some(instance) = instance else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    let Some(next) = instance.next.enumerate_device_extension_properties else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    if layer.is_null() {
        // SAFETY: a live physical device.
        let list = guard(HookId::enumerate_device_extension_properties, || unsafe {
            extensions::of_device(&instance, physical_device)
        });
        if let Some(list) = list.flatten() {
            // SAFETY: by valid usage.
            return unsafe { fill(&list, count, properties) };
        }
    }
    // SAFETY: the application's own arguments.
    unsafe { next(physical_device, layer, count, properties) }
}

/// vkEnumerateDeviceLayerProperties: deprecated on desktops, demanded by Android.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn enumerate_device_layer_properties(
    _physical_device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: by valid usage.
    unsafe { fill(&[layer_properties()], count, properties) }
}

/// Whether `name` is this layer's.
///
/// # Safety
/// `name` is null or a null-terminated string.
pub unsafe fn is_this_layer(name: *const c_char) -> bool {
    // SAFETY: by the caller's promise.
    !name.is_null() && unsafe { CStr::from_ptr(name) }.to_bytes() == manifest::LAYER_NAME.as_bytes()
}

/// The layer's own properties; every byte after the texts is zero, since Android compares the whole struct.
pub fn layer_properties() -> vk::LayerProperties {
    let mut properties = vk::LayerProperties {
        spec_version: api_version(),
        implementation_version: 1,
        ..vk::LayerProperties::default()
    };
    copy(manifest::LAYER_NAME, &mut properties.layer_name);
    copy(manifest::DESCRIPTION, &mut properties.description);
    properties
}

/// The instance extensions that the layer offers.
pub fn instance_extensions() -> Vec<vk::ExtensionProperties> {
    manifest::INSTANCE_EXTENSIONS.iter().map(extension_properties).collect()
}

/// An extension as Vulkan lists it.
pub fn extension_properties(extension: &manifest::Extension) -> vk::ExtensionProperties {
    let mut properties =
        vk::ExtensionProperties { spec_version: extension.spec_version, ..vk::ExtensionProperties::default() };
    copy(extension.name, &mut properties.extension_name);
    properties
}

fn api_version() -> u32 {
    let mut parts = manifest::API_VERSION.split('.').map(|p| p.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    vk::make_api_version(0, next(), next(), next())
}

/// Writes a text into an array of zeros, cut so that a zero stays at the end.
pub fn copy(text: &str, to: &mut [c_char]) {
    let text = CString::new(text).unwrap_or_default();
    let room = to.len().saturating_sub(1);
    for (to, from) in to.iter_mut().take(room).zip(text.as_bytes()) {
        *to = *from as c_char;
    }
}

/// The count protocol of Vulkan's enumerations.
///
/// # Safety
/// `count` is valid, and `items` is null or holds `*count` items.
pub unsafe fn fill<T: Copy>(all: &[T], count: *mut u32, items: *mut T) -> vk::Result {
    if count.is_null() {
        return vk::Result::INCOMPLETE;
    }
    // SAFETY: by the caller's promise.
    unsafe {
        if items.is_null() {
            *count = all.len() as u32;
            return vk::Result::SUCCESS;
        }
        let given = all.len().min(*count as usize);
        std::ptr::copy_nonoverlapping(all.as_ptr(), items, given);
        *count = given as u32;
        if given < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// The settings that the application gave for this layer with VK_EXT_layer_settings, as text; the first of a key wins.
///
/// # Safety
/// `info` is the argument of a vkCreateInstance in progress.
unsafe fn layer_settings(info: &vk::InstanceCreateInfo<'_>) -> Vec<(String, Vec<String>)> {
    use vk::LayerSettingTypeEXT as T;
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    // SAFETY: chained structs, arrays and strings of a valid create info; the struct may be chained several times.
    unsafe {
        let chained = abi::chain(info.p_next).filter(|s| s.s_type == vk::StructureType::LAYER_SETTINGS_CREATE_INFO_EXT);
        for item in chained {
            let item = &*std::ptr::from_ref(item).cast::<vk::LayerSettingsCreateInfoEXT<'_>>();
            for setting in abi::slice(item.p_settings, item.setting_count) {
                let Some(key) = abi::string(setting.p_setting_name) else { continue };
                if !is_this_layer(setting.p_layer_name) || found.iter().any(|(k, _)| *k == key) {
                    continue;
                }
                macro_rules! numbers {
                    ($ty:ty) => {
                        abi::slice(setting.p_values.cast::<$ty>(), setting.value_count)
                            .iter()
                            .map(|v| v.to_string())
                            .collect()
                    };
                }
                let values = match setting.ty {
                    T::BOOL32 => abi::slice(setting.p_values.cast::<vk::Bool32>(), setting.value_count)
                        .iter()
                        .map(|v| (*v != 0).to_string())
                        .collect(),
                    T::INT32 => numbers!(i32),
                    T::INT64 => numbers!(i64),
                    T::UINT32 => numbers!(u32),
                    T::UINT64 => numbers!(u64),
                    T::FLOAT32 => numbers!(f32),
                    T::FLOAT64 => numbers!(f64),
                    T::STRING => abi::slice(setting.p_values.cast::<*const c_char>(), setting.value_count)
                        .iter()
                        .filter_map(|v| abi::string(*v))
                        .collect(),
                    _ => continue,
                };
                found.push((key, values));
            }
        }
    }
    found
}
