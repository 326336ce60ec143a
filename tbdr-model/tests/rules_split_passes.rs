//! The rules about passes that could be one (TL009, TL010): where they fire, with what they save, and where they stay silent because following
//! them would be a race, lose contents or change pixels, or because nothing proves that it would not.

mod frames;

use frames::scenes::*;
use frames::split_pass::*;
use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::report::{Finding, Quantity, Report};
use tbdr_model::units::Extent3D;

const FRAGMENT: u64 = 0x80;
const COLOR_OUTPUT: u64 = 0x400;
const COMPUTE: u64 = 0x800;
const TRANSFER: u64 = 0x1000;
const SHADER_READ: u64 = 0x20;
const SHADER_WRITE: u64 = 0x40;
const COLOR_READ: u64 = 0x80;
const COLOR_WRITE: u64 = 0x100;

fn barrier(stages: (u64, u64), access: (u64, u64)) -> Barrier {
    let scope = Scope { src_stages: stages.0, dst_stages: stages.1, src_access: access.0, dst_access: access.1 };
    Barrier { memory: vec![scope], ..Barrier::default() }
}

fn image_barrier(image: u32, stages: (u64, u64), layouts: (Layout, Layout)) -> Barrier {
    let scope = Scope { src_stages: stages.0, dst_stages: stages.1, ..Scope::default() };
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    let (image, old_layout, new_layout) = (Some(ImageRef(image)), layouts.0, layouts.1);
    Barrier {
        images: vec![ImageBarrier { image, range, scope, old_layout, new_layout, families: None }],
        ..Barrier::default()
    }
}

fn side(image: u32) -> Option<Side> {
    let extent = Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
    let (image, aspects) = (Some(ImageRef(image)), Aspects::COLOR);
    Some(Side::Image(ImageRegion { image, aspects, layers: 1, extent, ..ImageRegion::default() }))
}

fn copy(from: u32, to: u32) -> Op {
    let regions = vec![Region { src: side(from), dst: side(to) }];
    Op::Transfer(Transfer { labels: vec![], kind: TransferKind::CopyImage, regions })
}

fn dispatch(shader: ShaderAccess) -> Op {
    Op::Dispatch(Dispatch { shader })
}

fn between(op: Op) -> FrameStructure {
    with(|frame| ops(frame).insert(1, op))
}

#[test]
fn a_pass_that_loads_what_the_one_before_stored_costs_both_ways() {
    let findings = repeated(&split());
    assert_eq!(codes(&findings), ["TL009"]);
    // Colour and depth, each stored and loaded.
    assert_eq!(saved(&findings[0]), everywhere(4 * A));
    assert_eq!(findings[0].level, "warn");
    assert_eq!(findings[0].pass.as_deref(), Some("transparent"));
    let fix = &findings[0].fix;
    assert!(fix.starts_with("Record the draws of transparent at the end of opaque"), "{fix}");
    assert!(!fix.contains("in between"), "{fix}");
}

#[test]
fn a_pass_is_not_split_where_somebody_needs_it_in_memory() {
    let cases = [
        ("copied", between(copy(0, 3))),
        ("sampled by a dispatch", between(dispatch(sampling(0)))),
        ("a dispatch of which nothing is known", between(dispatch(ShaderAccess::default()))),
        ("the second pass samples it", with(|f| pass_at(f, 1).subpasses[0].shader = sampling(1))),
        ("nobody knows what the second pass samples", with(|f| pass_at(f, 1).subpasses[0].shader.known = false)),
        ("read as input attachment", with(|f| pass_at(f, 1).subpasses[0].input = vec![using(1)])),
        ("work that is not modelled", between(Op::Opaque(Opaque::default()))),
        ("query results", {
            let region = Region { src: None, dst: Some(Side::Buffer(BufferRegion::default())) };
            let kind = TransferKind::CopyQueryResults;
            between(Op::Transfer(Transfer { labels: vec![], kind, regions: vec![region] }))
        }),
        ("another process may read it", with(|f| f.images[0].memory.external = true)),
        ("a struct that is not modelled", with(|f| f.unmodelled.push("struct of tomorrow".into()))),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL009", why);
    }
    // A pass in between that samples it, and whose result the second pass reads.
    let read_between = with(|f| {
        let target = vec![of(&f.images, 2, DontCare, StoreOp::Store)];
        ops(f).insert(1, whole("occlusion", target, drawing(subpass(&[0], None, &[]), &[1])));
        pass_at(f, 2).subpasses[0].shader = sampling(2);
    });
    silent(&read_between, "TL009", "a pass in between samples it");
}

