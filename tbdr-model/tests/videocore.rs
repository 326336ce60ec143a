//! What a Raspberry Pi's GPU moves under v3dv: whole tiles, and a job for each set of attachments.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::report::{Basis, Direction, GpuFrame};
use tbdr_model::units::{Extent2D, Rect2D};

const BOTH: [&str; 2] = ["videocore-vi", "videocore-vii"];

fn totals(gpu: &GpuFrame) -> (u64, u64) {
    (gpu.read_bytes.0, gpu.write_bytes.0)
}

fn status(moved: &GpuFrame, subpass: usize) -> String {
    let found =
        moved.passes.iter().flat_map(|p| &p.subpasses).find(|s| s.subpass as usize == subpass).expect("subpass");
    let status = found.merge_status.clone().expect("status");
    status.trim_start_matches("VK_SUBPASS_MERGE_STATUS_").trim_end_matches("_EXT").into()
}

#[test]
fn a_store_writes_whole_tiles_also_past_the_edge_of_the_image() {
    let pass =
        pass([100, 70], vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)], vec![subpass(&[0], None, &[])]);
    for gpu in BOTH {
        assert_eq!(totals(&pass_ledger(&pass, gpu)), (0, 128 * 128 * 4), "{gpu}");
    }
}

#[test]
fn a_render_area_off_the_tiles_is_loaded_before_it_is_stored() {
    let attachments =
        vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store), attachment("D32_SFLOAT", Clear, StoreOp::DontCare)];
    let mut pass = pass([640, 512], attachments, vec![subpass(&[0], Some(1), &[])]);
    let area = |[x, y, w, h]: [i64; 4]| Rect2D::from([x, y, w, h]);
    for gpu in BOTH {
        for (render_area, loads) in
            [([0, 0, 640, 512], 0), ([64, 64, 128, 128], 0), ([64, 64, 100, 128], 1), ([8, 0, 632, 512], 1)]
        {
            pass.render_area = area(render_area);
            let moved = pass_ledger(&pass, gpu);
            // What is not stored is not loaded either.
            let entries = moved.passes[0].entries.iter().filter(|e| e.cause == "load").count();
            assert_eq!(entries, loads, "{gpu} {render_area:?}");
            assert_eq!(moved.passes[0].notes.iter().any(|n| n.contains("clears are draws")), loads > 0);
        }
    }
}

#[test]
fn the_edge_of_a_framebuffer_is_padded_and_that_of_dynamic_rendering_is_not() {
    let mut pass =
        pass([100, 64], vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)], vec![subpass(&[0], None, &[])]);
    assert_eq!(totals(&pass_ledger(&pass, "videocore-vii")), (0, 128 * 64 * 4));
    pass.dynamic = true;
    assert_eq!(totals(&pass_ledger(&pass, "videocore-vii")), (128 * 64 * 4, 128 * 64 * 4));
}

#[test]
fn a_g_buffer_goes_through_memory_and_is_read_as_textures() {
    let a = 640 * 512 * 4;
    let attachments = vec![
        attachment("R8G8B8A8_UNORM", DontCare, StoreOp::Store),
        attachment("R8G8B8A8_UNORM", Clear, StoreOp::DontCare),
        attachment("D32_SFLOAT", Clear, StoreOp::DontCare),
    ];
    let pass = pass([640, 512], attachments, vec![subpass(&[1], Some(2), &[]), subpass(&[0], None, &[1])]);
    for gpu in BOTH {
        let moved = pass_ledger(&pass, gpu);
        assert_eq!(status(&moved, 1), "NOT_MERGED_DEPTH_STENCIL_COUNT");
        // Depth is used last in the first job, so that it never leaves the chip.
        assert_eq!(totals(&moved), (a, 2 * a), "{gpu}");
        assert_eq!(caused(&moved, "input", Direction::Read), a);
        assert!(moved.passes[1].entries.iter().any(|e| e.cause == "input" && e.basis == Basis::Estimate));
    }
}

