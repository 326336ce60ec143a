//! A picture whose pixels are colours as intervals: what passes over whole pictures make of what the rasteriser has left open.
//!
//! Filters are sums with weights that are not negative, so the interval of a result is the sum of the intervals it is made of.

use crate::Error;
use crate::compare::{Range, wrong_pixel};
use crate::size::Size;
use ash::vk;

/// Steps of the format that a finished pixel may be off beyond its interval: rounding.
const TOLERANCE: f32 = 0.6;

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<Range>,
}

impl Picture {
    /// `width` by `height` pixels, neither of them zero, each made from its column and row.
    pub fn new(width: u32, height: u32, pixel: impl Fn(u32, u32) -> Range) -> Self {
        let pixel = &pixel;
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| pixel(x, y))).collect();
        Self { width, height, pixels }
    }

    /// Width and height.
    pub fn extent(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// The pixel in column `x` and row `y`, or the nearest to it.
    pub fn at(&self, x: i64, y: i64) -> Range {
        let clamp = |value: i64, side: u32| value.clamp(0, i64::from(side) - 1) as usize;
        self.pixels[clamp(y, self.height) * self.width as usize + clamp(x, self.width)]
    }

    /// The same picture after a pass that writes an 8-bit format, each pixel made from its column and row.
    #[must_use]
    pub fn stored(width: u32, height: u32, pixel: impl Fn(i64, i64) -> Range) -> Self {
        Self::new(width, height, |x, y| pixel(i64::from(x), i64::from(y)).stored())
    }

    /// Fills a rectangle, which lies inside, with one colour.
    pub fn fill(&mut self, area: vk::Rect2D, colour: Range) {
        let columns = area.offset.x as usize..area.offset.x as usize + area.extent.width as usize;
        for row in area.offset.y as usize..area.offset.y as usize + area.extent.height as usize {
            self.pixels[row * self.width as usize..][columns.clone()].fill(colour);
        }
    }

    /// Puts another picture over this one, with its upper left corner at column `x` and row `y`; it lies inside.
    pub fn paste(&mut self, x: u32, y: u32, other: &Self) {
        for row in 0..other.height {
            let from = &other.pixels[(row * other.width) as usize..][..other.width as usize];
            self.pixels[((y + row) * self.width + x) as usize..][..from.len()].copy_from_slice(from);
        }
    }

    /// Compares with the pixels of frame `frame`, R, G, B, A each, and returns the number of pixels checked: all of them.
    pub fn check(&self, frame: u32, found: &[u8]) -> Result<usize, Error> {
        assert_eq!(found.len(), self.pixels.len() * 4, "as many pixels as expected");
        let size = Size { width: self.width, height: self.height };
        let wrong = self.pixels.iter().zip(found.chunks_exact(4)).position(|(range, p)| !range.holds(p, TOLERANCE));
        wrong.map_or(Ok(self.pixels.len()), |at| {
            Err(wrong_pixel(size, frame, at, &found[at * 4..at * 4 + 4], &[self.pixels[at]]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture with a step from black to white in the middle.
    fn step() -> Picture {
        Picture::new(4, 2, |x, _| Range::exactly([if x < 2 { 0.0 } else { 200.0 }; 3]))
    }

    #[test]
    fn beyond_the_edge_lies_the_pixel_at_the_edge() {
        assert_eq!(step().at(-3, 0), Range::exactly([0.0; 3]));
        assert_eq!(step().at(9, 7), Range::exactly([200.0; 3]));
    }

    #[test]
    fn a_pixel_off_by_more_than_rounding_is_found_and_named() {
        let mut found = [[0, 0, 0, 255], [0, 0, 0, 255], [200, 200, 200, 255], [200, 200, 200, 255]].concat().repeat(2);
        assert_eq!(step().check(0, &found).ok(), Some(8));
        found[4 * 5 + 1] = 2;
        let error = step().check(3, &found).expect_err("a pixel is wrong");
        assert!(error.to_string().starts_with("frame 3: pixel (1, 1) is"), "{error}");
    }

    #[test]
    fn what_an_eight_bit_format_holds_is_off_by_half_a_step_and_no_more() {
        let stored = Picture::stored(4, 2, |x, y| step().at(x, y).scaled(2.0, 2.0));
        assert!(
            stored
                .check(0, &[[0, 0, 0, 255], [1, 0, 0, 255], [255; 4], [254, 255, 255, 255]].concat().repeat(2))
                .is_ok()
        );
        assert!(stored.check(0, &[[0, 0, 0, 255], [2, 0, 0, 255], [255; 4], [255; 4]].concat().repeat(2)).is_err());
    }

    #[test]
    fn a_rectangle_covers_its_pixels_and_no_other() {
        let mut picture = step();
        let area = vk::Rect2D { offset: vk::Offset2D { x: 1, y: 1 }, extent: vk::Extent2D { width: 2, height: 1 } };
        picture.fill(area, Range::exactly([7.0; 3]));
        let sevens = (0..8).filter(|i| picture.at(i % 4, i / 4) == Range::exactly([7.0; 3])).collect::<Vec<_>>();
        assert_eq!(sevens, [5, 6]);
    }
}
