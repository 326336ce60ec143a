//! What extends render passes and dynamic rendering: each struct means in the report what it means in Vulkan, or is named as not modelled.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ffi::c_void;
use std::ptr;
use tbdr_model::report::Basis;
use tilelens_tests::script::passes::*;
use tilelens_tests::script::{Image, Scene};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();

#[test]
fn a_depth_resolve_writes_one_sample_and_keeps_the_others_on_chip() {
    for form in ["2", "dynamic"] {
        let report = run(form, |scene, form| {
            let many = scene.image(vk::Format::D32_SFLOAT, WIDTH, HEIGHT, 4);
            let one = scene.image(vk::Format::D32_SFLOAT, WIDTH, HEIGHT, 1);
            if form == "dynamic" {
                let depth = color(&many, CLEAR_DROP, GENERAL)
                    .resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
                    .resolve_image_view(one.view)
                    .resolve_image_layout(GENERAL);
                submit_rendering(scene, &rendering(&[]).depth_attachment(&depth), |_| {});
                return;
            }
            let target = at(1);
            let mut resolve = vk::SubpassDescriptionDepthStencilResolve::default()
                .depth_resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
                .stencil_resolve_mode(vk::ResolveModeFlags::NONE)
                .depth_stencil_resolve_attachment(&target);
            let depth = at(0);
            let subpass = [vk::SubpassDescription2::default().depth_stencil_attachment(&depth).push_next(&mut resolve)];
            let attachments = [described(&many, CLEAR_DROP), described(&one, CLEAR_DROP)];
            let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
            submit_pass(scene, create_pass(scene, &info), &[&many, &one], 1, ptr::null());
        });
        assert_bytes(&report, 0, A);
    }
}

#[test]
fn a_fragment_density_map_is_read_once_per_texel_in_every_kind_of_pass() {
    for form in ["1", "2", "dynamic"] {
        let report = run(form, |scene, form| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let map = scene.image(vk::Format::R8G8_UNORM, WIDTH / 16, HEIGHT / 16, 1);
            let reference = vk::AttachmentReference { attachment: 1, layout: GENERAL };
            let mut extension =
                vk::RenderPassFragmentDensityMapCreateInfoEXT::default().fragment_density_map_attachment(reference);
            let (ops, kept) = (CLEAR_STORE, (vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE));
            match form {
                "dynamic" => {
                    let mut density = vk::RenderingFragmentDensityMapAttachmentInfoEXT::default()
                        .image_view(map.view)
                        .image_layout(GENERAL);
                    let colors = [color(&image, ops, GENERAL)];
                    submit_rendering(scene, &rendering(&colors).push_next(&mut density), |_| {});
                }
                "2" => {
                    let (attachments, slots) = ([described(&image, ops), described(&map, kept)], [at(0)]);
                    let subpass = [vk::SubpassDescription2::default().color_attachments(&slots)];
                    let info = vk::RenderPassCreateInfo2::default()
                        .attachments(&attachments)
                        .subpasses(&subpass)
                        .push_next(&mut extension);
                    submit_pass(scene, create_pass(scene, &info), &[&image, &map], 1, ptr::null());
                }
                _ => {
                    let attachments = [
                        tilelens_tests::script::attachment(&image, ops.0, ops.1),
                        tilelens_tests::script::attachment(&map, kept.0, kept.1),
                    ];
                    let slots = [vk::AttachmentReference { attachment: 0, layout: GENERAL }];
                    let subpass = [vk::SubpassDescription::default().color_attachments(&slots)];
                    let info = vk::RenderPassCreateInfo::default()
                        .attachments(&attachments)
                        .subpasses(&subpass)
                        .push_next(&mut extension);
                    let mut pass = vk::RenderPass::null();
                    // SAFETY: valid arguments.
                    unsafe { scene.app.vkCreateRenderPass(scene.app.device, &info, NO, &mut pass).result().unwrap() };
                    submit_pass(scene, pass, &[&image, &map], 1, ptr::null());
                }
            }
        });
        // 2 bytes for every 16x16 pixels, and nothing for the operations that the map has.
        assert_bytes(&report, A / 4 / 256 * 2, A);
        for gpu in GPUS {
            assert_eq!(entries(&report, gpu, "density_map")[0].basis, Basis::Estimate, "{form}");
        }
        assert_eq!(only(&report).passes[0].attachments[1].role, "density_map");
        assert!(named(&report, "DENSITY").is_empty(), "{:?}", report.not_modelled);
        // turnip does not leave GMEM for its own reasons then.
        assert!(only(&report).gpus["adreno-650"].passes[0].alternative.is_none());
    }
}