#[test]
fn a_pass_is_not_split_where_the_second_has_no_place_in_the_first() {
    let cases: Vec<(&str, FrameStructure)> = vec![
        ("another area", with(|f| pass_at(f, 1).render_area.extent.width = 320)),
        ("another framebuffer", with(|f| pass_at(f, 1).extent.width = 320)),
        ("other layers", with(|f| pass_at(f, 1).layers = 2)),
        ("other views", with(|f| pass_at(f, 1).subpasses[0].view_mask = 3)),
        ("another mip level", with(|f| pass_at(f, 1).attachments[0].range.base_mip = 1)),
        ("another layer", with(|f| pass_at(f, 1).attachments[0].range.base_layer = 1)),
        ("another view format", with(|f| pass_at(f, 1).attachments[0].format = Format(43))),
        (
            "an attachment that the first has as a resolve target",
            with(|f| {
                let more = of(&f.images, 2, DontCare, StoreOp::Store);
                pass_at(f, 0).attachments.push(more.clone());
                let resolve = Some(ResolveUse { attachment: 2, mode: 1, ..ResolveUse::default() });
                pass_at(f, 0).subpasses[0].depth_resolve = resolve;
                pass_at(f, 1).attachments.push(Attachment { load: Load, ..more });
                pass_at(f, 1).subpasses[0].color.push(using(2));
            }),
        ),
        ("what it loads was not stored", with(|f| pass_at(f, 0).attachments[1].store = StoreOp::DontCare)),
        (
            "nothing is loaded",
            with(|f| {
                (pass_at(f, 1).attachments[0].load, pass_at(f, 1).attachments[1].load) = (DontCare, DontCare);
            }),
        ),
        (
            "a feedback loop",
            with(|f| {
                pass_at(f, 1).subpasses[0].color[0] = using(0).map(|used| AttachmentUse { feedback: true, ..used });
            }),
        ),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL009", why);
    }
}

/// Opaque draws, then draws that go on with colour and depth and render to image 2 as well.
fn growing(load: LoadOp) -> FrameStructure {
    with(|f| {
        let more = of(&f.images, 2, load, StoreOp::Store);
        pass_at(f, 1).attachments.push(more);
        pass_at(f, 1).subpasses[0].color.push(using(2));
        f.outputs.push(Output { image: ImageRef(2), reason: OutputReason::Present });
    })
}

/// Depth alone, then colour with the depth of the first.
fn prepass() -> FrameStructure {
    with(|f| {
        let depth = of(&f.images, 1, Clear, StoreOp::Store);
        pass_at(f, 0).attachments = vec![depth];
        pass_at(f, 0).subpasses = vec![drawing(subpass(&[], Some(0), &[]), &[])];
        pass_at(f, 1).attachments[0].load = Clear;
    })
}

