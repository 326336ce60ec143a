//! What holds for every GPU and every pass: no panic, no tile below the hardware's smallest, no pixel without a tile, and no budget
//! exceeded without a word.

mod frames;

use proptest::prelude::*;
use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::gpu::{Mode, Plan, Profile, Value, builtin};
use tbdr_model::model::{PassView, tile_passes};
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// Formats with one size per texel, of at most 32 bits a channel, that have an aspect of this kind.
fn formats(color: bool) -> Vec<Format> {
    let narrow = |info: &format::Info| info.components.iter().all(|c| c.bits <= 32);
    let single = |info: &&format::Info| info.block == [1, 1, 1] && info.planes.is_empty() && narrow(info);
    let wanted = |info: &&format::Info| (info.aspects() == Aspects::COLOR) == color;
    format::all().iter().filter(single).filter(wanted).map(|info| info.format).collect()
}

fn side() -> impl Strategy<Value = u32> {
    prop_oneof![1u32..=16384, (0u32..=14).prop_map(|log2| 1 << log2), 1u32..=2560]
}

/// A pass of one or two subpasses with up to eight colour attachments, and the images behind them.
fn pass() -> impl Strategy<Value = (Pass, Vec<Image>)> {
    let load = || prop::sample::select(vec![LoadOp::Load, LoadOp::Clear, LoadOp::DontCare, LoadOp::None]);
    let store = || prop::sample::select(vec![StoreOp::Store, StoreOp::DontCare, StoreOp::None]);
    let color = (prop::sample::select(formats(true)), load(), store());
    let depth = prop::option::of((prop::sample::select(formats(false)), load(), store()));
    let samples = prop::sample::select(vec![1u32, 2, 4, 8, 16]);
    let usage = any::<u32>();
    (side(), side(), prop::collection::vec(color, 0..=8), depth, samples, any::<bool>(), usage, 0u32..4).prop_map(
        |(width, height, colors, depth, samples, two, usage, flags)| {
            let extent = Extent2D::new(width, height);
            let mut pass =
                Pass { extent, render_area: Rect2D { extent, ..Rect2D::default() }, layers: 1, ..Pass::default() };
            let mut images = Vec::new();
            for (format, load, store) in colors.iter().copied().chain(depth) {
                images.push(Image {
                    format,
                    dimension: 1,
                    extent: Extent3D { width, height, depth: 1 },
                    mips: 1,
                    layers: 1,
                    samples,
                    usage,
                    flags: flags << 3,
                    ..Image::default()
                });
                let image = Some(ImageRef(images.len() as u32 - 1));
                let (stencil_load, stencil_store) = (load, store);
                pass.attachments.push(Attachment {
                    image,
                    format,
                    samples,
                    load,
                    store,
                    stencil_load,
                    stencil_store,
                    ..Attachment::default()
                });
            }
            let color: Vec<u32> = (0..colors.len() as u32).collect();
            let depth = depth.map(|_| colors.len() as u32);
            pass.subpasses.push(frames::subpass(&color, depth, &[]));
            if two && !color.is_empty() {
                let (result, read) = color.split_at(1);
                pass.subpasses.push(frames::subpass(result, None, read));
            }
            (pass, images)
        },
    )
}

fn number(profile: &Profile, key: &str) -> u64 {
    match profile.figures.iter().find(|f| f.key == key).map(|f| &f.value) {
        Some(Value::Integer(number)) => *number,
        other => panic!("{}: {key} is {other:?}", profile.id),
    }
}

/// Width and height of the smallest tile.
fn smallest(profile: &Profile) -> [u32; 2] {
    let key = match profile.family {
        "mali" => return [4, 4],
        "adreno" => "bin_align",
        "apple" => "tile_min",
        _ => return [8, 8],
    };
    match profile.figures.iter().find(|f| f.key == key).map(|f| &f.value) {
        Some(Value::Pair(pair)) => *pair,
        other => panic!("{}: {key} is {other:?}", profile.id),
    }
}

/// Bytes on chip.
fn budget(profile: &Profile) -> Option<u64> {
    let key = match profile.family {
        "mali" => "color_buffer",
        "adreno" => "gmem",
        "apple" => "tile_bytes",
        _ => return None,
    };
    Some(number(profile, key))
}

/// Tiles that are on chip at once: on most Malis two, unless the plan says otherwise.
fn in_flight(profile: &Profile, plan: &Plan) -> u64 {
    let pipelined = profile.family == "mali" && !matches!(number(profile, "architecture"), 4 | 6);
    if pipelined && !plan.notes.iter().any(|note| note.starts_with("one tile at a time")) { 2 } else { 1 }
}

fn check(profile: &Profile, pass: &Pass, plan: &Plan) {
    let id = &profile.id;
    if plan.mode == Mode::Immediate {
        assert!(plan.tile.is_none() && !plan.notes.is_empty(), "{id}: immediate mode has a reason and no tile");
        return;
    }
    let Some(tile) = plan.tile else {
        assert!(!plan.notes.is_empty(), "{id}: no tile, without a word");
        return;
    };
    let [width, height] = smallest(profile);
    assert!(tile.width >= width && tile.height >= height, "{id}: tile of {tile:?}");
    let covered = plan.tiles.expect("tiles").saturating_mul(tile.pixels());
    assert!(covered >= pass.extent.pixels(), "{id}: {:?} tiles of {tile:?} on {:?}", plan.tiles, pass.extent);
    if let (Some(bytes), Some(bits)) = (budget(profile), plan.bits_per_pixel) {
        let used = bits.div_ceil(8) * tile.pixels() * in_flight(profile, plan);
        let said = plan.notes.iter().any(|note| note.starts_with("more bytes per pixel than the smallest tile"));
        assert!(used <= bytes || said, "{id}: {used} of {bytes} bytes: {plan:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn tiles_are_large_enough_cover_the_framebuffer_and_keep_to_the_budget((pass, images) in pass()) {
        let profiles = builtin();
        for (at, profile) in profiles.iter().enumerate() {
            if profiles[..at].iter().any(|known| known.decides_like(profile)) {
                continue;
            }
            let view = PassView::new(&pass, &images);
            let grouping = profile.tiler.grouping(&view);
            let mut subpasses: Vec<usize> = grouping.groups.iter().flatten().copied().collect();
            subpasses.sort_unstable();
            prop_assert_eq!(subpasses, (0..pass.subpasses.len()).collect::<Vec<_>>());
            prop_assert_eq!(grouping.verdicts.len(), pass.subpasses.len());
            for group in &grouping.groups {
                let plan = profile.tiler.plan(&view, group);
                check(profile, &pass, &plan);
                for attachment in 0..pass.attachments.len() as u32 + 1 {
                    let mut facts = Vec::new();
                    profile.tiler.compression(&view, attachment, &plan, &mut facts);
                    for fact in facts {
                        prop_assert!(!fact.reason.is_empty());
                        prop_assert_eq!(fact.metadata.is_some(), fact.eligible == Some(true));
                    }
                }
            }
            prop_assert!(!tile_passes(&pass, &images, profile).is_empty());
        }
    }
}