#[test]
fn a_shading_rate_image_is_read_once_per_texel_that_stands_for_the_render_area() {
    for form in ["2", "dynamic", "half"] {
        let report = run(form, |scene, form| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let rate = scene.image(vk::Format::R8_UINT, WIDTH / 16, HEIGHT / 16, 1);
            let texel = vk::Extent2D { width: 16, height: 16 };
            if form == "2" {
                let reference = at(1);
                let mut extension = vk::FragmentShadingRateAttachmentInfoKHR::default()
                    .fragment_shading_rate_attachment(&reference)
                    .shading_rate_attachment_texel_size(texel);
                let (attachments, slots) = ([described(&image, CLEAR_STORE), described(&rate, LOAD_STORE)], [at(0)]);
                let subpass = [vk::SubpassDescription2::default().color_attachments(&slots).push_next(&mut extension)];
                let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
                submit_pass(scene, create_pass(scene, &info), &[&image, &rate], 1, ptr::null());
                return;
            }
            let mut extension = vk::RenderingFragmentShadingRateAttachmentInfoKHR::default()
                .image_view(rate.view)
                .image_layout(GENERAL)
                .shading_rate_attachment_texel_size(texel);
            let colors = [color(&image, CLEAR_STORE, GENERAL)];
            let mut info = rendering(&colors).push_next(&mut extension);
            if form == "half" {
                info.render_area.extent.width = WIDTH / 2;
            }
            submit_rendering(scene, &info, |_| {});
        });
        let part = if form == "half" { 2 } else { 1 };
        assert_bytes(&report, A / 4 / 256 / part, A / part);
        assert_eq!(only(&report).passes[0].attachments[1].role, "shading_rate");
    }
}

#[test]
fn samples_that_exist_on_chip_only_cost_room_there_and_no_bytes() {
    for form in ["2", "dynamic"] {
        let report = run(form, |scene, form| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let mut single = vk::MultisampledRenderToSingleSampledInfoEXT::default()
                .multisampled_render_to_single_sampled_enable(true)
                .rasterization_samples(vk::SampleCountFlags::TYPE_4);
            if form == "dynamic" {
                let colors = [color(&image, LOAD_STORE, GENERAL)];
                submit_rendering(scene, &rendering(&colors).push_next(&mut single), |_| {});
                return;
            }
            let (attachments, slots) = ([described(&image, LOAD_STORE)], [at(0)]);
            let subpass = [vk::SubpassDescription2::default().color_attachments(&slots).push_next(&mut single)];
            let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
            submit_pass(scene, create_pass(scene, &info), &[&image], 1, ptr::null());
        });
        assert_bytes(&report, A, A);
        for gpu in ["mali-g76", "adreno-650"] {
            let pass = &only(&report).gpus[gpu].passes[0];
            assert_eq!(pass.bits_per_pixel, Some(4 * 32), "{gpu}");
            assert!(
                pass.notes.iter().any(|n| n.contains("4 samples per pixel exist on chip only")),
                "{:?}",
                pass.notes
            );
        }
        assert!(named(&report, "SINGLE_SAMPLED").is_empty(), "{:?}", report.not_modelled);
    }
}

