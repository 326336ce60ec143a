//! How passes begin, go on and end: suspended and resumed, split over secondaries, with images that are absent, sliced or seen in part.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ptr;
use tbdr_model::frame::{LoadOp, StoreOp};
use tbdr_model::report::Report;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::passes::*;
use tilelens_tests::script::{Image, Scene, attachment};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const SUSPEND: vk::RenderingFlags = vk::RenderingFlags::SUSPENDING;
const RESUME: vk::RenderingFlags = vk::RenderingFlags::RESUMING;

/// Records one part of a rendering, with a draw, into a command buffer of its own.
fn part(scene: &Scene, info: &vk::RenderingInfo<'_>, flags: vk::RenderingFlags) -> vk::CommandBuffer {
    let buffer = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
    scene.record_into(buffer, |app, cb| {
        // SAFETY: a recording command buffer and valid structs.
        unsafe {
            app.vkCmdBeginRendering(cb, &info.flags(flags));
            app.vkCmdDraw(cb, 3, 1, 0, 0);
            app.vkCmdEndRendering(cb);
        }
    });
    buffer
}

/// As `run`, with a frame for every submission.
fn run_by_submits(case: &str, body: impl FnOnce(&Scene, &str)) -> Report {
    let settings = Sandbox::new().set("sync", "1").set("frame_submits", "1").set("gpu", &GPUS.join(","));
    let done = settings.case(case).of(&body).run(|inside| {
        let scene = Scene::new(Chain::new(Options::default()).start());
        body(&scene, inside.case());
        let driver = scene.app.driver();
        scene.app.stop();
        driver.assert_neutral();
    });
    done.folder.report()
}

#[test]
fn a_rendering_resumed_in_a_later_submission_is_one_pass() {
    let report = run("", |scene, _| {
        let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let colors = [color(&image, LOAD_STORE, GENERAL)];
        let info = rendering(&colors);
        for flags in [SUSPEND, SUSPEND | RESUME, RESUME] {
            scene.submit(part(scene, &info, flags));
        }
    });
    assert_bytes(&report, A, A);
    assert_eq!(only(&report).passes.iter().map(|p| p.draws).collect::<Vec<_>>(), [3]);
    assert!(named(&report, "suspended").is_empty());
}

#[test]
fn a_rendering_resumed_in_another_frame_loads_in_one_and_stores_in_the_other() {
    let report = run_by_submits("", |scene, _| {
        let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let colors = [color(&image, LOAD_STORE, GENERAL)];
        let info = rendering(&colors);
        for flags in [SUSPEND, SUSPEND | RESUME, RESUME] {
            scene.submit(part(scene, &info, flags));
        }
    });
    let bytes: Vec<_> = report.frames.iter().map(|f| &f.gpus["mali-g76"]).collect();
    let moved: Vec<_> = bytes.iter().map(|g| (g.read_bytes.0, g.write_bytes.0)).collect();
    assert_eq!(moved, [(A, 0), (0, 0), (0, A)]);
    assert_eq!(named(&report, "suspended").len(), 1);
    let shown = |n: usize| {
        let attachment = &report.frames[n].passes[0].attachments[0];
        (attachment.load.unwrap(), attachment.store.unwrap())
    };
    assert_eq!([shown(0), shown(2)], [(LoadOp::Load, StoreOp::None), (LoadOp::None, StoreOp::Store)]);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

#[test]
fn a_rendering_that_is_never_resumed_and_one_that_nobody_suspended_prove_nothing() {
    for flags in ["never resumed", "never suspended", "of another kind", "with a copy between"] {
        let report = run(flags, |scene, case| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let other = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let colors = [color(&image, LOAD_STORE, GENERAL)];
            let others = [color(&other, LOAD_STORE, GENERAL)];
            match case {
                "never resumed" => scene.submit(part(scene, &rendering(&colors), SUSPEND)),
                "never suspended" => scene.submit(part(scene, &rendering(&colors), RESUME)),
                "of another kind" => {
                    scene.submit(part(scene, &rendering(&colors), SUSPEND));
                    scene.submit(part(scene, &rendering(&others), RESUME));
                }
                _ => {
                    scene.submit(part(scene, &rendering(&colors), SUSPEND));
                    scene.record(|app, cb| {
                        let range = vk::ImageSubresourceRange::default()
                            .aspect_mask(vk::ImageAspectFlags::COLOR)
                            .level_count(1)
                            .layer_count(1);
                        let value = vk::ClearColorValue::default();
                        // SAFETY: a recording command buffer and valid structs.
                        unsafe { app.vkCmdClearColorImage(cb, other.image, GENERAL, &value, 1, &range) };
                    });
                    scene.submit(scene.buffer);
                    scene.submit(part(scene, &rendering(&colors), RESUME));
                }
            }
        });
        let word = if flags == "with a copy between" { "commands between" } else { "suspended in one frame" };
        assert_eq!(named(&report, word).len(), 1, "{flags}: {:?}", report.not_modelled);
        assert!(report.findings.is_empty(), "{flags}");
    }
}

