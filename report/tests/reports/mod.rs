//! The reports that renderers are tested on, built here in full so that no model decides what they look like.

use std::collections::BTreeMap;
use tbdr_model::frame::{LoadOp, StoreOp};
use tbdr_model::record::{Device, Gap, GapReason, Run};
use tbdr_model::report::{
    Alternative, Attachment, Basis, BesideEntry, Compressed, Direction, Entry, Finding, Floor, Frame, Gpu, GpuFrame,
    Pass, Quantity, Report, SCHEMA, Saving, TilePass, TileSubpass, Transfer, TransferEntry,
};
use tbdr_model::units::{Bytes, Extent2D, Rect2D};

const FULL: Extent2D = Extent2D::new(2220, 1080);
const FULL_BYTES: u64 = 2220 * 1080 * 4;

/// A steady program on three GPUs: a shadow pass, a main pass with a depth store, a copy.
pub fn steady() -> Report {
    let ids = ["adreno-650", "apple-m1", "mali-g76"];
    let mut frame = frame(vec![pass("shadow", Extent2D::new(1024, 1024)), pass("main pass", FULL)], 60);
    frame.transfers = vec![Transfer {
        id: "copy".into(),
        kind: "copy_image_to_buffer".into(),
        src: Some("colour".into()),
        dst: Some("readback".into()),
        host: None,
    }];
    for id in ids {
        let mut gpu = GpuFrame::default();
        let odd = if id == "adreno-650" { 4096 } else { 0 };
        let basis = if id == "adreno-650" { Basis::Bound } else { Basis::Exact };
        gpu.passes.push(tile_pass(0, vec![entry("shadow map", "depth", "store", Direction::Write, 1 << 22, basis)]));
        gpu.passes.push(tile_pass(
            1,
            vec![
                entry("colour", "color", "load", Direction::Read, FULL_BYTES + odd, basis),
                entry("colour", "color", "store", Direction::Write, FULL_BYTES + odd, basis),
                entry("depth", "depth", "store", Direction::Write, FULL_BYTES + odd, basis),
            ],
        ));
        gpu.transfers = vec![
            transfer("colour", "color", Direction::Read, FULL_BYTES),
            transfer("readback", "buffer", Direction::Write, FULL_BYTES),
        ];
        let mut gpu = summed(gpu);
        // The depth store, and of the rest all but the copy of the colour on chip.
        gpu.avoidable_bytes = Some(Bytes(FULL_BYTES));
        let (read_bytes, write_bytes) = (Bytes(2 * FULL_BYTES), Bytes((1 << 22) + 2 * FULL_BYTES));
        let undecided_bytes = Bytes(if id == "apple-m1" { 1 << 20 } else { 0 });
        let efficiency = Some(0.816);
        gpu.floor = Some(Floor { read_bytes, write_bytes, undecided_bytes, efficiency });
        if id != "adreno-650" {
            let left = |bytes: Bytes| [Bytes(bytes.0 * 45 / 100), Bytes(bytes.0 * 60 / 100)];
            gpu.compressed = Some(Compressed { read: left(gpu.read_bytes), write: left(gpu.write_bytes) });
        }
        (gpu.sampled_read_bytes, gpu.display_read_bytes) = (Bytes(1 << 22), Bytes(FULL_BYTES));
        gpu.beside = vec![
            beside("shadow map", "sampled", 1 << 22, Basis::Bound),
            beside("colour", "present", FULL_BYTES, Basis::Estimate),
        ];
        frame.gpus.insert(id.into(), gpu);
    }
    frame.outputs = vec!["colour".into()];
    report(&ids, vec![frame])
}

