//! The least that must move: what leaves the frame or is kept is written once, what comes from before is read once, what others than
//! passes read goes through memory, and everything else can stay on chip.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::StoreOp::{self, Store};
use tbdr_model::frame::*;
use tbdr_model::record::{FrameRecord, Record, Run};
use tbdr_model::report::{Floor, GpuFrame};
use tbdr_model::session::Session;
use tbdr_model::units::{Bytes, Extent2D, Extent3D, Rect2D};

const SIZE: [u32; 2] = [640, 480];
const A: u64 = 640 * 480 * 4;
/// Of each family one GPU that counts what the specification asks for.
const GPUS: [&str; 4] = ["adreno-650", "apple-m1", "mali-g76", "powervr-gx6250"];
const GENERAL: Layout = Layout(1);

fn target(samples: u32) -> Image {
    Image {
        samples,
        usage: usage::COLOR_ATTACHMENT | usage::TRANSFER_SRC | usage::TRANSFER_DST,
        ..image("R8G8B8A8_UNORM", [SIZE[0], SIZE[1], 1])
    }
}

fn sampled() -> Image {
    let target = target(1);
    Image { usage: target.usage | usage::SAMPLED, ..target }
}

/// All of image `number`, which keeps its layout.
fn of(images: &[Image], number: u32, load: LoadOp, store: StoreOp) -> Attachment {
    let image = &images[number as usize];
    Attachment {
        image: Some(ImageRef(number)),
        range: range(),
        samples: image.samples,
        initial_layout: GENERAL,
        final_layout: GENERAL,
        ..attachment("R8G8B8A8_UNORM", load, store)
    }
}

fn range() -> SubresourceRange {
    SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() }
}

/// A pass that draws to these attachments, whose shaders read these images.
fn draw(attachments: Vec<Attachment>, read: &[u32]) -> Pass {
    let colors: Vec<u32> = (0..attachments.len() as u32).collect();
    pass(SIZE, attachments, vec![Subpass { shader: reading(read), ..subpass(&colors, None, &[]) }])
}

fn reading(images: &[u32]) -> ShaderAccess {
    let access = |image: &u32| ImageAccess {
        image: Some(ImageRef(*image)),
        range: range(),
        certain: true,
        ..ImageAccess::default()
    };
    ShaderAccess::exactly(images.iter().map(access).collect())
}

fn move_(kind: TransferKind, src: Option<u32>, dst: Option<u32>) -> Op {
    let side = |image: u32| {
        Side::Image(ImageRegion {
            image: Some(ImageRef(image)),
            aspects: Aspects::COLOR,
            layers: 1,
            extent: Extent3D { width: SIZE[0], height: SIZE[1], depth: 1 },
            ..ImageRegion::default()
        })
    };
    let buffer = || Side::Buffer(BufferRegion { buffer: Some(BufferRef(0)), ..BufferRegion::default() });
    let regions = vec![Region { src: Some(src.map_or_else(buffer, side)), dst: Some(dst.map_or_else(buffer, side)) }];
    Op::Transfer(Transfer { labels: Vec::new(), kind, regions })
}

/// A frame whose image 0 is presented.
fn presenting(images: Vec<Image>, ops: Vec<Op>) -> FrameStructure {
    let outputs = vec![Output { image: ImageRef(0), reason: OutputReason::Present }];
    FrameStructure { outputs, buffers: vec![Buffer { size: A, ..Buffer::default() }], ..frame(images, ops) }
}

/// What every GPU moves in a frame that occurs four times.
fn steady(frame: &FrameStructure) -> Vec<GpuFrame> {
    let mut session = Session::new(gpus(&GPUS));
    session.record(&Record::Run(Run::default()));
    session.record(&Record::Structure { id: 0, frame: frame.clone() });
    for index in 0..4 {
        let images = (0..frame.images.len() as u64).collect();
        session.record(&Record::Frame(FrameRecord { index, images, ..FrameRecord::default() }));
    }
    session.record(&Record::End);
    session.report().frames[0].gpus.values().cloned().collect()
}

/// Floor and totals, which must be the same on every GPU.
fn least(frame: &FrameStructure) -> (Floor, u64) {
    let all: Vec<(Floor, u64)> = steady(frame)
        .iter()
        .map(|gpu| (gpu.floor.expect("everything is followed"), (gpu.read_bytes + gpu.write_bytes).0))
        .collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    all[0]
}

/// Bytes read and written at least, and now.
fn bytes(frame: &FrameStructure) -> ([u64; 2], u64) {
    let (floor, now) = least(frame);
    ([floor.read_bytes.0, floor.write_bytes.0], now)
}

