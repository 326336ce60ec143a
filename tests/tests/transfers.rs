//! What moves bytes or touches images other than render passes: as bytes where they are known, and as what becomes of verdicts.
#![allow(clippy::unwrap_used)]

use ash::vk::{self, Handle};
use std::ffi::c_void;
use std::ptr;
use tbdr_model::frame::{HOST_QUEUE, Op, Side, TransferKind};
use tbdr_model::report::{Basis, Direction, Report};
use tilelens_tests::fake::{App, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::by_address::{
    AddressRange, CopyDeviceMemoryImageInfo, CopyDeviceMemoryInfo, CopyMemoryToImageIndirectInfo, DeviceMemoryCopy,
    DeviceMemoryImageCopy,
};
use tilelens_tests::script::{Image, Scene, attachment};

const GPU: &str = "mali-g76";
const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const EXTENT: vk::Extent3D = vk::Extent3D { width: 64, height: 64, depth: 1 };
/// Bytes of the image of most scenes.
const IMAGE: u64 = 64 * 64 * 4;
const LAYERS: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};

fn sandbox() -> Sandbox {
    Sandbox::new().set("sync", "1").set("gpu", GPU).set("frame_submits", "1")
}

fn scene() -> Scene {
    let options = Options { api: vk::make_api_version(0, 1, 4, 0), ..Options::default() };
    Scene::start(options)
}

/// A pass with these operations on an image.
fn pass(scene: &Scene, image: &Image, load: vk::AttachmentLoadOp, store: vk::AttachmentStoreOp) {
    let pass = scene.render_pass(&[attachment(image, load, store)]);
    let framebuffer = scene.framebuffer(pass, &[image]);
    scene.pass(pass, framebuffer, image.extent, 1);
}

/// Four frames that clear and store an image, and do `work` afterwards: without a reader, all but the last store are for nothing.
fn stored_then(work: impl FnOnce(&App, vk::CommandBuffer, &Image)) {
    let scene = scene();
    let image = scene.image(RGBA8, 64, 64, 1);
    scene.record(|app, cb| {
        pass(&scene, &image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
        work(app, cb, &image);
    });
    for _ in 0..4 {
        scene.submit(scene.buffer);
    }
    scene.stop();
}

fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|f| f.code.as_str()).collect()
}

/// Transfers of the only frame: cause, direction, bytes and basis.
fn moved(done: &Done) -> Vec<(String, Direction, u64, Basis)> {
    let report = done.folder.report();
    assert_eq!(report.frames.len(), 1, "{:?}", report.frames);
    let entries = &report.frames[0].gpus[GPU].transfers;
    entries.iter().map(|e| (e.cause.to_string(), e.direction, e.bytes.0, e.basis)).collect()
}

/// Records one command buffer and submits it once.
fn once(record: impl FnOnce(&Scene, vk::CommandBuffer)) {
    let scene = scene();
    scene.record(|_, cb| record(&scene, cb));
    scene.submit(scene.buffer);
    scene.stop();
}

#[test]
fn query_results_and_markers_are_bytes_written_to_buffers() {
    let done = sandbox().run(|_| {
        once(|scene, cb| {
            let (app, mut buffer) = (&scene.app, vk::Buffer::null());
            let info = vk::BufferCreateInfo::default().size(4096);
            // SAFETY: valid arguments.
            unsafe {
                app.vkCreateBuffer(app.device, &info, NO, &mut buffer).result().unwrap();
                let flags = vk::QueryResultFlags::TYPE_64;
                app.vkCmdCopyQueryPoolResults(cb, vk::QueryPool::from_raw(5), 0, 4, buffer, 0, 16, flags);
                app.vkCmdCopyQueryPoolResults(cb, vk::QueryPool::from_raw(5), 0, 1, buffer, 0, 0, flags);
                app.vkCmdWriteBufferMarkerAMD(cb, vk::PipelineStageFlags::TRANSFER, buffer, 128, 7);
            }
        })
    });
    let results = "copy_query_results".to_owned();
    let marker = "write_marker".to_owned();
    assert_eq!(
        moved(&done),
        [
            (results.clone(), Direction::Write, 64, Basis::Bound),
            // Without a stride there is one result, of a length that depends on the kind of query.
            (results, Direction::Write, 0, Basis::Undecided),
            (marker, Direction::Write, 4, Basis::Exact),
        ]
    );
}