/// A pass of two subpasses: the second reads what the first has drawn. `of` changes what is about to be created.
fn deferred(scene: &Scene, of: &str) -> (vk::RenderPass, [Image; 2]) {
    let images = [scene.image(RGBA8, WIDTH, HEIGHT, 1), scene.image(RGBA8, WIDTH, HEIGHT, 1)];
    let attachments = [described(&images[0], CLEAR_DROP), described(&images[1], CLEAR_STORE)];
    let mut controls = [vk::RenderPassCreationControlEXT::default().disallow_merging(true); 2];
    let [on_pass, on_subpass] = &mut controls;
    let (first, second, input) = ([at(0)], [at(1)], [at(0)]);
    let mut subpasses = [
        vk::SubpassDescription2::default().color_attachments(&first),
        vk::SubpassDescription2::default().color_attachments(&second).input_attachments(&input),
    ];
    if of == "subpass" {
        subpasses[1] = subpasses[1].push_next(on_subpass);
    }
    let mut local = vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags2::FRAGMENT_SHADER)
        .src_access_mask(vk::AccessFlags2::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(vk::AccessFlags2::INPUT_ATTACHMENT_READ);
    let dependency = vk::SubpassDependency2::default().dst_subpass(1).dependency_flags(vk::DependencyFlags::BY_REGION);
    let dependencies = [if of == "barrier" {
        // The masks of the dependency itself count for nothing then.
        dependency
            .src_stage_mask(vk::PipelineStageFlags::ALL_COMMANDS)
            .dst_stage_mask(vk::PipelineStageFlags::ALL_COMMANDS)
            .push_next(&mut local)
    } else {
        dependency
            .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
            .dst_stage_mask(vk::PipelineStageFlags::FRAGMENT_SHADER)
    }];
    let mut info = vk::RenderPassCreateInfo2::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    if of == "pass" {
        info = info.push_next(on_pass);
    }
    (create_pass(scene, &info), images)
}

#[test]
fn what_the_application_disallows_is_not_merged_on_any_gpu() {
    for of in ["plain", "pass", "subpass", "barrier"] {
        let report = run(of, |scene, of| {
            let (pass, [first, second]) = deferred(scene, of);
            submit_pass(scene, pass, &[&first, &second], 2, ptr::null());
        });
        for gpu in ["mali-g76", "adreno-650"] {
            let gpu_frame = &only(&report).gpus[gpu];
            let status = gpu_frame.passes.iter().flat_map(|p| &p.subpasses).last().unwrap().merge_status.clone();
            let disallowed = of == "pass" || of == "subpass";
            assert_eq!(gpu_frame.passes.len(), if disallowed { 2 } else { 1 }, "{gpu} {of}");
            let word = if disallowed { "DISALLOWED" } else { "MERGED" };
            assert_eq!(status.unwrap(), format!("VK_SUBPASS_MERGE_STATUS_{word}_EXT"), "{gpu} {of}");
            let (read, write) = if disallowed { (A, 2 * A) } else { (0, A) };
            assert_eq!((gpu_frame.read_bytes.0, gpu_frame.write_bytes.0), (read, write), "{gpu} {of}");
        }
    }
}

#[test]
fn structs_that_change_no_byte_change_nothing_in_the_report() {
    let [plain, extended] = ["plain", "extended"].map(|case| {
        run(case, |scene, case| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let (attachments, slots) = ([described(&image, LOAD_STORE)], [at(0)]);
            let subpass = [vk::SubpassDescription2::default().color_attachments(&slots)];
            let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
            let pass = create_pass(scene, &info);
            let locations = vk::RenderPassSampleLocationsBeginInfoEXT::default();
            let stripe = [vk::RenderPassStripeInfoARM::default().stripe_area(AREA)];
            let mut stripes = vk::RenderPassStripeBeginInfoARM::default().stripe_infos(&stripe);
            stripes.p_next = (&raw const locations).cast();
            // VkRenderPassPerformanceCountersByRegionBeginInfoARM.
            let counters = extending(1_000_605_004, (&raw const stripes).cast(), [0; 8]);
            let mut group = vk::DeviceGroupRenderPassBeginInfo::default().device_mask(1);
            group.p_next = (&raw const counters).cast();
            let chain: *const c_void = if case == "plain" { ptr::null() } else { (&raw const group).cast() };
            submit_pass(scene, pass, &[&image], 1, chain);
        })
    });
    assert_bytes(&plain, A, A);
    assert_eq!(plain.frames, extended.frames);
    assert_eq!(plain.not_modelled, extended.not_modelled);
}

