//! Tiles of VideoCore: what a pixel takes in the tile buffer, and the largest tile that then fits.
//!
//! Rules as in Mesa 25.0.7, src/broadcom/common/v3d_util.c (tile sizes, supertiles) and src/broadcom/vulkan/v3dvx_formats.c,
//! v3dvx_device.c (internal formats). Sizes go from 64x64 down to 8x8 by halves.

use crate::format::{Info, Numeric};
use crate::units::Extent2D;

/// Tile sizes, largest first.
pub const SIZES: [Extent2D; 7] = [
    Extent2D::new(64, 64),
    Extent2D::new(64, 32),
    Extent2D::new(32, 32),
    Extent2D::new(32, 16),
    Extent2D::new(16, 16),
    Extent2D::new(16, 8),
    Extent2D::new(8, 8),
];

/// How a generation finds its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hardware {
    /// V3D 4.2: by the number of render targets and the widest of them.
    Table,
    /// V3D 7.1: by the bytes of two buffers.
    Budget {
        /// Bytes of the colour buffer.
        color: u64,
        /// Bytes of the depth buffer of a tile. Where depth fits half of it, colour may have twice its own.
        depth: u64,
    },
}

/// How a colour format is kept in the tile buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Internal {
    /// Bits per sample: 32, 64 or 128.
    pub bits: u32,
    /// Whether the tile buffer can resolve it when it is stored.
    pub resolves: bool,
}

/// How a colour format is kept; `None` for formats that cannot be rendered to.
pub fn internal(format: &Info) -> Option<Internal> {
    if format.block != [1, 1, 1] || !format.planes.is_empty() {
        return None;
    }
    let count = format.components.len();
    let bits = format.components.iter().map(|c| c.bits).max()?;
    let is = |kinds: &[Numeric]| format.components.iter().all(|c| kinds.contains(&c.numeric));
    let (integer, color) = (is(&[Numeric::Uint, Numeric::Sint]), format.component("R").is_some());
    let srgb = format.components.iter().any(|c| c.numeric == Numeric::Srgb);
    let (bits, resolves) = match bits {
        _ if !color => return None,
        // 8 bits of sRGB are blended as 16-bit floats.
        1..=8 if srgb => (64, true),
        1..=8 if is(&[Numeric::Unorm]) => (32, true),
        1..=8 if integer => (32, false),
        10 | 11 if is(&[Numeric::Unorm]) || is(&[Numeric::Ufloat]) => (64, true),
        10 if integer => (64, false),
        16 if is(&[Numeric::Sfloat]) => (64, true),
        16 if integer => (if count <= 2 { 32 } else { 64 }, false),
        32 if integer || is(&[Numeric::Sfloat]) => (32 * count.next_power_of_two() as u32, false),
        _ => return None,
    };
    Some(Internal { bits, resolves })
}

/// A tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Size in pixels.
    pub size: Extent2D,
    /// Whether even the smallest tile is too large for the buffers.
    pub overflows: bool,
}

impl Hardware {
    /// The tile for colour slots of these internal bits (`None` for an unused slot). `double_buffer` is v3dv's debug option.
    pub fn tile(self, slots: &[Option<u32>], multisampled: bool, double_buffer: bool) -> Tile {
        let samples = if multisampled { 4 } else { 1 };
        let index = match self {
            Self::Table => {
                let by_targets = match slots.len() {
                    0 | 1 => 0,
                    2 => 1,
                    3 | 4 => 2,
                    _ => 3,
                };
                let by_samples = if multisampled { 2 } else { usize::from(double_buffer) };
                let by_bits = match slots.iter().flatten().max() {
                    Some(128..) => 2,
                    Some(64..) => 1,
                    _ => 0,
                };
                by_targets + by_samples + by_bits
            }
            Self::Budget { color, depth } => {
                let of_slots = slots.iter().flatten().fold(0u64, |sum, bits| sum.saturating_add(u64::from(bits / 8)));
                let (color_bytes, depth_bytes) = (of_slots.saturating_mul(samples), 4 * samples);
                let fits = |size: &Extent2D| {
                    let within = |bytes: u64, limit: u64| size.pixels().saturating_mul(bytes) <= limit;
                    (within(depth_bytes, depth / 2) && within(color_bytes, color.saturating_mul(2)))
                        || (within(depth_bytes, depth) && within(color_bytes, color))
                };
                SIZES.iter().position(fits).unwrap_or(SIZES.len()) + usize::from(double_buffer)
            }
        };
        Tile { size: SIZES[index.min(SIZES.len() - 1)], overflows: index >= SIZES.len() }
    }

