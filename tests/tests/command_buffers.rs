//! What a command buffer did is what the frame says, however the work was split, re-used, reset or spelled.
//!
//! The areas are multiples of every family's tile, so that the formula is exact: pixels x bytes per texel x samples.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ptr;
use tbdr_model::report::{Frame, Report};
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{Image, Scene, attachment};

const GPUS: [&str; 3] = ["mali-g76", "adreno-650", "apple-m1"];
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const WIDTH: u32 = 512;
const HEIGHT: u32 = 256;
/// One load or one store of a 32-bit attachment.
const A: u64 = WIDTH as u64 * HEIGHT as u64 * 4;
const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: WIDTH, height: HEIGHT } };

const LOADS: [vk::AttachmentLoadOp; 4] = [
    vk::AttachmentLoadOp::LOAD,
    vk::AttachmentLoadOp::CLEAR,
    vk::AttachmentLoadOp::DONT_CARE,
    vk::AttachmentLoadOp::NONE_EXT,
];
const STORES: [vk::AttachmentStoreOp; 3] =
    [vk::AttachmentStoreOp::STORE, vk::AttachmentStoreOp::DONT_CARE, vk::AttachmentStoreOp::NONE];

fn sandbox() -> Sandbox {
    Sandbox::new().set("sync", "1").set("gpu", &GPUS.join(","))
}

fn scene() -> Scene {
    Scene::start(Options::default())
}

/// A colour image, a render pass that loads and stores it, and a framebuffer.
fn target(scene: &Scene) -> (Image, vk::RenderPass, vk::Framebuffer) {
    let image = scene.image(vk::Format::R8G8B8A8_UNORM, WIDTH, HEIGHT, 1);
    let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    (image, pass, framebuffer)
}

/// The only frame of a report.
#[track_caller]
fn only(report: &Report) -> &Frame {
    assert_eq!(report.frames.len(), 1, "{:?}", report.frames);
    &report.frames[0]
}

/// Asserts bytes read and written of a frame, for every GPU.
#[track_caller]
fn assert_bytes(frame: &Frame, read: u64, write: u64) {
    for gpu in GPUS {
        let bytes = &frame.gpus[gpu];
        assert_eq!((bytes.read_bytes.0, bytes.write_bytes.0), (read, write), "{gpu}: {bytes:?}");
        let entries: u64 = bytes.passes.iter().flat_map(|p| &p.entries).map(|e| e.bytes.0).sum();
        let transfers: u64 = bytes.transfers.iter().map(|e| e.bytes.0).sum();
        assert_eq!(entries + transfers, read + write, "{gpu}: every byte is an entry");
    }
}

#[test]
fn every_load_and_store_op_costs_what_the_formula_says() {
    let done = sandbox().set("frame_submits", "1").run(|_| {
        let scene = scene();
        let color = scene.image(vk::Format::R16G16B16A16_SFLOAT, WIDTH, HEIGHT, 1);
        let depth = scene.image(vk::Format::D32_SFLOAT, WIDTH, HEIGHT, 1);
        for load in LOADS {
            for store in STORES {
                let pass = scene.render_pass(&[attachment(&color, load, store), attachment(&depth, load, store)]);
                let framebuffer = scene.framebuffer(pass, &[&color, &depth]);
                scene.record(|_, _| scene.pass(pass, framebuffer, color.extent, 1));
                scene.submit(scene.buffer);
            }
        }
        scene.stop();
    });
    let report = done.folder.report();
    assert_eq!(report.frame_count, 12);
    let moved = 3 * A; // 8 bytes of colour and 4 of depth
    let mut frames = report.frames.iter();
    for load in LOADS {
        for store in STORES {
            let read = if load == vk::AttachmentLoadOp::LOAD { moved } else { 0 };
            let write = if store == vk::AttachmentStoreOp::STORE { moved } else { 0 };
            assert_bytes(frames.next().unwrap(), read, write);
        }
    }
}

