//! What holds for every frame, however absurd: sums are sums of entries, nothing unknown panics, how work is split over
//! submissions does not matter, and the same records give the same report.

mod frames;

use frames::*;
use proptest::prelude::*;
use tbdr_model::frame::*;
use tbdr_model::report::{Basis, Direction, GpuFrame};
use tbdr_model::units::{Bytes, Extent2D, Extent3D, Rect2D};

/// Sizes that tend to go wrong.
fn size() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), Just(1), 2u32..5000, Just(u32::MAX)]
}

fn any_format() -> impl Strategy<Value = Format> {
    let count = tbdr_model::format::all().len();
    prop_oneof![
        8 => proptest::sample::select(vec![37, 44, 64, 97, 109, 124, 126, 127, 129, 130, 13]).prop_map(Format),
        2 => (0..count).prop_map(|at| tbdr_model::format::all()[at].format),
        1 => any::<i32>().prop_map(Format),
    ]
}

fn image_strategy() -> impl Strategy<Value = Image> {
    (
        any_format(),
        (size(), size(), size()),
        size(),
        size(),
        proptest::sample::select(vec![0u32, 1, 4, u32::MAX]),
        // As created, or as nobody would create it.
        (prop_oneof![Just(0u32), any::<u32>()], proptest::sample::select(vec![0u32, 0x10, 0x20, 0x60, 0x50])),
    )
        .prop_map(|(format, (width, height, depth), layers, mips, samples, (flags, usage))| Image {
            format,
            extent: Extent3D { width, height, depth },
            layers,
            mips,
            samples,
            flags,
            usage,
            ..Image::default()
        })
}

fn attachment_strategy() -> impl Strategy<Value = Attachment> {
    let load = || proptest::sample::select(vec![LoadOp::Load, LoadOp::Clear, LoadOp::DontCare, LoadOp::None]);
    let store = || proptest::sample::select(vec![StoreOp::Store, StoreOp::DontCare, StoreOp::None]);
    let samples = proptest::sample::select(vec![0u32, 1, 1, 4, 8, u32::MAX]);
    (any_format(), proptest::option::of(0u32..5), 0u32..40, samples, (load(), load()), (store(), store())).prop_map(
        |(format, image, base_mip, samples, (load, stencil_load), (store, stencil_store))| Attachment {
            image: image.map(ImageRef),
            format,
            range: SubresourceRange { base_mip, ..SubresourceRange::default() },
            samples,
            load,
            store,
            stencil_load,
            stencil_store,
            ..Attachment::default()
        },
    )
}

fn facts_strategy() -> impl Strategy<Value = DrawFacts> {
    (any::<[bool; 5]>(), any::<u8>(), any::<u8>()).prop_map(
        |([known, tests, writes, stencil, pixels], colors, reads)| DrawFacts {
            known,
            color_writes: colors.into(),
            color_reads: (colors & reads).into(),
            depth_tests: tests,
            depth_writes: writes,
            stencil_tests: stencil && tests,
            stencil_writes: stencil && writes,
            pixel_shading: pixels,
            samples: 4,
            ..DrawFacts::default()
        },
    )
}

fn subpass_strategy() -> impl Strategy<Value = Subpass> {
    let reference = || {
        proptest::option::of((0u32..6, any::<bool>()).prop_map(|(attachment, read_only)| AttachmentUse {
            attachment,
            layout: Layout(if read_only { 4 } else { 3 }),
            ..AttachmentUse::default()
        }))
    };
    let resolve = || {
        proptest::option::of((0u32..6, 0u32..3).prop_map(|(attachment, mode)| ResolveUse {
            attachment,
            mode,
            ..ResolveUse::default()
        }))
    };
    let list = proptest::collection::vec(reference(), 0..4);
    let masks = proptest::sample::select(vec![0u32, 0, 1, 3, 6, u32::MAX]);
    (
        list,
        proptest::collection::vec(resolve(), 0..3),
        (reference(), reference(), resolve()),
        proptest::collection::vec(reference(), 0..3),
        masks,
        (any::<bool>(), facts_strategy(), any::<bool>()),
    )
        .prop_map(|(color, resolve, (depth, stencil, depth_resolve), input, view_mask, (drawn, draws, known))| {
            Subpass {
                color,
                resolve,
                depth,
                stencil,
                depth_resolve,
                input,
                view_mask,
                drawn,
                draws,
                shader: ShaderAccess { known, ..ShaderAccess::NOTHING },
                ..Subpass::default()
            }
        })
}

