//! From a handle to what is known of it, without a lock: a thread's last answer before an open-addressing table.
//!
//! Correct because what is looked up is externally synchronised: nobody may use a handle while it is being removed, so a reader of one key
//! meets only insertions and removals of others. Values and chunks are never freed, so that even a program that breaks the rule reads a
//! stale value rather than freed memory. Every interleaving of readers and writers is tried in `interleavings/`.

use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Mutex, Ordering, const_fn, repeat};
use std::cell::Cell;

/// A key that was removed. Not 0, which ends the search.
const REMOVED: u64 = 1;

struct Slot<V: 'static> {
    key: AtomicU64,
    value: AtomicPtr<V>,
}

struct Chunk<V: 'static, const SLOTS: usize> {
    slots: [Slot<V>; SLOTS],
    next: AtomicPtr<Chunk<V, SLOTS>>,
}

impl<V, const SLOTS: usize> Chunk<V, SLOTS> {
    const_fn! {
        fn new() -> Self {
            Self {
                slots: repeat!(SLOTS, Slot { key: AtomicU64::new(0), value: AtomicPtr::new(std::ptr::null_mut()) }),
                next: AtomicPtr::new(std::ptr::null_mut()),
            }
        }
    }
}

/// A thread's last answer: key, generation, value. Const to make and without a destructor.
pub struct Last<V: 'static>(Cell<(u64, u32, Option<&'static V>)>);

impl<V> Last<V> {
    /// No answer yet.
    pub const fn new() -> Self {
        Self(Cell::new((0, 0, None)))
    }
}

/// The table: chunks of `SLOTS` slots, of which a key may lie in `PROBES`.
pub struct Handles<V: 'static, const SLOTS: usize, const PROBES: usize> {
    first: Chunk<V, SLOTS>,
    /// Rises whenever a key goes: what threads remember may be stale.
    generation: AtomicU32,
    /// Held while the table is changed; values that belong to no key.
    spare: Mutex<Vec<&'static V>>,
}

#[inline(always)]
const fn home(key: u64) -> usize {
    // Handles are pointers: the low bits are equal for all of them.
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

impl<V, const SLOTS: usize, const PROBES: usize> Handles<V, SLOTS, PROBES> {
    const_fn! {
        /// An empty table.
        pub fn new() -> Self {
            Self { first: Chunk::new(), generation: AtomicU32::new(1), spare: Mutex::new(Vec::new()) }
        }
    }

    /// The value of `key`, which nobody removes meanwhile; `last` is the calling thread's.
    #[inline(always)]
    pub fn lookup(&'static self, last: &Last<V>, key: u64) -> Option<&'static V> {
        let generation = self.generation.load(Ordering::Acquire);
        let (last_key, last_generation, value) = last.0.get();
        if last_key == key && last_generation == generation {
            return value;
        }
        let value = self.search(key);
        if value.is_some() {
            last.0.set((key, generation, value));
        }
        value
    }

    fn search(&'static self, key: u64) -> Option<&'static V> {
        let mut chunk = Some(&self.first);
        while let Some(this) = chunk {
            for probe in 0..PROBES {
                let slot = &this.slots[(home(key) + probe) % SLOTS];
                let found = slot.key.load(Ordering::Acquire);
                if found == key {
                    // SAFETY: published before the key, and values are never freed.
                    return unsafe { slot.value.load(Ordering::Relaxed).as_ref() };
                }
                if found == 0 {
                    break;
                }
            }
            // SAFETY: chunks are leaked on purpose and live for ever.
            chunk = unsafe { this.next.load(Ordering::Acquire).as_ref() };
        }
        None
    }

    /// Gives `key` a value: `make` is handed one that belongs to no key any more, if there is one.
    pub fn insert(&'static self, key: u64, make: impl FnOnce(Option<&'static V>) -> &'static V) {
        let mut spare = self.spare.lock();
        let value = std::ptr::from_ref(make(spare.pop())).cast_mut();
        let mut chunk = &self.first;
        loop {
            for probe in 0..PROBES {
                let slot = &chunk.slots[(home(key) + probe) % SLOTS];
                let found = slot.key.load(Ordering::Relaxed);
                if found == 0 || found == REMOVED || found == key {
                    slot.value.store(value, Ordering::Relaxed);
                    slot.key.store(key, Ordering::Release);
                    if found == key {
                        self.generation.fetch_add(1, Ordering::Release);
                    }
                    return;
                }
            }
            let mut next = chunk.next.load(Ordering::Relaxed);
            if next.is_null() {
                next = Box::into_raw(Box::new(Chunk::new()));
                chunk.next.store(next, Ordering::Release);
            }
            // SAFETY: chunks are never freed.
            chunk = unsafe { &*next };
        }
    }

    /// Forgets `key`; `clear` is shown its value, which nobody uses any more, before another key may get it.
    pub fn remove(&'static self, key: u64, clear: impl FnOnce(&'static V)) {
        if key == 0 {
            return;
        }
        let mut spare = self.spare.lock();
        let mut chunk = Some(&self.first);
        while let Some(this) = chunk {
            for probe in 0..PROBES {
                let slot = &this.slots[(home(key) + probe) % SLOTS];
                if slot.key.load(Ordering::Relaxed) == key {
                    slot.key.store(REMOVED, Ordering::Release);
                    self.generation.fetch_add(1, Ordering::Release);
                    // SAFETY: values are never freed.
                    if let Some(value) = unsafe { slot.value.load(Ordering::Relaxed).as_ref() } {
                        clear(value);
                        spare.push(value);
                    }
                    return;
                }
            }
            // SAFETY: chunks are never freed.
            chunk = unsafe { this.next.load(Ordering::Acquire).as_ref() };
        }
    }
}
