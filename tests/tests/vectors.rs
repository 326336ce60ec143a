//! The model agrees with what open-source drivers decide: see `tests/vectors/README.md`.
//!
//! Reads the folder that TILELENS_VECTORS names, else `tests/vectors`, and prints how many cases of each file agree.
#![allow(clippy::print_stdout, reason = "the counts are what the test is run for, with --nocapture")]

#[path = "vectors/adreno.rs"]
mod adreno_inputs;
#[path = "vectors/mali.rs"]
mod mali_cases;

use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tbdr_model::format::{self, Info};
use tbdr_model::frame::{
    Aspects, Attachment, AttachmentUse, Dependency, LoadOp, Pass, ResolveUse, SUBPASS_EXTERNAL, StoreOp, Subpass,
};
use tbdr_model::gpu::{self, Mode, Profile, adreno, apple, mali};
use tbdr_model::model::PassView;
use tbdr_model::units::{Extent2D, Rect2D};

#[path = "vectors/pvr.rs"]
mod pvr;
#[path = "vectors/v3dv.rs"]
mod v3dv;

/// A comparison: what differs, if anything.
type Outcome = Result<(), String>;

/// What turns a file's line into a comparison; `None` where the family or the driver's policy is not modelled yet.
type Check = Option<fn(&Json, &Facts) -> Outcome>;

const FILES: &[(&str, Check)] = &[
    ("agx_format", Some(agx_format)),
    ("agx_tile", Some(agx_tile)),
    ("mali_merge", Some(mali_cases::mali_merge)),
    ("panfrost_format", Some(panfrost_format)),
    ("panfrost_hierarchy", Some(mali_cases::panfrost_hierarchy)),
    ("panfrost_tile", Some(mali_cases::panfrost_tile)),
    ("panfrost_tile_main_hand", Some(panfrost_tile_main)),
    ("pvr_format", Some(pvr::format)),
    ("pvr_merge", Some(pvr::merge)),
    ("pvr_tiles", Some(pvr::tiles)),
    ("turnip_chips", Some(turnip_chips)),
    ("turnip_tiling", Some(turnip_tiling)),
    ("v3dv_format", Some(v3dv::format)),
    ("v3dv_merge", Some(v3dv::merge)),
    ("v3dv_tile", Some(v3dv::tile)),
];

/// What several files need.
struct Facts {
    profiles: Vec<Profile>,
    adreno: BTreeMap<String, adreno::Hardware>,
}

#[test]
fn the_model_agrees_with_the_drivers() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let folder = std::env::var_os("TILELENS_VECTORS").map_or_else(|| own.clone(), PathBuf::from);
    let read = |folder: &Path, file: &str| std::fs::read_to_string(folder.join(format!("{file}.jsonl"))).ok();
    let chips = read(&folder, "turnip_chips").or_else(|| read(&own, "turnip_chips")).unwrap_or_default();
    let chip = |line: &str| -> (String, adreno::Hardware) {
        let case: Json = serde_json::from_str(line).unwrap();
        (text(&case, "chip").to_string(), adreno_hardware(&case))
    };
    let facts =
        Facts { profiles: gpu::builtin(), adreno: chips.lines().filter(|l| !l.trim().is_empty()).map(chip).collect() };
    let (mut agree, mut differ) = (0, 0);
    for (file, check) in FILES {
        let Some(lines) = read(&folder, file) else {
            println!("{file}: skipped, not in {}", folder.display());
            continue;
        };
        let Some(check) = check else {
            println!("{file}: skipped, not modelled yet");
            continue;
        };
        let (mut same, mut all) = (0, 0);
        for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            all += 1;
            let case: Json = serde_json::from_str(line).unwrap_or_else(|e| panic!("{file}, line {}: {e}", number + 1));
            match check(&case, &facts) {
                Ok(()) => same += 1,
                Err(difference) => println!("{file} {} ({}): {difference}", case["id"], case["note"]),
            }
        }
        println!("{file}: {same} of {all} agree");
        agree += same;
        differ += all - same;
    }
    println!("vectors: {agree} agree, {differ} differ");
    assert!(agree > 0, "no vector was read from {}", folder.display());
    assert_eq!(differ, 0, "the cases that differ are listed above");
}

