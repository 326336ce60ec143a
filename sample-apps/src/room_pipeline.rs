//! The pipeline that draws the room: depth test LESS, depth writes, every face in one draw.

use crate::Error;
use crate::buffer::Buffer;
use crate::gpu::Gpu;
use crate::owned::Owned;
use crate::pipeline::{DepthTest, PipelineInfo, Within};
use crate::room::{self, Face};
use crate::shader;
use crate::size::Size;
use ash::vk;

/// Where the fragment shader's push constants begin.
const FRAGMENT_OFFSET: u32 = 16;

/// What a [`RoomPipeline`] is used in and what it writes.
#[derive(Clone, Copy, Debug)]
pub struct RoomTarget<'a> {
    /// SPIR-V of the fragment shader, which gets albedo and normal; none where depth alone is drawn.
    pub fragment: Option<&'a [u8]>,
    /// Bytes of push constants of the fragment shader.
    pub pushed: u32,
    /// Where the room is drawn.
    pub within: Within<'a>,
    /// Size of the framebuffer.
    pub size: Size,
    /// Samples per pixel.
    pub samples: vk::SampleCountFlags,
    /// Number of colour attachments.
    pub colours: usize,
}

/// A pipeline, its layout and the vertices of the room.
pub struct RoomPipeline<'g> {
    gpu: &'g Gpu,
    // Dropped in this order: the pipeline, then its layout.
    pipeline: Owned<'g, vk::Pipeline>,
    layout: Owned<'g, vk::PipelineLayout>,
    vertices: Buffer<'g>,
    count: u32,
    size: Size,
}

impl<'g> RoomPipeline<'g> {
    /// Creates pipeline and vertices.
    pub fn new(gpu: &'g Gpu, target: &RoomTarget<'_>, faces: &[Face]) -> Result<Self, Error> {
        let range = |stage_flags, offset, size| vk::PushConstantRange { stage_flags, offset, size };
        let mut pushed = vec![range(vk::ShaderStageFlags::VERTEX, 0, 8)];
        if target.pushed > 0 {
            pushed.push(range(vk::ShaderStageFlags::FRAGMENT, FRAGMENT_OFFSET, target.pushed));
        }
        let layout = gpu.pipeline_layout(&vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&pushed))?;
        let pipeline = gpu.pipeline(&PipelineInfo {
            vertex: shader!("room.vert"),
            fragment: target.fragment,
            attributes: 3,
            layout: layout.get(),
            within: target.within,
            flags: vk::PipelineCreateFlags::empty(),
            size: target.size,
            samples: target.samples,
            colours: target.colours,
            depth: DepthTest::Less,
            scissored: false,
        })?;
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let vertices = Buffer::with_data(gpu, "vertices", &room::vertex_data(faces), usage)?;
        Ok(Self { gpu, pipeline, layout, vertices, count: 3 * faces.len() as u32, size: target.size })
    }

    /// Records the draw, with `pushed` for the fragment shader.
    pub fn draw(&self, commands: vk::CommandBuffer, pushed: &[u8]) {
        let device = &self.gpu.device;
        let layout = self.layout.get();
        let scale: Vec<u8> = self.size.scale().into_iter().flat_map(f32::to_ne_bytes).collect();
        // SAFETY: the command buffer is being recorded inside a matching render pass instance, and all objects are live.
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline.get());
            device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::VERTEX, 0, &scale);
            if !pushed.is_empty() {
                device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::FRAGMENT, FRAGMENT_OFFSET, pushed);
            }
            device.cmd_bind_vertex_buffers(commands, 0, &[self.vertices.get()], &[0]);
            device.cmd_draw(commands, self.count, 1, 0, 0);
        }
    }
}
