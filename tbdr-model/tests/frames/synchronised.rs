//! Frames of passes by dynamic rendering, dispatches and barriers of images: what rules on barriers are tried on.

use super::scenes::{color_image, of, whole};
use super::subpass;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;

pub const VERTEX: u64 = 0x8;
pub const FRAGMENT: u64 = 0x80;
pub const COLOR: u64 = 0x400;
pub const COMPUTE: u64 = 0x800;
pub const TRANSFER: u64 = 0x1000;
pub const TOP: u64 = 0x1;
pub const BOTTOM: u64 = 0x2000;
pub const ALL_GRAPHICS: u64 = 0x8000;
pub const ALL_COMMANDS: u64 = 0x1_0000;

/// VK_SHADER_STAGE_VERTEX_BIT, _FRAGMENT_BIT, _COMPUTE_BIT.
pub const VERTEX_SHADER: u32 = 0x1;
pub const FRAGMENT_SHADER: u32 = 0x10;
pub const COMPUTE_SHADER: u32 = 0x20;

pub const USAGE: u32 = usage::COLOR_ATTACHMENT | usage::SAMPLED | usage::STORAGE | usage::TRANSFER_DST;

pub fn images(count: usize) -> Vec<Image> {
    (0..count).map(|at| Image { name: Some(format!("image-{at}")), ..color_image(1, USAGE) }).collect()
}

pub fn reaches(image: u32, kind: AccessKind, stages: u32) -> ImageAccess {
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    ImageAccess { image: Some(ImageRef(image)), range, kind, stages, certain: true }
}

pub fn shader(images: Vec<ImageAccess>) -> ShaderAccess {
    ShaderAccess { keeps_memory: true, ..ShaderAccess::exactly(images) }
}

/// A pass that renders to `target` by dynamic rendering, with shaders that reach `reached`.
pub fn rendering(label: &str, target: u32, reached: Vec<ImageAccess>) -> Op {
    let all = images(8);
    let op = whole(label, vec![of(&all, target, Clear, StoreOp::Store)], subpass(&[0], None, &[]));
    let Op::Pass(mut pass) = op else { unreachable!() };
    pass.dynamic = true;
    pass.subpasses[0].shader = shader(reached);
    Op::Pass(pass)
}

pub fn barrier(image: u32, src_stages: u64, dst_stages: u64) -> Op {
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    let scope = Scope { src_stages, dst_stages, src_access: 0x1_0000, dst_access: 0x8000 };
    let (old_layout, new_layout) = (Layout(2), Layout(5));
    let image = ImageBarrier { image: Some(ImageRef(image)), range, scope, old_layout, new_layout, families: None };
    Op::Barrier(Barrier { images: vec![image], ..Barrier::default() })
}

/// The same without a change of layout, after the other.
pub fn again(image: u32, src_stages: u64, dst_stages: u64) -> Op {
    let Op::Barrier(mut barrier) = barrier(image, src_stages, dst_stages) else { unreachable!() };
    barrier.images[0].old_layout = barrier.images[0].new_layout;
    Op::Barrier(barrier)
}

/// A dispatch whose shader reaches these images and no buffers that it writes.
pub fn dispatch(reached: Vec<ImageAccess>) -> Op {
    Op::Dispatch(Dispatch { shader: shader(reached) })
}

/// A frame of one submission without semaphores.
pub fn frame(images: Vec<Image>, ops: Vec<Op>) -> FrameStructure {
    let mut frame = super::frame(images, ops);
    frame.submissions[0].semaphores = Some(SemaphoreStages::default());
    frame
}

/// One semaphore of each kind, or none where it has no stages.
pub fn one_of_each(waits: u64, signals: u64) -> Option<SemaphoreStages> {
    let one = |mask| StageMasks::default().and(mask);
    Some(SemaphoreStages { waits: one(waits), signals: one(signals) })
}
