//! What is bound to which bytes of device memory: two live resources on the same bytes alias each other, so that nothing that is
//! recorded of one alone proves anything about its contents.
//!
//! The driver alone knows how many bytes an image takes. Where the application asked (it must, before it may bind), its answer is
//! remembered; else what the texels take at least. Overlaps of buffers with buffers are no business of anyone here.
//!
//! Of sparse resources only the memory that they are given is kept, as [`SparseBytes`]: nothing is concluded from their own contents.

use super::objects::{Buffer, Image};
use super::sparse_bytes::SparseBytes;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use tbdr_model::frame::{self, Memory};

/// A VkDeviceMemory.
pub struct MemoryBlock {
    /// What resources bound to it learn.
    pub memory: Memory,
    /// Bytes allocated.
    pub size: u64,
    bound: Mutex<Bound>,
}

#[derive(Default)]
struct Bound {
    /// The byte behind the last of each range, and the resource.
    ranges: BTreeMap<Key, (u64, Resource)>,
    longest: u64,
    /// Images ever bound, where the memory is lazily allocated.
    images: Vec<u64>,
    /// What sparse resources were given.
    sparse: SparseBytes,
}

/// Images of a lazily allocated block that are remembered: a block for transient attachments has few.
const MOST_IMAGES: usize = 1024;

/// First byte, serial number and plane.
type Key = (u64, u64, u32);

/// Where a resource is bound. It is known beyond the end of the resource, since the analysis may ask later.
#[derive(Default)]
pub struct Place(Mutex<Vec<Bytes>>);

/// Bytes that a resource, or a plane of it, is bound to.
struct Bytes {
    /// It may be freed. What is left of it keeps the address from being given to another.
    block: Weak<MemoryBlock>,
    key: Key,
    end: u64,
}

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
    pub fn new(memory: Memory, size: u64) -> Self {
        Self { memory, size, bound: Mutex::default() }
    }

    /// Whether its type is lazily allocated, so that the driver can be asked what it commits.
    pub fn is_lazy(&self) -> bool {
        self.memory.properties.is_some_and(|properties| properties & Memory::LAZILY_ALLOCATED != 0)
    }

    /// Serial numbers of the images ever bound to it, where it is lazily allocated.
    pub fn images(&self) -> Vec<u64> {
        self.bound.lock().images.clone()
    }

    /// Binds `bytes` bytes of a resource, or of plane `plane` of it, from `offset` on.
    pub fn bind(self: &Arc<Self>, resource: Resource, plane: u32, offset: u64, bytes: u64) {
        let (serial, end) = (resource.serial(), offset.saturating_add(bytes.max(1)));
        resource.learn(&self.memory, plane <= 1);
        let key = (offset, serial, plane);
        resource.place().0.lock().push(Bytes { block: Arc::downgrade(self), key, end });
        let mut bound = self.bound.lock();
        let is_image = matches!(resource, Resource::Image(_));
        if self.is_lazy() && is_image && bound.images.len() < MOST_IMAGES && !bound.images.contains(&serial) {
            bound.images.push(serial);
        }
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
        aliased |= is_image && bound.sparse.touches(offset, end);
        bound.longest = bound.longest.max(end - offset);
        bound.ranges.insert(key, (end, resource.clone()));
        drop(bound);
        if aliased {
            resource.memory().lock().aliased = true;
        }
    }

    /// Gives `bytes` bytes from `offset` on to a sparse resource. Images that lie there alias it from now on.
    pub fn bind_sparse(&self, offset: u64, bytes: u64) {
        let end = offset.saturating_add(bytes);
        let mut bound = self.bound.lock();
        if !bound.sparse.add(offset, end) {
            return;
        }
        let from = offset.saturating_sub(bound.longest);
        for (_, (other_end, other)) in bound.ranges.range((from, 0, 0)..(end, 0, 0)) {
            if *other_end > offset && matches!(other, Resource::Image(_)) {
                other.memory().lock().aliased = true;
            }
        }
    }
}

impl Place {
    /// The resource is destroyed: its bytes are free for others.
    pub fn leave(&self) {
        for bytes in self.0.lock().iter() {
            if let Some(block) = bytes.block.upgrade() {
                block.bound.lock().ranges.remove(&bytes.key);
            }
        }
    }

    /// Memory, first byte and the byte behind the last of each binding. The memory is a number that is good for comparing only.
    pub fn ranges(&self) -> Vec<(usize, u64, u64)> {
        self.0.lock().iter().map(|bytes| (bytes.block.as_ptr() as usize, bytes.key.0, bytes.end)).collect()
    }
}

/// Bytes that an image takes at least: those of its texels, as far as its format is known.
pub fn least_bytes(image: &frame::Image) -> u64 {
    tbdr_model::format::image_bytes(image).map_or(1, |bytes| bytes.0)
}
