//! Colours as intervals, and pixels against them.
//!
//! Channels are in steps of the 8-bit format, 0 to 255. An interval is as wide as what is left open, such as which of two faces a sample at
//! an edge sees; the tolerance of the comparison is for rounding.

use crate::Error;
use crate::size::Size;

/// How far an 8-bit format is off, in its steps: half for rounding, the rest for the precision of what is rounded.
const ROUNDING: f32 = 0.51;

/// The range of a colour, red, green and blue each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest values.
    pub low: [f32; 3],
    /// Largest values.
    pub high: [f32; 3],
}

impl Range {
    /// Exactly one colour.
    pub fn exactly(colour: [f32; 3]) -> Self {
        Self { low: colour, high: colour }
    }

    /// The smallest range that holds both.
    pub fn or(self, other: Self) -> Self {
        Self { low: zip(self.low, other.low, f32::min), high: zip(self.high, other.high, f32::max) }
    }

    /// The mean of `ranges`, of which there is at least one.
    pub fn mean(ranges: &[Self]) -> Self {
        let share = 1.0 / ranges.len() as f32;
        let mean = |of: fn(&Self) -> [f32; 3]| {
            ranges.iter().map(of).fold([0.0; 3], |sum, colour| zip(sum, colour, |s, c| s + c * share))
        };
        Self { low: mean(|r| r.low), high: mean(|r| r.high) }
    }

    /// The range of the products with factors from `low` to `high`, which are not negative.
    pub fn scaled(self, low: f32, high: f32) -> Self {
        Self { low: self.low.map(|c| c * low), high: self.high.map(|c| c * high) }
    }

    /// The range of the sums with colours of another.
    pub fn plus(self, other: Self) -> Self {
        let add = |a, b| a + b;
        Self { low: zip(self.low, other.low, add), high: zip(self.high, other.high, add) }
    }

    /// The range as an 8-bit format holds it: cut off at black and white, and up to rounding.
    pub fn stored(self) -> Self {
        let step = |c: f32, off: f32| (c.clamp(0.0, 255.0) + off).clamp(0.0, 255.0);
        Self { low: self.low.map(|c| step(c, -ROUNDING)), high: self.high.map(|c| step(c, ROUNDING)) }
    }

    /// Whether an opaque pixel, R, G, B, A, is in the range, up to `tolerance`.
    pub fn holds(&self, pixel: &[u8], tolerance: f32) -> bool {
        let &[r, g, b, 0xff] = pixel else { return false };
        let [red, green, blue] = [f32::from(r), f32::from(g), f32::from(b)];
        let (low, high) = (&self.low, &self.high);
        red >= low[0] - tolerance
            && red <= high[0] + tolerance
            && green >= low[1] - tolerance
            && green <= high[1] + tolerance
            && blue >= low[2] - tolerance
            && blue <= high[2] + tolerance
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [r, g, b] = [0, 1, 2].map(|i| {
            let (low, high) = (self.low[i], self.high[i]);
            if low == high { format!("{low:.1}") } else { format!("{low:.1} to {high:.1}") }
        });
        write!(f, "[{r}, {g}, {b}, 255]")
    }
}

/// The error that pixel number `at` of frame `frame` is none of `expected`.
pub fn wrong_pixel(size: Size, frame: u32, at: usize, found: &[u8], expected: &[Range]) -> Error {
    let width = size.width as usize;
    let found = [0, 1, 2, 3].map(|i| found.get(i).copied().unwrap_or(0));
    let expected = expected.iter().map(Range::to_string).collect::<Vec<_>>().join(" or ");
    Error::WrongPixel { frame, x: (at % width) as u32, y: (at / width) as u32, found, expected }
}

/// A linear value in 0..1 as a step of an sRGB format, not rounded (Vulkan's transfer function is IEC 61966-2-1).
pub fn srgb(linear: f32) -> f32 {
    let encoded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    encoded * 255.0
}

fn zip(a: [f32; 3], b: [f32; 3], with: impl Fn(f32, f32) -> f32) -> [f32; 3] {
    [with(a[0], b[0]), with(a[1], b[1]), with(a[2], b[2])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_off_by_more_than_rounding_is_not_held() {
        let grey = Range::exactly([100.4; 3]);
        assert!(grey.holds(&[100, 100, 101, 255], 0.6));
        assert!(!grey.holds(&[100, 100, 102, 255], 0.6));
        assert!(!grey.holds(&[100, 99, 100, 255], 0.6));
        assert!(!grey.holds(&[100, 100, 100, 254], 0.6), "a transparent pixel");
    }

    #[test]
    fn four_samples_are_averaged_whatever_is_open_of_them() {
        let [dark, light] = [Range::exactly([0.0; 3]), Range::exactly([200.0; 3])];
        let open = dark.or(light);
        assert_eq!(Range::mean(&[dark, dark, light, light]), Range::exactly([100.0; 3]));
        assert_eq!(Range::mean(&[dark, open, light, light]), Range { low: [100.0; 3], high: [150.0; 3] });
    }

    #[test]
    fn srgb_steps_agree_with_known_pairs() {
        for (linear, step) in [(0.0, 0.0), (0.214_041_14, 127.5), (1.0, 255.0), (0.003, 9.8838)] {
            assert!((srgb(linear) - step).abs() < 0.01, "{linear}: {}", srgb(linear));
        }
    }
}