/// A secondary that continues a pass.
fn secondary(
    scene: &Scene,
    inheritance: &vk::CommandBufferInheritanceInfo<'_>,
    record: impl FnOnce(vk::CommandBuffer),
) -> vk::CommandBuffer {
    let buffer = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
    let flags = vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE | vk::CommandBufferUsageFlags::SIMULTANEOUS_USE;
    let begin = vk::CommandBufferBeginInfo::default().flags(flags).inheritance_info(inheritance);
    // SAFETY: valid arguments.
    unsafe {
        scene.app.vkBeginCommandBuffer(buffer, &begin).result().unwrap();
        record(buffer);
        scene.app.vkEndCommandBuffer(buffer).result().unwrap();
    }
    buffer
}

fn draw(scene: &Scene, cb: vk::CommandBuffer) {
    // SAFETY: a recording command buffer.
    unsafe { scene.app.vkCmdDraw(cb, 3, 1, 0, 0) };
}

#[test]
fn secondaries_with_clears_that_resume_a_multiview_rendering_are_part_of_one_pass() {
    let report = run("", |scene, _| {
        let image = scene.layered_image(RGBA8, WIDTH, HEIGHT, 1, 2);
        let colors = [color(&image, LOAD_STORE, GENERAL)];
        let contents = vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS;
        let info = rendering(&colors).view_mask(0b11);
        let formats = [RGBA8];
        let parts = [SUSPEND, RESUME].map(|flags| {
            let mut inherited = vk::CommandBufferInheritanceRenderingInfo::default()
                .flags(flags)
                .view_mask(0b11)
                .color_attachment_formats(&formats)
                .rasterization_samples(vk::SampleCountFlags::TYPE_1);
            let inheritance = vk::CommandBufferInheritanceInfo::default().push_next(&mut inherited);
            secondary(scene, &inheritance, |cb| {
                let clear = vk::ClearAttachment::default().aspect_mask(vk::ImageAspectFlags::COLOR);
                let rect = vk::ClearRect { rect: AREA, base_array_layer: 0, layer_count: 1 };
                // SAFETY: a recording command buffer and valid structs.
                unsafe { scene.app.vkCmdClearAttachments(cb, 1, &clear, 1, &rect) };
                draw(scene, cb);
            })
        });
        scene.record(|app, cb| {
            for (flags, part) in [SUSPEND, RESUME].into_iter().zip(&parts) {
                // SAFETY: a recording command buffer and valid structs.
                unsafe {
                    app.vkCmdBeginRendering(cb, &info.flags(flags | contents));
                    app.vkCmdExecuteCommands(cb, 1, part);
                    app.vkCmdEndRendering(cb);
                }
            }
        });
        scene.submit(scene.buffer);
    });
    assert_bytes(&report, 2 * A, 2 * A);
    assert_eq!(only(&report).passes.iter().map(|p| p.draws).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_secondary_counts_wherever_and_however_deep_it_is_executed() {
    for inherited in ["with framebuffer", "without"] {
        let report = run(inherited, |scene, case| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let pass = scene.render_pass(&[attachment(&image, LOAD_STORE.0, LOAD_STORE.1)]);
            let framebuffer = scene.framebuffer(pass, &[&image]);
            let mut inheritance = vk::CommandBufferInheritanceInfo::default().render_pass(pass);
            if case == "with framebuffer" {
                inheritance = inheritance.framebuffer(framebuffer);
            }
            let inner = secondary(scene, &inheritance, |cb| draw(scene, cb));
            // VK_EXT_nested_command_buffer: a secondary within a secondary within the pass.
            let outer = secondary(scene, &inheritance, |cb| {
                draw(scene, cb);
                // SAFETY: a recording command buffer and an executable secondary.
                unsafe { scene.app.vkCmdExecuteCommands(cb, 2, [inner, inner].as_ptr()) };
            });
            let begin = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(AREA);
            // VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR.
            let both = vk::SubpassContents::from_raw(1_000_451_000);
            let primaries = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::PRIMARY, 2);
            for primary in &primaries {
                scene.record_into(*primary, |app, cb| {
                    // SAFETY: a recording command buffer and executable secondaries.
                    unsafe {
                        app.vkCmdBeginRenderPass(cb, &begin, both);
                        app.vkCmdDraw(cb, 3, 1, 0, 0);
                        app.vkCmdExecuteCommands(cb, 1, &inner);
                        app.vkCmdExecuteCommands(cb, 1, &outer);
                        app.vkCmdDraw(cb, 3, 1, 0, 0);
                        app.vkCmdEndRenderPass(cb);
                    }
                });
            }
            scene.submit_all(&primaries);
        });
        assert_bytes(&report, 2 * A, 2 * A);
        // Two inline, one of the inner, three of the outer.
        assert_eq!(only(&report).passes.iter().map(|p| p.draws).collect::<Vec<_>>(), [6, 6], "{inherited}");
    }
}

