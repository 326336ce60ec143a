//! Structs that extend render passes, their instances and dynamic rendering (the registry's `structextends`): each is modelled, or known
//! to change no byte, or named in the report as not modelled, which leaves verdicts undecided.

use super::struct_name;
use crate::abi::{chain, external, s_type};
use ash::vk::StructureType as S;
use std::ffi::c_void;

/// Whether the struct is modelled, or known to change no byte.
fn is_decided(s_type: S) -> bool {
    matches!(
        s_type,
        // Render passes and subpasses. The feedback structs are written by the driver and only read by the application.
        S::RENDER_PASS_MULTIVIEW_CREATE_INFO
            | S::RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO
            | S::RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT
            | S::RENDER_PASS_CREATION_CONTROL_EXT
            | S::RENDER_PASS_CREATION_FEEDBACK_CREATE_INFO_EXT
            | S::RENDER_PASS_SUBPASS_FEEDBACK_CREATE_INFO_EXT
            | S::SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE
            | S::FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR
            | S::MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT
            | S::MEMORY_BARRIER_2
    ) || matches!(
        s_type,
        // Attachments. An external format has no number: the report says that its bytes are not known.
        S::ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT
            | S::ATTACHMENT_REFERENCE_STENCIL_LAYOUT
            | S::EXTERNAL_FORMAT_ANDROID
            | external::EXTERNAL_FORMAT_OHOS
    ) || matches!(
        s_type,
        // Instances of render passes and dynamic rendering.
        S::RENDER_PASS_ATTACHMENT_BEGIN_INFO
            | S::DEVICE_GROUP_RENDER_PASS_BEGIN_INFO
            | S::RENDER_PASS_TRANSFORM_BEGIN_INFO_QCOM
            | S::MULTIVIEW_PER_VIEW_RENDER_AREAS_RENDER_PASS_BEGIN_INFO_QCOM
            | S::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR
            | S::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT
    ) || is_of_newer_headers(s_type)
        || is_without_influence(s_type)
}

/// Modelled, and declared in `crate::abi`.
fn is_of_newer_headers(s_type: S) -> bool {
    use crate::abi::{
        AttachmentFeedbackLoopInfo, RenderPassTileShadingCreateInfo, RenderingAttachmentFlagsInfo, TileMemorySizeInfo,
    };
    use ash::vk::TaggedStructure;
    [
        RenderPassTileShadingCreateInfo::STRUCTURE_TYPE,
        TileMemorySizeInfo::STRUCTURE_TYPE,
        AttachmentFeedbackLoopInfo::STRUCTURE_TYPE,
        RenderingAttachmentFlagsInfo::STRUCTURE_TYPE,
    ]
    .contains(&s_type)
}

/// Structs that change what is drawn, or how it is ordered or counted, and no byte of an attachment.
fn is_without_influence(s_type: S) -> bool {
    matches!(
        s_type,
        // Where samples lie within a pixel.
        S::RENDER_PASS_SAMPLE_LOCATIONS_BEGIN_INFO_EXT
            // When parts of the render area are signalled as done.
            | S::RENDER_PASS_STRIPE_BEGIN_INFO_ARM
            // Counters, written to buffers.
            | s_type::PERFORMANCE_COUNTERS_BY_REGION_BEGIN_INFO_ARM
            // Which vertex outputs exist per view.
            | S::MULTIVIEW_PER_VIEW_ATTRIBUTES_INFO_NVX
            // Where the density map is laid over the framebuffer.
            | S::SUBPASS_FRAGMENT_DENSITY_MAP_OFFSET_END_INFO_QCOM
            // Access bits beyond the 64 of the barrier it extends: nothing here asks for them.
            | s_type::MEMORY_BARRIER_ACCESS_FLAGS_3_KHR
    )
}

/// The chained structs that are not decided, by name.
///
/// # Safety
/// `next` is the pNext of a valid struct.
pub unsafe fn unmodelled(next: *const c_void) -> impl Iterator<Item = String> {
    // SAFETY: by the caller's promise.
    unsafe { chain(next) }.filter(|s| !is_decided(s.s_type)).map(|s| struct_name(s.s_type))
}
