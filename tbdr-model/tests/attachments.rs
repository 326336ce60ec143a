//! What attachments cost: the formulas of load, store and resolve, per aspect, layer, view, sample and mip level.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::{Clear, DontCare, Load};
use tbdr_model::frame::*;
use tbdr_model::report::{Basis, Direction, GpuFrame};
use tbdr_model::units::Rect2D;

const ALL: [&str; 3] = ["mali-g71", "adreno-650", "apple-m1"];
/// One 32-bit attachment of 2220x1080 moved once.
const A: u64 = 2220 * 1080 * 4;

fn totals(gpu: &GpuFrame) -> (u64, u64) {
    (gpu.read_bytes.0, gpu.write_bytes.0)
}

#[test]
fn each_load_and_each_store_moves_the_attachment_once_and_everything_else_is_free() {
    let loads = [Load, Clear, DontCare, LoadOp::None];
    let stores = [StoreOp::Store, StoreOp::DontCare, StoreOp::None];
    for (color, depth) in loads.iter().flat_map(|c| loads.map(|d| (*c, d))) {
        for (keep_color, keep_depth) in stores.iter().flat_map(|c| stores.map(|d| (*c, d))) {
            let attachments =
                vec![attachment("R8G8B8A8_UNORM", color, keep_color), attachment("D32_SFLOAT", depth, keep_depth)];
            let pass = pass([2220, 1080], attachments, vec![subpass(&[0], Some(1), &[])]);
            let count = |flags: [bool; 2]| flags.iter().filter(|f| **f).count() as u64;
            let reads = count([color == Load, depth == Load]);
            let writes = count([keep_color == StoreOp::Store, keep_depth == StoreOp::Store]);
            for gpu in ALL {
                assert_eq!(totals(&pass_ledger(&pass, gpu)), (reads * A, writes * A), "{gpu} {color:?} {keep_color:?}");
            }
        }
    }
}

#[test]
fn an_attachment_that_no_subpass_uses_costs_nothing() {
    let attachments =
        vec![attachment("R8G8B8A8_SRGB", Load, StoreOp::Store), attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)];
    let pass = pass([64, 64], attachments, vec![subpass(&[1], None, &[])]);
    for gpu in ALL {
        assert_eq!(totals(&pass_ledger(&pass, gpu)), (0, 64 * 64 * 4), "{gpu}");
    }
}

#[test]
fn clearing_inside_a_pass_happens_on_chip() {
    let mut draw = subpass(&[0], None, &[]);
    let plain = pass([64, 64], vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)], vec![draw.clone()]);
    let rect = (Rect2D::from([0, 0, 64, 64]), 0, 1);
    draw.clears = vec![ClearAttachment { aspects: Aspects::COLOR, rects: vec![rect], ..ClearAttachment::default() }];
    let cleared = Pass { subpasses: vec![draw], ..plain.clone() };
    for gpu in ALL {
        assert_eq!(totals(&pass_ledger(&plain, gpu)), totals(&pass_ledger(&cleared, gpu)));
    }
}

#[test]
fn a_resolve_in_the_pass_writes_one_sample_and_a_stored_multisampled_attachment_all() {
    let mut draw = subpass(&[0], None, &[]);
    draw.resolve = vec![Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() })];
    let target = attachment("R8G8B8A8_UNORM", Load, StoreOp::Store);
    let on_chip = pass(
        [2220, 1080],
        vec![multisampled("R8G8B8A8_UNORM", Clear, StoreOp::DontCare), target.clone()],
        vec![draw.clone()],
    );
    let stored = pass([2220, 1080], vec![multisampled("R8G8B8A8_UNORM", Clear, StoreOp::Store), target], vec![draw]);
    for gpu in ALL {
        assert_eq!(totals(&pass_ledger(&on_chip, gpu)), (0, A), "{gpu}");
        assert_eq!(caused(&pass_ledger(&on_chip, gpu), "resolve", Direction::Write), A);
        assert_eq!(totals(&pass_ledger(&stored, gpu)), (0, 5 * A), "{gpu}");
    }
}

