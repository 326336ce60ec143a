//! How much light the ambient occlusion leaves each pixel: `ssao.frag` and the mean of `lighting_ssao.frag`, computed again by the host.

use tilelens_samples::size::Size;
use tilelens_samples::visible::Visible;

/// The constants of the shader.
const REACH: i64 = 2;
const SLOPE: f64 = 20.0;
const STRENGTH: f64 = 0.75;
/// What the precision of interpolated depths, of five sums and of the 8 bits of a stored value makes of it.
const PRECISION: f64 = 2e-3 + 0.5 / 255.0;

/// The least and the most of something.
type Bounds = (f64, f64);

/// How much light is left.
pub struct Occlusion {
    size: Size,
    kept: Vec<Bounds>,
}

impl Occlusion {
    /// The occlusion of all that is visible with one sample per pixel.
    pub fn new(size: Size, visible: &Visible<'_>) -> Self {
        let depths: Vec<_> = (0..size.pixels()).map(|at| visible.depth(at, 0)).collect();
        let depth_at = |x: i64, y: i64| depths[clamped(size, x, y)];
        let kept = |at: usize| {
            let (x, y) = ((at % size.width as usize) as i64, (at / size.width as usize) as i64);
            let own = depth_at(x, y);
            let taps = [(-REACH, 0), (REACH, 0), (0, -REACH), (0, REACH)].map(|(dx, dy)| depth_at(x + dx, y + dy));
            let taken = |own: f64, of: fn(&Bounds) -> f64| -> f64 {
                taps.iter().map(|tap| ((own - of(tap)) * SLOPE).clamp(0.0, 1.0)).sum::<f64>() / 4.0
            };
            (1.0 - STRENGTH * taken(own.1, |tap| tap.0), 1.0 - STRENGTH * taken(own.0, |tap| tap.1))
        };
        Self { size, kept: (0..size.pixels()).map(kept).collect() }
    }

    /// What is left in column `x` and row `y`, at least and at most: the mean of five pixels.
    pub fn light_kept(&self, x: u32, y: u32) -> (f32, f32) {
        let (x, y) = (i64::from(x), i64::from(y));
        let around = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)].map(|(dx, dy)| clamped(self.size, x + dx, y + dy));
        let (low, high) = around
            .iter()
            .fold((0.0, 0.0), |(low, high), at| (low + self.kept[*at].0 / 5.0, high + self.kept[*at].1 / 5.0));
        ((low - PRECISION).max(0.0) as f32, (high + PRECISION).min(1.0) as f32)
    }
}

/// Number of the pixel in column `x` and row `y`, or of the nearest to it.
fn clamped(size: Size, x: i64, y: i64) -> usize {
    let clamp = |value: i64, side: u32| value.clamp(0, i64::from(side) - 1) as usize;
    clamp(y, size.height) * size.width as usize + clamp(x, size.width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelens_samples::room;

    const SIZE: Size = Size { width: 64, height: 48 };

    #[test]
    fn what_stands_in_front_of_something_takes_light_from_it() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 1, true);
        let occlusion = Occlusion::new(SIZE, &visible);
        let all = (0..SIZE.height).flat_map(|y| (0..SIZE.width).map(move |x| (x, y)));
        let (mut dark, mut lit) = (0, 0);
        for (x, y) in all {
            let (low, high) = occlusion.light_kept(x, y);
            assert!(low <= high && high <= 1.0 && low >= 0.0);
            dark += u32::from(high < 0.8);
            lit += u32::from(low > 0.95);
        }
        assert!(dark > 20 && lit > 500, "{dark} dark and {lit} lit pixels");
    }
}
