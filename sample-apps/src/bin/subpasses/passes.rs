//! The render passes: one with two subpasses, or two with one subpass each.
//!
//! Attachment 0 is the output, 1 the depth, 2 the albedo, 3 the normal, in every pass.

use crate::options::{Options, Switch};
use crate::targets::{DEPTH, OUTPUT, Targets};
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::owned::Owned;
use tilelens_samples::readback::COPIED;
use vk::AccessFlags as Access;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::PipelineStageFlags as Stage;

/// Layout of colour while it is drawn.
pub const DRAWN: Layout = Layout::COLOR_ATTACHMENT_OPTIMAL;
/// Layout of depth while it is drawn.
pub const TESTED: Layout = Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
/// Layout of colour while it is an input attachment.
pub const READ: Layout = Layout::SHADER_READ_ONLY_OPTIMAL;
/// Layout of depth while it is an input attachment.
pub const DEPTH_READ: Layout = Layout::DEPTH_STENCIL_READ_ONLY_OPTIMAL;

/// A render pass and its framebuffer.
pub struct Pass<'g> {
    /// The framebuffer of all four attachments.
    pub framebuffer: Owned<'g, vk::Framebuffer>,
    /// The render pass.
    pub pass: Owned<'g, vk::RenderPass>,
}

/// Load and store operation, and the layouts before and after the pass, of one attachment.
type Use = (Load, Store, Layout, Layout);

/// Geometry and lighting as subpasses of one pass: only the output leaves it.
pub fn merged<'g>(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>) -> Result<Pass<'g>, Error> {
    let uses = [
        (Load::CLEAR, Store::STORE, Layout::UNDEFINED, COPIED),
        (Load::CLEAR, Store::DONT_CARE, Layout::UNDEFINED, DEPTH_READ),
        (Load::CLEAR, Store::DONT_CARE, Layout::UNDEFINED, READ),
        (Load::CLEAR, Store::DONT_CARE, Layout::UNDEFINED, READ),
    ];
    let between = vk::SubpassDependency::default()
        .src_subpass(0)
        .dst_subpass(1)
        .src_stage_mask(Stage::COLOR_ATTACHMENT_OUTPUT | Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS)
        .dst_stage_mask(Stage::FRAGMENT_SHADER)
        .src_access_mask(Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE)
        .dst_access_mask(Access::INPUT_ATTACHMENT_READ)
        .dependency_flags(match options.by_region {
            Switch::On => vk::DependencyFlags::BY_REGION,
            Switch::Off => vk::DependencyFlags::empty(),
        });
    let dependencies = [last_frame_read(0), last_frame_copied(1), between, copied_after(1)];
    create(gpu, options, targets, "geometry and lighting", &uses, &[geometry(), lighting()], &dependencies)
}

/// The first of two passes: everything is stored. No subpass uses the output, so its operations do nothing.
pub fn geometry_pass<'g>(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>) -> Result<Pass<'g>, Error> {
    let uses = [
        (Load::CLEAR, Store::STORE, Layout::UNDEFINED, DRAWN),
        (Load::CLEAR, Store::STORE, Layout::UNDEFINED, TESTED),
        (Load::CLEAR, Store::STORE, Layout::UNDEFINED, DRAWN),
        (Load::CLEAR, Store::STORE, Layout::UNDEFINED, DRAWN),
    ];
    let dependencies = [last_frame_read(0), last_frame_copied(0)];
    create(gpu, options, targets, "geometry", &uses, &[geometry()], &dependencies)
}

/// The second of two passes: the G-buffer is loaded back.
pub fn lighting_pass<'g>(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>) -> Result<Pass<'g>, Error> {
    let uses = [
        (Load::DONT_CARE, Store::STORE, Layout::UNDEFINED, COPIED),
        (Load::LOAD, Store::DONT_CARE, DEPTH_READ, DEPTH_READ),
        (Load::LOAD, Store::DONT_CARE, READ, READ),
        (Load::LOAD, Store::DONT_CARE, READ, READ),
    ];
    let dependencies = [last_frame_copied(0), copied_after(0)];
    create(gpu, options, targets, "lighting", &uses, &[lighting()], &dependencies)
}