fn text<'a>(case: &'a Json, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text in {case}"))
}

fn number(case: &Json, key: &str) -> u64 {
    case[key].as_u64().unwrap_or_else(|| panic!("`{key}` is no number in {case}"))
}

fn list<'a>(case: &'a Json, key: &str) -> &'a [Json] {
    case[key].as_array().map_or(&[], Vec::as_slice)
}

fn numbers(value: &Json) -> Vec<u64> {
    value.as_array().into_iter().flatten().filter_map(Json::as_u64).collect()
}

fn extent(value: &Json) -> Extent2D {
    let pair = numbers(value);
    Extent2D::new(pair[0] as u32, pair[1] as u32)
}

fn named(name: &str) -> &'static Info {
    format::by_name(name).unwrap_or_else(|| panic!("format {name} is not in the registry"))
}

/// Colour slots; `None` is an unused one.
fn slots(case: &Json) -> Vec<Option<&'static Info>> {
    list(case, "color").iter().map(|c| c.as_str().filter(|n| *n != "UNUSED").map(named)).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, model: T, driver: T) -> Outcome {
    if model == driver { Ok(()) } else { Err(format!("{what}: model {model:?}, driver {driver:?}")) }
}

fn profile<'a>(facts: &'a Facts, name: &str) -> Option<&'a Profile> {
    facts.profiles.iter().find(|p| p.name == name)
}

fn figure(profile: &Profile, key: &str) -> Json {
    let figure = profile.figures.iter().find(|f| f.key == key).unwrap_or_else(|| panic!("{} has no {key}", profile.id));
    match &figure.value {
        gpu::Value::Flag(flag) => (*flag).into(),
        gpu::Value::Integer(number) => (*number).into(),
        gpu::Value::Pair(pair) => pair.to_vec().into(),
        gpu::Value::Text(text) => text.as_str().into(),
    }
}

fn attachment(format: &Info, samples: u64) -> Attachment {
    Attachment { format: format.format, samples: samples as u32, ..Attachment::default() }
}

fn using(attachment: u64) -> Option<AttachmentUse> {
    Some(AttachmentUse { attachment: attachment as u32, ..AttachmentUse::default() })
}

/// A pass of one subpass with these colour slots and a depth buffer, over a framebuffer of 640 by 480.
fn simple_pass(slots: &[Option<&Info>], samples: u64) -> Pass {
    let extent = Extent2D::new(640, 480);
    let mut pass = Pass { extent, render_area: Rect2D { extent, ..Rect2D::default() }, layers: 1, ..Pass::default() };
    pass.attachments.push(attachment(named("D32_SFLOAT"), samples));
    let mut subpass = Subpass { depth: using(0), ..Subpass::default() };
    for slot in slots {
        subpass.color.push(slot.and_then(|_| using(pass.attachments.len() as u64)));
        pass.attachments.extend(slot.map(|format| attachment(format, samples)));
    }
    pass.subpasses.push(subpass);
    pass
}

fn panfrost_format(case: &Json, _: &Facts) -> Outcome {
    let format = named(text(case, "format"));
    same("blendable", mali::is_blendable(format), case["blendable"] == true)?;
    same("block_bytes", u64::from(format.block_bytes), number(case, "block_bytes"))?;
    same("tib_bytes", mali::tile_buffer_bytes(format), number(case, "tib_bytes"))
}

