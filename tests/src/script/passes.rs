//! Claims about render passes: one scene, one frame, bytes by formula.
//!
//! The areas are multiples of every family's tile, so that the formula is exact: pixels x bytes per texel x samples.

use super::{Image, NO, Scene};
use crate::fake::{Chain, Options};
use crate::sandbox::Sandbox;
use ash::vk;
use std::ffi::c_void;
use tbdr_model::report::{Entry, Frame, Report};

/// GPUs that are modelled: each does what is asked and no more.
pub const GPUS: [&str; 3] = ["mali-g76", "adreno-650", "apple-m1"];
/// Width of every area.
pub const WIDTH: u32 = 512;
/// Height of every area.
pub const HEIGHT: u32 = 256;
/// One load or one store of a 32-bit attachment.
pub const A: u64 = WIDTH as u64 * HEIGHT as u64 * 4;
/// The whole area.
pub const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: WIDTH, height: HEIGHT } };
/// The 32-bit format of most attachments.
pub const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// The layout of most attachments.
pub const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
/// VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ.
pub const LOCAL_READ: vk::ImageLayout = vk::ImageLayout::RENDERING_LOCAL_READ_KHR;
/// VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT.
pub const FEEDBACK: vk::ImageLayout = vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT;
/// Cleared and kept.
pub const CLEAR_STORE: (vk::AttachmentLoadOp, vk::AttachmentStoreOp) =
    (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
/// Cleared and dropped.
pub const CLEAR_DROP: (vk::AttachmentLoadOp, vk::AttachmentStoreOp) =
    (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE);
/// Loaded and kept.
pub const LOAD_STORE: (vk::AttachmentLoadOp, vk::AttachmentStoreOp) =
    (vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE);

/// Runs `body` in a scene, under the name of a case.
pub fn run(case: &str, body: impl FnOnce(&Scene, &str)) -> Report {
    let done = Sandbox::new().set("sync", "1").set("gpu", &GPUS.join(",")).case(case).of(&body).run(|inside| {
        let scene = Scene::new(Chain::new(Options::default()).start());
        body(&scene, inside.case());
        let driver = scene.app.driver();
        scene.app.stop();
        driver.assert_neutral();
    });
    done.folder.report()
}

/// The only frame of a report.
#[track_caller]
pub fn only(report: &Report) -> &Frame {
    assert_eq!(report.frames.len(), 1, "{:?}", report.frames);
    &report.frames[0]
}

/// Asserts bytes read and written of the only frame, for every GPU.
#[track_caller]
pub fn assert_bytes(report: &Report, read: u64, write: u64) {
    for gpu in GPUS {
        let bytes = &only(report).gpus[gpu];
        assert_eq!((bytes.read_bytes.0, bytes.write_bytes.0), (read, write), "{gpu}: {bytes:?}");
    }
}

/// Entries of a GPU with this cause.
pub fn entries<'a>(report: &'a Report, gpu: &str, cause: &str) -> Vec<&'a Entry> {
    only(report).gpus[gpu].passes.iter().flat_map(|p| &p.entries).filter(|e| e.cause == cause).collect()
}

/// What is named as not modelled and has to do with this word.
pub fn named(report: &Report, word: &str) -> Vec<String> {
    report.not_modelled.iter().filter(|item| item.contains(word)).cloned().collect()
}

/// An attachment of a render pass of the second form, with the same operations for stencil.
pub fn described(
    image: &Image,
    ops: (vk::AttachmentLoadOp, vk::AttachmentStoreOp),
) -> vk::AttachmentDescription2<'static> {
    vk::AttachmentDescription2::default()
        .format(image.format)
        .samples(image.samples)
        .load_op(ops.0)
        .store_op(ops.1)
        .stencil_load_op(ops.0)
        .stencil_store_op(ops.1)
        .initial_layout(GENERAL)
        .final_layout(GENERAL)
}

/// A reference to attachment number `attachment`.
pub fn at(attachment: u32) -> vk::AttachmentReference2<'static> {
    vk::AttachmentReference2::default().attachment(attachment).layout(GENERAL).aspect_mask(vk::ImageAspectFlags::COLOR)
}

/// vkCreateRenderPass2.
pub fn create_pass(scene: &Scene, info: &vk::RenderPassCreateInfo2<'_>) -> vk::RenderPass {
    let mut pass = vk::RenderPass::null();
    // SAFETY: valid arguments.
    unsafe { scene.app.vkCreateRenderPass2(scene.app.device, info, NO, &mut pass).result().unwrap() };
    pass
}

/// Records and submits one instance of the pass with a draw in each subpass.
pub fn submit_pass(scene: &Scene, pass: vk::RenderPass, images: &[&Image], subpasses: u32, next: *const c_void) {
    let framebuffer = scene.framebuffer(pass, images);
    let mut begin = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(AREA);
    begin.p_next = next;
    scene.record(|app, cb| {
        // SAFETY: a recording command buffer and valid structs.
        unsafe {
            app.vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE);
            for subpass in 0..subpasses {
                if subpass > 0 {
                    app.vkCmdNextSubpass(cb, vk::SubpassContents::INLINE);
                }
                app.vkCmdDraw(cb, 3, 1, 0, 0);
            }
            app.vkCmdEndRenderPass(cb);
        }
    });
    scene.submit(scene.buffer);
}

/// An attachment of dynamic rendering.
pub fn color(
    image: &Image,
    ops: (vk::AttachmentLoadOp, vk::AttachmentStoreOp),
    layout: vk::ImageLayout,
) -> vk::RenderingAttachmentInfo<'static> {
    vk::RenderingAttachmentInfo::default().image_view(image.view).image_layout(layout).load_op(ops.0).store_op(ops.1)
}

/// Dynamic rendering over the whole area.
pub fn rendering<'a>(colors: &'a [vk::RenderingAttachmentInfo<'a>]) -> vk::RenderingInfo<'a> {
    vk::RenderingInfo::default().render_area(AREA).layer_count(1).color_attachments(colors)
}

/// Records and submits one dynamic rendering with a draw before and after `between`.
pub fn submit_rendering(scene: &Scene, info: &vk::RenderingInfo<'_>, between: impl FnOnce(vk::CommandBuffer)) {
    scene.record(|app, cb| {
        // SAFETY: a recording command buffer and valid structs.
        unsafe {
            app.vkCmdBeginRendering(cb, info);
            app.vkCmdDraw(cb, 3, 1, 0, 0);
            between(cb);
            app.vkCmdDraw(cb, 3, 1, 0, 0);
            app.vkCmdEndRendering(cb);
        }
    });
    scene.submit(scene.buffer);
}

/// A struct of a type that is given, with room for fields.
#[repr(C)]
pub struct Extending {
    s_type: vk::StructureType,
    next: *const c_void,
    fields: [u64; 8],
}

/// A struct of this type.
pub fn extending(s_type: i32, next: *const c_void, fields: [u64; 8]) -> Extending {
    Extending { s_type: vk::StructureType::from_raw(s_type), next, fields }
}
