//! Load and store operations as options of a command line.

use ash::vk;
use clap::ValueEnum;

/// What an attachment holds when a render pass begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Load {
    /// The previous contents.
    Load,
    /// The clear value.
    Clear,
    /// Undefined contents.
    DontCare,
    /// Nothing is accessed; contents inside the pass are undefined.
    None,
}

impl From<Load> for vk::AttachmentLoadOp {
    fn from(op: Load) -> Self {
        match op {
            Load::Load => Self::LOAD,
            Load::Clear => Self::CLEAR,
            Load::DontCare => Self::DONT_CARE,
            Load::None => Self::NONE_EXT,
        }
    }
}

/// What an attachment holds after a render pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Store {
    /// What the pass has drawn.
    Store,
    /// Undefined contents.
    DontCare,
    /// Nothing is accessed; undefined if the pass has written to it.
    None,
}

impl From<Store> for vk::AttachmentStoreOp {
    fn from(op: Store) -> Self {
        match op {
            Store::Store => Self::STORE,
            Store::DontCare => Self::DONT_CARE,
            Store::None => Self::NONE,
        }
    }
}

/// Depth formats by their Vulkan names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(non_camel_case_types, reason = "the names of the Vulkan specification")]
#[value(rename_all = "verbatim")]
pub enum DepthFormat {
    /// 16 bits of depth.
    D16_UNORM,
    /// 24 bits of depth in 32.
    X8_D24_UNORM_PACK32,
    /// 32 bits of depth.
    D32_SFLOAT,
    /// 16 bits of depth, 8 of stencil.
    D16_UNORM_S8_UINT,
    /// 24 bits of depth, 8 of stencil.
    D24_UNORM_S8_UINT,
    /// 32 bits of depth, 8 of stencil.
    D32_SFLOAT_S8_UINT,
}

impl DepthFormat {
    /// The Vulkan format.
    pub fn vk(self) -> vk::Format {
        match self {
            Self::D16_UNORM => vk::Format::D16_UNORM,
            Self::X8_D24_UNORM_PACK32 => vk::Format::X8_D24_UNORM_PACK32,
            Self::D32_SFLOAT => vk::Format::D32_SFLOAT,
            Self::D16_UNORM_S8_UINT => vk::Format::D16_UNORM_S8_UINT,
            Self::D24_UNORM_S8_UINT => vk::Format::D24_UNORM_S8_UINT,
            Self::D32_SFLOAT_S8_UINT => vk::Format::D32_SFLOAT_S8_UINT,
        }
    }

    /// The aspects of the format.
    pub fn aspects(self) -> vk::ImageAspectFlags {
        match self {
            Self::D16_UNORM | Self::X8_D24_UNORM_PACK32 | Self::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
            Self::D16_UNORM_S8_UINT | Self::D24_UNORM_S8_UINT | Self::D32_SFLOAT_S8_UINT => {
                vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
            }
        }
    }

    /// The texel of the largest depth, 1.0, as copies between memory and the depth aspect have it.
    pub fn farthest(self) -> &'static [u8] {
        match self {
            Self::D16_UNORM | Self::D16_UNORM_S8_UINT => &[0xff; 2],
            Self::X8_D24_UNORM_PACK32 | Self::D24_UNORM_S8_UINT => const { &0x00ff_ffff_u32.to_ne_bytes() },
            Self::D32_SFLOAT | Self::D32_SFLOAT_S8_UINT => const { &1.0_f32.to_ne_bytes() },
        }
    }

    /// Whether the format has a stencil aspect.
    pub fn has_stencil(self) -> bool {
        self.aspects().contains(vk::ImageAspectFlags::STENCIL)
    }
}
