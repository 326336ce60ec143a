//! What is bound for the shaders of one bind point.
//!
//! Binding with a layout that is not compatible disturbs the sets that were bound before; they stay here. That is no fault: a draw
//! whose shaders statically use a set must have it bound with a compatible layout, so that a disturbed set is never asked for.

use super::{Set, SetLayout};
use std::sync::Arc;

/// More sets than this are not followed; devices offer up to 32.
const MOST_SETS: usize = 64;

/// What is bound in the place of a set.
#[derive(Clone, Default)]
pub enum BoundSet {
    /// Nothing.
    #[default]
    Nothing,
    /// A set.
    Set(Arc<Set>),
    /// Descriptors that were pushed.
    Pushed(Arc<Set>),
    /// Descriptors in memory (VK_EXT_descriptor_buffer): all that the application ever asked for.
    Memory(Arc<Set>),
    /// A set whose allocation was not seen.
    Unknown,
}

/// One bind point of a command buffer.
#[derive(Default)]
pub struct BindPoint {
    sets: Vec<BoundSet>,
    /// Whether anything was bound since the last fold.
    pub changed: bool,
}

impl BindPoint {
    /// What is bound as set `number`.
    pub fn set(&self, number: u32) -> &BoundSet {
        self.sets.get(number as usize).unwrap_or(&BoundSet::Nothing)
    }

    /// Binds as set `number`.
    pub fn bind(&mut self, number: u32, set: BoundSet) {
        let number = number as usize;
        if number >= MOST_SETS {
            return;
        }
        if self.sets.len() <= number {
            self.sets.resize(number + 1, BoundSet::Nothing);
        }
        self.sets[number] = set;
        self.changed = true;
    }

    /// Binds descriptors in memory as some sets; `taken` holds all that there can be.
    pub fn bind_memory(&mut self, first: u32, count: u32, taken: &Arc<Set>) {
        for number in first..first.saturating_add(count.min(MOST_SETS as u32)) {
            self.bind(number, BoundSet::Memory(Arc::clone(taken)));
        }
    }

    /// The descriptors pushed as set `number`, to push more of them. Descriptors pushed before stay with a layout that is the same.
    pub fn pushed(&mut self, number: u32, layout: &Arc<SetLayout>, serial: impl FnOnce() -> u64) -> Arc<Set> {
        self.changed = true;
        if let BoundSet::Pushed(set) = self.set(number) {
            if Arc::ptr_eq(&set.layout, layout) || set.layout == *layout {
                return Arc::clone(set);
            }
        }
        let set = Arc::new(Set::pushed(serial(), Arc::clone(layout)));
        self.bind(number, BoundSet::Pushed(Arc::clone(&set)));
        set
    }

    /// Nothing is bound any more.
    pub fn forget(&mut self) {
        self.sets.clear();
        self.changed = true;
    }
}