/// A dozen GPUs, ten of which move the same, and one that may render to memory instead.
pub fn many() -> Report {
    let ids: Vec<String> = (0..12).map(|n| format!("mali-g{}", 50 + n)).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut report = steady();
    let frame = &mut report.frames[0];
    let (same, mut other) = (frame.gpus["mali-g76"].clone(), frame.gpus["adreno-650"].clone());
    other.passes[1].alternative = Some(Alternative {
        note: "the driver renders straight to memory if the pass has at most 5 draws".into(),
        write_bytes: Bytes(FULL_BYTES),
        passes: vec![tile_pass(1, vec![entry("colour", "color", "in_memory", Direction::Write, 0, Basis::Undecided)])],
        ..Alternative::default()
    });
    frame.gpus = ids.iter().map(|id| ((*id).to_string(), same.clone())).collect();
    frame.gpus.insert(ids[3].into(), other);
    let whole = self::report(&ids, vec![]);
    (report.gpus, report.gpu_order) = (whole.gpus, whole.gpu_order);
    let saving = |id: &&str| {
        let saving = Saving { quantity: Quantity::Dram, value: FULL_BYTES, basis: Basis::Exact };
        ((*id).to_string(), saving)
    };
    report.findings = undecided().findings;
    report.findings[0].saving = ids.iter().map(saving).collect();
    let finding = &mut report.findings[0];
    finding.after_previous.clone_from(&finding.saving);
    report
}

/// Five GPUs, eighty passes, several distinct frames, gaps, an undecided entry, a cut capture.
pub fn crowded() -> Report {
    let ids = ["adreno-650", "adreno-740", "apple-m1", "mali-g57", "mali-g76"];
    let frames = (0..9u64).map(|n| {
        let passes = (0..80).map(|p| pass(&format!("pass {p}"), Extent2D::new(256, 256))).collect();
        let mut frame = frame(passes, if n == 4 { 40 } else { 1 + n });
        frame.indices = vec![[n, n + 18, 9], [100 + n, 100 + n, 1], [200, 201, 1], [300, 300, 1]];
        frame.passes[3].subpasses = 2;
        for (g, id) in ids.iter().enumerate() {
            let mut gpu = GpuFrame::default();
            for p in 0..80u32 {
                let bytes = 262_144 * (1 + u64::from(p % 7)) * (1 + g as u64) + n;
                let store = entry("target", "color", "store", Direction::Write, bytes, Basis::Estimate);
                gpu.passes.push(tile_pass(p, vec![store]));
            }
            gpu.passes[3].subpasses = vec![TileSubpass { pass: 3, subpass: 1, ..TileSubpass::default() }];
            gpu.passes[5].entries = vec![entry("target", "color", "load", Direction::Read, 0, Basis::Undecided)];
            gpu.passes[5].tile = None;
            gpu.passes[5].mode = "immediate".into();
            gpu.passes[5].notes = vec![IMMEDIATE.into()];
            frame.gpus.insert((*id).into(), summed(gpu));
        }
        frame
    });
    let mut report = report(&ids, frames.collect());
    report.complete = false;
    report.gaps = vec![
        Gap { first: 5, count: 2, reason: GapReason::Overload },
        Gap { first: 50, count: 1, reason: GapReason::Selection },
        Gap { first: 70, count: 1, reason: GapReason::Overload },
    ];
    report.not_modelled = (0..20).map(|n| format!("thing {n} of those that are left out")).collect();
    report
}

/// Two render passes with three subpasses each, on a GPU that merges all of the first (and may not) and a part of the second, on one that
/// goes to memory for the second, and on one that never merges.
pub fn subpasses() -> Report {
    let ids = ["adreno-650", "apple-m1", "mali-g76"];
    let mut frame = frame(vec![pass("deferred", FULL), pass("effects", FULL)], 60);
    frame.passes.iter_mut().for_each(|pass| pass.subpasses = 3);
    let of = |pass: u32, numbers: &[(u32, &str)], entries: Vec<Entry>| TilePass {
        merge_basis: Some("documented".into()),
        subpasses: numbers
            .iter()
            .map(|&(subpass, note)| TileSubpass {
                pass,
                subpass,
                merge_note: note.to_string().into(),
                ..TileSubpass::default()
            })
            .collect(),
        ..tile_pass(pass, entries)
    };
    let store = || vec![entry("colour", "color", "store", Direction::Write, FULL_BYTES, Basis::Exact)];
    let whole = [(0, "first subpass of its tile pass"), (1, MERGED), (2, MERGED)];
    for id in ids {
        let passes = match id {
            "mali-g76" => {
                let mut first = of(0, &whole, store());
                first.merge_basis = Some("inferred".into());
                first.alternative = Some(Alternative {
                    note: "other releases of the driver".into(),
                    read_bytes: Bytes(3 * FULL_BYTES),
                    write_bytes: Bytes(4 * FULL_BYTES),
                    passes: vec![TilePass::default(); 3],
                });
                let apart = "the dependency from subpass 1 is not by region";
                vec![first, of(1, &whole[..2], store()), of(1, &[(2, apart)], store())]
            }
            "adreno-650" => {
                let memory = "immediate mode: the attachments do not fit GMEM";
                let mut passes: Vec<_> = (0..3).map(|n| of(1, &[(n, memory)], store())).collect();
                passes.iter_mut().for_each(|pass| (pass.mode, pass.tile) = ("immediate".into(), None));
                passes.insert(0, of(0, &whole, store()));
                passes
            }
            _ => (0..6).map(|n| of(n / 3, &[(n % 3, NEVER)], store())).collect(),
        };
        frame.gpus.insert(id.into(), summed(GpuFrame { passes, ..GpuFrame::default() }));
    }
    report(&ids, vec![frame])
}

