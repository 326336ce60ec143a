//! The render passes: the scene with its resolves, and the postprocessing that reads it.

use crate::options::{Options, Variant};
use crate::targets::{COLOUR, DEPTH, Targets};
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

/// Layout of colour while a shader reads it.
pub const READ: Layout = Layout::SHADER_READ_ONLY_OPTIMAL;
/// Layout of depth while a shader reads it.
pub const DEPTH_READ: Layout = Layout::DEPTH_STENCIL_READ_ONLY_OPTIMAL;
const DRAWN: Layout = Layout::COLOR_ATTACHMENT_OPTIMAL;
const TESTED: Layout = Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
/// Stages that write attachments; depth is resolved at the colour output.
const WRITING: Stage = Stage::from_raw(
    Stage::COLOR_ATTACHMENT_OUTPUT.as_raw()
        | Stage::EARLY_FRAGMENT_TESTS.as_raw()
        | Stage::LATE_FRAGMENT_TESTS.as_raw(),
);
const WRITTEN: Access =
    Access::from_raw(Access::COLOR_ATTACHMENT_WRITE.as_raw() | Access::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw());

/// A render pass and its framebuffer.
pub struct Pass<'g> {
    /// The framebuffer.
    pub framebuffer: Owned<'g, vk::Framebuffer>,
    /// The render pass.
    pub pass: Owned<'g, vk::RenderPass>,
}

/// An attachment: its view, and what happens to it.
struct Attachment {
    view: vk::ImageView,
    format: vk::Format,
    samples: vk::SampleCountFlags,
    load: Load,
    store: Store,
    /// The layout after the pass. Before it the contents are undefined in every case.
    after: Layout,
}

/// The pass that draws the scene. Attachment 0 is what is drawn to, 1 its depth, 2 what the colour is resolved to, 3 what the depth is
/// resolved to; the last two where the variant resolves in the pass.
pub fn scene<'g>(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>) -> Result<Pass<'g>, Error> {
    let variant = options.variant;
    let one = vk::SampleCountFlags::TYPE_1;
    let stored = |stored: bool| if stored { Store::STORE } else { Store::DONT_CARE };
    let drawn = targets.multisampled.as_ref().unwrap_or(&targets.output);
    let mut attachments = vec![
        Attachment {
            view: drawn.view(),
            format: COLOUR,
            samples: options.attached(),
            load: Load::CLEAR,
            store: stored(!variant.resolves_in_pass()),
            after: if variant.resolves_in_pass() { DRAWN } else { COPIED },
        },
        Attachment {
            view: targets.depth.view(),
            format: DEPTH,
            samples: options.attached(),
            load: Load::CLEAR,
            store: stored(variant == Variant::Worst),
            after: if variant == Variant::Worst { DEPTH_READ } else { TESTED },
        },
    ];
    if variant.resolves_in_pass() {
        attachments.push(Attachment {
            view: targets.resolve_target().view(),
            format: COLOUR,
            samples: one,
            load: Load::DONT_CARE,
            store: Store::STORE,
            after: if variant.postprocesses() { READ } else { COPIED },
        });
    }
    if let Some(depth) = &targets.resolved_depth {
        attachments.push(Attachment {
            view: depth.view(),
            format: DEPTH,
            samples: one,
            load: Load::DONT_CARE,
            store: Store::STORE,
            after: DEPTH_READ,
        });
    }
    let colours = [reference(0, DRAWN, vk::ImageAspectFlags::COLOR)];
    let depth = reference(1, TESTED, vk::ImageAspectFlags::DEPTH);
    let resolves = [reference(2, DRAWN, vk::ImageAspectFlags::COLOR)];
    let resolved_depth = reference(3, TESTED, vk::ImageAspectFlags::DEPTH);
    let mut depth_resolve = vk::SubpassDescriptionDepthStencilResolve::default()
        .depth_resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
        .stencil_resolve_mode(vk::ResolveModeFlags::NONE)
        .depth_stencil_resolve_attachment(&resolved_depth);
    let mut subpass = vk::SubpassDescription2::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colours)
        .depth_stencil_attachment(&depth);
    if variant.resolves_in_pass() {
        subpass = subpass.resolve_attachments(&resolves);
    }
    if targets.resolved_depth.is_some() {
        subpass = subpass.push_next(&mut depth_resolve);
    }
    // The depth has a mode although it is not stored: the specification asks for one.
    let mut single_depth = vk::SubpassDescriptionDepthStencilResolve::default()
        .depth_resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
        .stencil_resolve_mode(vk::ResolveModeFlags::NONE);
    let mut single = vk::MultisampledRenderToSingleSampledInfoEXT::default()
        .multisampled_render_to_single_sampled_enable(true)
        .rasterization_samples(options.sample_flags());
    if variant == Variant::SingleSampled {
        subpass = subpass.push_next(&mut single).push_next(&mut single_depth);
    }
    create(gpu, options, "scene", &attachments, subpass)
}

