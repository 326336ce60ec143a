//! Which pixels a triangle covers, up to what the rasteriser may decide.
//!
//! Distances are in pixels, positive on the inner side of every edge. A rasteriser rounds positions, so a point within a margin of an
//! edge may be covered or not.

use std::ops::Range;

/// The corners of a triangle in pixels.
pub type Corners = [[i32; 2]; 3];

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

/// Whether the corners lie on one line, so that nothing is drawn.
pub fn is_degenerate(corners: &Corners) -> bool {
    let [[ax, ay], [bx, by], [cx, cy]] = corners.map(|c| c.map(i64::from));
    (bx - ax) * (cy - ay) == (by - ay) * (cx - ax)
}

/// The pixels of row `y` of a framebuffer `width` wide, judged at their centres. The rasteriser decides where the centre is within
/// `margin` pixels of an edge.
pub fn span(corners: &Corners, y: u32, width: u32, margin: f64) -> Span {
    let row = f64::from(y) + 0.5;
    // The distance of the pixel's centre from an edge is `slope * column + start`.
    let lines = lines(corners).map(|[a, b, c]| (a, b * row + c + 0.5 * a));
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

/// The distance of the point `(x, y)` from the nearest edge; negative outside.
pub fn distance(corners: &Corners, x: f64, y: f64) -> f64 {
    lines(corners).iter().map(|[a, b, c]| a * x + b * y + c).fold(f64::INFINITY, f64::min)
}

/// The edges, each as `[a, b, c]`: a point's distance from it is `a * x + b * y + c`.
fn lines(corners: &Corners) -> [[f64; 3]; 3] {
    let [a, b, c] = corners.map(|[x, y]| (f64::from(x), f64::from(y)));
    let turn = ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum();
    [(a, b), (b, c), (c, a)].map(|(from, to)| {
        let scale = turn / (to.0 - from.0).hypot(to.1 - from.1);
        let (across, down) = ((from.1 - to.1) * scale, (to.0 - from.0) * scale);
        [across, down, -across * from.0 - down * from.1]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_whichever_way_the_corners_turn() {
        for corners in [[[0, 0], [10, 0], [0, 10]], [[0, 0], [0, 10], [10, 0]]] {
            // The centre of pixel (7, 2) lies on the hypotenuse, and that of (6, 2) 0.7 pixels inside it.
            assert_eq!(span(&corners, 2, 16, 0.1), Span { touched: 0..8, inside: 0..7 });
            assert_eq!(span(&corners, 10, 16, 0.1), Span { touched: 0..0, inside: 0..0 });
            assert!((distance(&corners, 6.5, 2.5) - 0.5_f64.sqrt()).abs() < 1e-12);
            assert!(distance(&corners, 7.5, 2.5).abs() < 1e-12);
            assert!(distance(&corners, -1.0, 2.5) < -0.9);
        }
    }

    #[test]
    fn a_triangle_beyond_the_right_edge_is_cut_off_there() {
        let corners = [[4, 0], [40, 0], [4, 40]];
        assert_eq!(span(&corners, 0, 16, 0.1), Span { touched: 4..16, inside: 4..16 });
    }

    #[test]
    fn corners_on_one_line_draw_nothing() {
        assert!(is_degenerate(&[[0, 0], [5, 5], [9, 9]]));
        assert!(!is_degenerate(&[[0, 0], [5, 5], [9, 8]]));
    }
}
