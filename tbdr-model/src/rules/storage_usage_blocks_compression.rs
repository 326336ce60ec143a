//! TL404.

use super::{Candidate, Evidence, Life, Worth, compressible, rule};
use crate::frame::usage;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An attachment, or a swapchain's image, created with `VK_IMAGE_USAGE_STORAGE_BIT` that no shader of its whole life reaches as a storage
    /// image, on a GPU that would compress it without that usage.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Shaders write storage images texel by texel, which compressed blocks do not allow. Drivers decide when the image is created, by what it may
    /// be used for: every load and store of it then moves all of its bytes.
    ///
    /// ## Bad
    /// A swapchain with `imageUsage = COLOR_ATTACHMENT | STORAGE`, "in case a compute shader ever writes it".
    ///
    /// ## Good
    /// `imageUsage = COLOR_ATTACHMENT`.
    ///
    /// ## How much
    /// 48 % of the bytes that passes load and store of it: compression leaves 45 to 60 % of real content, 52 % in the published measurement
    /// of just this change. An estimate, since it depends on what is on screen. Copies and what shaders sample come on top.
    ///
    /// ## When to ignore
    /// If situations that the recorded run did not reach write the image from shaders.
    ///
    /// ## Known limits
    /// Silent unless every frame of the image's life was recorded and it is known what all shaders reach. An image that is really written
    /// by shaders is left alone; two images, one to render to and one to write, may pay there. Silent, too, where something else rules
    /// compression out as well, and on GPUs of which it is not known.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/afbc: -33 % of all writes of a Mali-G76. Mesa 25.0.7, src/freedreno/vulkan/tu_image.cc and
    /// src/asahi/vulkan/hk_image.c, for UBWC and Apple's compression.
    STORAGE_USAGE_BLOCKS_COMPRESSION {
        code: "TL404",
        name: "storage-usage-blocks-compression",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &["TL406"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    evidence.lives.iter().filter_map(|life| candidate(evidence, life)).collect()
}

fn candidate(evidence: &Evidence<'_>, life: &Life<'_>) -> Option<Candidate> {
    let declared = life.image.all_usage() & usage::STORAGE != 0;
    if !declared || !life.complete || life.uses.storage || !life.uses.rendered {
        return None;
    }
    let amounts = compressible::saved(evidence, life, |image| {
        image.usage &= !usage::STORAGE;
        image.stencil_usage = image.stencil_usage.map(|usage| usage & !usage::STORAGE);
    });
    let what = if life.image.swapchain.is_some() { "Create the swapchain of" } else { "Create" };
    (!amounts.is_empty()).then(|| Candidate {
        worth: Worth::PerGpu(amounts),
        fix: format!("{what} {}, which {} renders to, without usage STORAGE", life.id, life.label),
        why: "its usage STORAGE, which no shader makes use of, keeps the GPU from compressing it".to_string(),
        ..life.candidate()
    })
}
