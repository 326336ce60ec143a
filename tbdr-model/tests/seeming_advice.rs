//! Frames that look as if a rule applied: its advice would lose contents, be a race, or ask for what Vulkan does not allow.

mod frames;
use frames::scenes::*;
use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::StoreOp::Store;
use tbdr_model::frame::*;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};
const COLOR: u32 = usage::COLOR_ATTACHMENT;
const DEPTH: u32 = usage::DEPTH_STENCIL_ATTACHMENT;

fn side(image: u32, aspects: Aspects) -> ImageRegion {
    let extent = Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
    ImageRegion { image: Some(ImageRef(image)), aspects, layers: 1, extent, ..ImageRegion::default() }
}
fn transfer(kind: TransferKind, src: Option<ImageRegion>, dst: Option<ImageRegion>) -> Op {
    Op::Transfer(Transfer {
        labels: vec![],
        kind,
        regions: vec![Region { src: src.map(Side::Image), dst: dst.map(Side::Image) }],
    })
}
fn out(image: u32, aspects: Aspects) -> Op {
    transfer(TransferKind::CopyImageToBuffer, Some(side(image, aspects)), None)
}
fn acc(image: u32, aspects: Aspects, kind: AccessKind) -> ImageAccess {
    ImageAccess {
        image: Some(ImageRef(image)),
        range: SubresourceRange { aspects, mips: 1, layers: 1, ..SubresourceRange::default() },
        certain: true,
        kind,
        ..ImageAccess::default()
    }
}
fn sampling(images: &[u32]) -> ShaderAccess {
    ShaderAccess::exactly(images.iter().map(|i| acc(*i, Aspects::COLOR, AccessKind::Sampled)).collect())
}
fn none(s: Subpass) -> Subpass {
    Subpass { shader: ShaderAccess::NOTHING, ..s }
}
fn known(facts: DrawFacts) -> DrawFacts {
    DrawFacts { known: true, samples: 1, ..facts }
}
fn exec(src: u64, dst: u64) -> Op {
    Op::Barrier(Barrier {
        stages: Scope { src_stages: src, dst_stages: dst, ..Scope::default() },
        ..Barrier::default()
    })
}
/// Nothing of the rule that the name begins with is said of the frame, repeated.
fn silent(name: &str, frame: &FrameStructure) {
    let (code, findings) = (&name[..5], repeated(frame));
    assert!(!codes(&findings).contains(&code), "{name}: {findings:#?}");
}
fn ds(n: u32, images: &[Image], load: LoadOp, store: StoreOp) -> Attachment {
    Attachment {
        stencil_load: load,
        stencil_store: store,
        range: SubresourceRange {
            aspects: Aspects(6),
            mips: 1,
            layers: images[n as usize].layers,
            ..SubresourceRange::default()
        },
        ..of(images, n, load, store)
    }
}

#[test]
fn of_depth_in_use_only_the_idle_stencil_is_spoken_of() {
    for name in ["D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT"] {
        let images = vec![
            color_image(1, COLOR),
            Image { usage: DEPTH | usage::TRANSFER_SRC, ..image(name, [SIZE[0], SIZE[1], 1]) },
            color_image(1, COLOR),
        ];
        let first = none(subpass(&[0], Some(1), &[]));
        let second = Subpass {
            draws: known(DrawFacts {
                color_writes: 1,
                depth_tests: true,
                depth_writes: true,
                depth_compares: 2,
                ..DrawFacts::default()
            }),
            ..none(subpass(&[0], Some(1), &[]))
        };
        let ops = vec![
            whole("a", vec![of(&images, 0, Clear, Store), ds(1, &images, Clear, Store)], first),
            // Without it b could go on in a.
            out(1, Aspects::DEPTH),
            whole("b", vec![of(&images, 2, Clear, Store), ds(1, &images, Load, Store)], second),
            out(1, Aspects::DEPTH),
            out(1, Aspects::STENCIL),
        ];
        let findings = repeated(&present(frame(images, ops), 2));
        let advice = findings.iter().find(|f| f.code == "TL007").expect("stencil is loaded and stored for nothing");
        assert!(advice.fix.starts_with("Set stencilLoadOp and stencilStoreOp NONE"), "{}", advice.fix);
        assert!(advice.why.contains("the stencil of"), "{}", advice.why);
    }
}

