//! What looks like waste to those who take accesses for being where the commands stand: no finding may speak of it.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ptr;
use tbdr_model::frame::AccessKind;
use tbdr_model::report::Report;
use tilelens_spirv::{Element, Use};
use tilelens_tests::fake::{App, Options};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script::passes::{CLEAR_DROP, CLEAR_STORE, at, create_pass, described};
use tilelens_tests::script::shaders::info;
use tilelens_tests::script::{Image, Scene, attachment};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const SAMPLED: vk::DescriptorType = vk::DescriptorType::SAMPLED_IMAGE;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
const NONE: vk::DescriptorBindingFlags = vk::DescriptorBindingFlags::empty();
const PLAIN: vk::DescriptorSetLayoutCreateFlags = vk::DescriptorSetLayoutCreateFlags::empty();
const EXTENT: vk::Extent2D = vk::Extent2D { width: 64, height: 64 };
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const LAYERS: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};

fn sandbox() -> Sandbox {
    Sandbox::new().set("sync", "1").set("gpu", "mali-g76").set("frame_submits", "1")
}

/// All but what is said of the memory of the target that never leaves the chip, which these programs draw to, and of the layout GENERAL, in
/// which all of their images are.
fn codes(report: &Report) -> Vec<String> {
    let said = report.findings.iter().filter(|f| f.code != "TL101" && f.code != "TL407");
    said.map(|f| format!("{} {:?} {:?}", f.code, f.pass, f.attachment)).collect()
}

fn scene() -> Scene {
    Scene::start(Options::newest())
}

