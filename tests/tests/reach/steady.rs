//! What descriptors cost while draws are recorded: memory for what is distinct, and nothing for what is repeated.

use super::*;

const IMAGES: usize = 200;
const SETS: usize = 10;
const DESCRIPTORS: u32 = 1000;
const DRAWS: usize = 10_000;

/// Bytes that the process has allocated and not freed.
fn allocated() -> usize {
    // SAFETY: no arguments, no pointers.
    unsafe { libc::mallinfo2() }.uordblks
}

#[test]
#[cfg(target_env = "gnu")]
fn ten_thousand_draws_with_sets_of_a_thousand_images_take_memory_for_the_images_only() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        stage.scene.app.driver().set_noting(false);
        let views: Vec<_> = (0..IMAGES).map(|n| stage.image(&n.to_string()).view).collect();
        let set_layout = stage.scene.set_layout(&[(0, SAMPLED, DESCRIPTORS, NONE)], PLAIN);
        let layout = stage.scene.pipeline_layout(&[set_layout]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, Element::Any)]);
        let all: Vec<_> = views.iter().copied().cycle().take(DESCRIPTORS as usize).collect();
        let sets: Vec<_> = (0..SETS)
            .map(|_| {
                let set = stage.scene.descriptor_set(stage.pool, set_layout);
                stage.scene.write(set, (0, 0), SAMPLED, &all);
                set
            })
            .collect();
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            let draws = |from: usize, to: usize| {
                for n in from..to {
                    stage.bind_sets(cb, GRAPHICS, 0, &[sets[n % SETS]]);
                    stage.draw(cb);
                }
            };
            let before = allocated();
            draws(0, SETS);
            let first = allocated() - before;
            let settled = allocated();
            draws(SETS, DRAWS);
            assert_eq!(allocated(), settled, "draws with what was bound before take memory");
            assert!(first < IMAGES * 1024, "{first} bytes for {IMAGES} images");
        });
        stage.scene.app.driver().set_noting(true);
    });
    let (known, images) = &passes(&done)[0];
    assert_eq!((*known, images.len()), (true, IMAGES));
}

#[test]
#[cfg(target_env = "gnu")]
fn a_new_set_or_a_push_for_every_draw_takes_no_memory_per_draw() {
    sandbox().run(|_| {
        let stage = Stage::new();
        stage.scene.app.driver().set_noting(false);
        let views: Vec<_> = (0..4).map(|n| stage.image(&n.to_string()).view).collect();
        let push = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
        let set_layout = stage.scene.set_layout(&[(0, SAMPLED, 1, NONE)], push);
        let layout = stage.scene.pipeline_layout(&[set_layout]);
        let pipeline = stage.scene.graphics(layout, &[sampled(0, 0, FIRST)]);
        let sets: Vec<_> = (0..DRAWS)
            .map(|n| {
                let set = stage.scene.descriptor_set(stage.pool, set_layout);
                stage.scene.write(set, (0, 0), SAMPLED, &[views[n % 4]]);
                set
            })
            .collect();
        let app = &stage.scene.app;
        stage.frame(|cb| {
            stage.bind(cb, GRAPHICS, pipeline);
            let one = |n: usize| {
                stage.bind_sets(cb, GRAPHICS, 0, &[sets[n]]);
                stage.draw(cb);
                let info = [tilelens_tests::script::shaders::info(views[n / 3 % 4])];
                let writes = [vk::WriteDescriptorSet::default().descriptor_type(SAMPLED).image_info(&info)];
                // SAFETY: valid arguments.
                unsafe { app.vkCmdPushDescriptorSet(cb, GRAPHICS, layout, 0, 1, writes.as_ptr()) };
                stage.draw(cb);
            };
            (0..DRAWS / 2).for_each(one);
            let settled = allocated();
            (DRAWS / 2..DRAWS).for_each(one);
            assert!(allocated() < settled + 1024, "{} bytes", allocated() - settled);
        });
        stage.scene.app.driver().set_noting(true);
    });
}
