//! What can overlap in the two slots of a queue, and what barriers, events, dependencies and semaphores make of it.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;
use tbdr_model::schedule::{self, Cause, Part, Replay, Slot};

const VERTEX: u64 = 0x8;
const FRAGMENT: u64 = 0x80;
const COLOR: u64 = 0x400;
const COMPUTE: u64 = 0x800;
const TOP: u64 = 0x1;
const BOTTOM: u64 = 0x2000;
const ALL_COMMANDS: u64 = 0x1_0000;

fn drawn() -> Op {
    let color = attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store);
    Op::Pass(pass([64, 64], vec![color], vec![subpass(&[0], None, &[])]))
}

fn dispatch() -> Op {
    Op::Dispatch(Dispatch::default())
}

fn barrier(src_stages: u64, dst_stages: u64) -> Op {
    Op::Barrier(Barrier { memory: vec![Scope { src_stages, dst_stages, ..Scope::default() }], ..Barrier::default() })
}

fn replay(ops: Vec<Op>) -> Replay {
    schedule::of(&frame(Vec::new(), ops))
}

/// Steps of the frame, and what slots stand empty for.
fn told(ops: Vec<Op>) -> (u64, Vec<(Cause, u64)>) {
    let replay = replay(ops);
    (replay.length, replay.waits.iter().map(|wait| (wait.cause, wait.steps)).collect())
}

#[test]
fn the_vertices_of_a_pass_overlap_the_fragments_of_the_one_before() {
    let replay = replay(vec![drawn(), drawn(), drawn()]);
    assert_eq!((replay.length, replay.free, replay.waits.len()), (4, 4, 0));
    let at = |slot, pass| {
        let piece = replay.pieces.iter().find(|piece| piece.slot == slot && piece.part == Part::Pass(pass));
        piece.expect("both parts of every pass").from
    };
    assert_eq!([0, 1, 2].map(|pass| at(Slot::Vertex, pass)), [0, 1, 2]);
    assert_eq!([0, 1, 2].map(|pass| at(Slot::Fragment, pass)), [1, 2, 3]);
}

#[test]
fn a_barrier_from_colour_to_fragments_costs_nothing_and_one_over_the_whole_pipe_serialises() {
    let between = |source, destination| told(vec![drawn(), barrier(source, destination), drawn()]);
    assert_eq!(between(COLOR, FRAGMENT), (3, vec![]));
    let drained = (4, vec![(Cause::Barrier(1), 1)]);
    assert_eq!(between(BOTTOM, TOP), drained);
    assert_eq!(between(ALL_COMMANDS, ALL_COMMANDS), drained);
    assert_eq!(between(COLOR, VERTEX), drained, "the next pass cannot begin either way");
    assert_eq!(between(TOP, ALL_COMMANDS), (3, vec![]), "nothing is waited for");
    assert_eq!(between(BOTTOM, BOTTOM), (3, vec![]), "nothing waits");
}

#[test]
fn a_barrier_concerns_all_later_work_of_its_destination_and_not_only_the_next() {
    let (steps, waits) = told(vec![drawn(), barrier(COLOR, COMPUTE), drawn(), dispatch()]);
    assert_eq!(
        (steps, waits),
        (3, vec![]),
        "the dispatch comes after the vertices of the second pass, when the first is done"
    );
    let (_, waits) = told(vec![drawn(), barrier(COLOR, COMPUTE), dispatch()]);
    assert_eq!(waits, [(Cause::Barrier(1), 1)]);
}

#[test]
fn compute_between_two_passes_holds_back_only_the_fragments_that_read_it() {
    let with = |destination| told(vec![drawn(), dispatch(), barrier(COMPUTE, destination), drawn()]).0;
    assert_eq!((with(FRAGMENT), with(VERTEX)), (4, 4), "compute takes the slot of the vertices for a step");
    let chain = |to| told(vec![drawn(), barrier(COLOR, COMPUTE), dispatch(), barrier(COMPUTE, to), drawn()]);
    assert_eq!(chain(FRAGMENT).1, [(Cause::Barrier(1), 1)], "fragments, compute, fragments: one bubble");
}

