//! TL305.

use super::{Candidate, Evidence, could_be_transient, rule};
use alloc::format;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A multisampled attachment that no pass of its whole life loads or stores, and that nothing else uses, without
    /// `VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT`.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The samples exist on chip until the pass resolves them. Outside lazily allocated memory the image takes as much memory as N
    /// images with one sample, and nothing ever reads or writes it.
    ///
    /// ## Bad
    /// A 4x colour attachment that is resolved in its pass, with `storeOp = DONT_CARE`, in ordinary device-local memory.
    ///
    /// ## Good
    /// The same image with usage `TRANSIENT_ATTACHMENT` and memory of a type with `VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT`; where the
    /// device has none, any other type. `VK_EXT_multisampled_render_to_single_sampled` needs no such image at all.
    ///
    /// ## How much
    /// The bytes of one such image: N x area x layers x bytes of a texel. It is a bound: no byte moves either way, and the memory is
    /// saved only on devices that offer a lazily allocated type. GPUs whose driver resolves from memory are left out.
    ///
    /// ## When to ignore
    /// If situations that the recorded run did not reach store the samples.
    ///
    /// ## Known limits
    /// As for TL101. Samples that are stored for nobody are TL302's first; once they are not stored any more, this rule speaks.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/msaa. Vulkan specification, "Lazily Allocated Memory".
    MULTISAMPLED_NOT_TRANSIENT {
        code: "TL305",
        name: "multisampled-not-transient",
        category: Multisampling,
        level: Info,
        since: "0.1.0",
        speaks_before: &["TL101"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    could_be_transient::candidates(
        evidence,
        |life| life.image.samples > 1,
        |life| {
            format!(
                "its {} samples per pixel never leave the chip, but memory for all of them is allocated",
                life.image.samples
            )
        },
    )
}
