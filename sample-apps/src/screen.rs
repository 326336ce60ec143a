//! A fragment shader that runs once for every pixel of the framebuffer and reads images: the pipeline and the descriptors of it.

use crate::Error;
use crate::descriptors::{Bound, Descriptors};
use crate::gpu::Gpu;
use crate::owned::Owned;
use crate::pipeline::{DepthTest, PipelineInfo, Within};
use crate::shader;
use crate::size::Size;
use ash::vk;

/// What a [`Screen`] shall be.
#[derive(Clone, Copy, Debug)]
pub struct ScreenInfo<'a> {
    /// SPIR-V of the fragment shader.
    pub fragment: &'a [u8],
    /// What it is drawn in.
    pub within: Within<'a>,
    /// Size of the framebuffer.
    pub size: Size,
    /// Number of colour attachments.
    pub colours: usize,
    /// What the shader reads, at the bindings 0, 1, ….
    pub read: &'a [Bound],
    /// Bytes of push constants of the shader.
    pub pushed: u32,
}

/// A triangle over the whole framebuffer.
pub struct Screen<'g> {
    // Dropped in this order: the pipeline, then its layout.
    pipeline: Owned<'g, vk::Pipeline>,
    inputs: Descriptors<'g>,
}

impl<'g> Screen<'g> {
    /// Creates pipeline and descriptors. Depth is neither tested nor written.
    pub fn new(gpu: &'g Gpu, wanted: &ScreenInfo<'_>) -> Result<Self, Error> {
        let inputs = Descriptors::new(gpu, wanted.read, wanted.pushed)?;
        let pipeline = gpu.pipeline(&PipelineInfo {
            vertex: shader!("screen.vert"),
            fragment: Some(wanted.fragment),
            attributes: 0,
            layout: inputs.pipeline_layout(),
            within: wanted.within,
            flags: vk::PipelineCreateFlags::empty(),
            size: wanted.size,
            samples: vk::SampleCountFlags::TYPE_1,
            colours: wanted.colours,
            depth: DepthTest::Off,
            scissored: false,
        })?;
        Ok(Self { pipeline, inputs })
    }

    /// Records the draw, with `pushed` for the shader.
    pub fn draw(&self, commands: vk::CommandBuffer, pushed: &[u8]) {
        self.inputs.draw(commands, self.pipeline.get(), pushed);
    }
}
