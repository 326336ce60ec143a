//! The driver sees what the application sends: the same calls in the same order with the same arguments, and untouched memory.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ffi::c_void;
use std::ptr;
use tilelens_tests::fake::options::API_VERSIONS;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::memory::ReadOnly;
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{self, Scene};

#[test]
fn the_driver_sees_what_the_application_sends() {
    Sandbox::new().run(|_| {
        for api in API_VERSIONS {
            for extensions in [false, true] {
                let chain = Chain::new(Options { api, extensions, ..Options::default() });
                script::everything(&chain);
                chain.driver.assert_neutral();
            }
        }
    });
}

#[test]
fn the_driver_sees_the_same_when_frames_are_analysed_in_place() {
    Sandbox::new().set("sync", "1").run(|_| {
        let chain = Chain::new(Options::default());
        script::everything(&chain);
        chain.driver.assert_neutral();
    });
}

#[test]
fn the_loaders_structs_may_come_in_any_order_and_without_the_optional_pointer() {
    Sandbox::new().run(|_| {
        for (link_last, physical_device_proc_addr) in [(true, true), (false, false), (true, false)] {
            let chain = Chain::new(Options { link_last, physical_device_proc_addr, ..Options::default() });
            script::everything(&chain);
            chain.driver.assert_neutral();
        }
    });
}

#[test]
fn what_the_layer_asks_of_a_physical_device_never_enters_the_layer_above() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options { trap_late_queries: true, ..Options::default() });
        script::everything(&chain);
        chain.driver.assert_neutral();
    });
}

#[test]
fn a_failed_instance_or_device_is_reported_as_the_driver_said_and_may_be_tried_again() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let info = vk::InstanceCreateInfo::default();
        chain.driver.inject("vkCreateInstance", vk::Result::ERROR_EXTENSION_NOT_PRESENT);
        assert_eq!(chain.create_instance(&info).err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
        chain.driver.heal("vkCreateInstance");
        let app = chain.create_instance(&info).unwrap();
        chain.driver.inject("vkCreateDevice", vk::Result::ERROR_FEATURE_NOT_PRESENT);
        let info = vk::DeviceCreateInfo::default();
        assert_eq!(app.open_device(&info).err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        chain.driver.heal("vkCreateDevice");
        app.open_device(&info).unwrap().stop();
        chain.driver.assert_neutral();
    });
}

/// A struct that no layer knows, with an sType that is not given out.
#[repr(C)]
#[derive(Clone, Copy)]
struct Unknown {
    s_type: vk::StructureType,
    next: *const c_void,
    payload: [u64; 4],
}

