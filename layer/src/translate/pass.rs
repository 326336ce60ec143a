//! VkRenderPassCreateInfo and VkRenderPassCreateInfo2 in one form.

use super::{depth_stencil, format, layout, load_op, store_op, struct_name};
use crate::abi::{chain, find, slice};
use crate::record::PassTemplate;
use ash::vk;
use std::ffi::c_void;
use tbdr_model::frame::{Aspects, Attachment, AttachmentUse, Dependency, ResolveUse, Subpass};

/// VkRenderPassCreateInfo with multiview and input attachment aspects.
///
/// # Safety
/// `info` is the argument of a vkCreateRenderPass in progress.
pub unsafe fn create_info(info: &vk::RenderPassCreateInfo<'_>) -> PassTemplate {
    // SAFETY: arrays and chains of a valid create info.
    unsafe {
        let attachments: Vec<Attachment> = slice(info.p_attachments, info.attachment_count)
            .iter()
            .map(|a| Attachment {
                format: format(a.format),
                samples: a.samples.as_raw(),
                load: load_op(a.load_op),
                store: store_op(a.store_op),
                stencil_load: load_op(a.stencil_load_op),
                stencil_store: store_op(a.stencil_store_op),
                initial_layout: layout(a.initial_layout),
                final_layout: layout(a.final_layout),
                ..Attachment::default()
            })
            .collect();
        let formats: Vec<_> = slice(info.p_attachments, info.attachment_count).iter().map(|a| a.format).collect();
        let multiview = find::<vk::RenderPassMultiviewCreateInfo<'_>>(info.p_next);
        let views = multiview.map_or(&[][..], |m| slice(m.p_view_masks, m.subpass_count));
        let input_aspects = find::<vk::RenderPassInputAttachmentAspectCreateInfo<'_>>(info.p_next);
        let subpasses = slice(info.p_subpasses, info.subpass_count)
            .iter()
            .enumerate()
            .map(|(number, s)| {
                let uses = |data, count| slice(data, count).iter().map(reference).collect::<Vec<_>>();
                let (depth, stencil) = split(s.p_depth_stencil_attachment.as_ref().and_then(reference), &formats);
                let mut input = uses(s.p_input_attachments, s.input_attachment_count);
                for aspect in input_aspects.map_or(&[][..], |a| slice(a.p_aspect_references, a.aspect_reference_count))
                {
                    if aspect.subpass as usize == number {
                        if let Some(Some(slot)) = input.get_mut(aspect.input_attachment_index as usize) {
                            slot.aspects = Aspects(aspect.aspect_mask.as_raw());
                        }
                    }
                }
                Subpass {
                    color: uses(s.p_color_attachments, s.color_attachment_count),
                    resolve: slice(s.p_resolve_attachments, s.color_attachment_count)
                        .iter()
                        .map(|r| reference(r).map(average))
                        .collect(),
                    depth,
                    stencil,
                    input,
                    preserve: slice(s.p_preserve_attachments, s.preserve_attachment_count).to_vec(),
                    view_mask: views.get(number).copied().unwrap_or(0),
                    ..Subpass::default()
                }
            })
            .collect();
        let dependencies = slice(info.p_dependencies, info.dependency_count)
            .iter()
            .map(|d| Dependency {
                src: d.src_subpass,
                dst: d.dst_subpass,
                src_stages: u64::from(d.src_stage_mask.as_raw()),
                dst_stages: u64::from(d.dst_stage_mask.as_raw()),
                src_access: u64::from(d.src_access_mask.as_raw()),
                dst_access: u64::from(d.dst_access_mask.as_raw()),
                flags: d.dependency_flags.as_raw(),
            })
            .collect();
        PassTemplate { attachments, subpasses, dependencies, unmodelled: unmodelled(info.p_next) }
    }
}

