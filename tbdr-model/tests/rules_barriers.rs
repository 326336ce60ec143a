//! What rules say of barriers: narrower stages where work could overlap, and never a race.

mod frames;
mod hazards;

use frames::scenes::{repeated, run};
use frames::synchronised::*;
use hazards::{Indirect, Race, Wrong, races, races_of};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tbdr_model::frame::*;
use tbdr_model::report::{Finding, Quantity};

/// Races whoever signals the semaphores, and however far DRAW_INDIRECT reaches.
type Races = BTreeSet<(bool, Indirect, Race)>;

fn in_each_reading(races: impl Fn(bool, Indirect) -> BTreeSet<Race>) -> Races {
    let mut all = BTreeSet::new();
    for own in [false, true] {
        for indirect in [Indirect::EveryDispatch, Indirect::Named, Indirect::Draws] {
            all.extend(races(own, indirect).into_iter().map(|race| (own, indirect, race)));
        }
    }
    all
}

fn all_races(frame: &FrameStructure) -> Races {
    in_each_reading(|own, indirect| races(frame, own, indirect))
}

/// Races that a frame has and had not before.
fn introduced(before: &FrameStructure, after: &FrameStructure) -> Vec<(bool, Indirect, Race)> {
    new_among(&all_races(before), &all_races(after))
}

