//! Where the state of draws comes from: whole pipelines, pipelines linked from libraries, shader objects; and what holds where creation
//! failed or was not seen. And how many draws each command makes.
#![allow(clippy::unwrap_used)]

mod facts;

use ash::vk::{self, CompareOp, DynamicState};
use facts::{Stage, counters, facts, one, sandbox};
use std::ptr;
use tilelens_tests::script::newer::DrawIndirect2Info;
use tilelens_tests::script::pipelines::{Graphics, blended, depth_test, opaque};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const COMPILE_REQUIRED: vk::Result = vk::Result::PIPELINE_COMPILE_REQUIRED_EXT;

/// The four parts of a pipeline.
const PARTS: [vk::GraphicsPipelineLibraryFlagsEXT; 4] = [
    vk::GraphicsPipelineLibraryFlagsEXT::VERTEX_INPUT_INTERFACE,
    vk::GraphicsPipelineLibraryFlagsEXT::PRE_RASTERIZATION_SHADERS,
    vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_SHADER,
    vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_OUTPUT_INTERFACE,
];

#[test]
fn a_pipeline_linked_from_libraries_is_the_pipeline_made_at_once() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(2);
        let dynamic = [DynamicState::VIEWPORT, DynamicState::DEPTH_WRITE_ENABLE];
        let mut whole = Graphics::new(stage.pass, &[opaque(), blended()]).depth(depth_test(CompareOp::GREATER, true));
        whole = whole.dynamic(&dynamic);
        whole.bindings = vec![vk::VertexInputBindingDescription::default().stride(24)];
        whole.attributes = vec![vk::VertexInputAttributeDescription::default()];
        let library = |parts: &[vk::GraphicsPipelineLibraryFlagsEXT]| {
            let flags = parts.iter().fold(vk::GraphicsPipelineLibraryFlagsEXT::empty(), |all, part| all | *part);
            Graphics { parts: Some(flags), ..whole.clone() }.create(&stage.scene)
        };
        let link = |libraries: Vec<vk::Pipeline>| {
            // State beside the libraries is of no part and does not count.
            let mut linked = Graphics::new(stage.pass, &[blended(); 2]).depth(depth_test(CompareOp::EQUAL, false));
            linked.libraries = libraries;
            linked.create(&stage.scene)
        };
        let each = link(PARTS.map(|part| library(&[part])).to_vec());
        // A library of libraries, and one that is destroyed once it is linked.
        let front = link(vec![library(&PARTS[..2])]);
        let back = library(&PARTS[2..]);
        let pairs = link(vec![front, back]);
        // SAFETY: a live handle.
        unsafe { stage.scene.app.vkDestroyPipeline(stage.scene.app.device, back, NO) };
        let incomplete = link(PARTS[..3].iter().map(|part| library(&[*part])).collect());
        for pipeline in [whole.create(&stage.scene), each, pairs, incomplete] {
            stage.frame(|cb| {
                stage.scene.bind(cb, pipeline);
                // SAFETY: valid arguments.
                unsafe { stage.scene.app.vkCmdSetDepthWriteEnable(cb, vk::TRUE) };
                stage.scene.draw(cb);
            });
        }
        stage.stop();
    });
    let facts = facts(&done);
    let [whole, each, pairs, incomplete] = &facts[..] else { panic!("{facts:?}") };
    assert!(whole.known && whole.depth_writes, "{whole:?}");
    assert_eq!((whole.color_writes, whole.color_reads, whole.vertex_stride), (3, 2, 24));
    assert_eq!((whole, whole), (each, pairs));
    assert!(!incomplete.known);
}