#[test]
fn passes_stay_apart_where_one_writes_an_image_that_the_other_reaches() {
    let images =
        vec![color_image(1, COLOR), color_image(1, COLOR | usage::STORAGE | usage::SAMPLED), color_image(1, COLOR)];
    let writes = ShaderAccess::exactly(vec![acc(1, Aspects::COLOR, AccessKind::StorageWrite)]);
    let a = Subpass { shader: sampling(&[1]), ..subpass(&[0], None, &[]) };
    let b = Subpass { shader: writes.clone(), ..subpass(&[0], None, &[]) };
    let ops = vec![
        whole("a", vec![of(&images, 0, Clear, Store)], a.clone()),
        exec(0x80, 0x80),
        whole("b", vec![of(&images, 0, Load, Store)], b),
    ];
    silent(
        "TL009: b writes the storage image that a samples, execution barrier",
        &present(frame(images.clone(), ops), 0),
    );
    let p = Subpass { shader: writes, ..subpass(&[0], None, &[]) };
    let ops = vec![
        whole("a", vec![of(&images, 0, Clear, Store)], a),
        exec(0x80, 0x80),
        whole("p", vec![of(&images, 2, Clear, Store)], p),
        whole("b", vec![of(&images, 0, Load, Store)], none(subpass(&[0], None, &[]))),
        out(2, Aspects::COLOR),
    ];
    silent(
        "TL009: p writes the storage image that a samples and would be moved before a",
        &present(frame(images, ops), 0),
    );
}

#[test]
fn an_input_attachment_goes_through_memory_where_more_than_the_own_pixel_counts() {
    // 0 history / lit, 1 albedo
    let images = vec![color_image(1, COLOR | usage::SAMPLED), color_image(1, COLOR | usage::INPUT_ATTACHMENT)];
    let deferred = |barrier: Op, shader: ShaderAccess| {
        let g = Subpass { shader, ..subpass(&[0], None, &[]) };
        let l = none(subpass(&[0], None, &[1]));
        frame(
            images.clone(),
            vec![
                whole("g", vec![of(&images, 1, Clear, Store)], g),
                barrier,
                whole("light", vec![of(&images, 0, Clear, Store), of(&images, 1, Load, Store)], l),
            ],
        )
    };
    silent("TL206: g samples last frame's lit image, light renders it", &deferred(exec(0x480, 0x480), sampling(&[0])));
    let mem = Op::Barrier(Barrier {
        memory: vec![Scope { src_stages: 0x80, src_access: 0x40, dst_stages: 0x80, dst_access: 0x20 }],
        ..Barrier::default()
    });
    silent("TL206: light reads buffers that g writes", &present(deferred(mem, ShaderAccess::NOTHING), 0));
}