#[test]
fn a_buffer_submitted_again_does_its_work_again() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let (image, pass, framebuffer) = target(&scene);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 2));
        scene.submit(scene.buffer);
        scene.submit_all(&[scene.buffer, scene.buffer]);
        scene.stop();
    });
    let report = done.folder.report();
    assert_bytes(only(&report), 3 * A, 3 * A);
    assert_eq!(only(&report).passes.iter().map(|p| p.draws).collect::<Vec<_>>(), [2, 2, 2]);
}

#[test]
fn a_buffer_reset_in_any_way_forgets_its_work() {
    for way in ["vkBeginCommandBuffer", "vkResetCommandBuffer", "vkResetCommandPool"] {
        let done = sandbox().case(way).run(|inside| {
            let scene = scene();
            let (image, pass, framebuffer) = target(&scene);
            let app = &scene.app;
            scene.record(|_, _| {
                scene.pass(pass, framebuffer, image.extent, 1);
                scene.pass(pass, framebuffer, image.extent, 1);
            });
            // SAFETY: the buffer is not pending.
            unsafe {
                match inside.case() {
                    "vkResetCommandBuffer" => {
                        app.vkResetCommandBuffer(scene.buffer, vk::CommandBufferResetFlags::empty()).result().unwrap();
                    }
                    "vkResetCommandPool" => {
                        let flags = vk::CommandPoolResetFlags::empty();
                        app.vkResetCommandPool(app.device, scene.pool, flags).result().unwrap();
                    }
                    _ => {}
                }
            }
            scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 5));
            scene.submit(scene.buffer);
            scene.stop();
        });
        let report = done.folder.report();
        assert_bytes(only(&report), A, A);
        assert_eq!(only(&report).passes[0].draws, 5, "{way}");
    }
}

#[test]
fn a_buffer_of_a_destroyed_pool_is_not_the_one_that_gets_its_handle() {
    let done = sandbox().run(|_| {
        let chain = Chain::new(Options { reuse_handles: true, ..Options::default() });
        let mut scene = Scene::new(chain.start());
        let (image, pass, framebuffer) = target(&scene);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: valid arguments; no buffer is pending.
        unsafe {
            scene.app.vkFreeCommandBuffers(scene.app.device, scene.pool, 1, &scene.buffer);
            scene.app.vkDestroyCommandPool(scene.app.device, scene.pool, NO);
            scene.app.vkCreateCommandPool(scene.app.device, &info, NO, &mut scene.pool).result().unwrap();
        }
        let again = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
        assert!(again == scene.buffer, "the driver reuses handles");
        scene.record(|app, cb| {
            // SAFETY: a recording command buffer.
            unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
        });
        scene.submit(scene.buffer);
        scene.stop();
    });
    let report = done.folder.report();
    assert_bytes(only(&report), 0, 0);
    assert_eq!(only(&report).dispatches, [1, 1]);
}

#[test]
fn a_submit_that_fails_did_not_happen() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let (image, pass, framebuffer) = target(&scene);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        scene.submit(scene.buffer);
        scene.app.driver().inject("vkQueueSubmit", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        scene.submit(scene.buffer);
        scene.stop();
    });
    assert_bytes(only(&done.folder.report()), A, A);
}

/// Begins, advances and ends the same pass under the names of `form`.
fn spelled(scene: &Scene, form: &str, pass: vk::RenderPass, framebuffer: vk::Framebuffer) {
    let begin = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(AREA);
    let inline = vk::SubpassBeginInfo::default();
    let end = vk::SubpassEndInfo::default();
    scene.record(|app, cb| {
        // SAFETY: a recording command buffer and valid structs.
        unsafe {
            match form {
                "1" => app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE),
                "2" => app.vkCmdBeginRenderPass2(cb, &begin, &inline),
                _ => app.vkCmdBeginRenderPass2KHR(cb, &begin, &inline),
            }
            app.vkCmdDraw(cb, 3, 1, 0, 0);
            match form {
                "1" => app.vkCmdNextSubpass(cb, vk::SubpassContents::INLINE),
                "2" => app.vkCmdNextSubpass2(cb, &inline, &end),
                _ => app.vkCmdNextSubpass2KHR(cb, &inline, &end),
            }
            app.vkCmdDraw(cb, 3, 1, 0, 0);
            match form {
                "1" => app.vkCmdEndRenderPass(cb),
                "2" => app.vkCmdEndRenderPass2(cb, &end),
                _ => app.vkCmdEndRenderPass2KHR(cb, &end),
            }
        }
    });
}

