//! What each pixel shows: the depth of the map that `map.frag` reads, or light where no map is read.

use tilelens_samples::Error;
use tilelens_samples::compare::{Range, wrong_pixel};
use tilelens_samples::scene::{self, FAR, Triangle};
use tilelens_samples::size::Size;

/// Steps of the format that a pixel may be off: rounding.
const TOLERANCE: f32 = 0.6;
/// How far from an edge the rasteriser decides, in pixels.
const MARGIN: f64 = 0.0625;
/// Colour of the largest depth; as in the shaders.
const LIT: [f32; 3] = [1.0, 0.5, 0.25];

/// Compares every pixel of frame `frame`, which reads the map of frame `map`, and returns the number of pixels checked: all of them.
pub fn check(size: Size, triangles: &[Triangle], frame: u32, map: Option<u32>, found: &[u8]) -> Result<usize, Error> {
    let width = size.width as usize;
    for (row, pixels) in (0..size.height).zip(found.chunks_exact(width * 4)) {
        let spans: Vec<_> = map
            .iter()
            .flat_map(|map| triangles.iter().map(|t| t.moved(scene::offset(size, *map))))
            .map(|t| (t.depth, t.span(row, size.width, MARGIN)))
            .collect();
        for (column, pixel) in pixels.chunks_exact(4).enumerate() {
            let inside = spans.iter().filter(|(_, s)| s.inside.contains(&column)).map(|(depth, _)| *depth);
            let nearest = inside.fold(FAR, f32::min);
            // What the rasteriser may have drawn before it.
            let perhaps = spans.iter().filter(|(_, s)| s.touched.contains(&column)).map(|(depth, _)| *depth);
            let allowed = perhaps.filter(|depth| *depth < nearest).chain([nearest]).map(shown);
            if !allowed.clone().any(|range| range.holds(pixel, TOLERANCE)) {
                let at = row as usize * width + column;
                return Err(wrong_pixel(size, frame, at, pixel, &allowed.collect::<Vec<_>>()));
            }
        }
    }
    Ok(size.pixels())
}

fn shown(depth: f32) -> Range {
    Range::exactly(LIT.map(|c| c * depth * 255.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 64, height: 48 };

    fn picture(map: Option<u32>) -> Vec<u8> {
        let triangles = scene::triangles(SIZE).map(|t| t.moved(scene::offset(SIZE, map.unwrap_or(0))));
        let pixel = |at: usize| {
            let (column, row) = (at % 64, (at / 64) as u32);
            let over = triangles.iter().filter(|t| map.is_some() && t.span(row, 64, MARGIN).inside.contains(&column));
            let [r, g, b] = shown(over.map(|t| t.depth).fold(FAR, f32::min)).low.map(|c| c.round() as u8);
            [r, g, b, 255]
        };
        (0..SIZE.pixels()).flat_map(pixel).collect()
    }

    #[test]
    fn the_map_of_another_frame_and_no_map_are_other_pictures() {
        let triangles = scene::triangles(SIZE);
        for map in [None, Some(0), Some(1)] {
            assert_eq!(check(SIZE, &triangles, 2, map, &picture(map)).ok(), Some(SIZE.pixels()), "{map:?}");
            for other in [None, Some(0), Some(1)].into_iter().filter(|other| *other != map) {
                assert!(check(SIZE, &triangles, 2, map, &picture(other)).is_err(), "{map:?}, {other:?}");
            }
        }
    }

    #[test]
    fn one_wrong_pixel_is_found() {
        let mut pixels = picture(Some(0));
        pixels[SIZE.pixels() * 4 - 3] ^= 2;
        let error = check(SIZE, &scene::triangles(SIZE), 5, Some(0), &pixels).expect_err("a pixel is wrong");
        assert!(error.to_string().starts_with("frame 5: pixel (63, 47) is"), "{error}");
    }
}
