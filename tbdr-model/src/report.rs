//! The root of everything that is shown: report.json is this value, and every renderer reads it.
//!
//! All byte counts are modelled for the named GPU, never measured on the device that ran the program.

mod beside;
mod order;
mod schedule;
mod undecided_advice;

pub use beside::*;
pub use schedule::*;
pub use undecided_advice::UndecidedAdvice;

use crate::frame::{DriverTile, LoadOp, StoreOp};
use crate::record::{Gap, Run};
use crate::units::{Bytes, Extent2D, Extent3D, Rect2D};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Value of [`Report::schema`]: the number rises when a field changes its meaning or disappears.
pub const SCHEMA: &str = "tilelens.report/1";

/// The report of one run on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// A sentence for whoever reads the file alone: figures are modelled, not measured.
    pub notice: String,
    /// The program, the layer and the device that really ran.
    pub run: Run,
    /// The GPUs modelled, by id.
    pub gpus: BTreeMap<String, Gpu>,
    /// Their ids in the order in which they were asked for, in which tables list them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpu_order: Vec<String>,
    /// One entry per distinct frame, in order of first occurrence.
    pub frames: Vec<Frame>,
    /// Number of frames recorded.
    pub frame_count: u64,
    /// Frames missing from the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
    /// Whether the run ended in order; false if the capture was cut short.
    pub complete: bool,
    /// Kinds of traffic, commands and structs that the figures leave out.
    pub not_modelled: Vec<String>,
    /// What no advice could be given on: what findings save is the least that could be saved. Absent in reports of versions that did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided_advice: Option<Vec<UndecidedAdvice>>,
    /// What the figures beside the totals rest on: [`GpuFrame::beside`], [`GpuFrame::compressed`], [`GpuFrame::floor`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Advice. Empty as long as no rule has spoken.
    pub findings: Vec<Finding>,
    /// How many findings the setting `allow` keeps out of `findings`, by rule code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub allowed: BTreeMap<String, u64>,
}

impl Report {
    /// The report as JSON: indented, keys and lists always in the same order, with a newline at the end. The layer writes and the
    /// command line prints exactly this.
    pub fn to_json(&self) -> String {
        // Serialising fails for maps whose keys are not strings and for failing writers: a report has neither.
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }
}

/// One GPU profile, as far as a reader of the report needs it. `tilelens gpus ID` shows all of it with sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gpu {
    /// Marketing name.
    pub name: String,
    /// Whose decisions are modelled: hardware and driver policy.
    pub policy: String,
}

/// One distinct frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Frame {
    /// Ranges `[first, last, stride]` of the frame numbers it stands for.
    pub indices: Vec<[u64; 3]>,
    /// Number of frames it stands for.
    pub count: u64,
    /// What ended the frame: `present`, `frame_boundary`, `submits`, `end` or `limit`.
    pub boundary: String,
    /// Images of the frame.
    pub images: Vec<Image>,
    /// Images that leave the frame, by [`Image::id`]: presented, or named by a frame boundary or by the setting `outputs`. Hostile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Render pass instances as the application recorded them, in submission order.
    pub passes: Vec<Pass>,
    /// Transfer commands as the application recorded them, in submission order.
    pub transfers: Vec<Transfer>,
    /// Dispatches outside render passes, smallest and largest number over the frames.
    pub dispatches: [u64; 2],
    /// What of it can overlap in the two slots of each queue; absent where there is nothing to overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// What each GPU moves, by GPU id.
    pub gpus: BTreeMap<String, GpuFrame>,
}

/// An image of a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Image {
    /// The same in the next run: debug name, else signature, with an ordinal where several share it. Hostile.
    pub id: String,
    /// Format, without `VK_FORMAT_`.
    pub format: String,
    /// Size in texels.
    pub extent: Extent3D,
    /// Samples per texel.
    pub samples: u32,
    /// Array layers.
    pub layers: u32,
    /// Mip levels.
    pub mips: u32,
    /// Compression that the driver which really ran reported (VK_EXT_image_compression_control); absent where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_compression: Option<DriverCompression>,
    /// What the driver which really ran had committed for the lazily allocated memory of the image when that was freed; absent where the
    /// memory is of another kind, or was not freed while the run was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lazy_memory: Option<LazyMemory>,
}

