//! Which orders between commands rest on a barrier: those through dependencies of render passes, too.

mod frames;

use frames::synchronised::*;
use tbdr_model::frame::*;
use tbdr_model::schedule::order::{Frame, Narrowed, broken};

/// Whether some order rests on this barrier: whether it is lost if the barrier has these stages.
fn rests_on(ops: Vec<Op>, barrier: u32, stages: (u64, u64)) -> bool {
    let frame = frame(images(4), ops);
    let narrowed: Narrowed = [(barrier, stages)].into_iter().collect();
    let frames = [Frame { frame: &frame, images: &[0, 1, 2, 3], narrowed: Some(&narrowed) }];
    broken(&frames).is_some()
}

fn dependency(src: u32, dst: u32, src_stages: u64, dst_stages: u64) -> Dependency {
    Dependency { src, dst, src_stages, dst_stages, ..Dependency::default() }
}

/// A pass by vkCmdBeginRenderPass that renders to `target`, whose fragments sample `sampled`.
fn pass(target: u32, sampled: Option<u32>, dependencies: Vec<Dependency>) -> Op {
    let reached = sampled.map(|image| reaches(image, AccessKind::Sampled, FRAGMENT_SHADER)).into_iter().collect();
    let Op::Pass(mut pass) = rendering("pass", target, reached) else { unreachable!() };
    pass.dynamic = false;
    pass.dependencies = dependencies;
    let layout = pass.subpasses[0].color[0].as_ref().expect("a target").layout;
    (pass.attachments[0].initial_layout, pass.attachments[0].final_layout) = (layout, layout);
    Op::Pass(pass)
}

fn with_layouts(op: Op, initial: i32, last: i32) -> Op {
    let Op::Pass(mut pass) = op else { unreachable!() };
    (pass.attachments[0].initial_layout, pass.attachments[0].final_layout) = (Layout(initial), Layout(last));
    Op::Pass(pass)
}

#[test]
fn whoever_waits_for_a_pass_waits_for_what_the_pass_waits_for() {
    // The pass begins after the dispatch; the barrier of another image waits for the pass.
    let reads = || dispatch(vec![reaches(3, AccessKind::Sampled, COMPUTE_SHADER)]);
    let waits = || vec![dependency(SUBPASS_EXTERNAL, 0, COMPUTE, COLOR)];
    let ops = || vec![reads(), pass(1, None, waits()), barrier(2, COLOR | TRANSFER, COLOR), pass(3, None, vec![])];
    assert!(rests_on(ops(), 2, (TRANSFER, COLOR)));
    assert!(!rests_on(ops(), 2, (COLOR, COLOR)), "that is enough");
}

#[test]
fn what_a_pass_holds_back_leads_on_to_a_barrier() {
    let leaving = || vec![dependency(0, SUBPASS_EXTERNAL, FRAGMENT, COMPUTE)];
    let ops = |leaving| vec![pass(0, Some(3), leaving), barrier(2, COMPUTE | TRANSFER, COLOR), pass(3, None, vec![])];
    assert!(rests_on(ops(leaving()), 1, (TRANSFER, COLOR)));
    assert!(!rests_on(ops(leaving()), 1, (COMPUTE, COLOR)), "the dependency and the barrier follow each other");
    assert!(!rests_on(ops(vec![]), 1, (TRANSFER, COLOR)), "there is no order to lose");
}

#[test]
fn a_dependency_of_a_pass_says_nothing_of_what_came_before_the_pass() {
    // Fragments of the first pass read what the third renders; only the barrier orders that, whatever the second pass says of its own.
    let leaving = vec![dependency(0, SUBPASS_EXTERNAL, FRAGMENT | COLOR, FRAGMENT | COLOR)];
    let ops = vec![
        pass(0, Some(3), vec![]),
        pass(1, None, leaving),
        barrier(2, FRAGMENT | TRANSFER, COLOR),
        pass(3, None, vec![]),
    ];
    assert!(rests_on(ops, 2, (TRANSFER, COLOR)));
}

#[test]
fn a_dependency_of_a_later_subpass_does_not_hold_back_the_first() {
    let two = |dependencies: Vec<Dependency>| {
        let Op::Pass(mut pass) = pass(3, None, dependencies) else { unreachable!() };
        let mut last = pass.subpasses[0].clone();
        last.color.clear();
        pass.subpasses.push(last);
        Op::Pass(pass)
    };
    let reads = || dispatch(vec![reaches(3, AccessKind::Sampled, COMPUTE_SHADER)]);
    let ops = |dst| {
        vec![
            reads(),
            barrier(2, COMPUTE | TRANSFER, COLOR),
            two(vec![dependency(SUBPASS_EXTERNAL, dst, COMPUTE, COLOR)]),
        ]
    };
    assert!(rests_on(ops(1), 1, (TRANSFER, COLOR)));
    assert!(!rests_on(ops(0), 1, (TRANSFER, COLOR)), "the dependency alone is enough");
}

#[test]
fn the_last_layout_of_a_pass_is_waited_for_by_what_its_dependency_holds_back() {
    let reads = || pass(1, Some(0), vec![]);
    let first = |last, dependencies| with_layouts(pass(0, None, dependencies), 0, last);
    let rests = |last, dependencies| {
        let ops = vec![first(last, dependencies), again(0, ALL_COMMANDS, FRAGMENT), reads()];
        rests_on(ops, 1, (COLOR, FRAGMENT))
    };
    let leaving = |held| vec![dependency(0, SUBPASS_EXTERNAL, COLOR, held)];
    assert!(rests(5, vec![]), "the dependency that is implied holds back nothing");
    assert!(rests(5, leaving(TRANSFER)), "only a barrier that waits for transfers follows it");
    assert!(!rests(5, leaving(FRAGMENT)), "the dependency is enough");
    assert!(!rests(0, vec![]), "nothing changes");
}

#[test]
fn the_first_layout_of_a_pass_without_dependencies_follows_what_holds_back_everything() {
    let ops =
        |held| vec![pass(1, Some(0), vec![]), again(2, ALL_COMMANDS, held), with_layouts(pass(0, None, vec![]), 5, 0)];
    assert!(rests_on(ops(ALL_COMMANDS), 1, (FRAGMENT, COLOR)));
    assert!(!rests_on(ops(COLOR), 1, (FRAGMENT, COLOR)), "what does not was never enough");
}
