//! Structs that the Vulkan headers in use do not have.

use ash::vk;
use std::ffi::c_void;
use std::ptr;

/// VkDrawIndirect2InfoKHR.
#[repr(C)]
pub struct DrawIndirect2Info {
    /// sType.
    pub s_type: vk::StructureType,
    /// pNext.
    pub next: *const c_void,
    /// Address, size and stride of the commands.
    pub range: [u64; 3],
    /// VkAddressCommandFlagsKHR.
    pub flags: u32,
    /// Number of draws.
    pub draws: u32,
}

impl Default for DrawIndirect2Info {
    fn default() -> Self {
        let s_type = vk::StructureType::from_raw(1_000_318_009);
        Self { s_type, next: ptr::null(), range: [0; 3], flags: 0, draws: 2 }
    }
}

/// VkBindVertexBuffer3InfoKHR.
#[repr(C)]
pub struct BindVertexBuffer3Info {
    /// sType.
    pub s_type: vk::StructureType,
    /// pNext.
    pub next: *const c_void,
    /// Whether the stride of the range is that of the binding.
    pub set_stride: vk::Bool32,
    /// Address, size and stride of the vertices.
    pub range: [u64; 3],
    /// VkAddressCommandFlagsKHR.
    pub flags: u32,
}

impl Default for BindVertexBuffer3Info {
    fn default() -> Self {
        let s_type = vk::StructureType::from_raw(1_000_318_008);
        Self { s_type, next: ptr::null(), set_stride: vk::TRUE, range: [0; 3], flags: 0 }
    }
}
