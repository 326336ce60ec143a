//! What rules say of barriers that could be one, of events, of barriers inside passes, and of passes that wait for compute.

mod frames;

use frames::scenes::repeated;
use frames::synchronised::*;
use tbdr_model::frame::*;
use tbdr_model::report::{Basis, Finding, Quantity};

/// The findings of one rule.
fn of(code: &str, frame: &FrameStructure) -> Vec<Finding> {
    repeated(frame).into_iter().filter(|finding| finding.code == code).collect()
}

fn counted(finding: &Finding) -> u64 {
    let mut savings = finding.saving.values();
    let first = savings.next().expect("a count");
    assert_eq!(first.quantity, Quantity::Count);
    assert!(savings.all(|s| (s.quantity, s.value) == (first.quantity, first.value)));
    first.value
}

fn sampled(image: u32, stages: u32) -> ImageAccess {
    reaches(image, AccessKind::Sampled, stages)
}

fn stored(image: u32) -> ImageAccess {
    reaches(image, AccessKind::StorageWrite, COMPUTE_SHADER)
}

/// A G-buffer, occlusion made of it by compute, lighting that samples that, with this between the first two.
fn occlusion(between: Vec<Op>) -> FrameStructure {
    let mut ops = vec![barrier(0, FRAGMENT, COLOR), rendering("g-buffer", 0, vec![]), barrier(0, COLOR, COMPUTE)];
    ops.extend(between);
    ops.extend([
        dispatch(vec![sampled(0, COMPUTE_SHADER), stored(1)]),
        barrier(1, COMPUTE, FRAGMENT),
        rendering("lighting", 2, vec![sampled(1, FRAGMENT_SHADER)]),
        barrier(2, COLOR, COLOR),
    ]);
    frame(images(5), ops)
}

#[test]
fn fragments_that_wait_for_a_dispatch_that_waits_for_fragments_leave_a_bubble() {
    let found = of("TL504", &occlusion(vec![]));
    assert_eq!(found.len(), 1, "{found:#?}");
    let ours = &found[0];
    // The dispatch, and the vertices of lighting that stand behind it in their slot.
    assert_eq!((ours.level.as_str(), ours.pass.as_deref(), counted(ours)), ("info", Some("lighting"), 2));
    assert!(ours.saving.values().all(|s| s.basis == Basis::Estimate));
    assert_eq!(
        ours.fix,
        "Put passes that need neither between g-buffer and lighting, make what the dispatches between them make of image-0 with a fragment \
         shader, or let lighting use what they made in the frame before"
    );
}

#[test]
fn a_pass_whose_vertices_need_what_fragments_have_made_leaves_a_bubble() {
    let vertices = |stages, destination| {
        frame(
            images(2),
            vec![
                barrier(0, VERTEX | FRAGMENT, COLOR),
                rendering("heights", 0, vec![]),
                barrier(0, COLOR, destination),
                rendering("terrain", 1, vec![sampled(0, stages)]),
                barrier(1, COLOR, COLOR),
            ],
        )
    };
    let found = of("TL504", &vertices(VERTEX_SHADER, VERTEX));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].pass.as_deref(), counted(&found[0])), (Some("terrain"), 1));
    assert_eq!(
        found[0].fix,
        "Put passes that need neither between heights and terrain, or read image-0 in the fragments of terrain instead of its vertices"
    );
    assert!(of("TL504", &vertices(FRAGMENT_SHADER, FRAGMENT)).is_empty(), "fragments read it");
    assert!(
        of("TL504", &vertices(FRAGMENT_SHADER, VERTEX)).is_empty(),
        "the barrier is too wide: that is TL502's to say"
    );
}

#[test]
fn no_bubble_is_left_where_other_passes_run_meanwhile_or_nothing_waits() {
    let shadows = vec![rendering("shadows", 3, vec![])];
    assert!(of("TL504", &occlusion(shadows)).is_empty(), "fragments of another pass");
    let unrelated = |change: &dyn Fn(&mut Vec<Op>)| {
        let mut frame = occlusion(vec![]);
        change(&mut frame.submissions[0].ops);
        of("TL504", &frame)
    };
    assert!(
        unrelated(&|ops| ops[3] = dispatch(vec![sampled(4, COMPUTE_SHADER), stored(1)])).is_empty(),
        "another image"
    );
    assert!(unrelated(&|ops| ops[5] = rendering("lighting", 2, vec![])).is_empty(), "nothing needs what it made");
    assert!(unrelated(&|ops| ops[2] = barrier(0, TRANSFER, COMPUTE)).is_empty(), "the dispatch does not wait");
    let mut elsewhere = occlusion(vec![]);
    let ops = elsewhere.submissions[0].ops.split_off(3);
    let after = vec![SubmissionRef { frames_ago: 0, submission: 0 }];
    elsewhere.submissions.push(Submission { queue: 1, after, ops, ..Submission::default() });
    assert!(of("TL504", &elsewhere).is_empty(), "another queue has slots of its own");
}

