//! Rules about contents: what transfers write and passes load, what is read though it is undefined, and copies that nobody needs.

mod frames;

use frames::scenes::*;
use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::StoreOp::Store;
use tbdr_model::frame::*;
use tbdr_model::report::Finding;
use tbdr_model::units::{Extent2D, Extent3D};

const COLOR: u32 = usage::COLOR_ATTACHMENT;
const DEPTH: u32 = usage::DEPTH_STENCIL_ATTACHMENT;
const LESS: u32 = 1 << 1;
const ALWAYS: u32 = 1 << 7;

fn region(image: u32, aspects: Aspects, (mip, layer, layers): (u32, u32, u32)) -> ImageRegion {
    let extent = Extent3D { width: SIZE[0] >> mip, height: SIZE[1] >> mip, depth: 1 };
    ImageRegion {
        image: Some(ImageRef(image)),
        aspects,
        mip,
        base_layer: layer,
        layers,
        extent,
        ..ImageRegion::default()
    }
}

fn side(image: u32, aspects: Aspects) -> ImageRegion {
    region(image, aspects, (0, 0, 1))
}

fn transfer(kind: TransferKind, src: Option<ImageRegion>, dst: Vec<ImageRegion>) -> Op {
    let of = |dst| Region { src: src.clone().map(Side::Image), dst };
    let mut regions: Vec<Region> = dst.into_iter().map(|dst| of(Some(Side::Image(dst)))).collect();
    if regions.is_empty() {
        regions.push(of(None));
    }
    Op::Transfer(Transfer { labels: vec![], kind, regions })
}

fn clear(image: u32) -> Op {
    transfer(TransferKind::ClearColor, None, vec![side(image, Aspects::COLOR)])
}

fn copied_out(image: u32, aspects: Aspects) -> Op {
    transfer(TransferKind::CopyImageToBuffer, Some(side(image, aspects)), vec![])
}

fn moved(kind: TransferKind, from: u32, to: u32) -> Op {
    transfer(kind, Some(side(from, Aspects::COLOR)), vec![side(to, Aspects::COLOR)])
}

/// Shaders that sample these images, one aspect of each.
fn samples(images: &[(u32, Aspects)]) -> ShaderAccess {
    let access = |&(image, aspects): &(u32, Aspects)| ImageAccess {
        image: Some(ImageRef(image)),
        range: SubresourceRange { aspects, mips: 1, layers: 1, ..SubresourceRange::default() },
        certain: true,
        ..ImageAccess::default()
    };
    ShaderAccess::exactly(images.iter().map(access).collect())
}

fn known(facts: DrawFacts) -> DrawFacts {
    DrawFacts { known: true, ..facts }
}

/// A pass that draws to colour attachment 0, and whose shaders reach nothing.
fn colour(label: &str, images: &[Image], image: u32, load: LoadOp, store: StoreOp) -> Op {
    let inside = Subpass { shader: ShaderAccess::NOTHING, ..subpass(&[0], None, &[]) };
    whole(label, vec![of(images, image, load, store)], inside)
}

fn edit_pass(frame: &mut FrameStructure, number: usize, change: impl Fn(&mut Pass)) {
    let passes = frame.submissions.iter_mut().flat_map(|s| &mut s.ops).filter_map(|op| match op {
        Op::Pass(pass) => Some(pass),
        _ => None,
    });
    let mut passes = passes;
    change(passes.nth(number).expect("a pass"));
}

fn insert(frame: &mut FrameStructure, at: usize, op: Op) {
    frame.submissions[0].ops.insert(at, op);
}

/// What rules about contents say of four frames.
fn told(frame: &FrameStructure) -> Vec<Finding> {
    let codes = ["TL001", "TL002", "TL003", "TL004", "TL006", "TL014", "TL015", "TL017", "TL018"];
    repeated(frame).into_iter().filter(|f| codes.contains(&f.code.as_str())).collect()
}

fn speaks(findings: &[Finding], code: &str) -> bool {
    findings.iter().any(|f| f.code == code)
}