fn pass_strategy() -> impl Strategy<Value = Op> {
    let attachments = proptest::collection::vec(attachment_strategy(), 0..6);
    let subpasses = proptest::collection::vec(subpass_strategy(), 0..4);
    let area = (any::<i16>(), any::<i16>(), size(), size());
    (attachments, subpasses, area, (size(), size()), prop_oneof![Just(1u32), size()], any::<bool>()).prop_map(
        |(attachments, subpasses, (x, y, w, h), (width, height), layers, local)| {
            let dependencies = vec![Dependency { src: 0, dst: 1, flags: u32::from(local), ..Dependency::default() }];
            let render_area = Rect2D { x: x.into(), y: y.into(), extent: Extent2D::new(w, h) };
            let extent = Extent2D::new(width, height);
            Op::Pass(Pass { attachments, subpasses, render_area, extent, layers, dependencies, ..Pass::default() })
        },
    )
}

fn side_strategy() -> impl Strategy<Value = Side> {
    let image = (proptest::option::of(0u32..5), 0u32..0x80, size(), (size(), size(), size())).prop_map(
        |(image, aspects, layers, (width, height, depth))| {
            Side::Image(ImageRegion {
                image: image.map(ImageRef),
                aspects: Aspects(aspects),
                layers,
                extent: Extent3D { width, height, depth },
                ..ImageRegion::default()
            })
        },
    );
    let buffer = (proptest::option::of(0u32..3), any::<u64>(), proptest::option::of(any::<u64>())).prop_map(
        |(buffer, offset, bytes)| Side::Buffer(BufferRegion { buffer: buffer.map(BufferRef), offset, bytes }),
    );
    prop_oneof![image, buffer]
}

fn transfer_strategy() -> impl Strategy<Value = Op> {
    use TransferKind::*;
    let kinds = vec![
        CopyImage,
        CopyBufferToImage,
        CopyImageToBuffer,
        CopyBuffer,
        Blit,
        Resolve,
        ClearColor,
        ClearDepthStencil,
        FillBuffer,
        UpdateBuffer,
    ];
    let side = || proptest::option::of(side_strategy());
    let regions = proptest::collection::vec((side(), side()).prop_map(|(src, dst)| Region { src, dst }), 0..3);
    (proptest::sample::select(kinds), regions)
        .prop_map(|(kind, regions)| Op::Transfer(Transfer { labels: Vec::new(), kind, regions }))
}

fn frame_strategy() -> impl Strategy<Value = FrameStructure> {
    let op = prop_oneof![3 => pass_strategy(), 2 => transfer_strategy(), 1 => Just(Op::Dispatch(Dispatch::default()))];
    (proptest::collection::vec(image_strategy(), 0..4), proptest::collection::vec(op, 0..5)).prop_map(
        |(images, ops)| {
            let mut frame = frame(images, ops);
            frame.buffers = vec![Buffer { size: u64::MAX, ..Buffer::default() }];
            frame
        },
    )
}

/// Read and write sums recomputed from the entries alone.
fn resum(gpu: &GpuFrame) -> (Bytes, Bytes) {
    let passes = gpu.passes.iter().flat_map(|p| &p.entries).map(|e| (e.direction, e.basis, e.bytes));
    let all = passes.chain(gpu.transfers.iter().map(|e| (e.direction, e.basis, e.bytes)));
    let (mut read, mut write) = (0u64, 0u64);
    for (direction, basis, bytes) in all.filter(|(_, basis, _)| *basis != Basis::Undecided) {
        assert!(bytes.0 > 0, "{basis:?}: entries without bytes are left out");
        let sum = if direction == Direction::Read { &mut read } else { &mut write };
        *sum = sum.saturating_add(bytes.0);
    }
    (Bytes(read), Bytes(write))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_are_sums_of_entries_and_undecided_entries_have_no_bytes(frame in frame_strategy()) {
        let report = report(&frame, &["all"]);
        for (id, gpu) in &report.frames[0].gpus {
            prop_assert_eq!(resum(gpu), (gpu.read_bytes, gpu.write_bytes), "{}", id);
            for pass in &gpu.passes {
                let one = GpuFrame { passes: vec![pass.clone()], ..GpuFrame::default() };
                prop_assert_eq!(resum(&one), (pass.read_bytes, pass.write_bytes), "{}", id);
                prop_assert!(pass.entries.iter().all(|e| e.basis != Basis::Undecided || e.bytes.0 == 0));
                prop_assert_eq!(pass.tile.is_some(), pass.tiles.is_some());
            }
        }
    }

    #[test]
    fn how_work_is_split_over_submissions_does_not_change_the_report(frame in frame_strategy(), at in 0usize..5) {
        let whole = report(&frame, &["all"]);
        let mut split = frame.clone();
        let ops = &mut split.submissions[0].ops;
        let rest = ops.split_off(at.min(ops.len()));
        split.submissions.push(Submission { ops: rest, ..Submission::default() });
        prop_assert_eq!(report(&split, &["all"]).to_json(), whole.to_json());
    }

    #[test]
    fn the_same_records_give_the_same_bytes_of_json(frame in prop_oneof![frame_strategy(), regular_strategy()]) {
        prop_assert_eq!(report(&frame, &["all"]).to_json(), report(&frame, &["all"]).to_json());
        prop_assert_eq!(run_of_three(&frame).to_json(), run_of_three(&frame).to_json());
    }
}

