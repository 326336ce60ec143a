//! Regions of copies, blits, resolves and clears. The 1 and 2/KHR spellings differ in their structs only, so that each
//! region struct is turned into the same [`Region`].

use super::extent3;
use crate::abi;
use ash::vk;
use tbdr_model::frame::{Aspects, BufferRef, BufferRegion, ImageRef, ImageRegion, Region, Side, SubresourceRange};
use tbdr_model::units::Extent3D;

/// The images or buffers of a transfer.
#[derive(Clone, Copy)]
pub enum End {
    /// An image.
    Image(Option<ImageRef>),
    /// A buffer.
    Buffer(Option<BufferRef>),
    /// Memory of the application.
    Host,
}

/// Texels of an image.
pub fn image_side(end: End, sub: vk::ImageSubresourceLayers, offset: vk::Offset3D, extent: Extent3D) -> Side {
    Side::Image(ImageRegion {
        image: match end {
            End::Image(image) => image,
            End::Buffer(_) | End::Host => None,
        },
        aspects: Aspects(sub.aspect_mask.as_raw()),
        mip: sub.mip_level,
        base_layer: sub.base_array_layer,
        layers: sub.layer_count,
        offset: [offset.x, offset.y, offset.z],
        extent,
    })
}

/// Bytes of a buffer; `None` where they follow from the texels on the other side.
pub fn buffer_side(end: End, offset: u64, bytes: Option<u64>) -> Side {
    let buffer = match end {
        End::Buffer(buffer) => buffer,
        End::Image(_) | End::Host => None,
    };
    Side::Buffer(BufferRegion { buffer, offset, bytes })
}

/// A region struct of Vulkan.
pub trait ToRegion {
    /// The model's region between `src` and `dst`.
    fn region(&self, src: End, dst: End) -> Region;
}

macro_rules! regions {
    ($($ty:ty),+ => |$r:ident, $src:ident, $dst:ident| $body:expr) => {
        $(impl ToRegion for $ty {
            fn region(&self, $src: End, $dst: End) -> Region {
                let $r = self;
                let (src, dst) = $body;
                // The host's side is memory that Vulkan has no object for.
                let side = |end, side| (!matches!(end, End::Host)).then_some(side);
                Region { src: side($src, src), dst: side($dst, dst) }
            }
        })+
    };
}

regions!(vk::BufferCopy, vk::BufferCopy2<'_> => |r, src, dst| (
    buffer_side(src, r.src_offset, Some(r.size)),
    buffer_side(dst, r.dst_offset, Some(r.size)),
));

regions!(vk::ImageCopy, vk::ImageCopy2<'_>, vk::ImageResolve, vk::ImageResolve2<'_> => |r, src, dst| (
    image_side(src, r.src_subresource, r.src_offset, extent3(r.extent)),
    image_side(dst, r.dst_subresource, r.dst_offset, extent3(r.extent)),
));

regions!(vk::ImageBlit, vk::ImageBlit2<'_> => |r, src, dst| {
    let side = |end, sub, [a, b]: [vk::Offset3D; 2]| {
        let low = vk::Offset3D { x: a.x.min(b.x), y: a.y.min(b.y), z: a.z.min(b.z) };
        let extent = Extent3D { width: a.x.abs_diff(b.x), height: a.y.abs_diff(b.y), depth: a.z.abs_diff(b.z) };
        image_side(end, sub, low, extent)
    };
    (side(src, r.src_subresource, r.src_offsets), side(dst, r.dst_subresource, r.dst_offsets))
});

regions!(vk::BufferImageCopy, vk::BufferImageCopy2<'_> => |r, src, dst| {
    let side = |end| match end {
        End::Image(_) => image_side(end, r.image_subresource, r.image_offset, extent3(r.image_extent)),
        End::Buffer(_) | End::Host => buffer_side(end, r.buffer_offset, None),
    };
    (side(src), side(dst))
});

regions!(vk::MemoryToImageCopyEXT<'_>, vk::ImageToMemoryCopyEXT<'_>, abi::DeviceMemoryImageCopy => |r, src, dst| {
    let side = |end| match end {
        End::Image(_) => image_side(end, r.image_subresource, r.image_offset, extent3(r.image_extent)),
        End::Buffer(_) | End::Host => buffer_side(end, 0, None),
    };
    (side(src), side(dst))
});

regions!(abi::DeviceMemoryCopy => |r, src, dst| (
    buffer_side(src, 0, Some(r.src.size)),
    buffer_side(dst, 0, Some(r.dst.size)),
));

/// The regions of a clear: one per mip level of each range.
pub fn clear_regions(
    image: Option<ImageRef>,
    created: Option<&tbdr_model::frame::Image>,
    ranges: &[SubresourceRange],
) -> Vec<Region> {
    // A hostile range cannot make the list longer than an image can have mip levels.
    const MOST_MIPS: u32 = 32;
    let mut regions = Vec::new();
    for range in ranges {
        for mip in range.base_mip..range.base_mip.saturating_add(range.mips.min(MOST_MIPS)) {
            regions.push(Region {
                src: None,
                dst: Some(Side::Image(ImageRegion {
                    image,
                    aspects: range.aspects,
                    mip,
                    base_layer: range.base_layer,
                    layers: range.layers,
                    offset: [0; 3],
                    extent: created.map_or_else(Extent3D::default, |c| c.extent.mip(mip)),
                })),
            });
        }
    }
    regions
}
