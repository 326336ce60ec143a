//! Transfer traffic: copies, blits, resolves, clears, fills and updates, per aspect.
//!
//! A transfer reads its source once and writes its destination once, whatever the GPU. Sizes are those of the regions, in whole
//! blocks. What has no exact size (unknown formats, the colour aspect of multi-planar formats) is undecided.

use super::texels;
use crate::format::{self, Info};
use crate::frame::{
    Aspects, BufferRegion, FrameStructure, Image, ImageRef, ImageRegion, REMAINING, Region, Side, Transfer,
    TransferKind,
};
use crate::identity::Names;
use crate::report::{Basis, Direction, HostCopy, TransferEntry};
use crate::units::Bytes;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The word for a kind of transfer in the report.
pub fn word(kind: TransferKind) -> &'static str {
    match kind {
        TransferKind::CopyImage => "copy_image",
        TransferKind::CopyBufferToImage => "copy_buffer_to_image",
        TransferKind::CopyImageToBuffer => "copy_image_to_buffer",
        TransferKind::CopyBuffer => "copy_buffer",
        TransferKind::Blit => "blit",
        TransferKind::Resolve => "resolve",
        TransferKind::ClearColor => "clear_color",
        TransferKind::ClearDepthStencil => "clear_depth_stencil",
        TransferKind::FillBuffer => "fill_buffer",
        TransferKind::UpdateBuffer => "update_buffer",
        TransferKind::CopyQueryResults => "copy_query_results",
        TransferKind::WriteMarker => "write_marker",
        TransferKind::CopyMemoryToImage => "copy_memory_to_image",
        TransferKind::CopyImageToMemory => "copy_image_to_memory",
    }
}

/// What is moved, before it is summed over the regions: direction, resource, aspect and basis.
type Key = (Direction, String, &'static str, Basis);

/// The entries of a transfer, one per direction, resource, aspect and basis.
pub fn entries(
    frame: &FrameStructure,
    names: &Names,
    transfer: &Transfer,
    index: u32,
    left_out: &mut BTreeSet<String>,
) -> Vec<TransferEntry> {
    let mut sums: BTreeMap<Key, Bytes> = BTreeMap::new();
    for region in &transfer.regions {
        for (side, other, direction) in
            [(&region.src, &region.dst, Direction::Read), (&region.dst, &region.src, Direction::Write)]
        {
            // Tile memory is no DRAM (VK_QCOM_tile_memory_heap).
            let Some(side) = side.as_ref().filter(|side| !is_on_chip(frame, side)) else { continue };
            let mover = Mover { frame, kind: transfer.kind, direction, scaled: is_scaled(transfer.kind, region) };
            for (aspect, bytes) in mover.aspects(side, other.as_ref()) {
                let basis = bytes.map_or(Basis::Undecided, |_| mover.basis(side));
                if basis == Basis::Undecided {
                    left_out.insert(undecided(frame, side, transfer.kind));
                }
                let sum = sums.entry((direction, resource(names, side), aspect, basis)).or_default();
                *sum += bytes.unwrap_or_default();
            }
        }
    }
    let cause = word(transfer.kind);
    let entry = |((direction, resource, aspect, basis), bytes): (Key, Bytes)| TransferEntry {
        transfer: index,
        resource,
        aspect: aspect.into(),
        cause: cause.into(),
        direction,
        bytes,
        basis,
        compressed: None,
    };
    sums.into_iter().filter(|((.., basis), bytes)| bytes.0 > 0 || *basis == Basis::Undecided).map(entry).collect()
}

/// What a transfer of the host reads and writes, images only: the other side is memory of the application.
pub fn host_bytes(
    frame: &FrameStructure,
    names: &Names,
    transfer: &Transfer,
    index: u32,
    left_out: &mut BTreeSet<String>,
) -> HostCopy {
    let mut host = HostCopy::default();
    for entry in entries(frame, names, transfer, index, left_out) {
        match entry.direction {
            Direction::Read => host.read_bytes += entry.bytes,
            Direction::Write => host.write_bytes += entry.bytes,
        }
    }
    host
}

/// Identity of what a side names.
fn resource(names: &Names, side: &Side) -> String {
    let (list, index) = match side {
        Side::Image(region) => (&names.images, region.image.map(|i| i.0)),
        Side::Buffer(region) => (&names.buffers, region.buffer.map(|b| b.0)),
    };
    let unknown = if matches!(side, Side::Image(_)) { "unknown image" } else { "unknown buffer" };
    index.and_then(|i| list.get(i as usize)).cloned().unwrap_or_else(|| unknown.to_string())
}

/// The sentence for a side that has no exact size.
fn undecided(frame: &FrameStructure, side: &Side, kind: TransferKind) -> String {
    let what = match side {
        Side::Image(region) => match image(frame, region.image) {
            Some(image) => format!("images of format {}", format::name(image.format)),
            None => "images that were not recorded".to_string(),
        },
        Side::Buffer(_) => "buffer ranges that were not recorded".to_string(),
    };
    format!("{}: {what}", word(kind))
}

/// Whether a side lies in tile memory.
fn is_on_chip(frame: &FrameStructure, side: &Side) -> bool {
    match side {
        Side::Image(region) => image(frame, region.image).is_some_and(|image| image.memory.on_chip),
        Side::Buffer(region) => {
            let buffer = region.buffer.and_then(|index| frame.buffers.get(usize::try_from(index.0).ok()?));
            buffer.is_some_and(|buffer| buffer.memory.on_chip)
        }
    }
}

fn image(frame: &FrameStructure, index: Option<ImageRef>) -> Option<&Image> {
    frame.images.get(usize::try_from(index?.0).ok()?)
}

/// Whether a blit changes the size.
fn is_scaled(kind: TransferKind, region: &Region) -> bool {
    match (&region.src, &region.dst) {
        (Some(Side::Image(src)), Some(Side::Image(dst))) => kind == TransferKind::Blit && src.extent != dst.extent,
        _ => false,
    }
}

/// One direction of one region.
struct Mover<'a> {
    frame: &'a FrameStructure,
    kind: TransferKind,
    direction: Direction,
    scaled: bool,
}