#[test]
fn an_event_waits_for_what_came_before_it_was_set_and_not_for_what_came_since() {
    let set = Op::Event(EventOp { event: EventRef(0), action: EventAction::Set, stages: COLOR });
    let scope = Scope { src_stages: COLOR, dst_stages: VERTEX, ..Scope::default() };
    let wait = Op::Barrier(Barrier { event: true, events: vec![EventRef(0)], stages: scope, ..Barrier::default() });
    let (steps, waits) = told(vec![drawn(), set.clone(), drawn(), wait.clone(), drawn()]);
    assert_eq!((steps, waits), (4, vec![]));
    let (steps, waits) = told(vec![drawn(), set, wait, drawn()]);
    assert_eq!((steps, waits), (4, vec![(Cause::Event(2), 1)]));
}

#[test]
fn a_dependency_on_what_is_outside_the_pass_is_a_barrier_for_that_pass() {
    let depends = |src_stages, dst_stages| {
        let Op::Pass(pass) = drawn() else { unreachable!() };
        let dependency = Dependency { src: SUBPASS_EXTERNAL, dst: 0, src_stages, dst_stages, ..Dependency::default() };
        told(vec![drawn(), Op::Pass(Pass { dependencies: vec![dependency], ..pass }), drawn()])
    };
    assert_eq!(depends(COLOR, FRAGMENT), (4, vec![]));
    assert_eq!(depends(COLOR, VERTEX), (5, vec![(Cause::Dependency(1), 1)]));
    let leaves = |src_stages, dst_stages| {
        let Op::Pass(pass) = drawn() else { unreachable!() };
        let dependency = Dependency { src: 0, dst: SUBPASS_EXTERNAL, src_stages, dst_stages, ..Dependency::default() };
        told(vec![Op::Pass(Pass { dependencies: vec![dependency], ..pass }), drawn()])
    };
    assert_eq!(leaves(COLOR, FRAGMENT), (3, vec![]));
    assert_eq!(leaves(COLOR, ALL_COMMANDS), (4, vec![(Cause::Dependency(0), 1)]));
    assert_eq!(leaves(VERTEX, ALL_COMMANDS), (3, vec![]));
}

#[test]
fn another_queue_runs_beside_until_a_semaphore_ties_them() {
    let on = |queue, after: &[u32], ops| Submission {
        queue,
        after: after.iter().map(|submission| SubmissionRef { frames_ago: 0, submission: *submission }).collect(),
        ops,
        ..Submission::default()
    };
    let of = |after: &[u32]| {
        let submissions = vec![on(0, &[], vec![drawn()]), on(1, after, vec![dispatch()])];
        schedule::of(&FrameStructure { submissions, ..FrameStructure::default() })
    };
    assert_eq!((of(&[]).length, of(&[]).waits.len()), (2, 0));
    let tied = of(&[0]);
    assert_eq!((tied.length, tied.waits[0].cause, tied.waits[0].steps), (3, Cause::Queue, 2));
}

#[test]
fn a_pass_without_draws_takes_no_slot_for_vertices() {
    let mut empty = drawn();
    if let Op::Pass(pass) = &mut empty {
        pass.subpasses[0].drawn = false;
    }
    let replay = replay(vec![empty]);
    assert_eq!(replay.pieces.iter().map(|piece| piece.slot).collect::<Vec<_>>(), [Slot::Fragment]);
}

#[test]
fn order_never_makes_a_frame_shorter_and_no_two_pieces_share_a_slot() {
    // Every sequence of four commands.
    let commands =
        [drawn(), dispatch(), barrier(COLOR, VERTEX), barrier(ALL_COMMANDS, FRAGMENT), barrier(COMPUTE, TOP)];
    for number in 0..commands.len().pow(4) {
        let ops = (0..4).map(|place| commands[number / commands.len().pow(place) % commands.len()].clone());
        let replay = replay(ops.collect());
        assert!(replay.length >= replay.free);
        let mut taken = std::collections::BTreeSet::new();
        assert!(replay.pieces.iter().all(|piece| taken.insert((piece.queue, piece.slot, piece.from))));
    }
}
