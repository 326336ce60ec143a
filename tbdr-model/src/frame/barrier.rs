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
    /// The events it waits for, by their numbers in the frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventRef>,
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

/// Number of a VkEvent in the frame, in order of first use. An event that is waited for and not set before in the frame was set by the
/// host or in an earlier frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct EventRef(pub u32);

/// A vkCmdSetEvent(2) or vkCmdResetEvent(2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventOp {
    /// The event.
    pub event: EventRef,
    /// What happens to it.
    pub action: EventAction,
    /// VkPipelineStageFlags2 after which it happens.
    #[serde(default)]
    pub stages: u64,
}

/// What happens to an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EventAction {
    /// It is signalled.
    #[default]
    Set,
    /// It is unsignalled.
    Reset,
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
