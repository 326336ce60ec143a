//! Framebuffers, with images and imageless.

use super::device_of;
use crate::abi::slice;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{Framebuffer, Named, Told};
use ash::vk::{self, Handle};
use std::sync::Arc;
use tbdr_model::units::Extent2D;

/// vkCreateFramebuffer.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_framebuffer(
    handle: vk::Device,
    info: *const vk::FramebufferCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    framebuffer: *mut vk::Framebuffer,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_framebuffer else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, framebuffer);
        if result.as_raw() >= 0 {
            guard(HookId::create_framebuffer, || {
                let info = &*info;
                let objects = &device.recorder.objects;
                // The attachments of an imageless framebuffer come with vkCmdBeginRenderPass; its pointer means nothing.
                let views = if info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS) {
                    &[]
                } else {
                    slice(info.p_attachments, info.attachment_count)
                };
                let created = Framebuffer {
                    views: views.iter().map(|v| objects.views.get(v.as_raw())).collect(),
                    extent: Extent2D::new(info.width, info.height),
                    layers: info.layers,
                    tile: Arc::new(Told::default()),
                    name: Arc::new(Named::default()),
                };
                objects.framebuffers.insert((*framebuffer).as_raw(), Arc::new(created));
            });
        }
        result
    }
}

/// vkDestroyFramebuffer.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_framebuffer(
    handle: vk::Device,
    framebuffer: vk::Framebuffer,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_framebuffer, || device.recorder.objects.framebuffers.remove(framebuffer.as_raw()));
        if let Some(next) = device.next.destroy_framebuffer {
            next(handle, framebuffer, allocator);
        }
    }
}
