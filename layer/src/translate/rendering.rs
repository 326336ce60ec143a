//! VkRenderingInfo as a pass with one subpass. Attachments follow in this order: colour slots with their resolve targets,
//! depth with its resolve target, stencil with its own, density map, shading rate. A view that serves depth and stencil is one attachment.
//!
//! Attachments that shaders may read on chip (VK_KHR_dynamic_rendering_local_read) are input attachments too. Which of them shaders name by
//! which index (VkRenderingInputAttachmentIndexInfo), and which outputs of theirs go where (VkRenderingAttachmentLocationInfo), moves no byte.

use super::chained::unmodelled;
use super::pass::{on_chip_samples, tile_memory, tile_shading};
use super::{FEEDBACK_LOOP, extent2, instance, layout, load_op, store_op};
use crate::abi::{self, find, slice};
use crate::record::{AttachmentView, Objects, PassEvent, PassTemplate, Recording, View};
use ash::vk::{self, Handle};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tbdr_model::frame::{Aspects, Attachment, AttachmentUse, LoadOp, ResolveUse, ShadingRateUse, StoreOp, Subpass};
use tbdr_model::units::Extent2D;

struct Builder<'a> {
    objects: &'a Objects,
    recording: &'a mut Recording,
    attachments: Vec<Attachment>,
    views: Vec<Option<AttachmentView>>,
}

impl Builder<'_> {
    fn attach(&mut self, view: vk::ImageView, at: vk::ImageLayout) -> (u32, &mut Attachment) {
        let view: Option<Arc<View>> = self.objects.views.get(view.as_raw());
        self.views
            .push(view.as_ref().map(|v| AttachmentView { image: self.recording.image(&v.image), range: v.range }));
        self.attachments.push(Attachment {
            format: view.as_ref().map_or_else(Default::default, |v| v.format),
            samples: view.as_ref().map_or(1, |v| v.image.created.samples),
            initial_layout: layout(at),
            final_layout: layout(at),
            load: LoadOp::None,
            store: StoreOp::None,
            stencil_load: LoadOp::None,
            stencil_store: StoreOp::None,
            ..Attachment::default()
        });
        let number = self.attachments.len() - 1;
        (number as u32, &mut self.attachments[number])
    }

    fn resolve(&mut self, info: &vk::RenderingAttachmentInfo<'_>, stencil: bool) -> Option<ResolveUse> {
        if info.resolve_mode.is_empty() || info.resolve_image_view == vk::ImageView::null() {
            return None;
        }
        let (attachment, target) = self.attach(info.resolve_image_view, info.resolve_image_layout);
        if stencil {
            (target.stencil_load, target.stencil_store) = (LoadOp::DontCare, StoreOp::Store);
        } else {
            (target.load, target.store) = (LoadOp::DontCare, StoreOp::Store);
        }
        Some(ResolveUse { attachment, layout: layout(info.resolve_image_layout), mode: info.resolve_mode.as_raw() })
    }

    /// Adds density map and shading rate attachment. Nothing loads or stores them: they are read.
    ///
    /// # Safety
    /// `info` is valid.
    unsafe fn maps(&mut self, info: &vk::RenderingInfo<'_>, subpass: &mut Subpass) -> Option<AttachmentUse> {
        // SAFETY: by the caller's promise.
        let (density, rate) = unsafe {
            (
                find::<vk::RenderingFragmentDensityMapAttachmentInfoEXT<'_>>(info.p_next),
                find::<vk::RenderingFragmentShadingRateAttachmentInfoKHR<'_>>(info.p_next),
            )
        };
        let null = vk::ImageView::null();
        let density = density.filter(|d| d.image_view != null).map(|density| {
            let (attachment, _) = self.attach(density.image_view, density.image_layout);
            AttachmentUse { attachment, layout: layout(density.image_layout), ..AttachmentUse::default() }
        });
        subpass.shading_rate = rate.filter(|r| r.image_view != null).map(|rate| {
            let (attachment, _) = self.attach(rate.image_view, rate.image_layout);
            let texel = extent2(rate.shading_rate_attachment_texel_size);
            ShadingRateUse { attachment, layout: layout(rate.image_layout), texel }
        });
        density
    }
}