#[test]
fn layers_views_and_mip_levels_count() {
    let images = vec![Image { mips: 3, ..image("R8G8B8A8_UNORM", [64, 48, 1]) }];
    let mut target = attachment("R8G8B8A8_UNORM", Load, StoreOp::Store);
    target.image = Some(ImageRef(0));
    target.range.base_mip = 1;
    let mut layered = pass([32, 24], vec![target], vec![subpass(&[0], None, &[])]);
    layered.layers = 6;
    let moved = |pass: &Pass, gpu| ledger(&frame(images.clone(), vec![Op::Pass(pass.clone())]), gpu);
    // 24 rows are no multiple of a tile, but where the mip level ends the rounding ends.
    assert_eq!(totals(&moved(&layered, "mali-g76")), (32 * 24 * 4 * 6, 32 * 24 * 4 * 6));
    layered.layers = 1;
    layered.subpasses[0].view_mask = 0b1011;
    for gpu in ALL {
        assert_eq!(totals(&moved(&layered, gpu)), (32 * 24 * 4 * 3, 32 * 24 * 4 * 3), "{gpu}");
    }
}

#[test]
fn the_render_area_is_rounded_as_the_family_does() {
    let mut partial =
        pass([640, 480], vec![attachment("R8_UINT", DontCare, StoreOp::Store)], vec![subpass(&[0], None, &[])]);
    partial.render_area = Rect2D::from([17, 5, 10, 10]);
    let written = |gpu| pass_ledger(&partial, gpu).write_bytes.0;
    assert_eq!(written("mali-g71"), 16 * 16, "one tile of 16x16");
    assert_eq!(written("apple-m1"), 32 * 32, "one tile of 32x32");
    assert_eq!(written("adreno-650"), 16 * 12, "blocks of 16x4");
}

#[test]
fn depth_and_stencil_are_counted_apart() {
    let mut both = attachment("D24_UNORM_S8_UINT", Clear, StoreOp::Store);
    (both.stencil_load, both.stencil_store) = (Load, StoreOp::DontCare);
    let pass_of = |a: Attachment| pass([64, 64], vec![a], vec![subpass(&[], Some(0), &[])]);
    let px = 64 * 64;
    // Where the two share a word, turnip moves the word.
    assert_eq!(totals(&pass_ledger(&pass_of(both.clone()), "adreno-650")), (4 * px, 4 * px));
    let mali = pass_ledger(&pass_of(both.clone()), "mali-g76");
    assert_eq!(totals(&mali), (px, 3 * px));
    assert!(mali.passes[0].entries.iter().all(|e| e.basis == Basis::Estimate), "{mali:?}");
    both.format = attachment("D32_SFLOAT_S8_UINT", Clear, StoreOp::Store).format;
    for gpu in ALL {
        let planes = pass_ledger(&pass_of(both.clone()), gpu);
        assert_eq!(totals(&planes), (px, 4 * px), "{gpu}");
        assert!(planes.passes[0].entries.iter().all(|e| e.basis == Basis::Exact));
    }
}

/// A G-buffer of 32-bit targets 1 to 3 that the first subpass writes and the second reads, lighting into target 0.
fn deferred() -> Pass {
    let attachments = vec![
        attachment("R8G8B8A8_SRGB", Clear, StoreOp::Store),
        attachment("D32_SFLOAT", Clear, StoreOp::DontCare),
        attachment("R8G8B8A8_UNORM", Clear, StoreOp::DontCare),
        attachment("A2B10G10R10_UNORM_PACK32", Clear, StoreOp::DontCare),
    ];
    let subpasses = vec![subpass(&[2, 3], Some(1), &[]), subpass(&[0], None, &[1, 2, 3])];
    pass([2220, 1080], attachments, subpasses)
}

#[test]
fn unmerged_subpasses_go_through_memory() {
    let moved = pass_ledger(&deferred(), "apple-m1");
    assert_eq!(caused(&moved, "store", Direction::Write), 4 * A, "three for the next subpass, one at the end");
    assert_eq!(caused(&moved, "input", Direction::Read), 3 * A);
    assert_eq!(totals(&moved), (3 * A, 4 * A));
    assert_eq!(moved.passes.len(), 2);
    let said = &moved.passes[1].subpasses[0];
    let status = "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_UNSPECIFIED_EXT";
    assert_eq!((said.subpass, said.merge_status.as_deref()), (1, Some(status)));
}

#[test]
fn merged_subpasses_keep_the_g_buffer_on_chip() {
    for gpu in ["mali-g71", "mali-g76", "adreno-650"] {
        let moved = pass_ledger(&deferred(), gpu);
        assert_eq!(totals(&moved), (0, A), "{gpu}: one store of the result");
        assert_eq!(moved.passes.len(), 1);
        let status = |s: usize| moved.passes[0].subpasses[s].merge_status.clone().unwrap();
        assert_eq!(status(0), "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_UNSPECIFIED_EXT");
        assert_eq!(status(1), "VK_SUBPASS_MERGE_STATUS_MERGED_EXT");
    }
}

