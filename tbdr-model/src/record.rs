//! The recorded run as a sequence of records: what a capture file holds line by line, and what a session is fed.

use crate::frame::{FrameStructure, SubmissionRef};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// One record of a run, in the order in which it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "record", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)]
pub enum Record {
    /// Always first.
    Run(Run),
    /// A frame structure that later [`FrameRecord`]s refer to by `id`.
    Structure {
        /// Number of the structure within the run, counted from 0.
        id: u32,
        /// The structure.
        frame: FrameStructure,
    },
    /// One frame of the program.
    Frame(FrameRecord),
    /// Frames that were not recorded.
    Gap(Gap),
    /// Work is submitted to more than one queue from here on.
    Queues(Queues),
    /// Lazily allocated memory was freed, and the driver said what it had committed for it.
    Commitment(Commitment),
    /// The device was destroyed or the process ended in order. A capture without it was cut short.
    End,
}

/// What is known of the run as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// Name of the program's executable, without its folder. Hostile.
    pub program: String,
    /// VkApplicationInfo::pApplicationName. Hostile.
    #[serde(default)]
    pub application: String,
    /// VkApplicationInfo::pEngineName. Hostile.
    #[serde(default)]
    pub engine: String,
    /// Version of the layer that recorded.
    pub layer_version: String,
    /// The device the program really ran on.
    pub device: Device,
    /// Settings in force that bear on the report, by key, as text.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// The physical device that the program ran on. It is modelled beside, never measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Device {
    /// VkPhysicalDeviceProperties::deviceName.
    pub name: String,
    /// vendorID.
    pub vendor_id: u32,
    /// deviceID.
    pub device_id: u32,
    /// apiVersion of the device, as `major.minor.patch`.
    pub api_version: String,
    /// driverVersion, as given.
    pub driver_version: u32,
    /// Device extensions that the application enabled, sorted.
    #[serde(default)]
    pub extensions: Vec<String>,
}

/// One occurrence of a frame structure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameRecord {
    /// Number of the frame within the run, counted from 0; frames that were not recorded have numbers too.
    pub index: u64,
    /// Its structure.
    pub structure: u32,
    /// Identity of each image of the structure: two frames with the same number used the same VkImage.
    #[serde(default)]
    pub images: Vec<u64>,
    /// Identity of each buffer of the structure.
    #[serde(default)]
    pub buffers: Vec<u64>,
    /// Identity of the swapchain images that were acquired since the frame before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acquired: Vec<u64>,
    /// Counters of each subpass of each pass, in order, then of the rest of the frame.
    #[serde(default)]
    pub counters: Vec<Counters>,
    /// What the host got to know to be complete, by fences, semaphores and idle waits; only where several queues are used and only
    /// what it did not know before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waited: Vec<Waited>,
    /// The host knew every submission of the frames before this number to be complete when it made the first of this one; 0 where it knew
    /// nothing, and where one queue is used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub complete_before: u64,
    /// Identities of the images that were destroyed since the frame before; nothing that comes later uses them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destroyed: Vec<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // What serde asks for.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Something that the host got to know to be complete: every submission to any queue that is made later follows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waited {
    /// Number of submissions of the frame that were made before.
    pub before: u32,
    /// What is complete, with all that was submitted to its queue before.
    pub done: SubmissionRef,
}

/// More queues than one have work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Queues {
    /// How many queues work was submitted to so far.
    pub count: u32,
    /// How many queues the device was created with; 0 where that is not known.
    #[serde(default)]
    pub created: u32,
    /// Every submission of the frames before this number was known to be complete when the newest of these queues got its first work.
    #[serde(default)]
    pub complete_before: u64,
}

/// What the driver had committed for lazily allocated memory (vkGetDeviceMemoryCommitment), asked right before it was freed. It follows the
/// frame in which that was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Commitment {
    /// Identities of the images that were ever bound to it, as in [`FrameRecord::images`].
    #[serde(default)]
    pub images: Vec<u64>,
    /// VkMemoryAllocateInfo::allocationSize in bytes.
    pub size: u64,
    /// Bytes that the driver backed with memory; 0 where the contents never left the chip.
    pub committed: u64,
}

/// What was counted in a subpass, or outside passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counters {
    /// Draws: every draw command counts as many as the CPU knows of, indirect ones too.
    #[serde(default)]
    pub draws: u64,
    /// Draw commands of which only the GPU knows the vertices, or also the number of draws (indirect, count buffers, generated commands).
    /// What the CPU knows of their draws is counted in `draws`; 0 where it knows nothing.
    #[serde(default)]
    pub indirect_draws: u64,
    /// Vertices or indices times instances of the direct draws.
    #[serde(default)]
    pub vertices: u64,
    /// Dispatches.
    #[serde(default)]
    pub dispatches: u64,
}

/// Frames that were not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// First missing frame.
    pub first: u64,
    /// Number of missing frames.
    pub count: u64,
    /// Why they are missing.
    pub reason: GapReason,
}

/// Why frames are missing from a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// The analysis was slower than the program, which is never made to wait.
    Overload,
    /// Outside the frames asked for.
    Selection,
    /// A fault of the layer.
    Fault,
    /// More distinct frames than the layer keeps.
    Limit,
    /// The capture reached the size it may have: nothing later was recorded.
    CaptureLimit,
}
