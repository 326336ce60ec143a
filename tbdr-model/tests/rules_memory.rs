//! What rules say of memory and of samples: images that never need memory, stencil that nobody uses, samples that cost more than they
//! have to.

mod frames;

use frames::scenes::*;
use frames::*;
use std::collections::BTreeMap;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::record::{Commitment, FrameRecord, Gap, GapReason, Record, Run};
use tbdr_model::report::{Basis, Finding, Quantity, Report};
use tbdr_model::session::Session;
use tbdr_model::units::Extent3D;

const DEPTH_STENCIL: Aspects = Aspects(Aspects::DEPTH.0 | Aspects::STENCIL.0);

/// Draws whose state is known, and which touch nothing but the first colour.
const FACTS: DrawFacts = DrawFacts {
    known: true,
    conditional: false,
    color_writes: 1,
    color_reads: 0,
    color_masks: [0xf, 0, 0, 0, 0, 0, 0, 0],
    logic_ops: 0,
    depth_tests: true,
    depth_writes: true,
    depth_compares: 1 << 1,
    depth_bounds: false,
    depth_clamp: false,
    stencil_tests: false,
    stencil_writes: false,
    feedback: 0,
    alpha_to_coverage: false,
    pixel_shading: false,
    scissor: None,
    viewport: None,
    samples: 1,
    topologies: 1 << 3,
    vertex_bindings: 0,
    vertex_stride: 0,
    instance_stride: 0,
};

/// The first finding of this rule.
fn the<'a>(code: &str, findings: &'a [Finding]) -> &'a Finding {
    let found = findings.iter().find(|f| f.code == code);
    found.unwrap_or_else(|| panic!("no {code} in {findings:?}"))
}

fn silent(code: &str, findings: &[Finding], why: &str) {
    assert!(findings.iter().all(|f| f.code != code), "{why}: {findings:?}");
}

/// Bytes of memory by GPU.
fn memory(finding: &Finding) -> BTreeMap<&str, u64> {
    assert!(finding.saving.values().all(|s| (s.quantity, s.basis) == (Quantity::Footprint, Basis::Bound)));
    finding.saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect()
}

/// Four frames of one structure on these GPUs, with these device extensions enabled.
fn on(frame: &FrameStructure, ids: &[&str], extensions: &[&str]) -> Report {
    let mut session = Session::new(gpus(ids));
    let mut run = Run::default();
    run.device.extensions = extensions.iter().map(ToString::to_string).collect();
    session.record(&Record::Run(run));
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    for index in 0..4 {
        let images = (0..frame.images.len() as u64).collect();
        session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    session.report()
}

fn first_pass(frame: &mut FrameStructure) -> &mut Pass {
    let passes = frame.submissions[0].ops.iter_mut().find_map(|op| match op {
        Op::Pass(pass) => Some(pass),
        _ => None,
    });
    passes.expect("a pass")
}

/// Depth that is cleared, tested and dropped, beside colour that is presented.
fn on_chip(declared: u32) -> FrameStructure {
    forward(declared, Clear, StoreOp::DontCare)
}

/// A copy of the whole of an aspect of an image into a buffer.
fn copied(image: u32, aspects: Aspects) -> Op {
    let extent = Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 };
    let side = ImageRegion { image: Some(ImageRef(image)), aspects, layers: 1, extent, ..ImageRegion::default() };
    let regions = vec![Region { src: Some(Side::Image(side)), dst: None }];
    Op::Transfer(Transfer { labels: vec![], kind: TransferKind::CopyImageToBuffer, regions })
}

fn access(image: u32, aspects: Aspects) -> ImageAccess {
    let range = SubresourceRange { aspects, mips: 1, layers: 1, ..SubresourceRange::default() };
    ImageAccess { image: Some(ImageRef(image)), range, ..ImageAccess::default() }
}

#[test]
fn depth_that_never_leaves_the_chip_needs_no_memory() {
    let findings = repeated(&on_chip(0));
    assert_eq!(codes(&findings), ["TL101"]);
    assert_eq!(memory(&findings[0]), everywhere(A));
    assert_eq!((findings[0].level.as_str(), &findings[0].frames), ("info", &vec![[0, 3, 1]]));
    assert!(findings[0].fix.contains("TRANSIENT_ATTACHMENT") && findings[0].fix.contains("scene"));
    assert!(!findings[0].fix.contains("without"), "{}", findings[0].fix);
    // Two levels and three layers of it, of which the pass renders one.
    let mut larger = on_chip(0);
    (larger.images[1].mips, larger.images[1].layers) = (2, 3);
    assert_eq!(memory(the("TL101", &repeated(&larger))), everywhere(3 * (A + A / 4)));
}