#[test]
fn copies_of_memory_by_its_address_move_as_many_bytes_as_those_of_buffers() {
    let done = sandbox().run(|_| {
        once(|scene, cb| {
            let app = &scene.app;
            let image = scene.image(RGBA8, 64, 64, 1);
            let range = AddressRange { address: 0x10_0000, size: 256 };
            let at: *const c_void = (&raw const range).cast();
            let copies = [DeviceMemoryCopy::new(range, range)];
            let texels = [DeviceMemoryImageCopy::new(range, LAYERS, EXTENT)];
            let (copy, texels) =
                (CopyDeviceMemoryInfo::new(&copies), CopyDeviceMemoryImageInfo::new(image.image, &texels));
            // SAFETY: valid arguments.
            unsafe {
                app.vkCmdCopyMemoryKHR(cb, copy.as_ptr());
                app.vkCmdCopyMemoryToImageKHR(cb, texels.as_ptr());
                app.vkCmdCopyImageToMemoryKHR(cb, texels.as_ptr());
                app.vkCmdFillMemoryKHR(cb, at, 0, 7);
                app.vkCmdUpdateMemoryKHR(cb, at, 0, 64, at);
                app.vkCmdWriteMarkerToMemoryAMD(cb, ptr::null());
            }
        })
    });
    let bytes = |cause: &str, read: u64, write: u64| {
        let of = |direction| {
            moved(&done)
                .iter()
                .filter(|(c, d, ..)| c == cause && *d == direction)
                .map(|(.., bytes, _)| *bytes)
                .sum::<u64>()
        };
        assert_eq!((of(Direction::Read), of(Direction::Write)), (read, write), "{cause}");
    };
    bytes("copy_buffer", 256, 256);
    bytes("copy_buffer_to_image", IMAGE, IMAGE);
    bytes("copy_image_to_buffer", IMAGE, IMAGE);
    bytes("fill_buffer", 0, 256);
    bytes("update_buffer", 0, 64);
    bytes("write_marker", 0, 4);
}

#[test]
fn each_blit_of_a_mip_chain_reads_one_level_and_writes_the_next() {
    let done = sandbox().run(|_| {
        once(|scene, cb| {
            let (app, mut image) = (&scene.app, vk::Image::null());
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(RGBA8)
                .extent(EXTENT)
                .mip_levels(3)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
            // SAFETY: valid arguments.
            unsafe { app.vkCreateImage(app.device, &info, NO, &mut image).result().unwrap() };
            for level in 0..2 {
                let corners = |level: u32| {
                    let side = 64 >> level;
                    [vk::Offset3D::default(), vk::Offset3D { x: side, y: side, z: 1 }]
                };
                let layers = |level| vk::ImageSubresourceLayers { mip_level: level, ..LAYERS };
                let blit = vk::ImageBlit::default()
                    .src_subresource(layers(level))
                    .src_offsets(corners(level))
                    .dst_subresource(layers(level + 1))
                    .dst_offsets(corners(level + 1));
                // SAFETY: valid arguments.
                unsafe { app.vkCmdBlitImage(cb, image, GENERAL, image, GENERAL, 1, &blit, vk::Filter::LINEAR) };
            }
        })
    });
    let all = moved(&done);
    let of = |direction| all.iter().filter(|e| e.1 == direction).map(|e| e.2).collect::<Vec<_>>();
    assert_eq!(of(Direction::Read), [IMAGE, IMAGE / 4]);
    assert_eq!(of(Direction::Write), [IMAGE / 4, IMAGE / 16]);
}

#[test]
fn a_clear_by_command_before_a_pass_that_does_not_care_costs_its_bytes_all_the_same() {
    let done = sandbox().run(|_| {
        once(|scene, cb| {
            let image = scene.image(RGBA8, 64, 64, 1);
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: vk::REMAINING_MIP_LEVELS,
                layer_count: vk::REMAINING_ARRAY_LAYERS,
                ..Default::default()
            };
            let value = vk::ClearColorValue::default();
            // SAFETY: valid arguments.
            unsafe { scene.app.vkCmdClearColorImage(cb, image.image, GENERAL, &value, 1, &range) };
            pass(scene, &image, vk::AttachmentLoadOp::DONT_CARE, vk::AttachmentStoreOp::STORE);
        })
    });
    assert_eq!(moved(&done), [("clear_color".to_owned(), Direction::Write, IMAGE, Basis::Exact)]);
    let frame = &done.folder.report().frames[0];
    assert_eq!(frame.gpus[GPU].passes[0].read_bytes.0, 0, "DONT_CARE reads nothing");
}

