//! VkRenderPassCreateInfo and VkRenderPassCreateInfo2: the first is rewritten as the second that means the same.

use super::chained::unmodelled;
use super::{FEEDBACK_LOOP, depth_stencil, extent2, format, layout, load_op, store_op};
use crate::abi::{self, find, slice};
use crate::record::PassTemplate;
use ash::vk;
use std::ffi::c_void;
use std::ptr;
use tbdr_model::frame::{
    Aspects, Attachment, AttachmentUse, Dependency, ResolveUse, ShadingRateUse, Subpass, TileShading,
};

/// The references of a subpass in the second form.
struct References {
    color: Vec<vk::AttachmentReference2<'static>>,
    resolve: Vec<vk::AttachmentReference2<'static>>,
    input: Vec<vk::AttachmentReference2<'static>>,
    depth_stencil: Option<vk::AttachmentReference2<'static>>,
}

/// VkRenderPassCreateInfo with what extends it.
///
/// # Safety
/// `info` is the argument of a vkCreateRenderPass in progress.
pub unsafe fn create_info(info: &vk::RenderPassCreateInfo<'_>) -> PassTemplate {
    // SAFETY: arrays and chains of a valid create info; what is built here points to locals that outlive its use.
    unsafe {
        let attachments: Vec<_> = slice(info.p_attachments, info.attachment_count).iter().map(description).collect();
        let multiview = find::<vk::RenderPassMultiviewCreateInfo<'_>>(info.p_next);
        let masks = multiview.map_or(&[][..], |m| slice(m.p_view_masks, m.subpass_count));
        let offsets = multiview.map_or(&[][..], |m| slice(m.p_view_offsets, m.dependency_count));
        let aspects = find::<vk::RenderPassInputAttachmentAspectCreateInfo<'_>>(info.p_next);
        let aspects = aspects.map_or(&[][..], |a| slice(a.p_aspect_references, a.aspect_reference_count));
        let first = slice(info.p_subpasses, info.subpass_count);
        let references: Vec<References> = (0u32..).zip(first).map(|(n, s)| references(s, n, aspects)).collect();
        let subpasses: Vec<_> = first
            .iter()
            .zip(&references)
            .enumerate()
            .map(|(number, (s, r))| vk::SubpassDescription2 {
                flags: s.flags,
                pipeline_bind_point: s.pipeline_bind_point,
                view_mask: masks.get(number).copied().unwrap_or(0),
                input_attachment_count: s.input_attachment_count,
                p_input_attachments: start(&r.input),
                color_attachment_count: s.color_attachment_count,
                p_color_attachments: start(&r.color),
                p_resolve_attachments: start(&r.resolve),
                p_depth_stencil_attachment: r.depth_stencil.as_ref().map_or(ptr::null(), ptr::from_ref),
                preserve_attachment_count: s.preserve_attachment_count,
                p_preserve_attachments: s.p_preserve_attachments,
                ..Default::default()
            })
            .collect();
        let dependencies: Vec<_> = slice(info.p_dependencies, info.dependency_count)
            .iter()
            .enumerate()
            .map(|(number, d)| vk::SubpassDependency2 {
                src_subpass: d.src_subpass,
                dst_subpass: d.dst_subpass,
                src_stage_mask: d.src_stage_mask,
                dst_stage_mask: d.dst_stage_mask,
                src_access_mask: d.src_access_mask,
                dst_access_mask: d.dst_access_mask,
                dependency_flags: d.dependency_flags,
                view_offset: offsets.get(number).copied().unwrap_or(0),
                ..Default::default()
            })
            .collect();
        create_info2(&vk::RenderPassCreateInfo2 {
            p_next: info.p_next,
            flags: info.flags,
            attachment_count: info.attachment_count,
            p_attachments: start(&attachments),
            subpass_count: info.subpass_count,
            p_subpasses: start(&subpasses),
            dependency_count: info.dependency_count,
            p_dependencies: start(&dependencies),
            ..Default::default()
        })
    }
}

