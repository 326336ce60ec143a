//! Apple's lossless compression: on for images of renderable formats that nothing rules out
//! (Mesa 25.0.7, src/asahi/vulkan/hk_image.c, src/asahi/layout).

use crate::frame::Image;
use crate::gpu::compression::{
    Compression, FEEDBACK_LOOP, HOST_TRANSFER, LINEAR, Metadata, flags, is_storage, used_for,
};
use crate::model::PassView;

const LOSSLESS: &str = "lossless";
/// Eight bits for each 8x4 pixels.
const TILE: Metadata = Metadata { bytes: 8, block: [16, 16] };

/// Whether an attachment is compressed.
pub(super) fn fact(known: bool, view: &PassView<'_>, index: u32) -> Compression {
    let Some(image) = view.attachment(index).and_then(|a| view.image(a)) else {
        return Compression::unknown(LOSSLESS, "the image is unknown");
    };
    if !known {
        return Compression::refused(LOSSLESS, "this GPU is older than the scheme");
    }
    match refuses(image) {
        Some(why) => Compression::refused(LOSSLESS, why),
        None if image.flags & flags::MUTABLE_FORMAT != 0 => {
            Compression::unknown(LOSSLESS, "VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT: only with compatible views")
        }
        None => Compression::applies(LOSSLESS, "a renderable format, and nothing rules it out", TILE),
    }
}

/// Whether the image is smaller than a tile of the scheme: the one thing that its extent decides.
pub(super) fn is_small(image: &Image) -> bool {
    // Samples lie beside each other: first below, then to the right.
    let across = if image.samples >= 4 { 2 } else { 1 };
    let down = if image.samples >= 2 { 2 } else { 1 };
    image.extent.width.saturating_mul(across) < 16 || image.extent.height.saturating_mul(down) < 16
}

/// What rules it out.
fn refuses(image: &Image) -> Option<&'static str> {
    if image.tiling == LINEAR {
        Some("linear tiling")
    } else if is_small(image) {
        Some("smaller than 16x16")
    } else if is_storage(image) {
        Some("VK_IMAGE_USAGE_STORAGE_BIT")
    } else if used_for(image, HOST_TRANSFER) {
        Some("VK_IMAGE_USAGE_HOST_TRANSFER_BIT")
    } else if used_for(image, FEEDBACK_LOOP) {
        Some("VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::usage;
    use crate::units::Extent3D;

    #[test]
    fn small_and_storage_images_are_not_compressed() {
        let image = |side, samples, usage| Image {
            extent: Extent3D { width: side, height: side, depth: 1 },
            samples,
            usage,
            ..Image::default()
        };
        assert_eq!(refuses(&image(16, 1, 0)), None);
        assert_eq!(refuses(&image(8, 1, 0)), Some("smaller than 16x16"));
        assert_eq!(refuses(&image(8, 4, 0)), None);
        assert!(refuses(&image(64, 1, usage::STORAGE)).is_some());
        assert!(refuses(&image(64, 1, HOST_TRANSFER)).is_some());
    }
}
