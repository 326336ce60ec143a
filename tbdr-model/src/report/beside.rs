//! What stands beside the totals of a GPU: shader and display reads, what compression leaves, and the least that must move.

use super::{Basis, Direction};
use crate::units::Bytes;
use alloc::borrow::Cow;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// From and to, in bytes. Serialised as `[low, high]`.
pub type Interval = [Bytes; 2];

/// Bytes that are left of what is read and written where compression applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compressed {
    /// Of the read entries, `[low, high]`.
    pub read: Interval,
    /// Of the write entries, `[low, high]`.
    pub write: Interval,
}

/// A debit that is part of neither `read_bytes` nor `write_bytes`: shaders that reach an image through descriptors, or the display.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BesideEntry {
    /// Index into `Frame::passes` of the pass whose shaders it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<u32>,
    /// Number of the dispatch in the frame; dispatches without a barrier between them are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u32>,
    /// `Image::id`. Hostile.
    pub image: String,
    /// `color`, `depth` or `stencil`.
    pub aspect: Cow<'static, str>,
    /// `sampled`, `storage_read`, `storage_write` or `present`.
    pub cause: Cow<'static, str>,
    /// Whether DRAM is read or written.
    pub direction: Direction,
    /// Bytes: every texel that the views show once, with all its samples.
    pub bytes: Bytes,
    /// Of a multisampled image that is sampled: one sample of every texel, which is what a shader reads that fetches always the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_sample_bytes: Option<Bytes>,
    /// How far the figure may be off. A `bound` of shaders holds if caches keep a texel until it is not read any more.
    pub basis: Basis,
    /// What compression leaves of it, `[low, high]`; absent where none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed: Option<Interval>,
}

/// The least that a GPU must move if the program's passes, copies and shaders read and write what they do now, on the assumptions of
/// `Report::assumptions`. A program that comes to its results another way may move less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Floor {
    /// Bytes read.
    pub read_bytes: Bytes,
    /// Bytes written.
    pub write_bytes: Bytes,
    /// Bytes that move now of which nobody knows whether they must: not in the two above.
    pub undecided_bytes: Bytes,
    /// Part of what moves now that must move, from 0 to 1, rounded down to thousandths; absent where nothing moves or where some of what
    /// moves is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
}

impl Floor {
    /// Both directions together.
    pub fn total(&self) -> Bytes {
        self.read_bytes + self.write_bytes
    }
}
