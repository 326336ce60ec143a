//! Shader modules: their SPIR-V is scanned once, when they are created, and not kept.

use super::device_of;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::translate;
use ash::vk::{self, Handle};
use std::sync::Arc;

/// vkCreateShaderModule.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_shader_module(
    handle: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    module: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_shader_module else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, module);
        if result.as_raw() >= 0 {
            guard(HookId::create_shader_module, || {
                let scanned = Arc::new(translate::shader::module(&*info));
                device.recorder.objects.shader_modules.insert((*module).as_raw(), scanned);
            });
        }
        result
    }
}

/// vkDestroyShaderModule.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_shader_module(
    handle: vk::Device,
    module: vk::ShaderModule,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_shader_module, || device.recorder.objects.shader_modules.remove(module.as_raw()));
        if let Some(next) = device.next.destroy_shader_module {
            next(handle, module, allocator);
        }
    }
}
