//! Dispatchable objects of the fake driver: the first word is the loader's, as Vulkan demands.
//!
//! Objects are never unmapped, so a layer that looks at a destroyed one meets a poisoned word instead of a segmentation fault
//! that would hide which test failed.

use super::Driver;
use super::commands::word;
use ash::vk;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What a driver leaves in the first word of a new object (ICD_LOADER_MAGIC).
pub const MAGIC: usize = 0x01CD_C0DE;
/// What is left in the first word of a destroyed object.
pub const POISON: usize = 0xDEAD_DEAD_DEAD_DEA8;

/// What a dispatchable handle points to.
#[repr(C)]
pub struct Object {
    /// The loader's dispatch pointer.
    dispatch: AtomicUsize,
    /// The driver that made it.
    driver: &'static Driver,
    /// Command pool of a command buffer, else 0.
    pub(super) owner: AtomicU64,
}

impl Object {
    /// A new object with the driver's magic in its first word.
    pub(super) fn create<H: vk::Handle>(driver: &'static Driver, owner: u64) -> H {
        let object: &'static Self = match driver.recycled(H::TYPE) {
            Some(object) => object,
            None => Box::leak(Box::new(Self { dispatch: AtomicUsize::new(MAGIC), driver, owner: AtomicU64::new(0) })),
        };
        object.dispatch.store(MAGIC, Ordering::SeqCst);
        object.owner.store(owner, Ordering::SeqCst);
        H::from_raw(std::ptr::from_ref(object) as u64)
    }
}

/// The object behind a dispatchable handle.
pub(super) fn object<T: Copy>(handle: T) -> Option<&'static Object> {
    // SAFETY: dispatchable handles given out by the fake driver are addresses of leaked Objects.
    unsafe { (word(&handle) as *const Object).as_ref() }
}

/// The driver that made a dispatchable object.
pub(crate) fn driver_of<T: Copy>(handle: T) -> Option<&'static Driver> {
    object(handle).map(|o| o.driver)
}

/// Writes the first word of an object, as the loader does.
pub fn set_dispatch<T: Copy>(handle: T, dispatch: usize) {
    if let Some(object) = object(handle) {
        object.dispatch.store(dispatch, Ordering::SeqCst);
    }
}

/// The first word of an object.
pub fn dispatch<T: Copy>(handle: T) -> usize {
    object(handle).map_or(0, |o| o.dispatch.load(Ordering::SeqCst))
}