#[test]
fn a_pass_that_renders_to_more_than_the_one_before_goes_on_with_what_both_have() {
    for load in [Clear, DontCare] {
        let findings = repeated(&growing(load));
        assert_eq!(codes(&findings), ["TL009"]);
        // Colour and depth, each stored and loaded; what is added moves as before.
        assert_eq!((findings[0].level.as_str(), saved(&findings[0])), ("warn", everywhere(4 * A)));
        let fix = &findings[0].fix;
        assert!(
            fix.contains("; attach color[R8G8B8A8_UNORM,full]#2 from the start, with colorWriteMask 0 in the pipelines of the draws before"),
            "{fix}"
        );
        assert!(fix.ends_with("or give the added draws a subpass of their own"), "{fix}");
    }
    let mut dynamic = growing(Clear);
    (0..2).for_each(|op| pass_at(&mut dynamic, op).dynamic = true);
    let findings = repeated(&dynamic);
    let fix = &only(&findings, "TL009")[0].fix;
    assert!(fix.ends_with("with colorWriteMask 0 in the pipelines of the draws before"), "{fix}");
    // What is added is loaded, as it has been since the frame before.
    let kept = repeated(&growing(Load));
    assert_eq!(saved(only(&kept, "TL009")[0]), everywhere(4 * A));
    // A barrier of it belongs before both.
    let mut readied = growing(Clear);
    let barrier = image_barrier(2, (COLOR_OUTPUT, COLOR_OUTPUT), (Layout::UNDEFINED, GENERAL));
    ops(&mut readied).insert(1, Op::Barrier(barrier));
    let findings = repeated(&readied);
    let fix = &only(&findings, "TL009")[0].fix;
    assert!(fix.ends_with("; record the barriers in between before opaque"), "{fix}");
}

#[test]
fn a_depth_pre_pass_whose_depth_is_for_the_next_pass_alone_is_a_part_of_it() {
    let findings = repeated(&prepass());
    assert_eq!(codes(&findings), ["TL009"]);
    assert_eq!((findings[0].level.as_str(), saved(&findings[0])), ("warn", everywhere(2 * A)));
    assert!(!findings[0].fix.contains("vkCmdClearAttachments"), "loadOp clears colour: {}", findings[0].fix);
    let color_first = with(|f| {
        pass_at(f, 0).attachments.truncate(1);
        pass_at(f, 0).subpasses = vec![drawing(subpass(&[0], None, &[]), &[])];
        pass_at(f, 1).attachments[1].load = Clear;
    });
    let findings = repeated(&color_first);
    let found = only(&findings, "TL009");
    assert_eq!(saved(found[0]), everywhere(2 * A));
    assert!(
        found[0].fix.contains("with depthTestEnable off and stencilTestEnable off in the pipelines"),
        "{}",
        found[0].fix
    );
    // A mask in between, which is loaded beside colour and depth: those can be attached to its pass from the start.
    let mask = with(|f| {
        let (cleared, loaded) = (of(&f.images, 2, Clear, StoreOp::Store), of(&f.images, 2, Load, StoreOp::Store));
        pass_at(f, 1).attachments.push(loaded);
        pass_at(f, 1).subpasses[0].color.push(using(2));
        ops(f).insert(1, whole("mask", vec![cleared], drawing(subpass(&[0], None, &[]), &[])));
    });
    let findings = repeated(&mask);
    let found = only(&findings, "TL009");
    assert_eq!(saved(found[0]), everywhere(2 * A));
    assert!(found[0].fix.starts_with("Record the draws of transparent at the end of mask"), "{}", found[0].fix);
    // Somebody samples depth before it goes on.
    let mut occlusion = prepass();
    let target = vec![of(&occlusion.images, 2, DontCare, StoreOp::Store)];
    ops(&mut occlusion).insert(1, whole("occlusion", target, drawing(subpass(&[0], None, &[]), &[1])));
    silent(&occlusion, "TL009", "a pass in between samples it");
}

