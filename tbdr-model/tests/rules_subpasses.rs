//! What rules say of subpasses: when they are not merged, what bypasses tile memory, what exceeds a tile.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::report::{Finding, Quantity};
use tbdr_model::units::Extent2D;

const SIZE: [u32; 2] = [640, 480];
/// One 32-bit attachment moved once.
const A: u64 = 640 * 480 * 4;

/// COLOR_ATTACHMENT_OUTPUT, with COLOR_ATTACHMENT_WRITE; FRAGMENT_SHADER, with INPUT_ATTACHMENT_READ.
fn local() -> Dependency {
    Dependency {
        src: 0,
        dst: 1,
        src_stages: 0x400,
        src_access: 0x100,
        dst_stages: 0x80,
        dst_access: 0x10,
        flags: Dependency::BY_REGION,
        ..Dependency::default()
    }
}

fn with_image(number: u32, attachment: Attachment) -> Attachment {
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    Attachment { image: Some(ImageRef(number)), range, ..attachment }
}

fn images(formats: &[&str]) -> Vec<Image> {
    let usage = usage::COLOR_ATTACHMENT | usage::INPUT_ATTACHMENT;
    formats.iter().map(|name| Image { usage, ..image(name, [SIZE[0], SIZE[1], 1]) }).collect()
}

/// Two subpasses: one renders to `formats` but the first, which the other renders to, reading them.
fn deferred(formats: &[&str], dependency: Dependency) -> FrameStructure {
    let last = formats.len() as u32;
    let made: Vec<u32> = (1..last).collect();
    let attachments = (0u32..).zip(formats).map(|(at, format)| {
        let store = if at == 0 { StoreOp::Store } else { StoreOp::DontCare };
        with_image(at, attachment(format, Clear, store))
    });
    let recorded = Pass {
        labels: vec!["deferred".into()],
        dependencies: vec![dependency],
        ..pass(SIZE, attachments.collect(), vec![subpass(&made, None, &[]), subpass(&[0], None, &made)])
    };
    frame(images(formats), vec![Op::Pass(recorded)])
}

fn change(mut frame: FrameStructure, change: impl FnOnce(&mut Pass)) -> FrameStructure {
    if let Some(Op::Pass(pass)) = frame.submissions[0].ops.iter_mut().rev().find(|op| matches!(op, Op::Pass(_))) {
        change(pass);
    }
    frame
}

/// Findings about subpasses.
fn found(frame: &FrameStructure, ids: &[&str]) -> Vec<Finding> {
    report(frame, ids).findings.into_iter().filter(|f| f.code.starts_with("TL2")).collect()
}

fn codes(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|f| f.code.as_str()).collect()
}

const SMALL: [&str; 3] = ["R8G8B8A8_UNORM", "R8G8B8A8_UNORM", "A2B10G10R10_UNORM_PACK32"];

#[test]
fn subpasses_that_merge_are_not_spoken_of() {
    let good = deferred(&SMALL, local());
    assert!(
        found(&good, &["mali-g76", "mali-g71", "adreno-650", "powervr-gx6250", "mali-g610-panvk"]).is_empty(),
        "{:?}",
        found(&good, &["mali-g76", "mali-g71", "adreno-650", "powervr-gx6250", "mali-g610-panvk"])
    );
    let single = change(good, |pass| pass.subpasses.truncate(1));
    assert_eq!(codes(&found(&single, &["mali-g76", "apple-m1", "mali-g610-panvk-25.0", "videocore-vii"])), [""; 0]);
}

#[test]
fn a_dependency_that_is_not_by_region_costs_a_write_and_a_read_of_all_that_crosses_it() {
    for (bad, level) in [
        (Dependency { flags: 0, ..local() }, "warn"),
        (Dependency { dst_stages: 0x8000, ..local() }, "warn"),
        (Dependency { src_stages: 0x8000, ..local() }, "info"),
    ] {
        let findings = found(&deferred(&SMALL, bad), &["mali-g76", "mali-g610-panvk-25.0"]);
        let ours: Vec<&Finding> = findings.iter().filter(|f| f.code == "TL205").collect();
        assert_eq!(ours.len(), 1, "{findings:?}");
        assert_eq!((ours[0].level.as_str(), ours[0].pass.as_deref()), (level, Some("deferred")));
        let saved: Vec<(&str, u64)> = ours[0].saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect();
        assert_eq!(saved, [("mali-g76", 2 * 2 * A)], "two attachments, written and read");
        assert!(!codes(&findings).contains(&"TL208"));
        assert!(findings.iter().all(|f| f.code != "TL201" || f.level == "note"), "said once: {findings:?}");
    }
}

#[test]
fn a_dependency_of_multisampled_input_attachments_might_be_for_other_samples() {
    let multisampled = |flags: u32| {
        let frame = change(deferred(&SMALL, Dependency { flags: 0, ..local() }), |pass| {
            pass.attachments.iter_mut().for_each(|attachment| attachment.samples = 2);
            pass.subpasses[1].flags = flags;
        });
        let findings = found(&frame, &["mali-g76"]);
        let ours = findings.iter().find(|f| f.code == "TL205").expect("a finding");
        let unless =
            ours.fix.ends_with(", unless shaders read samples of input attachments that their fragment does not cover");
        (ours.level.clone(), unless)
    };
    assert_eq!(multisampled(0), ("info".into(), true));
    assert_eq!(multisampled(0x4), ("warn".into(), false), "VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_EXT");
}

