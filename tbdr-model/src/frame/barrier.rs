//! Pipeline barriers and event waits.

use super::{BufferRef, ImageRef, Layout, SubresourceRange};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Stages and accesses on both sides of a memory dependency, as VkPipelineStageFlags2 and VkAccessFlags2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scope {
    /// Source stages.
    pub src_stages: u64,
    /// Source accesses.
    pub src_access: u64,
    /// Destination stages.
    pub dst_stages: u64,
    /// Destination accesses.
    pub dst_access: u64,
}

/// One vkCmdPipelineBarrier(2) or vkCmdWaitEvents(2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Barrier {
    /// VkDependencyFlags.
    #[serde(default)]
    pub flags: u32,
    /// Whether it waits for events.
    #[serde(default)]
    pub event: bool,
    /// Execution scope of the whole command (synchronization 1); zero where each barrier carries its own.
    #[serde(default)]
    pub stages: Scope,
    /// Global memory barriers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<Scope>,
    /// Buffer memory barriers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferBarrier>,
    /// Image memory barriers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageBarrier>,
}

/// A VkBufferMemoryBarrier2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BufferBarrier {
    /// The buffer.
    pub buffer: Option<BufferRef>,
    /// Stages and accesses.
    pub scope: Scope,
    /// Source and destination queue family, if ownership moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub families: Option<(u32, u32)>,
}

/// A VkImageMemoryBarrier2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageBarrier {
    /// The image.
    pub image: Option<ImageRef>,
    /// The part of it.
    pub range: SubresourceRange,
    /// Stages and accesses.
    pub scope: Scope,
    /// Layout before.
    pub old_layout: Layout,
    /// Layout after.
    pub new_layout: Layout,
    /// Source and destination queue family, if ownership moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub families: Option<(u32, u32)>,
}