#[test]
fn usages_that_are_declared_and_never_exercised_have_to_go() {
    let mut declared = on_chip(usage::SAMPLED | usage::TRANSFER_SRC);
    reach(&mut declared, ShaderAccess::NOTHING);
    let findings = repeated(&declared);
    assert_eq!(codes(&findings), ["TL101"]);
    assert!(findings[0].fix.contains("without TRANSFER_SRC and SAMPLED"), "{}", findings[0].fix);
}

#[test]
fn an_image_that_something_uses_outside_the_tile_stays_in_memory() {
    let sampled = |f: &mut FrameStructure| {
        f.images[1].usage |= usage::SAMPLED;
        reach(f, ShaderAccess::exactly(vec![access(1, Aspects::DEPTH)]));
    };
    let perhaps = |f: &mut FrameStructure| {
        f.images[1].usage |= usage::SAMPLED;
        reach(f, ShaderAccess::default());
    };
    let sampled_in_the_pass = |f: &mut FrameStructure| {
        f.images[1].usage |= usage::SAMPLED;
        first_pass(f).subpasses[0].shader = ShaderAccess::exactly(vec![access(1, Aspects::DEPTH)]);
    };
    let cleared = |f: &mut FrameStructure| {
        let copy = copied(1, Aspects::DEPTH);
        let Op::Transfer(mut clear) = copy else { return };
        clear.kind = TransferKind::ClearDepthStencil;
        clear.regions[0] = Region { src: None, dst: clear.regions[0].src.take() };
        f.submissions[0].ops.insert(0, Op::Transfer(clear));
    };
    let moved = |f: &mut FrameStructure| {
        let given = ImageBarrier { image: Some(ImageRef(1)), families: Some((0, 1)), ..ImageBarrier::default() };
        f.submissions[0].ops.insert(0, Op::Barrier(Barrier { images: vec![given], ..Barrier::default() }));
    };
    let changes: [(&str, Change<'_>); 17] = [
        ("it is transient already", &|f| f.images[1].usage |= usage::TRANSIENT_ATTACHMENT),
        ("stored", &|f| first_pass(f).attachments[1].store = StoreOp::Store),
        ("loaded", &|f| first_pass(f).attachments[1].load = Load),
        ("what was there may be tested", &|f| first_pass(f).attachments[1].load = LoadOp::None),
        ("sampled", &sampled),
        ("perhaps sampled", &perhaps),
        ("sampled by its own pass", &sampled_in_the_pass),
        ("copied", &|f| f.submissions[0].ops.push(copied(1, Aspects::DEPTH))),
        ("cleared by a command", &cleared),
        ("another queue family gets it", &moved),
        ("shown", &|f| f.outputs.push(Output { image: ImageRef(1), reason: OutputReason::Setting })),
        ("a swapchain's", &|f| f.images[1].swapchain = Some(0)),
        ("external memory", &|f| f.images[1].memory.external = true),
        ("aliased memory", &|f| f.images[1].memory.aliased = true),
        ("sparse memory", &|f| f.images[1].flags = 0x1),
        ("tile memory", &|f| f.images[1].memory.on_chip = true),
        ("a struct that is not modelled", &|f| f.unmodelled.push("struct of tomorrow".into())),
    ];
    for (why, change) in changes {
        let mut frame = on_chip(0);
        change(&mut frame);
        silent("TL101", &repeated(&frame), why);
    }
    let mut reachable = on_chip(usage::SAMPLED);
    reach(&mut reachable, ShaderAccess::NOTHING);
    the("TL101", &on(&reachable, &GPUS, &[]).findings);
    silent("TL101", &on(&reachable, &GPUS, &["VK_NV_cuda_kernel_launch"]).findings, "kernels reach it unseen");
}

#[test]
fn stencil_that_is_stored_keeps_its_image_in_memory() {
    let mut frame = on_chip(0);
    frame.images[1].format = image("D32_SFLOAT_S8_UINT", [1, 1, 1]).format;
    let pass = first_pass(&mut frame);
    let attachment = &mut pass.attachments[1];
    (attachment.format, attachment.range.aspects) = (image("D32_SFLOAT_S8_UINT", [1, 1, 1]).format, DEPTH_STENCIL);
    (attachment.stencil_load, attachment.stencil_store) = (Clear, StoreOp::DontCare);
    assert_eq!(memory(the("TL101", &repeated(&frame))), everywhere(A / 4 * 5));
    first_pass(&mut frame).attachments[1].stencil_store = StoreOp::Store;
    silent("TL101", &repeated(&frame), "stencil is stored");
}

#[test]
fn an_image_that_every_tenth_frame_needs_in_memory_has_memory() {
    let plain = on_chip(usage::TRANSFER_SRC);
    let mut copies = plain.clone();
    first_pass(&mut copies).attachments[1].store = StoreOp::Store;
    copies.submissions[0].ops.push(copied(1, Aspects::DEPTH));
    let order: Vec<u32> = (0..30).map(|n| u32::from(n % 10 == 9)).collect();
    the("TL101", &run(std::slice::from_ref(&plain), &[0; 30]).findings);
    silent("TL101", &run(&[plain, copies], &order).findings, "some frames copy it");
}

#[test]
fn an_image_that_takes_turns_with_one_that_is_sampled_has_memory() {
    let images = vec![depth_image(usage::DEPTH_STENCIL_ATTACHMENT | usage::SAMPLED); 2];
    let both = || {
        let attachments = vec![of(&images, 0, Clear, StoreOp::DontCare)];
        let other = vec![of(&images, 1, Clear, StoreOp::Store)];
        let quiet = |shader| Subpass { shader, ..subpass(&[], Some(0), &[]) };
        let reads = ShaderAccess::exactly(vec![access(1, Aspects::DEPTH)]);
        vec![whole("shadow", other, quiet(ShaderAccess::NOTHING)), whole("scene", attachments, quiet(reads))]
    };
    let play = |swap: bool| {
        let mut session = Session::new(gpus(&GPUS));
        session.record(&Record::Run(Run::default()));
        session.record(&Record::Structure { id: 0, frame: frame(images.clone(), both()) });
        for index in 0..6 {
            let images = if swap && index % 2 == 1 { vec![1, 0] } else { vec![0, 1] };
            session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
        }
        session.report().findings
    };
    assert_eq!(the("TL101", &play(false)).pass.as_deref(), Some("scene"));
    silent("TL101", &play(true), "both images are sampled in their turn");
}

#[test]
fn what_a_gap_may_hide_is_not_called_transient() {
    let play = |gap: Option<u64>| {
        let mut session = Session::new(gpus(&GPUS));
        session.record(&Record::Structure { id: 0, frame: on_chip(0) });
        for index in 0..6 {
            if gap == Some(index) {
                session.record(&Record::Gap(Gap { first: index, count: 1, reason: GapReason::Overload }));
                continue;
            }
            let images = vec![0, 1];
            session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
        }
        session.report().findings
    };
    the("TL101", &play(None));
    for at in [0, 3, 5] {
        silent("TL101", &play(Some(at)), "frames are missing");
    }
}

#[test]
fn a_driver_that_stores_whatever_it_is_told_needs_the_memory() {
    let ids = ["mali-g76", "mali-g610-panvk-25.0"];
    let findings = on(&on_chip(0), &ids, &[]).findings;
    assert_eq!(memory(the("TL101", &findings)), BTreeMap::from([("mali-g76", A)]));
}

/// Colour with four samples, resolved on chip into what is presented.
fn antialiased(declared: u32, store: StoreOp) -> FrameStructure {
    let images = vec![color_image(4, ATTACHMENT_ONLY | declared), color_image(1, ATTACHMENT_ONLY)];
    let attachments = vec![of(&images, 0, Clear, store), of(&images, 1, DontCare, StoreOp::Store)];
    let mut draw = subpass(&[0], None, &[]);
    draw.resolve = vec![Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() })];
    present(frame(images, vec![whole("scene", attachments, draw)]), 1)
}

