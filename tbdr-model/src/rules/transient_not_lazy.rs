//! TL102.

use super::{Candidate, Evidence, Life, Worth, rule};
use crate::frame::{Image, Memory, usage};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An image with `VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT` that no pass loads or stores, bound to memory that is not lazily allocated,
    /// though the device that ran the program offers a lazily allocated type among those that the image may have.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The usage alone saves no memory: only a lazily allocated type lets the driver leave the image on chip without backing it. Any other
    /// type is allocated in full.
    ///
    /// ## Bad
    /// A transient attachment whose memory type is the first with `VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT`.
    ///
    /// ## Good
    /// The first type of `VkMemoryRequirements::memoryTypeBits` with `VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT`; without such a type any that
    /// is device-local.
    ///
    /// ## How much
    /// The bytes of all texels of one such image, as a bound: a driver may have to back it all the same. GPUs that move bytes of the image
    /// whatever its operations say are left out.
    ///
    /// ## When to ignore
    /// Never, where memory matters.
    ///
    /// ## Known limits
    /// Silent on devices without a lazily allocated type for the image, where a program that falls back is right; where the program never
    /// asked what memory the image may have; and for images that are loaded or stored, which are TL103's.
    ///
    /// ## References
    /// Vulkan specification, VkMemoryPropertyFlagBits and "Lazily Allocated Memory". ARM-software/perfdoc, layer/image.cpp.
    TRANSIENT_NOT_LAZY {
        code: "TL102",
        name: "transient-not-lazy",
        category: TransientMemory,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    evidence.lives.iter().filter_map(|life| candidate(evidence, life)).collect()
}

/// Whether an image says that it is transient, and has memory that the device need not have given it.
fn wastes(image: &Image) -> bool {
    let lazy = |properties: u32| properties & Memory::LAZILY_ALLOCATED != 0;
    image.all_usage() & usage::TRANSIENT_ATTACHMENT != 0
        && image.memory.lazy_offered == Some(true)
        && image.memory.properties.is_some_and(|p| !lazy(p))
        && !image.memory.on_chip
        && !image.memory.external
}

fn candidate(evidence: &Evidence<'_>, life: &Life<'_>) -> Option<Candidate> {
    let everywhere = life.places.iter().all(|place| {
        let structure = evidence.structures.get(&place.structure);
        let image = structure.and_then(|s| s.image(s.attachment(place.pass, place.attachment)?));
        image.is_some_and(wastes)
    });
    if !everywhere || !life.uses.rendered || life.uses.moved {
        return None;
    }
    let footprint = life.footprint(evidence);
    (!footprint.is_empty()).then(|| Candidate {
        worth: Worth::PerGpu(footprint),
        fix: format!(
            "Bind {}, which {} renders to, to a memory type with VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT",
            life.id, life.label
        ),
        why: "the image is transient, but its memory is allocated in full although the device offers a lazily allocated type".to_string(),
        ..life.candidate()
    })
}
