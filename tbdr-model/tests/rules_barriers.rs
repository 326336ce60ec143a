//! What rules say of barriers: narrower stages where work could overlap, and never a race.

mod frames;
mod hazards;

use frames::scenes::{color_image, of, repeated, whole};
use frames::subpass;
use hazards::{Indirect, Race, races};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;
use tbdr_model::report::{Finding, Quantity};

const VERTEX: u64 = 0x8;
const FRAGMENT: u64 = 0x80;
const COLOR: u64 = 0x400;
const COMPUTE: u64 = 0x800;
const TRANSFER: u64 = 0x1000;
const TOP: u64 = 0x1;
const BOTTOM: u64 = 0x2000;
const ALL_GRAPHICS: u64 = 0x8000;
const ALL_COMMANDS: u64 = 0x1_0000;

/// VK_SHADER_STAGE_VERTEX_BIT, _FRAGMENT_BIT, _COMPUTE_BIT.
const VERTEX_SHADER: u32 = 0x1;
const FRAGMENT_SHADER: u32 = 0x10;
const COMPUTE_SHADER: u32 = 0x20;

const USAGE: u32 = usage::COLOR_ATTACHMENT | usage::SAMPLED | usage::STORAGE | usage::TRANSFER_DST;

fn images(count: usize) -> Vec<Image> {
    (0..count).map(|at| Image { name: Some(format!("image-{at}")), ..color_image(1, USAGE) }).collect()
}

fn reaches(image: u32, kind: AccessKind, stages: u32) -> ImageAccess {
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    ImageAccess { image: Some(ImageRef(image)), range, kind, stages, certain: true }
}

fn shader(images: Vec<ImageAccess>) -> ShaderAccess {
    ShaderAccess { keeps_memory: true, ..ShaderAccess::exactly(images) }
}

/// A pass that renders to `target` by dynamic rendering, with shaders that reach `reached`.
fn rendering(label: &str, target: u32, reached: Vec<ImageAccess>) -> Op {
    let all = images(8);
    let op = whole(label, vec![of(&all, target, Clear, StoreOp::Store)], subpass(&[0], None, &[]));
    let Op::Pass(mut pass) = op else { unreachable!() };
    pass.dynamic = true;
    pass.subpasses[0].shader = shader(reached);
    Op::Pass(pass)
}

fn barrier(image: u32, src_stages: u64, dst_stages: u64) -> Op {
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    let scope = Scope { src_stages, dst_stages, src_access: 0x1_0000, dst_access: 0x8000 };
    let (old_layout, new_layout) = (Layout(2), Layout(5));
    let image = ImageBarrier { image: Some(ImageRef(image)), range, scope, old_layout, new_layout, families: None };
    Op::Barrier(Barrier { images: vec![image], ..Barrier::default() })
}

/// A frame of one submission without semaphores.
fn frame(images: Vec<Image>, ops: Vec<Op>) -> FrameStructure {
    let mut frame = frames::frame(images, ops);
    frame.submissions[0].semaphores = Some(SemaphoreStages::default());
    frame
}

/// One semaphore of each kind, or none where it has no stages.
fn one_of_each(waits: u64, signals: u64) -> Option<SemaphoreStages> {
    let one = |mask| StageMasks::default().and(mask);
    Some(SemaphoreStages { waits: one(waits), signals: one(signals) })
}

/// Races whoever signals the semaphores, and however far DRAW_INDIRECT reaches.
fn all_races(frame: &FrameStructure) -> BTreeSet<(bool, Indirect, Race)> {
    let mut all = BTreeSet::new();
    for own in [false, true] {
        for indirect in [Indirect::EveryDispatch, Indirect::Named, Indirect::Draws] {
            all.extend(races(frame, own, indirect).into_iter().map(|race| (own, indirect, race)));
        }
    }
    all
}

