//! What vkCmdBeginRenderPass and vkCmdBeginRendering share: areas of devices and of views, and the driver's word on tiles.

use super::{extent2, extent3, rect};
use crate::abi::{find, slice};
use ash::vk;
use std::ffi::c_void;
use tbdr_model::frame::DriverTile;
use tbdr_model::units::Rect2D;

/// The render area, and those of views that have their own. `unmodelled` is told what is not followed.
///
/// # Safety
/// `next` is the pNext of the argument of a begin command in progress.
pub unsafe fn areas(area: vk::Rect2D, next: *const c_void, mut unmodelled: impl FnMut(&str)) -> (Rect2D, Vec<Rect2D>) {
    // SAFETY: chains and arrays of a valid struct.
    let (group, views) = unsafe {
        let group = find::<vk::DeviceGroupRenderPassBeginInfo<'_>>(next);
        let views = find::<vk::MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM<'_>>(next);
        (
            group.map_or(&[][..], |g| slice(g.p_device_render_areas, g.device_render_area_count)),
            views.map_or(&[][..], |v| slice(v.p_per_view_render_areas, v.per_view_render_area_count)),
        )
    };
    // Each device of a group moves its own area; what is modelled is one GPU.
    let area = match group {
        [] => area,
        [first, others @ ..] => {
            if others.iter().any(|other| rect(*other) != rect(*first)) {
                unmodelled("render areas that differ between the devices of a group");
                area
            } else {
                *first
            }
        }
    };
    (rect(area), views.iter().map(|view| rect(*view)).collect())
}

/// VkTilePropertiesQCOM.
pub fn tile(properties: &vk::TilePropertiesQCOM<'_>) -> DriverTile {
    DriverTile {
        size: extent3(properties.tile_size),
        apron: extent2(properties.apron_size),
        origin: [properties.origin.x, properties.origin.y],
    }
}
