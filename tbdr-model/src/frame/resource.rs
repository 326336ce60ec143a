//! Images and buffers as the frame sees them.

use crate::units::Extent3D;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A VkFormat by its number. [`crate::format`] knows its name, size and aspects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Format(pub i32);

/// A VkImageLayout by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Layout(pub i32);

impl Layout {
    /// VK_IMAGE_LAYOUT_UNDEFINED.
    pub const UNDEFINED: Self = Self(0);
}

/// A VkImageAspectFlags value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Aspects(pub u32);

impl Aspects {
    /// VK_IMAGE_ASPECT_COLOR_BIT.
    pub const COLOR: Self = Self(1);
    /// VK_IMAGE_ASPECT_DEPTH_BIT.
    pub const DEPTH: Self = Self(2);
    /// VK_IMAGE_ASPECT_STENCIL_BIT.
    pub const STENCIL: Self = Self(4);

    /// Whether every aspect of `other` is in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// VK_REMAINING_MIP_LEVELS and VK_REMAINING_ARRAY_LAYERS.
pub const REMAINING: u32 = u32::MAX;

/// VkImageUsageFlagBits that the model asks for.
pub mod usage {
    /// VK_IMAGE_USAGE_TRANSFER_SRC_BIT.
    pub const TRANSFER_SRC: u32 = 0x1;
    /// VK_IMAGE_USAGE_TRANSFER_DST_BIT.
    pub const TRANSFER_DST: u32 = 0x2;
    /// VK_IMAGE_USAGE_SAMPLED_BIT.
    pub const SAMPLED: u32 = 0x4;
    /// VK_IMAGE_USAGE_STORAGE_BIT.
    pub const STORAGE: u32 = 0x8;
    /// VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT.
    pub const COLOR_ATTACHMENT: u32 = 0x10;
    /// VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT.
    pub const DEPTH_STENCIL_ATTACHMENT: u32 = 0x20;
    /// VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT.
    pub const TRANSIENT_ATTACHMENT: u32 = 0x40;
    /// VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT: shaders may read it while it is rendered to, through descriptors as ever.
    pub const ATTACHMENT_FEEDBACK_LOOP: u32 = 0x8_0000;
    /// VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT.
    pub const INPUT_ATTACHMENT: u32 = 0x80;
    /// VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR, which is VK_IMAGE_USAGE_SHADING_RATE_IMAGE_BIT_NV.
    pub const SHADING_RATE: u32 = 0x100;
    /// VK_IMAGE_USAGE_FRAGMENT_DENSITY_MAP_BIT_EXT.
    pub const DENSITY_MAP: u32 = 0x200;
    /// VK_IMAGE_USAGE_HOST_TRANSFER_BIT.
    pub const HOST_TRANSFER: u32 = 0x40_0000;
    /// VK_IMAGE_USAGE_VIDEO_DECODE_DST_BIT_KHR, _SRC, _DPB and VK_IMAGE_USAGE_VIDEO_ENCODE_DST_BIT_KHR, _SRC, _DPB.
    pub const VIDEO: u32 = 0xfc00;
}

/// Index of an image in [`super::FrameStructure::images`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ImageRef(pub u32);

/// Index of a buffer in [`super::FrameStructure::buffers`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct BufferRef(pub u32);

/// A VkImage, as created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Image {
    /// Debug name (VK_EXT_debug_utils), as given by the application. Hostile: escape it wherever it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of the swapchain that owns the image, in order of creation; the slot within it is a matter of the occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swapchain: Option<u32>,
    /// VkFormat.
    pub format: Format,
    /// VkImageType: 0 = 1D, 1 = 2D, 2 = 3D.
    pub dimension: u32,
    /// Size of mip level 0 in texels.
    pub extent: Extent3D,
    /// Mip levels.
    pub mips: u32,
    /// Array layers.
    pub layers: u32,
    /// Samples per texel: 1, 2, 4, …
    pub samples: u32,
    /// VkImageUsageFlags.
    pub usage: u32,
    /// VkImageUsageFlags of the stencil aspect, where they are its own (VkImageStencilUsageCreateInfo).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stencil_usage: Option<u32>,
    /// VkImageCreateFlags.
    pub flags: u32,
    /// VkImageTiling.
    pub tiling: i32,
    /// Whether VkSharingMode is CONCURRENT.
    #[serde(default)]
    pub concurrent: bool,
    /// Formats that its views may have (VkImageFormatListCreateInfo); empty where there is no list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub view_formats: Vec<Format>,
    /// A shared presentable image: whatever is written to it is on screen.
    #[serde(default, skip_serializing_if = "is_false")]
    pub always_shown: bool,
    /// Something reads or writes it that no command names: an optical flow session it is bound to.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reached_unseen: bool,
    /// What the application asked for (VkImageCompressionControlEXT).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression_control: Option<ImageCompression>,
    /// What the driver that really runs makes of it (VkImageCompressionPropertiesEXT), where the application enabled the feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_compression: Option<ImageCompression>,
    /// What is known of its memory.
    pub memory: Memory,
}