/// Image, and a pass over it that clears and stores.
struct Target {
    image: Image,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

fn target(scene: &Scene, load: vk::AttachmentLoadOp, store: vk::AttachmentStoreOp, by_host: bool) -> Target {
    let host = vk::ImageUsageFlags::HOST_TRANSFER_EXT;
    let image = scene.image_with(RGBA8, 64, 64, 1, 1, if by_host { host } else { vk::ImageUsageFlags::SAMPLED });
    let pass = scene.render_pass(&[attachment(&image, load, store)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    Target { image, pass, framebuffer }
}

fn sampled() -> Use {
    Use { set: 0, binding: 0, kind: AccessKind::Sampled, element: Element::One(0) }
}

fn sampler(scene: &Scene, view: vk::ImageView) -> (vk::DescriptorSet, vk::PipelineLayout, vk::Pipeline) {
    let set_layout = scene.set_layout(&[(0, SAMPLED, 1, NONE)], PLAIN);
    let set = scene.descriptor_set(scene.descriptor_pool(), set_layout);
    let layout = scene.pipeline_layout(&[set_layout]);
    scene.write(set, (0, 0), SAMPLED, &[view]);
    (set, layout, scene.graphics(layout, &[sampled()]))
}

fn begin(app: &App, cb: vk::CommandBuffer, pass: vk::RenderPass, framebuffer: vk::Framebuffer) {
    let info = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(EXTENT.into());
    // SAFETY: valid arguments, as the commands demand.
    unsafe { app.vkCmdBeginRenderPass(cb, &info, vk::SubpassContents::INLINE) };
}

/// A frame: shadow cleared and stored, then `inside` runs in a pass over another target.
fn shadow(multi: impl Fn(&App, vk::CommandBuffer)) -> impl FnOnce() {
    move || {
        let scene = scene();
        let shadow = target(&scene, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE, false);
        let main = target(&scene, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE, false);
        let (set, layout, pipeline) = sampler(&scene, shadow.image.view);
        scene.record(|app, cb| {
            scene.pass(shadow.pass, shadow.framebuffer, EXTENT, 0);
            begin(app, cb, main.pass, main.framebuffer);
            // SAFETY: valid arguments, as the commands demand.
            unsafe {
                app.vkCmdBindPipeline(cb, GRAPHICS, pipeline);
                app.vkCmdBindDescriptorSets(cb, GRAPHICS, layout, 0, 1, &set, 0, ptr::null());
                multi(app, cb);
                app.vkCmdEndRenderPass(cb);
            }
        });
        for _ in 0..4 {
            scene.submit(scene.buffer);
        }
        scene.stop();
    }
}

fn timeline(app: &App) -> vk::Semaphore {
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    let mut semaphore = vk::Semaphore::null();
    // SAFETY: valid arguments, as the commands demand.
    unsafe { app.vkCreateSemaphore(app.device, &info, NO, &mut semaphore).result().unwrap() };
    semaphore
}

fn submit2(
    scene: &Scene,
    cb: vk::CommandBuffer,
    wait: Option<(vk::Semaphore, u64)>,
    signal: Option<(vk::Semaphore, u64)>,
) {
    let all = vk::PipelineStageFlags2::ALL_COMMANDS;
    let point = |(s, v)| vk::SemaphoreSubmitInfo::default().semaphore(s).value(v).stage_mask(all);
    let (waits, signals): (Vec<_>, Vec<_>) =
        (wait.map(point).into_iter().collect(), signal.map(point).into_iter().collect());
    let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(cb)];
    let info = vk::SubmitInfo2::default()
        .command_buffer_infos(&buffers)
        .wait_semaphore_infos(&waits)
        .signal_semaphore_infos(&signals);
    // SAFETY: valid arguments, as the commands demand.
    unsafe { scene.app.vkQueueSubmit2(scene.queue, 1, &info, vk::Fence::null()).result().unwrap() };
}

fn host_wait(app: &App, semaphore: vk::Semaphore, value: u64) {
    let (semaphores, values) = ([semaphore], [value]);
    let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
    // SAFETY: valid arguments, as the commands demand.
    unsafe { app.vkWaitSemaphores(app.device, &info, u64::MAX).result().unwrap() };
}

fn host_signal(app: &App, semaphore: vk::Semaphore, value: u64) {
    let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
    // SAFETY: valid arguments, as the commands demand.
    unsafe { app.vkSignalSemaphore(app.device, &info).result().unwrap() };
}

fn read_back(app: &App, image: vk::Image) {
    let mut texels = [0u8; 64 * 64 * 4];
    let regions = [vk::ImageToMemoryCopyEXT::default().image_subresource(LAYERS).image_extent(EXTENT.into())];
    let regions = regions.map(|r| vk::ImageToMemoryCopyEXT { p_host_pointer: texels.as_mut_ptr().cast(), ..r });
    let info = vk::CopyImageToMemoryInfoEXT::default().src_image(image).src_image_layout(GENERAL).regions(&regions);
    // SAFETY: valid arguments, as the commands demand.
    unsafe { app.vkCopyImageToMemory(app.device, &info).result().unwrap() };
}

fn upload(app: &App, image: vk::Image) {
    let texels = [0u8; 64 * 64 * 4];
    let regions = [vk::MemoryToImageCopyEXT::default().image_subresource(LAYERS).image_extent(EXTENT.into())];
    let regions = regions.map(|r| vk::MemoryToImageCopyEXT { p_host_pointer: texels.as_ptr().cast(), ..r });
    let info = vk::CopyMemoryToImageInfoEXT::default().dst_image(image).dst_image_layout(GENERAL).regions(&regions);
    // SAFETY: valid arguments, as the commands demand.
    unsafe { app.vkCopyMemoryToImage(app.device, &info).result().unwrap() };
}

#[test]
fn the_host_reads_between_two_submissions_of_which_the_second_waits_for_it() {
    for frames in ["1", "2"] {
        let done = sandbox().set("frame_submits", frames).case(frames).run(|_| {
            let scene = scene();
            let t = target(&scene, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE, true);
            let semaphore = timeline(&scene.app);
            // One-time: first stores what the host reads; second clears it anew (and its own contents are dropped).
            let second = scene.app.command_buffers(scene.pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
            let drop = scene.render_pass(&[attachment(
                &t.image,
                vk::AttachmentLoadOp::CLEAR,
                vk::AttachmentStoreOp::DONT_CARE,
            )]);
            scene.record(|_, _| scene.pass(t.pass, t.framebuffer, EXTENT, 1));
            scene.record_into(second, |_, cb| scene.pass_into(cb, drop, t.framebuffer, EXTENT.into(), 1));
            for n in 0..4 {
                submit2(&scene, scene.buffer, None, Some((semaphore, 2 * n + 1)));
                submit2(&scene, second, Some((semaphore, 2 * n + 2)), None);
                host_wait(&scene.app, semaphore, 2 * n + 1);
                read_back(&scene.app, t.image.image);
                host_signal(&scene.app, semaphore, 2 * n + 2);
            }
            scene.stop();
        });
        assert_eq!(codes(&done.folder.report()), Vec::<String>::new(), "{frames}");
    }
}

#[test]
fn the_host_uploads_after_the_submission_that_waits_for_it() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let t = target(&scene, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::DONT_CARE, true);
        let semaphore = timeline(&scene.app);
        scene.record(|_, _| scene.pass(t.pass, t.framebuffer, EXTENT, 1));
        submit2(&scene, scene.buffer, Some((semaphore, 1)), None);
        upload(&scene.app, t.image.image);
        host_signal(&scene.app, semaphore, 1);
        scene.stop();
    });
    assert_eq!(codes(&done.folder.report()), Vec::<String>::new());
}

