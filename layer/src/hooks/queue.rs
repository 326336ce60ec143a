//! Queues and submissions. A batch is entered before the call down, so that its place in the order is the application's,
//! and taken back if the call fails.

use super::{device_of, sparse};
use crate::abi::{find, slice};
use crate::dispatch::command_buffers;
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{Batch, Edges, Image, Recording};
use ash::vk::{self, Handle};
use std::ffi::c_void;
use std::sync::Arc;
use tbdr_model::frame::{Boundary, OutputReason, SemaphoreStages, StageMasks};

/// vkGetDeviceQueue. The loader writes the queue's dispatch word only after this returns.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_device_queue(handle: vk::Device, family: u32, index: u32, queue: *mut vk::Queue) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.get_device_queue {
            next(handle, family, index, queue);
        }
        guard(HookId::get_device_queue, || device.recorder.timeline.queue_family((*queue).as_raw(), family));
    }
}

/// vkGetDeviceQueue2.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_device_queue2(
    handle: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    queue: *mut vk::Queue,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        if let Some(next) = device.next.get_device_queue2 {
            next(handle, info, queue);
        }
        guard(HookId::get_device_queue2, || {
            if !(*queue).is_null() {
                device.recorder.timeline.queue_family((*queue).as_raw(), (*info).queue_family_index);
            }
        });
    }
}

/// vkQueueSubmit.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: a live queue; the application's own arguments.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.queue_submit else { return vk::Result::ERROR_DEVICE_LOST };
        let token = guard(HookId::queue_submit, || {
            let several = device.recorder.timeline.has_queues();
            let batch = |s: &vk::SubmitInfo<'_>| Batch {
                recordings: recordings(slice(s.p_command_buffers, s.command_buffer_count).iter().copied()),
                semaphores: stages1(s),
                edges: if several { edges1(s) } else { Edges::default() },
            };
            submit(device, queue, slice(submits, count), batch, fence)
        });
        let result = next(queue, count, submits, fence);
        after(HookId::queue_submit, device, result, token, slice(submits, count).iter().map(|s| s.p_next));
        result
    }
}

/// vkQueueSubmit2.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_submit2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: a live queue; the application's own arguments.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.queue_submit2 else { return vk::Result::ERROR_DEVICE_LOST };
        let token = guard(HookId::queue_submit2, || {
            let several = device.recorder.timeline.has_queues();
            let batch = |s: &vk::SubmitInfo2<'_>| {
                let infos = slice(s.p_command_buffer_infos, s.command_buffer_info_count);
                let points = |infos: &[vk::SemaphoreSubmitInfo<'_>]| -> Vec<_> {
                    infos.iter().map(|i| (i.semaphore.as_raw(), i.value)).collect()
                };
                Batch {
                    recordings: recordings(infos.iter().map(|i| i.command_buffer)),
                    semaphores: stages2(s),
                    edges: if several {
                        Edges {
                            waits: points(slice(s.p_wait_semaphore_infos, s.wait_semaphore_info_count)),
                            signals: points(slice(s.p_signal_semaphore_infos, s.signal_semaphore_info_count)),
                        }
                    } else {
                        Edges::default()
                    },
                }
            };
            submit(device, queue, slice(submits, count), batch, fence)
        });
        let result = next(queue, count, submits, fence);
        after(HookId::queue_submit2, device, result, token, slice(submits, count).iter().map(|s| s.p_next));
        result
    }
}

/// vkQueueBindSparse: it may end a frame. What memory it gives away is known from before it is done.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn queue_bind_sparse(
    queue: vk::Queue,
    count: u32,
    binds: *const vk::BindSparseInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: a live queue; the application's own arguments.
    unsafe {
        let Some(device) = device_of(queue.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.queue_bind_sparse else { return vk::Result::ERROR_DEVICE_LOST };
        let several = device.recorder.timeline.has_queues();
        guard(HookId::queue_bind_sparse, || {
            if several {
                let edges = slice(binds, count).iter().map(|bind| {
                    let values = find::<vk::TimelineSemaphoreSubmitInfo<'_>>(bind.p_next);
                    Edges {
                        waits: points(slice(bind.p_wait_semaphores, bind.wait_semaphore_count), wait_values(values)),
                        signals: points(
                            slice(bind.p_signal_semaphores, bind.signal_semaphore_count),
                            signal_values(values),
                        ),
                    }
                });
                device.recorder.timeline.bind(queue.as_raw(), edges.collect(), fence.as_raw());
            }
            slice(binds, count).iter().for_each(|bind| sparse::given(device, bind));
        });
        let result = next(queue, count, binds, fence);
        // What failed has a token that no submission has: nothing is taken back but what is known of the order.
        let token = several.then_some(0);
        after(HookId::queue_bind_sparse, device, result, token, slice(binds, count).iter().map(|b| b.p_next));
        result
    }
}

/// Stages of the semaphores of a VkSubmitInfo, which signals after everything.
///
/// # Safety
/// `info` is valid.
unsafe fn stages1(info: &vk::SubmitInfo<'_>) -> SemaphoreStages {
    // SAFETY: a semaphore is waited for at each element of the array.
    let masks = unsafe { slice(info.p_wait_dst_stage_mask, info.wait_semaphore_count) };
    let waits = masks.iter().fold(StageMasks::default(), |all, mask| all.and(waits(mask.as_raw().into())));
    SemaphoreStages { waits, ..SemaphoreStages::default() }
}

