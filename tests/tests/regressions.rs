//! Faults that users met, each as a claim that would fail if it came back.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};
use tbdr_model::frame::{Boundary, Layout, Op, OutputReason};
use tbdr_model::record::GapReason;
use tilelens_capture::{Access, write_atomic};
use tilelens_tests::fake::Options;
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::{Image, Scene, attachment};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const EXTENT: vk::Extent2D = vk::Extent2D { width: 64, height: 64 };

fn scene() -> Scene {
    Scene::start(Options::default())
}

/// What it takes for a pass that clears and stores an image.
fn clear(scene: &Scene, image: vk::Image) -> (vk::RenderPass, vk::Framebuffer) {
    let view = scene.view(image, RGBA8, 1);
    let (memory, samples) = (vk::DeviceMemory::null(), vk::SampleCountFlags::TYPE_1);
    let image = Image { image, memory, view, format: RGBA8, extent: EXTENT, samples };
    let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
    (pass, scene.framebuffer(pass, &[&image]))
}

/// Records a frame of one pass into a new image, to be submitted any number of times.
fn one_pass(scene: &Scene) {
    let image = scene.image(RGBA8, 64, 64, 1);
    let (pass, framebuffer) = clear(scene, image.image);
    scene.record(|_, _| scene.pass(pass, framebuffer, EXTENT, 1));
}

/// Submits the scene's command buffer some times.
fn submit(scene: &Scene, times: u32) {
    for _ in 0..times {
        scene.submit(scene.buffer);
    }
}

/// A memory barrier.
fn barrier(scene: &Scene) {
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let memory = [vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::MEMORY_WRITE)];
    let (none, no_image) = (ptr::null(), ptr::null());
    // SAFETY: valid arguments; the command buffer is being recorded.
    unsafe {
        scene.app.vkCmdPipelineBarrier(
            scene.buffer,
            all,
            all,
            vk::DependencyFlags::empty(),
            1,
            memory.as_ptr(),
            0,
            none,
            0,
            no_image,
        );
    }
}

/// Lets descriptor 2 be a pipe; returns its other end.
fn pipe_as_stderr() -> i32 {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors, which then are open.
    unsafe {
        assert_eq!(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC), 0);
        assert_eq!(libc::dup2(ends[1], 2), 2);
        libc::close(ends[1]);
    }
    ends[0]
}

fn close(descriptor: i32) {
    // SAFETY: nobody in this process uses the descriptor.
    unsafe { libc::close(descriptor) };
}

/// Gives a signal back its default action, which the Rust runtime may have changed.
fn default_action(signal: i32) {
    // SAFETY: the default action is always valid.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// A file of the program's own, for which it gets the lowest descriptor that is free.
fn own_file(path: &Path) -> i32 {
    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: a terminated string.
    unsafe { libc::open(path.as_ptr(), libc::O_CREAT | libc::O_WRONLY | libc::O_APPEND, 0o600) }
}

fn write(descriptor: i32, text: &str) {
    // SAFETY: the text's own memory and length.
    let written = unsafe { libc::write(descriptor, text.as_ptr().cast(), text.len()) };
    assert_eq!(written, text.len() as isize);
}

#[test]
fn a_second_window_that_is_presented_after_the_first_is_no_waste() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        let windows = [scene.swapchain(RGBA8, EXTENT), scene.swapchain(RGBA8, EXTENT)];
        let targets: Vec<_> = windows.iter().map(|(_, images)| clear(&scene, images[0])).collect();
        scene.record(|_, _| targets.iter().for_each(|(pass, framebuffer)| scene.pass(*pass, *framebuffer, EXTENT, 1)));
        for _ in 0..4 {
            scene.submit(scene.buffer);
            windows.iter().for_each(|(swapchain, _)| scene.present(*swapchain, 0));
        }
        scene.stop();
    });
    let frames = done.frames();
    // A present without a submission before it makes no frame, unless nothing is submitted any more: what it shows is told at the end.
    let [first, others @ .., last] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!(others.len(), 3);
    assert!(last.1.submissions.is_empty());
    let shown: Vec<_> = last.1.early_outputs.iter().chain(&last.1.outputs).map(|o| o.image.0 as usize).collect();
    assert_eq!(shown.iter().map(|i| last.1.images[*i].swapchain).collect::<Vec<_>>(), [Some(1)]);
    assert_eq!(first.1.early_outputs, []);
    for (record, frame) in others {
        let [early] = &frame.early_outputs[..] else { panic!("{:?}", frame.early_outputs) };
        assert_eq!(early.reason, OutputReason::Present);
        assert_eq!(frame.images[early.image.0 as usize].swapchain, Some(1));
        assert_eq!(record.images.len(), 2);
        assert_eq!(frame.images, first.1.images, "a late present does not renumber the images");
        assert_eq!(frame.outputs, first.1.outputs);
    }
}

