//! The rules about what single passes do for nothing (TL005, TL007, TL008, TL011 to TL013): where each fires, with what it saves, and where
//! it stays silent because following it would lose contents or change pixels, or because nothing proves that it would not.

mod frames;

use frames::scenes::*;
use frames::split_pass::*;
use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::report::{Finding, Quantity};
use tbdr_model::units::Rect2D;

/// A pass over an atlas that begins with vkCmdClearAttachments in these rectangles, each with first layer and layers.
fn cleared(load: LoadOp, rects: &[([i64; 4], u32, u32)], after_draw: bool) -> FrameStructure {
    let images = vec![color_image(1, ATTACHMENT_ONLY)];
    let rects = rects.iter().map(|(rect, layer, layers)| (Rect2D::from(*rect), *layer, *layers)).collect();
    let clear = ClearAttachment { aspects: Aspects::COLOR, rects, after_draw, ..ClearAttachment::default() };
    let draws = Subpass { clears: vec![clear], ..drawing(subpass(&[0], None, &[]), &[]) };
    let ops = vec![whole("atlas", vec![of(&images, 0, load, StoreOp::Store)], draws)];
    present(frame(images, ops), 0)
}

const WHOLE: [i64; 4] = [0, 0, 640, 480];

#[test]
fn a_clear_of_everything_at_the_start_is_the_load_operations_business() {
    let whole_rect = repeated(&cleared(Load, &[(WHOLE, 0, 1)], false));
    assert_eq!(codes(&whole_rect), ["TL005"]);
    assert_eq!(saved(&whole_rect[0]), everywhere(A));
    assert_eq!(whole_rect[0].level, "warn");
    assert!(whole_rect[0].fix.starts_with("Set loadOp CLEAR"));
    // Two rectangles that tile the area, and one that is larger than it.
    let halves = [([0, 0, 320, 480], 0, 1), ([320, 0, 320, 480], 0, 1)];
    assert_eq!(saved(&repeated(&cleared(Load, &halves, false))[0]), everywhere(A));
    // Nothing was loaded: what goes is a draw over every pixel.
    for load in [Clear, DontCare] {
        let work = repeated(&cleared(load, &[(WHOLE, 0, 1)], false));
        assert_eq!(codes(&work), ["TL005"]);
        let saving = work[0].saving["mali-g76"];
        assert_eq!((saving.quantity, saving.value, work[0].level.as_str()), (Quantity::Work, 640 * 480, "info"));
    }
}

