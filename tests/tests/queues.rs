//! Several queues: what the layer records of their order, and what it makes of it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::fs;
use std::ptr;
use tbdr_model::frame::{FrameStructure, Op, SemaphoreStages, StageMasks, SubmissionRef};
use tbdr_model::record::{FrameRecord, Queues, Record};
use tilelens_tests::fake::{App, Chain, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::{Image, Scene, attachment};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const ALL: [vk::PipelineStageFlags; 1] = [vk::PipelineStageFlags::ALL_COMMANDS];
const COLOR: vk::PipelineStageFlags = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;

/// A device with a queue of each of two families, and a command buffer for each.
struct Two {
    scene: Scene,
    other: vk::Queue,
    copies: vk::CommandBuffer,
    swapchain: vk::SwapchainKHR,
}

impl Two {
    fn new(chain: &Chain) -> Self {
        let priority = [1.0];
        let families =
            [0, 1].map(|f| vk::DeviceQueueCreateInfo::default().queue_family_index(f).queue_priorities(&priority));
        let app = chain.start();
        let app = app.open_device(&vk::DeviceCreateInfo::default().queue_create_infos(&families)).unwrap();
        let scene = Scene::new(app);
        let other = scene.app.queue(1, 0);
        let copies = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
        let extent = vk::Extent2D { width: 64, height: 64 };
        let (swapchain, _) = scene.swapchain(RGBA8, extent);
        Self { scene, other, copies, swapchain }
    }

    fn app(&self) -> &App {
        &self.scene.app
    }

    fn semaphore(&self, timeline: bool) -> vk::Semaphore {
        let kind = if timeline { vk::SemaphoreType::TIMELINE } else { vk::SemaphoreType::BINARY };
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let mut semaphore = vk::Semaphore::null();
        // SAFETY: valid arguments.
        unsafe { self.app().vkCreateSemaphore(self.app().device, &info, NO, &mut semaphore).result().unwrap() };
        semaphore
    }

    fn fence(&self) -> vk::Fence {
        let mut fence = vk::Fence::null();
        // SAFETY: valid arguments.
        unsafe { self.app().vkCreateFence(self.app().device, &vk::FenceCreateInfo::default(), NO, &mut fence) }
            .result()
            .unwrap();
        fence
    }

    /// Records a pass that renders to an image, and a copy of the image on the other queue.
    fn record(&self, image: &Image) {
        let scene = &self.scene;
        let pass = scene.render_pass(&[attachment(image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[image]);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        scene.record_into(self.copies, |app, cb| {
            let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
            let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(image.extent.into());
            // SAFETY: valid arguments; the copy goes to a buffer that the layer does not know.
            unsafe {
                let layout = vk::ImageLayout::GENERAL;
                app.vkCmdCopyImageToBuffer(cb, image.image, layout, vk::Buffer::null(), 1, &region);
            }
        });
    }

    fn submit(
        &self,
        queue: vk::Queue,
        buffer: vk::CommandBuffer,
        waits: &[vk::Semaphore],
        signals: &[vk::Semaphore],
        fence: vk::Fence,
    ) {
        let buffers = [buffer];
        let info = vk::SubmitInfo::default()
            .command_buffers(&buffers)
            .wait_semaphores(waits)
            .wait_dst_stage_mask(&ALL[..waits.len()])
            .signal_semaphores(signals);
        // SAFETY: valid arguments.
        unsafe { self.app().vkQueueSubmit(queue, 1, &info, fence).result().unwrap() };
    }
}

/// What a capture holds.
struct Captured {
    structures: Vec<FrameStructure>,
    frames: Vec<FrameRecord>,
    queues: Vec<Queues>,
}

fn captured(done: &Done) -> Captured {
    let mut captured = Captured { structures: Vec::new(), frames: Vec::new(), queues: Vec::new() };
    let text = fs::read_to_string(&done.folder.files("capture.jsonl")[0]).unwrap();
    for line in text.lines().skip(1) {
        match serde_json::from_str::<Record>(line).unwrap() {
            Record::Structure { frame, .. } => captured.structures.push(frame),
            Record::Frame(frame) => captured.frames.push(frame),
            Record::Queues(queues) => captured.queues.push(queues),
            _ => {}
        }
    }
    captured
}

fn here(submission: u32) -> SubmissionRef {
    SubmissionRef { frames_ago: 0, submission }
}

#[test]
fn a_steady_program_of_two_queues_has_one_structure_that_says_their_order() {
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let two = Two::new(&Chain::new(Options::default()));
        let image = two.scene.image(RGBA8, 64, 64, 1);
        two.record(&image);
        let (rendered, copied, fence) = (two.semaphore(false), two.semaphore(false), two.fence());
        for frame in 0..20 {
            let waits: &[_] = if frame > 0 { &[copied] } else { &[] };
            two.submit(two.scene.queue, two.scene.buffer, waits, &[rendered], vk::Fence::null());
            two.submit(two.other, two.copies, &[rendered], &[copied], fence);
            two.scene.present(two.swapchain, 0);
            // A program that looks at its fence at odd times.
            if frame % 3 != 1 {
                // SAFETY: live handles.
                unsafe {
                    let _ = two.app().vkGetFenceStatus(two.app().device, fence);
                    let _ = two.app().vkResetFences(two.app().device, 1, &fence);
                }
            }
        }
        two.app().driver().assert_neutral();
        two.scene.app.stop();
    });
    let captured = captured(&done);
    let after: Vec<Vec<_>> =
        captured.structures.iter().map(|s| s.submissions.iter().map(|s| s.after.clone()).collect()).collect();
    let back = SubmissionRef { frames_ago: 1, submission: 1 };
    assert_eq!(after, [[vec![], vec![here(0)]], [vec![back], vec![here(0)]]], "the first frame, then all others");
    assert_eq!(captured.frames.len(), 20);
    assert_eq!(captured.queues.iter().map(|q| (q.count, q.created)).collect::<Vec<_>>(), [(2, 2)]);
    assert!(captured.frames[1].waited.iter().any(|w| w.before == 0 && w.done.frames_ago == 1));
    assert!(captured.frames[2].waited.is_empty(), "nothing new was seen");
    let families: Vec<_> = captured.structures[1].submissions.iter().map(|s| s.family).collect();
    assert_eq!(families, [Some(0), Some(1)]);
}

#[test]
fn a_timeline_may_be_waited_for_before_it_is_signalled() {
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let two = Two::new(&Chain::new(Options::default()));
        let image = two.scene.image(RGBA8, 64, 64, 1);
        two.record(&image);
        let timelines = [two.semaphore(true)];
        let buffers = [two.copies];
        for frame in 1..4u64 {
            let values = [frame];
            let mut points = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
            let info = vk::SubmitInfo::default()
                .command_buffers(&buffers)
                .wait_semaphores(&timelines)
                .wait_dst_stage_mask(&ALL)
                .push_next(&mut points);
            // SAFETY: valid arguments.
            unsafe { two.app().vkQueueSubmit(two.other, 1, &info, vk::Fence::null()).result().unwrap() };
            let rendered = [vk::SemaphoreSubmitInfo::default().semaphore(timelines[0]).value(frame)];
            let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(two.scene.buffer)];
            let info = vk::SubmitInfo2::default().command_buffer_infos(&buffers).signal_semaphore_infos(&rendered);
            // SAFETY: valid arguments.
            unsafe { two.app().vkQueueSubmit2(two.scene.queue, 1, &info, vk::Fence::null()).result().unwrap() };
            two.scene.present(two.swapchain, 0);
        }
        two.scene.app.stop();
    });
    let captured = captured(&done);
    assert_eq!(captured.structures.len(), 1);
    let after: Vec<_> = captured.structures[0].submissions.iter().map(|s| s.after.clone()).collect();
    assert_eq!(after, [vec![here(1)], vec![]]);
}