#[test]
fn an_image_that_only_a_late_frame_boundary_names_is_an_image_of_the_next_frame() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        let shown = scene.image(RGBA8, 32, 32, 1);
        one_pass(&scene);
        let images = [shown.image];
        let mut boundary = vk::FrameBoundaryEXT::default().flags(vk::FrameBoundaryFlagsEXT::FRAME_END).images(&images);
        let empty = [vk::SubmitInfo::default().push_next(&mut boundary)];
        for _ in 0..2 {
            // SAFETY: valid arguments.
            let result = unsafe { scene.app.vkQueueSubmit(scene.queue, 1, empty.as_ptr(), vk::Fence::null()) };
            assert_eq!(result, vk::Result::SUCCESS);
        }
        scene.submit(scene.buffer);
        scene.stop();
    });
    let frames = done.frames();
    let [(record, frame)] = &frames[..] else { panic!("{frames:?}") };
    let [early] = &frame.early_outputs[..] else { panic!("{:?}", frame.early_outputs) };
    assert_eq!(early.reason, OutputReason::FrameBoundary);
    assert_eq!(frame.images[early.image.0 as usize].extent.width, 32);
    assert_eq!(record.images.len(), 2);
}

#[test]
fn a_standard_error_that_nobody_reads_neither_hangs_the_program_nor_costs_frames() {
    let done = Sandbox::new().set("log_file", "").set("frame_submits", "1").set("queue_frames", "4096").run(|_| {
        let _unread = pipe_as_stderr();
        let scene = scene();
        one_pass(&scene);
        scene.app.driver().set_noting(false);
        // Far more log lines than a pipe of 64 KiB holds.
        submit(&scene, 1000);
        let before = Instant::now();
        scene.app.stop();
        assert!(before.elapsed() < Duration::from_secs(20), "{:?}", before.elapsed());
    });
    let report = done.folder.report();
    assert!(report.complete);
    assert_eq!(report.frame_count, 1000, "{:?}", report.gaps);
}

#[test]
fn log_lines_lost_to_a_full_standard_error_are_counted_once_it_is_read_again() {
    Sandbox::new().set("log_file", "").set("frame_submits", "1").set("sync", "1").run(|inside| {
        let reader = pipe_as_stderr();
        let scene = scene();
        one_pass(&scene);
        scene.app.driver().set_noting(false);
        submit(&scene, 1000);
        let mut text = vec![0u8; 1 << 20];
        // SAFETY: the buffer's own memory and length.
        let mut read = || unsafe { libc::read(reader, text.as_mut_ptr().cast(), text.len()) };
        assert!(read() > 0);
        submit(&scene, 1);
        let length = read();
        fs::write(inside.folder.0.join("after"), &text[..length as usize]).unwrap();
        let after = String::from_utf8_lossy(&text[..length as usize]).into_owned();
        assert!(after.starts_with("tilelens: warn: ") && after.contains("lines of this log are lost"), "{after}");
        assert!(after.contains("frame=1000"), "{after}");
        scene.app.stop();
    });
}

