//! A long run takes as much memory as a short one: 3,000 frames here, 100,000 with TILELENS_FULL=1.
//!
//! Each frame renders to an image of its own that is then destroyed; swapchains are made anew, several frame structures take
//! turns, queue labels are opened and never closed, and two queues are ordered by a timeline that never repeats a value.
// The curve is for whoever runs the test.
#![allow(clippy::print_stdout)]
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ptr;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::memory::resident;
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{Scene, attachment};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

fn frames() -> u64 {
    if std::env::var_os("TILELENS_FULL").is_some() { 100_000 } else { 3_000 }
}

/// Runs the program and returns the memory at ten points of the run.
fn run(frames: u64) -> Vec<u64> {
    let chain = Chain::new(Options { reuse_handles: true, ..Options::default() });
    let priority = [1.0, 1.0];
    let family = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priority)];
    let app = chain.start().open_device(&vk::DeviceCreateInfo::default().queue_create_infos(&family)).unwrap();
    let scene = Scene::new(app);
    let app = &scene.app;
    let other = app.queue(0, 1);
    let copies = app.command_buffers(scene.pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
    let extent = vk::Extent2D { width: 64, height: 64 };
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    let (mut timeline, mut fence) = (vk::Semaphore::null(), vk::Fence::null());
    // SAFETY: valid arguments.
    unsafe {
        let _ = app.vkCreateSemaphore(app.device, &info, NO, &mut timeline);
        let _ = app.vkCreateFence(app.device, &vk::FenceCreateInfo::default(), NO, &mut fence);
    }
    let (mut swapchain, _) = scene.swapchain(RGBA8, extent);
    chain.driver.set_noting(false);
    let mut curve = Vec::new();
    for frame in 0..frames {
        if frame % 50 == 0 {
            let (next, _) = scene.swapchain(RGBA8, extent);
            // SAFETY: nothing uses it any more.
            unsafe { app.vkDestroySwapchainKHR(app.device, swapchain, NO) };
            swapchain = next;
        }
        let image = scene.image(RGBA8, 64, 64 + 16 * (frame % 7) as u32, 1);
        let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        scene.record(|_, _| {
            (0..=frame % 3).for_each(|_| scene.pass(pass, framebuffer, image.extent, 1));
        });
        scene.record_into(copies, |app, cb| {
            let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
            let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(image.extent.into());
            // SAFETY: valid arguments.
            unsafe {
                let layout = vk::ImageLayout::GENERAL;
                app.vkCmdCopyImageToBuffer(cb, image.image, layout, vk::Buffer::null(), 1, &region);
            }
        });
        let label = vk::DebugUtilsLabelEXT::default().label_name(c"never closed");
        let point = [vk::SemaphoreSubmitInfo::default().semaphore(timeline).value(frame + 1)];
        let buffers = [scene.buffer, copies].map(|b| [vk::CommandBufferSubmitInfo::default().command_buffer(b)]);
        let rendered = vk::SubmitInfo2::default().command_buffer_infos(&buffers[0]).signal_semaphore_infos(&point);
        let copied = vk::SubmitInfo2::default().command_buffer_infos(&buffers[1]).wait_semaphore_infos(&point);
        // SAFETY: valid arguments; what is destroyed is not used by work that has not ended.
        unsafe {
            // So many at once that the bound is met however few of the first frames are analysed.
            let opened = if frame < 640 { 20 } else { u32::from(frame % 100 == 0) };
            (0..opened).for_each(|_| app.vkQueueBeginDebugUtilsLabelEXT(scene.queue, &label));
            let _ = app.vkQueueSubmit2(scene.queue, 1, &rendered, vk::Fence::null());
            let _ = app.vkQueueSubmit2(other, 1, &copied, fence);
            scene.present(swapchain, 0);
            let _ = app.vkWaitForFences(app.device, 1, &fence, vk::TRUE, u64::MAX);
            let _ = app.vkResetFences(app.device, 1, &fence);
            app.vkDestroyFramebuffer(app.device, framebuffer, NO);
            app.vkDestroyRenderPass(app.device, pass, NO);
            app.vkDestroyImageView(app.device, image.view, NO);
            app.vkDestroyImage(app.device, image.image, NO);
            app.vkFreeMemory(app.device, image.memory, NO);
        }
        if (frame + 1) % (frames / 10) == 0 {
            curve.push(resident());
        }
    }
    scene.app.stop();
    curve
}

/// Runs the program and fails unless memory is as it was from the half of the run on, when every structure was met.
///
/// `slack` is for frames that are dropped while the machine is busy: structures are then met late. In the long run it is nothing.
fn stay_flat(slack: u64) {
    let curve = run(frames());
    let mib: Vec<String> = curve.iter().map(|bytes| format!("{:.1}", *bytes as f64 / 1048576.0)).collect();
    println!("resident MiB over {} frames: {}", frames(), mib.join(" "));
    let (half, end) = (curve[4], curve[9]);
    assert!(end < half + half / 20 + slack, "memory grows: {mib:?}");
}

fn quiet() -> Sandbox {
    Sandbox::new().set("log_level", "warn").set("capture_max_bytes", "20000000").within(1200)
}

#[test]
fn a_long_run_takes_no_more_memory_than_a_short_one() {
    let done = quiet().run(|_| stay_flat(8 << 20));
    println!("{}", done.outcome.stdout);
    assert!(!done.folder.reports().is_empty());
}

#[test]
fn a_long_run_that_is_analysed_in_place_takes_no_more_memory_than_a_short_one() {
    let done = quiet().set("sync", "on").run(|_| stay_flat(2 << 20));
    println!("{}", done.outcome.stdout);
    assert!(!done.folder.reports().is_empty());
}
