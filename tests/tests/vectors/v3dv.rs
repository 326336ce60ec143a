//! VideoCore VI and VII under Mesa's v3dv.

use super::*;
use tbdr_model::gpu::videocore::{self, Hardware, Resolve};
use tbdr_model::model::{Walk, uses};

/// The built-in profile of V3D 4.2 or 7.1.
fn chip(facts: &Facts, version: u64) -> &Profile {
    let id = if version == 42 { "videocore-vi" } else { "videocore-vii" };
    facts.profiles.iter().find(|p| p.id == id).unwrap_or_else(|| panic!("{id} is not built in"))
}

fn hardware(profile: &Profile) -> Hardware {
    let bytes = |key| figure(profile, key).as_u64().unwrap_or(0);
    match figure(profile, "tile_rule").as_str() {
        Some("budget") => Hardware::Budget { color: bytes("color_buffer"), depth: bytes("depth_buffer") },
        _ => Hardware::Table,
    }
}

pub fn format(case: &Json, _: &Facts) -> Outcome {
    let internal = videocore::internal(named(text(case, "format"))).ok_or("not rendered to")?;
    same("internal_bpp_bits", u64::from(internal.bits), number(case, "internal_bpp_bits"))?;
    same("tlb_resolve", internal.resolves, case["tlb_resolve"] == true)
}

pub fn tile(case: &Json, facts: &Facts) -> Outcome {
    let profile = chip(facts, number(case, "ver"));
    let (slots, samples) = (slots(case), number(case, "samples"));
    let double_buffer = case["double_buffer"] == true;
    let bits: Vec<_> = slots.iter().map(|s| s.and_then(videocore::internal).map(|i| i.bits)).collect();
    let index = bits.iter().flatten().max().map_or(0, |bits| u64::from(bits.ilog2()) - 5);
    same("max_bpp_index", index, number(case, "max_bpp_index"))?;
    let bytes: u64 = bits.iter().flatten().map(|bits| u64::from(bits / 8)).sum();
    same("total_color_bytes", bytes, number(case, "total_color_bytes"))?;
    let tile = hardware(profile).tile(&bits, samples > 1, double_buffer);
    same("tile", tile.size, extent(&case["tile"]))?;
    let tiles = videocore::tiles(tile.size, extent(&case["fb"]));
    same("tiles", tiles, extent(&case["tiles"]))?;
    same("supertile", videocore::supertile(tiles), extent(&case["supertile"]))?;
    if double_buffer {
        // A debug option of the driver; profiles run without.
        return Ok(());
    }
    let mut pass = simple_pass(&slots, samples);
    (pass.extent, pass.render_area.extent) = (extent(&case["fb"]), extent(&case["fb"]));
    let plan = profile.tiler.plan(&PassView::new(&pass, &[]), &[0]);
    same("profile's tile", plan.tile, Some(tile.size))?;
    same("profile's tiles", plan.tiles, Some(tiles.pixels()))
}

pub fn merge(case: &Json, facts: &Facts) -> Outcome {
    let mut pass = described_pass(case);
    pass.layers = 1;
    pass.extent = Extent2D::new(640, 480);
    // One pixel off is a render area that no tile size divides.
    let off = i32::from(case["tile_aligned"] != true);
    pass.render_area = Rect2D { x: off, y: off, extent: Extent2D::new(640 - off as u32, 480 - off as u32) };
    for version in [42, 71] {
        let tiler = &chip(facts, version).tiler;
        let view = PassView::new(&pass, &[]);
        let grouping = tiler.grouping(&view);
        let job = |s: usize| grouping.groups.iter().position(|g| g.contains(&s)).map(|j| j as u64);
        let jobs: Vec<u64> = (0..pass.subpasses.len()).filter_map(job).collect();
        same("subpass_job", jobs, numbers(&case["subpass_job"]))?;
        let merged = grouping.verdicts.iter().filter(|v| v.status == gpu::MergeStatus::Merged).count();
        same("merged subpasses", merged, pass.subpasses.len() - grouping.groups.len())?;
        let plans: Vec<_> = grouping.groups.iter().map(|g| tiler.plan(&view, g)).collect();
        let uses = uses(&view, &grouping.groups, tiler.rules(), &mut BTreeSet::new());
        let walk = Walk { view: &view, groups: &grouping.groups, plans: &plans, uses: &uses };
        let operations = videocore::operations(&walk);
        let movements = tiler.operations(&walk);
        let mut expected = 0;
        for (index, job) in list(case, "jobs").iter().enumerate() {
            for op in list(job, "ops") {
                let (attachment, aspect) = (number(op, "att") as u32, text(op, "aspect"));
                let what =
                    |field: &str| format!("V3D {version}, job {index}, {aspect} of attachment {attachment}: {field}");
                let aspects = match aspect {
                    "depth" => Aspects::DEPTH,
                    "stencil" => Aspects::STENCIL,
                    _ => Aspects::COLOR,
                };
                let own = operations.iter().find(|o| (o.job, o.attachment, o.aspect) == (index, attachment, aspects));
                let own = own.ok_or_else(|| what("no operation"))?;
                same(&what("load"), own.load, op["load"] == true)?;
                same(&what("store"), own.store, op["store"] == true)?;
                same(&what("tlb_clear"), own.clears_on_chip, op["tlb_clear"] == true)?;
                if let Some(target) = op["resolve_to"].as_i64() {
                    let by_store = own.resolve == Some(Resolve::TileBuffer);
                    same(&what("resolved by the store"), by_store, target >= 0)?;
                }
                for (cause, moves) in [("load", own.load), ("store", own.store)] {
                    let of = |m: &&tbdr_model::model::Movement| {
                        (m.tile_pass, m.attachment, m.aspect, m.cause) == (index, attachment, aspects, cause)
                    };
                    same(&what("movements"), movements.iter().filter(of).count(), usize::from(moves))?;
                }
                expected += 1;
            }
        }
        same("operations", operations.len(), expected)?;
    }
    Ok(())
}