#[test]
fn a_pass_whose_stencil_has_a_layout_of_its_own_is_understood() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        let image = scene.image(vk::Format::D24_UNORM_S8_UINT, 64, 64, 1);
        let mut stencil = vk::AttachmentDescriptionStencilLayout::default()
            .stencil_initial_layout(vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL)
            .stencil_final_layout(vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL);
        let attachments = [vk::AttachmentDescription2::default()
            .format(image.format)
            .samples(image.samples)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .stencil_load_op(vk::AttachmentLoadOp::LOAD)
            .stencil_store_op(vk::AttachmentStoreOp::STORE)
            .initial_layout(vk::ImageLayout::UNDEFINED)
            .final_layout(vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL)
            .push_next(&mut stencil)];
        let depth = vk::AttachmentReference2::default().layout(vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL);
        let subpasses = [vk::SubpassDescription2::default().depth_stencil_attachment(&depth)];
        let info = vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpasses);
        let mut pass = vk::RenderPass::null();
        let app = &scene.app;
        // SAFETY: valid arguments.
        assert_eq!(unsafe { app.vkCreateRenderPass2(app.device, &info, NO, &mut pass) }, vk::Result::SUCCESS);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        scene.record(|_, _| scene.pass(pass, framebuffer, EXTENT, 1));
        scene.submit(scene.buffer);
        scene.stop();
    });
    let (_, frame) = &done.frames()[0];
    let attachment = &frame.passes().next().unwrap().attachments[0];
    assert_eq!(attachment.initial_layout, Layout::UNDEFINED);
    let layout = vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL.as_raw();
    assert_eq!(attachment.stencil_initial_layout, Some(Layout(layout)));
    assert_eq!(frame.unmodelled, [""; 0]);
}

#[test]
fn one_huge_submission_is_left_out_and_the_frames_around_it_are_there() {
    let done = Sandbox::new().set("sync", "1").set("max_frame_ops", "50").set("frame_submits", "1").run(|_| {
        let scene = scene();
        for barriers in [3, 200, 3] {
            scene.record(|_, _| (0..barriers).for_each(|_| barrier(&scene)));
            scene.submit(scene.buffer);
        }
        scene.stop();
    });
    let report = done.folder.report();
    assert_eq!(report.frame_count, 2);
    let [gap] = report.gaps[..] else { panic!("{:?}", report.gaps) };
    assert_eq!((gap.first, gap.count, gap.reason), (1, 1, GapReason::Limit));
    let log = done.folder.log();
    assert!(log.contains("max_frame_ops") && log.contains("VK_TILELENS_TBDR_MAX_FRAME_OPS"), "{log}");
}

#[test]
fn a_failed_submission_does_not_count_towards_the_size_of_the_frame() {
    let done = Sandbox::new().set("sync", "1").set("max_frame_ops", "50").run(|_| {
        let scene = scene();
        let driver = scene.app.driver();
        scene.record(|_, _| (0..40).for_each(|_| barrier(&scene)));
        driver.inject("vkQueueSubmit", vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        submit(&scene, 10);
        driver.heal("vkQueueSubmit");
        submit(&scene, 1);
        scene.stop();
    });
    let frames = done.frames();
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].1.ops().count(), 40);
    assert_eq!(frames[0].1.boundary, Boundary::End, "it was not closed early");
    assert_eq!(done.folder.report().gaps, []);
}

#[test]
fn a_program_that_only_signals_fences_needs_no_memory() {
    Sandbox::new().run(|_| {
        let scene = scene();
        let (app, queue) = (&scene.app, scene.queue);
        app.driver().set_noting(false);
        let label = vk::DebugUtilsLabelEXT::default().label_name(c"a region around nothing");
        let batches = [vk::SubmitInfo::default(); 4];
        let submits = |times: u32| {
            for _ in 0..times {
                // SAFETY: valid arguments.
                let result = unsafe {
                    app.vkQueueBeginDebugUtilsLabelEXT(queue, &label);
                    let result = app.vkQueueSubmit(queue, 4, batches.as_ptr(), vk::Fence::null());
                    app.vkQueueEndDebugUtilsLabelEXT(queue);
                    result
                };
                assert_eq!(result, vk::Result::SUCCESS);
            }
        };
        submits(1000);
        let before = tilelens_tests::memory::resident();
        submits(100_000);
        let grown = tilelens_tests::memory::resident().saturating_sub(before);
        assert!(grown < 1024 * 1024, "{grown} bytes more after 100000 empty submissions");
        scene.app.stop();
    });
}

