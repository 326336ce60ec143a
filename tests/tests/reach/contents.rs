//! What descriptors hold: writes, copies, templates, pushes, descriptors in memory; and when that counts.

use super::*;
use std::ffi::c_void;
use tilelens_tests::script::shaders::info;

/// A frame that draws once with an element of the first binding of the set that `prepare` makes.
fn one_set(prepare: impl FnOnce(&Stage) -> (vk::DescriptorSet, vk::PipelineLayout), element: Element) {
    let stage = Stage::new();
    let (set, layout) = prepare(&stage);
    let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, element)]);
    stage.frame(|cb| {
        stage.bind(cb, GRAPHICS, pipeline);
        stage.bind_sets(cb, GRAPHICS, 0, &[set]);
        stage.draw(cb);
    });
    stage.stop();
}

#[test]
fn a_write_that_is_longer_than_its_binding_goes_on_in_the_next() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let views = ["a", "b", "c", "d"].map(|name| stage.image(name).view);
        // Binding 1 has no descriptors: it is passed over.
        let bindings = [(0, SAMPLED, 2, NONE), (1, SAMPLED, 0, NONE), (2, SAMPLED, 2, NONE)];
        let set_layout = stage.scene.set_layout(&bindings, PLAIN);
        let set = stage.scene.descriptor_set(stage.pool, set_layout);
        stage.scene.write(set, (0, 1), SAMPLED, &views[..3]);
        let layout = stage.scene.pipeline_layout(&[set_layout]);
        for uses in [[sampled(0, 0, Element::Any)], [sampled(0, 2, Element::One(1))]] {
            let pipeline = stage.scene.graphics(layout, &uses);
            stage.frame(|cb| {
                stage.bind(cb, GRAPHICS, pipeline);
                stage.bind_sets(cb, GRAPHICS, 0, &[set]);
                stage.draw(cb);
            });
        }
        stage.stop();
    });
    let any = (true, BTreeSet::from([("a".to_owned(), AccessKind::Sampled, false)]));
    assert_eq!(passes(&done), [any, exactly(&["c"])]);
}

#[test]
fn copies_take_what_is_there_and_buffers_and_null_take_its_place() {
    let done = sandbox().run(|_| {
        one_set(
            |stage| {
                let views = ["a", "b"].map(|name| stage.image(name).view);
                let ((from, _), (to, layout)) = (stage.set(&[2]), stage.set(&[3]));
                stage.scene.write(from, (0, 0), SAMPLED, &views);
                stage.scene.write(to, (0, 0), SAMPLED, &[views[0]; 3]);
                stage.scene.copy((from, 0, 1), (to, 0, 0), 1);
                stage.scene.write(to, (0, 1), SAMPLED, &[vk::ImageView::null()]);
                stage.scene.copy((to, 0, 1), (to, 0, 2), 1);
                (to, layout)
            },
            Element::Any,
        )
    });
    assert_eq!(passes(&done), [(true, BTreeSet::from([("b".to_owned(), AccessKind::Sampled, false)]))]);
}

#[test]
fn images_that_no_pass_can_render_to_are_no_part_of_a_frame() {
    let done = sandbox().run(|_| {
        one_set(
            |stage| {
                let attachment = stage.image("attachment");
                let info = vk::ImageCreateInfo::default()
                    .image_type(vk::ImageType::TYPE_2D)
                    .format(RGBA8)
                    .extent(vk::Extent3D { width: 8, height: 8, depth: 1 })
                    .mip_levels(1)
                    .array_layers(1)
                    .samples(vk::SampleCountFlags::TYPE_1)
                    .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
                let (app, mut texture) = (&stage.scene.app, vk::Image::null());
                // SAFETY: valid arguments.
                unsafe { app.vkCreateImage(app.device, &info, std::ptr::null(), &mut texture).result().unwrap() };
                let texture = stage.scene.view(texture, RGBA8, 1);
                let made = stage.set(&[2]);
                stage.scene.write(made.0, (0, 0), SAMPLED, &[texture, attachment.view]);
                made
            },
            Element::Any,
        )
    });
    assert_eq!(passes(&done), [(true, BTreeSet::from([("attachment".to_owned(), AccessKind::Sampled, false)]))]);
    assert_eq!(frames(&done)[0].images.len(), 2);
}

#[test]
fn an_image_view_that_nobody_has_seen_may_be_of_any_image() {
    let done = sandbox().run(|_| {
        one_set(
            |stage| {
                let made = stage.set(&[1]);
                stage.scene.write(made.0, (0, 0), SAMPLED, &[vk::Handle::from_raw(0xBEEF)]);
                made
            },
            FIRST,
        )
    });
    assert_eq!(passes(&done), [(false, BTreeSet::new())]);
}