#[test]
fn samples_that_are_resolved_on_chip_need_no_memory() {
    let findings = repeated(&antialiased(0, StoreOp::DontCare));
    assert_eq!(codes(&findings), ["TL305"], "not TL101 beside it, and nothing of what is resolved into");
    assert_eq!(memory(&findings[0]), everywhere(4 * A));
    assert!(repeated(&antialiased(usage::TRANSIENT_ATTACHMENT, StoreOp::DontCare)).is_empty());
    assert_eq!(codes(&repeated(&antialiased(0, StoreOp::Store))), ["TL302"], "first they need not be stored");
    let mut read = antialiased(usage::TRANSFER_SRC, StoreOp::Store);
    read.submissions[0].ops.push(copied(0, Aspects::COLOR));
    assert!(repeated(&read).is_empty(), "stored by need");
    let from_memory = on(&antialiased(0, StoreOp::DontCare), &["adreno-650", "mali-g610-panvk-25.0"], &[]).findings;
    assert_eq!(memory(the("TL305", &from_memory)), BTreeMap::from([("adreno-650", 4 * A)]), "one resolves in memory");
}

#[test]
fn loading_samples_that_a_transition_has_thrown_away_reads_all_of_them_for_nothing() {
    let load = |samples, declared, initial_layout| {
        let images = vec![color_image(samples, ATTACHMENT_ONLY | declared)];
        let attachment = Attachment { initial_layout, ..of(&images, 0, Load, StoreOp::DontCare) };
        let next = vec![of(&images, 0, Clear, StoreOp::Store)];
        let ops = vec![
            whole("scene", vec![attachment], subpass(&[0], None, &[])),
            whole("next", next, subpass(&[0], None, &[])),
        ];
        run(&[present(frame(images, ops), 0)], &[0; 4]).findings
    };
    for declared in [0, usage::TRANSIENT_ATTACHMENT] {
        let findings = load(4, declared, Layout::UNDEFINED);
        let loads: Vec<&Finding> = findings.iter().filter(|f| f.fix.contains("loadOp")).collect();
        let [finding] = loads[..] else { panic!("one finding for one waste: {findings:?}") };
        assert_eq!((finding.code.as_str(), saved(finding)), ("TL303", everywhere(4 * A)));
        assert_eq!(finding.level, "warn");
    }
    let single = load(1, 0, Layout::UNDEFINED);
    silent("TL303", &single, "one sample");
    the("TL001", &single);
    silent("TL303", &load(4, 0, GENERAL), "contents of the frame before");
}