/// Lazily allocated memory as the driver accounts it (vkGetDeviceMemoryCommitment), of the memory object as a whole: the most of all that
/// stood in this place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LazyMemory {
    /// Bytes that the application asked for.
    pub size_bytes: Bytes,
    /// Bytes that the driver backed with memory.
    pub committed_bytes: Bytes,
}

/// What a driver says of the compression of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverCompression {
    /// `default` (lossless, or none: the driver's choice), `fixed_rate_default`, `fixed_rate_explicit` or `disabled`.
    pub kind: Cow<'static, str>,
    /// Bits per component of the fixed rates in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_rates: Vec<u32>,
}

/// A render pass instance as recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pass {
    /// The same in the next run: label path or debug name, else signature, with an ordinal where several share it. Hostile.
    pub id: String,
    /// What people call it: label path, else debug name, else a description. Hostile.
    pub label: String,
    /// Framebuffer size in pixels.
    pub extent: Extent2D,
    /// Render area `[x, y, width, height]`.
    pub render_area: Rect2D,
    /// Framebuffer layers, or views with multiview.
    pub layers: u32,
    /// Number of subpasses.
    pub subpasses: u32,
    /// Attachments.
    pub attachments: Vec<Attachment>,
    /// Attachments of this frame, by [`Image::id`], that its shaders may sample, fetch or load; absent where it is not known what they
    /// reach. [`GpuFrame::beside`] has what moves of them. Hostile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Vec<String>>,
    /// Draws, as in the first frame: as many as the CPU knows of.
    pub draws: u64,
    /// Smallest and largest number of draws over the frames.
    pub draws_range: [u64; 2],
    /// Draw commands of which only the GPU knows the vertices, or also the number of draws, as in the first frame.
    pub indirect_draws: u64,
    /// The tile that the driver which ran the program named for it, if the program asked (VK_QCOM_tile_properties): beside
    /// [`TilePass::tile`], which is predicted for the GPU of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_tile: Option<DriverTile>,
    /// What the driver which ran the program said of the merging of subpasses, if the program asked (VK_EXT_subpass_merge_feedback): beside
    /// [`TileSubpass::merge_status`], which is predicted for the GPU of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_merging: Option<DriverMerging>,
}

/// A driver's feedback on the subpasses of a render pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverMerging {
    /// Subpasses after merging; absent where the program did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_merge_subpasses: Option<u32>,
    /// The subpasses that the program asked about.
    pub subpasses: Vec<DriverSubpass>,
}

/// A driver's feedback on one subpass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverSubpass {
    /// Index of the subpass.
    pub subpass: u32,
    /// VkSubpassMergeStatusEXT as in the specification; the number of a value that this version does not know.
    pub merge_status: Cow<'static, str>,
    /// Index after merging.
    pub post_merge_index: u32,
    /// The driver's words. Hostile.
    pub description: String,
}

/// An attachment of a pass as recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attachment {
    /// [`Image::id`], or `attachment N` where the image is unknown. Hostile.
    pub image: String,
    /// What it is in the pass: `color N`, `depth`, `stencil`, `depth_stencil`, `resolve N`, `depth_resolve`, `input N`, `shading_rate`,
    /// `density_map`, `unused`; several joined by `+`.
    pub role: String,
    /// Format of the view, without `VK_FORMAT_`.
    pub format: String,
    /// Samples per pixel.
    pub samples: u32,
    /// loadOp of colour or depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadOp>,
    /// storeOp of colour or depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreOp>,
    /// loadOp of stencil, for formats that have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stencil_load: Option<LoadOp>,
    /// storeOp of stencil, for formats that have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stencil_store: Option<StoreOp>,
    /// Aspects (`color`, `depth`, `stencil`) that a pass with draws renders to although none of them and no clear command can write them:
    /// write masks of zero, tests without writes. Only what is proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_written: Vec<Cow<'static, str>>,
    /// Aspects that a pass with draws renders to although none of them tests, blends or combines what is there. What shaders read (input
    /// attachments, tile images, feedback loops) is not asked. Only what is proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_read: Vec<Cow<'static, str>>,
}

/// A transfer command as recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transfer {
    /// The same in the next run. Hostile.
    pub id: String,
    /// `copy_image`, `blit`, `clear_color`, …
    pub kind: String,
    /// Image read, by [`Image::id`]. Hostile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub src: Option<String>,
    /// Image written, by [`Image::id`]. Hostile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<String>,
    /// Set if the host made it (VK_EXT_host_image_copy): no GPU's figures contain its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostCopy>,
}