#[test]
fn libraries_without_a_render_pass_have_their_formats_from_the_output_interface() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let scene = &stage.scene;
        let mut whole = Graphics::new(vk::RenderPass::null(), &[opaque()]).depth(depth_test(CompareOp::LESS, true));
        whole.formats = (vec![vk::Format::R8G8B8A8_UNORM], vk::Format::D32_SFLOAT, vk::Format::UNDEFINED);
        let libraries = PARTS.map(|part| {
            let mut library = Graphics { parts: Some(part), ..whole.clone() };
            if part != PARTS[3] {
                library.formats = (Vec::new(), vk::Format::UNDEFINED, vk::Format::UNDEFINED);
            }
            library.create(scene)
        });
        let linked =
            Graphics { libraries: libraries.to_vec(), ..Graphics::new(vk::RenderPass::null(), &[]) }.create(scene);
        let depth = scene.image(vk::Format::D32_SFLOAT, 256, 256, 1);
        scene.record(|_, cb| {
            scene.rendering(cb, &[&stage.colors[0]], Some(&depth), || {
                scene.bind(cb, linked);
                scene.draw(cb);
            });
        });
        scene.submit(scene.buffer);
        stage.stop();
    });
    let facts = one(&done);
    assert_eq!((facts.known, facts.color_writes, facts.depth_tests, facts.depth_writes), (true, 1, true, true));
}

#[test]
fn of_pipelines_made_together_each_is_itself_and_those_that_failed_are_not_there() {
    for result in [vk::Result::SUCCESS, COMPILE_REQUIRED, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY] {
        let done = sandbox().case(&result.as_raw().to_string()).run(|inside| {
            let result = vk::Result::from_raw(inside.case().parse().unwrap());
            let stage = Stage::new(1);
            let app = &stage.scene.app;
            let plain = Graphics::new(stage.pass, &[opaque()]);
            let other = Graphics::new(stage.pass, &[blended()]);
            let mut made = [vk::Pipeline::null(); 3];
            if result != vk::Result::SUCCESS {
                app.driver().fail_some(result, &[1]);
            }
            plain.with(|first| {
                other.with(|last| {
                    let infos = [*first, *first, *last];
                    let cache = vk::PipelineCache::null();
                    // SAFETY: valid arguments.
                    let told = unsafe {
                        app.vkCreateGraphicsPipelines(app.device, cache, 3, infos.as_ptr(), NO, made.as_mut_ptr())
                    };
                    assert_eq!(told, result);
                });
            });
            assert_eq!(made[1] == vk::Pipeline::null(), result != vk::Result::SUCCESS);
            for pipeline in made {
                stage.draws(&[pipeline]);
                // SAFETY: null or live.
                unsafe { app.vkDestroyPipeline(app.device, pipeline, NO) };
            }
            stage.stop();
        });
        let found: Vec<_> = facts(&done).iter().map(|f| (f.known, f.color_reads)).collect();
        let middle = (result == vk::Result::SUCCESS, 0);
        assert_eq!(found, [(true, 0), middle, (true, 1)], "{result:?}");
    }
}

#[test]
fn a_failed_creation_leaves_what_is_known_of_the_handles_in_its_array_alone() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let app = &stage.scene.app;
        let mut made = Graphics::new(stage.pass, &[opaque()]).create(&stage.scene);
        app.driver().inject("vkCreateGraphicsPipelines", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        let (other, cache) = (Graphics::new(stage.pass, &[blended()]), vk::PipelineCache::null());
        // SAFETY: valid arguments.
        other.with(|info| unsafe {
            assert!(app.vkCreateGraphicsPipelines(app.device, cache, 1, info, NO, &mut made).result().is_err());
        });
        stage.draws(&[made]);
        stage.stop();
    });
    assert_eq!((one(&done).known, one(&done).color_reads), (true, 0));
}

#[test]
fn draws_with_a_pipeline_that_is_not_known_may_do_anything() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let known = Graphics::new(stage.pass, &[opaque()]).create(&stage.scene);
        let unknown: vk::Pipeline = vk::Handle::from_raw(0x7777_7777);
        let app = &stage.scene.app;
        stage.draws(&[known, unknown]);
        stage.draws(&[unknown, known]);
        // Bound and not drawn with.
        stage.frame(|cb| {
            stage.scene.bind(cb, unknown);
            stage.scene.bind(cb, known);
            stage.scene.draw(cb);
        });
        // Shader groups of VK_NV_device_generated_commands, and commands that a buffer holds.
        stage.frame(|cb| {
            // SAFETY: valid arguments.
            unsafe { app.vkCmdBindPipelineShaderGroupNV(cb, vk::PipelineBindPoint::GRAPHICS, known, 1) };
            stage.scene.draw(cb);
        });
        stage.frame(|cb| {
            stage.scene.bind(cb, known);
            stage.scene.draw(cb);
            // SAFETY: valid arguments.
            unsafe { app.vkCmdExecuteGeneratedCommandsEXT(cb, vk::FALSE, ptr::null()) };
        });
        // Tile shading writes attachments from compute shaders.
        stage.frame(|cb| {
            stage.scene.bind(cb, known);
            stage.scene.draw(cb);
            // SAFETY: valid arguments.
            unsafe { app.vkCmdDispatchTileQCOM(cb, ptr::null()) };
        });
        stage.stop();
    });
    assert_eq!(facts(&done).iter().map(|f| f.known).collect::<Vec<_>>(), [false, false, true, false, false, false]);
}

