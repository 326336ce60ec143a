//! How colour targets lie in tile memory (Mesa 25.0.7, src/asahi/lib/agx_tilebuffer.c, layout/formats.c).
//!
//! Targets are placed in slot order, those that find no room live in memory; the tile shrinks from 32x32 to 16x16 as samples grow.

use super::super::round_up;
use crate::format::{Info, Numeric};
use crate::units::Extent2D;
use alloc::vec::Vec;

/// Facts of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Bytes of a tile.
    pub tile_bytes: u64,
    /// Bytes of a sample.
    pub sample_bytes: u64,
    /// Largest tile.
    pub tile_max: Extent2D,
    /// Smallest tile.
    pub tile_min: Extent2D,
}

/// Alignment and size in bytes of a sample of this format in tile memory; `None` for compressed formats.
pub fn tile_format(format: &Info) -> Option<(u64, u64)> {
    let count = format.components.len() as u64;
    let bits = format.components.iter().map(|c| c.bits).max()?;
    let numeric = format.components.first()?.numeric;
    let srgb = format.components.iter().any(|c| c.numeric == Numeric::Srgb);
    let equal = format.components.iter().all(|c| c.bits == bits);
    match (bits, numeric) {
        (0, _) | (33.., _) => None,
        _ if srgb => Some((4, 4)),
        (8, _) if equal => Some((1, count)),
        (16, _) if equal => Some((2, 2 * count)),
        (32, _) => Some((4, 4 * count)),
        // Ten-bit normalised, packed float and shared exponent stay as they are; integers of ten bits widen.
        (9.., Numeric::Unorm | Numeric::Ufloat | Numeric::Sfloat) if format.block_bytes == 4 => Some((4, 4)),
        // Everything narrower is kept as 16-bit numbers.
        _ => Some((2, 2 * count)),
    }
}

/// How colour targets lie in tile memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Offset of each slot within a sample; that of a spilled or unused slot has no meaning.
    pub offsets: Vec<u64>,
    /// Slots that found no room.
    pub spilled: Vec<bool>,
    /// Bytes of a sample.
    pub sample_size: u64,
    /// Tile.
    pub tile: Extent2D,
    /// Bytes of a tile.
    pub total_bytes: u64,
}

impl Hardware {
    /// Lays out colour slots of these alignments and sizes (`None` for an unused slot).
    pub fn lay_out(&self, slots: &[Option<(u64, u64)>], samples: u32) -> Layout {
        let samples = u64::from(samples.max(1));
        let smallest = self.tile_min.pixels().saturating_mul(samples);
        let mut used = 0;
        let (mut offsets, mut spilled) = (Vec::new(), Vec::new());
        for slot in slots {
            let Some((align, size)) = *slot else {
                offsets.push(0);
                spilled.push(false);
                continue;
            };
            used = round_up(used, align);
            let end = used.saturating_add(size);
            let fits = end <= self.sample_bytes && round_up(end, 8).saturating_mul(smallest) <= self.tile_bytes;
            offsets.push(if fits { used } else { 0 });
            spilled.push(!fits);
            if fits {
                used = end;
            }
        }
        if samples > 1 {
            used = used.max(1);
        }
        let sample_size = round_up(used, 8);
        let (mut tile, bytes) =
            (self.tile_max, |tile: Extent2D| sample_size.saturating_mul(samples).saturating_mul(tile.pixels()));
        while bytes(tile) > self.tile_bytes && tile.pixels() > self.tile_min.pixels() {
            // Height is halved first: 32x32, 32x16, 16x16.
            tile = if tile.width > tile.height {
                Extent2D::new(tile.width / 2, tile.height)
            } else {
                Extent2D::new(tile.width, tile.height / 2)
            };
        }
        Layout { offsets, spilled, sample_size, tile, total_bytes: bytes(tile) }
    }

    /// Bits per pixel that fit at the largest tile; samples are allotted in units of 8 bytes.
    pub fn budget_bits_per_pixel(&self) -> u64 {
        self.tile_bytes / self.tile_max.pixels().max(1) / 8 * 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const M1: Hardware = Hardware {
        tile_bytes: 32767,
        sample_bytes: 64,
        tile_max: Extent2D::new(32, 32),
        tile_min: Extent2D::new(16, 16),
    };

    #[test]
    fn thirty_two_bytes_per_pixel_miss_the_full_tile_by_one_byte() {
        assert_eq!(M1.lay_out(&[Some((2, 8)); 3], 1).tile, Extent2D::new(32, 32));
        assert_eq!(M1.lay_out(&[Some((2, 8)); 4], 1).tile, Extent2D::new(32, 16));
        assert_eq!(M1.lay_out(&[Some((2, 8)); 8], 1).tile, Extent2D::new(16, 16));
        assert_eq!(M1.budget_bits_per_pixel(), 192);
    }

    #[test]
    fn a_target_without_room_spills_and_a_smaller_one_after_it_still_fits() {
        let layout = M1.lay_out(&[Some((4, 16)), Some((4, 16)), Some((1, 4))], 4);
        assert_eq!(layout.spilled, [false, true, false]);
        assert_eq!(layout.sample_size, 24);
    }
}
