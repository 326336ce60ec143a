//! A render pass with its framebuffer, described by its attachments and subpasses; made with vkCreateRenderPass2 (Vulkan 1.2).
//!
//! What the passes of these samples write is drawn over, read by fragment shaders or copied, before and after. So every pass has the same
//! dependencies on what comes before and after it, but for passes of images that are never copied, and no barrier is needed between passes whose
//! layouts fit.

use crate::Error;
use crate::gpu::Gpu;
use crate::image::Image;
use crate::owned::Owned;
use crate::pipeline::Within;
use crate::size::Size;
use ash::vk;
use vk::AccessFlags as Access;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::PipelineStageFlags as Stage;

/// Layout of colour while it is drawn.
pub const DRAWN: Layout = Layout::COLOR_ATTACHMENT_OPTIMAL;
/// Layout of depth while it is drawn.
pub const TESTED: Layout = Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
/// Layout of colour while a shader reads it.
pub const READ: Layout = Layout::SHADER_READ_ONLY_OPTIMAL;
/// Layout of depth while a shader reads it.
pub const DEPTH_READ: Layout = Layout::DEPTH_STENCIL_READ_ONLY_OPTIMAL;

/// Stages that write attachments; depth is resolved at the colour output.
pub const WRITING: Stage = Stage::from_raw(
    Stage::COLOR_ATTACHMENT_OUTPUT.as_raw()
        | Stage::EARLY_FRAGMENT_TESTS.as_raw()
        | Stage::LATE_FRAGMENT_TESTS.as_raw(),
);
/// Their writes.
pub const WRITTEN: Access =
    Access::from_raw(Access::COLOR_ATTACHMENT_WRITE.as_raw() | Access::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw());
/// Their reads.
pub const LOADED: Access =
    Access::from_raw(Access::COLOR_ATTACHMENT_READ.as_raw() | Access::DEPTH_STENCIL_ATTACHMENT_READ.as_raw());
/// What fragment shaders read.
const LOOKED_AT: Access = Access::from_raw(Access::SHADER_READ.as_raw() | Access::INPUT_ATTACHMENT_READ.as_raw());

/// An attachment, and what happens to it.
#[derive(Clone, Copy)]
pub struct Attachment {
    view: vk::ImageView,
    format: vk::Format,
    aspects: vk::ImageAspectFlags,
    samples: vk::SampleCountFlags,
    ops: (Load, Store),
    stencil_ops: (Load, Store),
    layouts: [Layout; 2],
    clear: vk::ClearValue,
}

impl Attachment {
    /// The whole of `image`, whose layout after the pass is `after`. Its contents before the pass are discarded, a stencil aspect is of
    /// no interest, and loadOp CLEAR gives transparent black or the largest depth.
    pub fn new(image: &Image<'_>, load: Load, store: Store, after: Layout) -> Self {
        let depth = image.aspects().contains(vk::ImageAspectFlags::DEPTH);
        Self {
            view: image.view(),
            format: image.format(),
            aspects: image.aspects(),
            samples: image.samples(),
            ops: (load, store),
            stencil_ops: (Load::DONT_CARE, Store::DONT_CARE),
            layouts: [Layout::UNDEFINED, after],
            clear: if depth {
                vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } }
            } else {
                vk::ClearValue::default()
            },
        }
    }

    /// Keeps the contents, which are in the layout `before`.
    #[must_use]
    pub fn from(mut self, before: Layout) -> Self {
        self.layouts[0] = before;
        self
    }

    /// Takes another view of the image.
    #[must_use]
    pub fn through(self, view: vk::ImageView) -> Self {
        Self { view, ..self }
    }

    /// Gives the stencil aspect operations.
    #[must_use]
    pub fn stencil(self, load: Load, store: Store) -> Self {
        Self { stencil_ops: (load, store), ..self }
    }

    /// Clears to an opaque colour.
    #[must_use]
    pub fn cleared_to(self, rgb: [u8; 3]) -> Self {
        let [r, g, b] = rgb.map(|c| f32::from(c) / 255.0);
        Self { clear: vk::ClearValue { color: vk::ClearColorValue { float32: [r, g, b, 1.0] } }, ..self }
    }

    fn description(&self) -> vk::AttachmentDescription2<'static> {
        vk::AttachmentDescription2::default()
            .format(self.format)
            .samples(self.samples)
            .load_op(self.ops.0)
            .store_op(self.ops.1)
            .stencil_load_op(self.stencil_ops.0)
            .stencil_store_op(self.stencil_ops.1)
            .initial_layout(self.layouts[0])
            .final_layout(self.layouts[1])
    }

    fn is_depth(&self) -> bool {
        self.aspects.contains(vk::ImageAspectFlags::DEPTH)
    }
}

