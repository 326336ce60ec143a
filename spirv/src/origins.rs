//! Which variables the pointers and handles of images in a function come from.

use crate::Element;
use std::collections::HashMap;

/// A variable's id and the element of it.
pub type Origin = (u32, Element);

/// One id of more variables than this is not followed: a selection among so many is no shader's.
const MOST: usize = 256;

/// Origins by id. Sets only grow.
#[derive(Default)]
pub struct Origins {
    by_id: HashMap<u32, Vec<Origin>>,
    /// Whether a set grew since this was last cleared.
    pub grew: bool,
    /// Whether a set grew beyond what is followed.
    pub overflowed: bool,
}

impl Origins {
    /// Origins of an id; empty for what is no pointer to images and no handle of one, or where they are not known.
    pub fn of(&self, id: u32) -> &[Origin] {
        self.by_id.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Adds to the origins of `id`.
    pub fn add(&mut self, id: u32, origin: Origin) {
        let known = self.by_id.entry(id).or_default();
        let Err(place) = known.binary_search(&origin) else { return };
        // `Any` of a variable is all of it.
        if known.binary_search(&(origin.0, Element::Any)).is_ok() {
            return;
        }
        if known.len() >= MOST {
            self.overflowed = true;
            return;
        }
        known.insert(place, origin);
        self.grew = true;
    }

    /// What `from` comes from, `id` comes from too.
    pub fn flow(&mut self, from: u32, id: u32) {
        if from == id {
            return;
        }
        let count = self.of(from).len();
        for index in 0..count {
            let origin = self.of(from)[index];
            self.add(id, origin);
        }
    }
}
