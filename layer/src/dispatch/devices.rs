//! Live devices by dispatch key: an array of slots that is read without a lock. Most processes have one device, in slot 0.

use crate::dispatch::table::DeviceTable;
use crate::hooks::commitment::CommitmentQuery;
use crate::hooks::compression::CompressionQuery;
use crate::hooks::extensions::MergeFeedback;
use crate::record::{Named, Recorder};
use crate::sinks::messengers::Messengers;
use ash::vk;
use parking_lot::Mutex;
use std::ffi::CStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use tbdr_model::gpu::Profile;

/// One VkDevice.
pub struct Device {
    /// The handle.
    pub handle: vk::Device,
    /// The next vkGetDeviceProcAddr.
    pub get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    /// Next pointers of the hooked device commands.
    pub next: DeviceTable,
    /// How to ask for the compression of images, where the application may.
    pub compression: CompressionQuery,
    /// How to ask what lazily allocated memory has cost.
    pub commitment: CommitmentQuery,
    /// Who answers for merge feedback.
    pub merge_feedback: MergeFeedback,
    /// The GPU that answers for the layer, where it does.
    pub feedback_profile: Option<Profile>,
    /// The messengers of its instance.
    pub messengers: Arc<Messengers>,
    /// Its debug name.
    pub name: Named,
    /// What is recorded of the device.
    pub recorder: Recorder,
}

impl Device {
    /// Asks the next layer for `name`.
    pub fn below(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the device is live as long as it is registered.
        unsafe { (self.get_proc_addr)(self.handle, name.as_ptr()) }
    }
}

struct Slot {
    key: AtomicUsize,
    device: AtomicPtr<Device>,
}

const SLOTS: usize = 16;

struct Chunk {
    slots: [Slot; SLOTS],
    next: AtomicPtr<Chunk>,
}

impl Chunk {
    const fn new() -> Self {
        Self {
            slots: [const { Slot { key: AtomicUsize::new(0), device: AtomicPtr::new(std::ptr::null_mut()) } }; SLOTS],
            next: AtomicPtr::new(std::ptr::null_mut()),
        }
    }
}

static FIRST: Chunk = Chunk::new();
static CHANGE: Mutex<()> = Mutex::new(());

/// All slots there are. Chunks are added when all slots are taken, and never freed.
fn slots() -> impl Iterator<Item = &'static Slot> {
    let mut chunk: Option<&'static Chunk> = Some(&FIRST);
    std::iter::from_fn(move || {
        let this = chunk?;
        chunk = super::leaked(this.next.load(Ordering::Acquire));
        Some(this.slots.iter())
    })
    .flatten()
}

/// Registers a device.
pub fn insert(key: usize, device: Box<Device>) {
    let _change = CHANGE.lock();
    let slot = slots().find(|slot| slot.key.load(Ordering::Relaxed) == 0).unwrap_or_else(|| {
        let mut last = &FIRST;
        while let Some(next) = super::leaked(last.next.load(Ordering::Acquire)) {
            last = next;
        }
        let more: &'static Chunk = Box::leak(Box::new(Chunk::new()));
        last.next.store(std::ptr::from_ref(more).cast_mut(), Ordering::Release);
        &more.slots[0]
    });
    slot.device.store(Box::into_raw(device), Ordering::Relaxed);
    slot.key.store(key, Ordering::Release);
}

/// Takes a device out. The specification forbids any use of it from now on, by any thread.
pub fn remove(key: usize) -> Option<Box<Device>> {
    let _change = CHANGE.lock();
    let slot = slots().find(|slot| slot.key.load(Ordering::Relaxed) == key)?;
    slot.key.store(0, Ordering::Release);
    let device = slot.device.swap(std::ptr::null_mut(), Ordering::Relaxed);
    // SAFETY: the pointer came from Box::into_raw in `insert` and is taken out once, under the lock.
    Some(unsafe { Box::from_raw(device) })
}

/// The device with this dispatch key; queues and command buffers share their device's.
///
/// The reference is good as long as the device lives, which the specification makes the application's duty for the time of
/// a call on it.
#[inline(always)]
pub fn find(key: usize) -> Option<&'static Device> {
    let slot = slots().find(|slot| slot.key.load(Ordering::Acquire) == key)?;
    // SAFETY: published by `insert` before the key; freed only after vkDestroyDevice, which excludes other calls.
    unsafe { slot.device.load(Ordering::Relaxed).as_ref() }
}

/// Runs `f` on every live device: at the end of the process.
pub fn for_each(mut f: impl FnMut(&Device)) {
    let Some(_change) = CHANGE.try_lock() else { return };
    for slot in slots().filter(|slot| slot.key.load(Ordering::Acquire) != 0) {
        // SAFETY: `remove` needs the lock that is held here.
        if let Some(device) = unsafe { slot.device.load(Ordering::Relaxed).as_ref() } {
            f(device);
        }
    }
}