/// A G-buffer, a barrier, lighting that samples it at these stages, and a barrier back.
fn deferred(source: u64, destination: u64, stages: u32) -> FrameStructure {
    let ops = vec![
        barrier(0, FRAGMENT | VERTEX, COLOR),
        rendering("g-buffer", 0, vec![]),
        barrier(0, source, destination),
        rendering("lighting", 1, vec![reaches(0, AccessKind::Sampled, stages)]),
        barrier(1, COLOR, COLOR),
    ];
    frame(images(2), ops)
}

fn about(frame: &FrameStructure) -> Vec<Finding> {
    repeated(frame).into_iter().filter(|finding| finding.code.starts_with("TL50")).collect()
}

fn codes(frame: &FrameStructure) -> Vec<String> {
    about(frame).into_iter().map(|finding| finding.code).collect()
}

#[test]
fn a_drain_between_a_g_buffer_and_lighting_gets_the_stages_that_are_measured_to_be_faster() {
    for (source, destination) in
        [(BOTTOM, TOP), (ALL_COMMANDS, ALL_COMMANDS), (ALL_GRAPHICS, ALL_GRAPHICS), (BOTTOM, ALL_GRAPHICS)]
    {
        let findings = about(&deferred(source, destination, FRAGMENT_SHADER));
        assert_eq!(findings.len(), 1, "{findings:?}");
        let ours = &findings[0];
        assert_eq!((ours.code.as_str(), ours.level.as_str()), ("TL501", "info"));
        assert_eq!(ours.pass.as_deref(), Some("lighting"));
        assert!(
            ours.fix.starts_with("Set srcStageMask COLOR_ATTACHMENT_OUTPUT and dstStageMask FRAGMENT_SHADER"),
            "{}",
            ours.fix
        );
        assert!(ours.saving.values().all(|s| (s.quantity, s.value) == (Quantity::Count, 1)), "{:?}", ours.saving);
    }
    assert_eq!(codes(&deferred(COLOR, FRAGMENT, FRAGMENT_SHADER)), [""; 0]);
}

#[test]
fn a_destination_of_vertices_is_too_early_unless_vertices_sample_the_image() {
    assert_eq!(codes(&deferred(COLOR, VERTEX, FRAGMENT_SHADER)), ["TL502"]);
    assert_eq!(codes(&deferred(COLOR, ALL_COMMANDS, FRAGMENT_SHADER)), ["TL502"]);
    assert_eq!(codes(&deferred(COLOR, VERTEX, VERTEX_SHADER)), [""; 0]);
    assert_eq!(codes(&deferred(COLOR, VERTEX, VERTEX_SHADER | FRAGMENT_SHADER)), [""; 0]);
    assert_eq!(codes(&deferred(BOTTOM, TOP, VERTEX_SHADER)), [""; 0], "nothing could overlap");
}

#[test]
fn a_source_that_waits_for_fragments_is_too_late_for_what_compute_has_written() {
    let with = |source| {
        let written = Dispatch { shader: shader(vec![reaches(1, AccessKind::StorageWrite, COMPUTE_SHADER)]) };
        let ops = vec![
            barrier(1, VERTEX, COMPUTE),
            Op::Dispatch(written),
            rendering("shadow", 0, vec![]),
            barrier(1, source, VERTEX),
            rendering("scene", 2, vec![reaches(1, AccessKind::Sampled, VERTEX_SHADER)]),
            barrier(0, COLOR, COLOR),
            barrier(2, COLOR, COLOR),
        ];
        frame(images(3), ops)
    };
    // The barrier before the dispatch is as it must be: it waits for whoever sampled the image in the frame before.
    let found = about(&with(ALL_COMMANDS));
    assert_eq!(found.iter().map(|f| f.code.as_str()).collect::<Vec<_>>(), ["TL503"], "{found:?}");
    assert!(
        found[0].fix.starts_with("Set srcStageMask COMPUTE_SHADER and dstStageMask VERTEX_SHADER"),
        "{}",
        found[0].fix
    );
    assert_eq!(codes(&with(COMPUTE)), [""; 0]);
}

