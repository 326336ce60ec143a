//! What stands beside the totals: shaders that read attachments, the display, and what compression leaves.

mod frames;

use frames::*;
use tbdr_model::frame::LoadOp::{Clear, Load};
use tbdr_model::frame::StoreOp::{DontCare, Store};
use tbdr_model::frame::*;
use tbdr_model::ledger::sums;
use tbdr_model::report::{Basis, BesideEntry, Direction, GpuFrame};
use tbdr_model::units::Bytes;

const SIZE: [u32; 2] = [640, 480];
const A: u64 = 640 * 480 * 4;

fn access(image: u32, base_mip: u32, mips: u32, base_layer: u32, layers: u32) -> ImageAccess {
    let range = SubresourceRange { aspects: Aspects::COLOR, base_mip, mips, base_layer, layers };
    ImageAccess { image: Some(ImageRef(image)), range, ..ImageAccess::default() }
}

/// What a pass reads whose shaders reach these parts of one image.
fn beside(image: Image, reached: Vec<ImageAccess>) -> Vec<BesideEntry> {
    let drawn = Subpass { shader: ShaderAccess::exactly(reached), ..subpass(&[], None, &[]) };
    let pass = pass(SIZE, Vec::new(), vec![drawn]);
    ledger(&frame(vec![image], vec![Op::Pass(pass)]), "mali-g76").beside
}

fn layered(samples: u32) -> Image {
    Image { mips: 3, layers: 4, samples, ..image("R8G8B8A8_UNORM", [64, 64, 1]) }
}

#[test]
fn each_texel_that_the_views_show_counts_once_however_many_views_show_it() {
    let all = 64 * 64 * 4;
    let reads = |reached| {
        let entries = beside(layered(1), reached);
        assert!(entries.iter().all(|e| e.basis == Basis::Bound && e.cause == "sampled" && e.pass == Some(0)));
        entries.iter().map(|e| e.bytes.0).sum::<u64>()
    };
    assert_eq!(reads(vec![access(0, 0, 1, 0, 1)]), all);
    assert_eq!(reads(vec![access(0, 0, 3, 0, 4)]), 4 * (all + all / 4 + all / 16));
    let stages = ImageAccess { stages: 1, ..access(0, 0, 1, 1, 2) };
    assert_eq!(reads(vec![access(0, 0, 1, 0, 2), stages]), 3 * all);
    assert_eq!(reads(vec![access(0, 0, u32::MAX, 0, u32::MAX)]), 4 * (all + all / 4 + all / 16));
    assert_eq!(reads(vec![access(0, 9, 1, 0, 1), access(7, 0, 1, 0, 1)]), 0, "levels and images that do not exist");
}

#[test]
fn of_a_multisampled_image_a_shader_reads_between_one_sample_and_all() {
    let entries = beside(Image { mips: 1, layers: 1, ..layered(4) }, vec![access(0, 0, 1, 0, 1)]);
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((entry.bytes, entry.one_sample_bytes), (Bytes(4 * 64 * 64 * 4), Some(Bytes(64 * 64 * 4))));
}

#[test]
fn storage_images_are_read_and_written_and_video_is_no_shader() {
    let kind = |kind| ImageAccess { kind, ..access(0, 0, 1, 0, 1) };
    let causes = |of| beside(layered(1), vec![kind(of)]).iter().map(|e| e.cause.to_string()).collect::<Vec<_>>();
    assert_eq!(causes(AccessKind::StorageRead), ["storage_read"]);
    assert_eq!(causes(AccessKind::StorageWrite), ["storage_write"]);
    assert_eq!(causes(AccessKind::StorageReadWrite), ["storage_read", "storage_write"]);
    assert!(causes(AccessKind::Read).is_empty() && causes(AccessKind::Write).is_empty());
}

#[test]
fn a_format_without_a_size_is_undecided_and_tile_memory_moves_nothing() {
    let unknown = beside(Image { format: Format(i32::MAX), ..layered(1) }, vec![access(0, 0, 1, 0, 1)]);
    assert!(matches!(&unknown[..], [e] if e.basis == Basis::Undecided && e.bytes == Bytes(0)), "{unknown:?}");
    let mut on_chip = layered(1);
    on_chip.memory.on_chip = true;
    assert!(beside(on_chip, vec![access(0, 0, 1, 0, 1)]).is_empty());
}

/// One pass over a colour and a depth image, then a copy of colour; presented.
fn stored(samples: u32, drawn: bool, color_usage: u32) -> FrameStructure {
    let images = ["R8G8B8A8_UNORM", "D24_UNORM_S8_UINT"].map(|format| Image {
        samples,
        usage: color_usage,
        ..image(format, [SIZE[0], SIZE[1], 1])
    });
    let of = |number: u32, name| Attachment { image: Some(ImageRef(number)), samples, ..attachment(name, Load, Store) };
    let attachments = vec![of(0, "R8G8B8A8_UNORM"), of(1, "D24_UNORM_S8_UINT")];
    let scene = Subpass { drawn, ..subpass(&[0], Some(1), &[]) };
    let mut frame = frame(images.to_vec(), vec![Op::Pass(pass(SIZE, attachments, vec![scene]))]);
    frame.outputs.push(Output { image: ImageRef(0), reason: OutputReason::Present });
    frame
}

fn store(gpu: &GpuFrame) -> &tbdr_model::report::Entry {
    gpu.passes[0].entries.iter().find(|e| e.cause == "store" && e.aspect == "color").expect("a store")
}

