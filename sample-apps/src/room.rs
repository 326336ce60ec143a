//! A small room in perspective: floor, back wall, two boxes and a pyramid before an open sky.
//!
//! The camera stands in the origin and looks along z; x is to the right and y down. Faces have one albedo and one normal. Their corners are
//! rounded to whole pixels and keep their depth, which Vulkan interpolates linearly over the screen; so a face is a plane in
//! (x, y, depth) that the host knows exactly. No face cuts through another: they meet at edges.

use crate::raster::{self, Corners};
use crate::size::Size;

/// Distance of the near plane, which has depth 0.
pub const NEAR: f32 = 1.0;
/// Distance of the far plane, which has depth 1.
pub const FAR: f32 = 16.0;
/// Half the height of the picture at distance 1.
const TANGENT: f32 = 0.6;
/// R, G, B of the sky: what is seen where there is no face.
pub const SKY: [u8; 3] = [0x50, 0x78, 0xb0];

/// A triangle of the room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Corners in pixels.
    pub corners: Corners,
    /// Depth at the corners.
    pub depths: [f32; 3],
    /// R, G, B.
    pub albedo: [u8; 3],
    /// Unit normal towards the camera's side.
    pub normal: [f32; 3],
    /// Depth at (x, y) in pixels is `plane[0] * x + plane[1] * y + plane[2]`.
    plane: [f64; 3],
}

impl Face {
    /// Depth at a point in pixels, also outside of the face.
    pub fn depth(&self, x: f64, y: f64) -> f64 {
        self.plane[0] * x + self.plane[1] * y + self.plane[2]
    }

    /// How much the depth may change within one pixel in x and one in y.
    pub fn slope(&self) -> f64 {
        self.plane[0].abs() + self.plane[1].abs()
    }
}

/// Half the width and half the height of the picture at distance 1.
pub fn tangents(size: Size) -> [f32; 2] {
    [TANGENT * size.width as f32 / size.height as f32, TANGENT]
}

/// Polygons: albedo and corners in order around the polygon.
const POLYGONS: [([u8; 3], &[[f32; 3]]); 9] = [
    // The pyramid, nearest and drawn first; the farther faces after it.
    ([0xe0, 0x90, 0x20], &[[0.0, 0.1, 2.7], [0.0, 1.0, 2.2], [-0.5, 1.0, 2.7]]),
    ([0xc0, 0x60, 0x10], &[[0.0, 0.1, 2.7], [0.5, 1.0, 2.7], [0.0, 1.0, 2.2]]),
    // The wall.
    ([0xb8, 0xb0, 0xa0], &[[-6.0, -2.0, 8.0], [6.0, -2.0, 8.0], [6.0, 1.0, 8.0], [-6.0, 1.0, 8.0]]),
    // The low box: front, right side, top.
    ([0xd0, 0x38, 0x30], &[[-2.2, 0.2, 3.5], [-0.8, 0.2, 3.5], [-0.8, 1.0, 3.5], [-2.2, 1.0, 3.5]]),
    ([0xd0, 0x38, 0x30], &[[-0.8, 0.2, 3.5], [-0.8, 0.2, 4.9], [-0.8, 1.0, 4.9], [-0.8, 1.0, 3.5]]),
    ([0xf0, 0xc8, 0xc0], &[[-2.2, 0.2, 4.9], [-0.8, 0.2, 4.9], [-0.8, 0.2, 3.5], [-2.2, 0.2, 3.5]]),
    // The tall box: front, left side.
    ([0x38, 0x60, 0xd8], &[[0.6, -0.6, 4.0], [1.6, -0.6, 4.0], [1.6, 1.0, 4.0], [0.6, 1.0, 4.0]]),
    ([0x38, 0x60, 0xd8], &[[0.6, -0.6, 5.0], [0.6, -0.6, 4.0], [0.6, 1.0, 4.0], [0.6, 1.0, 5.0]]),
    // The floor, behind which nothing is.
    ([0x40, 0x90, 0x50], &[[-6.0, 1.0, 8.0], [6.0, 1.0, 8.0], [6.0, 1.0, 1.6], [-6.0, 1.0, 1.6]]),
];

