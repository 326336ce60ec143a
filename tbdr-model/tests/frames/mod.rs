//! Small frames to make claims about.
#![allow(dead_code, reason = "every test file uses its own share of these")]

pub mod scenes;
pub mod split_pass;
pub mod synchronised;

use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::gpu::{Profile, select};
use tbdr_model::record::{FrameRecord, Record, Run};
use tbdr_model::report::{Direction, GpuFrame, Report};
use tbdr_model::session::Session;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// An attachment of this format, one sample, with these operations on colour or depth.
pub fn attachment(name: &str, load: LoadOp, store: StoreOp) -> Attachment {
    let format = format::by_name(name).unwrap_or_else(|| panic!("{name}")).format;
    Attachment { format, samples: 1, load, store, ..Attachment::default() }
}

/// The same with four samples.
pub fn multisampled(name: &str, load: LoadOp, store: StoreOp) -> Attachment {
    Attachment { samples: 4, ..attachment(name, load, store) }
}

pub fn using(attachment: u32) -> Option<AttachmentUse> {
    Some(AttachmentUse { attachment, ..AttachmentUse::default() })
}

/// A subpass that draws to these colour attachments and this depth attachment and reads these as input.
pub fn subpass(color: &[u32], depth: Option<u32>, input: &[u32]) -> Subpass {
    let uses = |list: &[u32]| list.iter().map(|a| using(*a)).collect();
    let depth = depth.and_then(using);
    Subpass { color: uses(color), depth, stencil: depth, input: uses(input), drawn: true, ..Subpass::default() }
}

/// A pass over the whole of a framebuffer.
pub fn pass(extent: [u32; 2], attachments: Vec<Attachment>, subpasses: Vec<Subpass>) -> Pass {
    let extent = Extent2D::from(extent);
    let render_area = Rect2D { extent, ..Rect2D::default() };
    Pass { extent, render_area, layers: 1, attachments, subpasses, ..Pass::default() }
}

pub fn image(name: &str, extent: [u32; 3]) -> Image {
    let format = format::by_name(name).unwrap_or_else(|| panic!("{name}")).format;
    Image { format, dimension: 1, extent: Extent3D::from(extent), mips: 1, layers: 1, samples: 1, ..Image::default() }
}

/// A frame of one submission.
pub fn frame(images: Vec<Image>, ops: Vec<Op>) -> FrameStructure {
    let submissions = vec![Submission { ops, ..Submission::default() }];
    FrameStructure { images, submissions, ..FrameStructure::default() }
}

pub fn gpus(ids: &[&str]) -> Vec<Profile> {
    select(ids).unwrap_or_else(|e| panic!("{e}"))
}

/// The report of a run of one frame on these GPUs.
pub fn report(frame: &FrameStructure, ids: &[&str]) -> Report {
    let mut session = Session::new(gpus(ids));
    session.record(&Record::Run(Run::default()));
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    session.record(&Record::Frame(FrameRecord::default()));
    session.record(&Record::End);
    session.report()
}

/// What one GPU moves in a frame.
pub fn ledger(frame: &FrameStructure, id: &str) -> GpuFrame {
    report(frame, &[id]).frames[0].gpus[id].clone()
}

/// The same for a single pass on images of no consequence.
pub fn pass_ledger(pass: &Pass, id: &str) -> GpuFrame {
    ledger(&frame(Vec::new(), vec![Op::Pass(pass.clone())]), id)
}

/// Sum of the entries with this cause and direction over all tile passes.
pub fn caused(ledger: &GpuFrame, cause: &str, direction: Direction) -> u64 {
    let entries = ledger.passes.iter().flat_map(|pass| &pass.entries);
    entries.filter(|e| e.cause == cause && e.direction == direction).map(|e| e.bytes.0).sum()
}
