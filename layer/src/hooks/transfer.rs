//! Copies, blits, resolves, clears, fills and updates, in their 1 and 2/KHR spellings.

use super::command;
use crate::abi::slice;
use crate::dispatch::devices::Device;
use crate::record::CommandBuffer;
use crate::translate::image::{buffer_number, number};
use crate::translate::transfer::{End, ToRegion, buffer_side, clear_regions};
use crate::translate::{range, rect};
use ash::vk;
use tbdr_model::frame::{Aspects, ClearAttachment, REMAINING, Region, Side, Transfer, TransferKind};

/// One end of a copy.
#[derive(Clone, Copy)]
pub(super) enum Object {
    /// An image.
    Image(vk::Image),
    /// A buffer.
    Buffer(vk::Buffer),
    /// Memory of the application.
    Host,
}

/// Records a copy, blit or resolve.
pub(super) fn copy<R: ToRegion>(
    device: &Device,
    state: &mut CommandBuffer,
    kind: TransferKind,
    (src, dst): (Object, Object),
    regions: &[R],
) {
    let objects = &device.recorder.objects;
    let mut end = |object| match object {
        Object::Image(image) => End::Image(number(objects, state.recording(), image)),
        Object::Buffer(buffer) => End::Buffer(buffer_number(objects, state.recording(), buffer)),
        Object::Host => End::Host,
    };
    let (src, dst) = (end(src), end(dst));
    let mut regions: Vec<Region> = regions.iter().map(|r| r.region(src, dst)).collect();
    resolve_layers(state, &mut regions);
    push(state, kind, regions);
}

/// VK_REMAINING_ARRAY_LAYERS in copies (maintenance5) against the image.
fn resolve_layers(state: &mut CommandBuffer, regions: &mut [Region]) {
    let images = &state.recording().images;
    for side in regions.iter_mut().flat_map(|r| [&mut r.src, &mut r.dst]).flatten() {
        if let Side::Image(side) = side {
            if let Some(image) = side.image.filter(|_| side.layers == REMAINING).and_then(|i| images.get(i.0 as usize))
            {
                side.layers = image.created.layers.saturating_sub(side.base_layer);
            }
        }
    }
}

/// Records a transfer.
pub(super) fn push(state: &mut CommandBuffer, kind: TransferKind, regions: Vec<Region>) {
    state.transfer(Transfer { labels: Vec::new(), kind, regions });
}

macro_rules! copies {
    ($($first:ident, $second:ident: $kind:ident, $src:ident $src_ty:ident -> $dst:ident $dst_ty:ident, ($($arg:ident: $ty:ty),*), $count:ident $regions:ident, $info:ident, $src_field:ident, $dst_field:ident;)+) => {$(
        command! {
            #[doc = concat!("The 1 spelling of `", stringify!($kind), "`.")]
            $first($($arg: $ty),*) |device, state| {
                // SAFETY: an array of the call in progress.
                let items = unsafe { slice($regions, $count) };
                copy(device, state, TransferKind::$kind, (Object::$src_ty($src), Object::$dst_ty($dst)), items);
            }
        }

        command! {
            #[doc = concat!("The 2 spelling of `", stringify!($kind), "`.")]
            $second(info: *const vk::$info<'_>) |device, state| {
                // SAFETY: the argument of the call in progress, and its array.
                let (info, regions) = unsafe { (&*info, slice((*info).p_regions, (*info).region_count)) };
                let ends = (Object::$src_ty(info.$src_field), Object::$dst_ty(info.$dst_field));
                copy(device, state, TransferKind::$kind, ends, regions);
            }
        }
    )+};
}

copies! {
    cmd_copy_buffer, cmd_copy_buffer2: CopyBuffer, src Buffer -> dst Buffer,
        (src: vk::Buffer, dst: vk::Buffer, count: u32, regions: *const vk::BufferCopy), count regions, CopyBufferInfo2, src_buffer, dst_buffer;
    cmd_copy_image, cmd_copy_image2: CopyImage, src Image -> dst Image,
        (src: vk::Image, src_layout: vk::ImageLayout, dst: vk::Image, dst_layout: vk::ImageLayout, count: u32, regions: *const vk::ImageCopy), count regions, CopyImageInfo2, src_image, dst_image;
    cmd_copy_buffer_to_image, cmd_copy_buffer_to_image2: CopyBufferToImage, src Buffer -> dst Image,
        (src: vk::Buffer, dst: vk::Image, dst_layout: vk::ImageLayout, count: u32, regions: *const vk::BufferImageCopy), count regions, CopyBufferToImageInfo2, src_buffer, dst_image;
    cmd_copy_image_to_buffer, cmd_copy_image_to_buffer2: CopyImageToBuffer, src Image -> dst Buffer,
        (src: vk::Image, src_layout: vk::ImageLayout, dst: vk::Buffer, count: u32, regions: *const vk::BufferImageCopy), count regions, CopyImageToBufferInfo2, src_image, dst_buffer;
    cmd_blit_image, cmd_blit_image2: Blit, src Image -> dst Image,
        (src: vk::Image, src_layout: vk::ImageLayout, dst: vk::Image, dst_layout: vk::ImageLayout, count: u32, regions: *const vk::ImageBlit, filter: vk::Filter), count regions, BlitImageInfo2, src_image, dst_image;
    cmd_resolve_image, cmd_resolve_image2: Resolve, src Image -> dst Image,
        (src: vk::Image, src_layout: vk::ImageLayout, dst: vk::Image, dst_layout: vk::ImageLayout, count: u32, regions: *const vk::ImageResolve), count regions, ResolveImageInfo2, src_image, dst_image;
}

