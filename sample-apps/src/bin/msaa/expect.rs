//! What each pixel may show: the sun of `forward.frag`, the mean of the samples, the outlines of `outline.glsl`.

use tilelens_samples::Error;
use tilelens_samples::compare::{Range, wrong_pixel};
use tilelens_samples::room::{Face, SKY};
use tilelens_samples::size::Size;
use tilelens_samples::visible::{Seen, Visible};

/// Steps of the format that a pixel may be off where all samples see one face and no outline is near: rounding.
const EXACT: f32 = 0.6;
/// The same where samples are averaged: they are rounded before, and so is the mean, once more with an outline.
const BLENDED: f32 = 1.6;
/// How dark an outline is for a step of depth; as in the shader.
const STRENGTH: f64 = 20.0;
/// What the precision of five interpolated depths makes of an outline's darkness.
const PRECISION: f64 = 1e-3;

/// The picture of one frame.
pub struct Expected<'a> {
    size: Size,
    frame: u32,
    outlined: bool,
    visible: &'a Visible<'a>,
    sun: [f32; 3],
    /// The colour of each face in steps of the format.
    colours: Vec<Range>,
}

impl<'a> Expected<'a> {
    /// Bytes that the scene's fragment shader gets as push constants.
    pub const PUSHED_BYTES: u32 = 16;

    /// The picture of frame `frame`: the sun moves, and comes back after four frames.
    pub fn new(size: Size, frame: u32, outlined: bool, faces: &[Face], visible: &'a Visible<'a>) -> Self {
        let towards = [(frame % 4) as f32 * 0.3 - 0.7, -0.6, -0.5];
        let length = towards.iter().map(|c| c * c).sum::<f32>().sqrt();
        let sun = towards.map(|c| c / length);
        let lit = |face: &Face| {
            let facing: f32 = face.normal.iter().zip(sun).map(|(n, s)| n * s).sum();
            Range::exactly(face.albedo.map(|c| f32::from(c) * (0.25 + 0.75 * facing.max(0.0))))
        };
        Self { size, frame, outlined, visible, sun, colours: faces.iter().map(lit).collect() }
    }

    /// What the scene's fragment shader gets as push constants.
    pub fn push_constants(&self) -> Vec<u8> {
        let [x, y, z] = self.sun;
        [x, y, z, 0.0].into_iter().flat_map(f32::to_ne_bytes).collect()
    }

    /// Compares every pixel with the picture and returns the number of pixels that show a mixture of faces.
    pub fn check(&self, found: &[u8]) -> Result<usize, Error> {
        let mut blended = 0;
        for (at, pixel) in found.chunks_exact(4).enumerate() {
            // A face is flat: no outline crosses it. At the border a tap is taken twice, and the slope of a face becomes an outline.
            let one = if self.outlined { self.visible.only_around(at) } else { self.visible.only(at) };
            if let Some(seen) = one {
                let expected = self.colour(seen);
                if !expected.holds(pixel, EXACT) {
                    return Err(wrong_pixel(self.size, self.frame, at, pixel, &[expected]));
                }
            } else {
                blended += usize::from(self.check_blended(at, pixel)?);
            }
        }
        Ok(blended)
    }

    /// Checks a pixel whose samples may see different faces, or that an outline may cross. Whether it shows a mixture of faces.
    fn check_blended(&self, at: usize, pixel: &[u8]) -> Result<bool, Error> {
        let (low, high) = if self.outlined { self.light_kept(at) } else { (1.0, 1.0) };
        let samples = self.visible.samples();
        let seen = |sample| self.visible.candidates(at, sample).iter().map(|seen| self.colour(seen));
        let whole: Vec<_> = (0..samples).flat_map(seen).map(|range| range.scaled(low, high)).collect();
        let is_one = whole.iter().any(|range| range.holds(pixel, BLENDED));
        if samples == 1 {
            // One sample sees one thing, whichever.
            return if is_one { Ok(false) } else { Err(wrong_pixel(self.size, self.frame, at, pixel, &whole)) };
        }
        let each: Vec<_> = (0..samples).filter_map(|sample| seen(sample).reduce(Range::or)).collect();
        let mean = Range::mean(&each).scaled(low, high);
        if mean.holds(pixel, BLENDED) {
            Ok(!is_one)
        } else {
            Err(wrong_pixel(self.size, self.frame, at, pixel, &[mean]))
        }
    }

