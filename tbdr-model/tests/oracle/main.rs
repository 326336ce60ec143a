//! Verdicts against what really becomes of contents: small runs of every kind of access are played texel by texel
//! ([`interpreter`]), and what the session says of loads, stores and transfers has to hold in them.
//!
//! Both ways: nothing that is read, or may be read, or is still there, is called waste; and what surely is waste is called so. These
//! doubts are allowed, and no others: contents that go in pieces (no one operation covers what was written to a level), frames
//! missing while they were there, shaders of which nothing is known, and loads of levels that are written in part.
//! Several queues are tests/queues.rs's.

#[path = "../frames/mod.rs"]
mod frames;
mod interpreter;
mod plan;

use interpreter::{Truth, play};
use plan::{Plan, plan};
use proptest::test_runner::{Config, TestCaseError, TestCaseResult, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;
use tbdr_model::graph::{Fate, Liveness, Operation, Reader, accesses, liveness::Site};
use tbdr_model::record::{FrameRecord, Gap, GapReason, Record, Run};
use tbdr_model::session::Session;

/// How often each kind of claim was made: the test is worth nothing if nothing is claimed.
#[derive(Default, Debug)]
struct Claims {
    stores: u64,
    by_transfers: u64,
    loads: u64,
    writes: u64,
    copies: u64,
    misreads: u64,
    findings: u64,
}

/// The frames of a plan as the record tells of them; `None` is a frame that is missing.
fn records(plan: &Plan) -> Vec<Option<FrameRecord>> {
    let mut identities: Vec<u64> = vec![0, 1, 2];
    let of = |(index, frame): (usize, &plan::Occurrence)| {
        let mut images = identities.clone();
        if frame.swapped {
            images.swap(0, 1);
        }
        let mut destroyed = Vec::new();
        if let Some(image) = frame.destroyed {
            destroyed.push(identities[image]);
            identities[image] += 10;
        }
        let record = FrameRecord {
            index: index as u64,
            structure: frame.structure as u32,
            images,
            destroyed,
            ..FrameRecord::default()
        };
        (!frame.missing).then_some(record)
    };
    plan.frames.iter().enumerate().map(of).collect()
}

fn followed(plan: &Plan) -> Liveness {
    let structures: Vec<_> = (0..plan.structures.len()).map(|number| plan.frame(number)).collect();
    let mut liveness = Liveness::default();
    for record in records(plan) {
        match record {
            Some(record) => {
                let structure = &structures[record.structure as usize];
                liveness.frame(structure, &accesses(structure), &record);
            }
            None => liveness.gap(),
        }
    }
    if plan.ended {
        liveness.end();
    }
    liveness
}

fn claim(holds: bool, what: impl FnOnce() -> String) -> TestCaseResult {
    if holds { Ok(()) } else { Err(TestCaseError::fail(what())) }
}

fn check(plan: &Plan, claims: &mut Claims) -> TestCaseResult {
    let (truth, liveness) = (play(plan), followed(plan));
    let fates = liveness.fates();
    stores(&truth, &fates, claims)?;
    loads(&truth, &fates, &liveness, claims)?;
    for (misread, frames) in liveness.misreads() {
        for frame in (0..plan.frames.len() as u64).filter(|frame| frames.contains(*frame)) {
            claims.misreads += 1;
            let real = truth.misreads.contains(&(frame, misread.reader, misread.discard));
            claim(real, || format!("frame {frame}: {misread:?} is none"))?;
        }
    }
    findings(plan, &truth, claims)
}

fn stores(truth: &Truth, fates: &BTreeMap<Site, Fate>, claims: &mut Claims) -> TestCaseResult {
    let nothing = Fate::default();
    for written in &truth.written {
        let (fate, frame) = (fates.get(&written.site).unwrap_or(&nothing), written.frame);
        let dead = fate.dead.contains(frame);
        let copied = fate.copies.values().any(|frames| frames.contains(frame));
        let transferred =
            fate.by_transfers.iter().find(|(_, frames)| frames.contains(frame)).map(|(readers, _)| readers);
        let is_store = written.site.operation == Operation::Store;
        claim(!dead || written.is_dead() && !written.missing, || format!("called dead: {written:?}"))?;
        let only_copy = written.left == 0 && written.copy_read && !written.needed;
        claim(!copied || only_copy, || format!("called a copy not needed: {written:?}"))?;
        // More readers are no harm: of what went in pieces it is not known which of them a transfer still reads.
        let all_told = transferred.is_some_and(|told| told.is_superset(&written.transfers));
        let by_transfers = written.left == 0 && !written.needed && all_told;
        claim(transferred.is_none() || by_transfers, || format!("called read by {transferred:?} only: {written:?}"))?;
        let sure = !written.in_pieces() && !written.gap && !written.missing;
        claim(dead || !sure || !written.is_dead(), || format!("not called dead: {written:?}"))?;
        *(if is_store { &mut claims.stores } else { &mut claims.writes }) += u64::from(dead);
        claims.by_transfers += u64::from(transferred.is_some());
        claims.copies += u64::from(copied);
    }
    Ok(())
}

fn loads(truth: &Truth, fates: &BTreeMap<Site, Fate>, liveness: &Liveness, claims: &mut Claims) -> TestCaseResult {
    for loaded in &truth.loaded {
        let dead = fates.get(&loaded.site).is_some_and(|fate| fate.dead.contains(loaded.frame));
        claim(!dead || loaded.undefined && !loaded.missing, || format!("called undefined: {loaded:?}"))?;
        claim(dead || !loaded.surely || loaded.missing, || format!("not called undefined: {loaded:?}"))?;
        let site = loaded.site;
        let told = liveness.misreads().iter().any(|(misread, frames)| {
            misread.reader == Reader::Pass(site.pass)
                && misread.structure == site.structure
                && frames.contains(loaded.frame)
        });
        claim(told || !loaded.misread || loaded.missing, || format!("reads what was discarded: {loaded:?}"))?;
        claims.loads += u64::from(dead);
    }
    Ok(())
}

/// What the report says of stores and loads holds in every frame that it names.
fn findings(plan: &Plan, truth: &Truth, claims: &mut Claims) -> TestCaseResult {
    let mut session = Session::new(frames::gpus(&["mali-g76"]));
    session.record(&Record::Run(Run::default()));
    for id in 0..plan.structures.len() {
        session.record(&Record::Structure { id: id as u32, frame: plan.frame(id) });
    }
    for (index, record) in (0u64..).zip(records(plan)) {
        session.record(&match record {
            Some(record) => Record::Frame(record),
            None => Record::Gap(Gap { first: index, count: 1, reason: GapReason::Overload }),
        });
    }
    if plan.ended {
        session.record(&Record::End);
    }
    let report = session.report();
    for finding in report.findings.iter().filter(|f| ["TL001", "TL006"].contains(&f.code.as_str())) {
        // Passes are labelled with their structure and their place among its operations.
        let label = finding.pass.as_deref().unwrap_or_default();
        let (structure, op) = label[1..].split_once('o').expect("a label");
        let (structure, op): (usize, usize) = (structure.parse().expect("a number"), op.parse().expect("a number"));
        let is_pass = |op: &&plan::Do| matches!(op, plan::Do::Pass { .. });
        let pass = plan.structures[structure].ops[..op].iter().filter(is_pass).count() as u32;
        let here =
            |site: &Site| site.structure == structure as u32 && site.pass == pass && site.operation != Operation::Write;
        for [first, last, stride] in &finding.frames {
            for frame in (*first..=*last).step_by(*stride as usize) {
                claims.findings += 1;
                let load = truth.loaded.iter().any(|l| here(&l.site) && l.frame == frame && l.undefined && !l.missing);
                let store =
                    truth.written.iter().any(|w| here(&w.site) && w.frame == frame && w.is_dead() && !w.missing);
                claim(if finding.code == "TL001" { load } else { store }, || format!("frame {frame}: {finding:?}"))?;
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_said_of_contents_is_what_becomes_of_them_texel_by_texel() {
    let cases = if std::env::var_os("TILELENS_FULL").is_some() { 20_000 } else { 300 };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let claims = RefCell::new(Claims::default());
    match runner.run(&plan(), |plan| check(&plan, &mut claims.borrow_mut())) {
        Ok(()) => {}
        Err(TestError::Fail(why, plan)) => panic!("{why}\nin {plan:#?}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
    let claims = claims.into_inner();
    let made = [
        claims.stores,
        claims.loads,
        claims.writes,
        claims.misreads,
        claims.by_transfers,
        claims.copies,
        claims.findings,
    ];
    assert!(made.iter().all(|count| *count >= u64::from(cases) / 60), "{claims:?}");
}
