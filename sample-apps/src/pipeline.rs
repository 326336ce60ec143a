//! Graphics pipelines as the samples need them: one viewport over the whole framebuffer, triangles, no culling, no blending.

use crate::Error;
use crate::gpu::Gpu;
use crate::owned::Owned;
use crate::size::Size;
use ash::vk;

/// What a pipeline is used in.
#[derive(Clone, Copy, Debug)]
pub enum Within<'a> {
    /// A subpass of a render pass.
    RenderPass {
        /// The render pass.
        pass: vk::RenderPass,
        /// Index of the subpass.
        subpass: u32,
    },
    /// vkCmdBeginRendering with these formats.
    Dynamic {
        /// Formats of the colour attachments.
        colours: &'a [vk::Format],
        /// Format of the depth attachment.
        depth: vk::Format,
        /// The same format where it has a stencil aspect, else UNDEFINED.
        stencil: vk::Format,
        /// How the shaders' outputs and input attachments are mapped to the attachments; one to one unless given.
        local: Option<LocalRead<'a>>,
    },
}

/// Which attachments of a dynamic rendering a pipeline writes and reads (VK_KHR_dynamic_rendering_local_read).
#[derive(Clone, Copy, Debug)]
pub struct LocalRead<'a> {
    /// For each colour attachment the location of the output that writes it, or VK_ATTACHMENT_UNUSED.
    pub locations: &'a [u32],
    /// For each colour attachment the index of the input attachment that reads it, or VK_ATTACHMENT_UNUSED.
    pub inputs: &'a [u32],
    /// The same for the depth attachment.
    pub depth_input: &'a u32,
}

impl<'a> LocalRead<'a> {
    /// The outputs as Vulkan has them.
    pub fn locations(&self) -> vk::RenderingAttachmentLocationInfoKHR<'a> {
        vk::RenderingAttachmentLocationInfoKHR::default().color_attachment_locations(self.locations)
    }

    /// The input attachments as Vulkan has them.
    pub fn inputs(&self) -> vk::RenderingInputAttachmentIndexInfoKHR<'a> {
        vk::RenderingInputAttachmentIndexInfoKHR::default()
            .color_attachment_input_indices(self.inputs)
            .depth_input_attachment_index(self.depth_input)
    }
}

/// What a pipeline shall be.
#[derive(Clone, Copy, Debug)]
pub struct PipelineInfo<'a> {
    /// SPIR-V of the vertex shader.
    pub vertex: &'a [u8],
    /// SPIR-V of the fragment shader; none where depth alone is written, whether there are colour attachments or not.
    pub fragment: Option<&'a [u8]>,
    /// How many attributes of three floats a vertex has, packed in the order of their locations. None for a triangle over the
    /// whole framebuffer, whose shader makes its own vertices.
    pub attributes: u32,
    /// Layout of what the shaders read.
    pub layout: vk::PipelineLayout,
    /// What it is used in.
    pub within: Within<'a>,
    /// VkPipelineCreateFlags.
    pub flags: vk::PipelineCreateFlags,
    /// The viewport.
    pub size: Size,
    /// Samples per pixel.
    pub samples: vk::SampleCountFlags,
    /// Number of colour attachments.
    pub colours: usize,
    /// What happens to the depth.
    pub depth: DepthTest,
    /// Whether the command buffer sets the scissor; else it is the whole framebuffer.
    pub scissored: bool,
}

/// What a pipeline does with the depth attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthTest {
    /// Nothing.
    Off,
    /// What is nearer than the depth is drawn and writes its own.
    Less,
    /// What has exactly the depth is drawn; the depth stays.
    Equal,
}

const BYTES_PER_ATTRIBUTE: u32 = 12;

impl PipelineInfo<'_> {
    /// The viewport over the whole framebuffer.
    pub fn viewport(&self) -> vk::Viewport {
        let Size { width, height } = self.size;
        vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() }
    }
}

