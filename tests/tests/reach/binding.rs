//! Where descriptors are bound, and how long that lasts.

use super::*;

/// A stage with an image in a set of its own each, and a pipeline that uses the first binding of some sets.
struct Sets {
    stage: Stage,
    sets: Vec<vk::DescriptorSet>,
    layout: vk::PipelineLayout,
}

impl Sets {
    fn new(names: &[&str]) -> Self {
        let stage = Stage::new();
        let (mut sets, mut layout) = (Vec::new(), vk::PipelineLayout::null());
        for name in names {
            let image = stage.image(name);
            let made = stage.set(&[1]);
            stage.scene.write(made.0, (0, 0), SAMPLED, &[image.view]);
            sets.push(made.0);
            layout = made.1;
        }
        Self { stage, sets, layout }
    }

    fn pipeline(&self, numbers: &[u32]) -> vk::Pipeline {
        let uses: Vec<_> = numbers.iter().map(|number| sampled(*number, 0, FIRST)).collect();
        self.stage.scene.graphics(self.layout, &uses)
    }
}

#[test]
fn each_draw_reaches_what_is_bound_then_and_a_set_stays_bound_until_another_takes_its_place() {
    let done = sandbox().run(|_| {
        let made = Sets::new(&["a", "b", "c", "never drawn with"]);
        let (stage, sets) = (&made.stage, &made.sets);
        let (first, both) = (made.pipeline(&[0]), made.pipeline(&[0, 1]));
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, first);
            stage.bind_sets(cb, GRAPHICS, 0, &[sets[0]]);
            stage.draw(cb);
            stage.bind_sets(cb, GRAPHICS, 1, &[sets[1]]);
            stage.bind(cb, GRAPHICS, both);
            stage.draw(cb);
            stage.bind_sets(cb, GRAPHICS, 0, &[sets[3]]);
            stage.bind_sets(cb, GRAPHICS, 0, &[sets[2]]);
            stage.draw(cb);
        });
        made.stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["a", "b", "c"])]);
}

#[test]
fn what_is_bound_outlives_passes_and_ends_with_the_command_buffer() {
    let done = sandbox().run(|_| {
        let made = Sets::new(&["a"]);
        let (stage, pipeline) = (&made.stage, made.pipeline(&[0]));
        stage.scene.record(|_, cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.bind_sets(cb, GRAPHICS, 0, &made.sets);
            for _ in 0..2 {
                stage.begin(cb);
                stage.draw(cb);
                stage.end(cb);
            }
        });
        stage.scene.submit(stage.scene.buffer);
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.draw(cb);
        });
        made.stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["a"]), (false, BTreeSet::new())]);
    for pass in frames(&done)[0].passes() {
        assert_eq!((pass.subpasses[0].shader.known, pass.subpasses[0].shader.images.len()), (true, 1));
    }
}

#[test]
fn a_draw_without_a_pipeline_or_with_a_set_that_nobody_has_seen_may_reach_anything() {
    let done = sandbox().run(|_| {
        let made = Sets::new(&["a"]);
        let (stage, pipeline) = (&made.stage, made.pipeline(&[0]));
        stage.frame(|cb| stage.draw(cb));
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            stage.bind_sets(cb, GRAPHICS, 0, &[vk::Handle::from_raw(0xDEAD)]);
            stage.draw(cb);
        });
        made.stage.stop();
    });
    assert_eq!(passes(&done), [(false, BTreeSet::new()), (false, BTreeSet::new())]);
}

#[test]
fn secondary_command_buffers_bind_for_themselves_and_leave_nothing_bound() {
    let done = sandbox().run(|_| {
        let made = Sets::new(&["a", "b"]);
        let (stage, pipeline) = (&made.stage, made.pipeline(&[0]));
        let app = &stage.scene.app;
        let secondary = app.command_buffers(stage.scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
        let inherited = vk::CommandBufferInheritanceInfo::default().render_pass(stage.pass);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inherited);
        // SAFETY: valid arguments.
        unsafe { app.vkBeginCommandBuffer(secondary, &begin).result().unwrap() };
        stage.bind(secondary, GRAPHICS, pipeline);
        stage.bind_sets(secondary, GRAPHICS, 0, &[made.sets[1]]);
        stage.draw(secondary);
        // SAFETY: as above.
        unsafe { app.vkEndCommandBuffer(secondary).result().unwrap() };
        for draw_after in [false, true] {
            stage.frame(|cb| {
                stage.bind(cb, GRAPHICS, pipeline);
                stage.bind_sets(cb, GRAPHICS, 0, &[made.sets[0]]);
                stage.draw(cb);
                // SAFETY: a secondary command buffer that is complete.
                unsafe { app.vkCmdExecuteCommands(cb, 1, &secondary) };
                if draw_after {
                    stage.bind(cb, GRAPHICS, pipeline);
                    stage.draw(cb);
                }
            });
        }
        made.stage.stop();
    });
    let (known, both) = exactly(&["a", "b"]);
    assert_eq!(passes(&done), [(known, both.clone()), (false, both)]);
}

#[test]
fn newer_commands_bind_for_the_bind_points_of_their_stages() {
    let done = sandbox().run(|_| {
        let made = Sets::new(&["graphics", "compute", "last"]);
        let (stage, pipeline) = (&made.stage, made.pipeline(&[0]));
        let compute = stage.scene.compute(made.layout, &[sampled(0, 0, FIRST)]);
        stage.scene.record(|app, cb| {
            let bind = |stages, set: &vk::DescriptorSet| {
                let sets = [*set];
                let info = vk::BindDescriptorSetsInfoKHR::default()
                    .stage_flags(stages)
                    .layout(made.layout)
                    .descriptor_sets(&sets);
                // SAFETY: valid arguments.
                unsafe { app.vkCmdBindDescriptorSets2(cb, &info) };
            };
            stage.bind(cb, COMPUTE, compute);
            stage.bind(cb, GRAPHICS, pipeline);
            bind(vk::ShaderStageFlags::FRAGMENT, &made.sets[0]);
            bind(vk::ShaderStageFlags::COMPUTE, &made.sets[1]);
            // SAFETY: a command buffer outside render passes.
            unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
            bind(vk::ShaderStageFlags::ALL, &made.sets[2]);
            // SAFETY: as above.
            unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
            bind(vk::ShaderStageFlags::ALL_GRAPHICS, &made.sets[0]);
            stage.begin(cb);
            stage.draw(cb);
            stage.end(cb);
        });
        stage.scene.submit(stage.scene.buffer);
        made.stage.stop();
    });
    assert_eq!(passes(&done), [exactly(&["graphics"])]);
    assert_eq!(dispatches(&done), [exactly(&["compute", "last"])]);
}

#[test]
fn a_pass_whose_draws_come_with_equal_state_says_the_same_however_often_it_is_bound_anew() {
    let done = sandbox().run(|_| {
        let made = Sets::new(&["a", "b"]);
        let (stage, pipeline) = (&made.stage, made.pipeline(&[0]));
        for rebinds in [1, 7] {
            stage.frame(|cb| {
                for _ in 0..rebinds {
                    for set in &made.sets {
                        stage.bind(cb, GRAPHICS, pipeline);
                        stage.bind_sets(cb, GRAPHICS, 0, &[*set]);
                        stage.draw(cb);
                    }
                }
            });
        }
        made.stage.stop();
    });
    let frames = frames(&done);
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0], frames[1]);
}
