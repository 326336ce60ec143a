//! What the draws of a subpass can do to its attachments follows from the state that is in force when they are recorded: of the pipeline,
//! of what is dynamic and was set, and of nothing else.
#![allow(clippy::unwrap_used)]

mod facts;

use ash::vk::{self, CompareOp, DynamicState, StencilOp};
use facts::{EXTENT, Stage, facts, one, report, sandbox};
use tbdr_model::frame::DrawFacts;
use tbdr_model::units::{Extent2D, Rect2D};
use tilelens_spirv::assembler::Assembler;
use tilelens_spirv::{Capability, ExecutionModel};
use tilelens_tests::script::pipelines::{Graphics, blended, depth_test, opaque};

/// `pNext`-free stencil state of a face.
fn stencil(compare: CompareOp, pass: StencilOp, mask: u32) -> vk::StencilOpState {
    vk::StencilOpState { compare_op: compare, pass_op: pass, write_mask: mask, ..Default::default() }
}

#[test]
fn a_pipeline_writes_and_reads_what_its_state_says() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(2);
        let none = vk::PipelineColorBlendAttachmentState::default();
        let plain = Graphics::new(stage.pass, &[opaque(), none]);
        let replaced = opaque()
            .blend_enable(true)
            .src_color_blend_factor(vk::BlendFactor::ONE)
            .src_alpha_blend_factor(vk::BlendFactor::ONE);
        let masked = Graphics::new(
            stage.pass,
            &[
                blended().color_write_mask(vk::ColorComponentFlags::empty()),
                blended().color_write_mask(vk::ColorComponentFlags::R),
            ],
        );
        let mut logic = Graphics::new(stage.pass, &[opaque(), opaque()]);
        logic.logic = Some(vk::LogicOp::XOR);
        let mut copy = logic.clone();
        copy.logic = Some(vk::LogicOp::COPY);
        let stencils = |state: vk::StencilOpState| {
            vk::PipelineDepthStencilStateCreateInfo::default().stencil_test_enable(true).front(state).back(state)
        };
        let replace = stencils(stencil(CompareOp::ALWAYS, StencilOp::REPLACE, 0xff));
        let some_bits = stencils(stencil(CompareOp::ALWAYS, StencilOp::REPLACE, 0x0f));
        let keep = stencils(stencil(CompareOp::EQUAL, StencilOp::KEEP, 0xff));
        let no_bits = stencils(stencil(CompareOp::ALWAYS, StencilOp::INVERT, 0x100));
        let mut discard = Graphics::new(stage.pass, &[opaque(), opaque()]).depth(depth_test(CompareOp::LESS, true));
        discard.rasterization = discard.rasterization.rasterizer_discard_enable(true);
        let bounds = vk::PipelineDepthStencilStateCreateInfo::default().depth_bounds_test_enable(true);
        for pipeline in [
            plain.clone(),
            Graphics::new(stage.pass, &[replaced, blended()]),
            masked,
            logic,
            copy,
            plain.clone().depth(depth_test(CompareOp::LESS, true)),
            plain.clone().depth(depth_test(CompareOp::ALWAYS, true)),
            plain.clone().depth(depth_test(CompareOp::NEVER, true)),
            plain.clone().depth(depth_test(CompareOp::LESS, true).depth_test_enable(false)),
            plain.clone().depth(bounds),
            plain.clone().depth(replace),
            plain.clone().depth(some_bits),
            plain.clone().depth(keep),
            plain.clone().depth(no_bits),
            discard,
        ] {
            stage.draws(&[pipeline.create(&stage.scene)]);
        }
        stage.stop();
    });
    let colors: Vec<_> = facts(&done).iter().map(|f| (f.color_writes, f.color_reads)).collect();
    assert_eq!(colors[..5], [(1, 0), (3, 2), (2, 2), (3, 3), (3, 0)]);
    let facts = facts(&done);
    assert!(facts.iter().all(|f| f.known));
    assert_eq!(facts[2].color_masks, [0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!((facts[3].logic_ops, facts[0].logic_ops), (1 << 6, 0));
    let depth: Vec<_> = facts[5..10].iter().map(|f| (f.depth_tests, f.depth_writes)).collect();
    assert_eq!(depth, [(true, true), (false, true), (false, false), (false, false), (true, false)]);
    assert_eq!((facts[5].depth_compares, facts[9].depth_bounds), (1 << 1, true));
    let stencil: Vec<_> = facts[10..14].iter().map(|f| (f.stencil_tests, f.stencil_writes)).collect();
    assert_eq!(stencil, [(false, true), (true, true), (true, false), (false, false)]);
    let DrawFacts { color_writes: 0, depth_tests: false, depth_writes: false, samples: 0, .. } = facts[14] else {
        panic!("what is discarded before rasterization touches nothing: {:?}", facts[14]);
    };
}

#[test]
fn a_depth_test_that_is_switched_on_while_recording_counts_whatever_the_pipeline_says() {
    for name in ["core", "ext"] {
        let done = sandbox().case(name).run(|inside| {
            let stage = Stage::new(1);
            let app = &stage.scene.app;
            let states =
                [DynamicState::DEPTH_TEST_ENABLE, DynamicState::DEPTH_WRITE_ENABLE, DynamicState::DEPTH_COMPARE_OP];
            let off = vk::PipelineDepthStencilStateCreateInfo::default();
            let pipeline = Graphics::new(stage.pass, &[opaque()]).depth(off).dynamic(&states).create(&stage.scene);
            for on in [vk::TRUE, vk::FALSE] {
                stage.frame(|cb| {
                    stage.scene.bind(cb, pipeline);
                    // SAFETY: valid arguments.
                    unsafe {
                        if inside.case() == "core" {
                            app.vkCmdSetDepthTestEnable(cb, on);
                            app.vkCmdSetDepthWriteEnable(cb, vk::TRUE);
                            app.vkCmdSetDepthCompareOp(cb, CompareOp::LESS);
                        } else {
                            app.vkCmdSetDepthTestEnableEXT(cb, on);
                            app.vkCmdSetDepthWriteEnableEXT(cb, vk::TRUE);
                            app.vkCmdSetDepthCompareOpEXT(cb, CompareOp::LESS);
                        }
                    }
                    stage.scene.draw(cb);
                });
            }
            stage.stop();
        });
        let depth: Vec<_> = facts(&done).iter().map(|f| (f.known, f.depth_tests, f.depth_writes)).collect();
        assert_eq!(depth, [(true, true, true), (true, false, false)], "{name}");
        let unused: Vec<_> =
            report(&done).frames.iter().map(|f| f.passes[0].attachments[1].never_written.clone()).collect();
        assert_eq!(unused, [vec![std::borrow::Cow::from("stencil")], vec!["depth".into(), "stencil".into()]], "{name}");
    }
}

#[test]
fn dynamic_state_that_was_never_set_is_not_guessed() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let states = [DynamicState::DEPTH_TEST_ENABLE];
        let pipeline = Graphics::new(stage.pass, &[opaque()]).depth(depth_test(CompareOp::LESS, true)).dynamic(&states);
        stage.draws(&[pipeline.create(&stage.scene)]);
        stage.stop();
    });
    assert!(!one(&done).known);
    let attachments = &report(&done).frames[0].passes[0].attachments;
    assert!(attachments.iter().all(|a| a.never_written.is_empty() && a.never_read.is_empty()), "{attachments:?}");
}

