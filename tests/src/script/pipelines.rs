//! Graphics pipelines as tests describe them: what is not said is off, and drawn in one sample, as a list of triangles.

use super::{NO, Scene, ignore};
use ash::vk;
use std::ptr;

/// A graphics pipeline to be made.
#[derive(Clone)]
pub struct Graphics {
    /// Render pass; null for dynamic rendering.
    pub pass: vk::RenderPass,
    /// Subpass of it.
    pub subpass: u32,
    /// For dynamic rendering: formats of colour attachments, of depth and of stencil.
    pub formats: (Vec<vk::Format>, vk::Format, vk::Format),
    /// Colour blend state by slot.
    pub blend: Vec<vk::PipelineColorBlendAttachmentState>,
    /// Logic operation, if it is on.
    pub logic: Option<vk::LogicOp>,
    /// Depth and stencil state.
    pub depth: vk::PipelineDepthStencilStateCreateInfo<'static>,
    /// Rasterization state.
    pub rasterization: vk::PipelineRasterizationStateCreateInfo<'static>,
    /// Samples.
    pub samples: vk::SampleCountFlags,
    /// Whether each sample is shaded.
    pub sample_shading: bool,
    /// Topology.
    pub topology: vk::PrimitiveTopology,
    /// Vertex buffer bindings.
    pub bindings: Vec<vk::VertexInputBindingDescription>,
    /// Vertex attributes.
    pub attributes: Vec<vk::VertexInputAttributeDescription>,
    /// Viewport.
    pub viewport: vk::Viewport,
    /// Scissor.
    pub scissor: vk::Rect2D,
    /// What is dynamic.
    pub dynamic: Vec<vk::DynamicState>,
    /// Which parts are made, if not all.
    pub parts: Option<vk::GraphicsPipelineLibraryFlagsEXT>,
    /// Libraries that are linked.
    pub libraries: Vec<vk::Pipeline>,
    /// Vertex and fragment shader; a vertex shader that nobody knows if not given.
    pub shaders: Option<[vk::ShaderModule; 2]>,
    /// Layout.
    pub layout: vk::PipelineLayout,
}

/// A colour slot of which all components are written, without blending.
pub fn opaque() -> vk::PipelineColorBlendAttachmentState {
    vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)
}

/// A colour slot that is blended by alpha.
pub fn blended() -> vk::PipelineColorBlendAttachmentState {
    opaque()
        .blend_enable(true)
        .src_color_blend_factor(vk::BlendFactor::SRC_ALPHA)
        .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
        .src_alpha_blend_factor(vk::BlendFactor::ONE)
}

/// A depth test that writes.
pub fn depth_test(compare: vk::CompareOp, write: bool) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let state = vk::PipelineDepthStencilStateCreateInfo::default().depth_test_enable(true);
    state.depth_write_enable(write).depth_compare_op(compare)
}

impl Graphics {
    /// A pipeline for the first subpass of a render pass, with these colour slots.
    pub fn new(pass: vk::RenderPass, blend: &[vk::PipelineColorBlendAttachmentState]) -> Self {
        Self {
            pass,
            subpass: 0,
            formats: (Vec::new(), vk::Format::UNDEFINED, vk::Format::UNDEFINED),
            blend: blend.to_vec(),
            logic: None,
            depth: vk::PipelineDepthStencilStateCreateInfo::default(),
            rasterization: vk::PipelineRasterizationStateCreateInfo::default(),
            samples: vk::SampleCountFlags::TYPE_1,
            sample_shading: false,
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            bindings: Vec::new(),
            attributes: Vec::new(),
            viewport: vk::Viewport { width: 64.0, height: 64.0, max_depth: 1.0, ..Default::default() },
            scissor: vk::Rect2D { extent: vk::Extent2D { width: 64, height: 64 }, ..Default::default() },
            dynamic: Vec::new(),
            parts: None,
            libraries: Vec::new(),
            shaders: None,
            layout: vk::PipelineLayout::null(),
        }
    }

    /// The same with other depth and stencil state.
    #[must_use]
    pub fn depth(mut self, depth: vk::PipelineDepthStencilStateCreateInfo<'static>) -> Self {
        self.depth = depth;
        self
    }

    /// The same with dynamic state.
    #[must_use]
    pub fn dynamic(mut self, states: &[vk::DynamicState]) -> Self {
        self.dynamic.extend_from_slice(states);
        self
    }

