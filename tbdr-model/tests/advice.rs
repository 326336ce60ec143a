//! Each rule fires where it must and stays silent where nothing is proved.

mod frames;

use frames::scenes::*;
use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::record::{FrameRecord, Gap, GapReason, Record, Run};
use tbdr_model::session::Session;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

#[test]
fn depth_that_the_next_frame_clears_is_stored_for_nobody() {
    let findings = repeated(&forward(0, Clear, StoreOp::Store));
    assert_eq!(codes(&findings), ["TL006"]);
    assert_eq!(saved(&findings[0]), everywhere(A));
    assert_eq!(findings[0].frames, [[0, 2, 1]], "of the last frame nothing is known");
    assert!(findings[0].fix.contains("DONT_CARE"));
}

#[test]
fn a_store_is_left_alone_wherever_a_read_may_have_gone_unseen() {
    let silent = |frame: &FrameStructure, why: &str| assert!(moving(repeated(frame)).is_empty(), "{why}");
    silent(&forward(0, Clear, StoreOp::DontCare), "not stored");
    silent(&forward(0, Load, StoreOp::Store), "loaded by the next frame");
    for used in [usage::SAMPLED, usage::STORAGE] {
        let mut between = forward(used, Clear, StoreOp::Store);
        assert_eq!(codes(&repeated(&between)), ["TL006"], "no shader runs between the store and the next clear");
        reach(&mut between, ShaderAccess::default());
        silent(&between, "shaders may read it");
    }
    // Where it is known what shaders reach, the usage alone proves nothing.
    let mut followed = forward(usage::SAMPLED, Clear, StoreOp::Store);
    reach(&mut followed, ShaderAccess::NOTHING);
    assert_eq!(codes(&repeated(&followed)), ["TL006"], "no shader samples it");
    let range = SubresourceRange { aspects: Aspects::DEPTH, mips: 1, layers: 1, ..SubresourceRange::default() };
    let sampled = ImageAccess { image: Some(ImageRef(1)), range, ..ImageAccess::default() };
    reach(&mut followed, ShaderAccess::exactly(vec![sampled]));
    silent(&followed, "the next frame samples it before it clears it");
    let external = |f: &mut FrameStructure| f.images[1].memory.external = true;
    let linear = |f: &mut FrameStructure| {
        f.images[1].tiling = 1;
        f.images[1].memory.properties = Some(Memory::HOST_VISIBLE);
    };
    let aliased = |f: &mut FrameStructure| f.images[1].flags = 0x400;
    let unmodelled = |f: &mut FrameStructure| f.unmodelled.push("struct of tomorrow".into());
    let edits: [(&str, Change<'_>); 4] = [
        ("external memory", &external),
        ("the host may map it", &linear),
        ("aliased", &aliased),
        ("a struct that is not modelled", &unmodelled),
    ];
    for (why, edit) in edits {
        let mut frame = forward(0, Clear, StoreOp::Store);
        edit(&mut frame);
        silent(&frame, why);
    }
    assert!(run(&[forward(0, Clear, StoreOp::Store)], &[0]).findings.is_empty(), "one frame proves nothing");
}

#[test]
fn contents_that_every_tenth_frame_reads_are_not_waste() {
    let plain = forward(usage::TRANSFER_SRC, Clear, StoreOp::Store);
    let mut reads = plain.clone();
    let side = |image| {
        let extent = Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
        Some(Side::Image(ImageRegion {
            image: Some(ImageRef(image)),
            aspects: Aspects::DEPTH,
            layers: 1,
            extent,
            ..ImageRegion::default()
        }))
    };
    let region = Region { src: side(1), dst: None };
    let copy = Transfer { labels: vec![], kind: TransferKind::CopyImageToBuffer, regions: vec![region] };
    reads.submissions[0].ops.push(Op::Transfer(copy));
    assert_eq!(codes(&run(std::slice::from_ref(&plain), &[0; 30]).findings), ["TL006"], "nobody copies it");
    let order: Vec<u32> = (0..30).map(|n| u32::from(n % 10 == 9)).collect();
    assert!(run(&[plain, reads], &order).findings.is_empty());
}

#[test]
fn a_gap_in_the_record_ends_every_proof() {
    let frame = forward(0, Clear, StoreOp::Store);
    let mut session = Session::new(gpus(&GPUS));
    session.record(&Record::Structure { id: 0, frame });
    for index in [0, 2, 4, 6] {
        session.record(&Record::Frame(FrameRecord { index, images: vec![0, 1], ..FrameRecord::default() }));
        session.record(&Record::Gap(Gap { first: index + 1, count: 1, reason: GapReason::Selection }));
    }
    assert!(session.report().findings.is_empty());
}

#[test]
fn a_store_that_is_overwritten_in_part_is_kept() {
    let mut frame = forward(0, Clear, StoreOp::Store);
    if let Some(Op::Pass(pass)) = frame.submissions[0].ops.first_mut() {
        pass.render_area = Rect2D { extent: Extent2D::new(320, 480), ..Rect2D::default() };
    }
    // Left and right halves in turn: neither clears what the other stored.
    let mut other = frame.clone();
    if let Some(Op::Pass(pass)) = other.submissions[0].ops.first_mut() {
        pass.render_area.x = 320;
    }
    let halves = run(&[frame.clone(), other], &[0, 1]);
    assert!(halves.findings.is_empty(), "{:?}", halves.findings);
    assert_eq!(codes(&repeated(&frame)), ["TL006"], "the same half again clears it");
}

#[test]
fn one_layer_lost_is_not_the_store_lost() {
    let mut layered = forward(0, Clear, StoreOp::Store);
    layered.images[1].layers = 2;
    layered.images[0].layers = 2;
    let mut single = layered.clone();
    for (frame, layers) in [(&mut layered, 2), (&mut single, 1)] {
        if let Some(Op::Pass(pass)) = frame.submissions[0].ops.first_mut() {
            pass.layers = layers;
            pass.attachments.iter_mut().for_each(|a| a.range.layers = layers);
        }
    }
    if let Some(Op::Pass(pass)) = single.submissions[0].ops.first_mut() {
        pass.labels = vec!["one layer".into()];
    }
    let findings = run(&[layered, single], &[0, 1]).findings;
    assert!(!findings.iter().any(|f| f.code == "TL006" && f.pass.as_deref() == Some("scene")));
}

#[test]
fn loading_what_a_transition_has_thrown_away_reads_for_nothing() {
    let mut frame = forward(0, Clear, StoreOp::DontCare);
    if let Some(Op::Pass(pass)) = frame.submissions[0].ops.first_mut() {
        pass.attachments[0].load = Load;
        pass.attachments[0].initial_layout = Layout::UNDEFINED;
    }
    let findings = moving(repeated(&frame));
    assert_eq!(codes(&findings), ["TL001"]);
    assert_eq!(saved(&findings[0]), everywhere(A));
    assert_eq!(findings[0].frames, [[0, 3, 1]]);
}

#[test]
fn a_load_is_left_alone_when_some_frame_loads_something() {
    // The first frame loads an image that nothing was ever written to; the others load what the frame before presented.
    let mut frame = forward(0, Clear, StoreOp::DontCare);
    if let Some(Op::Pass(pass)) = frame.submissions[0].ops.first_mut() {
        pass.attachments[0].load = Load;
    }
    assert!(moving(repeated(&frame)).is_empty());
    // What DONT_CARE dropped and LOAD brings back is a hazard, not a wasted load.
    assert_eq!(codes(&moving(repeated(&forward(0, Load, StoreOp::DontCare)))), ["TL015"]);
    // Shaders may have written it.
    let mut storage = frame.clone();
    storage.images[0].usage |= usage::STORAGE;
    assert_eq!(codes(&moving(run(&[storage.clone()], &[0]).findings)), ["TL001"], "no shader ever ran before");
    storage.submissions[0].ops.insert(0, Op::Dispatch(Dispatch::default()));
    assert!(moving(run(&[storage.clone()], &[0]).findings).is_empty());
    storage.submissions[0].ops[0] = Op::Dispatch(Dispatch { shader: ShaderAccess::NOTHING });
    assert_eq!(codes(&moving(run(&[storage], &[0]).findings)), ["TL001"], "these shaders reach no image");
}

/// A swapchain image that is loaded, in frames that get these images one after the other.
fn acquired(images: &[u64]) -> Vec<tbdr_model::report::Finding> {
    let mut target = color_image(1, ATTACHMENT_ONLY);
    target.swapchain = Some(0);
    let of_chain = vec![target];
    let draws = Subpass { shader: ShaderAccess::NOTHING, ..subpass(&[0], None, &[]) };
    let ops = vec![whole("scene", vec![of(&of_chain, 0, Load, StoreOp::Store)], draws)];
    let mut session = Session::new(gpus(&GPUS));
    session.record(&Record::Run(Run::default()));
    session.record(&Record::Structure { id: 0, frame: present(frame(of_chain, ops), 0) });
    for (index, image) in (0..).zip(images) {
        session.record(&Record::Frame(FrameRecord { index, images: vec![*image], ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    session.report().findings
}

#[test]
fn a_swapchain_image_is_empty_once_and_holds_its_contents_when_it_comes_back() {
    let first = acquired(&[7, 8, 9]);
    assert_eq!(codes(&first), ["TL001"]);
    assert_eq!((saved(&first[0]), first[0].frames.clone()), (everywhere(A), vec![[0, 2, 1]]));
    assert!(acquired(&[7, 8, 9, 7, 8, 9]).is_empty(), "partial redraws rely on it");
}

#[test]
fn contents_from_a_transfer_or_from_outside_are_loaded_for_a_reason() {
    let once = |change: Change<'_>| {
        let mut frame = forward(0, Clear, StoreOp::DontCare);
        if let Some(Op::Pass(pass)) = frame.submissions[0].ops.first_mut() {
            pass.attachments[0].load = Load;
        }
        change(&mut frame);
        moving(run(&[frame], &[0]).findings)
    };
    assert_eq!(codes(&once(&|_| {})), ["TL001"], "nothing was ever there");
    let fill = |f: &mut FrameStructure| {
        let extent = Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
        let region = ImageRegion {
            image: Some(ImageRef(0)),
            aspects: Aspects::COLOR,
            layers: 1,
            extent,
            ..ImageRegion::default()
        };
        let regions = vec![Region { src: Some(Side::Buffer(BufferRegion::default())), dst: Some(Side::Image(region)) }];
        let upload = Transfer { labels: vec![], kind: TransferKind::CopyBufferToImage, regions };
        f.submissions[0].ops.insert(0, Op::Transfer(upload));
    };
    assert!(once(&fill).is_empty(), "uploaded");
    assert!(once(&|f| f.images[0].memory.external = true).is_empty(), "another process may have written it");
    let linear = |f: &mut FrameStructure| {
        f.images[0].tiling = 1;
        f.images[0].memory.properties = Some(Memory::HOST_VISIBLE);
    };
    assert!(once(&linear).is_empty(), "the host may have written it");
}

#[test]
fn contents_that_a_transition_or_a_load_that_does_not_care_ends_are_stored_for_nobody() {
    let dropped = |load: LoadOp, undefined: bool| {
        let mut frame = forward(0, load, StoreOp::Store);
        if undefined {
            let range = SubresourceRange { aspects: Aspects::DEPTH, mips: 1, layers: 1, ..SubresourceRange::default() };
            let (image, new_layout) = (Some(ImageRef(1)), GENERAL);
            let lost = ImageBarrier { image, range, new_layout, ..ImageBarrier::default() };
            let barrier = Barrier { images: vec![lost], ..Barrier::default() };
            frame.submissions[0].ops.insert(0, Op::Barrier(barrier));
        }
        let findings = moving(repeated(&frame));
        findings.into_iter().find(|f| f.code == "TL006").map(|f| saved(&f)["mali-g76"])
    };
    assert_eq!(dropped(DontCare, false), Some(A), "loadOp DONT_CARE");
    assert_eq!(dropped(Clear, true), Some(A), "a transition from UNDEFINED, too");
    assert_eq!(dropped(Load, true), Some(A), "loaded, but not what was stored");
    assert_eq!(dropped(Load, false), None, "loaded");
}

/// A multisampled colour image, its resolve target (presented), resolved by command.
fn resolved_by_command(multisampled_usage: u32) -> FrameStructure {
    let images = vec![
        color_image(4, usage::COLOR_ATTACHMENT | usage::TRANSFER_SRC | multisampled_usage),
        color_image(1, usage::COLOR_ATTACHMENT | usage::TRANSFER_DST),
    ];
    let attachments = vec![of(&images, 0, Clear, StoreOp::Store)];
    let side = |image| {
        let extent = Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
        Some(Side::Image(ImageRegion {
            image: Some(ImageRef(image)),
            aspects: Aspects::COLOR,
            layers: 1,
            extent,
            ..ImageRegion::default()
        }))
    };
    let region = Region { src: side(0), dst: side(1) };
    let resolve = Transfer { labels: vec![], kind: TransferKind::Resolve, regions: vec![region] };
    let ops = vec![whole("scene", attachments, subpass(&[0], None, &[])), Op::Transfer(resolve)];
    present(frame(images, ops), 1)
}

#[test]
fn a_resolve_by_command_costs_all_samples_twice() {
    let findings = repeated(&resolved_by_command(0));
    assert_eq!(codes(&findings), ["TL301"], "the resolve is the read: nothing else speaks");
    assert_eq!(saved(&findings[0]), everywhere(8 * A));
    // If shaders may read the samples they have to be stored, and only the read goes.
    let mut sampled = resolved_by_command(usage::SAMPLED);
    sampled.submissions[0].ops.push(Op::Dispatch(Dispatch::default()));
    let findings = repeated(&sampled);
    assert_eq!(codes(&findings), ["TL301"]);
    assert_eq!(saved(&findings[0]), everywhere(4 * A));
    assert!(!findings[0].fix.contains("DONT_CARE"));
}

#[test]
fn a_resolve_by_command_is_left_alone_when_the_pass_cannot_do_it() {
    let edits: [(&str, Change<'_>); 5] = [
        ("no pass has rendered it", &|f: &mut FrameStructure| {
            let extent = Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
            let (image, aspects) = (Some(ImageRef(0)), Aspects::COLOR);
            let dst = Some(Side::Image(ImageRegion { image, aspects, layers: 1, extent, ..ImageRegion::default() }));
            let regions = vec![Region { src: None, dst }];
            let clear = Transfer { labels: vec![], kind: TransferKind::ClearColor, regions };
            f.submissions[0].ops[0] = Op::Transfer(clear);
        }),
        ("the target is cleared in between", &|f: &mut FrameStructure| {
            let clear = Region {
                src: None,
                dst: match &f.submissions[0].ops[1] {
                    Op::Transfer(t) => t.regions[0].dst.clone(),
                    _ => None,
                },
            };
            let clear = Transfer { labels: vec![], kind: TransferKind::ClearColor, regions: vec![clear] };
            f.submissions[0].ops.insert(1, Op::Transfer(clear));
        }),
        ("another format", &|f: &mut FrameStructure| {
            f.images[1].format = attachment("B8G8R8A8_UNORM", Load, StoreOp::Store).format
        }),
        ("a part only", &|f: &mut FrameStructure| {
            if let Op::Transfer(t) = &mut f.submissions[0].ops[1] {
                let region = &mut t.regions[0];
                for side in [&mut region.src, &mut region.dst] {
                    if let Some(Side::Image(i)) = side {
                        i.extent.width = 64
                    }
                }
            }
        }),
        ("another queue", &|f: &mut FrameStructure| {
            let resolve = f.submissions[0].ops.pop();
            f.submissions.push(Submission { queue: 1, ops: resolve.into_iter().collect(), ..Submission::default() });
        }),
    ];
    for (why, edit) in edits {
        let mut frame = resolved_by_command(0);
        edit(&mut frame);
        assert!(repeated(&frame).iter().all(|f| f.code != "TL301"), "{why}");
    }
}

#[test]
fn multisampled_colour_that_is_resolved_on_chip_need_not_be_stored() {
    let frame_with = |store, transient| {
        let usage = if transient { ATTACHMENT_ONLY | usage::TRANSIENT_ATTACHMENT } else { ATTACHMENT_ONLY };
        let images = vec![color_image(4, usage), color_image(1, ATTACHMENT_ONLY)];
        let attachments = vec![of(&images, 0, Clear, store), of(&images, 1, DontCare, StoreOp::Store)];
        let mut draw = subpass(&[0], None, &[]);
        draw.resolve = vec![Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() })];
        present(frame(images, vec![whole("scene", attachments, draw)]), 1)
    };
    for transient in [false, true] {
        let findings = repeated(&frame_with(StoreOp::Store, transient));
        assert_eq!(codes(&findings), ["TL302"], "one finding for one waste");
        assert_eq!(saved(&findings[0]), everywhere(4 * A));
        assert!(moving(repeated(&frame_with(StoreOp::DontCare, transient))).is_empty());
    }
}

#[test]
fn samples_that_a_later_pass_loads_or_shaders_fetch_are_stored_by_need() {
    let images = vec![color_image(4, ATTACHMENT_ONLY | usage::SAMPLED), color_image(1, ATTACHMENT_ONLY)];
    let resolve = Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() });
    let pass = |load, store| {
        let attachments = vec![of(&images, 0, load, store), of(&images, 1, DontCare, StoreOp::Store)];
        let draws = Subpass { shader: ShaderAccess::NOTHING, resolve: vec![resolve], ..subpass(&[0], None, &[]) };
        whole("scene", attachments, draws)
    };
    let codes_of = |ops| {
        let findings = repeated(&present(frame(images.clone(), ops), 1));
        codes(&findings).into_iter().filter(|c| ["TL302", "TL303"].contains(c)).map(str::to_string).collect::<Vec<_>>()
    };
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    let fetch = |known| {
        let access = ImageAccess { image: Some(ImageRef(0)), range, certain: true, ..ImageAccess::default() };
        Op::Dispatch(Dispatch { shader: ShaderAccess { known, ..ShaderAccess::exactly(vec![access]) } })
    };
    assert_eq!(codes_of(vec![pass(Clear, StoreOp::Store)]), ["TL302"]);
    assert_eq!(codes_of(vec![pass(Clear, StoreOp::Store), fetch(true)]), [""; 0], "fetched by shaders");
    assert_eq!(codes_of(vec![pass(Clear, StoreOp::Store), fetch(false)]), [""; 0], "who knows what shaders fetch");
    let row = || vec![pass(Clear, StoreOp::Store), pass(Load, StoreOp::DontCare)];
    assert_eq!(
        codes_of(row()),
        [""; 0],
        "a row of passes is a split pass (TL009), of which neither the load nor the store is told again"
    );
    let mut between = row();
    between.insert(1, fetch(true));
    assert_eq!(codes_of(between), [""; 0], "loaded by a pass that cannot go on in the first");
}

#[test]
fn a_transient_image_with_traffic_is_told_which_side_to_change() {
    let nobody = repeated(&forward(usage::TRANSIENT_ATTACHMENT, Clear, StoreOp::Store));
    assert_eq!(codes(&nobody), ["TL103"]);
    assert_eq!(saved(&nobody[0]), everywhere(A));
    assert!(nobody[0].fix.contains("DONT_CARE"));
    let somebody = repeated(&forward(usage::TRANSIENT_ATTACHMENT, Load, StoreOp::Store));
    assert_eq!(codes(&somebody), ["TL103"]);
    assert!(somebody[0].saving.is_empty() && somebody[0].fix.contains("TRANSIENT"), "{somebody:?}");
    assert!(repeated(&forward(usage::TRANSIENT_ATTACHMENT, Clear, StoreOp::DontCare)).is_empty());
}

#[test]
fn savings_after_previous_add_up_to_what_is_avoidable() {
    let mut frame = forward(0, Clear, StoreOp::Store);
    if let Some(Op::Pass(pass)) = frame.submissions[0].ops.first_mut() {
        pass.attachments[0].load = Load;
        pass.attachments[0].initial_layout = Layout::UNDEFINED;
    }
    let report = run(&[frame], &[0; 5]);
    assert_eq!(report.findings.len(), 2);
    for gpu in GPUS {
        let sum: u64 = report.findings.iter().filter_map(|f| f.after_previous.get(gpu)).map(|s| s.value).sum();
        assert_eq!(report.frames[0].gpus[gpu].avoidable_bytes.map(|b| b.0), Some(sum), "{gpu}");
        assert_eq!(sum, 2 * A);
    }
}

#[test]
fn levels_and_suppressions_are_settings() {
    let with = |key: &str, value: &str| {
        let settings = [(key.to_string(), value.to_string())].into();
        let mut session = Session::new(gpus(&GPUS));
        session.record(&Record::Run(Run { settings, ..Run::default() }));
        session.record(&Record::Structure { id: 0, frame: forward(0, Clear, StoreOp::Store) });
        for index in 0..3 {
            session.record(&Record::Frame(FrameRecord { index, images: vec![0, 1], ..FrameRecord::default() }));
        }
        session.report()
    };
    assert_eq!(with("rule_levels", "TL006=info").findings[0].level, "info");
    assert!(with("rule_levels", "store-never-read=off").findings.is_empty());
    assert!(with("allow", "TL006").findings.is_empty());
    assert!(with("allow", "TL006:sce*").findings.is_empty());
    assert_eq!(with("allow", "TL006:shadow*").findings.len(), 1);
    let unknown = with("allow", "TL999");
    assert!(unknown.not_modelled.iter().any(|n| n.contains("TL999")));
}

/// A transfer of the whole of image `from` to a buffer.
fn copied_out(from: u32, aspects: Aspects, extent: [u32; 3], layer: u32, layers: u32, z: i32) -> Op {
    let side = ImageRegion {
        image: Some(ImageRef(from)),
        aspects,
        base_layer: layer,
        layers,
        offset: [0, 0, z],
        extent: Extent3D::from(extent),
        ..ImageRegion::default()
    };
    let region = Region { src: Some(Side::Image(side)), dst: None };
    Op::Transfer(Transfer { labels: vec![], kind: TransferKind::CopyImageToBuffer, regions: vec![region] })
}

#[test]
fn a_pass_that_renders_fewer_layers_than_its_view_has_leaves_the_others_alone() {
    for multiview in [false, true] {
        let images = vec![Image { layers: 2, ..color_image(1, usage::COLOR_ATTACHMENT | usage::TRANSFER_SRC) }];
        let both = vec![of(&images, 0, Clear, StoreOp::Store)];
        let mut ops = vec![
            whole("both layers", both.clone(), subpass(&[0], None, &[])),
            whole("first layer", both, subpass(&[0], None, &[])),
        ];
        for (op, (layers, mask)) in ops.iter_mut().zip([(2, 0b11), (1, 0b01)]) {
            if let Op::Pass(pass) = op {
                pass.layers = if multiview { 1 } else { layers };
                pass.subpasses[0].view_mask = if multiview { mask } else { 0 };
            }
        }
        ops.push(copied_out(0, Aspects::COLOR, [SIZE[0], SIZE[1], 1], 0, 2, 0));
        let findings = repeated(&frame(images, ops));
        assert!(!codes(&findings).contains(&"TL006"), "layer 1 is read, multiview {multiview}");
    }
}

#[test]
fn a_slice_of_a_volume_is_read_by_a_copy_at_its_depth() {
    let usage = usage::COLOR_ATTACHMENT | usage::TRANSFER_SRC;
    let volume = Image { dimension: 2, usage, ..image("R8G8B8A8_UNORM", [SIZE[0], SIZE[1], 4]) };
    let with_copy_at = |z: i32| {
        let images = vec![volume.clone()];
        let mut slice = of(&images, 0, Clear, StoreOp::Store);
        slice.range.base_layer = 2;
        let ops = vec![
            whole("slice 2", vec![slice], subpass(&[0], None, &[])),
            copied_out(0, Aspects::COLOR, [SIZE[0], SIZE[1], 1], 0, 1, z),
        ];
        repeated(&frame(images, ops))
    };
    assert!(with_copy_at(2).is_empty());
    assert_eq!(codes(&with_copy_at(1)), ["TL006"], "another slice");
}

#[test]
fn stencil_with_a_layout_of_its_own_is_not_lost_with_depth() {
    let both = usage::DEPTH_STENCIL_ATTACHMENT;
    let images = vec![Image { usage: both, ..image("D32_SFLOAT_S8_UINT", [SIZE[0], SIZE[1], 1]) }];
    let pass_with = |label: &str, load, stencil_load, initial: Layout, stencil_initial| {
        let mut a = of(&images, 0, load, StoreOp::DontCare);
        a.range.aspects = Aspects(Aspects::DEPTH.0 | Aspects::STENCIL.0);
        (a.stencil_load, a.stencil_store) = (stencil_load, StoreOp::Store);
        (a.initial_layout, a.stencil_initial_layout) = (initial, stencil_initial);
        whole(label, vec![a], subpass(&[], Some(0), &[]))
    };
    let ops = |stencil_initial| {
        vec![
            pass_with("writes", Clear, Clear, GENERAL, None),
            pass_with("reads", Clear, Load, Layout::UNDEFINED, stencil_initial),
        ]
    };
    let findings = repeated(&frame(images.clone(), ops(Some(GENERAL))));
    assert!(findings.iter().all(|f| f.pass.as_deref() != Some("writes")), "{findings:?}");
}

#[test]
fn stencil_is_told_by_the_name_of_its_field() {
    let images =
        vec![Image { usage: usage::DEPTH_STENCIL_ATTACHMENT, ..image("D32_SFLOAT_S8_UINT", [SIZE[0], SIZE[1], 1]) }];
    let mut a = of(&images, 0, Clear, StoreOp::DontCare);
    a.range.aspects = Aspects(Aspects::DEPTH.0 | Aspects::STENCIL.0);
    (a.stencil_load, a.stencil_store) = (Clear, StoreOp::Store);
    let findings = repeated(&frame(images, vec![whole("scene", vec![a], subpass(&[], Some(0), &[]))]));
    assert_eq!(codes(&findings), ["TL006"]);
    assert!(findings[0].fix.starts_with("Set stencilStoreOp DONT_CARE"), "{}", findings[0].fix);
}

#[test]
fn samples_that_every_tenth_frame_copies_keep_their_store() {
    let plain = resolved_by_command(0);
    let mut copies = plain.clone();
    copies.submissions[0].ops.push(copied_out(0, Aspects::COLOR, [SIZE[0], SIZE[1], 1], 0, 1, 0));
    let order: Vec<u32> = (0..30).map(|n| u32::from(n % 10 == 9)).collect();
    let findings = run(&[plain, copies], &order).findings;
    assert_eq!(codes(&findings), ["TL301"]);
    assert!(!findings[0].fix.contains("storeOp"), "{}", findings[0].fix);
}

#[test]
fn a_resolve_target_that_the_pass_may_sample_is_advised_with_that_condition() {
    let mut history = resolved_by_command(0);
    history.images[1].usage |= usage::SAMPLED;
    let findings = repeated(&history);
    assert_eq!(codes(&findings), ["TL301"]);
    assert!(findings[0].fix.contains("resolve into another image"), "{}", findings[0].fix);
    // What runs between the pass and the resolve may read what the target holds from before.
    history.submissions[0].ops.insert(1, Op::Dispatch(Dispatch::default()));
    assert!(repeated(&history).iter().all(|f| f.code != "TL301"));
}

#[test]
fn a_copy_between_block_sizes_does_not_overwrite_what_it_does_not_reach() {
    let target = usage::COLOR_ATTACHMENT | usage::TRANSFER_DST | usage::TRANSFER_SRC;
    let images = vec![
        Image { usage: target, ..image("R32G32_UINT", [8, 8, 1]) },
        Image { usage: usage::TRANSFER_SRC, ..image("BC1_RGB_UNORM_BLOCK", [16, 16, 1]) },
    ];
    let side = |image| {
        let extent = Extent3D { width: 16, height: 16, depth: 1 };
        let aspects = Aspects::COLOR;
        Some(Side::Image(ImageRegion {
            image: Some(ImageRef(image)),
            aspects,
            layers: 1,
            extent,
            ..ImageRegion::default()
        }))
    };
    let copy = Transfer {
        labels: vec![],
        kind: TransferKind::CopyImage,
        regions: vec![Region { src: side(1), dst: side(0) }],
    };
    let attachments = vec![of(&images, 0, Clear, StoreOp::Store)];
    let small =
        Op::Pass(Pass { labels: vec!["small".into()], ..pass([8, 8], attachments, vec![subpass(&[0], None, &[])]) });
    let ops = vec![small, Op::Transfer(copy), copied_out(0, Aspects::COLOR, [8, 8, 1], 0, 1, 0)];
    assert!(repeated(&frame(images, ops)).is_empty());
}

#[test]
fn an_image_presented_before_anything_of_the_next_frame_is_read_by_the_present() {
    // Two windows drawn by one submission: the second present comes when the first has closed the frame.
    let images = vec![color_image(1, ATTACHMENT_ONLY), color_image(1, ATTACHMENT_ONLY)];
    let draw =
        |label: &str, image| whole(label, vec![of(&images, image, Clear, StoreOp::Store)], subpass(&[0], None, &[]));
    let ops = vec![draw("first", 0), draw("second", 1)];
    let mut windows = present(frame(images.clone(), ops), 0);
    assert_eq!(codes(&repeated(&windows)), ["TL006"], "without its present the second is drawn for nobody");
    windows.early_outputs.push(Output { image: ImageRef(1), reason: OutputReason::Present });
    assert!(repeated(&windows).is_empty());
}

#[test]
fn passes_of_a_loop_that_waste_alike_are_one_finding() {
    let images = vec![color_image(1, ATTACHMENT_ONLY), depth_image(usage::DEPTH_STENCIL_ATTACHMENT)];
    let attachments = vec![of(&images, 0, Clear, StoreOp::Store), of(&images, 1, Clear, StoreOp::Store)];
    let one = whole("scene", attachments, subpass(&[0], Some(1), &[]));
    let findings = repeated(&present(frame(images, vec![one; 8]), 0));
    let depth: Vec<_> = findings
        .iter()
        .filter(|f| f.attachment.as_deref() == Some(findings[0].attachment.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(depth.len(), 1);
    assert!(findings.len() <= 2, "{:?}", codes(&findings));
    assert!(findings.iter().any(|f| f.fix.contains("7 more passes")), "{findings:?}");
}

#[test]
fn a_loop_of_resolves_by_command_in_one_frame_saves_both_ways_while_something_follows() {
    let mut frame = resolved_by_command(0);
    let (pass, resolve) = (frame.submissions[0].ops[0].clone(), frame.submissions[0].ops[1].clone());
    frame.submissions[0].ops = vec![pass.clone(), resolve.clone(), pass.clone(), resolve.clone(), pass, resolve];
    let findings = run(&[frame], &[0]).findings;
    assert_eq!(codes(&findings), ["TL301"], "one finding for the loop");
    // Of the last one nobody knows yet whether its samples are read.
    assert_eq!(saved(&findings[0]), everywhere(8 * A + 8 * A + 4 * A));
}

/// A pass that clears a depth image, and whose shaders sample these depth images.
fn sampling(images: &[Image], target: u32, store: StoreOp, sampled: &[u32]) -> Op {
    let range = SubresourceRange { aspects: Aspects::DEPTH, mips: 1, layers: 1, ..SubresourceRange::default() };
    let access = |image: &u32| ImageAccess { image: Some(ImageRef(*image)), range, ..ImageAccess::default() };
    let shader = ShaderAccess::exactly(sampled.iter().map(access).collect());
    let attachments = vec![of(images, target, Clear, store)];
    whole("scene", attachments, Subpass { drawn: true, shader, ..subpass(&[], Some(0), &[]) })
}

#[test]
fn an_atlas_that_every_tenth_frame_samples_is_not_waste() {
    let images = vec![depth_image(usage::DEPTH_STENCIL_ATTACHMENT | usage::SAMPLED); 2];
    let stored = || sampling(&images, 0, StoreOp::Store, &[]);
    let plain = frame(images.clone(), vec![stored()]);
    let reads = frame(images.clone(), vec![stored(), sampling(&images, 1, StoreOp::DontCare, &[0])]);
    let order: Vec<u32> = (0..30).map(|n| u32::from(n % 10 == 9)).collect();
    assert_eq!(codes(&run(std::slice::from_ref(&plain), &[0; 30]).findings), ["TL006"], "nobody samples it");
    assert!(moving(run(&[plain, reads], &order).findings).is_empty());
}

#[test]
fn images_that_take_turns_as_target_and_as_history_are_not_waste() {
    let images = vec![depth_image(usage::DEPTH_STENCIL_ATTACHMENT | usage::SAMPLED); 2];
    let play = |sampled: &[u32]| {
        let mut session = Session::new(gpus(&GPUS));
        session.record(&Record::Run(Run::default()));
        session.record(&Record::Structure {
            id: 0,
            frame: frame(images.clone(), vec![sampling(&images, 0, StoreOp::Store, sampled)]),
        });
        for index in 0..12 {
            let images = if index % 2 == 0 { vec![0, 1] } else { vec![1, 0] };
            session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
        }
        session.report().findings
    };
    assert!(play(&[1]).is_empty());
    assert_eq!(codes(&play(&[])), ["TL006"], "the history is stored and never sampled");
}

#[test]
fn an_extension_that_reaches_images_unseen_is_named_and_nothing_is_proved_of_what_it_may_reach() {
    let report = |used: u32, extension: &str| {
        let mut session = Session::new(gpus(&GPUS));
        let mut run = Run::default();
        run.device.extensions = vec![extension.into()];
        session.record(&Record::Run(run));
        session.record(&Record::Structure { id: 0, frame: forward(used, Clear, StoreOp::Store) });
        for index in 0..4 {
            session.record(&Record::Frame(FrameRecord { index, images: vec![0, 1], ..FrameRecord::default() }));
        }
        session.report()
    };
    let kernels = report(usage::SAMPLED, "VK_NV_cuda_kernel_launch");
    assert!(kernels.findings.is_empty());
    assert!(kernels.not_modelled.iter().any(|note| note.contains("VK_NV_cuda_kernel_launch")));
    let undecided = |report: &tbdr_model::report::Report| {
        let all = report.undecided_advice.clone().expect("a new report says what is undecided");
        assert!(all.iter().all(|doubt| report.not_modelled.contains(&doubt.note)), "{:?}", report.not_modelled);
        all.into_iter().map(|doubt| (doubt.about.into_owned(), doubt.count)).collect::<Vec<_>>()
    };
    // The depth is the one attachment that shaders can reach.
    let (stores, images) = (("stored_attachments".into(), Some(1)), ("images_that_shaders_reach".into(), None));
    assert_eq!(undecided(&kernels), [stores, images]);
    assert_eq!(codes(&report(0, "VK_NV_cuda_kernel_launch").findings), ["TL006"], "no shader can reach it");
    let harmless = report(usage::SAMPLED, "VK_KHR_swapchain");
    assert_eq!(codes(&harmless.findings), ["TL006"]);
    assert!(!harmless.not_modelled.iter().any(|note| note.contains("VK_KHR_swapchain")));
    assert!(undecided(&harmless).iter().all(|(about, _)| about != "images_that_shaders_reach"));
}
