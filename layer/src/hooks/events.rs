//! Events on the device: set, reset. Waits are barriers, see [`super::sync`].

use super::{command, device_of};
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::translate::barrier::event;
use ash::vk::{self, Handle};
use tbdr_model::frame::EventAction;

/// vkCreateEvent.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_event(
    handle: vk::Device,
    info: *const vk::EventCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    event: *mut vk::Event,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_event else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = next(handle, info, allocator, event);
        if result.as_raw() >= 0 {
            guard(HookId::create_event, || {
                let objects = &device.recorder.objects;
                objects.events.insert((*event).as_raw(), objects.next_serial());
            });
        }
        result
    }
}

/// vkDestroyEvent.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_event(
    handle: vk::Device,
    event: vk::Event,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_event, || device.recorder.objects.events.remove(event.as_raw()));
        if let Some(next) = device.next.destroy_event {
            next(handle, event, allocator);
        }
    }
}

command! {
    /// vkCmdSetEvent.
    cmd_set_event(which: vk::Event, stages: vk::PipelineStageFlags) |device, state| {
        let which = event(&device.recorder.objects, state.recording(), which);
        state.event(which, EventAction::Set, u64::from(stages.as_raw()));
    }
}

command! {
    /// vkCmdSetEvent2: the source stages of its dependencies are what it waits for.
    cmd_set_event2(which: vk::Event, info: *const vk::DependencyInfo<'_>) |device, state| {
        // SAFETY: the argument of the call in progress.
        let stages = unsafe { crate::translate::barrier::source_stages(&*info) };
        let which = event(&device.recorder.objects, state.recording(), which);
        state.event(which, EventAction::Set, stages);
    }
}

command! {
    /// vkCmdResetEvent.
    cmd_reset_event(which: vk::Event, stages: vk::PipelineStageFlags) |device, state| {
        let which = event(&device.recorder.objects, state.recording(), which);
        state.event(which, EventAction::Reset, u64::from(stages.as_raw()));
    }
}

command! {
    /// vkCmdResetEvent2.
    cmd_reset_event2(which: vk::Event, stages: vk::PipelineStageFlags2) |device, state| {
        let which = event(&device.recorder.objects, state.recording(), which);
        state.event(which, EventAction::Reset, stages.as_raw());
    }
}
