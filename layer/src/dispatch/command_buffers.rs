//! From a command buffer's handle to its recording state, in two to three nanoseconds: see [`super::handles`].
//!
//! Command buffers are externally synchronised, which the table rests on. States are recycled and never unmapped, so that even a program
//! that breaks the rule reads a stale state rather than freed memory.

use crate::dispatch::devices::{self, Device};
use crate::dispatch::guard;
use crate::dispatch::handles::{Handles, Last};
use crate::record::CommandBuffer;
use ash::vk::{self, Handle};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicPtr, Ordering};

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

/// A key may lie in 32 of the 1024 slots of a chunk.
static HANDLES: Handles<State, 1024, 32> = Handles::new();

thread_local! {
    // Without a destructor: nothing runs when a thread of the application ends.
    static LAST: Last<State> = const { Last::new() };
}

#[inline(always)]
fn lookup(key: u64) -> Option<&'static State> {
    LAST.with(|last| HANDLES.lookup(last, key))
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
    HANDLES.insert(handle.as_raw(), |spare| {
        let state = match spare {
            Some(state) => {
                // SAFETY: a spare state belongs to no live command buffer.
                unsafe { *state.body.get() = fresh };
                state
            }
            None => Box::leak(Box::new(State { device: AtomicPtr::default(), body: UnsafeCell::new(fresh) })),
        };
        state.device.store(std::ptr::from_ref(device).cast_mut(), Ordering::Relaxed);
        state
    });
}

/// Forgets a command buffer, before the call down that frees it: afterwards another thread may get the same handle.
pub fn remove(handle: vk::CommandBuffer) {
    // SAFETY: the command buffer is being freed: nobody else may use it.
    HANDLES.remove(handle.as_raw(), |state| unsafe { *state.body.get() = CommandBuffer::default() });
}
