//! Frames of so many passes, each shape of which gives other rules much to say.

use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// A frame of so many passes in a row. Each draws to a colour image of its own and to a depth image that all share, loading what the
/// pass before left; every fourth reads its own colour in a second subpass; a barrier stands between passes. What passes draw may
/// be sampled later, but for every tenth, which is copied, and every tenth that nothing reads: those are the findings.
pub fn frame(passes: usize) -> FrameStructure {
    let extent = Extent2D::new(1920, 1080);
    let image = |name: &str, usage| Image {
        format: format::by_name(name).unwrap().format,
        dimension: 1,
        extent: Extent3D::from([extent.width, extent.height, 1]),
        mips: 1,
        layers: 1,
        samples: 1,
        usage,
        ..Image::default()
    };
    let mut images = vec![
        image("D32_SFLOAT", usage::DEPTH_STENCIL_ATTACHMENT),
        image("R8G8B8A8_UNORM", usage::TRANSFER_DST | usage::TRANSFER_SRC),
    ];
    images.extend((0..passes).map(|number| {
        let read = match number % 10 {
            9 => usage::TRANSFER_SRC,
            5 => 0,
            _ => usage::SAMPLED,
        };
        image("R8G8B8A8_UNORM", usage::COLOR_ATTACHMENT | read)
    }));
    let range = |aspects| SubresourceRange { aspects, mips: 1, layers: 1, ..SubresourceRange::default() };
    let attachment = |name: &str, number: usize, aspects, load, store| Attachment {
        image: Some(ImageRef(number as u32)),
        range: range(aspects),
        format: format::by_name(name).unwrap().format,
        samples: 1,
        load,
        store,
        // VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL for what is loaded: contents in layout UNDEFINED would be lost.
        initial_layout: Layout(if load == LoadOp::Load { 3 } else { 0 }),
        ..Attachment::default()
    };
    let using = |attachment| Some(AttachmentUse { attachment, ..AttachmentUse::default() });
    let mut ops = Vec::new();
    for number in 0..passes {
        let depth_load = if number == 0 { LoadOp::Clear } else { LoadOp::Load };
        let mut pass = Pass {
            extent,
            render_area: Rect2D { extent, ..Rect2D::default() },
            layers: 1,
            attachments: vec![
                attachment("R8G8B8A8_UNORM", number + 2, Aspects::COLOR, LoadOp::Clear, StoreOp::Store),
                attachment("D32_SFLOAT", 0, Aspects::DEPTH, depth_load, StoreOp::Store),
            ],
            subpasses: vec![Subpass { color: vec![using(0)], depth: using(1), drawn: true, ..Subpass::default() }],
            ..Pass::default()
        };
        if number % 4 == 3 {
            pass.subpasses.push(Subpass { input: vec![using(0)], drawn: true, ..Subpass::default() });
        }
        ops.push(Op::Pass(pass));
        let side = |image: usize| {
            let (image, aspects) = (Some(ImageRef(image as u32)), Aspects::COLOR);
            let extent = Extent3D::from([extent.width, extent.height, 1]);
            Some(Side::Image(ImageRegion { image, aspects, layers: 1, extent, ..ImageRegion::default() }))
        };
        if number % 10 == 9 {
            let regions = vec![Region { src: side(number + 2), dst: side(1) }];
            ops.push(Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::CopyImage, regions }));
        }
        ops.push(Op::Barrier(Barrier::default()));
    }
    let submissions = vec![Submission { ops, ..Submission::default() }];
    FrameStructure { images, submissions, ..FrameStructure::default() }
}

/// The same frame, and what every draw does and reaches is known: passes could go on in the one before, and what nobody reads is stored.
pub fn known(passes: usize) -> FrameStructure {
    let mut frame = frame(passes);
    let draws = DrawFacts {
        known: true,
        color_writes: 1,
        color_masks: [0xf, 0, 0, 0, 0, 0, 0, 0],
        depth_tests: true,
        depth_writes: true,
        depth_compares: 1 << 1,
        samples: 1,
        ..DrawFacts::default()
    };
    for op in frame.submissions.iter_mut().flat_map(|submission| &mut submission.ops) {
        let Op::Pass(pass) = op else { continue };
        for subpass in &mut pass.subpasses {
            (subpass.draws, subpass.shader) = (draws, ShaderAccess::NOTHING);
        }
    }
    frame
}