#[test]
fn a_pipeline_that_fixes_a_state_forgets_what_was_set_of_it() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let app = &stage.scene.app;
        let plain = Graphics::new(stage.pass, &[opaque()]);
        let fixed = plain.create(&stage.scene);
        let open = plain.dynamic(&[DynamicState::DEPTH_TEST_ENABLE]).create(&stage.scene);
        let set = |cb| {
            // SAFETY: valid arguments.
            unsafe { app.vkCmdSetDepthTestEnable(cb, vk::FALSE) };
        };
        // Set before the pipeline that leaves it open: kept.
        stage.frame(|cb| {
            set(cb);
            stage.scene.bind(cb, open);
            stage.scene.draw(cb);
        });
        // A pipeline between the two fixes it: gone.
        stage.frame(|cb| {
            set(cb);
            stage.scene.bind(cb, fixed);
            stage.scene.draw(cb);
            stage.scene.bind(cb, open);
            stage.scene.draw(cb);
        });
        // Set anew: known again.
        stage.frame(|cb| {
            set(cb);
            stage.scene.bind(cb, fixed);
            stage.scene.bind(cb, open);
            set(cb);
            stage.scene.draw(cb);
        });
        stage.stop();
    });
    assert_eq!(facts(&done).iter().map(|f| f.known).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn a_secondary_begins_with_nothing_and_leaves_nothing() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let pipeline = Graphics::new(stage.pass, &[opaque()]).create(&stage.scene);
        let secondary = stage.scene.app.command_buffers(stage.scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
        for own_pipeline in [true, false] {
            stage.secondary(secondary, || {
                if own_pipeline {
                    stage.scene.bind(secondary, pipeline);
                }
                stage.scene.draw(secondary);
            });
            // The primary's pipeline is not the secondary's.
            stage.frame(|cb| {
                stage.scene.bind(cb, pipeline);
                stage.execute(cb, secondary);
            });
        }
        stage.secondary(secondary, || {
            stage.scene.bind(secondary, pipeline);
            stage.scene.draw(secondary);
        });
        // What the primary had bound is undefined afterwards, and what the secondary had is not taken over.
        stage.frame(|cb| {
            stage.scene.bind(cb, pipeline);
            stage.execute(cb, secondary);
            stage.scene.draw(cb);
        });
        stage.stop();
    });
    assert_eq!(facts(&done).iter().map(|f| f.known).collect::<Vec<_>>(), [true, false, false]);
}