#[test]
fn a_gpu_that_leaves_tile_memory_for_a_dependency_is_told_once_and_without_a_figure() {
    let findings = found(&deferred(&SMALL, Dependency { flags: 0, ..local() }), &["adreno-650"]);
    assert_eq!(codes(&findings), ["TL205"]);
    assert!(findings[0].saving.is_empty(), "what draws move in immediate mode is not known");
}

#[test]
fn dependencies_that_may_order_more_than_attachments_are_left_alone() {
    let silent = |dependency: Dependency| {
        let findings = found(&deferred(&SMALL, dependency), &["mali-g76", "adreno-650"]);
        assert!(!codes(&findings).contains(&"TL205"), "{findings:?}");
    };
    // SHADER_WRITE, MEMORY_WRITE: images and buffers, at any pixel.
    silent(Dependency { flags: 0, src_access: 0x100 | 0x40, ..local() });
    silent(Dependency { flags: 0, src_access: 0x1_0000, ..local() });
    // SHADER_READ: may sample other pixels.
    silent(Dependency { flags: 0, dst_access: 0x10 | 0x20, ..local() });
    silent(Dependency { flags: 0, src_access: 0, dst_access: 0, ..local() });
    silent(Dependency { flags: 0, src: SUBPASS_EXTERNAL, ..local() });
    silent(Dependency { flags: 0, view_offset: 1, ..local() });
}

#[test]
fn subpasses_above_the_budget_are_said_not_to_merge_with_what_goes_through_memory() {
    // 5 x 128 bits: no tile of 128 pixels is left on a GPU with 128 bits per pixel.
    let wide = ["R32G32B32A32_SFLOAT"; 4];
    let formats: Vec<&str> = ["R8G8B8A8_UNORM"].into_iter().chain(wide).collect();
    let findings = found(&deferred(&formats, local()), &["mali-g71"]);
    let split = findings.iter().find(|f| f.code == "TL201").expect("not merged");
    assert!(split.why.contains("INSUFFICIENT_STORAGE"), "{}", split.why);
    let saving = split.saving["mali-g71"];
    assert_eq!((saving.quantity, saving.value), (Quantity::Dram, 4 * 2 * 4 * A), "four targets of 16 bytes, both ways");
}

#[test]
fn a_driver_that_never_merges_gets_one_note_and_only_if_something_is_shared() {
    let frame = deferred(&SMALL, local());
    let findings = found(&frame, &["apple-m1", "mali-g610-panvk-25.0"]);
    assert_eq!(codes(&findings), ["TL201"]);
    assert_eq!((findings[0].level.as_str(), &findings[0].pass), ("note", &None));
    let apart = change(frame, |pass| pass.subpasses[1].input.clear());
    assert!(
        found(&apart, &["apple-m1", "mali-g71", "videocore-vii"]).is_empty(),
        "{:?}",
        found(&apart, &["apple-m1", "mali-g71", "videocore-vii"])
    );
}

#[test]
fn what_the_application_disallows_is_its_to_allow() {
    let frame = change(deferred(&SMALL, local()), |pass| pass.disallow_merging = true);
    let findings = found(&frame, &["mali-g76"]);
    assert_eq!(codes(&findings), ["TL201"]);
    assert!(findings[0].fix.contains("disallowMerging"), "{}", findings[0].fix);
}

#[test]
fn colour_above_the_budget_means_so_many_tiles_more() {
    // 160 bits: half tiles where 128 fit, whole ones where 256 do.
    let targets = ["R8G8B8A8_UNORM"; 5].map(|format| attachment(format, Clear, StoreOp::Store));
    let frame =
        frame(Vec::new(), vec![Op::Pass(pass(SIZE, targets.into(), vec![subpass(&[0, 1, 2, 3, 4], None, &[])]))]);
    let findings = found(&frame, &["mali-g71", "mali-g76"]);
    assert_eq!(codes(&findings), ["TL202"]);
    let saving = &findings[0].saving;
    assert_eq!(saving.keys().collect::<Vec<_>>(), ["mali-g71"]);
    assert_eq!((saving["mali-g71"].quantity, saving["mali-g71"].value), (Quantity::Count, 40 * 30));
    assert!(
        findings[0].fix.contains("at most 128 colour bits") && findings[0].fix.contains("160 now"),
        "{}",
        findings[0].fix
    );
}