/// All known, all passes over the same colour, and each with a name of its own: every one could go on in the one before, and is told so.
pub fn row(passes: usize) -> FrameStructure {
    let mut frame = known(passes);
    let mut number = 0;
    for op in frame.submissions.iter_mut().flat_map(|submission| &mut submission.ops) {
        let Op::Pass(pass) = op else { continue };
        pass.labels = vec![format!("pass of row {number}")];
        pass.subpasses.truncate(1);
        pass.attachments[0].image = Some(ImageRef(2));
        if number > 0 {
            (pass.attachments[0].load, pass.attachments[0].initial_layout) = (LoadOp::Load, Layout(2));
        }
        number += 1;
    }
    for submission in &mut frame.submissions {
        submission.ops.retain(|op| matches!(op, Op::Pass(_)));
    }
    frame
}

const EXTENT: Extent2D = Extent2D::new(1920, 1080);
const GENERAL: Layout = Layout(1);
const DRAWN: Layout = Layout(2);
const READ: Layout = Layout(5);

const COLOR: SubresourceRange =
    SubresourceRange { aspects: Aspects::COLOR, base_mip: 0, mips: 1, base_layer: 0, layers: 1 };

/// An image that is drawn to and sampled.
fn target(number: usize, format: &str) -> Image {
    Image {
        name: Some(format!("image {number}")),
        format: format::by_name(format).unwrap().format,
        dimension: 1,
        extent: Extent3D::from([EXTENT.width, EXTENT.height, 1]),
        mips: 1,
        layers: 1,
        samples: 1,
        usage: usage::COLOR_ATTACHMENT | usage::SAMPLED,
        ..Image::default()
    }
}

/// A pass of its own name that draws to one image from scratch and samples the one before, all of which is known.
fn sampling(images: &[Image], number: usize, layouts: [Layout; 2]) -> Pass {
    let before = number.checked_sub(1).map(|before| ImageAccess {
        image: Some(ImageRef(before as u32)),
        range: COLOR,
        kind: AccessKind::Sampled,
        // VK_SHADER_STAGE_FRAGMENT_BIT.
        stages: 0x10,
        certain: true,
    });
    let shader = ShaderAccess { keeps_memory: true, ..ShaderAccess::exactly(before.into_iter().collect()) };
    let draws = DrawFacts {
        known: true,
        color_writes: 1,
        color_masks: [0xf, 0, 0, 0, 0, 0, 0, 0],
        samples: 1,
        ..DrawFacts::default()
    };
    Pass {
        labels: vec![format!("pass {number}")],
        dynamic: true,
        extent: EXTENT,
        render_area: Rect2D { extent: EXTENT, ..Rect2D::default() },
        layers: 1,
        attachments: vec![Attachment {
            image: Some(ImageRef(number as u32)),
            range: COLOR,
            format: images[number].format,
            samples: 1,
            load: LoadOp::Clear,
            store: StoreOp::Store,
            initial_layout: layouts[0],
            final_layout: layouts[1],
            ..Attachment::default()
        }],
        subpasses: vec![Subpass {
            color: vec![Some(AttachmentUse { layout: DRAWN, ..AttachmentUse::default() })],
            drawn: true,
            draws,
            shader,
            ..Subpass::default()
        }],
        ..Pass::default()
    }
}

/// One submission without semaphores, all of whose images somebody shows.
fn submitted(images: Vec<Image>, ops: Vec<Op>) -> FrameStructure {
    let submission = Submission { ops, semaphores: Some(SemaphoreStages::default()), ..Submission::default() };
    let output = Output { image: ImageRef(images.len() as u32 - 1), reason: OutputReason::Present };
    FrameStructure { images, submissions: vec![submission], outputs: vec![output], ..FrameStructure::default() }
}