/// The faces for a framebuffer of `size`, in drawing order. Faces that rounding has made a line are left out.
pub fn faces(size: Size) -> Vec<Face> {
    POLYGONS.iter().flat_map(|(albedo, polygon)| triangles(size, *albedo, polygon)).collect()
}

/// Vertices for `room.vert`: position x, y, depth, albedo and normal as 32-bit floats.
pub fn vertex_data(faces: &[Face]) -> Vec<u8> {
    let vertex = |face: &Face, corner: usize| {
        let [x, y] = face.corners[corner].map(|v| v as f32);
        let [r, g, b] = face.albedo.map(|c| f32::from(c) / 255.0);
        let [nx, ny, nz] = face.normal;
        [x, y, face.depths[corner], r, g, b, nx, ny, nz]
    };
    faces.iter().flat_map(|face| [0, 1, 2].map(|c| vertex(face, c))).flatten().flat_map(f32::to_ne_bytes).collect()
}

fn triangles(size: Size, albedo: [u8; 3], polygon: &[[f32; 3]]) -> impl Iterator<Item = Face> {
    let normal = normal(polygon);
    let screen: Vec<_> = polygon.iter().map(|corner| project(size, *corner)).collect();
    let fan = (2..screen.len()).map(|i| [screen[0], screen[i - 1], screen[i]]).collect::<Vec<_>>();
    fan.into_iter().filter_map(move |points| {
        let corners = points.map(|(corner, _)| corner);
        let depths = points.map(|(_, depth)| depth);
        (!raster::is_degenerate(&corners)).then(|| Face {
            corners,
            depths,
            albedo,
            normal,
            plane: plane(&corners, depths.map(f64::from)),
        })
    })
}

/// Pixel and depth of a point.
fn project(size: Size, [x, y, z]: [f32; 3]) -> ([i32; 2], f32) {
    let [across, down] = tangents(size);
    let pixel = |position: f32, side: u32| ((position + 1.0) / 2.0 * side as f32).round() as i32;
    let corner = [pixel(x / (z * across), size.width), pixel(y / (z * down), size.height)];
    (corner, FAR / (FAR - NEAR) * (1.0 - NEAR / z))
}

/// Unit normal of a polygon, towards the camera.
fn normal(polygon: &[[f32; 3]]) -> [f32; 3] {
    let sub = |a: [f32; 3], b: [f32; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (u, v) = (sub(polygon[1], polygon[0]), sub(polygon[2], polygon[0]));
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let away = dot(n, polygon[0]) > 0.0;
    let scale = if away { -1.0 } else { 1.0 } / dot(n, n).sqrt();
    n.map(|c| c * scale)
}

fn plane(corners: &Corners, depths: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = corners.map(|[x, y]| [f64::from(x), f64::from(y)]);
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let (du, dv) = (depths[1] - depths[0], depths[2] - depths[0]);
    let area = u[0] * v[1] - u[1] * v[0];
    let (across, down) = ((du * v[1] - dv * u[1]) / area, (dv * u[0] - du * v[0]) / area);
    [across, down, depths[0] - across * a[0] - down * a[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 320, height: 180 };

    #[test]
    fn a_face_has_the_depth_of_its_corners() {
        for face in faces(SIZE) {
            for ([x, y], depth) in face.corners.into_iter().zip(face.depths) {
                assert!((face.depth(f64::from(x), f64::from(y)) - f64::from(depth)).abs() < 1e-9);
            }
            assert!(face.depths.iter().all(|d| (0.0..1.0).contains(d)));
        }
    }

    #[test]
    fn normals_have_length_one_and_look_at_the_camera() {
        for (_, polygon) in POLYGONS {
            let [x, y, z] = normal(polygon);
            assert!((x * x + y * y + z * z - 1.0).abs() < 1e-6);
            assert!(x * polygon[0][0] + y * polygon[0][1] + z * polygon[0][2] < 0.0);
        }
    }

    #[test]
    fn the_smallest_picture_still_shows_something() {
        for (width, height) in [(16, 16), (16, 4096), (4096, 16)] {
            assert!(faces(Size { width, height }).len() >= 4, "{width}x{height}");
        }
    }
}