#[test]
fn state_lasts_from_pass_to_pass_and_not_from_recording_to_recording() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let pipeline = Graphics::new(stage.pass, &[opaque()]).create(&stage.scene);
        let scene = &stage.scene;
        scene.record(|_, cb| {
            scene.inside(cb, stage.pass, stage.framebuffer, EXTENT.into(), || {
                scene.bind(cb, pipeline);
                scene.draw(cb);
            });
            scene.inside(cb, stage.pass, stage.framebuffer, EXTENT.into(), || scene.draw(cb));
        });
        scene.submit(scene.buffer);
        stage.frame(|cb| scene.draw(cb));
        stage.stop();
    });
    assert_eq!(
        facts(&done).iter().map(|f| (f.known, f.color_writes)).collect::<Vec<_>>(),
        [(true, 1), (true, 1), (false, 0)]
    );
}

#[test]
fn an_attachment_that_some_pipelines_leave_out_is_written_if_any_writes_it() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(4);
        let none = vk::PipelineColorBlendAttachmentState::default();
        let pipelines = [[opaque(), opaque(), none, none], [opaque(), none, blended(), none]]
            .map(|slots| Graphics::new(stage.pass, &slots).create(&stage.scene));
        stage.draws(&pipelines);
        stage.stop();
    });
    assert_eq!((one(&done).color_writes, one(&done).color_reads), (0b111, 0b100));
    let report = report(&done);
    let attachments = &report.frames[0].passes[0].attachments;
    let never: Vec<_> = attachments.iter().map(|a| a.never_written.len()).collect();
    assert_eq!(never, [0, 0, 0, 1, 2], "{attachments:?}");
}

