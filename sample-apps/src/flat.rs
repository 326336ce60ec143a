//! The pipeline that draws the triangles of [`crate::scene`]: constant colours, depth test LESS, depth writes.

use crate::Error;
use crate::gpu::Gpu;
use crate::owned::Owned;
use crate::pipeline::{DepthTest, PipelineInfo, Within};
use crate::shader;
use crate::shader_objects::ShaderObjects;
use crate::size::Size;
use ash::vk;
use std::ops::Range;

/// What draws the triangles, and its layout.
pub struct Flat<'g> {
    gpu: &'g Gpu,
    // Dropped in this order: the program, then its layout.
    program: Program<'g>,
    layout: Owned<'g, vk::PipelineLayout>,
    size: Size,
}

enum Program<'g> {
    Pipeline(Owned<'g, vk::Pipeline>),
    Shaders(Box<ShaderObjects<'g>>),
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Colour and depth, with a pipeline.
    Colour,
    /// Colour and depth, with shader objects, all state being dynamic.
    ColourWithShaderObjects,
    /// Colour alone, over whatever is there.
    Overlay,
    /// Colour where the depth is already there (EQUAL).
    ColourOfDepth,
    /// Depth alone: there is no colour attachment.
    Depth,
    /// The same, within the scissor that the command buffer has set.
    DepthScissored,
    /// Depth alone, beside a colour attachment that stays as it is.
    DepthBesideColour,
}

impl Drawn {
    /// Number of colour attachments.
    fn colours(self) -> usize {
        usize::from(!matches!(self, Self::Depth | Self::DepthScissored))
    }

    /// Whether colour is written.
    fn writes_colour(self) -> bool {
        !matches!(self, Self::Depth | Self::DepthScissored | Self::DepthBesideColour)
    }

    fn depth(self) -> DepthTest {
        match self {
            Self::Overlay => DepthTest::Off,
            Self::ColourOfDepth => DepthTest::Equal,
            _ => DepthTest::Less,
        }
    }
}

/// The vertex shader's placement: a scale and an offset.
const PUSHED_BYTES: u32 = 16;

impl<'g> Flat<'g> {
    /// What covers `size` and writes attachments with `samples`. A pipeline has `flags`.
    pub fn new(
        gpu: &'g Gpu,
        drawn: Drawn,
        within: Within<'_>,
        flags: vk::PipelineCreateFlags,
        size: Size,
        samples: vk::SampleCountFlags,
    ) -> Result<Self, Error> {
        let pushed =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::VERTEX, offset: 0, size: PUSHED_BYTES }];
        let layout = gpu.pipeline_layout(&vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&pushed))?;
        let info = PipelineInfo {
            vertex: shader!("flat.vert"),
            fragment: drawn.writes_colour().then_some(shader!("flat.frag")),
            attributes: 2,
            layout: layout.get(),
            within,
            flags,
            size,
            samples,
            colours: drawn.colours(),
            depth: drawn.depth(),
            scissored: drawn == Drawn::DepthScissored,
        };
        let program = match drawn {
            Drawn::ColourWithShaderObjects => Program::Shaders(Box::new(ShaderObjects::new(gpu, &info, &pushed)?)),
            _ => Program::Pipeline(gpu.pipeline(&info)?),
        };
        Ok(Self { gpu, program, layout, size })
    }

    /// Draws the triangles `triangles` of `vertices`, moved by `offset` pixels, with one draw each.
    pub fn draw(&self, commands: vk::CommandBuffer, vertices: vk::Buffer, triangles: Range<u32>, offset: [i32; 2]) {
        let device = &self.gpu.device;
        let scale = self.size.scale();
        let [dx, dy] = offset.map(|v| v as f32);
        let pushed: Vec<u8> = [scale[0], scale[1], dx, dy].into_iter().flat_map(f32::to_ne_bytes).collect();
        match &self.program {
            // SAFETY: the command buffer is being recorded, and the pipeline is live.
            Program::Pipeline(pipeline) => unsafe {
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline.get());
            },
            Program::Shaders(shaders) => shaders.bind(commands),
        }
        // SAFETY: the command buffer is being recorded inside a matching render pass instance, and all objects are live.
        unsafe {
            device.cmd_push_constants(commands, self.layout.get(), vk::ShaderStageFlags::VERTEX, 0, &pushed);
            device.cmd_bind_vertex_buffers(commands, 0, &[vertices], &[0]);
            for triangle in triangles {
                device.cmd_draw(commands, 3, 1, triangle * 3, 0);
            }
        }
    }
}