#[test]
fn a_barrier_whose_layouts_are_equal_changes_no_layout() {
    for case in ["two", "one"] {
        let done = sandbox().case(case).run(|inside| {
            let scene = scene();
            let image = scene.image(RGBA8, 64, 64, 1);
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            };
            let store =
                scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
            let load =
                scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::DONT_CARE)]);
            let framebuffer = scene.framebuffer(store, &[&image]);
            scene.record(|app, cb| {
                scene.pass(store, framebuffer, EXTENT, 1);
                // Layouts left zero: both UNDEFINED.
                if inside.case() == "two" {
                    let barriers = [vk::ImageMemoryBarrier2::default()
                        .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                        .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
                        .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                        .dst_access_mask(vk::AccessFlags2::MEMORY_READ)
                        .image(image.image)
                        .subresource_range(range)];
                    let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
                    // SAFETY: valid arguments, as the commands demand.
                    unsafe { app.vkCmdPipelineBarrier2(cb, &info) };
                } else {
                    let barriers = [vk::ImageMemoryBarrier::default().image(image.image).subresource_range(range)];
                    let all = vk::PipelineStageFlags::ALL_COMMANDS;
                    // SAFETY: valid arguments, as the commands demand.
                    unsafe {
                        app.vkCmdPipelineBarrier(
                            cb,
                            all,
                            all,
                            vk::DependencyFlags::empty(),
                            0,
                            ptr::null(),
                            0,
                            ptr::null(),
                            1,
                            barriers.as_ptr(),
                        )
                    };
                }
                scene.pass(load, framebuffer, EXTENT, 1);
            });
            for _ in 0..4 {
                scene.submit(scene.buffer);
            }
            scene.stop();
        });
        assert_eq!(codes(&done.folder.report()), Vec::<String>::new(), "{case}");
    }
}

#[test]
fn a_multi_draw_of_no_draws_before_a_draw_takes_no_read_away() {
    let done = sandbox().run(|_| {
        // SAFETY: valid arguments, as the commands demand.
        shadow(|app, cb| unsafe {
            app.vkCmdDrawMultiEXT(cb, 0, ptr::null(), 1, 0, 0);
            app.vkCmdSetStencilTestEnable(cb, vk::TRUE);
            app.vkCmdDraw(cb, 3, 1, 0, 0);
        })()
    });
    assert_eq!(codes(&done.folder.report()), Vec::<String>::new());
}

#[test]
fn a_map_that_a_draw_samples_is_no_waste() {
    // SAFETY: valid arguments, as the commands demand.
    let done = sandbox().run(|_| shadow(|app, cb| unsafe { app.vkCmdDraw(cb, 3, 1, 0, 0) })());
    assert_eq!(codes(&done.folder.report()), Vec::<String>::new());
}