/// The barriers between the two passes: what was drawn becomes readable, by the loads and as input attachments.
pub fn barriers(targets: &Targets<'_>) -> (Stage, Stage, [vk::ImageMemoryBarrier<'static>; 3]) {
    let colour = [Access::COLOR_ATTACHMENT_WRITE, Access::COLOR_ATTACHMENT_READ | Access::INPUT_ATTACHMENT_READ];
    let depth =
        [Access::DEPTH_STENCIL_ATTACHMENT_WRITE, Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::INPUT_ATTACHMENT_READ];
    (
        Stage::COLOR_ATTACHMENT_OUTPUT | Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
        Stage::COLOR_ATTACHMENT_OUTPUT | Stage::EARLY_FRAGMENT_TESTS | Stage::FRAGMENT_SHADER,
        [
            targets.depth.barrier([TESTED, DEPTH_READ], depth),
            targets.albedo.barrier([DRAWN, READ], colour),
            targets.normal.barrier([DRAWN, READ], colour),
        ],
    )
}

/// What a subpass writes and reads.
struct Subpass {
    colours: Vec<vk::AttachmentReference>,
    depth: Option<vk::AttachmentReference>,
    inputs: Vec<vk::AttachmentReference>,
}

fn reference(attachment: u32, layout: Layout) -> vk::AttachmentReference {
    vk::AttachmentReference { attachment, layout }
}

/// Writes depth, albedo and normal.
fn geometry() -> Subpass {
    Subpass {
        colours: vec![reference(2, DRAWN), reference(3, DRAWN)],
        depth: Some(reference(1, TESTED)),
        inputs: Vec::new(),
    }
}

/// Reads depth, albedo and normal, writes the output.
fn lighting() -> Subpass {
    Subpass {
        colours: vec![reference(0, DRAWN)],
        depth: None,
        inputs: vec![reference(1, DEPTH_READ), reference(2, READ), reference(3, READ)],
    }
}

/// The G-buffer is written again once the last frame's lighting has read it.
fn last_frame_read(subpass: u32) -> vk::SubpassDependency {
    let stages = Stage::COLOR_ATTACHMENT_OUTPUT | Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS;
    let written = Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
    vk::SubpassDependency::default()
        .src_subpass(vk::SUBPASS_EXTERNAL)
        .dst_subpass(subpass)
        .src_stage_mask(stages | Stage::FRAGMENT_SHADER)
        .dst_stage_mask(stages)
        .src_access_mask(written)
        .dst_access_mask(written | Access::DEPTH_STENCIL_ATTACHMENT_READ)
}

/// The output is written again once the last frame's has been copied.
fn last_frame_copied(subpass: u32) -> vk::SubpassDependency {
    vk::SubpassDependency::default()
        .src_subpass(vk::SUBPASS_EXTERNAL)
        .dst_subpass(subpass)
        .src_stage_mask(Stage::TRANSFER | Stage::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(Stage::COLOR_ATTACHMENT_OUTPUT)
        .src_access_mask(Access::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(Access::COLOR_ATTACHMENT_WRITE)
}

/// The output is copied once it is written.
fn copied_after(subpass: u32) -> vk::SubpassDependency {
    vk::SubpassDependency::default()
        .src_subpass(subpass)
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(Stage::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(Stage::TRANSFER)
        .src_access_mask(Access::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(Access::TRANSFER_READ)
}

fn create<'g>(
    gpu: &'g Gpu,
    options: &Options,
    targets: &Targets<'_>,
    name: &str,
    uses: &[Use; 4],
    subpasses: &[Subpass],
    dependencies: &[vk::SubpassDependency],
) -> Result<Pass<'g>, Error> {
    let formats = [OUTPUT, DEPTH, options.g_buffer.albedo(), options.g_buffer.normal()];
    let attachments: Vec<_> = formats
        .iter()
        .zip(uses)
        .map(|(format, (load, store, before, after))| {
            vk::AttachmentDescription::default()
                .format(*format)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(*load)
                .store_op(*store)
                .stencil_load_op(Load::DONT_CARE)
                .stencil_store_op(Store::DONT_CARE)
                .initial_layout(*before)
                .final_layout(*after)
        })
        .collect();
    let descriptions: Vec<_> = subpasses
        .iter()
        .map(|subpass| {
            let description = vk::SubpassDescription::default()
                .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
                .color_attachments(&subpass.colours)
                .input_attachments(&subpass.inputs);
            subpass.depth.iter().fold(description, vk::SubpassDescription::depth_stencil_attachment)
        })
        .collect();
    let pass = gpu.render_pass(
        &vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&descriptions)
            .dependencies(dependencies),
    )?;
    gpu.name_object(pass.get(), name)?;
    let framebuffer = gpu.framebuffer(
        &vk::FramebufferCreateInfo::default()
            .render_pass(pass.get())
            .attachments(&targets.views())
            .width(options.size.width)
            .height(options.size.height)
            .layers(1),
    )?;
    Ok(Pass { framebuffer, pass })
}
