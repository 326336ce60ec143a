//! Numbers with types: a byte count cannot be added to a pixel count.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul};
use serde::{Deserialize, Serialize};

/// A number of bytes. Serialised as a plain integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0), Add::add)
    }
}

/// A width and a height in pixels. Serialised as `[width, height]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "[u32; 2]", into = "[u32; 2]")]
#[cfg_attr(feature = "schema", schemars(with = "[u32; 2]"))]
pub struct Extent2D {
    /// Pixels in x.
    pub width: u32,
    /// Pixels in y.
    pub height: u32,
}

impl Extent2D {
    /// An extent of `width` by `height` pixels.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// Pixels covered.
    pub const fn pixels(self) -> u64 {
        self.width as u64 * self.height as u64
    }
}

impl From<[u32; 2]> for Extent2D {
    fn from([width, height]: [u32; 2]) -> Self {
        Self { width, height }
    }
}

impl From<Extent2D> for [u32; 2] {
    fn from(e: Extent2D) -> Self {
        [e.width, e.height]
    }
}

/// A width, a height and a depth in texels. Serialised as `[width, height, depth]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "[u32; 3]", into = "[u32; 3]")]
#[cfg_attr(feature = "schema", schemars(with = "[u32; 3]"))]
pub struct Extent3D {
    /// Texels in x.
    pub width: u32,
    /// Texels in y.
    pub height: u32,
    /// Texels in z.
    pub depth: u32,
}

impl Extent3D {
    /// The extent of mip level `level` of an image of this extent (never below one texel).
    pub fn mip(self, level: u32) -> Self {
        let shrink = |v: u32| v.checked_shr(level).unwrap_or(0).max(1);
        Self { width: shrink(self.width), height: shrink(self.height), depth: shrink(self.depth) }
    }

    /// Texels covered.
    pub fn texels(self) -> u64 {
        (u64::from(self.width) * u64::from(self.height)).saturating_mul(u64::from(self.depth))
    }
}

impl From<[u32; 3]> for Extent3D {
    fn from([width, height, depth]: [u32; 3]) -> Self {
        Self { width, height, depth }
    }
}

impl From<Extent3D> for [u32; 3] {
    fn from(e: Extent3D) -> Self {
        [e.width, e.height, e.depth]
    }
}

/// A rectangle of pixels. Serialised as `[x, y, width, height]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "[i64; 4]", into = "[i64; 4]")]
#[cfg_attr(feature = "schema", schemars(with = "[i64; 4]"))]
pub struct Rect2D {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Size.
    pub extent: Extent2D,
}

impl Rect2D {
    /// The smallest rectangle around both.
    pub fn union(self, other: Self) -> Self {
        let span = |a: i32, a_size: u32, b: i32, b_size: u32| {
            let from = a.min(b);
            let to = (i64::from(a) + i64::from(a_size)).max(i64::from(b) + i64::from(b_size));
            (from, (to - i64::from(from)).clamp(0, i64::from(u32::MAX)) as u32)
        };
        let (x, width) = span(self.x, self.extent.width, other.x, other.extent.width);
        let (y, height) = span(self.y, self.extent.height, other.y, other.extent.height);
        Self { x, y, extent: Extent2D::new(width, height) }
    }

    /// What both have in common; without pixels, at the nearer edge of the other, if that is nothing.
    pub fn intersection(self, other: Self) -> Self {
        let span = |a: i32, a_size: u32, b: i32, b_size: u32| {
            let from = i64::from(a.max(b));
            let to = (i64::from(a) + i64::from(a_size)).min(i64::from(b) + i64::from(b_size));
            let from = from.min(i64::from(b) + i64::from(b_size));
            (clamped(from), (to - from).clamp(0, i64::from(u32::MAX)) as u32)
        };
        let (x, width) = span(self.x, self.extent.width, other.x, other.extent.width);
        let (y, height) = span(self.y, self.extent.height, other.y, other.extent.height);
        Self { x, y, extent: Extent2D::new(width, height) }
    }

    /// The smallest rectangle around it with corners at multiples of `grain` pixels, as far as numbers go.
    pub fn rounded_out(self, grain: u32) -> Self {
        let grain = i64::from(grain.max(1));
        let span = |from: i32, size: u32| {
            let low = i64::from(from).div_euclid(grain) * grain;
            let high = (i64::from(from) + i64::from(size) + grain - 1).div_euclid(grain) * grain;
            (clamped(low), (high - i64::from(clamped(low))).clamp(0, i64::from(u32::MAX)) as u32)
        };
        let (x, width) = span(self.x, self.extent.width);
        let (y, height) = span(self.y, self.extent.height);
        Self { x, y, extent: Extent2D::new(width, height) }
    }
}

fn clamped(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

impl From<[i64; 4]> for Rect2D {
    fn from([x, y, w, h]: [i64; 4]) -> Self {
        let uint = |v: i64| v.clamp(0, i64::from(u32::MAX)) as u32;
        Self { x: clamped(x), y: clamped(y), extent: Extent2D::new(uint(w), uint(h)) }
    }
}

impl From<Rect2D> for [i64; 4] {
    fn from(r: Rect2D) -> Self {
        [i64::from(r.x), i64::from(r.y), i64::from(r.extent.width), i64::from(r.extent.height)]
    }
}
