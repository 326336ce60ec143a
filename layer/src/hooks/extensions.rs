//! Device extensions that the layer itself provides: who is told of them, and that no driver is asked for one that it does not know.

use super::instance::extension_properties;
use super::merge_feedback;
use crate::abi::slice;
use crate::dispatch::instances::Instance;
use ash::vk;
use std::ffi::{CStr, c_char};
use std::ptr;
use tilelens_manifest::{self as manifest, MERGE_FEEDBACK, TOOLING_INFO};

/// The device extensions that the layer offers, as it lists them where it is asked by name.
pub fn provided(merge_feedback: bool) -> Vec<vk::ExtensionProperties> {
    let offered = |extension: &&manifest::Extension| **extension != MERGE_FEEDBACK || merge_feedback;
    manifest::DEVICE_EXTENSIONS.iter().filter(offered).map(extension_properties).collect()
}

/// The device's extensions where they are not those of the layer below: with merge feedback where the setting says so, without it where
/// the loader has read of it in the manifest of an implicit layer and neither setting nor driver has it. `None` for the list below.
///
/// # Safety
/// `physical_device` is live.
pub unsafe fn of_device(
    instance: &Instance,
    physical_device: vk::PhysicalDevice,
) -> Option<Vec<vk::ExtensionProperties>> {
    if !instance.merge_feedback && !may_be_implicit() {
        return None;
    }
    // SAFETY: by the caller's promise.
    unsafe {
        let mut list = below(instance, physical_device)?;
        let has_it = list.iter().any(is_merge_feedback);
        match (instance.merge_feedback, has_it) {
            (true, true) | (false, false) => None,
            (true, false) => {
                list.push(extension_properties(&MERGE_FEEDBACK));
                Some(list)
            }
            (false, true) if merge_feedback::is_known_below(instance, physical_device) != Some(false) => None,
            (false, true) => {
                list.retain(|entry| !is_merge_feedback(entry));
                Some(list)
            }
        }
    }
}

/// Whether the loader may have taken the layer for an implicit one: switched on by its own variable, or by the one that names layers of
/// both kinds. Where it was an explicit one all the same, the list names nothing that the driver lacks, and stays as it is.
fn may_be_implicit() -> bool {
    std::env::var_os(manifest::ENABLE_VARIABLE).is_some_and(|value| value == manifest::SWITCH_VALUE)
        || std::env::var_os("VK_LOADER_LAYERS_ENABLE").is_some_and(|value| !value.is_empty())
}

fn is_merge_feedback(entry: &vk::ExtensionProperties) -> bool {
    entry.extension_name_as_c_str().is_ok_and(|name| name.to_bytes() == MERGE_FEEDBACK.name.as_bytes())
}

/// What of a vkCreateDevice only this layer knows.
#[derive(Default)]
pub struct Own {
    /// The names of extensions that go down, where that is not the application's own list.
    pub names: Option<Vec<*const c_char>>,
    /// Who answers for merge feedback.
    pub merge_feedback: MergeFeedback,
}

/// Who answers for VK_EXT_subpass_merge_feedback on a device.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeFeedback {
    /// Nobody: the application has not enabled it.
    #[default]
    Nobody,
    /// The driver.
    Driver,
    /// This layer.
    Layer,
}

/// Tells what of the application's wishes the driver must not see.
///
/// # Safety
/// `info` is the argument of a vkCreateDevice in progress on this physical device.
pub unsafe fn own(instance: &Instance, physical_device: vk::PhysicalDevice, info: &vk::DeviceCreateInfo<'_>) -> Own {
    // SAFETY: the array and the strings of a valid create info; a live physical device.
    unsafe {
        let asked = slice(info.pp_enabled_extension_names, info.enabled_extension_count);
        let wanted = |extension: &manifest::Extension| {
            let is = |name: &&*const c_char| {
                !name.is_null() && CStr::from_ptr(**name).to_bytes() == extension.name.as_bytes()
            };
            asked.iter().any(|name| is(&name))
        };
        let tools_are_ours = wanted(&TOOLING_INFO) && {
            let known = below(instance, physical_device);
            let has_it = |list: &Vec<vk::ExtensionProperties>| {
                list.iter().any(|e| e.extension_name_as_c_str().map(CStr::to_bytes) == Ok(TOOLING_INFO.name.as_bytes()))
            };
            known.as_ref().is_some_and(|list| !has_it(list))
        };
        let merge_feedback = match wanted(&MERGE_FEEDBACK) {
            false => MergeFeedback::Nobody,
            true => match merge_feedback::is_known_below(instance, physical_device) {
                Some(true) => MergeFeedback::Driver,
                Some(false) if instance.merge_feedback => MergeFeedback::Layer,
                _ => MergeFeedback::Nobody,
            },
        };
        let mut left_out = Vec::new();
        left_out.extend(tools_are_ours.then_some(TOOLING_INFO.name));
        left_out.extend((merge_feedback == MergeFeedback::Layer).then_some(MERGE_FEEDBACK.name));
        if left_out.is_empty() {
            return Own { names: None, merge_feedback };
        }
        let passes = |name: &*const c_char| {
            name.is_null() || !left_out.iter().any(|own| own.as_bytes() == CStr::from_ptr(*name).to_bytes())
        };
        Own { names: Some(asked.iter().copied().filter(passes).collect()), merge_feedback }
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
