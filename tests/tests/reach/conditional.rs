//! VK_EXT_conditional_rendering: what stands under it may not happen, so nothing it reads, writes or clears is certain.

use super::*;
use tbdr_model::frame::Subpass;

/// Commands between those of conditional rendering.
fn conditional(stage: &Stage, cb: vk::CommandBuffer, inside: impl FnOnce()) {
    let (app, condition) = (&stage.scene.app, vk::ConditionalRenderingBeginInfoEXT::default());
    // SAFETY: a command buffer that is recorded; the driver does not look at the buffer.
    unsafe { app.vkCmdBeginConditionalRenderingEXT(cb, &condition) };
    inside();
    // SAFETY: as above.
    unsafe { app.vkCmdEndConditionalRenderingEXT(cb) };
}

fn clear(stage: &Stage, cb: vk::CommandBuffer) {
    let clear = vk::ClearAttachment::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    let rect = vk::Rect2D::from(vk::Extent2D { width: 64, height: 64 });
    let rect = vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 };
    // SAFETY: a command buffer in a render pass.
    unsafe { stage.scene.app.vkCmdClearAttachments(cb, 1, &clear, 1, &rect) };
}

/// An image "a", and a pipeline and a set of this point by which it is sampled.
fn sampling(stage: &Stage, point: vk::PipelineBindPoint) -> impl Fn(vk::CommandBuffer) + use<'_> {
    let (set, layout) = stage.set(&[1]);
    stage.scene.write(set, (0, 0), SAMPLED, &[stage.image("a").view]);
    let uses = [sampled(0, 0, FIRST)];
    let pipeline =
        if point == COMPUTE { stage.scene.compute(layout, &uses) } else { stage.scene.graphics(layout, &uses) };
    move |cb| {
        stage.bind(cb, point, pipeline);
        stage.bind_sets(cb, point, 0, &[set]);
    }
}

fn maybe() -> Said {
    (true, BTreeSet::from([("a".to_owned(), AccessKind::Sampled, false)]))
}

/// Before and after what is conditional: an unconditional use of the same descriptors stands beside the other.
fn both() -> Said {
    (true, maybe().1.into_iter().chain(exactly(&["a"]).1).collect())
}

/// The only subpass of each frame.
fn subpasses(done: &Done) -> Vec<Subpass> {
    frames(done).iter().map(|frame| frame.passes().next().unwrap().subpasses[0].clone()).collect()
}

#[test]
fn draws_under_a_condition_sample_nothing_for_certain_and_draws_beside_them_do() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let bind = sampling(&stage, GRAPHICS);
        for order in [&[true][..], &[false], &[true, false], &[false, true]] {
            stage.frame(|cb| {
                bind(cb);
                for under in order {
                    if *under {
                        conditional(&stage, cb, || stage.draw(cb));
                    } else {
                        stage.draw(cb);
                    }
                }
            });
        }
        drop(bind);
        stage.stop();
    });
    assert_eq!(passes(&done), [maybe(), exactly(&["a"]), both(), both()]);
    let facts: Vec<_> = subpasses(&done).iter().map(|s| (s.drawn, s.draws.conditional)).collect();
    assert_eq!(facts, [(true, true), (true, false), (true, true), (true, true)]);
}

#[test]
fn dispatches_under_a_condition_sample_nothing_for_certain_and_dispatches_after_them_do() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let bind = sampling(&stage, COMPUTE);
        for after in [false, true] {
            stage.scene.record(|app, cb| {
                bind(cb);
                // SAFETY: a command buffer outside render passes.
                conditional(&stage, cb, || unsafe { app.vkCmdDispatch(cb, 1, 1, 1) });
                if after {
                    // SAFETY: as above.
                    unsafe { app.vkCmdDispatch(cb, 1, 1, 1) };
                }
            });
            stage.scene.submit(stage.scene.buffer);
        }
        drop(bind);
        stage.stop();
    });
    assert_eq!(dispatches(&done), [maybe(), both()]);
}

#[test]
fn clears_under_a_condition_are_marked_and_clears_after_it_are_not() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        stage.frame(|cb| {
            conditional(&stage, cb, || clear(&stage, cb));
            clear(&stage, cb);
        });
        stage.stop();
    });
    let clears: Vec<_> = subpasses(&done)[0].clears.iter().map(|c| c.conditional).collect();
    assert_eq!(clears, [true, false]);
}

#[test]
fn a_condition_that_begins_before_the_pass_holds_in_it_and_a_new_recording_has_none() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let bind = sampling(&stage, GRAPHICS);
        stage.scene.record(|app, cb| {
            let condition = vk::ConditionalRenderingBeginInfoEXT::default();
            // SAFETY: a command buffer that is recorded.
            unsafe { app.vkCmdBeginConditionalRenderingEXT(cb, &condition) };
            stage.begin(cb);
            bind(cb);
            clear(&stage, cb);
            stage.draw(cb);
            stage.end(cb);
        });
        stage.scene.submit(stage.scene.buffer);
        stage.frame(|cb| {
            bind(cb);
            clear(&stage, cb);
            stage.draw(cb);
        });
        drop(bind);
        stage.stop();
    });
    assert_eq!(passes(&done), [maybe(), exactly(&["a"])]);
    let clears: Vec<_> = subpasses(&done).iter().map(|s| s.clears[0].conditional).collect();
    assert_eq!(clears, [true, false]);
}

#[test]
fn secondaries_that_inherit_conditional_rendering_may_not_happen() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let bind = sampling(&stage, GRAPHICS);
        let app = &stage.scene.app;
        let secondary = app.command_buffers(stage.scene.pool, vk::CommandBufferLevel::SECONDARY, 1)[0];
        for enable in [true, false] {
            let mut rendering =
                vk::CommandBufferInheritanceConditionalRenderingInfoEXT::default().conditional_rendering_enable(enable);
            let inherited =
                vk::CommandBufferInheritanceInfo::default().render_pass(stage.pass).push_next(&mut rendering);
            let begin = vk::CommandBufferBeginInfo::default()
                .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
                .inheritance_info(&inherited);
            // SAFETY: valid arguments.
            unsafe { app.vkBeginCommandBuffer(secondary, &begin).result().unwrap() };
            bind(secondary);
            clear(&stage, secondary);
            stage.draw(secondary);
            // SAFETY: as above.
            unsafe { app.vkEndCommandBuffer(secondary).result().unwrap() };
            // SAFETY: a secondary command buffer that is complete.
            stage.frame(|cb| unsafe { app.vkCmdExecuteCommands(cb, 1, &secondary) });
        }
        drop(bind);
        stage.stop();
    });
    assert_eq!(passes(&done), [maybe(), exactly(&["a"])]);
    let facts: Vec<_> = subpasses(&done).iter().map(|s| (s.draws.conditional, s.clears[0].conditional)).collect();
    assert_eq!(facts, [(true, true), (false, false)]);
}
