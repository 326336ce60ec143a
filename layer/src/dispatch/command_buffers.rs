//! From a command buffer's handle to its recording state, in two to three nanoseconds.
//!
//! A thread-local cache of the last handle stands before a lock-free open-addressing table. The table is correct because
//! command buffers are externally synchronised: nobody may use one while it is being freed, so a reader of one key meets
//! only insertions and removals of others. States are recycled and never unmapped, so that even a program that breaks
//! the rule reads a stale state rather than freed memory.

use crate::dispatch::devices::{self, Device};
use crate::dispatch::guard;
use crate::record::CommandBuffer;
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// The state of one command buffer. Exclusive access follows from the specification's external synchronisation.
pub struct State {
    device: AtomicPtr<Device>,
    body: UnsafeCell<CommandBuffer>,
}

// SAFETY: `body` is only touched under the external synchronisation that the specification demands for command buffers.
unsafe impl Sync for State {}

/// A command buffer as a hook sees it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its device.
    pub device: &'static Device,
    state: Option<&'static State>,
}

impl Entry {
    /// The recording state for writing; `None` for a command buffer whose allocation was not seen.
    ///
    /// # Safety
    /// The caller is in a call for which the specification demands external synchronisation of the command buffer, and
    /// holds no other reference to its state.
    #[inline(always)]
    pub unsafe fn state(&self) -> Option<&'static mut CommandBuffer> {
        // SAFETY: by the caller's promise.
        self.state.map(|s| unsafe { &mut *s.body.get() })
    }
}

/// The recording state for reading, in calls that need no exclusive access: submission and execution.
///
/// # Safety
/// The command buffer is not being recorded, as the specification demands of the caller.
pub unsafe fn read(handle: vk::CommandBuffer) -> Option<&'static CommandBuffer> {
    // SAFETY: nobody writes to it by the caller's promise.
    lookup(handle.as_raw()).map(|s| unsafe { &*s.body.get() })
}

const CHUNK: usize = 1024;
const PROBES: usize = 32;
const REMOVED: u64 = 1;

struct Slot {
    key: AtomicU64,
    state: AtomicPtr<State>,
}

struct Chunk {
    slots: [Slot; CHUNK],
    next: AtomicPtr<Chunk>,
}

impl Chunk {
    const fn new() -> Self {
        Self {
            slots: [const { Slot { key: AtomicU64::new(0), state: AtomicPtr::new(std::ptr::null_mut()) } }; CHUNK],
            next: AtomicPtr::new(std::ptr::null_mut()),
        }
    }
}

static FIRST: Chunk = Chunk::new();
/// Rises whenever a command buffer goes: what threads cached may be stale.
static GENERATION: AtomicU32 = AtomicU32::new(1);
static CHANGE: Mutex<Vec<&'static State>> = Mutex::new(Vec::new());

thread_local! {
    // Without a destructor: nothing runs when a thread of the application ends.
    static LAST: Cell<(u64, u32, Option<&'static State>)> = const { Cell::new((0, 0, None)) };
}

#[inline(always)]
fn home(key: u64) -> usize {
    // Handles are pointers: the low bits are equal for all of them.
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

fn search(key: u64) -> Option<&'static State> {
    let mut chunk: Option<&'static Chunk> = Some(&FIRST);
    while let Some(c) = chunk {
        for probe in 0..PROBES {
            let slot = &c.slots[(home(key) + probe) % CHUNK];
            let found = slot.key.load(Ordering::Acquire);
            if found == key {
                // SAFETY: published before the key, and states are never unmapped.
                return unsafe { slot.state.load(Ordering::Relaxed).as_ref() };
            }
            if found == 0 {
                break;
            }
        }
        // SAFETY: chunks are leaked on purpose and live for ever.
        chunk = unsafe { c.next.load(Ordering::Acquire).as_ref() };
    }
    None
}

#[inline(always)]
fn lookup(key: u64) -> Option<&'static State> {
    let generation = GENERATION.load(Ordering::Acquire);
    let (last, last_generation, state) = LAST.get();
    if last == key && last_generation == generation {
        return state;
    }
    let state = search(key);
    if state.is_some() {
        LAST.set((key, generation, state));
    }
    state
}

/// What a hook needs to know of a command buffer. `None` only for handles that are not of this layer's chain.
///
/// # Safety
/// `handle` is a live command buffer.
#[inline(always)]
pub unsafe fn enter(handle: vk::CommandBuffer) -> Option<Entry> {
    // After a fault the table is no longer kept up: only the loader's word is trusted then.
    if let Some(state) = lookup(handle.as_raw()).filter(|_| !guard::passing_through()) {
        // SAFETY: the device outlives its command buffers.
        let device = unsafe { state.device.load(Ordering::Relaxed).as_ref() }?;
        return Some(Entry { device, state: Some(state) });
    }
    // SAFETY: by the caller's promise.
    let device = devices::find(unsafe { crate::dispatch::key(handle.as_raw()) })?;
    Some(Entry { device, state: None })
}

/// A command buffer whose allocation was seen; nothing of its memory is read.
pub fn enter_known(handle: vk::CommandBuffer) -> Option<Entry> {
    let state = lookup(handle.as_raw())?;
    // SAFETY: the device outlives its command buffers.
    let device = unsafe { state.device.load(Ordering::Relaxed).as_ref() }?;
    Some(Entry { device, state: Some(state) })
}

/// Registers a command buffer that the call down has just allocated.
pub fn insert(handle: vk::CommandBuffer, device: &'static Device, fresh: CommandBuffer) {
    let mut spare = CHANGE.lock();
    let state = match spare.pop() {
        Some(state) => {
            // SAFETY: a spare state belongs to no live command buffer.
            unsafe { *state.body.get() = fresh };
            state
        }
        None => Box::leak(Box::new(State { device: AtomicPtr::default(), body: UnsafeCell::new(fresh) })),
    };
    state.device.store(std::ptr::from_ref(device).cast_mut(), Ordering::Relaxed);
    let key = handle.as_raw();
    let mut chunk = &FIRST;
    loop {
        for probe in 0..PROBES {
            let slot = &chunk.slots[(home(key) + probe) % CHUNK];
            let found = slot.key.load(Ordering::Relaxed);
            if found == 0 || found == REMOVED || found == key {
                slot.state.store(std::ptr::from_ref(state).cast_mut(), Ordering::Relaxed);
                slot.key.store(key, Ordering::Release);
                if found == key {
                    GENERATION.fetch_add(1, Ordering::Release);
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

/// Forgets a command buffer, before the call down that frees it: afterwards another thread may get the same handle.
pub fn remove(handle: vk::CommandBuffer) {
    let key = handle.as_raw();
    if key == 0 {
        return;
    }
    let mut spare = CHANGE.lock();
    let mut chunk: Option<&'static Chunk> = Some(&FIRST);
    while let Some(c) = chunk {
        for probe in 0..PROBES {
            let slot = &c.slots[(home(key) + probe) % CHUNK];
            if slot.key.load(Ordering::Relaxed) == key {
                slot.key.store(REMOVED, Ordering::Release);
                GENERATION.fetch_add(1, Ordering::Release);
                // SAFETY: states are never unmapped.
                if let Some(state) = unsafe { slot.state.load(Ordering::Relaxed).as_ref() } {
                    // SAFETY: the command buffer is being freed: nobody else may use it.
                    unsafe { *state.body.get() = CommandBuffer::default() };
                    spare.push(state);
                }
                return;
            }
        }
        // SAFETY: chunks are never freed.
        chunk = unsafe { c.next.load(Ordering::Acquire).as_ref() };
    }
}
