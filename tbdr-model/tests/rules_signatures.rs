//! What rules say of images whose unchanged tiles a GPU could leave out, were it not for what happens between two passes (transaction
//! elimination).

mod frames;

use frames::scenes::*;
use frames::*;
use std::collections::BTreeMap;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::record::{Device, FrameRecord, Record, Run};
use tbdr_model::report::{Basis, Finding, Quantity};
use tbdr_model::session::Session;

const DRAWN: Layout = Layout(2);
const READ: Layout = Layout(5);
const COPIED: Layout = Layout(6);
const WRITTEN: Layout = Layout(7);
const PRESENTED: Layout = Layout(1_000_001_002);
const TARGET: ImageRef = ImageRef(0);
/// The rules that this is about.
const CODES: [&str; 4] = ["TL401", "TL402", "TL403", "TL407"];

fn whole_range() -> SubresourceRange {
    SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() }
}

/// A transition of the target.
fn transition(old_layout: Layout, new_layout: Layout) -> Op {
    let image = Some(TARGET);
    let images = vec![ImageBarrier { image, range: whole_range(), old_layout, new_layout, ..ImageBarrier::default() }];
    Op::Barrier(Barrier { images, ..Barrier::default() })
}

/// A pass that draws to one image, in these layouts before, while and after.
fn draws(label: &str, images: &[Image], image: u32, load: LoadOp, layouts: [Layout; 3]) -> Op {
    let mut attachment = of(images, image, load, StoreOp::Store);
    (attachment.initial_layout, attachment.final_layout) = (layouts[0], layouts[2]);
    let mut drawn = subpass(&[0], None, &[]);
    drawn.color[0].as_mut().expect("a colour slot").layout = layouts[1];
    drawn.shader = ShaderAccess::NOTHING;
    whole(label, vec![attachment], drawn)
}

/// A target that is drawn from scratch and sampled by the pass that draws the swapchain's image. All layouts keep signatures.
/// Operations: 0 the transition before, 1 the scene, 2 the transition after, 3 the last pass.
fn kept() -> FrameStructure {
    let images =
        vec![color_image(1, usage::COLOR_ATTACHMENT | usage::SAMPLED), color_image(1, usage::COLOR_ATTACHMENT)];
    let scene = draws("scene", &images, 0, Clear, [DRAWN; 3]);
    let mut last = draws("last", &images, 1, Clear, [Layout::UNDEFINED, DRAWN, PRESENTED]);
    let access = ImageAccess { image: Some(TARGET), range: whole_range(), ..ImageAccess::default() };
    pass_of(&mut last).subpasses[0].shader = ShaderAccess::exactly(vec![access]);
    let mut frame = frame(images, vec![transition(READ, DRAWN), scene, transition(DRAWN, READ), last]);
    frame.images[1].swapchain = Some(0);
    present(frame, 1)
}

fn pass_of(op: &mut Op) -> &mut Pass {
    match op {
        Op::Pass(pass) => pass,
        other => panic!("{other:?}"),
    }
}

fn changed(change: impl FnOnce(&mut FrameStructure, &mut Vec<Op>)) -> FrameStructure {
    let mut frame = kept();
    let mut ops = std::mem::take(&mut frame.submissions[0].ops);
    change(&mut frame, &mut ops);
    frame.submissions[0].ops = ops;
    frame
}

/// The scene with another operation before it or after it in place of the transition.
fn with(at: usize, op: Op) -> FrameStructure {
    changed(|_, ops| ops[at] = op)
}

/// The scene with these operations before its last pass.
fn between(more: Vec<Op>) -> FrameStructure {
    changed(|_, ops| drop(ops.splice(3..3, more)))
}

/// A transfer from or to the left half of the target: the pass has stored the other half for somebody.
fn transfer(kind: TransferKind, src: bool) -> Op {
    let side = ImageRegion {
        image: Some(TARGET),
        aspects: Aspects::COLOR,
        layers: 1,
        extent: [SIZE[0] / 2, SIZE[1], 1].into(),
        ..ImageRegion::default()
    };
    let (src, dst) = if src { (Some(Side::Image(side)), None) } else { (None, Some(Side::Image(side))) };
    Op::Transfer(Transfer { labels: Vec::new(), kind, regions: vec![Region { src, dst }] })
}

fn dispatch(kind: AccessKind) -> Op {
    let access = ImageAccess { image: Some(TARGET), range: whole_range(), kind, ..ImageAccess::default() };
    Op::Dispatch(Dispatch { shader: ShaderAccess::exactly(vec![access]) })
}

