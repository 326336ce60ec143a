//! The life of objects: handles that are null, reused, shared, or never came to be.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ptr;
use tbdr_model::report::Report;
use tilelens_tests::fake::{Chain, Options, commands};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{self, Image, Scene, attachment};

const GPU: &str = "mali-g76";
const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const RGBA16: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();

/// Bytes written by the passes of the only frame.
fn written(report: &Report) -> Vec<u64> {
    assert_eq!(report.frames.len(), 1, "{:?}", report.frames);
    report.frames[0].gpus[GPU].passes.iter().map(|p| p.write_bytes.0).collect()
}

/// Records and submits one pass that clears and stores an image.
fn draw(scene: &Scene, image: &Image) {
    let pass = scene.render_pass(&[attachment(image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
    let framebuffer = scene.framebuffer(pass, &[image]);
    scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
    scene.submit(scene.buffer);
}

#[test]
fn every_destroy_and_free_accepts_null() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let app = &scene.app;
        macro_rules! destroy {
            ($($name:ident $handle:ident),* $(,)?) => {$(
                // SAFETY: the specification allows VK_NULL_HANDLE here.
                unsafe { app.$name(app.device, vk::$handle::null(), NO) };
            )*};
        }
        destroy! {
            vkDestroyCommandPool CommandPool, vkDestroyFence Fence, vkDestroySemaphore Semaphore, vkDestroyEvent Event,
            vkDestroyQueryPool QueryPool, vkFreeMemory DeviceMemory, vkDestroyBuffer Buffer,
            vkDestroyBufferView BufferView, vkDestroyImage Image, vkDestroyImageView ImageView,
            vkDestroySampler Sampler, vkDestroyRenderPass RenderPass, vkDestroyFramebuffer Framebuffer,
            vkDestroyShaderModule ShaderModule, vkDestroyPipelineLayout PipelineLayout, vkDestroyPipeline Pipeline,
            vkDestroyDescriptorSetLayout DescriptorSetLayout, vkDestroyDescriptorPool DescriptorPool,
            vkDestroyPipelineCache PipelineCache, vkDestroySwapchainKHR SwapchainKHR,
        }
        let buffers = [vk::CommandBuffer::null(), scene.buffer, vk::CommandBuffer::null()];
        // SAFETY: the specification allows null elements.
        unsafe { app.vkFreeCommandBuffers(app.device, scene.pool, 3, buffers.as_ptr()) };
        chain.driver.assert_neutral();
        // Null carries no dispatch pointer: these end in the layer.
        // SAFETY: the specification allows VK_NULL_HANDLE here.
        unsafe {
            app.vkDestroyDevice(vk::Device::null(), NO);
            app.vkDestroyInstance(vk::Instance::null(), NO);
        }
    });
}

#[test]
fn every_create_may_fail() {
    Sandbox::new().set("sync", "1").run(|_| {
        // Without these the script has nothing to go on with.
        let needed = ["vkCreateDevice", "vkAllocateCommandBuffers"];
        let names = commands::all().keys().filter(|n| n.starts_with("vkCreate") || n.starts_with("vkAllocate"));
        for name in names.filter(|n| !needed.contains(n)) {
            let chain = Chain::new(Options::default());
            chain.driver.inject(name, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
            script::everything(&chain);
            chain.driver.assert_neutral();
        }
    });
}

#[test]
fn a_failed_create_leaves_what_is_known_of_a_handle_alone() {
    let done = Sandbox::new().set("sync", "1").set("gpu", GPU).run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let image = scene.image(RGBA8, 256, 128, 1);
        // The output variable of a failed create still holds the live handle.
        let mut stale = image.image;
        let info = vk::ImageCreateInfo::default().format(RGBA16).extent(vk::Extent3D { width: 8, height: 8, depth: 1 });
        chain.driver.inject("vkCreateImage", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        let app = &scene.app;
        // SAFETY: valid arguments.
        assert!(unsafe { app.vkCreateImage(app.device, &info, NO, &mut stale) }.result().is_err());
        draw(&scene, &image);
        scene.app.stop();
    });
    let report = done.folder.report();
    assert_eq!(written(&report), [256 * 128 * 4]);
    assert_eq!(report.frames[0].images[0].format, "R8G8B8A8_UNORM");
}

