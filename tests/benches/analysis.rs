//! What the analysis costs, by the number of passes in a frame and per GPU: a frame of a new structure, the same frame again as the
//! analysis thread treats it (structure hashed and found equal), and the report, whose findings each evaluate edited frames.
//!
//! All of it happens beside the program, on the layer's own thread or in `tilelens analyze`.
#![allow(clippy::unwrap_used)]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;
use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::gpu::{Profile, select};
use tbdr_model::record::{Counters, FrameRecord, Record, Run};
use tbdr_model::session::Session;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

const PASSES: [usize; 5] = [10, 50, 100, 200, 500];

fn profiles() -> Vec<Profile> {
    select(&["all"]).unwrap()
}

/// A frame of so many passes in a row. Each draws to a colour image of its own and to a depth image that all share, loading what the
/// pass before left; every fourth reads its own colour in a second subpass; a barrier stands between passes. What passes draw may
/// be sampled later, but for every tenth, which is copied, and every tenth that nothing reads: those are the findings.
fn frame(passes: usize) -> FrameStructure {
    let extent = Extent2D::new(1920, 1080);
    let image = |name: &str, usage| Image {
        format: format::by_name(name).unwrap().format,
        dimension: 1,
        extent: Extent3D::from([extent.width, extent.height, 1]),
        mips: 1,
        layers: 1,
        samples: 1,
        usage,
        ..Image::default()
    };
    let mut images = vec![
        image("D32_SFLOAT", usage::DEPTH_STENCIL_ATTACHMENT),
        image("R8G8B8A8_UNORM", usage::TRANSFER_DST | usage::TRANSFER_SRC),
    ];
    images.extend((0..passes).map(|number| {
        let read = match number % 10 {
            9 => usage::TRANSFER_SRC,
            5 => 0,
            _ => usage::SAMPLED,
        };
        image("R8G8B8A8_UNORM", usage::COLOR_ATTACHMENT | read)
    }));
    let range = |aspects| SubresourceRange { aspects, mips: 1, layers: 1, ..SubresourceRange::default() };
    let attachment = |name: &str, number: usize, aspects, load, store| Attachment {
        image: Some(ImageRef(number as u32)),
        range: range(aspects),
        format: format::by_name(name).unwrap().format,
        samples: 1,
        load,
        store,
        // VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL for what is loaded: contents in layout UNDEFINED would be lost.
        initial_layout: Layout(if load == LoadOp::Load { 3 } else { 0 }),
        ..Attachment::default()
    };
    let using = |attachment| Some(AttachmentUse { attachment, ..AttachmentUse::default() });
    let mut ops = Vec::new();
    for number in 0..passes {
        let depth_load = if number == 0 { LoadOp::Clear } else { LoadOp::Load };
        let mut pass = Pass {
            extent,
            render_area: Rect2D { extent, ..Rect2D::default() },
            layers: 1,
            attachments: vec![
                attachment("R8G8B8A8_UNORM", number + 2, Aspects::COLOR, LoadOp::Clear, StoreOp::Store),
                attachment("D32_SFLOAT", 0, Aspects::DEPTH, depth_load, StoreOp::Store),
            ],
            subpasses: vec![Subpass { color: vec![using(0)], depth: using(1), drawn: true, ..Subpass::default() }],
            ..Pass::default()
        };
        if number % 4 == 3 {
            pass.subpasses.push(Subpass { input: vec![using(0)], drawn: true, ..Subpass::default() });
        }
        ops.push(Op::Pass(pass));
        let side = |image: usize| {
            let (image, aspects) = (Some(ImageRef(image as u32)), Aspects::COLOR);
            let extent = Extent3D::from([extent.width, extent.height, 1]);
            Some(Side::Image(ImageRegion { image, aspects, layers: 1, extent, ..ImageRegion::default() }))
        };
        if number % 10 == 9 {
            let regions = vec![Region { src: side(number + 2), dst: side(1) }];
            ops.push(Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::CopyImage, regions }));
        }
        ops.push(Op::Barrier(Barrier::default()));
    }
    let submissions = vec![Submission { ops, ..Submission::default() }];
    FrameStructure { images, submissions, ..FrameStructure::default() }
}