#[test]
fn a_pass_is_split_with_good_reason_where_what_it_adds_is_in_use_until_then() {
    let case = |load, change: Change<'_>| {
        let mut frame = growing(load);
        change(&mut frame);
        frame
    };
    let storage = |f: &mut FrameStructure| {
        let access = ImageAccess { kind: AccessKind::StorageWrite, ..sampling(2).images[0] };
        ops(f).insert(1, dispatch(ShaderAccess::exactly(vec![access])));
    };
    let clear = |f: &mut FrameStructure| {
        let regions = vec![Region { src: None, dst: side(2) }];
        ops(f).insert(1, Op::Transfer(Transfer { labels: vec![], kind: TransferKind::ClearColor, regions }));
    };
    let rendered = |f: &mut FrameStructure| {
        let target = vec![of(&f.images, 2, Clear, StoreOp::Store)];
        ops(f).insert(1, whole("mask", target, drawing(subpass(&[0], None, &[]), &[])));
        // Not where the later pass could go on.
        pass_at(f, 1).render_area.extent.width = 320;
    };
    let lost = |f: &mut FrameStructure| {
        let barrier = image_barrier(2, (COLOR_OUTPUT, COLOR_OUTPUT), (Layout::UNDEFINED, GENERAL));
        ops(f).insert(1, Op::Barrier(barrier));
    };
    let apart = |f: &mut FrameStructure| {
        let second = ops(f).pop().into_iter().collect();
        f.submissions.push(Submission { ops: second, unwaited: true, ..Submission::default() });
    };
    let cases = [
        ("a copy fills it", case(Load, &|f| ops(f).insert(1, copy(3, 2)))),
        ("a copy reads it", case(Clear, &|f| ops(f).insert(1, copy(2, 3)))),
        ("a command clears it", case(Load, &clear)),
        ("a dispatch writes it", case(Load, &storage)),
        ("a pass renders to it", case(Load, &rendered)),
        ("a barrier drops what is loaded", case(Load, &lost)),
        ("the first samples it", case(Clear, &|f| pass_at(f, 0).subpasses[0].shader = sampling(2))),
        ("nobody knows what the first samples", case(Clear, &|f| pass_at(f, 0).subpasses[0].shader.known = false)),
        ("its memory is that of other images until then", case(Clear, &|f| f.images[2].memory.aliased = true)),
        ("another process may have it until then", case(Clear, &|f| f.images[2].memory.external = true)),
        ("the later submission may wait for somebody who has it", case(Clear, &apart)),
        ("it is loaded by nobody and kept by nobody", case(LoadOp::None, &|_| {})),
        ("it has other samples", case(Clear, &|f| pass_at(f, 1).attachments[2].samples = 4)),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL009", why);
    }
}

#[test]
fn more_colours_than_every_device_has_keep_passes_apart() {
    // The first has these colours, the second the first of them and as many of its own.
    let colors = |own: u32, more: u32| {
        let images: Vec<Image> = (0..own + more).map(|_| color_image(1, ATTACHMENT_ONLY)).collect();
        let pass = |label, numbers: Vec<u32>, load| {
            let attachments = numbers.iter().map(|n| of(&images, *n, load, StoreOp::Store)).collect();
            let slots: Vec<u32> = (0..numbers.len() as u32).collect();
            whole(label, attachments, drawing(subpass(&slots, None, &[]), &[]))
        };
        let ops = vec![
            pass("a", (0..own).collect(), Clear),
            pass("b", [0].into_iter().chain(own..own + more).collect(), Load),
        ];
        let frame = frame(images.clone(), ops);
        (0..own + more).fold(frame, present)
    };
    assert_eq!(only(&repeated(&colors(2, 2)), "TL009").len(), 1);
    silent(&colors(3, 2), "TL009", "five, where four and three do");
    assert_eq!(only(&repeated(&colors(1, 5)), "TL009").len(), 1, "the second has as many itself");
}

#[test]
fn a_union_that_does_not_fit_on_chip_is_advised_with_care() {
    // 128 bits a pixel each: two fit the 256 of a Mali-G76 and an Apple M1, three do not.
    let wide = || Image { usage: ATTACHMENT_ONLY, ..image("R32G32B32A32_SFLOAT", [SIZE[0], SIZE[1], 1]) };
    let images = vec![wide(), wide(), wide()];
    let pass = |label, one: u32, other: u32, load| {
        let attachments = vec![of(&images, one, load, StoreOp::Store), of(&images, other, Clear, StoreOp::Store)];
        whole(label, attachments, drawing(subpass(&[0, 1], None, &[]), &[]))
    };
    let ops = vec![pass("a", 0, 1, Clear), pass("b", 0, 2, Load)];
    let findings = repeated(&(0..3).fold(frame(images.clone(), ops), present));
    assert_eq!(only(&findings, "TL009")[0].level, "info");
}

