//! VK_QCOM_tile_properties: what the driver says of its tiles when the application asks.
//!
//! Tile shading needs no hooks here: draws between vkCmdBeginPerTileExecutionQCOM and its end are recorded once and reach attachments
//! on chip. vkCmdBindTileMemoryQCOM says where tile memory is bound; which images lie in it is known from their memory.

use super::device_of;
use crate::abi::slice;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::Recording;
use crate::translate::{instance, rendering};
use ash::vk::{self, Handle};

/// vkGetFramebufferTilePropertiesQCOM.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_framebuffer_tile_properties(
    handle: vk::Device,
    framebuffer: vk::Framebuffer,
    count: *mut u32,
    properties: *mut vk::TilePropertiesQCOM<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments. What is read is what the driver has just written.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.get_framebuffer_tile_properties else { return vk::Result::ERROR_UNKNOWN };
        let result = next(handle, framebuffer, count, properties);
        if result.as_raw() >= 0 && !properties.is_null() {
            guard(HookId::get_framebuffer_tile_properties, || {
                let known = device.recorder.objects.framebuffers.get(framebuffer.as_raw());
                if let (Some(known), Some(first)) = (known, slice(properties, *count).first()) {
                    known.tile.set(instance::tile(first));
                }
            });
        }
        result
    }
}

/// vkGetDynamicRenderingTilePropertiesQCOM.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_dynamic_rendering_tile_properties(
    handle: vk::Device,
    info: *const vk::RenderingInfo<'_>,
    properties: *mut vk::TilePropertiesQCOM<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments. What is read is what the driver has just written.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.get_dynamic_rendering_tile_properties else { return vk::Result::ERROR_UNKNOWN };
        let result = next(handle, info, properties);
        if result.as_raw() >= 0 {
            guard(HookId::get_dynamic_rendering_tile_properties, || {
                if let (Some(info), Some(told)) = (info.as_ref(), properties.as_ref()) {
                    let objects = &device.recorder.objects;
                    let asked = rendering::rendering(info, objects, &mut Recording::default());
                    objects.rendering_tiles.told(&asked, instance::tile(told));
                }
            });
        }
        result
    }
}