/// Frames that programs could make: whole images that are cleared, copied, rendered and loaded in any order.
fn regular_strategy() -> impl Strategy<Value = FrameStructure> {
    let load = || proptest::sample::select(vec![LoadOp::Load, LoadOp::Load, LoadOp::Clear, LoadOp::DontCare]);
    let store = proptest::sample::select(vec![StoreOp::Store, StoreOp::Store, StoreOp::DontCare, StoreOp::None]);
    let side = |image: u32| {
        let aspects = if image == 2 { Aspects::DEPTH } else { Aspects::COLOR };
        let extent = Extent3D { width: 256, height: 128, depth: 1 };
        Side::Image(ImageRegion { image: Some(ImageRef(image)), aspects, layers: 1, extent, ..ImageRegion::default() })
    };
    let pass = (0u32..3, load(), store, any::<bool>()).prop_map(|(image, load, store, writes)| {
        let name = if image == 2 { "D32_SFLOAT" } else { "R8G8B8A8_UNORM" };
        let aspects = if image == 2 { Aspects::DEPTH } else { Aspects::COLOR };
        let range = SubresourceRange { aspects, mips: 1, layers: 1, ..SubresourceRange::default() };
        let (image_ref, initial_layout) = (Some(ImageRef(image)), Layout(1));
        let target = Attachment { image: image_ref, range, initial_layout, ..attachment(name, load, store) };
        let (tests, compares) = (image == 2, 1 << 1);
        let draws = DrawFacts {
            known: true,
            color_writes: u32::from(writes),
            depth_writes: writes,
            depth_tests: tests,
            depth_compares: compares,
            ..DrawFacts::default()
        };
        let inside = if image == 2 { subpass(&[], Some(0), &[]) } else { subpass(&[0], None, &[]) };
        let inside = Subpass { draws, shader: ShaderAccess::NOTHING, ..inside };
        Op::Pass(pass([256, 128], vec![target], vec![inside]))
    });
    let transfer = move |kind, src: Option<u32>, dst: u32| {
        let regions = vec![Region { src: src.map(side), dst: Some(side(dst)) }];
        Op::Transfer(Transfer { labels: Vec::new(), kind, regions })
    };
    let clear = (0u32..3).prop_map(move |image| {
        transfer(if image == 2 { TransferKind::ClearDepthStencil } else { TransferKind::ClearColor }, None, image)
    });
    let kinds = proptest::sample::select(vec![TransferKind::CopyImage, TransferKind::Blit]);
    let copy = (kinds, 0u32..2).prop_map(move |(kind, image)| transfer(kind, Some(image), 1 - image));
    let ops = proptest::collection::vec(prop_oneof![4 => pass, 2 => clear, 2 => copy], 1..7);
    (ops, proptest::option::of(0u32..2)).prop_map(|(ops, shown)| {
        let usage = usage::TRANSFER_SRC | usage::TRANSFER_DST | usage::SAMPLED;
        let with = |name, own| Image { usage: usage | own, ..image(name, [256, 128, 1]) };
        let color = || with("R8G8B8A8_UNORM", usage::COLOR_ATTACHMENT);
        let images = vec![color(), color(), with("D32_SFLOAT", usage::DEPTH_STENCIL_ATTACHMENT)];
        let output = |image| Output { image: ImageRef(image), reason: OutputReason::Present };
        FrameStructure { outputs: shown.map(output).into_iter().collect(), ..frame(images, ops) }
    })
}