/// The one binding, and its attributes, of vertices with `count` attributes.
pub(crate) fn vertex_attributes(
    count: u32,
) -> (vk::VertexInputBindingDescription, Vec<vk::VertexInputAttributeDescription>) {
    let binding = vk::VertexInputBindingDescription {
        binding: 0,
        stride: count * BYTES_PER_ATTRIBUTE,
        input_rate: vk::VertexInputRate::VERTEX,
    };
    let attribute = |location| vk::VertexInputAttributeDescription {
        location,
        binding: 0,
        format: vk::Format::R32G32B32_SFLOAT,
        offset: location * BYTES_PER_ATTRIBUTE,
    };
    (binding, (0..count).map(attribute).collect())
}

impl Gpu {
    /// vkCreateGraphicsPipelines, of one pipeline.
    pub fn pipeline(&self, wanted: &PipelineInfo<'_>) -> Result<Owned<'_, vk::Pipeline>, Error> {
        let vertex = self.shader_module(&words(wanted.vertex))?;
        let fragment = wanted.fragment.map(|code| self.shader_module(&words(code))).transpose()?;
        let stage =
            |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
        let stages: Vec<_> = [stage(vk::ShaderStageFlags::VERTEX, vertex.get())]
            .into_iter()
            .chain(fragment.as_ref().map(|f| stage(vk::ShaderStageFlags::FRAGMENT, f.get())))
            .collect();
        let (binding, attributes) = vertex_attributes(wanted.attributes);
        let bindings = [binding];
        let mut input = vk::PipelineVertexInputStateCreateInfo::default();
        if wanted.attributes > 0 {
            input = input.vertex_binding_descriptions(&bindings).vertex_attribute_descriptions(&attributes);
        }
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewports = [wanted.viewport()];
        let scissors = [wanted.size.rect()];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(vk::PolygonMode::FILL)
            .cull_mode(vk::CullModeFlags::NONE)
            .line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(wanted.samples);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(wanted.depth != DepthTest::Off)
            .depth_write_enable(wanted.depth == DepthTest::Less)
            .depth_compare_op(match wanted.depth {
                DepthTest::Equal => vk::CompareOp::EQUAL,
                DepthTest::Off | DepthTest::Less => vk::CompareOp::LESS,
            });
        let written = wanted.fragment.map_or(vk::ColorComponentFlags::empty(), |_| vk::ColorComponentFlags::RGBA);
        let target = vk::PipelineColorBlendAttachmentState::default().color_write_mask(written);
        let targets = vec![target; wanted.colours];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&[vk::DynamicState::SCISSOR]);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .flags(wanted.flags)
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(wanted.layout);
        if wanted.scissored {
            info = info.dynamic_state(&dynamic);
        }
        let (mut rendering, mut locations, mut inputs);
        match wanted.within {
            Within::RenderPass { pass, subpass } => info = info.render_pass(pass).subpass(subpass),
            Within::Dynamic { colours, depth, stencil, local } => {
                rendering = vk::PipelineRenderingCreateInfo::default()
                    .color_attachment_formats(colours)
                    .depth_attachment_format(depth)
                    .stencil_attachment_format(stencil);
                info = info.push_next(&mut rendering);
                if let Some(local) = local {
                    (locations, inputs) = (local.locations(), local.inputs());
                    info = info.push_next(&mut locations).push_next(&mut inputs);
                }
            }
        }
        // SAFETY: `info` borrows all it points to, and its objects are live; the new pipeline is handed to its guard at once.
        unsafe {
            let created = self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
            let all = created.map_err(|(_, result)| Error::Vulkan { command: "vkCreateGraphicsPipelines", result })?;
            Ok(Owned::new(self, all[0], |d, h| d.destroy_pipeline(h, None)))
        }
    }
}

/// SPIR-V as words. The compiler writes the byte order of the machine that builds.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_ne_bytes([w[0], w[1], w[2], w[3]])).collect()
}
