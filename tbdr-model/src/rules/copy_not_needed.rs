//! TL017.

use super::timeline::Timeline;
use super::{Candidate, Evidence, Level, Structure, rule};
use crate::frame::{HOST_QUEUE, ImageRef, ImageRegion, Side, Transfer, TransferKind, usage};
use crate::graph::liveness::{CopyReader, Fate, Site};
use crate::graph::{Maker, Reader, access};
use crate::whatif::Edit;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `vkCmdCopyImage` of a whole image whose copy is only read while the source still holds the same, or by nobody: a grab pass, a
    /// copy of depth for soft particles.
    ///
    /// ## Why it costs on a tile-based GPU
    /// The copy reads the image from DRAM and writes it again, beside the store before and the reads after.
    ///
    /// ## Bad
    /// A copy of the depth attachment that a later pass samples while it does not render to depth, or only tests it.
    ///
    /// ## Good
    /// The image itself, in a layout for reading; a pass that tests and samples depth at a time uses a read-only depth layout.
    ///
    /// ## How much
    /// One read and one write of the image per copy.
    ///
    /// ## When to ignore
    /// If the copy keeps the source free for the next frame: then dropping it makes the next frame wait for the readers. Where the copy is read in a
    /// later frame than its own the level is `info`.
    ///
    /// ## Known limits
    /// Speaks of copies of one region that is all of both images, which have one mip level and agree in format, samples, layers and
    /// flags, if the copy can be an attachment (what shaders read of other images is not recorded) and the source may be sampled. Silent if a
    /// reader renders to the source in the same pass, unless it does not write it and stores NONE; if the copy is loaded, read as
    /// input attachment or presented; for sources that are presented, that several queues use or that others may reach unseen.
    ///
    /// ## References
    /// Arm GPU Best Practices Developer Guide, "Render passes". Vulkan specification, "Copying Data Between Images".
    COPY_NOT_NEEDED {
        code: "TL017",
        name: "copy-not-needed",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut timelines: BTreeMap<u32, Timeline<'_, '_>> = BTreeMap::new();
    evidence.written().filter_map(|sites| candidate(evidence, sites, &mut timelines)).collect()
}

fn candidate<'e, 'a>(
    evidence: &'e Evidence<'a>,
    sites: &[(Site, &Fate)],
    timelines: &mut BTreeMap<u32, Timeline<'e, 'a>>,
) -> Option<Candidate> {
    if sites.iter().any(|(_, fate)| fate.needed > 0) {
        return None;
    }
    let mut candidate: Option<Candidate> = None;
    for (site, fate) in sites.iter().filter(|(_, fate)| fate.dead.count() > 0 || !fate.copies.is_empty()) {
        let structure = evidence.structures.get(&site.structure)?;
        let (source, copy) = whole(structure, structure.whole.transfers.get(site.pass as usize)?)?;
        let readers: BTreeSet<CopyReader> = fate.copies.keys().flatten().copied().collect();
        let timeline = timelines.entry(site.structure).or_insert_with(|| Timeline::new(structure));
        let queue = timeline.transfer(site.pass).find(|a| matches!(a.by, Maker::Transfer(_)))?.queue;
        let alone = [source, copy].iter().all(|image| evidence.is_alone(site.structure, *image, queue));
        if queue == HOST_QUEUE || !alone || !can_be_read(structure, source, &readers) {
            return None;
        }
        let candidate = candidate.get_or_insert_with(|| Candidate {
            attachment: Some(structure.image_id(copy).to_string()),
            fix: fix(structure, site.structure, source, copy, &readers),
            why: "the copy is read only while its source holds the same".to_string(),
            ..Candidate::default()
        });
        if readers.is_empty() && candidate.instances.is_empty() {
            candidate.why = "nobody reads the copy".to_string();
        }
        if readers.iter().any(|reader| reader.later) {
            candidate.level = Some(Level::Info);
        }
        let instance = candidate.instances.entry(site.structure).or_default();
        instance.edits.push(Edit::DropTransfer { transfer: site.pass });
        candidate.frames.extend(&fate.dead);
        fate.copies.values().for_each(|frames| candidate.frames.extend(frames));
    }
    candidate
}

/// VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT: views may show other formats.
const MUTABLE: u32 = 0x8;

/// Source and copy, if the copy is all of one image, and a view of the one could be a view of the other.
fn whole(structure: &Structure<'_>, transfer: &Transfer) -> Option<(ImageRef, ImageRef)> {
    let [region] = transfer.regions.as_slice() else { return None };
    let (Some(Side::Image(from)), Some(Side::Image(to))) = (&region.src, &region.dst) else { return None };
    let (source, copy) = (from.image?, to.image?);
    let image = |at: ImageRef| structure.frame.images.get(at.0 as usize);
    let (a, b) = (image(source)?, image(copy)?);
    let all = |side: &ImageRegion, image: &crate::frame::Image| {
        side.mip == 0
            && side.base_layer == 0
            && side.layers == image.layers
            && side.offset == [0; 3]
            && side.extent == image.extent
            && image.mips == 1
            && side.aspects.contains(access::aspects_of(image))
    };
    let alike = (a.format, a.samples, a.dimension, a.flags) == (b.format, b.samples, b.dimension, b.flags);
    let plain = transfer.kind == TransferKind::CopyImage && source != copy && a.flags & MUTABLE == 0;
    (plain && alike && all(from, a) && all(to, b)).then_some((source, copy))
}

/// Whether these readers of a copy could read its source.
fn can_be_read(structure: &Structure<'_>, source: ImageRef, readers: &BTreeSet<CopyReader>) -> bool {
    let Some(image) = structure.frame.images.get(source.0 as usize) else { return false };
    let outputs = structure.frame.early_outputs.iter().chain(&structure.frame.outputs);
    let leaves = image.swapchain.is_some() || outputs.map(|output| output.image).any(|image| image == source);
    let by_shaders = readers.iter().any(|reader| !matches!(reader.reader, Reader::Transfer(_)));
    let stencil = image.stencil_usage.unwrap_or(image.usage);
    let sampled = image.usage & stencil & usage::SAMPLED != 0;
    readers.is_empty() || !leaves && (sampled || !by_shaders)
}

fn fix(
    structure: &Structure<'_>,
    number: u32,
    source: ImageRef,
    copy: ImageRef,
    readers: &BTreeSet<CopyReader>,
) -> String {
    let (source, copy) = (structure.image_id(source), structure.image_id(copy));
    if readers.is_empty() {
        return format!("Drop vkCmdCopyImage to {copy}");
    }
    let named = readers.iter().filter_map(|reader| match reader.reader {
        Reader::Pass(pass) if reader.structure == number => Some(structure.pass_label(pass)),
        _ => None,
    });
    let named: BTreeSet<&str> = named.collect();
    let place = match named.len() {
        0 => String::new(),
        1 => named.first().map(|label| format!(" in {label}")).unwrap_or_default(),
        more => named.first().map(|label| format!(" in {label} and {} more", more - 1)).unwrap_or_default(),
    };
    format!("Read {source} itself instead of {copy}{place}, in a layout for reading, and drop vkCmdCopyImage")
}