fn panfrost_tile_main(case: &Json, facts: &Facts) -> Outcome {
    let hardware = mali::Hardware {
        architecture: number(case, "arch"),
        color_buffer: number(case, "color_buffer_bytes"),
        depth_buffer: number(case, "z_buffer_bytes"),
        // Merging has vectors of its own.
        merge_bits: 0,
    };
    let (slots, samples) = (slots(case), number(case, "samples"));
    let bytes: Vec<_> = slots.iter().map(|slot| slot.map(|f| mali::tile_buffer_bytes(f) * samples)).collect();
    let tile = hardware.tile(&bytes, samples as u32);
    same("bytes_per_pixel", tile.bytes_per_pixel, number(case, "bytes_per_pixel"))?;
    same("tile_px", tile.pixels, number(case, "tile_px"))?;
    same("pipelined", tile.pipelined, case["pipelined"] == true)?;
    same("cbuf_allocation", tile.color_allocation, number(case, "cbuf_allocation"))?;
    let Some(profile) = profile(facts, text(case, "gpu")) else { return Ok(()) };
    for (key, figure_key) in
        [("arch", "architecture"), ("color_buffer_bytes", "color_buffer"), ("z_buffer_bytes", "depth_buffer")]
    {
        same(figure_key, figure(profile, figure_key), case[key].clone())?;
    }
    let pass = simple_pass(&slots, samples);
    let plan = profile.tiler.plan(&PassView::new(&pass, &[]), &[0]);
    same("profile's tile", plan.tile.map(Extent2D::pixels), Some(number(case, "tile_px")))
}

fn agx_format(case: &Json, _: &Facts) -> Outcome {
    let expected = Some((number(case, "align"), number(case, "size")));
    same("align and size", apple::tile_format(named(text(case, "format"))), expected)
}

fn agx_tile(case: &Json, facts: &Facts) -> Outcome {
    let profile = profile(facts, "Apple M1").ok_or("Apple M1 is not built in")?;
    let hardware = apple::Hardware {
        tile_bytes: figure(profile, "tile_bytes").as_u64().unwrap_or(0),
        sample_bytes: figure(profile, "sample_bytes").as_u64().unwrap_or(0),
        tile_max: extent(&figure(profile, "tile_max")),
        tile_min: extent(&figure(profile, "tile_min")),
    };
    let (slots, samples) = (slots(case), number(case, "samples"));
    let sizes: Vec<_> = slots.iter().map(|slot| slot.and_then(apple::tile_format)).collect();
    let layout = hardware.lay_out(&sizes, samples as u32);
    let spilled: Vec<bool> = list(case, "spilled").iter().map(|s| *s == true).collect();
    same("spilled", &layout.spilled, &spilled)?;
    for (slot, offset) in list(case, "offset").iter().enumerate() {
        // The offset of a slot that has no place in tile memory is -1.
        if sizes[slot].is_some() && !spilled[slot] {
            same(&format!("offset {slot}"), Some(layout.offsets[slot]), offset.as_u64())?;
        }
    }
    same("sample_size", layout.sample_size, number(case, "sample_size"))?;
    same("tile", layout.tile, extent(&case["tile"]))?;
    same("total_bytes", layout.total_bytes, number(case, "total_bytes"))?;
    let pass = simple_pass(&slots, samples);
    let plan = profile.tiler.plan(&PassView::new(&pass, &[]), &[0]);
    same("profile's tile", plan.tile, Some(layout.tile))?;
    same("profile's spills", plan.spilled.len(), spilled.iter().filter(|s| **s).count())
}

fn adreno_hardware(case: &Json) -> adreno::Hardware {
    adreno::Hardware {
        gmem: number(case, "gmem_bytes"),
        bin_align: extent(&case["tile_align"]),
        bin_max: extent(&case["tile_max"]),
        ccus: number(case, "num_ccu"),
        ccu_color_cache: number(case, "ccu_color_per_ccu"),
        ccu_gmem_shift: number(case, "ccu_fraction_log2") as u32,
        vsc_pipes: number(case, "num_vsc_pipes"),
        vpc_attributes: number(case, "vpc_attr_buf_gmem"),
        generic_clear: case["has_generic_clear"] == true,
    }
}