#[test]
fn a_struct_that_nobody_knows_is_named_wherever_it_is_chained() {
    for place in ["begin", "subpass", "end", "rendering", "attachment", "rendering end"] {
        let report = run(place, |scene, place| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let unknown = extending(2_000_000_000, ptr::null(), [7; 8]);
            let next = |here: &str| if here == place { (&raw const unknown).cast() } else { ptr::null() };
            let (attachments, slots) = ([described(&image, LOAD_STORE)], [at(0)]);
            let subpass = [vk::SubpassDescription2::default().color_attachments(&slots)];
            let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass);
            let pass = create_pass(scene, &info);
            let framebuffer = scene.framebuffer(pass, &[&image]);
            let mut begin =
                vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(AREA);
            begin.p_next = next("begin");
            let contents = vk::SubpassBeginInfo { p_next: next("subpass"), ..Default::default() };
            let end = vk::SubpassEndInfo { p_next: next("end"), ..Default::default() };
            let mut colors = [color(&image, LOAD_STORE, GENERAL)];
            colors[0].p_next = next("attachment");
            let mut info = rendering(&colors);
            info.p_next = next("rendering");
            // VkRenderingEndInfoKHR.
            let rendering_end = extending(1_000_619_003, next("rendering end"), [0; 8]);
            scene.record(|app, cb| {
                // SAFETY: a recording command buffer and valid structs; unknown ones are skipped.
                unsafe {
                    app.vkCmdBeginRenderPass2(cb, &begin, &contents);
                    app.vkCmdEndRenderPass2(cb, &end);
                    app.vkCmdBeginRendering(cb, &info);
                    app.vkCmdEndRendering2KHR(cb, (&raw const rendering_end).cast());
                }
            });
            scene.submit(scene.buffer);
        });
        assert_eq!(named(&report, "2000000000").len(), 1, "{place}: {:?}", report.not_modelled);
        assert_bytes(&report, 2 * A, 2 * A);
    }
}

#[test]
fn a_custom_resolve_costs_what_a_resolve_in_the_pass_costs() {
    let report = run("", |scene, _| {
        let many = scene.image(RGBA8, WIDTH, HEIGHT, 4);
        let one = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        // VK_RESOLVE_MODE_CUSTOM_BIT_EXT, VK_RENDERING_CUSTOM_RESOLVE_BIT_EXT.
        let colors = [color(&many, CLEAR_DROP, LOCAL_READ)
            .resolve_mode(vk::ResolveModeFlags::from_raw(0x20))
            .resolve_image_view(one.view)
            .resolve_image_layout(GENERAL)];
        let info = rendering(&colors).flags(vk::RenderingFlags::from_raw(0x80));
        let begin = extending(1_000_628_001, ptr::null(), [0; 8]);
        submit_rendering(scene, &info, |cb| {
            // SAFETY: a recording command buffer and a VkBeginCustomResolveInfoEXT.
            unsafe { scene.app.vkCmdBeginCustomResolveEXT(cb, (&raw const begin).cast()) };
        });
    });
    for gpu in ["mali-g76", "adreno-650"] {
        let frame = &only(&report).gpus[gpu];
        assert_eq!((frame.read_bytes.0, frame.write_bytes.0), (0, A), "{gpu}");
    }
    assert_eq!(only(&report).passes[0].draws, 2);
}

