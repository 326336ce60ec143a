//! vkGetInstanceProcAddr, vkGetDeviceProcAddr and vk_layerGetPhysicalDeviceProcAddr of the fake driver, as strict as the
//! specification allows: a command that does not exist for this version and these extensions is NULL, and without an
//! instance only the global commands exist.
//!
//! Once an instance is complete, loaders such as 1.3.239 answer the lowest layer's next vkGetInstanceProcAddr from the
//! instance's own dispatch table, whose entries for physical devices are those of the *topmost* layer: a layer that asks
//! late and calls what it got re-enters the layer above it, which knows nothing of the call. With the option
//! `trap_late_queries` such an address is a trap.

use super::{Driver, instance};
use crate::fake::commands::{self, Level};
use crate::fake::handle::driver_of;
use ash::vk;
use std::ffi::{CStr, c_char};

/// Stands for commands that the fake driver does not know. Nobody calls it.
unsafe extern "system" fn unknown() {}

/// What a late question for a physical-device query is answered with: calling it is a fault of the layer.
unsafe extern "system" fn late(physical_device: vk::PhysicalDevice) {
    if let Some(driver) = driver_of(physical_device) {
        driver.fault("a query was resolved after vkCreateInstance: with a real loader it enters the layer above");
    }
}

/// The name as text; names that are not text do not exist.
unsafe fn text<'a>(name: *const c_char) -> &'a str {
    // SAFETY: the specification demands a terminated string.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default()
}

fn find(driver: &Driver, name: &str, level: Option<Level>) -> vk::PFN_vkVoidFunction {
    match commands::all().get(name) {
        Some(command) if level.is_some_and(|l| l != command.level) => None,
        Some(command) => driver.options.has(name, command.since).then_some(command.function),
        None if driver.options.unknown_commands && name.starts_with("vk") && !is_global(name) => {
            driver.options.has(name, "1.0").then_some(unknown)
        }
        None => None,
    }
}

fn is_global(name: &str) -> bool {
    name == "vkCreateInstance" || name.starts_with("vkEnumerateInstance")
}

/// vkGetInstanceProcAddr.
///
/// # Safety
/// A live handle of the fake driver or null, and a terminated string.
pub unsafe extern "system" fn instance_proc_addr(of: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: function pointers of any signature have the same representation; the caller casts back.
    unsafe {
        let erase_gipa = std::mem::transmute::<crate::fake::link::GetInstanceProcAddr, unsafe extern "system" fn()>;
        let erase_gdpa = std::mem::transmute::<crate::fake::link::GetDeviceProcAddr, unsafe extern "system" fn()>;
        match text(name) {
            "vkCreateInstance" => {
                Some(std::mem::transmute::<vk::PFN_vkCreateInstance, unsafe extern "system" fn()>(instance::create))
            }
            "vkGetInstanceProcAddr" => Some(erase_gipa(instance_proc_addr)),
            "vkGetDeviceProcAddr" if of != vk::Instance::null() => Some(erase_gdpa(device_proc_addr)),
            name => {
                let driver = driver_of(of)?;
                let found = find(driver, name, None)?;
                let trap =
                    driver.options.trap_late_queries && driver.running() && name.starts_with("vkGetPhysicalDevice");
                // A longer list of arguments than the callee takes is harmless in this calling convention.
                Some(if trap {
                    std::mem::transmute::<unsafe extern "system" fn(vk::PhysicalDevice), unsafe extern "system" fn()>(
                        late,
                    )
                } else {
                    found
                })
            }
        }
    }
}

/// vkGetDeviceProcAddr.
///
/// # Safety
/// A live handle of the fake driver or null, and a terminated string.
pub unsafe extern "system" fn device_proc_addr(of: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe {
        match text(name) {
            "vkGetDeviceProcAddr" => Some(std::mem::transmute::<
                crate::fake::link::GetDeviceProcAddr,
                unsafe extern "system" fn(),
            >(device_proc_addr)),
            name => driver_of(of).and_then(|driver| find(driver, name, Some(Level::Device))),
        }
    }
}

/// vk_layerGetPhysicalDeviceProcAddr: physical-device commands only.
///
/// # Safety
/// A live handle of the fake driver or null, and a terminated string.
pub unsafe extern "system" fn physical_proc_addr(of: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    let name = unsafe { text(name) };
    let physical = ["vkGetPhysicalDevice", "vkEnumerateDevice", "vkCreateDevice"].iter().any(|p| name.starts_with(p));
    if !physical {
        return None;
    }
    find(driver_of(of)?, name, Some(Level::Instance))
}
