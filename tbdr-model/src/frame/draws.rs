//! What the draws of a subpass can do to its attachments, folded over all of them.

use crate::units::Rect2D;
use serde::{Deserialize, Serialize};

/// The state of all draws of a subpass together: a bit is set if it holds for any draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrawFacts {
    /// Whether the state of every draw is known. Otherwise a bit that is not set proves nothing.
    #[serde(default)]
    pub known: bool,
    /// Colour slots (bit n is slot n) that some draw may write: a write mask that is not zero.
    #[serde(default)]
    pub color_writes: u32,
    /// Colour slots that some draw blends, or combines by a logical operation: the destination is read.
    #[serde(default)]
    pub color_reads: u32,
    /// Some draw tests depth (with a comparison that reads it) or bounds of it.
    #[serde(default)]
    pub depth_tests: bool,
    /// Some draw may write depth.
    #[serde(default)]
    pub depth_writes: bool,
    /// Some draw tests stencil or updates it from what is there.
    #[serde(default)]
    pub stencil_tests: bool,
    /// Some draw may write stencil.
    #[serde(default)]
    pub stencil_writes: bool,
    /// Smallest rectangle around the scissors of all draws; `None` if there is no draw or one whose scissor is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scissor: Option<Rect2D>,
    /// VkSampleCountFlagBits of the rasterization, of all draws.
    #[serde(default)]
    pub samples: u32,
    /// VkPrimitiveTopology of all draws: bit n is the topology of value n.
    #[serde(default)]
    pub topologies: u32,
}

impl DrawFacts {
    /// Takes in other draws.
    pub fn merge(&mut self, other: Self) {
        self.known &= other.known;
        self.color_writes |= other.color_writes;
        self.color_reads |= other.color_reads;
        self.depth_tests |= other.depth_tests;
        self.depth_writes |= other.depth_writes;
        self.stencil_tests |= other.stencil_tests;
        self.stencil_writes |= other.stencil_writes;
        self.scissor = self.scissor.zip(other.scissor).map(|(a, b)| a.union(b));
        self.samples |= other.samples;
        self.topologies |= other.topologies;
    }
}
