//! What drivers committed for lazily allocated memory, brought to the images that were bound to it.
//!
//! The driver is asked when the memory is freed, after the frames that used it: which image stood where is remembered until then.

use super::Structure;
use crate::frame::{FrameStructure, Memory};
use crate::record::{Commitment, FrameRecord};
use crate::report::LazyMemory;
use crate::units::Bytes;
use alloc::collections::{BTreeMap, BTreeSet};

/// Images that are remembered at once: a program that never frees its memory must not fill ours.
const MOST: usize = 65_536;

/// Where images with lazily allocated memory were used: structure and index, by identity.
#[derive(Clone, Debug, Default)]
pub struct Images(BTreeMap<u64, BTreeSet<(u32, usize)>>);

impl Images {
    /// A frame used its images.
    pub fn used(&mut self, frame: &FrameStructure, record: &FrameRecord) {
        for (at, (image, identity)) in frame.images.iter().zip(&record.images).enumerate() {
            let lazy = image.memory.properties.is_some_and(|p| p & Memory::LAZILY_ALLOCATED != 0);
            if lazy && (self.0.len() < MOST || self.0.contains_key(identity)) {
                self.0.entry(*identity).or_default().insert((record.structure, at));
            }
        }
    }

    /// Memory was freed: the images that were bound to it learn what it had cost, the most of all in one place.
    pub fn committed(&mut self, commitment: &Commitment, structures: &mut BTreeMap<u32, Structure>) {
        let found = LazyMemory { size_bytes: Bytes(commitment.size), committed_bytes: Bytes(commitment.committed) };
        for (structure, at) in commitment.images.iter().filter_map(|identity| self.0.remove(identity)).flatten() {
            let image = structures.get_mut(&structure).and_then(|s| s.shown.images.get_mut(at));
            let Some(image) = image else { continue };
            match &mut image.lazy_memory {
                Some(known) if known.committed_bytes >= found.committed_bytes => {}
                known => *known = Some(found),
            }
        }
    }
}