/// Bytes of a run of three equal frames, and its findings.
fn run_of_three(frame: &FrameStructure) -> tbdr_model::report::Report {
    use tbdr_model::record::{FrameRecord, Record};
    let mut session = tbdr_model::session::Session::new(gpus(&["all"]));
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    let images: Vec<u64> = (0..frame.images.len() as u64).collect();
    for index in 0..3 {
        session.record(&Record::Frame(FrameRecord { index, images: images.clone(), ..FrameRecord::default() }));
    }
    session.report()
}

/// Passes that load what others stored, with all that the rules about passes look at: facts of draws, clears, scissors, areas.
fn rows_strategy() -> impl Strategy<Value = FrameStructure> {
    let load = || proptest::sample::select(vec![LoadOp::Load, LoadOp::Load, LoadOp::Clear, LoadOp::DontCare]);
    let store = || proptest::sample::select(vec![StoreOp::Store, StoreOp::Store, StoreOp::DontCare, StoreOp::None]);
    let area = proptest::sample::select(vec![[0i64, 0, 256, 256], [0, 0, 256, 256], [5, 5, 100, 90], [32, 0, 96, 64]]);
    let facts = (any::<bool>(), 0u32..4, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(known, color_writes, depth_tests, depth_writes, small)| DrawFacts {
            known,
            color_writes,
            depth_tests,
            depth_writes,
            scissor: Some(Rect2D::from([0, 0, if small { 64 } else { 256 }, 64])),
            samples: 1,
            ..DrawFacts::default()
        },
    );
    let clear = proptest::option::of((any::<bool>(), any::<bool>()));
    let op = ((0u32..2, load(), store()), (load(), store()), area, facts, clear).prop_map(
        |((image, load, store), (depth_load, depth_store), area, draws, clear)| {
            let view = |image, aspects, attachment: Attachment| Attachment {
                image: Some(ImageRef(image)),
                range: SubresourceRange { aspects, mips: 1, layers: 1, ..SubresourceRange::default() },
                stencil_load: attachment.load,
                stencil_store: attachment.store,
                ..attachment
            };
            let attachments = vec![
                view(image, Aspects::COLOR, attachment("R8G8B8A8_UNORM", load, store)),
                view(2, Aspects(6), attachment("D24_UNORM_S8_UINT", depth_load, depth_store)),
            ];
            let clears = clear.map(|(color, after_draw)| ClearAttachment {
                aspects: if color { Aspects::COLOR } else { Aspects::DEPTH },
                slot: 0,
                rects: vec![(Rect2D::from([0, 0, 256, 256]), 0, 1)],
                after_draw,
                conditional: false,
            });
            let shader = ShaderAccess::NOTHING;
            let subpass =
                Subpass { draws, shader, clears: clears.into_iter().collect(), ..subpass(&[0], Some(1), &[]) };
            Op::Pass(Pass { render_area: Rect2D::from(area), ..pass([256, 256], attachments, vec![subpass]) })
        },
    );
    proptest::collection::vec(op, 1..5).prop_map(|ops| {
        let color = || image("R8G8B8A8_UNORM", [256, 256, 1]);
        frame(vec![color(), color(), image("D24_UNORM_S8_UINT", [256, 256, 1])], ops)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_fix_raises_the_bytes_of_a_gpu_it_is_offered_for(
        frame in prop_oneof![3 => frame_strategy(), 1 => rows_strategy(), 2 => regular_strategy()]
    ) {
        let report = run_of_three(&frame);
        let shown = &report.frames[0];
        for finding in &report.findings {
            prop_assert!(finding.saving.values().all(|s| s.value > 0), "{:?}", finding);
            prop_assert!(finding.level != "warn" || finding.saving.len() <= shown.gpus.len());
        }
        for (id, gpu) in &shown.gpus {
            let avoidable = gpu.avoidable_bytes.map_or(0, |b| b.0);
            prop_assert!(avoidable <= gpu.read_bytes.0.saturating_add(gpu.write_bytes.0), "{}", id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn findings_of_equal_runs_are_equal(frame in rows_strategy()) {
        prop_assert_eq!(run_of_three(&frame).findings, run_of_three(&frame).findings);
    }
}

fn shader_strategy() -> impl Strategy<Value = ShaderAccess> {
    use AccessKind::*;
    let kinds = proptest::sample::select(vec![Sampled, Sampled, StorageRead, StorageWrite, StorageReadWrite, Read]);
    let access = (proptest::option::of(0u32..5), size(), size(), 1u32..8, kinds).prop_map(
        |(image, mips, layers, aspects, kind)| ImageAccess {
            image: image.map(ImageRef),
            range: SubresourceRange { aspects: Aspects(aspects), mips, layers, ..SubresourceRange::default() },
            kind,
            ..ImageAccess::default()
        },
    );
    (any::<bool>(), proptest::collection::vec(access, 0..3)).prop_map(|(known, images)| ShaderAccess {
        known,
        images,
        ..ShaderAccess::default()
    })
}

/// Frames whose shaders read and that present something.
fn observed_frame_strategy() -> impl Strategy<Value = FrameStructure> {
    let shaders = proptest::collection::vec(shader_strategy(), 8);
    let outputs = proptest::collection::vec(0u32..5, 0..3);
    (frame_strategy(), shaders, outputs).prop_map(|(mut frame, shaders, outputs)| {
        let mut shaders = shaders.into_iter().cycle();
        for op in frame.submissions.iter_mut().flat_map(|s| &mut s.ops) {
            match op {
                Op::Pass(pass) => pass.subpasses.iter_mut().zip(&mut shaders).for_each(|(s, shader)| s.shader = shader),
                Op::Dispatch(dispatch) => dispatch.shader = shaders.next().expect("a circle"),
                _ => {}
            }
        }
        let present = |image| Output { image: ImageRef(image), reason: OutputReason::Present };
        frame.outputs = outputs.into_iter().map(present).collect();
        frame
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_floor_is_above_neither_what_moves_nor_what_the_findings_leave(
        frame in prop_oneof![observed_frame_strategy(), regular_strategy()]
    ) {
        let report = run_of_three(&frame);
        for (id, gpu) in &report.frames[0].gpus {
            let floor = gpu.floor.expect("nothing is unmodelled");
            let now = gpu.read_bytes.0.saturating_add(gpu.write_bytes.0);
            let left = now - gpu.avoidable_bytes.map_or(0, |b| b.0).min(now);
            prop_assert!(floor.read_bytes <= gpu.read_bytes && floor.write_bytes <= gpu.write_bytes, "{} {:?}", id, floor);
            prop_assert!(floor.total().0.saturating_add(floor.undecided_bytes.0) <= left, "{} {:?} of {}", id, floor, left);
            prop_assert!(floor.efficiency.is_none_or(|part| (0.0..=1.0).contains(&part)));
        }
    }

    #[test]
    fn what_stands_beside_the_totals_is_summed_apart_and_compression_leaves_no_more_than_there_is(
        frame in observed_frame_strategy(),
    ) {
        let report = report(&frame, &["all"]);
        for (id, gpu) in &report.frames[0].gpus {
            prop_assert_eq!(resum(gpu), (gpu.read_bytes, gpu.write_bytes), "{}", id);
            let sum = |present: bool, direction| {
                let entries = gpu.beside.iter().filter(|e| (e.cause == "present") == present && e.direction == direction);
                entries.map(|e| e.bytes).sum::<Bytes>()
            };
            prop_assert_eq!(gpu.sampled_read_bytes, sum(false, Direction::Read));
            prop_assert_eq!(gpu.storage_write_bytes, sum(false, Direction::Write));
            prop_assert_eq!(gpu.display_read_bytes, sum(true, Direction::Read));
            prop_assert!(gpu.beside.iter().all(|e| e.basis != Basis::Undecided || e.bytes.0 == 0));
            prop_assert!(gpu.beside.iter().all(|e| e.one_sample_bytes.is_none_or(|one| one <= e.bytes)));
            for entry in gpu.passes.iter().flat_map(|p| &p.entries) {
                prop_assert!(entry.compressed.is_none_or(|[low, high]| low <= high && high <= entry.bytes));
            }
            if let Some(left) = gpu.compressed {
                prop_assert!(left.read[0] <= left.read[1] && left.read[1] <= gpu.read_bytes, "{}", id);
                prop_assert!(left.write[0] <= left.write[1] && left.write[1] <= gpu.write_bytes, "{}", id);
            }
        }
    }
}

#[test]
fn regular_frames_make_the_rules_about_contents_speak() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut spoken = std::collections::BTreeSet::new();
    for _ in 0..150 {
        let frame = regular_strategy().new_tree(&mut runner).expect("a frame").current();
        spoken.extend(frames::scenes::run(&[frame], &[0; 3]).findings.into_iter().map(|f| f.code));
    }
    for code in ["TL002", "TL003", "TL004", "TL006", "TL014", "TL015", "TL017", "TL018"] {
        assert!(spoken.contains(code), "{code} is silent: {spoken:?}");
    }
}
