//! Memory and what is bound to it: external, aliased, and how the driver compresses it.
#![allow(clippy::unwrap_used)]

use ash::vk::{self, Handle};
use std::ffi::c_void;
use std::ptr;
use tbdr_model::frame::{self, FrameStructure, ImageCompression, SharedBytes};
use tbdr_model::record::{Commitment, Record};
use tbdr_model::report::LazyMemory;
use tbdr_model::units::Bytes;
use tilelens_tests::fake::driver::COMMITTED;
use tilelens_tests::fake::{Call, Chain, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::{Image, Scene, attachment};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();
const EXTENT: vk::Extent2D = vk::Extent2D { width: 64, height: 64 };
/// What the fake driver says that any image takes.
const SIZE: u64 = 65536;

fn sandbox() -> Sandbox {
    Sandbox::new().set("sync", "1").set("gpu", "mali-g76").set("frame_submits", "1")
}

fn scene() -> Scene {
    Scene::start(Options::default())
}

fn info() -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(RGBA8)
        .extent(EXTENT.into())
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
}

fn allocate(scene: &Scene, info: &vk::MemoryAllocateInfo<'_>) -> vk::DeviceMemory {
    let mut memory = vk::DeviceMemory::null();
    // SAFETY: valid arguments.
    unsafe { scene.app.vkAllocateMemory(scene.app.device, info, NO, &mut memory).result().unwrap() };
    memory
}

fn create(scene: &Scene, info: &vk::ImageCreateInfo<'_>) -> vk::Image {
    let mut image = vk::Image::null();
    // SAFETY: valid arguments.
    unsafe { scene.app.vkCreateImage(scene.app.device, info, NO, &mut image).result().unwrap() };
    image
}

/// An image on memory of its own or on given memory, with a view.
fn bound(scene: &Scene, info: &vk::ImageCreateInfo<'_>, memory: vk::DeviceMemory, offset: u64) -> Image {
    let (app, image) = (&scene.app, create(scene, info));
    // SAFETY: valid arguments.
    unsafe {
        app.vkGetImageMemoryRequirements(app.device, image, &mut vk::MemoryRequirements::default());
        app.vkBindImageMemory(app.device, image, memory, offset).result().unwrap();
    }
    let view = scene.view(image, info.format, 1);
    Image { image, memory, view, format: info.format, extent: EXTENT, samples: vk::SampleCountFlags::TYPE_1 }
}