/// A list as an array of Vulkan; none is null.
fn start<T>(list: &[T]) -> *const T {
    if list.is_empty() { ptr::null() } else { list.as_ptr() }
}

fn description(a: &vk::AttachmentDescription) -> vk::AttachmentDescription2<'static> {
    vk::AttachmentDescription2::default()
        .flags(a.flags)
        .format(a.format)
        .samples(a.samples)
        .load_op(a.load_op)
        .store_op(a.store_op)
        .stencil_load_op(a.stencil_load_op)
        .stencil_store_op(a.stencil_store_op)
        .initial_layout(a.initial_layout)
        .final_layout(a.final_layout)
}

/// The references of subpass `number`, input attachments with the aspects that are named for them.
///
/// # Safety
/// `subpass` belongs to a valid create info.
unsafe fn references(
    subpass: &vk::SubpassDescription<'_>,
    number: u32,
    aspects: &[vk::InputAttachmentAspectReference],
) -> References {
    let second =
        |r: &vk::AttachmentReference| vk::AttachmentReference2::default().attachment(r.attachment).layout(r.layout);
    // SAFETY: arrays of a valid create info.
    unsafe {
        let list = |data, count| slice(data, count).iter().map(second).collect::<Vec<_>>();
        let mut input = list(subpass.p_input_attachments, subpass.input_attachment_count);
        for named in aspects.iter().filter(|named| named.subpass == number) {
            if let Some(slot) = input.get_mut(named.input_attachment_index as usize) {
                slot.aspect_mask = named.aspect_mask;
            }
        }
        References {
            color: list(subpass.p_color_attachments, subpass.color_attachment_count),
            resolve: list(subpass.p_resolve_attachments, subpass.color_attachment_count),
            input,
            depth_stencil: subpass.p_depth_stencil_attachment.as_ref().map(second),
        }
    }
}

/// VkRenderPassCreateInfo2 with what extends it and its parts.
///
/// # Safety
/// `info` is the argument of a vkCreateRenderPass2 in progress.
pub unsafe fn create_info2(info: &vk::RenderPassCreateInfo2<'_>) -> PassTemplate {
    // SAFETY: arrays and chains of a valid create info; each array is walked with the stride of its core struct.
    unsafe {
        let descriptions = slice(info.p_attachments, info.attachment_count);
        let described = slice(info.p_subpasses, info.subpass_count);
        let dependencies = slice(info.p_dependencies, info.dependency_count);
        let formats: Vec<_> = descriptions.iter().map(|a| a.format).collect();
        let mut left_out: Vec<String> = unmodelled(info.p_next).collect();
        let parts = descriptions.iter().map(|a| a.p_next).chain(described.iter().map(|s| s.p_next));
        for part in parts.chain(dependencies.iter().map(|d| d.p_next)) {
            left_out.extend(unmodelled(part));
        }
        let density_map = find::<vk::RenderPassFragmentDensityMapCreateInfoEXT<'_>>(info.p_next)
            .map(|map| map.fragment_density_map_attachment)
            .filter(|map| map.attachment != vk::ATTACHMENT_UNUSED);
        PassTemplate {
            attachments: descriptions.iter().map(|a| attachment(a)).collect(),
            subpasses: described.iter().map(|s| subpass(s, &formats, &mut left_out)).collect(),
            dependencies: dependencies.iter().map(|d| dependency(d)).collect(),
            density_map: density_map.map(|map| AttachmentUse {
                attachment: map.attachment,
                layout: layout(map.layout),
                ..AttachmentUse::default()
            }),
            disallow_merging: disallows_merging(info.p_next),
            tile_memory: tile_memory(info.p_next),
            tile_shading: tile_shading(info.p_next),
            unmodelled: left_out,
            driver_merging: None,
        }
    }
}