/// A short run without a steady state on four GPUs, the lightest of which leaves a pass undecided.
pub fn undecided() -> Report {
    let ids = ["adreno-650", "apple-m1", "mali-g57", "mali-g76"];
    let frames = (0..4u64).map(|n| {
        let mut frame = frame(vec![pass("main", FULL)], 1);
        frame.indices = vec![[n, n, 1]];
        let copy = |kind: &str| Transfer { id: kind.into(), kind: kind.into(), src: None, dst: None, host: None };
        frame.transfers = vec![copy("copy_image"), copy("blit")];
        for (g, id) in ids.iter().enumerate() {
            let weight = if n == 2 { 3 } else { 1 };
            let store = entry("colour", "color", "store", Direction::Write, weight << (20 + g), Basis::Exact);
            let mut main = tile_pass(0, vec![store]);
            if *id == "adreno-650" {
                main = TilePass { mode: "immediate".into(), tile: None, tiles: None, ..main };
                main.notes = vec![IMMEDIATE.into()];
                main.entries.push(entry("colour", "color", "in_memory", Direction::Write, 0, Basis::Undecided));
            }
            let transfers = vec![transfer("colour", "color", Direction::Read, 1 << 10)];
            frame.gpus.insert((*id).into(), summed(GpuFrame { passes: vec![main], transfers, ..GpuFrame::default() }));
        }
        frame
    });
    let mut report = report(&ids, frames.collect());
    report.findings = vec![Finding {
        code: "TL006".into(),
        name: "store-never-read".into(),
        level: "warn".into(),
        pass: Some("main".into()),
        attachment: None,
        frames: vec![[0, 2, 1]],
        saving: BTreeMap::new(),
        after_previous: BTreeMap::new(),
        fix: "do not store it".into(),
        why: "nobody reads it".into(),
    }];
    report
}

const IMMEDIATE: &str = "immediate mode: the attachments do not fit GMEM; what its draws move is not counted";
const MERGED: &str = "merged with the subpasses before it";
const NEVER: &str = "subpasses are never merged: each is a render pass of its own";

/// A program that made a device and ended.
pub fn empty() -> Report {
    report(&["mali-g76"], vec![])
}

/// Every string that an application can set is made to break a terminal.
pub fn hostile() -> Report {
    let evil = format!("\u{1b}]0;owned\u{7}\u{202e}\r\n\u{200b}<script>\u{2028}{}", "A".repeat(1 << 20));
    let mut report = steady();
    report.run.program.clone_from(&evil);
    report.run.device.name.clone_from(&evil);
    report.not_modelled = vec![evil.clone()];
    let frame = &mut report.frames[0];
    for pass in &mut frame.passes {
        pass.label.clone_from(&evil);
    }
    for gpu in frame.gpus.values_mut() {
        gpu.passes.iter_mut().flat_map(|pass| &mut pass.entries).for_each(|entry| entry.image.clone_from(&evil));
        gpu.transfers.iter_mut().for_each(|entry| entry.resource.clone_from(&evil));
    }
    report
}