/// Four frames that clear and store images for nobody.
fn waste(scene: &Scene, images: &[&Image]) {
    scene.record(|_, _| {
        for image in images {
            let (load, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
            let pass = scene.render_pass(&[attachment(image, load, store)]);
            let framebuffer = scene.framebuffer(pass, &[image]);
            scene.pass(pass, framebuffer, EXTENT, 1);
        }
    });
    for _ in 0..4 {
        scene.submit(scene.buffer);
    }
}

fn last(done: &Done) -> FrameStructure {
    done.frames().pop().unwrap().1
}

/// The only image of the last frame.
fn only(done: &Done) -> frame::Image {
    let frame = last(done);
    assert_eq!(frame.images.len(), 1, "{:?}", frame.images);
    frame.images[0].clone()
}

fn findings(done: &Done) -> usize {
    done.folder.report().findings.len()
}

#[test]
fn of_two_live_resources_on_the_same_bytes_nothing_is_proved() {
    // The offset of the second, whether the first is destroyed before, and whether they alias each other.
    let cases = [
        ("same bytes", 0, false, true),
        ("last byte of the first", SIZE - 256, false, true),
        ("side by side", SIZE, false, false),
        ("one after the other", 0, true, false),
        ("a buffer", 0, false, true),
        ("a buffer beside it", SIZE, false, false),
    ];
    for (case, _, _, aliased) in cases {
        let done = sandbox().case(case).run(|inside| {
            let scene = scene();
            let app = &scene.app;
            let case = inside.case();
            let (_, offset, destroyed, _) = cases.into_iter().find(|(name, ..)| *name == case).unwrap();
            let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(4 * SIZE));
            let first = bound(&scene, &info(), memory, 0);
            if case.starts_with("a buffer") {
                let mut buffer = vk::Buffer::null();
                let info = vk::BufferCreateInfo::default().size(4096);
                // SAFETY: valid arguments.
                unsafe {
                    app.vkCreateBuffer(app.device, &info, NO, &mut buffer).result().unwrap();
                    app.vkBindBufferMemory(app.device, buffer, memory, offset).result().unwrap();
                }
                waste(&scene, &[&first]);
            } else {
                if destroyed {
                    // SAFETY: live and not in use.
                    unsafe {
                        app.vkDestroyImageView(app.device, first.view, NO);
                        app.vkDestroyImage(app.device, first.image, NO);
                    }
                }
                let second = bound(&scene, &info(), memory, offset);
                waste(&scene, &if destroyed { vec![&second] } else { vec![&first, &second] });
            }
            scene.stop();
        });
        let frame = last(&done);
        assert!(frame.images.iter().all(|image| image.memory.aliased == aliased), "{case}: {:?}", frame.images);
        let shared: Vec<_> = frame.images.iter().map(|image| image.memory.shared.clone()).collect();
        if let [first, second] = &frame.images[..] {
            let bytes = |offset| vec![SharedBytes { stretch: 0, offset, size: SIZE }];
            let (_, offset, ..) = cases.into_iter().find(|(name, ..)| *name == case).unwrap();
            assert_eq!(shared, if aliased { [bytes(0), bytes(offset)] } else { [vec![], vec![]] }, "{case}");
            assert_eq!(first.memory.overlaps(&second.memory), aliased, "{case}");
        } else {
            // The buffer is not of the frame.
            assert_eq!(shared, [vec![]], "{case}");
        }
        assert_eq!(findings(&done) > 0, !aliased, "{case}");
    }
}

#[test]
fn frames_that_share_memory_in_the_same_way_elsewhere_are_the_same_frame() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let app = &scene.app;
        let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(16 * SIZE));
        // Of two frames in flight each has two images that overlap by half, one beside, and a buffer on the second of them.
        for base in [0, 5 * SIZE] {
            let offsets = [base + SIZE, base + SIZE / 2, base + 3 * SIZE];
            let images = offsets.map(|offset| bound(&scene, &info(), memory, offset));
            let mut buffer = vk::Buffer::null();
            let info = vk::BufferCreateInfo::default().size(256);
            // SAFETY: valid arguments.
            unsafe {
                app.vkCreateBuffer(app.device, &info, NO, &mut buffer).result().unwrap();
                app.vkBindBufferMemory(app.device, buffer, memory, base + SIZE / 2).result().unwrap();
            }
            let [first, second, beside] = &images;
            waste(&scene, &[beside, first, second]);
            scene.record(|app, cb| {
                for image in [beside, first, second] {
                    let (load, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
                    let pass = scene.render_pass(&[attachment(image, load, store)]);
                    scene.pass(pass, scene.framebuffer(pass, &[image]), EXTENT, 1);
                }
                // SAFETY: valid arguments.
                unsafe { app.vkCmdFillBuffer(cb, buffer, 0, 256, 0) };
            });
            scene.submit(scene.buffer);
        }
        scene.stop();
    });
    let frames = done.frames();
    let structures: std::collections::BTreeSet<_> = frames.iter().map(|(frame, _)| frame.structure).collect();
    assert_eq!(structures.len(), 2, "without the buffer and with it");
    let frame = last(&done);
    let bytes = |offset, size| vec![SharedBytes { stretch: 0, offset, size }];
    let shared: Vec<_> = frame.images.iter().map(|image| image.memory.shared.clone()).collect();
    assert_eq!(shared, [vec![], bytes(SIZE / 2, SIZE), bytes(0, SIZE)]);
    assert_eq!(frame.buffers[0].memory.shared, bytes(0, 256));
}