fn turnip_chips(case: &Json, facts: &Facts) -> Outcome {
    let hardware = adreno_hardware(case);
    same("usable_full", hardware.usable(adreno::GmemLayout::Full), number(case, "usable_full"))?;
    same("usable_avoid_ccu", hardware.usable(adreno::GmemLayout::AvoidCcu), number(case, "usable_avoid_ccu"))?;
    same("gmem_align", adreno::GRANULARITY, extent(&case["gmem_align"]))?;
    let Some(profile) = profile(facts, &format!("Adreno {}", text(case, "chip"))) else { return Ok(()) };
    let keys = [
        ("gmem", "gmem_bytes"),
        ("bin_align", "tile_align"),
        ("bin_max", "tile_max"),
        ("ccus", "num_ccu"),
        ("ccu_color_cache", "ccu_color_per_ccu"),
        ("ccu_gmem_shift", "ccu_fraction_log2"),
        ("vsc_pipes", "num_vsc_pipes"),
        ("vpc_attributes", "vpc_attr_buf_gmem"),
        ("generic_clear", "has_generic_clear"),
        ("ubwc_8bpp", "has_8bpp_ubwc"),
    ];
    keys.iter().try_for_each(|(own, key)| same(own, figure(profile, own), case[*key].clone()))
}

fn load_op(case: &Json, key: &str) -> LoadOp {
    serde_json::from_value(case[key].clone()).unwrap_or_else(|e| panic!("`{key}` of {case}: {e}"))
}

fn store_op(case: &Json, key: &str) -> StoreOp {
    serde_json::from_value(case[key].clone()).unwrap_or_else(|e| panic!("`{key}` of {case}: {e}"))
}

/// The pass that a line of turnip_tiling describes.
fn turnip_pass(case: &Json) -> Pass {
    let mut pass = described_pass(case);
    (pass.layers, pass.extent) = (numbers(&case["fb"])[2] as u32, extent(&case["fb"]));
    pass.render_area.extent = pass.extent;
    pass
}

/// The attachments, subpasses and dependencies that a line describes.
fn described_pass(case: &Json) -> Pass {
    let index = |value: &Json| value.as_u64();
    let mut pass = Pass::default();
    for a in list(case, "attachments") {
        pass.attachments.push(Attachment {
            load: load_op(a, "load"),
            store: store_op(a, "store"),
            stencil_load: load_op(a, "stencil_load"),
            stencil_store: store_op(a, "stencil_store"),
            ..attachment(named(text(a, "format")), number(a, "samples"))
        });
    }
    for s in list(case, "subpasses") {
        let uses = |key: &str| list(s, key).iter().map(|a| index(a).and_then(using)).collect::<Vec<_>>();
        let resolve =
            |a: Option<AttachmentUse>| Some(ResolveUse { attachment: a?.attachment, mode: 2, ..ResolveUse::default() });
        pass.subpasses.push(Subpass {
            color: uses("color"),
            input: uses("input"),
            resolve: uses("resolve").into_iter().map(resolve).collect(),
            depth: index(&s["ds"]).and_then(using),
            stencil: index(&s["ds"]).and_then(using),
            view_mask: s["view_mask"].as_u64().unwrap_or(0) as u32,
            drawn: true,
            ..Subpass::default()
        });
    }
    for d in list(case, "dependencies") {
        let subpass = |key: &str| d[key].as_u64().map_or(SUBPASS_EXTERNAL, |s| s as u32);
        pass.dependencies.push(Dependency {
            src: subpass("src"),
            dst: subpass("dst"),
            src_stages: number(d, "src_stage"),
            dst_stages: number(d, "dst_stage"),
            flags: if d["by_region"] == true { Dependency::BY_REGION } else { 0 },
            ..Dependency::default()
        });
    }
    pass
}