#[test]
fn images_bound_to_a_swapchain_are_its_images_whether_or_not_their_handles_were_asked_for() {
    for case in ["never asked", "asked later"] {
        let done = Sandbox::new().set("sync", "1").case(case).run(|inside| {
            let scene = scene();
            let app = &scene.app;
            let info = vk::SwapchainCreateInfoKHR::default()
                .min_image_count(3)
                .image_format(RGBA8)
                .image_extent(EXTENT)
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
            let (mut swapchain, mut image) = (vk::SwapchainKHR::null(), vk::Image::null());
            // SAFETY: valid arguments.
            let results = unsafe {
                let created = app.vkCreateSwapchainKHR(app.device, &info, NO, &mut swapchain);
                let mut owner = vk::ImageSwapchainCreateInfoKHR::default().swapchain(swapchain);
                let info = vk::ImageCreateInfo::default()
                    .image_type(vk::ImageType::TYPE_2D)
                    .format(RGBA8)
                    .extent(EXTENT.into())
                    .mip_levels(1)
                    .array_layers(1)
                    .samples(vk::SampleCountFlags::TYPE_1)
                    .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
                    .push_next(&mut owner);
                let imaged = app.vkCreateImage(app.device, &info, NO, &mut image);
                let mut index = vk::BindImageMemorySwapchainInfoKHR::default().swapchain(swapchain).image_index(1);
                let bind = vk::BindImageMemoryInfo::default().image(image).push_next(&mut index);
                [created, imaged, app.vkBindImageMemory2(app.device, 1, &bind)]
            };
            assert_eq!(results, [vk::Result::SUCCESS; 3]);
            let mut target = image;
            if inside.case() == "asked later" {
                let mut images = [vk::Image::null(); 3];
                // SAFETY: room for three handles.
                let result = unsafe { app.vkGetSwapchainImagesKHR(app.device, swapchain, &mut 3, images.as_mut_ptr()) };
                assert_eq!(result, vk::Result::SUCCESS);
                target = images[1];
            }
            let passes = [clear(&scene, image), clear(&scene, target)];
            scene.record(|_, _| {
                passes.iter().for_each(|(pass, framebuffer)| scene.pass(*pass, *framebuffer, EXTENT, 1));
            });
            scene.submit(scene.buffer);
            scene.present(swapchain, 1);
            scene.stop();
        });
        let frames = done.frames();
        let [(_, frame)] = &frames[..] else { panic!("{case}: {frames:?}") };
        assert_eq!(frame.images.len(), 1, "{case}: one image under several handles: {:?}", frame.images);
        assert_eq!(frame.images[0].swapchain, Some(0), "{case}");
        assert_eq!(frame.outputs.len(), 1, "{case}: it is presented");
    }
}

#[test]
fn a_program_without_standard_streams_finds_its_own_files_untouched() {
    let done = Sandbox::new().set("log_file", "").set("frame_submits", "1").set("sync", "1").run(|inside| {
        (0..3).for_each(close);
        let scene = scene();
        one_pass(&scene);
        submit(&scene, 1);
        // The program's files are 0, 1 and 2, and so are none of the layer's.
        let own: Vec<_> = (0..3).map(|n| own_file(&inside.folder.0.join(format!("own{n}")))).collect();
        assert_eq!(own, [0, 1, 2]);
        own.iter().for_each(|file| write(*file, "DATA"));
        submit(&scene, 3);
        scene.app.stop();
    });
    for n in 0..3 {
        assert_eq!(fs::read_to_string(done.folder.0.join(format!("own{n}"))).unwrap(), "DATA");
    }
    assert_eq!(done.folder.report().frame_count, 4);
}