#[test]
fn what_is_not_known_is_never_narrowed() {
    let drained = || deferred(BOTTOM, TOP, FRAGMENT_SHADER);
    let silent = |change: &dyn Fn(&mut FrameStructure), why: &str| {
        let mut frame = drained();
        change(&mut frame);
        assert_eq!(codes(&frame), [""; 0], "{why}");
    };
    let passes = |frame: &mut FrameStructure, change: &dyn Fn(&mut Subpass)| {
        for op in &mut frame.submissions[0].ops {
            if let Op::Pass(pass) = op {
                change(&mut pass.subpasses[0]);
            }
        }
    };
    silent(&|f| passes(f, &|s| s.shader.keeps_memory = false), "shaders may write buffers that the next vertices read");
    silent(&|f| passes(f, &|s| s.shader.known = false), "shaders may reach any image");
    silent(&|f| f.images[0].memory.aliased = true, "other images lie in the same memory");
    silent(&|f| f.submissions[0].semaphores = None, "which stages wait for semaphores");
    silent(&|f| f.images[0].memory.external = true, "others may use it");
    silent(&|f| f.unmodelled.push("vkCmdUnheardOf".into()), "commands that are not modelled");
    silent(&|f| f.submissions.push(Submission { queue: 1, ..Submission::default() }), "another queue");
    let barriers = |frame: &mut FrameStructure, change: &dyn Fn(&mut Barrier)| {
        if let Op::Barrier(barrier) = &mut frame.submissions[0].ops[2] {
            change(barrier);
        }
    };
    silent(
        &|f| barriers(f, &|b| b.memory.push(Scope { src_stages: BOTTOM, dst_stages: TOP, ..Scope::default() })),
        "memory",
    );
    silent(&|f| barriers(f, &|b| b.buffers.push(BufferBarrier::default())), "a buffer");
    silent(&|f| barriers(f, &|b| b.images[0].families = Some((0, 1))), "ownership moves");
    silent(&|f| barriers(f, &|b| b.images[0].scope.src_stages |= 0x4000), "the host");
    silent(&|f| barriers(f, &|b| b.images[0].image = None), "an image that is not known");
}

#[test]
fn a_drain_that_something_else_relies_on_is_left_alone() {
    // The second pass overwrites what vertices of the first have sampled: nothing but the drain orders that.
    let ops = vec![
        rendering("first", 0, vec![reaches(2, AccessKind::Sampled, FRAGMENT_SHADER)]),
        barrier(0, BOTTOM, TOP),
        rendering(
            "second",
            1,
            vec![reaches(0, AccessKind::Sampled, FRAGMENT_SHADER), reaches(2, AccessKind::StorageWrite, VERTEX_SHADER)],
        ),
        barrier(1, COLOR, COLOR),
    ];
    assert_eq!(codes(&frame(images(3), ops)), [""; 0]);
    // Rendered to again in the next frame, with no other barrier in between.
    let ops = vec![
        rendering("first", 0, vec![]),
        barrier(1, BOTTOM, TOP),
        rendering("second", 1, vec![reaches(0, AccessKind::Sampled, FRAGMENT_SHADER)]),
    ];
    let found = about(&frame(images(2), ops));
    assert!(found.is_empty(), "{found:?}");
}

/// The drained frame of a G-buffer that shows its second image, with these stages of its semaphores.
fn shown(waits: u64, signals: u64) -> FrameStructure {
    let mut frame = deferred(BOTTOM, TOP, FRAGMENT_SHADER);
    frame.images[1].swapchain = Some(0);
    frame.submissions[0].semaphores = one_of_each(waits, signals);
    frame
}

#[test]
fn a_swapchain_image_that_is_waited_for_where_it_is_drawn_hinders_no_advice() {
    for stages in [COLOR, FRAGMENT, ALL_GRAPHICS, ALL_COMMANDS, TOP, COLOR | TRANSFER] {
        assert_eq!(codes(&shown(stages, 0)), ["TL501"], "{stages:x}");
    }
    assert_eq!(codes(&shown(COLOR, ALL_GRAPHICS)), ["TL501"]);
}

