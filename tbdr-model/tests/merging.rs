//! Which subpasses Arm's driver merges, and what it costs when it does not.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;
use tbdr_model::report::GpuFrame;

const A: u64 = 2220 * 1080 * 4;
const FRAGMENT: u64 = 0x80;
const COLOR_OUTPUT: u64 = 0x400;
const LATE_TESTS: u64 = 0x200;

fn local() -> Dependency {
    Dependency {
        src: 0,
        dst: 1,
        src_stages: COLOR_OUTPUT | LATE_TESTS,
        dst_stages: FRAGMENT,
        flags: Dependency::BY_REGION,
        ..Dependency::default()
    }
}

/// A G-buffer of these formats that the first subpass writes, lit into an RGBA8 target by the second.
fn deferred(g_buffer: &[&str]) -> Pass {
    let mut attachments =
        vec![attachment("R8G8B8A8_SRGB", Clear, StoreOp::Store), attachment("D32_SFLOAT", Clear, StoreOp::DontCare)];
    attachments.extend(g_buffer.iter().map(|f| attachment(f, Clear, StoreOp::DontCare)));
    let g: Vec<u32> = (2..2 + g_buffer.len() as u32).collect();
    let mut inputs = vec![1];
    inputs.extend(&g);
    let mut pass = pass([2220, 1080], attachments, vec![subpass(&g, Some(1), &[]), subpass(&[0], None, &inputs)]);
    pass.dependencies = vec![local()];
    pass
}

fn status(moved: &GpuFrame, subpass: usize) -> String {
    let found =
        moved.passes.iter().flat_map(|p| &p.subpasses).find(|s| s.subpass as usize == subpass).expect("subpass");
    let status = found.merge_status.clone().expect("status");
    status.trim_start_matches("VK_SUBPASS_MERGE_STATUS_").trim_end_matches("_EXT").into()
}

#[test]
fn a_g_buffer_within_the_budget_merges_and_only_the_result_is_stored() {
    let moved = pass_ledger(&deferred(&["R8G8B8A8_UNORM", "A2B10G10R10_UNORM_PACK32"]), "mali-g76");
    assert_eq!(status(&moved, 1), "MERGED");
    assert_eq!((moved.read_bytes.0, moved.write_bytes.0), (0, A));
    assert_eq!(moved.passes[0].bits_per_pixel, Some(96));
    assert_eq!(moved.passes[0].tiles, Some(139 * 68));
    assert_eq!(moved.passes[0].merge_basis.as_deref(), Some("documented"));
}

#[test]
fn above_the_budget_the_merge_is_inferred_and_its_alternative_stands_beside_it() {
    let large = deferred(&["R32G32B32A32_SFLOAT", "R32G32B32A32_SFLOAT"]);
    let moved = pass_ledger(&large, "mali-g76");
    assert_eq!(status(&moved, 1), "MERGED");
    assert_eq!(moved.passes[0].bits_per_pixel, Some(288));
    assert_eq!(moved.passes[0].tile.unwrap().pixels(), 128);
    assert_eq!(moved.passes[0].merge_basis.as_deref(), Some("inferred"));
    let other = moved.passes[0].alternative.as_ref().unwrap();
    assert_eq!(other.passes.len(), 2);
    assert_eq!(
        other.passes[1].subpasses[0].merge_status.as_deref(),
        Some("VK_SUBPASS_MERGE_STATUS_NOT_MERGED_INSUFFICIENT_STORAGE_EXT")
    );
    assert_eq!((other.read_bytes.0, other.write_bytes.0), (9 * A, 10 * A));
    // What is not counted is part of no sum.
    assert_eq!(moved.write_bytes.0, A);
    // The first GPU with half the buffer would be left with less than half a tile.
    let moved = pass_ledger(&large, "mali-g71");
    assert_eq!(status(&moved, 1), "NOT_MERGED_INSUFFICIENT_STORAGE");
}

