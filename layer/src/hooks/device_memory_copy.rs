//! Copies, fills and updates of memory by its address, query results and markers: what moves is known, which buffer it belongs to is not.

use super::command;
use super::transfer::{Object, copy, push};
use crate::abi::{self, slice};
use crate::dispatch::devices::Device;
use crate::record::CommandBuffer;
use crate::translate::image::{buffer_number, number};
use crate::translate::transfer::{End, buffer_side};
use ash::vk;
use std::ffi::c_void;
use tbdr_model::frame::{
    AccessKind, Aspects, BufferRef, ImageAccess, Region, ShaderAccess, SubresourceRange, TransferKind,
};

const ANYWHERE: Object = Object::Buffer(vk::Buffer::null());

command! {
    /// vkCmdCopyMemoryKHR.
    cmd_copy_memory(info: *const c_void) |device, state| {
        // SAFETY: the argument of the call in progress, and its array.
        let regions = unsafe {
            let info = &*info.cast::<abi::CopyDeviceMemoryInfo>();
            slice(info.regions, info.region_count)
        };
        copy(device, state, TransferKind::CopyBuffer, (ANYWHERE, ANYWHERE), regions);
    }
}

command! {
    /// vkCmdCopyMemoryToImageKHR.
    cmd_copy_memory_to_image(info: *const c_void) |device, state| {
        // SAFETY: the argument of the call in progress, and its array.
        let (image, regions) = unsafe { image_regions(info) };
        copy(device, state, TransferKind::CopyBufferToImage, (ANYWHERE, image), regions);
    }
}

command! {
    /// vkCmdCopyImageToMemoryKHR.
    cmd_copy_image_to_memory(info: *const c_void) |device, state| {
        // SAFETY: the argument of the call in progress, and its array.
        let (image, regions) = unsafe { image_regions(info) };
        copy(device, state, TransferKind::CopyImageToBuffer, (image, ANYWHERE), regions);
    }
}

/// The image and regions of a VkCopyDeviceMemoryImageInfoKHR.
///
/// # Safety
/// `info` is a valid one, whose array lives as long as the result.
unsafe fn image_regions<'a>(info: *const c_void) -> (Object, &'a [abi::DeviceMemoryImageCopy]) {
    // SAFETY: by the caller's promise.
    unsafe {
        let info = &*info.cast::<abi::CopyDeviceMemoryImageInfo>();
        (Object::Image(info.image), slice(info.regions, info.region_count))
    }
}

command! {
    /// vkCmdFillMemoryKHR.
    cmd_fill_memory(range: *const abi::DeviceAddressRange, flags: u32, data: u32) |device, state| {
        // SAFETY: the argument of the call in progress.
        let size = unsafe { (*range).size };
        write(state, TransferKind::FillBuffer, None, 0, Some(size));
    }
}

command! {
    /// vkCmdUpdateMemoryKHR.
    cmd_update_memory(
        range: *const abi::DeviceAddressRange,
        flags: u32,
        size: vk::DeviceSize,
        data: *const c_void,
    ) |device, state| write(state, TransferKind::UpdateBuffer, None, 0, Some(size))
}

command! {
    /// vkCmdWriteMarkerToMemoryAMD.
    cmd_write_marker_to_memory(info: *const c_void) |device, state| {
        write(state, TransferKind::WriteMarker, None, 0, Some(abi::MARKER_BYTES));
    }
}

command! {
    /// vkCmdWriteBufferMarkerAMD.
    cmd_write_buffer_marker(
        stage: vk::PipelineStageFlags,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        marker: u32,
    ) |device, state| marker_in(device, state, buffer, offset)
}

command! {
    /// vkCmdWriteBufferMarker2AMD.
    cmd_write_buffer_marker2(
        stage: vk::PipelineStageFlags2,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        marker: u32,
    ) |device, state| marker_in(device, state, buffer, offset)
}

fn marker_in(device: &Device, state: &mut CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize) {
    let buffer = buffer_number(&device.recorder.objects, state.recording(), buffer);
    write(state, TransferKind::WriteMarker, buffer, offset, Some(abi::MARKER_BYTES));
}

command! {
    /// vkCmdCopyQueryPoolResults.
    cmd_copy_query_pool_results(
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) |device, state| {
        let buffer = buffer_number(&device.recorder.objects, state.recording(), buffer);
        write(state, TransferKind::CopyQueryResults, buffer, offset, results(count, stride));
    }
}

command! {
    /// vkCmdCopyQueryPoolResultsToMemoryKHR.
    cmd_copy_query_pool_results_to_memory(
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        range: *const abi::StridedDeviceAddressRange,
        range_flags: u32,
        flags: vk::QueryResultFlags,
    ) |device, state| {
        // SAFETY: the argument of the call in progress.
        let stride = unsafe { (*range).stride };
        write(state, TransferKind::CopyQueryResults, None, 0, results(count, stride));
    }
}

/// The most bytes that the results of so many queries take; `None` without a stride, where it depends on the kind of query.
fn results(count: u32, stride: vk::DeviceSize) -> Option<u64> {
    (stride > 0 || count == 0).then(|| stride.saturating_mul(u64::from(count)))
}

/// Bytes that are written and come from no buffer or image.
fn write(state: &mut CommandBuffer, kind: TransferKind, buffer: Option<BufferRef>, offset: u64, bytes: Option<u64>) {
    push(state, kind, vec![Region { src: None, dst: Some(buffer_side(End::Buffer(buffer), offset, bytes)) }]);
}

command! {
    /// vkCmdCopyMemoryToImageIndirectNV.
    cmd_copy_memory_to_image_indirect_nv(
        address: vk::DeviceAddress,
        count: u32,
        stride: u32,
        image: vk::Image,
        layout: vk::ImageLayout,
        subresources: *const vk::ImageSubresourceLayers,
    ) |device, state| {
        // SAFETY: an array of the call in progress.
        let subresources = unsafe { slice(subresources, count) };
        written_somewhere(device, state, "vkCmdCopyMemoryToImageIndirectNV", image, subresources);
    }
}

command! {
    /// vkCmdCopyMemoryToImageIndirectKHR.
    cmd_copy_memory_to_image_indirect(info: *const c_void) |device, state| {
        // SAFETY: the argument of the call in progress, and its array.
        let (info, subresources) = unsafe {
            let info = &*info.cast::<abi::CopyMemoryToImageIndirectInfo>();
            (info, slice(info.subresources, info.copy_count))
        };
        written_somewhere(device, state, "vkCmdCopyMemoryToImageIndirectKHR", info.dst_image, subresources);
    }
}

/// The subresources are known, the regions only to the GPU.
fn written_somewhere(
    device: &Device,
    state: &mut CommandBuffer,
    command: &'static str,
    image: vk::Image,
    subresources: &[vk::ImageSubresourceLayers],
) {
    let recording = state.recording();
    let image = number(&device.recorder.objects, recording, image);
    let known = image.and_then(|i| recording.images.get(i.0 as usize)).cloned();
    let access = |s: &vk::ImageSubresourceLayers| {
        let range = SubresourceRange {
            aspects: Aspects(s.aspect_mask.as_raw()),
            base_mip: s.mip_level,
            mips: 1,
            base_layer: s.base_array_layer,
            layers: s.layer_count,
        };
        let range = known.as_ref().map_or(range, |image| image.resolve(range));
        ImageAccess { image, range, kind: AccessKind::Write, ..ImageAccess::default() }
    };
    let mut images: Vec<_> = subresources.iter().map(access).collect();
    images.sort_unstable();
    images.dedup();
    state.opaque(command, ShaderAccess::exactly(images));
}