#[test]
fn a_clear_of_a_part_or_later_is_no_load_operation() {
    let cases: [(&str, FrameStructure); 7] = [
        ("a part", cleared(Load, &[([0, 0, 64, 64], 0, 1)], false)),
        ("the same extent elsewhere", cleared(Load, &[([1, 0, 640, 480], 0, 1)], false)),
        ("two parts with a gap", cleared(Load, &[([0, 0, 320, 480], 0, 1), ([321, 0, 319, 480], 0, 1)], false)),
        ("no layer", cleared(Load, &[(WHOLE, 1, 1)], false)),
        ("after a draw", cleared(Load, &[(WHOLE, 0, 1)], true)),
        ("it may not happen", {
            let mut conditional = cleared(Load, &[(WHOLE, 0, 1)], false);
            pass_at(&mut conditional, 0).subpasses[0].clears[0].conditional = true;
            conditional
        }),
        ("values may differ", {
            let mut two = cleared(Load, &[([0, 0, 320, 480], 0, 1)], false);
            let rects = vec![(Rect2D::from([320, 0, 320, 480]), 0, 1)];
            let other = ClearAttachment { aspects: Aspects::COLOR, rects, ..ClearAttachment::default() };
            pass_at(&mut two, 0).subpasses[0].clears.push(other);
            two
        }),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL005", why);
    }
    // One of two layers, and one of two slots.
    let mut layered = cleared(Load, &[(WHOLE, 0, 1)], false);
    layered.images[0].layers = 2;
    pass_at(&mut layered, 0).layers = 2;
    pass_at(&mut layered, 0).attachments[0].range.layers = 2;
    silent(&layered, "TL005", "a subset of the layers");
    pass_at(&mut layered, 0).subpasses[0].clears[0].rects[0].2 = 2;
    let both = repeated(&layered);
    // An Adreno renders several layers straight to memory: what it reads there is not known.
    assert_eq!((saved(&both[0])["mali-g76"], saved(&both[0])["apple-m1"]), (2 * A, 2 * A));
    let mut other_slot = cleared(Load, &[(WHOLE, 0, 1)], false);
    pass_at(&mut other_slot, 0).subpasses[0].clears[0].slot = 1;
    silent(&other_slot, "TL005", "another attachment");
    // In the second subpass that uses it.
    let mut late = cleared(Load, &[(WHOLE, 0, 1)], false);
    let first = drawing(subpass(&[0], None, &[]), &[]);
    pass_at(&mut late, 0).subpasses.insert(0, first);
    silent(&late, "TL005", "an earlier subpass draws to it");
    // With multiview a clear is one of every view.
    let mut views = layered;
    pass_at(&mut views, 0).subpasses[0].clears[0].rects[0].2 = 1;
    (pass_at(&mut views, 0).subpasses[0].view_mask, pass_at(&mut views, 0).layers) = (3, 1);
    assert_eq!(codes(&repeated(&views)), ["TL005"]);
}

#[test]
fn the_load_that_a_clear_makes_useless_is_told_once() {
    let mut undefined = cleared(Load, &[(WHOLE, 0, 1)], false);
    pass_at(&mut undefined, 0).attachments[0].initial_layout = Layout::UNDEFINED;
    assert_eq!(codes(&repeated(&undefined)), ["TL005"], "TL001 would say the same");
}

/// Colour and depth, both loaded and stored, with draws of these facts.
fn drawn(facts: DrawFacts) -> FrameStructure {
    let images = vec![color_image(1, ATTACHMENT_ONLY), depth_image(usage::DEPTH_STENCIL_ATTACHMENT)];
    let attachments = vec![of(&images, 0, Load, StoreOp::Store), of(&images, 1, Load, StoreOp::Store)];
    let draws = Subpass { draws: facts, ..drawing(subpass(&[0], Some(1), &[]), &[]) };
    present(frame(images, vec![whole("interface", attachments, draws)]), 0)
}

/// The facts of draws that write colour 0 and test nothing.
fn color_only() -> DrawFacts {
    DrawFacts {
        known: true,
        color_writes: 1,
        color_masks: [0xf, 0, 0, 0, 0, 0, 0, 0],
        samples: 1,
        ..DrawFacts::default()
    }
}

#[test]
fn an_attachment_that_nothing_touches_travels_for_nothing() {
    let findings = repeated(&drawn(color_only()));
    assert_eq!(codes(&findings), ["TL007"]);
    assert_eq!(saved(&findings[0]), everywhere(2 * A));
    assert!(findings[0].attachment.as_deref().is_some_and(|image| image.starts_with("depth")));
    assert!(findings[0].fix.contains("out of interface") && findings[0].fix.contains("NONE"));
    // Loaded and dropped.
    let mut dropped = drawn(color_only());
    pass_at(&mut dropped, 0).attachments[1].store = StoreOp::DontCare;
    assert_eq!(saved(only(&repeated(&dropped), "TL007")[0]), everywhere(A));
}

