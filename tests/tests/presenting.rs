//! Swapchains of every kind, and what leaves a frame.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ptr;
use tbdr_model::frame::{Format, OutputReason};
use tilelens_tests::fake::Options;
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{Image, Scene, attachment};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const EXTENT: vk::Extent2D = vk::Extent2D { width: 64, height: 64 };

fn info() -> vk::SwapchainCreateInfoKHR<'static> {
    vk::SwapchainCreateInfoKHR::default()
        .min_image_count(3)
        .image_format(RGBA8)
        .image_extent(EXTENT)
        .image_array_layers(1)
        .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
}

fn scene() -> Scene {
    Scene::start(Options::default())
}

/// A swapchain and as many of its images as there is room for.
fn swapchain(scene: &Scene, info: &vk::SwapchainCreateInfoKHR<'_>, room: u32) -> (vk::SwapchainKHR, Vec<vk::Image>) {
    let (app, mut swapchain, mut count) = (&scene.app, vk::SwapchainKHR::null(), room);
    let mut images = vec![vk::Image::null(); room as usize];
    // SAFETY: valid arguments.
    let result = unsafe {
        app.vkCreateSwapchainKHR(app.device, info, NO, &mut swapchain).result().unwrap();
        app.vkGetSwapchainImagesKHR(app.device, swapchain, &mut count, images.as_mut_ptr())
    };
    assert!(result == vk::Result::SUCCESS || result == vk::Result::INCOMPLETE);
    (swapchain, images)
}

/// Clears and stores an image in a command buffer.
fn clear(scene: &Scene, image: vk::Image) {
    let (memory, view) = (vk::DeviceMemory::null(), scene.view(image, RGBA8, 1));
    let image = Image { image, memory, view, format: RGBA8, extent: EXTENT, samples: vk::SampleCountFlags::TYPE_1 };
    let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    scene.record(|_, _| scene.pass(pass, framebuffer, EXTENT, 1));
}

#[test]
fn a_shared_presentable_image_is_on_screen_whether_or_not_it_is_presented() {
    let cases = [
        ("continuous", vk::PresentModeKHR::SHARED_CONTINUOUS_REFRESH, true),
        ("on demand", vk::PresentModeKHR::SHARED_DEMAND_REFRESH, true),
        ("fifo", vk::PresentModeKHR::FIFO, false),
    ];
    for (case, _, always) in cases {
        let done = Sandbox::new().set("sync", "1").set("frame_submits", "1").case(case).run(|inside| {
            let scene = scene();
            let (_, mode, _) = cases.into_iter().find(|(name, ..)| *name == inside.case()).unwrap();
            let (_, images) = swapchain(&scene, &info().present_mode(mode), 3);
            clear(&scene, images[0]);
            for _ in 0..4 {
                scene.submit(scene.buffer);
            }
            scene.stop();
        });
        let frames = done.frames();
        for (_, frame) in &frames {
            let reasons: Vec<_> = frame.outputs.iter().map(|o| o.reason).collect();
            assert_eq!(reasons, if always { vec![OutputReason::AlwaysShown] } else { vec![] }, "{case}");
        }
        // A classic swapchain image that nobody presents is stored for nobody.
        assert_eq!(done.folder.report().findings.is_empty(), always, "{case}");
    }
}

#[test]
fn the_images_of_a_mutable_swapchain_are_mutable_and_know_their_formats() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        let formats = [RGBA8, vk::Format::R8G8B8A8_SRGB];
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
        let info = info().flags(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT).push_next(&mut list);
        let (swapchain, images) = swapchain(&scene, &info, 3);
        clear(&scene, images[1]);
        scene.submit(scene.buffer);
        scene.present(swapchain, 1);
        scene.stop();
    });
    let (_, frame) = &done.frames()[0];
    assert_eq!(frame.images[0].flags, vk::ImageCreateFlags::MUTABLE_FORMAT.as_raw());
    assert_eq!(frame.images[0].view_formats, [Format(RGBA8.as_raw()), Format(vk::Format::R8G8B8A8_SRGB.as_raw())]);
    assert_eq!(frame.outputs.len(), 1);
}