/// What the host itself read and wrote of images in one copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostCopy {
    /// Bytes read of images.
    pub read_bytes: Bytes,
    /// Bytes written to images.
    pub write_bytes: Bytes,
}

fn is_zero(bytes: &Bytes) -> bool {
    bytes.0 == 0
}

/// What one GPU moves between chip and DRAM in one frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GpuFrame {
    /// Sum of all read entries.
    pub read_bytes: Bytes,
    /// Sum of all write entries.
    pub write_bytes: Bytes,
    /// Bytes that findings would save together; absent as long as it is undecided.
    pub avoidable_bytes: Option<Bytes>,
    /// Tile passes, in order of execution.
    pub passes: Vec<TilePass>,
    /// Ledger entries of transfer commands; `transfer` tells which.
    pub transfers: Vec<TransferEntry>,
    /// Debits beside the two sums above: what shaders reach of attachments through descriptors, and what the display reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideEntry>,
    /// Sum of the entries beside that shaders read: once per texel, a bound. Not part of `read_bytes`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sampled_read_bytes: Bytes,
    /// Sum of the entries beside that shaders write. Not part of `write_bytes`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub storage_write_bytes: Bytes,
    /// Sum of the entries beside that the display or a compositor reads. Not part of `read_bytes`, nor the GPU's doing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub display_read_bytes: Bytes,
    /// Which attachments the GPU's compression applies to, and why. No sum but `compressed` contains what it saves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compression: Vec<Compression>,
    /// What compression leaves of `read_bytes` and `write_bytes`; absent where none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed: Option<Compressed>,
    /// Uncompressed bytes of stores that transaction elimination applies to: how much it saves lies between nothing and this.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub eliminable_bytes: Bytes,
    /// The least that must move for the same results; absent where it is not known what the frame does to its images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
}

/// Whether a compression scheme applies to an attachment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compression {
    /// Index into [`Frame::passes`].
    pub pass: u32,
    /// Index into that pass's attachments.
    pub attachment: u32,
    /// Name of the scheme: `AFBC`, `UBWC`, …
    pub scheme: Cow<'static, str>,
    /// Whether it applies; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eligible: Option<bool>,
    /// Why.
    pub reason: Cow<'static, str>,
    /// Bytes of metadata per block, where it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata_bytes: Option<u32>,
    /// Pixels of a block, where it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata_block: Option<Extent2D>,
}

/// One pass as the GPU runs it: one or more subpasses per tile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TilePass {
    /// Indices into [`Frame::passes`].
    pub source_passes: Vec<u32>,
    /// Sum of the read entries.
    pub read_bytes: Bytes,
    /// Sum of the write entries.
    pub write_bytes: Bytes,
    /// Tile or bin size in pixels; absent in immediate mode.
    pub tile: Option<Extent2D>,
    /// Tiles or bins per layer; absent in immediate mode.
    pub tiles: Option<u64>,
    /// Colour bits per pixel held on chip, as the family counts them.
    pub bits_per_pixel: Option<u64>,
    /// Bits per pixel that fit at the family's full tile; absent where the budget is not per pixel.
    pub budget_bits_per_pixel: Option<u64>,
    /// `tiled` or `immediate`.
    pub mode: Cow<'static, str>,
    /// Reasons and remarks, e.g. why the tile is smaller than full.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// `documented` or `inferred`: how certain the merging is; absent for render passes with one subpass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_basis: Option<Cow<'static, str>>,
    /// The subpasses that run in it.
    pub subpasses: Vec<TileSubpass>,
    /// Ledger entries.
    pub entries: Vec<Entry>,
    /// What compression leaves of `read_bytes` and `write_bytes`; absent where none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed: Option<Compressed>,
    /// On the first tile pass of a render pass: what the driver may do instead where its choice is not certain. Not part of any sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<Alternative>,
}

/// What may happen to a render pass instead of what is counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alternative {
    /// When it happens.
    pub note: String,
    /// Sum of the read entries.
    pub read_bytes: Bytes,
    /// Sum of the write entries.
    pub write_bytes: Bytes,
    /// Tile passes, in order of execution.
    pub passes: Vec<TilePass>,
}

