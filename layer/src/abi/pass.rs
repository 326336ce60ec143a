//! Structs of render passes and tile memory that the Vulkan headers in use do not have yet, as the Vulkan registry has them
//! (vk.xml 1.4.360).

use ash::vk::{self, StructureType, TaggedStructure};
use std::ffi::c_void;

/// Types of structs that are known by their name only.
pub mod s_type {
    use ash::vk::StructureType;

    /// VK_STRUCTURE_TYPE_RENDER_PASS_PERFORMANCE_COUNTERS_BY_REGION_BEGIN_INFO_ARM.
    pub const PERFORMANCE_COUNTERS_BY_REGION_BEGIN_INFO_ARM: StructureType = StructureType::from_raw(1_000_605_004);
    /// VK_STRUCTURE_TYPE_MEMORY_BARRIER_ACCESS_FLAGS_3_KHR.
    pub const MEMORY_BARRIER_ACCESS_FLAGS_3_KHR: StructureType = StructureType::from_raw(1_000_574_002);
}

/// Declares structs that extend others: sType and pNext, then the fields given.
macro_rules! extending {
    ($($(#[$doc:meta])* $name:ident = $value:literal { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })+) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            s_type: StructureType,
            next: *const c_void,
            $($(#[$field_doc])* pub $field: $ty,)*
        }

        // SAFETY: the struct begins with the members of VkBaseInStructure, and the value is the registry's for its type.
        unsafe impl TaggedStructure for $name {
            const STRUCTURE_TYPE: StructureType = StructureType::from_raw($value);
        }
    )+};
}

extending! {
    /// VkRenderPassTileShadingCreateInfoQCOM.
    RenderPassTileShadingCreateInfo = 1_000_309_002 {
        /// VkTileShadingRenderPassFlagsQCOM.
        flags: u32,
        /// Pixels around a tile that are loaded with it.
        tile_apron_size: vk::Extent2D,
    }
    /// VkTileMemorySizeInfoQCOM.
    TileMemorySizeInfo = 1_000_547_004 {
        /// Bytes.
        size: vk::DeviceSize,
    }
    /// VkAttachmentFeedbackLoopInfoEXT (VK_KHR_unified_image_layouts).
    AttachmentFeedbackLoopInfo = 1_000_527_001 {
        /// Whether the attachment may be sampled while it is rendered to.
        feedback_loop_enable: vk::Bool32,
    }
    /// VkRenderingAttachmentFlagsInfoKHR (VK_KHR_maintenance10).
    RenderingAttachmentFlagsInfo = 1_000_630_002 {
        /// VkRenderingAttachmentFlagsKHR.
        flags: u32,
    }
}

/// VK_RENDERING_ATTACHMENT_INPUT_ATTACHMENT_FEEDBACK_BIT_KHR.
pub const ATTACHMENT_INPUT_FEEDBACK: u32 = 0x1;
/// VK_RESOLVE_MODE_EXTERNAL_FORMAT_DOWNSAMPLE_BIT_ANDROID: the resolve needs no colour attachment.
pub const RESOLVE_EXTERNAL_FORMAT: u32 = 0x10;
/// VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT.
pub const RENDERING_LEGACY_DITHERING: u32 = 0x8;
/// VK_RENDERING_CUSTOM_RESOLVE_BIT_EXT.
pub const RENDERING_CUSTOM_RESOLVE: u32 = 0x80;
/// VK_MEMORY_HEAP_TILE_MEMORY_BIT_QCOM.
pub const MEMORY_HEAP_TILE_MEMORY: u32 = 0x8;

/// `vkCmdEndRendering2KHR`; its argument is a VkRenderingEndInfoKHR.
pub type CmdEndRendering2 = unsafe extern "system" fn(vk::CommandBuffer, *const c_void);