type Operations = (vk::AttachmentLoadOp, vk::AttachmentStoreOp);

/// Findings about four runs of two subpasses, of which the first renders to one image and the second to another, with these operations.
/// Subpass `sampling` samples the image of the other subpass.
fn two_subpasses<F>(test: &F, operations: [Operations; 2], sampling: usize) -> Vec<String> {
    let done = sandbox().of(test).run(|_| {
        let scene = scene();
        let images = [(); 2].map(|()| scene.image_with(RGBA8, 64, 64, 1, 1, vk::ImageUsageFlags::SAMPLED));
        let (first, second) = ([at(0)], [at(1)]);
        let subpasses = [
            vk::SubpassDescription2::default().color_attachments(&first),
            vk::SubpassDescription2::default().color_attachments(&second),
        ];
        let attachments = [described(&images[0], operations[0]), described(&images[1], operations[1])];
        let (all, access) = (vk::PipelineStageFlags::ALL_GRAPHICS, vk::AccessFlags::MEMORY_WRITE);
        let dependencies = [vk::SubpassDependency2::default()
            .dst_subpass(1)
            .src_stage_mask(all)
            .dst_stage_mask(all)
            .src_access_mask(access)
            .dst_access_mask(access | vk::AccessFlags::MEMORY_READ)];
        let info = vk::RenderPassCreateInfo2::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        let pass = create_pass(&scene, &info);
        let framebuffer = scene.framebuffer(pass, &[&images[0], &images[1]]);
        let (set, layout, pipeline) = sampler(&scene, images[1 - sampling].view);
        scene.record(|app, cb| {
            begin(app, cb, pass, framebuffer);
            for subpass in 0..2 {
                // SAFETY: inside the render pass instance, with live objects.
                unsafe {
                    if subpass == sampling {
                        app.vkCmdBindPipeline(cb, GRAPHICS, pipeline);
                        app.vkCmdBindDescriptorSets(cb, GRAPHICS, layout, 0, 1, &set, 0, ptr::null());
                        app.vkCmdDraw(cb, 3, 1, 0, 0);
                    }
                    if subpass == 0 {
                        app.vkCmdNextSubpass(cb, vk::SubpassContents::INLINE);
                    }
                }
            }
            // SAFETY: inside the render pass instance.
            unsafe { app.vkCmdEndRenderPass(cb) };
        });
        for _ in 0..4 {
            scene.submit(scene.buffer);
        }
        scene.stop();
    });
    codes(&done.folder.report())
}

#[test]
fn a_load_operation_belongs_to_the_first_subpass_that_uses_the_attachment() {
    // The first subpass samples what the frame before stored, before the second clears it.
    assert_eq!(two_subpasses(&|| (), [CLEAR_DROP, CLEAR_STORE], 0), Vec::<String>::new());
}

#[test]
fn a_store_operation_belongs_to_the_last_subpass_that_uses_the_attachment() {
    // The second subpass samples what the first stored.
    assert_eq!(two_subpasses(&|| (), [CLEAR_STORE, CLEAR_DROP], 1), Vec::<String>::new());
}

