//! A frame that a program has split into two passes, and what scenes about passes change in it.

use super::scenes::*;
use super::*;
use tbdr_model::frame::LoadOp::{Clear, Load};
use tbdr_model::report::Finding;

/// The operations of the only submission.
pub fn ops(frame: &mut FrameStructure) -> &mut Vec<Op> {
    &mut frame.submissions[0].ops
}

/// The pass that is this operation.
pub fn pass_at(frame: &mut FrameStructure, op: usize) -> &mut Pass {
    match &mut frame.submissions[0].ops[op] {
        Op::Pass(pass) => pass,
        other => panic!("{other:?}"),
    }
}

/// Draws whose shaders reach these images and nothing else.
pub fn drawing(subpass: Subpass, reached: &[u32]) -> Subpass {
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    let access = |image: &u32| ImageAccess { image: Some(ImageRef(*image)), range, ..ImageAccess::default() };
    Subpass { shader: ShaderAccess::exactly(reached.iter().map(access).collect()), ..subpass }
}

/// What shaders reach that sample one image alone.
pub fn sampling(image: u32) -> ShaderAccess {
    drawing(Subpass::default(), &[image]).shader
}

/// Opaque draws, then transparent ones in a pass of their own, which loads colour and depth. Images 2 and 3 play no part in them.
pub fn split() -> FrameStructure {
    let images = vec![
        color_image(1, usage::COLOR_ATTACHMENT | usage::SAMPLED | usage::TRANSFER_SRC),
        depth_image(usage::DEPTH_STENCIL_ATTACHMENT | usage::SAMPLED),
        color_image(1, usage::COLOR_ATTACHMENT | usage::SAMPLED | usage::TRANSFER_SRC),
        color_image(1, usage::COLOR_ATTACHMENT | usage::SAMPLED | usage::TRANSFER_DST),
    ];
    let opaque = vec![of(&images, 0, Clear, StoreOp::Store), of(&images, 1, Clear, StoreOp::Store)];
    let transparent = vec![of(&images, 0, Load, StoreOp::Store), of(&images, 1, Load, StoreOp::DontCare)];
    let draws = || drawing(subpass(&[0], Some(1), &[]), &[]);
    let ops = vec![whole("opaque", opaque, draws()), whole("transparent", transparent, draws())];
    present(frame(images, ops), 0)
}

/// [`split`], changed.
pub fn with(edit: impl FnOnce(&mut FrameStructure)) -> FrameStructure {
    let mut frame = split();
    edit(&mut frame);
    frame
}

/// The findings of one rule.
pub fn only<'a>(findings: &'a [Finding], code: &str) -> Vec<&'a Finding> {
    findings.iter().filter(|f| f.code == code).collect()
}

/// A rule says nothing of a frame that repeats.
pub fn silent(frame: &FrameStructure, code: &str, why: &str) {
    let findings = repeated(frame);
    assert!(only(&findings, code).is_empty(), "{why}: {findings:?}");
}
