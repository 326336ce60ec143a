//! What holds for every GPU and every pass: no panic, no tile below the hardware's smallest, no pixel without a tile, and no budget
//! exceeded without a word.

mod frames;

use proptest::prelude::*;
use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::gpu::{Mode, Plan, Profile, Value, builtin};
use tbdr_model::model::{Attachments, PassView, tile_passes};
use tbdr_model::report::{Compression, TilePass};
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
    let views = prop::sample::select(vec![0u32, 0, 1, 0b11, 0b11_1111]);
    let colors = prop::collection::vec(color, 0..=8);
    (side(), side(), colors, depth, samples, any::<bool>(), usage, 0u32..4, views).prop_map(
        |(width, height, colors, depth, samples, two, usage, flags, views)| {
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
            pass.subpasses.iter_mut().for_each(|subpass| subpass.view_mask = views);
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

fn text<'a>(profile: &'a Profile, key: &str) -> &'a str {
    match profile.figures.iter().find(|f| f.key == key).map(|f| &f.value) {
        Some(Value::Text(text)) => text,
        other => panic!("{}: {key} is {other:?}", profile.id),
    }
}

/// Bytes on chip for what `bits_per_pixel` counts; `None` where the driver goes by a table of sizes.
fn budget(profile: &Profile, tile: Extent2D) -> Option<u64> {
    Some(match profile.family {
        "mali" => number(profile, "color_buffer"),
        "adreno" => number(profile, "gmem"),
        "apple" => number(profile, "tile_bytes"),
        // Registers of each sample of a tile.
        "powervr" => number(profile, "output_registers") * 4 * tile.pixels(),
        // Colour may have the depth buffer's room, too, where depth fits half of its own.
        "videocore" if text(profile, "tile_rule") == "budget" => 2 * number(profile, "color_buffer"),
        _ => return None,
    })
}

/// Whether the plan says that more is asked for than there is.
fn is_said(profile: &Profile, plan: &Plan) -> bool {
    let words = match profile.family {
        "powervr" => ["tile buffer(s) of", "more colour than output registers"],
        _ => ["more bytes per pixel than the smallest tile", "more bytes per pixel than the smallest tile"],
    };
    plan.notes.iter().any(|note| words.iter().any(|word| note.contains(word)))
}

/// Bytes of depth on chip, where the driver goes by them.
fn depth_budget(profile: &Profile) -> Option<u64> {
    let goes_by_depth = match profile.family {
        "mali" => text(profile, "tile_rule") == "color-and-depth",
        "videocore" => text(profile, "tile_rule") == "budget",
        _ => false,
    };
    goes_by_depth.then(|| number(profile, "depth_buffer"))
}

/// Tiles that are on chip at once: on most Malis two, unless the plan says otherwise.
fn in_flight(profile: &Profile, plan: &Plan) -> u64 {
    let pipelined = profile.family == "mali" && !matches!(number(profile, "architecture"), 4 | 6);
    if pipelined && !plan.notes.iter().any(|note| note.starts_with("one tile at a time")) { 2 } else { 1 }
}

fn check(profile: &Profile, pass: &Pass, samples: u64, plan: &Plan) {
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
    // turnip keeps a bin of every view at once.
    let views = pass.subpasses.iter().map(|s| u64::from(s.view_mask.count_ones())).max().unwrap_or(0);
    let views = if profile.family == "adreno" { views.max(1) } else { 1 };
    let said = is_said(profile, plan);
    if let (Some(bytes), Some(bits)) = (budget(profile, tile), plan.bits_per_pixel) {
        let used = bits.div_ceil(8) * tile.pixels() * in_flight(profile, plan) * views;
        assert!(used <= bytes || said, "{id}: {used} of {bytes} bytes: {plan:?}");
    }
    if let Some(bytes) = depth_budget(profile) {
        // v3dv knows one sample and four.
        let samples = if profile.family == "videocore" && samples > 1 { 4 } else { samples };
        let used = 4 * samples * tile.pixels() * in_flight(profile, plan);
        assert!(used <= bytes || said, "{id}: {used} of {bytes} bytes of depth: {plan:?}");
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
                let samples = group.iter().map(|s| view.samples(&pass.subpasses[*s])).max().unwrap_or(1);
                check(profile, &pass, u64::from(samples), &plan);
            }
            let plans = profile.tiler.plans(&view, &grouping.groups);
            let attachments = Attachments { view: &view, groups: &grouping.groups, plans: &plans };
            for fact in profile.tiler.compression(&attachments).iter() {
                prop_assert!(!fact.reason.is_empty());
                prop_assert_eq!(fact.metadata_bytes.is_some(), fact.eligible == Some(true));
            }
            prop_assert!(!tile_passes(&pass, &images, profile).is_empty());
        }
    }
}

/// A tile pass as it is told of a pass that stands alone: as pass 0, of images without names, and without what the whole frame adds.
fn alone(mut told: TilePass) -> TilePass {
    told.compressed = None;
    told.entries.iter_mut().for_each(|entry| entry.compressed = None);
    told.source_passes = vec![0];
    told.subpasses.iter_mut().for_each(|subpass| subpass.pass = 0);
    told.entries.iter_mut().for_each(|entry| entry.image.clear());
    if let Some(other) = &mut told.alternative {
        other.passes = other.passes.drain(..).map(alone).collect();
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_a_frame_says_of_a_pass_is_what_is_said_of_it_alone_whatever_stands_beside_it(
        (first, images) in pass(),
        sizes in prop::collection::vec((side(), side(), 0u32..9), 1..4),
    ) {
        // The same pass in other sizes: much of what is decided about one serves the others, on every GPU.
        let mut passes = vec![first.clone()];
        let mut all = images.clone();
        for (width, height, short) in sizes {
            let extent = Extent2D::new(width, height);
            let area = Extent2D::new(width.saturating_sub(short), height);
            let render_area = Rect2D { extent: area, ..Rect2D::default() };
            let mut pass = Pass { extent, render_area, ..first.clone() };
            for (attachment, image) in pass.attachments.iter_mut().zip(&images) {
                attachment.image = Some(ImageRef(all.len() as u32));
                all.push(Image { extent: Extent3D { width, height, depth: 1 }, ..image.clone() });
            }
            passes.push(pass);
        }
        let ops = passes.iter().cloned().map(Op::Pass).collect();
        let report = frames::report(&frames::frame(all.clone(), ops), &["all"]);
        for profile in builtin() {
            let told = &report.frames[0].gpus[&profile.id];
            let together: Vec<TilePass> = told.passes.iter().cloned().map(alone).collect();
            let each: Vec<TilePass> = passes.iter().flat_map(|pass| tile_passes(pass, &all, &profile)).collect();
            prop_assert_eq!(together, each);
            let mut facts = Vec::new();
            for (number, pass) in passes.iter().enumerate() {
                let view = PassView::new(pass, &all);
                let grouping = profile.tiler.grouping(&view);
                let plans = profile.tiler.plans(&view, &grouping.groups);
                let attachments = Attachments { view: &view, groups: &grouping.groups, plans: &plans };
                let of_pass = profile.tiler.compression(&attachments);
                facts.extend(of_pass.iter().map(|fact| Compression { pass: number as u32, ..fact.clone() }));
            }
            prop_assert_eq!(&told.compression, &facts);
        }
    }
}
