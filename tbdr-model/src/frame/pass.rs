//! Render pass instances: vkCmdBeginRenderPass and vkCmdBeginRendering, in one form.

use super::{Aspects, Barrier, DrawFacts, Format, ImageRef, Layout, ShaderAccess, SubresourceRange};
use crate::units::{Extent2D, Rect2D};
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// One render pass instance. A dynamic rendering instance has one subpass; its resolve targets are attachments of their own
/// (loaded DONT_CARE, stored STORE). An instance that is suspended and resumed is one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pass {
    /// Debug label regions around the pass, outermost first (queue labels, then command buffer labels). Hostile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Debug name of the VkRenderPass, else of the VkFramebuffer. Hostile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether vkCmdBeginRendering began it.
    #[serde(default)]
    pub dynamic: bool,
    /// The render area.
    pub render_area: Rect2D,
    /// Size of the VkFramebuffer; for dynamic rendering the render area's offset plus extent.
    pub extent: Extent2D,
    /// Framebuffer layers (1 with multiview: see [`Subpass::view_mask`]).
    pub layers: u32,
    /// Attachments, in the order of the render pass.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// Subpasses, in order; at least one.
    pub subpasses: Vec<Subpass>,
    /// Subpass dependencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Dependency>,
}

/// One attachment of a pass, with what the pass does to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attachment {
    /// The image, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageRef>,
    /// The part of the image that the view shows.
    pub range: SubresourceRange,
    /// Format of the view.
    pub format: Format,
    /// Samples per pixel.
    pub samples: u32,
    /// loadOp of the colour or depth aspect.
    pub load: LoadOp,
    /// storeOp of the colour or depth aspect.
    pub store: StoreOp,
    /// loadOp of the stencil aspect.
    pub stencil_load: LoadOp,
    /// storeOp of the stencil aspect.
    pub stencil_store: StoreOp,
    /// Layout before the pass; of depth where stencil has a layout of its own.
    pub initial_layout: Layout,
    /// Layout of the stencil aspect before the pass, where it differs in kind (VkAttachmentDescriptionStencilLayout).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stencil_initial_layout: Option<Layout>,
    /// Layout after the pass.
    pub final_layout: Layout,
}

/// VkAttachmentLoadOp, spelled as in the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LoadOp {
    /// Previous contents are kept.
    Load,
    /// Contents become the clear value.
    Clear,
    /// Contents become undefined.
    #[default]
    DontCare,
    /// Contents are not accessed (VK_KHR_load_store_op_none and its kin).
    None,
}

/// VkAttachmentStoreOp, spelled as in the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StoreOp {
    /// Contents are written to memory.
    Store,
    /// Contents may be dropped.
    #[default]
    DontCare,
    /// Contents are not written by the store operation.
    None,
}

/// One subpass: which attachments it uses how, and what ran in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subpass {
    /// Colour attachment slots; `None` is VK_ATTACHMENT_UNUSED.
    #[serde(default)]
    pub color: Vec<Option<AttachmentUse>>,
    /// Resolve targets, one per colour slot, or empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolve: Vec<Option<ResolveUse>>,
    /// Depth aspect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<AttachmentUse>,
    /// Stencil aspect; with a combined format usually the same attachment as `depth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stencil: Option<AttachmentUse>,
    /// Depth resolve target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_resolve: Option<ResolveUse>,
    /// Stencil resolve target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stencil_resolve: Option<ResolveUse>,
    /// Input attachment slots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<Option<AttachmentUse>>,
    /// Preserved attachments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preserve: Vec<u32>,
    /// Multiview mask; 0 without multiview.
    #[serde(default)]
    pub view_mask: u32,
    /// Whether any draw ran (how many is in the frame's counters).
    #[serde(default)]
    pub drawn: bool,
    /// What the draws can do to the attachments; meaningless without a draw.
    #[serde(default, skip_serializing_if = "is_default")]
    pub draws: DrawFacts,
    /// What the shaders of the draws reach; meaningless without a draw. No GPU decides by it: passes that differ in it alone are modelled
    /// once (`model::alike`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub shader: ShaderAccess,
    /// vkCmdClearAttachments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clears: Vec<ClearAttachment>,
    /// Barriers inside the subpass, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers: Vec<Barrier>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A reference to an attachment of the pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttachmentUse {
    /// Index into [`Pass::attachments`].
    pub attachment: u32,
    /// Layout during the subpass.
    pub layout: Layout,
    /// For input attachments the aspects that may be read; empty elsewhere.
    #[serde(default)]
    pub aspects: Aspects,
}

/// A reference to a resolve target of the pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResolveUse {
    /// Index into [`Pass::attachments`].
    pub attachment: u32,
    /// Layout during the subpass.
    pub layout: Layout,
    /// VkResolveModeFlagBits.
    pub mode: u32,
}

/// One attachment of a vkCmdClearAttachments with its rectangles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClearAttachment {
    /// Aspects cleared.
    pub aspects: Aspects,
    /// Colour slot of the subpass; meaningless for depth and stencil.
    pub slot: u32,
    /// Rectangles with first layer and number of layers.
    pub rects: Vec<(Rect2D, u32, u32)>,
    /// Whether a draw of this subpass came before.
    #[serde(default)]
    pub after_draw: bool,
}

/// VK_SUBPASS_EXTERNAL.
pub const SUBPASS_EXTERNAL: u32 = u32::MAX;

/// A VkSubpassDependency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dependency {
    /// Source subpass, or [`SUBPASS_EXTERNAL`].
    pub src: u32,
    /// Destination subpass, or [`SUBPASS_EXTERNAL`].
    pub dst: u32,
    /// VkPipelineStageFlags2.
    pub src_stages: u64,
    /// VkPipelineStageFlags2.
    pub dst_stages: u64,
    /// VkAccessFlags2.
    pub src_access: u64,
    /// VkAccessFlags2.
    pub dst_access: u64,
    /// VkDependencyFlags.
    pub flags: u32,
}

impl Dependency {
    /// VK_DEPENDENCY_BY_REGION_BIT.
    pub const BY_REGION: u32 = 0x1;
}
