//! Colour storage of a hardware render: output registers, and tile buffers in memory for what finds no room in them.
//!
//! First fit by dwords, as in Mesa 25.0.7, src/imagination/vulkan/pvr_hw_pass.c.

use alloc::vec::Vec;

/// Most dwords of registers that a core may have here: one bit each.
pub const MOST_REGISTERS: u32 = 32;

/// What a core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Output registers per sample, in dwords; a tile buffer has as many.
    pub registers: u32,
    /// Tile buffers.
    pub tile_buffers: u32,
    /// Whether formats of 2 and 4 dwords start at an even register.
    pub even: bool,
}

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// From this output register on.
    Register(u32),
    /// In memory.
    TileBuffer {
        /// Index of the buffer.
        buffer: u32,
        /// First dword in it.
        offset: u32,
    },
}

impl Place {
    /// First dword within the registers or the buffer.
    pub fn start(self) -> u32 {
        match self {
            Self::Register(start) | Self::TileBuffer { offset: start, .. } => start,
        }
    }

    /// Whether it is in memory.
    pub fn is_tile_buffer(self) -> bool {
        matches!(self, Self::TileBuffer { .. })
    }
}

/// What is taken, a bit per dword.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    registers: u32,
    tile_buffers: Vec<u32>,
    /// One above the highest dword ever taken, in registers or in a buffer: both have the same depth.
    pub depth: u32,
}

/// The bits of `dwords` from `start` on.
fn bits(start: u32, dwords: u32) -> u32 {
    let run = if dwords >= u32::BITS { u32::MAX } else { (1 << dwords) - 1 };
    run.checked_shl(start).unwrap_or(0)
}

impl Storage {
    /// Buffers in use.
    pub fn tile_buffers(&self) -> u32 {
        self.tile_buffers.len() as u32
    }

    /// Dwords taken.
    pub fn taken(&self) -> u32 {
        self.tile_buffers.iter().fold(self.registers.count_ones(), |sum, buffer| sum + buffer.count_ones())
    }

    /// Takes room for `dwords`: registers if they have it, else a buffer in use, else a new one; `None` where none is left.
    pub fn take(&mut self, room: Room, dwords: u32) -> Option<Place> {
        if dwords > room.registers {
            return None;
        }
        let step = if room.even && matches!(dwords, 2 | 4) { 2 } else { 1 };
        let free =
            |taken: u32| (0..=room.registers - dwords).step_by(step).find(|start| taken & bits(*start, dwords) == 0);
        let place = if let Some(start) = free(self.registers) {
            Place::Register(start)
        } else {
            let existing = (0u32..).zip(&self.tile_buffers).find_map(|(buffer, taken)| Some((buffer, free(*taken)?)));
            let (buffer, offset) =
                existing.or_else(|| (self.tile_buffers() < room.tile_buffers).then(|| (self.tile_buffers(), 0)))?;
            Place::TileBuffer { buffer, offset }
        };
        self.mark(place, dwords);
        Some(place)
    }

    /// Whether nothing has taken a dword of this place.
    pub fn is_free(&self, place: Place, dwords: u32) -> bool {
        let taken = match place {
            Place::Register(_) => self.registers,
            Place::TileBuffer { buffer, .. } => self.tile_buffers.get(buffer as usize).copied().unwrap_or(0),
        };
        taken & bits(place.start(), dwords) == 0
    }

    /// Takes this very place.
    pub fn mark(&mut self, place: Place, dwords: u32) {
        let taken = bits(place.start(), dwords);
        match place {
            Place::Register(_) => self.registers |= taken,
            Place::TileBuffer { buffer, .. } => {
                let needed = (buffer as usize + 1).max(self.tile_buffers.len());
                self.tile_buffers.resize(needed, 0);
                if let Some(buffer) = self.tile_buffers.get_mut(buffer as usize) {
                    *buffer |= taken;
                }
            }
        }
        self.depth = self.depth.max(place.start() + dwords);
    }

    /// Gives a place back.
    pub fn free(&mut self, place: Place, dwords: u32) {
        let taken = bits(place.start(), dwords);
        match place {
            Place::Register(_) => self.registers &= !taken,
            Place::TileBuffer { buffer, .. } => {
                if let Some(buffer) = self.tile_buffers.get_mut(buffer as usize) {
                    *buffer &= !taken;
                }
            }
        }
    }

    /// Takes whatever `other` has taken.
    pub fn unite(&mut self, other: &Self) {
        self.registers |= other.registers;
        self.depth = self.depth.max(other.depth);
        let needed = self.tile_buffers.len().max(other.tile_buffers.len());
        self.tile_buffers.resize(needed, 0);
        for (own, others) in self.tile_buffers.iter_mut().zip(&other.tile_buffers) {
            *own |= others;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { registers: 4, tile_buffers: 2, even: true };

    #[test]
    fn a_run_that_the_registers_lack_goes_to_a_tile_buffer_and_a_shorter_one_still_fits_them() {
        let mut storage = Storage::default();
        assert_eq!(storage.take(ROOM, 3), Some(Place::Register(0)));
        assert_eq!(storage.take(ROOM, 2), Some(Place::TileBuffer { buffer: 0, offset: 0 }));
        assert_eq!(storage.take(ROOM, 1), Some(Place::Register(3)));
        assert_eq!(storage.take(ROOM, 2), Some(Place::TileBuffer { buffer: 0, offset: 2 }));
        assert_eq!(storage.take(ROOM, 4), Some(Place::TileBuffer { buffer: 1, offset: 0 }));
        assert_eq!(storage.take(ROOM, 1), None);
        assert_eq!((storage.taken(), storage.depth), (12, 4));
    }

    #[test]
    fn what_is_given_back_is_taken_again() {
        let mut storage = Storage::default();
        let first = storage.take(ROOM, 1).unwrap();
        storage.take(ROOM, 1);
        storage.free(first, 1);
        assert_eq!(storage.take(ROOM, 2), Some(Place::Register(2)), "64 bits start at an even register");
        assert_eq!(storage.take(ROOM, 1), Some(Place::Register(0)));
    }

    #[test]
    fn absurd_sizes_have_an_answer() {
        let wide = Room { registers: MOST_REGISTERS, tile_buffers: 0, even: false };
        assert_eq!(Storage::default().take(wide, 32), Some(Place::Register(0)));
        assert_eq!(Storage::default().take(wide, u32::MAX), None);
        assert_eq!(Storage::default().take(Room { registers: 0, ..wide }, 0), Some(Place::Register(0)));
    }
}