#[test]
fn shader_objects_take_all_state_from_the_command_buffer() {
    for left_out in ["", "depth test", "topology", "write mask"] {
        let done = sandbox().case(left_out).run(|inside| {
            let stage = Stage::new(2);
            let app = &stage.scene.app;
            let infos = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT]
                .map(|stage| vk::ShaderCreateInfoEXT::default().stage(stage));
            let stages = infos.map(|info| info.stage);
            let mut shaders = [vk::ShaderEXT::null(); 2];
            let has = |what: &str| inside.case() != what;
            stage.frame(|cb| {
                // SAFETY: valid arguments.
                unsafe {
                    app.vkCreateShadersEXT(app.device, 2, infos.as_ptr(), NO, shaders.as_mut_ptr()).result().unwrap();
                    app.vkCmdBindShadersEXT(cb, 2, stages.as_ptr(), shaders.as_ptr());
                    app.vkCmdSetRasterizerDiscardEnable(cb, vk::FALSE);
                    app.vkCmdSetRasterizationSamplesEXT(cb, vk::SampleCountFlags::TYPE_1);
                    app.vkCmdSetAlphaToCoverageEnableEXT(cb, vk::FALSE);
                    app.vkCmdSetStencilTestEnable(cb, vk::FALSE);
                    app.vkCmdSetVertexInputEXT(cb, 0, ptr::null(), 0, ptr::null());
                    app.vkCmdSetColorBlendEnableEXT(cb, 0, 2, [vk::FALSE, vk::TRUE].as_ptr());
                    let equation = vk::ColorBlendEquationEXT::default().dst_color_blend_factor(vk::BlendFactor::ONE);
                    app.vkCmdSetColorBlendEquationEXT(cb, 0, 2, [equation; 2].as_ptr());
                    if has("depth test") {
                        app.vkCmdSetDepthTestEnable(cb, vk::FALSE);
                    }
                    if has("topology") {
                        app.vkCmdSetPrimitiveTopology(cb, vk::PrimitiveTopology::TRIANGLE_STRIP);
                    }
                    // Slot 0 alone where the mask is not left out: of slot 1 nothing is known, so it may be written.
                    if has("write mask") {
                        app.vkCmdSetColorWriteMaskEXT(cb, 0, 1, &vk::ColorComponentFlags::empty());
                    }
                }
                stage.scene.draw(cb);
            });
            stage.stop();
        });
        let facts = one(&done);
        assert_eq!(facts.known, !["depth test", "topology"].contains(&left_out), "{left_out}: {facts:?}");
        let written = if left_out == "write mask" { 0b11 } else { 0b10 };
        assert_eq!((facts.color_writes, facts.color_reads), (written, 0b10), "{left_out}: {facts:?}");
    }
}

