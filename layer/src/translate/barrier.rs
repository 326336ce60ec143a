//! Pipeline barriers and event waits, synchronization 1 and 2 in one form.

use super::image::{buffer_number, number};
use super::layout;
use crate::abi::slice;
use crate::record::{Objects, Recording};
use ash::vk::{self, Handle};
use tbdr_model::frame::{Barrier, BufferBarrier, EventRef, ImageBarrier, Scope};

/// The three arrays of a synchronization 1 command.
pub struct Arrays1<'a> {
    /// Global memory barriers.
    pub memory: &'a [vk::MemoryBarrier<'a>],
    /// Buffer memory barriers.
    pub buffers: &'a [vk::BufferMemoryBarrier<'a>],
    /// Image memory barriers.
    pub images: &'a [vk::ImageMemoryBarrier<'a>],
}

impl<'a> Arrays1<'a> {
    /// The arrays as a command gives them, each with its count.
    ///
    /// # Safety
    /// Each pointer is null or points to as many items as its count says, for as long as the result lives.
    pub unsafe fn new(
        memory: (*const vk::MemoryBarrier<'a>, u32),
        buffers: (*const vk::BufferMemoryBarrier<'a>, u32),
        images: (*const vk::ImageMemoryBarrier<'a>, u32),
    ) -> Self {
        // SAFETY: by the caller's promise.
        unsafe {
            Self {
                memory: slice(memory.0, memory.1),
                buffers: slice(buffers.0, buffers.1),
                images: slice(images.0, images.1),
            }
        }
    }
}

/// vkCmdPipelineBarrier or vkCmdWaitEvents: every barrier has the stages of the command.
pub fn barrier1(
    objects: &Objects,
    recording: &mut Recording,
    stages: (vk::PipelineStageFlags, vk::PipelineStageFlags),
    flags: vk::DependencyFlags,
    events: Option<&[vk::Event]>,
    arrays: &Arrays1<'_>,
) -> Barrier {
    let scope = |src: vk::AccessFlags, dst: vk::AccessFlags| Scope {
        src_stages: u64::from(stages.0.as_raw()),
        src_access: u64::from(src.as_raw()),
        dst_stages: u64::from(stages.1.as_raw()),
        dst_access: u64::from(dst.as_raw()),
    };
    Barrier {
        flags: flags.as_raw(),
        event: events.is_some(),
        events: numbers(objects, recording, events),
        stages: scope(vk::AccessFlags::empty(), vk::AccessFlags::empty()),
        memory: arrays.memory.iter().map(|m| scope(m.src_access_mask, m.dst_access_mask)).collect(),
        buffers: arrays
            .buffers
            .iter()
            .map(|b| BufferBarrier {
                buffer: buffer_number(objects, recording, b.buffer),
                scope: scope(b.src_access_mask, b.dst_access_mask),
                families: families(b.src_queue_family_index, b.dst_queue_family_index),
            })
            .collect(),
        images: arrays
            .images
            .iter()
            .map(|i| {
                image_barrier(
                    objects,
                    recording,
                    i.image,
                    &i.subresource_range,
                    ImageBarrier {
                        scope: scope(i.src_access_mask, i.dst_access_mask),
                        old_layout: layout(i.old_layout),
                        new_layout: layout(i.new_layout),
                        families: families(i.src_queue_family_index, i.dst_queue_family_index),
                        ..ImageBarrier::default()
                    },
                )
            })
            .collect(),
    }
}

/// VkDependencyInfo of vkCmdPipelineBarrier2 or of one event of vkCmdWaitEvents2.
///
/// # Safety
/// `info` is the argument of a call in progress.
pub unsafe fn barrier2(
    objects: &Objects,
    recording: &mut Recording,
    info: &vk::DependencyInfo<'_>,
    events: Option<&[vk::Event]>,
) -> Barrier {
    // SAFETY: arrays of a valid VkDependencyInfo.
    let (memory, buffers, images) = unsafe {
        (
            slice(info.p_memory_barriers, info.memory_barrier_count),
            slice(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count),
            slice(info.p_image_memory_barriers, info.image_memory_barrier_count),
        )
    };
    let scope =
        |ss: vk::PipelineStageFlags2, sa: vk::AccessFlags2, ds: vk::PipelineStageFlags2, da: vk::AccessFlags2| Scope {
            src_stages: ss.as_raw(),
            src_access: sa.as_raw(),
            dst_stages: ds.as_raw(),
            dst_access: da.as_raw(),
        };
    Barrier {
        flags: info.dependency_flags.as_raw(),
        event: events.is_some(),
        events: numbers(objects, recording, events),
        stages: Scope::default(),
        memory: memory
            .iter()
            .map(|m| scope(m.src_stage_mask, m.src_access_mask, m.dst_stage_mask, m.dst_access_mask))
            .collect(),
        buffers: buffers
            .iter()
            .map(|b| BufferBarrier {
                buffer: buffer_number(objects, recording, b.buffer),
                scope: scope(b.src_stage_mask, b.src_access_mask, b.dst_stage_mask, b.dst_access_mask),
                families: families(b.src_queue_family_index, b.dst_queue_family_index),
            })
            .collect(),
        images: images
            .iter()
            .map(|i| {
                image_barrier(
                    objects,
                    recording,
                    i.image,
                    &i.subresource_range,
                    ImageBarrier {
                        scope: scope(i.src_stage_mask, i.src_access_mask, i.dst_stage_mask, i.dst_access_mask),
                        old_layout: layout(i.old_layout),
                        new_layout: layout(i.new_layout),
                        families: families(i.src_queue_family_index, i.dst_queue_family_index),
                        ..ImageBarrier::default()
                    },
                )
            })
            .collect(),
    }
}

/// vkTransitionImageLayout: a layout change without stages, since the host waits itself.
pub fn host_transitions(
    objects: &Objects,
    recording: &mut Recording,
    transitions: &[vk::HostImageLayoutTransitionInfoEXT<'_>],
) -> Barrier {
    let images = transitions.iter().map(|t| {
        let layouts = ImageBarrier {
            old_layout: layout(t.old_layout),
            new_layout: layout(t.new_layout),
            ..ImageBarrier::default()
        };
        image_barrier(objects, recording, t.image, &t.subresource_range, layouts)
    });
    Barrier { images: images.collect(), ..Barrier::default() }
}

fn image_barrier(
    objects: &Objects,
    recording: &mut Recording,
    image: vk::Image,
    range: &vk::ImageSubresourceRange,
    barrier: ImageBarrier,
) -> ImageBarrier {
    let image = number(objects, recording, image);
    let range = super::range(range);
    let known = image.and_then(|i| recording.images.get(i.0 as usize));
    ImageBarrier { image, range: known.map_or(range, |k| k.resolve(range)), ..barrier }
}

/// The number of an event in the recording.
pub fn event(objects: &Objects, recording: &mut Recording, event: vk::Event) -> Option<EventRef> {
    objects.events.get(event.as_raw()).map(|serial| recording.device_event(serial))
}

fn numbers(objects: &Objects, recording: &mut Recording, events: Option<&[vk::Event]>) -> Vec<EventRef> {
    events.unwrap_or_default().iter().filter_map(|which| event(objects, recording, *which)).collect()
}

/// Every source stage of a VkDependencyInfo.
///
/// # Safety
/// `info` is the argument of a call in progress.
pub unsafe fn source_stages(info: &vk::DependencyInfo<'_>) -> u64 {
    // SAFETY: arrays of a valid VkDependencyInfo.
    let (memory, buffers, images) = unsafe {
        (
            slice(info.p_memory_barriers, info.memory_barrier_count),
            slice(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count),
            slice(info.p_image_memory_barriers, info.image_memory_barrier_count),
        )
    };
    let memory = memory.iter().map(|m| m.src_stage_mask);
    let buffers = buffers.iter().map(|b| b.src_stage_mask);
    let images = images.iter().map(|i| i.src_stage_mask);
    memory.chain(buffers).chain(images).fold(0, |all, stages| all | stages.as_raw())
}

/// A queue family ownership transfer, if it is one.
fn families(src: u32, dst: u32) -> Option<(u32, u32)> {
    (src != dst).then_some((src, dst))
}
