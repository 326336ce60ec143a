//! What the analysis costs, by the number of passes in a frame and per GPU: a frame of a new structure, the same frame again as the
//! analysis thread treats it (structure hashed and found equal), and the report, whose findings each evaluate edited frames.
//!
//! All of it happens beside the program, on the layer's own thread or in `tilelens analyze`.
#![allow(clippy::unwrap_used)]

mod shapes;

use shapes::{barriers, dispatches, frame, known, layouts, row, unlike_row};
use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;
use tbdr_model::frame::*;
use tbdr_model::gpu::{Profile, select};
use tbdr_model::record::{Counters, FrameRecord, Record, Run};
use tbdr_model::session::Session;

const PASSES: [usize; 5] = [10, 50, 100, 200, 500];
/// Passes of frames whose cost must grow as they do.
const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

fn profiles() -> Vec<Profile> {
    select(&["all"]).unwrap()
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

/// What a frame of so many passes costs on ten GPUs, all rules and what their fixes save included: growth must be linear.
///
/// A word of its name after `cargo bench … --` chooses a shape, as it chooses a benchmark.
fn growth(out: &mut impl Write, what: &str, frame: fn(usize) -> FrameStructure) {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if !words.is_empty() && !words.iter().any(|word| what.contains(word.as_str())) {
        return;
    }
    writeln!(out, "\nanalysis on ten GPUs, {what}: milliseconds in all, microseconds per pass; the report has all rules with their savings").unwrap();
    let [passes, new, report, findings, each] = ["passes", "new", "report", "findings", "per pass"];
    writeln!(out, "{passes:>6} {new:>12} {report:>12} {findings:>9} {each:>12}  of rules").unwrap();
    for passes in SIZES {
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
        let mut findings = Vec::new();
        let report = best(runs, || (), |()| findings = session.report().findings) / 1e6;
        let each = (new + report) * 1e3 / passes as f64;
        let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
        let (findings, rules) = (findings.len(), rules.into_iter().collect::<Vec<_>>().join(" "));
        writeln!(out, "{passes:>6} {new:>9.2} ms {report:>9.2} ms {findings:>9} {each:>9.1} us  {rules}").unwrap();
    }
}

fn main() {
    divan::main();
    let gpus = profiles().len() as f64;
    let mut out = std::io::stdout();
    growth(&mut out, "nothing known of draws and shaders", frame);
    growth(&mut out, "all known", known);
    // Each finding is priced on top of those before it, all of which the same row concerns.
    growth(&mut out, "a row that could be one pass", row);
    growth(&mut out, "such a row of passes of which hardly two are alike", unlike_row);
    growth(&mut out, "images that stand in the way of signatures and compression", layouts);
    growth(&mut out, "barriers that wait for too much", barriers);
    growth(&mut out, "dispatches, events and barriers inside passes", dispatches);
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
