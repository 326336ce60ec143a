//! A layer that does nothing: each of its hooks calls down and returns. It is the least that a hook can cost, and what our hooks
//! are compared with.
//!
//! A layer for any number of devices would also look its device up; this one serves a chain in which every device has the same
//! functions below, as the fake driver's do.

use ash::vk;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Generates a hook for each command, and [`device_proc_addr`], which answers with it.
macro_rules! hooks {
    ($($name:literal $hook:ident $next:ident: $pfn:ty = ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {
        $(
            static $next: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

            unsafe extern "system" fn $hook($($arg: $ty),*) -> $ret {
                // SAFETY: set by `device_proc_addr` before anybody gets this function, to the next function of this name; the arguments
                // are passed on as they came.
                unsafe { std::mem::transmute::<*mut (), $pfn>($next.load(Ordering::Relaxed))($($arg),*) }
            }
        )*

        /// vkGetDeviceProcAddr: the hook of `name`, or, where there is none, the function below.
        pub fn device_proc_addr(name: &str, below: unsafe extern "system" fn()) -> unsafe extern "system" fn() {
            match name {
                $($name => {
                    $next.store(below as *mut (), Ordering::Relaxed);
                    let hook: $pfn = $hook;
                    // SAFETY: function pointers of any signature have the same representation; the caller casts back.
                    unsafe { std::mem::transmute::<$pfn, unsafe extern "system" fn()>(hook) }
                })*
                _ => below,
            }
        }
    };
}

hooks! {
    "vkBeginCommandBuffer" begin NEXT_BEGIN: vk::PFN_vkBeginCommandBuffer =
        (commands: vk::CommandBuffer, info: *const vk::CommandBufferBeginInfo<'_>) -> vk::Result;
    "vkEndCommandBuffer" end NEXT_END: vk::PFN_vkEndCommandBuffer = (commands: vk::CommandBuffer) -> vk::Result;
    "vkCmdDraw" draw NEXT_DRAW: vk::PFN_vkCmdDraw =
        (commands: vk::CommandBuffer, vertices: u32, instances: u32, first_vertex: u32, first_instance: u32) -> ();
    "vkCmdBindPipeline" bind_pipeline NEXT_BIND_PIPELINE: vk::PFN_vkCmdBindPipeline =
        (commands: vk::CommandBuffer, point: vk::PipelineBindPoint, pipeline: vk::Pipeline) -> ();
    "vkCmdSetScissor" set_scissor NEXT_SET_SCISSOR: vk::PFN_vkCmdSetScissor =
        (commands: vk::CommandBuffer, first: u32, count: u32, scissors: *const vk::Rect2D) -> ();
    "vkCmdSetDepthTestEnable" set_depth_test NEXT_SET_DEPTH_TEST: vk::PFN_vkCmdSetDepthTestEnable =
        (commands: vk::CommandBuffer, on: vk::Bool32) -> ();
    "vkCmdBeginRenderPass" begin_pass NEXT_BEGIN_PASS: vk::PFN_vkCmdBeginRenderPass =
        (commands: vk::CommandBuffer, info: *const vk::RenderPassBeginInfo<'_>, contents: vk::SubpassContents) -> ();
    "vkCmdEndRenderPass" end_pass NEXT_END_PASS: vk::PFN_vkCmdEndRenderPass = (commands: vk::CommandBuffer) -> ();
    "vkCmdPipelineBarrier" barrier NEXT_BARRIER: vk::PFN_vkCmdPipelineBarrier = (
        commands: vk::CommandBuffer,
        src: vk::PipelineStageFlags,
        dst: vk::PipelineStageFlags,
        flags: vk::DependencyFlags,
        memory_count: u32,
        memory: *const vk::MemoryBarrier<'_>,
        buffer_count: u32,
        buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32,
        images: *const vk::ImageMemoryBarrier<'_>
    ) -> ();
    "vkCmdCopyImageToBuffer" copy NEXT_COPY: vk::PFN_vkCmdCopyImageToBuffer = (
        commands: vk::CommandBuffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        buffer: vk::Buffer,
        count: u32,
        regions: *const vk::BufferImageCopy
    ) -> ();
    "vkQueueSubmit" submit NEXT_SUBMIT: vk::PFN_vkQueueSubmit =
        (queue: vk::Queue, count: u32, submits: *const vk::SubmitInfo<'_>, fence: vk::Fence) -> vk::Result;
}
