//! The recorded frame: what the program asked of Vulkan, with every pointer and handle resolved.
//!
//! A [`FrameStructure`] is free of handles: images and buffers are numbered in the order in which the frame first uses
//! them, so that the same frame recorded with other swapchain images, other framebuffers in flight or in the next run is
//! the same value. What differs between two occurrences of one structure (which image played which role, how many draws
//! ran) is kept beside it in [`crate::record::FrameRecord`].
//!
//! Numbers are Vulkan's own: formats, layouts, stages, accesses, usages and flags carry the values of the specification.

mod barrier;
mod draws;
mod pass;
mod references;
mod resource;
mod shader;
mod transfer;

pub use barrier::*;
pub use draws::*;
pub use pass::*;
pub(crate) use references::renumber;
pub use resource::*;
pub use shader::*;
pub use transfer::*;

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What a frame does, in submission order, free of handles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameStructure {
    /// Images, in order of first use. [`ImageRef`] indexes this list.
    #[serde(default)]
    pub images: Vec<Image>,
    /// Buffers, in order of first use. [`BufferRef`] indexes this list.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// Submissions, in the order in which the application made them.
    #[serde(default)]
    pub submissions: Vec<Submission>,
    /// Images that were presented, or named by a frame boundary, after the frame before had been closed and before anything of this one was
    /// submitted: a second window, or a present of a frame still in flight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early_outputs: Vec<Output>,
    /// Images that leave the frame: presented, or named by a frame boundary or by the `outputs` setting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Output>,
    /// What ended the frame.
    pub boundary: Boundary,
    /// Commands, structs and extensions that were seen and are not modelled, each once, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmodelled: Vec<String>,
}

impl FrameStructure {
    /// Every operation of the frame, in submission order.
    pub fn ops(&self) -> impl Iterator<Item = &Op> {
        self.submissions.iter().flat_map(|s| s.ops.iter())
    }

    /// Every operation of the frame, in submission order, with whether the host itself does it.
    pub fn ops_by_maker(&self) -> impl Iterator<Item = (bool, &Op)> {
        self.submissions.iter().flat_map(|s| s.ops.iter().map(move |op| (s.queue == HOST_QUEUE, op)))
    }

    /// Every render pass instance of the frame, in submission order.
    pub fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.ops().filter_map(|op| match op {
            Op::Pass(pass) => Some(pass),
            _ => None,
        })
    }
}

/// One batch of a vkQueueSubmit or vkQueueSubmit2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Submission {
    /// Number of the queue, in the order in which the queues of the device were first submitted to.
    pub queue: u32,
    /// Queue family index, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<u32>,
    /// Newest submissions of other queues that are complete before this one begins, by semaphores and by what the host waited for; at most
    /// one for each queue, and only where it says more than the submission before on this queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<SubmissionRef>,
    /// Whether the host is known to have waited for nothing since the submission before it in the frame: it looked at no fence,
    /// semaphore or query, so that what it recorded and wrote since then does not rest on that work being done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unwaited: bool,
    /// At which stages its semaphores are waited for and signalled, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semaphores: Option<SemaphoreStages>,
    /// What the command buffers of the batch do, in order.
    #[serde(default)]
    pub ops: Vec<Op>,
}

/// Stages of the semaphores of a batch, and of batches without command buffers right before it on its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SemaphoreStages {
    /// What waits for semaphores. Those of the acquisition of swapchain images are among them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub waits: StageMasks,
    /// What semaphores are signalled after that are not signalled after everything.
    #[serde(default, skip_serializing_if = "is_default")]
    pub signals: StageMasks,
}

/// VkPipelineStageFlags2 of some semaphores; both are 0 if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageMasks {
    /// Stages of any of them.
    pub any: u64,
    /// Stages that all of them have.
    pub every: u64,
}

impl StageMasks {
    /// One more semaphore.
    #[must_use]
    pub const fn and(self, mask: u64) -> Self {
        self.with(Self { any: mask, every: mask })
    }

    /// Those of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        match (self.any, other.any) {
            (_, 0) => self,
            (0, _) => other,
            _ => Self { any: self.any | other.any, every: self.every & other.every },
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// [`Submission::queue`] of what the host does to images itself (host image copies). The host is ordered with every queue: valid usage has it
/// wait for whatever else touches the image.
pub const HOST_QUEUE: u32 = u32::MAX;

/// A submission of this frame or of an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubmissionRef {
    /// How many frames earlier; 0 is this frame, where it may also stand later in the list (wait before signal).
    pub frames_ago: u32,
    /// Index into that frame's [`FrameStructure::submissions`].
    pub submission: u32,
}

/// One operation on a queue. Command buffer boundaries do not exist here: how work is split over command buffers does not
/// change what it costs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)]
pub enum Op {
    /// A render pass instance or a dynamic rendering instance.
    Pass(Pass),
    /// A copy, blit, resolve, clear, fill or update.
    Transfer(Transfer),
    /// Pipeline barriers and event waits outside render passes.
    Barrier(Barrier),
    /// An event is set or reset.
    Event(EventOp),
    /// Dispatches.
    Dispatch(Dispatch),
    /// Work that is not modelled.
    Opaque(Opaque),
}

/// An image that leaves the frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Output {
    /// The image.
    pub image: ImageRef,
    /// Why it counts as an output.
    pub reason: OutputReason,
}

/// Why an image counts as an output of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OutputReason {
    /// vkQueuePresentKHR.
    Present,
    /// Listed in a VkFrameBoundaryEXT.
    FrameBoundary,
    /// Named by the `outputs` setting.
    Setting,
    /// Copied to memory that the host can read.
    HostCopy,
    /// A shared presentable image, which is on screen all the time.
    AlwaysShown,
}

/// What ended a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// vkQueuePresentKHR.
    Present,
    /// VkFrameBoundaryEXT with VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT.
    FrameBoundary,
    /// The `frame_submits` setting.
    Submits,
    /// The device was destroyed or the process ended.
    #[default]
    End,
    /// The frame held more work than the layer keeps in memory and was closed early.
    Limit,
}
