//! PowerVR Rogue under Mesa's pvr.

use super::*;
use tbdr_model::gpu::powervr::{self, Access, Place, Resolve, Room};
use tbdr_model::model::{Walk, uses};
use tbdr_model::report::Direction;

/// The built-in profile of a core.
fn core<'a>(facts: &'a Facts, case: &Json) -> &'a Profile {
    let name = format!("PowerVR {}", text(case, "gpu"));
    profile(facts, &name).unwrap_or_else(|| panic!("{name} is not built in"))
}

fn numeric(profile: &Profile, key: &str) -> u64 {
    figure(profile, key).as_u64().unwrap_or_else(|| panic!("{key} of {} is no number", profile.id))
}

pub fn format(case: &Json, _: &Facts) -> Outcome {
    let format = named(text(case, "format"));
    let bytes = powervr::accumulation_bytes(format).map(u64::from);
    same("accum_bytes", bytes, Some(number(case, "accum_bytes")))?;
    same("dwords", powervr::dwords(format).map(u64::from), Some(number(case, "dwords")))?;
    same("pbe_downscalable", powervr::is_downscalable(format), case["pbe_downscalable"] == true)
}

pub fn tiles(case: &Json, facts: &Facts) -> Outcome {
    let profile = core(facts, case);
    let (samples, framebuffer) = (number(case, "samples"), extent(&case["fb"]));
    let tiling = powervr::Tiling {
        size: extent(&figure(profile, "tile")),
        isp_samples: numeric(profile, "isp_samples"),
        pairs: numeric(profile, "simple_parameter_format") == 2,
    };
    same("samples_per_tile", tiling.samples_per_tile(samples as u32), extent(&case["samples_per_tile"]))?;
    let tiles = tiling.tiles(framebuffer, samples as u32);
    same("tiles", tiles, extent(&case["tiles"]))?;
    let mut pass = simple_pass(&[Some(named("R8G8B8A8_UNORM"))], samples);
    (pass.extent, pass.render_area.extent) = (framebuffer, framebuffer);
    let plan = profile.tiler.plan(&PassView::new(&pass, &[]), &[0]);
    same("profile's tiles", plan.tiles, Some(tiles.pixels()))
}

/// A place as the lines spell it.
fn place(place: Place) -> String {
    match place {
        Place::Register(register) => format!("reg{register}"),
        Place::TileBuffer { buffer, offset } => format!("tb{buffer}+{offset}"),
    }
}

fn spelled(op: LoadOp) -> String {
    serde_json::to_value(op).ok().and_then(|op| op.as_str().map(str::to_string)).unwrap_or_default()
}

/// Attachment and operation of each initialisation.
fn inits(render: &Json, key: &str) -> Vec<(u64, String)> {
    list(render, key).iter().map(|init| (number(init, "att"), text(init, "op").to_string())).collect()
}

pub fn merge(case: &Json, facts: &Facts) -> Outcome {
    let profile = core(facts, case);
    let room = Room {
        registers: number(case, "max_output_regs") as u32,
        tile_buffers: number(case, "max_tile_buffers") as u32,
        even: figure(profile, "even_registers") == true,
    };
    same("max_output_regs", numeric(profile, "output_registers"), u64::from(room.registers))?;
    same("max_tile_buffers", numeric(profile, "tile_buffers"), u64::from(room.tile_buffers))?;
    let mut pass = described_pass(case);
    pass.layers = 1;
    pass.extent = Extent2D::new(640, 480);
    pass.render_area.extent = pass.extent;
    let view = PassView::new(&pass, &[]);
    let schedule = powervr::schedule(room, &view);
    same("render_count", schedule.renders.len() as u64, number(case, "render_count"))?;
    for (index, expected) in (0u32..).zip(list(case, "attachments")) {
        let what = |key: &str| format!("attachment {index}: {key}");
        let format = view.format(index).ok_or("a format without a texel size")?;
        let color = format.aspects() == Aspects::COLOR;
        let dwords = powervr::dwords(format).filter(|_| color).unwrap_or(0);
        same(&what("accum_dwords"), u64::from(dwords), number(expected, "accum_dwords"))?;
        same(&what("pbe_downscalable"), powervr::is_downscalable(format), expected["pbe_downscalable"] == true)?;
        same(&what("memory_needed"), schedule.in_memory.contains(&index), expected["memory_needed"] == true)?;
    }
    for (index, expected) in list(case, "subpasses").iter().enumerate() {
        let what = |key: &str| format!("subpass {index}: {key}");
        let found = schedule.renders.iter().enumerate().find_map(|(render, built)| {
            let slot = built.slots.iter().position(|slot| slot.subpass == index)?;
            Some((render as u64, slot as u64, &built.slots[slot]))
        });
        let (render, at, slot) = found.ok_or_else(|| what("in no render"))?;
        same(&what("render"), render, number(expected, "render"))?;
        same(&what("render_slot"), at, number(expected, "render_slot"))?;
        let storage: Vec<Json> = slot.color.iter().map(|p| p.map_or(Json::Null, |p| place(p).into())).collect();
        same(&what("color_storage"), Json::from(storage), expected["color_storage"].clone())?;
        let access = |access: &Option<Access>| match access {
            Some(Access::OnChip(_)) => "ONCHIP",
            Some(Access::DepthCopy(_)) => "ONCHIP_ZREPLICATE",
            Some(Access::Memory) => "OFFCHIP",
            None => "UNUSED",
        };
        let inputs: Vec<Json> = slot.input.iter().map(|a| access(a).into()).collect();
        same(&what("input_access"), Json::from(inputs), expected["input_access"].clone())?;
    }
    for (index, (built, expected)) in schedule.renders.iter().zip(list(case, "renders")).enumerate() {
        let what = |key: &str| format!("render {index}: {key}");
        let subpasses: Vec<u64> = built.slots.iter().map(|slot| slot.subpass as u64).collect();
        same(&what("subpasses"), subpasses, numbers(&expected["subpasses"]))?;
        same(&what("samples"), u64::from(built.samples), number(expected, "samples"))?;
        same(&what("output_regs"), u64::from(built.registers), number(expected, "output_regs"))?;
        same(&what("tile_buffers"), u64::from(built.tile_buffers), number(expected, "tile_buffers"))?;
        same(&what("ds_attach"), built.depth.map_or(-1, i64::from), expected["ds_attach"].as_i64().unwrap_or(-1))?;
        same(&what("depth_init"), spelled(built.depth_init), text(expected, "depth_init").to_string())?;
        same(&what("stencil_init"), spelled(built.stencil_init), text(expected, "stencil_init").to_string())?;
        same(&what("depth_store"), built.depth_store, expected["depth_store"] == true)?;
        same(&what("stencil_store"), built.stencil_store, expected["stencil_store"] == true)?;
        let init = |(attachment, op): (u32, LoadOp)| (u64::from(attachment), spelled(op));
        let starts: Vec<_> = built.color_init.iter().copied().map(init).collect();
        same(&what("color_init"), starts, inits(expected, "color_init"))?;
        let late: Vec<_> = built.late_init.iter().map(|(_, a, op)| init((*a, *op))).collect();
        same(&what("subpass_init"), late, inits(expected, "subpass_init"))?;
        let subpasses: Vec<u64> = built.late_init.iter().map(|(subpass, ..)| *subpass as u64).collect();
        let expected_subpasses: Vec<u64> =
            list(expected, "subpass_init").iter().map(|i| number(i, "subpass")).collect();
        same(&what("subpass_init's subpasses"), subpasses, expected_subpasses)?;
        let stores: Vec<Json> = built
            .stores
            .iter()
            .map(|store| match store.resolve {
                None => serde_json::json!({ "att": store.attachment }),
                Some((source, how)) => {
                    let how = if how == Resolve::Pbe { "PBE" } else { "TRANSFER" };
                    serde_json::json!({ "att": store.attachment, "resolve_from": source, "how": how })
                }
            })
            .collect();
        same(&what("end_stores"), Json::from(stores), expected["end_stores"].clone())?;
    }
    moves(profile, &view, case)
}

