//! TL406.

use super::{Candidate, Evidence, Life, Worth, compressible, rule};
use crate::format::{self, Info, Numeric};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An attachment whose format a GPU does not compress, where it would compress another one that takes no more bytes and holds the
    /// same channels, with less range or precision.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Compression is made for formats: before Mali-G77 AFBC knows 8-bit and 10-bit normalised colours, 16-bit and 24-bit depth, and no
    /// floating point. Every load and store of any other format moves all of its bytes.
    ///
    /// ## Bad
    /// `R16G16B16A16_SFLOAT` for a target that ends up in 10 bits anyway, on a Mali-G78.
    ///
    /// ## Good
    /// `B10G11R11_UFLOAT_PACK32`; before Mali-G77 `A2B10G10R10_UNORM_PACK32`.
    ///
    /// ## How much
    /// 48 % of the bytes that passes load and store of it as it is, as for TL404: an estimate, since it depends on what is on screen. That the
    /// other format may take fewer bytes to begin with is not counted.
    ///
    /// ## When to ignore
    /// If the range or the precision is needed: what the values are is not recorded. The advice names what the other format lacks.
    ///
    /// ## Known limits
    /// Silent for integers and other formats that have no such neighbour; for depth, which counters of a Mali-G76 show compressed in 32 bits; for swapchains, whose surface decides; for images that are
    /// copied, resolved, multisampled or storage images, whose format something else depends on; where something else rules compression
    /// out as well (TL404 and TL405 then speak first) and where it is not known whether the GPU compresses the format.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/afbc: the formats before Mali-G77. Mesa 25.0.7, src/panfrost/lib/pan_afbc.c and
    /// src/freedreno/vulkan/tu_image.cc.
    FORMAT_NOT_COMPRESSIBLE {
        code: "TL406",
        name: "format-not-compressible",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

/// Formats with others that may take their place, the nearest first.
const NEIGHBOURS: &[(&str, &[&str])] = &[
    ("B10G11R11_UFLOAT_PACK32", &["A2B10G10R10_UNORM_PACK32"]),
    ("R16G16B16A16_SFLOAT", &["B10G11R11_UFLOAT_PACK32", "A2B10G10R10_UNORM_PACK32"]),
    ("R16G16B16A16_SNORM", &["A2B10G10R10_UNORM_PACK32"]),
    ("R16G16B16A16_UNORM", &["A2B10G10R10_UNORM_PACK32"]),
    ("R16G16_SFLOAT", &["A2B10G10R10_UNORM_PACK32"]),
    ("R16G16_SNORM", &["A2B10G10R10_UNORM_PACK32"]),
    ("R16G16_UNORM", &["A2B10G10R10_UNORM_PACK32"]),
    ("R32G32B32A32_SFLOAT", &["R16G16B16A16_SFLOAT", "B10G11R11_UFLOAT_PACK32", "A2B10G10R10_UNORM_PACK32"]),
    ("R32G32_SFLOAT", &["R16G16_SFLOAT", "A2B10G10R10_UNORM_PACK32"]),
    ("R8G8B8A8_SNORM", &["R8G8B8A8_UNORM"]),
    ("R8G8_SNORM", &["R8G8_UNORM"]),
];

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    evidence.lives.iter().flat_map(|life| candidates(evidence, life)).collect()
}

/// One for each neighbour, with the GPUs that compress it and none before it.
fn candidates(evidence: &Evidence<'_>, life: &Life<'_>) -> Vec<Candidate> {
    let (own, uses) = (life.image.format, life.uses);
    let tied = uses.transferred || uses.resolves || uses.storage || life.image.samples > 1;
    let shown_as_it_is = life.places.iter().all(|place| {
        let structure = evidence.structures.get(&place.structure);
        structure.and_then(|s| s.attachment(place.pass, place.attachment)).is_some_and(|a| a.format == own)
    });
    if !life.complete || !uses.rendered || tied || !shown_as_it_is || life.image.swapchain.is_some() {
        return Vec::new();
    }
    let Some(known) = format::info(own) else { return Vec::new() };
    let neighbours = NEIGHBOURS.iter().find(|(name, _)| *name == known.name).map_or(&[][..], |(_, others)| others);
    let mut spoken_for: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::new();
    for other in neighbours.iter().filter_map(|name| format::by_name(name)) {
        let mut amounts = compressible::saved(evidence, life, |image| image.format = other.format);
        amounts.retain(|gpu, _| spoken_for.insert(gpu.clone()));
        if amounts.is_empty() {
            continue;
        }
        found.push(Candidate {
            gpus: Some(amounts.keys().cloned().collect()),
            worth: Worth::PerGpu(amounts),
            fix: format!(
                "Create {}, which {} renders to, as {}, if {} will do",
                life.id,
                life.label,
                other.name,
                less(known, other)
            ),
            why: format!("{} is not among the formats that the GPU compresses", known.name),
            ..life.candidate()
        });
    }
    found
}

/// What the values must do with in `to` that they need not in `from`.
fn less(from: &Info, to: &Info) -> String {
    let bits = |info: &Info| info.components.iter().filter(|c| c.name != "A").map(|c| c.bits).min();
    let numeric = |info: &Info| info.components.first().map(|c| c.numeric);
    let alpha = |info: &Info| info.component("A").map(|c| c.bits);
    let signed = |info: &Info| matches!(numeric(info), Some(Numeric::Sfloat | Numeric::Snorm));
    let float = |info: &Info| matches!(numeric(info), Some(Numeric::Sfloat | Numeric::Ufloat));
    let mut words = Vec::new();
    if bits(to) < bits(from) {
        words.push(format!("{} bits", bits(to).unwrap_or_default()));
    }
    match (alpha(from), alpha(to)) {
        (Some(_), None) => words.push("no alpha".to_string()),
        (Some(was), Some(is)) if is < was && Some(is) != bits(to) => words.push(format!("{is} bits of alpha")),
        _ => {}
    }
    if float(from) && !float(to) || signed(from) && !signed(to) && !float(to) {
        words.push("values from 0 to 1".to_string());
    } else if signed(from) && !signed(to) {
        words.push("no sign".to_string());
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> &'static Info {
        format::by_name(name).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn a_neighbour_takes_no_more_bytes_and_has_the_same_aspects_and_channels() {
        for (name, others) in NEIGHBOURS {
            let own = named(name);
            for other in others.iter().map(|name| named(name)) {
                assert!(other.block_bytes <= own.block_bytes, "{name} {}", other.name);
                assert_eq!(other.aspects(), own.aspects(), "{name} {}", other.name);
                let held = |channel: &str| channel == "A" || other.component(channel).is_some();
                assert!(own.components.iter().all(|c| held(c.name)), "{name} {}", other.name);
                assert!(!less(own, other).is_empty(), "{name} {}", other.name);
            }
        }
    }

    #[test]
    fn what_is_lost_is_named() {
        let of = |from, to| less(named(from), named(to));
        assert_eq!(of("R16G16B16A16_SFLOAT", "B10G11R11_UFLOAT_PACK32"), "10 bits, no alpha, no sign");
        assert_eq!(of("R16G16B16A16_UNORM", "A2B10G10R10_UNORM_PACK32"), "10 bits, 2 bits of alpha");
        assert_eq!(of("R32G32_SFLOAT", "R16G16_SFLOAT"), "16 bits");
        assert_eq!(of("R8G8_SNORM", "R8G8_UNORM"), "values from 0 to 1");
        assert_eq!(of("B10G11R11_UFLOAT_PACK32", "A2B10G10R10_UNORM_PACK32"), "values from 0 to 1");
    }
}
