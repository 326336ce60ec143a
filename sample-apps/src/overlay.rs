//! A user interface: rectangles of one colour each, drawn over the picture without any depth.

use crate::Error;
use crate::compare::Range;
use crate::flat::Drawn;
use crate::gpu::Gpu;
use crate::picture::Picture;
use crate::pipeline::Within;
use crate::scene::Triangle;
use crate::size::Size;
use crate::triangles::Triangles;
use ash::vk;

/// A rectangle.
struct Rectangle {
    corner: [u32; 2],
    opposite: [u32; 2],
    colour: [u8; 3],
}

/// A bar along the lower edge and a field in the upper left corner.
fn rectangles(size: Size) -> [Rectangle; 2] {
    let at = |x: u32, y: u32| [x * size.width / 16, y * size.height / 16];
    [
        Rectangle { corner: at(0, 14), opposite: at(16, 16), colour: [0x30, 0x30, 0x38] },
        Rectangle { corner: at(1, 1), opposite: at(5, 4), colour: [0xf0, 0xd0, 0x40] },
    ]
}

/// What draws the user interface.
pub struct Overlay<'g>(Triangles<'g>);

impl<'g> Overlay<'g> {
    /// Creates the pipeline and the vertices.
    pub fn new(gpu: &'g Gpu, within: Within<'_>, size: Size) -> Result<Self, Error> {
        let halves: Vec<_> = rectangles(size).iter().flat_map(halves).collect();
        Ok(Self(Triangles::new(gpu, Drawn::Overlay, within, size, &halves)?))
    }

    /// Records the draws.
    pub fn draw(&self, commands: vk::CommandBuffer) {
        self.0.draw(commands, [0, 0]);
    }
}

/// Draws the user interface over `picture`. `encoded` makes a step of the picture's format of a value in 0..1.
pub fn paint(picture: &mut Picture, encoded: impl Fn(f32) -> f32) {
    let [width, height] = picture.extent();
    for rectangle in rectangles(Size { width, height }) {
        let [[left, top], [right, bottom]] = [rectangle.corner, rectangle.opposite];
        let area = vk::Rect2D {
            offset: vk::Offset2D { x: left as i32, y: top as i32 },
            extent: vk::Extent2D { width: right - left, height: bottom - top },
        };
        picture.fill(area, Range::exactly(rectangle.colour.map(|c| encoded(f32::from(c) / 255.0))));
    }
}

/// The two halves of a rectangle. The edge between them belongs to one of them, so every pixel is drawn once.
fn halves(rectangle: &Rectangle) -> [Triangle; 2] {
    let [[left, top], [right, bottom]] = [rectangle.corner, rectangle.opposite].map(|c| c.map(|v| v as i32));
    let half = |corners| Triangle { corners, depth: 0.0, colour: rectangle.colour };
    [half([[left, top], [right, top], [left, bottom]]), half([[right, top], [right, bottom], [left, bottom]])]
}
