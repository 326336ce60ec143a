//! TL409.

use super::{Candidate, Evidence, Life, Worth, compressible, rule};
use crate::format;
use crate::frame::{Image, ImageCompression, usage};
use crate::gpu::compression::{LINEAR, flags};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An attachment that the driver which ran the program reports as not compressed (VK_EXT_image_compression_control), though the program did not
    /// ask for that and nothing known of the GPU rules it out; or as compressed at another fixed rate than the program asked for.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Every load and store moves all bytes of an image that is not compressed. Drivers decide when the image is created, by more than is
    /// documented: here the driver itself says what it has decided.
    ///
    /// ## Bad
    /// A fixed rate of 2 bits that the device does not have for the format: the request is no error, and the image is stored as if nothing had been
    /// asked.
    ///
    /// ## Good
    /// A rate, a usage and flags for which vkGetPhysicalDeviceImageFormatProperties2 promises compression (VkImageCompressionPropertiesEXT).
    ///
    /// ## How much
    /// At most 48 % of the bytes that passes load and store of it, as for TL404, on the GPU that the program ran on; if that is not modelled, on those of its
    /// vendor.
    ///
    /// ## When to ignore
    /// If the driver is known to compress no image at all.
    ///
    /// ## Known limits
    /// Only where the program has enabled the feature `imageCompressionControl` (for swapchains `imageCompressionControlSwapchain`), so that the driver can be
    /// asked. Why it refuses is not known: where it compresses another image of the same format, the advice names what is different. Silent for
    /// GPUs of other vendors, and where usage, flags or format are known to be in the way (TL404, TL405, TL406).
    ///
    /// ## References
    /// Vulkan specification, VK_EXT_image_compression_control. Khronos Vulkan-Samples, performance/image_compression_control.
    COMPRESSION_OFF {
        code: "TL409",
        name: "compression-off",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    evidence.lives.iter().filter_map(|life| candidate(evidence, life)).collect()
}

fn candidate(evidence: &Evidence<'_>, life: &Life<'_>) -> Option<Candidate> {
    let found = life.image.driver_compression.filter(|_| life.uses.rendered)?;
    let asked = life.image.compression_control.unwrap_or_default();
    if asked.flags & ImageCompression::DISABLED != 0 {
        return None;
    }
    let (id, label) = (life.id, life.label);
    let off = found.flags & ImageCompression::DISABLED != 0;
    let (fix, why) = if let Some(wanted) = missed(asked, found) {
        let format = format::name(life.image.format);
        let fix = format!(
            "Ask for a rate of {id}, which {label} renders to, that vkGetPhysicalDeviceImageFormatProperties2 offers for {format} with this usage"
        );
        let is = if off { "does not compress it".to_string() } else { format!("keeps it {}", kind(found)) };
        (fix, format!("the program asked for {wanted}, and the driver {is}"))
    } else if off {
        let fix = match alike(evidence, life) {
            Some((other, different)) => {
                format!("Create {id}, which {label} renders to, as {other} is, {different}, unless something needs it")
            }
            None => format!(
                "Create {id}, which {label} renders to, with a usage and flags for which vkGetPhysicalDeviceImageFormatProperties2 promises \
                 compression"
            ),
        };
        (fix, "the driver says that it does not compress it, though nothing known of the GPU rules it out".to_string())
    } else {
        return None;
    };
    let mut amounts = compressible::at_stake(evidence, life);
    let bears_on = evidence.driven_alike();
    amounts.retain(|gpu, _| bears_on.contains(gpu.as_str()));
    (!amounts.is_empty()).then(|| Candidate { worth: Worth::PerGpu(amounts), fix, why, ..life.candidate() })
}

/// The fixed rate that was asked for, if the driver has not given it.
fn missed(asked: ImageCompression, found: ImageCompression) -> Option<String> {
    let fixed = ImageCompression::FIXED_RATE_DEFAULT | ImageCompression::FIXED_RATE_EXPLICIT;
    if asked.flags & ImageCompression::FIXED_RATE_EXPLICIT != 0 {
        let given = found.flags & fixed != 0 && found.fixed_rates & asked.fixed_rates != 0;
        (asked.fixed_rates != 0 && !given)
            .then(|| format!("a fixed rate of {} bits a component", rates(asked.fixed_rates)))
    } else if asked.flags & ImageCompression::FIXED_RATE_DEFAULT != 0 {
        (found.flags & fixed == 0).then(|| "a fixed rate".to_string())
    } else {
        None
    }
}

fn kind(found: ImageCompression) -> String {
    match found.fixed_rates {
        0 => "without loss".to_string(),
        given => format!("at {} bits", rates(given)),
    }
}

/// Bits per component of VkImageCompressionFixedRateFlagsEXT.
fn rates(mask: u32) -> String {
    let bits = (0..u32::BITS).filter(|bit| mask >> bit & 1 != 0).map(|bit| (bit + 1).to_string());
    bits.collect::<Vec<_>>().join(" or ")
}

/// Another attachment of the same format and samples that the driver compresses, and what the image has that it has not.
fn alike(evidence: &Evidence<'_>, life: &Life<'_>) -> Option<(String, String)> {
    let compressed =
        |image: &Image| image.driver_compression.is_some_and(|c| c.flags & ImageCompression::DISABLED == 0);
    let same = |image: &Image| (image.format, image.samples) == (life.image.format, life.image.samples);
    let mut others = evidence.lives.iter().filter(|other| same(other.image) && compressed(other.image));
    others.find_map(|other| Some((other.id.to_string(), different(life.image, other.image)?)))
}

/// What an image has of what may keep a driver from compressing it, and another has not.
fn different(image: &Image, other: &Image) -> Option<String> {
    let usages = [
        (usage::STORAGE, "without usage STORAGE"),
        (usage::TRANSIENT_ATTACHMENT, "without usage TRANSIENT_ATTACHMENT"),
        (usage::HOST_TRANSFER, "without usage HOST_TRANSFER"),
        (usage::ATTACHMENT_FEEDBACK_LOOP, "without usage ATTACHMENT_FEEDBACK_LOOP"),
        (usage::TRANSFER_DST, "without usage TRANSFER_DST"),
    ];
    let created = [(flags::MUTABLE_FORMAT, "without MUTABLE_FORMAT"), (flags::ALIAS, "without ALIAS")];
    let usage = image.all_usage() & !other.all_usage();
    let own = image.flags & !other.flags;
    let words = usages.iter().filter(|(bit, _)| usage & bit != 0).map(|(_, word)| *word);
    let mut words: Vec<&str> = words.chain(created.iter().filter(|(bit, _)| own & bit != 0).map(|(_, w)| *w)).collect();
    if image.tiling == LINEAR && other.tiling != LINEAR {
        words.push("with tiling OPTIMAL");
    }
    if image.concurrent && !other.concurrent {
        words.push("with sharing mode EXCLUSIVE");
    }
    (!words.is_empty()).then(|| words.join(", "))
}