#[test]
fn an_image_knows_whether_lazily_allocated_memory_was_offered_for_it() {
    let cases = [("offered", 0b111, Some(true)), ("not offered", 0b011, Some(false)), ("never asked", 0b111, None)];
    for (case, ..) in cases {
        for before in [false, true] {
            let done = sandbox().case(&format!("{case} {before}")).run(|inside| {
                let case = inside.case();
                let (name, types, _) = cases.into_iter().find(|(name, ..)| case.starts_with(name)).unwrap();
                let scene = Scene::start(Options { memory_type_bits: types, ..Options::default() });
                let (app, info) = (&scene.app, info());
                let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(SIZE));
                let ask = vk::DeviceImageMemoryRequirements::default().create_info(&info);
                let mut answer = vk::MemoryRequirements2::default();
                let asked = name != "never asked";
                if asked && case.ends_with("true") {
                    // SAFETY: valid arguments.
                    unsafe { app.vkGetDeviceImageMemoryRequirements(app.device, &ask, &mut answer) };
                }
                let image = create(&scene, &info);
                // SAFETY: valid arguments.
                unsafe {
                    if asked && case.ends_with("false") {
                        app.vkGetImageMemoryRequirements(app.device, image, &mut answer.memory_requirements);
                    }
                    app.vkBindImageMemory(app.device, image, memory, 0).result().unwrap();
                }
                let (view, samples) = (scene.view(image, info.format, 1), vk::SampleCountFlags::TYPE_1);
                waste(&scene, &[&Image { image, memory, view, format: info.format, extent: EXTENT, samples }]);
                scene.stop();
            });
            let (.., expected) = cases.into_iter().find(|(name, ..)| *name == case).unwrap();
            assert_eq!(only(&done).memory.lazy_offered, expected, "{case}, before: {before}");
        }
    }
}

#[test]
fn what_lazily_allocated_memory_cost_is_asked_when_it_is_freed() {
    for (case, memory_type, freed) in [("lazy", 2, true), ("of another kind", 0, true), ("never freed", 2, false)] {
        let done = sandbox().case(case).run(|inside| {
            let case = inside.case();
            let memory_type = if case == "of another kind" { 0 } else { 2 };
            let chain = Chain::new(Options::default());
            let scene = Scene::new(chain.start());
            let app = &scene.app;
            let allocation = vk::MemoryAllocateInfo::default().allocation_size(SIZE).memory_type_index(memory_type);
            let memory = allocate(&scene, &allocation);
            let transient =
                info().usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
            let image = bound(&scene, &transient, memory, 0);
            waste(&scene, &[&image]);
            // SAFETY: live and not in use.
            unsafe {
                app.vkDestroyImageView(app.device, image.view, NO);
                app.vkDestroyImage(app.device, image.image, NO);
                if case != "never freed" {
                    app.vkFreeMemory(app.device, memory, NO);
                }
            }
            scene.app.stop();
            chain.driver.assert_neutral();
        });
        let told: Vec<_> = done
            .records()
            .into_iter()
            .filter_map(|record| match record {
                Record::Commitment(commitment) => Some(commitment),
                _ => None,
            })
            .collect();
        let asked = memory_type == 2 && freed;
        let (frame, _) = done.frames().pop().unwrap();
        let expected = Commitment { images: frame.images, size: SIZE, committed: COMMITTED };
        assert_eq!(told, if asked { vec![expected] } else { vec![] }, "{case}");
        let shown = done.folder.report().frames[0].images[0].lazy_memory;
        let expected = LazyMemory { size_bytes: Bytes(SIZE), committed_bytes: Bytes(COMMITTED) };
        assert_eq!(shown, asked.then_some(expected), "{case}");
    }
}

