//! Descriptor sets and their contents.

use super::SetLayout;
use crate::record::{HandleMap, View};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a descriptor holds of images.
#[derive(Clone)]
pub enum Descriptor {
    /// Nothing, a buffer, or an image that cannot be an attachment.
    Other,
    /// A view of an image that can.
    View(Arc<View>),
    /// A view whose creation was not seen.
    Unknown,
}

/// Descriptors that hold images, by number.
pub type Slots = BTreeMap<u64, Descriptor>;

/// What sets hold at a submission, by serial number; `None` for a set that holds no image.
pub type Contents = BTreeMap<u64, Option<Arc<Slots>>>;

/// A VkDescriptorSet.
pub struct Set {
    /// A number that no other set of the device has.
    pub serial: u64,
    /// Its layout.
    pub layout: Arc<SetLayout>,
    /// Whether descriptors stay where they are as [`Descriptor::Other`]: pushed ones change with every draw.
    keeps: bool,
    version: AtomicU64,
    /// Shared with submissions that are still to be analysed; most sets hold none.
    slots: Mutex<Option<Arc<Slots>>>,
}

impl Set {
    /// A set that was just allocated.
    pub fn new(serial: u64, layout: Arc<SetLayout>) -> Self {
        Self { serial, layout, keeps: false, version: AtomicU64::new(0), slots: Mutex::default() }
    }

    /// A set of pushed descriptors.
    pub fn pushed(serial: u64, layout: Arc<SetLayout>) -> Self {
        Self { keeps: true, ..Self::new(serial, layout) }
    }

    /// Rises whenever an image in it changes.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Writes descriptors from an element of a binding on, over the end of it into the next.
    pub fn write(&self, binding: u32, element: u32, descriptors: impl Iterator<Item = Descriptor>) {
        // The next binding is of the same type.
        let Some((_, first)) = self.layout.binding(binding).filter(|(b, _)| b.images) else { return };
        let mut slots = self.slots.lock();
        let mut changed = false;
        for (number, descriptor) in (first.saturating_add(u64::from(element))..).zip(descriptors) {
            changed |= put(&mut slots, number, descriptor, self.keeps);
        }
        if changed {
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Writes the descriptor of a number.
    pub fn put(&self, number: u64, descriptor: Descriptor) {
        if put(&mut self.slots.lock(), number, descriptor, self.keeps) {
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Copies descriptors of another set, or of this one.
    pub fn copy(&self, to: (u32, u32), from: &Self, (binding, element): (u32, u32), count: u32) {
        let Some((_, first)) = from.layout.binding(binding).filter(|(b, _)| b.images) else { return };
        let first = first.saturating_add(u64::from(element));
        let all = from.slots();
        let nothing = Slots::new();
        let all = all.as_deref().unwrap_or(&nothing);
        let numbers = (first..).take(count as usize);
        self.write(to.0, to.1, numbers.map(|n| all.get(&n).cloned().unwrap_or(Descriptor::Other)));
    }

    /// What it holds now.
    pub fn slots(&self) -> Option<Arc<Slots>> {
        self.slots.lock().clone()
    }

    /// Calls `f` for each image in a range of descriptors, in order.
    pub fn each(&self, first: u64, count: u64, f: impl FnMut(&Descriptor)) {
        if let Some(slots) = &*self.slots.lock() {
            each(slots, first, count, f);
        }
    }
}

/// Calls `f` for each image in a range of descriptors, in order.
pub fn each(slots: &Slots, first: u64, count: u64, f: impl FnMut(&Descriptor)) {
    slots.range(first..first.saturating_add(count)).map(|(_, d)| d).for_each(f);
}

/// Whether it changed anything.
fn put(slots: &mut Option<Arc<Slots>>, number: u64, descriptor: Descriptor, keeps: bool) -> bool {
    if let Descriptor::Other = descriptor {
        let Some(slots) = slots.as_mut().filter(|s| s.contains_key(&number)) else { return false };
        let slots = Arc::make_mut(slots);
        if keeps {
            slots.insert(number, Descriptor::Other);
        } else {
            slots.remove(&number);
        }
        return true;
    }
    let same = match (slots.as_ref().and_then(|s| s.get(&number)), &descriptor) {
        (Some(Descriptor::View(before)), Descriptor::View(now)) => Arc::ptr_eq(before, now),
        (Some(Descriptor::Unknown), Descriptor::Unknown) => true,
        _ => false,
    };
    if !same {
        Arc::make_mut(slots.get_or_insert_default()).insert(number, descriptor);
    }
    !same
}

/// Every image view of which the application got a descriptor to put into memory (VK_EXT_descriptor_buffer), numbered by its handle.
pub struct Taken(pub Arc<Set>);

impl Default for Taken {
    fn default() -> Self {
        Self(Arc::new(Set::new(u64::MAX, Arc::default())))
    }
}

/// A VkDescriptorPool: handles of its sets.
#[derive(Default)]
pub struct DescriptorPool {
    /// The sets.
    pub sets: Mutex<HandleMap<()>>,
}

/// An entry of a VkDescriptorUpdateTemplate that may write images.
#[derive(Clone, Copy, Debug)]
pub struct TemplateEntry {
    /// Binding it begins with.
    pub binding: u32,
    /// Element it begins with.
    pub element: u32,
    /// Descriptors.
    pub count: u32,
    /// Whether they are images: else they take the place of images.
    pub images: bool,
    /// Where the first stands in the application's data, in bytes.
    pub offset: usize,
    /// From one to the next, in bytes.
    pub stride: usize,
}

/// A VkDescriptorUpdateTemplate.
pub struct Template {
    /// What it writes.
    pub entries: Vec<TemplateEntry>,
    /// VkPipelineBindPoint of a template that pushes.
    pub bind_point: i32,
}

#[cfg(test)]
mod tests {
    use super::super::LayoutBinding;
    use super::*;

    fn set() -> Set {
        let binding = LayoutBinding { number: 0, count: 8, images: true, late: false };
        Set::new(1, Arc::new(SetLayout::new(vec![binding])))
    }

    #[test]
    fn a_set_without_attachments_holds_nothing_and_never_changes() {
        let set = set();
        set.write(0, 0, std::iter::repeat_n(Descriptor::Other, 8));
        assert_eq!(set.version(), 0);
        assert!(set.slots().is_none());
    }

    #[test]
    fn what_a_submission_has_seen_stays_as_it_was() {
        let set = set();
        set.write(0, 3, std::iter::once(Descriptor::Unknown));
        let (seen, version) = (set.slots(), set.version());
        set.write(0, 3, std::iter::once(Descriptor::Other));
        assert_ne!(set.version(), version);
        assert_eq!(seen.map(|slots| slots.len()), Some(1));
        assert_eq!(set.slots().map(|slots| slots.len()), Some(0));
    }
}