#[test]
fn what_no_draw_or_clear_at_the_beginning_could_do_stays_a_command() {
    let source = Image { usage: COLOR | usage::TRANSFER_SRC, ..image("R32_UINT", [SIZE[0], SIZE[1], 1]) };
    let images = vec![source, color_image(1, COLOR | usage::TRANSFER_DST)];
    let ops = vec![
        whole("ids", vec![of(&images, 0, Clear, Store)], none(subpass(&[0], None, &[]))),
        transfer(TransferKind::CopyImage, Some(side(0, Aspects::COLOR)), Some(side(1, Aspects::COLOR))),
        whole("ui", vec![of(&images, 1, Load, Store)], none(subpass(&[0], None, &[]))),
    ];
    silent("TL003: copy of R32_UINT to RGBA8", &present(frame(images, ops), 1));
    let z = |u: u32| Image { usage: DEPTH | u, ..image("D32_SFLOAT_S8_UINT", [SIZE[0], SIZE[1], 1]) };
    let images = vec![z(usage::TRANSFER_SRC), z(usage::TRANSFER_DST), color_image(1, COLOR)];
    let both = Aspects(6);
    let ro = |mut s: Subpass| {
        for u in [&mut s.depth, &mut s.stencil] {
            u.as_mut().unwrap().layout = Layout(4);
        }
        s
    };
    for read_only in [false, true] {
        let b = none(subpass(&[0], Some(1), &[]));
        let b = if read_only { ro(b) } else { b };
        let ops = vec![
            whole(
                "a",
                vec![of(&images, 2, Clear, Store), ds(0, &images, Clear, Store)],
                none(subpass(&[0], Some(1), &[])),
            ),
            transfer(TransferKind::CopyImage, Some(side(0, both)), Some(side(1, both))),
            whole("b", vec![of(&images, 2, Load, Store), ds(1, &images, Load, Store)], b),
        ];
        silent(
            &format!("TL003: copy of depth and stencil, then a pass, read only {read_only}"),
            &present(frame(images.clone(), ops), 2),
        );
        let b = none(subpass(&[0], Some(1), &[]));
        let b = if read_only { ro(b) } else { b };
        let ops = vec![
            transfer(TransferKind::ClearDepthStencil, None, Some(side(1, both))),
            whole("b", vec![of(&images, 2, Clear, Store), ds(1, &images, Load, Store)], b),
        ];
        let cleared = present(frame(images.clone(), ops), 2);
        if read_only {
            silent("TL002: a layout in which nothing may be cleared", &cleared);
        } else {
            assert!(codes(&repeated(&cleared)).contains(&"TL002"), "the same where the loadOp may clear");
        }
    }
    // First used as input, then rendered to.
    let images = vec![color_image(1, COLOR | usage::INPUT_ATTACHMENT | usage::TRANSFER_DST), color_image(1, COLOR)];
    let mut p = pass(
        SIZE,
        vec![of(&images, 0, Load, Store), of(&images, 1, Clear, Store)],
        vec![none(subpass(&[1], None, &[0])), none(subpass(&[0], None, &[]))],
    );
    p.labels = vec!["two".into()];
    let ops = vec![transfer(TransferKind::ClearColor, None, Some(side(0, Aspects::COLOR))), Op::Pass(p.clone())];
    silent("TL002: input attachment first", &present(present(frame(images.clone(), ops), 0), 1));
    let mut images = images;
    images.push(color_image(1, COLOR | usage::TRANSFER_SRC));
    let ops = vec![
        whole("src", vec![of(&images, 2, Clear, Store)], none(subpass(&[0], None, &[]))),
        transfer(TransferKind::CopyImage, Some(side(2, Aspects::COLOR)), Some(side(0, Aspects::COLOR))),
        Op::Pass(p),
    ];
    silent("TL003: input attachment first", &present(present(frame(images, ops), 0), 1));
}

#[test]
fn a_clear_of_some_views_reads_nothing() {
    let images = vec![Image { layers: 3, ..color_image(1, COLOR) }, Image { layers: 3, ..depth_image(DEPTH) }];
    let views = |mask, s: Subpass| Subpass { view_mask: mask, ..none(s) };
    for (mask, load) in [(0b101, Clear), (0b101, DontCare), (0b111, Clear)] {
        let ops = vec![
            whole(
                "a",
                vec![of(&images, 0, Clear, Store), of(&images, 1, Clear, StoreOp::DontCare)],
                views(0b111, subpass(&[0], Some(1), &[])),
            ),
            whole(
                "b",
                vec![of(&images, 0, Load, Store), of(&images, 1, load, StoreOp::DontCare)],
                views(mask, subpass(&[0], Some(1), &[])),
            ),
        ];
        silent(&format!("TL015: view mask {mask:b} load {load:?}"), &present(frame(images.clone(), ops), 0));
    }
    let idle = Subpass { draws: known(DrawFacts::default()), ..views(0b111, subpass(&[0], None, &[])) };
    let ops = vec![
        whole("a", vec![of(&images, 0, DontCare, Store)], idle),
        whole("b", vec![of(&images, 0, Clear, Store)], views(0b101, subpass(&[0], None, &[]))),
    ];
    silent("TL018: then cleared with a gap in the mask", &frame(images, ops));
}

#[test]
fn a_view_that_is_not_cleared_by_the_command_is_not_cleared_by_the_load_either() {
    let images = vec![Image { layers: 2, ..color_image(1, COLOR) }];
    let clear = ClearAttachment {
        aspects: Aspects::COLOR,
        slot: 0,
        rects: vec![(Rect2D { extent: Extent2D::from(SIZE), ..Rect2D::default() }, 0, 1)],
        after_draw: false,
        conditional: false,
    };
    let s0 = Subpass { view_mask: 1, clears: vec![clear], ..none(subpass(&[0], None, &[])) };
    let s1 = Subpass { view_mask: 3, ..none(subpass(&[0], None, &[])) };
    let p = Pass { labels: vec!["p".into()], ..pass(SIZE, vec![of(&images, 0, Load, Store)], vec![s0, s1]) };
    silent("TL005: view 1 is loaded and not cleared", &present(frame(images, vec![Op::Pass(p)]), 0));
}