#[test]
fn a_drain_that_alone_leads_from_the_wait_for_a_swapchain_image_to_its_drawing_is_left_alone() {
    for stages in [TRANSFER, COMPUTE, BOTTOM] {
        let frame = shown(stages, 0);
        assert_eq!(codes(&frame), [""; 0], "{stages:x}");
        // The narrower barrier that was left out would be a race with the presentation engine.
        let mut narrow = frame.clone();
        narrow.submissions[0].ops[2] = barrier(0, COLOR, FRAGMENT);
        if stages != BOTTOM {
            assert!(!all_races(&narrow).is_subset(&all_races(&frame)), "{stages:x}");
        }
    }
    // Of two semaphores it is not known which is that of the image.
    let mut two = shown(COLOR, 0);
    assert_eq!(codes(&two), ["TL501"]);
    two.submissions[0].semaphores.as_mut().unwrap().waits = StageMasks::default().and(COLOR).and(TRANSFER);
    assert_eq!(codes(&two), [""; 0]);
}

#[test]
fn a_drain_that_leads_from_the_wait_for_an_own_semaphore_to_what_it_guards_is_left_alone() {
    let own = |waits| {
        let mut frame = frame(
            images(3),
            vec![
                barrier(2, FRAGMENT, COMPUTE),
                Op::Dispatch(Dispatch { shader: shader(vec![reaches(2, AccessKind::StorageWrite, COMPUTE_SHADER)]) }),
                barrier(0, FRAGMENT | VERTEX, COLOR),
                rendering("g-buffer", 0, vec![]),
                barrier(0, COLOR, TOP),
                rendering(
                    "lighting",
                    1,
                    vec![
                        reaches(0, AccessKind::Sampled, FRAGMENT_SHADER),
                        reaches(2, AccessKind::Sampled, VERTEX_SHADER),
                    ],
                ),
                barrier(1, COLOR, COLOR),
            ],
        );
        let second = frame.submissions[0].ops.split_off(2);
        let semaphores = one_of_each(waits, 0);
        frame.submissions.push(Submission { ops: second, semaphores, ..Submission::default() });
        frame
    };
    let frame = own(COLOR);
    assert_eq!(codes(&frame), [""; 0]);
    let mut narrow = frame.clone();
    narrow.submissions[1].ops[2] = barrier(0, COLOR, FRAGMENT);
    assert!(!all_races(&narrow).is_subset(&all_races(&frame)), "the vertices read what the dispatch writes");
    // Vertices wait themselves.
    assert_eq!(codes(&own(VERTEX)), ["TL502"]);
}

#[test]
fn a_drain_that_alone_leads_to_the_signal_of_a_semaphore_is_left_alone() {
    let written =
        || Op::Dispatch(Dispatch { shader: shader(vec![reaches(1, AccessKind::StorageWrite, COMPUTE_SHADER)]) });
    let with = |signals| {
        let ops = vec![
            barrier(1, COMPUTE, COMPUTE),
            written(),
            barrier(0, COLOR | FRAGMENT | VERTEX, COLOR),
            rendering("g-buffer", 0, vec![]),
            barrier(0, ALL_COMMANDS, FRAGMENT),
            rendering("lighting", 2, vec![reaches(0, AccessKind::Sampled, FRAGMENT_SHADER)]),
            barrier(2, COLOR, COLOR),
        ];
        let mut frame = frame(images(3), ops);
        frame.submissions[0].semaphores = one_of_each(0, signals);
        frame
    };
    let mut narrow = with(COLOR);
    narrow.submissions[0].ops[4] = barrier(0, COLOR, FRAGMENT);
    assert!(
        !all_races(&narrow).is_subset(&all_races(&with(COLOR))),
        "what waits for the semaphore reads the second image"
    );
    assert_eq!(codes(&with(COLOR)), [""; 0]);
}

