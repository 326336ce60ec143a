//! Programs that do not keep to the quiet path: many threads, small stacks, forks, and ends without goodbye.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::thread;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{self, Scene, attachment};

const GPU: &str = "mali-g76";

/// One frame of one pass on a device of its own.
fn frame(chain: &Chain) -> Scene {
    let scene = Scene::new(chain.start());
    let image = scene.image(vk::Format::R8G8B8A8_UNORM, 256, 64, 1);
    let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
    scene.submit(scene.buffer);
    scene
}

#[test]
fn a_thread_with_a_stack_of_64_kib_can_record() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let image = scene.image(vk::Format::R8G8B8A8_UNORM, 256, 64, 1);
        let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        thread::scope(|scope| {
            let recorder = thread::Builder::new().stack_size(64 * 1024);
            recorder
                .spawn_scoped(scope, || {
                    for _ in 0..10 {
                        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 100));
                        scene.submit(scene.buffer);
                    }
                })
                .unwrap();
        });
        chain.driver.assert_neutral();
    });
}

#[test]
fn eight_threads_create_and_destroy_devices_at_once() {
    let done = Sandbox::new().set("gpu", GPU).run(|_| {
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let chain = Chain::new(Options { reuse_handles: true, ..Options::default() });
                        frame(&chain).app.stop();
                        chain.driver.assert_neutral();
                    }
                });
            }
        });
    });
    let reports = done.folder.reports();
    assert_eq!(reports.len(), 80, "{}", done.folder.log());
    assert!(reports.iter().all(|r| r.complete && r.frames[0].gpus[GPU].write_bytes.0 == 256 * 64 * 4));
}

#[test]
fn eight_threads_record_into_one_device_at_once() {
    let done = Sandbox::new().set("gpu", GPU).run(|_| {
        let chain = Chain::new(Options::default());
        chain.driver.set_noting(false);
        let scene = Scene::new(chain.start());
        let image = scene.image(vk::Format::R8G8B8A8_UNORM, 256, 64, 1);
        let render_pass =
            scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(render_pass, &[&image]);
        let (scene, extent) = (&scene, image.extent);
        let buffers: Vec<vk::CommandBuffer> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(move || {
                        let app = &scene.app;
                        let mut pool = vk::CommandPool::null();
                        let info = vk::CommandPoolCreateInfo::default();
                        // SAFETY: valid arguments; the pool is this thread's.
                        let result = unsafe { app.vkCreateCommandPool(app.device, &info, std::ptr::null(), &mut pool) };
                        assert_eq!(result, vk::Result::SUCCESS);
                        let mut last = vk::CommandBuffer::null();
                        for _ in 0..50 {
                            last = app.command_buffers(pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
                            scene.record_into(last, |_, _| {
                                scene.pass_into(last, render_pass, framebuffer, extent.into(), 100);
                            });
                        }
                        last
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        scene.submit_all(&buffers);
        // SAFETY: a live device.
        unsafe { scene.app.vkDestroyDevice(scene.app.device, std::ptr::null()) };
    });
    let report = done.folder.report();
    let draws: Vec<u64> = report.frames[0].passes.iter().map(|p| p.draws).collect();
    assert_eq!(draws, [100; 8]);
}

#[test]
fn a_program_that_exits_with_everything_alive_leaves_a_whole_report() {
    let done = Sandbox::new().set("gpu", GPU).run(|_| {
        let chain = Box::leak(Box::new(Chain::new(Options::default())));
        std::mem::forget(frame(chain));
        std::process::exit(0);
    });
    let report = done.folder.report();
    assert_eq!(report.frames[0].gpus[GPU].write_bytes.0, 256 * 64 * 4);
}

#[test]
fn a_program_that_exits_while_threads_record_ends() {
    let done = Sandbox::new().run(|_| {
        for _ in 0..4 {
            thread::spawn(|| {
                let chain = Chain::new(Options::default());
                chain.driver.set_noting(false);
                let scene = frame(&chain);
                loop {
                    scene.record(|_, _| {});
                    scene.submit(scene.buffer);
                }
            });
        }
        thread::sleep(std::time::Duration::from_millis(200));
        std::process::exit(0);
    });
    // Each report that is there is whole, or `reports` would have failed.
    assert!(done.folder.reports().len() <= 4);
}

/// Runs `child` in a forked process and returns its exit status.
fn fork(child: impl FnOnce()) -> i32 {
    // SAFETY: the sandbox runs the test on the process's only thread but for the layer's own.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0);
    if pid == 0 {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child));
        std::process::exit(i32::from(result.is_err()));
    }
    let mut status = -1;
    // SAFETY: our own child.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    status
}

#[test]
fn a_child_forked_before_or_after_the_parents_device_runs_its_own() {
    let done = Sandbox::new().set("gpu", GPU).run(|_| {
        let child = || frame(&Chain::new(Options::default())).app.stop();
        assert_eq!(fork(child), 0, "forked before the parent's instance");
        let chain = Chain::new(Options::default());
        let parent = frame(&chain);
        assert_eq!(fork(child), 0, "forked after the parent's first submit");
        assert_eq!(fork(|| ()), 0, "a child that does nothing");
        parent.submit(parent.buffer);
        parent.app.stop();
        chain.driver.assert_neutral();
    });
    let reports = done.folder.reports();
    assert_eq!(reports.len(), 3, "{}", done.folder.log());
    assert!(reports.iter().all(|r| r.complete));
}

#[test]
fn a_child_that_goes_on_with_the_parents_device_gets_its_calls_through() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let scene = frame(&chain);
        let status = fork(|| {
            scene.record(|_, _| {});
            scene.submit(scene.buffer);
            chain.driver.assert_neutral();
        });
        assert_eq!(status, 0);
        scene.app.stop();
    });
}

#[test]
fn a_million_draws_need_no_memory() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let scene = Scene::new(chain.start());
        let image = scene.image(vk::Format::R8G8B8A8_UNORM, 256, 64, 1);
        let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        chain.driver.set_noting(false);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1000));
        let before = tilelens_tests::memory::resident();
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1_000_000));
        for _ in 0..100 {
            scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1000));
        }
        let grown = tilelens_tests::memory::resident().saturating_sub(before);
        assert!(grown < 512 * 1024, "{grown} bytes more after 1.1 million draws");
    });
}

#[test]
fn a_steady_state_of_submits_and_presents_needs_no_memory() {
    Sandbox::new().set("log_level", "warn").run(|_| {
        let chain = Chain::new(Options::default());
        let scene = frame(&chain);
        let (swapchain, _) = scene.swapchain(vk::Format::B8G8R8A8_UNORM, vk::Extent2D { width: 64, height: 64 });
        chain.driver.set_noting(false);
        let frames = |count: u32| {
            for index in 0..count {
                scene.submit(scene.buffer);
                scene.present(swapchain, index % 3);
                // The analysis keeps up with a program that has 2000 frames a second.
                thread::sleep(std::time::Duration::from_micros(500));
            }
        };
        frames(1000);
        let before = tilelens_tests::memory::resident();
        frames(2000);
        let grown = tilelens_tests::memory::resident().saturating_sub(before);
        assert!(grown < 1024 * 1024, "{grown} bytes more after 2000 frames");
        scene.app.stop();
    });
}

#[test]
fn everything_on_eight_threads_at_once_is_neutral() {
    Sandbox::new().run(|_| {
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let chain = Chain::new(Options { reuse_handles: true, ..Options::default() });
                    script::everything(&chain);
                    chain.driver.assert_neutral();
                });
            }
        });
    });
}
