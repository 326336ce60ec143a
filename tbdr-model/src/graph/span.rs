//! Rectangles of texels, with a depth for volumes.

/// A box of texels, half open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// First texel per axis.
    pub from: [u64; 3],
    /// Texel behind the last one per axis.
    pub to: [u64; 3],
}

impl Rect {
    /// Everything.
    pub const ALL: Self = Self { from: [0; 3], to: [u64::MAX; 3] };

    /// Whether `other` lies inside.
    pub fn covers(&self, other: &Self) -> bool {
        (0..3).all(|i| self.from[i] <= other.from[i] && self.to[i] >= other.to[i])
    }

    /// What of it lies inside `other`; all of it if nothing does.
    pub fn within(&self, other: &Self) -> Self {
        let to = [0, 1, 2].map(|i| self.to[i].min(other.to[i]));
        if (0..3).all(|i| self.from[i] < to[i]) { Self { from: self.from, to } } else { *self }
    }

    /// Whether the two share a texel.
    pub fn meets(&self, other: &Self) -> bool {
        (0..3).all(|i| self.from[i] < other.to[i] && other.from[i] < self.to[i])
    }
}