#[test]
fn a_render_pass_means_the_same_in_the_first_form_the_second_and_its_khr_name() {
    let reports: Vec<Report> = ["1", "2", "KHR"]
        .into_iter()
        .map(|form| {
            let done = sandbox().case(form).run(|inside| {
                let scene = scene();
                let image = scene.image(vk::Format::R8G8B8A8_UNORM, WIDTH, HEIGHT, 1);
                let pass = two_subpasses(&scene, inside.case(), &image);
                let framebuffer = scene.framebuffer(pass, &[&image]);
                spelled(&scene, inside.case(), pass, framebuffer);
                scene.submit(scene.buffer);
                scene.stop();
            });
            done.folder.report()
        })
        .collect();
    assert_eq!(only(&reports[0]).passes[0].draws, 2);
    assert_eq!(only(&reports[0]).passes[0].subpasses, 2);
    assert_eq!(reports[0].frames, reports[1].frames);
    assert_eq!(reports[0].frames, reports[2].frames);
}

/// A render pass with two subpasses that draw to the same attachment.
fn two_subpasses(scene: &Scene, form: &str, image: &Image) -> vk::RenderPass {
    let app = &scene.app;
    let mut pass = vk::RenderPass::null();
    let layout = vk::ImageLayout::GENERAL;
    let stages = (vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT, vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT);
    if form == "1" {
        let attachments = [attachment(image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)];
        let color = [vk::AttachmentReference { attachment: 0, layout }];
        let subpasses = [vk::SubpassDescription::default().color_attachments(&color); 2];
        let dependencies =
            [vk::SubpassDependency::default().dst_subpass(1).src_stage_mask(stages.0).dst_stage_mask(stages.1)];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        // SAFETY: valid arguments.
        unsafe { app.vkCreateRenderPass(app.device, &info, NO, &mut pass).result().unwrap() };
        return pass;
    }
    let attachments = [vk::AttachmentDescription2::default()
        .format(image.format)
        .samples(image.samples)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::CLEAR)
        .stencil_store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(layout)
        .final_layout(layout)];
    let color = [vk::AttachmentReference2::default().attachment(0).layout(layout)];
    let subpasses = [vk::SubpassDescription2::default().color_attachments(&color); 2];
    let dependencies =
        [vk::SubpassDependency2::default().dst_subpass(1).src_stage_mask(stages.0).dst_stage_mask(stages.1)];
    let info = vk::RenderPassCreateInfo2::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: valid arguments.
    unsafe {
        let result = match form {
            "2" => app.vkCreateRenderPass2(app.device, &info, NO, &mut pass),
            _ => app.vkCreateRenderPass2KHR(app.device, &info, NO, &mut pass),
        };
        result.result().unwrap();
    }
    pass
}