impl Image {
    /// Usages of all its aspects together.
    pub fn all_usage(&self) -> u32 {
        self.usage | self.stencil_usage.unwrap_or(0)
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Compression of an image, asked for or found (VK_EXT_image_compression_control).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageCompression {
    /// VkImageCompressionFlagsEXT.
    pub flags: u32,
    /// VkImageCompressionFixedRateFlagsEXT, of all planes: bit n is a rate of n + 1 bits per component.
    #[serde(default)]
    pub fixed_rates: u32,
}

impl ImageCompression {
    /// VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT.
    pub const FIXED_RATE_DEFAULT: u32 = 0x1;
    /// VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT.
    pub const FIXED_RATE_EXPLICIT: u32 = 0x2;
    /// VK_IMAGE_COMPRESSION_DISABLED_EXT.
    pub const DISABLED: u32 = 0x4;
}

/// A VkBuffer, as created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Buffer {
    /// Debug name, as given by the application. Hostile: escape it wherever it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Size in bytes.
    pub size: u64,
    /// VkBufferUsageFlags.
    pub usage: u32,
    /// What is known of its memory.
    pub memory: Memory,
}

/// What is known of the memory bound to a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Memory {
    /// VkMemoryPropertyFlags of the memory type, once bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<u32>,
    /// Imported, exported or otherwise visible outside the device.
    #[serde(default)]
    pub external: bool,
    /// Another live image or buffer was bound to some of the same bytes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub aliased: bool,
    /// Of a heap of tile memory (VK_QCOM_tile_memory_heap): on chip, and lost where the specification of that extension says so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub on_chip: bool,
    /// Whether the running device offers a lazily allocated type among the memory types that the image may be bound to; absent where the
    /// program never asked for these, and for buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lazy_offered: Option<bool>,
    /// Bytes that other images or buffers of the same frame are bound to as well, one entry for each binding that has such (planes may
    /// be bound apart). Empty where nothing of the frame overlaps, though something outside the frame may ([`Memory::aliased`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedBytes>,
}

/// Where a resource lies in memory that resources of the frame share. Two of them overlap where their stretch is the same and their bytes
/// overlap; both were bound to these bytes, be it one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedBytes {
    /// Number of the stretch of device memory in the frame, in the order of the first image, then buffer, on it.
    pub stretch: u32,
    /// First byte, counted from the first that any resource of the frame takes of the stretch.
    pub offset: u64,
    /// Bytes that the resource takes, as the driver said; where the program did not ask, those of its texels.
    pub size: u64,
}

impl SharedBytes {
    /// Whether any byte is in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        let end = |bytes: &Self| bytes.offset.saturating_add(bytes.size);
        self.stretch == other.stretch && self.offset < end(other) && other.offset < end(self)
    }
}

impl Memory {
    /// VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT.
    pub const HOST_VISIBLE: u32 = 0x2;
    /// VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT.
    pub const LAZILY_ALLOCATED: u32 = 0x10;

    /// Whether the two are bound to some of the same bytes.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.shared.iter().any(|mine| other.shared.iter().any(|theirs| mine.overlaps(theirs)))
    }

    /// Whether the host can map the memory.
    pub fn host_visible(&self) -> bool {
        self.properties.is_some_and(|p| p & Self::HOST_VISIBLE != 0)
    }
}

/// A VkImageSubresourceRange, with VK_REMAINING_* resolved where the image is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubresourceRange {
    /// Aspects.
    pub aspects: Aspects,
    /// First mip level.
    pub base_mip: u32,
    /// Number of mip levels.
    pub mips: u32,
    /// First array layer.
    pub base_layer: u32,
    /// Number of array layers.
    pub layers: u32,
}
