//! Binding, pushing and pointing at descriptors.

use super::command;
use crate::abi::{find, slice};
use crate::dispatch::devices::Device;
use crate::record::{BindPoint, BoundSet, CommandBuffer, Set, SetLayout};
use crate::translate;
use ash::vk::{self, Handle};
use std::ffi::c_void;
use std::sync::Arc;

command! {
    /// vkCmdBindDescriptorSets.
    cmd_bind_descriptor_sets(
        bind_point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        count: u32,
        sets: *const vk::DescriptorSet,
        offset_count: u32,
        offsets: *const u32,
    ) |device, state| {
        // SAFETY: an array of `count` sets.
        let sets = unsafe { slice(sets, count) };
        if let Some(point) = state.bind_point(bind_point.as_raw()) {
            bind(device, point, first, sets);
        }
    }
}

command! {
    /// vkCmdBindDescriptorSets2.
    cmd_bind_descriptor_sets2(info: *const vk::BindDescriptorSetsInfoKHR<'_>) |device, state| {
        // SAFETY: the argument of the call in progress and its array.
        let (info, sets) = unsafe { (&*info, slice((*info).p_descriptor_sets, (*info).descriptor_set_count)) };
        each_point(state, info.stage_flags, |point| bind(device, point, info.first_set, sets));
    }
}

fn bind(device: &Device, point: &mut BindPoint, first: u32, sets: &[vk::DescriptorSet]) {
    for (number, set) in (first..).zip(sets) {
        let bound = match device.recorder.objects.sets.get(set.as_raw()) {
            Some(set) => BoundSet::Set(set),
            // Null: nothing of it may be reached (VK_EXT_graphics_pipeline_library).
            None if set.is_null() => BoundSet::Nothing,
            None => BoundSet::Unknown,
        };
        point.bind(number, bound);
    }
}

/// The bind points that some stages belong to, as far as they are followed.
fn each_point(state: &mut CommandBuffer, stages: vk::ShaderStageFlags, mut f: impl FnMut(&mut BindPoint)) {
    let graphics = vk::ShaderStageFlags::ALL_GRAPHICS | vk::ShaderStageFlags::TASK_EXT | vk::ShaderStageFlags::MESH_EXT;
    let compute = vk::ShaderStageFlags::COMPUTE;
    for (of, point) in [(graphics, vk::PipelineBindPoint::GRAPHICS), (compute, vk::PipelineBindPoint::COMPUTE)] {
        if stages.intersects(of) {
            state.bind_point(point.as_raw()).into_iter().for_each(&mut f);
        }
    }
}

command! {
    /// vkCmdPushDescriptorSet.
    cmd_push_descriptor_set(
        bind_point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
    ) |device, state| {
        // SAFETY: an array of `count` writes.
        let writes = unsafe { slice(writes, count) };
        // SAFETY: a layout without a chain is looked up.
        let layout = unsafe { set_layout(device, layout, std::ptr::null(), set) };
        if let Some(point) = state.bind_point(bind_point.as_raw()) {
            // SAFETY: writes of the call in progress.
            push(device, point, set, layout.as_ref(), |set| unsafe { write_all(device, set, writes) });
        }
    }
}

command! {
    /// vkCmdPushDescriptorSet2.
    cmd_push_descriptor_set2(info: *const vk::PushDescriptorSetInfoKHR<'_>) |device, state| {
        // SAFETY: the argument of the call in progress, its array and its chain.
        let (info, writes, layout) = unsafe {
            let info = &*info;
            let writes = slice(info.p_descriptor_writes, info.descriptor_write_count);
            (info, writes, set_layout(device, info.layout, info.p_next, info.set))
        };
        each_point(state, info.stage_flags, |point| {
            // SAFETY: writes of the call in progress.
            push(device, point, info.set, layout.as_ref(), |set| unsafe { write_all(device, set, writes) });
        });
    }
}