    fn colour(&self, seen: Seen) -> Range {
        seen.map_or_else(|| Range::exactly(SKY.map(f32::from)), |i| self.colours[i])
    }

    /// How much of its light the outline leaves a pixel, at least and at most: it looks at the first sample of five pixels.
    fn light_kept(&self, at: usize) -> (f32, f32) {
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        let (x, y) = (at % width, at / width);
        let taps = [
            (x.saturating_sub(1), y),
            ((x + 1).min(width - 1), y),
            (x, y.saturating_sub(1)),
            (x, (y + 1).min(height - 1)),
        ];
        let (middle_low, middle_high) = self.visible.depth(at, 0);
        let start = (-4.0 * middle_high, -4.0 * middle_low);
        let (low, high) = taps.iter().fold(start, |(low, high), (x, y)| {
            let depth = self.visible.depth(y * width + x, 0);
            (low + depth.0, high + depth.1)
        });
        // The smallest and the largest absolute value of the interval.
        let smallest = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
        let largest = low.abs().max(high.abs());
        let kept = |bend: f64| (1.0 - bend * STRENGTH).clamp(0.0, 1.0);
        ((kept(largest) - PRECISION).max(0.0) as f32, (kept(smallest) + PRECISION).min(1.0) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelens_samples::room;

    const SIZE: Size = Size { width: 64, height: 48 };

    /// A right picture of `samples` samples without outlines, each sample being the first thing that it may see.
    fn picture(expected: &Expected<'_>) -> Vec<u8> {
        let visible = expected.visible;
        let colour = |at: usize| {
            let each: Vec<_> = (0..visible.samples())
                .filter_map(|s| visible.candidates(at, s).iter().next().map(|seen| expected.colour(seen)))
                .collect();
            Range::mean(&each).low.map(|c| c.round() as u8)
        };
        (0..SIZE.pixels()).map(colour).flat_map(|[r, g, b]| [r, g, b, 255]).collect()
    }

    #[test]
    fn edges_are_mixtures_only_with_several_samples() {
        let faces = room::faces(SIZE);
        for (samples, mixes) in [(1, false), (4, true)] {
            let visible = Visible::new(SIZE, &faces, samples, true);
            let expected = Expected::new(SIZE, 0, false, &faces, &visible);
            let blended = expected.check(&picture(&expected)).expect("the picture is right");
            assert_eq!(blended > 20, mixes, "{samples} samples: {blended}");
        }
    }

    #[test]
    fn a_picture_that_was_not_resolved_is_refused() {
        let faces = room::faces(SIZE);
        let [one, four] = [1, 4].map(|samples| Visible::new(SIZE, &faces, samples, true));
        let aliased = picture(&Expected::new(SIZE, 0, false, &faces, &one));
        let error = Expected::new(SIZE, 0, false, &faces, &four).check(&aliased).expect_err("edges are not blended");
        assert!(matches!(error, Error::WrongPixel { .. }), "{error}");
    }

    #[test]
    fn a_picture_without_outlines_is_refused_where_there_should_be_some() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 4, true);
        let plain = picture(&Expected::new(SIZE, 0, false, &faces, &visible));
        assert!(Expected::new(SIZE, 0, true, &faces, &visible).check(&plain).is_err());
    }

    #[test]
    fn inside_a_face_a_pixel_is_exact() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 4, true);
        let expected = Expected::new(SIZE, 2, false, &faces, &visible);
        let mut pixels = picture(&expected);
        let at = (0..SIZE.pixels()).rfind(|at| visible.only(*at).is_some()).expect("some pixel sees one face");
        pixels[at * 4 + 2] ^= 2;
        assert!(expected.check(&pixels).is_err(), "two steps off");
    }
}