/// The pass that reads colour and depth and writes every pixel of the output.
pub fn postprocess<'g>(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>) -> Result<Pass<'g>, Error> {
    let output = Attachment {
        view: targets.output.view(),
        format: COLOUR,
        samples: vk::SampleCountFlags::TYPE_1,
        load: Load::DONT_CARE,
        store: Store::STORE,
        after: COPIED,
    };
    let colours = [reference(0, DRAWN, vk::ImageAspectFlags::COLOR)];
    let subpass = vk::SubpassDescription2::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colours);
    create(gpu, options, "postprocess", &[output], subpass)
}

fn reference(attachment: u32, layout: Layout, aspects: vk::ImageAspectFlags) -> vk::AttachmentReference2<'static> {
    vk::AttachmentReference2::default().attachment(attachment).layout(layout).aspect_mask(aspects)
}

fn create<'g>(
    gpu: &'g Gpu,
    options: &Options,
    name: &str,
    attachments: &[Attachment],
    subpass: vk::SubpassDescription2<'_>,
) -> Result<Pass<'g>, Error> {
    let descriptions: Vec<_> = attachments
        .iter()
        .map(|a| {
            vk::AttachmentDescription2::default()
                .format(a.format)
                .samples(a.samples)
                .load_op(a.load)
                .store_op(a.store)
                .stencil_load_op(Load::DONT_CARE)
                .stencil_store_op(Store::DONT_CARE)
                .initial_layout(Layout::UNDEFINED)
                .final_layout(a.after)
        })
        .collect();
    // Before: the last frame's images are resolved, read and copied. After: this one's are.
    let reading = Stage::TRANSFER | Stage::FRAGMENT_SHADER;
    let dependencies = [
        vk::SubpassDependency2::default()
            .src_subpass(vk::SUBPASS_EXTERNAL)
            .dst_subpass(0)
            .src_stage_mask(WRITING | reading)
            .dst_stage_mask(WRITING)
            .src_access_mask(WRITTEN | Access::TRANSFER_WRITE)
            .dst_access_mask(WRITTEN | Access::COLOR_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_READ),
        vk::SubpassDependency2::default()
            .src_subpass(0)
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(WRITING)
            .dst_stage_mask(reading)
            .src_access_mask(WRITTEN)
            .dst_access_mask(Access::TRANSFER_READ | Access::SHADER_READ),
    ];
    let subpasses = [subpass];
    let pass = gpu.render_pass_2(
        &vk::RenderPassCreateInfo2::default()
            .attachments(&descriptions)
            .subpasses(&subpasses)
            .dependencies(&dependencies),
    )?;
    gpu.name_object(pass.get(), name)?;
    let views: Vec<_> = attachments.iter().map(|a| a.view).collect();
    let framebuffer = gpu.framebuffer(
        &vk::FramebufferCreateInfo::default()
            .render_pass(pass.get())
            .attachments(&views)
            .width(options.size.width)
            .height(options.size.height)
            .layers(1),
    )?;
    Ok(Pass { framebuffer, pass })
}