/// The same of a VkSubmitInfo2.
///
/// # Safety
/// `info` is valid.
unsafe fn stages2(info: &vk::SubmitInfo2<'_>) -> SemaphoreStages {
    // SAFETY: arrays of a valid struct.
    let (wait, signal) = unsafe {
        (
            slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count),
            slice(info.p_signal_semaphore_infos, info.signal_semaphore_info_count),
        )
    };
    let limited = |mask: &u64| mask & vk::PipelineStageFlags2::ALL_COMMANDS.as_raw() == 0;
    let signals = signal.iter().map(|info| info.stage_mask.as_raw()).filter(limited);
    SemaphoreStages {
        waits: wait.iter().fold(StageMasks::default(), |all, info| all.and(waits(info.stage_mask.as_raw()))),
        signals: signals.fold(StageMasks::default(), StageMasks::and),
    }
}

/// The stages that wait for a semaphore. A wait at no stage counts as one at any: it is a wait.
fn waits(mask: u64) -> u64 {
    if mask == 0 { vk::PipelineStageFlags2::ALL_COMMANDS.as_raw() } else { mask }
}

/// The semaphores of a VkSubmitInfo.
///
/// # Safety
/// `info` is valid.
unsafe fn edges1(info: &vk::SubmitInfo<'_>) -> Edges {
    // SAFETY: arrays and chain of a valid struct.
    unsafe {
        let values = find::<vk::TimelineSemaphoreSubmitInfo<'_>>(info.p_next);
        Edges {
            waits: points(slice(info.p_wait_semaphores, info.wait_semaphore_count), wait_values(values)),
            signals: points(slice(info.p_signal_semaphores, info.signal_semaphore_count), signal_values(values)),
        }
    }
}

/// Semaphores with their values; those of binary semaphores mean nothing and may be missing.
fn points(semaphores: &[vk::Semaphore], values: &[u64]) -> Vec<(u64, u64)> {
    let value = |at: usize| values.get(at).copied().unwrap_or(0);
    semaphores.iter().enumerate().map(|(at, semaphore)| (semaphore.as_raw(), value(at))).collect()
}

/// # Safety
/// The struct is valid.
unsafe fn wait_values<'a>(info: Option<&'a vk::TimelineSemaphoreSubmitInfo<'_>>) -> &'a [u64] {
    // SAFETY: by the caller's promise.
    info.map_or(&[], |info| unsafe { slice(info.p_wait_semaphore_values, info.wait_semaphore_value_count) })
}

/// # Safety
/// The struct is valid.
unsafe fn signal_values<'a>(info: Option<&'a vk::TimelineSemaphoreSubmitInfo<'_>>) -> &'a [u64] {
    // SAFETY: by the caller's promise.
    info.map_or(&[], |info| unsafe { slice(info.p_signal_semaphore_values, info.signal_semaphore_value_count) })
}

/// What the command buffers of a batch do.
///
/// # Safety
/// The command buffers are live and not being recorded.
unsafe fn recordings(buffers: impl Iterator<Item = vk::CommandBuffer>) -> Vec<Arc<Recording>> {
    // SAFETY: by the caller's promise.
    buffers.filter_map(|b| unsafe { command_buffers::read(b) }?.frozen()).collect()
}

/// Enters the batches of a submission. All of them are read before anything is locked, and one alone, which is the rule, takes no list.
fn submit<T>(device: &Device, queue: vk::Queue, infos: &[T], batch: impl Fn(&T) -> Batch, fence: vk::Fence) -> u64 {
    let (queue, fence) = (queue.as_raw(), fence.as_raw());
    match infos {
        [only] => device.recorder.submit(queue, [batch(only)], fence),
        several => device.recorder.submit(queue, several.iter().map(batch).collect::<Vec<_>>(), fence),
    }
}

/// After a submission: takes it back if it failed, else closes the frame where a boundary says so.
///
/// # Safety
/// `chains` are the pNext pointers of valid structs.
unsafe fn after(
    hook: HookId,
    device: &Device,
    result: vk::Result,
    token: Option<u64>,
    chains: impl Iterator<Item = *const c_void>,
) {
    guard(hook, || {
        if result.as_raw() < 0 && result != vk::Result::ERROR_DEVICE_LOST {
            if let Some(token) = token {
                device.recorder.timeline.retract(token);
            }
            return;
        }
        for chain in chains {
            // SAFETY: by the caller's promise.
            if let Some(outputs) = unsafe { frame_end(device, chain) } {
                device.recorder.close_frame(Boundary::FrameBoundary, outputs);
            }
        }
        device.recorder.submitted();
    });
}

/// The images that a VkFrameBoundaryEXT with FRAME_END names, if the chain has one.
///
/// # Safety
/// `next` is the pNext of a valid struct.
pub unsafe fn frame_end(device: &Device, next: *const c_void) -> Option<Vec<(Arc<Image>, OutputReason)>> {
    // SAFETY: by the caller's promise.
    unsafe {
        let boundary = find::<vk::FrameBoundaryEXT<'_>>(next)?;
        boundary.flags.contains(vk::FrameBoundaryFlagsEXT::FRAME_END).then(|| {
            slice(boundary.p_images, boundary.image_count)
                .iter()
                .filter_map(|i| device.recorder.objects.images.get(i.as_raw()))
                .map(|image| (image, OutputReason::FrameBoundary))
                .collect()
        })
    }
}
