//! Dispatches, as counters.

use super::command;
use ash::vk;
use std::ffi::c_void;
use tbdr_model::frame::ShaderAccess;

command! {
    /// vkCmdDispatch.
    cmd_dispatch(x: u32, y: u32, z: u32) |device, state| state.dispatch()
}

command! {
    /// vkCmdDispatchIndirect.
    cmd_dispatch_indirect(buffer: vk::Buffer, offset: vk::DeviceSize) |device, state| state.dispatch()
}

command! {
    /// vkCmdDispatchBase.
    cmd_dispatch_base(base_x: u32, base_y: u32, base_z: u32, x: u32, y: u32, z: u32) |device, state| state.dispatch()
}

command! {
    /// vkCmdDispatchIndirect2KHR.
    cmd_dispatch_indirect2(info: *const c_void) |device, state| state.dispatch()
}

command! {
    /// vkCmdDispatchTileQCOM: once per tile, inside a pass.
    cmd_dispatch_tile(info: *const c_void) |device, state| state.dispatch()
}

command! {
    /// vkCmdDispatchGraphAMDX: nodes may draw, too.
    cmd_dispatch_graph(scratch: u64, size: u64, info: *const c_void) |device, state| {
        state.opaque("vkCmdDispatchGraphAMDX", ShaderAccess::default())
    }
}

command! {
    /// vkCmdDispatchGraphIndirectAMDX.
    cmd_dispatch_graph_indirect(scratch: u64, size: u64, info: *const c_void) |device, state| {
        state.opaque("vkCmdDispatchGraphIndirectAMDX", ShaderAccess::default())
    }
}

command! {
    /// vkCmdDispatchGraphIndirectCountAMDX.
    cmd_dispatch_graph_indirect_count(scratch: u64, size: u64, info: u64) |device, state| {
        state.opaque("vkCmdDispatchGraphIndirectCountAMDX", ShaderAccess::default())
    }
}

command! {
    /// vkCmdDispatchDataGraphARM: works on tensors and images.
    cmd_dispatch_data_graph(session: u64, info: *const c_void) |device, state| {
        state.opaque("vkCmdDispatchDataGraphARM", ShaderAccess::default())
    }
}