#[test]
fn of_a_row_that_grows_each_pass_goes_on_with_all_before() {
    // Colour and depth; colour and normals; colour and depth again, which the second has not.
    let row = with(|f| {
        let normals = vec![of(&f.images, 0, Load, StoreOp::Store), of(&f.images, 2, Clear, StoreOp::Store)];
        ops(f).insert(1, whole("normals", normals, drawing(subpass(&[0, 1], None, &[]), &[])));
        f.outputs.push(Output { image: ImageRef(2), reason: OutputReason::Present });
    });
    let report = run(std::slice::from_ref(&row), &[0; 4]);
    let found = only(&report.findings, "TL009");
    assert_eq!(found.len(), 2, "{:?}", report.findings);
    let transparent = found.iter().find(|f| f.pass.as_deref() == Some("transparent")).expect("goes on with both");
    // All three as one: colour stored and loaded twice, depth once.
    assert_eq!(saved(transparent), everywhere(6 * A));
    for gpu in GPUS {
        assert_eq!(together(&report, gpu), (6 * A, 6 * A), "{gpu}");
    }
}

#[test]
fn a_pass_in_shared_memory_is_not_moved_before_another() {
    let shadow = |aliased| {
        with(|f| {
            f.images[2].memory.aliased = aliased;
            let target = vec![of(&f.images, 2, Clear, StoreOp::Store)];
            ops(f).insert(1, whole("shadow", target, drawing(subpass(&[0], None, &[]), &[])));
            pass_at(f, 2).subpasses[0].shader = sampling(2);
        })
    };
    assert_eq!(only(&repeated(&shadow(false)), "TL009").len(), 1);
    silent(&shadow(true), "TL009", "what the first pass samples may lie where the pass in between renders");
}

#[test]
fn a_pass_is_not_split_where_the_queue_orders_something_in_between() {
    let undefined = |f: &mut FrameStructure| {
        let lost = image_barrier(0, (COLOR_OUTPUT, COLOR_OUTPUT), (Layout::UNDEFINED, GENERAL));
        ops(f).insert(1, Op::Barrier(lost));
    };
    let family = |f: &mut FrameStructure| {
        let mut moved = image_barrier(0, (COLOR_OUTPUT, COLOR_OUTPUT), (GENERAL, GENERAL));
        moved.images[0].families = Some((0, 1));
        ops(f).insert(1, Op::Barrier(moved));
    };
    let ordered = |f: &mut FrameStructure| {
        ops(f).insert(1, dispatch(ShaderAccess::NOTHING));
        ops(f).insert(1, Op::Barrier(barrier((FRAGMENT, COMPUTE), (SHADER_READ, SHADER_WRITE))));
    };
    let at_first = |f: &mut FrameStructure| {
        let out = Dependency {
            src: 0,
            dst: SUBPASS_EXTERNAL,
            src_stages: FRAGMENT,
            dst_stages: FRAGMENT,
            src_access: SHADER_WRITE,
            dst_access: SHADER_READ,
            ..Dependency::default()
        };
        pass_at(f, 0).dependencies.push(out);
    };
    let at_second = |f: &mut FrameStructure| {
        let into = Dependency {
            src: SUBPASS_EXTERNAL,
            dst: 0,
            src_stages: 0x1_0000,
            dst_stages: 0x1_0000,
            src_access: 0x1_0000,
            dst_access: 0x8000,
            ..Dependency::default()
        };
        pass_at(f, 1).dependencies.push(into);
    };
    let other_queue = |f: &mut FrameStructure| {
        let second = ops(f).pop();
        f.submissions.push(Submission { queue: 1, ops: second.into_iter().collect(), ..Submission::default() });
    };
    let cases = [
        ("contents go", with(undefined)),
        ("another queue family gets it", with(family)),
        ("an event", between(Op::Event(EventOp::default()))),
        ("a dispatch that waits for the draws", with(ordered)),
        (
            "shaders read what shaders of the first wrote",
            between(Op::Barrier(barrier((FRAGMENT, FRAGMENT), (SHADER_WRITE, SHADER_READ)))),
        ),
        (
            "shaders write what shaders of the first read",
            between(Op::Barrier(barrier((FRAGMENT, FRAGMENT), (0, SHADER_WRITE)))),
        ),
        ("the same as a dependency of the first", with(at_first)),
        ("a dependency of everything on everything", with(at_second)),
        ("another queue", with(other_queue)),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL009", why);
    }
}