fn ours(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| CODES.contains(&finding.code.as_str()));
    findings
}

/// The one finding about the scene, which must be what this rule says and be worth the store at most, on the Mali alone.
#[track_caller]
fn lost(code: &str, frame: &FrameStructure) -> Finding {
    let found = ours(repeated(frame));
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code.as_str(), finding.level.as_str(), finding.pass.as_deref()), (code, "info", Some("scene")));
    assert!(finding.saving.values().all(|s| (s.quantity, s.basis) == (Quantity::Dram, Basis::Bound)));
    let amounts: BTreeMap<&str, u64> = finding.saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect();
    assert_eq!(amounts, BTreeMap::from([("mali-g76", A)]));
    finding.clone()
}

#[track_caller]
fn silent(frame: &FrameStructure, why: &str) {
    let found = ours(repeated(frame));
    assert!(found.is_empty(), "{why}: {found:?}");
}

#[test]
fn layouts_in_which_signatures_are_kept_are_not_spoken_of() {
    silent(&kept(), "drawn, sampled, drawn");
    silent(&between(vec![transition(READ, COPIED), transfer(TransferKind::CopyImageToBuffer, true)]), "copied from");
    let passes = changed(|_, ops| {
        pass_of(&mut ops[1]).attachments[0].initial_layout = READ;
        pass_of(&mut ops[1]).attachments[0].final_layout = READ;
        ops.remove(2);
        ops.remove(0);
    });
    silent(&passes, "the render pass goes from one of them to another");
}

#[test]
fn an_old_layout_undefined_costs_the_tiles_that_did_not_change() {
    let finding = lost("TL401", &with(0, transition(Layout::UNDEFINED, DRAWN)));
    let words = "Name SHADER_READ_ONLY_OPTIMAL as old or initial layout of ";
    assert!(finding.fix.starts_with(words) && finding.fix.ends_with("but when the image is new"), "{}", finding.fix);
    let initial = changed(|_, ops| {
        pass_of(&mut ops[1]).attachments[0].initial_layout = Layout::UNDEFINED;
        ops.remove(0);
    });
    assert!(lost("TL401", &initial).fix.starts_with(words), "the initial layout of the pass");
    for load in [DontCare, LoadOp::None] {
        let mut frame = with(0, transition(Layout::UNDEFINED, DRAWN));
        pass_of(&mut frame.submissions[0].ops[1]).attachments[0].load = load;
        lost("TL401", &frame);
    }
}

#[test]
fn an_old_layout_undefined_of_a_swapchain_keeps_signatures() {
    let mut frame = with(0, transition(Layout::UNDEFINED, DRAWN));
    frame.images[0].swapchain = Some(1);
    silent(&frame, "the specification of the GPU says so");
}

#[test]
fn contents_that_are_loaded_after_undefined_are_another_rules_matter() {
    let mut frame = with(0, transition(Layout::UNDEFINED, DRAWN));
    pass_of(&mut frame.submissions[0].ops[1]).attachments[0].load = Load;
    silent(&frame, "TL001");
}