/// The rule says nothing of any of these changes of a frame.
fn silent(code: &str, frame: &FrameStructure, changes: &[(&str, Change<'_>)]) {
    assert!(speaks(&told(frame), code), "{code} speaks of the frame itself");
    for (why, change) in changes {
        let mut changed = frame.clone();
        change(&mut changed);
        let findings = told(&changed);
        assert!(!speaks(&findings, code), "{why}: {findings:?}");
    }
}

/// The image of the first pass is used by another queue too, in an order that is known.
fn elsewhere(frame: &mut FrameStructure) {
    let after = vec![SubmissionRef { frames_ago: 0, submission: 0 }];
    let ops = vec![copied_out(0, Aspects::COLOR)];
    frame.submissions.push(Submission { queue: 1, after, ops, ..Submission::default() });
}

/// Image 0 is cleared by command, loaded by a pass and presented.
fn cleared_and_loaded() -> FrameStructure {
    let images = vec![color_image(1, COLOR | usage::TRANSFER_DST | usage::TRANSFER_SRC)];
    let ops = vec![clear(0), colour("scene", &images, 0, Load, Store)];
    present(frame(images, ops), 0)
}

#[test]
fn a_clear_command_before_a_load_writes_and_reads_the_image_for_a_value() {
    let findings = told(&cleared_and_loaded());
    assert_eq!(codes(&findings), ["TL002"]);
    assert_eq!((findings[0].level.as_str(), saved(&findings[0])), ("warn", everywhere(A + A)));
    assert_eq!(findings[0].frames, [[0, 3, 1]]);
    assert!(findings[0].fix.contains("loadOp CLEAR") && findings[0].fix.contains("vkCmdClearColorImage"));
}

#[test]
fn a_clear_command_whose_value_something_else_sees_or_the_pass_does_not_cover_is_left_alone() {
    let sampled = |f: &mut FrameStructure| f.images[0].usage |= usage::SAMPLED;
    let layers = |f: &mut FrameStructure, image: u32, of_clear: (u32, u32, u32)| {
        f.images[0].layers = image;
        f.submissions[0].ops[0] = transfer(TransferKind::ClearColor, None, vec![region(0, Aspects::COLOR, of_clear)]);
    };
    silent(
        "TL002",
        &cleared_and_loaded(),
        &[
            ("copied between", &|f| insert(f, 1, copied_out(0, Aspects::COLOR))),
            ("sampled between", &|f| {
                sampled(f);
                insert(f, 1, Op::Dispatch(Dispatch { shader: samples(&[(0, Aspects::COLOR)]) }));
            }),
            ("perhaps sampled between", &|f| {
                sampled(f);
                insert(f, 1, Op::Dispatch(Dispatch::default()));
            }),
            ("sampled while it is rendered to", &|f| {
                sampled(f);
                edit_pass(f, 0, |p| p.subpasses[0].color[0].as_mut().expect("a target").feedback = true);
            }),
            ("another layer", &|f| layers(f, 2, (0, 1, 1))),
            ("more layers than the pass loads", &|f| layers(f, 2, (0, 0, 2))),
            ("fewer layers than the pass loads", &|f| {
                layers(f, 2, (0, 0, 1));
                edit_pass(f, 0, |p| (p.layers, p.attachments[0].range.layers) = (2, 2));
            }),
            ("another level", &|f| {
                f.images[0].mips = 2;
                layers(f, 1, (1, 0, 1));
            }),
            ("two levels", &|f| {
                f.images[0].mips = 2;
                let regions = [0, 1].map(|mip| region(0, Aspects::COLOR, (mip, 0, 1)));
                f.submissions[0].ops[0] = transfer(TransferKind::ClearColor, None, regions.to_vec());
            }),
            ("a part of the image is rendered", &|f| {
                edit_pass(f, 0, |p| p.render_area.extent = Extent2D::new(320, 480));
            }),
            ("memory keeps the clear value", &|f| edit_pass(f, 0, |p| p.attachments[0].store = StoreOp::None)),
            ("a view of another format", &|f| {
                let srgb = attachment("R8G8B8A8_SRGB", Load, Store).format;
                edit_pass(f, 0, |p| p.attachments[0].format = srgb);
            }),
            ("another queue reads it", &elsewhere),
            ("lost between", &|f| edit_pass(f, 0, |p| p.attachments[0].initial_layout = Layout::UNDEFINED)),
            ("an unknown command", &|f| f.unmodelled.push("struct of tomorrow".into())),
            ("external memory", &|f| f.images[0].memory.external = true),
        ],
    );
    let mut accumulates = cleared_and_loaded();
    accumulates.submissions[0].ops.remove(0);
    let findings = run(&[cleared_and_loaded(), accumulates], &[0, 1, 1, 0]).findings;
    assert!(!speaks(&findings, "TL002"), "the pass loads what the frame before left: {findings:?}");
}

#[test]
fn depth_and_stencil_that_a_command_clears_together_are_loaded_together() {
    let images = vec![Image { usage: DEPTH, ..image("D32_SFLOAT_S8_UINT", [SIZE[0], SIZE[1], 1]) }];
    let cleared = |aspects: u32| {
        let mut both = of(&images, 0, Load, StoreOp::DontCare);
        both.range.aspects = Aspects(6);
        (both.stencil_load, both.stencil_store) = (Load, Store);
        let clear = transfer(TransferKind::ClearDepthStencil, None, vec![side(0, Aspects(aspects))]);
        let pass = whole("scene", vec![both], Subpass { shader: ShaderAccess::NOTHING, ..subpass(&[], Some(0), &[]) });
        let findings = told(&frame(images.clone(), vec![clear, pass, copied_out(0, Aspects::STENCIL)]));
        findings.into_iter().find(|f| f.code == "TL002").expect("TL002")
    };
    let both = cleared(6);
    assert!(both.fix.contains("loadOp and stencilLoadOp CLEAR"), "{}", both.fix);
    assert_eq!(saved(&both)["mali-g76"], 2 * (A + A / 4));
    assert!(cleared(2).fix.contains("Set loadOp CLEAR"), "of depth alone");
}

#[test]
fn a_clear_command_before_a_pass_that_clears_or_does_not_load_writes_for_nobody() {
    for (load, words) in [(Clear, "clears it"), (DontCare, "set loadOp CLEAR there")] {
        let mut frame = cleared_and_loaded();
        edit_pass(&mut frame, 0, |p| p.attachments[0].load = load);
        let findings = told(&frame);
        assert_eq!(codes(&findings), ["TL004"]);
        assert_eq!((findings[0].level.as_str(), saved(&findings[0])), ("warn", everywhere(A)));
        assert!(findings[0].fix.contains(words), "{}", findings[0].fix);
    }
}

#[test]
fn a_clear_command_of_which_something_is_left_is_not_wasted() {
    let mut wasted = cleared_and_loaded();
    edit_pass(&mut wasted, 0, |p| p.attachments[0].load = Clear);
    silent(
        "TL004",
        &wasted,
        &[
            ("copied between", &|f| insert(f, 1, copied_out(0, Aspects::COLOR))),
            ("perhaps sampled between", &|f| {
                f.images[0].usage |= usage::SAMPLED;
                insert(f, 1, Op::Dispatch(Dispatch::default()));
            }),
            ("a part of the image is rendered", &|f| {
                edit_pass(f, 0, |p| p.render_area.extent = Extent2D::new(320, 480));
            }),
            ("a layer is left", &|f| {
                f.images[0].layers = 2;
                let both = vec![region(0, Aspects::COLOR, (0, 0, 2))];
                f.submissions[0].ops[0] = transfer(TransferKind::ClearColor, None, both);
            }),
            ("external memory", &|f| f.images[0].memory.external = true),
            ("an unknown command", &|f| f.unmodelled.push("struct of tomorrow".into())),
        ],
    );
    let mut needed = wasted.clone();
    insert(&mut needed, 1, copied_out(0, Aspects::COLOR));
    let order: Vec<u32> = (0..20).map(|n| u32::from(n % 10 == 9)).collect();
    assert!(!speaks(&run(&[wasted, needed], &order).findings, "TL004"), "every tenth frame copies it");
}

#[test]
fn the_last_clear_of_a_run_is_undecided() {
    let images = vec![color_image(1, COLOR | usage::TRANSFER_DST)];
    let findings = told(&frame(images, vec![clear(0)]));
    assert_eq!(codes(&findings), ["TL004"]);
    assert_eq!(findings[0].frames, [[0, 2, 1]], "the next frame clears it again");
}

/// Image 1 is moved into image 0, which a pass then loads and which is presented.
fn moved_and_loaded(kind: TransferKind) -> FrameStructure {
    let both = COLOR | usage::TRANSFER_DST | usage::TRANSFER_SRC | usage::SAMPLED;
    let images = vec![color_image(1, both), color_image(1, both)];
    let ops = vec![moved(kind, 1, 0), colour("scene", &images, 0, Load, Store)];
    present(frame(images, ops), 0)
}

#[test]
fn a_background_that_is_copied_in_before_the_load_could_be_drawn() {
    for kind in [TransferKind::CopyImage, TransferKind::Blit] {
        let findings = told(&moved_and_loaded(kind));
        assert_eq!(codes(&findings), ["TL003"], "{kind:?}");
        // The source is read either way.
        assert_eq!((findings[0].level.as_str(), saved(&findings[0])), ("info", everywhere(A + A)));
    }
    // Of a resolve, too: all samples of the source are read either way.
    let mut resolved = moved_and_loaded(TransferKind::Resolve);
    resolved.images[1].samples = 4;
    let findings = told(&resolved);
    assert_eq!((codes(&findings), saved(&findings[0])), (vec!["TL003"], everywhere(A + A)));
    assert!(findings[0].fix.ends_with("drop vkCmdResolveImage"), "{}", findings[0].fix);
}

#[test]
fn a_transfer_that_the_pass_cannot_draw_itself_is_left_alone() {
    silent(
        "TL003",
        &moved_and_loaded(TransferKind::Blit),
        &[
            ("used between", &|f| insert(f, 1, copied_out(0, Aspects::COLOR))),
            ("a part of the image is rendered", &|f| {
                edit_pass(f, 0, |p| p.render_area.extent = Extent2D::new(320, 480));
            }),
            ("the source is written between", &|f| insert(f, 1, clear(1))),
            ("the source is rendered to", &|f| {
                edit_pass(f, 0, |p| {
                    let mut source = p.attachments[0].clone();
                    source.image = Some(ImageRef(1));
                    p.attachments.push(source);
                    p.subpasses[0].color.push(using(1));
                });
            }),
            ("from a buffer", &|f| {
                let upload = transfer(TransferKind::CopyBufferToImage, None, vec![side(0, Aspects::COLOR)]);
                f.submissions[0].ops[0] = upload;
            }),
            ("another queue reads it", &elsewhere),
        ],
    );
}

/// A pass over depth with these operations, whose draws have this state.
fn tested(load: LoadOp, draws: DrawFacts) -> FrameStructure {
    let images = vec![color_image(1, ATTACHMENT_ONLY), depth_image(DEPTH)];
    let attachments = vec![of(&images, 0, Clear, Store), of(&images, 1, load, StoreOp::DontCare)];
    let inside = Subpass { shader: ShaderAccess::NOTHING, draws, ..subpass(&[0], Some(1), &[]) };
    present(frame(images, vec![whole("scene", attachments, inside)]), 0)
}

fn less() -> DrawFacts {
    known(DrawFacts {
        depth_tests: true,
        depth_writes: true,
        depth_compares: LESS,
        color_writes: 1,
        ..Default::default()
    })
}

#[test]
fn draws_that_test_depth_which_nothing_has_written_are_a_hazard() {
    let findings = told(&tested(DontCare, less()));
    assert_eq!(codes(&findings), ["TL014"]);
    assert_eq!(findings[0].level, "hazard");
    assert!(findings[0].saving.is_empty() && findings[0].fix.contains("loadOp CLEAR"));
    // Contents that a transition has thrown away are loaded.
    let mut loaded = tested(Load, less());
    edit_pass(&mut loaded, 0, |p| p.attachments[1].initial_layout = Layout::UNDEFINED);
    let findings = told(&loaded);
    assert!(speaks(&findings, "TL014") && speaks(&findings, "TL001"), "a hazard, and bytes: {findings:?}");
    // Draws that always pass may have covered everything before.
    let both = DrawFacts { depth_compares: LESS | ALWAYS, ..less() };
    assert_eq!(told(&tested(DontCare, both))[0].level, "info");
}

#[test]
fn depth_that_is_cleared_or_not_tested_may_begin_undefined() {
    silent(
        "TL014",
        &tested(DontCare, less()),
        &[
            ("cleared", &|f| edit_pass(f, 0, |p| p.attachments[1].load = Clear)),
            ("the test is off", &|f| {
                edit_pass(f, 0, |p| p.subpasses[0].draws = known(DrawFacts { color_writes: 1, ..Default::default() }));
            }),
            ("every fragment passes", &|f| {
                edit_pass(f, 0, |p| p.subpasses[0].draws = DrawFacts { depth_compares: ALWAYS, ..less() });
            }),
            ("no draw", &|f| edit_pass(f, 0, |p| p.subpasses[0].drawn = false)),
            ("draws of which nothing is known", &|f| edit_pass(f, 0, |p| p.subpasses[0].draws.known = false)),
            ("draws that may not happen", &|f| edit_pass(f, 0, |p| p.subpasses[0].draws.conditional = true)),
            ("a clear in the pass", &|f| {
                let clear = ClearAttachment { aspects: Aspects::DEPTH, ..ClearAttachment::default() };
                edit_pass(f, 0, |p| p.subpasses[0].clears = vec![clear.clone()]);
            }),
        ],
    );
    assert!(!speaks(&told(&tested(Load, less())), "TL014"), "later frames load what the one before left, or a discard");
}

/// Image 0 is rendered, and what it holds is discarded.
fn discarded(then: Op) -> FrameStructure {
    let all = COLOR | usage::TRANSFER_DST | usage::TRANSFER_SRC | usage::SAMPLED;
    let images = vec![color_image(1, all), color_image(1, all)];
    let ops = vec![colour("drops", &images, 0, Clear, StoreOp::DontCare), then];
    frame(images, ops)
}

fn images_of_two() -> Vec<Image> {
    discarded(clear(1)).images
}

#[test]
fn contents_that_a_pass_discards_are_not_there_for_any_reader() {
    let images = images_of_two();
    let sampling = Subpass { shader: samples(&[(0, Aspects::COLOR)]), ..subpass(&[0], None, &[]) };
    let input = Subpass { shader: ShaderAccess::NOTHING, ..subpass(&[0], None, &[1]) };
    let drop = StoreOp::DontCare;
    let readers: [(Op, &str); 6] = [
        (colour("next", &images, 0, Load, drop), "set loadOp CLEAR or DONT_CARE in next"),
        (whole("next", vec![of(&images, 1, Clear, drop)], sampling), "do not sample it in next"),
        (
            whole("next", vec![of(&images, 1, Clear, drop), of(&images, 0, Load, StoreOp::None)], input),
            "do not read it in next",
        ),
        (copied_out(0, Aspects::COLOR), "drop vkCmdCopyImageToBuffer"),
        (moved(TransferKind::Resolve, 0, 1), "drop vkCmdResolveImage"),
        (
            Op::Dispatch(Dispatch { shader: samples(&[(0, Aspects::COLOR)]) }),
            "do not sample it in the dispatches that follow",
        ),
    ];
    for (reader, words) in readers {
        let findings = told(&discarded(reader));
        let hazards: Vec<_> = findings.iter().filter(|f| f.code == "TL015").collect();
        assert_eq!(hazards.iter().filter(|f| f.pass.as_deref() == Some("drops")).count(), 1, "{words}: {findings:?}");
        assert!(hazards.iter().all(|f| f.level == "hazard" && f.saving.is_empty()));
        assert!(hazards.iter().any(|f| f.fix.contains(words)), "{words}: {hazards:?}");
        assert!(!speaks(&findings, "TL001"), "{words}");
    }
    let presented = told(&present(discarded(clear(1)), 0));
    assert!(presented.iter().any(|f| f.code == "TL015" && f.fix.contains("do not present it")), "{presented:?}");
    // A pass of no draws discards as well.
    let mut idle = discarded(copied_out(0, Aspects::COLOR));
    edit_pass(&mut idle, 0, |p| p.subpasses[0].drawn = false);
    assert!(speaks(&told(&idle), "TL015"));
}

#[test]
fn depth_that_is_dropped_in_one_frame_and_loaded_in_the_next_is_a_hazard_across_frames() {
    let findings = told(&forward(0, Load, StoreOp::DontCare));
    assert_eq!(codes(&findings), ["TL015"]);
    assert_eq!(findings[0].frames, [[1, 3, 1]], "the first frame has nothing to lose");
}

#[test]
fn store_op_none_keeps_contents_unless_the_pass_writes_or_clears_them() {
    let writes = known(DrawFacts { depth_writes: true, ..less() });
    let reads = known(DrawFacts { depth_tests: true, depth_compares: LESS, ..Default::default() });
    let with = |load, draws| {
        let images = vec![depth_image(DEPTH | usage::TRANSFER_SRC)];
        let stored = of(&images, 0, Clear, Store);
        let kept = of(&images, 0, load, StoreOp::None);
        let inside = |draws| Subpass { shader: ShaderAccess::NOTHING, draws, ..subpass(&[], Some(0), &[]) };
        let ops = vec![
            whole("pre-pass", vec![stored], inside(writes)),
            whole("main", vec![kept], inside(draws)),
            copied_out(0, Aspects::DEPTH),
        ];
        speaks(&told(&frame(images, ops)), "TL015")
    };
    assert!(!with(Load, reads), "only tested: contents are kept");
    assert!(with(Load, writes), "written: NONE is DONT_CARE");
    assert!(with(Clear, reads), "cleared: NONE is DONT_CARE");
    assert!(!with(Load, DrawFacts { known: false, ..writes }), "nobody knows whether anything writes");
    assert!(!with(Load, DrawFacts { conditional: true, ..writes }), "nobody knows whether the draws happen");
    assert!(with(Clear, DrawFacts { conditional: true, ..writes }), "cleared, whatever the draws do");
}

#[test]
fn what_is_written_again_or_may_be_is_no_hazard() {
    let read = || copied_out(0, Aspects::COLOR);
    silent(
        "TL015",
        &discarded(read()),
        &[
            ("a transfer writes between", &|f| insert(f, 1, clear(0))),
            ("a pass writes between", &|f| {
                let again = colour("again", &f.images.clone(), 0, DontCare, Store);
                insert(f, 1, again);
            }),
            ("shaders may write between", &|f| {
                f.images[0].usage |= usage::STORAGE;
                insert(f, 1, Op::Dispatch(Dispatch::default()));
            }),
            ("a part is discarded", &|f| edit_pass(f, 0, |p| p.render_area.extent = Extent2D::new(320, 480))),
            ("another layer", &|f| {
                f.images[0].layers = 2;
                edit_pass(f, 0, |p| p.attachments[0].range.base_layer = 1);
            }),
            ("stored", &|f| edit_pass(f, 0, |p| p.attachments[0].store = Store)),
            ("another queue uses it", &elsewhere),
            ("external memory", &|f| f.images[0].memory.external = true),
        ],
    );
    // A shader of an array of descriptors may read another of them.
    let mut array = samples(&[(0, Aspects::COLOR)]);
    array.images[0].certain = false;
    assert!(!speaks(&told(&discarded(Op::Dispatch(Dispatch { shader: array }))), "TL015"));
    // Loaded, and cleared before anything sees it: a waste at most.
    let images = images_of_two();
    let mut cleared = discarded(colour("next", &images, 0, Load, Store));
    let clear = ClearAttachment { aspects: Aspects::COLOR, slot: 0, ..ClearAttachment::default() };
    edit_pass(&mut cleared, 1, |p| p.subpasses[0].clears = vec![clear.clone()]);
    assert!(!speaks(&told(&cleared), "TL015"));
}

/// Depth (image 0) is copied to image 1, which the second pass samples while it renders to image 2.
fn depth_copied() -> FrameStructure {
    let both = DEPTH | usage::SAMPLED | usage::TRANSFER_SRC | usage::TRANSFER_DST;
    let images = vec![depth_image(both), depth_image(both), color_image(1, ATTACHMENT_ONLY)];
    let inside = |shader| Subpass { shader, ..subpass(&[0], None, &[]) };
    let depth = Subpass { shader: ShaderAccess::NOTHING, draws: less(), ..subpass(&[], Some(0), &[]) };
    let copy = transfer(TransferKind::CopyImage, Some(side(0, Aspects::DEPTH)), vec![side(1, Aspects::DEPTH)]);
    let ops = vec![
        whole("depth", vec![of(&images, 0, Clear, Store)], depth),
        copy,
        whole("particles", vec![of(&images, 2, Clear, Store)], inside(samples(&[(1, Aspects::DEPTH)]))),
    ];
    present(frame(images, ops), 2)
}

/// The second pass of [`depth_copied`] renders to the source as well.
fn with_depth(frame: &mut FrameStructure, store: StoreOp, draws: DrawFacts) {
    let depth = of(&frame.images, 0, Load, store);
    edit_pass(frame, 1, |p| {
        p.attachments.push(depth.clone());
        p.subpasses[0].depth = using(1);
        p.subpasses[0].draws = draws;
    });
}

#[test]
fn a_copy_that_is_read_while_its_source_is_the_same_is_not_needed() {
    let findings = told(&depth_copied());
    assert_eq!(codes(&findings), ["TL017"]);
    assert_eq!((findings[0].level.as_str(), saved(&findings[0])), ("warn", everywhere(A + A)));
    assert_eq!(findings[0].frames, [[0, 2, 1]], "the last copy may yet be read");
    assert!(findings[0].fix.contains("particles"), "{}", findings[0].fix);
    // A pass that tests the source and does not write it may sample it too.
    let mut tests = depth_copied();
    with_depth(
        &mut tests,
        StoreOp::None,
        known(DrawFacts { depth_tests: true, depth_compares: LESS, ..Default::default() }),
    );
    assert!(speaks(&told(&tests), "TL017"));
    // Nobody reads it at all.
    let mut unread = depth_copied();
    edit_pass(&mut unread, 1, |p| p.subpasses[0].shader = ShaderAccess::NOTHING);
    assert!(told(&unread).iter().any(|f| f.code == "TL017" && f.why.contains("nobody")));
    // In the next frame, before the source is rendered again: a matter of how frames overlap.
    let mut next = depth_copied();
    next.submissions[0].ops.rotate_right(1);
    let findings = told(&next);
    assert!(findings.iter().any(|f| f.code == "TL017" && f.level == "info"), "{findings:?}");
}

#[test]
fn a_copy_is_needed_once_its_source_is_another_or_cannot_be_read() {
    silent(
        "TL017",
        &depth_copied(),
        &[
            ("the source is rendered again before the read", &|f| {
                let again = f.submissions[0].ops[0].clone();
                insert(f, 2, again);
            }),
            ("the reader writes the source", &|f| with_depth(f, Store, less())),
            ("nobody knows whether the reader writes the source", &|f| {
                with_depth(f, StoreOp::None, DrawFacts::default())
            }),
            ("last frame's copy", &|f| {
                // The source is rendered, then the copy of the frame before is sampled, then copied anew.
                f.submissions[0].ops.swap(1, 2);
            }),
            ("the copy is written as well", &|f| {
                let mut write = samples(&[(1, Aspects::DEPTH)]);
                write.images[0].kind = AccessKind::StorageWrite;
                insert(f, 2, Op::Dispatch(Dispatch { shader: write }));
            }),
            ("the copy is loaded", &|f| {
                let next = whole("next", vec![of(&f.images, 1, Load, StoreOp::DontCare)], subpass(&[], Some(0), &[]));
                f.submissions[0].ops.push(next);
            }),
            ("shaders of which nothing is known", &|f| {
                f.submissions[0].ops.push(Op::Dispatch(Dispatch::default()));
            }),
            ("the source may not be sampled", &|f| f.images[0].usage &= !usage::SAMPLED),
            ("another format", &|f| f.images[1].format = attachment("D32_SFLOAT_S8_UINT", Load, Store).format),
            ("views of other formats", &|f| f.images.iter_mut().for_each(|i| i.flags |= 0x8)),
            ("a part of the image", &|f| {
                if let Op::Transfer(t) = &mut f.submissions[0].ops[1] {
                    let region = &mut t.regions[0];
                    for side in [&mut region.src, &mut region.dst] {
                        if let Some(Side::Image(region)) = side {
                            region.extent.width = 320;
                        }
                    }
                }
            }),
            ("the source is presented", &|f| *f = present(f.clone(), 0)),
            ("the copy is presented", &|f| *f = present(f.clone(), 1)),
            ("the host may write the source", &|f| f.images[0].memory.external = true),
            ("shaders may read the copy unseen", &|f| f.images[1].usage = usage::SAMPLED | usage::TRANSFER_DST),
            ("another queue writes the source", &|f| {
                let after = vec![SubmissionRef { frames_ago: 0, submission: 0 }];
                let clear = transfer(TransferKind::ClearDepthStencil, None, vec![side(0, Aspects::DEPTH)]);
                f.submissions.push(Submission { queue: 1, after, ops: vec![clear], ..Submission::default() });
            }),
        ],
    );
    let mut changed = depth_copied();
    let again = changed.submissions[0].ops[0].clone();
    insert(&mut changed, 2, again);
    let order: Vec<u32> = (0..20).map(|n| u32::from(n % 10 == 9)).collect();
    assert!(!speaks(&run(&[depth_copied(), changed], &order).findings, "TL017"), "every tenth frame needs the copy");
}

/// Image 0 is stored by a pass that writes nothing into it, and copied out.
fn stored_unwritten(load: LoadOp, draws: DrawFacts) -> FrameStructure {
    let images = vec![color_image(1, COLOR | usage::TRANSFER_SRC)];
    let inside = Subpass { shader: ShaderAccess::NOTHING, draws, ..subpass(&[0], None, &[]) };
    frame(
        images.clone(),
        vec![whole("scene", vec![of(&images, 0, load, Store)], inside), copied_out(0, Aspects::COLOR)],
    )
}

#[test]
fn a_store_of_contents_that_nothing_has_given_a_value_is_a_hazard_for_who_reads_them() {
    let nothing = known(DrawFacts::default());
    let findings = told(&stored_unwritten(DontCare, nothing));
    assert_eq!(codes(&findings), ["TL018"]);
    assert_eq!(findings[0].level, "hazard");
    // loadOp NONE keeps contents: where there were none, the first frame reads nothing; later ones what the first has stored.
    let none = told(&stored_unwritten(LoadOp::None, nothing));
    assert_eq!(none.iter().find(|f| f.code == "TL018").map(|f| f.frames.clone()), Some(vec![[0, 0, 1]]), "{none:?}");
    silent(
        "TL018",
        &stored_unwritten(DontCare, nothing),
        &[
            ("cleared", &|f| edit_pass(f, 0, |p| p.attachments[0].load = Clear)),
            ("loaded", &|f| edit_pass(f, 0, |p| p.attachments[0].load = Load)),
            ("a draw may cover it", &|f| edit_pass(f, 0, |p| p.subpasses[0].draws.color_writes = 1)),
            ("draws of which nothing is known", &|f| edit_pass(f, 0, |p| p.subpasses[0].draws.known = false)),
            ("a clear in the pass", &|f| {
                let clear = ClearAttachment { aspects: Aspects::COLOR, slot: 0, ..ClearAttachment::default() };
                edit_pass(f, 0, |p| p.subpasses[0].clears = vec![clear.clone()]);
            }),
            ("nobody reads it", &|f| f.submissions[0].ops.truncate(1)),
            ("another queue uses it", &elsewhere),
        ],
    );
}
