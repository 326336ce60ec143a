//! UBWC, Adreno's lossless compression: on for every optimally tiled image that nothing rules out
//! (Mesa 25.0.7, src/freedreno/vulkan/tu_image.cc; block sizes in src/freedreno/fdl/fd6_layout.c).

use crate::format::{Info, Numeric};
use crate::frame::{Aspects, Image, usage};
use crate::gpu::compression::{Compression, HOST_TRANSFER, LINEAR, Metadata, flags, is_storage, used_for};
use crate::model::PassView;

const UBWC: &str = "UBWC";

/// What UBWC of a chip covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ubwc {
    /// Formats of one byte.
    pub one_byte: bool,
    /// Signed normalised formats.
    pub snorm: bool,
    /// Storage images.
    pub storage: bool,
    /// Depth and stencil.
    pub depth: bool,
    /// Depth of 24 bits also where it has samples, and where its stencil may be read by shaders.
    pub z24: bool,
}

impl Ubwc {
    /// Whether an attachment is compressed.
    pub(super) fn fact(&self, view: &PassView<'_>, index: u32) -> Compression {
        let Some(image) = view.attachment(index).and_then(|a| view.image(a)) else {
            return Compression::unknown(UBWC, "the image is unknown");
        };
        let Some(format) = crate::format::info(image.format) else {
            return Compression::unknown(UBWC, "the format of the image is unknown");
        };
        if let Some(why) = self.refuses(image, format) {
            return Compression::refused(UBWC, why);
        }
        if image.flags & flags::MUTABLE_FORMAT != 0 {
            return Compression::unknown(
                UBWC,
                "VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT: only with a list of compatible formats",
            );
        }
        match block(format, image.samples.max(1)) {
            Some(block) => {
                Compression::applies(UBWC, "optimal tiling, and nothing rules it out", Metadata { bytes: 1, block })
            }
            None => Compression::refused(UBWC, "no block holds so many bytes per pixel"),
        }
    }

    /// What rules UBWC out.
    fn refuses(&self, image: &Image, format: &Info) -> Option<&'static str> {
        let depth = format.aspects() != Aspects::COLOR;
        let z24 = format.component("D").is_some_and(|d| d.bits == 24);
        let snorm = format.components.iter().any(|c| c.numeric == Numeric::Snorm);
        let read_by_shaders = used_for(image, usage::SAMPLED | usage::INPUT_ATTACHMENT);
        let rules = [
            (image.tiling == LINEAR, "linear tiling"),
            (format.block != [1, 1, 1], "a block-compressed format"),
            (format.name == "E5B9G9R9_UFLOAT_PACK32", "E5B9G9R9_UFLOAT_PACK32"),
            (format.name == "S8_UINT", "S8_UINT"),
            (snorm && !self.snorm, "a signed normalised format, on this GPU"),
            (format.block_bytes == 1 && !self.one_byte, "a format of one byte, on this GPU"),
            (image.dimension == 2 && image.mips > 1, "a 3D image with mip levels"),
            (is_storage(image) && !self.storage, "VK_IMAGE_USAGE_STORAGE_BIT, on this GPU"),
            (used_for(image, HOST_TRANSFER), "VK_IMAGE_USAGE_HOST_TRANSFER_BIT"),
            (depth && !self.depth, "a depth/stencil format, on this GPU"),
            (
                format.packs_depth_stencil() && read_by_shaders && !self.z24,
                "D24_UNORM_S8_UINT whose stencil shaders may read, on this GPU",
            ),
            (z24 && image.samples > 1 && !self.z24, "multisampled depth of 24 bits, on this GPU"),
        ];
        rules.iter().find(|(applies, _)| *applies).map(|(_, why)| *why)
    }
}

/// Pixels of a block of this format with so many samples.
fn block(format: &Info, samples: u32) -> Option<[u32; 2]> {
    let two_channels = format.components.len() == 2 && format.components.iter().all(|c| c.bits == 8);
    match (format.block_bytes, samples) {
        (2, 1) if two_channels => Some([16, 8]),
        (1 | 2, 2) => Some([8, 4]),
        (1 | 2, 4) => Some([4, 4]),
        (1 | 2, 8) => Some([4, 2]),
        (bytes, samples) => match bytes.saturating_mul(samples) {
            1 | 2 | 4 => Some([16, 4]),
            8 => Some([8, 4]),
            16 => Some([4, 4]),
            32 => Some([4, 2]),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;

    const A650: Ubwc = Ubwc { one_byte: false, snorm: false, storage: false, depth: true, z24: true };

    fn image() -> Image {
        Image { dimension: 1, samples: 1, mips: 1, ..Image::default() }
    }

    #[test]
    fn a_block_has_sixteen_by_four_pixels_of_four_bytes_and_less_of_more() {
        let of = |name: &str, samples| block(by_name(name).unwrap(), samples);
        assert_eq!(of("R8G8B8A8_UNORM", 1), Some([16, 4]));
        assert_eq!(of("R8G8B8A8_UNORM", 4), Some([4, 4]));
        assert_eq!(of("R8G8_UNORM", 1), Some([16, 8]));
        assert_eq!(of("R8_UNORM", 4), Some([4, 4]));
        assert_eq!(of("R32G32B32A32_SFLOAT", 4), None);
    }

    #[test]
    fn storage_images_lose_compression_before_a7xx() {
        let rgba8 = by_name("R8G8B8A8_UNORM").unwrap();
        let storage = Image { usage: usage::STORAGE, ..image() };
        assert_eq!(A650.refuses(&image(), rgba8), None);
        assert!(A650.refuses(&storage, rgba8).is_some_and(|why| why.contains("STORAGE")));
        assert_eq!(Ubwc { storage: true, ..A650 }.refuses(&storage, rgba8), None);
    }

    #[test]
    fn stencil_that_shaders_read_is_not_compressed_on_the_first_a6xx() {
        let packed = by_name("D24_UNORM_S8_UINT").unwrap();
        let input = Image { usage: usage::INPUT_ATTACHMENT, ..image() };
        assert_eq!(A650.refuses(&input, packed), None);
        assert!(Ubwc { z24: false, ..A650 }.refuses(&input, packed).is_some());
        assert!(Ubwc { depth: false, ..A650 }.refuses(&image(), packed).is_some());
    }
}