fn report(ids: &[&str], frames: Vec<Frame>) -> Report {
    let gpu = |id: &&str| {
        ((*id).to_string(), Gpu { name: id.to_uppercase(), policy: "hardware facts and driver policy in words".into() })
    };
    Report {
        schema: SCHEMA.into(),
        notice: "modelled, not measured".into(),
        run: Run {
            program: "vkcube".into(),
            device: Device { name: "llvmpipe (LLVM 15.0.6, 256 bits)".into(), ..Device::default() },
            ..Run::default()
        },
        gpus: ids.iter().map(gpu).collect(),
        gpu_order: ids.iter().map(ToString::to_string).collect(),
        frame_count: frames.iter().map(|frame| frame.count).sum(),
        frames,
        gaps: vec![],
        complete: true,
        assumptions: vec![],
        not_modelled: vec!["compression".into(), "traffic of shaders: textures, buffers, varyings".into()],
        undecided_advice: Some(vec![]),
        findings: vec![],
        allowed: BTreeMap::new(),
    }
}

fn frame(passes: Vec<Pass>, count: u64) -> Frame {
    Frame {
        indices: vec![[0, count - 1, 1]],
        count,
        boundary: "present".into(),
        images: vec![],
        outputs: vec![],
        passes,
        transfers: vec![],
        dispatches: [0, 0],
        schedule: None,
        gpus: BTreeMap::new(),
    }
}

fn pass(label: &str, extent: Extent2D) -> Pass {
    Pass {
        id: label.into(),
        label: label.into(),
        extent,
        render_area: Rect2D { x: 0, y: 0, extent },
        layers: 1,
        subpasses: 1,
        attachments: vec![Attachment {
            image: "colour".into(),
            role: "color 0".into(),
            format: "R8G8B8A8_UNORM".into(),
            samples: 1,
            load: Some(LoadOp::Load),
            store: Some(StoreOp::Store),
            stencil_load: None,
            stencil_store: None,
            never_written: vec![],
            never_read: vec![],
        }],
        sampled: None,
        draws: 3,
        draws_range: [3, 3],
        indirect_draws: 0,
        driver_tile: None,
        driver_merging: None,
    }
}

fn tile_pass(pass: u32, entries: Vec<Entry>) -> TilePass {
    TilePass {
        source_passes: vec![pass],
        tile: Some(Extent2D::new(16, 16)),
        tiles: Some(9452),
        mode: "tiled".into(),
        subpasses: vec![TileSubpass { pass, subpass: 0, ..TileSubpass::default() }],
        entries,
        ..TilePass::default()
    }
}

fn entry(
    image: &str,
    aspect: &'static str,
    cause: &'static str,
    direction: Direction,
    bytes: u64,
    basis: Basis,
) -> Entry {
    Entry {
        attachment: 0,
        image: image.into(),
        aspect: aspect.into(),
        cause: cause.into(),
        direction,
        bytes: Bytes(bytes),
        basis,
        compressed: None,
    }
}

fn beside(image: &str, cause: &'static str, bytes: u64, basis: Basis) -> BesideEntry {
    BesideEntry {
        pass: None,
        dispatch: None,
        image: image.into(),
        aspect: "color".into(),
        cause: cause.into(),
        direction: Direction::Read,
        bytes: Bytes(bytes),
        one_sample_bytes: None,
        basis,
        compressed: None,
    }
}

fn transfer(resource: &str, aspect: &'static str, direction: Direction, bytes: u64) -> TransferEntry {
    TransferEntry {
        transfer: 0,
        resource: resource.into(),
        aspect: aspect.into(),
        cause: "copy_image_to_buffer".into(),
        direction,
        bytes: Bytes(bytes),
        basis: Basis::Exact,
        compressed: None,
    }
}

/// Fills in the sums.
fn summed(mut gpu: GpuFrame) -> GpuFrame {
    let sum = |entries: &[Entry], direction| {
        entries.iter().filter(|entry| entry.direction == direction).map(|entry| entry.bytes).sum::<Bytes>()
    };
    for pass in &mut gpu.passes {
        pass.read_bytes = sum(&pass.entries, Direction::Read);
        pass.write_bytes = sum(&pass.entries, Direction::Write);
    }
    let transfers = |direction| gpu.transfers.iter().filter(move |e| e.direction == direction).map(|e| e.bytes);
    gpu.read_bytes = gpu.passes.iter().map(|p| p.read_bytes).chain(transfers(Direction::Read)).sum();
    gpu.write_bytes = gpu.passes.iter().map(|p| p.write_bytes).chain(transfers(Direction::Write)).sum();
    gpu
}
