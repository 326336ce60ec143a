//! Three overlapping triangles with constant colours and depths.
//!
//! They are drawn nearest first, then farthest, then the one between, so that the depth test has something to refuse both before and
//! after it has something to accept. Corners lie on whole pixels and move to the right with the frame number.

use crate::raster::{self, Corners, Span};
use crate::size::Size;

/// Largest depth: the clear value of the samples.
pub const FAR: f32 = 1.0;

/// A triangle with one colour and one depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Corners in pixels.
    pub corners: Corners,
    /// Depth in 0..1.
    pub depth: f32,
    /// R, G, B.
    pub colour: [u8; 3],
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

    /// The pixels of row `y` of a framebuffer `width` wide; see [`raster::span`].
    pub fn span(&self, y: u32, width: u32, margin: f64) -> Span {
        raster::span(&self.corners, y, width, margin)
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
}