/// A G-buffer in one render pass, lighting that loads it as input attachments in the next.
fn split_deferred(shader: ShaderAccess, between: Option<Op>) -> FrameStructure {
    let stored = |at: u32| with_image(at, attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store));
    let loaded = |at: u32| Attachment {
        initial_layout: Layout(1),
        ..with_image(at, attachment("R8G8B8A8_UNORM", Load, StoreOp::DontCare))
    };
    let first = Pass {
        labels: vec!["g-buffer".into()],
        ..pass(
            SIZE,
            vec![stored(1), stored(2)],
            vec![Subpass { shader: ShaderAccess::NOTHING, ..subpass(&[0, 1], None, &[]) }],
        )
    };
    let out = with_image(0, attachment("R8G8B8A8_UNORM", DontCare, StoreOp::Store));
    let lighting = Subpass { shader, ..subpass(&[0], None, &[1, 2]) };
    let second =
        Pass { labels: vec!["lighting".into()], ..pass(SIZE, vec![out, loaded(1), loaded(2)], vec![lighting]) };
    let ops = [Some(Op::Pass(first)), between, Some(Op::Pass(second))].into_iter().flatten();
    frame(images(&["R8G8B8A8_UNORM"; 3]), ops.collect())
}

#[test]
fn input_attachments_that_the_pass_before_has_rendered_come_from_memory_for_nothing() {
    let barrier = || Some(Op::Barrier(Barrier::default()));
    let findings = found(&split_deferred(ShaderAccess::NOTHING, barrier()), &["mali-g76", "apple-m1"]);
    assert_eq!(codes(&findings), ["TL206"], "both images are told together");
    let finding = &findings[0];
    assert_eq!((finding.level.as_str(), finding.pass.as_deref()), ("info", Some("lighting")));
    let saved: Vec<(&str, u64)> = finding.saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect();
    assert_eq!(
        saved,
        [("mali-g76", 2 * 2 * A)],
        "written and read, of both; a driver that never merges would win nothing"
    );
    assert!(finding.fix.contains("g-buffer and lighting") && finding.fix.contains("1 more image"), "{}", finding.fix);
    let silent = |frame: &FrameStructure, why: &str| assert!(found(frame, &["mali-g76"]).is_empty(), "{why}");
    silent(&split_deferred(ShaderAccess::default(), barrier()), "shaders may sample the neighbours");
    let access = ImageAccess { image: Some(ImageRef(1)), certain: true, ..ImageAccess::default() };
    silent(&split_deferred(ShaderAccess::exactly(vec![access]), barrier()), "shaders sample the G-buffer");
    silent(&split_deferred(ShaderAccess::NOTHING, Some(Op::Dispatch(Dispatch::default()))), "a dispatch between");
    silent(
        &split_deferred(
            ShaderAccess::NOTHING,
            Some(Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::FillBuffer, regions: Vec::new() })),
        ),
        "a transfer between",
    );
    let smaller = change(split_deferred(ShaderAccess::NOTHING, None), |pass| pass.render_area.extent.width -= 64);
    silent(&smaller, "another area");
    let other_mip = change(split_deferred(ShaderAccess::NOTHING, None), |pass| {
        pass.attachments[1].range.base_layer = 1;
        pass.attachments[2].range.base_mip = 1;
    });
    silent(&other_mip, "other texels");
}

#[test]
fn a_pass_that_leaves_tile_memory_is_named_with_its_reason() {
    let layered = |layers: u32, mask: u32| {
        let target = attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store);
        let rendered = Subpass { view_mask: mask, ..subpass(&[0], None, &[]) };
        let labels = vec!["cube".into()];
        frame(Vec::new(), vec![Op::Pass(Pass { layers, labels, ..pass(SIZE, vec![target], vec![rendered]) })])
    };
    let findings = found(&layered(6, 0), &["adreno-650", "mali-g76"]);
    assert_eq!(codes(&findings), ["TL208"]);
    assert_eq!(findings[0].level, "info");
    assert!(findings[0].fix.contains("multiview") && findings[0].fix.ends_with("in cube"), "{}", findings[0].fix);
    assert!(found(&layered(1, 0b11_1111), &["adreno-650"]).is_empty());
    let empty = change(layered(6, 0), |pass| pass.render_area.extent = Extent2D::default());
    assert!(found(&empty, &["adreno-650"]).is_empty(), "{:?}", found(&empty, &["adreno-650"]));
    let idle = change(layered(6, 0), |pass| pass.subpasses[0].drawn = false);
    assert!(found(&idle, &["adreno-650"]).is_empty(), "{:?}", found(&idle, &["adreno-650"]));
}

#[test]
fn nine_attachments_that_are_to_merge_and_five_inputs_are_worth_a_note() {
    let beyond = |color: u32, input: u32| {
        let all = (0..=color).map(|_| attachment("R8_UNORM", Clear, StoreOp::DontCare)).collect();
        let made: Vec<u32> = (1..=color).collect();
        let read: Vec<u32> = (1..=input).collect();
        let recorded = pass(SIZE, all, vec![subpass(&made, None, &[]), subpass(&[0], None, &read)]);
        let findings = found(&frame(Vec::new(), vec![Op::Pass(recorded)]), &["powervr-gx6250"]);
        let note = findings.into_iter().find(|f| f.code == "TL209");
        note.map(|f| (f.level, f.saving["powervr-gx6250"].value))
    };
    assert_eq!(beyond(8, 2), Some(("note".to_string(), 1)));
    assert_eq!(beyond(6, 5), Some(("note".to_string(), 1)));
    assert_eq!(beyond(7, 4), None);
}
