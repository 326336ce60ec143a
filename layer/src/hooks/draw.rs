//! Draws, as counters. What the CPU knows is counted: the number of draws also where their vertices are in a buffer.

use super::command;
use crate::abi::DrawIndirect2Info;
use ash::vk;
use std::ffi::c_void;

command! {
    /// vkCmdDraw.
    cmd_draw(vertices: u32, instances: u32, first_vertex: u32, first_instance: u32) |device, state| {
        state.draw(1, u64::from(vertices) * u64::from(instances))
    }
}

command! {
    /// vkCmdDrawIndexed.
    cmd_draw_indexed(
        indices: u32,
        instances: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    ) |device, state| state.draw(1, u64::from(indices) * u64::from(instances))
}

command! {
    /// vkCmdDrawIndirect: draws are known, vertices are not.
    cmd_draw_indirect(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32) |device, state| {
        state.draw_indirect(u64::from(draws))
    }
}

command! {
    /// vkCmdDrawIndexedIndirect.
    cmd_draw_indexed_indirect(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32) |device, state| {
        state.draw_indirect(u64::from(draws))
    }
}

command! {
    /// vkCmdDrawIndirectCount.
    cmd_draw_indirect_count(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count: vk::Buffer,
        count_offset: vk::DeviceSize,
        most: u32,
        stride: u32,
    ) |device, state| state.draw_indirect(0)
}

command! {
    /// vkCmdDrawIndexedIndirectCount.
    cmd_draw_indexed_indirect_count(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count: vk::Buffer,
        count_offset: vk::DeviceSize,
        most: u32,
        stride: u32,
    ) |device, state| state.draw_indirect(0)
}

command! {
    /// vkCmdDrawIndirectByteCountEXT: one draw.
    cmd_draw_indirect_byte_count(
        instances: u32,
        first_instance: u32,
        counter: vk::Buffer,
        counter_offset: vk::DeviceSize,
        offset: u32,
        stride: u32,
    ) |device, state| state.draw_indirect(1)
}

command! {
    /// vkCmdDrawMultiEXT.
    cmd_draw_multi(
        draws: u32,
        infos: *const vk::MultiDrawInfoEXT,
        instances: u32,
        first_instance: u32,
        stride: u32,
    ) |device, state| {
        // SAFETY: `draws` infos, `stride` bytes apart, by valid usage.
        let vertices = unsafe { sum(infos, draws, stride, |i| i.vertex_count) };
        // None at all is valid, and no draw.
        if draws > 0 {
            state.draw(u64::from(draws), vertices.wrapping_mul(u64::from(instances)));
        }
    }
}

command! {
    /// vkCmdDrawMultiIndexedEXT.
    cmd_draw_multi_indexed(
        draws: u32,
        infos: *const vk::MultiDrawIndexedInfoEXT,
        instances: u32,
        first_instance: u32,
        stride: u32,
        vertex_offset: *const i32,
    ) |device, state| {
        // SAFETY: `draws` infos, `stride` bytes apart, by valid usage.
        let indices = unsafe { sum(infos, draws, stride, |i| i.index_count) };
        if draws > 0 {
            state.draw(u64::from(draws), indices.wrapping_mul(u64::from(instances)));
        }
    }
}

command! {
    /// vkCmdDrawMeshTasksEXT: one draw; how many vertices its meshes have only the GPU knows.
    cmd_draw_mesh_tasks(x: u32, y: u32, z: u32) |device, state| state.draw(1, 0)
}

command! {
    /// vkCmdDrawMeshTasksIndirectEXT.
    cmd_draw_mesh_tasks_indirect(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32) |device, state| {
        state.draw_indirect(u64::from(draws))
    }
}

command! {
    /// vkCmdDrawMeshTasksIndirectCountEXT.
    cmd_draw_mesh_tasks_indirect_count(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count: vk::Buffer,
        count_offset: vk::DeviceSize,
        most: u32,
        stride: u32,
    ) |device, state| state.draw_indirect(0)
}

