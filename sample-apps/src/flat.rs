//! The pipeline that draws the triangles of [`crate::scene`]: constant colours, depth test LESS, depth writes.

use crate::Error;
use crate::gpu::Gpu;
use crate::owned::Owned;
use crate::pipeline::{PipelineInfo, Within};
use crate::shader;
use crate::size::Size;
use ash::vk;

/// A pipeline and its layout.
pub struct Flat<'g> {
    gpu: &'g Gpu,
    // Dropped in this order: the pipeline, then its layout.
    pipeline: Owned<'g, vk::Pipeline>,
    layout: Owned<'g, vk::PipelineLayout>,
    size: Size,
}

/// The vertex shader's placement: a scale and an offset.
const PUSHED_BYTES: u32 = 16;

impl<'g> Flat<'g> {
    /// A pipeline that covers `size` and writes one colour attachment with `samples`.
    pub fn new(gpu: &'g Gpu, within: Within, size: Size, samples: vk::SampleCountFlags) -> Result<Self, Error> {
        let pushed =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::VERTEX, offset: 0, size: PUSHED_BYTES }];
        let layout = gpu.pipeline_layout(&vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&pushed))?;
        let pipeline = gpu.pipeline(&PipelineInfo {
            vertex: shader!("flat.vert"),
            fragment: shader!("flat.frag"),
            attributes: 2,
            layout: layout.get(),
            within,
            size,
            samples,
            colours: 1,
            depth: true,
        })?;
        Ok(Self { gpu, pipeline, layout, size })
    }

    /// Draws the first `triangles` triangles of `vertices`, moved by `offset` pixels, with one draw each.
    pub fn draw(&self, commands: vk::CommandBuffer, vertices: vk::Buffer, triangles: u32, offset: [i32; 2]) {
        let device = &self.gpu.device;
        let scale = self.size.scale();
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
