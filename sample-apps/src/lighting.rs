//! The lights of a frame, and what `lighting.glsl` makes of them, computed again by the host.

use crate::Error;
use crate::compare::{Range, srgb, wrong_pixel};
use crate::room::{FAR, Face, NEAR, SKY, tangents};
use crate::size::Size;
use crate::visible::{Seen, Visible};

/// Steps of the output's format that a pixel may be off: half for rounding, and as much for the precision that Vulkan asks of
/// conversions, of inversesqrt and of the interpolated depth.
const TOLERANCE: f32 = 1.0;
/// Light that comes from everywhere.
const AMBIENT: f32 = 0.08;
/// Position and intensity of the lights in the first frame.
const LIGHTS: [[f32; 4]; 4] =
    [[-3.0, -1.5, 4.0, 0.9], [2.5, -1.2, 3.0, 0.8], [0.0, -2.0, 6.5, 1.1], [0.2, 0.0, 1.2, 0.6]];
/// How far the lights move to the right from one frame to the next; they come back after four.
const STEP: f32 = 0.25;

/// The lights and the view of one frame.
pub struct Lighting {
    size: Size,
    scale: [f32; 2],
    tangents: [f32; 2],
    lights: [[f32; 4]; 4],
}

impl Lighting {
    /// Bytes that the shader gets as push constants.
    pub const PUSHED_BYTES: u32 = 96;

    /// The lights of frame `frame`.
    pub fn new(size: Size, frame: u32) -> Self {
        let moved = (frame % 4) as f32 * STEP;
        let (scale, tangents) = (size.scale(), tangents(size));
        Self { size, scale, tangents, lights: LIGHTS.map(|[x, y, z, intensity]| [x + moved, y, z, intensity]) }
    }

    /// What the shader gets as push constants.
    pub fn push_constants(&self) -> Vec<u8> {
        let ([sx, sy], [tx, ty]) = (self.scale, self.tangents);
        let view = [sx, sy, tx, ty, NEAR, FAR, 0.0, 0.0];
        view.into_iter().chain(self.lights.into_iter().flatten()).flat_map(f32::to_ne_bytes).collect()
    }

    /// Compares the output of frame `frame` and returns the number of pixels checked: all of them. `quantised` says that the G-buffer
    /// holds ten bits of the normal.
    pub fn check(
        &self,
        frame: u32,
        faces: &[Face],
        visible: &Visible<'_>,
        quantised: bool,
        found: &[u8],
    ) -> Result<usize, Error> {
        let normals = normals(faces, quantised);
        let expected = |at: usize, seen: Seen| match seen {
            Some(i) => shown(self.lit(at, &faces[i], normals[i]), (1.0, 1.0)),
            None => sky(),
        };
        for (at, pixel) in found.chunks_exact(4).enumerate() {
            let allowed = match visible.only(at) {
                Some(seen) if expected(at, seen).holds(pixel, TOLERANCE) => continue,
                Some(seen) => vec![expected(at, seen)],
                None => visible.candidates(at, 0).iter().map(|seen| expected(at, seen)).collect(),
            };
            if !allowed.iter().any(|range| range.holds(pixel, TOLERANCE)) {
                return Err(wrong_pixel(self.size, frame, at, pixel, &allowed));
            }
        }
        Ok(found.len() / 4)
    }

    /// What pixel number `at` shows, with a G-buffer that holds ten bits of the normal, where its light is multiplied with a factor from
    /// `light_kept.0` to `light_kept.1`.
    pub fn shown(&self, at: usize, faces: &[Face], visible: &Visible<'_>, light_kept: (f32, f32)) -> Range {
        let expected = |seen: Seen| match seen {
            Some(i) => shown(self.lit(at, &faces[i], faces[i].normal.map(ten_bits)), light_kept),
            None => sky(),
        };
        match visible.only(at) {
            Some(seen) => expected(seen),
            // There is always something to be seen, if only the sky.
            None => visible.candidates(at, 0).iter().map(expected).reduce(Range::or).unwrap_or_else(sky),
        }
    }

