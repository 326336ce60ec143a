//! A session takes records in any order and says what it lacks.

mod frames;

use frames::*;
use tbdr_model::frame::{Dispatch, LoadOp, Op, StoreOp};
use tbdr_model::record::{Counters, FrameRecord, Gap, GapReason, Record, Run};
use tbdr_model::session::Session;
use tbdr_model::units::Bytes;

fn structure(id: u32, size: u32) -> Record {
    let attachments = vec![attachment("R8G8B8A8_UNORM", LoadOp::Clear, StoreOp::Store)];
    let pass = pass([size, size], attachments, vec![subpass(&[0], None, &[])]);
    Record::Structure { id, frame: frame(Vec::new(), vec![Op::Pass(pass), Op::Dispatch(Dispatch::default())]) }
}

fn occurrence(index: u64, structure: u32, draws: u64) -> Record {
    let counters = vec![Counters { draws, ..Counters::default() }, Counters { dispatches: 2, ..Counters::default() }];
    Record::Frame(FrameRecord { index, structure, counters, ..FrameRecord::default() })
}

#[test]
fn a_steady_state_is_one_entry_with_ranges_of_frames_and_draws() {
    let mut session = Session::new(gpus(&["mali-g76", "apple-m1"]));
    session.record(&Record::Run(Run::default()));
    session.record(&structure(0, 64));
    session.record(&structure(1, 32));
    for index in 0..60 {
        session.record(&occurrence(index, (index % 2) as u32, 10 + index));
    }
    session.record(&Record::End);
    let report = session.report();
    assert_eq!((report.frame_count, report.complete), (60, true));
    assert_eq!(report.frames[0].indices, [[0, 58, 2]]);
    assert_eq!(report.frames[1].indices, [[1, 59, 2]]);
    let pass = &report.frames[0].passes[0];
    assert_eq!((pass.draws, pass.draws_range), (10, [10, 68]));
    assert_eq!(report.frames[0].dispatches, [2, 2]);
    let totals = session.totals(0).unwrap();
    let write = Bytes(64 * 64 * 4);
    assert_eq!(totals, [("mali-g76", Bytes(0), write), ("apple-m1", Bytes(0), write)]);
    assert_eq!(session.totals(7), None);
}

#[test]
fn frames_may_come_before_their_structure() {
    let mut session = Session::new(gpus(&["mali-g76"]));
    session.record(&occurrence(3, 5, 7));
    assert_eq!(session.report().frame_count, 1);
    session.record(&structure(5, 16));
    let report = session.report();
    assert_eq!((report.frame_count, report.frames[0].indices.as_slice()), (1, &[[3, 3, 1]][..]));
    assert_eq!(report.frames[0].passes[0].draws, 7);
}

#[test]
fn what_is_missing_or_doubled_is_said() {
    let mut session = Session::new(gpus(&["mali-g76"]));
    session.record(&structure(0, 16));
    session.record(&structure(0, 32));
    session.record(&occurrence(0, 0, 1));
    session.record(&occurrence(0, 0, 1));
    session.record(&occurrence(1, 9, 1));
    session.record(&Record::Frame(FrameRecord { index: 2, ..FrameRecord::default() }));
    let report = session.report();
    let said = report.not_modelled.join("\n");
    for what in [
        "recorded twice and differs",
        "frame 0 was recorded twice",
        "1 frames whose structure",
        "description of the run",
        "counters do not match",
    ] {
        assert!(said.contains(what), "{what} is not in {said}");
    }
    assert_eq!((report.frame_count, report.complete), (3, false));
}

#[test]
fn neighbouring_gaps_of_one_reason_are_one_gap() {
    let mut session = Session::new(gpus(&["mali-g76"]));
    for (first, reason) in [(3, GapReason::Overload), (4, GapReason::Overload), (5, GapReason::Fault)] {
        session.record(&Record::Gap(Gap { first, count: 1, reason }));
    }
    assert_eq!(session.report().gaps.iter().map(|g| (g.first, g.count)).collect::<Vec<_>>(), [(3, 2), (5, 1)]);
}

#[test]
fn a_run_that_keeps_every_second_frame_does_not_grow_with_its_length() {
    let mut session = Session::new(gpus(&["mali-g76"]));
    session.record(&structure(0, 100));
    for index in (0..20_000).step_by(2) {
        session.record(&occurrence(index, 0, 1));
        session.record(&Record::Gap(Gap { first: index + 1, count: 1, reason: GapReason::Selection }));
    }
    let report = session.report();
    let listed: u64 = report.gaps.iter().map(|gap| gap.count).sum();
    assert_eq!((report.frame_count, report.gaps.len() as u64), (10_000, listed));
    let said = format!("{} more frames that are missing", 10_000 - listed);
    assert!(listed < 5_000 && report.not_modelled.iter().any(|note| note.starts_with(&said)), "{listed}");
}

#[test]
fn the_json_reads_back_as_the_same_report() {
    let mut session = Session::new(gpus(&["all"]));
    session.record(&structure(0, 100));
    session.record(&occurrence(0, 0, 1));
    let json = session.report().to_json();
    assert!(json.ends_with("}\n"));
    assert_eq!(serde_json::from_str::<tbdr_model::report::Report>(&json).unwrap(), session.report());
}
