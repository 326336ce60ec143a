//! Which face of the room each sample of each pixel sees.
//!
//! Most pixels see one face with all of their samples; the others are looked at sample by sample. Where a sample lies within a margin of
//! an edge, or two faces are equally deep there, the answer is a set: the rasteriser decides.

use crate::raster;
use crate::room::Face;
use crate::size::Size;

/// A sample this close to an edge may be on either side of it, in pixels.
const MARGIN: f64 = 1.0 / 16.0;
/// Samples lie within this distance of the centre of their pixel, in pixels, and their rasteriser's margin is on top.
const REACH: f64 = 0.75;
/// Depths this close may compare either way.
const DEPTH_MARGIN: f64 = 1e-5;
/// Stands among the faces for no face at all.
const SKY: u32 = 31;

/// What a sample may see: the index of a face, or nothing for the sky.
pub type Seen = Option<usize>;

/// A set of faces, and perhaps the sky.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates(u32);

impl Candidates {
    /// The members.
    pub fn iter(self) -> impl Iterator<Item = Seen> {
        (0..=SKY).filter(move |bit| self.0 & (1 << bit) != 0).map(seen)
    }
}

/// What the pixels of a picture see.
pub struct Visible<'a> {
    size: Size,
    faces: &'a [Face],
    samples: Vec<[f64; 2]>,
    /// How far a sample may lie from where it is thought to be, in x and in y.
    reach: f64,
    /// For each pixel the one face (or [`SKY`]) that all of its samples see, or [`MIXED`].
    owners: Vec<u8>,
    /// For each pixel whether its four neighbours have the same owner.
    calm: Vec<bool>,
    /// For each pixel the faces that some of its samples may see.
    touched: Vec<u32>,
}

/// Owner of a pixel whose samples may see different faces.
const MIXED: u8 = u8::MAX;

impl<'a> Visible<'a> {
    /// What `size` pixels with `samples` samples see of `faces`, of which there are at most 31. `standard` says whether the samples
    /// lie where the specification proposes (standardSampleLocations); where they lie is unknown otherwise.
    pub fn new(size: Size, faces: &'a [Face], samples: u32, standard: bool) -> Self {
        assert!(faces.len() <= SKY as usize, "a face is a bit of a word");
        let (samples, reach) = match standard_locations(samples).filter(|_| standard || samples == 1) {
            Some(locations) => (locations.to_vec(), 0.0),
            None => (vec![[0.5, 0.5]; samples as usize], REACH),
        };
        let mut visible =
            Self { size, faces, samples, reach, owners: Vec::new(), calm: Vec::new(), touched: Vec::new() };
        visible.fill();
        visible
    }

    /// What all samples of pixel number `at` see, if it is one thing.
    pub fn only(&self, at: usize) -> Option<Seen> {
        let owner = self.owners[at];
        (owner != MIXED).then(|| seen(u32::from(owner)))
    }

    /// What all samples of pixel number `at` and of its four neighbours see, if it is one thing. Nothing at the border.
    pub fn only_around(&self, at: usize) -> Option<Seen> {
        if self.calm[at] { self.only(at) } else { None }
    }

    /// Number of samples per pixel.
    pub fn samples(&self) -> usize {
        self.samples.len()
    }

    /// What sample `sample` of pixel number `at` may see.
    pub fn candidates(&self, at: usize, sample: usize) -> Candidates {
        let (x, y) = self.position(at, sample);
        let margin = MARGIN + self.reach;
        // (bit, smallest and largest depth, whether it is there for sure)
        let mut all = vec![(SKY, 1.0, 1.0, true)];
        for bit in (0..SKY).filter(|bit| self.touched[at] & (1 << bit) != 0) {
            let face = &self.faces[bit as usize];
            let distance = raster::distance(&face.corners, x, y);
            if distance >= -margin {
                let (depth, spread) = (face.depth(x, y), self.reach * face.slope() + DEPTH_MARGIN);
                all.push((bit, depth - spread, depth + spread, distance >= margin));
            }
        }
        let nearest = all.iter().filter(|c| c.3).map(|c| c.2).fold(f64::INFINITY, f64::min);
        Candidates(all.iter().filter(|c| c.1 <= nearest).fold(0, |set, c| set | 1 << c.0))
    }

