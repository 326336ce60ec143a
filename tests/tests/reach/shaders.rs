//! What a pipeline or a shader object statically uses.

use super::*;
use std::ffi::c_void;
use tilelens_spirv::ExecutionModel;
use tilelens_spirv::assembler::Assembler;

#[test]
fn a_pass_reaches_what_its_shaders_use_and_nothing_else_that_is_bound() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let (used, unused) = (stage.image("used"), stage.image("unused"));
        let (set, layout) = stage.set(&[1, 1]);
        stage.scene.write(set, (0, 0), SAMPLED, &[unused.view]);
        stage.scene.write(set, (1, 0), SAMPLED, &[used.view]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 1, FIRST)]);
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.bind_sets(cb, GRAPHICS, 0, &[set]);
            stage.draw(cb);
        });
        stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["used"])]);
}

#[test]
fn shaders_without_images_reach_none_even_if_nothing_is_bound() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let (_, layout) = stage.set(&[1]);
        let pipeline = stage.scene.graphics(layout, &[]);
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.draw(cb);
        });
        stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&[])]);
}

#[test]
fn a_storage_buffer_that_shaders_only_read_is_no_memory_that_they_write() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let (_, layout) = stage.set(&[]);
        for writes in [false, true] {
            let mut code = Assembler::new();
            let (main, buffer) = (code.function(), code.buffer(0, 0));
            code.load_word(main, buffer);
            if writes {
                code.store_word(main, buffer);
            }
            code.entry(ExecutionModel::Fragment, "main", main);
            let module = stage.scene.module(&code.finish());
            let stages = [vk::PipelineShaderStageCreateInfo::default()
                .module(module)
                .stage(vk::ShaderStageFlags::FRAGMENT)
                .name(c"main")];
            let pipeline = stage.scene.graphics_of(layout, &stages);
            stage.frame(|cb| {
                stage.bind(cb, GRAPHICS, pipeline);
                stage.draw(cb);
            });
        }
        stage.stop();
    });
    let keeps =
        |frame: &FrameStructure| frame.passes().all(|pass| pass.subpasses.iter().all(|s| s.shader.keeps_memory));
    assert_eq!(frames(&done).iter().map(keeps).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn the_index_of_an_array_is_exact_where_it_is_constant_and_any_where_it_is_not() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let images = ["zero", "one", "two", "three"].map(|name| stage.image(name));
        let (set, layout) = stage.set(&[4]);
        stage.scene.write(set, (0, 0), SAMPLED, &images.map(|i| i.view));
        for element in [Element::One(2), Element::Specialized { id: 3, default: 1 }, Element::Any] {
            let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, element)]);
            stage.frame(|cb| {
                stage.bind(cb, GRAPHICS, pipeline);
                stage.bind_sets(cb, GRAPHICS, 0, &[set]);
                stage.draw(cb);
            });
        }
        // Specialized to another element.
        let module =
            stage.scene.shader(ExecutionModel::Fragment, &[sampled(0, 0, Element::Specialized { id: 3, default: 1 })]);
        let entries = [vk::SpecializationMapEntry { constant_id: 3, offset: 4, size: 4 }];
        let data: Vec<u8> = [9u32, 3].iter().flat_map(|v| v.to_ne_bytes()).collect();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let stages = [vk::PipelineShaderStageCreateInfo::default()
            .module(module)
            .stage(vk::ShaderStageFlags::FRAGMENT)
            .name(c"main")
            .specialization_info(&special)];
        let pipeline = stage.scene.graphics_of(layout, &stages);
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.bind_sets(cb, GRAPHICS, 0, &[set]);
            stage.draw(cb);
        });
        stage.stop();
    });
    let any = ["zero", "one", "two", "three"].map(|n| (n.to_owned(), AccessKind::Sampled, false));
    let expected = [exactly(&["two"]), exactly(&["one"]), (true, any.into()), exactly(&["three"])];
    assert_eq!(passes(&done), expected);
}

