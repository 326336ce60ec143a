//! Pipelines and shader objects: creation, destruction, binds.
//!
//! A call that creates several may fail for some of them: those are null, and the others are good. What a failed call has written is told
//! from what lay in the array before.

use super::{command, device_of};
use crate::abi::slice;
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::{Pipeline, StaticUse};
use crate::translate;
use ash::vk::{self, Handle};
use std::sync::Arc;

/// What lies in an array of handles that a call is about to fill.
///
/// # Safety
/// `handles` is null or has room for `count` handles.
unsafe fn before<H: Handle + Copy>(handles: *const H, count: u32) -> Vec<u64> {
    // SAFETY: by the caller's promise; every bit pattern is a handle.
    unsafe { slice(handles, count) }.iter().map(|h| h.as_raw()).collect()
}

/// Each handle that a call has created, with its number in the array.
fn created<H: Handle + Copy>(result: vk::Result, before: &[u64], after: &[H]) -> impl Iterator<Item = (usize, u64)> {
    let all = result.as_raw() >= 0;
    let handles = after.iter().map(|h| h.as_raw()).enumerate();
    handles.filter(move |(at, handle)| *handle != 0 && (all || before.get(*at) != Some(handle)))
}

/// vkCreateGraphicsPipelines.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_graphics_pipelines(
    handle: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_graphics_pipelines else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let old = guard(HookId::create_graphics_pipelines, || before(pipelines, count));
        let result = next(handle, cache, count, infos, allocator, pipelines);
        guard(HookId::create_graphics_pipelines, || {
            let (objects, infos) = (&device.recorder.objects, slice(infos, count));
            for (at, pipeline) in created(result, &old.unwrap_or_default(), slice(pipelines, count)) {
                let parts = translate::pipeline::graphics(&infos[at], objects);
                objects.pipelines.insert(pipeline, Arc::new(Pipeline::graphics(parts)));
            }
        });
        result
    }
}

/// vkCreateComputePipelines.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_compute_pipelines(
    handle: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_compute_pipelines else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let old = guard(HookId::create_compute_pipelines, || before(pipelines, count));
        let result = next(handle, cache, count, infos, allocator, pipelines);
        guard(HookId::create_compute_pipelines, || {
            let (objects, infos) = (&device.recorder.objects, slice(infos, count));
            for (at, pipeline) in created(result, &old.unwrap_or_default(), slice(pipelines, count)) {
                let uses = translate::shader::stages(objects, &[infos[at].stage]);
                objects.pipelines.insert(pipeline, Arc::new(Pipeline::compute(uses)));
            }
        });
        result
    }
}

/// vkDestroyPipeline.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_pipeline(
    handle: vk::Device,
    pipeline: vk::Pipeline,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_pipeline, || device.recorder.objects.pipelines.remove(pipeline.as_raw()));
        if let Some(next) = device.next.destroy_pipeline {
            next(handle, pipeline, allocator);
        }
    }
}

command! {
    /// vkCmdBindPipeline.
    cmd_bind_pipeline(point: vk::PipelineBindPoint, pipeline: vk::Pipeline) |device, state| {
        let pipeline = || device.recorder.objects.pipelines.get(pipeline.as_raw());
        match point {
            vk::PipelineBindPoint::GRAPHICS => state.state().bind(pipeline()),
            vk::PipelineBindPoint::COMPUTE => state.bind_compute(pipeline().map(|p| Arc::clone(&p.uses))),
            _ => {}
        }
    }
}

command! {
    /// vkCmdBindPipelineShaderGroupNV: a group has shaders of its own, which are not followed.
    cmd_bind_pipeline_shader_group_nv(
        point: vk::PipelineBindPoint,
        pipeline: vk::Pipeline,
        group: u32,
    ) |device, state| match point {
        vk::PipelineBindPoint::GRAPHICS => state.state().bind(None),
        vk::PipelineBindPoint::COMPUTE => state.bind_compute(None),
        _ => {}
    }
}

/// vkCreateShadersEXT.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn create_shaders(
    handle: vk::Device,
    count: u32,
    infos: *const vk::ShaderCreateInfoEXT<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    shaders: *mut vk::ShaderEXT,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.create_shaders else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let old = guard(HookId::create_shaders, || before(shaders, count));
        let result = next(handle, count, infos, allocator, shaders);
        guard(HookId::create_shaders, || {
            let (objects, infos) = (&device.recorder.objects, slice(infos, count));
            for (at, shader) in created(result, &old.unwrap_or_default(), slice(shaders, count)) {
                objects.shaders.insert(shader, Arc::new(translate::shader::object(&infos[at])));
            }
        });
        result
    }
}

/// vkDestroyShaderEXT.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn destroy_shader(
    handle: vk::Device,
    shader: vk::ShaderEXT,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        guard(HookId::destroy_shader, || device.recorder.objects.shaders.remove(shader.as_raw()));
        if let Some(next) = device.next.destroy_shader {
            next(handle, shader, allocator);
        }
    }
}

command! {
    /// vkCmdBindShadersEXT; without an array, or with null in it, the stages are unbound.
    cmd_bind_shaders(
        count: u32,
        stages: *const vk::ShaderStageFlags,
        shaders: *const vk::ShaderEXT,
    ) |device, state| {
        // SAFETY: arrays of `count` items by valid usage; that of shaders may be null.
        let (stages, shaders) = unsafe { (slice(stages, count), slice(shaders, count)) };
        for (at, stage) in stages.iter().enumerate() {
            let shader = shaders.get(at).copied().filter(|shader| *shader != vk::ShaderEXT::null());
            let uses = shader.map(|shader| uses_of(device, shader));
            if *stage == vk::ShaderStageFlags::COMPUTE {
                state.bind_compute(uses);
            } else {
                state.state().bind_shader(stage.as_raw(), uses);
            }
        }
    }
}

/// What a shader object reaches: everything, for all that is known, if its creation was not seen.
fn uses_of(device: &Device, shader: vk::ShaderEXT) -> Arc<StaticUse> {
    device.recorder.objects.shaders.get(shader.as_raw()).unwrap_or_default()
}
