//! Depth first, occlusion, and then all of the rest in one pass.

use crate::frame::{Drawing, Record, Subpasses, Targets, room};
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::pass::{Attachment, DEPTH_READ, Pass, READ, Subpass};
use tilelens_samples::readback::COPIED;
use tilelens_samples::room::{Face, SKY};
use tilelens_samples::room_pipeline::RoomPipeline;
use tilelens_samples::size::Size;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;

/// The passes with what they draw.
pub struct Passes<'g> {
    depth_first: RoomPipeline<'g>,
    drawing: Drawing<'g>,
    prepass: Pass<'g>,
    shading: Pass<'g>,
}

impl<'g> Passes<'g> {
    /// Creates passes and pipelines.
    pub fn new(gpu: &'g Gpu, size: Size, targets: &Targets<'g>, faces: &[Face]) -> Result<Self, Error> {
        let depth = Attachment::new(&targets.depth, Load::CLEAR, Store::STORE, DEPTH_READ);
        let alone = Subpass { depth: Some(0), ..Subpass::default() };
        let prepass = Pass::new(gpu, "depth pre-pass", size, &[depth], &[alone])?;
        // Drawing the depth again costs no memory traffic; loading it would.
        let shading = [
            Attachment::new(&targets.output, Load::DONT_CARE, Store::STORE, COPIED).from(COPIED),
            Attachment::new(&targets.depth, Load::CLEAR, Store::DONT_CARE, DEPTH_READ),
            Attachment::new(&targets.albedo, Load::CLEAR, Store::DONT_CARE, READ).cleared_to(SKY),
            Attachment::new(&targets.normal, Load::CLEAR, Store::DONT_CARE, READ),
        ];
        let geometry = Subpass { colours: &[2, 3], depth: Some(1), ..Subpass::default() };
        let lighting = Subpass { colours: &[0], inputs: &[1, 2, 3], ..Subpass::default() };
        let shading = Pass::new(gpu, "geometry, lighting and user interface", size, &shading, &[geometry, lighting])?;
        let (geometry, lighting, overlay) = (shading.within(0), shading.within(1), shading.within(1));
        let within = Subpasses { geometry, lighting, overlay };
        Ok(Self {
            depth_first: room(gpu, size, faces, prepass.within(0), true)?,
            drawing: targets.drawing(gpu, size, faces, (&targets.depth, within))?,
            prepass,
            shading,
        })
    }
}

impl Record for Passes<'_> {
    fn record(&self, commands: vk::CommandBuffer, lights: &[u8]) {
        self.prepass.record(commands, || self.depth_first.draw(commands, &[]));
        self.drawing.occlusion.record(commands, &[]);
        self.shading.record(commands, || {
            self.drawing.geometry.draw(commands, &[]);
            self.shading.next(commands);
            self.drawing.lighting.draw(commands, lights);
            self.drawing.overlay.draw(commands);
        });
    }
}