#[test]
fn a_presented_image_is_written_once_and_depth_of_nobodys_not_at_all() {
    let images = vec![target(1), target(1)];
    let scene = draw(vec![of(&images, 0, Clear, Store), of(&images, 1, Clear, Store)], &[]);
    let (floor, now) = least(&presenting(images, vec![Op::Pass(scene)]));
    assert_eq!((floor.read_bytes, floor.write_bytes, now), (Bytes(0), Bytes(A), 2 * A));
    assert_eq!((floor.efficiency, floor.undecided_bytes), (Some(0.5), Bytes(0)));
}

#[test]
fn passes_over_one_image_could_be_one_pass() {
    let images = vec![target(1)];
    let layer = |load| Op::Pass(draw(vec![of(&images, 0, load, Store)], &[]));
    let ops = vec![layer(Clear), layer(Load), layer(Load)];
    assert_eq!(bytes(&presenting(images.clone(), ops)), ([0, A], 5 * A));
}

#[test]
fn a_small_pass_over_a_large_one_writes_nothing_twice() {
    let images = vec![target(1)];
    let mut corner = draw(vec![of(&images, 0, Load, Store)], &[]);
    corner.render_area = Rect2D { extent: Extent2D::new(64, 64), ..Rect2D::default() };
    let scene = draw(vec![of(&images, 0, Clear, Store)], &[]);
    let ops = vec![Op::Pass(scene), Op::Pass(corner)];
    assert_eq!(bytes(&presenting(images, ops)), ([0, A], A + 2 * 64 * 64 * 4));
}

#[test]
fn what_a_shader_reads_is_written_and_what_a_pass_loads_can_stay_on_chip() {
    let images = vec![target(1), sampled(), sampled()];
    let first = draw(vec![of(&images, 1, Clear, Store), of(&images, 2, Clear, Store)], &[]);
    let second = draw(vec![of(&images, 0, Clear, Store), of(&images, 2, Load, StoreOp::DontCare)], &[1]);
    let frame = presenting(images, vec![Op::Pass(first), Op::Pass(second)]);
    // Now: two stores, a load, the final store. What the shader reads is beside.
    assert_eq!(bytes(&frame), ([0, 2 * A], 4 * A));
    for gpu in steady(&frame) {
        assert_eq!((gpu.sampled_read_bytes, gpu.display_read_bytes), (Bytes(A), Bytes(A)));
    }
}

#[test]
fn a_pass_that_nobody_wants_needs_nothing_for_its_shaders() {
    let images = vec![target(1), sampled(), target(1)];
    let scene = draw(vec![of(&images, 0, Clear, Store)], &[]);
    let ops = vec![
        Op::Pass(draw(vec![of(&images, 1, Clear, Store)], &[])),
        Op::Pass(draw(vec![of(&images, 2, Clear, Store)], &[1])),
        Op::Pass(scene),
    ];
    assert_eq!(bytes(&presenting(images, ops)), ([0, A], 3 * A));
}

#[test]
fn dispatches_are_wanted() {
    let images = vec![target(1), sampled()];
    let ops = vec![
        Op::Pass(draw(vec![of(&images, 1, Clear, Store)], &[])),
        Op::Dispatch(Dispatch { shader: reading(&[1]) }),
        Op::Pass(draw(vec![of(&images, 0, Clear, Store)], &[])),
    ];
    assert_eq!(bytes(&presenting(images, ops)), ([0, 2 * A], 2 * A));
}

#[test]
fn what_a_shader_may_have_overwritten_was_wanted_by_nobody_before() {
    let images = vec![Image { usage: usage::COLOR_ATTACHMENT | usage::STORAGE, ..target(1) }];
    let writing = ImageAccess {
        image: Some(ImageRef(0)),
        range: range(),
        kind: AccessKind::StorageWrite,
        ..ImageAccess::default()
    };
    let scene = draw(vec![of(&images, 0, Clear, Store)], &[]);
    let post = Op::Dispatch(Dispatch { shader: ShaderAccess::exactly(vec![writing]) });
    let frame = presenting(images, vec![Op::Pass(scene), post]);
    assert_eq!(bytes(&frame), ([0, 0], A));
    assert!(steady(&frame).iter().all(|gpu| gpu.storage_write_bytes == Bytes(A)));
}

#[test]
fn of_a_resolve_only_the_result_is_written() {
    let images = vec![target(1), target(4)];
    let scene = draw(vec![of(&images, 1, Clear, Store)], &[]);
    let resolve = move_(TransferKind::Resolve, Some(1), Some(0));
    assert_eq!(bytes(&presenting(images, vec![Op::Pass(scene), resolve])), ([0, A], 9 * A));
}

#[test]
fn a_copy_is_written_read_and_written() {
    let images = vec![target(1), target(1)];
    let scene = draw(vec![of(&images, 1, Clear, Store)], &[]);
    let ops = vec![Op::Pass(scene), move_(TransferKind::CopyImage, Some(1), Some(0))];
    assert_eq!(bytes(&presenting(images, ops)), ([A, 2 * A], 3 * A));
}