#[test]
fn vertex_buffers_that_are_bound_and_not_used_are_not_counted() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let app = &stage.scene.app;
        let mut geometry = Graphics::new(stage.pass, &[opaque()]);
        let binding = |binding, stride, input_rate| vk::VertexInputBindingDescription { binding, stride, input_rate };
        geometry.bindings = vec![
            binding(0, 12, vk::VertexInputRate::VERTEX),
            binding(1, 20, vk::VertexInputRate::VERTEX),
            binding(2, 64, vk::VertexInputRate::INSTANCE),
            binding(3, 99, vk::VertexInputRate::VERTEX),
        ];
        geometry.attributes = (0..3)
            .map(|n| vk::VertexInputAttributeDescription { location: n, binding: n, ..Default::default() })
            .collect();
        let strides = geometry.clone().dynamic(&[DynamicState::VERTEX_INPUT_BINDING_STRIDE]).create(&stage.scene);
        let geometry = geometry.create(&stage.scene);
        let lighting = Graphics::new(stage.pass, &[opaque()]).create(&stage.scene);
        let buffers = [vk::Buffer::null(); 4];
        // SAFETY: valid arguments.
        let bind = |cb| unsafe { app.vkCmdBindVertexBuffers(cb, 0, 4, buffers.as_ptr(), [0; 4].as_ptr()) };
        stage.frame(|cb| {
            bind(cb);
            stage.scene.bind(cb, geometry);
            stage.scene.draw(cb);
        });
        stage.frame(|cb| {
            bind(cb);
            stage.scene.bind(cb, lighting);
            stage.scene.draw(cb);
        });
        stage.frame(|cb| {
            stage.scene.bind(cb, strides);
            let (offsets, strides) = ([0; 4], [16, 24, 32, 8]);
            // SAFETY: valid arguments.
            unsafe {
                let none = std::ptr::null();
                app.vkCmdBindVertexBuffers2(cb, 0, 4, buffers.as_ptr(), offsets.as_ptr(), none, strides.as_ptr());
            }
            stage.scene.draw(cb);
        });
        stage.stop();
    });
    let vertices: Vec<_> =
        facts(&done).iter().map(|f| (f.vertex_bindings, f.vertex_stride, f.instance_stride)).collect();
    assert_eq!(vertices, [(0b111, 32, 64), (0, 0, 0), (0b111, 40, 32)]);
}

#[test]
fn viewports_and_scissors_bound_what_is_drawn_where_they_are_known() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let app = &stage.scene.app;
        let plain = Graphics::new(stage.pass, &[opaque()]);
        let fixed = plain.create(&stage.scene);
        let open = plain.dynamic(&[DynamicState::VIEWPORT, DynamicState::SCISSOR]).create(&stage.scene);
        let corner =
            |x, y| vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width: 10, height: 10 } };
        stage.draws(&[fixed]);
        stage.frame(|cb| {
            stage.scene.bind(cb, open);
            // Upside down, as VK_KHR_maintenance1 allows.
            let viewport = vk::Viewport { x: 70.5, y: 100.0, width: 10.0, height: -20.0, ..Default::default() };
            for at in [70, 130] {
                // SAFETY: valid arguments.
                unsafe {
                    app.vkCmdSetViewport(cb, 0, 1, &viewport);
                    app.vkCmdSetScissor(cb, 0, 1, &corner(at, 0));
                }
                stage.scene.draw(cb);
            }
        });
        stage.draws(&[open]);
        stage.stop();
    });
    let rect = |x, y, width, height| Some(Rect2D { x, y, extent: Extent2D::new(width, height) });
    let found: Vec<_> = facts(&done).iter().map(|f| (f.viewport, f.scissor)).collect();
    let expected =
        [(rect(0, 0, 64, 64), rect(0, 0, 64, 64)), (rect(64, 64, 64, 64), rect(64, 0, 128, 64)), (None, None)];
    assert_eq!(found, expected);
}