#[test]
fn attachments_that_no_subpass_uses_and_slots_without_a_view_cost_nothing() {
    let report = run("", |scene, _| {
        let used = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let idle = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let attachments = [described(&idle, LOAD_STORE), described(&used, LOAD_STORE)];
        let slots = [at(vk::ATTACHMENT_UNUSED), at(1), at(vk::ATTACHMENT_UNUSED)];
        let unused = at(vk::ATTACHMENT_UNUSED);
        let targets = [unused; 3];
        let subpass = [vk::SubpassDescription2::default()
            .color_attachments(&slots)
            .resolve_attachments(&targets)
            .depth_stencil_attachment(&unused)];
        let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
        submit_pass(scene, create_pass(scene, &info), &[&idle, &used], 1, ptr::null());
        let absent = vk::RenderingAttachmentInfo::default().load_op(LOAD_STORE.0).store_op(LOAD_STORE.1);
        let colors = [absent, color(&used, LOAD_STORE, GENERAL), absent];
        let info = rendering(&colors).depth_attachment(&absent).stencil_attachment(&absent);
        submit_rendering(scene, &info, |_| {});
    });
    assert_bytes(&report, 2 * A, 2 * A);
    assert_eq!(only(&report).passes[0].attachments[0].role, "unused");
}

#[test]
fn an_imageless_framebuffer_has_the_views_of_its_begin_command_for_clears_in_secondaries_too() {
    let report = run("", |scene, _| {
        let app = &scene.app;
        let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let pass = scene.render_pass(&[attachment(&image, CLEAR_STORE.0, CLEAR_STORE.1)]);
        let formats = [RGBA8];
        let images = [vk::FramebufferAttachmentImageInfo::default()
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .width(WIDTH)
            .height(HEIGHT)
            .layer_count(1)
            .view_formats(&formats)];
        let mut described = vk::FramebufferAttachmentsCreateInfo::default().attachment_image_infos(&images);
        let info = vk::FramebufferCreateInfo {
            flags: vk::FramebufferCreateFlags::IMAGELESS,
            render_pass: pass,
            attachment_count: 1,
            width: WIDTH,
            height: HEIGHT,
            layers: 1,
            ..vk::FramebufferCreateInfo::default().push_next(&mut described)
        };
        let mut framebuffer = vk::Framebuffer::null();
        // SAFETY: valid arguments; the attachments of an imageless framebuffer may be null.
        unsafe { app.vkCreateFramebuffer(app.device, &info, NO, &mut framebuffer).result().unwrap() };
        let clear = vk::ClearAttachment::default().aspect_mask(vk::ImageAspectFlags::COLOR);
        let rect = vk::ClearRect { rect: AREA, base_array_layer: 0, layer_count: 1 };
        let inheritance = vk::CommandBufferInheritanceInfo::default().render_pass(pass).framebuffer(framebuffer);
        let inside = secondary(scene, &inheritance, |cb| {
            // SAFETY: a recording command buffer and valid structs.
            unsafe { app.vkCmdClearAttachments(cb, 1, &clear, 1, &rect) };
            draw(scene, cb);
        });
        let views = [image.view];
        let mut given = vk::RenderPassAttachmentBeginInfo::default().attachments(&views);
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(pass)
            .framebuffer(framebuffer)
            .render_area(AREA)
            .push_next(&mut given);
        scene.record(|app, cb| {
            // SAFETY: a recording command buffer and valid structs.
            unsafe {
                app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE);
                app.vkCmdClearAttachments(cb, 1, &clear, 1, &rect);
                app.vkCmdEndRenderPass(cb);
                app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
                app.vkCmdExecuteCommands(cb, 1, &inside);
                app.vkCmdEndRenderPass(cb);
            }
        });
        scene.submit(scene.buffer);
    });
    assert_bytes(&report, 0, 2 * A);
    let frame = only(&report);
    assert!(frame.passes.iter().all(|p| p.attachments[0].image == frame.images[0].id), "{:?}", frame.passes);
}

