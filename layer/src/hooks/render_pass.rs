//! Render pass objects and render pass instances, version 1 and 2.

use super::extensions::MergeFeedback;
use super::merge_feedback::{self, Bare};
use super::{command, device_of};
use crate::abi::{find, slice};
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{AttachmentView, CommandBuffer, Named, PassEvent, PassTemplate, RenderPass, View};
use crate::translate::{self, chained, instance};
use ash::vk::{self, Handle};
use std::ffi::c_void;
use std::sync::Arc;

/// vkCreateRenderPass.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_render_pass(
    handle: vk::Device,
    info: *const vk::RenderPassCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pass: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_render_pass else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, pass);
        if result.as_raw() >= 0 {
            guard(HookId::create_render_pass, || register(device, *pass, translate::pass::create_info(&*info)));
        }
        result
    }
}

/// vkCreateRenderPass2.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_render_pass2(
    handle: vk::Device,
    info: *const vk::RenderPassCreateInfo2<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pass: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_render_pass2 else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let answers = device.merge_feedback == MergeFeedback::Layer;
        let bare = answers.then(|| guard(HookId::create_render_pass2, || Bare::new(&*info)));
        let bare = bare.flatten().flatten();
        let result = next(handle, bare.as_ref().map_or(info, |bare| &raw const bare.info), allocator, pass);
        if result.as_raw() >= 0 {
            let predicted = guard(HookId::create_render_pass2, || {
                let mut template = translate::pass::create_info2(&*info);
                if device.merge_feedback == MergeFeedback::Driver {
                    template.driver_merging = merge_feedback::heard(&*info);
                }
                let profile = device.feedback_profile.as_ref().filter(|_| bare.is_some());
                let predicted = profile.map(|profile| (profile, merge_feedback::predict(profile, &template)));
                register(device, *pass, template);
                predicted
            });
            if bare.is_some() {
                let predicted = predicted.flatten();
                merge_feedback::answer(&*info, predicted.as_ref().map(|(profile, grouping)| (*profile, &**grouping)));
            }
        }
        result
    }
}

fn register(device: &Device, pass: vk::RenderPass, template: PassTemplate) {
    let created = RenderPass { template: Arc::new(template), name: Arc::new(Named::default()) };
    device.recorder.objects.render_passes.insert(pass.as_raw(), Arc::new(created));
}

/// vkDestroyRenderPass.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_render_pass(
    handle: vk::Device,
    pass: vk::RenderPass,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_render_pass, || device.recorder.objects.render_passes.remove(pass.as_raw()));
        if let Some(next) = device.next.destroy_render_pass {
            next(handle, pass, allocator);
        }
    }
}

command! {
    /// vkCmdBeginRenderPass.
    cmd_begin_render_pass(info: *const vk::RenderPassBeginInfo<'_>, contents: vk::SubpassContents) |device, state| {
        // SAFETY: the argument of the call in progress.
        unsafe { begin(device, state, &*info) }
    }
}

command! {
    /// vkCmdBeginRenderPass2.
    cmd_begin_render_pass2(
        info: *const vk::RenderPassBeginInfo<'_>,
        subpass: *const vk::SubpassBeginInfo<'_>,
    ) |device, state| {
        // SAFETY: the arguments of the call in progress.
        unsafe {
            begin(device, state, &*info);
            name(state, subpass.as_ref().map(|s| s.p_next));
        }
    }
}

command! {
    /// vkCmdNextSubpass.
    cmd_next_subpass(contents: vk::SubpassContents) |device, state| state.next_subpass()
}

command! {
    /// vkCmdNextSubpass2.
    cmd_next_subpass2(
        begin: *const vk::SubpassBeginInfo<'_>,
        end: *const vk::SubpassEndInfo<'_>,
    ) |device, state| {
        // SAFETY: the arguments of the call in progress.
        unsafe {
            name(state, begin.as_ref().map(|s| s.p_next));
            name(state, end.as_ref().map(|s| s.p_next));
        }
        state.next_subpass();
    }
}

command! {
    /// vkCmdEndRenderPass.
    cmd_end_render_pass() |device, state| state.end_pass()
}

command! {
    /// vkCmdEndRenderPass2.
    cmd_end_render_pass2(end: *const vk::SubpassEndInfo<'_>) |device, state| {
        // SAFETY: the argument of the call in progress.
        unsafe { name(state, end.as_ref().map(|s| s.p_next)) };
        state.end_pass();
    }
}

/// Names the chained structs that are not modelled.
///
/// # Safety
/// `next` is the pNext of an argument of a call in progress.
pub(super) unsafe fn name(state: &mut CommandBuffer, next: Option<*const c_void>) {
    // SAFETY: by the caller's promise.
    for item in next.into_iter().flat_map(|next| unsafe { chained::unmodelled(next) }) {
        state.unmodelled(&item);
    }
}

/// # Safety
/// `info` is the argument of a begin command in progress.
unsafe fn begin(device: &Device, state: &mut CommandBuffer, info: &vk::RenderPassBeginInfo<'_>) {
    let objects = &device.recorder.objects;
    let pass = objects.render_passes.get(info.render_pass.as_raw());
    let framebuffer = objects.framebuffers.get(info.framebuffer.as_raw());
    let (Some(pass), Some(framebuffer)) = (pass, framebuffer) else {
        state.unmodelled("a render pass whose creation was not seen");
        return;
    };
    // SAFETY: the chain and the array of a valid begin info.
    let given = unsafe {
        find::<vk::RenderPassAttachmentBeginInfo<'_>>(info.p_next).map(|a| slice(a.p_attachments, a.attachment_count))
    };
    // SAFETY: the chain of a valid begin info.
    let (render_area, view_areas) = unsafe {
        name(state, Some(info.p_next));
        instance::areas(info.render_area, info.p_next, |what| state.unmodelled(what))
    };
    let recording = state.recording();
    let mut views = Vec::with_capacity(pass.template.attachments.len());
    for number in 0..pass.template.attachments.len() {
        let mut shown = |v: &View| AttachmentView { image: recording.image(&v.image), range: v.range };
        views.push(match framebuffer.views.get(number) {
            Some(view) => view.as_deref().map(&mut shown),
            // Imageless: the views come with the begin command.
            None => given
                .and_then(|given| given.get(number))
                .and_then(|view| objects.views.get(view.as_raw()))
                .map(|view| shown(&view)),
        });
    }
    let multiview = pass.template.subpasses.iter().any(|s| s.view_mask != 0);
    let labels = state.labels();
    state.begin_pass(PassEvent {
        template: Arc::clone(&pass.template),
        names: [Some(Arc::clone(&pass.name)), Some(Arc::clone(&framebuffer.name))],
        labels,
        dynamic: false,
        resuming: false,
        suspending: false,
        render_area,
        extent: framebuffer.extent,
        layers: if multiview { 1 } else { framebuffer.layers },
        view_areas,
        tile: Some(Arc::clone(&framebuffer.tile)),
        views,
        // Not more than there are: an activity is large.
        subpasses: Vec::with_capacity(pass.template.subpasses.len()),
    });
    // SAFETY: the chain of a valid begin info.
    let transform = unsafe { find::<vk::RenderPassTransformBeginInfoQCOM<'_>>(info.p_next) };
    // The render area is one of the framebuffer whatever the transform; what is set while recording is turned.
    state.set_turned(transform.is_some_and(|t| is_turned(t.transform)));
}

/// Whether a render pass transform moves anything.
pub fn is_turned(transform: vk::SurfaceTransformFlagsKHR) -> bool {
    transform != vk::SurfaceTransformFlagsKHR::IDENTITY
}