#[test]
fn work_on_buffers_alone_takes_no_proof_away() {
    for case in
        ["nothing", "acceleration structures", "decompression", "tensors", "memory to memory", "video of others"]
    {
        let done = sandbox().case(case).run(|inside| {
            stored_then(|app, cb, _| {
                let none: *const c_void = ptr::null();
                // SAFETY: nobody looks at what these point to.
                unsafe {
                    match inside.case() {
                        "acceleration structures" => app.vkCmdBuildAccelerationStructuresKHR(cb, 0, none, ptr::null()),
                        "decompression" => app.vkCmdDecompressMemoryEXT(cb, none),
                        "tensors" => app.vkCmdCopyTensorARM(cb, none),
                        "memory to memory" => app.vkCmdCopyMemoryIndirectKHR(cb, none),
                        "video of others" => app.vkCmdDecodeVideoKHR(cb, &vk::VideoDecodeInfoKHR::default()),
                        _ => {}
                    }
                }
            })
        });
        let report = done.folder.report();
        assert_eq!(codes(&report), ["TL006"], "{case}");
        let named = report.not_modelled.iter().any(|what| what.contains("vkCmd"));
        assert_eq!(named, case != "nothing", "{case}: {:?}", report.not_modelled);
    }
}

#[test]
fn a_picture_that_is_encoded_was_stored_for_the_encoder() {
    let done = sandbox().run(|_| {
        stored_then(|app, cb, image| {
            let picture = vk::VideoPictureResourceInfoKHR::default().image_view_binding(image.view);
            let info = vk::VideoEncodeInfoKHR::default().src_picture_resource(picture);
            // SAFETY: valid arguments.
            unsafe { app.vkCmdEncodeVideoKHR(cb, &info) };
        })
    });
    assert_eq!(codes(&done.folder.report()), Vec::<&str>::new());
}

#[test]
fn a_decoder_reads_its_references_and_only_writes_what_it_decodes_and_reconstructs() {
    for (case, wasted) in [("reference", false), ("decoded", true), ("reconstructed", true), ("others", true)] {
        let done = sandbox().case(case).run(|inside| {
            let case = inside.case();
            stored_then(|app, cb, image| {
                let ours = |name| if case == name { image.view } else { vk::ImageView::null() };
                let picture = |view| vk::VideoPictureResourceInfoKHR::default().image_view_binding(view);
                let pictures = ["reference", "reconstructed"].map(|name| picture(ours(name)));
                let [reference, setup] =
                    [0, 1].map(|n| vk::VideoReferenceSlotInfoKHR::default().picture_resource(&pictures[n]));
                let references = [reference];
                let info = vk::VideoDecodeInfoKHR::default()
                    .dst_picture_resource(picture(ours("decoded")))
                    .setup_reference_slot(&setup)
                    .reference_slots(&references);
                // SAFETY: valid arguments.
                unsafe { app.vkCmdDecodeVideoKHR(cb, &info) };
            })
        });
        let report = done.folder.report();
        assert_eq!(codes(&report), if wasted { vec!["TL006"] } else { vec![] }, "{case}");
        assert!(report.not_modelled.iter().any(|what| what.contains("vkCmdDecodeVideoKHR")), "{case}");
    }
}

#[test]
fn a_copy_whose_regions_only_the_gpu_knows_overwrites_nothing_for_sure() {
    for case in ["KHR", "NV", "whole"] {
        let done = sandbox().case(case).run(|inside| {
            let scene = scene();
            let image = scene.image(RGBA8, 64, 64, 1);
            scene.record(|app, cb| {
                // The load reads what the copy left of the last frame's store.
                let indirect = CopyMemoryToImageIndirectInfo::new(image.image, std::slice::from_ref(&LAYERS));
                let range = AddressRange { address: 0, size: 0 };
                let texels = [DeviceMemoryImageCopy::new(range, LAYERS, EXTENT)];
                let whole = CopyDeviceMemoryImageInfo::new(image.image, &texels);
                // SAFETY: valid arguments.
                unsafe {
                    match inside.case() {
                        "KHR" => app.vkCmdCopyMemoryToImageIndirectKHR(cb, indirect.as_ptr()),
                        "NV" => app.vkCmdCopyMemoryToImageIndirectNV(cb, 0, 1, 64, image.image, GENERAL, &LAYERS),
                        _ => app.vkCmdCopyMemoryToImageKHR(cb, whole.as_ptr()),
                    }
                }
                pass(&scene, &image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE);
            });
            for _ in 0..4 {
                scene.submit(scene.buffer);
            }
            scene.stop();
        });
        let expected: &[&str] = if case == "whole" { &["TL006"] } else { &[] };
        assert_eq!(codes(&done.folder.report()), expected, "{case}");
    }
}