/// An image of these properties with a view of `layers` layers from `base` on, of one level and aspect.
fn viewed(
    scene: &Scene,
    info: &vk::ImageCreateInfo<'_>,
    format: vk::Format,
    (aspect, level, base, layers): (vk::ImageAspectFlags, u32, u32, u32),
    extent: (u32, u32),
) -> Image {
    let app = &scene.app;
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .base_mip_level(level)
        .level_count(1)
        .base_array_layer(base)
        .layer_count(layers);
    let (mut image, mut memory, mut view) = (vk::Image::null(), vk::DeviceMemory::null(), vk::ImageView::null());
    let allocate = vk::MemoryAllocateInfo::default().allocation_size(65536);
    // SAFETY: valid arguments.
    unsafe {
        app.vkCreateImage(app.device, info, NO, &mut image).result().unwrap();
        app.vkAllocateMemory(app.device, &allocate, NO, &mut memory).result().unwrap();
        app.vkBindImageMemory(app.device, image, memory, 0).result().unwrap();
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(format)
            .subresource_range(range);
        app.vkCreateImageView(app.device, &info, NO, &mut view).result().unwrap();
    }
    let extent = vk::Extent2D { width: extent.0, height: extent.1 };
    Image { image, memory, view, format, extent, samples: vk::SampleCountFlags::TYPE_1 }
}

