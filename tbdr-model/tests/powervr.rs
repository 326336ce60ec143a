//! What PowerVR moves under pvr: subpasses share a hardware render while output registers last.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::report::{Direction, GpuFrame};

const ALL: [&str; 3] = ["powervr-gx6250", "powervr-axe-1-16m", "powervr-bxs-4-64"];
const FOUR_REGISTERS: [&str; 2] = ["powervr-axe-1-16m", "powervr-bxs-4-64"];
/// One 32-bit attachment of 640x512 moved once.
const A: u64 = 640 * 512 * 4;

fn totals(gpu: &GpuFrame) -> (u64, u64) {
    (gpu.read_bytes.0, gpu.write_bytes.0)
}

fn status(moved: &GpuFrame, subpass: usize) -> String {
    let found =
        moved.passes.iter().flat_map(|p| &p.subpasses).find(|s| s.subpass as usize == subpass).expect("subpass");
    let status = found.merge_status.clone().expect("status");
    status.trim_start_matches("VK_SUBPASS_MERGE_STATUS_").trim_end_matches("_EXT").into()
}

fn local(src: u32, dst: u32) -> Dependency {
    Dependency { src, dst, src_stages: 0x600, dst_stages: 0x80, flags: Dependency::BY_REGION, ..Dependency::default() }
}

fn resolving(source: u32, target: u32) -> Subpass {
    let resolve = vec![Some(ResolveUse { attachment: target, mode: 2, ..ResolveUse::default() })];
    Subpass { resolve, ..subpass(&[source], None, &[]) }
}

/// A G-buffer of these formats, lit into an RGBA8 target; the inputs are all of it, and depth if `reads_depth`.
fn deferred(g_buffer: &[&str], reads_depth: bool) -> Pass {
    let mut attachments =
        vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store), attachment("D32_SFLOAT", Clear, StoreOp::DontCare)];
    attachments.extend(g_buffer.iter().map(|f| attachment(f, Clear, StoreOp::DontCare)));
    let g: Vec<u32> = (2..2 + g_buffer.len() as u32).collect();
    let inputs: Vec<u32> = g.iter().copied().chain(reads_depth.then_some(1)).collect();
    let mut pass = pass([640, 512], attachments, vec![subpass(&g, Some(1), &[]), subpass(&[0], None, &inputs)]);
    pass.dependencies = vec![local(0, 1)];
    pass
}

const NARROW: [&str; 3] = ["R8G8B8A8_UNORM", "R8G8B8A8_UNORM", "R16G16_SFLOAT"];

#[test]
fn a_g_buffer_of_three_dwords_never_leaves_the_chip() {
    for gpu in ALL {
        let moved = pass_ledger(&deferred(&NARROW, false), gpu);
        assert_eq!((status(&moved, 1).as_str(), moved.passes.len()), ("MERGED", 1), "{gpu}");
        assert_eq!(totals(&moved), (0, A), "{gpu}");
        assert_eq!(moved.passes[0].bits_per_pixel, Some(128));
    }
}

#[test]
fn srgb_and_ten_bit_targets_take_two_registers_each_and_no_longer_merge_where_there_are_four() {
    let wide = deferred(&["R8G8B8A8_SRGB", "R8G8B8A8_SRGB", "A2B10G10R10_UNORM_PACK32"], false);
    assert_eq!(status(&pass_ledger(&wide, "powervr-gx6250"), 1), "MERGED");
    for gpu in FOUR_REGISTERS {
        let moved = pass_ledger(&wide, gpu);
        assert_eq!(status(&moved, 1), "NOT_MERGED_INSUFFICIENT_STORAGE", "{gpu}");
        assert_eq!(caused(&moved, "input", Direction::Read), 3 * A);
        // The third target of the first subpass found no registers and lives in a tile buffer, two dwords a pixel.
        assert_eq!(caused(&moved, "tile_buffer", Direction::Write), 2 * A);
        assert_eq!(caused(&moved, "tile_buffer", Direction::Read), 2 * A);
        assert_eq!(caused(&moved, "store", Direction::Write), 4 * A);
    }
}

#[test]
fn depth_read_as_input_is_copied_and_its_copy_may_lie_in_memory() {
    let pass = deferred(&NARROW, true);
    let moved = pass_ledger(&pass, "powervr-gx6250");
    assert_eq!((moved.passes.len(), totals(&moved)), (1, (0, A)));
    for gpu in FOUR_REGISTERS {
        let moved = pass_ledger(&pass, gpu);
        assert_eq!(moved.passes.len(), 1, "{gpu}");
        assert_eq!(caused(&moved, "tile_buffer", Direction::Write), A, "{gpu}");
        assert_eq!(caused(&moved, "tile_buffer", Direction::Read), A, "{gpu}");
    }
}

