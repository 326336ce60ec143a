//! What rules say of images that a GPU does not compress because of how they were created.

mod frames;

use frames::scenes::*;
use frames::*;
use std::collections::BTreeMap;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;
use tbdr_model::record::{Device, FrameRecord, Record, Run};
use tbdr_model::report::{Basis, Finding, Quantity};
use tbdr_model::session::Session;

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

/// The scene with a colour image of another format, which the pass shows as it is.
fn of_format(name: &str, change: impl FnOnce(&mut Image)) -> FrameStructure {
    let format = format_of(name);
    let mut frame = scene(|image| {
        image.format = format;
        change(image);
    });
    for op in &mut frame.submissions[0].ops {
        if let Op::Pass(pass) = op {
            pass.attachments[0].format = format;
        }
    }
    frame
}

#[test]
fn a_format_that_the_gpu_does_not_compress_costs_what_compression_would_save() {
    let findings = repeated(&of_format("R16G16B16A16_SFLOAT", |_| {}));
    let ours = of("TL406", &findings).unwrap_or_else(|| panic!("{findings:?}"));
    // Two words for each texel as it is; the others compress it.
    assert_eq!(estimated(ours), BTreeMap::from([("mali-g76", 2 * A * 480 / 1000)]));
    assert_eq!((ours.level.as_str(), ours.pass.as_deref()), ("info", Some("scene")));
    let words = "as A2B10G10R10_UNORM_PACK32, if 10 bits, 2 bits of alpha, values from 0 to 1 will do";
    assert!(ours.fix.contains(words), "{}", ours.fix);
    assert!(of("TL406", &repeated(&scene(|_| {}))).is_none(), "R8G8B8A8_UNORM");
}

#[test]
fn each_generation_is_advised_the_nearest_format_that_it_compresses() {
    let of_gpus = |frame: &FrameStructure, ids: &[&str]| {
        let mut all = run_on(frame, ids);
        all.retain(|finding| finding.code == "TL406");
        all
    };
    let found = of_gpus(&of_format("R16G16B16A16_SFLOAT", |_| {}), &["mali-g76", "mali-g77", "mali-g710"]);
    let told = |gpu: &str| found.iter().find(|f| f.saving.contains_key(gpu)).map(|f| f.fix.as_str());
    assert!(told("mali-g76").is_some_and(|fix| fix.contains("A2B10G10R10_UNORM_PACK32")), "{found:?}");
    assert!(told("mali-g77").is_some_and(|fix| fix.contains("B10G11R11_UFLOAT_PACK32")), "{found:?}");
    assert_eq!(told("mali-g710"), None, "its data sheet lists four halves");
}

#[test]
fn a_format_without_a_neighbour_that_compresses_is_not_spoken_of() {
    for name in ["R32_UINT", "R32_SFLOAT", "R16G16B16A16_UINT"] {
        assert!(of("TL406", &repeated(&of_format(name, |_| {}))).is_none(), "{name}");
    }
    let findings = repeated(&forward(0, Clear, StoreOp::Store));
    assert!(of("TL406", &findings).is_none(), "whether D32_SFLOAT is compressed is not known before Mali-G77");
}

#[test]
fn a_format_that_something_depends_on_is_left_alone() {
    let half = "R16G16B16A16_SFLOAT";
    assert!(of("TL406", &repeated(&of_format(half, |image| image.swapchain = Some(0)))).is_none());
    assert!(of("TL406", &repeated(&of_format(half, |image| image.memory.external = true))).is_none());
    let mut copied = of_format(half, |_| {});
    let region = ImageRegion { image: Some(ImageRef(0)), aspects: Aspects::COLOR, layers: 1, ..ImageRegion::default() };
    let regions = vec![Region { src: Some(Side::Image(region)), dst: None }];
    let copy = Transfer { labels: Vec::new(), kind: TransferKind::CopyImageToBuffer, regions };
    copied.submissions[0].ops.push(Op::Transfer(copy));
    assert!(of("TL406", &repeated(&copied)).is_none(), "what reads the copy expects the format");
    let mut shown = of_format(half, |_| {});
    for op in &mut shown.submissions[0].ops {
        if let Op::Pass(pass) = op {
            pass.attachments[0].format = format_of("R16G16B16A16_UINT");
        }
    }
    assert!(of("TL406", &repeated(&shown)).is_none(), "a view has another format");
}