#[test]
fn compression_leaves_45_to_60_percent_where_it_applies_and_says_nothing_where_it_does_not() {
    let gpu = ledger(&stored(1, true, usage::COLOR_ATTACHMENT), "mali-g76");
    assert_eq!((store(&gpu).bytes, store(&gpu).compressed), (Bytes(A), Some([Bytes(A * 45 / 100), Bytes(A * 6 / 10)])));
    let flat = ledger(&stored(1, false, usage::COLOR_ATTACHMENT), "mali-g76");
    assert_eq!(store(&flat).compressed, Some([Bytes(A * 3 / 10), Bytes(A * 6 / 10)]), "nothing was drawn");
    for frame in [stored(4, true, usage::COLOR_ATTACHMENT), stored(1, true, usage::STORAGE)] {
        let gpu = ledger(&frame, "mali-g76");
        assert_eq!((store(&gpu).compressed, gpu.compressed), (None, None), "four samples; a storage image");
    }
    let old = ledger(&stored(1, true, usage::COLOR_ATTACHMENT), "mali-g71");
    assert_eq!(old.compressed, None, "before the scheme");
}

#[test]
fn where_nobody_knows_whether_compression_applies_all_may_be_left() {
    let mut frame = stored(1, true, usage::COLOR_ATTACHMENT);
    frame.images[0].compression_control = Some(ImageCompression { flags: 2, fixed_rates: 1 << 1 });
    // Two bits per component, of eight.
    let fixed = ledger(&frame, "mali-g76");
    assert_eq!(store(&fixed).compressed, Some([Bytes(A / 4), Bytes(A)]));
    frame.images[0].compression_control = Some(ImageCompression { flags: ImageCompression::DISABLED, fixed_rates: 0 });
    assert_eq!(store(&ledger(&frame, "mali-g76")).compressed, None, "the application forbids it");
}

#[test]
fn what_is_left_adds_up_and_unchanged_tiles_are_a_matter_of_their_own() {
    let gpu = ledger(&stored(1, true, usage::COLOR_ATTACHMENT), "mali-g76");
    let left = gpu.compressed.expect("AFBC");
    let of = |direction: Direction, end: usize| {
        let entries = gpu.passes.iter().flat_map(|p| &p.entries).filter(|e| e.direction == direction);
        entries.map(|e| e.compressed.unwrap_or([e.bytes; 2])[end].0).sum::<u64>()
    };
    assert_eq!(left.read.map(|b| b.0), [of(Direction::Read, 0), of(Direction::Read, 1)]);
    assert_eq!(left.write.map(|b| b.0), [of(Direction::Write, 0), of(Direction::Write, 1)]);
    assert_eq!(gpu.passes[0].compressed, gpu.compressed);
    assert_eq!(gpu.eliminable_bytes, Bytes(A), "the colour store");
    assert_eq!(ledger(&stored(1, true, usage::COLOR_ATTACHMENT), "adreno-650").eliminable_bytes, Bytes(0));
}

#[test]
fn the_display_reads_what_is_presented_once_and_no_total_knows_of_it() {
    let gpu = ledger(&stored(1, true, usage::COLOR_ATTACHMENT), "apple-m1");
    assert_eq!(gpu.display_read_bytes, Bytes(A));
    let entry = gpu.beside.iter().find(|e| e.cause == "present").expect("an entry");
    assert_eq!((entry.basis, entry.bytes, entry.pass), (Basis::Estimate, Bytes(A), None));
    assert_eq!(gpu.read_bytes, gpu.passes[0].read_bytes);
    let quiet = ledger(&frame(Vec::new(), Vec::new()), "apple-m1");
    assert_eq!(quiet.display_read_bytes, Bytes(0));
}

#[test]
fn sums_by_anything_are_the_totals() {
    let gpu = ledger(&stored(1, true, usage::COLOR_ATTACHMENT), "mali-g76");
    let total = |sums: Vec<sums::Sum>| {
        sums.iter().fold((Bytes(0), Bytes(0)), |(read, write), sum| (read + sum.read, write + sum.write))
    };
    for sums in [
        sums::by_cause(&gpu).into_values().collect(),
        sums::by_resource(&gpu).into_values().collect(),
        sums::by_place(&gpu).into_values().collect::<Vec<_>>(),
    ] {
        assert_eq!(total(sums), (gpu.read_bytes, gpu.write_bytes));
    }
    let causes: Vec<&str> = sums::by_cause(&gpu).into_keys().collect();
    assert_eq!(causes, ["load", "store"]);
}

#[test]
fn immediate_mode_names_what_its_draws_move_and_puts_it_into_no_sum() {
    // A dependency that leaves framebuffer space sends turnip to memory.
    let color = attachment("R8G8B8A8_UNORM", Clear, Store);
    let depth = attachment("D32_SFLOAT", Clear, DontCare);
    let mut scene = pass(SIZE, vec![color, depth], vec![subpass(&[0], Some(1), &[]); 2]);
    scene.dependencies.push(Dependency { src: 0, dst: 1, src_stages: 0x400, dst_stages: 0x8, ..Dependency::default() });
    let gpu = pass_ledger(&scene, "adreno-650");
    let sums = sums::by_cause(&gpu);
    assert_eq!(sums["in_memory"].total(), Bytes(0));
    // Two subpasses read and write colour and depth as often as their draws blend and test.
    assert_eq!(sums["in_memory"].undecided, 8);
    assert_eq!(sums["clear"].write, Bytes(2 * A), "what the pass clears, it writes");
    assert_eq!(gpu.floor.expect("followed").efficiency, None, "nobody knows how much moves");
}
