//! What is bound to which bytes of device memory: two live resources on the same bytes alias each other, so that nothing that is
//! recorded of one alone proves anything about its contents.
//!
//! The driver alone knows how many bytes an image takes. Where the application asked (it must, before it may bind), its answer is
//! remembered; else what the texels take at least. Overlaps of buffers with buffers are no business of anyone here.

use super::objects::{Buffer, Image};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use tbdr_model::frame::{self, Memory};
use tbdr_model::units::Extent3D;

/// A VkDeviceMemory.
pub struct MemoryBlock {
    /// What resources bound to it learn.
    pub memory: Memory,
    bound: Mutex<Bound>,
}

#[derive(Default)]
struct Bound {
    /// The byte behind the last of each range, and the resource.
    ranges: BTreeMap<Key, (u64, Resource)>,
    longest: u64,
}

/// First byte, serial number and plane.
type Key = (u64, u64, u32);

/// Where a resource is bound.
#[derive(Default)]
pub struct Place(Mutex<Vec<(Weak<MemoryBlock>, Key)>>);

/// What is bound.
#[derive(Clone)]
pub enum Resource {
    /// An image.
    Image(Arc<Image>),
    /// A buffer.
    Buffer(Arc<Buffer>),
}

impl Resource {
    fn serial(&self) -> u64 {
        match self {
            Self::Image(image) => image.serial,
            Self::Buffer(buffer) => buffer.serial,
        }
    }

    fn place(&self) -> &Place {
        match self {
            Self::Image(image) => &image.place,
            Self::Buffer(buffer) => &buffer.place,
        }
    }

    fn memory(&self) -> &Mutex<Memory> {
        match self {
            Self::Image(image) => &image.memory,
            Self::Buffer(buffer) => &buffer.memory,
        }
    }

    /// Takes over the properties of the memory; planes may lie in memory of different kinds.
    fn learn(&self, memory: &Memory, first: bool) {
        let mut own = self.memory().lock();
        if first {
            (own.properties, own.on_chip) = (memory.properties, memory.on_chip);
        } else if own.properties != memory.properties {
            (own.properties, own.on_chip) = (None, false);
        }
        own.external |= memory.external;
    }
}

impl MemoryBlock {
    /// Memory of which resources bound to it learn `memory`.
    pub fn new(memory: Memory) -> Self {
        Self { memory, bound: Mutex::default() }
    }

    /// Binds `bytes` bytes of a resource, or of plane `plane` of it, from `offset` on.
    pub fn bind(self: &Arc<Self>, resource: Resource, plane: u32, offset: u64, bytes: u64) {
        let (serial, end) = (resource.serial(), offset.saturating_add(bytes.max(1)));
        resource.learn(&self.memory, plane <= 1);
        let key = (offset, serial, plane);
        resource.place().0.lock().push((Arc::downgrade(self), key));
        let mut bound = self.bound.lock();
        let mut aliased = false;
        // Nothing that begins earlier than the longest range reaches here.
        let from = offset.saturating_sub(bound.longest);
        for (_, (other_end, other)) in bound.ranges.range((from, 0, 0)..(end, 0, 0)) {
            let both_buffers = matches!((&resource, other), (Resource::Buffer(_), Resource::Buffer(_)));
            if *other_end > offset && other.serial() != serial && !both_buffers {
                other.memory().lock().aliased = true;
                aliased = true;
            }
        }
        bound.longest = bound.longest.max(end - offset);
        bound.ranges.insert(key, (end, resource.clone()));
        drop(bound);
        if aliased {
            resource.memory().lock().aliased = true;
        }
    }
}

impl Place {
    /// The resource is destroyed: its bytes are free for others.
    pub fn leave(&self) {
        for (block, key) in std::mem::take(&mut *self.0.lock()) {
            if let Some(block) = block.upgrade() {
                block.bound.lock().ranges.remove(&key);
            }
        }
    }
}

/// Bytes that an image takes at least: those of its texels, as far as its format is known.
pub fn least_bytes(image: &frame::Image) -> u64 {
    let Some(info) = tbdr_model::format::info(image.format) else { return 1 };
    let block: u64 = tbdr_model::graph::access::each(info.aspects())
        .map(|aspect| info.aspect_bytes(aspect).map_or(0, |bytes| bytes.0))
        .fold(0, u64::saturating_add);
    // A hostile number of mip levels ends with the last that has a texel of its own.
    let level = |mip| -> Extent3D { image.extent.mip(mip) };
    let blocks = (0..image.mips.min(u32::BITS)).map(|mip| info.blocks(level(mip))).fold(0, u64::saturating_add);
    let texels = blocks.saturating_mul(u64::from(image.layers)).saturating_mul(u64::from(image.samples.max(1)));
    block.saturating_mul(texels)
}
