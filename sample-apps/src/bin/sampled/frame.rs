//! One frame: the depth map, the output that reads it or does not, and the copy of the output.

use crate::binding::Binding;
use crate::options::{Bind, Options};
use crate::passes::{Pass, READ};
use ash::vk;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::flat::{Drawn, Flat};
use tilelens_samples::gpu::Gpu;
use tilelens_samples::owned::Owned;
use tilelens_samples::pipeline::{DepthTest, PipelineInfo, Within};
use tilelens_samples::scene::{self, Triangle};
use tilelens_samples::{Error, readback, shader};

/// All that a frame is recorded from.
pub struct Frame<'g> {
    gpu: &'g Gpu,
    options: &'g Options,
    triangles: u32,
    vertices: Buffer<'g>,
    // Dropped in this order: the pipelines, then what they were made for.
    flat: Flat<'g>,
    reading: Owned<'g, vk::Pipeline>,
    not_reading: Owned<'g, vk::Pipeline>,
    binding: Binding<'g>,
    _sampler: Owned<'g, vk::Sampler>,
    map: Pass<'g>,
    output: Pass<'g>,
}

impl<'g> Frame<'g> {
    /// Creates images, passes and pipelines.
    pub fn new(gpu: &'g Gpu, options: &'g Options, triangles: &[Triangle]) -> Result<Self, Error> {
        let (map, output) = (Pass::map(gpu, options)?, Pass::output(gpu, options)?);
        let within = |pass: &Pass<'_>| Within::RenderPass { pass: pass.get(), subpass: 0 };
        let samples = vk::SampleCountFlags::TYPE_1;
        let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
        let image =
            vk::DescriptorImageInfo { sampler: sampler.get(), image_view: map.image.view(), image_layout: READ };
        let binding = Binding::new(gpu, options.bind, image)?;
        // A pipeline without descriptors too: descriptor buffers stay bound from one pass to the next.
        let flat = Flat::new(gpu, Drawn::Depth, within(&map), binding.pipeline_flags(), options.size, samples)?;
        let pipeline = |fragment: &'static [u8]| {
            gpu.pipeline(&PipelineInfo {
                vertex: shader!("screen.vert"),
                fragment: Some(fragment),
                attributes: 0,
                layout: binding.pipeline_layout(),
                within: within(&output),
                flags: binding.pipeline_flags(),
                size: options.size,
                samples,
                colours: 1,
                depth: DepthTest::Off,
                scissored: false,
            })
        };
        let reading = if options.bind == Bind::Bindless {
            pipeline(shader!("map_array.frag"))
        } else {
            pipeline(shader!("map.frag"))
        }?;
        let not_reading = pipeline(shader!("map_unused.frag"))?;
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let vertices = Buffer::with_data(gpu, "vertices", &scene::vertex_data(triangles), usage)?;
        let triangles = triangles.len() as u32;
        Ok(Self {
            gpu,
            options,
            triangles,
            vertices,
            flat,
            reading,
            not_reading,
            binding,
            _sampler: sampler,
            map,
            output,
        })
    }

    /// Records frame `frame` and the copy of its output to `result`, and completes the descriptors that it reads.
    pub fn record(&self, commands: vk::CommandBuffer, frame: u32, result: &Buffer<'_>) {
        // The map of the frame before is read before it is drawn over.
        if self.options.history {
            self.show(commands, frame);
            self.draw_map(commands, frame);
        } else {
            self.draw_map(commands, frame);
            self.show(commands, frame);
        }
        readback::record(self.gpu, commands, &self.output.image, self.options.size, result);
        self.binding.complete(frame);
    }

    fn draw_map(&self, commands: vk::CommandBuffer, frame: u32) {
        if self.options.draws_in(frame) {
            let offset = scene::offset(self.options.size, frame);
            self.map.record(self.gpu, commands, "depth map", self.options, || {
                self.flat.draw(commands, self.vertices.get(), 0..self.triangles, offset);
            });
        }
    }

    fn show(&self, commands: vk::CommandBuffer, frame: u32) {
        let pipeline = if self.options.read_in(frame).is_some() { &self.reading } else { &self.not_reading };
        self.output.record(self.gpu, commands, "output", self.options, || {
            let device = &self.gpu.device;
            // SAFETY: the command buffer is being recorded inside the pass of this pipeline, which is live.
            unsafe { device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline.get()) };
            self.binding.bind(commands, frame);
            // SAFETY: as above; what the pipeline reads is bound, and the map is in the layout for it if it is read.
            unsafe { device.cmd_draw(commands, 3, 1, 0, 0) };
        });
    }
}
