//! Shader objects (VK_EXT_shader_object): what a pipeline of [`crate::pipeline`] would hold, bound and set piece by piece.

use crate::Error;
use crate::gpu::Gpu;
use crate::pipeline::{DepthTest, PipelineInfo, vertex_attributes};
use ash::{ext, vk};

/// A vertex and a fragment shader, and the state that goes with them.
pub struct ShaderObjects<'g> {
    // Keeps the device alive.
    _gpu: &'g Gpu,
    commands: ext::shader_object::Device,
    shaders: [vk::ShaderEXT; 2],
    viewport: vk::Viewport,
    scissor: vk::Rect2D,
    attributes: u32,
    samples: vk::SampleCountFlags,
    colours: usize,
    depth: bool,
}

const STAGES: [vk::ShaderStageFlags; 2] = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];

impl<'g> ShaderObjects<'g> {
    /// The shaders of `wanted`, which read no descriptors and push `pushed`.
    pub fn new(gpu: &'g Gpu, wanted: &PipelineInfo<'_>, pushed: &[vk::PushConstantRange]) -> Result<Self, Error> {
        let commands = gpu.commands(ext::shader_object::Device::new);
        let info = |stage, next, code| {
            vk::ShaderCreateInfoEXT::default()
                .stage(stage)
                .next_stage(next)
                .code_type(vk::ShaderCodeTypeEXT::SPIRV)
                .code(code)
                .name(c"main")
                .push_constant_ranges(pushed)
        };
        let infos = [
            info(STAGES[0], STAGES[1], wanted.vertex),
            info(STAGES[1], vk::ShaderStageFlags::empty(), wanted.fragment.unwrap_or_default()),
        ];
        // SAFETY: the structs borrow all they point to; the code comes from the shader compiler of the build.
        let created = unsafe { commands.create_shaders(&infos, None) };
        let (made, result) = created.map_or_else(|(made, result)| (made, result), |made| (made, vk::Result::SUCCESS));
        let objects = Self {
            _gpu: gpu,
            commands,
            shaders: [made[0], made[1]],
            viewport: wanted.viewport(),
            scissor: wanted.size.rect(),
            attributes: wanted.attributes,
            samples: wanted.samples,
            colours: wanted.colours,
            depth: wanted.depth != DepthTest::Off,
        };
        // Where one of two fails, the other is destroyed with `objects`.
        if result == vk::Result::SUCCESS {
            Ok(objects)
        } else {
            Err(Error::Vulkan { command: "vkCreateShadersEXT", result })
        }
    }

    /// Records the binding of the shaders and every state that a draw with them needs.
    pub fn bind(&self, commands: vk::CommandBuffer) {
        let (binding, attributes) = vertex_attributes(self.attributes);
        let binding = vk::VertexInputBindingDescription2EXT::default()
            .binding(binding.binding)
            .stride(binding.stride)
            .input_rate(binding.input_rate)
            .divisor(1);
        let attributes: Vec<_> = attributes
            .iter()
            .map(|a| {
                vk::VertexInputAttributeDescription2EXT::default()
                    .location(a.location)
                    .binding(a.binding)
                    .format(a.format)
                    .offset(a.offset)
            })
            .collect();
        let masks = vec![vk::ColorComponentFlags::RGBA; self.colours];
        let blends = vec![vk::FALSE; self.colours];
        let set = &self.commands;
        // SAFETY: the command buffer is being recorded; every feature behind this state is off, so nothing else has to be set.
        unsafe {
            set.cmd_bind_shaders(commands, &STAGES, &self.shaders);
            set.cmd_set_viewport_with_count(commands, &[self.viewport]);
            set.cmd_set_scissor_with_count(commands, &[self.scissor]);
            set.cmd_set_vertex_input(commands, &[binding], &attributes);
            set.cmd_set_primitive_topology(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
            set.cmd_set_primitive_restart_enable(commands, false);
            set.cmd_set_rasterizer_discard_enable(commands, false);
            set.cmd_set_polygon_mode(commands, vk::PolygonMode::FILL);
            set.cmd_set_cull_mode(commands, vk::CullModeFlags::NONE);
            set.cmd_set_front_face(commands, vk::FrontFace::COUNTER_CLOCKWISE);
            set.cmd_set_depth_bias_enable(commands, false);
            set.cmd_set_rasterization_samples(commands, self.samples);
            set.cmd_set_sample_mask(commands, self.samples, &[u32::MAX]);
            set.cmd_set_alpha_to_coverage_enable(commands, false);
            set.cmd_set_depth_test_enable(commands, self.depth);
            set.cmd_set_depth_write_enable(commands, self.depth);
            set.cmd_set_depth_compare_op(commands, vk::CompareOp::LESS);
            set.cmd_set_depth_bounds_test_enable(commands, false);
            set.cmd_set_stencil_test_enable(commands, false);
            set.cmd_set_color_blend_enable(commands, 0, &blends);
            set.cmd_set_color_write_mask(commands, 0, &masks);
        }
    }
}

impl Drop for ShaderObjects<'_> {
    fn drop(&mut self) {
        for shader in self.shaders {
            // SAFETY: the shader is of the device that `_gpu` keeps alive, or null; every submission has been waited for.
            unsafe { self.commands.destroy_shader(shader, None) };
        }
    }
}