#[test]
fn what_shaders_read_of_their_own_pixel_within_dynamic_rendering_stays_on_chip() {
    for form in ["local read", "general", "tile image", "flags"] {
        let report = run(form, |scene, form| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let layout = if form == "local read" { LOCAL_READ } else { GENERAL };
            // VkRenderingAttachmentFlagsInfoKHR with INPUT_ATTACHMENT_FEEDBACK.
            let flags = extending(1_000_630_002, ptr::null(), [1, 0, 0, 0, 0, 0, 0, 0]);
            let mut colors = [color(&image, CLEAR_STORE, layout)];
            if form == "flags" {
                colors[0].p_next = (&raw const flags).cast();
            }
            let reads = if form == "tile image" {
                vk::AccessFlags::COLOR_ATTACHMENT_READ
            } else {
                vk::AccessFlags::INPUT_ATTACHMENT_READ
            };
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
                .dst_access_mask(reads);
            submit_rendering(scene, &rendering(&colors), |cb| {
                let source = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;
                let stages = (source, vk::PipelineStageFlags::FRAGMENT_SHADER);
                let by_region = vk::DependencyFlags::BY_REGION;
                let (none, no) = (ptr::null(), ptr::null());
                // SAFETY: a recording command buffer and a valid barrier.
                unsafe {
                    scene.app.vkCmdPipelineBarrier(cb, stages.0, stages.1, by_region, 1, &barrier, 0, none, 0, no)
                };
            });
        });
        assert_bytes(&report, 0, A);
        let role = if form == "tile image" { "color 0" } else { "color 0+input 0" };
        assert_eq!(only(&report).passes[0].attachments[0].role, role, "{form}");
        for gpu in GPUS {
            assert_eq!(only(&report).gpus[gpu].passes[0].mode, "tiled", "{gpu} {form}");
        }
    }
}

#[test]
fn an_attachment_that_is_sampled_while_it_is_rendered_to_is_read_no_one_knows_how_often() {
    for form in ["layout", "struct", "off"] {
        let report = run(form, |scene, form| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            // VkAttachmentFeedbackLoopInfoEXT.
            let enable = u64::from(form == "struct");
            let info = extending(1_000_527_001, ptr::null(), [enable, 0, 0, 0, 0, 0, 0, 0]);
            let mut colors = [color(&image, LOAD_STORE, if form == "layout" { FEEDBACK } else { GENERAL })];
            if form != "layout" {
                colors[0].p_next = (&raw const info).cast();
            }
            submit_rendering(scene, &rendering(&colors), |_| {});
        });
        let loops = form != "off";
        for gpu in GPUS {
            let found = entries(&report, gpu, "feedback");
            assert_eq!(found.len(), usize::from(loops), "{gpu} {form}");
            assert!(found.iter().all(|e| e.basis == Basis::Undecided && e.bytes.0 == 0), "{gpu} {form}");
        }
        let mode = if loops { "immediate" } else { "tiled" };
        assert_eq!(only(&report).gpus["adreno-650"].passes[0].mode, mode, "turnip goes to memory");
    }
}

#[test]
fn views_with_render_areas_of_their_own_move_at_most_the_area_around_them() {
    let report = run("", |scene, _| {
        let image = scene.layered_image(RGBA8, WIDTH, HEIGHT, 1, 2);
        let colors = [color(&image, CLEAR_STORE, GENERAL)];
        let half = vk::Extent2D { width: WIDTH / 2, height: HEIGHT };
        let areas = [vk::Rect2D { extent: half, ..AREA }, AREA];
        let mut views = vk::MultiviewPerViewRenderAreasRenderPassBeginInfoQCOM::default().per_view_render_areas(&areas);
        let info = rendering(&colors).view_mask(0b11).push_next(&mut views);
        submit_rendering(scene, &info, |_| {});
    });
    assert_bytes(&report, 0, 2 * A);
    for gpu in GPUS {
        assert!(entries(&report, gpu, "store").iter().all(|e| e.basis == Basis::Bound), "{gpu}");
    }
}

#[test]
fn devices_of_a_group_with_areas_that_differ_are_named() {
    for case in ["one", "equal", "apart"] {
        let report = run(case, |scene, case| {
            let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
            let colors = [color(&image, CLEAR_STORE, GENERAL)];
            let half = vk::Rect2D { extent: vk::Extent2D { width: WIDTH / 2, height: HEIGHT }, ..AREA };
            let areas: &[vk::Rect2D] = match case {
                "one" => &[half],
                "equal" => &[half, half],
                _ => &[half, AREA],
            };
            let mut group = vk::DeviceGroupRenderPassBeginInfo::default().device_mask(0b11).device_render_areas(areas);
            submit_rendering(scene, &rendering(&colors).push_next(&mut group), |_| {});
        });
        assert_bytes(&report, 0, if case == "apart" { A } else { A / 2 });
        assert_eq!(named(&report, "devices of a group").len(), usize::from(case == "apart"));
    }
}