#[test]
fn a_render_pass_transform_turns_viewports_and_scissors_and_nothing_else() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let (app, scene) = (&stage.scene.app, &stage.scene);
        let pipeline = Graphics::new(stage.pass, &[opaque()]).create(scene);
        let identity = vk::SurfaceTransformFlagsKHR::IDENTITY;
        for transform in [identity, vk::SurfaceTransformFlagsKHR::ROTATE_90, identity] {
            let mut turned = vk::RenderPassTransformBeginInfoQCOM::default().transform(transform);
            let begin = vk::RenderPassBeginInfo::default().render_pass(stage.pass).framebuffer(stage.framebuffer);
            let begin = begin.render_area(EXTENT.into()).push_next(&mut turned);
            scene.record(|_, cb| {
                // SAFETY: valid arguments.
                unsafe { app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE) };
                scene.bind(cb, pipeline);
                scene.draw(cb);
                // SAFETY: the pass began.
                unsafe { app.vkCmdEndRenderPass(cb) };
            });
            scene.submit(scene.buffer);
        }
        // A pass without the struct after one with it, and a secondary that inherits a transform.
        stage.draws(&[pipeline]);
        let secondary = app.command_buffers(scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
        let mut turned = vk::CommandBufferInheritanceRenderPassTransformInfoQCOM::default()
            .transform(vk::SurfaceTransformFlagsKHR::ROTATE_270);
        let inherited = vk::CommandBufferInheritanceInfo::default().render_pass(stage.pass).push_next(&mut turned);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inherited);
        // SAFETY: valid arguments.
        unsafe { app.vkBeginCommandBuffer(secondary, &begin).result().unwrap() };
        scene.bind(secondary, pipeline);
        scene.draw(secondary);
        // SAFETY: valid arguments.
        unsafe { app.vkEndCommandBuffer(secondary).result().unwrap() };
        stage.frame(|cb| stage.execute(cb, secondary));
        stage.stop();
    });
    let facts = facts(&done);
    let placed: Vec<_> = facts.iter().map(|f| (f.viewport.is_some(), f.scissor.is_some())).collect();
    let (yes, no) = ((true, true), (false, false));
    assert_eq!(placed, [yes, no, yes, yes, no]);
    assert!(facts.iter().all(|f| f.known && f.color_writes == 1), "{facts:?}");
    assert!(done.folder.report().not_modelled.iter().all(|item| !item.contains("TRANSFORM")), "the struct is known");
}

#[test]
fn an_attachment_without_a_location_is_not_written_in_local_read() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(2);
        let (app, scene) = (&stage.scene.app, &stage.scene);
        let mut pipeline = Graphics::new(vk::RenderPass::null(), &[opaque(), opaque()]);
        pipeline.formats.0 = vec![stage.colors[0].format; 2];
        let pipeline = pipeline.create(scene);
        let colors = [&stage.colors[0], &stage.colors[1]];
        let locations = [vk::ATTACHMENT_UNUSED, 0];
        let info = vk::RenderingAttachmentLocationInfoKHR::default().color_attachment_locations(&locations);
        scene.record(|_, cb| {
            scene.rendering(cb, &colors, None, || {
                scene.bind(cb, pipeline);
                // SAFETY: valid arguments.
                unsafe { app.vkCmdSetRenderingAttachmentLocationsKHR(cb, &info) };
                scene.draw(cb);
            });
            // The next instance begins as if nothing had been set.
            scene.rendering(cb, &colors, None, || scene.draw(cb));
        });
        scene.submit(scene.buffer);
        stage.stop();
    });
    assert_eq!(facts(&done).iter().map(|f| (f.known, f.color_writes)).collect::<Vec<_>>(), [(true, 2), (true, 3)]);
}

