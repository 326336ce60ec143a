//! From Vulkan's structs to the model's values: no pointer of the application survives it.
//!
//! Inputs: structs of a call in progress. Outputs: owned values. Unknown enum values and chained structs are passed over or
//! listed as not modelled, never refused.

pub mod barrier;
pub mod chained;
pub mod descriptor;
pub mod image;
pub mod instance;
pub mod pass;
pub mod pipeline;
pub mod rendering;
pub mod shader;
pub mod transfer;

use ash::vk;
use tbdr_model::frame::{Aspects, Format, Layout, LoadOp, StoreOp, SubresourceRange};
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// VkAttachmentLoadOp. An unknown operation keeps the contents, as far as anyone can tell.
pub fn load_op(op: vk::AttachmentLoadOp) -> LoadOp {
    match op {
        vk::AttachmentLoadOp::CLEAR => LoadOp::Clear,
        vk::AttachmentLoadOp::DONT_CARE => LoadOp::DontCare,
        vk::AttachmentLoadOp::NONE_KHR => LoadOp::None,
        _ => LoadOp::Load,
    }
}

/// VkAttachmentStoreOp.
pub fn store_op(op: vk::AttachmentStoreOp) -> StoreOp {
    match op {
        vk::AttachmentStoreOp::DONT_CARE => StoreOp::DontCare,
        vk::AttachmentStoreOp::NONE => StoreOp::None,
        _ => StoreOp::Store,
    }
}

/// VkFormat.
pub fn format(format: vk::Format) -> Format {
    Format(format.as_raw())
}

/// VkImageLayout.
pub fn layout(layout: vk::ImageLayout) -> Layout {
    Layout(layout.as_raw())
}

/// VkExtent3D.
pub fn extent3(e: vk::Extent3D) -> Extent3D {
    Extent3D { width: e.width, height: e.height, depth: e.depth }
}

/// VkExtent2D.
pub fn extent2(e: vk::Extent2D) -> Extent2D {
    Extent2D::new(e.width, e.height)
}

/// VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT.
pub const FEEDBACK_LOOP: vk::ImageLayout = vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT;

/// VkRect2D.
pub fn rect(r: vk::Rect2D) -> Rect2D {
    Rect2D { x: r.offset.x, y: r.offset.y, extent: extent2(r.extent) }
}

/// VkImageSubresourceRange, VK_REMAINING_* unresolved.
pub fn range(r: &vk::ImageSubresourceRange) -> SubresourceRange {
    SubresourceRange {
        aspects: Aspects(r.aspect_mask.as_raw()),
        base_mip: r.base_mip_level,
        mips: r.level_count,
        base_layer: r.base_array_layer,
        layers: r.layer_count,
    }
}

/// Which of depth and stencil a format has.
pub fn depth_stencil(format: vk::Format) -> (bool, bool) {
    let aspects = tbdr_model::format::info(Format(format.as_raw())).map_or(Aspects::default(), |info| info.aspects());
    (aspects.contains(Aspects::DEPTH), aspects.contains(Aspects::STENCIL))
}

/// The name of a chained struct that is not modelled.
pub fn struct_name(s_type: vk::StructureType) -> String {
    format!("struct {s_type:?}")
}
