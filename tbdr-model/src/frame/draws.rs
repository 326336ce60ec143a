//! What the draws of a subpass can do to its attachments, folded over all of them.

use crate::units::Rect2D;
use serde::{Deserialize, Serialize};

/// The state of all draws of a subpass together: a bit is set if it holds for any draw.
///
/// Bits are bounds from above: a draw with a write mask may cover no pixel. What is not set is certain where [`known`](Self::known) is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrawFacts {
    /// Whether the state of every draw is known. Otherwise a bit that is not set proves nothing.
    #[serde(default)]
    pub known: bool,
    /// Whether some draw may not happen: it stands under conditional rendering (VK_EXT_conditional_rendering).
    #[serde(default, skip_serializing_if = "is_default")]
    pub conditional: bool,
    /// Colour slots (bit n is slot n) that some draw may write: a write mask that is not zero.
    #[serde(default)]
    pub color_writes: u32,
    /// Colour slots that some draw blends, or combines by a logical operation: the destination is read.
    #[serde(default)]
    pub color_reads: u32,
    /// VkColorComponentFlags that some draw may write, for the first eight colour slots.
    #[serde(default, skip_serializing_if = "is_default")]
    pub color_masks: [u8; 8],
    /// VkLogicOp of draws with logic operations: bit n is the operation of value n.
    #[serde(default, skip_serializing_if = "is_default")]
    pub logic_ops: u32,
    /// Some draw tests depth (with a comparison that reads it) or bounds of it.
    #[serde(default)]
    pub depth_tests: bool,
    /// Some draw may write depth.
    #[serde(default)]
    pub depth_writes: bool,
    /// VkCompareOp of draws with the depth test enabled: bit n is the operation of value n.
    #[serde(default, skip_serializing_if = "is_default")]
    pub depth_compares: u32,
    /// Some draw tests depth bounds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub depth_bounds: bool,
    /// Some draw clamps depth.
    #[serde(default, skip_serializing_if = "is_default")]
    pub depth_clamp: bool,
    /// Some draw tests stencil or updates it from what is there.
    #[serde(default)]
    pub stencil_tests: bool,
    /// Some draw may write stencil.
    #[serde(default)]
    pub stencil_writes: bool,
    /// VkImageAspectFlags of attachments that some draw may sample while it renders to them (feedback loops).
    #[serde(default, skip_serializing_if = "is_default")]
    pub feedback: u32,
    /// Some draw turns alpha into coverage.
    #[serde(default, skip_serializing_if = "is_default")]
    pub alpha_to_coverage: bool,
    /// With several samples per pixel: no draw runs its fragment shader once for each sample, neither by sampleShadingEnable nor because
    /// the shader asks for it. `false` where that is not known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pixel_shading: bool,
    /// Rectangle around the scissors of all draws, within the render area and rounded out to [`GRAIN`]; `None` if there is no draw or one
    /// whose scissor is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scissor: Option<Rect2D>,
    /// Rectangle around the viewports of all draws, as [`scissor`](Self::scissor). Wide points and lines reach beyond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Rect2D>,
    /// VkSampleCountFlagBits of the rasterization, of all draws.
    #[serde(default)]
    pub samples: u32,
    /// VkPrimitiveTopology of all draws: bit n is the topology of value n. Mesh shaders have none.
    #[serde(default)]
    pub topologies: u32,
    /// Vertex buffer bindings that some draw fetches from: bit n is binding n. What is bound beside them is not used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub vertex_bindings: u32,
    /// Bytes from vertex to vertex, of all bindings with VK_VERTEX_INPUT_RATE_VERTEX together: the most that some draw has.
    #[serde(default, skip_serializing_if = "is_default")]
    pub vertex_stride: u32,
    /// The same from instance to instance, of bindings with VK_VERTEX_INPUT_RATE_INSTANCE.
    #[serde(default, skip_serializing_if = "is_default")]
    pub instance_stride: u32,
}

/// Pixels to which rectangles of draws are rounded out: what moves by a little from frame to frame is the same frame.
pub const GRAIN: u32 = 64;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl DrawFacts {
    /// Takes in other draws.
    pub fn merge(&mut self, other: Self) {
        let around = |own: Option<Rect2D>, others: Option<Rect2D>| match (self.rasterizes(), other.rasterizes()) {
            (true, true) => own.zip(others).map(|(a, b)| a.union(b)),
            (true, false) => own,
            (false, _) => others,
        };
        let (scissor, viewport) = (around(self.scissor, other.scissor), around(self.viewport, other.viewport));
        (self.scissor, self.viewport) = (scissor, viewport);
        self.pixel_shading = match (self.rasterizes(), other.rasterizes()) {
            (true, true) => self.pixel_shading && other.pixel_shading,
            (true, false) => self.pixel_shading,
            (false, _) => other.pixel_shading,
        };
        self.known &= other.known;
        self.conditional |= other.conditional;
        self.color_writes |= other.color_writes;
        self.color_reads |= other.color_reads;
        for (mask, other) in self.color_masks.iter_mut().zip(other.color_masks) {
            *mask |= other;
        }
        self.logic_ops |= other.logic_ops;
        self.depth_tests |= other.depth_tests;
        self.depth_writes |= other.depth_writes;
        self.depth_compares |= other.depth_compares;
        self.depth_bounds |= other.depth_bounds;
        self.depth_clamp |= other.depth_clamp;
        self.stencil_tests |= other.stencil_tests;
        self.stencil_writes |= other.stencil_writes;
        self.feedback |= other.feedback;
        self.alpha_to_coverage |= other.alpha_to_coverage;
        self.samples |= other.samples;
        self.topologies |= other.topologies;
        self.vertex_bindings |= other.vertex_bindings;
        self.vertex_stride = self.vertex_stride.max(other.vertex_stride);
        self.instance_stride = self.instance_stride.max(other.instance_stride);
    }

    /// Whether some draw may reach the rasterizer. One that discards all primitives before has no sample count.
    fn rasterizes(&self) -> bool {
        !self.known || self.samples != 0
    }

    /// What of it concerns a subpass with so many colour slots, rendered in this area.
    pub fn within(self, slots: usize, area: Rect2D) -> Self {
        let present =
            u32::try_from(slots).ok().and_then(|n| u32::MAX.checked_shl(n)).map_or(u32::MAX, |absent| !absent);
        let mut masks = self.color_masks;
        for (slot, mask) in masks.iter_mut().enumerate() {
            *mask = if slot < slots { *mask } else { 0 };
        }
        Self {
            color_writes: self.color_writes & present,
            color_reads: self.color_reads & present,
            color_masks: masks,
            scissor: self.scissor.map(|s| s.rounded_out(GRAIN).intersection(area)),
            viewport: self.viewport.map(|v| v.rounded_out(GRAIN).intersection(area)),
            ..self
        }
    }
}
