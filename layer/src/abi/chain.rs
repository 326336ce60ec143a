//! Reading the application's memory: pNext chains, arrays and strings. Nothing is written but
//! into structs that the application has for answers.

use ash::vk::{self, TaggedStructure};
use std::ffi::{CStr, c_char, c_void};

/// The structs of a pNext chain, in order. Sizes are not assumed: each item is read as its two-word header only.
///
/// # Safety
/// `next` is null or the pNext of a valid struct, and the chain stays valid while the iterator lives.
pub unsafe fn chain<'a>(next: *const c_void) -> impl Iterator<Item = &'a vk::BaseInStructure<'a>> {
    let mut at = next.cast::<vk::BaseInStructure<'a>>();
    std::iter::from_fn(move || {
        // SAFETY: by the caller's promise; VkBaseInStructure is the common head of all chained structs.
        let item = unsafe { at.as_ref() }?;
        at = item.p_next;
        Some(item)
    })
}

/// The first struct of type `T` in a pNext chain.
///
/// # Safety
/// As for [`chain`]; a struct with the sType of `T` is a `T`, as the specification demands.
pub unsafe fn find<'a, T: TaggedStructure>(next: *const c_void) -> Option<&'a T> {
    // SAFETY: by the caller's promise.
    unsafe { chain(next).find(|s| s.s_type == T::STRUCTURE_TYPE).map(|s| &*std::ptr::from_ref(s).cast::<T>()) }
}

/// The first struct of type `T` in a pNext chain of structs to be filled in.
///
/// # Safety
/// As for [`find`]; the chain is one for answers, which nobody else uses while the call is in progress.
pub unsafe fn find_out<'a, T: TaggedStructure>(next: *mut c_void) -> Option<&'a mut T> {
    // SAFETY: by the caller's promise.
    let found = unsafe { chain(next.cast_const()).find(|s| s.s_type == T::STRUCTURE_TYPE) }?;
    // SAFETY: a struct of this type, by the specification; for answers, by the caller's promise.
    unsafe { std::ptr::from_ref(found).cast::<T>().cast_mut().as_mut() }
}

/// An application's array as a slice; a null pointer or a count of zero is empty.
///
/// # Safety
/// `data` is null or points to `count` valid items.
pub unsafe fn slice<'a, T>(data: *const T, count: u32) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: by the caller's promise; neither null nor empty here.
    unsafe { std::slice::from_raw_parts(data, count as usize) }
}

/// An application's string; bytes that are not UTF-8 are replaced. Long strings are cut: names are for people.
///
/// # Safety
/// `text` is null or a null-terminated string.
pub unsafe fn string(text: *const c_char) -> Option<String> {
    const LONGEST: usize = 4096;
    if text.is_null() {
        return None;
    }
    // SAFETY: by the caller's promise.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    Some(String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]).into_owned())
}