#[test]
fn every_condition_of_the_driver_closes_the_render_under_its_own_status() {
    let with = |edit: &dyn Fn(&mut Pass)| {
        let mut pass = deferred(&NARROW, false);
        edit(&mut pass);
        status(&pass_ledger(&pass, "powervr-gx6250"), 1)
    };
    let more = |p: &mut Pass, format: &str, load, store| {
        p.attachments.push(attachment(format, load, store));
        p.attachments.len() as u32 - 1
    };
    assert_eq!(with(&|_| ()), "MERGED");
    assert_eq!(with(&|p| p.dependencies.clear()), "MERGED", "what is not declared is not waited for");
    assert_eq!(with(&|p| p.dependencies[0].flags = 0), "NOT_MERGED_DEPENDENCIES");
    assert_eq!(with(&|p| p.dependencies[0].dst_stages |= 0x8), "NOT_MERGED_DEPENDENCIES");
    assert_eq!(with(&|p| p.subpasses[1].view_mask = 3), "NOT_MERGED_VIEWS_MISMATCH");
    assert_eq!(with(&|p| p.attachments[0].samples = 4), "NOT_MERGED_SAMPLES_MISMATCH");
    let stencil_input = |p: &mut Pass| {
        p.attachments[1] = attachment("D24_UNORM_S8_UINT", Clear, StoreOp::DontCare);
        p.subpasses[1].input.push(using(1));
    };
    assert_eq!(with(&stencil_input), "NOT_MERGED_INCOMPATIBLE_INPUT_ATTACHMENT");
    let other_depth = |first: StoreOp, load: LoadOp| {
        with(&move |p| {
            p.attachments[1].store = first;
            let depth = more(p, "D32_SFLOAT", load, StoreOp::DontCare);
            (p.subpasses[1].depth, p.subpasses[1].stencil) = (using(depth), using(depth));
        })
    };
    assert_eq!(other_depth(StoreOp::DontCare, Clear), "MERGED");
    assert_eq!(other_depth(StoreOp::Store, Clear), "NOT_MERGED_DEPTH_STENCIL_COUNT");
    assert_eq!(other_depth(StoreOp::DontCare, Load), "NOT_MERGED_DEPTH_STENCIL_COUNT");
    let reused = |p: &mut Pass| {
        let target = more(p, "R8G8B8A8_UNORM", DontCare, StoreOp::Store);
        p.subpasses[0].resolve = vec![Some(ResolveUse { attachment: target, mode: 2, ..ResolveUse::default() })];
        p.subpasses[1].input.push(using(target));
    };
    assert_eq!(with(&reused), "NOT_MERGED_RESOLVE_ATTACHMENT_REUSE");
    let resolved_on = |p: &mut Pass| {
        let target = more(p, "R8G8B8A8_UNORM", DontCare, StoreOp::Store);
        p.subpasses[0].resolve = vec![Some(ResolveUse { attachment: target, mode: 2, ..ResolveUse::default() })];
        p.subpasses[1].color = vec![using(2)];
    };
    assert_eq!(with(&resolved_on), "NOT_MERGED_UNSPECIFIED");
    let nine_outputs = |p: &mut Pass| {
        for _ in 0..5 {
            let color = more(p, "R8_UNORM", Clear, StoreOp::Store);
            p.subpasses[0].color.push(using(color));
        }
        (2..5).for_each(|a| p.attachments[a].store = StoreOp::Store);
    };
    assert_eq!(with(&nine_outputs), "NOT_MERGED_TOO_MANY_ATTACHMENTS");
    let multisampled_input = |p: &mut Pass| (0..5).for_each(|a| p.attachments[a].samples = 4);
    assert_eq!(with(&multisampled_input), "NOT_MERGED_UNSPECIFIED");
}

#[test]
fn the_pbe_resolves_what_it_can_average_and_a_transfer_reads_the_rest_back() {
    let resolved = |format| {
        let attachments =
            vec![multisampled(format, Clear, StoreOp::DontCare), attachment(format, DontCare, StoreOp::Store)];
        totals(&pass_ledger(&pass([640, 512], attachments, vec![resolving(0, 1)]), "powervr-gx6250"))
    };
    assert_eq!(resolved("R8G8B8A8_UNORM"), (0, A));
    assert_eq!(resolved("R8G8B8A8_UINT"), (4 * A, 5 * A));
}

#[test]
fn storage_that_is_no_longer_needed_serves_later_subpasses() {
    let four = (0..4).map(|_| attachment("R32G32B32A32_SFLOAT", Clear, StoreOp::DontCare));
    let mut attachments: Vec<Attachment> = four.collect();
    attachments[3].store = StoreOp::Store;
    let subpasses = (0..4u32).map(|s| subpass(&[s], None, &s.checked_sub(1).into_iter().collect::<Vec<_>>())).collect();
    let mut chain = pass([640, 512], attachments, subpasses);
    chain.dependencies = (0..3).map(|s| local(s, s + 1)).collect();
    let moved = pass_ledger(&chain, "powervr-gx6250");
    assert_eq!((moved.passes.len(), totals(&moved)), (1, (0, 4 * A)));
    // With room for one of them, each goes through memory.
    for gpu in FOUR_REGISTERS {
        let moved = pass_ledger(&chain, gpu);
        assert_eq!((moved.passes.len(), totals(&moved)), (4, (3 * 4 * A, 4 * 4 * A)), "{gpu}");
    }
}

#[test]
fn a_subpass_without_dependencies_runs_before_one_that_waits() {
    let attachments = (0..3).map(|_| attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)).collect();
    let mut pass = pass(
        [640, 512],
        attachments,
        vec![subpass(&[0], None, &[]), subpass(&[1], None, &[]), subpass(&[2], None, &[])],
    );
    pass.dependencies = vec![Dependency { flags: 0, ..local(2, 1) }];
    let moved = pass_ledger(&pass, "powervr-gx6250");
    let order: Vec<Vec<u32>> = moved.passes.iter().map(|p| p.subpasses.iter().map(|s| s.subpass).collect()).collect();
    assert_eq!(order, [vec![0, 2], vec![1]]);
    assert!(moved.passes[1].notes.iter().any(|n| n.contains("recorded earlier")), "{:?}", moved.passes[1].notes);
}

#[test]
fn dependencies_in_a_circle_have_an_answer() {
    let attachments = vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)];
    let mut pass = pass([64, 64], attachments, vec![subpass(&[0], None, &[]), subpass(&[0], None, &[])]);
    pass.dependencies = vec![local(0, 1), local(1, 0), local(7, 1), local(1, 7)];
    assert_eq!(pass_ledger(&pass, "powervr-bxs-4-64").passes.len(), 1);
}