/// What a read misses of earlier writes is no new race where it already missed a later one.
fn new_among(had: &Races, has: &Races) -> Vec<(bool, Indirect, Race)> {
    let missed = |(own, indirect, race): &(bool, Indirect, Race)| {
        let (wrong, image, first, second) = *race;
        let later = had.iter().any(|(o, i, (w, im, f, s))| {
            (o, i, *w, *im, *s) == (own, indirect, Wrong::Invisible, image, second) && f.0 > first.0
        });
        wrong == Wrong::Invisible && later
    };
    has.difference(had).filter(|race| !missed(race)).copied().collect()
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

/// Findings that propose other barriers, or none.
fn about(frame: &FrameStructure) -> Vec<Finding> {
    among(repeated(frame))
}

fn among(findings: Vec<Finding>) -> Vec<Finding> {
    let ours = ["TL501", "TL502", "TL503", "TL505"];
    findings.into_iter().filter(|finding| ours.contains(&finding.code.as_str())).collect()
}

/// A frame that gives all images a layout before it does what the other does: barriers that wait for nothing.
fn with_new_images(frame: &FrameStructure, destination: u64) -> FrameStructure {
    let mut first = frame.clone();
    let new = (0..first.images.len() as u32).map(|image| barrier(image, TOP, destination));
    first.submissions[0].ops.splice(0..0, new);
    first
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

#[test]
fn what_new_images_do_not_wait_for_hinders_no_advice_in_the_first_frame_of_a_run_and_does_in_any_other() {
    let frame = deferred(BOTTOM, TOP, FRAGMENT_SHADER);
    let first = with_new_images(&frame, ALL_COMMANDS);
    let found = |order: &[u32]| {
        let findings = among(run(&[first.clone(), frame.clone()], order).findings);
        findings.into_iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    assert_eq!(found(&[0, 1, 1, 1]), ["TL501"]);
    assert_eq!(found(&[1, 0, 1, 1]), [""; 0], "what comes before it is not waited for");
    assert_eq!(found(&[0, 1, 0, 1]), [""; 0]);
    assert_eq!(found(&[0]), [""; 0], "it may go on with the same");
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
                dispatch(vec![reaches(2, AccessKind::StorageWrite, COMPUTE_SHADER)]),
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
    let written = || dispatch(vec![reaches(1, AccessKind::StorageWrite, COMPUTE_SHADER)]);
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

/// A G-buffer that two passes sample, with a barrier of its image before the second.
fn sampled_twice(second: Op) -> FrameStructure {
    let sampled = || vec![reaches(0, AccessKind::Sampled, FRAGMENT_SHADER)];
    let ops = vec![
        barrier(0, FRAGMENT, COLOR),
        rendering("g-buffer", 0, vec![]),
        barrier(0, COLOR, FRAGMENT),
        rendering("lighting", 1, sampled()),
        second,
        rendering("reflections", 2, sampled()),
        barrier(1, COLOR, COLOR),
        barrier(2, COLOR, COLOR),
    ];
    frame(images(3), ops)
}

#[test]
fn a_barrier_is_redundant_if_one_before_has_made_the_same_visible() {
    for second in [again(0, COLOR, FRAGMENT), again(0, FRAGMENT, FRAGMENT)] {
        let findings = about(&sampled_twice(second));
        assert_eq!(findings.len(), 1, "{findings:#?}");
        let ours = &findings[0];
        assert_eq!((ours.code.as_str(), ours.level.as_str()), ("TL505", "note"));
        assert_eq!(ours.pass.as_deref(), Some("reflections"));
        assert!(ours.fix.starts_with("Leave out, before reflections: the barrier of image-0 from "), "{}", ours.fix);
        assert!(ours.saving.values().all(|s| (s.quantity, s.value) == (Quantity::Count, 1)), "{:?}", ours.saving);
    }
}

#[test]
fn of_barriers_alike_in_one_place_all_but_the_first_are_redundant() {
    let mut frame = sampled_twice(again(0, FRAGMENT, FRAGMENT));
    let twice = again(0, COLOR, FRAGMENT);
    frame.submissions[0].ops.splice(3..3, [twice.clone(), twice]);
    let found = about(&frame);
    let fixes: Vec<_> = found.iter().map(|f| f.fix.as_str()).collect();
    assert_eq!(
        fixes,
        [
            "Leave out, before lighting: 2 of the 2 barriers of image-0 from COLOR_ATTACHMENT_OUTPUT to FRAGMENT_SHADER",
            "Leave out, before reflections: the barrier of image-0 from FRAGMENT_SHADER to FRAGMENT_SHADER",
        ]
    );
}

#[test]
fn of_barriers_alike_around_another_none_goes_if_it_matters_which() {
    // The barrier of image 0 follows upon the first of the two: without that one nothing waits for the dispatch of the frame before.
    let ops = vec![
        rendering("first", 1, vec![reaches(0, AccessKind::Sampled, VERTEX_SHADER)]),
        again(1, ALL_COMMANDS, COLOR),
        barrier(0, ALL_GRAPHICS, TOP),
        again(1, ALL_COMMANDS, COLOR),
        dispatch(vec![reaches(0, AccessKind::StorageWrite, COMPUTE_SHADER)]),
    ];
    let frame = frame(images(2), ops);
    let mut without = frame.clone();
    without.submissions[0].ops.remove(1);
    assert!(introduced(&frame, &without).iter().any(|race| race.2.0 == Wrong::Unordered));
    assert!(!codes(&frame).contains(&"TL505".to_string()), "{:#?}", about(&frame));
}

#[test]
fn a_barrier_that_carries_visibility_further_or_orders_a_write_is_needed() {
    let needed = |frame: &FrameStructure, why: &str| {
        assert!(!codes(frame).contains(&"TL505".to_string()), "{why}");
    };
    needed(&sampled_twice(again(0, COLOR, VERTEX)), "vertices have not seen it");
    needed(&sampled_twice(barrier(0, FRAGMENT, FRAGMENT)), "the layout changes");
    needed(&sampled_twice(again(0, COMPUTE, FRAGMENT)), "what was written by other stages, in an earlier frame");
    let with = |change: &dyn Fn(&mut ImageBarrier)| {
        let mut frame = sampled_twice(again(0, COLOR, FRAGMENT));
        let Op::Barrier(barrier) = &mut frame.submissions[0].ops[4] else { unreachable!() };
        change(&mut barrier.images[0]);
        frame
    };
    needed(&with(&|b| b.families = Some((0, 1))), "ownership moves");
    needed(&with(&|b| b.scope.dst_access = 0x40), "a write follows");
    needed(&with(&|b| b.scope.src_stages |= 0x4000), "the host");
    needed(&with(&|b| b.range.layers = 2), "more than the first one covers");
    let changed = |change: &dyn Fn(&mut FrameStructure)| {
        let mut frame = sampled_twice(again(0, COLOR, FRAGMENT));
        change(&mut frame);
        frame
    };
    needed(&changed(&|f| f.images[0].memory.aliased = true), "aliasing");
    needed(&changed(&|f| f.images[0].memory.external = true), "others may write it");
    needed(&changed(&|f| f.submissions[0].semaphores = None), "who waits for semaphores is not known");
    let first = |access: u64| {
        changed(&|f| {
            let Op::Barrier(barrier) = &mut f.submissions[0].ops[2] else { unreachable!() };
            barrier.images[0].scope.src_access = access;
        })
    };
    needed(&first(0), "the first one makes nothing available");
    // It is what orders the writes of the vertices of reflections after what the fragments of lighting read.
    let mut frame = sampled_twice(again(0, FRAGMENT, FRAGMENT | VERTEX));
    let Op::Pass(pass) = &mut frame.submissions[0].ops[3] else { unreachable!() };
    pass.subpasses[0].shader.images.push(reaches(2, AccessKind::Sampled, FRAGMENT_SHADER));
    needed(&frame, "a write after a read of another image");
}

#[test]
fn a_barrier_shows_what_was_written_to_the_stages_it_names_and_to_none_after_them() {
    // TOP_OF_PIPE holds everything back and accesses nothing; VERTEX_SHADER holds back fragments and accesses nothing of theirs.
    for first in [TOP, VERTEX] {
        let mut frame = sampled_twice(again(0, COLOR, FRAGMENT));
        frame.submissions[0].ops[2] = barrier(0, COLOR, first);
        let mut without = frame.clone();
        without.submissions[0].ops.remove(4);
        let is_race = |race: &(bool, Indirect, Race)| race.2.0 == Wrong::Invisible;
        assert!(all_races(&without).iter().any(is_race), "lighting reads what it may not see");
        assert!(!codes(&frame).contains(&"TL505".to_string()), "{first:x}: {:?}", about(&frame));
    }
    // BOTTOM_OF_PIPE waits for everything and makes nothing of it available.
    let mut frame = sampled_twice(again(0, COLOR, FRAGMENT));
    frame.submissions[0].ops[2] = barrier(0, BOTTOM, FRAGMENT);
    assert!(!codes(&frame).contains(&"TL505".to_string()), "{:?}", about(&frame));
}

#[test]
fn shaders_before_the_rasterizer_are_not_taken_for_vertex_shaders() {
    // VK_SHADER_STAGE_GEOMETRY_BIT, _TASK_BIT_EXT, _MESH_BIT_EXT; a source of VERTEX_SHADER waits for none of them, and as a destination it
    // holds back no mesh shaders.
    for stages in [0x8, 0x40, 0x80] {
        let ops = vec![
            barrier(0, ALL_COMMANDS, COMPUTE),
            dispatch(vec![reaches(0, AccessKind::StorageWrite, COMPUTE_SHADER)]),
            rendering("shadow", 1, vec![]),
            barrier(0, ALL_COMMANDS, ALL_GRAPHICS),
            rendering("scene", 2, vec![reaches(0, AccessKind::Sampled, stages)]),
            barrier(1, COLOR, COLOR),
            barrier(2, COLOR, COLOR),
        ];
        for finding in about(&frame(images(3), ops)) {
            let fix = finding.fix.split(" in the barrier").next().unwrap_or_default().to_string();
            assert!(!fix.contains("VERTEX_SHADER"), "{stages:x}: {fix}");
        }
    }
}

#[test]
fn a_shading_rate_image_is_read_before_any_fragment_shader() {
    let mut rates = deferred(BOTTOM, TOP, FRAGMENT_SHADER);
    assert_eq!(codes(&rates), ["TL501"]);
    rates.images[0].usage |= usage::SHADING_RATE;
    assert_eq!(codes(&rates), [""; 0]);
    // VK_IMAGE_USAGE_FRAGMENT_DENSITY_MAP_BIT_EXT.
    rates.images[0].usage ^= usage::SHADING_RATE | 0x200;
    assert_eq!(codes(&rates), [""; 0]);
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
        dispatch(vec![reaches(1, AccessKind::StorageWrite, COMPUTE_SHADER)]),
    ];
    let drained = frame(images(2), ops);
    assert_eq!(codes(&drained), [""; 0]);
    let mut narrow = drained.clone();
    narrow.submissions[0].ops[1] = barrier(0, COLOR, COLOR);
    let new: Vec<_> = all_races(&narrow).difference(&all_races(&drained)).map(|race| race.1).collect();
    assert!(new.contains(&Indirect::Draws) && !new.contains(&Indirect::EveryDispatch), "{new:?}");
}

#[test]
fn a_barrier_that_makes_visible_what_the_next_one_does_not_is_left_alone() {
    // The last barrier alone makes visible to fragments what they read of the image in the next frame, behind one that holds back compute.
    let ops = vec![
        dispatch(vec![reaches(1, AccessKind::StorageWrite, COMPUTE_SHADER)]),
        barrier(1, ALL_COMMANDS, COMPUTE),
        rendering("first", 0, vec![reaches(1, AccessKind::Sampled, FRAGMENT_SHADER)]),
        barrier(1, FRAGMENT, ALL_COMMANDS),
        barrier(0, BOTTOM, FRAGMENT),
        rendering("second", 1, vec![]),
    ];
    let wide = frame(images(2), ops);
    assert_eq!(codes(&wide), [""; 0]);
    let mut narrow = wide.clone();
    narrow.submissions[0].ops[3] = barrier(1, FRAGMENT, COLOR | COMPUTE);
    let new: Vec<_> = all_races(&narrow).difference(&all_races(&wide)).map(|race| race.2.0).collect();
    assert!(new.contains(&Wrong::Invisible), "{new:?}");
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
    let written = dispatch(vec![reaches(0, AccessKind::StorageWrite, COMPUTE_SHADER)]);
    assert_eq!(codes(&between(&[drain(), written, drain()])), [""; 0]);
}

/// The frame with the barriers that findings speak of as they say. What is to be left out waits for nothing and holds back nothing.
fn mended(frame: &FrameStructure, findings: &[Finding]) -> FrameStructure {
    let mut mended = frame.clone();
    for finding in findings {
        let label = finding.pass.clone().expect("a pass");
        if finding.code == "TL505" {
            let (place, barriers) = finding.fix.split_once(": ").expect("a list");
            for one in barriers.split("; ") {
                let (which, named) = one.split_once(" of image-").expect("an image");
                let count = which.split_once(" of the ").map_or(1, |(count, _)| count.parse().expect("a number"));
                let (image, stages) = named.split_once(" from ").expect("stages");
                let (source, destination) = stages.split_once(" to ").expect("both");
                let old = (hazards::mask(source), hazards::mask(destination));
                let change = Change { image: image.parse().expect("a number"), old, new: (0, 0), count };
                change.apply(&mut mended, &label, place.contains(" after "));
            }
            continue;
        }
        let words = |key: &str, end: &str| {
            let rest = finding.fix.split_once(key).expect("the words of the rule").1;
            hazards::mask(rest.split_once(end).expect("its end").0)
        };
        let new = (words("srcStageMask ", " and dstStageMask"), words("dstStageMask ", " in the barrier"));
        let now = finding.fix.split_once("(now ").and_then(|(_, rest)| rest.split_once(')')).expect("what it is").0;
        let (source, destination) = now.split_once(" and ").expect("both");
        let old = (hazards::mask(source), hazards::mask(destination));
        let named = finding.fix.split_once(" in the barrier of image-").expect("the barrier").1;
        let image = named.split_once(' ').expect("its pass").0.parse().expect("a number");
        let after = finding.fix.contains(" after ") && !finding.fix.contains(" before ");
        Change { image, old, new, count: usize::MAX }.apply(&mut mended, &label, after);
    }
    mended
}

/// Barriers of an image with some stages get others.
struct Change {
    image: u32,
    old: (u64, u64),
    new: (u64, u64),
    /// At most so many.
    count: usize,
}

impl Change {
    fn apply(&self, frame: &mut FrameStructure, label: &str, after: bool) {
        let mut ops: Vec<&mut Op> = frame.submissions.iter_mut().flat_map(|s| &mut s.ops).collect();
        let at = ops.iter().position(|op| matches!(op, Op::Pass(pass) if pass.labels[0] == label)).expect("the pass");
        let range = if after {
            at + 1..ops.len()
        } else {
            let from = ops[..at].iter().rposition(|op| matches!(op, Op::Pass(_))).map_or(0, |from| from + 1);
            from..at
        };
        let mut changed = 0;
        for op in &mut ops[range] {
            let Op::Barrier(barrier) = &mut **op else { continue };
            for image in &mut barrier.images {
                let stages = (image.scope.src_stages, image.scope.dst_stages);
                let leaves_out = self.new == (0, 0);
                let layouts = !leaves_out || image.old_layout == image.new_layout;
                let is_it = image.image == Some(ImageRef(self.image)) && stages == self.old && layouts;
                if is_it && changed < self.count {
                    (image.scope.src_stages, image.scope.dst_stages) = self.new;
                    changed += 1;
                }
            }
        }
        assert!(changed > 0 && (self.count == usize::MAX || changed == self.count), "the barrier of {label}");
    }
}

/// A command of a random frame over three images: passes have a label each.
fn command() -> impl Strategy<Value = (u8, u32, u32, usize, usize)> {
    (0u8..10, 0u32..3, 0u32..3, 0usize..8, 0usize..8)
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
            4..=6 => barrier(target, sources[source], destinations[destination]),
            _ => again(target, sources[source], destinations[destination]),
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
        commands in proptest::collection::vec(command(), 2..10),
        semaphores in semaphores(),
    ) {
        let frame = with_semaphores(built(&commands), semaphores);
        let findings = about(&frame);
        let narrower = mended(&frame, &findings);
        let new = introduced(&frame, &narrower);
        prop_assert!(new.is_empty(), "{new:?} by {findings:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What is said of a run holds in its first frame, whose images are new, and in those that follow upon it.
    #[test]
    fn no_advice_introduces_a_race_between_the_first_frame_of_a_run_and_those_after_it(
        commands in proptest::collection::vec(command(), 2..8),
        destination in 0usize..4,
    ) {
        let frame = built(&commands);
        let first = with_new_images(&frame, [ALL_COMMANDS, TOP, COLOR, COMPUTE][destination]);
        let findings = among(run(&[first.clone(), frame.clone()], &[0, 1, 1]).findings);
        let of = |first: &FrameStructure, frame: &FrameStructure| {
            in_each_reading(|own, indirect| races_of(&[first, frame, frame], own, indirect))
        };
        let new = new_among(&of(&first, &frame), &of(&mended(&first, &findings), &mended(&frame, &findings)));
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
        assert_eq!(introduced(&frame, &mended(&frame, &findings)), []);
    }
    assert!(spoken > 0);
    // And the checker sees a race where a barrier is made too narrow.
    let frame = deferred(COLOR, FRAGMENT, FRAGMENT_SHADER);
    let racy = deferred(COLOR, TRANSFER, FRAGMENT_SHADER);
    assert!(!all_races(&racy).is_subset(&all_races(&frame)));
}