#[test]
fn a_submission_that_fails_orders_nothing() {
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let two = Two::new(&Chain::new(Options::default()));
        let image = two.scene.image(RGBA8, 64, 64, 1);
        two.record(&image);
        let rendered = two.semaphore(false);
        two.submit(two.scene.queue, two.scene.buffer, &[], &[rendered], vk::Fence::null());
        two.app().driver().inject("vkQueueSubmit", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        let info = vk::SubmitInfo::default();
        // SAFETY: valid arguments.
        assert!(unsafe { two.app().vkQueueSubmit(two.other, 1, &info, vk::Fence::null()) } != vk::Result::SUCCESS);
        two.app().driver().heal("vkQueueSubmit");
        two.submit(two.other, two.copies, &[rendered], &[], vk::Fence::null());
        two.scene.present(two.swapchain, 0);
        two.scene.app.stop();
    });
    assert!(captured(&done).structures[0].submissions.iter().all(|s| s.after.is_empty()));
}

#[test]
fn a_semaphore_that_others_may_signal_orders_nothing() {
    for (case, expected) in
        [("own", vec![here(0)]), ("fd", vec![]), ("win32", vec![]), ("zircon", vec![]), ("metal", vec![])]
    {
        let done = Sandbox::new().set("sync", "on").case(case).run(|inside| {
            let two = Two::new(&Chain::new(Options::default()));
            let image = two.scene.image(RGBA8, 64, 64, 1);
            two.record(&image);
            let (app, device) = (two.app(), two.app().device);
            let mut rendered = two.semaphore(false);
            if inside.case() == "metal" {
                let mut event = vk::ImportMetalSharedEventInfoEXT::default();
                let info = vk::SemaphoreCreateInfo::default().push_next(&mut event);
                // SAFETY: valid arguments.
                unsafe { app.vkCreateSemaphore(device, &info, NO, &mut rendered).result().unwrap() };
            }
            two.submit(two.scene.queue, two.scene.buffer, &[], &[rendered], vk::Fence::null());
            let fd = vk::ImportSemaphoreFdInfoKHR::default().semaphore(rendered);
            let win32 = vk::ImportSemaphoreWin32HandleInfoKHR::default().semaphore(rendered);
            let zircon = vk::ImportSemaphoreZirconHandleInfoFUCHSIA::default().semaphore(rendered);
            // SAFETY: valid arguments.
            let imported = unsafe {
                match inside.case() {
                    "fd" => app.vkImportSemaphoreFdKHR(device, &fd),
                    "win32" => app.vkImportSemaphoreWin32HandleKHR(device, &win32),
                    "zircon" => app.vkImportSemaphoreZirconHandleFUCHSIA(device, &zircon),
                    _ => vk::Result::SUCCESS,
                }
            };
            imported.result().unwrap();
            two.submit(two.other, two.copies, &[rendered], &[], vk::Fence::null());
            two.scene.present(two.swapchain, 0);
            app.driver().assert_neutral();
            two.scene.app.stop();
        });
        assert_eq!(captured(&done).structures[0].submissions[1].after, expected, "{case}");
    }
}