/// What a subpass does with the attachments, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subpass<'a> {
    /// Colour attachments.
    pub colours: &'a [u32],
    /// Depth attachment.
    pub depth: Option<u32>,
    /// Input attachments, which the subpass does not write.
    pub inputs: &'a [u32],
    /// For each colour attachment what it is resolved to; or none of them.
    pub resolves: &'a [u32],
    /// What the first sample of the depth is resolved to.
    pub depth_resolve: Option<u32>,
    /// Samples that exist in the subpass alone (VK_EXT_multisampled_render_to_single_sampled).
    pub samples: Option<vk::SampleCountFlags>,
}

/// A render pass and its framebuffer.
pub struct Pass<'g> {
    gpu: &'g Gpu,
    framebuffer: Owned<'g, vk::Framebuffer>,
    pass: Owned<'g, vk::RenderPass>,
    name: String,
    size: Size,
    clears: Vec<vk::ClearValue>,
}

impl<'g> Pass<'g> {
    /// A pass with at least one subpass over attachments of `size`; its name is also the label under which it is recorded.
    pub fn new(
        gpu: &'g Gpu,
        name: &str,
        size: Size,
        attachments: &[Attachment],
        subpasses: &[Subpass<'_>],
    ) -> Result<Self, Error> {
        Self::beside(&COPIES, gpu, name, size, attachments, subpasses)
    }

    /// The same of images that no transfer touches, before or after.
    pub fn of_drawn(
        gpu: &'g Gpu,
        name: &str,
        size: Size,
        attachments: &[Attachment],
        subpasses: &[Subpass<'_>],
    ) -> Result<Self, Error> {
        Self::beside(&NO_COPIES, gpu, name, size, attachments, subpasses)
    }

    fn beside(
        copies: &Copies,
        gpu: &'g Gpu,
        name: &str,
        size: Size,
        attachments: &[Attachment],
        subpasses: &[Subpass<'_>],
    ) -> Result<Self, Error> {
        let descriptions: Vec<_> = attachments.iter().map(Attachment::description).collect();
        let references: Vec<_> = subpasses.iter().map(|s| References::new(s, attachments)).collect();
        let mut resolves: Vec<_> = references.iter().map(References::depth_resolve).collect();
        let mut singles: Vec<_> = subpasses.iter().map(single_sampled).collect();
        let mut described = Vec::new();
        for (((subpass, r), resolve), single) in subpasses.iter().zip(&references).zip(&mut resolves).zip(&mut singles)
        {
            let mut description = r.description();
            if subpass.depth_resolve.is_some() || subpass.samples.is_some() {
                description = description.push_next(resolve);
            }
            if subpass.samples.is_some() {
                description = description.push_next(single);
            }
            described.push(description);
        }
        let dependencies = dependencies(subpasses.len() as u32, copies);
        let pass = gpu.render_pass_2(
            &vk::RenderPassCreateInfo2::default()
                .attachments(&descriptions)
                .subpasses(&described)
                .dependencies(&dependencies),
        )?;
        gpu.name_object(pass.get(), name)?;
        let views: Vec<_> = attachments.iter().map(|a| a.view).collect();
        let framebuffer = gpu.framebuffer(
            &vk::FramebufferCreateInfo::default()
                .render_pass(pass.get())
                .attachments(&views)
                .width(size.width)
                .height(size.height)
                .layers(1),
        )?;
        let clears = attachments.iter().map(|a| a.clear).collect();
        Ok(Self { gpu, framebuffer, pass, name: name.to_owned(), size, clears })
    }

    /// What a pipeline of subpass `subpass` is used in.
    pub fn within(&self, subpass: u32) -> Within<'static> {
        Within::RenderPass { pass: self.pass.get(), subpass }
    }

    /// Records the pass over the whole framebuffer, with what `inside` records.
    pub fn record(&self, commands: vk::CommandBuffer, inside: impl FnOnce()) {
        self.record_in(commands, self.size.rect(), inside);
    }

    /// Records the pass over a part of the framebuffer.
    pub fn record_in(&self, commands: vk::CommandBuffer, area: vk::Rect2D, inside: impl FnOnce()) {
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass.get())
            .framebuffer(self.framebuffer.get())
            .render_area(area)
            .clear_values(&self.clears);
        self.gpu.begin_label(commands, &self.name);
        // SAFETY: the command buffer is being recorded outside a render pass; framebuffer and render pass fit.
        unsafe { self.gpu.device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE) };
        inside();
        // SAFETY: the render pass begun above ends, in its last subpass.
        unsafe { self.gpu.device.cmd_end_render_pass(commands) };
        self.gpu.end_label(commands);
    }

    /// Records the step to the next subpass, inside the pass.
    pub fn next(&self, commands: vk::CommandBuffer) {
        // SAFETY: the command buffer is being recorded inside this render pass, which has a further subpass by the caller's promise.
        unsafe { self.gpu.device.cmd_next_subpass(commands, vk::SubpassContents::INLINE) };
    }
}

