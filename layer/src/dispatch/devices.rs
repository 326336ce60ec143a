//! Live devices by dispatch key: an array of slots that is read without a lock. Most processes have one device, in slot 0.

use crate::dispatch::table::DeviceTable;
use crate::record::Recorder;
use ash::vk;
use parking_lot::Mutex;
use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// One VkDevice.
pub struct Device {
    /// The handle.
    pub handle: vk::Device,
    /// The next vkGetDeviceProcAddr.
    pub get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    /// Next pointers of the hooked device commands.
    pub next: DeviceTable,
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

/// Devices beyond this number are passed through without being recorded… which no known program reaches.
const SLOTS: usize = 64;

static LIVE: [Slot; SLOTS] =
    [const { Slot { key: AtomicUsize::new(0), device: AtomicPtr::new(std::ptr::null_mut()) } }; SLOTS];
static CHANGE: Mutex<()> = Mutex::new(());

/// Registers a device. `Err` gives it back when there is no room.
pub fn insert(key: usize, device: Box<Device>) -> Result<(), Box<Device>> {
    let _change = CHANGE.lock();
    for slot in &LIVE {
        if slot.key.load(Ordering::Relaxed) == 0 {
            slot.device.store(Box::into_raw(device), Ordering::Relaxed);
            slot.key.store(key, Ordering::Release);
            return Ok(());
        }
    }
    Err(device)
}

/// Takes a device out. The specification forbids any use of it from now on, by any thread.
pub fn remove(key: usize) -> Option<Box<Device>> {
    let _change = CHANGE.lock();
    for slot in &LIVE {
        if slot.key.load(Ordering::Relaxed) == key {
            slot.key.store(0, Ordering::Release);
            let device = slot.device.swap(std::ptr::null_mut(), Ordering::Relaxed);
            // SAFETY: the pointer came from Box::into_raw in `insert` and is taken out once, under the lock.
            return Some(unsafe { Box::from_raw(device) });
        }
    }
    None
}

/// The device with this dispatch key; queues and command buffers share their device's.
///
/// The reference is good as long as the device lives, which the specification makes the application's duty for the time of
/// a call on it.
#[inline(always)]
pub fn find(key: usize) -> Option<&'static Device> {
    for slot in &LIVE {
        if slot.key.load(Ordering::Acquire) == key {
            // SAFETY: published by `insert` before the key; freed only after vkDestroyDevice, which excludes other calls.
            return unsafe { slot.device.load(Ordering::Relaxed).as_ref() };
        }
    }
    None
}

/// Runs `f` on every live device: at the end of the process.
pub fn for_each(mut f: impl FnMut(&Device)) {
    let Some(_change) = CHANGE.try_lock() else { return };
    for slot in &LIVE {
        if slot.key.load(Ordering::Acquire) != 0 {
            // SAFETY: `remove` needs the lock that is held here.
            if let Some(device) = unsafe { slot.device.load(Ordering::Relaxed).as_ref() } {
                f(device);
            }
        }
    }
}