#[test]
fn what_needs_nothing_of_a_pass_does_not_keep_it_split() {
    let upload = |f: &mut FrameStructure| {
        ops(f).insert(1, Op::Barrier(image_barrier(3, (TRANSFER, FRAGMENT), (GENERAL, Layout(5)))));
        ops(f).insert(1, copy(2, 3));
    };
    let cases = [
        (
            "a barrier of the attachments alone",
            between(Op::Barrier(barrier((COLOR_OUTPUT, COLOR_OUTPUT), (COLOR_WRITE, COLOR_READ | COLOR_WRITE)))),
        ),
        (
            "a transition of an attachment",
            between(Op::Barrier(image_barrier(0, (COLOR_OUTPUT, FRAGMENT | COLOR_OUTPUT), (Layout(2), GENERAL)))),
        ),
        ("a dispatch that waits for nothing", between(dispatch(ShaderAccess::NOTHING))),
        ("an upload that waits for nothing", with(upload)),
        ("a marker in a secondary command buffer, or nothing at all", split()),
    ];
    for (why, frame) in cases {
        let findings = repeated(&frame);
        let found = only(&findings, "TL009");
        assert_eq!(found.len(), 1, "{why}: {findings:?}");
        assert_eq!(saved(found[0]), everywhere(4 * A), "{why}");
    }
    // A shadow map that only the second pass reads: it can be rendered before both.
    let shadow = with(|f| {
        let target = vec![of(&f.images, 2, Clear, StoreOp::Store)];
        ops(f).insert(1, whole("shadow", target, drawing(subpass(&[0], None, &[]), &[])));
        pass_at(f, 2).subpasses[0].shader = sampling(2);
    });
    let findings = repeated(&shadow);
    let found = only(&findings, "TL009");
    assert_eq!(saved(found[0]), everywhere(4 * A));
    assert!(found[0].fix.ends_with("; record shadow before opaque"), "{}", found[0].fix);
    // Unless the first pass samples what it held before.
    let mut history = shadow;
    pass_at(&mut history, 0).subpasses[0].shader = sampling(2);
    silent(&history, "TL009", "the first pass reads what the pass in between overwrites");
}

#[test]
fn a_copy_of_every_tenth_frame_keeps_passes_apart() {
    let order: Vec<u32> = (0..20).map(|n| u32::from(n % 10 == 9)).collect();
    let report = run(&[split(), between(copy(0, 3))], &order);
    assert!(only(&report.findings, "TL009").is_empty(), "{:?}", report.findings);
}

/// What all findings together save, and what the report calls avoidable, on one GPU.
fn together(report: &Report, gpu: &str) -> (u64, u64) {
    let dram = |f: &Finding| f.after_previous.get(gpu).filter(|s| s.quantity == Quantity::Dram).map_or(0, |s| s.value);
    let avoidable = report.frames[0].gpus[gpu].avoidable_bytes.map_or(0, |b| b.0);
    (report.findings.iter().map(dram).sum(), avoidable)
}

