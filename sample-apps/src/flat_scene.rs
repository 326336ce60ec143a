//! The triangles of `scene` drawn by a pass of their own into an image that later passes read.

use crate::Error;
use crate::expect::Background;
use crate::flat::Drawn;
use crate::gpu::Gpu;
use crate::image::{Image, ImageInfo};
use crate::pass::{Attachment, Pass, READ, Subpass, TESTED};
use crate::scene;
use crate::size::Size;
use crate::triangles::Triangles;
use ash::vk;

/// The pass and what it draws.
pub struct FlatScene<'g> {
    triangles: Triangles<'g>,
    pass: Pass<'g>,
    /// What is drawn, in the layout [`READ`] after the pass.
    pub colour: Image<'g>,
    _depth: Image<'g>,
    size: Size,
}

impl<'g> FlatScene<'g> {
    /// The scene in `format`. The depth, which nobody reads, gets `depth_store`.
    pub fn new(
        gpu: &'g Gpu,
        size: Size,
        format: vk::Format,
        depth_store: vk::AttachmentStoreOp,
    ) -> Result<Self, Error> {
        use vk::ImageUsageFlags as Usage;
        let depth_usage = match depth_store {
            vk::AttachmentStoreOp::STORE => Usage::empty(),
            _ => Usage::TRANSIENT_ATTACHMENT,
        };
        let colour = Image::new(gpu, &ImageInfo::colour("scene", size, format, Usage::SAMPLED))?;
        let depth = Image::new(gpu, &ImageInfo::depth("depth", size, depth_usage))?;
        let (clear, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
        let pass = Pass::new(
            gpu,
            "scene",
            size,
            &[
                Attachment::new(&colour, clear, store, READ).from(READ).cleared_to(Background::CLEAR_RGB),
                Attachment::new(&depth, clear, depth_store, TESTED),
            ],
            &[Subpass { colours: &[0], depth: Some(1), ..Subpass::default() }],
        )?;
        let triangles = Triangles::of_scene(gpu, Drawn::Colour, pass.within(0), size)?;
        Ok(Self { triangles, pass, colour, _depth: depth, size })
    }

    /// Records frame `frame`.
    pub fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        self.pass.record(commands, || self.triangles.draw(commands, scene::offset(self.size, frame)));
    }
}