/// VkRenderingInfo.
///
/// # Safety
/// `info` is the argument of a vkCmdBeginRendering in progress.
pub unsafe fn rendering(info: &vk::RenderingInfo<'_>, objects: &Objects, recording: &mut Recording) -> PassEvent {
    // SAFETY: arrays and pointers of a valid VkRenderingInfo.
    let (colors, depth, stencil) = unsafe {
        (
            slice(info.p_color_attachments, info.color_attachment_count),
            info.p_depth_attachment.as_ref().filter(|d| d.image_view != vk::ImageView::null()),
            info.p_stencil_attachment.as_ref().filter(|s| s.image_view != vk::ImageView::null()),
        )
    };
    let mut build = Builder { objects, recording, attachments: Vec::new(), views: Vec::new() };
    // SAFETY: the chain of a valid VkRenderingInfo.
    let samples = unsafe { on_chip_samples(info.p_next) };
    let mut subpass = Subpass { view_mask: info.view_mask, flags: flags(info.flags), samples, ..Subpass::default() };
    for color in colors {
        if color.image_view == vk::ImageView::null() {
            subpass.color.push(None);
            // The colour of an external format may exist on chip only.
            let alone = color.resolve_mode.as_raw() & abi::RESOLVE_EXTERNAL_FORMAT != 0;
            let resolve = if alone { build.resolve(color, false) } else { None };
            subpass.resolve.push(resolve);
            continue;
        }
        let (number, attachment) = build.attach(color.image_view, color.image_layout);
        (attachment.load, attachment.store) = (load_op(color.load_op), store_op(color.store_op));
        // SAFETY: the chain of a valid VkRenderingInfo.
        subpass.color.push(Some(unsafe { used(number, color) }));
        let resolve = build.resolve(color, false);
        subpass.resolve.push(resolve);
    }
    if subpass.resolve.iter().all(Option::is_none) {
        subpass.resolve.clear();
    }
    if let Some(depth) = depth {
        let (number, attachment) = build.attach(depth.image_view, depth.image_layout);
        (attachment.load, attachment.store) = (load_op(depth.load_op), store_op(depth.store_op));
        // SAFETY: the chain of a valid VkRenderingInfo.
        subpass.depth = Some(unsafe { used(number, depth) });
        subpass.depth_resolve = build.resolve(depth, false);
    }
    if let Some(stencil) = stencil {
        let same = depth.filter(|d| d.image_view == stencil.image_view).and(subpass.depth);
        let number = match same {
            Some(shared) => shared.attachment,
            None => build.attach(stencil.image_view, stencil.image_layout).0,
        };
        let attachment = &mut build.attachments[number as usize];
        (attachment.stencil_load, attachment.stencil_store) = (load_op(stencil.load_op), store_op(stencil.store_op));
        // SAFETY: the chain of a valid VkRenderingInfo.
        subpass.stencil = Some(unsafe { used(number, stencil) });
        let shared_target =
            depth.filter(|d| d.resolve_image_view == stencil.resolve_image_view).and(subpass.depth_resolve);
        subpass.stencil_resolve = match shared_target.filter(|_| !stencil.resolve_mode.is_empty()) {
            Some(shared) => {
                let target = &mut build.attachments[shared.attachment as usize];
                (target.stencil_load, target.stencil_store) = (LoadOp::DontCare, StoreOp::Store);
                Some(ResolveUse { mode: stencil.resolve_mode.as_raw(), ..shared })
            }
            None => build.resolve(stencil, true),
        };
    }
    // SAFETY: chains of a valid VkRenderingInfo.
    let (density_map, left_out, tile_memory, tile_shading) = unsafe {
        subpass.input = local_reads(colors, depth, stencil, &subpass, objects.reads_undeclared.load(Ordering::Relaxed));
        let density_map = build.maps(info, &mut subpass);
        let parts = colors.iter().chain(depth).chain(stencil).map(|a| a.p_next);
        let left_out = parts.chain([info.p_next]).flat_map(|part| unmodelled(part)).collect();
        (density_map, left_out, tile_memory(info.p_next), tile_shading(info.p_next))
    };
    let mut left_out: Vec<String> = left_out;
    // SAFETY: the chain of a valid VkRenderingInfo.
    let (area, view_areas) =
        unsafe { instance::areas(info.render_area, info.p_next, |what| left_out.push(what.into())) };
    let edge = |offset: i32, size: u32| u32::try_from(i64::from(offset) + i64::from(size)).unwrap_or(size);
    let (attachments, views) = (build.attachments, build.views);
    PassEvent {
        template: Arc::new(PassTemplate {
            attachments,
            subpasses: vec![subpass],
            dependencies: Vec::new(),
            density_map,
            disallow_merging: false,
            tile_memory,
            tile_shading,
            unmodelled: left_out,
            driver_merging: None,
        }),
        names: [None, None],
        labels: Vec::new(),
        dynamic: true,
        resuming: info.flags.contains(vk::RenderingFlags::RESUMING),
        suspending: info.flags.contains(vk::RenderingFlags::SUSPENDING),
        render_area: area,
        extent: Extent2D::new(edge(area.x, area.extent.width), edge(area.y, area.extent.height)),
        layers: if info.view_mask == 0 { info.layer_count } else { 1 },
        view_areas,
        tile: None,
        views,
        // There is never a second; an activity is large.
        subpasses: Vec::with_capacity(1),
    }
}