/// Each pass samples what the one before has drawn, to an image of another fault each: usage STORAGE, a mutable format, a format
/// that is not compressed, concurrent sharing, an old layout UNDEFINED, the layout GENERAL, a blit.
pub fn layouts(passes: usize) -> FrameStructure {
    let mut images: Vec<Image> = (0..passes)
        .map(|number| target(number, if number % 7 == 2 { "B8G8R8A8_UNORM" } else { "R8G8B8A8_UNORM" }))
        .collect();
    let mut ops = Vec::new();
    for number in 0..passes {
        let image = &mut images[number];
        match number % 7 {
            0 => image.usage |= usage::STORAGE,
            // VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT.
            1 => image.flags |= 0x8,
            3 => image.concurrent = true,
            6 => image.usage |= usage::TRANSFER_DST,
            _ => {}
        }
        let layouts = match number % 7 {
            4 => [Layout::UNDEFINED, READ],
            5 => [GENERAL, GENERAL],
            _ => [READ, READ],
        };
        let mut pass = sampling(&images, number, layouts);
        if layouts[0] == GENERAL {
            pass.subpasses[0].color[0].as_mut().unwrap().layout = GENERAL;
        }
        ops.push(Op::Pass(pass));
        if number % 7 == 6 {
            let extent = Extent3D::from([EXTENT.width / 2, EXTENT.height, 1]);
            let side = |image: usize| {
                let (image, aspects) = (Some(ImageRef(image as u32)), Aspects::COLOR);
                Some(Side::Image(ImageRegion { image, aspects, layers: 1, extent, ..ImageRegion::default() }))
            };
            let regions = vec![Region { src: side(number - 1), dst: side(number) }];
            ops.push(Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::Blit, regions }));
        }
    }
    submitted(images, ops)
}

/// VkPipelineStageFlags2.
const TOP: u64 = 0x1;
const VERTEX: u64 = 0x8;
const FRAGMENT: u64 = 0x80;
const WRITES: u64 = 0x400;
const COMPUTE: u64 = 0x800;
const BOTTOM: u64 = 0x2000;

/// Each pass samples what the one before has drawn, and the barrier between them drains the GPU, or holds vertices back; another one is
/// told again, could be one with a third, waits for an event that has just been set, stands inside the pass, or serves a dispatch.
pub fn barriers(passes: usize) -> FrameStructure {
    let mut images: Vec<Image> = (0..passes).map(|number| target(number, "R8G8B8A8_UNORM")).collect();
    // What dispatches write.
    images.push(Image { usage: usage::STORAGE, ..target(passes, "R8G8B8A8_UNORM") });
    let scope = |src_stages, dst_stages| Scope { src_stages, src_access: 0x100, dst_stages, dst_access: 0x20 };
    let barrier = |image: usize, scope, [old_layout, new_layout]: [Layout; 2]| {
        let image = Some(ImageRef(image as u32));
        let barrier = ImageBarrier { image, range: COLOR, scope, old_layout, new_layout, families: None };
        Barrier { images: vec![barrier], ..Barrier::default() }
    };
    let mut ops = Vec::new();
    for number in 0..passes {
        ops.push(Op::Barrier(barrier(number, scope(FRAGMENT, WRITES), [Layout::UNDEFINED, DRAWN])));
        let mut pass = sampling(&images, number, [DRAWN, DRAWN]);
        if number % 9 == 8 {
            pass.subpasses[0].barriers.push(Barrier { memory: vec![scope(WRITES, FRAGMENT)], ..Barrier::default() });
        }
        ops.push(Op::Pass(pass));
        let (source, destination) = if number % 2 == 0 { (BOTTOM, TOP) } else { (WRITES, VERTEX) };
        let read = barrier(number, scope(source, destination), [DRAWN, READ]);
        match number % 3 {
            // The same again.
            0 => {
                let again = barrier(number, scope(source, destination), [READ, READ]);
                ops.extend([Op::Barrier(read), Op::Barrier(again)]);
            }
            1 => {
                let event = EventRef(number as u32);
                ops.push(Op::Event(EventOp { event, action: EventAction::Set, stages: source }));
                ops.push(Op::Barrier(Barrier { event: true, events: vec![event], ..read }));
            }
            _ => {
                ops.push(Op::Barrier(read));
                let image = Some(ImageRef(passes as u32));
                let write =
                    ImageAccess { image, range: COLOR, kind: AccessKind::StorageWrite, stages: 0x20, certain: true };
                let shader = ShaderAccess { keeps_memory: true, ..ShaderAccess::exactly(vec![write]) };
                ops.push(Op::Barrier(barrier(passes, scope(COMPUTE, COMPUTE), [GENERAL, GENERAL])));
                ops.push(Op::Dispatch(Dispatch { shader }));
            }
        }
    }
    submitted(images, ops)
}