command! {
    /// vkCmdPushDescriptorSetWithTemplate.
    cmd_push_descriptor_set_with_template(
        template: vk::DescriptorUpdateTemplate,
        layout: vk::PipelineLayout,
        set: u32,
        data: *const c_void,
    ) |device, state| {
        // SAFETY: a layout without a chain; data as the template says.
        unsafe {
            let layout = set_layout(device, layout, std::ptr::null(), set);
            push_with(device, state, template, set, layout.as_ref(), data);
        }
    }
}

command! {
    /// vkCmdPushDescriptorSetWithTemplate2.
    cmd_push_descriptor_set_with_template2(
        info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
    ) |device, state| {
        // SAFETY: the argument of the call in progress and its chain; data as the template says.
        unsafe {
            let info = &*info;
            let layout = set_layout(device, info.layout, info.p_next, info.set);
            push_with(device, state, info.descriptor_update_template, info.set, layout.as_ref(), info.p_data);
        }
    }
}

/// The layout of a set in a pipeline layout, which may be given without an object.
///
/// # Safety
/// `next` is the pNext of a valid struct or null.
unsafe fn set_layout(
    device: &Device,
    layout: vk::PipelineLayout,
    next: *const c_void,
    set: u32,
) -> Option<Arc<SetLayout>> {
    let objects = &device.recorder.objects;
    if layout.is_null() {
        // SAFETY: by the caller's promise.
        let info = unsafe { find::<vk::PipelineLayoutCreateInfo<'_>>(next)? };
        // SAFETY: a valid create info.
        let layouts = unsafe { slice(info.p_set_layouts, info.set_layout_count) };
        return objects.set_layouts.get(layouts.get(set as usize)?.as_raw());
    }
    objects.pipeline_layouts.get(layout.as_raw())?.sets.get(set as usize)?.clone()
}

fn push(
    device: &Device,
    point: &mut BindPoint,
    number: u32,
    layout: Option<&Arc<SetLayout>>,
    write: impl FnOnce(&Set),
) {
    match layout {
        Some(layout) => write(&point.pushed(number, layout, || device.recorder.objects.next_serial())),
        None => point.bind(number, BoundSet::Unknown),
    }
}

/// # Safety
/// Writes of a call in progress.
unsafe fn write_all(device: &Device, set: &Set, writes: &[vk::WriteDescriptorSet<'_>]) {
    for write in writes {
        // SAFETY: by the caller's promise.
        unsafe { translate::descriptor::write(&device.recorder.objects, set, write) };
    }
}

/// # Safety
/// `data` holds what the template says.
unsafe fn push_with(
    device: &Device,
    state: &mut CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    number: u32,
    layout: Option<&Arc<SetLayout>>,
    data: *const c_void,
) {
    let objects = &device.recorder.objects;
    let Some(template) = objects.templates.get(template.as_raw()) else {
        // Of either bind point.
        each_point(state, vk::ShaderStageFlags::ALL, |point| point.bind(number, BoundSet::Unknown));
        return;
    };
    if let Some(point) = state.bind_point(template.bind_point) {
        push(device, point, number, layout, |set| {
            // SAFETY: by the caller's promise.
            unsafe { translate::descriptor::update_with(objects, set, &template, data) }
        });
    }
}

command! {
    /// vkCmdSetDescriptorBufferOffsetsEXT.
    cmd_set_descriptor_buffer_offsets(
        bind_point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        count: u32,
        buffers: *const u32,
        offsets: *const vk::DeviceSize,
    ) |device, state| {
        if let Some(point) = state.bind_point(bind_point.as_raw()) {
            point.bind_memory(first, count, &device.recorder.objects.taken.0);
        }
    }
}

command! {
    /// vkCmdSetDescriptorBufferOffsets2EXT.
    cmd_set_descriptor_buffer_offsets2(info: *const vk::SetDescriptorBufferOffsetsInfoEXT<'_>) |device, state| {
        // SAFETY: the argument of the call in progress.
        let info = unsafe { &*info };
        let taken = &device.recorder.objects.taken.0;
        each_point(state, info.stage_flags, |point| point.bind_memory(info.first_set, info.set_count, taken));
    }
}