/// Dynamic rendering of one image, loaded and stored.
fn rendering<'a>(color: &'a [vk::RenderingAttachmentInfo<'a>; 1]) -> vk::RenderingInfo<'a> {
    vk::RenderingInfo::default().render_area(AREA).layer_count(1).color_attachments(color)
}

fn color(image: &Image) -> [vk::RenderingAttachmentInfo<'static>; 1] {
    [vk::RenderingAttachmentInfo::default()
        .image_view(image.view)
        .image_layout(vk::ImageLayout::GENERAL)
        .load_op(vk::AttachmentLoadOp::LOAD)
        .store_op(vk::AttachmentStoreOp::STORE)]
}

#[test]
fn dynamic_rendering_means_the_same_under_every_name_that_begins_and_ends_it() {
    let reports: Vec<Report> = ["core", "KHR", "2KHR", "2EXT"]
        .into_iter()
        .map(|form| {
            let done = sandbox().case(form).run(|inside| {
                let scene = scene();
                let image = scene.image(vk::Format::R8G8B8A8_UNORM, WIDTH, HEIGHT, 1);
                let attachments = color(&image);
                let info = rendering(&attachments);
                scene.record(|app, cb| {
                    // SAFETY: a recording command buffer and valid structs.
                    unsafe {
                        match inside.case() {
                            "KHR" => app.vkCmdBeginRenderingKHR(cb, &info),
                            _ => app.vkCmdBeginRendering(cb, &info),
                        }
                        app.vkCmdDraw(cb, 3, 1, 0, 0);
                        match inside.case() {
                            "KHR" => app.vkCmdEndRenderingKHR(cb),
                            "2KHR" => app.vkCmdEndRendering2KHR(cb, ptr::null()),
                            "2EXT" => app.vkCmdEndRendering2EXT(cb, ptr::null()),
                            _ => app.vkCmdEndRendering(cb),
                        }
                        app.vkCmdDispatch(cb, 1, 1, 1);
                    }
                });
                scene.submit(scene.buffer);
                scene.stop();
            });
            done.folder.report()
        })
        .collect();
    assert_bytes(only(&reports[0]), A, A);
    assert_eq!(only(&reports[0]).dispatches, [1, 1], "the dispatch lies after the pass");
    for other in &reports[1..] {
        assert_eq!(reports[0].frames, other.frames);
    }
}

#[test]
fn a_rendering_suspended_and_resumed_is_one_pass() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let image = scene.image(vk::Format::R8G8B8A8_UNORM, WIDTH, HEIGHT, 1);
        let attachments = color(&image);
        let info = rendering(&attachments);
        let parts = [
            vk::RenderingFlags::SUSPENDING,
            vk::RenderingFlags::RESUMING | vk::RenderingFlags::SUSPENDING,
            vk::RenderingFlags::RESUMING,
        ];
        let buffers = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::PRIMARY, 3);
        for (buffer, flags) in buffers.iter().zip(parts) {
            scene.record_into(*buffer, |app, cb| {
                // SAFETY: a recording command buffer and valid structs.
                unsafe {
                    app.vkCmdBeginRendering(cb, &info.flags(flags));
                    app.vkCmdDraw(cb, 3, 1, 0, 0);
                    app.vkCmdEndRendering(cb);
                }
            });
        }
        scene.submit_all(&buffers);
        scene.stop();
    });
    let report = done.folder.report();
    assert_bytes(only(&report), A, A);
    assert_eq!(only(&report).passes.len(), 1);
    assert_eq!(only(&report).passes[0].draws, 3);
}

#[test]
fn draws_of_a_secondary_belong_to_the_pass_that_executes_it() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let (_, pass, framebuffer) = target(&scene);
        let secondary = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
        let inheritance = vk::CommandBufferInheritanceInfo::default().render_pass(pass);
        let flags = vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE;
        let begin = vk::CommandBufferBeginInfo::default().flags(flags).inheritance_info(&inheritance);
        let record = |draws| {
            // SAFETY: valid arguments.
            unsafe {
                scene.app.vkBeginCommandBuffer(secondary, &begin).result().unwrap();
                for _ in 0..draws {
                    scene.app.vkCmdDraw(secondary, 3, 1, 0, 0);
                }
                scene.app.vkEndCommandBuffer(secondary).result().unwrap();
            }
        };
        record(4);
        let area = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(AREA);
        scene.record(|app, cb| {
            // SAFETY: a recording command buffer and valid structs.
            unsafe {
                app.vkCmdBeginRenderPass(cb, &area, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
                app.vkCmdExecuteCommands(cb, 1, &secondary);
                app.vkCmdEndRenderPass(cb);
            }
        });
        scene.submit(scene.buffer);
        // Recording the secondary anew does not change what was submitted.
        record(9);
        scene.stop();
    });
    let report = done.folder.report();
    assert_bytes(only(&report), A, A);
    assert_eq!(only(&report).passes[0].draws, 4);
}

