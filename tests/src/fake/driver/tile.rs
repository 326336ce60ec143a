//! Tile properties: the fake driver has one tile size for everything.

use super::Driver;
use ash::vk;

/// Width and height of a tile of the fake driver.
pub(crate) const TILE: (u32, u32) = (208, 112);

/// # Safety
/// `out` is a valid struct.
unsafe fn fill(out: *mut vk::TilePropertiesQCOM<'_>) {
    // SAFETY: by the caller's promise.
    unsafe {
        (*out).tile_size = vk::Extent3D { width: TILE.0, height: TILE.1, depth: 1 };
        (*out).apron_size = vk::Extent2D::default();
        (*out).origin = vk::Offset2D::default();
    }
}

/// vkGetFramebufferTilePropertiesQCOM.
pub(crate) fn framebuffer_tiles(
    _: &'static Driver,
    (_, _, count, out): (vk::Device, vk::Framebuffer, *mut u32, *mut vk::TilePropertiesQCOM<'_>),
) -> vk::Result {
    // SAFETY: the specification demands a count and, if given, an array of that many elements.
    unsafe {
        if out.is_null() {
            count.write(1);
        } else if count.read() > 0 {
            count.write(1);
            fill(out);
        }
    }
    vk::Result::SUCCESS
}

/// vkGetDynamicRenderingTilePropertiesQCOM.
pub(crate) fn rendering_tile(
    _: &'static Driver,
    (_, _, out): (vk::Device, *const vk::RenderingInfo<'_>, *mut vk::TilePropertiesQCOM<'_>),
) -> vk::Result {
    // SAFETY: the specification demands a valid struct.
    unsafe { fill(out) };
    vk::Result::SUCCESS
}
