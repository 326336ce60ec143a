//! What each pixel may hold: the load and store operations of the specification, followed pixel by pixel.
//!
//! A pixel is a set of (colour, depth) pairs out of a small palette; *unknown* is a member of both. Undefined contents are the unknown
//! value, a rasteriser's choice at an edge or a test against unknown depth leaves both outcomes in the set. Colours are checked
//! wherever the set holds no unknown colour. With several samples a pixel whose samples may differ is unknown as a whole.

use crate::Error;
use crate::compare::Range;
use crate::picture::Picture;
use crate::scene::{self, FAR, Triangle};
use crate::size::Size;
use ash::vk;

/// A colour a pixel can have without being drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// What the sample puts into images before the first frame.
    Initial,
    /// The clear value.
    Clear,
    /// Undefined contents.
    Unknown,
}

impl Background {
    /// The clear value, R, G, B.
    pub const CLEAR_RGB: [u8; 3] = [0x10, 0x18, 0x28];

    /// R, G, B, A. Nothing for undefined contents.
    pub fn rgba(self) -> Option<[u8; 4]> {
        match self {
            Self::Initial => Some([0x20, 0x40, 0x60, 0xff]),
            Self::Clear => {
                let [r, g, b] = Self::CLEAR_RGB;
                Some([r, g, b, 0xff])
            }
            Self::Unknown => None,
        }
    }

    /// The colour as Vulkan's clear commands want it. Opaque black for undefined contents.
    pub fn clear_value(self) -> vk::ClearColorValue {
        vk::ClearColorValue { float32: self.rgba().unwrap_or([0, 0, 0, 0xff]).map(|c| f32::from(c) / 255.0) }
    }

    fn index(self) -> u32 {
        match self {
            Self::Unknown => UNKNOWN,
            Self::Initial => 1,
            Self::Clear => 2,
        }
    }
}

/// Index of the unknown colour, and of the unknown depth.
const UNKNOWN: u32 = 0;
/// Index of the depth that stands behind everything.
const BEHIND: u32 = 1;
/// Palette index of the first triangle: of its colour, and (one less) of its depth.
const FIRST_COLOUR: u32 = 3;
const FIRST_DEPTH: u32 = 2;
/// Colours: unknown, initial, clear and three triangles. Depths: unknown, behind and three triangles.
const COLOURS: u32 = 6;
const DEPTHS: u32 = 5;

/// A set of (colour, depth) pairs, one bit each.
type Set = u32;

fn single(colour: u32, depth: u32) -> Set {
    1 << (colour * DEPTHS + depth)
}

fn members(set: Set) -> impl Iterator<Item = (u32, u32)> {
    (0..COLOURS * DEPTHS).filter(move |bit| set & (1 << bit) != 0).map(|bit| (bit / DEPTHS, bit % DEPTHS))
}

/// What the pixels of a colour and a depth attachment may hold.
#[derive(Clone)]
pub struct Contents {
    size: Size,
    triangles: [Triangle; 3],
    multisampled: bool,
    pixels: Vec<Set>,
}

impl Contents {
    /// New attachments, undefined all over, on which `triangles` will be drawn.
    pub fn new(size: Size, triangles: [Triangle; 3], multisampled: bool) -> Self {
        Self { size, triangles, multisampled, pixels: vec![single(UNKNOWN, UNKNOWN); size.pixels()] }
    }

    /// The triangles of frame `frame` in attachments that were cleared.
    pub fn of_frame(size: Size, frame: u32) -> Self {
        let mut contents = Self::new(size, scene::triangles(size), false);
        contents.set_colour(Background::Clear);
        contents.set_depth(true);
        contents.draw(scene::offset(size, frame));
        contents
    }

    /// The colours. What is unknown is any colour.
    pub fn colours(&self) -> Picture {
        let colour = |(colour, _)| self.rgba(colour).filter(|_| colour != UNKNOWN).map(|[r, g, b, _]| [r, g, b]);
        self.shown(|member| colour(member).map(|rgb| rgb.map(f32::from)))
    }

    /// The depths, each shown as the colour that `shown` gives it. What is unknown is any colour.
    pub fn depths(&self, shown: impl Fn(f32) -> [f32; 3]) -> Picture {
        self.shown(|(_, depth)| (depth != UNKNOWN).then(|| shown(self.depth(depth))))
    }

