//! What draws and clears can do to attachments decides what a pass leaves behind, and only where their state is known.

mod frames;

use frames::*;
use tbdr_model::frame::*;
use tbdr_model::record::{FrameRecord, Record, Run};
use tbdr_model::report::{Direction, Report};
use tbdr_model::session::Session;

const SIZE: [u32; 2] = [512, 256];
const A: u64 = 512 * 256 * 4;
const GPU: &str = "mali-g76";
const GENERAL: Layout = Layout(1);

/// Draws that test depth and write nothing.
const TEST_ONLY: DrawFacts = DrawFacts { known: true, depth_tests: true, samples: 1, ..NOTHING };
/// Draws that touch nothing.
const NOTHING: DrawFacts = DrawFacts {
    known: true,
    conditional: false,
    color_writes: 0,
    color_reads: 0,
    color_masks: [0; 8],
    logic_ops: 0,
    depth_tests: false,
    depth_writes: false,
    depth_compares: 0,
    depth_bounds: false,
    depth_clamp: false,
    stencil_tests: false,
    stencil_writes: false,
    feedback: 0,
    alpha_to_coverage: false,
    pixel_shading: false,
    scissor: None,
    viewport: None,
    samples: 1,
    topologies: 0,
    vertex_bindings: 0,
    vertex_stride: 0,
    instance_stride: 0,
};

/// A pass over one depth image.
fn depth_pass(label: &str, load: LoadOp, store: StoreOp, draws: DrawFacts) -> Op {
    let range = SubresourceRange { aspects: Aspects::DEPTH, mips: 1, layers: 1, ..SubresourceRange::default() };
    let (initial_layout, final_layout) = (GENERAL, GENERAL);
    let image = Some(ImageRef(0));
    let depth = Attachment { image, range, initial_layout, final_layout, ..attachment("D32_SFLOAT", load, store) };
    let drawn = Subpass { draws, ..subpass(&[], Some(0), &[]) };
    Op::Pass(Pass { labels: vec![label.into()], ..pass(SIZE, vec![depth], vec![drawn]) })
}

/// Four frames of these passes.
fn run(ops: Vec<Op>) -> Report {
    let depth = Image { usage: usage::DEPTH_STENCIL_ATTACHMENT, ..image("D32_SFLOAT", [SIZE[0], SIZE[1], 1]) };
    let structure = frame(vec![depth], ops);
    let mut session = Session::new(gpus(&[GPU]));
    session.record(&Record::Run(Run::default()));
    session.record(&Record::Structure { id: 0, frame: structure });
    for index in 0..4 {
        session.record(&Record::Frame(FrameRecord { index, images: vec![0], ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    session.report()
}

fn codes(report: &Report) -> Vec<(&str, Option<&str>)> {
    report.findings.iter().map(|f| (f.code.as_str(), f.pass.as_deref())).collect()
}

#[test]
fn store_op_none_of_depth_that_is_only_tested_keeps_it_for_the_next_pass() {
    let report = run(vec![
        depth_pass("lay", LoadOp::Clear, StoreOp::Store, DrawFacts { depth_writes: true, ..TEST_ONLY }),
        depth_pass("test", LoadOp::Load, StoreOp::None, TEST_ONLY),
        depth_pass("again", LoadOp::Load, StoreOp::DontCare, TEST_ONLY),
    ]);
    assert_eq!(codes(&report), []);
    let moved = &report.frames[0].gpus[GPU];
    assert_eq!(caused(moved, "store", Direction::Write), A, "the first pass alone");
    assert_eq!(caused(moved, "load", Direction::Read), 2 * A, "the other two");
}

#[test]
fn what_nothing_writes_stays_undefined_under_store_op_none() {
    let frame = |draws| {
        vec![
            depth_pass("before", LoadOp::None, StoreOp::None, draws),
            depth_pass("loads", LoadOp::Load, StoreOp::None, TEST_ONLY),
        ]
    };
    assert_eq!(codes(&run(frame(TEST_ONLY))), [("TL001", Some("loads"))]);
    // Draws of which nothing is known may have written.
    assert_eq!(codes(&run(frame(DrawFacts::default()))), []);
    // What draws write is not stored: memory holds neither that nor what was there.
    assert_eq!(codes(&run(frame(DrawFacts { depth_writes: true, ..TEST_ONLY }))), [("TL015", Some("before"))]);
}

#[test]
fn a_clear_command_writes_although_no_draw_does() {
    let rects = vec![(tbdr_model::units::Rect2D::default(), 0, 1)];
    let clear = ClearAttachment { aspects: Aspects::DEPTH, rects, ..ClearAttachment::default() };
    let mut ops = vec![
        depth_pass("before", LoadOp::None, StoreOp::None, NOTHING),
        depth_pass("loads", LoadOp::Load, StoreOp::DontCare, TEST_ONLY),
    ];
    let Op::Pass(first) = &mut ops[0] else { unreachable!() };
    first.subpasses[0].clears.push(clear);
    let report = run(ops);
    assert_eq!(codes(&report), [("TL015", Some("before"))], "what it writes is not stored");
    let attachments = report.frames[0].passes.iter().map(|p| &p.attachments[0]);
    let told: Vec<_> = attachments.map(|a| (a.never_written.join(","), a.never_read.join(","))).collect();
    assert_eq!(told, [("".into(), "depth".into()), ("depth".into(), "".into())] as [(String, String); 2]);
}

#[test]
fn a_subpass_that_writes_makes_up_for_one_that_does_not() {
    let color = attachment("R8G8B8A8_UNORM", LoadOp::Clear, StoreOp::Store);
    let with = |draws| Subpass { draws, ..subpass(&[0, 1], None, &[]) };
    let shown = |first, second| {
        let pass = pass(SIZE, vec![color.clone(), color.clone()], vec![with(first), with(second)]);
        let report = report(&frame(vec![], vec![Op::Pass(pass)]), &[GPU]);
        report.frames[0].passes[0].attachments.iter().map(|a| a.never_written.len()).collect::<Vec<_>>()
    };
    let writes = |slots| DrawFacts { color_writes: slots, ..NOTHING };
    assert_eq!(shown(writes(1), writes(0)), [0, 1]);
    assert_eq!(shown(writes(1), writes(2)), [0, 0]);
    assert_eq!(shown(writes(1), DrawFacts::default()), [0, 0]);
}
