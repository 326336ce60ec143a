//! What rules say of images that a GPU does not compress because of how they were created.

mod frames;

use frames::scenes::*;
use frames::*;
use std::collections::BTreeMap;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;
use tbdr_model::report::{Basis, Finding, Quantity};

/// VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, VK_IMAGE_CREATE_ALIAS_BIT; VK_IMAGE_TILING_LINEAR; VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT.
const MUTABLE_FORMAT: u32 = 0x8;
const ALIAS: u32 = 0x400;
const LINEAR: i32 = 1;
const DEVICE_LOCAL: u32 = 0x1;

/// Colour that is rendered, stored and presented, and depth that stays on chip; what shaders reach is known.
fn scene(change: impl FnOnce(&mut Image)) -> FrameStructure {
    let mut frame = forward(0, Clear, StoreOp::DontCare);
    reach(&mut frame, ShaderAccess::NOTHING);
    frame.images[0].memory.properties = Some(DEVICE_LOCAL);
    change(&mut frame.images[0]);
    frame
}

fn stored(change: impl FnOnce(&mut Image)) -> FrameStructure {
    scene(|image| {
        image.usage |= usage::STORAGE;
        change(image);
    })
}

fn of<'a>(code: &str, findings: &'a [Finding]) -> Option<&'a Finding> {
    findings.iter().find(|finding| finding.code == code)
}

/// Estimated bytes by GPU.
fn estimated(finding: &Finding) -> BTreeMap<&str, u64> {
    assert!(finding.saving.values().all(|s| (s.quantity, s.basis) == (Quantity::Dram, Basis::Estimate)));
    finding.saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect()
}

/// 48 % of one store.
const SAVED: u64 = A * 480 / 1000;

#[test]
fn storage_usage_that_no_shader_makes_use_of_costs_what_compression_would_save() {
    let findings = repeated(&stored(|_| {}));
    let ours = of("TL404", &findings).unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!(estimated(ours), everywhere(SAVED));
    assert_eq!((ours.level.as_str(), ours.pass.as_deref()), ("info", Some("scene")));
    assert!(ours.fix.contains("without usage STORAGE"), "{}", ours.fix);
    assert!(of("TL404", &repeated(&scene(|_| {}))).is_none(), "no such usage");
}

#[test]
fn a_swapchain_with_storage_usage_is_told_to_drop_it_there() {
    let frame = stored(|image| image.swapchain = Some(0));
    let findings = repeated(&frame);
    let ours = of("TL404", &findings).unwrap_or_else(|| panic!("{findings:?}"));
    assert!(ours.fix.contains("the swapchain"), "{}", ours.fix);
}

#[test]
fn storage_usage_is_left_alone_where_a_shader_may_write_or_read_the_image_so() {
    for kind in [AccessKind::StorageWrite, AccessKind::StorageRead, AccessKind::StorageReadWrite] {
        let mut frame = stored(|_| {});
        let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
        let access = ImageAccess { image: Some(ImageRef(0)), range, kind, ..ImageAccess::default() };
        reach(&mut frame, ShaderAccess::exactly(vec![access]));
        assert!(of("TL404", &repeated(&frame)).is_none(), "{kind:?}");
    }
    let mut unseen = stored(|_| {});
    reach(&mut unseen, ShaderAccess::default());
    assert!(of("TL404", &repeated(&unseen)).is_none(), "what shaders reach is not known");
    let once = stored(|_| {});
    let mut later = once.clone();
    let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
    let kind = AccessKind::StorageWrite;
    reach(
        &mut later,
        ShaderAccess::exactly(vec![ImageAccess { image: Some(ImageRef(0)), range, kind, ..ImageAccess::default() }]),
    );
    assert!(of("TL404", &run(&[once, later], &[0, 0, 0, 1]).findings).is_none(), "in one frame of four");
}

#[test]
fn storage_usage_of_an_image_that_would_not_be_compressed_anyway_is_not_spoken_of() {
    let findings = repeated(&stored(|image| image.tiling = LINEAR));
    assert!(of("TL404", &findings).is_none(), "{findings:?}");
    // Of a format that this generation does not compress.
    let half = format_of("R16G16B16A16_SFLOAT");
    let mut frame = stored(|image| image.format = half);
    for op in &mut frame.submissions[0].ops {
        if let Op::Pass(pass) = op {
            pass.attachments[0].format = half;
        }
    }
    let findings = repeated(&frame);
    assert!(!estimated(of("TL404", &findings).expect("elsewhere")).contains_key("mali-g76"));
}

fn format_of(name: &str) -> Format {
    image(name, [1, 1, 1]).format
}

#[test]
fn a_mutable_format_without_other_formats_costs_what_compression_would_save() {
    let findings = repeated(&scene(|image| image.flags |= MUTABLE_FORMAT));
    let ours = of("TL405", &findings).unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!(estimated(ours), BTreeMap::from([("mali-g76", SAVED)]), "elsewhere it depends on the views");
    assert!(ours.fix.contains("without MUTABLE_FORMAT if"), "{}", ours.fix);
    let sure = repeated(&scene(|image| {
        image.flags |= MUTABLE_FORMAT;
        image.view_formats = vec![image.format];
    }));
    assert!(!of("TL405", &sure).expect("a list of its own format").fix.contains(" if "));
}

#[test]
fn a_mutable_format_that_is_made_use_of_is_left_alone() {
    let listed = repeated(&scene(|image| {
        image.flags |= MUTABLE_FORMAT;
        image.view_formats = vec![image.format, format_of("R8G8B8A8_SRGB")];
    }));
    assert!(of("TL405", &listed).is_none());
    let mut shown = scene(|image| image.flags |= MUTABLE_FORMAT);
    for op in &mut shown.submissions[0].ops {
        if let Op::Pass(pass) = op {
            pass.attachments[0].format = format_of("R8G8B8A8_SRGB");
        }
    }
    assert!(of("TL405", &repeated(&shown)).is_none(), "an attachment shows another format");
}

#[test]
fn flags_and_tilings_that_something_may_need_are_left_alone() {
    let alias = |aliased: bool| {
        repeated(&scene(|image| {
            image.flags |= ALIAS;
            image.memory.aliased = aliased;
        }))
    };
    assert!(of("TL405", &alias(false)).is_some() && of("TL405", &alias(true)).is_none());
    let linear = |properties: Option<u32>| {
        repeated(&scene(|image| {
            image.tiling = LINEAR;
            image.memory.properties = properties;
        }))
    };
    let found = linear(Some(DEVICE_LOCAL));
    assert_eq!(estimated(of("TL405", &found).expect("nobody can map it")), everywhere(SAVED));
    assert!(of("TL405", &linear(Some(DEVICE_LOCAL | Memory::HOST_VISIBLE))).is_none(), "the host may map it");
    assert!(of("TL405", &linear(None)).is_none(), "not known");
    let external = repeated(&scene(|image| {
        image.tiling = LINEAR;
        image.memory.external = true;
    }));
    assert!(of("TL405", &external).is_none());
}

#[test]
fn an_image_that_nothing_stores_has_nothing_to_compress() {
    let mut frame = forward(usage::STORAGE, Clear, StoreOp::DontCare);
    reach(&mut frame, ShaderAccess::NOTHING);
    let findings = repeated(&frame);
    assert!(of("TL404", &findings).is_none(), "{findings:?}");
}
