//! From a handle to what belongs to it, and from a name to a function.
//!
//! [`hooks`](table) is the one table of hooked commands. [`instances`] and [`devices`] are found by dispatch key (the first word of a
//! dispatchable object), [`command_buffers`] by handle through a thread-local cache before a lock-free table ([`handles`]).
//! [`guard`] runs our part of a hook and turns a panic into a pass-through.

pub mod command_buffers;
pub mod devices;
pub mod guard;
mod handles;
pub mod instances;
mod macros;
pub mod table;

use ash::vk;

/// The dispatch key of a dispatchable object: the pointer that the loader keeps in its first word.
///
/// # Safety
/// `raw` is the raw value of a live dispatchable handle, past its creation call.
#[inline(always)]
pub unsafe fn key(raw: u64) -> usize {
    // SAFETY: by the caller's promise; the loader interface demands a pointer-sized first member.
    unsafe { *(raw as usize as *const usize) }
}

/// Casts a typed function pointer to the untyped one that vkGet*ProcAddr returns.
macro_rules! void {
    ($function:expr => $ty:ty) => {{
        let typed: $ty = $function;
        // SAFETY: function pointers have one size; the caller casts back to the type that belongs to the name.
        Some(unsafe { std::mem::transmute::<$ty, unsafe extern "system" fn()>(typed) })
    }};
}
pub(crate) use void;

/// Casts the untyped pointer of a vkGet*ProcAddr to the type that belongs to the name asked for.
///
/// # Safety
/// `F` is the function pointer type of the command that `pointer` was asked for.
pub unsafe fn typed<F: Copy>(pointer: vk::PFN_vkVoidFunction) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<unsafe extern "system" fn()>()) };
    // SAFETY: same size (asserted), and the right type by the caller's promise.
    pointer.map(|p| unsafe { std::mem::transmute_copy(&p) })
}

/// A reference to something that was leaked on purpose, or `None` for null.
pub fn leaked<T>(pointer: *mut T) -> Option<&'static T> {
    // SAFETY: the callers store pointers from Box::leak only.
    unsafe { pointer.as_ref() }
}