#[test]
fn pointers_that_the_specification_has_ignored_are_not_looked_at() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let garbage = |info: &mut vk::GraphicsPipelineCreateInfo<'_>, discards: bool| {
            let nowhere = 0x10 as *const std::ffi::c_void;
            if discards {
                info.p_viewport_state = nowhere.cast();
                info.p_multisample_state = nowhere.cast();
                info.p_color_blend_state = nowhere.cast();
                info.p_depth_stencil_state = nowhere.cast();
            } else {
                info.p_vertex_input_state = nowhere.cast();
                info.p_tessellation_state = nowhere.cast();
            }
        };
        let mut discarding = Graphics::new(stage.pass, &[opaque()]);
        discarding.rasterization = discarding.rasterization.rasterizer_discard_enable(true);
        let dynamic = Graphics::new(stage.pass, &[opaque()]).dynamic(&[DynamicState::VERTEX_INPUT_EXT]);
        for (pipeline, discards) in [(discarding, true), (dynamic, false)] {
            let (app, cache, mut made) = (&stage.scene.app, vk::PipelineCache::null(), vk::Pipeline::null());
            pipeline.with(|info| {
                let mut info = *info;
                garbage(&mut info, discards);
                // SAFETY: valid arguments: what points nowhere is ignored.
                unsafe { app.vkCreateGraphicsPipelines(app.device, cache, 1, &info, NO, &mut made).result().unwrap() };
            });
            stage.frame(|cb| {
                stage.scene.bind(cb, made);
                // SAFETY: valid arguments.
                unsafe { app.vkCmdSetVertexInputEXT(cb, 0, ptr::null(), 0, ptr::null()) };
                stage.scene.draw(cb);
            });
        }
        // A library of vertex input alone has nothing else to show.
        let mut library = Graphics::new(stage.pass, &[]);
        library.parts = Some(PARTS[0]);
        library.with(|info| {
            let (app, cache, mut made) = (&stage.scene.app, vk::PipelineCache::null(), vk::Pipeline::null());
            let mut info = *info;
            garbage(&mut info, true);
            info.p_rasterization_state = 0x10 as *const vk::PipelineRasterizationStateCreateInfo<'_>;
            (info.stage_count, info.p_stages) = (2, 0x10 as *const vk::PipelineShaderStageCreateInfo<'_>);
            // SAFETY: as above.
            unsafe { app.vkCreateGraphicsPipelines(app.device, cache, 1, &info, NO, &mut made).result().unwrap() };
        });
        stage.stop();
    });
    assert_eq!(facts(&done).iter().map(|f| (f.known, f.color_writes)).collect::<Vec<_>>(), [(true, 0), (true, 1)]);
}

#[test]
fn what_the_cpu_knows_of_the_number_of_draws_is_counted() {
    let done = sandbox().run(|_| {
        let stage = Stage::new(1);
        let app = &stage.scene.app;
        let none = vk::Buffer::null();
        let info = DrawIndirect2Info { draws: 7, ..Default::default() };
        let info = (&raw const info).cast();
        // SAFETY: valid arguments.
        let commands: [&dyn Fn(vk::CommandBuffer); 10] = unsafe {
            [
                &|cb| app.vkCmdDraw(cb, 3, 2, 0, 0),
                &|cb| app.vkCmdDrawIndirect(cb, none, 0, 5, 16),
                &|cb| app.vkCmdDrawIndexedIndirectCountKHR(cb, none, 0, none, 0, 5, 20),
                &|cb| app.vkCmdDrawIndirectByteCountEXT(cb, 1, 0, none, 0, 0, 16),
                &|cb| app.vkCmdDrawMeshTasksNV(cb, 4, 0),
                &|cb| app.vkCmdDrawMeshTasksIndirectNV(cb, none, 0, 3, 8),
                &|cb| app.vkCmdDrawClusterHUAWEI(cb, 1, 1, 1),
                &|cb| app.vkCmdDrawIndexedIndirect2KHR(cb, info),
                &|cb| app.vkCmdDrawMeshTasksIndirectCount2EXT(cb, ptr::null()),
                &|cb| app.vkCmdExecuteGeneratedCommandsNV(cb, vk::FALSE, &vk::GeneratedCommandsInfoNV::default()),
            ]
        };
        for command in commands {
            stage.frame(command);
        }
        stage.stop();
    });
    let counted: Vec<_> = counters(&done).iter().step_by(2).map(|c| (c.draws, c.indirect_draws, c.vertices)).collect();
    let expected =
        [(1, 0, 6), (5, 1, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0), (3, 1, 0), (1, 0, 0), (7, 1, 0), (0, 1, 0), (0, 1, 0)];
    assert_eq!(counted, expected);
}