/// # Safety
/// `info` belongs to a valid VkRenderingInfo.
unsafe fn used(attachment: u32, info: &vk::RenderingAttachmentInfo<'_>) -> AttachmentUse {
    // SAFETY: by the caller's promise.
    let declared = unsafe { find::<abi::AttachmentFeedbackLoopInfo>(info.p_next) };
    let feedback = info.image_layout == FEEDBACK_LOOP || declared.is_some_and(|f| f.feedback_loop_enable != vk::FALSE);
    AttachmentUse { attachment, layout: layout(info.image_layout), feedback, ..AttachmentUse::default() }
}

/// The attachments that shaders may read as input attachments, as far as the begin command tells: colour slots in their order, then depth
/// and stencil.
///
/// # Safety
/// The infos belong to a valid VkRenderingInfo.
unsafe fn local_reads(
    colors: &[vk::RenderingAttachmentInfo<'_>],
    depth: Option<&vk::RenderingAttachmentInfo<'_>>,
    stencil: Option<&vk::RenderingAttachmentInfo<'_>>,
    subpass: &Subpass,
    undeclared: bool,
) -> Vec<Option<AttachmentUse>> {
    let read = |info: &vk::RenderingAttachmentInfo<'_>, used: Option<AttachmentUse>, aspects| {
        // SAFETY: by the caller's promise.
        let declared = unsafe { find::<abi::RenderingAttachmentFlagsInfo>(info.p_next) };
        let read = undeclared
            || info.image_layout == vk::ImageLayout::RENDERING_LOCAL_READ_KHR
            || declared.is_some_and(|f| f.flags & abi::ATTACHMENT_INPUT_FEEDBACK != 0);
        used.filter(|_| read).map(|used| AttachmentUse { aspects, feedback: false, ..used })
    };
    let color = colors.iter().zip(&subpass.color).map(|(info, used)| read(info, *used, Aspects::COLOR));
    let depth = depth.map(|info| read(info, subpass.depth, Aspects::DEPTH));
    let stencil = stencil.map(|info| read(info, subpass.stencil, Aspects::STENCIL));
    let slots: Vec<_> = color.chain(depth).chain(stencil).collect();
    if slots.iter().all(Option::is_none) { Vec::new() } else { slots }
}

/// VkSubpassDescriptionFlags that mean what these flags mean.
fn flags(flags: vk::RenderingFlags) -> u32 {
    let dithering = if flags.as_raw() & abi::RENDERING_LEGACY_DITHERING != 0 { Subpass::LEGACY_DITHERING } else { 0 };
    let custom = if flags.as_raw() & abi::RENDERING_CUSTOM_RESOLVE != 0 { Subpass::CUSTOM_RESOLVE } else { 0 };
    dithering | custom
}

/// Colour attachments that are given no location, one bit each.
///
/// # Safety
/// A valid struct.
pub unsafe fn without_location(info: &vk::RenderingAttachmentLocationInfoKHR<'_>) -> u32 {
    // SAFETY: the array of a valid struct; null leaves every attachment where it is.
    let locations = unsafe { slice(info.p_color_attachment_locations, info.color_attachment_count) };
    let unused = |location: &u32| u32::from(*location == vk::ATTACHMENT_UNUSED);
    locations.iter().take(32).enumerate().fold(0, |bits, (at, location)| bits | unused(location) << at)
}
