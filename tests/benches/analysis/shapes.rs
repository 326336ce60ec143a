//! Frames of so many passes, each shape of which gives other rules much to say.

use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// A frame of so many passes in a row. Each draws to a colour image of its own and to a depth image that all share, loading what the
/// pass before left; every fourth reads its own colour in a second subpass; a barrier stands between passes. What passes draw may
/// be sampled later, but for every tenth, which is copied, and every tenth that nothing reads: those are the findings.
pub fn frame(passes: usize) -> FrameStructure {
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
            extent: EXTENT,
            render_area: Rect2D { extent: EXTENT, ..Rect2D::default() },
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
            let extent = Extent3D::from([EXTENT.width, EXTENT.height, 1]);
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

/// An image of the size of the screen, with this usage.
fn image(format: &str, usage: u32) -> Image {
    Image {
        format: format::by_name(format).unwrap().format,
        dimension: 1,
        extent: Extent3D::from([EXTENT.width, EXTENT.height, 1]),
        mips: 1,
        layers: 1,
        samples: 1,
        usage,
        ..Image::default()
    }
}

/// An image that is drawn to and sampled.
fn target(number: usize, format: &str) -> Image {
    Image { name: Some(format!("image {number}")), ..image(format, usage::COLOR_ATTACHMENT | usage::SAMPLED) }
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

/// VkPipelineStageFlags2: TOP_OF_PIPE, VERTEX_SHADER, FRAGMENT_SHADER, COLOR_ATTACHMENT_OUTPUT, COMPUTE_SHADER, BOTTOM_OF_PIPE.
const TOP: u64 = 0x1;
const VERTEX: u64 = 0x8;
const FRAGMENT: u64 = 0x80;
const WRITES: u64 = 0x400;
const COMPUTE: u64 = 0x800;
const BOTTOM: u64 = 0x2000;

/// A barrier of one image whose accesses are all there are.
fn barrier(image: usize, (src_stages, dst_stages): (u64, u64), [old_layout, new_layout]: [Layout; 2]) -> Barrier {
    // VK_ACCESS_2_MEMORY_WRITE_BIT, _MEMORY_READ_BIT.
    let scope = Scope { src_stages, src_access: 0x1_0000, dst_stages, dst_access: 0x8000 };
    let image = Some(ImageRef(image as u32));
    let barrier = ImageBarrier { image, range: COLOR, scope, old_layout, new_layout, families: None };
    Barrier { images: vec![barrier], ..Barrier::default() }
}

/// Each pass samples what the one before has drawn, and the barrier between them drains the GPU, or holds vertices back, and is told again.
pub fn barriers(passes: usize) -> FrameStructure {
    let images: Vec<Image> = (0..passes).map(|number| target(number, "R8G8B8A8_UNORM")).collect();
    let mut ops = Vec::new();
    for number in 0..passes {
        ops.push(Op::Barrier(barrier(number, (VERTEX | FRAGMENT, WRITES), [READ, DRAWN])));
        ops.push(Op::Pass(sampling(&images, number, [DRAWN, DRAWN])));
        let stages = match number % 3 {
            0 => (BOTTOM, TOP),
            1 => (WRITES, VERTEX),
            _ => (WRITES, FRAGMENT),
        };
        ops.push(Op::Barrier(barrier(number, stages, [DRAWN, READ])));
        ops.push(Op::Barrier(barrier(number, (WRITES, FRAGMENT), [READ, READ])));
    }
    submitted(images, ops)
}

/// Passes that alternate with dispatches which need nothing of them, events that are waited for at once, a barrier inside every pass, and
/// every third pass samples what the dispatch before it has made of the pass before that.
pub fn dispatches(passes: usize) -> FrameStructure {
    let mut images: Vec<Image> = (0..passes).map(|number| target(number, "R8G8B8A8_UNORM")).collect();
    // What dispatches write.
    images
        .extend((0..passes).map(|number| Image { usage: usage::STORAGE, ..target(passes + number, "R8G8B8A8_UNORM") }));
    let reaches = |image: usize, kind| {
        // VK_SHADER_STAGE_COMPUTE_BIT.
        ImageAccess { image: Some(ImageRef(image as u32)), range: COLOR, kind, stages: 0x20, certain: true }
    };
    let mut ops = Vec::new();
    for number in 0..passes {
        let mut pass = sampling(&images, number, [DRAWN, READ]);
        let scope = Scope { src_stages: WRITES, src_access: 0x100, dst_stages: FRAGMENT, dst_access: 0x20 };
        pass.subpasses[0].barriers.push(Barrier { memory: vec![scope], ..Barrier::default() });
        ops.push(Op::Pass(pass));
        let event = EventRef(number as u32);
        ops.push(Op::Event(EventOp { event, action: EventAction::Set, stages: WRITES }));
        let waits = barrier(number, (WRITES, if number % 3 == 0 { COMPUTE } else { FRAGMENT }), [READ, READ]);
        ops.push(Op::Barrier(Barrier { event: true, events: vec![event], ..waits }));
        let mut reached = vec![reaches(passes + number, AccessKind::StorageWrite)];
        if number % 3 == 0 {
            reached.push(reaches(number, AccessKind::Sampled));
        }
        let shader = ShaderAccess { keeps_memory: true, ..ShaderAccess::exactly(reached) };
        ops.push(Op::Dispatch(Dispatch { shader }));
        ops.push(Op::Barrier(barrier(passes + number, (COMPUTE, FRAGMENT), [GENERAL, GENERAL])));
    }
    submitted(images, ops)
}

/// The row of [`row`] once more, of passes of which hardly two are alike: each clears something else by command, draws otherwise, and samples a
/// texture of its own.
pub fn unlike_row(passes: usize) -> FrameStructure {
    let mut frame = row(passes);
    let textures: Vec<ImageRef> = (0..passes)
        .map(|number| {
            frame
                .images
                .push(Image { usage: usage::SAMPLED | usage::COLOR_ATTACHMENT, ..target(number, "R8G8B8A8_UNORM") });
            ImageRef(frame.images.len() as u32 - 1)
        })
        .collect();
    let mut number = 0;
    for op in frame.submissions.iter_mut().flat_map(|submission| &mut submission.ops) {
        let Op::Pass(pass) = op else { continue };
        let area = Rect2D { extent: Extent2D::new(1920 - number as u32 % 1000, 1080), ..Rect2D::default() };
        let aspects = Aspects::COLOR;
        let clear =
            ClearAttachment { aspects, slot: 0, rects: vec![(area, 0, 1)], after_draw: true, conditional: false };
        let image = Some(textures[number]);
        let sampled = ImageAccess { image, range: COLOR, kind: AccessKind::Sampled, stages: 0x10, certain: true };
        let draws = &mut pass.subpasses[0].draws;
        (draws.color_masks[0], draws.depth_compares) = (1 + number as u8 % 15, 1 << (number / 15 % 8));
        pass.subpasses[0].clears.push(clear);
        pass.subpasses[0].shader = ShaderAccess { keeps_memory: true, ..ShaderAccess::exactly(vec![sampled]) };
        number += 1;
    }
    frame
}
