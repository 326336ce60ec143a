//! Which images of the recorded frames are the same VkImage, and whether all that happened to it was recorded.
//!
//! Inputs: occurrences of frame structures, destroyed images, gaps. Output: [`Lives::all`], groups of images of frame structures. Images
//! of two structures are in one group if some VkImage was both, and so on: a group is never smaller than what belongs together. Memory
//! grows with the distinct images of distinct frames and with the images that are alive, not with the length of the run.

use crate::frame::{FrameStructure, usage};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// An image of a frame structure: the numbers of both.
pub type Part = (u32, u32);

/// The same image wherever it occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// The image in each frame structure, ordered.
    pub parts: Vec<Part>,
    /// Those of them in which it occurred when it had occurred before: it came back.
    pub returning: Vec<Part>,
    /// Whether everything was recorded that commands did to it.
    pub complete: bool,
}

/// The lives of all images that can be attachments.
#[derive(Clone, Debug, Default)]
pub struct Lives {
    /// What an image that is alive was last.
    last: BTreeMap<u64, Part>,
    parents: BTreeMap<Part, Part>,
    incomplete: BTreeSet<Part>,
    returning: BTreeSet<Part>,
    gap: bool,
}

/// Usages of attachments.
const ATTACHMENT: u32 = usage::COLOR_ATTACHMENT | usage::DEPTH_STENCIL_ATTACHMENT | usage::TRANSIENT_ATTACHMENT;

impl Lives {
    /// One occurrence of a frame structure, with the identity of each of its images.
    pub fn frame(&mut self, structure: u32, frame: &FrameStructure, images: &[u64]) {
        let attachments = (0u32..).zip(&frame.images).filter(|(_, image)| image.all_usage() & ATTACHMENT != 0);
        for (number, identity) in attachments.filter_map(|(number, _)| Some((number, images.get(number as usize)?))) {
            let part = (structure, number);
            let last = self.last.insert(*identity, part);
            if last.is_some() {
                self.returning.insert(part);
            }
            if last == Some(part) {
                continue;
            }
            self.parents.entry(part).or_insert(part);
            if self.gap {
                self.incomplete.insert(part);
            }
            if let Some(last) = last {
                self.unite(last, part);
            }
        }
    }

    /// The image is destroyed: nothing more comes of it.
    pub fn forget(&mut self, identity: u64) {
        self.last.remove(&identity);
    }

    /// Something happened that was not recorded, to any image that is alive or comes to light later.
    pub fn gap(&mut self) {
        self.gap = true;
        self.incomplete.extend(core::mem::take(&mut self.last).into_values());
    }

    /// Every life, by its first part.
    pub fn all(&self) -> Vec<Life> {
        let mut lives: BTreeMap<Part, Life> = BTreeMap::new();
        for part in self.parents.keys() {
            let of_root = || Life { parts: Vec::new(), returning: Vec::new(), complete: true };
            let life = lives.entry(self.root(*part)).or_insert_with(of_root);
            life.parts.push(*part);
            life.returning.extend(self.returning.get(part));
            life.complete &= !self.incomplete.contains(part);
        }
        lives.into_values().collect()
    }

    /// The least part of a group, by which it is known.
    fn root(&self, mut part: Part) -> Part {
        while let Some(parent) = self.parents.get(&part).filter(|parent| **parent != part) {
            part = *parent;
        }
        part
    }

    fn unite(&mut self, one: Part, other: Part) {
        let roots = [self.root(one), self.root(other)];
        let root = roots[0].min(roots[1]);
        // Whoever asked is one step away next time.
        self.parents.extend([roots[0], roots[1], one, other].map(|part| (part, root)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Image;
    use alloc::vec;

    fn structure(images: usize) -> FrameStructure {
        let image = Image { usage: usage::COLOR_ATTACHMENT, ..Image::default() };
        FrameStructure { images: vec![image; images], ..FrameStructure::default() }
    }

    fn parts(lives: &Lives) -> Vec<(Vec<Part>, bool)> {
        lives.all().into_iter().map(|life| (life.parts, life.complete)).collect()
    }

    #[test]
    fn images_that_take_turns_have_one_life() {
        let mut lives = Lives::default();
        lives.frame(0, &structure(2), &[1, 2]);
        lives.frame(1, &structure(1), &[3]);
        assert_eq!(parts(&lives), [(vec![(0, 0)], true), (vec![(0, 1)], true), (vec![(1, 0)], true)]);
        lives.frame(0, &structure(2), &[2, 3]);
        assert_eq!(parts(&lives), [(vec![(0, 0), (0, 1), (1, 0)], true)]);
    }

    #[test]
    fn an_image_comes_back_where_it_occurs_again() {
        let mut lives = Lives::default();
        lives.frame(0, &structure(2), &[1, 2]);
        lives.frame(1, &structure(1), &[1]);
        lives.frame(0, &structure(2), &[3, 2]);
        let returning: Vec<Vec<Part>> = lives.all().into_iter().map(|life| life.returning).collect();
        assert_eq!(returning, [vec![(1, 0)], vec![(0, 1)]]);
    }

    #[test]
    fn a_gap_concerns_what_is_alive_and_what_comes_to_light_later() {
        let mut lives = Lives::default();
        lives.frame(0, &structure(1), &[1]);
        lives.forget(1);
        lives.frame(1, &structure(1), &[2]);
        lives.gap();
        lives.frame(2, &structure(1), &[3]);
        assert_eq!(parts(&lives), [(vec![(0, 0)], true), (vec![(1, 0)], false), (vec![(2, 0)], false)]);
        // The number of a destroyed image does not come again, but its role may.
        lives.frame(0, &structure(1), &[4]);
        assert_eq!(parts(&lives)[0], (vec![(0, 0)], false));
    }
}
