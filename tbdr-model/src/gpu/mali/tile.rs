//! Tiles of a Mali: how many pixels fit the tile buffer.
//!
//! The tile buffer holds colour, a second buffer depth; both are halved where the GPU pipelines two tiles. [`Hardware::tile`] is
//! Mesa's model of the hardware (Mesa main at 036ec36, src/panfrost/model/pan_model.c, src/panfrost/lib/pan_desc.c);
//! [`Hardware::tile_by_color`] is the rule of Mesa 25.0.7 (src/panfrost/lib/pan_desc.c), in which depth plays no part.

use super::super::{ceil_log2, round_up};
use crate::format::Info;
use crate::units::Extent2D;

/// Facts of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Generation: 5 for the later T series, 6 and 7 Bifrost, 9 and later Valhall.
    pub architecture: u64,
    /// Bytes of the colour tile buffer.
    pub color_buffer: u64,
    /// Bytes of the depth tile buffer.
    pub depth_buffer: u64,
    /// Colour bits per pixel up to which Arm documents that subpasses merge.
    pub merge_bits: u64,
}

/// Formats that the blend unit works on: they take 4 bytes per sample on chip whatever their size in memory
/// (Mesa 25.0.7, src/panfrost/lib/pan_format.c; the names there list channels from the lowest bit, these are Vulkan's).
const BLENDABLE: &[&str] = &[
    "A1B5G5R5_UNORM_PACK16",
    "A1R5G5B5_UNORM_PACK16",
    "A2B10G10R10_UNORM_PACK32",
    "A2R10G10B10_UNORM_PACK32",
    "A4B4G4R4_UNORM_PACK16",
    "A4R4G4B4_UNORM_PACK16",
    "A8B8G8R8_SRGB_PACK32",
    "A8B8G8R8_UNORM_PACK32",
    "A8_UNORM",
    "B4G4R4A4_UNORM_PACK16",
    "B5G6R5_UNORM_PACK16",
    "B8G8R8A8_SRGB",
    "B8G8R8A8_UNORM",
    "R4G4B4A4_UNORM_PACK16",
    "R5G6B5_UNORM_PACK16",
    "R8G8B8A8_SRGB",
    "R8G8B8A8_UNORM",
    "R8G8B8_SRGB",
    "R8G8B8_UNORM",
    "R8G8_SRGB",
    "R8G8_UNORM",
    "R8_SRGB",
    "R8_UNORM",
];

/// Whether the blend unit works on the format.
pub fn is_blendable(format: &Info) -> bool {
    BLENDABLE.binary_search(&format.name).is_ok()
}

/// Bytes of a sample of this colour format in the tile buffer.
pub fn tile_buffer_bytes(format: &Info) -> u64 {
    if is_blendable(format) { 4 } else { u64::from(format.block_bytes).next_power_of_two() }
}

/// What a tile holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Colour bytes per pixel, all samples and targets.
    pub bytes_per_pixel: u64,
    /// Pixels, a power of two.
    pub pixels: u64,
    /// Whether two tiles are in flight.
    pub pipelined: bool,
    /// Bytes of the colour buffer set aside.
    pub color_allocation: u64,
    /// Whether depth made the tile smaller than colour alone would.
    pub limited_by_depth: bool,
    /// Whether even the smallest tile is too large for the buffer.
    pub overflows: bool,
}

impl Hardware {
    /// Pixels of the largest tile.
    pub fn full_tile(&self) -> u64 {
        match self.architecture {
            12.. => 4096,
            10.. => 1024,
            _ => 256,
        }
    }

    /// Bytes of a buffer that one tile may use.
    pub fn budget(&self, buffer: u64) -> u64 {
        if matches!(self.architecture, 4 | 6) { buffer } else { buffer / 2 }
    }

    /// Colour bits per pixel that fit at the largest tile.
    pub fn budget_bits_per_pixel(&self) -> u64 {
        self.budget(self.color_buffer).saturating_mul(8) / self.full_tile()
    }