#[test]
fn a_drain_that_leads_to_a_dispatch_is_left_alone_if_another_barrier_may_not() {
    // ALL_GRAPHICS names DRAW_INDIRECT, before which no dispatch without indirect commands waits: only the drain surely leads to the next
    // frame's dispatch.
    let ops = vec![
        rendering("first", 0, vec![]),
        barrier(0, ALL_GRAPHICS, TOP),
        rendering("second", 0, vec![]),
        barrier(1, BOTTOM, ALL_GRAPHICS),
        Op::Dispatch(Dispatch { shader: shader(vec![reaches(1, AccessKind::StorageWrite, COMPUTE_SHADER)]) }),
    ];
    let drained = frame(images(2), ops);
    assert_eq!(codes(&drained), [""; 0]);
    let mut narrow = drained.clone();
    narrow.submissions[0].ops[1] = barrier(0, COLOR, COLOR);
    let new: Vec<_> = all_races(&narrow).difference(&all_races(&drained)).map(|race| race.1).collect();
    assert!(new.contains(&Indirect::Draws) && !new.contains(&Indirect::EveryDispatch), "{new:?}");
}

#[test]
fn of_two_barriers_that_are_told_apart_by_nothing_neither_is_advised_on_unless_both_are() {
    let between = |barriers: &[Op]| {
        let mut frame = deferred(BOTTOM, TOP, FRAGMENT_SHADER);
        frame.submissions[0].ops.splice(2..3, barriers.iter().cloned());
        frame
    };
    let drain = || barrier(0, BOTTOM, TOP);
    assert_eq!(codes(&between(&[drain()])), ["TL501"]);
    // What the dispatch writes is read by the vertices of lighting: the second drain has to lead there.
    let written = Op::Dispatch(Dispatch { shader: shader(vec![reaches(0, AccessKind::StorageWrite, COMPUTE_SHADER)]) });
    assert_eq!(codes(&between(&[drain(), written, drain()])), [""; 0]);
}

/// The frame with the barriers that findings speak of as they say.
fn mended(frame: &FrameStructure, findings: &[Finding]) -> FrameStructure {
    let mut mended = frame.clone();
    for finding in findings {
        let words = |key: &str, end: &str| {
            let rest = finding.fix.split_once(key).expect("the words of the rule").1;
            hazards::mask(rest.split_once(end).expect("its end").0)
        };
        let new = (words("srcStageMask ", " and dstStageMask"), words("dstStageMask ", " in the barrier"));
        let now = finding.fix.split_once("(now ").and_then(|(_, rest)| rest.split_once(')')).expect("what it is").0;
        let (source, destination) = now.split_once(" and ").expect("both");
        let old = (hazards::mask(source), hazards::mask(destination));
        let named = finding.fix.split_once(" in the barrier of ").expect("the barrier").1;
        let named = named.split_once(' ').expect("its pass").0;
        let label = finding.pass.clone().expect("a pass");
        let after = finding.fix.contains(" after ") && !finding.fix.contains(" before ");
        let mut ops: Vec<&mut Op> = mended.submissions.iter_mut().flat_map(|s| &mut s.ops).collect();
        let at = ops.iter().position(|op| matches!(op, Op::Pass(pass) if pass.labels[0] == label)).expect("the pass");
        let range = if after {
            at + 1..ops.len()
        } else {
            let from = ops[..at].iter().rposition(|op| matches!(op, Op::Pass(_))).map_or(0, |from| from + 1);
            from..at
        };
        let mut changed = false;
        for op in &mut ops[range] {
            if let Op::Barrier(barrier) = &mut **op {
                for image in &mut barrier.images {
                    let is_named = named == format!("image-{}", image.image.expect("an image").0);
                    let scope = &mut image.scope;
                    if is_named && (scope.src_stages, scope.dst_stages) == old {
                        (scope.src_stages, scope.dst_stages) = new;
                        changed = true;
                    }
                }
            }
        }
        assert!(changed, "the barrier of {}", finding.fix);
    }
    mended
}

/// A command of a random frame over three images: passes have a label each.
fn command() -> impl Strategy<Value = (u8, u32, u32, usize, usize)> {
    (0u8..8, 0u32..3, 0u32..3, 0usize..8, 0usize..8)
}

/// Where a second submission begins, what both wait for and signal, and whether the last image is a swapchain's.
type Semaphores = (usize, [(usize, usize); 2], bool);