#[test]
fn code_may_come_with_the_stage_and_code_that_only_the_driver_has_leaves_the_rest_unknown() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let image = stage.image("image");
        let (set, layout) = stage.set(&[1]);
        stage.scene.write(set, (0, 0), SAMPLED, &[image.view]);
        let words = Assembler::using(ExecutionModel::Fragment, &[sampled(0, 0, FIRST)]);
        let mut code = vk::ShaderModuleCreateInfo::default().code(&words);
        let with_code = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::FRAGMENT)
            .name(c"main")
            .push_next(&mut code);
        let mut identifier = vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::default().identifier(&[1, 2, 3]);
        let by_identifier = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::FRAGMENT)
            .name(c"main")
            .push_next(&mut identifier);
        let module = stage.scene.shader(ExecutionModel::Fragment, &[]);
        let other_name = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::FRAGMENT)
            .module(module)
            .name(c"other");
        for given in [with_code, by_identifier, other_name] {
            let pipeline = stage.scene.graphics_of(layout, &[given]);
            stage.frame(|cb| {
                stage.bind(cb, GRAPHICS, pipeline);
                stage.bind_sets(cb, GRAPHICS, 0, &[set]);
                stage.draw(cb);
            });
        }
        stage.stop();
    });
    let unknown = (false, BTreeSet::new());
    assert_eq!(passes(&done), [exactly(&["image"]), unknown.clone(), unknown]);
}

/// VkShaderDescriptorSetAndBindingMappingInfoEXT, as far as its head.
#[repr(C)]
struct Mapping {
    s_type: vk::StructureType,
    next: *const c_void,
    count: u32,
    mappings: *const c_void,
}

#[test]
fn bindings_that_are_looked_up_in_a_heap_are_unknown() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let (set, layout) = stage.set(&[1]);
        let mapping = Mapping {
            s_type: vk::StructureType::from_raw(1_000_135_006),
            next: std::ptr::null(),
            count: 0,
            mappings: std::ptr::null(),
        };
        let mut given = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::FRAGMENT)
            .module(stage.scene.shader(ExecutionModel::Fragment, &[sampled(0, 0, FIRST)]))
            .name(c"main");
        given.p_next = (&raw const mapping).cast();
        let pipeline = stage.scene.graphics_of(layout, &[given]);
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.bind_sets(cb, GRAPHICS, 0, &[set]);
            stage.draw(cb);
        });
        stage.stop();
    });
    assert_eq!(passes(&done), [(false, BTreeSet::new())]);
}

#[test]
fn shader_objects_reach_what_their_code_uses_and_binary_ones_anything() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let image = stage.image("image");
        let (set, _) = stage.set(&[1]);
        stage.scene.write(set, (0, 0), SAMPLED, &[image.view]);
        let words = Assembler::using(ExecutionModel::Fragment, &[sampled(0, 0, FIRST)]);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let vertex: Vec<u8> =
            Assembler::using(ExecutionModel::Vertex, &[]).iter().flat_map(|w| w.to_ne_bytes()).collect();
        let info = |stage, code, kind| {
            vk::ShaderCreateInfoEXT::default().stage(stage).code_type(kind).code(code).name(c"main")
        };
        let (spirv, binary) = (vk::ShaderCodeTypeEXT::SPIRV, vk::ShaderCodeTypeEXT::BINARY);
        let infos = [
            info(vk::ShaderStageFlags::VERTEX, &vertex, spirv),
            info(vk::ShaderStageFlags::FRAGMENT, &bytes, spirv),
            info(vk::ShaderStageFlags::FRAGMENT, &bytes, binary),
        ];
        let mut shaders = [vk::ShaderEXT::null(); 3];
        let app = &stage.scene.app;
        // SAFETY: valid arguments.
        unsafe {
            app.vkCreateShadersEXT(app.device, 3, infos.as_ptr(), std::ptr::null(), shaders.as_mut_ptr())
                .result()
                .unwrap();
        }
        for fragment in [shaders[1], shaders[2]] {
            stage.frame(|cb| {
                let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
                let bound = [shaders[0], fragment];
                // SAFETY: two stages with a shader each.
                unsafe { app.vkCmdBindShadersEXT(cb, 2, stages.as_ptr(), bound.as_ptr()) };
                stage.bind_sets(cb, GRAPHICS, 0, &[set]);
                stage.draw(cb);
            });
        }
        stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["image"]), (false, BTreeSet::new())]);
}

