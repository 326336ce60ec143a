//! The memory that sparse bindings give to buffers and images. What becomes of the contents of sparse images is not followed (their creation
//! flags say so); here the others learn that their bytes are not theirs alone.

use crate::abi::slice;
use crate::dispatch::devices::Device;
use crate::translate;
use ash::vk::{self, Handle};
use tbdr_model::format;
use tbdr_model::frame::Format;

/// Bytes of the standard sparse image block, whatever its shape.
const BLOCK: u64 = 65536;

/// Takes in what one VkBindSparseInfo gives away.
///
/// # Safety
/// `info` is valid.
pub unsafe fn given(device: &Device, info: &vk::BindSparseInfo<'_>) {
    let (images, blocks) = (&device.recorder.objects.images, &device.recorder.objects.memory);
    let bind = |memory: vk::DeviceMemory, offset: u64, bytes: u64| {
        // Without memory it takes away.
        if let Some(block) = blocks.get(memory.as_raw()) {
            block.bind_sparse(offset, bytes);
        }
    };
    // SAFETY: arrays of a valid struct, by the caller's promise.
    unsafe {
        let buffers = slice(info.p_buffer_binds, info.buffer_bind_count).iter().map(|b| slice(b.p_binds, b.bind_count));
        let opaque = slice(info.p_image_opaque_binds, info.image_opaque_bind_count);
        let opaque = opaque.iter().map(|image| slice(image.p_binds, image.bind_count));
        for part in buffers.chain(opaque).flatten() {
            bind(part.memory, part.memory_offset, part.size);
        }
        for image in slice(info.p_image_binds, info.image_bind_count) {
            let format = images.get(image.image.as_raw()).map(|image| (image.created.format, image.created.samples));
            for part in slice(image.p_binds, image.bind_count) {
                bind(part.memory, part.memory_offset, block_bytes(format, part.extent));
            }
        }
    }
}

/// Bytes of the blocks that these texels lie in: the driver alone knows its blocks, so as many of the standard size as the texels fill.
fn block_bytes(image: Option<(Format, u32)>, extent: vk::Extent3D) -> u64 {
    let texels = image.and_then(|(format, samples)| {
        let info = format::info(format)?;
        let blocks = info.blocks(translate::extent3(extent));
        Some(blocks.saturating_mul(info.block_bytes.into()).saturating_mul(samples.into()))
    });
    texels.unwrap_or(1).max(1).checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX)
}