/// A depth-stencil image that draws of these facts use.
fn depth_stencil(format: &str, facts: DrawFacts) -> FrameStructure {
    let both = image(format, [SIZE[0], SIZE[1], 1]);
    let usage = usage::DEPTH_STENCIL_ATTACHMENT;
    let images = vec![color_image(1, ATTACHMENT_ONLY), Image { usage, ..both }];
    let mut depth = of(&images, 1, Clear, StoreOp::DontCare);
    depth.range.aspects = DEPTH_STENCIL;
    (depth.stencil_load, depth.stencil_store) = (DontCare, StoreOp::DontCare);
    let draws = Subpass { draws: facts, shader: ShaderAccess::NOTHING, ..subpass(&[0], Some(1), &[]) };
    let attachments = vec![of(&images, 0, Clear, StoreOp::Store), depth];
    present(frame(images, vec![whole("scene", attachments, draws)]), 0)
}

#[test]
fn stencil_that_nothing_uses_takes_a_byte_of_each_sample() {
    let findings = repeated(&depth_stencil("D32_SFLOAT_S8_UINT", FACTS));
    let finding = the("TL106", &findings);
    assert_eq!(memory(finding), everywhere(A / 4), "one byte of five");
    assert_eq!(finding.level, "info");
    assert!(finding.fix.ends_with("as D32_SFLOAT"), "{}", finding.fix);
    let short = repeated(&depth_stencil("D16_UNORM_S8_UINT", FACTS));
    assert_eq!(memory(the("TL106", &short)), everywhere(A / 4));
    silent("TL106", &repeated(&depth_stencil("D24_UNORM_S8_UINT", FACTS)), "it shares a word with depth");
    silent("TL106", &repeated(&depth_stencil("D32_SFLOAT", FACTS)), "no stencil");
}