#[test]
fn a_storage_usage_or_a_flag_in_the_way_speaks_before_the_format() {
    let both = repeated(&of_format("R16G16B16A16_SFLOAT", |image| image.usage |= usage::STORAGE));
    assert!(of("TL406", &both).is_none(), "{both:?}");
    assert!(of("TL404", &both).is_some(), "where the format alone would do");
    let linear = repeated(&of_format("R16G16B16A16_SFLOAT", |image| image.tiling = LINEAR));
    assert!(of("TL406", &linear).is_none() && of("TL405", &linear).is_some(), "{linear:?}");
}

/// Four frames of one structure on these GPUs.
fn run_on(frame: &FrameStructure, ids: &[&str]) -> Vec<Finding> {
    run_by(&Device::default(), frame, ids)
}

/// The same of a program that ran on a device.
fn run_by(device: &Device, frame: &FrameStructure, ids: &[&str]) -> Vec<Finding> {
    let mut session = Session::new(gpus(ids));
    session.record(&Record::Run(Run { device: device.clone(), ..Run::default() }));
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    for index in 0..4 {
        let images = (0..frame.images.len() as u64).collect();
        session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    session.report().findings
}

/// The scene on queues of these families; those that are not known are `None`.
fn shared(families: &[Option<u32>], change: impl FnOnce(&mut Image)) -> FrameStructure {
    let mut frame = scene(|image| {
        image.concurrent = true;
        change(image);
    });
    frame.submissions[0].family = families[0];
    for (queue, family) in (1..).zip(&families[1..]) {
        let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
        let access =
            ImageAccess { image: Some(ImageRef(0)), range, kind: AccessKind::Sampled, ..ImageAccess::default() };
        let ops = vec![Op::Dispatch(Dispatch { shader: ShaderAccess::exactly(vec![access]) })];
        let after = vec![SubmissionRef { frames_ago: 0, submission: queue - 1 }];
        frame.submissions.push(Submission { queue, family: *family, after, ops, ..Submission::default() });
    }
    frame
}

#[test]
fn concurrent_sharing_that_one_family_uses_is_noted_with_what_is_at_stake_at_most() {
    let findings = repeated(&shared(&[Some(0)], |_| {}));
    let ours = of("TL408", &findings).unwrap_or_else(|| panic!("{findings:?}"));
    assert!(ours.saving.values().all(|s| (s.quantity, s.basis) == (Quantity::Dram, Basis::Bound)));
    let amounts: BTreeMap<&str, u64> = ours.saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect();
    assert_eq!((amounts, ours.level.as_str()), (everywhere(SAVED), "note"));
    assert!(ours.fix.contains("sharing mode EXCLUSIVE"), "{}", ours.fix);
}

#[test]
fn two_queues_of_one_family_need_no_concurrent_sharing() {
    let findings = repeated(&shared(&[Some(2), Some(2)], |_| {}));
    assert!(of("TL408", &findings).is_some_and(|f| f.why.contains("queue family 2")), "{findings:?}");
}

#[test]
fn concurrent_sharing_that_is_made_use_of_or_costs_nothing_is_left_alone() {
    let silent = |frame: &FrameStructure, why: &str| assert!(of("TL408", &repeated(frame)).is_none(), "{why}");
    silent(&shared(&[Some(0), Some(1)], |_| {}), "two families");
    silent(&shared(&[Some(0), None], |_| {}), "a family that is not known");
    silent(&shared(&[None], |_| {}), "the only family is not known");
    silent(&shared(&[Some(0)], |image| image.concurrent = false), "exclusive");
    silent(&shared(&[Some(0)], |image| image.tiling = LINEAR), "not compressed anyway");
    silent(&shared(&[Some(0)], |image| image.memory.external = true), "others use it");
    silent(&shared(&[Some(0)], |image| image.swapchain = Some(0)), "presented by a family that is not known");
    let once = shared(&[Some(0)], |_| {});
    let later = shared(&[Some(0), Some(1)], |_| {});
    assert!(of("TL408", &run(&[once, later], &[0, 0, 0, 1]).findings).is_none(), "another family in one frame of four");
}

/// The scene with an image of which the program asked this and the driver says that. Flags: 0 without loss, 1 a fixed rate, 2 one of these
/// rates, 4 not compressed; bit n of the rates stands for n + 1 bits.
fn told(asked: Option<(u32, u32)>, found: (u32, u32)) -> FrameStructure {
    let compression = |(flags, fixed_rates)| ImageCompression { flags, fixed_rates };
    scene(|image| {
        image.compression_control = asked.map(compression);
        image.driver_compression = Some(compression(found));
    })
}

const OFF: (u32, u32) = (4, 0);

#[test]
fn an_attachment_that_the_driver_does_not_compress_costs_at_most_what_compression_would_save() {
    for asked in [None, Some((0, 0))] {
        let findings = repeated(&told(asked, OFF));
        let ours = of("TL409", &findings).unwrap_or_else(|| panic!("{findings:?}"));
        assert!(ours.saving.values().all(|s| (s.quantity, s.basis) == (Quantity::Dram, Basis::Bound)));
        let amounts: BTreeMap<&str, u64> = ours.saving.iter().map(|(id, s)| (id.as_str(), s.value)).collect();
        assert_eq!((amounts, ours.level.as_str()), (everywhere(SAVED), "info"), "nothing is known of the device");
        assert!(ours.fix.contains("vkGetPhysicalDeviceImageFormatProperties2"), "{}", ours.fix);
    }
}

#[test]
fn what_a_driver_says_bears_on_its_own_gpu_else_on_those_of_its_vendor() {
    let on = |vendor_id, name: &str, ids: &[&str]| {
        let device = Device { vendor_id, name: name.into(), ..Device::default() };
        let found = run_by(&device, &told(None, OFF), ids);
        of("TL409", &found).map(|f| f.saving.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    let ids = ["mali-g76", "mali-g78", "adreno-650"];
    assert_eq!(on(0x13b5, "Mali-G78", &ids), ["mali-g78"]);
    assert_eq!(on(0x13b5, "Mali-G999", &ids), ["mali-g76", "mali-g78"]);
    assert_eq!(on(0x5143, "Adreno (TM) 650", &ids), ["adreno-650"]);
    assert!(on(0x1002, "AMD Radeon RX 7900", &ids).is_empty());
}

#[test]
fn an_image_alike_that_is_compressed_tells_what_is_different() {
    let mut frame = told(None, OFF);
    frame.images[0].flags = 0;
    frame.images[0].usage |= usage::TRANSFER_DST;
    let mut other = frame.images[0].clone();
    other.driver_compression = Some(ImageCompression::default());
    other.usage &= !usage::TRANSFER_DST;
    frame.images.push(other);
    let attachment = of_images(&frame.images, 2);
    frame.submissions[0].ops.push(whole("other", vec![attachment], subpass(&[0], None, &[])));
    let Some(Op::Pass(pass)) = frame.submissions[0].ops.last_mut() else { panic!() };
    pass.subpasses[0].shader = ShaderAccess::NOTHING;
    let findings = repeated(&frame);
    let ours = of("TL409", &findings).unwrap_or_else(|| panic!("{findings:?}"));
    assert!(ours.fix.ends_with("without usage TRANSFER_DST, unless something needs it"), "{}", ours.fix);
}

fn of_images(images: &[Image], number: u32) -> Attachment {
    frames::scenes::of(images, number, Clear, StoreOp::Store)
}

#[test]
fn a_fixed_rate_that_was_asked_for_and_not_given_is_told() {
    let why = |asked, found| of("TL409", &repeated(&told(Some(asked), found))).map(|f| f.why.clone());
    let two_or_three = (2, 0b110);
    let words = "the program asked for a fixed rate of 2 or 3 bits a component, and the driver ";
    assert_eq!(why(two_or_three, (0, 0)), Some(format!("{words}keeps it without loss")));
    assert_eq!(why(two_or_three, (1, 0b1000)), Some(format!("{words}keeps it at 4 bits")));
    assert_eq!(why(two_or_three, OFF), Some(format!("{words}does not compress it")));
    assert!(why((1, 0), (0, 0)).is_some_and(|why| why.contains("asked for a fixed rate, and")));
    for found in [(2, 0b100), (1, 0b10)] {
        assert_eq!(why(two_or_three, found), None, "one of the rates");
    }
    assert_eq!(why((1, 0), (1, 0b1)), None, "some fixed rate");
}

#[test]
fn what_the_driver_says_is_no_news_where_it_was_asked_for_or_known_or_was_not_asked() {
    let silent = |frame: &FrameStructure, why: &str| assert!(of("TL409", &repeated(frame)).is_none(), "{why}");
    silent(&told(Some(OFF), OFF), "the program asked for it");
    silent(&told(None, (0, 0)), "compressed, or as the driver likes");
    silent(&scene(|_| {}), "the driver could not be asked");
    let mut known = told(None, OFF);
    known.images[0].usage |= usage::STORAGE;
    silent(&known, "TL404");
    let mut dropped = told(None, OFF);
    for op in &mut dropped.submissions[0].ops {
        if let Op::Pass(pass) = op {
            pass.attachments[0].store = StoreOp::DontCare;
        }
    }
    silent(&dropped, "nothing is stored");
}
