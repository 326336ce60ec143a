//! What bytes mean: against the size of the image on screen, per second, and for a battery.

use crate::report::Frame;
use crate::units::{Bytes, Extent2D};

/// Frame rate of rates where no other is asked for.
pub const FRAMES_PER_SECOND: u32 = 60;

/// Milliwatts for each GB/s (10^9 bytes) of external memory, from and to: Arm's rule of thumb is 100 in its Streamline tutorials, 80 to
/// 100 in its descriptions of Mali's counters, and 120 in its older articles. A matter of the memory, not of the GPU.
pub const MILLIWATTS_PER_GB: [u64; 2] = [80, 120];

/// The image that a frame is for: the first that leaves it, else the framebuffer of its largest pass. Its identity where it is known.
pub fn main_image(frame: &Frame) -> Option<(Option<&str>, Extent2D)> {
    let named = frame.outputs.iter().find_map(|id| frame.images.iter().find(|image| image.id == *id));
    let shown = named.map(|image| (Some(image.id.as_str()), Extent2D::new(image.extent.width, image.extent.height)));
    let largest = || frame.passes.iter().map(|pass| pass.extent).max_by_key(|extent| extent.pixels());
    shown.or_else(|| largest().map(|extent| (None, extent))).filter(|(_, extent)| extent.pixels() > 0)
}

/// Bytes as hundredths of BU32: how often 32 bits for each pixel of the main image. The unit of the literature is one read or write of a
/// full-screen attachment; with a fixed 4 bytes it does not depend on the attachment's own format. Print it beside bytes, and compare
/// before and after: an absolute threshold says little.
pub fn hundredths_bu32(bytes: Bytes, main: Extent2D) -> u64 {
    let unit = u128::from(main.pixels()) * 4;
    let hundredths = (u128::from(bytes.0) * 100 + unit / 2) / unit.max(1);
    u64::try_from(hundredths).unwrap_or(u64::MAX)
}

/// Milliwatts that so many bytes in each frame cost at a frame rate, from and to.
pub fn milliwatts(per_frame: Bytes, fps: u32) -> [u64; 2] {
    let per_second = u128::from(per_frame.0) * u128::from(fps);
    MILLIWATTS_PER_GB.map(|mw| u64::try_from(per_second * u128::from(mw) / 1_000_000_000).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_screen_attachment_of_32_bits_is_one_unit_and_half_a_gigabyte_a_second_at_1080p() {
        let main = Extent2D::new(1920, 1080);
        let bytes = Bytes(1920 * 1080 * 4);
        assert_eq!(hundredths_bu32(bytes, main), 100);
        assert_eq!(hundredths_bu32(bytes * 10, main), 1000);
        assert_eq!(bytes.0 * 60, 497_664_000);
        assert_eq!(milliwatts(bytes, 60), [39, 59]);
        assert_eq!(hundredths_bu32(Bytes(u64::MAX), Extent2D::new(0, 0)), u64::MAX, "no division by zero");
    }
}