#[test]
fn a_secondary_outside_passes_brings_its_own() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let image = scene.image(vk::Format::R8G8B8A8_UNORM, WIDTH, HEIGHT, 1);
        let attachments = color(&image);
        let info = rendering(&attachments);
        let secondary = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
        // SAFETY: valid arguments.
        unsafe {
            scene.app.vkBeginCommandBuffer(secondary, &begin).result().unwrap();
            scene.app.vkCmdBeginRendering(secondary, &info);
            scene.app.vkCmdDraw(secondary, 3, 1, 0, 0);
            scene.app.vkCmdEndRendering(secondary);
            scene.app.vkEndCommandBuffer(secondary).result().unwrap();
        }
        scene.record(|app, cb| {
            // SAFETY: a recording command buffer.
            unsafe { app.vkCmdExecuteCommands(cb, 1, &secondary) };
        });
        scene.submit(scene.buffer);
        scene.stop();
    });
    let report = done.folder.report();
    assert_bytes(only(&report), A, A);
    assert_eq!(only(&report).passes[0].draws, 1);
}

#[test]
fn an_inline_resolve_writes_one_sample_and_a_resolve_command_reads_all() {
    let done = sandbox().set("frame_submits", "1").run(|_| {
        let scene = scene();
        let many = scene.image(vk::Format::R8G8B8A8_UNORM, WIDTH, HEIGHT, 4);
        let one = scene.image(vk::Format::R8G8B8A8_UNORM, WIDTH, HEIGHT, 1);
        let inline = [vk::RenderingAttachmentInfo::default()
            .image_view(many.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(one.view)
            .resolve_image_layout(vk::ImageLayout::GENERAL)];
        let info = rendering(&inline);
        scene.record(|app, cb| {
            // SAFETY: a recording command buffer and valid structs.
            unsafe {
                app.vkCmdBeginRendering(cb, &info);
                app.vkCmdDraw(cb, 3, 1, 0, 0);
                app.vkCmdEndRendering(cb);
            }
        });
        scene.submit(scene.buffer);
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: 0,
            base_array_layer: 0,
            layer_count: 1,
        };
        let region = vk::ImageResolve::default().src_subresource(layers).dst_subresource(layers).extent(vk::Extent3D {
            width: WIDTH,
            height: HEIGHT,
            depth: 1,
        });
        let general = vk::ImageLayout::GENERAL;
        scene.record(|app, cb| {
            // SAFETY: a recording command buffer and valid structs.
            unsafe { app.vkCmdResolveImage(cb, many.image, general, one.image, general, 1, &region) };
        });
        scene.submit(scene.buffer);
        scene.stop();
    });
    let report = done.folder.report();
    assert_bytes(&report.frames[0], 0, A);
    assert_bytes(&report.frames[1], 4 * A, A);
}

#[test]
fn frames_that_differ_only_in_the_swapchain_image_are_one_frame() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let format = vk::Format::B8G8R8A8_UNORM;
        let extent = vk::Extent2D { width: WIDTH, height: HEIGHT };
        let (swapchain, images) = scene.swapchain(format, extent);
        let targets: Vec<_> = images
            .iter()
            .map(|image| {
                let view = scene.view(*image, format, 1);
                let samples = vk::SampleCountFlags::TYPE_1;
                let image = Image { image: *image, memory: vk::DeviceMemory::null(), view, format, extent, samples };
                let ops = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
                let pass = scene.render_pass(&[attachment(&image, ops.0, ops.1)]);
                (pass, scene.framebuffer(pass, &[&image]))
            })
            .collect();
        for frame in 0..60 {
            let (pass, framebuffer) = targets[frame % targets.len()];
            scene.record(|_, _| scene.pass(pass, framebuffer, extent, frame as u32));
            scene.submit(scene.buffer);
            scene.present(swapchain, (frame % targets.len()) as u32);
        }
        scene.stop();
    });
    let report = done.folder.report();
    assert_eq!(report.frame_count, 60);
    // The first frame draws nothing, which is another structure.
    let steady = report.frames.last().unwrap();
    assert!(report.frames.len() <= 2, "{:?}", report.frames.iter().map(|f| &f.indices).collect::<Vec<_>>());
    assert_eq!(steady.indices, [[1, 59, 1]]);
    assert_eq!(steady.passes[0].draws_range, [1, 59]);
    assert_eq!(steady.boundary, "present");
    assert_bytes(steady, 0, A);
}