#[test]
fn contents_that_only_seem_to_be_free_are_left_alone() {
    // Soft particles sample depth that they test, read only; the next pass writes it.
    let images = vec![color_image(1, COLOR), depth_image(DEPTH | usage::SAMPLED)];
    let with = |s: Subpass, l: i32| {
        let mut s = s;
        for u in [&mut s.depth, &mut s.stencil] {
            u.as_mut().unwrap().layout = Layout(l);
        }
        s
    };
    let depth = ShaderAccess::exactly(vec![acc(1, Aspects::DEPTH, AccessKind::Sampled)]);
    let p = with(Subpass { shader: depth, ..subpass(&[0], Some(1), &[]) }, 4);
    let b = with(none(subpass(&[0], Some(1), &[])), 3);
    let ops = vec![
        whole("z", vec![of(&images, 1, Clear, Store)], none(subpass(&[], Some(0), &[]))),
        whole("particles", vec![of(&images, 0, Clear, Store), of(&images, 1, Load, Store)], p),
        exec(0x400, 0x400),
        whole("hair", vec![of(&images, 0, Load, Store), of(&images, 1, Load, Store)], b),
        out(1, Aspects::DEPTH),
    ];
    silent("TL009: particles sample the depth that hair writes", &present(frame(images, ops), 0));

    // Stencil is dropped, loaded with depth, and nobody tests it.
    let images = vec![
        color_image(1, COLOR),
        Image { usage: DEPTH | usage::SAMPLED, ..image("D32_SFLOAT_S8_UINT", [SIZE[0], SIZE[1], 1]) },
    ];
    let quiet = Subpass {
        draws: known(DrawFacts {
            color_writes: 1,
            depth_tests: true,
            depth_writes: true,
            depth_compares: 2,
            ..DrawFacts::default()
        }),
        ..none(subpass(&[0], Some(1), &[]))
    };
    let first = Attachment { stencil_store: StoreOp::DontCare, ..ds(1, &images, Clear, Store) };
    let second = Attachment { stencil_store: StoreOp::DontCare, ..ds(1, &images, Load, Store) };
    let sampled =
        Op::Dispatch(Dispatch { shader: ShaderAccess::exactly(vec![acc(1, Aspects::DEPTH, AccessKind::Sampled)]) });
    let ops = vec![
        whole("a", vec![of(&images, 0, Clear, Store), first], quiet.clone()),
        sampled.clone(),
        whole("b", vec![of(&images, 0, Load, Store), second], quiet),
        sampled,
    ];
    silent("TL015: stencil loaded and never tested", &present(frame(images, ops), 0));

    // The source may be written by a dispatch that is not followed.
    let images = vec![
        color_image(1, COLOR | usage::STORAGE | usage::SAMPLED | usage::TRANSFER_SRC),
        color_image(1, COLOR | usage::TRANSFER_DST),
    ];
    for peek in [true, false] {
        let mut ops = vec![
            whole("src", vec![of(&images, 0, Clear, Store)], none(subpass(&[0], None, &[]))),
            transfer(TransferKind::CopyImage, Some(side(0, Aspects::COLOR)), Some(side(1, Aspects::COLOR))),
        ];
        if peek {
            ops.push(Op::Dispatch(Dispatch { shader: sampling(&[0]) }));
        }
        ops.push(Op::Dispatch(Dispatch::default()));
        ops.push(whole("b", vec![of(&images, 1, Load, Store)], none(subpass(&[0], None, &[]))));
        silent(
            &format!("TL003: unknown dispatch may write the source, peek {peek}"),
            &present(frame(images.clone(), ops), 1),
        );
    }

    // Input attachment that is cleared, beside a small scissor.
    let images = vec![color_image(1, COLOR), color_image(1, COLOR | usage::INPUT_ATTACHMENT | usage::TRANSFER_SRC)];
    let scissor = Some(Rect2D { x: 64, y: 64, extent: Extent2D::new(64, 64) });
    let small = Subpass {
        draws: known(DrawFacts { color_writes: 1, scissor, ..DrawFacts::default() }),
        ..none(subpass(&[0], None, &[1]))
    };
    let ops = vec![
        whole("p", vec![of(&images, 0, Load, Store), of(&images, 1, Clear, Store)], small),
        out(1, Aspects::COLOR),
    ];
    silent("TL013: input attachment cleared by loadOp and stored", &present(frame(images, ops), 0));

    // Only stencil comes from the pass before.
    let images = vec![
        color_image(1, COLOR),
        Image { usage: DEPTH | usage::INPUT_ATTACHMENT, ..image("D32_SFLOAT_S8_UINT", [SIZE[0], SIZE[1], 1]) },
    ];
    let d = |load, store, sl, ss| Attachment { stencil_load: sl, stencil_store: ss, ..ds(1, &images, load, store) };
    let mut light = none(subpass(&[0], None, &[]));
    light.input = vec![Some(AttachmentUse { attachment: 1, aspects: Aspects::DEPTH, ..AttachmentUse::default() })];
    let ops = vec![
        whole("z", vec![d(Clear, Store, Clear, Store)], none(subpass(&[], Some(0), &[]))),
        Op::Dispatch(Dispatch { shader: ShaderAccess::NOTHING }),
        whole(
            "mark",
            vec![d(Load, StoreOp::None, Clear, Store)],
            Subpass {
                draws: known(DrawFacts { stencil_writes: true, ..DrawFacts::default() }),
                ..none(subpass(&[], Some(0), &[]))
            },
        ),
        whole("light", vec![of(&images, 0, Clear, Store), d(Load, Store, Load, Store)], light),
    ];
    silent("TL206: only stencil was stored by the pass before, depth is read", &present(frame(images.clone(), ops), 0));
}