/// Passes that render three images, these barriers, and a pass that samples all three.
fn gathered(barriers: Vec<Op>) -> FrameStructure {
    let mut ops: Vec<Op> = (0..3).map(|image| rendering(&format!("target-{image}"), image, vec![])).collect();
    ops.extend(barriers);
    ops.push(rendering("composite", 3, (0..3).map(|image| sampled(image, FRAGMENT_SHADER)).collect()));
    frame(images(4), ops)
}

/// The same barrier by vkCmdPipelineBarrier, with stages of the command.
fn first(barrier: Op) -> Op {
    let Op::Barrier(mut barrier) = barrier else { unreachable!() };
    let Scope { src_stages, dst_stages, .. } = barrier.images[0].scope;
    barrier.stages = Scope { src_stages, dst_stages, ..Scope::default() };
    Op::Barrier(barrier)
}

#[test]
fn barrier_commands_that_follow_each_other_could_be_one() {
    let three = || (0..3).map(|image| barrier(image, COLOR, FRAGMENT)).collect::<Vec<_>>();
    for barriers in [three(), three().into_iter().map(first).collect()] {
        let found = of("TL506", &gathered(barriers));
        assert_eq!(found.len(), 1, "{found:#?}");
        let ours = &found[0];
        assert_eq!((ours.level.as_str(), ours.pass.as_deref(), counted(ours)), ("note", Some("composite"), 2));
        assert_eq!(ours.fix, "Make 1 of 3 barrier commands that follow each other before composite");
    }
    // Stages may differ in synchronization 2, where none waits for what another holds back.
    let apart = vec![barrier(0, COLOR, FRAGMENT), barrier(1, TRANSFER, COMPUTE)];
    assert_eq!(counted(&of("TL506", &gathered(apart))[0]), 1);
}

#[test]
fn barrier_commands_that_one_could_not_hold_are_left_alone() {
    let silent = |barriers: Vec<Op>, why: &str| {
        let found = of("TL506", &gathered(barriers));
        assert!(found.is_empty(), "{why}: {found:#?}");
    };
    let two = || (barrier(0, COLOR, FRAGMENT), barrier(1, COLOR, FRAGMENT));
    silent(vec![first(barrier(0, COLOR, FRAGMENT)), first(barrier(1, COLOR, COMPUTE))], "one command would widen both");
    silent(vec![barrier(0, COLOR, COMPUTE), barrier(1, COMPUTE, FRAGMENT)], "the second follows the first");
    silent(vec![barrier(0, COLOR, FRAGMENT), barrier(0, COLOR, FRAGMENT)], "two states of one image");
    let change = |change: &dyn Fn(&mut Barrier)| {
        let (one, Op::Barrier(mut other)) = two() else { unreachable!() };
        change(&mut other);
        vec![one, Op::Barrier(other)]
    };
    assert_eq!(of("TL506", &gathered(change(&|_| ()))).len(), 1);
    silent(change(&|b| b.memory.push(Scope::default())), "memory as a whole");
    silent(change(&|b| b.flags = 1), "dependency flags");
    silent(change(&|b| b.event = true), "a wait for events");
    silent(change(&|b| b.images[0].image = None), "an image that is not known");
    let (one, other) = two();
    silent(vec![one, dispatch(vec![]), other], "work between them");
    let (one, other) = two();
    let mut apart = gathered(vec![one, other]);
    let ops = apart.submissions[0].ops.split_off(4);
    apart.submissions.push(Submission { ops, semaphores: one_of_each(0, 0), ..Submission::default() });
    assert!(of("TL506", &apart).is_empty(), "two submissions");
    let (one, other) = two();
    let mut aliased = gathered(vec![one, other]);
    aliased.images[1].memory.aliased = true;
    assert!(of("TL506", &aliased).is_empty(), "shared memory");
}

fn event(number: u32, action: EventAction) -> Op {
    Op::Event(EventOp { event: EventRef(number), action, stages: COLOR })
}