#[test]
fn every_documented_condition_keeps_subpasses_apart_under_its_own_status() {
    let base = || deferred(&["R8G8B8A8_UNORM", "R8G8B8A8_UNORM"]);
    let with = |edit: &dyn Fn(&mut Pass)| {
        let mut pass = base();
        edit(&mut pass);
        status(&pass_ledger(&pass, "mali-g76"), 1)
    };
    assert_eq!(with(&|_| ()), "MERGED");
    assert_eq!(with(&|p| p.dependencies.clear()), "MERGED");
    assert_eq!(with(&|p| p.dependencies[0].flags = 0), "NOT_MERGED_DEPENDENCIES");
    assert_eq!(with(&|p| p.dependencies[0].dst_stages |= 0x8), "NOT_MERGED_DEPENDENCIES");
    assert_eq!(with(&|p| p.attachments[0].samples = 4), "NOT_MERGED_SAMPLES_MISMATCH");
    assert_eq!(with(&|p| p.subpasses[1].view_mask = 3), "NOT_MERGED_VIEWS_MISMATCH");
    assert_eq!(with(&|p| p.subpasses[1].input.clear()), "NOT_MERGED_UNSPECIFIED");
    let other_depth = |p: &mut Pass| {
        p.attachments.push(attachment("D32_SFLOAT", Clear, StoreOp::DontCare));
        p.subpasses[1].depth = Some(AttachmentUse { attachment: 4, ..AttachmentUse::default() });
    };
    assert_eq!(with(&other_depth), "NOT_MERGED_DEPTH_STENCIL_COUNT");
    let many_inputs = |p: &mut Pass| {
        for n in 4..11 {
            p.attachments.push(attachment("R8_UNORM", LoadOp::Load, StoreOp::DontCare));
            p.subpasses[1].input.push(Some(AttachmentUse { attachment: n, ..AttachmentUse::default() }));
        }
    };
    assert_eq!(with(&many_inputs), "NOT_MERGED_TOO_MANY_ATTACHMENTS");
    let resolved = |p: &mut Pass| {
        p.attachments.push(attachment("R8G8B8A8_UNORM", LoadOp::DontCare, StoreOp::Store));
        p.subpasses[0].resolve = vec![Some(ResolveUse { attachment: 4, mode: 2, ..ResolveUse::default() })];
        p.subpasses[1].input.push(Some(AttachmentUse { attachment: 4, ..AttachmentUse::default() }));
    };
    assert_eq!(with(&resolved), "NOT_MERGED_RESOLVE_ATTACHMENT_REUSE");
}

#[test]
fn who_knows_that_a_driver_does_not_merge_above_the_budget_says_so_in_the_settings_of_the_run() {
    use tbdr_model::record::{FrameRecord, Record, Run};
    use tbdr_model::session::Session;
    let pass = deferred(&["R32G32B32A32_SFLOAT", "R32G32B32A32_SFLOAT"]);
    let submissions = vec![Submission { ops: vec![Op::Pass(pass.clone())], ..Submission::default() }];
    let frame = FrameStructure { submissions, ..FrameStructure::default() };
    let structure = Record::Structure { id: 0, frame };
    let occurrence = Record::Frame(FrameRecord::default());
    let run = |choice: &str| {
        let settings = [("over_budget".to_string(), choice.to_string())].into();
        Record::Run(Run { settings, ..Run::default() })
    };
    let told = |records: [&Record; 3]| {
        let mut session = Session::new(gpus(&["mali-g76", "mali-g57", "adreno-650"]));
        records.into_iter().for_each(|record| session.record(record));
        session.report()
    };
    let chosen = told([&run("not_merged"), &structure, &occurrence]);
    let moved = |report: &tbdr_model::report::Report, id: &str| {
        let gpu = &report.frames[0].gpus[id];
        (gpu.passes.len(), gpu.read_bytes.0, gpu.write_bytes.0)
    };
    assert_eq!(moved(&chosen, "mali-g76"), (2, 9 * A, 10 * A));
    assert_eq!(moved(&chosen, "mali-g57"), moved(&chosen, "mali-g76"));
    assert_eq!(chosen.frames[0].gpus["mali-g76"].passes[0].merge_basis.as_deref(), Some("documented"));
    assert_eq!(told([&structure, &run("not_merged"), &occurrence]), chosen, "whenever it is said");
    let usual = told([&run("smaller_tiles"), &structure, &occurrence]);
    assert_eq!(moved(&usual, "mali-g76").0, 1);
    assert_eq!(moved(&usual, "adreno-650"), moved(&chosen, "adreno-650"), "of Arm's driver only");
    let unknown = told([&run("neither\u{1b}"), &structure, &occurrence]);
    assert_eq!(moved(&unknown, "mali-g76"), moved(&usual, "mali-g76"));
    assert!(unknown.not_modelled.iter().any(|s| s.contains("over_budget=neither\\u{1b}, taken as smaller_tiles")));
}
