//! A hardware render as pvr sets it up: its subpasses, where they keep what, what is initialised and what is stored.

use super::storage::{Place, Storage};
use crate::frame::LoadOp;
use alloc::vec::Vec;

/// A hardware render.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Render {
    /// Its subpasses, in order of execution.
    pub slots: Vec<Slot>,
    /// Samples per pixel.
    pub samples: u32,
    /// View mask.
    pub view_mask: u32,
    /// Output registers set aside per sample, a power of two.
    pub registers: u32,
    /// Tile buffers in memory.
    pub tile_buffers: u32,
    /// Most dwords of colour storage taken at once, tile buffers included.
    pub dwords: u32,
    /// The depth/stencil attachment whose memory or clear value the render is bound to.
    pub depth: Option<u32>,
    /// How depth starts.
    pub depth_init: LoadOp,
    /// How stencil starts.
    pub stencil_init: LoadOp,
    /// The attachment that depth and stencil are loaded from.
    pub depth_source: Option<u32>,
    /// The attachment that depth and stencil are stored to.
    pub depth_target: Option<u32>,
    /// Depth is stored.
    pub depth_store: bool,
    /// Stencil is stored.
    pub stencil_store: bool,
    /// The attachment that depth or stencil is resolved to behind the render.
    pub depth_resolve: Option<u32>,
    /// Attachments loaded or cleared when the render starts.
    pub color_init: Vec<(u32, LoadOp)>,
    /// Attachments loaded or cleared when a subpass starts, whose registers served another one before: the subpass, the
    /// attachment and the operation.
    pub late_init: Vec<(usize, u32, LoadOp)>,
    /// What leaves the chip at the end.
    pub stores: Vec<Store>,
    /// Some colour found room nowhere: the driver does not expect that.
    pub overflows: bool,
}

/// A subpass within a render.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Index of the subpass.
    pub subpass: usize,
    /// Its depth/stencil attachment.
    pub depth: Option<u32>,
    /// Place of each colour slot.
    pub color: Vec<Option<Place>>,
    /// Operation at the first use of each colour slot in the render.
    pub(super) color_init: Vec<LoadOp>,
    /// Depth operation at its start.
    pub(super) depth_init: LoadOp,
    /// Stencil is cleared at its start.
    pub(super) stencil_clear: bool,
    /// Where each input attachment is read.
    pub input: Vec<Option<Access>>,
    /// Its depth is copied to colour storage.
    pub copies_depth: bool,
    /// What is taken while it runs.
    pub(super) storage: Storage,
}

/// Where an input attachment is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// From colour storage.
    OnChip(Place),
    /// From the copy of depth in colour storage.
    DepthCopy(Place),
    /// From memory.
    Memory,
}

/// What leaves the chip at the end of a render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// The attachment written.
    pub attachment: u32,
    /// Where its value lies on chip, if it is there.
    pub place: Option<Place>,
    /// The attachment resolved, and how.
    pub resolve: Option<(u32, Resolve)>,
}

/// How a colour attachment is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolve {
    /// While it is written.
    Pbe,
    /// By a job of its own that reads the stored samples.
    Transfer,
}