    /// The tile as Mesa 25.0.7 chooses it, for colour slots as in [`Self::tile`]: half of the buffer serves a tile, unused slots and
    /// depth take nothing. Generation 4 has tiles of one size and sets nothing aside.
    pub fn tile_by_color(&self, slots: &[Option<u64>]) -> Tile {
        let bytes_per_pixel = slots.iter().flatten().fold(0u64, |sum, bytes| sum.saturating_add(*bytes));
        let full = self.full_tile().min(1024);
        let fixed = self.architecture == 4;
        let fit = (self.color_buffer / 2).checked_shr(ceil_log2(bytes_per_pixel)).unwrap_or(0);
        let pixels = if fixed { full } else { fit.clamp(SMALLEST, full) };
        let color_allocation = if fixed { 0 } else { round_up(bytes_per_pixel.saturating_mul(pixels), 1024) };
        let overflows = !fixed && fit < SMALLEST;
        Tile { bytes_per_pixel, pixels, pipelined: true, color_allocation, limited_by_depth: false, overflows }
    }

    /// The tile for colour slots of so many bytes per pixel (all samples; `None` for an unused slot) and this sample count.
    pub fn tile(&self, slots: &[Option<u64>], samples: u32) -> Tile {
        let word = 4 * u64::from(samples.max(1));
        let bytes_per_pixel = match slots {
            [] => word,
            slots => slots.iter().fold(0u64, |sum, slot| sum.saturating_add(slot.unwrap_or(word))),
        };
        let fit = |buffer: u64, bytes: u64| self.budget(buffer).checked_shr(ceil_log2(bytes)).unwrap_or(0);
        let (by_color, by_depth) = (fit(self.color_buffer, bytes_per_pixel), fit(self.depth_buffer, word));
        let mut pixels = by_color.min(by_depth);
        // Below the smallest tile the GPU gives up pipelining and the whole buffer serves one tile.
        let pipelined = pixels >= SMALLEST || self.architecture == 6;
        if !pipelined {
            pixels *= 2;
        }
        let pixels = pixels.clamp(SMALLEST, self.full_tile());
        let overflows = bytes_per_pixel.saturating_mul(pixels) > self.color_buffer;
        let color_allocation = round_up(bytes_per_pixel.saturating_mul(pixels), 1024);
        let limited_by_depth = by_depth < by_color && by_depth < self.full_tile();
        Tile { bytes_per_pixel, pixels, pipelined, color_allocation, limited_by_depth, overflows }
    }
}

/// Pixels of the smallest tile.
const SMALLEST: u64 = 16;

/// Width and height of a tile of this power-of-two area.
pub fn shape(pixels: u64) -> Extent2D {
    let log2 = ceil_log2(pixels).min(62);
    Extent2D::new(1 << log2.div_ceil(2), 1 << (log2 / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;

    #[test]
    fn the_blendable_list_is_sorted_and_names_formats() {
        assert!(BLENDABLE.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(BLENDABLE.iter().all(|name| format::by_name(name).is_some()));
    }

    #[test]
    fn a_g_buffer_of_256_bits_fills_the_full_tile_of_a_g76_and_288_do_not() {
        let g76 = Hardware { architecture: 7, color_buffer: 16384, depth_buffer: 8192, merge_bits: 256 };
        assert_eq!(g76.budget_bits_per_pixel(), 256);
        assert_eq!(shape(g76.tile(&[Some(8); 4], 1).pixels), Extent2D::new(16, 16));
        assert_eq!(shape(g76.tile(&[Some(4); 9], 1).pixels), Extent2D::new(16, 8));
    }

    #[test]
    fn depth_limits_the_tile_of_a_multisampled_pass() {
        let g610 = Hardware { architecture: 10, color_buffer: 32768, depth_buffer: 16384, merge_bits: 256 };
        let tile = g610.tile(&[Some(16)], 4);
        assert_eq!((tile.pixels, tile.limited_by_depth), (512, true));
        assert_eq!(shape(512), Extent2D::new(32, 16));
    }

    #[test]
    fn absurd_formats_do_not_overflow() {
        let g71 = Hardware { architecture: 6, color_buffer: 4096, depth_buffer: 4096, merge_bits: 128 };
        let tile = g71.tile(&[Some(u64::MAX), Some(1)], u32::MAX);
        assert!(tile.overflows && tile.pixels == 16);
    }
}