#[test]
fn a_descriptor_that_the_host_puts_into_memory_before_the_work_may_begin() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let shadow = target(&scene, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE, false);
        let main = target(&scene, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE, false);
        let set_layout =
            scene.set_layout(&[(0, SAMPLED, 1, NONE)], vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT);
        let layout = scene.pipeline_layout(&[set_layout]);
        let pipeline = scene.graphics(layout, &[sampled()]);
        let semaphore = timeline(&scene.app);
        scene.record(|app, cb| {
            scene.pass(shadow.pass, shadow.framebuffer, EXTENT, 0);
            begin(app, cb, main.pass, main.framebuffer);
            // SAFETY: valid arguments, as the commands demand.
            unsafe {
                app.vkCmdBindPipeline(cb, GRAPHICS, pipeline);
                app.vkCmdSetDescriptorBufferOffsetsEXT(cb, GRAPHICS, layout, 0, 1, &0, &0);
                app.vkCmdDraw(cb, 3, 1, 0, 0);
                app.vkCmdEndRenderPass(cb);
            }
        });
        let app = &scene.app;
        for n in 0..4 {
            submit2(&scene, scene.buffer, Some((semaphore, n + 1)), None);
            // A new view each time; asked for after the submission, before it may begin.
            let view = scene.view(shadow.image.image, RGBA8, 1);
            let image = info(view);
            let mut get = vk::DescriptorGetInfoEXT::default().ty(SAMPLED);
            get.data.p_sampled_image = &image;
            let mut memory = [0u8; 64];
            // SAFETY: valid arguments, as the commands demand.
            unsafe { app.vkGetDescriptorEXT(app.device, &get, memory.len(), memory.as_mut_ptr().cast()) };
            host_signal(app, semaphore, n + 1);
            // SAFETY: valid arguments, as the commands demand.
            unsafe { app.vkDestroyImageView(app.device, view, NO) };
        }
        scene.stop();
    });
    assert_eq!(codes(&done.folder.report()), Vec::<String>::new());
}

#[test]
fn an_image_in_zero_initialised_memory_has_contents_to_load() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let zero = vk::ImageLayout::from_raw(1_000_620_000);
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(RGBA8)
            .extent(EXTENT.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .initial_layout(zero);
        let mut image = vk::Image::null();
        // SAFETY: valid arguments, as the commands demand.
        unsafe { scene.app.vkCreateImage(scene.app.device, &info, NO, &mut image).result().unwrap() };
        let view = scene.view(image, RGBA8, 1);
        let image = Image {
            image,
            memory: vk::DeviceMemory::null(),
            view,
            format: RGBA8,
            extent: EXTENT,
            samples: vk::SampleCountFlags::TYPE_1,
        };
        let first = attachment(&image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE).initial_layout(zero);
        let pass = scene.render_pass(&[first]);
        let framebuffer = scene.framebuffer(pass, &[&image]);
        scene.record(|_, _| scene.pass(pass, framebuffer, EXTENT, 1));
        scene.submit(scene.buffer);
        scene.stop();
    });
    assert_eq!(codes(&done.folder.report()), Vec::<String>::new());
}

#[test]
fn a_shading_rate_image_is_read_by_the_draws_it_is_bound_for_and_by_no_others() {
    for (case, read) in [("bound", true), ("bound in another command buffer", false), ("unbound again", false)] {
        let done = sandbox().case(case).run(|inside| {
            let (scene, case) = (scene(), inside.case());
            let rate = vk::ImageUsageFlags::SHADING_RATE_IMAGE_NV;
            let image = scene.image_with(vk::Format::R8_UINT, 64, 64, 1, 1, rate);
            let (clear, dont_care) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE);
            let pass = scene.render_pass(&[attachment(&image, clear, vk::AttachmentStoreOp::STORE)]);
            let framebuffer = scene.framebuffer(pass, &[&image]);
            let main = target(&scene, clear, dont_care, false);
            scene.record(|app, cb| {
                scene.pass(pass, framebuffer, EXTENT, 0);
                let bind = |view| {
                    // SAFETY: a recording command buffer.
                    unsafe { app.vkCmdBindShadingRateImageNV(cb, view, vk::ImageLayout::SHADING_RATE_OPTIMAL_NV) };
                };
                if case != "bound in another command buffer" {
                    bind(image.view);
                }
                if case == "unbound again" {
                    bind(vk::ImageView::null());
                }
                scene.pass(main.pass, main.framebuffer, EXTENT, 1);
            });
            for _ in 0..4 {
                scene.submit(scene.buffer);
            }
            scene.stop();
        });
        let report = done.folder.report();
        let stores = report.findings.iter().filter(|f| f.code == "TL006").count();
        assert_eq!(stores, usize::from(!read), "{case}: {:?}", codes(&report));
    }
}