#[test]
fn of_several_passes_in_a_row_each_saves_more() {
    let chain = with(|f| {
        let more = vec![of(&f.images, 0, Load, StoreOp::Store)];
        pass_at(f, 1).attachments[1].store = StoreOp::Store;
        ops(f).push(whole("interface", more, drawing(subpass(&[0], None, &[]), &[])));
        let depth = vec![of(&f.images, 0, Load, StoreOp::Store), of(&f.images, 1, Load, StoreOp::DontCare)];
        ops(f).push(whole("gizmos", depth, drawing(subpass(&[0], Some(1), &[]), &[])));
    });
    let report = run(std::slice::from_ref(&chain), &[0; 4]);
    let found = only(&report.findings, "TL009");
    // transparent in opaque: 4A. interface: colour in transparent. gizmos: colour of interface, and depth that transparent stored.
    let alone: Vec<_> = found.iter().map(|f| (f.pass.as_deref().unwrap_or(""), f.saving["mali-g76"].value)).collect();
    assert_eq!(alone.len(), 3, "{:?}", report.findings);
    assert!(alone.contains(&("transparent", 4 * A)) && alone.contains(&("interface", 2 * A)), "{alone:?}");
    for gpu in GPUS {
        // All of it as one pass: only colour goes out, once. 4 passes stored 4 colours and 2 depths and loaded 3 and 2.
        assert_eq!(together(&report, gpu), (10 * A, 10 * A), "{gpu}");
    }
    // A pass that samples what an earlier one of the row has as attachment ends the row, though its own targets would go on.
    let samples = {
        let mut frame = chain;
        pass_at(&mut frame, 2).subpasses[0].shader = sampling(1);
        frame
    };
    let findings = repeated(&samples);
    let passes: Vec<_> = only(&findings, "TL009").into_iter().map(|f| f.pass.clone().unwrap_or_default()).collect();
    assert_eq!(passes, ["transparent"]);
}

#[test]
fn passes_of_a_loop_that_each_go_on_where_the_last_one_stopped_are_one_finding() {
    let of_passes = |labels: &[&str]| {
        let images = split().images;
        let op = |(at, label): (usize, &&str)| {
            let load = if at == 0 { Clear } else { Load };
            whole(label, vec![of(&images, 0, load, StoreOp::Store)], drawing(subpass(&[0], None, &[]), &[]))
        };
        let ops = labels.iter().enumerate().map(op).collect();
        repeated(&present(frame(images.clone(), ops), 0))
    };
    let findings = of_passes(&["layer"; 6]);
    assert_eq!(codes(&findings), ["TL009"]);
    assert_eq!(saved(&findings[0]), everywhere(5 * 2 * A));
    assert!(findings[0].fix.ends_with("(and so in 4 more passes like it)"), "{}", findings[0].fix);
    // Passes with names of their own stay findings of their own: each can be allowed, and keeps its name when another comes.
    let findings = of_passes(&["sky", "ground", "trees", "water"]);
    let passes: Vec<_> = findings.iter().filter_map(|f| f.pass.as_deref()).collect();
    assert_eq!(passes, ["ground", "trees", "water"]);
    assert!(findings.iter().all(|f| f.code == "TL009" && saved(f) == everywhere(2 * A)));
}

#[test]
fn what_the_second_pass_clears_is_cleared_by_a_command_in_the_first() {
    let frame = with(|f| {
        pass_at(f, 0).attachments[1].store = StoreOp::DontCare;
        pass_at(f, 1).attachments[1].load = Clear;
    });
    let findings = repeated(&frame);
    // Depth never leaves the chip: it could be transient.
    assert_eq!(codes(&findings), ["TL009", "TL101"]);
    assert_eq!(saved(&findings[0]), everywhere(2 * A));
    assert!(findings[0].fix.contains("clear depth") && findings[0].fix.contains("vkCmdClearAttachments"));
}

