//! Mali: tiles and bins as Mesa 25.0.7 sets them up, and the subpasses that later panvk merges.

use super::{Facts, Outcome, attachment, list, named, number, same, simple_pass, slots, text, using};
use serde_json::Value as Json;
use tbdr_model::frame::{Dependency, Pass, SUBPASS_EXTERNAL, Subpass};
use tbdr_model::gpu::mali;
use tbdr_model::gpu::mali::hierarchy::{levels, polygon_list};
use tbdr_model::model::PassView;
use tbdr_model::units::Extent2D;

pub fn panfrost_tile(case: &Json, facts: &Facts) -> Outcome {
    // Neither depth nor merging plays a part here.
    let hardware = mali::Hardware {
        architecture: number(case, "arch"),
        color_buffer: number(case, "tilebuffer_bytes"),
        depth_buffer: 0,
        merge_bits: 0,
    };
    let (slots, samples) = (slots(case), number(case, "samples"));
    let bytes: Vec<_> = slots.iter().map(|slot| slot.map(|f| mali::tile_buffer_bytes(f) * samples)).collect();
    let tile = hardware.tile_by_color(&bytes);
    same("bytes_per_pixel", tile.bytes_per_pixel, number(case, "bytes_per_pixel"))?;
    same("tile_px", tile.pixels, number(case, "tile_px"))?;
    same("cbuf_allocation", tile.color_allocation, number(case, "cbuf_allocation"))?;
    if text(case, "gpu") != "Mali-G610" {
        return Ok(());
    }
    let profile = facts.profiles.iter().find(|p| p.id == "mali-g610-panvk-25.0").ok_or("panvk 25.0 is not built in")?;
    let pass = simple_pass(&slots, samples);
    let plan = profile.tiler.plan(&PassView::new(&pass, &[]), &[0]);
    same("profile's tile", plan.tile.map(Extent2D::pixels), Some(number(case, "tile_px")))
}

pub fn panfrost_hierarchy(case: &Json, _: &Facts) -> Outcome {
    let framebuffer = Extent2D::new(number(case, "w") as u32, number(case, "h") as u32);
    if text(case, "kind") == "panvk" {
        let tile = if case["tile_px_gt_256"] == true { 1024 } else { 256 };
        let mask = levels(framebuffer, number(case, "max_levels") as u32, tile);
        return same("mask", mask, number(case, "mask"));
    }
    let list = polygon_list(framebuffer, number(case, "vertices"), case["hierarchical"] == true);
    same("mask", list.mask, number(case, "mask"))?;
    same("header_bytes", list.header_bytes, number(case, "header_bytes"))?;
    same("full_bytes", list.full_bytes, number(case, "full_bytes"))
}

/// A format of so many bytes in the tile buffer.
fn sized(bytes: u64) -> &'static str {
    match bytes {
        1 => "R8_UINT",
        2 => "R16_SFLOAT",
        4 => "R8G8B8A8_UNORM",
        8 => "R16G16B16A16_SFLOAT",
        16 => "R32G32B32A32_SFLOAT",
        other => panic!("no format takes {other} bytes"),
    }
}

/// VkPipelineStageFlags2.
fn stages(names: &[Json]) -> u64 {
    let bit = |name: &Json| match name.as_str().unwrap_or_default() {
        "top_of_pipe" => 0x1,
        "draw_indirect" => 0x2,
        "vertex_input" => 0x4,
        "vertex_shader" => 0x8,
        "geometry_shader" => 0x40,
        "fragment_shader" => 0x80,
        "early_fragment_tests" => 0x100,
        "late_fragment_tests" => 0x200,
        "color_attachment_output" => 0x400,
        "compute_shader" => 0x800,
        "transfer" => 0x1000,
        "bottom_of_pipe" => 0x2000,
        "host" => 0x4000,
        "all_graphics" => 0x8000,
        "all_commands" => 0x1_0000,
        // Whatever else there is lies outside of framebuffer space.
        _ => 1 << 40,
    };
    names.iter().map(bit).fold(0, |all, bit| all | bit)
}

pub fn mali_merge(case: &Json, facts: &Facts) -> Outcome {
    let mut pass = Pass { layers: 1, ..Pass::default() };
    let mut aspects = Vec::new();
    for a in list(case, "attachments") {
        let kind = text(a, "aspects");
        let format = match kind {
            "color" => sized(number(a, "bytes")),
            "depth" => "D32_SFLOAT",
            "stencil" => "S8_UINT",
            _ => "D24_UNORM_S8_UINT",
        };
        pass.attachments.push(attachment(named(format), number(a, "samples")));
        aspects.push(kind);
    }
    for s in list(case, "subpasses") {
        let uses = |key: &str| list(s, key).iter().map(|a| a.as_u64().and_then(using)).collect::<Vec<_>>();
        let ds = s["ds"].as_u64();
        let with = |aspect: &str| ds.filter(|a| aspects[*a as usize].contains(aspect)).and_then(using);
        pass.subpasses.push(Subpass {
            color: uses("color"),
            input: uses("input"),
            depth: with("depth"),
            stencil: with("stencil"),
            view_mask: number(s, "view_mask") as u32,
            ..Subpass::default()
        });
    }
    for d in list(case, "dependencies") {
        let subpass = |key: &str| d[key].as_u64().map_or(SUBPASS_EXTERNAL, |s| s as u32);
        pass.dependencies.push(Dependency {
            src: subpass("src"),
            dst: subpass("dst"),
            src_stages: stages(list(d, "src_stages")),
            dst_stages: stages(list(d, "dst_stages")),
            flags: if d["by_region"] == true { Dependency::BY_REGION } else { 0 },
            ..Dependency::default()
        });
    }
    let limits = mali::Limits { budget: number(case, "budget"), color_attachments: number(case, "max_color") as usize };
    let grouping = mali::panvk_grouping(limits, &PassView::new(&pass, &[]));
    let groups: Vec<Vec<usize>> = list(case, "groups")
        .iter()
        .map(|group| super::numbers(group).into_iter().map(|s| s as usize).collect())
        .collect();
    same("groups", &grouping.groups, &groups)?;
    same("verdicts", grouping.verdicts.len(), pass.subpasses.len())?;
    let profile = facts.profiles.iter().find(|p| p.id == "mali-g610-panvk").ok_or("panvk is not built in")?;
    let own = mali::Limits { budget: 16384, color_attachments: 8 };
    if limits != own {
        return Ok(());
    }
    same("profile's groups", &profile.tiler.grouping(&PassView::new(&pass, &[])).groups, &groups)
}