#[test]
fn planes_of_one_image_that_lie_side_by_side_do_not_alias_it() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let app = &scene.app;
        let memory =
            allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(4 * SIZE).memory_type_index(2));
        let info = info().format(vk::Format::G8_B8R8_2PLANE_420_UNORM).flags(vk::ImageCreateFlags::DISJOINT);
        let image = create(&scene, &info);
        let planes = [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1];
        for (aspect, offset) in planes.into_iter().zip([0, SIZE]) {
            let mut plane = vk::ImagePlaneMemoryRequirementsInfo::default().plane_aspect(aspect);
            let ask = vk::ImageMemoryRequirementsInfo2::default().image(image).push_next(&mut plane);
            let mut plane = vk::BindImagePlaneMemoryInfo::default().plane_aspect(aspect);
            let bind = vk::BindImageMemoryInfo::default()
                .image(image)
                .memory(memory)
                .memory_offset(offset)
                .push_next(&mut plane);
            // SAFETY: valid arguments.
            unsafe {
                app.vkGetImageMemoryRequirements2(app.device, &ask, &mut vk::MemoryRequirements2::default());
                app.vkBindImageMemory2(app.device, 1, &bind).result().unwrap();
            }
        }
        let view = scene.view(image, RGBA8, 1);
        let samples = vk::SampleCountFlags::TYPE_1;
        waste(&scene, &[&Image { image, memory, view, format: RGBA8, extent: EXTENT, samples }]);
        scene.stop();
    });
    let memory = only(&done).memory;
    assert!(!memory.aliased);
    assert_eq!(memory.properties, Some(0x11), "device local and lazily allocated: the type of both planes");
}

/// A struct of this type with a value that is not zero behind its head, which is all that anybody reads of it.
fn chained(s_type: i32) -> vk::ExternalFormatANDROID<'static> {
    vk::ExternalFormatANDROID { s_type: vk::StructureType::from_raw(s_type), external_format: 1, ..Default::default() }
}

#[test]
fn memory_that_others_share_is_external_however_it_is_shared() {
    // Imports and exports of memory; the last is dedicated memory, which nobody else sees.
    let cases = [
        ("fd", vk::StructureType::IMPORT_MEMORY_FD_INFO_KHR.as_raw(), true),
        ("export", vk::StructureType::EXPORT_MEMORY_ALLOCATE_INFO.as_raw(), true),
        ("host pointer", vk::StructureType::IMPORT_MEMORY_HOST_POINTER_INFO_EXT.as_raw(), true),
        ("Android", vk::StructureType::IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID.as_raw(), true),
        ("Metal handle", 1_000_602_000, true),
        ("OpenHarmony", 1_000_452_003, true),
        ("dedicated", vk::StructureType::MEMORY_DEDICATED_ALLOCATE_INFO.as_raw(), false),
        ("priority", vk::StructureType::MEMORY_PRIORITY_ALLOCATE_INFO_EXT.as_raw(), false),
    ];
    for (case, _, external) in cases {
        let done = sandbox().case(case).run(|inside| {
            let scene = scene();
            let (_, s_type, _) = cases.into_iter().find(|(name, ..)| *name == inside.case()).unwrap();
            let item = chained(s_type);
            let mut allocation = vk::MemoryAllocateInfo::default().allocation_size(SIZE);
            allocation.p_next = (&raw const item).cast();
            let memory = allocate(&scene, &allocation);
            waste(&scene, &[&bound(&scene, &info(), memory, 0)]);
            scene.stop();
        });
        assert_eq!(only(&done).memory.external, external, "{case}");
        assert_eq!(findings(&done) > 0, !external, "{case}");
    }
}

