//! What transfers cost: their source once, their destination once, in whole blocks, per aspect.

mod frames;

use frames::*;
use tbdr_model::frame::*;
use tbdr_model::report::{Basis, GpuFrame};
use tbdr_model::units::Extent3D;

fn texels(image: u32, aspects: Aspects, extent: [u32; 3]) -> Option<Side> {
    let extent = Extent3D::from(extent);
    Some(Side::Image(ImageRegion {
        image: Some(ImageRef(image)),
        aspects,
        layers: 1,
        extent,
        ..ImageRegion::default()
    }))
}

fn bytes(bytes: Option<u64>) -> Option<Side> {
    Some(Side::Buffer(BufferRegion { buffer: Some(BufferRef(0)), offset: 16, bytes }))
}

fn moved(images: Vec<Image>, kind: TransferKind, src: Option<Side>, dst: Option<Side>) -> GpuFrame {
    let transfer = Transfer { labels: Vec::new(), kind, regions: vec![Region { src, dst }] };
    let mut frame = frame(images, vec![Op::Transfer(transfer)]);
    frame.buffers = vec![Buffer { size: 4096, ..Buffer::default() }];
    ledger(&frame, "mali-g76")
}

fn totals(gpu: &GpuFrame) -> (u64, u64) {
    (gpu.read_bytes.0, gpu.write_bytes.0)
}

#[test]
fn a_copy_reads_and_writes_its_region() {
    let images = vec![image("R8G8B8A8_UNORM", [64, 64, 1]); 2];
    let side = |i| texels(i, Aspects::COLOR, [10, 5, 1]);
    assert_eq!(totals(&moved(images, TransferKind::CopyImage, side(0), side(1))), (200, 200));
}

#[test]
fn compressed_formats_move_whole_blocks() {
    let images = vec![image("BC1_RGBA_UNORM_BLOCK", [64, 64, 1]), image("R16G16B16A16_UINT", [16, 16, 1])];
    let blocks = texels(0, Aspects::COLOR, [6, 4, 1]);
    let upload = moved(images.clone(), TransferKind::CopyBufferToImage, bytes(None), blocks.clone());
    assert_eq!(totals(&upload), (16, 16));
    // A copy to an uncompressed format of the same size moves the blocks, though the extents differ.
    let between = moved(
        images,
        TransferKind::CopyImage,
        blocks.clone(),
        blocks.map(|_| texels(1, Aspects::COLOR, [6, 4, 1]).unwrap()),
    );
    assert_eq!(totals(&between), (16, 16));
}

#[test]
fn depth_of_24_bits_takes_a_word_in_a_buffer_and_three_bytes_in_the_image() {
    let images = vec![image("D24_UNORM_S8_UINT", [8, 8, 1])];
    let copy = moved(images, TransferKind::CopyImageToBuffer, texels(0, Aspects::DEPTH, [8, 8, 1]), bytes(None));
    assert_eq!(totals(&copy), (192, 256));
    assert_eq!(copy.transfers[0].basis, Basis::Estimate);
}

#[test]
fn a_resolve_command_reads_all_samples_and_writes_one() {
    let images =
        vec![Image { samples: 4, ..image("R8G8B8A8_UNORM", [64, 64, 1]) }, image("R8G8B8A8_UNORM", [64, 64, 1])];
    let side = |i| texels(i, Aspects::COLOR, [64, 64, 1]);
    assert_eq!(totals(&moved(images, TransferKind::Resolve, side(0), side(1))), (4 * 16384, 16384));
}

#[test]
fn clears_fills_and_updates_only_write() {
    let images = vec![Image { layers: 6, ..image("D32_SFLOAT_S8_UINT", [8, 8, 1]) }];
    let mut range = texels(0, Aspects(6), [8, 8, 1]);
    if let Some(Side::Image(region)) = &mut range {
        (region.base_layer, region.layers) = (2, REMAINING);
    }
    let clear = moved(images, TransferKind::ClearDepthStencil, None, range);
    assert_eq!(totals(&clear), (0, 64 * 5 * 4));
    assert_eq!(clear.transfers.iter().map(|e| &*e.aspect).collect::<Vec<_>>(), ["depth", "stencil"]);
    assert_eq!(totals(&moved(Vec::new(), TransferKind::FillBuffer, None, bytes(None))), (0, 4096 - 16));
    assert_eq!(totals(&moved(Vec::new(), TransferKind::UpdateBuffer, None, bytes(Some(64)))), (0, 64));
    assert_eq!(totals(&moved(Vec::new(), TransferKind::CopyBuffer, bytes(Some(64)), bytes(Some(64)))), (64, 64));
}

#[test]
fn what_a_scaled_blit_reads_is_an_estimate() {
    let images = vec![image("R8G8B8A8_UNORM", [64, 64, 1]); 2];
    let (src, dst) = (texels(0, Aspects::COLOR, [64, 64, 1]), texels(1, Aspects::COLOR, [32, 32, 1]));
    let blit = moved(images.clone(), TransferKind::Blit, src.clone(), dst);
    assert_eq!(totals(&blit), (16384, 4096));
    assert_eq!(blit.transfers.iter().map(|e| e.basis).collect::<Vec<_>>(), [Basis::Estimate, Basis::Exact]);
    let same = moved(images, TransferKind::Blit, src, texels(1, Aspects::COLOR, [64, 64, 1]));
    assert!(same.transfers.iter().all(|e| e.basis == Basis::Exact));
}

#[test]
fn planes_are_exact_and_a_whole_multi_planar_image_is_undecided() {
    let images = vec![image("G8_B8R8_2PLANE_420_UNORM", [64, 64, 1])];
    let plane =
        moved(images.clone(), TransferKind::CopyBufferToImage, bytes(None), texels(0, Aspects(0x20), [32, 32, 1]));
    assert_eq!(totals(&plane), (2048, 2048));
    let whole = moved(images, TransferKind::ClearColor, None, texels(0, Aspects::COLOR, [64, 64, 1]));
    assert_eq!(whole.transfers[0].basis, Basis::Undecided);
    assert_eq!(totals(&whole), (0, 0));
}

#[test]
fn tile_memory_is_no_dram() {
    let on_chip = Memory { on_chip: true, ..Memory::default() };
    let tile = Image { memory: on_chip, ..image("R8G8B8A8_UNORM", [64, 64, 1]) };
    let images = vec![tile, image("R8G8B8A8_UNORM", [64, 64, 1])];
    let side = |i| texels(i, Aspects::COLOR, [10, 5, 1]);
    assert_eq!(totals(&moved(images.clone(), TransferKind::CopyImage, side(0), side(1))), (0, 200));
    assert_eq!(totals(&moved(images.clone(), TransferKind::CopyImage, side(1), side(0))), (200, 0));
    assert_eq!(totals(&moved(images, TransferKind::ClearColor, None, side(0))), (0, 0));
}