#[test]
fn the_files_of_the_layer_never_take_the_place_of_a_standard_stream() {
    let done = Sandbox::new().set("frame_submits", "1").set("sync", "1").run(|_| {
        (0..3).for_each(close);
        let scene = scene();
        one_pass(&scene);
        submit(&scene, 1);
        for stream in 0..3 {
            // SAFETY: asks about a descriptor, open or not.
            assert_eq!(unsafe { libc::fcntl(stream, libc::F_GETFD) }, -1, "{stream} is open");
        }
        scene.app.stop();
    });
    assert!(done.folder.log().contains("frame=0"));
    assert_eq!(done.folder.report().frame_count, 1);
}

#[test]
fn a_file_that_takes_the_place_of_standard_error_gets_no_log_lines() {
    let done = Sandbox::new().set("log_file", "").set("frame_submits", "1").set("sync", "1").run(|inside| {
        let scene = scene();
        one_pass(&scene);
        submit(&scene, 1);
        close(2);
        assert_eq!(own_file(&inside.folder.0.join("own")), 2);
        write(2, "DATA");
        submit(&scene, 3);
        scene.app.stop();
    });
    assert_eq!(fs::read_to_string(done.folder.0.join("own")).unwrap(), "DATA");
    assert!(done.outcome.stderr.contains("frame=0"), "{}", done.outcome.stderr);
}

#[test]
fn a_log_that_nobody_can_read_any_more_does_not_end_the_program() {
    // A setting that is warned of is a line on the thread that creates the instance; `sync` writes all others there too.
    let done = Sandbox::new().set("log_file", "").set("frame_submits", "1").set("sync", "1").set("queue_frames", "x");
    let done = done.run(|_| {
        close(pipe_as_stderr());
        default_action(libc::SIGPIPE);
        let scene = scene();
        one_pass(&scene);
        submit(&scene, 3);
        // SAFETY: the sets are locals.
        unsafe {
            let (mut blocked, mut pending) = (std::mem::zeroed(), std::mem::zeroed());
            libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &raw mut blocked);
            libc::sigpending(&raw mut pending);
            assert_eq!(libc::sigismember(&raw const blocked, libc::SIGPIPE), 0, "the program's mask is as it was");
            assert_eq!(libc::sigismember(&raw const pending, libc::SIGPIPE), 0);
        }
        scene.app.stop();
    });
    assert_eq!(done.folder.report().frame_count, 3);
}

#[test]
fn a_signal_that_was_pending_for_the_program_is_still_there_after_our_write() {
    let done = Sandbox::new().set("log_file", "").set("frame_submits", "1").set("sync", "1").run(|_| {
        close(pipe_as_stderr());
        default_action(libc::SIGPIPE);
        let scene = scene();
        one_pass(&scene);
        // SAFETY: the sets are locals; the signal is blocked before it is raised.
        let pending = unsafe {
            let (mut pipe, mut pending) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigemptyset(&raw mut pipe);
            libc::sigaddset(&raw mut pipe, libc::SIGPIPE);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const pipe, ptr::null_mut());
            libc::raise(libc::SIGPIPE);
            submit(&scene, 1);
            libc::sigpending(&raw mut pending);
            libc::sigismember(&raw const pending, libc::SIGPIPE)
        };
        assert_eq!(pending, 1);
        scene.app.stop();
    });
    assert_eq!(done.folder.report().frame_count, 1);
}

#[test]
fn a_limit_on_the_size_of_files_does_not_end_the_program() {
    Sandbox::new().set("frame_submits", "1").set("sync", "1").run(|inside| {
        let inside = inside.folder.0.join("reached");
        fs::write(&inside, "").unwrap();
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        default_action(libc::SIGXFSZ);
        // SAFETY: a local struct.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const none) }, 0);
        let scene = scene();
        one_pass(&scene);
        submit(&scene, 3);
        scene.app.stop();
    });
}