    /// The colour of a face at pixel number `at`, linear, 1 being white.
    // Written without iterators: this runs for every pixel, also in builds that are not optimised.
    fn lit(&self, at: usize, face: &Face, normal: [f32; 3]) -> [f32; 3] {
        let width = self.size.width as usize;
        let (x, y) = ((at % width) as f64 + 0.5, (at / width) as f64 + 0.5);
        let depth = face.depth(x, y) as f32;
        let distance = NEAR * FAR / (FAR - depth * (FAR - NEAR));
        let ([sx, sy], [tx, ty]) = (self.scale, self.tangents);
        let position = [(x as f32 * sx - 1.0) * tx * distance, (y as f32 * sy - 1.0) * ty * distance, distance];
        let mut light = AMBIENT;
        for [lx, ly, lz, intensity] in self.lights {
            let (dx, dy, dz) = (lx - position[0], ly - position[1], lz - position[2]);
            let facing = normal[0] * dx + normal[1] * dy + normal[2] * dz;
            if facing > 0.0 {
                let square = dx * dx + dy * dy + dz * dz;
                light += intensity * facing / square.sqrt() / (1.0 + 0.25 * square);
            }
        }
        face.albedo.map(|c| f32::from(c) / 255.0 * light)
    }
}

/// The normals of the faces as the G-buffer holds them.
fn normals(faces: &[Face], quantised: bool) -> Vec<[f32; 3]> {
    faces.iter().map(|f| if quantised { f.normal.map(ten_bits) } else { f.normal }).collect()
}

/// A linear colour, multiplied with a factor in a range, in steps of the output's format.
fn shown(linear: [f32; 3], light_kept: (f32, f32)) -> Range {
    let encoded = |factor: f32| linear.map(|c| srgb((c * factor).min(1.0)));
    Range { low: encoded(light_kept.0), high: encoded(light_kept.1) }
}

fn sky() -> Range {
    Range::exactly(SKY.map(|c| srgb(f32::from(c) / 255.0)))
}

/// A component of a normal as ten bits hold it; -1, 0 and 1 are exact.
fn ten_bits(component: f32) -> f32 {
    ((component * 511.0 + 512.0).round() - 512.0) / 511.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room;

    const SIZE: Size = Size { width: 64, height: 48 };

    /// A right frame: each pixel is the first thing that it may see.
    fn picture(lighting: &Lighting, faces: &[Face], visible: &Visible<'_>) -> Vec<u8> {
        let colour = |at: usize| {
            let seen = visible.candidates(at, 0).iter().next().flatten();
            let lit = seen.map_or_else(
                || SKY.map(|c| srgb(f32::from(c) / 255.0)),
                |i| shown(lighting.lit(at, &faces[i], faces[i].normal), (1.0, 1.0)).low,
            );
            lit.map(|c| c.round() as u8)
        };
        (0..SIZE.pixels()).map(colour).flat_map(|[r, g, b]| [r, g, b, 255]).collect()
    }

    #[test]
    fn a_right_picture_is_accepted_and_one_wrong_pixel_found() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 1, true);
        let lighting = Lighting::new(SIZE, 1);
        let mut pixels = picture(&lighting, &faces, &visible);
        assert_eq!(lighting.check(1, &faces, &visible, false, &pixels).ok(), Some(SIZE.pixels()));
        let at = (0..SIZE.pixels()).rfind(|at| visible.only(*at).is_some()).expect("some pixel sees one face");
        pixels[at * 4 + 1] ^= 4;
        let error = lighting.check(1, &faces, &visible, false, &pixels).expect_err("a pixel is wrong");
        let (x, y) = (at % 64, at / 64);
        assert!(error.to_string().starts_with(&format!("frame 1: pixel ({x}, {y}) is")), "{error}");
    }

    #[test]
    fn the_lights_of_another_frame_are_another_picture() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 1, true);
        let pixels = picture(&Lighting::new(SIZE, 0), &faces, &visible);
        assert!(Lighting::new(SIZE, 1).check(1, &faces, &visible, false, &pixels).is_err());
    }

    #[test]
    fn no_light_is_cut_off_at_white() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 1, true);
        let pixels = picture(&Lighting::new(SIZE, 0), &faces, &visible);
        let white = pixels.chunks_exact(4).filter(|p| p[..3].contains(&255)).count();
        assert!(white < SIZE.pixels() / 50, "{white} pixels are too bright to tell lights apart");
    }
}
