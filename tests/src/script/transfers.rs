//! The part of the script that records copies, clears, resolves, barriers and events.

use super::objects::Objects;
use crate::fake::App;
use ash::vk::{self, CommandBuffer};
use std::ptr;

const LAYERS: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};
const SIZE: vk::Extent3D = vk::Extent3D { width: 64, height: 32, depth: 1 };
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

fn range(aspects: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspects)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS)
}

/// Transfer commands of both forms, under each name.
pub(super) fn transfers(app: &App, cb: CommandBuffer, objects: &Objects) {
    let (buffer, image) = (objects.buffer, objects.color.image);
    let region = vk::BufferCopy { src_offset: 0, dst_offset: 4096, size: 256 };
    call!(app, vkCmdCopyBuffer(cb, buffer, buffer, 1, &region));
    let copy = vk::ImageCopy::default().src_subresource(LAYERS).dst_subresource(LAYERS).extent(SIZE);
    call!(app, vkCmdCopyImage(cb, image, GENERAL, image, GENERAL, 1, &copy));
    let corners = [vk::Offset3D::default(), vk::Offset3D { x: 64, y: 32, z: 1 }];
    let blit = vk::ImageBlit::default()
        .src_subresource(LAYERS)
        .src_offsets(corners)
        .dst_subresource(LAYERS)
        .dst_offsets(corners);
    call!(app, vkCmdBlitImage(cb, image, GENERAL, image, GENERAL, 1, &blit, vk::Filter::LINEAR));
    let texels = vk::BufferImageCopy::default().image_subresource(LAYERS).image_extent(SIZE);
    call!(app, vkCmdCopyBufferToImage(cb, buffer, image, GENERAL, 1, &texels));
    call!(app, vkCmdCopyImageToBuffer(cb, image, GENERAL, buffer, 1, &texels));
    let data = [1u32; 4];
    call!(app, vkCmdUpdateBuffer(cb, buffer, 0, 16, data.as_ptr().cast()));
    call!(app, vkCmdFillBuffer(cb, buffer, 0, vk::WHOLE_SIZE, 7));
    let color = range(vk::ImageAspectFlags::COLOR);
    call!(app, vkCmdClearColorImage(cb, image, GENERAL, &vk::ClearColorValue::default(), 1, &color));
    let depth = range(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
    let value = vk::ClearDepthStencilValue::default();
    call!(app, vkCmdClearDepthStencilImage(cb, objects.depth.image, GENERAL, &value, 1, &depth));
    let resolve = vk::ImageResolve::default().src_subresource(LAYERS).dst_subresource(LAYERS).extent(SIZE);
    call!(app, vkCmdResolveImage(cb, objects.multisampled.image, GENERAL, image, GENERAL, 1, &resolve));
    second_form(app, cb, objects);
}

fn second_form(app: &App, cb: CommandBuffer, objects: &Objects) {
    let (buffer, image) = (objects.buffer, objects.color.image);
    let regions = [vk::BufferCopy2::default().size(256).dst_offset(4096)];
    let info = vk::CopyBufferInfo2::default().src_buffer(buffer).dst_buffer(buffer).regions(&regions);
    call!(app, vkCmdCopyBuffer2 | vkCmdCopyBuffer2KHR(cb, &info));
    let regions = [vk::ImageCopy2::default().src_subresource(LAYERS).dst_subresource(LAYERS).extent(SIZE)];
    let info = vk::CopyImageInfo2::default().src_image(image).dst_image(image).regions(&regions);
    call!(app, vkCmdCopyImage2 | vkCmdCopyImage2KHR(cb, &info));
    let corners = [vk::Offset3D::default(), vk::Offset3D { x: 64, y: 32, z: 1 }];
    let regions = [vk::ImageBlit2::default()
        .src_subresource(LAYERS)
        .src_offsets(corners)
        .dst_subresource(LAYERS)
        .dst_offsets(corners)];
    let info = vk::BlitImageInfo2::default().src_image(image).dst_image(image).regions(&regions);
    call!(app, vkCmdBlitImage2 | vkCmdBlitImage2KHR(cb, &info));
    let regions = [vk::BufferImageCopy2::default().image_subresource(LAYERS).image_extent(SIZE)];
    let info = vk::CopyBufferToImageInfo2::default().src_buffer(buffer).dst_image(image).regions(&regions);
    call!(app, vkCmdCopyBufferToImage2 | vkCmdCopyBufferToImage2KHR(cb, &info));
    let info = vk::CopyImageToBufferInfo2::default().src_image(image).dst_buffer(buffer).regions(&regions);
    call!(app, vkCmdCopyImageToBuffer2 | vkCmdCopyImageToBuffer2KHR(cb, &info));
    let regions = [vk::ImageResolve2::default().src_subresource(LAYERS).dst_subresource(LAYERS).extent(SIZE)];
    let info =
        vk::ResolveImageInfo2::default().src_image(objects.multisampled.image).dst_image(image).regions(&regions);
    call!(app, vkCmdResolveImage2 | vkCmdResolveImage2KHR(cb, &info));
}

/// Barriers and events of both forms, under each name.
pub(super) fn ordering(app: &App, cb: CommandBuffer, objects: &Objects) {
    let stage = vk::PipelineStageFlags::ALL_COMMANDS;
    let flags = vk::DependencyFlags::empty();
    let memory = [vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::SHADER_WRITE)];
    let buffers = [vk::BufferMemoryBarrier::default().buffer(objects.buffer).size(vk::WHOLE_SIZE)];
    let images = [vk::ImageMemoryBarrier::default()
        .image(objects.color.image)
        .old_layout(vk::ImageLayout::UNDEFINED)
        .new_layout(GENERAL)
        .subresource_range(range(vk::ImageAspectFlags::COLOR))];
    let (m, b, i) = (memory.as_ptr(), buffers.as_ptr(), images.as_ptr());
    call!(app, vkCmdPipelineBarrier(cb, stage, stage, flags, 1, m, 1, b, 1, i));
    call!(app, vkCmdPipelineBarrier(cb, stage, stage, flags, 0, ptr::null(), 0, ptr::null(), 0, ptr::null()));
    call!(app, vkCmdSetEvent(cb, objects.event, stage));
    call!(app, vkCmdWaitEvents(cb, 1, &objects.event, stage, stage, 1, m, 1, b, 1, i));
    call!(app, vkCmdResetEvent(cb, objects.event, stage));

    let all = vk::PipelineStageFlags2::ALL_COMMANDS;
    let memory = [vk::MemoryBarrier2::default().src_stage_mask(all).dst_stage_mask(all)];
    let buffers = [vk::BufferMemoryBarrier2::default().buffer(objects.buffer).size(vk::WHOLE_SIZE)];
    let images = [vk::ImageMemoryBarrier2::default()
        .src_stage_mask(all)
        .dst_stage_mask(all)
        .image(objects.color.image)
        .old_layout(GENERAL)
        .new_layout(GENERAL)
        .subresource_range(range(vk::ImageAspectFlags::COLOR))];
    let info = vk::DependencyInfo::default()
        .memory_barriers(&memory)
        .buffer_memory_barriers(&buffers)
        .image_memory_barriers(&images);
    call!(app, vkCmdPipelineBarrier2 | vkCmdPipelineBarrier2KHR(cb, &info));
    call!(app, vkCmdSetEvent2 | vkCmdSetEvent2KHR(cb, objects.event, &info));
    call!(app, vkCmdWaitEvents2 | vkCmdWaitEvents2KHR(cb, 1, &objects.event, &info));
    call!(app, vkCmdResetEvent2 | vkCmdResetEvent2KHR(cb, objects.event, all));
}