command! {
    /// vkCmdDrawMeshTasksNV.
    cmd_draw_mesh_tasks_nv(tasks: u32, first: u32) |device, state| state.draw(1, 0)
}

command! {
    /// vkCmdDrawMeshTasksIndirectNV.
    cmd_draw_mesh_tasks_indirect_nv(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32) |device, state| {
        state.draw_indirect(u64::from(draws))
    }
}

command! {
    /// vkCmdDrawMeshTasksIndirectCountNV.
    cmd_draw_mesh_tasks_indirect_count_nv(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count: vk::Buffer,
        count_offset: vk::DeviceSize,
        most: u32,
        stride: u32,
    ) |device, state| state.draw_indirect(0)
}

command! {
    /// vkCmdDrawClusterHUAWEI: one draw, of clusters that shaders cull.
    cmd_draw_cluster(x: u32, y: u32, z: u32) |device, state| state.draw(1, 0)
}

command! {
    /// vkCmdDrawClusterIndirectHUAWEI.
    cmd_draw_cluster_indirect(buffer: vk::Buffer, offset: vk::DeviceSize) |device, state| state.draw_indirect(1)
}

/// Commands of VK_KHR_device_address_commands that are given a number of draws.
macro_rules! indirect2 {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(command! {
            $(#[$doc])*
            $name(info: *const DrawIndirect2Info) |device, state| {
                // SAFETY: the argument of the call in progress.
                state.draw_indirect(u64::from(unsafe { &*info }.draws))
            }
        })*
    };
}

indirect2! {
    /// vkCmdDrawIndirect2KHR.
    cmd_draw_indirect2;
    /// vkCmdDrawIndexedIndirect2KHR.
    cmd_draw_indexed_indirect2;
    /// vkCmdDrawMeshTasksIndirect2EXT.
    cmd_draw_mesh_tasks_indirect2;
}

command! {
    /// vkCmdDrawIndirectCount2KHR.
    cmd_draw_indirect_count2(info: *const c_void) |device, state| state.draw_indirect(0)
}

command! {
    /// vkCmdDrawIndexedIndirectCount2KHR.
    cmd_draw_indexed_indirect_count2(info: *const c_void) |device, state| state.draw_indirect(0)
}

command! {
    /// vkCmdDrawMeshTasksIndirectCount2EXT.
    cmd_draw_mesh_tasks_indirect_count2(info: *const c_void) |device, state| state.draw_indirect(0)
}

command! {
    /// vkCmdDrawIndirectByteCount2EXT: one draw.
    cmd_draw_indirect_byte_count2(
        instances: u32,
        first_instance: u32,
        counter: *const c_void,
        offset: u32,
        stride: u32,
    ) |device, state| state.draw_indirect(1)
}

command! {
    /// vkCmdExecuteGeneratedCommandsNV: binds, sets and draws that a buffer holds.
    cmd_execute_generated_commands_nv(
        preprocessed: vk::Bool32,
        info: *const vk::GeneratedCommandsInfoNV<'_>,
    ) |device, state| state.generated("vkCmdExecuteGeneratedCommandsNV")
}

command! {
    /// vkCmdExecuteGeneratedCommandsEXT.
    cmd_execute_generated_commands(preprocessed: vk::Bool32, info: *const c_void) |device, state| {
        state.generated("vkCmdExecuteGeneratedCommandsEXT")
    }
}

/// # Safety
/// `first` is null or the first of `count` structs that stand `stride` bytes apart.
unsafe fn sum<T>(first: *const T, count: u32, stride: u32, of: impl Fn(&T) -> u32) -> u64 {
    if first.is_null() {
        return 0;
    }
    (0..count as usize)
        // SAFETY: by the caller's promise.
        .map(|n| u64::from(of(unsafe { &*first.byte_add(n * stride as usize) })))
        .sum()
}
