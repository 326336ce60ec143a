//! Flat triangles with what draws them: a pipeline and the vertices.

use crate::Error;
use crate::buffer::Buffer;
use crate::flat::{Drawn, Flat};
use crate::gpu::Gpu;
use crate::pipeline::Within;
use crate::scene::{self, Triangle};
use crate::size::Size;
use ash::vk;

/// Triangles to draw.
pub struct Triangles<'g> {
    flat: Flat<'g>,
    vertices: Buffer<'g>,
    count: u32,
}

impl<'g> Triangles<'g> {
    /// `triangles`, drawn within a framebuffer of `size` with one sample per pixel.
    pub fn new(
        gpu: &'g Gpu,
        drawn: Drawn,
        within: Within<'_>,
        size: Size,
        triangles: &[Triangle],
    ) -> Result<Self, Error> {
        let (no_flags, one) = (vk::PipelineCreateFlags::empty(), vk::SampleCountFlags::TYPE_1);
        let flat = Flat::new(gpu, drawn, within, no_flags, size, one)?;
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let vertices = Buffer::with_data(gpu, "vertices", &scene::vertex_data(triangles), usage)?;
        Ok(Self { flat, vertices, count: triangles.len() as u32 })
    }

    /// The triangles of [`scene`] for a framebuffer of `size`.
    pub fn of_scene(gpu: &'g Gpu, drawn: Drawn, within: Within<'_>, size: Size) -> Result<Self, Error> {
        Self::new(gpu, drawn, within, size, &scene::triangles(size))
    }

    /// Records their draws, moved by `offset` pixels.
    pub fn draw(&self, commands: vk::CommandBuffer, offset: [i32; 2]) {
        self.flat.draw(commands, self.vertices.get(), 0..self.count, offset);
    }
}
