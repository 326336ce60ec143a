//! Levels of the tiler's bins. Geometry is sorted into bins of 16 pixels and of every power of two above, and a driver chooses
//! which levels it turns on: small bins cost lists, large bins cost sorting.
//!
//! As Mesa 25.0.7 chooses them: src/panfrost/vulkan for Vulkan, src/panfrost/lib/pan_tiler.c for the T series.

use super::super::{ceil_log2, round_up};
use crate::units::Extent2D;

/// Levels on, as bits: bit 0 for bins of 16 pixels, bit 1 for 32, and so on. `max_levels` is what the device can have on at once
/// (TILER_FEATURES), `tile_pixels` the area of a tile: bins are not smaller than tiles.
pub fn levels(framebuffer: Extent2D, max_levels: u32, tile_pixels: u64) -> u64 {
    let across = u64::from(framebuffer.width.max(framebuffer.height)).div_ceil(16);
    let last = u64::BITS - across.leading_zeros();
    let levels = max_levels.min(32);
    let mask = ((1u64 << levels) - 1) << last.saturating_sub(levels).min(31);
    if tile_pixels > 256 { mask & !1 } else { mask }
}

/// What the tiler of the T series is set up with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolygonList {
    /// Levels on; where the tiler has no levels, the logarithms of width and height of its one bin size.
    pub mask: u64,
    /// Bytes of the list's header.
    pub header_bytes: u64,
    /// Bytes of the list with its header.
    pub full_bytes: u64,
}

/// Bins that one vertex pays for.
const VERTICES_PER_BIN: u64 = 4;
/// log2 of the smallest and the largest bin.
const BINS: [u32; 2] = [4, 12];
/// Bytes before the first bin.
const PROLOGUE: u64 = 64;
/// Bytes of a bin in the header and in the body.
const BIN_BYTES: [u64; 2] = [8, 512];

/// The list of the T series for a framebuffer and as many vertices; `hierarchical` is false for T720, T820 and T830.
pub fn polygon_list(framebuffer: Extent2D, vertices: u64, hierarchical: bool) -> PolygonList {
    let sides = [framebuffer.width, framebuffer.height].map(u64::from);
    if hierarchical { by_level(sides, vertices) } else { by_size(sides, vertices) }
}

fn by_level(sides: [u64; 2], vertices: u64) -> PolygonList {
    let [smallest, largest] = BINS;
    let mask = match sides[0].saturating_mul(sides[1]).saturating_mul(VERTICES_PER_BIN).checked_div(vertices) {
        None => 0,
        Some(pixels) => {
            let top = ceil_log2(sides[0].max(sides[1])).clamp(smallest, largest);
            let bottom = (ceil_log2(pixels) / 2).clamp(smallest, top);
            (0xff << (bottom - smallest)) & ((1u64 << (top - smallest + 1)) - 1)
        }
    };
    let level = |log2: u32| sides[0].div_ceil(1 << log2).saturating_mul(sides[1].div_ceil(1 << log2));
    let on = (smallest..=largest).filter(|log2| mask >> (log2 - smallest) & 1 == 1);
    let bins = on.map(level).fold(0, u64::saturating_add);
    let [header_bytes, full_bytes] =
        BIN_BYTES.map(|bytes| round_up(bins.saturating_mul(bytes).saturating_add(PROLOGUE), 512));
    PolygonList { mask, header_bytes, full_bytes }
}

fn by_size(sides: [u64; 2], vertices: u64) -> PolygonList {
    // At most 63 bins along a side.
    let log2 = |side: u64| u64::from(ceil_log2((side / 63).next_power_of_two().max(16) / 16));
    let fields = if vertices == 0 { [0, 0] } else { sides.map(log2) };
    // The driver's own size takes bins to be half as wide and high as it sets them up.
    let [across, down] = [0, 1].map(|at| sides[at].div_ceil(8 << fields[at]));
    let bins = across.saturating_mul(down);
    let [header_bytes, full_bytes] =
        BIN_BYTES.map(|bytes| (bins.saturating_mul(bytes) / 512 * 512).saturating_add(512));
    PolygonList { mask: fields[0] | fields[1] << 6, header_bytes, full_bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_16_pixels_are_off_where_tiles_are_larger() {
        assert_eq!(levels(Extent2D::new(1920, 1080), 8, 256), 0xff);
        assert_eq!(levels(Extent2D::new(1920, 1080), 8, 1024), 0xfe);
        assert_eq!(levels(Extent2D::new(16384, 1), 8, 256), 0xff << 3);
    }

    #[test]
    fn a_list_without_vertices_has_no_levels() {
        let list = polygon_list(Extent2D::new(1280, 720), 0, true);
        assert_eq!((list.mask, list.header_bytes), (0, 512));
    }

    #[test]
    fn no_size_overflows() {
        for extent in [Extent2D::new(0, 0), Extent2D::new(u32::MAX, u32::MAX)] {
            for vertices in [0, 1, u64::MAX] {
                polygon_list(extent, vertices, true);
                polygon_list(extent, vertices, false);
            }
            levels(extent, u32::MAX, 0);
        }
    }
}