    fn shown(&self, colour: impl Fn((u32, u32)) -> Option<[f32; 3]>) -> Picture {
        let any = Range { low: [0.0; 3], high: [255.0; 3] };
        Picture::new(self.size.width, self.size.height, |x, y| {
            let set = self.pixels[y as usize * self.size.width as usize + x as usize];
            members(set).map(|m| colour(m).map_or(any, Range::exactly)).reduce(Range::or).unwrap_or(any)
        })
    }

    /// Every pixel of the colour attachment becomes `background`.
    pub fn set_colour(&mut self, background: Background) {
        self.replace(|_, depth| single(background.index(), depth));
    }

    /// Every pixel of the depth attachment becomes the largest depth, or undefined.
    pub fn set_depth(&mut self, known: bool) {
        self.replace(|colour, _| single(colour, if known { BEHIND } else { UNKNOWN }));
    }

    /// Draws the triangles with the depth test LESS and depth writes, moved by `offset`.
    pub fn draw(&mut self, offset: [i32; 2]) {
        // The rasteriser may round positions, and samples lie up to 0.53 pixels from the centre.
        let margin = if self.multisampled { 0.75 } else { 0.0625 };
        let Size { width, height } = self.size;
        for index in 0..self.triangles.len() {
            let triangle = self.triangles[index].moved(offset);
            for y in 0..height {
                let row = y as usize * width as usize;
                let span = triangle.span(y, width, margin);
                for (columns, perhaps) in span.sections() {
                    let mut last = (0, 0);
                    for at in columns {
                        let before = self.pixels[row + at];
                        if before != last.0 {
                            last = (before, self.covered(before, index, perhaps));
                        }
                        self.pixels[row + at] = last.1;
                    }
                }
            }
        }
    }

    /// Compares with the pixels of frame `frame`, R, G, B, A each, and returns the number of pixels checked. Pixels that are not
    /// checked are set to zero, so that what is left depends on nothing undefined.
    pub fn check(&self, frame: u32, found: &mut [u8]) -> Result<usize, Error> {
        assert_eq!(found.len(), self.pixels.len() * 4, "as many pixels as expected");
        let mut checked = 0;
        let (mut last_set, mut known, mut allowed) = (0, false, Vec::new());

        for (at, (&set, pixel)) in self.pixels.iter().zip(found.chunks_exact_mut(4)).enumerate() {
            if set != last_set {
                last_set = set;
                known = members(set).all(|(colour, _)| colour != UNKNOWN);
                allowed = members(set).filter_map(|(colour, _)| self.rgba(colour)).collect();
            }
            if !known {
                pixel.fill(0);
                continue;
            }
            checked += 1;
            if !allowed.iter().any(|colour| colour == pixel) {
                let width = self.size.width as usize;
                let (x, y) = ((at % width) as u32, (at / width) as u32);
                let expected = allowed.iter().map(|c| format!("{c:?}")).collect::<Vec<_>>().join(" or ");
                let found = [pixel[0], pixel[1], pixel[2], pixel[3]];
                return Err(Error::WrongPixel { frame, x, y, found, expected });
            }
        }
        Ok(checked)
    }

    /// What a pixel may hold after a triangle has covered it, or perhaps covered it.
    fn covered(&self, before: Set, index: usize, perhaps: bool) -> Set {
        let (drawn_colour, drawn_depth) = (FIRST_COLOUR + index as u32, FIRST_DEPTH + index as u32);
        let mut after = if perhaps { before } else { 0 };
        let mut undecided = perhaps;
        for (colour, depth) in members(before) {
            if depth == UNKNOWN {
                undecided = true;
                after |= single(colour, depth) | single(drawn_colour, drawn_depth);
            } else if self.triangles[index].depth < self.depth(depth) {
                after |= single(drawn_colour, drawn_depth);
            } else {
                after |= single(colour, depth);
            }
        }
        if self.multisampled && undecided { single(UNKNOWN, UNKNOWN) } else { after }
    }

    fn replace(&mut self, with: impl Fn(u32, u32) -> Set) {
        let mut last = (0, 0);
        for pixel in &mut self.pixels {
            if *pixel != last.0 {
                last = (*pixel, members(*pixel).fold(0, |set, (colour, depth)| set | with(colour, depth)));
            }
            *pixel = last.1;
        }
    }