#[test]
fn unknown_structs_and_read_only_memory_reach_the_driver_as_they_are() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let memory = ReadOnly::new(1 << 16);
        let app = &scene.app;
        let unknown = |payload| {
            let last = memory.put(Unknown {
                s_type: vk::StructureType::from_raw(2_000_000_001),
                next: ptr::null(),
                payload: [payload; 4],
            });
            let next: *const c_void = last.cast();
            memory
                .put(Unknown { s_type: vk::StructureType::from_raw(2_000_000_000), next, payload: [payload; 4] })
                .cast::<c_void>()
        };
        let image = memory.put(vk::ImageCreateInfo {
            p_next: unknown(1),
            image_type: vk::ImageType::TYPE_2D,
            format: vk::Format::from_raw(1_999_999_999),
            extent: vk::Extent3D { width: 64, height: 64, depth: 1 },
            mip_levels: 1,
            array_layers: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            ..Default::default()
        });
        let descriptions = memory.put(vk::AttachmentDescription2 {
            p_next: unknown(2),
            format: vk::Format::R8G8B8A8_UNORM,
            samples: vk::SampleCountFlags::TYPE_1,
            ..Default::default()
        });
        let references = memory.put(vk::AttachmentReference2 { p_next: unknown(3), ..Default::default() });
        let subpasses = memory.put(vk::SubpassDescription2 {
            p_next: unknown(4),
            color_attachment_count: 1,
            p_color_attachments: references,
            ..Default::default()
        });
        let pass = memory.put(vk::RenderPassCreateInfo2 {
            p_next: unknown(5),
            attachment_count: 1,
            p_attachments: descriptions,
            subpass_count: 1,
            p_subpasses: subpasses,
            ..Default::default()
        });
        let attachments = memory.put(vk::RenderingAttachmentInfo { p_next: unknown(6), ..Default::default() });
        let rendering = memory.put(vk::RenderingInfo {
            p_next: unknown(7),
            color_attachment_count: 1,
            p_color_attachments: attachments,
            ..Default::default()
        });
        let barriers = memory.put(vk::ImageMemoryBarrier2 { p_next: unknown(8), ..Default::default() });
        let dependency = memory.put(vk::DependencyInfo {
            p_next: unknown(9),
            image_memory_barrier_count: 1,
            p_image_memory_barriers: barriers,
            ..Default::default()
        });
        let buffers = memory.put(vk::CommandBufferSubmitInfo {
            p_next: unknown(10),
            command_buffer: scene.buffer,
            ..Default::default()
        });
        let submit = memory.put(vk::SubmitInfo2 {
            p_next: unknown(11),
            command_buffer_info_count: 1,
            p_command_buffer_infos: buffers,
            ..Default::default()
        });
        let future = memory.put(Unknown {
            s_type: vk::StructureType::from_raw(2_000_000_002),
            next: unknown(12),
            payload: [0; 4],
        });

        memory.seal();
        let (mut made_image, mut made_pass) = (vk::Image::null(), vk::RenderPass::null());
        // SAFETY: valid arguments; structs of unknown type are skipped by whoever does not know them.
        unsafe {
            app.vkCreateImage(app.device, image, ptr::null(), &mut made_image).result().unwrap();
            app.vkCreateRenderPass2(app.device, pass, ptr::null(), &mut made_pass).result().unwrap();
            scene.record(|app, cb| {
                app.vkCmdBeginRendering(cb, rendering);
                app.vkCmdEndRendering(cb);
                app.vkCmdPipelineBarrier2(cb, dependency);
                app.vkCmdFutureThingEXT(cb, future.cast());
            });
            app.vkQueueSubmit2(scene.queue, 1, submit, vk::Fence::null()).result().unwrap();
        }
        scene.app.stop();
        chain.driver.assert_neutral();
    });
}

#[test]
fn the_application_gets_exactly_the_drivers_results() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let app = &scene.app;
        scene.record(|_, _| {});
        let (swapchain, _) = scene.swapchain(vk::Format::B8G8R8A8_UNORM, vk::Extent2D { width: 8, height: 8 });
        let results = [
            vk::Result::SUCCESS,
            vk::Result::NOT_READY,
            vk::Result::SUBOPTIMAL_KHR,
            vk::Result::ERROR_DEVICE_LOST,
            vk::Result::ERROR_OUT_OF_DATE_KHR,
            vk::Result::from_raw(-1_999_999_999),
        ];
        let submit = vk::SubmitInfo::default();
        let swapchains = [swapchain];
        let present = vk::PresentInfoKHR::default().swapchains(&swapchains).image_indices(&[0]);
        for expected in results {
            for name in [
                "vkQueueSubmit",
                "vkQueuePresentKHR",
                "vkAcquireNextImageKHR",
                "vkBeginCommandBuffer",
                "vkEndCommandBuffer",
            ] {
                chain.driver.inject(name, expected);
            }
            // SAFETY: valid arguments.
            unsafe {
                let fence = vk::Fence::null();
                assert_eq!(app.vkBeginCommandBuffer(scene.buffer, &vk::CommandBufferBeginInfo::default()), expected);
                assert_eq!(app.vkEndCommandBuffer(scene.buffer), expected);
                assert_eq!(app.vkQueueSubmit(scene.queue, 1, &submit, fence), expected);
                assert_eq!(app.vkQueuePresentKHR(scene.queue, &present), expected);
                let none = vk::Semaphore::null();
                assert_eq!(app.vkAcquireNextImageKHR(app.device, swapchain, 0, none, fence, &mut 0), expected);
            }
        }
        scene.app.stop();
        chain.driver.assert_neutral();
    });
}