#[test]
fn layers_faces_slices_levels_planes_and_blocks_cost_what_their_view_shows() {
    let all = vk::REMAINING_ARRAY_LAYERS;
    for kind in ["array", "faces", "slices", "slice", "level", "plane", "blocks"] {
        let report = run(kind, |scene, kind| {
            let (w, h) = (WIDTH, HEIGHT);
            let color_aspect = vk::ImageAspectFlags::COLOR;
            let two = |flags, format, width, height, layers, mips| {
                vk::ImageCreateInfo::default()
                    .flags(flags)
                    .image_type(vk::ImageType::TYPE_2D)
                    .format(format)
                    .extent(vk::Extent3D { width, height, depth: 1 })
                    .mip_levels(mips)
                    .array_layers(layers)
                    .samples(vk::SampleCountFlags::TYPE_1)
                    .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            };
            let none = vk::ImageCreateFlags::empty();
            let volume = two(vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE, RGBA8, w, h, 1, 1)
                .image_type(vk::ImageType::TYPE_3D)
                .extent(vk::Extent3D { width: w, height: h, depth: 4 });
            let cube = two(vk::ImageCreateFlags::CUBE_COMPATIBLE, RGBA8, w, h, 6, 1);
            let nv12 =
                two(vk::ImageCreateFlags::MUTABLE_FORMAT, vk::Format::G8_B8R8_2PLANE_420_UNORM, 2 * w, 2 * h, 1, 1);
            let bc = two(
                vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE | vk::ImageCreateFlags::MUTABLE_FORMAT,
                vk::Format::BC1_RGBA_UNORM_BLOCK,
                4 * w,
                4 * h,
                1,
                1,
            );
            let (image, layers) = match kind {
                "array" => (viewed(scene, &two(none, RGBA8, w, h, 4, 1), RGBA8, (color_aspect, 0, 1, all), (w, h)), 3),
                "faces" => (viewed(scene, &cube, RGBA8, (color_aspect, 0, 0, 6), (w, h)), 6),
                "slices" => (viewed(scene, &volume, RGBA8, (color_aspect, 0, 1, all), (w, h)), 3),
                "slice" => (viewed(scene, &volume, RGBA8, (color_aspect, 0, 2, 1), (w, h)), 1),
                "level" => {
                    (viewed(scene, &two(none, RGBA8, 2 * w, 2 * h, 1, 2), RGBA8, (color_aspect, 1, 0, 1), (w, h)), 1)
                }
                "plane" => {
                    let aspect = vk::ImageAspectFlags::PLANE_1;
                    (viewed(scene, &nv12, vk::Format::R8G8_UNORM, (aspect, 0, 0, 1), (w, h)), 1)
                }
                _ => (viewed(scene, &bc, vk::Format::R32G32_UINT, (color_aspect, 0, 0, 1), (w, h)), 1),
            };
            let colors = [color(&image, LOAD_STORE, GENERAL)];
            let mut info = rendering(&colors);
            info.layer_count = layers;
            submit_rendering(scene, &info, |_| {});
        });
        let moved = match kind {
            "array" | "slices" => 3 * A,
            "faces" => 6 * A,
            "plane" => A / 2,
            "blocks" => 2 * A,
            _ => A,
        };
        // Layered framebuffers go past GMEM on turnip, where loads and stores are the draws'.
        for gpu in ["mali-g76", "apple-m1"] {
            let frame = &only(&report).gpus[gpu];
            assert_eq!((frame.read_bytes.0, frame.write_bytes.0), (moved, moved), "{gpu} {kind}");
        }
    }
}

