//! Live objects by handle: sharded, so that threads that create objects at once rarely meet.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher for handles and serial numbers: one multiplication.
#[derive(Default)]
pub struct HandleHasher(u64);

impl Hasher for HandleHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}

/// A map keyed by handles.
pub type HandleMap<V> = HashMap<u64, V, BuildHasherDefault<HandleHasher>>;

/// A set of handles.
pub type HandleSet = HashSet<u64, BuildHasherDefault<HandleHasher>>;

const SHARDS: usize = 16;

/// Live objects of one type. Two live objects may share a handle value, as the specification permits: entries are counted.
pub struct Registry<T> {
    shards: [Mutex<HandleMap<(T, u32)>>; SHARDS],
}

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl<T: Clone> Registry<T> {
    fn shard(&self, handle: u64) -> &Mutex<HandleMap<(T, u32)>> {
        // Handles are often pointers or small counters: both vary here.
        &self.shards[((handle >> 4) ^ handle ^ (handle >> 12)) as usize % SHARDS]
    }

    /// Registers a created object.
    pub fn insert(&self, handle: u64, object: T) {
        if handle != 0 {
            let mut shard = self.shard(handle).lock();
            let count = shard.get(&handle).map_or(0, |e| e.1);
            shard.insert(handle, (object, count + 1));
        }
    }

    /// Forgets a destroyed object.
    pub fn remove(&self, handle: u64) -> Option<T> {
        let mut shard = self.shard(handle).lock();
        let entry = shard.get_mut(&handle)?;
        if entry.1 > 1 {
            entry.1 -= 1;
            return Some(entry.0.clone());
        }
        shard.remove(&handle).map(|e| e.0)
    }

    /// Takes out everything that is left.
    pub fn drain(&self) -> Vec<T> {
        self.shards.iter().flat_map(|s| std::mem::take(&mut *s.lock())).map(|(_, (object, _))| object).collect()
    }

    /// Shows every object with its handle. Nothing of the registry may be asked meanwhile.
    pub fn for_each(&self, mut show: impl FnMut(u64, &T)) {
        self.shards
            .iter()
            .for_each(|shard| shard.lock().iter().for_each(|(handle, (object, _))| show(*handle, object)));
    }

    /// The object with this handle.
    pub fn get(&self, handle: u64) -> Option<T> {
        if handle == 0 {
            return None;
        }
        self.shard(handle).lock().get(&handle).map(|e| e.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_live_objects_may_share_a_handle() {
        let registry = Registry::default();
        registry.insert(7, 'a');
        registry.insert(7, 'b');
        assert_eq!(registry.remove(7), Some('b'));
        assert_eq!(registry.get(7), Some('b'));
        registry.remove(7);
        assert_eq!(registry.get(7), None);
    }

    #[test]
    fn the_null_handle_is_never_an_object() {
        let registry = Registry::default();
        registry.insert(0, 'a');
        assert_eq!(registry.get(0), None);
        assert_eq!(registry.remove(0), None);
    }
}