#[test]
fn templates_write_what_lies_at_their_offsets() {
    let done = sandbox().run(|_| {
        one_set(
            |stage| {
                let views = ["a", "b", "c"].map(|name| stage.image(name).view);
                let made = stage.set(&[2]);
                let entries = [vk::DescriptorUpdateTemplateEntry {
                    dst_binding: 0,
                    dst_array_element: 0,
                    descriptor_count: 2,
                    descriptor_type: SAMPLED,
                    offset: size_of::<vk::DescriptorImageInfo>(),
                    stride: size_of::<vk::DescriptorImageInfo>(),
                }];
                let create = vk::DescriptorUpdateTemplateCreateInfo::default().descriptor_update_entries(&entries);
                let (app, mut template) = (&stage.scene.app, vk::DescriptorUpdateTemplate::null());
                let data = views.map(info);
                // SAFETY: valid arguments.
                unsafe {
                    app.vkCreateDescriptorUpdateTemplate(app.device, &create, std::ptr::null(), &mut template)
                        .result()
                        .unwrap();
                    app.vkUpdateDescriptorSetWithTemplate(app.device, made.0, template, data.as_ptr().cast());
                }
                made
            },
            Element::One(1),
        )
    });
    assert_eq!(passes(&done), [exactly(&["c"])]);
}

#[test]
fn pushed_descriptors_count_from_the_push_on_and_stay_until_they_are_pushed_anew() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let views = ["a", "b", "c"].map(|name| stage.image(name).view);
        let push = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
        let set_layout = stage.scene.set_layout(&[(0, SAMPLED, 1, NONE), (1, SAMPLED, 1, NONE)], push);
        let layout = stage.scene.pipeline_layout(&[set_layout]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, FIRST), sampled(0, 1, FIRST)]);
        let entries = [vk::DescriptorUpdateTemplateEntry {
            dst_binding: 1,
            dst_array_element: 0,
            descriptor_count: 1,
            descriptor_type: SAMPLED,
            offset: 0,
            stride: 0,
        }];
        let create = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(&entries)
            .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
            .pipeline_bind_point(GRAPHICS);
        let (app, mut template) = (&stage.scene.app, vk::DescriptorUpdateTemplate::null());
        // SAFETY: valid arguments.
        unsafe {
            app.vkCreateDescriptorUpdateTemplate(app.device, &create, std::ptr::null(), &mut template)
                .result()
                .unwrap();
        }
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            let infos = views.map(info);
            let write = |n: usize, binding| {
                vk::WriteDescriptorSet::default()
                    .dst_binding(binding)
                    .descriptor_type(SAMPLED)
                    .image_info(std::slice::from_ref(&infos[n]))
            };
            let writes = [write(0, 0), write(1, 1)];
            // SAFETY: valid arguments.
            unsafe { app.vkCmdPushDescriptorSet(cb, GRAPHICS, layout, 0, 2, writes.as_ptr()) };
            stage.draw(cb);
            let data: *const c_void = (&raw const infos[2]).cast();
            // SAFETY: as above.
            unsafe { app.vkCmdPushDescriptorSetWithTemplate(cb, template, layout, 0, data) };
            stage.draw(cb);
        });
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            let infos = [info(views[1]), info(views[2])];
            let writes = [vk::WriteDescriptorSet::default().descriptor_type(SAMPLED).image_info(&infos)];
            let pushed = vk::PushDescriptorSetInfoKHR::default()
                .stage_flags(vk::ShaderStageFlags::FRAGMENT)
                .layout(layout)
                .descriptor_writes(&writes);
            // SAFETY: as above.
            unsafe { app.vkCmdPushDescriptorSet2(cb, &pushed) };
            stage.draw(cb);
        });
        stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["a", "b", "c"]), exactly(&["b", "c"])]);
}

#[test]
fn descriptors_that_may_be_updated_after_bind_count_as_they_are_at_submission() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let views = ["a", "b", "c"].map(|name| stage.image(name).view);
        let late = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
        let set_layout = stage.scene.set_layout(
            &[(0, SAMPLED, 2, late), (1, SAMPLED, 1, NONE)],
            vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL,
        );
        let (set, layout) =
            (stage.scene.descriptor_set(stage.pool, set_layout), stage.scene.pipeline_layout(&[set_layout]));
        stage.scene.write(set, (0, 0), SAMPLED, &[views[0], views[0]]);
        stage.scene.write(set, (1, 0), SAMPLED, &[views[2]]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, Element::One(1)), sampled(0, 1, FIRST)]);
        let compute = stage.scene.compute(layout, &[sampled(0, 0, Element::One(1))]);
        stage.scene.record(|app, cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.bind(cb, COMPUTE, compute);
            stage.bind_sets(cb, GRAPHICS, 0, &[set]);
            stage.bind_sets(cb, COMPUTE, 0, &[set]);
            // SAFETY: a command buffer outside render passes.
            unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
            stage.begin(cb);
            stage.draw(cb);
            stage.end(cb);
        });
        for view in [views[1], views[0]] {
            stage.scene.write(set, (0, 1), SAMPLED, &[view]);
            stage.scene.submit(stage.scene.buffer);
        }
        stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["b", "c"]), exactly(&["a", "c"])]);
    assert_eq!(dispatches(&done), [exactly(&["b"]), exactly(&["a"])]);
}