#[test]
fn samples_that_both_passes_resolve_to_one_target_stay_on_chip() {
    let images = vec![color_image(4, usage::COLOR_ATTACHMENT), color_image(1, usage::COLOR_ATTACHMENT)];
    let resolve = Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() });
    let draws = |resolve| Subpass { resolve: vec![resolve], ..drawing(subpass(&[0], None, &[]), &[]) };
    let attachments = |load, store| vec![of(&images, 0, load, store), of(&images, 1, DontCare, StoreOp::Store)];
    let of_resolves = |first, second| {
        let ops = vec![
            whole("first", attachments(Clear, StoreOp::Store), draws(first)),
            whole("second", attachments(Load, StoreOp::DontCare), draws(second)),
        ];
        present(frame(images.clone(), ops), 1)
    };
    let findings = repeated(&of_resolves(resolve, resolve));
    let found = only(&findings, "TL009");
    // Four samples stored and loaded, and the first resolve, which the second overwrites.
    assert_eq!(saved(found[0]), everywhere(9 * A));
    let once = repeated(&of_resolves(None, resolve));
    assert_eq!(saved(only(&once, "TL009")[0]), everywhere(8 * A));
    silent(&of_resolves(resolve, None), "TL009", "the target must not show what the second pass draws");
}

#[test]
fn two_targets_in_turns_are_sorted_by_target() {
    let turns = |sampled: [&'static [u32]; 4]| {
        let frame = split();
        let draws = |reached| drawing(subpass(&[0], None, &[]), reached);
        let target = |image, load| vec![of(&frame.images, image, load, StoreOp::Store)];
        let passes = [(0, Clear), (2, Clear), (0, Load), (2, Load)];
        let labels = ["a", "b", "a again", "b again"];
        let ops = passes.iter().zip(labels).zip(sampled);
        let ops = ops.map(|(((image, load), label), reached)| whole(label, target(*image, *load), draws(reached)));
        let ops = ops.collect();
        present(present(frames::frame(frame.images.clone(), ops), 0), 2)
    };
    let findings = repeated(&turns([&[]; 4]));
    assert_eq!(codes(&findings), ["TL010"], "TL009 would say the same twice");
    assert_eq!(saved(&findings[0]), everywhere(4 * A));
    assert_eq!((findings[0].level.as_str(), findings[0].pass.as_deref()), ("warn", Some("a")));
    // Each turn reads the other: the order cannot change.
    let bloom = repeated(&turns([&[], &[0], &[2], &[0]] as [&[u32]; 4]));
    assert_eq!(codes(&bloom), ["TL010"]);
    assert!(bloom[0].level == "info" && bloom[0].saving.is_empty());
    // It is not known what shaders read.
    let mut unknown = turns([&[]; 4]);
    (0..4).for_each(|op| pass_at(&mut unknown, op).subpasses[0].shader.known = false);
    assert!(repeated(&unknown).is_empty());
    // Two passes are no turns, and neither are targets that are not loaded.
    let mut covered = turns([&[], &[0], &[2], &[0]] as [&[u32]; 4]);
    (2..4).for_each(|op| pass_at(&mut covered, op).attachments[0].load = DontCare);
    silent(&covered, "TL010", "nothing is loaded");
}

#[test]
fn passes_that_are_submitted_apart_are_split_only_if_the_host_waited_for_nothing() {
    let apart = |unwaited| {
        with(|f| {
            let second = ops(f).pop().into_iter().collect();
            f.submissions.push(Submission { ops: second, unwaited, ..Submission::default() });
        })
    };
    let findings = repeated(&apart(true));
    assert_eq!(codes(&findings), ["TL009"]);
    assert_eq!((findings[0].level.as_str(), saved(&findings[0])), ("info", everywhere(4 * A)));
    silent(&apart(false), "TL009", "the host may have written what the second pass reads");
    let mut another = apart(true);
    another.submissions.insert(1, Submission { queue: 1, unwaited: true, ..Submission::default() });
    silent(&another, "TL009", "another queue has work");
}
