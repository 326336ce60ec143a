//! Three overlapping triangles with constant colours and depths.
//!
//! They are drawn nearest first, then farthest, then the one between, so that the depth test has something to refuse both before and
//! after it has something to accept. Corners lie on whole pixels and move to the right with the frame number.

use crate::size::Size;
use std::ops::Range;

/// Largest depth: the clear value of the samples.
pub const FAR: f32 = 1.0;

/// A triangle with one colour and one depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Corners in pixels.
    pub corners: [[i32; 2]; 3],
    /// Depth in 0..1.
    pub depth: f32,
    /// R, G, B.
    pub colour: [u8; 3],
}

/// The pixels of one row that a triangle covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Columns that are covered or so close to an edge that the rasteriser decides.
    pub touched: Range<usize>,
    /// Columns that are covered for sure; part of `touched`.
    pub inside: Range<usize>,
}

impl Span {
    /// The touched columns in order, each section with whether the rasteriser decides there.
    pub fn sections(&self) -> [(Range<usize>, bool); 3] {
        let Self { touched, inside } = self;
        if inside.is_empty() {
            return [(touched.clone(), true), (0..0, false), (0..0, true)];
        }
        [(touched.start..inside.start, true), (inside.clone(), false), (inside.end..touched.end, true)]
    }
}

/// The triangles of the scene for a framebuffer of `size`, in drawing order.
pub fn triangles(size: Size) -> [Triangle; 3] {
    // Sides are at most 4096 (`Size`), so all of this fits.
    let (w, h) = (size.width as i32, size.height as i32);
    let at = |x: i32, y: i32| [x * w / 16, y * h / 16];
    [
        Triangle { corners: [at(2, 2), at(10, 4), at(4, 14)], depth: 0.25, colour: [0xe0, 0x30, 0x20] },
        Triangle { corners: [at(1, 15), at(6, 1), at(13, 12)], depth: 0.75, colour: [0x20, 0xc0, 0x40] },
        Triangle { corners: [at(3, 9), at(14, 6), at(9, 15)], depth: 0.5, colour: [0x30, 0x50, 0xf0] },
    ]
}

/// How far the scene has moved in frame `frame`: a sixteenth of the width each frame, over and over within a quarter.
pub fn offset(size: Size, frame: u32) -> [i32; 2] {
    [(frame % 4 * (size.width / 16)) as i32, 0]
}

/// Vertices for `flat.vert`: position x, y, z and colour r, g, b as 32-bit floats.
pub fn vertex_data(triangles: &[Triangle]) -> Vec<u8> {
    let vertex = |t: &Triangle, [x, y]: [i32; 2]| {
        let [r, g, b] = t.colour.map(|c| f32::from(c) / 255.0);
        [x as f32, y as f32, t.depth, r, g, b]
    };
    let floats = triangles.iter().flat_map(|t| t.corners.map(|corner| vertex(t, corner)));
    floats.flatten().flat_map(f32::to_ne_bytes).collect()
}

impl Triangle {
    /// The same triangle, moved.
    pub fn moved(self, [dx, dy]: [i32; 2]) -> Self {
        Self { corners: self.corners.map(|[x, y]| [x + dx, y + dy]), ..self }
    }

    /// The pixels of row `y` of a framebuffer `width` wide. The rasteriser decides where the centre of a pixel is within `margin` pixels of
    /// an edge.
    pub fn span(&self, y: u32, width: u32, margin: f64) -> Span {
        let [a, b, c] = self.corners.map(|[x, y]| (f64::from(x), f64::from(y)));
        // The distance of the pixel's centre from an edge is `slope * x + start`, positive on the inner side.
        let turn = ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum();
        let lines = [(a, b), (b, c), (c, a)].map(|(from, to)| {
            let scale = turn / (to.0 - from.0).hypot(to.1 - from.1);
            let slope = (from.1 - to.1) * scale;
            (slope, (to.0 - from.0) * scale * (f64::from(y) + 0.5 - from.1) + slope * (0.5 - from.0))
        });
        let columns = |distance: f64| {
            let (mut low, mut high) = (0.0, f64::from(width) - 1.0);
            for (slope, start) in lines {
                let limit = (distance - start) / slope;
                if slope > 0.0 {
                    low = f64::max(low, limit);
                } else if slope < 0.0 {
                    high = f64::min(high, limit);
                } else if start < distance {
                    return 0..0;
                }
            }
            let (low, high) = (low.ceil(), high.floor());
            if low > high { 0..0 } else { low as usize..high as usize + 1 }
        };
        Span { touched: columns(-margin), inside: columns(margin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 160, height: 96 };

    #[test]
    fn every_triangle_overlaps_every_other() {
        let all = triangles(SIZE);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let shared = |y| {
                let [a, b] = [i, j].map(|t: usize| all[t].span(y, SIZE.width, 0.1).inside);
                a.end.min(b.end).saturating_sub(a.start.max(b.start))
            };
            let pixels: usize = (0..SIZE.height).map(shared).sum();
            assert!(pixels > 20, "triangles {i} and {j} hardly overlap: the depth test would decide nothing");
        }
    }

    #[test]
    fn a_row_is_the_same_whichever_way_the_corners_turn() {
        let t = Triangle { corners: [[0, 0], [10, 0], [0, 10]], depth: 0.5, colour: [0; 3] };
        let turned = Triangle { corners: [[0, 0], [0, 10], [10, 0]], ..t };
        for t in [t, turned] {
            // The centre of pixel (7, 2) lies on the hypotenuse, and that of (6, 2) 0.7 pixels inside it.
            assert_eq!(t.span(2, 16, 0.1), Span { touched: 0..8, inside: 0..7 });
            assert_eq!(t.span(10, 16, 0.1), Span { touched: 0..0, inside: 0..0 });
        }
    }

    #[test]
    fn a_triangle_beyond_the_right_edge_is_cut_off_there() {
        let t = Triangle { corners: [[4, 0], [40, 0], [4, 40]], depth: 0.5, colour: [0; 3] };
        assert_eq!(t.span(0, 16, 0.1), Span { touched: 4..16, inside: 4..16 });
    }
}