#[test]
fn a_handle_that_is_reused_at_once_is_the_new_object() {
    let done = Sandbox::new().set("sync", "1").set("gpu", GPU).set("frame_submits", "1").run(|_| {
        let chain = Chain::new(Options { reuse_handles: true, ..Options::default() });
        let scene = Scene::new(chain.start());
        let mut before: Option<Image> = None;
        for (format, width) in [(RGBA8, 256), (RGBA16, 128)] {
            let image = scene.image(format, width, 64, 1);
            if let Some(before) = before {
                assert!(image.image == before.image && image.view == before.view, "the driver reuses handles");
            }
            let app = &scene.app;
            let pass =
                scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
            let framebuffer = scene.framebuffer(pass, &[&image]);
            scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
            scene.submit(scene.buffer);
            // SAFETY: live handles, not in use.
            unsafe {
                app.vkDestroyFramebuffer(app.device, framebuffer, NO);
                app.vkDestroyRenderPass(app.device, pass, NO);
                app.vkDestroyImageView(app.device, image.view, NO);
                app.vkDestroyImage(app.device, image.image, NO);
                app.vkFreeMemory(app.device, image.memory, NO);
            }
            before = Some(image);
        }
        scene.app.stop();
        chain.driver.assert_neutral();
    });
    let report = done.folder.report();
    let bytes: Vec<u64> = report.frames.iter().map(|f| f.gpus[GPU].write_bytes.0).collect();
    assert_eq!(bytes, [256 * 64 * 4, 128 * 64 * 8]);
}

#[test]
fn devices_and_instances_whose_handles_are_reused_are_new_ones() {
    let done = Sandbox::new().set("sync", "1").set("gpu", GPU).run(|_| {
        let driver = Chain::new(Options { reuse_handles: true, ..Options::default() });
        for width in [64, 128, 256] {
            let scene = Scene::new(driver.start());
            let image = scene.image(RGBA8, width, 64, 1);
            draw(&scene, &image);
            scene.app.stop();
        }
        driver.driver.assert_neutral();
    });
    let mut bytes: Vec<u64> = done.folder.reports().iter().flat_map(written).collect();
    bytes.sort_unstable();
    assert_eq!(bytes, [64 * 64 * 4, 128 * 64 * 4, 256 * 64 * 4]);
}

#[test]
fn render_passes_that_share_one_handle_live_until_the_last_is_destroyed() {
    let done = Sandbox::new().set("sync", "1").set("gpu", GPU).run(|_| {
        let chain = Chain::new(Options { constant_render_pass: true, ..Options::default() });
        let scene = Scene::new(chain.start());
        let image = scene.image(RGBA8, 256, 64, 1);
        let ops = [attachment(&image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE)];
        let first = scene.render_pass(&ops);
        let second = scene.render_pass(&ops);
        assert!(first == second);
        let framebuffer = scene.framebuffer(second, &[&image]);
        // SAFETY: one of two objects that share a handle is destroyed.
        unsafe { scene.app.vkDestroyRenderPass(scene.app.device, first, NO) };
        scene.record(|_, _| scene.pass(second, framebuffer, image.extent, 1));
        scene.submit(scene.buffer);
        scene.app.stop();
        chain.driver.assert_neutral();
    });
    let frame = &done.folder.report().frames[0];
    assert_eq!(frame.gpus[GPU].read_bytes.0, 256 * 64 * 4);
    assert_eq!(frame.gpus[GPU].write_bytes.0, 256 * 64 * 4);
}

#[test]
fn what_a_pass_uses_may_be_destroyed_before_it_is_analysed() {
    let done = Sandbox::new().set("gpu", GPU).run(|_| {
        let chain = Chain::new(Options { reuse_handles: true, ..Options::default() });
        let scene = Scene::new(chain.start());
        let image = scene.image(RGBA8, 256, 64, 1);
        draw(&scene, &image);
        let app = &scene.app;
        // SAFETY: the queue is idle, as far as this driver is concerned.
        unsafe {
            app.vkQueueWaitIdle(scene.queue).result().unwrap();
            app.vkDestroyImageView(app.device, image.view, NO);
            app.vkDestroyImage(app.device, image.image, NO);
            app.vkDestroyCommandPool(app.device, scene.pool, NO);
        }
        scene.app.stop();
    });
    assert_eq!(written(&done.folder.report()), [256 * 64 * 4]);
}

