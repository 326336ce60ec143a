//! Geometry and lighting in one dynamic rendering (VK_KHR_dynamic_rendering_local_read), or in two, without any render pass object.
//!
//! Colour attachments are the output, the albedo and the normal. All attachments stay in one layout that allows drawing and reading. Within
//! one rendering a barrier by region and other mappings of the shaders' outputs and input attachments stand between geometry and lighting; of
//! two the first has no output, and the second loads what the first has stored.

use crate::options::Options;
use crate::targets::{DEPTH, OUTPUT, Targets};
use ash::{khr, vk};
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::Image;
use tilelens_samples::pipeline::{LocalRead, Within};
use tilelens_samples::readback::COPIED;
use vk::AccessFlags as Access;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::PipelineStageFlags as Stage;

/// The layout of every attachment while it is drawn and while it is read.
pub const LOCAL: Layout = Layout::RENDERING_LOCAL_READ_KHR;
/// Colour attachments of the rendering.
pub const COLOURS: usize = 3;

const UNUSED: u32 = vk::ATTACHMENT_UNUSED;
/// What the geometry writes: albedo and normal.
const GEOMETRY: LocalRead<'static> =
    LocalRead { locations: &[UNUSED, 0, 1], inputs: &[UNUSED; COLOURS], depth_input: &UNUSED };
/// What the lighting writes and reads; the indices are those of `lighting.frag`.
const LIGHTING: LocalRead<'static> =
    LocalRead { locations: &[0, UNUSED, UNUSED], inputs: &[UNUSED, 1, 2], depth_input: &0 };
const TESTS: Stage = Stage::from_raw(Stage::EARLY_FRAGMENT_TESTS.as_raw() | Stage::LATE_FRAGMENT_TESTS.as_raw());
const DRAWN: Access =
    Access::from_raw(Access::COLOR_ATTACHMENT_READ.as_raw() | Access::COLOR_ATTACHMENT_WRITE.as_raw());
const TESTED: Access =
    Access::from_raw(Access::DEPTH_STENCIL_ATTACHMENT_READ.as_raw() | Access::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw());

/// Formats of the colour attachments.
pub fn formats(options: &Options) -> [vk::Format; COLOURS] {
    [OUTPUT, options.g_buffer.albedo(), options.g_buffer.normal()]
}

/// What the pipelines of geometry and lighting are used in, with one rendering or with two.
pub fn within(colours: &[vk::Format; COLOURS], apart: bool) -> [Within<'_>; 2] {
    let of = |colours, local| Within::Dynamic { colours, depth: DEPTH, stencil: vk::Format::UNDEFINED, local };
    let geometry = if apart { of(&colours[1..], None) } else { of(colours, Some(GEOMETRY)) };
    [geometry, of(colours, Some(LIGHTING))]
}

/// The commands of the rendering.
pub struct Rendering<'g> {
    gpu: &'g Gpu,
    dynamic: khr::dynamic_rendering::Device,
    local: khr::dynamic_rendering_local_read::Device,
}

impl<'g> Rendering<'g> {
    /// Loads the commands.
    pub fn new(gpu: &'g Gpu) -> Self {
        Self {
            gpu,
            dynamic: gpu.commands(khr::dynamic_rendering::Device::new),
            local: gpu.commands(khr::dynamic_rendering_local_read::Device::new),
        }
    }

    /// Records the beginning of a rendering for both, with a clear value for each of output, depth, albedo and normal; the geometry comes
    /// next.
    pub fn begin(
        &self,
        commands: vk::CommandBuffer,
        options: &Options,
        targets: &Targets<'_>,
        clears: &[vk::ClearValue; 4],
    ) {
        self.discard(commands, targets);
        let dropped = [(Load::CLEAR, Store::DONT_CARE); 3];
        self.begin_with(commands, options, targets, clears, Some((Load::CLEAR, Store::STORE)), dropped);
        self.map(commands, &GEOMETRY);
    }

    /// Records the beginning of a rendering for the geometry alone.
    pub fn begin_geometry(
        &self,
        commands: vk::CommandBuffer,
        options: &Options,
        targets: &Targets<'_>,
        clears: &[vk::ClearValue; 4],
    ) {
        self.discard(commands, targets);
        self.begin_with(commands, options, targets, clears, None, [(Load::CLEAR, Store::STORE); 3]);
    }

    /// Records the beginning of a rendering for the lighting, after that for the geometry has ended.
    pub fn begin_lighting(
        &self,
        commands: vk::CommandBuffer,
        options: &Options,
        targets: &Targets<'_>,
        clears: &[vk::ClearValue; 4],
    ) {
        let written = Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let used = DRAWN | TESTED | Access::INPUT_ATTACHMENT_READ;
        let after = vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(used);
        let (from, none) = (Stage::COLOR_ATTACHMENT_OUTPUT | TESTS, vk::DependencyFlags::empty());
        // SAFETY: the command buffer is being recorded outside a render pass.
        unsafe {
            let to = from | Stage::FRAGMENT_SHADER;
            self.gpu.device.cmd_pipeline_barrier(commands, from, to, none, &[after], &[], &[]);
        }
        let loaded = [(Load::LOAD, Store::DONT_CARE); 3];
        self.begin_with(commands, options, targets, clears, Some((Load::DONT_CARE, Store::STORE)), loaded);
        self.map(commands, &LIGHTING);
    }

