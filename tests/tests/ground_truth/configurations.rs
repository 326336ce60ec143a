//! What each configuration of the samples must move, to the byte: area x samples x bytes of a texel for each LOAD, STORE and resolve
//! of an attachment that some subpass uses, and for each side of a command; nothing for CLEAR and DONT_CARE. Programs of the same
//! kinds move the same, whichever pair of them a publication compares.

use super::sample::{Sample, tiles};
use std::collections::BTreeMap;
use tbdr_model::report::Direction::{self, Read, Write};
use tilelens_tests::need;
use tilelens_tests::real::Missing;

/// A movement of a pass: number of the pass, image, direction, and bytes per pixel with all samples.
type Moved = (u32, &'static str, Direction, u64);
/// A movement of a command: which, resource, direction, bytes per pixel with all samples.
type Transferred = (&'static str, &'static str, Direction, u64);

/// Odd sizes, which no tile divides, and one of the published ones.
const SIZES: [[u32; 2]; 3] = [[333, 77], [64, 64], [1080, 608]];
/// Every frame ends with a copy of the output to the host.
const READBACK: [Transferred; 2] =
    [("copy_image_to_buffer", "output", Read, 4), ("copy_image_to_buffer", "result", Write, 4)];

/// Runs a configuration and compares its ledger on these Mali GPUs; on all under Arm's driver unless named.
fn check(
    program: &str,
    arguments: &[&str],
    gpus: Option<&[&str]>,
    passes: &[Moved],
    commands: &[Transferred],
) -> Result<(), Missing> {
    for size in SIZES {
        let pixels = u64::from(size[0]) * u64::from(size[1]);
        let sample = Sample::new(program, size, arguments)?;
        let passes: BTreeMap<_, _> = passes
            .iter()
            .map(|(pass, image, way, bytes)| ((*pass, (*image).to_owned(), *way), bytes * pixels))
            .collect();
        let commands: BTreeMap<_, _> = commands
            .iter()
            .chain(&READBACK)
            .map(|(cause, what, way, bytes)| (((*cause).to_owned(), (*what).to_owned(), *way), bytes * pixels))
            .collect();
        let all = sample.malis();
        assert!(all.len() >= 6, "{all:?}");
        for gpu in gpus.unwrap_or(&all) {
            assert_eq!(sample.passes(gpu), passes, "{gpu}: {program} {arguments:?} at {size:?}");
            assert_eq!(sample.transfers(gpu), commands, "{gpu}: {program} {arguments:?} at {size:?}");
            let sum = |way| {
                let of_passes = passes.iter().filter(|((.., w), _)| *w == way).map(|(_, bytes)| bytes);
                let of_commands = commands.iter().filter(|((.., w), _)| *w == way).map(|(_, bytes)| bytes);
                of_passes.chain(of_commands).sum::<u64>()
            };
            let total = sample.on(gpu);
            assert_eq!((total.read_bytes.0, total.write_bytes.0), (sum(Read), sum(Write)), "{gpu}: {arguments:?}");
        }
    }
    Ok(())
}

const OUTPUT: Moved = (0, "output", Write, 4);

/// Stored by the geometry pass and read back by the lighting; the output, which the geometry pass clears and stores without any
/// subpass that uses it, is written once.
fn through_memory(albedo: u64, normal: u64, lighting: u32) -> [Moved; 7] {
    [
        (0, "depth", Write, 4),
        (0, "albedo", Write, albedo),
        (0, "normal", Write, normal),
        (lighting, "depth", Read, 4),
        (lighting, "albedo", Read, albedo),
        (lighting, "normal", Read, normal),
        (lighting, "output", Write, 4),
    ]
}

#[test]
fn a_g_buffer_that_stays_on_chip_costs_nothing_transient_or_not() {
    for transient in ["on", "off"] {
        need!(check("subpasses", &["--transient", transient], None, &[OUTPUT], &[]));
    }
}

#[test]
fn a_g_buffer_between_two_render_passes_is_stored_and_read_back() {
    for transient in ["on", "off"] {
        let small = ["--technique", "renderpasses", "--transient", transient];
        need!(check("subpasses", &small, None, &through_memory(4, 4, 1), &[]));
        let large = [&small[..], &["--gbuffer", "large"]].concat();
        need!(check("subpasses", &large, None, &through_memory(16, 16, 1), &[]));
    }
}

#[test]
fn a_g_buffer_of_288_bits_costs_nothing_in_half_a_tile_and_goes_through_memory_where_half_a_tile_is_too_small() {
    let large = ["--gbuffer", "large"];
    need!(check("subpasses", &large, Some(&["mali-g72", "mali-g76", "mali-g57"]), &[OUTPUT], &[]));
    need!(check("subpasses", &large, Some(&["mali-g71"]), &through_memory(16, 16, 0), &[]));
    let [small, large] = [&[][..], &large].map(|arguments| Sample::new("subpasses", [2220, 1080], arguments));
    let (small, large) = (need!(small), need!(large));
    let [whole, half] = [16, 8].map(|height| f64::from(2220_u32.div_ceil(16) * 1080_u32.div_ceil(height)));
    assert_eq!((tiles("mali-g76", &small), tiles("mali-g76", &large)), (whole, half));
}

#[test]
fn subpasses_whose_dependency_is_not_by_region_cost_what_two_passes_cost() {
    need!(check("subpasses", &["--by-region", "off"], None, &through_memory(4, 4, 0), &[]));
}

#[test]
fn samples_that_are_resolved_in_the_pass_cost_what_one_sample_costs() {
    for variant in ["no-msaa", "writeback"] {
        need!(check("msaa", &["--variant", variant], None, &[OUTPUT], &[]));
    }
}

#[test]
fn a_resolve_by_command_stores_and_reads_every_sample() {
    let commands = [("resolve", "colour 4x", Read, 16), ("resolve", "output", Write, 4)];
    need!(check("msaa", &["--variant", "separate-resolve"], None, &[(0, "colour 4x", Write, 16)], &commands));
}

#[test]
fn postprocessing_after_resolves_in_the_pass_costs_three_stores_of_one_sample() {
    let passes = [(0, "resolved colour", Write, 4), (0, "resolved depth", Write, 4), (1, "output", Write, 4)];
    need!(check("msaa", &["--variant", "writeback-postprocess"], None, &passes, &[]));
}

#[test]
fn postprocessing_of_stored_samples_costs_two_stores_and_one_read_of_all_samples() {
    let passes = [(0, "colour 4x", Write, 16), (0, "depth 4x", Write, 16), (1, "output", Write, 4)];
    let commands = [("resolve", "colour 4x", Read, 16), ("resolve", "resolved colour", Write, 4)];
    need!(check("msaa", &["--variant", "worst"], None, &passes, &commands));
}
