//! Tiles of PowerVR: fixed by the core in samples, so more samples per pixel mean fewer pixels
//! (Mesa 25.0.7, src/imagination/vulkan/pvr_job_common.c, include/hwdef/rogue_hw_utils.h).

use crate::units::Extent2D;

/// What decides tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Tile in samples at one sample per pixel.
    pub size: Extent2D,
    /// Samples per pixel that the depth unit works on at once.
    pub isp_samples: u64,
    /// Whether tiles come in twos along both axes (version 2 of the simple parameter format).
    pub pairs: bool,
}

/// Samples of a pixel in x and y.
fn grid(samples: u32) -> Extent2D {
    match samples {
        0 | 1 => Extent2D::new(1, 1),
        2 | 3 => Extent2D::new(1, 2),
        4..=7 => Extent2D::new(2, 2),
        _ => Extent2D::new(2, 4),
    }
}

impl Tiling {
    /// Tile in samples.
    pub fn samples_per_tile(&self, samples: u32) -> Extent2D {
        let by_two = matches!(self.isp_samples, 2 | 4);
        let (wider, higher) = match samples {
            0 | 1 => (false, false),
            2 | 3 => (false, by_two),
            4..=7 => (by_two, self.isp_samples == 2),
            _ => (false, true),
        };
        let times = |size: u32, twice: bool| size.saturating_mul(if twice { 2 } else { 1 });
        Extent2D::new(times(self.size.width, wider), times(self.size.height, higher))
    }

    /// Tile in pixels.
    pub fn pixels_per_tile(&self, samples: u32) -> Extent2D {
        let (tile, grid) = (self.samples_per_tile(samples), grid(samples));
        Extent2D::new((tile.width / grid.width).max(1), (tile.height / grid.height).max(1))
    }

    /// Tiles in x and y of a framebuffer.
    pub fn tiles(&self, framebuffer: Extent2D, samples: u32) -> Extent2D {
        let (tile, grid) = (self.samples_per_tile(samples), grid(samples));
        let along = |pixels: u32, samples: u32, tile: u32| {
            let tiles = (u64::from(pixels) * u64::from(samples)).div_ceil(u64::from(tile.max(1)));
            let tiles = if self.pairs { tiles.next_multiple_of(2) } else { tiles };
            u32::try_from(tiles).unwrap_or(u32::MAX)
        };
        let x = along(framebuffer.width, grid.width, tile.width);
        Extent2D::new(x, along(framebuffer.height, grid.height, tile.height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_samples_leave_a_quarter_of_the_tile_in_each_direction_or_half() {
        let gx6250 = Tiling { size: Extent2D::new(32, 32), isp_samples: 2, pairs: false };
        assert_eq!(gx6250.pixels_per_tile(1), Extent2D::new(32, 32));
        assert_eq!(gx6250.pixels_per_tile(4), Extent2D::new(32, 32));
        assert_eq!(gx6250.pixels_per_tile(8), Extent2D::new(16, 16));
    }

    #[test]
    fn every_pixel_is_in_a_tile() {
        for (isp_samples, pairs) in [(1, true), (2, false), (4, true)] {
            let tiling = Tiling { size: Extent2D::new(16, 16), isp_samples, pairs };
            for samples in [0, 1, 2, 4, 8, 16, u32::MAX] {
                for size in [0, 1, 33, 16384, u32::MAX / 8] {
                    let tile = tiling.pixels_per_tile(samples);
                    let tiles = tiling.tiles(Extent2D::new(size, size), samples);
                    assert!(u64::from(tile.width) * u64::from(tiles.width) >= u64::from(size));
                    assert!(u64::from(tile.height) * u64::from(tiles.height) >= u64::from(size));
                }
            }
            tiling.tiles(Extent2D::new(u32::MAX, u32::MAX), 8);
        }
    }
}
