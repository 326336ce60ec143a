//! Protected content costs what other content costs, and the layer touches nothing that only protected work may touch.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ptr;
use tbdr_model::report::Report;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{Image, Scene, attachment};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const EXTENT: vk::Extent2D = vk::Extent2D { width: 256, height: 256 };

/// An image that is protected, or not.
fn image(scene: &Scene, protected: bool) -> Image {
    let app = &scene.app;
    let flags = if protected { vk::ImageCreateFlags::PROTECTED } else { vk::ImageCreateFlags::empty() };
    let info = vk::ImageCreateInfo::default()
        .flags(flags)
        .image_type(vk::ImageType::TYPE_2D)
        .format(RGBA8)
        .extent(EXTENT.into())
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
    let (mut image, mut memory) = (vk::Image::null(), vk::DeviceMemory::null());
    let allocate = vk::MemoryAllocateInfo::default().allocation_size(1 << 20);
    // SAFETY: valid arguments.
    unsafe {
        app.vkCreateImage(app.device, &info, NO, &mut image).result().unwrap();
        app.vkAllocateMemory(app.device, &allocate, NO, &mut memory).result().unwrap();
        app.vkBindImageMemory(app.device, image, memory, 0).result().unwrap();
    }
    let view = scene.view(image, RGBA8, 1);
    Image { image, memory, view, format: RGBA8, extent: EXTENT, samples: vk::SampleCountFlags::TYPE_1 }
}

/// Four frames that store an image for nobody, on a queue that is protected or not, in batches that are or are not. `test` is a closure of
/// the test's own.
fn report<F>(test: &F, protected: bool, second_form: bool) -> Report {
    let case = format!("{protected} {second_form}");
    let sandbox = Sandbox::new().set("sync", "1").set("gpu", "mali-g76").set("frame_submits", "1").case(&case).of(test);
    let done = sandbox.run(|inside| {
        let case = inside.case();
        let (protected, second_form) = (case.starts_with("true"), case.ends_with("true"));
        let chain = Chain::new(Options::default());
        let priority = [1.0];
        let flags = if protected { vk::DeviceQueueCreateFlags::PROTECTED } else { vk::DeviceQueueCreateFlags::empty() };
        let family = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priority).flags(flags)];
        let mut features = vk::PhysicalDeviceProtectedMemoryFeatures::default().protected_memory(protected);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&family).push_next(&mut features);
        let scene = Scene::new(chain.start().open_device(&info).unwrap());
        let app = &scene.app;
        let mut queue = vk::Queue::null();
        let asked = vk::DeviceQueueInfo2::default().flags(flags);
        // SAFETY: valid arguments.
        unsafe { app.vkGetDeviceQueue2(app.device, &asked, &mut queue) };
        let image = image(&scene, protected);
        let (load, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
        let pass = scene.render_pass(&[attachment(&image, load, store)]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        scene.record(|_, _| scene.pass(pass, framebuffer, EXTENT, 1));
        for _ in 0..4 {
            let buffers = [scene.buffer];
            let mut protects = vk::ProtectedSubmitInfo::default().protected_submit(protected);
            let first = vk::SubmitInfo::default().command_buffers(&buffers).push_next(&mut protects);
            let flags = if protected { vk::SubmitFlags::PROTECTED } else { vk::SubmitFlags::empty() };
            let infos = [vk::CommandBufferSubmitInfo::default().command_buffer(scene.buffer)];
            let second = vk::SubmitInfo2::default().flags(flags).command_buffer_infos(&infos);
            // SAFETY: valid arguments.
            let result = unsafe {
                if second_form {
                    app.vkQueueSubmit2(queue, 1, &second, vk::Fence::null())
                } else {
                    app.vkQueueSubmit(queue, 1, &first, vk::Fence::null())
                }
            };
            assert_eq!(result, vk::Result::SUCCESS);
        }
        let driver = scene.app.driver();
        scene.app.stop();
        driver.assert_neutral();
    });
    done.folder.report()
}

#[test]
fn protected_content_costs_what_other_content_costs_and_is_wasted_like_it() {
    for second_form in [false, true] {
        let [plain, protected] = [false, true].map(|protected| report(&|| (), protected, second_form));
        let moved = |report: &Report| {
            let gpus = report.frames.iter().flat_map(|frame| frame.gpus.values());
            gpus.map(|gpu| (gpu.read_bytes, gpu.write_bytes, gpu.avoidable_bytes)).collect::<Vec<_>>()
        };
        let codes = |report: &Report| report.findings.iter().map(|f| f.code.to_string()).collect::<Vec<_>>();
        assert_eq!((moved(&plain), codes(&plain)), (moved(&protected), codes(&protected)));
        assert_eq!((protected.frame_count, codes(&protected)), (4, vec!["TL006".to_string()]));
        assert_eq!(plain.not_modelled, protected.not_modelled);
    }
}