fn wait(events: &[u32]) -> Op {
    let Op::Barrier(mut waits) = barrier(0, COLOR, FRAGMENT) else { unreachable!() };
    waits.event = true;
    waits.events = events.iter().copied().map(EventRef).collect();
    Op::Barrier(waits)
}

#[test]
fn an_event_that_is_waited_for_at_once_is_a_barrier() {
    let with = |between: Vec<Op>| {
        let mut ops = vec![rendering("first", 0, vec![])];
        ops.extend(between);
        ops.push(rendering("second", 1, vec![sampled(0, FRAGMENT_SHADER)]));
        of("TL507", &frame(images(2), ops))
    };
    let set = |number| event(number, EventAction::Set);
    let found = with(vec![set(0), wait(&[0])]);
    assert_eq!(found.len(), 1, "{found:#?}");
    let ours = &found[0];
    assert_eq!((ours.level.as_str(), ours.pass.as_deref(), counted(ours)), ("note", Some("second"), 1));
    assert!(ours.fix.starts_with("Use vkCmdPipelineBarrier2 with the same dependency"), "{}", ours.fix);
    assert_eq!(with(vec![set(0), set(1), wait(&[0, 1])]).len(), 1);
    let silent = |between: Vec<Op>, why: &str| assert!(with(between).is_empty(), "{why}");
    silent(vec![set(0), dispatch(vec![]), wait(&[0])], "work between them");
    silent(vec![set(0), barrier(1, COLOR, COLOR), wait(&[0])], "a barrier between them");
    silent(vec![wait(&[0])], "the host sets it, or an earlier frame");
    silent(vec![set(0), wait(&[0, 1])], "another event, too");
    silent(vec![set(0), event(0, EventAction::Reset), wait(&[0])], "not set");
    silent(vec![set(0), wait(&[0]), dispatch(vec![]), wait(&[0])], "another wait would never end without the event");
    silent(vec![set(0), wait(&[0]), dispatch(vec![]), wait(&[1])], "what another frame has set may be any of them");
    assert_eq!(with(vec![set(0), wait(&[0]), dispatch(vec![]), set(0), wait(&[0])]).len(), 1, "set anew");
}

/// A pass with this barrier inside.
fn inside(barrier: Barrier) -> FrameStructure {
    let Op::Pass(mut pass) = rendering("blend", 0, vec![]) else { unreachable!() };
    pass.dynamic = false;
    pass.subpasses[0].barriers.push(barrier);
    pass.dependencies.push(Dependency {
        src: 0,
        dst: 0,
        src_stages: COLOR,
        dst_stages: FRAGMENT,
        ..Dependency::default()
    });
    frame(images(1), vec![Op::Pass(pass)])
}

#[test]
fn a_barrier_inside_a_pass_that_is_not_by_region_waits_for_other_tiles() {
    // COLOR_ATTACHMENT_WRITE, INPUT_ATTACHMENT_READ.
    let scope = Scope { src_stages: COLOR, dst_stages: FRAGMENT, src_access: 0x100, dst_access: 0x10 };
    let far = || Barrier { memory: vec![scope], ..Barrier::default() };
    let found = of("TL509", &inside(far()));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].level.as_str(), counted(&found[0])), ("info", 1));
    assert_eq!(
        found[0].fix,
        "Set VK_DEPENDENCY_BY_REGION_BIT in the barriers inside blend: from COLOR_ATTACHMENT_OUTPUT to FRAGMENT_SHADER in subpass 0, and in \
         its self-dependency"
    );
    let silent = |barrier: Barrier, why: &str| assert!(of("TL509", &inside(barrier)).is_empty(), "{why}");
    silent(Barrier { flags: 1, ..far() }, "by region");
    let other = |change: &dyn Fn(&mut Scope)| {
        let mut scope = scope;
        change(&mut scope);
        Barrier { memory: vec![scope], ..Barrier::default() }
    };
    silent(other(&|s| s.dst_access |= 0x20), "shaders may read other pixels of storage images");
    silent(other(&|s| s.src_access = 0), "what it orders is not known");
    silent(Barrier { buffers: vec![BufferBarrier::default()], ..far() }, "a buffer");
    silent(Barrier { event: true, ..far() }, "an event");
}