#[test]
fn images_that_are_made_to_be_shared_are_external_whatever_memory_they_get() {
    let cases = [
        ("handle types", vk::StructureType::EXTERNAL_MEMORY_IMAGE_CREATE_INFO.as_raw(), true),
        ("Metal texture", vk::StructureType::IMPORT_METAL_TEXTURE_INFO_EXT.as_raw(), true),
        ("Android's own", 1_000_010_000, true),
        ("an external format", vk::StructureType::EXTERNAL_FORMAT_ANDROID.as_raw(), true),
        ("a list of formats", vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO.as_raw(), false),
    ];
    for (case, _, external) in cases {
        let done = sandbox().case(case).run(|inside| {
            let scene = scene();
            let (_, s_type, external) = cases.into_iter().find(|(name, ..)| *name == inside.case()).unwrap();
            let (shared, list) = (chained(s_type), vk::ImageFormatListCreateInfo::default());
            let next: *const c_void = if external { (&raw const shared).cast() } else { (&raw const list).cast() };
            let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(SIZE));
            let info = vk::ImageCreateInfo { p_next: next, ..info() };
            waste(&scene, &[&bound(&scene, &info, memory, 0)]);
            scene.stop();
        });
        assert_eq!(only(&done).memory.external, external, "{case}");
    }
}

/// VkImageUsageFlags2CreateInfoKHR.
#[repr(C)]
struct Usage2 {
    s_type: i32,
    next: *const c_void,
    usage: u64,
}

#[test]
fn usages_count_wherever_they_are_written() {
    let depth = || {
        let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        info().format(vk::Format::D32_SFLOAT_S8_UINT).usage(usage)
    };
    for case in ["stencil", "second form", "beyond 32 bits"] {
        let done = sandbox().case(case).run(|inside| {
            let (scene, case) = (scene(), inside.case());
            let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(SIZE));
            let mut stencil = vk::ImageStencilUsageCreateInfo::default()
                .stencil_usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
            let beyond = if case == "beyond 32 bits" { 1 << 40 } else { 0 };
            let second = Usage2 { s_type: 1_000_668_002, next: ptr::null(), usage: 0x20 | 0x8 | beyond };
            let info = match case {
                "stencil" => depth().push_next(&mut stencil),
                _ => vk::ImageCreateInfo { p_next: (&raw const second).cast(), ..depth() },
            };
            waste(&scene, &[&bound(&scene, &info, memory, 0)]);
            scene.stop();
        });
        let image = only(&done);
        match case {
            "stencil" => assert_eq!((image.usage, image.stencil_usage), (0x20, Some(0x24))),
            _ => assert_eq!((image.usage, image.reached_unseen), (0x28, case == "beyond 32 bits"), "{case}"),
        }
    }
}

#[test]
fn an_image_of_an_optical_flow_session_is_read_unseen() {
    let done = sandbox().run(|_| {
        let scene = scene();
        let app = &scene.app;
        let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(SIZE));
        let image = bound(&scene, &info(), memory, 0);
        let (session, point) = (vk::OpticalFlowSessionNV::from_raw(9), vk::OpticalFlowSessionBindingPointNV::INPUT);
        // SAFETY: valid arguments.
        let result = unsafe {
            app.vkBindOpticalFlowSessionImageNV(app.device, session, point, image.view, vk::ImageLayout::GENERAL)
        };
        assert_eq!(result, vk::Result::SUCCESS);
        waste(&scene, &[&image]);
        scene.stop();
    });
    assert!(only(&done).reached_unseen);
    assert_eq!(findings(&done), 0);
}

/// Binds the whole of a sparse image to memory.
fn bind_sparse(scene: &Scene, queue: vk::Queue, image: vk::Image, memory: vk::DeviceMemory) {
    let binds = [vk::SparseImageMemoryBind::default().memory(memory).extent(EXTENT.into())];
    let images = [vk::SparseImageMemoryBindInfo::default().image(image).binds(&binds)];
    let bind = vk::BindSparseInfo::default().image_binds(&images);
    // SAFETY: valid arguments.
    unsafe { scene.app.vkQueueBindSparse(queue, 1, &bind, vk::Fence::null()).result().unwrap() };
}