fn turnip_tiling(case: &Json, facts: &Facts) -> Outcome {
    let chip = text(case, "chip");
    let hardware = facts.adreno.get(chip).ok_or_else(|| format!("no line for {chip} in turnip_chips"))?;
    let pass = turnip_pass(case);
    let view = PassView::new(&pass, &[]);
    let mut cpps = Vec::new();
    for (index, expected) in (0u32..).zip(list(case, "attachments")) {
        let what = |field: &str| format!("attachment {index}: {field}");
        let format = view.format(index).ok_or("a format without a texel size")?;
        let described = &pass.attachments[index as usize];
        let in_gmem = adreno::is_in_gmem(&pass, index);
        let cpp = adreno::cpp(format, described.samples);
        let ops = adreno::operations(format, described, in_gmem);
        let (cond_load, cond_store) = adreno::conditional(hardware, &pass, index, ops);
        same(&what("cpp"), cpp.main, number(expected, "cpp"))?;
        let flags = [
            ("in_gmem", in_gmem),
            ("drv_load", ops.load),
            ("drv_store", ops.store),
            ("drv_load_stencil", ops.load_stencil),
            ("drv_store_stencil", ops.store_stencil),
            ("cond_load", cond_load),
            ("cond_store", cond_store),
        ];
        flags.iter().try_for_each(|(key, flag)| same(&what(key), *flag, expected[*key] == true))?;
        cpps.push(in_gmem.then_some(cpp));
    }
    adreno_inputs::inputs(case, &pass)?;
    let bandwidth = adreno::bandwidth(&view).ok_or("no bandwidth")?;
    same("gmem_Bpp", bandwidth.0, number(case, "gmem_Bpp"))?;
    same("sysmem_Bpp", bandwidth.1, number(case, "sysmem_Bpp"))?;
    let local = pass.dependencies.iter().all(adreno::is_framebuffer_local);
    let views = pass.subpasses.iter().map(|s| s.view_mask.count_ones()).max().unwrap_or(0);
    let mut sizes = BTreeSet::new();
    for (at, layout) in [adreno::GmemLayout::Full, adreno::GmemLayout::AvoidCcu].into_iter().enumerate() {
        let expected = &case["layouts"][at];
        let allocation = hardware.allocate(&cpps, layout);
        let align = Extent2D::new(number(case, "tile_align_w") as u32, number(case, "tile_align_h") as u32);
        same("tile_align", allocation.bin_align, align)?;
        same("min_cpp", allocation.min_cpp, number(case, "min_cpp"))?;
        same("gmem_pixels", if local { allocation.pixels } else { 0 }, numbers(&case["gmem_pixels"])[at])?;
        for (index, a) in list(case, "attachments").iter().enumerate().filter(|_| allocation.pixels > 0) {
            same(&format!("gmem_offset of {index}"), allocation.offsets[index], numbers(&a["gmem_offset"])[at])?;
        }
        let bins = hardware.bins(&allocation, pass.extent, u64::from(pass.layers.max(views))).filter(|_| local);
        same("possible", bins.is_some(), expected["possible"] == true)?;
        let Some(bins) = bins else { continue };
        let pipes = hardware.pipes(bins.count);
        same("tile", bins.size, extent(&expected["tile"]))?;
        same("tiles", bins.count, extent(&expected["tiles"]))?;
        same("bins", bins.count.pixels(), number(expected, "bins"))?;
        same("pipe", pipes.size, extent(&expected["pipe"]))?;
        same("pipes", pipes.count, extent(&expected["pipes"]))?;
        same("hw_binning_possible", pipes.binning_possible, expected["hw_binning_possible"] == true)?;
        same("hw_binning", pipes.binning, expected["hw_binning"] == true)?;
        sizes.insert((bins.size.width, bins.size.height));
    }
    let Some(profile) = profile(facts, &format!("Adreno {chip}")) else { return Ok(()) };
    let plan = profile.tiler.plan(&view, &[0]);
    let layered = pass.layers > 1 && views == 0;
    same("profile's mode", plan.mode, if sizes.is_empty() || layered { Mode::Immediate } else { Mode::Tiled })?;
    same("profile's bin is one of the two", plan.tile.is_none_or(|t| sizes.contains(&(t.width, t.height))), true)
}