/// # Safety
/// `a` belongs to a valid create info.
unsafe fn attachment(a: &vk::AttachmentDescription2<'_>) -> Attachment {
    // SAFETY: by the caller's promise.
    let stencil = unsafe { find::<vk::AttachmentDescriptionStencilLayout<'_>>(a.p_next) };
    Attachment {
        format: format(a.format),
        samples: a.samples.as_raw(),
        load: load_op(a.load_op),
        store: store_op(a.store_op),
        stencil_load: load_op(a.stencil_load_op),
        stencil_store: store_op(a.stencil_store_op),
        initial_layout: layout(a.initial_layout),
        stencil_initial_layout: stencil.map(|s| layout(s.stencil_initial_layout)),
        final_layout: layout(a.final_layout),
        stencil_final_layout: stencil.map(|s| layout(s.stencil_final_layout)),
        flags: a.flags.as_raw(),
        ..Attachment::default()
    }
}

/// # Safety
/// `s` belongs to a valid create info.
unsafe fn subpass(s: &vk::SubpassDescription2<'_>, formats: &[vk::Format], left_out: &mut Vec<String>) -> Subpass {
    // SAFETY: arrays and chains of a valid create info.
    unsafe {
        let lists = [
            slice(s.p_color_attachments, s.color_attachment_count),
            slice(s.p_resolve_attachments, s.color_attachment_count),
            slice(s.p_input_attachments, s.input_attachment_count),
        ];
        for reference in lists.into_iter().flatten().chain(s.p_depth_stencil_attachment.as_ref()) {
            left_out.extend(unmodelled(reference.p_next));
        }
        let uses = |list: &[vk::AttachmentReference2<'_>]| list.iter().map(reference).collect::<Vec<_>>();
        let (depth, stencil) = split(s.p_depth_stencil_attachment.as_ref(), formats);
        let resolve = find::<vk::SubpassDescriptionDepthStencilResolve<'_>>(s.p_next);
        let target = split(resolve.and_then(|r| r.p_depth_stencil_resolve_attachment.as_ref()), formats);
        let into = |target: Option<AttachmentUse>, mode: Option<vk::ResolveModeFlags>| {
            let mode = mode.filter(|mode| !mode.is_empty())?;
            target.map(|t| ResolveUse { attachment: t.attachment, layout: t.layout, mode: mode.as_raw() })
        };
        let rate = find::<vk::FragmentShadingRateAttachmentInfoKHR<'_>>(s.p_next);
        let shading_rate = rate.and_then(|rate| {
            let used = reference(rate.p_fragment_shading_rate_attachment.as_ref()?)?;
            let texel = extent2(rate.shading_rate_attachment_texel_size);
            Some(ShadingRateUse { attachment: used.attachment, layout: used.layout, texel })
        });
        Subpass {
            color: uses(lists[0]),
            resolve: lists[1].iter().map(|r| reference(r).map(average)).collect(),
            depth,
            stencil,
            depth_resolve: into(target.0, resolve.map(|r| r.depth_resolve_mode)),
            stencil_resolve: into(target.1, resolve.map(|r| r.stencil_resolve_mode)),
            input: uses(lists[2]),
            preserve: slice(s.p_preserve_attachments, s.preserve_attachment_count).to_vec(),
            view_mask: s.view_mask,
            flags: s.flags.as_raw(),
            samples: on_chip_samples(s.p_next),
            shading_rate,
            disallow_merging: disallows_merging(s.p_next),
            ..Subpass::default()
        }
    }
}

/// # Safety
/// `d` belongs to a valid create info.
unsafe fn dependency(d: &vk::SubpassDependency2<'_>) -> Dependency {
    // SAFETY: by the caller's promise.
    let barrier = unsafe { find::<vk::MemoryBarrier2<'_>>(d.p_next) };
    let wide = |narrow: u32, wide: Option<u64>| wide.unwrap_or(u64::from(narrow));
    Dependency {
        src: d.src_subpass,
        dst: d.dst_subpass,
        src_stages: wide(d.src_stage_mask.as_raw(), barrier.map(|b| b.src_stage_mask.as_raw())),
        dst_stages: wide(d.dst_stage_mask.as_raw(), barrier.map(|b| b.dst_stage_mask.as_raw())),
        src_access: wide(d.src_access_mask.as_raw(), barrier.map(|b| b.src_access_mask.as_raw())),
        dst_access: wide(d.dst_access_mask.as_raw(), barrier.map(|b| b.dst_access_mask.as_raw())),
        flags: d.dependency_flags.as_raw(),
        view_offset: d.view_offset,
    }
}

fn reference(r: &vk::AttachmentReference2<'_>) -> Option<AttachmentUse> {
    (r.attachment != vk::ATTACHMENT_UNUSED).then(|| AttachmentUse {
        attachment: r.attachment,
        layout: layout(r.layout),
        aspects: Aspects(r.aspect_mask.as_raw()),
        feedback: r.layout == FEEDBACK_LOOP,
    })
}

/// A colour resolve averages, or takes one sample of integer formats: the bytes are the same.
fn average(u: AttachmentUse) -> ResolveUse {
    ResolveUse { attachment: u.attachment, layout: u.layout, mode: vk::ResolveModeFlags::AVERAGE.as_raw() }
}

/// A depth-stencil reference as a depth and a stencil use, by the aspects of its format, each with its layout.
///
/// # Safety
/// The chain of the reference is valid.
unsafe fn split(
    given: Option<&vk::AttachmentReference2<'_>>,
    formats: &[vk::Format],
) -> (Option<AttachmentUse>, Option<AttachmentUse>) {
    let Some((given, used)) = given.and_then(|r| Some((r, reference(r)?))) else { return (None, None) };
    let both = AttachmentUse { aspects: Aspects::default(), ..used };
    let (depth, stencil) = formats.get(used.attachment as usize).map_or((false, false), |f| depth_stencil(*f));
    // SAFETY: by the caller's promise.
    let apart = unsafe { find::<vk::AttachmentReferenceStencilLayout<'_>>(given.p_next) };
    let own = AttachmentUse { layout: apart.map_or(both.layout, |s| layout(s.stencil_layout)), ..both };
    (depth.then_some(both), stencil.then_some(own))
}

/// Samples of VkMultisampledRenderToSingleSampledInfoEXT; 0 without.
///
/// # Safety
/// `next` is the pNext of a valid struct.
pub unsafe fn on_chip_samples(next: *const c_void) -> u32 {
    // SAFETY: by the caller's promise.
    unsafe { find::<vk::MultisampledRenderToSingleSampledInfoEXT<'_>>(next) }
        .filter(|info| info.multisampled_render_to_single_sampled_enable != vk::FALSE)
        .map_or(0, |info| info.rasterization_samples.as_raw())
}

/// VkRenderPassCreationControlEXT.
///
/// # Safety
/// `next` is the pNext of a valid struct.
unsafe fn disallows_merging(next: *const c_void) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { find::<vk::RenderPassCreationControlEXT<'_>>(next) }.is_some_and(|c| c.disallow_merging != vk::FALSE)
}

/// Bytes of VkTileMemorySizeInfoQCOM.
///
/// # Safety
/// `next` is the pNext of a valid struct.
pub unsafe fn tile_memory(next: *const c_void) -> u64 {
    // SAFETY: by the caller's promise.
    unsafe { find::<abi::TileMemorySizeInfo>(next) }.map_or(0, |info| info.size)
}

/// VkRenderPassTileShadingCreateInfoQCOM, where it enables tile shading.
///
/// # Safety
/// `next` is the pNext of a valid struct.
pub unsafe fn tile_shading(next: *const c_void) -> Option<TileShading> {
    // SAFETY: by the caller's promise.
    let info = unsafe { find::<abi::RenderPassTileShadingCreateInfo>(next) }?;
    let shading = TileShading { flags: info.flags, apron: extent2(info.tile_apron_size) };
    (shading != TileShading::default()).then_some(shading)
}