/// The references of a subpass, kept while its description points to them.
struct References {
    colours: Vec<vk::AttachmentReference2<'static>>,
    resolves: Vec<vk::AttachmentReference2<'static>>,
    inputs: Vec<vk::AttachmentReference2<'static>>,
    depth: Option<vk::AttachmentReference2<'static>>,
    depth_resolve: Option<vk::AttachmentReference2<'static>>,
}

impl References {
    fn new(subpass: &Subpass<'_>, attachments: &[Attachment]) -> Self {
        let reference = |number: &u32, layouts: [Layout; 2]| {
            let attachment = &attachments[*number as usize];
            let layout = layouts[usize::from(attachment.is_depth())];
            vk::AttachmentReference2::default().attachment(*number).layout(layout).aspect_mask(attachment.aspects)
        };
        let all = |numbers: &[u32], layouts| numbers.iter().map(|n| reference(n, layouts)).collect();
        let (drawn, read) = ([DRAWN, TESTED], [READ, DEPTH_READ]);
        Self {
            colours: all(subpass.colours, drawn),
            resolves: all(subpass.resolves, drawn),
            inputs: all(subpass.inputs, read),
            depth: subpass.depth.as_ref().map(|n| reference(n, drawn)),
            depth_resolve: subpass.depth_resolve.as_ref().map(|n| reference(n, drawn)),
        }
    }

    fn description(&self) -> vk::SubpassDescription2<'_> {
        let mut description = vk::SubpassDescription2::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&self.colours)
            .input_attachments(&self.inputs);
        if !self.resolves.is_empty() {
            description = description.resolve_attachments(&self.resolves);
        }
        self.depth.iter().fold(description, vk::SubpassDescription2::depth_stencil_attachment)
    }

    /// The first sample is the one that every device resolves. Samples that exist in the subpass alone have a mode although their
    /// depth is not stored: the specification asks for one.
    fn depth_resolve(&self) -> vk::SubpassDescriptionDepthStencilResolve<'_> {
        let resolve = vk::SubpassDescriptionDepthStencilResolve::default()
            .depth_resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
            .stencil_resolve_mode(vk::ResolveModeFlags::NONE);
        self.depth_resolve
            .iter()
            .fold(resolve, vk::SubpassDescriptionDepthStencilResolve::depth_stencil_resolve_attachment)
    }
}

fn single_sampled(subpass: &Subpass<'_>) -> vk::MultisampledRenderToSingleSampledInfoEXT<'static> {
    vk::MultisampledRenderToSingleSampledInfoEXT::default()
        .multisampled_render_to_single_sampled_enable(true)
        .rasterization_samples(subpass.samples.unwrap_or(vk::SampleCountFlags::TYPE_1))
}

/// The transfers beside a pass: their stage, what they write before it, and what they do after it.
struct Copies(Stage, Access, Access);

const COPIES: Copies = Copies(
    Stage::TRANSFER,
    Access::TRANSFER_WRITE,
    Access::from_raw(Access::TRANSFER_READ.as_raw() | Access::TRANSFER_WRITE.as_raw()),
);
const NO_COPIES: Copies = Copies(Stage::empty(), Access::empty(), Access::empty());

/// On what comes before the first subpass, between neighbours by region, and of what comes after the last.
fn dependencies(subpasses: u32, Copies(copying, written, used): &Copies) -> Vec<vk::SubpassDependency2<'static>> {
    let looking = Stage::FRAGMENT_SHADER;
    let before = vk::SubpassDependency2::default()
        .src_subpass(vk::SUBPASS_EXTERNAL)
        .dst_subpass(0)
        .src_stage_mask(WRITING | looking | *copying)
        .dst_stage_mask(WRITING | looking)
        .src_access_mask(WRITTEN | *written)
        .dst_access_mask(WRITTEN | LOADED | LOOKED_AT);
    let after = vk::SubpassDependency2::default()
        .src_subpass(subpasses - 1)
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(WRITING)
        .dst_stage_mask(WRITING | looking | *copying)
        .src_access_mask(WRITTEN)
        .dst_access_mask(WRITTEN | LOADED | LOOKED_AT | *used);
    let between = |from| {
        vk::SubpassDependency2::default()
            .src_subpass(from)
            .dst_subpass(from + 1)
            .src_stage_mask(WRITING)
            .dst_stage_mask(WRITING | looking)
            .src_access_mask(WRITTEN)
            .dst_access_mask(WRITTEN | LOADED | LOOKED_AT)
            .dependency_flags(vk::DependencyFlags::BY_REGION)
    };
    [before].into_iter().chain((0..subpasses - 1).map(between)).chain([after]).collect()
}