#[test]
fn by_region_fragments_see_the_samples_that_they_cover_alone() {
    let scope = Scope { src_stages: COLOR, dst_stages: FRAGMENT, src_access: 0x100, dst_access: 0x10 };
    let with = |input: u32, target: u32, flags: u32| {
        let mut frame = inside(Barrier { memory: vec![scope], ..Barrier::default() });
        let Op::Pass(pass) = &mut frame.submissions[0].ops[0] else { unreachable!() };
        pass.attachments.push(pass.attachments[0].clone());
        (pass.attachments[0].samples, pass.attachments[1].samples) = (target, input);
        let read = AttachmentUse { attachment: 1, ..AttachmentUse::default() };
        pass.subpasses[0].input.push(Some(read));
        pass.subpasses[0].flags = flags;
        of("TL509", &frame).len()
    };
    assert_eq!(with(1, 1, 0), 1);
    assert_eq!(with(4, 4, 0), 0, "shaders may read samples that other fragments cover");
    assert_eq!(with(4, 1, 0), 1, "of another number of samples all of the pixel may be read");
    assert_eq!(with(4, 4, 0x4), 1, "VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_EXT");
}

#[test]
fn a_barrier_inside_a_pass_may_order_what_shaders_read_before_later_writes() {
    let after = |src_stages, src_access| {
        let scope = Scope { src_stages, src_access, dst_stages: COLOR, dst_access: 0x100 };
        let found = of("TL509", &inside(Barrier { memory: vec![scope], ..Barrier::default() }));
        found[0].fix.contains(", unless draws behind them write buffers or images that shaders before them access")
    };
    assert!(after(FRAGMENT, 0x10) && after(FRAGMENT | COLOR, 0x100));
    assert!(!after(COLOR, 0x100));
}

/// Before each of so many passes a dispatch and a barrier: image 2n is made by the dispatch, 2n+1 rendered.
fn alternating(passes: u32, reached: impl Fn(u32) -> Vec<ImageAccess>) -> FrameStructure {
    let mut ops = Vec::new();
    for at in 0..passes {
        let sampled = vec![sampled(2 * at, FRAGMENT_SHADER)];
        ops.extend([
            barrier(2 * at, FRAGMENT, COMPUTE),
            dispatch(reached(at)),
            barrier(2 * at, COMPUTE, FRAGMENT),
            rendering(&format!("pass-{at}"), 2 * at + 1, sampled),
        ]);
    }
    frame(images(8), ops)
}

#[test]
fn dispatches_that_need_nothing_of_the_passes_between_could_run_together() {
    let found = of("TL511", &alternating(4, |at| vec![stored(2 * at)]));
    let passes: Vec<_> = found.iter().filter_map(|f| f.pass.as_deref()).collect();
    assert_eq!(passes, ["pass-1", "pass-2", "pass-3"]);
    assert!(found.iter().all(|f| (f.level.as_str(), counted(f)) == ("note", 2)));
    assert_eq!(found[0].fix, "Move the dispatches before pass-1 to the dispatches before them, with their barriers");
}

#[test]
fn dispatches_stay_where_they_are_if_they_are_few_or_passes_between_have_to_do_with_them() {
    let silent = |frame: &FrameStructure, why: &str| {
        let found = of("TL511", frame);
        assert!(found.is_empty(), "{why}: {found:#?}");
    };
    silent(&alternating(1, |at| vec![stored(2 * at)]), "culling up front");
    silent(&alternating(2, |at| vec![stored(2 * at)]), "a pass or two");
    let before =
        |at: u32| if at == 0 { vec![stored(0)] } else { vec![stored(2 * at), sampled(2 * at - 1, COMPUTE_SHADER)] };
    silent(&alternating(4, before), "each needs the pass before it");
    let over = |at: u32| vec![stored(2 * at.saturating_sub(1))];
    silent(&alternating(4, over), "each writes what the pass before it samples");
    let mut buffers = alternating(4, |at| vec![stored(2 * at)]);
    for op in &mut buffers.submissions[0].ops {
        if let Op::Dispatch(dispatch) = op {
            dispatch.shader.keeps_memory = false;
        }
    }
    silent(&buffers, "buffers that passes may read");
    let mut unknown = alternating(4, |at| vec![stored(2 * at)]);
    for op in &mut unknown.submissions[0].ops {
        if let Op::Dispatch(dispatch) = op {
            dispatch.shader.known = false;
        }
    }
    silent(&unknown, "what is reached is not known");
    let mut free = alternating(4, |at| vec![stored(2 * at)]);
    free.submissions[0].ops.retain(|op| !matches!(op, Op::Barrier(_)));
    silent(&free, "nothing waits");
}