#[test]
fn the_first_use_of_an_image_has_no_layout_but_undefined() {
    let frame = with(0, transition(Layout::UNDEFINED, DRAWN));
    assert!(ours(run(std::slice::from_ref(&frame), &[0]).findings).is_empty(), "one frame");
    // A new image in every frame.
    let mut session = Session::new(gpus(&GPUS));
    session.record(&Record::Run(Run::default()));
    session.record(&Record::Structure { id: 0, frame });
    for index in 0..4 {
        let images = vec![index * 2, index * 2 + 1];
        let destroyed = images.clone();
        session.record(&Record::Frame(FrameRecord { index, images, destroyed, ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    assert!(ours(session.report().findings).is_empty());
}

#[test]
fn an_image_that_is_set_up_in_its_first_frame_is_new_there() {
    let setup = with(0, transition(Layout::UNDEFINED, DRAWN));
    assert!(ours(run(&[setup, kept()], &[0, 1, 1, 1]).findings).is_empty());
}

#[test]
fn a_layout_that_not_every_frame_leaves_behind_is_not_named() {
    let undefined = with(0, transition(Layout::UNDEFINED, DRAWN));
    // The first frame leaves the target ready to be copied, and its successor finds it so.
    let mut first = undefined.clone();
    first.submissions[0].ops.push(transition(READ, COPIED));
    let found = ours(run(&[first, undefined], &[0, 1, 1, 1]).findings);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert!(finding.fix.starts_with("Name the layout that it has as old or initial layout"), "{}", finding.fix);
}

#[test]
fn images_in_flight_keep_the_signatures_of_their_own_turns() {
    let frame = |old| with(0, transition(old, DRAWN));
    let take_turns = |frame: FrameStructure| {
        let mut session = Session::new(gpus(&GPUS));
        session.record(&Record::Run(Run::default()));
        session.record(&Record::Structure { id: 0, frame });
        for index in 0..6 {
            let images = vec![index % 2, 2 + index % 2];
            session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
        }
        session.record(&Record::End);
        ours(session.report().findings)
    };
    assert_eq!(codes(&take_turns(frame(Layout::UNDEFINED))), ["TL401"]);
    assert!(take_turns(frame(READ)).is_empty());
}

#[test]
fn a_layout_that_others_may_write_in_costs_the_tiles_that_did_not_change() {
    let general =
        lost("TL402", &changed(|_, ops| (ops[0], ops[2]) = (transition(GENERAL, DRAWN), transition(DRAWN, GENERAL))));
    assert!(general.fix.contains("out of layout GENERAL before scene"), "{}", general.fix);
    let last = changed(|_, ops| {
        pass_of(&mut ops[1]).attachments[0].final_layout = GENERAL;
        ops[2] = transition(GENERAL, READ);
    });
    lost("TL402", &last);
    let written = lost("TL402", &between(vec![transition(READ, WRITTEN), transition(WRITTEN, READ)]));
    assert!(written.fix.contains("TRANSFER_DST_OPTIMAL"), "{}", written.fix);
}

#[test]
fn a_layout_and_undefined_are_told_together() {
    let both = changed(|_, ops| (ops[0], ops[2]) = (transition(Layout::UNDEFINED, DRAWN), transition(DRAWN, GENERAL)));
    let finding = lost("TL402", &both);
    assert!(finding.fix.contains("out of layout GENERAL") && finding.fix.contains("not UNDEFINED"), "{}", finding.fix);
}

#[test]
fn a_layout_that_something_needs_is_left_alone() {
    let general = |op: Op| {
        changed(|_, ops| {
            (ops[0], ops[2]) = (transition(GENERAL, DRAWN), transition(DRAWN, GENERAL));
            ops.insert(3, op);
        })
    };
    for kind in [AccessKind::StorageRead, AccessKind::StorageWrite, AccessKind::StorageReadWrite, AccessKind::Write] {
        silent(&general(dispatch(kind)), "a shader has it as storage image");
    }
    lost("TL402", &general(dispatch(AccessKind::Sampled)));
    for kind in
        [TransferKind::CopyImage, TransferKind::CopyBufferToImage, TransferKind::ClearColor, TransferKind::Resolve]
    {
        let written = between(vec![transition(READ, WRITTEN), transfer(kind, false), transition(WRITTEN, READ)]);
        silent(&written, "its contents are others afterwards");
    }
    let unknown = Layout(1_000_314_001);
    silent(
        &between(vec![transition(READ, GENERAL), transition(GENERAL, unknown), transition(unknown, READ)]),
        "ATTACHMENT_OPTIMAL",
    );
}

/// Four frames of a program that enabled these extensions.
fn enabling(frame: &FrameStructure, extensions: &[&str]) -> Vec<Finding> {
    let extensions = extensions.iter().map(|e| (*e).to_string()).collect();
    let mut session = Session::new(gpus(&GPUS));
    session.record(&Record::Run(Run { device: Device { extensions, ..Device::default() }, ..Run::default() }));
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    for index in 0..4 {
        let images = (0..frame.images.len() as u64).collect();
        session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    ours(session.report().findings)
}

#[test]
fn general_costs_nothing_where_layouts_are_unified() {
    let passing = changed(|_, ops| (ops[0], ops[2]) = (transition(GENERAL, DRAWN), transition(DRAWN, GENERAL)));
    let kept_in_it = rendered_in_general();
    for frame in [passing, kept_in_it] {
        assert_eq!(enabling(&frame, &["VK_KHR_swapchain"]).len(), 1);
        assert!(enabling(&frame, &["VK_KHR_unified_image_layouts"]).is_empty());
    }
    let written = between(vec![transition(READ, WRITTEN), transition(WRITTEN, READ)]);
    assert_eq!(codes(&enabling(&written, &["VK_KHR_unified_image_layouts"])), ["TL402"], "another layout");
}

#[test]
fn a_blit_onto_a_target_costs_the_tiles_that_did_not_change() {
    let blit = || vec![transition(READ, WRITTEN), transfer(TransferKind::Blit, false), transition(WRITTEN, READ)];
    let finding = lost("TL403", &between(blit()));
    assert!(finding.fix.starts_with("Draw in scene what vkCmdBlitImage writes to"), "{}", finding.fix);
    assert!(!finding.fix.contains("TRANSFER_DST"), "the blit needs it: {}", finding.fix);
    let mut more = blit();
    more.insert(2, transfer(TransferKind::CopyImage, false));
    silent(&between(more), "a copy writes it, too");
    silent(&between(vec![transition(READ, COPIED), transfer(TransferKind::Blit, true)]), "the source of a blit");
    let mut frame = between(blit());
    frame.images[0].swapchain = Some(1);
    lost("TL403", &frame);
}

/// The target is in GENERAL all the time.
fn rendered_in_general() -> FrameStructure {
    changed(|_, ops| {
        let pass = pass_of(&mut ops[1]);
        (pass.attachments[0].initial_layout, pass.attachments[0].final_layout) = (GENERAL, GENERAL);
        pass.subpasses[0].color[0].as_mut().expect("a colour slot").layout = GENERAL;
        ops.remove(2);
        ops.remove(0);
    })
}

#[test]
fn an_attachment_in_general_costs_the_tiles_that_did_not_change() {
    let finding = lost("TL407", &rendered_in_general());
    assert!(finding.fix.contains("in layout COLOR_ATTACHMENT_OPTIMAL, not GENERAL"), "{}", finding.fix);
    let mut dynamic = rendered_in_general();
    pass_of(&mut dynamic.submissions[0].ops[0]).dynamic = true;
    lost("TL407", &dynamic);
}

#[test]
fn an_attachment_that_is_read_or_written_otherwise_may_have_to_be_in_general() {
    let mut feedback = rendered_in_general();
    pass_of(&mut feedback.submissions[0].ops[0]).subpasses[0].color[0].as_mut().expect("a colour slot").feedback = true;
    silent(&feedback, "an attachment feedback loop");
    let mut input = rendered_in_general();
    pass_of(&mut input.submissions[0].ops[0]).subpasses[0].input =
        vec![Some(AttachmentUse { layout: GENERAL, aspects: Aspects::COLOR, ..AttachmentUse::default() })];
    silent(&input, "an input attachment of the same subpass");
    let mut sampled = rendered_in_general();
    let access = ImageAccess { image: Some(TARGET), range: whole_range(), ..ImageAccess::default() };
    let pass = pass_of(&mut sampled.submissions[0].ops[0]);
    pass.subpasses.push(Subpass { drawn: true, shader: ShaderAccess::exactly(vec![access]), ..Subpass::default() });
    silent(&sampled, "sampled by another subpass");
    let mut storage = rendered_in_general();
    storage.submissions[0].ops.insert(1, dispatch(AccessKind::StorageWrite));
    silent(&storage, "a storage image");
}

#[test]
fn images_without_signatures_are_not_spoken_of() {
    let undefined = |change: &dyn Fn(&mut FrameStructure)| {
        let mut frame = with(0, transition(Layout::UNDEFINED, DRAWN));
        change(&mut frame);
        frame
    };
    let image = |change: &dyn Fn(&mut Image)| undefined(&|frame| change(&mut frame.images[0]));
    silent(&image(&|image| image.usage |= usage::TRANSIENT_ATTACHMENT), "transient");
    silent(&image(&|image| image.mips = 2), "more than one level");
    silent(&image(&|image| image.layers = 2), "more than one layer");
    silent(&image(&|image| image.memory.external = true), "seen by others");
    silent(&image(&|image| image.memory.aliased = true), "UNDEFINED may be what aliased memory needs");
    let dropped =
        undefined(&|frame| pass_of(&mut frame.submissions[0].ops[1]).attachments[0].store = StoreOp::DontCare);
    silent(&dropped, "nothing is written");
    let unseen = undefined(&|frame| {
        let op = Op::Dispatch(Dispatch { shader: ShaderAccess::default() });
        frame.submissions[0].ops.insert(3, op);
    });
    silent(&unseen, "shaders of which it is not known what they write");
    let moved = undefined(&|frame| {
        let mut op = transition(READ, READ);
        if let Op::Barrier(barrier) = &mut op {
            barrier.images[0].families = Some((0, 1));
        }
        frame.submissions[0].ops.insert(3, op);
    });
    silent(&moved, "another queue family has it meanwhile");
}

#[test]
fn a_store_that_nobody_needs_is_told_as_that_alone() {
    let frame = changed(|_, ops| {
        ops[0] = transition(Layout::UNDEFINED, DRAWN);
        pass_of(&mut ops[3]).subpasses[0].shader = ShaderAccess::NOTHING;
    });
    let found = repeated(&frame);
    assert!(found.iter().any(|finding| finding.code == "TL006"), "{found:?}");
    silent(&frame, "TL006");
}

#[test]
fn a_target_that_the_next_pass_reads_as_input_attachment_is_told_of_both_ways() {
    // It could stay on chip (TL206), which is more work than to name a layout.
    let frame = changed(|frame, ops| {
        ops[0] = transition(Layout::UNDEFINED, DRAWN);
        let mut input = of(&frame.images, 0, Load, StoreOp::DontCare);
        (input.initial_layout, input.final_layout) = (READ, READ);
        let last = pass_of(&mut ops[3]);
        last.attachments.push(input);
        let aspects = Aspects::COLOR;
        last.subpasses[0].input =
            vec![Some(AttachmentUse { attachment: 1, layout: READ, aspects, ..AttachmentUse::default() })];
        last.subpasses[0].shader = ShaderAccess::NOTHING;
        frame.images[0].usage |= usage::INPUT_ATTACHMENT;
    });
    assert!(repeated(&frame).iter().any(|finding| finding.code == "TL206"));
    lost("TL401", &frame);
}

#[test]
fn what_the_host_reads_lies_in_the_layouts_that_it_knows() {
    let mut frame = changed(|_, ops| (ops[0], ops[2]) = (transition(GENERAL, DRAWN), transition(DRAWN, GENERAL)));
    let read = transfer(TransferKind::CopyImageToMemory, true);
    frame.submissions.push(Submission { queue: HOST_QUEUE, ops: vec![read], ..Submission::default() });
    silent(&frame, "GENERAL");
}

#[test]
fn two_queues_are_not_followed() {
    let mut frame = with(0, transition(Layout::UNDEFINED, DRAWN));
    let rest = frame.submissions[0].ops.split_off(2);
    let after = vec![SubmissionRef { frames_ago: 0, submission: 0 }];
    frame.submissions.push(Submission { queue: 1, after, ops: rest, ..Submission::default() });
    silent(&frame, "another queue changes its layout");
}

#[test]
fn an_image_that_queues_use_in_turns_is_not_followed() {
    let one = with(0, transition(Layout::UNDEFINED, DRAWN));
    let mut other = one.clone();
    let both = |other: &FrameStructure| {
        let findings = run(&[one.clone(), other.clone()], &[0, 1, 0, 1]).findings;
        findings.into_iter().filter(|finding| CODES.contains(&finding.code.as_str())).count()
    };
    other.submissions[0].ops.push(Op::Dispatch(Dispatch { shader: ShaderAccess::NOTHING }));
    assert_eq!(both(&other), 1);
    other.submissions[0].queue = 1;
    assert_eq!(both(&other), 0, "from UNDEFINED it needs no transfer of ownership to the other family");
}

#[test]
fn only_gpus_that_eliminate_transactions_are_spoken_of() {
    let frame = with(0, transition(Layout::UNDEFINED, DRAWN));
    let mut session = Session::new(gpus(&["adreno-650", "apple-m1", "mali-g610-panvk"]));
    session.record(&Record::Run(Run::default()));
    session.record(&Record::Structure { id: 0, frame });
    for index in 0..4 {
        session.record(&Record::Frame(FrameRecord { index, images: vec![0, 1], ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    assert!(ours(session.report().findings).is_empty());
}

/// What a random frame does to the target, in the order of its operations.
#[derive(Clone, Copy, Debug)]
enum Doing {
    /// From the layout that it has, or from UNDEFINED.
    Into(Layout, bool),
    /// Drawn and stored.
    Drawn,
    Sampled,
    CopiedFrom,
    CopiedTo,
    BlittedTo,
    Stored,
}

/// Whether signatures hold at each operation of a frame that has followed its like, by the words of the manual alone. `named`: transitions from
/// UNDEFINED name the layout that the target has.
fn holds(frame: &[Doing], named: bool) -> Vec<bool> {
    let (mut valid, mut layout, mut all) = (false, Layout::UNDEFINED, Vec::new());
    for doing in [frame; 3].concat() {
        all.push(valid);
        match doing {
            Doing::Into(new, undefined) => {
                valid &= !undefined || named;
                layout = new;
            }
            Doing::Drawn => valid = true,
            Doing::CopiedTo | Doing::BlittedTo | Doing::Stored => valid = false,
            Doing::Sampled | Doing::CopiedFrom => {}
        }
        valid &= [DRAWN, READ, COPIED].contains(&layout);
    }
    all.split_off(2 * frame.len())
}

/// The layout of the target before each operation of such a frame.
fn layouts(frame: &[Doing]) -> Vec<Layout> {
    let mut layout = Layout::UNDEFINED;
    let mut all = Vec::new();
    for doing in [frame; 2].concat() {
        all.push(layout);
        if let Doing::Into(new, _) = doing {
            layout = new;
        }
    }
    all.split_off(frame.len())
}

#[test]
fn in_random_frames_signatures_are_lost_where_it_is_said_and_kept_once_the_layout_is_named() {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    let mut told = 0;
    for round in 0..400 {
        let mut doings = Vec::new();
        for _ in 0..=next(4) {
            let undefined = next(3) == 0;
            match next(9) {
                0..=3 => doings.extend([Doing::Into(DRAWN, undefined), Doing::Drawn]),
                4 | 5 => doings.extend([Doing::Into(READ, undefined), Doing::Sampled]),
                6 => doings.extend([Doing::Into(COPIED, undefined), Doing::CopiedFrom]),
                7 => doings
                    .extend([Doing::Into(WRITTEN, undefined), [Doing::CopiedTo, Doing::BlittedTo][next(2) as usize]]),
                _ => {
                    doings.extend([Doing::Into(GENERAL, undefined), [Doing::Stored, Doing::Sampled][next(2) as usize]])
                }
            }
        }
        // Somebody reads what is left, so that no store is for nothing.
        doings.extend([Doing::Into(READ, false), Doing::Sampled]);
        let before = layouts(&doings);
        let frame = changed(|frame, ops| {
            let last = ops.pop().expect("the last pass");
            ops.clear();
            for (number, (doing, layout)) in doings.iter().zip(&before).enumerate() {
                ops.push(match *doing {
                    Doing::Into(new, undefined) => transition(if undefined { Layout::UNDEFINED } else { *layout }, new),
                    Doing::Drawn => draws(&format!("drawn {number}."), &frame.images, 0, Clear, [DRAWN; 3]),
                    Doing::Sampled => dispatch(AccessKind::Sampled),
                    Doing::Stored => dispatch(AccessKind::StorageWrite),
                    Doing::CopiedFrom => transfer(TransferKind::CopyImageToBuffer, true),
                    Doing::CopiedTo => transfer(TransferKind::CopyImage, false),
                    Doing::BlittedTo => transfer(TransferKind::Blit, false),
                });
            }
            ops.push(last);
        });
        let (is, could_be) = (holds(&doings, false), holds(&doings, true));
        for finding in ours(repeated(&frame)) {
            let pass = finding.pass.as_deref().expect("a pass");
            let at: usize = pass.trim_start_matches("drawn ").trim_end_matches('.').parse().expect(pass);
            assert!(!is[at], "{round}: {finding:?} in {doings:?}");
            let count = doings.len();
            let since = (1..=count).map(|back| doings[(at + count - back) % count]);
            let mut since = since.take_while(|doing| !matches!(doing, Doing::Drawn));
            let needed = since.any(|doing| matches!(doing, Doing::CopiedTo | Doing::Stored));
            assert!(!needed, "{round}: {finding:?} in {doings:?}");
            if finding.code != "TL401" {
                continue;
            }
            told += 1;
            assert!(could_be[at], "{round}: {finding:?} in {doings:?}");
            let undefined = |number: &usize| matches!(doings[*number], Doing::Into(_, true));
            // The transition from UNDEFINED before the pass, in this frame or at the end of the one before.
            let found = (0..count).map(|back| (at + count - back) % count).find(undefined).expect("one");
            let name = match before[found] {
                DRAWN => "COLOR_ATTACHMENT_OPTIMAL",
                READ => "SHADER_READ_ONLY_OPTIMAL",
                COPIED => "TRANSFER_SRC_OPTIMAL",
                other => panic!("{other:?} keeps no signatures: {doings:?}"),
            };
            let fix = &finding.fix;
            assert!(fix.contains(name) || fix.contains("the layout that it has"), "{round}: {fix} in {doings:?}");
        }
    }
    assert!(told > 40, "{told}");
}