#[test]
fn contents_that_memory_already_has_are_not_stored_again() {
    let mut pass = deferred();
    pass.attachments[1].store = StoreOp::Store;
    pass.subpasses[1].input.remove(0);
    // The second subpass tests against depth and leaves it as it is.
    pass.subpasses[1].depth = Some(AttachmentUse { attachment: 1, layout: Layout(4), ..AttachmentUse::default() });
    let moved = pass_ledger(&pass, "apple-m1");
    let depth = |direction| {
        let entries = moved.passes.iter().flat_map(|p| &p.entries).filter(|e| e.attachment == 1);
        entries.filter(|e| e.direction == direction).map(|e| e.bytes.0).sum::<u64>()
    };
    assert_eq!((depth(Direction::Read), depth(Direction::Write)), (A, A));
}

#[test]
fn an_input_attachment_that_is_cleared_is_cleared_in_memory() {
    let attachments = vec![
        attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store),
        attachment("R8G8B8A8_UNORM", Clear, StoreOp::DontCare),
    ];
    let pass = pass([64, 64], attachments, vec![subpass(&[0], None, &[1])]);
    let moved = pass_ledger(&pass, "mali-g76");
    assert_eq!(caused(&moved, "clear", Direction::Write), 64 * 64 * 4);
    assert_eq!(totals(&moved), (64 * 64 * 4, 2 * 64 * 64 * 4));
}

#[test]
fn a_resolve_target_that_is_also_rendered_to_is_read_back_once() {
    let mut first = subpass(&[0], None, &[]);
    first.resolve = vec![Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() })];
    let attachments = vec![
        multisampled("R8G8B8A8_UNORM", Clear, StoreOp::DontCare),
        attachment("R8G8B8A8_UNORM", DontCare, StoreOp::Store),
    ];
    let pass = pass([64, 64], attachments, vec![first, subpass(&[1], None, &[])]);
    for gpu in ALL {
        let moved = pass_ledger(&pass, gpu);
        assert_eq!(totals(&moved), (64 * 64 * 4, 2 * 64 * 64 * 4), "{gpu}: resolve, load, store");
    }
}

#[test]
fn single_subpass_passes_say_so_as_the_specification_spells_it() {
    let pass =
        pass([64, 64], vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)], vec![subpass(&[0], None, &[])]);
    let moved = pass_ledger(&pass, "apple-m1");
    let status = moved.passes[0].subpasses[0].merge_status.as_deref();
    assert_eq!(status, Some("VK_SUBPASS_MERGE_STATUS_NOT_MERGED_SINGLE_SUBPASS_EXT"));
}

#[test]
fn tiles_are_counted_to_the_edge() {
    let pass =
        pass([2220, 1080], vec![attachment("R8G8B8A8_UNORM", Clear, StoreOp::Store)], vec![subpass(&[0], None, &[])]);
    let moved = pass_ledger(&pass, "mali-g76");
    assert_eq!(moved.passes[0].tiles, Some(139 * 68));
    assert_eq!(moved.passes[0].bits_per_pixel, Some(32));
    assert_eq!(moved.passes[0].budget_bits_per_pixel, Some(256));
}

#[test]
fn immediate_mode_is_undecided_and_part_of_no_sum() {
    let mut layered =
        pass([64, 64], vec![attachment("R8G8B8A8_UNORM", Load, StoreOp::Store)], vec![subpass(&[0], None, &[])]);
    layered.layers = 2;
    let moved = pass_ledger(&layered, "adreno-740");
    let pass = &moved.passes[0];
    assert_eq!((&*pass.mode, pass.tile, pass.tiles), ("immediate", None, None));
    assert!(!pass.entries.is_empty() && pass.entries.iter().all(|e| e.basis == Basis::Undecided && e.bytes.0 == 0));
    assert!(pass.notes[0].contains("layers"), "{:?}", pass.notes);
    assert_eq!(totals(&moved), (0, 0));
}

#[test]
fn an_unknown_format_is_undecided_and_named() {
    let mut strange = attachment("R8G8B8A8_UNORM", Load, StoreOp::Store);
    strange.format = Format(999_999);
    let pass = pass([64, 64], vec![strange], vec![subpass(&[0], None, &[])]);
    let report = report(&frame(Vec::new(), vec![Op::Pass(pass)]), &ALL);
    for gpu in ALL {
        let entries = &report.frames[0].gpus[gpu].passes[0].entries;
        assert!(entries.len() == 2 && entries.iter().all(|e| e.basis == Basis::Undecided), "{gpu} {entries:?}");
    }
    assert!(report.not_modelled.iter().any(|n| n.contains("UNKNOWN(999999)")), "{:?}", report.not_modelled);
}
