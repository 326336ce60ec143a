//! TL101.

use super::{Candidate, Evidence, Life, Worth, rule};
use crate::frame::usage;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An attachment with one sample per pixel that no pass of its whole life loads or stores, and that nothing else uses, without
    /// `VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT`. Usages that are declared and never exercised do not matter: the fix names them.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Its contents live and die on chip, tile by tile. Memory of a lazily allocated type is backed only if something has to be
    /// written there, so such an image takes none; any other memory is allocated in full and never touched.
    ///
    /// ## Bad
    /// A depth buffer with `loadOp = CLEAR` and `storeOp = DONT_CARE` in ordinary device-local memory.
    ///
    /// ## Good
    /// The same image with usage `TRANSIENT_ATTACHMENT` beside `DEPTH_STENCIL_ATTACHMENT`, no other usage, and memory of a type with
    /// `VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT`; where the device has none, any other type.
    ///
    /// ## How much
    /// The bytes of all texels of one such image: area x layers x mip levels x bytes of a texel. It is a bound: no byte moves either way, and
    /// the memory is saved only on devices that offer a lazily allocated type. Many drivers for desktop GPUs, and Mesa's for Mali and
    /// Apple, offer none; there the bit is harmless and saves nothing. GPUs that move bytes of the image whatever its operations say
    /// are left out.
    ///
    /// ## When to ignore
    /// If situations that the recorded run did not reach load, store, copy or sample the image.
    ///
    /// ## Known limits
    /// Silent unless every frame of the image's life was recorded: after a gap or a frame with commands that are not modelled; for
    /// external, aliased or sparse memory; for images with usage SAMPLED or STORAGE where it is not known what some shader reaches;
    /// and wherever loadOp or storeOp of any aspect may leave something in memory to be read. An image that is resolved into counts as
    /// used. Multisampled images are TL305's.
    ///
    /// ## References
    /// Vulkan specification, VkImageUsageFlagBits and "Lazily Allocated Memory". Khronos Vulkan-Samples, performance/msaa.
    COULD_BE_TRANSIENT {
        code: "TL101",
        name: "could-be-transient",
        category: TransientMemory,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let why = "no pass ever loads or stores it and nothing else uses it, but its memory is allocated in full";
    candidates(evidence, |life| life.image.samples <= 1, |_| why.to_string())
}

/// Images that could be transient, of those that are asked for.
pub(super) fn candidates(
    evidence: &Evidence<'_>,
    asked: impl Fn(&Life<'_>) -> bool,
    why: impl Fn(&Life<'_>) -> String,
) -> Vec<Candidate> {
    let on_chip = |life: &&Life<'_>| life.stays_on_chip() && !life.is_transient() && !life.image.memory.on_chip;
    let found = evidence.lives.iter().filter(on_chip).filter(|life| asked(life));
    found.filter_map(|life| candidate(evidence, life, why(life))).collect()
}

fn candidate(evidence: &Evidence<'_>, life: &Life<'_>, why: String) -> Option<Candidate> {
    let footprint = life.footprint(evidence);
    let without = match unexercised(life.image.all_usage()) {
        words if words.is_empty() => String::new(),
        words => format!(", without {},", words.join(" and ")),
    };
    (!footprint.is_empty()).then(|| Candidate {
        worth: Worth::PerGpu(footprint),
        fix: format!(
            "Create {}, which {} renders to, with usage TRANSIENT_ATTACHMENT{without} and bind it to LAZILY_ALLOCATED memory where \
             the device has it",
            life.id, life.label
        ),
        why,
        ..life.candidate()
    })
}

/// Declared usages that transient images may not have.
fn unexercised(declared: u32) -> Vec<&'static str> {
    let words = [
        (usage::TRANSFER_SRC, "TRANSFER_SRC"),
        (usage::TRANSFER_DST, "TRANSFER_DST"),
        (usage::SAMPLED, "SAMPLED"),
        (usage::STORAGE, "STORAGE"),
        (usage::ATTACHMENT_FEEDBACK_LOOP, "ATTACHMENT_FEEDBACK_LOOP"),
    ];
    let allowed = usage::COLOR_ATTACHMENT
        | usage::DEPTH_STENCIL_ATTACHMENT
        | usage::INPUT_ATTACHMENT
        | usage::TRANSIENT_ATTACHMENT;
    let known = words.iter().fold(allowed, |all, (bit, _)| all | bit);
    let named = words.iter().filter(|(bit, _)| declared & bit != 0).map(|(_, word)| *word);
    named.chain((declared & !known != 0).then_some("other usages")).collect()
}
