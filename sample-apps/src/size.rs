//! A size in pixels on the command line: `2220x1080`.

use ash::vk;
use std::str::FromStr;

/// Largest side a sample accepts: what every Vulkan device must support as a framebuffer is 4096.
const LARGEST: u32 = 4096;

/// A width and a height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels in x.
    pub width: u32,
    /// Pixels in y.
    pub height: u32,
}

impl Size {
    /// Pixels covered.
    pub fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The whole of it as a Vulkan rectangle.
    pub fn rect(self) -> vk::Rect2D {
        vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: self.width, height: self.height } }
    }

    /// What turns pixels into the range 0 to 2 of clip space, in x and y.
    pub fn scale(self) -> [f32; 2] {
        [self.width, self.height].map(|side| 2.0 / side as f32)
    }

    /// The whole of it as the extent of an image.
    pub fn extent_3d(self) -> vk::Extent3D {
        vk::Extent3D { width: self.width, height: self.height, depth: 1 }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |s: &str| s.parse::<u32>().ok().filter(|v| (16..=LARGEST).contains(v));
        text.split_once(['x', 'X'])
            .and_then(|(w, h)| Some(Self { width: side(w)?, height: side(h)? }))
            .ok_or_else(|| format!("a size is WIDTHxHEIGHT with sides from 16 to {LARGEST}, for example 2220x1080"))
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn a_size_is_two_sides_within_what_every_device_supports() {
        assert_eq!("2220x1080".parse(), Ok(Size { width: 2220, height: 1080 }));
        for bad in ["", "2220", "0x1080", "5000x16", "16x-1", "16x16x16", "axb"] {
            assert!(bad.parse::<Size>().is_err(), "{bad} was accepted");
        }
    }
}