#[test]
fn store_op_none_under_each_of_its_names_moves_nothing_and_keeps_aspects_apart() {
    let none = vk::AttachmentStoreOp::NONE;
    assert_eq!(
        [vk::AttachmentStoreOp::NONE_EXT, vk::AttachmentStoreOp::NONE_QCOM, vk::AttachmentStoreOp::NONE_KHR],
        [none; 3]
    );
    let report = run("", |scene, _| {
        let depth = scene.image(vk::Format::D32_SFLOAT_S8_UINT, WIDTH, HEIGHT, 1);
        let described = |load, store, stencil_load, stencil_store| {
            described(&depth, (load, store)).stencil_load_op(stencil_load).stencil_store_op(stencil_store)
        };
        let (load, store) = LOAD_STORE;
        let load_none = vk::AttachmentLoadOp::NONE_KHR;
        let (clear, general) = (vk::AttachmentLoadOp::CLEAR, GENERAL);
        // Depth is read only and stencil written; then both are read again, and what the first pass has made of depth is still there.
        let layout = vk::ImageLayout::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL;
        for (ops, layout) in [
            (described(clear, store, clear, store), general),
            (described(load, none, load_none, store), layout),
            (described(load, none, load, none), layout),
        ] {
            let reference = at(0).layout(layout);
            let subpass = [vk::SubpassDescription2::default().depth_stencil_attachment(&reference)];
            let attachments = [ops];
            let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
            submit_pass(scene, create_pass(scene, &info), &[&depth], 1, ptr::null());
        }
    });
    // D32_SFLOAT is four bytes, S8 one: both stored once; then depth loaded twice and not stored again, stencil stored and loaded.
    for gpu in ["mali-g76", "adreno-650"] {
        let frame = &only(&report).gpus[gpu];
        assert_eq!((frame.read_bytes.0, frame.write_bytes.0), (2 * A + A / 4, A + A / 4 + A / 4), "{gpu}: {frame:?}");
    }
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

#[test]
fn depth_that_is_loaded_beside_stencil_that_is_not_and_resolves_is_counted_by_aspect() {
    let report = run("", |scene, _| {
        let depth = scene.image(vk::Format::D32_SFLOAT_S8_UINT, WIDTH, HEIGHT, 4);
        let many = scene.image(RGBA8, WIDTH, HEIGHT, 4);
        let one = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let dropped = (vk::AttachmentLoadOp::DONT_CARE, vk::AttachmentStoreOp::DONT_CARE);
        let depth_ops = described(&depth, dropped).load_op(vk::AttachmentLoadOp::LOAD);
        let attachments = [described(&many, dropped), described(&one, dropped), depth_ops];
        let (slots, targets, reference) = ([at(0)], [at(1)], at(2));
        let subpass = [vk::SubpassDescription2::default()
            .color_attachments(&slots)
            .resolve_attachments(&targets)
            .depth_stencil_attachment(&reference)];
        let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
        submit_pass(scene, create_pass(scene, &info), &[&many, &one, &depth], 1, ptr::null());
    });
    for gpu in ["mali-g76", "adreno-650"] {
        let frame = &only(&report).gpus[gpu];
        // Four samples of four bytes of depth are loaded; of stencil nothing; colour is resolved.
        assert_eq!((frame.read_bytes.0, frame.write_bytes.0), (4 * A, A), "{gpu}: {frame:?}");
    }
    let shown = &only(&report).passes[0].attachments[2];
    assert_eq!((shown.load, shown.stencil_load), (Some(LoadOp::Load), Some(LoadOp::DontCare)));
}

#[test]
fn the_tile_that_the_driver_names_stands_beside_the_predicted_one() {
    for form in ["framebuffer", "dynamic", "not asked", "count only"] {
        let report = run(form, |scene, form| {
            let app = &scene.app;
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let mut tile = vk::TilePropertiesQCOM::default();
            let mut count = 1;
            if form == "dynamic" {
                let colors = [color(&image, LOAD_STORE, GENERAL)];
                let info = rendering(&colors);
                // SAFETY: valid arguments.
                unsafe {
                    app.vkGetDynamicRenderingTilePropertiesQCOM(app.device, &info, &mut tile).result().unwrap();
                }
                submit_rendering(scene, &info, |_| {});
                return;
            }
            let pass = scene.render_pass(&[attachment(&image, LOAD_STORE.0, LOAD_STORE.1)]);
            let framebuffer = scene.framebuffer(pass, &[&image]);
            scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
            let out = match form {
                "framebuffer" => &raw mut tile,
                _ => ptr::null_mut(),
            };
            if form != "not asked" {
                // SAFETY: valid arguments.
                unsafe {
                    let result = app.vkGetFramebufferTilePropertiesQCOM(app.device, framebuffer, &mut count, out);
                    result.result().unwrap();
                }
            }
            // Asked after the recording, before the submission: the answer is for the framebuffer.
            scene.submit(scene.buffer);
        });
        assert_bytes(&report, A, A);
        let named = only(&report).passes[0].driver_tile;
        let answered = form == "framebuffer" || form == "dynamic";
        assert_eq!(named.map(|tile| (tile.size.width, tile.size.height)), answered.then_some((208, 112)), "{form}");
    }
}

#[test]
fn a_dispatch_within_a_pass_may_do_to_its_attachments_what_a_draw_may_do() {
    // VK_QCOM_tile_shading: commands for each tile are recorded once, and cost what they would cost without.
    for per_tile in [false, true] {
        let report = run("", |scene, _| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::NONE_KHR, LOAD_STORE.1)]);
            let framebuffer = scene.framebuffer(pass, &[&image]);
            let begin = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(AREA);
            scene.record(|app, cb| {
                // SAFETY: a recording command buffer and valid structs.
                unsafe {
                    app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE);
                    if per_tile {
                        app.vkCmdBeginPerTileExecutionQCOM(cb, ptr::null());
                    }
                    app.vkCmdDispatchTileQCOM(cb, ptr::null());
                    app.vkCmdDispatch(cb, 1, 1, 1);
                    if per_tile {
                        app.vkCmdEndPerTileExecutionQCOM(cb, ptr::null());
                    }
                    app.vkCmdEndRenderPass(cb);
                }
            });
            scene.submit(scene.buffer);
        });
        assert_bytes(&report, 0, A);
        assert_eq!(only(&report).dispatches, [0, 0], "they are the pass's");
        assert!(report.findings.is_empty());
    }
}