fn clear(
    device: &Device,
    state: &mut CommandBuffer,
    kind: TransferKind,
    image: vk::Image,
    ranges: &[vk::ImageSubresourceRange],
) {
    let recording = state.recording();
    let image = number(&device.recorder.objects, recording, image);
    let known = image.and_then(|i| recording.images.get(i.0 as usize)).cloned();
    let ranges: Vec<_> =
        ranges.iter().map(|r| known.as_ref().map_or_else(|| range(r), |image| image.resolve(range(r)))).collect();
    let regions = clear_regions(image, known.as_ref().map(|k| &k.created), &ranges);
    push(state, kind, regions);
}

command! {
    /// vkCmdClearColorImage.
    cmd_clear_color_image(
        image: vk::Image,
        layout: vk::ImageLayout,
        value: *const vk::ClearColorValue,
        count: u32,
        ranges: *const vk::ImageSubresourceRange,
    ) |device, state| {
        // SAFETY: an array of the call in progress.
        clear(device, state, TransferKind::ClearColor, image, unsafe { slice(ranges, count) });
    }
}

command! {
    /// vkCmdClearDepthStencilImage.
    cmd_clear_depth_stencil_image(
        image: vk::Image,
        layout: vk::ImageLayout,
        value: *const vk::ClearDepthStencilValue,
        count: u32,
        ranges: *const vk::ImageSubresourceRange,
    ) |device, state| {
        // SAFETY: an array of the call in progress.
        clear(device, state, TransferKind::ClearDepthStencil, image, unsafe { slice(ranges, count) });
    }
}

command! {
    /// vkCmdClearAttachments.
    cmd_clear_attachments(
        count: u32,
        attachments: *const vk::ClearAttachment,
        rect_count: u32,
        rects: *const vk::ClearRect,
    ) |device, state| {
        // SAFETY: arrays of the call in progress.
        let (attachments, rects) = unsafe { (slice(attachments, count), slice(rects, rect_count)) };
        let rects: Vec<_> = rects.iter().map(|r| (rect(r.rect), r.base_array_layer, r.layer_count)).collect();
        let clears = attachments.iter().map(|a| ClearAttachment {
            aspects: Aspects(a.aspect_mask.as_raw()),
            slot: a.color_attachment,
            rects: rects.clone(),
            ..ClearAttachment::default()
        });
        state.clear_attachments(clears.collect());
    }
}

command! {
    /// vkCmdFillBuffer.
    cmd_fill_buffer(buffer: vk::Buffer, offset: vk::DeviceSize, size: vk::DeviceSize, data: u32) |device, state| {
        fill(device, state, TransferKind::FillBuffer, buffer, offset, size);
    }
}

command! {
    /// vkCmdUpdateBuffer.
    cmd_update_buffer(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        data: *const std::ffi::c_void,
    ) |device, state| fill(device, state, TransferKind::UpdateBuffer, buffer, offset, size)
}

fn fill(device: &Device, state: &mut CommandBuffer, kind: TransferKind, buffer: vk::Buffer, offset: u64, size: u64) {
    let recording = state.recording();
    let buffer = buffer_number(&device.recorder.objects, recording, buffer);
    let whole = || {
        // VK_WHOLE_SIZE fills a multiple of four bytes.
        let known = recording.buffers.get(buffer?.0 as usize)?;
        Some(known.created.size.saturating_sub(offset) & !3)
    };
    let bytes = if size == vk::WHOLE_SIZE { whole() } else { Some(size) };
    let dst = Some(buffer_side(End::Buffer(buffer), offset, bytes));
    push(state, kind, vec![Region { src: None, dst }]);
}