impl Mover<'_> {
    /// Bytes of each aspect of a side; `None` where they have no exact size.
    fn aspects(&self, side: &Side, other: Option<&Side>) -> Vec<(&'static str, Option<Bytes>)> {
        match side {
            Side::Buffer(region) => alloc::vec![("buffer", self.buffer_bytes(region, other))],
            Side::Image(region) => {
                let Some((image, info)) = self.known(region) else { return alloc::vec![("color", None)] };
                // A copy between formats whose blocks differ moves the blocks of the source, whatever the destination calls them.
                let source = match other {
                    Some(Side::Image(source)) if self.is_copy_written() => {
                        self.known(source).map(|known| (source, known))
                    }
                    _ => None,
                };
                if let Some((source, (image, other))) = source.filter(|(_, (_, other))| other.block != info.block) {
                    let bytes = texels::each(source.aspects).map(|a| image_bytes(source, image, other, a));
                    return alloc::vec![("color", bytes.sum())];
                }
                texels::each(region.aspects).map(|a| (texels::word(a), image_bytes(region, image, info, a))).collect()
            }
        }
    }

    fn is_copy_written(&self) -> bool {
        self.kind == TransferKind::CopyImage && self.direction == Direction::Write
    }

    /// A region's image and format, where both are known.
    fn known(&self, region: &ImageRegion) -> Option<(&Image, &'static Info)> {
        let image = image(self.frame, region.image)?;
        Some((image, format::info(image.format)?))
    }

    /// Bytes of a side that is a buffer.
    fn buffer_bytes(&self, region: &BufferRegion, other: Option<&Side>) -> Option<Bytes> {
        if let Some(bytes) = region.bytes {
            return Some(Bytes(bytes));
        }
        match other {
            Some(Side::Image(texels)) => {
                let (image, info) = self.known(texels)?;
                let blocks = info.blocks(texels.extent).saturating_mul(layers(texels, image));
                texels::each(texels.aspects).map(|aspect| Some(info.buffer_bytes(aspect)? * blocks)).sum()
            }
            Some(Side::Buffer(BufferRegion { bytes: Some(bytes), .. })) => Some(Bytes(*bytes)),
            // How long a result is that has no stride depends on the kind of query.
            _ if self.kind == TransferKind::CopyQueryResults => None,
            // VK_WHOLE_SIZE of a fill.
            _ => {
                let buffer = self.frame.buffers.get(usize::try_from(region.buffer?.0).ok()?)?;
                Some(Bytes(buffer.size.saturating_sub(region.offset)))
            }
        }
    }

    /// How far the bytes of a side may be off.
    fn basis(&self, side: &Side) -> Basis {
        if self.kind == TransferKind::CopyQueryResults {
            return Basis::Bound;
        }
        let Side::Image(region) = side else { return Basis::Exact };
        let packed = self.known(region).is_some_and(|(_, info)| info.packs_depth_stencil());
        let one_aspect = texels::each(region.aspects).count() == 1;
        // A scaled blit reads texels more than once or leaves some out; half of a packed word moves with the other half or not.
        let estimate = (self.scaled && self.direction == Direction::Read) || (packed && one_aspect);
        if estimate { Basis::Estimate } else { Basis::Exact }
    }
}

/// Bytes of one aspect of a region of an image; the region of a plane is given in the plane's own texels.
fn image_bytes(region: &ImageRegion, image: &Image, info: &Info, aspect: Aspects) -> Option<Bytes> {
    let blocks = info.blocks(region.extent);
    Some(info.aspect_bytes(aspect)? * blocks * layers(region, image) * u64::from(image.samples.max(1)))
}

/// Layers of a region.
fn layers(region: &ImageRegion, image: &Image) -> u64 {
    match region.layers {
        REMAINING => u64::from(image.layers.saturating_sub(region.base_layer)),
        layers => u64::from(layers),
    }
}
