//! G-buffers of the published examples, on GPUs with 128 and with 256 colour bits per pixel.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::Clear;
use tbdr_model::frame::*;
use tbdr_model::units::Extent2D;

/// How a deferred pass runs: statuses of the two subpasses, tile of the first tile pass, basis, and whether an alternative stands
/// beside it.
#[derive(Debug, PartialEq)]
struct Run {
    merged: bool,
    tile: [u32; 2],
    basis: &'static str,
    alternative: bool,
    bytes: u64,
}

const A: u64 = 2220 * 1080 * 4;

/// A G-buffer of these formats and depth, lit into an RGBA8 target.
fn run(gpu: &str, g_buffer: &[&str]) -> Run {
    let mut attachments =
        vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store), attachment("D32_SFLOAT", Clear, StoreOp::DontCare)];
    attachments.extend(g_buffer.iter().map(|f| attachment(f, Clear, StoreOp::DontCare)));
    let g: Vec<u32> = (2..2 + g_buffer.len() as u32).collect();
    let mut pass = pass([2220, 1080], attachments, vec![subpass(&g, Some(1), &[]), subpass(&[0], None, &g)]);
    pass.dependencies = vec![Dependency {
        src: 0,
        dst: 1,
        src_stages: 0x400 | 0x200,
        dst_stages: 0x80,
        flags: Dependency::BY_REGION,
        ..Dependency::default()
    }];
    let moved = pass_ledger(&pass, gpu);
    let first = &moved.passes[0];
    let second = moved.passes.iter().flat_map(|p| &p.subpasses).find(|s| s.subpass == 1).expect("subpass 1");
    let status = second.merge_status.as_deref().expect("status");
    let merged = status == "VK_SUBPASS_MERGE_STATUS_MERGED_EXT";
    assert!(merged || status == "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_INSUFFICIENT_STORAGE_EXT", "{status}");
    Run {
        merged,
        tile: first.tile.unwrap_or(Extent2D::new(0, 0)).into(),
        basis: if first.merge_basis.as_deref() == Some("inferred") { "inferred" } else { "documented" },
        alternative: first.alternative.is_some(),
        bytes: moved.read_bytes.0 + moved.write_bytes.0,
    }
}

const RGBA8: &str = "R8G8B8A8_UNORM";
const RGB10: &str = "A2B10G10R10_UNORM_PACK32";
const HALF: &str = "R16G16B16A16_SFLOAT";
const FLOAT: &str = "R32G32B32A32_SFLOAT";

/// Merged with a whole tile, by the documents.
const WHOLE: Run = Run { merged: true, tile: [16, 16], basis: "documented", alternative: false, bytes: A };
/// Merged with half a tile, as the one measurement above the budget has it.
const HALF_TILE: Run = Run { merged: true, tile: [16, 8], basis: "inferred", alternative: true, bytes: A };

#[test]
fn up_to_128_bits_merge_everywhere() {
    for gpu in ["mali-g71", "mali-g72", "mali-g76"] {
        assert_eq!(run(gpu, &[RGBA8, RGB10]), WHOLE, "96 bits, {gpu}");
        assert_eq!(run(gpu, &[RGBA8, RGBA8, RGB10]), WHOLE, "128 bits, {gpu}");
    }
}

#[test]
fn engines_with_160_and_192_bits_fit_256_and_halve_the_tile_of_128() {
    for g_buffer in [&[RGBA8, RGBA8, RGBA8, RGB10][..], &[RGBA8, RGBA8, RGB10, HALF]] {
        assert_eq!(run("mali-g71", g_buffer), HALF_TILE);
        assert_eq!(run("mali-g72", g_buffer), WHOLE);
        assert_eq!(run("mali-g76", g_buffer), WHOLE);
    }
}

#[test]
fn position_and_normal_in_halves_are_192_bits_which_a_g71_was_said_to_hold() {
    let g_buffer = [HALF, HALF, RGBA8];
    assert_eq!(run("mali-g71", &g_buffer), HALF_TILE);
    assert_eq!(run("mali-g72", &g_buffer), WHOLE);
}

#[test]
fn g_buffers_of_288_bits_keep_half_a_tile_of_256_and_too_little_of_128() {
    assert_eq!(run("mali-g76", &[FLOAT, FLOAT]), HALF_TILE);
    assert_eq!(run("mali-g72", &[FLOAT, FLOAT]), HALF_TILE);
    let unmerged = run("mali-g71", &[FLOAT, FLOAT]);
    assert!(!unmerged.merged && unmerged.basis == "documented");
    // Each of the two float targets is written once and read once, 16 bytes a pixel, and the result is written.
    assert_eq!(unmerged.bytes, 2 * 2 * 4 * A + A);
}

#[test]
fn panvk_merges_by_bytes_of_a_tile_and_25_0_never() {
    assert!(run("mali-g610-panvk", &[FLOAT, FLOAT]).merged);
    let pass = |gpu: &str| {
        let target = |f| attachment(f, Clear, StoreOp::Store);
        let both = pass(
            [64, 64],
            vec![target(RGBA8), target(RGBA8)],
            vec![subpass(&[0], None, &[]), subpass(&[1], None, &[0])],
        );
        pass_ledger(&both, gpu)
    };
    assert_eq!(pass("mali-g610-panvk").passes.len(), 1);
    assert_eq!(pass("mali-g610-panvk-25.0").passes.len(), 2);
}
