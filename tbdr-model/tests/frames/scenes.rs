//! Runs of small frames: an image or two of one size, a pass or two, in frames that repeat.

use super::{attachment, frame, gpus, image, pass, subpass};
use std::collections::BTreeMap;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;
use tbdr_model::record::{FrameRecord, Record, Run};
use tbdr_model::report::{Basis, Finding, Quantity, Report};
use tbdr_model::session::Session;

pub const SIZE: [u32; 2] = [640, 480];
pub const A: u64 = 640 * 480 * 4;
pub const GPUS: [&str; 3] = ["mali-g76", "adreno-650", "apple-m1"];
pub const ATTACHMENT_ONLY: u32 = usage::COLOR_ATTACHMENT;
/// VK_IMAGE_LAYOUT_GENERAL.
pub const GENERAL: Layout = Layout(1);

pub fn color_image(samples: u32, image_usage: u32) -> Image {
    Image { samples, usage: image_usage, ..image("R8G8B8A8_UNORM", [SIZE[0], SIZE[1], 1]) }
}

pub fn depth_image(image_usage: u32) -> Image {
    Image { usage: image_usage, ..image("D32_SFLOAT", [SIZE[0], SIZE[1], 1]) }
}

/// A change of a frame.
pub type Change<'a> = &'a dyn Fn(&mut FrameStructure);

/// An attachment that shows the whole of an image and keeps its layout.
pub fn of(images: &[Image], number: u32, load: LoadOp, store: StoreOp) -> Attachment {
    let image = &images[number as usize];
    let aspects =
        if image.format == attachment("D32_SFLOAT", load, store).format { Aspects::DEPTH } else { Aspects::COLOR };
    Attachment {
        image: Some(ImageRef(number)),
        range: SubresourceRange { aspects, mips: 1, layers: image.layers, ..SubresourceRange::default() },
        format: image.format,
        samples: image.samples,
        load,
        store,
        initial_layout: GENERAL,
        final_layout: GENERAL,
        ..Attachment::default()
    }
}

pub fn whole(label: &str, attachments: Vec<Attachment>, subpass: Subpass) -> Op {
    Op::Pass(Pass { labels: vec![label.into()], ..pass(SIZE, attachments, vec![subpass]) })
}

/// Runs structures in this order, on the same images in every frame; `outputs` leave each frame.
pub fn run(structures: &[FrameStructure], order: &[u32]) -> Report {
    let mut session = Session::new(gpus(&GPUS));
    session.record(&Record::Run(Run::default()));
    for (id, frame) in structures.iter().enumerate() {
        session.record(&Record::Structure { id: id as u32, frame: frame.clone() });
    }
    for (index, structure) in order.iter().enumerate() {
        let images = (0..structures[*structure as usize].images.len() as u64).collect();
        session.record(&Record::Frame(FrameRecord {
            index: index as u64,
            structure: *structure,
            images,
            ..FrameRecord::default()
        }));
    }
    session.record(&Record::End);
    session.report()
}

/// Four frames of one structure.
pub fn repeated(frame: &FrameStructure) -> Vec<Finding> {
    run(std::slice::from_ref(frame), &[0; 4]).findings
}

/// Findings but those about memory that is allocated for nothing.
pub fn moving(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|f| f.saving.is_empty() || f.saving.values().any(|s| s.quantity == Quantity::Dram));
    findings
}

pub fn codes(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|f| f.code.as_str()).collect()
}

pub fn present(mut frame: FrameStructure, image: u32) -> FrameStructure {
    frame.outputs.push(Output { image: ImageRef(image), reason: OutputReason::Present });
    frame
}

pub fn saved(finding: &Finding) -> BTreeMap<&str, u64> {
    assert!(finding.saving.values().all(|s| s.basis == Basis::Exact));
    finding.saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect()
}

pub fn everywhere(bytes: u64) -> BTreeMap<&'static str, u64> {
    GPUS.iter().map(|id| (*id, bytes)).collect()
}

/// Colour that is presented and depth that only this pass uses.
pub fn forward(depth_usage: u32, depth_load: LoadOp, depth_store: StoreOp) -> FrameStructure {
    let images = vec![color_image(1, ATTACHMENT_ONLY), depth_image(usage::DEPTH_STENCIL_ATTACHMENT | depth_usage)];
    let attachments = vec![of(&images, 0, Clear, StoreOp::Store), of(&images, 1, depth_load, depth_store)];
    let ops = vec![whole("scene", attachments, subpass(&[0], Some(1), &[]))];
    present(frame(images, ops), 0)
}

/// Dispatches before the first pass that reach `shader`; the draws of the passes reach nothing.
pub fn reach(frame: &mut FrameStructure, shader: ShaderAccess) {
    for pass in frame.submissions[0].ops.iter_mut() {
        if let Op::Pass(pass) = pass {
            pass.subpasses[0].shader = ShaderAccess::NOTHING;
        }
    }
    let before = Op::Dispatch(Dispatch { shader });
    match &mut frame.submissions[0].ops[0] {
        first @ Op::Dispatch(_) => *first = before,
        _ => frame.submissions[0].ops.insert(0, before),
    }
}