    fn depth(&self, index: u32) -> f32 {
        index.checked_sub(FIRST_DEPTH).map_or(FAR, |i| self.triangles[i as usize].depth)
    }

    fn rgba(&self, index: u32) -> Option<[u8; 4]> {
        match index.checked_sub(FIRST_COLOUR) {
            Some(i) => {
                let [r, g, b] = self.triangles[i as usize].colour;
                Some([r, g, b, 0xff])
            }
            None if index == Background::Initial.index() => Background::Initial.rgba(),
            None => Background::Clear.rgba(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::triangles;

    const SIZE: Size = Size { width: 32, height: 32 };

    fn contents(colour: Background, depth: bool) -> Contents {
        let mut contents = Contents::new(SIZE, triangles(SIZE), false);
        contents.set_colour(colour);
        contents.set_depth(depth);
        contents
    }

    /// A frame in which every pixel is the first colour that `of` allows.
    fn frame(of: &Contents) -> Vec<u8> {
        let colour = |set: &Set| members(*set).find_map(|(c, _)| if c == UNKNOWN { None } else { of.rgba(c) });
        of.pixels.iter().flat_map(|set| colour(set).unwrap_or([1, 2, 3, 4])).collect()
    }

    #[test]
    fn a_cleared_and_drawn_frame_is_checked_in_every_pixel() {
        let mut expected = contents(Background::Clear, true);
        expected.draw([0, 0]);
        assert_eq!(expected.check(0, &mut frame(&expected)).ok(), Some(SIZE.pixels()));
    }

    #[test]
    fn one_wrong_pixel_is_found_and_named() {
        let mut expected = contents(Background::Clear, true);
        expected.draw([0, 0]);
        let mut pixels = frame(&expected);
        pixels[(3 * 32 + 5) * 4] ^= 0xff;
        let error = expected.check(7, &mut pixels).expect_err("the pixel is wrong");
        assert!(error.to_string().starts_with("frame 7: pixel (5, 3) is"), "{error}");
    }

    #[test]
    fn undefined_contents_are_checked_only_where_something_was_drawn() {
        let mut expected = contents(Background::Unknown, true);
        expected.draw([0, 0]);
        let mut pixels = frame(&expected);
        let checked = expected.check(0, &mut pixels).expect("nothing is wrong");
        assert!(checked > 100 && checked < SIZE.pixels(), "{checked} of {}", SIZE.pixels());
        assert_eq!(pixels[..4], [0; 4], "an undefined pixel does not reach the hash");
    }

    #[test]
    fn a_test_against_undefined_depth_may_go_either_way() {
        let mut expected = contents(Background::Clear, false);
        expected.draw([0, 0]);
        let inside = members(expected.pixels[6 * 32 + 8]).map(|(c, _)| c).collect::<std::collections::BTreeSet<_>>();
        assert!(inside.contains(&Background::Clear.index()) && inside.len() > 1, "{inside:?}");
    }

    #[test]
    fn a_picture_holds_the_pixels_that_the_contents_allow_and_is_exact_inside_of_triangles() {
        let expected = Contents::of_frame(SIZE, 1);
        assert_eq!(expected.colours().check(0, &frame(&expected)).ok(), Some(SIZE.pixels()));
        let triangle = triangles(SIZE)[0].colour.map(f32::from);
        assert_eq!(expected.colours().at(12, 18), Range::exactly(triangle));
        assert_eq!(expected.depths(|d| [d; 3]).at(12, 18), Range::exactly([0.25; 3]));
        assert_eq!(expected.depths(|d| [d; 3]).at(0, 0), Range::exactly([FAR; 3]));
        assert_eq!(contents(Background::Unknown, true).colours().at(0, 0).high, [255.0; 3]);
    }

    #[test]
    fn the_nearest_triangle_wins_whatever_the_order() {
        let mut expected = contents(Background::Clear, true);
        expected.draw([0, 0]);
        // Inside all three triangles.
        assert_eq!(expected.pixels[18 * 32 + 10], single(FIRST_COLOUR, FIRST_DEPTH));
    }
}