#[test]
fn a_multisampled_blending_pipeline_for_dynamic_rendering_needs_no_render_pass() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let scene = &stage.scene;
        let image = scene.image(vk::Format::R16G16B16A16_SFLOAT, 64, 64, 4);
        let mut pipeline = Graphics::new(vk::RenderPass::null(), &[blended()]);
        pipeline.formats.0 = vec![vk::Format::R16G16B16A16_SFLOAT];
        pipeline.samples = vk::SampleCountFlags::TYPE_4;
        pipeline.topology = vk::PrimitiveTopology::LINE_STRIP;
        let pipeline = pipeline.create(scene);
        scene.record(|_, cb| {
            scene.rendering(cb, &[&image], None, || {
                scene.bind(cb, pipeline);
                scene.draw(cb);
            });
        });
        scene.submit(scene.buffer);
        stage.stop();
    });
    let facts = one(&done);
    assert_eq!((facts.known, facts.color_writes, facts.color_reads, facts.samples), (true, 1, 1, 4));
    assert_eq!(facts.topologies, 1 << vk::PrimitiveTopology::LINE_STRIP.as_raw());
}

#[test]
fn a_slot_without_a_format_is_not_written_and_feedback_loops_are_told() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(2);
        let (app, scene) = (&stage.scene.app, &stage.scene);
        let mut pipeline = Graphics::new(vk::RenderPass::null(), &[opaque(), opaque()]);
        pipeline.formats.0 = vec![vk::Format::UNDEFINED, stage.colors[1].format];
        let pipeline = pipeline.dynamic(&[DynamicState::ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT]).create(scene);
        for aspects in [vk::ImageAspectFlags::empty(), vk::ImageAspectFlags::COLOR] {
            scene.record(|_, cb| {
                scene.rendering(cb, &[&stage.colors[0], &stage.colors[1]], None, || {
                    scene.bind(cb, pipeline);
                    // SAFETY: valid arguments.
                    unsafe { app.vkCmdSetAttachmentFeedbackLoopEnableEXT(cb, aspects) };
                    scene.draw(cb);
                });
            });
            scene.submit(scene.buffer);
        }
        stage.stop();
    });
    let found: Vec<_> = facts(&done).iter().map(|f| (f.known, f.color_writes, f.feedback)).collect();
    assert_eq!(found, [(true, 2, 0), (true, 2, 1)]);
}

#[test]
fn with_unused_attachments_a_draw_touches_what_both_its_pipeline_and_the_rendering_have() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(2);
        let (app, scene) = (&stage.scene.app, &stage.scene);
        let depth = scene.image(vk::Format::D32_SFLOAT, EXTENT.width, EXTENT.height, 1);
        let format = stage.colors[0].format;
        let mut all =
            Graphics::new(vk::RenderPass::null(), &[opaque(), opaque()]).depth(depth_test(CompareOp::LESS, true));
        all.formats = (vec![format; 2], vk::Format::D32_SFLOAT, vk::Format::UNDEFINED);
        let mut less = all.clone();
        less.formats = (vec![vk::Format::UNDEFINED, format], vk::Format::UNDEFINED, vk::Format::UNDEFINED);
        let [all, less] = [all, less].map(|pipeline| pipeline.create(scene));
        let whole = |pipeline| {
            scene.record(|_, cb| {
                scene.rendering(cb, &[&stage.colors[0], &stage.colors[1]], Some(&depth), || {
                    scene.bind(cb, pipeline);
                    scene.draw(cb);
                });
            });
            scene.submit(scene.buffer);
        };
        // A pipeline that has formats for everything, and one that has none for the first colour and for depth.
        whole(all);
        whole(less);
        // A rendering that has no view for them.
        let of = |image: &tilelens_tests::script::Image| {
            vk::RenderingAttachmentInfo::default()
                .image_view(image.view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
        };
        let absent = vk::RenderingAttachmentInfo::default();
        let colors = [absent, of(&stage.colors[1])];
        let info = vk::RenderingInfo::default().render_area(EXTENT.into()).layer_count(1).color_attachments(&colors);
        scene.record(|_, cb| {
            // SAFETY: valid arguments.
            unsafe { app.vkCmdBeginRendering(cb, &info.depth_attachment(&absent)) };
            scene.bind(cb, all);
            scene.draw(cb);
            // SAFETY: the rendering began.
            unsafe { app.vkCmdEndRendering(cb) };
        });
        scene.submit(scene.buffer);
        stage.stop();
    });
    let found = facts(&done);
    assert!(found.iter().all(|f| f.known), "{found:?}");
    let [whole, less, absent] = &found[..] else { panic!("{found:?}") };
    assert_eq!((whole.color_writes, whole.depth_tests, whole.depth_writes), (3, true, true));
    assert_eq!((less.color_writes, less.depth_tests, less.depth_writes), (2, false, false));
    // What has no view is no attachment of the pass: the first slot and depth are nobody's.
    assert_eq!(absent.color_writes & 2, 2);
    let (_, last) = done.frames().pop().unwrap();
    let pass = last.passes().next().unwrap();
    let subpass = &pass.subpasses[0];
    assert_eq!(
        (subpass.color.iter().map(Option::is_some).collect::<Vec<_>>(), subpass.depth),
        (vec![false, true], None)
    );
    assert_eq!(pass.attachments.len(), 1);
}

