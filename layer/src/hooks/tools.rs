//! VK_EXT_tooling_info and its core command: the layer is one of the tools that are at work, listed before those below it.

use crate::dispatch::guard::guard;
use crate::dispatch::instances::{self, Instance};
use crate::dispatch::key;
use crate::dispatch::table::HookId;
use crate::hooks::instance::{copy, fill};
use ash::vk::{self, Handle};
use std::sync::Arc;
use tilelens_manifest as manifest;

/// vkGetPhysicalDeviceToolProperties.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_physical_device_tool_properties(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    tools: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: the application's own arguments.
    unsafe {
        let instance = instance_of(physical_device);
        let next = instance.and_then(|i| i.next.get_physical_device_tool_properties);
        list(HookId::get_physical_device_tool_properties, next, physical_device, count, tools)
    }
}

/// vkGetPhysicalDeviceToolPropertiesEXT, which exists whatever the driver knows: the layer provides the extension.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_physical_device_tool_properties_ext(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    tools: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: the application's own arguments.
    unsafe {
        let instance = instance_of(physical_device);
        let next = instance.and_then(|i| i.next.get_physical_device_tool_properties_ext);
        list(HookId::get_physical_device_tool_properties_ext, next, physical_device, count, tools)
    }
}

/// # Safety
/// `physical_device` is live.
unsafe fn instance_of(physical_device: vk::PhysicalDevice) -> Option<Arc<Instance>> {
    // SAFETY: a physical device shares its instance's key.
    instances::find(unsafe { key(physical_device.as_raw()) })
}

/// The layer's entry, then those of the tools below, which get what room is left.
///
/// # Safety
/// As the specification demands of the command.
unsafe fn list(
    hook: HookId,
    next: Option<vk::PFN_vkGetPhysicalDeviceToolProperties>,
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    tools: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: a count, and null or an array of as many structs, by valid usage.
    unsafe {
        let below = |count: *mut u32, tools: *mut vk::PhysicalDeviceToolProperties<'_>| match next {
            Some(next) => next(physical_device, count, tools),
            // Nobody below knows of tools.
            None => fill(&[], count, tools),
        };
        let Some(own) = guard(hook, Tool::new).filter(|_| !count.is_null()) else { return below(count, tools) };
        let room = if tools.is_null() { u32::MAX } else { *count };
        let ours = room.min(1);
        if !tools.is_null() {
            *count = room - ours;
        }
        let result = below(count, if tools.is_null() { tools } else { tools.add(ours as usize) });
        if result.as_raw() < 0 {
            return result;
        }
        *count = (*count).saturating_add(ours);
        if !tools.is_null() && ours == 1 {
            own.write(&mut *tools);
        }
        if ours == 0 { vk::Result::INCOMPLETE } else { result }
    }
}

/// What the layer says of itself.
struct Tool(vk::PhysicalDeviceToolProperties<'static>);

impl Tool {
    fn new() -> Self {
        let purposes = vk::ToolPurposeFlags::PROFILING | vk::ToolPurposeFlags::TRACING;
        let mut tool = vk::PhysicalDeviceToolProperties::default().purposes(purposes);
        copy(manifest::TOOL_NAME, &mut tool.name);
        copy(manifest::VERSION, &mut tool.version);
        copy(manifest::DESCRIPTION, &mut tool.description);
        copy(manifest::LAYER_NAME, &mut tool.layer);
        Self(tool)
    }

    /// Fills the application's struct: its type and its chain are the application's.
    fn write(self, to: &mut vk::PhysicalDeviceToolProperties<'_>) {
        (to.name, to.version, to.purposes, to.description, to.layer) =
            (self.0.name, self.0.version, self.0.purposes, self.0.description, self.0.layer);
    }
}