#[test]
fn an_attachment_that_any_draw_touches_is_in_use() {
    let facts = |change: fn(&mut DrawFacts)| {
        let mut facts = color_only();
        change(&mut facts);
        drawn(facts)
    };
    let changed = |change: fn(&mut Pass)| {
        let mut frame = drawn(color_only());
        change(pass_at(&mut frame, 0));
        frame
    };
    let cases = [
        ("tested", facts(|f| f.depth_tests = true)),
        ("written", facts(|f| f.depth_writes = true)),
        ("not known", facts(|f| f.known = false)),
        ("cleared by loadOp", changed(|p| p.attachments[1].load = Clear)),
        (
            "cleared by a command",
            changed(|p| {
                let rects = vec![(Rect2D::from(WHOLE), 0, 1)];
                p.subpasses[0].clears =
                    vec![ClearAttachment { aspects: Aspects::DEPTH, rects, ..ClearAttachment::default() }];
            }),
        ),
        (
            "resolved",
            changed(|p| {
                p.subpasses[0].depth_resolve = Some(ResolveUse { attachment: 0, mode: 1, ..ResolveUse::default() })
            }),
        ),
        ("read as input", changed(|p| p.subpasses[0].input = vec![using(1)])),
        ("nothing moves", changed(|p| (p.attachments[1].load, p.attachments[1].store) = (LoadOp::None, StoreOp::None))),
        ("no subpass refers to it", changed(|p| (p.subpasses[0].depth, p.subpasses[0].stencil) = (None, None))),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL007", why);
    }
    // One of two colour attachments that only some pipelines write: the facts are those of all draws.
    let mut targets = drawn(DrawFacts { color_writes: 3, depth_tests: true, depth_writes: true, ..color_only() });
    targets.images.push(color_image(1, ATTACHMENT_ONLY));
    let second = of(&targets.images, 2, Load, StoreOp::Store);
    pass_at(&mut targets, 0).attachments.push(second);
    pass_at(&mut targets, 0).subpasses[0].color.push(using(2));
    silent(&targets, "TL007", "some draw writes it");
    // A frame in which a draw tests it.
    let report = run(&[drawn(color_only()), drawn(DrawFacts { depth_tests: true, ..color_only() })], &[0, 0, 1, 0]);
    assert!(only(&report.findings, "TL007").is_empty());
}

#[test]
fn an_attachment_that_is_only_read_need_not_be_stored() {
    let tested = DrawFacts { depth_tests: true, ..color_only() };
    let findings = repeated(&drawn(tested));
    assert_eq!(codes(&findings), ["TL008"]);
    assert_eq!(saved(&findings[0]), everywhere(A));
    assert!(findings[0].fix.starts_with("Set storeOp NONE on depth"), "{}", findings[0].fix);
    // Its layout says that it is not written, whatever the draws.
    let mut read_only = drawn(DrawFacts { known: false, ..tested });
    for used in [0, 1] {
        let layout = Layout(4);
        let subpass = &mut pass_at(&mut read_only, 0).subpasses[0];
        let place = if used == 0 { &mut subpass.depth } else { &mut subpass.stencil };
        *place = using(1).map(|used| AttachmentUse { layout, ..used });
    }
    assert_eq!(codes(&repeated(&read_only)), ["TL008"]);
    let changed = |change: fn(&mut Pass)| {
        let mut frame = drawn(DrawFacts { depth_tests: true, ..color_only() });
        change(pass_at(&mut frame, 0));
        frame
    };
    let cases = [
        ("storeOp NONE already", changed(|p| p.attachments[1].store = StoreOp::None)),
        ("not loaded", changed(|p| p.attachments[1].load = Clear)),
        ("written", changed(|p| p.subpasses[0].draws.depth_writes = true)),
        ("not known", changed(|p| p.subpasses[0].draws.known = false)),
        (
            "a clear of a part",
            changed(|p| {
                let rects = vec![(Rect2D::from([0, 0, 8, 8]), 0, 1)];
                p.subpasses[0].clears = vec![ClearAttachment {
                    aspects: Aspects::DEPTH,
                    rects,
                    after_draw: true,
                    ..ClearAttachment::default()
                }];
            }),
        ),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL008", why);
    }
}

