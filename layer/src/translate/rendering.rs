//! VkRenderingInfo as a pass with one subpass. Attachments follow in this order: colour slots with their resolve targets,
//! depth with its resolve target, stencil with its own. A view that serves depth and stencil is one attachment.

use super::{layout, load_op, rect, store_op, struct_name};
use crate::abi::{chain, slice};
use crate::record::{AttachmentView, Objects, PassEvent, PassTemplate, Recording, View};
use ash::vk::{self, Handle};
use std::sync::Arc;
use tbdr_model::frame::{Attachment, AttachmentUse, LoadOp, ResolveUse, StoreOp, Subpass};
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
    let mut subpass = Subpass { view_mask: info.view_mask, ..Subpass::default() };
    for color in colors {
        if color.image_view == vk::ImageView::null() {
            subpass.color.push(None);
            subpass.resolve.push(None);
            continue;
        }
        let (number, attachment) = build.attach(color.image_view, color.image_layout);
        (attachment.load, attachment.store) = (load_op(color.load_op), store_op(color.store_op));
        subpass.color.push(Some(used(number, color)));
        let resolve = build.resolve(color, false);
        subpass.resolve.push(resolve);
    }
    if subpass.resolve.iter().all(Option::is_none) {
        subpass.resolve.clear();
    }
    if let Some(depth) = depth {
        let (number, attachment) = build.attach(depth.image_view, depth.image_layout);
        (attachment.load, attachment.store) = (load_op(depth.load_op), store_op(depth.store_op));
        subpass.depth = Some(used(number, depth));
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
        subpass.stencil = Some(used(number, stencil));
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
    // SAFETY: the chain of a valid VkRenderingInfo.
    let unmodelled = unsafe { chain(info.p_next) }
        .filter(|s| s.s_type != vk::StructureType::DEVICE_GROUP_RENDER_PASS_BEGIN_INFO)
        .map(|s| struct_name(s.s_type))
        .collect();
    let area = info.render_area;
    let edge = |offset: i32, size: u32| u32::try_from(i64::from(offset) + i64::from(size)).unwrap_or(size);
    let (attachments, views) = (build.attachments, build.views);
    PassEvent {
        template: Arc::new(PassTemplate {
            attachments,
            subpasses: vec![subpass],
            dependencies: Vec::new(),
            unmodelled,
        }),
        names: [None, None],
        labels: Vec::new(),
        dynamic: true,
        resuming: info.flags.contains(vk::RenderingFlags::RESUMING),
        suspending: info.flags.contains(vk::RenderingFlags::SUSPENDING),
        render_area: rect(area),
        extent: Extent2D::new(edge(area.offset.x, area.extent.width), edge(area.offset.y, area.extent.height)),
        layers: if info.view_mask == 0 { info.layer_count } else { 1 },
        views,
        subpasses: Vec::new(),
    }
}

fn used(attachment: u32, info: &vk::RenderingAttachmentInfo<'_>) -> AttachmentUse {
    AttachmentUse { attachment, layout: layout(info.image_layout), ..AttachmentUse::default() }
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