/// A subpass within a tile pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TileSubpass {
    /// Index into [`Frame::passes`].
    pub pass: u32,
    /// Index of the subpass in that pass.
    pub subpass: u32,
    /// VkSubpassMergeStatusEXT as in the specification, e.g. `VK_SUBPASS_MERGE_STATUS_NOT_MERGED_SINGLE_SUBPASS_EXT`.
    pub merge_status: Option<Cow<'static, str>>,
    /// The status in words.
    pub merge_note: Cow<'static, str>,
    /// The status that the driver which ran the program gave ([`Pass::driver_merging`]), where one of the two is merged and the other is
    /// not. Never of a first subpass, which has nothing to merge with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_differs: Option<Cow<'static, str>>,
}

/// One debit of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// Index into the source pass's attachments.
    pub attachment: u32,
    /// [`Attachment::image`]. Hostile.
    pub image: String,
    /// `color`, `depth` or `stencil`.
    pub aspect: Cow<'static, str>,
    /// `load`, `store`, `resolve`, `input`, …
    pub cause: Cow<'static, str>,
    /// Whether DRAM is read or written.
    pub direction: Direction,
    /// Bytes.
    pub bytes: Bytes,
    /// How far the figure may be off.
    pub basis: Basis,
    /// What compression leaves of it, `[low, high]`; absent where none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed: Option<Interval>,
}

/// One debit of a transfer command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransferEntry {
    /// Index into [`Frame::transfers`].
    pub transfer: u32,
    /// Image or buffer concerned. Hostile.
    pub resource: String,
    /// `color`, `depth`, `stencil` or `buffer`.
    pub aspect: Cow<'static, str>,
    /// The kind of the command: `copy_image`, `blit`, …
    pub cause: Cow<'static, str>,
    /// Whether DRAM is read or written.
    pub direction: Direction,
    /// Bytes.
    pub bytes: Bytes,
    /// How far the figure may be off.
    pub basis: Basis,
    /// What compression leaves of it, `[low, high]`; absent where none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed: Option<Interval>,
}

/// Direction of a debit, seen from the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// DRAM to chip.
    Read,
    /// Chip to DRAM.
    Write,
}

/// How far a figure may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Follows from the API and the family's rules (`=`), before compression.
    Exact,
    /// An upper bound (`<=`).
    Bound,
    /// An estimate (`~`).
    Estimate,
    /// Not known; not part of any sum.
    Undecided,
}

impl Basis {
    /// The sign that stands before a figure.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Exact => "=",
            Self::Bound => "<=",
            Self::Estimate => "~",
            Self::Undecided => "?",
        }
    }
}

/// One finding of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Code that is never reused, e.g. `TL006`.
    pub code: String,
    /// Name of the bad pattern, e.g. `store-never-read`.
    pub name: String,
    /// `warn`, `info`, `hazard` or `note`.
    pub level: String,
    /// [`Pass::id`] it concerns.
    pub pass: Option<String>,
    /// [`Image::id`] it concerns.
    pub attachment: Option<String>,
    /// Ranges `[first, last, stride]` of the frames in which it held.
    pub frames: Vec<[u64; 3]>,
    /// Saving per frame, by GPU id, were it mended alone.
    pub saving: BTreeMap<String, Saving>,
    /// Saving per frame, by GPU id, once the findings above it are mended; only these add up.
    pub after_previous: BTreeMap<String, Saving>,
    /// What to change.
    pub fix: String,
    /// Why it costs.
    pub why: String,
}

impl Finding {
    /// So many of what its rule counts, as savings that are no bytes are shown: `10 passes`. Of a rule that this version does not know the
    /// number alone.
    pub fn counted(&self, value: u64) -> String {
        match crate::rules::Rule::by_code(&self.code).and_then(|rule| rule.counts) {
            Some([one, several]) => format!("{value} {}", if value == 1 { one } else { several }),
            None => value.to_string(),
        }
    }
}

/// What a fix saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Saving {
    /// Unit and meaning of the value.
    pub quantity: Quantity,
    /// Amount; bytes for `dram` and `footprint`.
    pub value: u64,
    /// How far it may be off.
    pub basis: Basis,
}

/// What a saving counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Bytes per frame between chip and DRAM.
    Dram,
    /// Bytes of memory allocated.
    Footprint,
    /// Shader or fixed-function work.
    Work,
    /// A number of things.
    Count,
}
