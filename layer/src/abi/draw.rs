//! Commands of draws, dispatches and their state that are newer than the headers in use, and what they are given.

use ash::vk;
use std::ffi::c_void;

/// VkStridedDeviceAddressRangeKHR.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StridedDeviceAddressRange {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes from one item to the next.
    pub stride: u64,
}

/// VkDrawIndirect2InfoKHR.
#[repr(C)]
pub struct DrawIndirect2Info {
    /// sType.
    pub s_type: vk::StructureType,
    /// pNext.
    pub next: *const c_void,
    /// Where the commands lie.
    pub range: StridedDeviceAddressRange,
    /// VkAddressCommandFlagsKHR.
    pub flags: u32,
    /// Number of draws.
    pub draws: u32,
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
    /// Where the vertices lie.
    pub range: StridedDeviceAddressRange,
    /// VkAddressCommandFlagsKHR.
    pub flags: u32,
}

/// `vkCmdDrawIndirect2KHR` and its kin with a number of draws.
pub type CmdDrawIndirect2 = unsafe extern "system" fn(vk::CommandBuffer, *const DrawIndirect2Info);
/// A command whose one argument is a struct that nothing is read of.
pub type CmdWithInfo = unsafe extern "system" fn(vk::CommandBuffer, *const c_void);
/// `vkCmdDrawIndirectByteCount2EXT`.
pub type CmdDrawIndirectByteCount2 = unsafe extern "system" fn(vk::CommandBuffer, u32, u32, *const c_void, u32, u32);
/// `vkCmdBindVertexBuffers3KHR`.
pub type CmdBindVertexBuffers3 = unsafe extern "system" fn(vk::CommandBuffer, u32, u32, *const BindVertexBuffer3Info);
/// `vkCmdExecuteGeneratedCommandsEXT`.
pub type CmdExecuteGeneratedCommands = unsafe extern "system" fn(vk::CommandBuffer, vk::Bool32, *const c_void);
/// `vkCmdDispatchDataGraphARM`: the session is a non-dispatchable handle.
pub type CmdDispatchDataGraph = unsafe extern "system" fn(vk::CommandBuffer, u64, *const c_void);
/// `vkCmdDispatchGraphAMDX` and vkCmdDispatchGraphIndirectAMDX, as they are since version 2 of the extension.
pub type CmdDispatchGraph = unsafe extern "system" fn(vk::CommandBuffer, u64, u64, *const c_void);
/// `vkCmdDispatchGraphIndirectCountAMDX`, as it is since version 2 of the extension.
pub type CmdDispatchGraphIndirectCount = unsafe extern "system" fn(vk::CommandBuffer, u64, u64, u64);