/// An image that is sparse, or an ordinary one, on memory of its own.
fn sparse_or_not(scene: &Scene, sparse: bool) -> Image {
    let memory = allocate(scene, &vk::MemoryAllocateInfo::default().allocation_size(SIZE));
    if !sparse {
        return bound(scene, &info(), memory, 0);
    }
    let flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
    let image = create(scene, &info().flags(flags));
    bind_sparse(scene, scene.queue, image, memory);
    let view = scene.view(image, RGBA8, 1);
    Image { image, memory, view, format: RGBA8, extent: EXTENT, samples: vk::SampleCountFlags::TYPE_1 }
}

#[test]
fn sparse_images_are_undecided() {
    for sparse in [false, true] {
        let done = sandbox().case(if sparse { "sparse" } else { "ordinary" }).run(|inside| {
            let scene = scene();
            let image = sparse_or_not(&scene, inside.case() == "sparse");
            waste(&scene, &[&image]);
            scene.stop();
        });
        assert_eq!(findings(&done) == 0, sparse);
        let doubts = done.folder.report().undecided_advice.unwrap();
        assert_eq!(doubts.iter().any(|doubt| doubt.about == "sparse_attachments"), sparse, "{doubts:?}");
    }
}

#[test]
fn a_sparse_image_that_gets_other_memory_on_another_queue_is_no_hazard_to_who_loads_what_a_pass_discarded() {
    for sparse in [false, true] {
        let done = sandbox().case(if sparse { "sparse" } else { "ordinary" }).run(|inside| {
            let chain = Chain::new(Options::default());
            let priority = [1.0, 1.0];
            let family = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priority)];
            let app = chain.start().open_device(&vk::DeviceCreateInfo::default().queue_create_infos(&family)).unwrap();
            let scene = Scene::new(app);
            let other = scene.app.queue(0, 1);
            let image = sparse_or_not(&scene, inside.case() == "sparse");
            let (load, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE);
            let discards = scene.render_pass(&[attachment(&image, load, store)]);
            let loads =
                scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::LOAD, vk::AttachmentStoreOp::STORE)]);
            for _ in 0..3 {
                for pass in [discards, loads] {
                    scene.record(|_, _| scene.pass(pass, scene.framebuffer(pass, &[&image]), EXTENT, 1));
                    scene.submit(scene.buffer);
                    if inside.case() == "sparse" {
                        bind_sparse(&scene, other, image.image, image.memory);
                    }
                }
            }
            scene.stop();
        });
        let hazards = done.folder.report().findings.iter().filter(|f| f.code == "TL015").count();
        assert_eq!(hazards == 0, sparse);
    }
}

#[test]
fn an_image_on_bytes_that_a_sparse_resource_was_given_is_aliased_whichever_came_first_and_its_neighbour_is_not() {
    for case in ["buffer", "opaque", "texels", "buffer first", "opaque first", "texels first", "taken away"] {
        let done = sandbox().case(case).run(|inside| {
            let (scene, case) = (scene(), inside.case());
            let app = &scene.app;
            let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(4 * SIZE));
            let ordinary = || [bound(&scene, &info(), memory, SIZE), bound(&scene, &info(), memory, 2 * SIZE)];
            let early = (!case.contains("first") && case != "taken away").then(ordinary);
            let flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
            // A buffer, or an image, on the first and the second quarter.
            let buffer_info =
                vk::BufferCreateInfo::default().size(2 * SIZE).flags(vk::BufferCreateFlags::SPARSE_BINDING);
            let (mut buffer, sparse) = (vk::Buffer::null(), create(&scene, &info().flags(flags)));
            // SAFETY: valid arguments.
            unsafe { app.vkCreateBuffer(app.device, &buffer_info, NO, &mut buffer).result().unwrap() };
            let give = |memory| {
                let parts = [0, 1].map(|n| {
                    vk::SparseMemoryBind::default()
                        .size(SIZE)
                        .resource_offset(n * SIZE)
                        .memory(memory)
                        .memory_offset(n * SIZE)
                });
                let texels = [0, 1].map(|n| {
                    let extent = vk::Extent3D { width: 64, height: 32, depth: 1 };
                    vk::SparseImageMemoryBind::default().extent(extent).memory(memory).memory_offset(n * SIZE)
                });
                let buffers = [vk::SparseBufferMemoryBindInfo::default().buffer(buffer).binds(&parts)];
                let opaque = [vk::SparseImageOpaqueMemoryBindInfo::default().image(sparse).binds(&parts)];
                let images = [vk::SparseImageMemoryBindInfo::default().image(sparse).binds(&texels)];
                let bind = match case.split(' ').next() {
                    Some("opaque") => vk::BindSparseInfo::default().image_opaque_binds(&opaque),
                    Some("texels") => vk::BindSparseInfo::default().image_binds(&images),
                    _ => vk::BindSparseInfo::default().buffer_binds(&buffers),
                };
                // SAFETY: valid arguments.
                unsafe { app.vkQueueBindSparse(scene.queue, 1, &bind, vk::Fence::null()).result().unwrap() };
            };
            give(memory);
            if case == "taken away" {
                give(vk::DeviceMemory::null());
            }
            let [within, beside] = early.unwrap_or_else(ordinary);
            waste(&scene, &[&within, &beside]);
            scene.stop();
        });
        let aliased: Vec<bool> = last(&done).images.iter().map(|image| image.memory.aliased).collect();
        assert_eq!(aliased, [true, false], "{case}");
    }
}