#[test]
fn stencil_that_anything_may_use_is_left_alone() {
    let with = |facts: DrawFacts| depth_stencil("D32_SFLOAT_S8_UINT", facts);
    let clears = |f: &mut FrameStructure| {
        let clear = ClearAttachment { aspects: Aspects::STENCIL, ..ClearAttachment::default() };
        first_pass(f).subpasses[0].clears.push(clear);
    };
    let sampled = |f: &mut FrameStructure| {
        f.images[1].usage |= usage::SAMPLED;
        reach(f, ShaderAccess::exactly(vec![access(1, Aspects::STENCIL)]));
    };
    let input = |f: &mut FrameStructure| {
        let read = AttachmentUse { attachment: 1, aspects: Aspects::STENCIL, ..AttachmentUse::default() };
        first_pass(f).subpasses[0].input.push(Some(read));
    };
    let resolved = |f: &mut FrameStructure| {
        let target = first_pass(f).attachments[1].clone();
        let image = f.images[1].clone();
        f.images.push(image);
        let pass = first_pass(f);
        pass.attachments.push(Attachment { image: Some(ImageRef(2)), ..target });
        let resolve = ResolveUse { attachment: 2, mode: 1, ..ResolveUse::default() };
        pass.subpasses[0].depth_resolve = Some(resolve);
    };
    let changes: [(&str, Change<'_>); 8] = [
        ("tested", &|f| first_pass(f).subpasses[0].draws.stencil_tests = true),
        ("written", &|f| first_pass(f).subpasses[0].draws.stencil_writes = true),
        ("the state of some draw is not known", &|f| first_pass(f).subpasses[0].draws.known = false),
        ("cleared", &clears),
        ("sampled", &sampled),
        ("read as input attachment", &input),
        ("copies ask for equal formats", &|f| f.submissions[0].ops.push(copied(1, Aspects::DEPTH))),
        ("resolves ask for equal formats", &resolved),
    ];
    for (why, change) in changes {
        let mut frame = with(FACTS);
        change(&mut frame);
        silent("TL106", &repeated(&frame), why);
    }
    let tested = with(DrawFacts { stencil_tests: true, ..FACTS });
    let order: Vec<u32> = (0..30).map(|n| u32::from(n % 10 == 9)).collect();
    silent("TL106", &run(&[with(FACTS), tested], &order).findings, "tested in every tenth frame");
}

/// Draws that use stencil alone.
const MASK: DrawFacts = DrawFacts {
    depth_tests: false,
    depth_writes: false,
    depth_compares: 0,
    stencil_tests: true,
    stencil_writes: true,
    ..FACTS
};

/// A depth-stencil image of which one pass writes stencil and the next one tests it.
fn masked(format: &str) -> FrameStructure {
    let mut frame = depth_stencil(format, MASK);
    let pass = first_pass(&mut frame);
    (pass.attachments[1].stencil_load, pass.attachments[1].stencil_store) = (Clear, StoreOp::Store);
    let mut next = pass.clone();
    next.labels = vec!["interface".into()];
    (next.attachments[1].load, next.attachments[1].stencil_load) = (DontCare, Load);
    next.attachments[1].stencil_store = StoreOp::DontCare;
    // Another area: they stay apart.
    next.render_area.extent.width = 320;
    frame.submissions[0].ops.push(Op::Pass(next));
    frame
}

#[test]
fn depth_that_nothing_uses_beside_stencil_takes_the_rest_of_each_sample() {
    let bytes = [("D32_SFLOAT_S8_UINT", A), ("D24_UNORM_S8_UINT", A / 4 * 3), ("D16_UNORM_S8_UINT", A / 2)];
    for (format, saved) in bytes {
        let findings = repeated(&depth_stencil(format, MASK));
        let finding = the("TL106", &findings);
        assert_eq!(memory(finding), everywhere(saved), "{format}");
        assert!(finding.fix.ends_with("as S8_UINT where the device supports it"), "{}", finding.fix);
        assert!(finding.why.ends_with("its depth"), "{}", finding.why);
    }
    silent("TL106", &repeated(&depth_stencil("S8_UINT", MASK)), "no depth");
    // Stencil that moves takes depth along where both share a word; in a plane of its own it does not.
    let packed = repeated(&masked("D24_UNORM_S8_UINT"));
    let saving = the("TL106", &packed).saving["adreno-650"];
    assert_eq!(
        (saving.quantity, saving.value),
        (Quantity::Dram, A / 4 * 3 + A / 8 * 3),
        "stored whole, half of it loaded"
    );
    assert_eq!(memory(the("TL106", &repeated(&masked("D32_SFLOAT_S8_UINT")))), everywhere(A));
}

#[test]
fn depth_that_anything_may_use_beside_stencil_is_left_alone() {
    let with = |facts: DrawFacts| depth_stencil("D32_SFLOAT_S8_UINT", facts);
    let clears = |f: &mut FrameStructure| {
        let clear = ClearAttachment { aspects: Aspects::DEPTH, ..ClearAttachment::default() };
        first_pass(f).subpasses[0].clears.push(clear);
    };
    let sampled = |f: &mut FrameStructure| {
        f.images[1].usage |= usage::SAMPLED;
        reach(f, ShaderAccess::exactly(vec![access(1, Aspects::DEPTH)]));
    };
    let input = |f: &mut FrameStructure| {
        let read = AttachmentUse { attachment: 1, aspects: Aspects::DEPTH, ..AttachmentUse::default() };
        first_pass(f).subpasses[0].input.push(Some(read));
    };
    let changes: [(&str, Change<'_>); 8] = [
        ("tested", &|f| first_pass(f).subpasses[0].draws.depth_tests = true),
        ("written", &|f| first_pass(f).subpasses[0].draws.depth_writes = true),
        ("the state of some draw is not known", &|f| first_pass(f).subpasses[0].draws.known = false),
        ("cleared", &clears),
        ("sampled", &sampled),
        ("read as input attachment", &input),
        ("copies ask for equal formats", &|f| f.submissions[0].ops.push(copied(1, Aspects::STENCIL))),
        ("another process may use it", &|f| f.images[1].memory.external = true),
    ];
    for (why, change) in changes {
        let mut frame = with(MASK);
        change(&mut frame);
        silent("TL106", &repeated(&frame), why);
    }
    let tested = with(DrawFacts { depth_tests: true, ..MASK });
    let order: Vec<u32> = (0..30).map(|n| u32::from(n % 10 == 9)).collect();
    silent("TL106", &run(&[with(MASK), tested], &order).findings, "tested in every tenth frame");
}

#[test]
fn stencil_that_is_stored_for_nobody_is_first_not_to_be_stored() {
    let mut frame = depth_stencil("D32_SFLOAT_S8_UINT", FACTS);
    let attachment = &mut first_pass(&mut frame).attachments[1];
    (attachment.stencil_load, attachment.stencil_store) = (Clear, StoreOp::Store);
    let findings = repeated(&frame);
    assert_eq!(codes(&findings), ["TL006"]);
    assert_eq!(saved(&findings[0]), everywhere(A / 4));
}

#[test]
fn without_stencil_bins_of_an_image_that_takes_no_memory_are_larger() {
    let mut frame = depth_stencil("D32_SFLOAT_S8_UINT", FACTS);
    frame.images[1].usage |= usage::TRANSIENT_ATTACHMENT;
    frame.images[1].memory.properties = Some(1 | Memory::LAZILY_ALLOCATED);
    // Large enough for more than one bin.
    for (width, height) in [(1920, 1080), (4096, 4096)] {
        frame.images.iter_mut().for_each(|i| i.extent = Extent3D { width, height, depth: 1 });
        let pass = first_pass(&mut frame);
        (pass.extent, pass.render_area.extent) = ([width, height].into(), [width, height].into());
        let mut other = frame.clone();
        let single = image("D32_SFLOAT", [1, 1, 1]).format;
        other.images[1].format = single;
        let attachment = &mut first_pass(&mut other).attachments[1];
        (attachment.format, attachment.range.aspects) = (single, Aspects::DEPTH);
        let tiles = |frame: &FrameStructure| -> u64 {
            ledger(frame, "adreno-650").passes.iter().map(|pass| pass.tiles.expect("bins")).sum()
        };
        let fewer = tiles(&frame) - tiles(&other);
        let findings = repeated(&frame);
        let told: Vec<_> = findings.iter().filter(|f| f.code == "TL106").flat_map(|f| &f.saving).collect();
        let expected = (fewer > 0).then_some(("adreno-650", Quantity::Count, fewer));
        assert_eq!(
            told.iter().map(|(id, s)| (id.as_str(), s.quantity, s.value)).collect::<Vec<_>>(),
            Vec::from_iter(expected)
        );
    }
}

/// A pass with so many samples that are resolved on chip.
fn sampled(samples: u32) -> FrameStructure {
    let mut frame = antialiased(usage::TRANSIENT_ATTACHMENT, StoreOp::DontCare);
    frame.images[0].samples = samples;
    first_pass(&mut frame).attachments[0].samples = samples;
    frame
}

#[test]
fn more_than_four_samples_make_tiles_smaller() {
    let report = run(&[sampled(8)], &[0; 4]);
    let finding = the("TL308", &report.findings);
    let tiles = |samples: u32, gpu: &str| -> u64 {
        ledger(&sampled(samples), gpu).passes.iter().filter_map(|pass| pass.tiles).sum()
    };
    for gpu in GPUS {
        let fewer = tiles(8, gpu) - tiles(4, gpu);
        let told = finding.saving.get(gpu).map(|s| (s.quantity, s.value));
        assert_eq!(told, (fewer > 0).then_some((Quantity::Count, fewer)), "{gpu}");
    }
    // 8 samples of 4 bytes for each of 256 pixels are 8 KiB, and half of that with 4.
    assert_eq!((tiles(8, "mali-g71"), tiles(4, "mali-g71")), (40 * 60, 40 * 30));
    let old = on(&sampled(8), &["mali-g71"], &[]).findings;
    assert_eq!(the("TL308", &old).saving["mali-g71"].value, 40 * 30);
    assert_eq!(the("TL308", &old).level, "info");
    for samples in [1, 2, 4] {
        silent("TL308", &repeated(&sampled(samples)), "not too many");
    }
    silent("TL308", &run(&[sampled(8), sampled(4)], &[0, 0, 1, 0]).findings, "other frames have four");
}

/// A pass that blends into colour of this format with so many samples.
fn blended(format: &str, samples: u32) -> FrameStructure {
    let usage = ATTACHMENT_ONLY | usage::TRANSIENT_ATTACHMENT;
    let images = vec![Image { usage, samples, ..image(format, [SIZE[0], SIZE[1], 1]) }];
    let attachments = vec![of(&images, 0, Clear, StoreOp::DontCare)];
    let draws = DrawFacts { samples, pixel_shading: samples > 1, color_reads: 1, ..FACTS };
    let draws = Subpass { draws, shader: ShaderAccess::NOTHING, ..subpass(&[0], None, &[]) };
    frame(images, vec![whole("particles", attachments, draws)])
}

#[test]
fn blending_floating_point_samples_is_slow_where_the_vendor_says_so() {
    for dynamic in [false, true] {
        let mut frame = blended("R16G16B16A16_SFLOAT", 4);
        first_pass(&mut frame).dynamic = dynamic;
        let findings = repeated(&frame);
        let finding = the("TL309", &findings);
        assert!(finding.saving.is_empty() && finding.level == "info");
        assert!(finding.fix.contains("particles") && finding.why.contains("R16G16B16A16_SFLOAT"));
        silent("TL309", &on(&frame, &["adreno-650", "apple-m1"], &[]).findings, "nobody says so of these");
    }
    let also = repeated(&blended("B10G11R11_UFLOAT_PACK32", 2));
    the("TL309", &also);
    let facts = |change: fn(&mut DrawFacts)| {
        let mut frame = blended("R16G16B16A16_SFLOAT", 4);
        change(&mut first_pass(&mut frame).subpasses[0].draws);
        repeated(&frame)
    };
    silent("TL309", &repeated(&blended("R16G16B16A16_SFLOAT", 1)), "one sample");
    silent("TL309", &repeated(&blended("R8G8B8A8_UNORM", 4)), "normalised");
    silent("TL309", &facts(|f| f.color_reads = 0), "not blended");
    silent("TL309", &facts(|f| f.known = false), "state that is not known");
    silent("TL309", &facts(|f| f.pixel_shading = false), "each sample is shaded");
    silent("TL309", &facts(|f| f.logic_ops = 1 << 6), "a logical operation may be what reads");
}

/// VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT.
const DEVICE_LOCAL: u32 = 0x1;

/// Transient depth that stays on chip, with memory of these properties.
fn transient(properties: u32, lazy_offered: Option<bool>) -> FrameStructure {
    let mut frame = on_chip(usage::TRANSIENT_ATTACHMENT);
    frame.images[1].memory = Memory { properties: Some(properties), lazy_offered, ..Memory::default() };
    frame
}

#[test]
fn a_transient_image_in_ordinary_memory_takes_it_although_the_device_offers_better() {
    let findings = repeated(&transient(DEVICE_LOCAL, Some(true)));
    assert_eq!(codes(&findings), ["TL102"]);
    assert_eq!((memory(&findings[0]), findings[0].level.as_str()), (everywhere(A), "warn"));
    assert!(findings[0].fix.contains("LAZILY_ALLOCATED"));
    assert!(repeated(&transient(DEVICE_LOCAL, Some(false))).is_empty(), "a program that falls back is right");
    assert!(repeated(&transient(DEVICE_LOCAL, None)).is_empty(), "nobody knows what the device offers");
    assert!(repeated(&transient(DEVICE_LOCAL | Memory::LAZILY_ALLOCATED, Some(true))).is_empty(), "it is lazy");
    let mut bound_later = transient(DEVICE_LOCAL, Some(true));
    bound_later.images[1].memory.properties = None;
    assert!(repeated(&bound_later).is_empty(), "its memory is not known");
    let mut stored = transient(DEVICE_LOCAL, Some(true));
    first_pass(&mut stored).attachments[1].store = StoreOp::Store;
    assert_eq!(codes(&repeated(&stored)), ["TL103"], "first it is not to be stored");
    let order = [0, 1, 0, 1];
    let mixed = [transient(DEVICE_LOCAL, Some(true)), transient(DEVICE_LOCAL | Memory::LAZILY_ALLOCATED, Some(true))];
    silent("TL102", &run(&mixed, &order).findings, "some of them are lazy");
}

#[test]
fn what_the_driver_had_committed_for_lazy_memory_is_told_in_its_own_figure() {
    let play = |frame: &FrameStructure, committed: Option<u64>| {
        let mut session = Session::new(gpus(&GPUS));
        session.record(&Record::Run(Run::default()));
        session.record(&Record::Structure { id: 0, frame: frame.clone() });
        for index in 0..4 {
            let images = vec![0, 1];
            session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
        }
        if let Some(committed) = committed {
            let images = vec![1];
            session.record(&Record::Commitment(Commitment { images, size: 2 * A, committed }));
        }
        session.record(&Record::End);
        session.report().findings
    };
    let lazy = transient(DEVICE_LOCAL | Memory::LAZILY_ALLOCATED, Some(true));
    let findings = play(&lazy, Some(A));
    let finding = the("TL104", &findings);
    assert!(finding.saving.is_empty(), "measured on one device, and said of no other");
    assert!(finding.why.contains(&format!("{A} of {} bytes", 2 * A)), "{}", finding.why);
    assert!(finding.fix.contains("on chip"), "{}", finding.fix);
    assert!(play(&lazy, Some(0)).is_empty() && play(&lazy, None).is_empty());
    let mut stored = lazy.clone();
    first_pass(&mut stored).attachments[1].store = StoreOp::Store;
    let findings = play(&stored, Some(A));
    assert!(the("TL104", &findings).fix.contains("Neither load nor store"), "{findings:?}");
    the("TL103", &findings);
}

/// Two attachments of a pass in memory that begins at these offsets.
fn side_by_side(offsets: [u64; 2]) -> FrameStructure {
    let mut frame = on_chip(0);
    for (image, offset) in frame.images.iter_mut().zip(offsets) {
        image.memory.aliased = true;
        image.memory.shared = vec![SharedBytes { stretch: 0, offset, size: A }];
    }
    frame
}

#[test]
fn attachments_of_one_pass_in_the_same_bytes_keep_subpasses_apart() {
    let findings = repeated(&side_by_side([0, A / 2]));
    let finding = the("TL105", &findings);
    assert!(finding.saving.is_empty() && finding.level == "info");
    assert!(finding.fix.contains("scene") && finding.fix.contains("memory of their own"), "{}", finding.fix);
    assert!(!finding.fix.contains("MAY_ALIAS"));
    silent("TL105", &repeated(&side_by_side([0, A])), "one behind the other");
    let mut unused = side_by_side([0, 0]);
    (first_pass(&mut unused).subpasses[0].depth, first_pass(&mut unused).subpasses[0].stencil) = (None, None);
    silent("TL105", &repeated(&unused), "no subpass refers to one of them");
    silent("TL105", &run(&[side_by_side([0, 0]), on_chip(0)], &[0, 1, 0]).findings, "other frames have them apart");
    let mut declared = on_chip(0);
    first_pass(&mut declared).attachments.iter_mut().for_each(|a| a.flags = 0x1);
    let findings = repeated(&declared);
    assert!(the("TL105", &findings).fix.contains("without VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT"));
    first_pass(&mut declared).attachments[1].flags = 0;
    silent("TL105", &repeated(&declared), "one alone aliases nothing");
    let mut views = on_chip(0);
    let pass = first_pass(&mut views);
    pass.attachments.iter_mut().for_each(|a| (a.flags, a.image) = (0x1, Some(ImageRef(1))));
    silent("TL105", &repeated(&views), "two views of one image");
}