/// Texels of the whole image, to or from memory of the application.
fn upload(app: &App, image: vk::Image) -> vk::Result {
    let texels = [0u8; IMAGE as usize];
    let regions = [vk::MemoryToImageCopyEXT::default().image_subresource(LAYERS).image_extent(EXTENT)];
    let regions = regions.map(|region| vk::MemoryToImageCopyEXT { p_host_pointer: texels.as_ptr().cast(), ..region });
    let info = vk::CopyMemoryToImageInfoEXT::default().dst_image(image).dst_image_layout(GENERAL).regions(&regions);
    // SAFETY: valid arguments.
    unsafe { app.vkCopyMemoryToImage(app.device, &info) }
}

fn read_back(app: &App, image: vk::Image) -> vk::Result {
    let mut texels = [0u8; IMAGE as usize];
    let regions = [vk::ImageToMemoryCopyEXT::default().image_subresource(LAYERS).image_extent(EXTENT)];
    let regions = regions.map(|r| vk::ImageToMemoryCopyEXT { p_host_pointer: texels.as_mut_ptr().cast(), ..r });
    let info = vk::CopyImageToMemoryInfoEXT::default().src_image(image).src_image_layout(GENERAL).regions(&regions);
    // SAFETY: valid arguments.
    unsafe { app.vkCopyImageToMemory(app.device, &info) }
}

#[test]
fn what_the_host_copies_is_in_no_gpus_figures_and_beside_them_with_its_bytes() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let image = scene.image(RGBA8, 64, 64, 1);
        assert_eq!(upload(&scene.app, image.image), vk::Result::SUCCESS);
        scene.record(|_, _| pass(&scene, &image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE));
        scene.submit(scene.buffer);
        scene.stop();
    });
    let report = done.folder.report();
    let frame = &report.frames[0];
    assert_eq!(frame.transfers[0].kind, "copy_memory_to_image");
    let host = frame.transfers[0].host.unwrap();
    assert_eq!((host.read_bytes.0, host.write_bytes.0), (0, IMAGE));
    assert!(frame.gpus[GPU].transfers.is_empty());
    assert_eq!((frame.gpus[GPU].read_bytes.0, frame.gpus[GPU].write_bytes.0), (IMAGE, IMAGE), "the pass alone");
    // The upload came before the load, which therefore has something to load.
    assert_eq!(codes(&report), Vec::<&str>::new());
}

#[test]
fn the_host_takes_its_place_among_the_submissions() {
    let done = sandbox().set("frame_submits", "2").run(|_| {
        let scene = scene();
        let image = scene.image(RGBA8, 64, 64, 1);
        scene.record(|_, _| pass(&scene, &image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE));
        scene.submit(scene.buffer);
        assert_eq!(read_back(&scene.app, image.image), vk::Result::SUCCESS);
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let transition = vk::HostImageLayoutTransitionInfoEXT::default()
            .image(image.image)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(GENERAL)
            .subresource_range(range);
        let app = &scene.app;
        // SAFETY: valid arguments.
        assert_eq!(unsafe { app.vkTransitionImageLayout(app.device, 1, &transition) }, vk::Result::SUCCESS);
        scene.app.driver().inject("vkCopyMemoryToImage", vk::Result::ERROR_MEMORY_MAP_FAILED);
        assert_eq!(upload(&scene.app, image.image), vk::Result::ERROR_MEMORY_MAP_FAILED);
        scene.submit(scene.buffer);
        scene.stop();
    });
    let frames = done.frames();
    let [(_, frame)] = &frames[..] else { panic!("{frames:?}") };
    let queues: Vec<_> = frame.submissions.iter().map(|s| s.queue).collect();
    assert_eq!(queues, [0, HOST_QUEUE, 0], "what the host does in a row is one submission");
    let [Op::Transfer(copy), Op::Barrier(barrier)] = &frame.submissions[1].ops[..] else { panic!("{frame:?}") };
    assert_eq!(copy.kind, TransferKind::CopyImageToMemory);
    assert!(matches!((&copy.regions[0].src, &copy.regions[0].dst), (Some(Side::Image(_)), None)));
    assert_eq!((barrier.images[0].old_layout.0, barrier.images[0].new_layout.0), (0, GENERAL.as_raw()));
}

#[test]
fn what_the_host_reads_back_was_stored_for_it() {
    for (case, expected) in [("read", &[][..]), ("not read", &["TL006"])] {
        let done = sandbox().case(case).run(|inside| {
            let scene = scene();
            let image = scene.image(RGBA8, 64, 64, 1);
            scene.record(|_, _| pass(&scene, &image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE));
            for _ in 0..4 {
                scene.submit(scene.buffer);
                if inside.case() == "read" {
                    assert_eq!(read_back(&scene.app, image.image), vk::Result::SUCCESS);
                }
            }
            scene.stop();
        });
        assert_eq!(codes(&done.folder.report()), expected, "{case}");
    }
}