#[test]
fn an_event_has_a_number_by_which_its_wait_finds_what_set_it() {
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let scene = Scene::new(Chain::new(Options::default()).start());
        let app = &scene.app;
        let mut events = [vk::Event::null(); 2];
        for event in &mut events {
            // SAFETY: valid arguments.
            unsafe { app.vkCreateEvent(app.device, &vk::EventCreateInfo::default(), NO, event).result().unwrap() };
        }
        scene.record(|app, cb| {
            let stage = vk::PipelineStageFlags::ALL_COMMANDS;
            // SAFETY: valid arguments.
            unsafe {
                app.vkCmdSetEvent(cb, events[1], stage);
                app.vkCmdSetEvent(cb, events[0], stage);
                app.vkCmdWaitEvents(cb, 1, &events[0], stage, stage, 0, ptr::null(), 0, ptr::null(), 0, ptr::null());
                app.vkCmdResetEvent(cb, events[1], stage);
            }
        });
        scene.submit(scene.buffer);
        scene.app.stop();
    });
    let structure = &captured(&done).structures[0];
    let numbers: Vec<_> = structure
        .ops()
        .map(|op| match op {
            Op::Event(event) => event.event.0,
            Op::Barrier(barrier) => barrier.events[0].0,
            _ => u32::MAX,
        })
        .collect();
    assert_eq!(numbers, [0, 1, 1, 0]);
}

#[test]
fn an_image_presented_after_the_last_submission_is_an_output() {
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let two = Two::new(&Chain::new(Options::default()));
        let image = two.scene.image(RGBA8, 64, 64, 1);
        two.record(&image);
        two.submit(two.scene.queue, two.scene.buffer, &[], &[], vk::Fence::null());
        two.scene.present(two.swapchain, 0);
        two.scene.present(two.swapchain, 1);
        two.scene.app.stop();
    });
    let captured = captured(&done);
    assert_eq!(captured.frames.len(), 2);
    assert_eq!((captured.structures[1].submissions.len(), captured.structures[1].early_outputs.len()), (0, 1));
}