#[test]
fn tile_memory_costs_no_dram_and_what_is_set_aside_is_named() {
    let report = run("", |scene, _| {
        let app = &scene.app;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(RGBA8)
            .extent(AREA.extent.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            // With VK_IMAGE_USAGE_TILE_MEMORY_BIT_QCOM.
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::from_raw(1 << 27));
        let (mut image, mut memory) = (vk::Image::null(), vk::DeviceMemory::null());
        let allocate = vk::MemoryAllocateInfo::default().allocation_size(65536).memory_type_index(3);
        // SAFETY: valid arguments.
        unsafe {
            app.vkCreateImage(app.device, &info, NO, &mut image).result().unwrap();
            app.vkAllocateMemory(app.device, &allocate, NO, &mut memory).result().unwrap();
            app.vkBindImageMemory(app.device, image, memory, 0).result().unwrap();
        }
        let samples = vk::SampleCountFlags::TYPE_1;
        let view = scene.view(image, RGBA8, 1);
        let on_chip = Image { image, memory, view, format: RGBA8, extent: AREA.extent, samples };
        let in_memory = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let colors = [color(&on_chip, LOAD_STORE, GENERAL), color(&in_memory, LOAD_STORE, GENERAL)];
        // VkTileMemorySizeInfoQCOM, VkRenderPassTileShadingCreateInfoQCOM with an apron of 8x8.
        let size = extending(1_000_547_004, ptr::null(), [65536, 0, 0, 0, 0, 0, 0, 0]);
        let shading = extending(1_000_309_002, (&raw const size).cast(), [1 | 8 << 32, 8, 0, 0, 0, 0, 0, 0]);
        let mut info = rendering(&colors);
        info.p_next = (&raw const shading).cast();
        submit_rendering(scene, &info, |cb| {
            // SAFETY: a recording command buffer.
            unsafe { scene.app.vkCmdDispatchTileQCOM(cb, ptr::null()) };
        });
    });
    assert_bytes(&report, A, A);
    assert_eq!(named(&report, "VkTileMemorySizeInfoQCOM").len(), 1, "{:?}", report.not_modelled);
    assert_eq!(named(&report, "apron").len(), 1, "{:?}", report.not_modelled);
    assert!(named(&report, "struct").is_empty(), "{:?}", report.not_modelled);
}

#[test]
fn feedback_on_merging_is_the_drivers_to_write() {
    let report = run("", |scene, _| {
        let image = scene.image(RGBA8, WIDTH, HEIGHT, 1);
        let mut infos = [vk::RenderPassCreationFeedbackInfoEXT { post_merge_subpass_count: 77 }];
        let mut subpass_info = vk::RenderPassSubpassFeedbackInfoEXT::default();
        let mut whole = vk::RenderPassCreationFeedbackCreateInfoEXT::default().render_pass_feedback(&mut infos[0]);
        let mut one = vk::RenderPassSubpassFeedbackCreateInfoEXT::default().subpass_feedback(&mut subpass_info);
        let (attachments, slots) = ([described(&image, LOAD_STORE)], [at(0)]);
        let subpass = [vk::SubpassDescription2::default().color_attachments(&slots).push_next(&mut one)];
        let info =
            vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpass).push_next(&mut whole);
        submit_pass(scene, create_pass(scene, &info), &[&image], 1, ptr::null());
        // The fake driver writes nothing, and neither may anybody else.
        assert_eq!(infos[0].post_merge_subpass_count, 77);
        assert_eq!(subpass_info.subpass_merge_status, vk::SubpassMergeStatusEXT::default());
    });
    assert_bytes(&report, A, A);
    assert!(named(&report, "FEEDBACK").is_empty());
}