/// The same frame, and what every draw does and reaches is known: passes could go on in the one before, and what nobody reads is stored.
fn known(passes: usize) -> FrameStructure {
    let mut frame = frame(passes);
    let draws = DrawFacts {
        known: true,
        color_writes: 1,
        color_masks: [0xf, 0, 0, 0, 0, 0, 0, 0],
        depth_tests: true,
        depth_writes: true,
        depth_compares: 1 << 1,
        samples: 1,
        ..DrawFacts::default()
    };
    for op in frame.submissions.iter_mut().flat_map(|submission| &mut submission.ops) {
        let Op::Pass(pass) = op else { continue };
        for subpass in &mut pass.subpasses {
            (subpass.draws, subpass.shader) = (draws, ShaderAccess::NOTHING);
        }
    }
    frame
}

/// All known, all passes over the same colour, and each with a name of its own: every one could go on in the one before, and is told so.
fn row(passes: usize) -> FrameStructure {
    let mut frame = known(passes);
    let mut number = 0;
    for op in frame.submissions.iter_mut().flat_map(|submission| &mut submission.ops) {
        let Op::Pass(pass) = op else { continue };
        pass.labels = vec![format!("pass of row {number}")];
        pass.subpasses.truncate(1);
        pass.attachments[0].image = Some(ImageRef(2));
        if number > 0 {
            (pass.attachments[0].load, pass.attachments[0].initial_layout) = (LoadOp::Load, Layout(2));
        }
        number += 1;
    }
    for submission in &mut frame.submissions {
        submission.ops.retain(|op| matches!(op, Op::Pass(_)));
    }
    frame
}

/// An occurrence of the frame: the images are the same every time, as an application's are.
fn occurrence(frame: &FrameStructure, index: u64, structure: u32) -> Record {
    let subpasses: usize = frame.passes().map(|pass| pass.subpasses.len()).sum();
    Record::Frame(FrameRecord {
        index,
        structure,
        images: (0..frame.images.len() as u64).collect(),
        counters: vec![Counters { draws: 10, ..Counters::default() }; subpasses + 1],
        ..FrameRecord::default()
    })
}

/// A run of which no frame has come yet.
fn started() -> Session {
    let mut session = Session::new(profiles());
    session.record(&Record::Run(Run::default()));
    session
}

fn add_new(session: &mut Session, frame: &FrameStructure) {
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    session.record(&occurrence(frame, 0, 0));
}

fn add_again(session: &mut Session, frame: &FrameStructure, known: &FrameStructure, index: u64) {
    let mut hasher = DefaultHasher::new();
    black_box(frame).hash(&mut hasher);
    black_box(hasher.finish());
    assert!(black_box(frame) == known);
    session.record(&occurrence(frame, index, 0));
}

#[divan::bench(args = PASSES, sample_count = 20)]
fn new_structure(bencher: divan::Bencher<'_, '_>, passes: usize) {
    let frame = frame(passes);
    bencher.with_inputs(started).bench_local_refs(|session| add_new(session, &frame));
}

/// The same of passes of which no two are alike, so that nothing of one serves another.
#[divan::bench(args = PASSES, sample_count = 20)]
fn new_structure_of_distinct_passes(bencher: divan::Bencher<'_, '_>, passes: usize) {
    let mut frame = frame(passes);
    let ops = frame.submissions.iter_mut().flat_map(|submission| &mut submission.ops);
    let of_frame = ops.filter_map(|op| match op {
        Op::Pass(pass) => Some(pass),
        _ => None,
    });
    for (less, pass) in (0..).zip(of_frame) {
        pass.extent.width -= less;
        pass.render_area.extent.width -= less;
    }
    bencher.with_inputs(started).bench_local_refs(|session| add_new(session, &frame));
}

#[divan::bench(args = PASSES, sample_count = 20)]
fn repeated_structure(bencher: divan::Bencher<'_, '_>, passes: usize) {
    let (frame, known) = (frame(passes), frame(passes));
    let mut session = started();
    add_new(&mut session, &frame);
    let mut index = 0;
    bencher.bench_local(|| {
        index += 1;
        add_again(&mut session, &frame, &known, index);
    });
}