fn semaphores() -> impl Strategy<Value = Semaphores> {
    (0usize..9, [(0usize..10, 0usize..6), (0usize..10, 0usize..6)], any::<bool>())
}

fn with_semaphores(mut frame: FrameStructure, (split, stages, swapchain): Semaphores) -> FrameStructure {
    let waits = [0, 0, COLOR, FRAGMENT, VERTEX, COMPUTE, TRANSFER, ALL_COMMANDS, TOP, COLOR | TRANSFER];
    let signals = [0, 0, COLOR, ALL_GRAPHICS, COMPUTE, TRANSFER | VERTEX];
    let of = |(wait, signal): (usize, usize)| one_of_each(waits[wait], signals[signal]);
    let first = &mut frame.submissions[0];
    first.semaphores = of(stages[0]);
    if split < first.ops.len() {
        let ops = first.ops.split_off(split);
        frame.submissions.push(Submission { ops, semaphores: of(stages[1]), ..Submission::default() });
    }
    if swapchain {
        frame.images[2].swapchain = Some(0);
    }
    frame
}

fn built(commands: &[(u8, u32, u32, usize, usize)]) -> FrameStructure {
    let sources = [BOTTOM, ALL_COMMANDS, ALL_GRAPHICS, COLOR, FRAGMENT, COMPUTE, TRANSFER, TOP];
    let destinations = [TOP, ALL_COMMANDS, ALL_GRAPHICS, VERTEX, FRAGMENT, COMPUTE, TRANSFER, COLOR];
    let op = |(at, &(kind, target, read, source, destination)): (usize, &(u8, u32, u32, usize, usize))| {
        let stages = [VERTEX_SHADER, FRAGMENT_SHADER, FRAGMENT_SHADER, VERTEX_SHADER | FRAGMENT_SHADER][source % 4];
        match kind {
            0..=2 => {
                let reached = if read == target { vec![] } else { vec![reaches(read, AccessKind::Sampled, stages)] };
                rendering(&format!("pass-{at}"), target, reached)
            }
            3 => {
                let reached = vec![
                    reaches(target, AccessKind::StorageWrite, COMPUTE_SHADER),
                    reaches(read, AccessKind::Sampled, COMPUTE_SHADER),
                ];
                Op::Dispatch(Dispatch { shader: shader(reached) })
            }
            // Each barrier of a frame has another pair of stages often enough for findings to name it.
            _ => barrier(target, sources[source], destinations[destination]),
        }
    };
    frame(images(3), commands.iter().enumerate().map(op).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The checker is brute force and knows nothing of the model: it tries every chain of barriers for every two accesses. More cases than
    /// these by PROPTEST_CASES.
    #[test]
    fn no_advice_on_a_barrier_ever_introduces_a_race(
        commands in proptest::collection::vec(command(), 2..9),
        semaphores in semaphores(),
    ) {
        let frame = with_semaphores(built(&commands), semaphores);
        let findings = about(&frame);
        let narrower = mended(&frame, &findings);
        let new: Vec<_> = all_races(&narrower).difference(&all_races(&frame)).cloned().collect();
        prop_assert!(new.is_empty(), "{new:?} by {findings:#?}");
    }
}

#[test]
fn the_random_frames_have_advice_often_enough_to_prove_something() {
    // A drain between every two passes of a chain, in every length.
    let mut spoken = 0;
    for length in 1..5u32 {
        let mut commands = Vec::new();
        for pass in 0..length {
            commands.extend([(0, pass % 3, (pass + 2) % 3, 1, 0), (4, pass % 3, 0, 0, 0)]);
        }
        let frame = built(&commands);
        let findings = about(&frame);
        spoken += findings.len();
        assert!(all_races(&mended(&frame, &findings)).is_subset(&all_races(&frame)));
    }
    assert!(spoken > 0);
    // And the checker sees a race where a barrier is made too narrow.
    let frame = deferred(COLOR, FRAGMENT, FRAGMENT_SHADER);
    let racy = deferred(COLOR, TRANSFER, FRAGMENT_SHADER);
    assert!(!all_races(&racy).is_subset(&all_races(&frame)));
}