    /// Records the barrier after which all attachments may be drawn, with undefined contents.
    fn discard(&self, commands: vk::CommandBuffer, targets: &Targets<'_>) {
        let colour = [&targets.output, &targets.albedo, &targets.normal]
            .map(|i| i.barrier([Layout::UNDEFINED, LOCAL], [Access::COLOR_ATTACHMENT_WRITE, DRAWN]));
        let depth = targets.depth.barrier([Layout::UNDEFINED, LOCAL], [Access::DEPTH_STENCIL_ATTACHMENT_WRITE, TESTED]);
        let barriers = [colour[0], colour[1], colour[2], depth];
        let drawing = Stage::COLOR_ATTACHMENT_OUTPUT | TESTS;
        // The last frame's lighting has read the G-buffer, and its output has been copied.
        let before = drawing | Stage::FRAGMENT_SHADER | Stage::TRANSFER;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded outside a render pass, and the images are live.
        unsafe { self.gpu.device.cmd_pipeline_barrier(commands, before, drawing, none, &[], &[], &barriers) };
    }

    /// Records the beginning of a rendering, with operations for the output, if it has one, and for depth, albedo and normal.
    fn begin_with(
        &self,
        commands: vk::CommandBuffer,
        options: &Options,
        targets: &Targets<'_>,
        clears: &[vk::ClearValue; 4],
        output: Option<(Load, Store)>,
        [depth, albedo, normal]: [(Load, Store); 3],
    ) {
        let attachment = |image: &Image<'_>, (load, store): (Load, Store), clear| {
            vk::RenderingAttachmentInfo::default()
                .image_view(image.view())
                .image_layout(LOCAL)
                .load_op(load)
                .store_op(store)
                .clear_value(clear)
        };
        let colours: Vec<_> = output
            .map(|ops| attachment(&targets.output, ops, clears[0]))
            .into_iter()
            .chain([attachment(&targets.albedo, albedo, clears[2]), attachment(&targets.normal, normal, clears[3])])
            .collect();
        let depth = attachment(&targets.depth, depth, clears[1]);
        let info = vk::RenderingInfo::default()
            .render_area(options.size.rect())
            .layer_count(1)
            .color_attachments(&colours)
            .depth_attachment(&depth);
        // SAFETY: the command buffer is being recorded outside a render pass; views and images are live.
        unsafe { self.dynamic.cmd_begin_rendering(commands, &info) };
    }

    /// Records what stands between geometry and lighting.
    pub fn next(&self, commands: vk::CommandBuffer) {
        let written = Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let read = vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(Access::INPUT_ATTACHMENT_READ);
        let (from, to) = (Stage::COLOR_ATTACHMENT_OUTPUT | TESTS, Stage::FRAGMENT_SHADER);
        let by_region = vk::DependencyFlags::BY_REGION;
        // SAFETY: the command buffer is being recorded inside a dynamic rendering whose attachments are in the layout for it.
        unsafe { self.gpu.device.cmd_pipeline_barrier(commands, from, to, by_region, &[read], &[], &[]) };
        self.map(commands, &LIGHTING);
    }

    /// Records the end of a rendering.
    pub fn end(&self, commands: vk::CommandBuffer) {
        // SAFETY: a rendering that was begun above ends here.
        unsafe { self.dynamic.cmd_end_rendering(commands) };
    }

    /// Records that the output becomes ready to be copied, after the rendering.
    pub fn finish(&self, commands: vk::CommandBuffer, targets: &Targets<'_>) {
        let barrier = targets.output.barrier([LOCAL, COPIED], [Access::COLOR_ATTACHMENT_WRITE, Access::TRANSFER_READ]);
        let (from, to, none) = (Stage::COLOR_ATTACHMENT_OUTPUT, Stage::TRANSFER, vk::DependencyFlags::empty());
        // SAFETY: the command buffer is being recorded outside a render pass.
        unsafe { self.gpu.device.cmd_pipeline_barrier(commands, from, to, none, &[], &[], &[barrier]) };
    }

    fn map(&self, commands: vk::CommandBuffer, to: &LocalRead<'_>) {
        // SAFETY: the command buffer is being recorded inside a dynamic rendering with as many colour attachments.
        unsafe {
            self.local.cmd_set_rendering_attachment_locations(commands, &to.locations());
            self.local.cmd_set_rendering_input_attachment_indices(commands, &to.inputs());
        }
    }
}