#[divan::bench(args = PASSES, sample_count = 3, sample_size = 1)]
fn report(bencher: divan::Bencher<'_, '_>, passes: usize) {
    let frame = frame(passes);
    let mut session = started();
    add_new(&mut session, &frame);
    session.record(&occurrence(&frame, 1, 0));
    bencher.bench_local(|| session.report());
}

/// The best of some runs, in nanoseconds.
fn best<T>(runs: u32, mut input: impl FnMut() -> T, mut run: impl FnMut(T)) -> f64 {
    let one = |_| {
        let input = input();
        let start = Instant::now();
        run(input);
        start.elapsed()
    };
    (0..runs).map(one).min().unwrap_or_default().as_nanos() as f64
}

/// Ten GPUs of all families.
const TEN: [&str; 10] = [
    "mali-g71",
    "mali-g76",
    "mali-g610",
    "mali-g610-panvk",
    "adreno-650",
    "adreno-740",
    "apple-m1",
    "videocore-vi",
    "videocore-vii",
    "powervr-gx6250",
];

/// What a frame of so many passes costs on ten GPUs, all rules and what their fixes save included: growth must be
/// linear, but for a row of passes that could be one.
fn growth(out: &mut impl Write, (what, frame): (&str, fn(usize) -> FrameStructure), sizes: &[usize]) {
    writeln!(out, "\nanalysis on ten GPUs, {what}: milliseconds in all, microseconds per pass; the report has all rules with their savings").unwrap();
    let [passes, new, report, findings, each] = ["passes", "new", "report", "findings", "per pass"];
    writeln!(out, "{passes:>6} {new:>12} {report:>12} {findings:>9} {each:>12}").unwrap();
    for &passes in sizes {
        let frame = frame(passes);
        let ten = || {
            let mut session = Session::new(select(&TEN).unwrap());
            session.record(&Record::Run(Run::default()));
            session
        };
        let runs = if passes > 1_000 { 1 } else { 3 };
        let new = best(runs, ten, |mut session| add_new(&mut session, &frame)) / 1e6;
        let mut session = ten();
        add_new(&mut session, &frame);
        session.record(&occurrence(&frame, 1, 0));
        session.record(&Record::End);
        let mut findings = 0;
        let report = best(runs, || (), |()| findings = session.report().findings.len()) / 1e6;
        let each = (new + report) * 1e3 / passes as f64;
        writeln!(out, "{passes:>6} {new:>9.2} ms {report:>9.2} ms {findings:>9} {each:>9.1} us").unwrap();
    }
}

fn main() {
    divan::main();
    let gpus = profiles().len() as f64;
    let mut out = std::io::stdout();
    growth(&mut out, ("nothing known of draws and shaders", frame), &[10, 100, 1_000, 10_000]);
    growth(&mut out, ("all known", known), &[10, 100, 1_000, 10_000]);
    // Not linear: each finding is priced on top of those before it, all of which the same row concerns.
    growth(&mut out, ("a row that could be one pass", row), &[10, 100, 1_000]);
    writeln!(out, "\nanalysis: nanoseconds per pass and GPU ({gpus} GPUs); a frame again: per pass, for all GPUs")
        .unwrap();
    let [passes, new, report, findings, again] = ["passes", "new", "report", "findings", "again"];
    writeln!(out, "{passes:>6} {new:>12} {report:>14} {findings:>9} {again:>12}").unwrap();
    for passes in PASSES {
        let (frame, known) = (frame(passes), frame(passes));
        let new = best(10, started, |mut session| add_new(&mut session, &frame));
        let mut session = started();
        add_new(&mut session, &frame);
        let mut index = 0;
        let next = || {
            index += 1;
            index
        };
        let again = best(20, next, |index| add_again(&mut session, &frame, &known, index));
        let mut findings = 0;
        let report = best(1, || (), |()| findings = session.report().findings.len());
        let [new, again, report] = [new / gpus, again, report / gpus].map(|time| time / passes as f64);
        writeln!(out, "{passes:>6} {new:>9.0} ns {report:>11.0} ns {findings:>9} {again:>9.0} ns").unwrap();
    }
}
