//! Rows that somebody computed and published: the model is fed a frame with the figures of the publication. GB are 10^9 bytes.

use super::row::{Row, Tolerance};
use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::gpu::select;
use tbdr_model::record::{FrameRecord, Record, Run};
use tbdr_model::session::Session;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// A GPU whose tile holds the G-buffers below, so that subpasses merge.
const GPU: &str = "mali-g76";
const FPS: f64 = 60.0;

/// All computed rows.
pub fn rows() -> Vec<Row> {
    let row = |id, what, measured, step, bytes: u64| Row {
        id,
        what,
        unit: "GB/s",
        measured,
        modelled: bytes as f64 * FPS / 1e9,
        tolerance: Tolerance::Printed { step },
    };
    // Arm, Understanding render passes (102479): counts the write of the resolved image too.
    let [inline, separate] = [inline_resolve([2560, 1440]), separate_resolve([2560, 1440])];
    // Arm, Mali best practices (101897): counts what the separate resolve adds.
    let [inline_hd, separate_hd] = [inline_resolve([1920, 1080]), separate_resolve([1920, 1080])];
    // Arm, Lowering bandwidth use: four 32-bit attachments of a G-buffer written and read.
    let g_buffer = ["R8G8B8A8_UNORM"; 4];
    let [on_chip, in_memory] = [deferred([1920, 1080], &g_buffer, true), deferred([1920, 1080], &g_buffer, false)];
    vec![
        row("G39", "4x MSAA at 2560x1440, resolved by a command", 7.9, 0.1, separate),
        row("G39", "4x MSAA at 2560x1440, resolved in the pass", 0.884, 0.001, inline),
        row("G40", "4x MSAA at 1080p, what a resolve command adds", 3.9, 0.1, separate_hd - inline_hd),
        row("G40", "4x MSAA at 1080p, resolved in the pass", 0.5, 0.1, inline_hd),
        row("G41", "4x 32-bit G-buffer at 1080p, memory over on chip", 4.0, 0.0, in_memory - on_chip),
        // Burns and Hunt, The Visibility Buffer (JCGT 2013): 4 megapixels, 4 samples of 24 bytes each.
        row("G45", "G-buffer of 24 B, 4 samples, 4 MP: write and read", 46.0, 0.0, g_buffer_of_24_bytes()),
    ]
}

/// Draws with four samples, resolved by the pass.
fn inline_resolve(size: [u32; 2]) -> u64 {
    let attachments = vec![
        attachment("R8G8B8A8_UNORM", 4, LoadOp::Clear, StoreOp::DontCare),
        attachment("R8G8B8A8_UNORM", 1, LoadOp::DontCare, StoreOp::Store),
    ];
    let resolve = vec![Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() })];
    moved(size, &[1, 1], vec![pass(size, attachments, vec![Subpass { resolve, ..subpass(&[0], &[]) }])])
}

/// Draws with four samples, stores them, and resolves them by vkCmdResolveImage.
fn separate_resolve(size: [u32; 2]) -> u64 {
    let attachments = vec![attachment("R8G8B8A8_UNORM", 4, LoadOp::Clear, StoreOp::Store)];
    let side = |image| {
        let extent = Extent3D::from([size[0], size[1], 1]);
        let (image, aspects) = (Some(ImageRef(image)), Aspects::COLOR);
        Some(Side::Image(ImageRegion { image, aspects, layers: 1, extent, ..ImageRegion::default() }))
    };
    let regions = vec![Region { src: side(0), dst: side(1) }];
    let resolve = Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::Resolve, regions });
    moved(size, &[4, 1], vec![pass(size, attachments, vec![subpass(&[0], &[])]), resolve])
}

/// A G-buffer of these formats, lit into an RGBA8 target by a second subpass or by a second pass.
fn deferred(size: [u32; 2], g_buffer: &[&str], merged: bool) -> u64 {
    let targets: Vec<u32> = (1..=g_buffer.len() as u32).collect();
    let attachments = |load, store, output| {
        let buffer = g_buffer.iter().map(|format| attachment(format, 1, load, store));
        [attachment("R8G8B8A8_UNORM", 1, LoadOp::DontCare, output)].into_iter().chain(buffer).collect()
    };
    let (geometry, lighting) = (subpass(&targets, &[]), subpass(&[0], &targets));
    let ops = if merged {
        vec![pass(size, attachments(LoadOp::Clear, StoreOp::DontCare, StoreOp::Store), vec![geometry, lighting])]
    } else {
        vec![
            pass(size, attachments(LoadOp::Clear, StoreOp::Store, StoreOp::DontCare), vec![geometry]),
            pass(size, attachments(LoadOp::Load, StoreOp::DontCare, StoreOp::Store), vec![lighting]),
        ]
    };
    moved(size, &[], ops)
}

/// Three attachments of 8 bytes a sample, written by one pass and read back by the next.
fn g_buffer_of_24_bytes() -> u64 {
    let size = [2500, 1600];
    let attachments = |load, store| vec![attachment("R16G16B16A16_SFLOAT", 4, load, store); 3];
    let ops = vec![
        pass(size, attachments(LoadOp::Clear, StoreOp::Store), vec![subpass(&[0, 1, 2], &[])]),
        pass(size, attachments(LoadOp::Load, StoreOp::DontCare), vec![subpass(&[], &[0, 1, 2])]),
    ];
    moved(size, &[], ops)
}

fn attachment(name: &str, samples: u32, load: LoadOp, store: StoreOp) -> Attachment {
    let format = format::by_name(name).unwrap().format;
    Attachment { format, samples, load, store, ..Attachment::default() }
}

/// A subpass that draws to these attachments and reads these as input.
fn subpass(color: &[u32], input: &[u32]) -> Subpass {
    let uses = |list: &[u32]| {
        list.iter()
            .map(|attachment| Some(AttachmentUse { attachment: *attachment, ..AttachmentUse::default() }))
            .collect()
    };
    Subpass { color: uses(color), input: uses(input), drawn: true, ..Subpass::default() }
}

fn pass(size: [u32; 2], attachments: Vec<Attachment>, subpasses: Vec<Subpass>) -> Op {
    let extent = Extent2D::from(size);
    let render_area = Rect2D { extent, ..Rect2D::default() };
    Op::Pass(Pass { extent, render_area, layers: 1, attachments, subpasses, ..Pass::default() })
}

/// Bytes that the GPU reads and writes in a frame of these operations. The images that transfers name are RGBA8 with so many samples.
fn moved(size: [u32; 2], samples: &[u32], ops: Vec<Op>) -> u64 {
    let image = |samples: &u32| Image {
        format: format::by_name("R8G8B8A8_UNORM").unwrap().format,
        dimension: 1,
        extent: Extent3D::from([size[0], size[1], 1]),
        mips: 1,
        layers: 1,
        samples: *samples,
        ..Image::default()
    };
    let frame = FrameStructure {
        images: samples.iter().map(image).collect(),
        submissions: vec![Submission { ops, ..Submission::default() }],
        ..FrameStructure::default()
    };
    let mut session = Session::new(select(&[GPU]).unwrap());
    for record in [
        Record::Run(Run::default()),
        Record::Structure { id: 0, frame },
        Record::Frame(FrameRecord::default()),
        Record::End,
    ] {
        session.record(&record);
    }
    let report = session.report();
    let moved = &report.frames[0].gpus[GPU];
    moved.read_bytes.0 + moved.write_bytes.0
}
