//! Draws, as counters: a draw is two additions.

use super::command;
use ash::vk;

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
        state.draw_indirect()
    }
}

command! {
    /// vkCmdDrawIndexedIndirect.
    cmd_draw_indexed_indirect(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32) |device, state| {
        state.draw_indirect()
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
    ) |device, state| state.draw_indirect()
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
    ) |device, state| state.draw_indirect()
}

command! {
    /// vkCmdDrawIndirectByteCountEXT.
    cmd_draw_indirect_byte_count(
        instances: u32,
        first_instance: u32,
        counter: vk::Buffer,
        counter_offset: vk::DeviceSize,
        offset: u32,
        stride: u32,
    ) |device, state| state.draw_indirect()
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
        state.draw(u64::from(draws), vertices.wrapping_mul(u64::from(instances)))
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
        state.draw(u64::from(draws), indices.wrapping_mul(u64::from(instances)))
    }
}

command! {
    /// vkCmdDrawMeshTasksEXT: one draw; how many vertices its meshes have only the GPU knows.
    cmd_draw_mesh_tasks(x: u32, y: u32, z: u32) |device, state| state.draw(1, 0)
}

command! {
    /// vkCmdDrawMeshTasksIndirectEXT.
    cmd_draw_mesh_tasks_indirect(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32) |device, state| {
        state.draw_indirect()
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
    ) |device, state| state.draw_indirect()
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