#[test]
fn a_secondary_inherits_which_attachments_have_no_location() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(2);
        let scene = &stage.scene;
        let mut pipeline = Graphics::new(vk::RenderPass::null(), &[opaque(), opaque()]);
        pipeline.formats.0 = vec![stage.colors[0].format; 2];
        let pipeline = pipeline.create(scene);
        let secondary = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
        let locations = [0, vk::ATTACHMENT_UNUSED];
        let mut inherited = vk::RenderingAttachmentLocationInfoKHR::default().color_attachment_locations(&locations);
        let p_next = std::ptr::from_mut(&mut inherited).cast();
        let info = vk::CommandBufferInheritanceInfo { p_next, ..Default::default() };
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&info);
        // SAFETY: valid arguments.
        unsafe { scene.app.vkBeginCommandBuffer(secondary, &begin).result().unwrap() };
        scene.bind(secondary, pipeline);
        scene.draw(secondary);
        // SAFETY: valid arguments.
        unsafe { scene.app.vkEndCommandBuffer(secondary).result().unwrap() };
        scene.record(|_, cb| {
            scene.rendering(cb, &[&stage.colors[0], &stage.colors[1]], None, || stage.execute(cb, secondary));
        });
        scene.submit(scene.buffer);
        stage.stop();
    });
    assert_eq!((one(&done).known, one(&done).color_writes), (true, 1));
}

#[test]
fn draws_with_several_samples_shade_pixels_unless_state_or_shader_ask_for_samples() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let module = |asks: bool| {
            let mut module = Assembler::new();
            if asks {
                module.capability(Capability::SampleRateShading);
            }
            let main = module.function();
            module.entry(ExecutionModel::Fragment, "main", main);
            stage.scene.module(&module.finish())
        };
        let (per_pixel, per_sample) = (module(false), module(true));
        let plain = Graphics { samples: vk::SampleCountFlags::TYPE_4, ..Graphics::new(stage.pass, &[opaque()]) };
        let unknown = vk::ShaderModule::null();
        for pipeline in [
            Graphics { shaders: Some([unknown, per_pixel]), ..plain.clone() },
            Graphics { shaders: Some([unknown, per_sample]), ..plain.clone() },
            Graphics { shaders: Some([unknown, unknown]), ..plain.clone() },
            Graphics { shaders: Some([unknown, per_pixel]), sample_shading: true, ..plain.clone() },
            Graphics { samples: vk::SampleCountFlags::TYPE_1, shaders: Some([unknown, per_pixel]), ..plain },
        ] {
            stage.draws(&[pipeline.create(&stage.scene)]);
        }
        stage.stop();
    });
    let pixels: Vec<bool> = facts(&done).iter().map(|f| f.pixel_shading).collect();
    assert_eq!(pixels, [true, false, false, false, false], "of one sample nothing is said");
}