#[test]
fn several_devices_in_a_group_are_named_as_not_modelled() {
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let chain = Chain::new(Options::default());
        let first = chain.start();
        let physical = [first.physical; 2];
        let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&physical);
        let scene = Scene::new(first.open_device(&vk::DeviceCreateInfo::default().push_next(&mut group)).unwrap());
        let image = scene.image(RGBA8, 64, 64, 1);
        let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
        scene.submit(scene.buffer);
        scene.app.stop();
    });
    let report = done.folder.report();
    assert!(report.not_modelled.iter().any(|n| n.contains("several physical devices")), "{:?}", report.not_modelled);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

#[test]
fn the_first_use_of_an_image_may_be_a_copy_on_a_queue_that_owns_it_by_nothing_but_use() {
    // The families of the last owner are unknown before the first use; a checker once fell over that (VVL #12449).
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let two = Two::new(&Chain::new(Options::default()));
        let image = two.scene.image(RGBA8, 64, 64, 1);
        two.record(&image);
        two.submit(two.other, two.copies, &[], &[], vk::Fence::null());
        two.submit(two.scene.queue, two.scene.buffer, &[], &[], vk::Fence::null());
        two.scene.present(two.swapchain, 0);
        two.scene.app.stop();
    });
    assert!(done.folder.report().findings.is_empty());
}

#[test]
fn the_stages_that_wait_for_semaphores_are_recorded_with_those_of_empty_batches_before() {
    let done = Sandbox::new().set("sync", "on").run(|_| {
        let two = Two::new(&Chain::new(Options::default()));
        let image = two.scene.image(RGBA8, 64, 64, 1);
        two.record(&image);
        let (queue, no_fence) = (two.scene.queue, vk::Fence::null());
        let present = || two.scene.present(two.swapchain, 0);
        let buffers = [two.scene.buffer];
        let semaphores = [two.semaphore(false), two.semaphore(false)];
        // Two semaphores, vkQueueSubmit.
        let stages = [vk::PipelineStageFlags::TRANSFER | COLOR, COLOR];
        let info = vk::SubmitInfo::default().command_buffers(&buffers);
        let info = info.wait_semaphores(&semaphores).wait_dst_stage_mask(&stages).signal_semaphores(&semaphores);
        // SAFETY: valid arguments.
        unsafe { two.app().vkQueueSubmit(queue, 1, &info, no_fence).result().unwrap() };
        present();
        // An empty batch that waits, then one that waits at no stage and signals after some and after all, vkQueueSubmit2.
        let at = |mask| vk::SemaphoreSubmitInfo::default().semaphore(semaphores[0]).stage_mask(mask);
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(two.scene.buffer)];
        let submit = |batches: &[vk::SubmitInfo2<'_>]| {
            // SAFETY: valid arguments.
            unsafe {
                two.app().vkQueueSubmit2(queue, batches.len() as u32, batches.as_ptr(), no_fence).result().unwrap()
            };
        };
        let full = || vk::SubmitInfo2::default().command_buffer_infos(&buffers);
        let (early, none) = ([at(vk::PipelineStageFlags2::COMPUTE_SHADER)], [at(vk::PipelineStageFlags2::NONE)]);
        let signals = [at(vk::PipelineStageFlags2::ALL_GRAPHICS), at(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let empty = vk::SubmitInfo2::default().wait_semaphore_infos(&early);
        submit(&[empty, full().wait_semaphore_infos(&none).signal_semaphore_infos(&signals)]);
        present();
        submit(&[full()]);
        present();
        // An empty batch that signals after some stages has no place in the record.
        submit(&[vk::SubmitInfo2::default().signal_semaphore_infos(&signals), full()]);
        present();
        two.app().driver().assert_neutral();
        two.scene.app.stop();
    });
    let captured = captured(&done);
    let stages: Vec<_> = captured.structures.iter().map(|s| s.submissions[0].semaphores).collect();
    let (color, transfer, compute, all, graphics) = (0x400, 0x1000, 0x800, 0x1_0000, 0x8000);
    let none = StageMasks::default();
    let expected = [
        Some(SemaphoreStages { waits: StageMasks { any: transfer | color, every: color }, signals: none }),
        Some(SemaphoreStages { waits: StageMasks { any: compute | all, every: 0 }, signals: none.and(graphics) }),
        Some(SemaphoreStages::default()),
        None,
    ];
    assert_eq!(stages, expected);
}