#[test]
fn subpasses_with_the_very_same_attachments_share_a_job_and_any_difference_ends_it() {
    let base = || {
        let attachments = vec![
            attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store),
            attachment("D32_SFLOAT", Clear, StoreOp::DontCare),
            attachment("D32_SFLOAT", Clear, StoreOp::DontCare),
            attachment("R8G8B8A8_UNORM", DontCare, StoreOp::Store),
        ];
        pass([640, 512], attachments, vec![subpass(&[0], Some(1), &[]), subpass(&[0], Some(1), &[])])
    };
    let with = |edit: &dyn Fn(&mut Pass)| {
        let mut pass = base();
        edit(&mut pass);
        let [old, new] = BOTH.map(|gpu| status(&pass_ledger(&pass, gpu), 1));
        assert_eq!(old, new);
        new
    };
    let resolve = |to| vec![Some(ResolveUse { attachment: to, mode: 2, ..ResolveUse::default() })];
    assert_eq!(with(&|_| ()), "MERGED");
    let dependency = Dependency { src: 0, dst: 1, src_stages: 0x1_0000, dst_stages: 0x1_0000, ..Dependency::default() };
    assert_eq!(with(&|p| p.dependencies = vec![dependency]), "MERGED", "v3dv does not look at dependencies");
    assert_eq!(with(&|p| p.subpasses[1].view_mask = 3), "NOT_MERGED_VIEWS_MISMATCH");
    assert_eq!(with(&|p| p.subpasses[1] = subpass(&[0], Some(2), &[])), "NOT_MERGED_DEPTH_STENCIL_COUNT");
    assert_eq!(with(&|p| p.subpasses[1].color.push(None)), "NOT_MERGED_UNSPECIFIED");
    assert_eq!(with(&|p| p.subpasses[1] = subpass(&[3], Some(1), &[])), "NOT_MERGED_UNSPECIFIED");
    assert_eq!(with(&|p| p.subpasses[0].resolve = resolve(3)), "NOT_MERGED_UNSPECIFIED");
    assert_eq!(with(&|p| p.subpasses[0].barriers = vec![Barrier::default()]), "NOT_MERGED_UNSPECIFIED");
    let reuse = |p: &mut Pass| {
        p.subpasses[0].resolve = resolve(3);
        p.subpasses[1].input = vec![using(3)];
    };
    assert_eq!(with(&reuse), "NOT_MERGED_RESOLVE_ATTACHMENT_REUSE");
}

#[test]
fn the_tile_buffer_resolves_what_it_blends_and_a_shader_the_rest() {
    let a = 640 * 512;
    let resolved = |format, area| {
        let attachments =
            vec![multisampled(format, Clear, StoreOp::DontCare), attachment(format, DontCare, StoreOp::Store)];
        let mut draw = subpass(&[0], None, &[]);
        draw.resolve = vec![Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() })];
        let pass = Pass { render_area: Rect2D::from(area), ..pass([640, 512], attachments, vec![draw]) };
        pass_ledger(&pass, "videocore-vii")
    };
    assert_eq!(totals(&resolved("R8G8B8A8_UNORM", [0, 0, 640, 512])), (0, 4 * a));
    assert_eq!(totals(&resolved("R32_SFLOAT", [0, 0, 640, 512])), (4 * 4 * a, 4 * 4 * a + 4 * a));
    let off = resolved("R8G8B8A8_UNORM", [1, 1, 639, 511]);
    assert_eq!(caused(&off, "resolve_read", Direction::Read), 4 * 4 * a);
    assert_eq!(caused(&off, "store", Direction::Write), 4 * 4 * a, "stored for the shader, whatever the storeOp");
}

#[test]
fn half_of_a_depth_stencil_word_is_an_estimate() {
    let mut both = attachment("D24_UNORM_S8_UINT", Clear, StoreOp::Store);
    (both.stencil_load, both.stencil_store) = (Load, StoreOp::Store);
    let pass = pass([64, 64], vec![both], vec![subpass(&[], Some(0), &[])]);
    let moved = pass_ledger(&pass, "videocore-vi");
    let of =
        |cause: &str| moved.passes[0].entries.iter().filter(|e| e.cause == cause).map(|e| e.basis).collect::<Vec<_>>();
    assert_eq!(of("load"), [Basis::Estimate]);
    assert_eq!(of("store"), [Basis::Exact, Basis::Exact]);
    assert!(moved.passes[0].notes.iter().any(|n| n.contains("is a draw")), "a defect of V3D 4.2");
    assert!(!pass_ledger(&pass, "videocore-vii").passes[0].notes.iter().any(|n| n.contains("is a draw")));
}

#[test]
fn a_wide_g_buffer_shrinks_the_tile() {
    let four = || (0..4).map(|_| attachment("R16G16B16A16_SFLOAT", Clear, StoreOp::Store)).collect();
    let pass = pass([640, 512], four(), vec![subpass(&[0, 1, 2, 3], None, &[])]);
    let tile = |gpu| pass_ledger(&pass, gpu).passes[0].tile;
    assert_eq!(tile("videocore-vi"), Some(Extent2D::new(32, 16)));
    assert_eq!(tile("videocore-vii"), Some(Extent2D::new(32, 32)));
}