/// VkRenderPassCreateInfo2 with stencil layouts, depth-stencil resolves and memory barriers in dependencies.
///
/// # Safety
/// `info` is the argument of a vkCreateRenderPass2 in progress.
pub unsafe fn create_info2(info: &vk::RenderPassCreateInfo2<'_>) -> PassTemplate {
    // SAFETY: arrays and chains of a valid create info; each array is walked with the stride of its core struct.
    unsafe {
        let descriptions = slice(info.p_attachments, info.attachment_count);
        let attachments: Vec<Attachment> = descriptions
            .iter()
            .map(|a| Attachment {
                format: format(a.format),
                samples: a.samples.as_raw(),
                load: load_op(a.load_op),
                store: store_op(a.store_op),
                stencil_load: load_op(a.stencil_load_op),
                stencil_store: store_op(a.stencil_store_op),
                initial_layout: layout(a.initial_layout),
                stencil_initial_layout: find::<vk::AttachmentDescriptionStencilLayout<'_>>(a.p_next)
                    .map(|s| layout(s.stencil_initial_layout)),
                final_layout: layout(a.final_layout),
                ..Attachment::default()
            })
            .collect();
        let formats: Vec<_> = descriptions.iter().map(|a| a.format).collect();
        let mut left_out = unmodelled(info.p_next);
        for description in descriptions {
            left_out.extend(unmodelled(description.p_next));
        }
        let subpasses = slice(info.p_subpasses, info.subpass_count)
            .iter()
            .map(|s| {
                let uses = |data, count| slice(data, count).iter().map(reference2).collect::<Vec<_>>();
                let (depth, stencil) = split(s.p_depth_stencil_attachment.as_ref().and_then(reference2), &formats);
                left_out.extend(unmodelled(s.p_next));
                let ds_resolve = find::<vk::SubpassDescriptionDepthStencilResolve<'_>>(s.p_next);
                let target = ds_resolve.and_then(|r| r.p_depth_stencil_resolve_attachment.as_ref());
                let (depth_target, stencil_target) = split(target.and_then(reference2), &formats);
                let resolve = |target: Option<AttachmentUse>, mode: vk::ResolveModeFlags| {
                    target.filter(|_| !mode.is_empty()).map(|t| ResolveUse {
                        attachment: t.attachment,
                        layout: t.layout,
                        mode: mode.as_raw(),
                    })
                };
                Subpass {
                    color: uses(s.p_color_attachments, s.color_attachment_count),
                    resolve: slice(s.p_resolve_attachments, s.color_attachment_count)
                        .iter()
                        .map(|r| reference2(r).map(average))
                        .collect(),
                    depth,
                    stencil,
                    depth_resolve: ds_resolve.and_then(|r| resolve(depth_target, r.depth_resolve_mode)),
                    stencil_resolve: ds_resolve.and_then(|r| resolve(stencil_target, r.stencil_resolve_mode)),
                    input: uses(s.p_input_attachments, s.input_attachment_count),
                    preserve: slice(s.p_preserve_attachments, s.preserve_attachment_count).to_vec(),
                    view_mask: s.view_mask,
                    ..Subpass::default()
                }
            })
            .collect();
        let dependencies = slice(info.p_dependencies, info.dependency_count)
            .iter()
            .map(|d| {
                let barrier = find::<vk::MemoryBarrier2<'_>>(d.p_next);
                let wide = |narrow: u32, wide: Option<u64>| wide.unwrap_or(u64::from(narrow));
                Dependency {
                    src: d.src_subpass,
                    dst: d.dst_subpass,
                    src_stages: wide(d.src_stage_mask.as_raw(), barrier.map(|b| b.src_stage_mask.as_raw())),
                    dst_stages: wide(d.dst_stage_mask.as_raw(), barrier.map(|b| b.dst_stage_mask.as_raw())),
                    src_access: wide(d.src_access_mask.as_raw(), barrier.map(|b| b.src_access_mask.as_raw())),
                    dst_access: wide(d.dst_access_mask.as_raw(), barrier.map(|b| b.dst_access_mask.as_raw())),
                    flags: d.dependency_flags.as_raw(),
                }
            })
            .collect();
        PassTemplate { attachments, subpasses, dependencies, unmodelled: left_out }
    }
}

fn reference(r: &vk::AttachmentReference) -> Option<AttachmentUse> {
    (r.attachment != vk::ATTACHMENT_UNUSED).then(|| AttachmentUse {
        attachment: r.attachment,
        layout: layout(r.layout),
        aspects: Aspects::default(),
    })
}

fn reference2(r: &vk::AttachmentReference2<'_>) -> Option<AttachmentUse> {
    (r.attachment != vk::ATTACHMENT_UNUSED).then(|| AttachmentUse {
        attachment: r.attachment,
        layout: layout(r.layout),
        aspects: Aspects(r.aspect_mask.as_raw()),
    })
}

/// A colour resolve averages, or takes one sample of integer formats: the bytes are the same.
fn average(u: AttachmentUse) -> ResolveUse {
    ResolveUse { attachment: u.attachment, layout: u.layout, mode: vk::ResolveModeFlags::AVERAGE.as_raw() }
}

/// A depth-stencil reference as a depth and a stencil use, by the aspects of its format.
fn split(r: Option<AttachmentUse>, formats: &[vk::Format]) -> (Option<AttachmentUse>, Option<AttachmentUse>) {
    let r = r.map(|r| AttachmentUse { aspects: Aspects::default(), ..r });
    let (depth, stencil) =
        r.and_then(|r| formats.get(r.attachment as usize)).map_or((false, false), |f| depth_stencil(*f));
    (r.filter(|_| depth), r.filter(|_| stencil))
}

/// Chained structs that change what a pass moves and are not modelled.
///
/// # Safety
/// `next` is the pNext of a valid struct.
unsafe fn unmodelled(next: *const c_void) -> Vec<String> {
    use vk::StructureType as S;
    // SAFETY: by the caller's promise.
    unsafe { chain(next) }
        .filter(|s| {
            !matches!(
                s.s_type,
                S::RENDER_PASS_MULTIVIEW_CREATE_INFO
                    | S::RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO
                    | S::ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT
                    | S::SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE
                    | S::RENDER_PASS_CREATION_CONTROL_EXT
                    | S::RENDER_PASS_CREATION_FEEDBACK_CREATE_INFO_EXT
                    | S::RENDER_PASS_SUBPASS_FEEDBACK_CREATE_INFO_EXT
                    | S::MEMORY_BARRIER_2
            )
        })
        .map(|s| struct_name(s.s_type))
        .collect()
}