#[test]
fn a_copy_into_a_buffer_is_wanted_and_a_copy_to_nobody_is_not() {
    let images = vec![target(1), target(1)];
    let scene = Op::Pass(draw(vec![of(&images, 0, Clear, Store)], &[]));
    let frame = frame(
        images,
        vec![
            scene,
            move_(TransferKind::CopyImageToBuffer, Some(0), None),
            move_(TransferKind::CopyImage, Some(0), Some(1)),
        ],
    );
    let frame = FrameStructure { buffers: vec![Buffer { size: A, ..Buffer::default() }], ..frame };
    assert_eq!(bytes(&frame), ([A, 2 * A], 5 * A));
}

#[test]
fn a_clear_by_command_that_a_pass_loads_can_be_a_clear_of_the_pass() {
    let images = vec![target(1)];
    let mut clear = move_(TransferKind::ClearColor, None, Some(0));
    if let Op::Transfer(clear) = &mut clear {
        clear.regions[0].src = None;
    }
    let ops = vec![clear, Op::Pass(draw(vec![of(&images, 0, Load, Store)], &[]))];
    assert_eq!(bytes(&presenting(images, ops)), ([0, A], 3 * A));
}

#[test]
fn contents_of_the_frame_before_are_read_once_and_those_for_the_next_written_once() {
    let images = vec![target(1), target(1)];
    let history = draw(vec![of(&images, 1, Load, Store)], &[]);
    let again = draw(vec![of(&images, 0, Clear, Store), of(&images, 1, Load, Store)], &[]);
    let frame = presenting(images, vec![Op::Pass(history), Op::Pass(again)]);
    assert_eq!(bytes(&frame), ([A, 2 * A], 5 * A));
}

#[test]
fn what_nobody_is_known_to_read_is_undecided_and_not_in_the_floor() {
    let images = vec![target(1)];
    let frame = frame(images.clone(), vec![Op::Pass(draw(vec![of(&images, 0, Clear, Store)], &[]))]);
    let mut session = Session::new(gpus(&GPUS));
    session.record(&Record::Structure { id: 0, frame });
    session.record(&Record::Frame(FrameRecord { images: vec![0], ..FrameRecord::default() }));
    session.record(&Record::End);
    for gpu in session.report().frames[0].gpus.values() {
        let floor = gpu.floor.expect("followed");
        assert_eq!((floor.total(), floor.undecided_bytes, floor.efficiency), (Bytes(0), Bytes(A), Some(0.0)));
    }
}

#[test]
fn parts_of_an_atlas_that_do_not_overlap_are_all_written() {
    let images = vec![target(1), sampled()];
    let half = |x| {
        let mut half = draw(vec![of(&images, 1, DontCare, Store)], &[]);
        half.render_area = Rect2D { x, extent: Extent2D::new(320, 480), ..Rect2D::default() };
        Op::Pass(half)
    };
    let scene = draw(vec![of(&images, 0, Clear, Store)], &[1]);
    let ops = vec![half(0), half(320), Op::Pass(scene)];
    assert_eq!(bytes(&presenting(images.clone(), ops)), ([0, 2 * A], 2 * A));
}

#[test]
fn contents_that_two_readers_want_at_different_times_are_written_for_each() {
    let images = vec![target(1), sampled()];
    let write = || Op::Pass(draw(vec![of(&images, 1, Clear, Store)], &[]));
    let read = Op::Dispatch(Dispatch { shader: reading(&[1]) });
    let scene = draw(vec![of(&images, 0, Clear, Store)], &[1]);
    let ops = vec![write(), read, write(), Op::Pass(scene)];
    assert_eq!(bytes(&presenting(images.clone(), ops)), ([0, 3 * A], 3 * A));
}

#[test]
fn an_image_that_others_share_is_wanted_as_it_is_left() {
    let mut images = vec![target(1)];
    images[0].memory.external = true;
    let frame = frame(images.clone(), vec![Op::Pass(draw(vec![of(&images, 0, Clear, Store)], &[]))]);
    assert_eq!(bytes(&frame), ([0, A], A));
}

#[test]
fn a_frame_with_commands_that_are_not_known_has_no_floor() {
    let images = vec![target(1)];
    let mut frame = presenting(images.clone(), vec![Op::Pass(draw(vec![of(&images, 0, Clear, Store)], &[]))]);
    frame.unmodelled.push("vkCmdUnheardOf".into());
    assert!(steady(&frame).iter().all(|gpu| gpu.floor.is_none()));
}

#[test]
fn a_view_of_four_billion_levels_without_a_layer_holds_nobody_up() {
    let images = vec![target(1), sampled()];
    let mut shader = reading(&[1]);
    shader.images[0].range = SubresourceRange { mips: u32::MAX, layers: 0, ..range() };
    let scene = draw(vec![of(&images, 0, Clear, Store)], &[]);
    let ops = vec![Op::Dispatch(Dispatch { shader }), Op::Pass(scene)];
    assert_eq!(bytes(&presenting(images, ops)), ([0, A], A));
}
