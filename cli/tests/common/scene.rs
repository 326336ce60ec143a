//! A small program for tests of budgets and comparisons: pass `main` clears and stores `colour`, which is presented, and drops `depth`;
//! both are 64x64 with 32 bits per pixel, so that each store or load moves [`A`] bytes.
#![allow(clippy::unwrap_used, dead_code, reason = "helpers of tests may panic, and not every test uses each")]

use super::records;
use std::path::Path;
use tbdr_model::frame::{
    Aspects, Attachment, AttachmentUse, Format, FrameStructure, Image, ImageRef, LoadOp, Op, Output, OutputReason,
    Pass, StoreOp, SubresourceRange,
};
use tbdr_model::record::{FrameRecord, Record};
use tilelens_capture::Writer;

/// Bytes of an attachment.
pub const A: u64 = 64 * 64 * 4;

/// The one pass of a frame.
pub fn the_pass(frame: &mut FrameStructure) -> &mut Pass {
    match &mut frame.submissions[0].ops[0] {
        Op::Pass(pass) => pass,
        other => panic!("not a pass: {other:?}"),
    }
}

/// The depth that a later pass might read: one store more.
pub fn store_depth(frame: &mut FrameStructure) {
    the_pass(frame).attachments[1].store = StoreOp::Store;
}

/// The records of a clean run of three frames, after `change` of the frame.
pub fn scene(change: impl Fn(&mut FrameStructure)) -> Vec<Record> {
    const D32_SFLOAT: Format = Format(126);
    let mut records = records();
    for record in &mut records {
        match record {
            Record::Structure { frame, .. } => {
                let depth =
                    Image { name: Some("depth".into()), format: D32_SFLOAT, usage: 0x20, ..frame.images[0].clone() };
                frame.images.push(depth);
                frame.outputs = vec![Output { image: ImageRef(0), reason: OutputReason::Present }];
                let pass = the_pass(frame);
                pass.attachments.push(Attachment {
                    image: Some(ImageRef(1)),
                    range: SubresourceRange {
                        aspects: Aspects::DEPTH,
                        mips: 1,
                        layers: 1,
                        ..SubresourceRange::default()
                    },
                    format: D32_SFLOAT,
                    samples: 1,
                    load: LoadOp::Clear,
                    store: StoreOp::DontCare,
                    ..Attachment::default()
                });
                pass.subpasses[0].depth = Some(AttachmentUse { attachment: 1, ..AttachmentUse::default() });
                change(frame);
            }
            Record::Frame(frame) => frame.images = vec![7, 8],
            _ => {}
        }
    }
    records
}

/// Adds one occurrence of another frame, made from the first by `change`, before all others.
pub fn with_first_frame(mut records: Vec<Record>, change: impl Fn(&mut FrameStructure)) -> Vec<Record> {
    let Record::Structure { mut frame, .. } = records[1].clone() else { panic!("the second record is a structure") };
    change(&mut frame);
    for record in &mut records {
        if let Record::Frame(frame) = record {
            frame.index += 1;
        }
    }
    let Some(Record::Frame(first)) = records.iter().find(|record| matches!(record, Record::Frame(_))).cloned() else {
        panic!("there are frames")
    };
    let first = FrameRecord { index: 0, structure: 1, ..first };
    records.splice(2..2, [Record::Structure { id: 1, frame }, Record::Frame(first)]);
    records
}

/// Writes a capture.
pub fn write(path: &Path, records: &[Record]) {
    let mut writer = Writer::create(path).unwrap();
    for record in records {
        writer.append(record).unwrap();
    }
}
