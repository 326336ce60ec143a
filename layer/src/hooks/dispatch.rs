//! Dispatches, as counters.

use super::command;
use ash::vk;

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