#[test]
fn store_op_none_is_no_discard_and_the_next_load_is_needed() {
    // Depth tested and kept by NONE, then loaded by a pass that cannot join because it samples colour.
    let mut frame = split();
    pass_at(&mut frame, 0).attachments[1] = of(&split().images, 1, Load, StoreOp::None);
    pass_at(&mut frame, 0).subpasses[0].draws = DrawFacts { depth_tests: true, ..color_only() };
    pass_at(&mut frame, 1).subpasses[0].shader = sampling(0);
    // What the second pass throws away the next frame does miss.
    let missed = |f: &Finding| f.code == "TL015" && f.pass.as_deref() == Some("transparent");
    let findings: Vec<_> = repeated(&frame).into_iter().filter(|f| !missed(f)).collect();
    assert!(
        findings.iter().all(|f| f.attachment.as_deref().is_none_or(|image| !image.starts_with("depth"))),
        "{findings:?}"
    );
}

fn scissored(scissor: Option<[i64; 4]>) -> FrameStructure {
    let facts = DrawFacts { scissor: scissor.map(Rect2D::from), depth_tests: true, depth_writes: true, ..color_only() };
    drawn(facts)
}

#[test]
fn a_pass_that_draws_to_a_corner_loads_and_stores_all_of_its_area() {
    let findings = repeated(&scissored(Some([64, 64, 128, 192])));
    assert_eq!(codes(&findings), ["TL013"]);
    // Two attachments, each loaded and stored, of which 128x192 pixels are left.
    assert_eq!(saved(&findings[0]), everywhere(4 * (A - 128 * 192 * 4)));
    assert!(findings[0].fix.contains("offset 64,64 and extent 128x192"), "{}", findings[0].fix);
    let changed = |change: fn(&mut Pass)| {
        let mut frame = scissored(Some([64, 64, 128, 192]));
        change(pass_at(&mut frame, 0));
        frame
    };
    let cases = [
        ("a draw without a scissor", scissored(None)),
        ("all of it", scissored(Some(WHOLE))),
        ("what is stored was cleared everywhere", changed(|p| p.attachments[1].load = Clear)),
        ("state that is not known", changed(|p| p.subpasses[0].draws.known = false)),
        (
            "a clear of all of it",
            changed(|p| {
                let rects = vec![(Rect2D::from(WHOLE), 0, 1)];
                let clear =
                    ClearAttachment { aspects: Aspects::DEPTH, rects, after_draw: true, ..ClearAttachment::default() };
                p.subpasses[0].clears = vec![clear];
            }),
        ),
        (
            "a resolve",
            changed(|p| {
                p.subpasses[0].resolve = vec![Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() })]
            }),
        ),
    ];
    for (why, frame) in cases {
        silent(&frame, "TL013", why);
    }
    let both = run(&[scissored(Some([64, 64, 128, 192])), scissored(Some(WHOLE))], &[0, 0, 1, 0]);
    assert!(only(&both.findings, "TL013").is_empty(), "some frame draws to all of it");
    // A viewport over a part is no scissor: wide lines and points reach beyond.
    let viewport = Some(Rect2D::from([0, 0, 64, 64]));
    silent(
        &drawn(DrawFacts { viewport, depth_tests: true, depth_writes: true, ..color_only() }),
        "TL013",
        "a viewport",
    );
}

/// A panel at this area, colour loaded and kept, depth for this pass alone.
fn panel(area: [i64; 4], color_load: LoadOp) -> FrameStructure {
    let mut frame = forward(0, Clear, StoreOp::DontCare);
    let pass = pass_at(&mut frame, 0);
    pass.attachments[0].load = color_load;
    pass.render_area = Rect2D::from(area);
    frame
}

