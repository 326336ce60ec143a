//! The pipeline that draws the scene: flat triangles, depth test LESS, depth writes, no blending.

use crate::Error;
use crate::gpu::Gpu;
use crate::owned::Owned;
use crate::size::Size;
use ash::vk;

/// What the pipeline is used in.
#[derive(Clone, Copy, Debug)]
pub enum Within {
    /// A subpass of a render pass.
    RenderPass {
        /// The render pass.
        pass: vk::RenderPass,
        /// Index of the subpass.
        subpass: u32,
    },
    /// vkCmdBeginRendering with these formats.
    Dynamic {
        /// Format of the one colour attachment.
        colour: vk::Format,
        /// Format of the depth attachment.
        depth: vk::Format,
        /// The same format where it has a stencil aspect, else UNDEFINED.
        stencil: vk::Format,
    },
}

/// A pipeline and its layout.
pub struct Flat<'g> {
    gpu: &'g Gpu,
    // Dropped in this order: the pipeline, then its layout.
    pipeline: Owned<'g, vk::Pipeline>,
    layout: Owned<'g, vk::PipelineLayout>,
    size: Size,
}

const BYTES_PER_FLOAT: u32 = 4;
const FLOATS_PER_VERTEX: u32 = 6;
const PUSHED_FLOATS: u32 = 4;

impl<'g> Flat<'g> {
    /// A pipeline that covers `size` and writes one colour attachment with `samples`.
    pub fn new(gpu: &'g Gpu, within: Within, size: Size, samples: vk::SampleCountFlags) -> Result<Self, Error> {
        let pushed = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::VERTEX,
            offset: 0,
            size: PUSHED_FLOATS * BYTES_PER_FLOAT,
        }];
        let layout = gpu.pipeline_layout(&vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&pushed))?;
        let vertex = gpu.shader_module(&words(include_bytes!(concat!(env!("OUT_DIR"), "/flat.vert.spv"))))?;
        let fragment = gpu.shader_module(&words(include_bytes!(concat!(env!("OUT_DIR"), "/flat.frag.spv"))))?;
        let stage =
            |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
        let stages =
            [stage(vk::ShaderStageFlags::VERTEX, vertex.get()), stage(vk::ShaderStageFlags::FRAGMENT, fragment.get())];
        let bindings = [vk::VertexInputBindingDescription {
            binding: 0,
            stride: FLOATS_PER_VERTEX * BYTES_PER_FLOAT,
            input_rate: vk::VertexInputRate::VERTEX,
        }];
        let attributes = [0, 1].map(|location| vk::VertexInputAttributeDescription {
            location,
            binding: 0,
            format: vk::Format::R32G32B32_SFLOAT,
            offset: location * 3 * BYTES_PER_FLOAT,
        });
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewports = [vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: size.width as f32,
            height: size.height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        }];
        let scissors = [size.rect()];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(vk::PolygonMode::FILL)
            .cull_mode(vk::CullModeFlags::NONE)
            .line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS);
        let targets =
            [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(layout.get());
        let colours;
        let mut rendering;
        match within {
            Within::RenderPass { pass, subpass } => info = info.render_pass(pass).subpass(subpass),
            Within::Dynamic { colour, depth, stencil } => {
                colours = [colour];
                rendering = vk::PipelineRenderingCreateInfo::default()
                    .color_attachment_formats(&colours)
                    .depth_attachment_format(depth)
                    .stencil_attachment_format(stencil);
                info = info.push_next(&mut rendering);
            }
        }
        // SAFETY: `info` borrows all it points to, and its objects are live; the new pipeline is handed to its guard at once.
        let pipeline = unsafe {
            let created = gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
            let all = created.map_err(|(_, result)| Error::Vulkan { command: "vkCreateGraphicsPipelines", result })?;
            Owned::new(gpu, all[0], |d, h| d.destroy_pipeline(h, None))
        };
        Ok(Self { gpu, pipeline, layout, size })
    }

    /// Draws the first `triangles` triangles of `vertices`, moved by `offset` pixels, with one draw each.
    pub fn draw(&self, commands: vk::CommandBuffer, vertices: vk::Buffer, triangles: u32, offset: [i32; 2]) {
        let device = &self.gpu.device;
        let scale = [self.size.width, self.size.height].map(|side| 2.0 / side as f32);
        let [dx, dy] = offset.map(|v| v as f32);
        let pushed: Vec<u8> = [scale[0], scale[1], dx, dy].into_iter().flat_map(f32::to_ne_bytes).collect();
        // SAFETY: the command buffer is being recorded inside a matching render pass instance, and all objects are live.
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline.get());
            device.cmd_push_constants(commands, self.layout.get(), vk::ShaderStageFlags::VERTEX, 0, &pushed);
            device.cmd_bind_vertex_buffers(commands, 0, &[vertices], &[0]);
            for triangle in 0..triangles {
                device.cmd_draw(commands, 3, 1, triangle * 3, 0);
            }
        }
    }
}

/// SPIR-V as words. The compiler writes the byte order of the machine that builds.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_ne_bytes([w[0], w[1], w[2], w[3]])).collect()
}