#[test]
fn a_device_destroyed_before_its_children_still_leaves_its_report() {
    let done = Sandbox::new().set("gpu", GPU).run(|_| {
        let scene = Scene::new(Chain::new(Options::default()).start());
        let image = scene.image(RGBA8, 256, 64, 1);
        draw(&scene, &image);
        scene.app.stop();
    });
    let report = done.folder.report();
    assert!(report.complete);
    assert_eq!(written(&report), [256 * 64 * 4]);
}

#[test]
fn a_program_may_have_as_many_devices_as_the_driver_gives() {
    Sandbox::new().set("gpu", GPU).run(|_| {
        let chain = Chain::new(Options::default());
        let first = chain.start();
        let info = vk::DeviceCreateInfo::default();
        let others: Vec<_> = (0..200).map(|_| first.open_device(&info).expect("the driver gave a device")).collect();
        for app in others {
            let scene = Scene::new(app);
            let image = scene.image(RGBA8, 64, 64, 1);
            draw(&scene, &image);
            // SAFETY: a live device.
            unsafe { scene.app.vkDestroyDevice(scene.app.device, NO) };
        }
        first.stop();
        chain.driver.assert_neutral();
    });
}

#[test]
fn names_and_regions_of_debug_marker_are_names_and_labels() {
    let done = Sandbox::new().set("sync", "1").set("gpu", GPU).run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let image = scene.image(RGBA8, 64, 64, 1);
        let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        let name = vk::DebugMarkerObjectNameInfoEXT::default()
            .object_type(vk::DebugReportObjectTypeEXT::IMAGE)
            .object(vk::Handle::as_raw(image.image))
            .object_name(c"gbuffer albedo");
        // SAFETY: valid arguments.
        unsafe { scene.app.vkDebugMarkerSetObjectNameEXT(scene.app.device, &name).result().unwrap() };
        scene.record(|app, cb| {
            let region = vk::DebugMarkerMarkerInfoEXT::default().marker_name(c"shadows");
            let moment = vk::DebugMarkerMarkerInfoEXT::default().marker_name(c"frame 17");
            // SAFETY: valid arguments.
            unsafe {
                app.vkCmdDebugMarkerBeginEXT(cb, &region);
                app.vkCmdDebugMarkerInsertEXT(cb, &moment);
                scene.pass(pass, framebuffer, image.extent, 1);
                app.vkCmdDebugMarkerEndEXT(cb);
                scene.pass(pass, framebuffer, image.extent, 1);
            }
        });
        scene.submit(scene.buffer);
        scene.app.stop();
        chain.driver.assert_neutral();
    });
    let report = done.folder.report();
    assert_eq!(report.frames[0].images[0].id, "gbuffer albedo");
    assert_eq!(report.frames[0].passes[0].id, "shadows");
    assert_ne!(report.frames[0].passes[1].id, "shadows");
}

#[test]
fn a_view_with_any_chained_struct_shows_its_image() {
    let done = Sandbox::new().set("sync", "1").set("gpu", GPU).run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let app = &scene.app;
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let mut level = vk::ImageViewMinLodCreateInfoEXT::default().min_lod(1.0);
        let mut astc = vk::ImageViewASTCDecodeModeEXT::default().decode_mode(RGBA8);
        let mut conversion = vk::SamplerYcbcrConversionInfo::default();
        let mut slices = vk::ImageViewSlicedCreateInfoEXT::default().slice_count(1);
        let image = scene.image(RGBA8, 64, 64, 1);
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: vk::REMAINING_MIP_LEVELS,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
            ..Default::default()
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(RGBA8)
            .subresource_range(range)
            .push_next(&mut usage)
            .push_next(&mut level)
            .push_next(&mut astc)
            .push_next(&mut conversion)
            .push_next(&mut slices);
        let mut view = vk::ImageView::null();
        // SAFETY: valid arguments.
        unsafe { app.vkCreateImageView(app.device, &info, NO, &mut view).result().unwrap() };
        draw(&scene, &Image { view, ..image });
        scene.app.stop();
        chain.driver.assert_neutral();
    });
    assert_eq!(written(&done.folder.report()), [64 * 64 * 4]);
}