#[test]
fn commands_that_a_buffer_holds_may_reach_any_image_and_so_may_draws_after_them_until_all_is_bound_anew() {
    for command in ["EXT", "NV"] {
        let done = sandbox().case(command).run(|inside| {
            let (stage, command) = (Stage::new(), inside.case());
            let image = stage.image("image");
            let (set, layout) = stage.set(&[1]);
            stage.scene.write(set, (0, 0), SAMPLED, &[image.view]);
            let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, FIRST)]);
            let (app, ready) = (&stage.scene.app, vk::FALSE);
            let generated = |cb| {
                let info = vk::GeneratedCommandsInfoNV::default();
                // SAFETY: valid arguments.
                unsafe {
                    match &*command {
                        "EXT" => app.vkCmdExecuteGeneratedCommandsEXT(cb, ready, std::ptr::null()),
                        _ => app.vkCmdExecuteGeneratedCommandsNV(cb, ready, &info),
                    }
                }
            };
            let bind = |cb| {
                stage.bind(cb, GRAPHICS, pipeline);
                stage.bind_sets(cb, GRAPHICS, 0, &[set]);
            };
            // Within a pass, before it, and before it with everything bound after it.
            stage.frame(|cb| {
                bind(cb);
                stage.draw(cb);
                generated(cb);
            });
            for anew in [false, true] {
                stage.scene.record(|_, cb| {
                    bind(cb);
                    generated(cb);
                    if anew {
                        bind(cb);
                    }
                    stage.begin(cb);
                    stage.draw(cb);
                    stage.end(cb);
                });
                stage.scene.submit(stage.scene.buffer);
            }
            stage.stop();
        });
        let known: Vec<bool> = passes(&done).into_iter().map(|said| said.0).collect();
        assert_eq!(known, [false, false, true], "{command}");
    }
}

#[test]
fn dispatches_read_and_write_storage_images() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let images = ["sampled", "read", "written", "both"].map(|name| stage.image(name));
        let bindings = [(0, SAMPLED, 1, NONE), (1, STORAGE, 1, NONE), (2, STORAGE, 1, NONE), (3, STORAGE, 1, NONE)];
        let set_layout = stage.scene.set_layout(&bindings, PLAIN);
        let (set, layout) =
            (stage.scene.descriptor_set(stage.pool, set_layout), stage.scene.pipeline_layout(&[set_layout]));
        for (binding, image) in (0..).zip(&images) {
            stage.scene.write(set, (binding, 0), if binding == 0 { SAMPLED } else { STORAGE }, &[image.view]);
        }
        let kinds =
            [AccessKind::Sampled, AccessKind::StorageRead, AccessKind::StorageWrite, AccessKind::StorageReadWrite];
        let uses: Vec<_> =
            (0..).zip(kinds).map(|(binding, kind)| Use { set: 0, binding, kind, element: FIRST }).collect();
        let (all, none) = (stage.scene.compute(layout, &uses), stage.scene.compute(layout, &[]));
        stage.scene.record(|app, cb| {
            stage.bind(cb, COMPUTE, all);
            // Sets of the other bind point are no matter.
            stage.bind_sets(cb, GRAPHICS, 0, &[vk::DescriptorSet::null()]);
            stage.bind_sets(cb, COMPUTE, 0, &[set]);
            // SAFETY: a command buffer outside render passes.
            unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
            stage.bind(cb, COMPUTE, none);
            // SAFETY: as above.
            unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
        });
        stage.scene.submit(stage.scene.buffer);
        stage.scene.record(|app, cb| {
            stage.bind(cb, COMPUTE, none);
            // SAFETY: as above.
            unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
        });
        stage.scene.submit(stage.scene.buffer);
        stage.stop();
    });
    let all = [
        ("sampled", AccessKind::Sampled),
        ("read", AccessKind::StorageRead),
        ("written", AccessKind::StorageWrite),
        ("both", AccessKind::StorageReadWrite),
    ];
    assert_eq!(dispatches(&done), [(true, all.map(|(n, k)| (n.to_owned(), k, true)).into()), exactly(&[])]);
}