fn on(frame: &FrameStructure, gpu: &str) -> Vec<Finding> {
    use tbdr_model::record::{FrameRecord, Record, Run};
    let mut session = tbdr_model::session::Session::new(gpus(&[gpu]));
    session.record(&Record::Run(Run::default()));
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    for index in 0..4 {
        let images = (0..frame.images.len() as u64).collect();
        session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    session.report().findings
}

#[test]
fn a_render_area_across_tiles_makes_some_drivers_load_what_is_cleared() {
    // panvk before 25.1 loads every attachment unless the area is a multiple of 32x32 or reaches the edge.
    let gpu = "mali-g610-panvk-25.0";
    let misaligned = on(&panel([32, 32, 300, 200], Load), gpu);
    let found = only(&misaligned, "TL012");
    assert_eq!(found.len(), 1, "{misaligned:?}");
    assert!(found[0].fix.contains("offset 32,32 and extent 320x224"), "{}", found[0].fix);
    // Depth, which loadOp clears, is loaded in all tiles that the panel touches; colour moves in whole tiles either way.
    assert_eq!((found[0].saving[gpu].quantity, found[0].saving[gpu].value), (Quantity::Dram, 320 * 224 * 4));
    // The cleared colour would be cleared beyond the panel as well: tiles are counted, and the condition is told.
    let clears = on(&panel([32, 32, 300, 200], Clear), gpu);
    let found = only(&clears, "TL012");
    assert_eq!((found[0].level.as_str(), found[0].saving[gpu].quantity), ("info", Quantity::Count));
    // 10x7 tiles of 32x32, 9x6 of them as a whole.
    assert_eq!(found[0].saving[gpu].value, 70 - 54);
    assert!(found[0].fix.contains("if the pixels around it may be rendered as well"));
    for (why, area) in [("multiples", [32, 64, 320, 224]), ("up to the edge", [32, 32, 608, 448]), ("all", WHOLE)] {
        assert!(only(&on(&panel(area, Load), gpu), "TL012").is_empty(), "{why}");
    }
    for other in ["mali-g76", "adreno-650", "apple-m1", "mali-g610-panvk"] {
        assert!(only(&on(&panel([32, 32, 300, 200], Load), other), "TL012").is_empty(), "{other}");
    }
    // v3dv does the same with its own tiles.
    assert_eq!(only(&on(&panel([5, 5, 300, 200], Clear), "videocore-vii"), "TL012").len(), 1);
}

#[test]
fn many_passes_are_counted_and_faces_and_cascades_count_once() {
    let frame_of = |passes: u32, layer_of: &dyn Fn(u32) -> u32, extent: [u32; 2]| {
        let mut images = vec![color_image(1, ATTACHMENT_ONLY)];
        images[0].layers = 64;
        let op = |n: u32| {
            let mut target = of(&images, 0, Clear, StoreOp::Store);
            (target.range.base_layer, target.range.layers) = (layer_of(n), 1);
            let mut one = pass(extent, vec![target], vec![drawing(subpass(&[0], None, &[]), &[])]);
            one.labels = vec![format!("pass {n}")];
            Op::Pass(one)
        };
        let ops = (0..passes).map(op).collect();
        present(frame(images, ops), 0)
    };
    let findings = repeated(&frame_of(40, &|_| 0, SIZE));
    let found = only(&findings, "TL011");
    let saving = found[0].saving["mali-g76"];
    assert_eq!((found[0].level.as_str(), saving.quantity, saving.value), ("note", Quantity::Count, 40 - 32));
    silent(&frame_of(32, &|_| 0, SIZE), "TL011", "as many as usual");
    silent(&frame_of(48, &|n| n, SIZE), "TL011", "each pass has a face or cascade of its own");
    let small = repeated(&frame_of(12, &|_| 0, [64, 64]));
    assert_eq!(only(&small, "TL011")[0].saving["mali-g76"].value, 12 - 8);
    silent(&frame_of(12, &|n| n, [64, 64]), "TL011", "small faces");
    silent(&frame_of(12, &|_| 0, [128, 128]), "TL011", "not small");
}
