//! What a prediction costs: one pass on one GPU, and a frame of 200 passes on every built-in GPU.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tbdr_model::format::by_name;
use tbdr_model::frame::*;
use tbdr_model::gpu::{Profile, builtin, select};
use tbdr_model::model::{PassView, tile_passes};
use tbdr_model::record::Record;
use tbdr_model::session::Session;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

fn main() {
    divan::main();
}

/// One GPU of each family and policy.
const GPUS: [&str; 7] =
    ["mali-g76", "mali-g610-panvk", "adreno-650", "apple-m1", "apple-m1-hk", "videocore-vii", "powervr-gx6250"];

const EXTENT: Extent2D = Extent2D::new(2220, 1080);

fn attachment(image: u32, format: &str, load: LoadOp, store: StoreOp) -> (Attachment, Image) {
    let format = by_name(format).map(|info| info.format).unwrap_or_default();
    let extent = Extent3D { width: EXTENT.width, height: EXTENT.height, depth: 1 };
    (
        Attachment { image: Some(ImageRef(image)), format, samples: 1, load, store, ..Attachment::default() },
        Image { format, dimension: 1, extent, mips: 1, layers: 1, samples: 1, usage: 0x10, ..Image::default() },
    )
}

fn using(attachment: u32) -> Option<AttachmentUse> {
    Some(AttachmentUse { attachment, ..AttachmentUse::default() })
}

/// A pass with colour and depth, or a deferred one of two subpasses with a G-buffer of two attachments.
fn pass(deferred: bool) -> (Pass, Vec<Image>) {
    let parts = [
        attachment(0, "R8G8B8A8_UNORM", LoadOp::Clear, StoreOp::Store),
        attachment(1, "D32_SFLOAT", LoadOp::Clear, StoreOp::DontCare),
        attachment(2, "A2B10G10R10_UNORM_PACK32", LoadOp::Clear, StoreOp::DontCare),
        attachment(3, "R8G8B8A8_SRGB", LoadOp::Clear, StoreOp::DontCare),
    ];
    let (mut attachments, images): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let draw = Subpass { depth: using(1), drawn: true, ..Subpass::default() };
    let subpasses = if deferred {
        let g_buffer = Subpass { color: vec![using(2), using(3)], ..draw };
        let light =
            Subpass { color: vec![using(0)], input: vec![using(2), using(3)], drawn: true, ..Subpass::default() };
        vec![g_buffer, light]
    } else {
        attachments.truncate(2);
        vec![Subpass { color: vec![using(0)], ..draw }]
    };
    let local = Dependency { src: 0, dst: 1, src_stages: 0x400, dst_stages: 0x80, flags: 1, ..Dependency::default() };
    let dependencies = if deferred { vec![local] } else { Vec::new() };
    let render_area = Rect2D { extent: EXTENT, ..Rect2D::default() };
    let pass = Pass { render_area, extent: EXTENT, layers: 1, attachments, subpasses, dependencies, ..Pass::default() };
    (pass, images)
}

fn gpu(id: &str) -> Profile {
    select(&[id]).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

#[divan::bench(args = GPUS)]
fn one_pass(bencher: Bencher<'_, '_>, id: &str) {
    let (profile, (pass, images)) = (gpu(id), pass(false));
    bencher.bench(|| tile_passes(black_box(&pass), &images, &profile));
}

#[divan::bench(args = GPUS)]
fn one_deferred_pass(bencher: Bencher<'_, '_>, id: &str) {
    let (profile, (pass, images)) = (gpu(id), pass(true));
    bencher.bench(|| tile_passes(black_box(&pass), &images, &profile));
}

/// A pass alone on each built-in GPU in turn: what one costs on average is this divided by their number.
#[divan::bench(args = [false, true])]
fn one_pass_on_each_gpu(bencher: Bencher<'_, '_>, deferred: bool) {
    let (profiles, (pass, images)) = (builtin(), pass(deferred));
    bencher.counter(ItemsCount::new(profiles.len())).bench_local(|| {
        for profile in &profiles {
            black_box(tile_passes(black_box(&pass), &images, profile));
        }
    });
}

#[divan::bench(args = ["mali-g76", "adreno-650"])]
fn one_plan(bencher: Bencher<'_, '_>, id: &str) {
    let (profile, (pass, images)) = (gpu(id), pass(false));
    bencher.bench(|| profile.tiler.plan(&PassView::new(black_box(&pass), &images), &[0]));
}

#[divan::bench(args = ["mali-g76", "adreno-650"])]
fn one_grouping(bencher: Bencher<'_, '_>, id: &str) {
    let (profile, (pass, images)) = (gpu(id), pass(false));
    bencher.bench(|| profile.tiler.grouping(&PassView::new(black_box(&pass), &images)));
}

#[divan::bench]
fn frame_of_200_passes_on_every_gpu(bencher: Bencher<'_, '_>) {
    let (_, images) = pass(true);
    let ops = (0..200).map(|at| Op::Pass(pass(at % 8 == 0).0)).collect();
    let submissions = vec![Submission { ops, ..Submission::default() }];
    let structure =
        Record::Structure { id: 0, frame: FrameStructure { images, submissions, ..FrameStructure::default() } };
    bencher.with_inputs(|| Session::new(builtin())).bench_values(|mut session| {
        session.record(&structure);
        session
    });
}