    /// The smallest and the largest depth that sample `sample` of pixel number `at` may have.
    pub fn depth(&self, at: usize, sample: usize) -> (f64, f64) {
        let (x, y) = self.position(at, sample);
        let depths = self.candidates(at, sample);
        depths.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), seen| {
            let (depth, spread) =
                seen.map_or((1.0, 0.0), |i| (self.faces[i].depth(x, y), self.reach * self.faces[i].slope()));
            (low.min(depth - spread), high.max(depth + spread))
        })
    }

    fn position(&self, at: usize, sample: usize) -> (f64, f64) {
        let width = self.size.width as usize;
        let [x, y] = self.samples[sample];
        ((at % width) as f64 + x, (at / width) as f64 + y)
    }

    fn fill(&mut self) {
        let Size { width, height } = self.size;
        let margin = if self.samples.len() == 1 { MARGIN } else { REACH + MARGIN };
        let mut inside = vec![0_u32; self.size.pixels()];
        self.touched = vec![0; self.size.pixels()];
        for (index, face) in self.faces.iter().enumerate() {
            for y in 0..height {
                let row = y as usize * width as usize;
                let span = raster::span(&face.corners, y, width, margin);
                let columns = |of: std::ops::Range<usize>| row + of.start..row + of.end;
                self.touched[columns(span.touched)].iter_mut().for_each(|set| *set |= 1 << index);
                inside[columns(span.inside)].iter_mut().for_each(|set| *set |= 1 << index);
            }
        }
        self.owners = (0..self.size.pixels())
            .map(|at| match (self.touched[at], inside[at]) {
                (0, _) => SKY as u8,
                (touched, sure) if touched == sure && touched.is_power_of_two() => touched.trailing_zeros() as u8,
                _ => self.owner(at),
            })
            .collect();
        self.calm = vec![false; self.size.pixels()];
        let width = width as usize;
        // The smallest picture has 16 rows of 16 pixels.
        for row in (width..self.size.pixels() - width).step_by(width) {
            for at in row + 1..row + width - 1 {
                let owner = self.owners[at];
                self.calm[at] = owner != MIXED
                    && self.owners[at - 1] == owner
                    && self.owners[at + 1] == owner
                    && self.owners[at - width] == owner
                    && self.owners[at + width] == owner;
            }
        }
    }

    fn owner(&self, at: usize) -> u8 {
        let first = self.candidates(at, 0).0;
        let one = first.is_power_of_two() && (1..self.samples.len()).all(|s| self.candidates(at, s).0 == first);
        if one { first.trailing_zeros() as u8 } else { MIXED }
    }
}

fn seen(bit: u32) -> Seen {
    (bit != SKY).then_some(bit as usize)
}

/// The standard sample locations of the Vulkan specification, as far as the samples need them.
fn standard_locations(samples: u32) -> Option<&'static [[f64; 2]]> {
    match samples {
        1 => Some(&[[0.5, 0.5]]),
        2 => Some(&[[0.75, 0.75], [0.25, 0.25]]),
        4 => Some(&[[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]]),
        8 => Some(&[
            [0.5625, 0.3125],
            [0.4375, 0.6875],
            [0.8125, 0.5625],
            [0.3125, 0.1875],
            [0.1875, 0.8125],
            [0.0625, 0.4375],
            [0.6875, 0.9375],
            [0.9375, 0.0625],
        ]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room;

    const SIZE: Size = Size { width: 160, height: 96 };

    #[test]
    fn every_face_and_the_sky_are_seen() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 1, true);
        for seen in (0..faces.len()).map(Some).chain([None]) {
            let pixels = (0..SIZE.pixels()).filter(|at| visible.only(*at) == Some(seen)).count();
            assert!(pixels > 20, "{seen:?} is seen by {pixels} pixels");
        }
    }

    #[test]
    fn few_pixels_are_mixed_and_more_with_several_samples() {
        let faces = room::faces(SIZE);
        let mixed = |samples, standard| {
            let visible = Visible::new(SIZE, &faces, samples, standard);
            (0..SIZE.pixels()).filter(|at| visible.only(*at).is_none()).count()
        };
        let [one, four, unknown] = [mixed(1, true), mixed(4, true), mixed(4, false)];
        assert!(one < four && four < unknown && unknown < SIZE.pixels() / 5, "{one}, {four}, {unknown}");
    }

    #[test]
    fn a_pixel_on_a_silhouette_has_samples_on_both_sides() {
        let faces = room::faces(SIZE);
        let visible = Visible::new(SIZE, &faces, 4, true);
        let both = |at: &usize| {
            let sets = [0, 1, 2, 3].map(|s| visible.candidates(*at, s));
            sets.iter().all(|set| set.0.is_power_of_two()) && sets.iter().any(|set| *set != sets[0])
        };
        assert!((0..SIZE.pixels()).filter(both).count() > 100);
    }

    #[test]
    fn one_sample_lies_in_the_middle_whatever_the_device_says_of_several() {
        let faces = room::faces(SIZE);
        let [known, unknown] = [true, false].map(|standard| Visible::new(SIZE, &faces, 1, standard));
        assert!((0..SIZE.pixels()).all(|at| known.only(at) == unknown.only(at)));
    }
}
