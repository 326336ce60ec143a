//! Pipeline barriers and event waits, synchronization 1 and 2.

use super::command;
use crate::abi::slice;
use crate::translate::barrier::{Arrays1, barrier1, barrier2};
use ash::vk;

command! {
    /// vkCmdPipelineBarrier.
    cmd_pipeline_barrier(
        src: vk::PipelineStageFlags,
        dst: vk::PipelineStageFlags,
        flags: vk::DependencyFlags,
        memory_count: u32,
        memory: *const vk::MemoryBarrier<'_>,
        buffer_count: u32,
        buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32,
        images: *const vk::ImageMemoryBarrier<'_>,
    ) |device, state| {
        // SAFETY: arrays of the call in progress.
        let arrays = unsafe { Arrays1::new((memory, memory_count), (buffers, buffer_count), (images, image_count)) };
        let objects = &device.recorder.objects;
        let barrier = barrier1(objects, state.recording(), (src, dst), flags, None, &arrays);
        state.barrier(barrier);
    }
}

command! {
    /// vkCmdPipelineBarrier2.
    cmd_pipeline_barrier2(info: *const vk::DependencyInfo<'_>) |device, state| {
        // SAFETY: the argument of the call in progress.
        let barrier = unsafe { barrier2(&device.recorder.objects, state.recording(), &*info, None) };
        state.barrier(barrier);
    }
}

command! {
    /// vkCmdWaitEvents.
    cmd_wait_events(
        event_count: u32,
        events: *const vk::Event,
        src: vk::PipelineStageFlags,
        dst: vk::PipelineStageFlags,
        memory_count: u32,
        memory: *const vk::MemoryBarrier<'_>,
        buffer_count: u32,
        buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32,
        images: *const vk::ImageMemoryBarrier<'_>,
    ) |device, state| {
        // SAFETY: arrays of the call in progress.
        let arrays = unsafe { Arrays1::new((memory, memory_count), (buffers, buffer_count), (images, image_count)) };
        let none = vk::DependencyFlags::empty();
        // SAFETY: an array of the call in progress.
        let events = unsafe { slice(events, event_count) };
        let barrier = barrier1(&device.recorder.objects, state.recording(), (src, dst), none, Some(events), &arrays);
        state.barrier(barrier);
    }
}

command! {
    /// vkCmdWaitEvents2: one dependency per event.
    cmd_wait_events2(
        event_count: u32,
        events: *const vk::Event,
        infos: *const vk::DependencyInfo<'_>,
    ) |device, state| {
        // SAFETY: arrays of the call in progress.
        let (events, infos) = unsafe { (slice(events, event_count), slice(infos, event_count)) };
        for (event, info) in events.chunks(1).zip(infos) {
            // SAFETY: an item of a valid array.
            let barrier = unsafe { barrier2(&device.recorder.objects, state.recording(), info, Some(event)) };
            state.barrier(barrier);
        }
    }
}