#[test]
fn the_drivers_own_compression_is_asked_for_once_where_the_application_may_ask() {
    for (case, enabled) in [("enabled", true), ("not enabled", false)] {
        let done = sandbox().case(case).run(|inside| {
            let enabled = inside.case() == "enabled";
            let chain = Chain::new(Options { api: vk::make_api_version(0, 1, 4, 0), ..Options::default() });
            let app = chain.create_instance(&vk::InstanceCreateInfo::default()).unwrap();
            let mut features =
                vk::PhysicalDeviceImageCompressionControlFeaturesEXT::default().image_compression_control(enabled);
            let info_ = vk::DeviceCreateInfo::default().push_next(&mut features);
            let scene = Scene::new(app.open_device(&info_).unwrap());
            let mut control = vk::ImageCompressionControlEXT::default().flags(vk::ImageCompressionFlagsEXT::DISABLED);
            let attachment = info().push_next(&mut control);
            let memory = allocate(&scene, &vk::MemoryAllocateInfo::default().allocation_size(4 * SIZE));
            let target = bound(&scene, &attachment, memory, 0);
            // No attachment: of no interest.
            bound(&scene, &info().usage(vk::ImageUsageFlags::SAMPLED), memory, SIZE);
            waste(&scene, &[&target]);
            scene.app.stop();
            // Besides, the layer asks about the physical device.
            let names = |calls: Vec<Call>| calls.into_iter().map(|c| c.name).filter(|n| !n.contains("PhysicalDevice"));
            let (asked, others): (Vec<_>, Vec<_>) =
                names(chain.driver.received()).partition(|name| name.starts_with("vkGetImageSubresourceLayout2"));
            assert_eq!(asked.len(), usize::from(enabled));
            assert_eq!(others, names(chain.driver.sent()).collect::<Vec<_>>(), "nothing else is added");
        });
        let image = only(&done);
        assert_eq!(image.compression_control, Some(ImageCompression { flags: 4, fixed_rates: 0 }));
        assert_eq!(image.driver_compression, enabled.then_some(ImageCompression { flags: 1, fixed_rates: 0b10 }));
        let report = done.folder.report();
        let shown = report.frames[0].images[0].driver_compression.clone();
        assert_eq!(
            shown.map(|c| (c.kind.into_owned(), c.fixed_rates)),
            enabled.then(|| ("fixed_rate_default".to_owned(), vec![2]))
        );
        let predicted = &report.frames[0].gpus["mali-g76"].compression;
        assert!(!predicted.is_empty() && predicted.iter().all(|c| c.eligible == Some(false)), "{predicted:?}");
    }
}
