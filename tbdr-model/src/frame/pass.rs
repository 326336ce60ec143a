//! Render pass instances: vkCmdBeginRenderPass and vkCmdBeginRendering, in one form.

use super::{Aspects, Barrier, DrawFacts, Format, ImageRef, Layout, ShaderAccess, SubresourceRange};
use crate::units::{Extent2D, Extent3D, Rect2D};
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
    /// Fragment density map of the pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density_map: Option<AttachmentUse>,
    /// Whether the application forbids merging of its subpasses (VkRenderPassCreationControlEXT).
    #[serde(default, skip_serializing_if = "is_default")]
    pub disallow_merging: bool,
    /// Render area of each view, where views have their own (VK_QCOM_multiview_per_view_render_areas); `render_area` is around them all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub view_areas: Vec<Rect2D>,
    /// Bytes of tile memory that the application sets aside in the pass (VkTileMemorySizeInfoQCOM).
    #[serde(default, skip_serializing_if = "is_default")]
    pub tile_memory: u64,
    /// Tile shading, where it is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile_shading: Option<TileShading>,
    /// The tile that the driver of the device that ran the program named when the program asked for it (VK_QCOM_tile_properties).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_tile: Option<DriverTile>,
    /// What the driver of the device that ran the program said of merging when the program asked (VK_EXT_subpass_merge_feedback).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_merging: Option<DriverMerging>,
}

/// A driver's feedback on a render pass, as far as the program asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverMerging {
    /// VkRenderPassCreationFeedbackInfoEXT::postMergeSubpassCount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_merge_subpasses: Option<u32>,
    /// What was said of subpasses, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subpasses: Vec<DriverSubpass>,
}

/// A VkRenderPassSubpassFeedbackInfoEXT, as a driver has filled it in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverSubpass {
    /// Index of the subpass.
    pub subpass: u32,
    /// VkSubpassMergeStatusEXT.
    pub status: i32,
    /// Index after merging.
    pub post_merge_index: u32,
    /// The driver's words. Hostile.
    #[serde(default)]
    pub description: String,
}

/// A VkRenderPassTileShadingCreateInfoQCOM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TileShading {
    /// VkTileShadingRenderPassFlagsQCOM.
    pub flags: u32,
    /// Pixels around a tile that its shaders reach, in x and y.
    pub apron: Extent2D,
}

/// A VkTilePropertiesQCOM, as a driver has filled it in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverTile {
    /// Pixels of a tile in x and y, and its layers.
    pub size: Extent3D,
    /// Pixels of its apron in x and y.
    pub apron: Extent2D,
    /// Top left corner of the first tile.
    pub origin: [i32; 2],
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
    /// Layout of the stencil aspect after the pass, where it differs in kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stencil_final_layout: Option<Layout>,
    /// VkAttachmentDescriptionFlags.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flags: u32,
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
    /// VkSubpassDescriptionFlags; for dynamic rendering those that mean what its VkRenderingFlags mean.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flags: u32,
    /// Samples per pixel that it renders with where they exist on chip only (VkMultisampledRenderToSingleSampledInfoEXT); 0 without.
    #[serde(default, skip_serializing_if = "is_default")]
    pub samples: u32,
    /// Fragment shading rate attachment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shading_rate: Option<ShadingRateUse>,
    /// Whether the application forbids merging it with earlier subpasses (VkRenderPassCreationControlEXT).
    #[serde(default, skip_serializing_if = "is_default")]
    pub disallow_merging: bool,
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

impl Subpass {
    /// VK_SUBPASS_DESCRIPTION_CUSTOM_RESOLVE_BIT_EXT: its draws resolve.
    pub const CUSTOM_RESOLVE: u32 = 0x8;
    /// VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT.
    pub const LEGACY_DITHERING: u32 = 0x80;

    /// The attachments that it renders to, in the order colour, depth, stencil.
    pub fn targets(&self) -> impl Iterator<Item = &AttachmentUse> {
        self.color.iter().chain([&self.depth, &self.stencil]).flatten()
    }
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
    /// Whether shaders may sample it while it is rendered to: an attachment feedback loop, by layout or by VkAttachmentFeedbackLoopInfoEXT.
    #[serde(default, skip_serializing_if = "is_default")]
    pub feedback: bool,
}

/// A fragment shading rate attachment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadingRateUse {
    /// Index into [`Pass::attachments`].
    pub attachment: u32,
    /// Layout during the subpass.
    pub layout: Layout,
    /// Pixels of the framebuffer for which one of its texels stands.
    pub texel: Extent2D,
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
    /// Whether it may not happen: it stands under conditional rendering (VK_EXT_conditional_rendering).
    #[serde(default, skip_serializing_if = "is_default")]
    pub conditional: bool,
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
    /// Which view of the source a view of the destination depends on, relative to its own; other than 0 with VIEW_LOCAL only.
    #[serde(default, skip_serializing_if = "is_default")]
    pub view_offset: i32,
}

impl Dependency {
    /// VK_DEPENDENCY_BY_REGION_BIT.
    pub const BY_REGION: u32 = 0x1;
}