#[test]
fn images_of_a_swapchain_that_was_asked_for_fewer_than_there_are_are_known() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        // VK_INCOMPLETE: two of three.
        let (swapchain, images) = swapchain(&scene, &info().present_mode(vk::PresentModeKHR::FIFO), 2);
        clear(&scene, images[1]);
        scene.submit(scene.buffer);
        scene.present(swapchain, 1);
        scene.stop();
    });
    let (_, frame) = &done.frames()[0];
    assert_eq!(frame.images.len(), 1, "{:?}", frame.images);
    assert_eq!((frame.images[0].swapchain, frame.outputs.len()), (Some(0), 1));
}

#[test]
fn an_image_that_is_released_unpresented_is_no_output() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        let (swapchain, images) = swapchain(&scene, &info().present_mode(vk::PresentModeKHR::FIFO), 3);
        clear(&scene, images[0]);
        scene.submit(scene.buffer);
        let indices = [0];
        let release = vk::ReleaseSwapchainImagesInfoEXT::default().swapchain(swapchain).image_indices(&indices);
        let app = &scene.app;
        // SAFETY: valid arguments.
        let result = unsafe { app.vkReleaseSwapchainImagesKHR(app.device, (&raw const release).cast()) };
        assert_eq!(result, vk::Result::SUCCESS);
        scene.stop();
    });
    let frames = done.frames();
    assert_eq!(frames.len(), 1);
    assert!(frames[0].1.outputs.is_empty());
}

#[test]
fn a_present_with_regions_and_an_id_is_a_present_also_of_images_that_are_allocated_late() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        let app = &scene.app;
        let late = vk::SwapchainCreateFlagsKHR::DEFERRED_MEMORY_ALLOCATION_EXT;
        let info = info().present_mode(vk::PresentModeKHR::FIFO).flags(late);
        let mut handle = vk::SwapchainKHR::null();
        let (mut index, mut images) = (0, [vk::Image::null(); 3]);
        // SAFETY: valid arguments.
        unsafe {
            app.vkCreateSwapchainKHR(app.device, &info, NO, &mut handle).result().unwrap();
            // Acquired before anybody asked for its handle: an image may get its memory only now.
            let (none, fence) = (vk::Semaphore::null(), vk::Fence::null());
            app.vkAcquireNextImageKHR(app.device, handle, 0, none, fence, &mut index).result().unwrap();
            app.vkGetSwapchainImagesKHR(app.device, handle, &mut 3, images.as_mut_ptr()).result().unwrap();
        }
        clear(&scene, images[index as usize]);
        scene.submit(scene.buffer);
        let rectangles = [vk::RectLayerKHR { extent: vk::Extent2D { width: 8, height: 8 }, ..Default::default() }];
        let regions = [vk::PresentRegionKHR::default().rectangles(&rectangles)];
        let mut regions = vk::PresentRegionsKHR::default().regions(&regions);
        let mut ids = vk::PresentIdKHR::default().present_ids(&[7]);
        let (swapchains, indices) = ([handle], [index]);
        let present = vk::PresentInfoKHR::default()
            .swapchains(&swapchains)
            .image_indices(&indices)
            .push_next(&mut regions)
            .push_next(&mut ids);
        // SAFETY: valid arguments.
        unsafe { app.vkQueuePresentKHR(scene.queue, &present).result().unwrap() };
        scene.stop();
    });
    let frames = done.frames();
    let [(record, frame)] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!(frame.outputs.iter().map(|o| o.reason).collect::<Vec<_>>(), [OutputReason::Present]);
    assert_eq!(
        record.acquired, record.images,
        "the image that was acquired is the one that was rendered and presented"
    );
}
