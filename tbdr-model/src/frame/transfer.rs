//! Copies, blits, resolves, clears, fills and updates outside render passes.

use super::{Aspects, BufferRef, ImageRef};
use crate::units::Extent3D;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// One transfer command. Its 1 and 2/KHR spellings are the same value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transfer {
    /// Debug label regions around the command, outermost first. Hostile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Which command.
    pub kind: TransferKind,
    /// What moves.
    pub regions: Vec<Region>,
}

/// The transfer commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TransferKind {
    /// vkCmdCopyImage.
    CopyImage,
    /// vkCmdCopyBufferToImage.
    CopyBufferToImage,
    /// vkCmdCopyImageToBuffer.
    CopyImageToBuffer,
    /// vkCmdCopyBuffer.
    CopyBuffer,
    /// vkCmdBlitImage.
    Blit,
    /// vkCmdResolveImage.
    Resolve,
    /// vkCmdClearColorImage.
    ClearColor,
    /// vkCmdClearDepthStencilImage.
    ClearDepthStencil,
    /// vkCmdFillBuffer.
    FillBuffer,
    /// vkCmdUpdateBuffer.
    UpdateBuffer,
    /// vkCmdCopyQueryPoolResults; the bytes of its destination are the most that it writes.
    CopyQueryResults,
    /// vkCmdWriteBufferMarkerAMD and its kin.
    WriteMarker,
    /// vkCopyMemoryToImage, by the host.
    CopyMemoryToImage,
    /// vkCopyImageToMemory, by the host.
    CopyImageToMemory,
}

/// One region of a transfer: clears, fills and updates have no source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Region {
    /// What is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub src: Option<Side>,
    /// What is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<Side>,
}

/// One side of a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Texels of an image.
    Image(ImageRegion),
    /// Bytes of a buffer. For copies between buffers and images these are the bytes of the texels, without row padding.
    Buffer(BufferRegion),
}

/// Texels of one mip level and of some layers of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageRegion {
    /// The image, where known.
    pub image: Option<ImageRef>,
    /// Aspects.
    pub aspects: Aspects,
    /// Mip level.
    pub mip: u32,
    /// First array layer.
    pub base_layer: u32,
    /// Number of array layers.
    pub layers: u32,
    /// First texel.
    pub offset: [i32; 3],
    /// Texels (for a blit the absolute size, whatever its direction).
    pub extent: Extent3D,
}

/// Bytes of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BufferRegion {
    /// The buffer, where known.
    pub buffer: Option<BufferRef>,
    /// First byte.
    pub offset: u64,
    /// Number of bytes. `None` where it follows from the texels on the other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}