    /// Colour bits per pixel that fit at the full tile, where bytes decide.
    pub fn budget_bits_per_pixel(self) -> Option<u64> {
        match self {
            Self::Table => None,
            Self::Budget { color, .. } => Some(color.saturating_mul(8) / SIZES[0].pixels()),
        }
    }
}

/// Tiles in x and y that a framebuffer takes.
pub fn tiles(tile: Extent2D, framebuffer: Extent2D) -> Extent2D {
    Extent2D::new(framebuffer.width.div_ceil(tile.width.max(1)), framebuffer.height.div_ceil(tile.height.max(1)))
}

/// Tiles in x and y of a supertile: grown until fewer than 256 of them cover the framebuffer.
pub fn supertile(tiles: Extent2D) -> Extent2D {
    let mut size = Extent2D::new(1, 1);
    let count =
        |size: Extent2D| u64::from(tiles.width.div_ceil(size.width)) * u64::from(tiles.height.div_ceil(size.height));
    while count(size) >= 256 {
        if size.width < size.height {
            size.width = size.width.saturating_add(1);
        } else {
            size.height = size.height.saturating_add(1);
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;

    const V71: Hardware = Hardware::Budget { color: 16384, depth: 16384 };

    #[test]
    fn an_srgb_target_takes_twice_the_room_of_a_linear_one() {
        let bits = |name| internal(by_name(name).unwrap()).map(|i| i.bits);
        assert_eq!(bits("R8G8B8A8_UNORM"), Some(32));
        assert_eq!(bits("R8G8B8A8_SRGB"), Some(64));
        assert_eq!(bits("R16G16B16A16_UNORM"), None);
        assert_eq!(bits("D32_SFLOAT"), None);
        assert_eq!(bits("BC1_RGB_UNORM_BLOCK"), None);
    }

    #[test]
    fn an_unused_slot_counts_on_a_raspberry_pi_4_and_not_on_a_raspberry_pi_5() {
        let (one, two) = (&[Some(32)][..], &[Some(32), None][..]);
        assert_ne!(Hardware::Table.tile(one, false, false), Hardware::Table.tile(two, false, false));
        assert_eq!(V71.tile(one, false, false), V71.tile(two, false, false));
    }

    #[test]
    fn one_rgba8_target_fills_a_64x64_tile_on_a_raspberry_pi_5_and_two_do_not() {
        assert_eq!(V71.budget_bits_per_pixel(), Some(32));
        assert_eq!(V71.tile(&[Some(32)], false, false).size, Extent2D::new(64, 64));
        // Depth fits its smaller buffer at half the tile, which leaves twice the room for colour.
        assert_eq!(V71.tile(&[Some(32); 2], false, false).size, Extent2D::new(64, 32));
        assert_eq!(V71.tile(&[Some(32); 4], false, false).size, Extent2D::new(64, 32));
        assert_eq!(V71.tile(&[Some(32); 5], false, false).size, Extent2D::new(32, 32));
    }

    #[test]
    fn no_tile_is_below_8x8_and_what_does_not_fit_it_is_said() {
        for hardware in [V71, Hardware::Table] {
            let tile = hardware.tile(&[Some(128); 40], true, true);
            assert_eq!((tile.size, tile.overflows), (Extent2D::new(8, 8), true));
        }
        assert!(!V71.tile(&[Some(128); 8], true, false).overflows);
    }

    #[test]
    fn every_framebuffer_has_fewer_than_256_supertiles() {
        for size in [0, 1, 4096, 1 << 20] {
            let tiles = tiles(Extent2D::new(8, 8), Extent2D::new(size, size));
            let size = supertile(tiles);
            assert!(u64::from(tiles.width.div_ceil(size.width)) * u64::from(tiles.height.div_ceil(size.height)) < 256);
        }
    }
}