#[test]
fn late_descriptors_of_secondaries_count_at_submission_too() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let views = ["a", "b"].map(|name| stage.image(name).view);
        let late = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
        let set_layout = stage.scene.set_layout(&[(0, SAMPLED, 1, late)], PLAIN);
        let (set, layout) =
            (stage.scene.descriptor_set(stage.pool, set_layout), stage.scene.pipeline_layout(&[set_layout]));
        stage.scene.write(set, (0, 0), SAMPLED, &[views[0]]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, FIRST)]);
        let compute = stage.scene.compute(layout, &[sampled(0, 0, FIRST)]);
        let app = &stage.scene.app;
        let secondaries = app.command_buffers(stage.scene.pool, vk::CommandBufferLevel::SECONDARY, 2);
        let inherited = vk::CommandBufferInheritanceInfo::default().render_pass(stage.pass);
        let plain = vk::CommandBufferBeginInfo::default().inheritance_info(&inherited);
        let inside = plain.flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE);
        for (secondary, begin) in secondaries.iter().zip([inside, plain]) {
            // SAFETY: valid arguments.
            unsafe { app.vkBeginCommandBuffer(*secondary, &begin).result().unwrap() };
            stage.bind(*secondary, GRAPHICS, pipeline);
            stage.bind(*secondary, COMPUTE, compute);
            stage.bind_sets(*secondary, GRAPHICS, 0, &[set]);
            stage.bind_sets(*secondary, COMPUTE, 0, &[set]);
            if begin.flags.is_empty() {
                // SAFETY: a command buffer outside render passes.
                unsafe { app.vkCmdDispatch(*secondary, 1, 1, 1) };
            } else {
                stage.draw(*secondary);
            }
            // SAFETY: as above.
            unsafe { app.vkEndCommandBuffer(*secondary).result().unwrap() };
        }
        stage.scene.record(|app, cb| {
            // SAFETY: secondary command buffers that are complete.
            unsafe { app.vkCmdExecuteCommands(cb, 1, &secondaries[1]) };
            stage.begin(cb);
            // SAFETY: as above.
            unsafe { app.vkCmdExecuteCommands(cb, 1, &secondaries[0]) };
            stage.end(cb);
        });
        stage.scene.write(set, (0, 0), SAMPLED, &[views[1]]);
        stage.scene.submit(stage.scene.buffer);
        stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["b"])]);
    assert_eq!(dispatches(&done), [exactly(&["b"])]);
}

#[test]
fn descriptors_in_memory_may_be_any_that_the_application_ever_asked_for() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let (asked, gone, never) = (stage.image("asked"), stage.image("gone"), stage.image("never"));
        let (_, layout) = stage.set(&[1]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, FIRST)]);
        let app = &stage.scene.app;
        for image in [asked, gone] {
            let info = info(image.view);
            let mut get = vk::DescriptorGetInfoEXT::default().ty(SAMPLED);
            get.data.p_sampled_image = &info;
            let mut memory = [0u8; 64];
            // SAFETY: valid arguments.
            unsafe { app.vkGetDescriptorEXT(app.device, &get, memory.len(), memory.as_mut_ptr().cast()) };
        }
        // SAFETY: live views, of which nothing is pending.
        unsafe {
            app.vkDestroyImageView(app.device, gone.view, std::ptr::null());
            app.vkDestroyImageView(app.device, never.view, std::ptr::null());
        }
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            // SAFETY: one buffer index and offset.
            unsafe { app.vkCmdSetDescriptorBufferOffsetsEXT(cb, GRAPHICS, layout, 0, 1, &0, &0) };
            stage.draw(cb);
        });
        stage.stop();
    });
    // The host may put others into memory before the work begins: the list is no bound.
    assert_eq!(passes(&done), [(false, BTreeSet::from([("asked".to_owned(), AccessKind::Sampled, false)]))]);
}

#[test]
fn a_set_that_was_freed_with_its_pool_is_no_set_any_more() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let image = stage.image("a");
        let (set, layout) = stage.set(&[1]);
        stage.scene.write(set, (0, 0), SAMPLED, &[image.view]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, FIRST)]);
        let app = &stage.scene.app;
        // SAFETY: valid arguments.
        unsafe {
            app.vkResetDescriptorPool(app.device, stage.pool, vk::DescriptorPoolResetFlags::empty()).result().unwrap();
        }
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.bind_sets(cb, GRAPHICS, 0, &[set]);
            stage.draw(cb);
        });
        stage.stop();
    });
    assert_eq!(passes(&done), [(false, BTreeSet::new())]);
}