/// What the profile moves for the pass is what the renders of the line load and store.
fn moves(profile: &Profile, view: &PassView<'_>, case: &Json) -> Outcome {
    let tiler = &profile.tiler;
    let grouping = tiler.grouping(view);
    let merged = grouping.verdicts.iter().filter(|v| v.status == gpu::MergeStatus::Merged).count();
    same("merged subpasses", merged, view.pass.subpasses.len() - grouping.groups.len())?;
    let plans: Vec<_> = grouping.groups.iter().map(|g| tiler.plan(view, g)).collect();
    let uses = uses(view, &grouping.groups, tiler.rules(), &mut BTreeSet::new());
    let walk = Walk { view, groups: &grouping.groups, plans: &plans, uses: &uses };
    let movements = tiler.operations(&walk);
    for (index, expected) in list(case, "renders").iter().enumerate() {
        let count = |cause: &str, direction: Direction, aspect: Aspects| {
            let of = |m: &&tbdr_model::model::Movement| {
                (m.tile_pass, m.cause, m.direction, m.aspect) == (index, cause, direction, aspect)
            };
            movements.iter().filter(of).count()
        };
        let what = |what: &str| format!("render {index}: {what} that the profile counts");
        let color = inits(expected, "color_init").into_iter().chain(inits(expected, "subpass_init"));
        let loads = color.filter(|(_, op)| op == "LOAD").count();
        same(&what("colour loads"), count("load", Direction::Read, Aspects::COLOR), loads)?;
        let (resolves, stores): (Vec<&Json>, Vec<&Json>) =
            list(expected, "end_stores").iter().partition(|store| store["how"].is_string());
        same(&what("colour stores"), count("store", Direction::Write, Aspects::COLOR), stores.len())?;
        same(&what("resolves"), count("resolve", Direction::Write, Aspects::COLOR), resolves.len())?;
        let transfers = resolves.iter().filter(|store| store["how"] == "TRANSFER").count();
        same(&what("transfers"), count("resolve_read", Direction::Read, Aspects::COLOR), transfers)?;
        let depth_load = usize::from(expected["depth_init"] == "LOAD");
        same(&what("depth loads"), count("load", Direction::Read, Aspects::DEPTH), depth_load)?;
        let stencil_store = usize::from(expected["stencil_store"] == true);
        same(&what("stencil stores"), count("store", Direction::Write, Aspects::STENCIL), stencil_store)?;
        let off_chip: usize = list(case, "subpasses")
            .iter()
            .filter(|s| number(s, "render") == index as u64)
            .flat_map(|s| list(s, "input_access").iter().zip(numbers(&s["input"])))
            .filter(|(access, _)| **access == "OFFCHIP")
            .map(|(_, input)| {
                let format = view.format(input as u32);
                format.map_or(1, |f| if f.packs_depth_stencil() { 2 } else { 1 })
            })
            .sum();
        let inputs: usize = [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL]
            .map(|aspect| count("input", Direction::Read, aspect))
            .iter()
            .sum();
        same(&what("input reads"), inputs, off_chip)?;
        let buffers = movements.iter().any(|m| m.tile_pass == index && m.cause == "tile_buffer");
        same(&what("tile buffers"), buffers, number(expected, "tile_buffers") > 0)?;
    }
    Ok(())
}