#[test]
fn a_primary_that_claims_to_continue_a_pass_keeps_its_barriers() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let scene = scene();
        let flags = vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE;
        let info = vk::CommandBufferBeginInfo::default().flags(flags);
        // SAFETY: valid arguments; the flag is ignored for primaries.
        unsafe {
            assert_eq!(scene.app.vkBeginCommandBuffer(scene.buffer, &info), vk::Result::SUCCESS);
            barrier(&scene);
            assert_eq!(scene.app.vkEndCommandBuffer(scene.buffer), vk::Result::SUCCESS);
        }
        scene.submit(scene.buffer);
        scene.stop();
    });
    let (_, frame) = &done.frames()[0];
    assert!(matches!(frame.ops().collect::<Vec<_>>()[..], [Op::Barrier(_)]), "{frame:?}");
}

#[test]
fn what_is_wrong_with_a_setting_is_said_once_and_not_for_every_device() {
    let sandbox = Sandbox::new().set("sync", "1").set("queue_frames", "many").set("gpu", "riva-tnt2");
    let done = sandbox.run(|_| {
        for _ in 0..2 {
            scene().stop();
        }
    });
    let log = done.folder.log();
    let complaints = |word: &str| log.lines().filter(|l| l.contains("warn:") && l.contains(word)).count();
    assert_eq!((complaints("queue_frames"), complaints("riva-tnt2")), (1, 1), "{log}");
}

#[test]
fn the_log_says_where_the_results_lie_and_what_they_advise() {
    let done = Sandbox::new().set("gpu", "mali-g76,mali-g72").set("frame_submits", "1").run(|_| {
        let scene = scene();
        one_pass(&scene);
        submit(&scene, 4);
        scene.stop();
    });
    let log = done.folder.log();
    let capture = done.folder.files("capture.jsonl").remove(0);
    let line = log.lines().find(|l| l.contains("capture.jsonl and report.json")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.starts_with("tilelens: info: ") && line.contains(capture.parent().unwrap().to_str().unwrap()));
    let report = done.folder.report();
    // A store that every later frame clears unread.
    assert!(!report.findings.is_empty());
    for finding in report.findings.iter().take(10) {
        let (name, fix): (_, String) = (&finding.name, finding.fix.chars().take(40).collect());
        let told = log.lines().filter(|l| l.contains(&finding.code) && l.contains(name) && l.contains(&fix)).count();
        assert!(told > 0, "{finding:?}: {log}");
    }
    let saving = report.findings.iter().find_map(|f| f.saving.get("mali-g76")).unwrap();
    assert!(log.contains(&format!("{} {} B a frame on mali-g76", saving.basis.sign(), saving.value)), "{log}");
    assert!(log.lines().all(|l| l.starts_with("tilelens: info: ")), "{log}");
}

#[test]
fn who_started_the_program_learns_that_the_layer_stepped_aside() {
    let folder = tilelens_tests::sandbox::Folder::new();
    let run_log = folder.0.join("run.jsonl");
    Sandbox::new().set("run_log", run_log.to_str().unwrap()).set("inject_panic", "vkCmdDraw").run(|_| {
        let scene = scene();
        one_pass(&scene);
        submit(&scene, 1);
        scene.stop();
    });
    let told = fs::read_to_string(&run_log).unwrap();
    let events: Vec<serde_json::Value> = told.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let events: Vec<_> = events.iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["instance", "device", "fault"]);
}

#[test]
fn an_output_is_never_put_in_the_place_of_a_pipe_a_device_a_socket_or_a_folder() {
    let folder = tilelens_tests::sandbox::Folder::new();
    let [pipe, socket, inner] = ["pipe", "socket", "inner"].map(|name| folder.0.join(name));
    let path = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: a terminated string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    let _socket = UnixListener::bind(&socket).unwrap();
    fs::create_dir(&inner).unwrap();
    for (path, kind) in
        [(&pipe, "a pipe"), (&socket, "a socket"), (&inner, "a folder"), (&"/dev/null".into(), "a device")]
    {
        let before = path.metadata().unwrap().file_type();
        let error = write_atomic(path, b"x", Access::Umask).unwrap_err().to_string();
        assert!(error.contains(path.to_str().unwrap()) && error.contains(kind), "{error}");
        assert_eq!(path.metadata().unwrap().file_type(), before, "{error}");
    }
    let left: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "nothing else is left behind: {left:?}");
}
