//! What programs may do to a layer though few do: it neither falls nor loses the rest of the frame.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tbdr_model::report::Report;
use tilelens_tests::fake::{App, Chain, Options};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{Image, Scene, attachment};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
/// One store of the target.
const A: u64 = 512 * 256 * 4;

fn sandbox() -> Sandbox {
    Sandbox::new().set("sync", "1").set("gpu", "mali-g76").set("frame_submits", "1")
}

/// A colour image, a render pass that clears and stores it, and a framebuffer.
fn target(scene: &Scene) -> (Image, vk::RenderPass, vk::Framebuffer) {
    let image = scene.image(vk::Format::R8G8B8A8_UNORM, 512, 256, 1);
    let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    (image, pass, framebuffer)
}

/// Bytes written in the last frame.
fn written(report: &Report) -> u64 {
    let last = report.frames.iter().max_by_key(|f| f.indices.iter().map(|[_, last, _]| *last).max()).unwrap();
    last.gpus["mali-g76"].write_bytes.0
}

#[test]
fn ends_without_beginnings_and_beginnings_without_ends_leave_the_frames_around_them_as_they_are() {
    let done = sandbox().run(|_| {
        let scene = Scene::start(Options::default());
        let (image, pass, framebuffer) = target(&scene);
        let begin = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer);
        let begin = begin.render_area(image.extent.into());
        let none = vk::RenderingInfo::default();
        // SAFETY: invalid use that drivers survive; every pointer is good.
        unsafe {
            scene.record(|app, cb| {
                app.vkCmdEndRenderPass(cb);
                app.vkCmdEndRendering(cb);
                app.vkCmdNextSubpass(cb, vk::SubpassContents::INLINE);
                app.vkCmdEndDebugUtilsLabelEXT(cb);
                app.vkCmdDraw(cb, 3, 1, 0, 0);
            });
            scene.submit(scene.buffer);
            scene.record(|app, cb| {
                app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE);
                app.vkCmdNextSubpass(cb, vk::SubpassContents::INLINE);
                app.vkCmdNextSubpass(cb, vk::SubpassContents::INLINE);
                app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE);
                app.vkCmdBeginRendering(cb, &none);
                app.vkCmdExecuteCommands(cb, 1, &cb);
            });
            scene.submit(scene.buffer);
            let _ = scene.app.vkEndCommandBuffer(scene.buffer);
            scene.app.vkCmdDraw(scene.buffer, 3, 1, 0, 0);
        }
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        scene.submit(scene.buffer);
        scene.stop();
    });
    let report = done.folder.report();
    assert_eq!(report.frame_count, 3);
    assert_eq!(written(&report), A);
    assert!(!done.folder.log().contains("stepped aside"), "{}", done.folder.log());
}

#[test]
fn work_on_a_queue_that_was_never_asked_for_through_the_layer_is_work_of_its_device() {
    let done = sandbox().run(|_| {
        let mut scene = Scene::start(Options::default());
        let (image, pass, framebuffer) = target(&scene);
        scene.queue = scene.app.queue_of_another();
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        scene.submit(scene.buffer);
        scene.stop();
    });
    assert_eq!(written(&done.folder.report()), A);
}

#[test]
fn a_driver_that_calls_the_top_of_the_chain_from_within_a_call_finds_no_lock_held() {
    let done = sandbox().run(|_| {
        let scene = Scene::start(Options::default());
        let (image, pass, framebuffer) = target(&scene);
        let (swapchain, _) = scene.swapchain(vk::Format::R8G8B8A8_UNORM, image.extent);
        let app: &'static App = Box::leak(Box::new(Chain::new(Options::default()).start()));
        let (device, queue) = (scene.app.device, scene.queue);
        let calls = Arc::new(AtomicU32::new(0));
        // The commands take their device from the handle, so that those of another device's table do.
        for name in
            ["vkQueueSubmit", "vkQueuePresentKHR", "vkCreateFramebuffer", "vkDeviceWaitIdle", "vkBeginCommandBuffer"]
        {
            let calls = Arc::clone(&calls);
            scene.app.driver().within(name, move || {
                let mut made = vk::Semaphore::null();
                // SAFETY: live handles.
                unsafe {
                    let _ = app.vkQueueSubmit(queue, 0, ptr::null(), vk::Fence::null());
                    let _ = app.vkQueueWaitIdle(queue);
                    let _ = app.vkCreateSemaphore(device, &vk::SemaphoreCreateInfo::default(), NO, &mut made);
                    app.vkDestroySemaphore(device, made, NO);
                }
                calls.fetch_add(1, Ordering::Relaxed);
            });
        }
        let second = scene.framebuffer(pass, &[&image]);
        scene.record(|_, _| scene.pass(pass, second, image.extent, 1));
        scene.submit(scene.buffer);
        scene.present(swapchain, 0);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        scene.submit(scene.buffer);
        // SAFETY: a live device.
        let _ = unsafe { scene.app.vkDeviceWaitIdle(device) };
        assert_eq!(calls.load(Ordering::Relaxed), 5);
        scene.app.stop();
    });
    assert_eq!(written(&done.folder.report()), A);
}

#[test]
fn whichever_way_a_program_asks_for_a_command_it_is_the_same_function() {
    let chain = Chain::new(Options::default());
    let app = chain.start();
    let names: [&CStr; 6] = [
        c"vkCmdDraw",
        c"vkQueueSubmit",
        c"vkCmdBeginRenderPass",
        c"vkCreateImage",
        c"vkDestroyDevice",
        c"vkGetDeviceQueue",
    ];
    for name in names {
        let (of_instance, of_device) =
            (chain.instance_address(app.instance, name), chain.device_address(app.device, name));
        let same = of_instance.zip(of_device).is_some_and(|(one, other)| ptr::fn_addr_eq(one, other));
        assert!(same, "{name:?}");
    }
}