#[test]
fn what_nobody_looks_at_is_no_hazard_and_order_through_a_pass_is_order() {
    // Stencil is neither loaded nor written, stored, and loaded by a pass that does not test it.
    let images = vec![
        color_image(1, COLOR),
        Image { usage: DEPTH | usage::SAMPLED, ..image("D32_SFLOAT_S8_UINT", [SIZE[0], SIZE[1], 1]) },
    ];
    let quiet = Subpass {
        draws: known(DrawFacts {
            color_writes: 1,
            depth_tests: true,
            depth_writes: true,
            depth_compares: 2,
            ..DrawFacts::default()
        }),
        ..none(subpass(&[0], Some(1), &[]))
    };
    let first = Attachment { stencil_load: DontCare, ..ds(1, &images, Clear, Store) };
    let second = ds(1, &images, Load, Store);
    let sampled =
        Op::Dispatch(Dispatch { shader: ShaderAccess::exactly(vec![acc(1, Aspects::DEPTH, AccessKind::Sampled)]) });
    let ops = vec![
        whole("a", vec![of(&images, 0, Clear, Store), first], quiet.clone()),
        sampled.clone(),
        whole("b", vec![of(&images, 0, Load, Store), second], quiet),
        sampled,
    ];
    silent("TL018: stencil undefined, stored, loaded, never tested", &present(frame(images, ops), 0));
    // A, P with dependencies, an update of what A reads, B.
    let images = vec![color_image(1, COLOR), color_image(1, COLOR | usage::TRANSFER_SRC)];
    let draws = || none(subpass(&[0], None, &[]));
    let dep =
        |src, dst, src_stages, dst_stages| Dependency { src, dst, src_stages, dst_stages, ..Dependency::default() };
    let Op::Pass(mut p) = whole("p", vec![of(&images, 1, Clear, Store)], draws()) else { panic!() };
    p.dependencies = vec![dep(SUBPASS_EXTERNAL, 0, 0x80, 0x80), dep(0, SUBPASS_EXTERNAL, 0x80, 0x1000)];
    let fill = Op::Transfer(Transfer { labels: vec![], kind: TransferKind::FillBuffer, regions: vec![] });
    let ops = vec![
        whole("a", vec![of(&images, 0, Clear, Store)], draws()),
        Op::Pass(p),
        fill.clone(),
        whole("b", vec![of(&images, 0, Load, Store)], draws()),
        out(1, Aspects::COLOR),
    ];
    silent("TL009: transfer ordered behind a through the dependencies of p", &present(frame(images.clone(), ops), 0));
    let ops = vec![
        whole("a", vec![of(&images, 0, Clear, Store)], draws()),
        exec(0x80, 0x1000),
        fill,
        whole("b", vec![of(&images, 0, Load, Store)], draws()),
    ];
    silent("TL009: the same by a barrier", &present(frame(images, ops), 0));
}