    /// The create info, for as long as `f` runs.
    pub fn with<R>(&self, f: impl FnOnce(&vk::GraphicsPipelineCreateInfo<'_>) -> R) -> R {
        const UNKNOWN: [vk::ShaderModule; 1] = [vk::ShaderModule::null()];
        let modules: &[_] = self.shaders.as_ref().map_or(&UNKNOWN, |both| both);
        let kinds = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
        let stage = |(module, kind): (&vk::ShaderModule, vk::ShaderStageFlags)| {
            vk::PipelineShaderStageCreateInfo::default().stage(kind).module(*module).name(c"main")
        };
        let stages: Vec<_> = modules.iter().zip(kinds).map(stage).collect();
        let vertex = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&self.bindings)
            .vertex_attribute_descriptions(&self.attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(self.topology);
        let (viewports, scissors) = ([self.viewport], [self.scissor]);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(self.samples)
            .sample_shading_enable(self.sample_shading);
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&self.blend)
            .logic_op_enable(self.logic.is_some())
            .logic_op(self.logic.unwrap_or_default());
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&self.dynamic);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&self.formats.0)
            .depth_attachment_format(self.formats.1)
            .stencil_attachment_format(self.formats.2);
        let mut parts = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(self.parts.unwrap_or_default());
        let mut libraries = vk::PipelineLibraryCreateInfoKHR::default().libraries(&self.libraries);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&self.rasterization)
            .multisample_state(&multisample)
            .depth_stencil_state(&self.depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .render_pass(self.pass)
            .subpass(self.subpass)
            .push_next(&mut rendering);
        if self.parts.is_some() {
            info = info.flags(vk::PipelineCreateFlags::LIBRARY_KHR).push_next(&mut parts);
        }
        if !self.libraries.is_empty() {
            info = info.push_next(&mut libraries);
        }
        f(&info)
    }

    /// Makes it.
    pub fn create(&self, scene: &Scene) -> vk::Pipeline {
        let (app, mut made) = (&scene.app, vk::Pipeline::null());
        let cache = vk::PipelineCache::null();
        // SAFETY: valid arguments.
        self.with(|info| ignore(unsafe { app.vkCreateGraphicsPipelines(app.device, cache, 1, info, NO, &mut made) }));
        made
    }
}

impl Scene {
    /// vkCmdBindPipeline at the graphics bind point.
    pub fn bind(&self, buffer: vk::CommandBuffer, pipeline: vk::Pipeline) {
        // SAFETY: valid arguments.
        unsafe { self.app.vkCmdBindPipeline(buffer, vk::PipelineBindPoint::GRAPHICS, pipeline) };
    }

    /// vkCmdDraw of a triangle.
    pub fn draw(&self, buffer: vk::CommandBuffer) {
        // SAFETY: valid arguments.
        unsafe { self.app.vkCmdDraw(buffer, 3, 1, 0, 0) };
    }

    /// A render pass instance over the whole framebuffer.
    pub fn inside(
        &self,
        buffer: vk::CommandBuffer,
        pass: vk::RenderPass,
        framebuffer: vk::Framebuffer,
        area: vk::Rect2D,
        record: impl FnOnce(),
    ) {
        let values = [vk::ClearValue::default(); 8];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(pass)
            .framebuffer(framebuffer)
            .render_area(area)
            .clear_values(&values);
        // SAFETY: valid arguments.
        unsafe { self.app.vkCmdBeginRenderPass(buffer, &info, vk::SubpassContents::INLINE) };
        record();
        // SAFETY: valid arguments.
        unsafe { self.app.vkCmdEndRenderPass(buffer) };
    }

    /// A dynamic rendering instance.
    pub fn rendering(
        &self,
        buffer: vk::CommandBuffer,
        colors: &[&super::Image],
        depth: Option<&super::Image>,
        record: impl FnOnce(),
    ) {
        let attachment = |image: &super::Image| {
            vk::RenderingAttachmentInfo::default()
                .image_view(image.view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
        };
        let attachments: Vec<_> = colors.iter().map(|image| attachment(image)).collect();
        let depth_attachment = depth.map(attachment);
        let extent = colors.first().copied().or(depth).map(|image| image.extent).unwrap_or_default();
        let mut info =
            vk::RenderingInfo::default().render_area(extent.into()).layer_count(1).color_attachments(&attachments);
        info.p_depth_attachment = depth_attachment.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: valid arguments.
        unsafe { self.app.vkCmdBeginRendering(buffer, &info) };
        record();
        // SAFETY: valid arguments.
        unsafe { self.app.vkCmdEndRendering(buffer) };
    }
}
