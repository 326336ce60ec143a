//! A pNext chain without some of its structs, for the layer below. The application's chain stays as it is: what stands before a struct
//! that is left out is copied, what stands behind the last one is shared.

use super::chain;
use super::sizes::size;
use ash::vk::{self, StructureType};
use std::ffi::c_void;
use std::ptr;

/// A chain of which structs are left out; it lives as long as this value and the application's chain do.
pub struct Shortened {
    /// Copies in their order, each linked to the next and the last one to the application's. Words keep them aligned.
    copies: Vec<Box<[u64]>>,
    rest: *const c_void,
}

impl Shortened {
    /// The chain `next` without the structs that `is_left_out` names; `None` if it has none of them. A struct of unknown size cannot be
    /// copied: what stands behind it stays in the chain, where Vulkan has everybody pass over what they do not know.
    ///
    /// # Safety
    /// `next` is null or the pNext of a valid struct, and the chain stays valid while the result is used.
    pub unsafe fn without(next: *const c_void, is_left_out: impl Fn(StructureType) -> bool) -> Option<Self> {
        let mut kept = Vec::new();
        let mut found: Option<(usize, *const c_void)> = None;
        // SAFETY: by the caller's promise.
        for item in unsafe { chain(next) } {
            if is_left_out(item.s_type) {
                found = Some((kept.len(), item.p_next.cast()));
                continue;
            }
            let Some(size) = size(item.s_type) else { break };
            kept.push((ptr::from_ref(item), size));
        }
        let (count, rest) = found?;
        kept.truncate(count);
        let mut copies: Vec<Box<[u64]>> = kept
            .into_iter()
            .map(|(item, size)| {
                let mut copy = vec![0u64; size.div_ceil(size_of::<u64>())].into_boxed_slice();
                // SAFETY: a struct of this type has this size, by the headers; the copy has room for it.
                unsafe { ptr::copy_nonoverlapping(item.cast::<u8>(), copy.as_mut_ptr().cast(), size) };
                copy
            })
            .collect();
        let mut behind = rest;
        for copy in copies.iter_mut().rev() {
            let head = copy.as_mut_ptr().cast::<vk::BaseInStructure<'_>>();
            // SAFETY: a copy of a chained struct begins with this head.
            unsafe { (*head).p_next = behind.cast() };
            behind = head.cast_const().cast();
        }
        Some(Self { copies, rest })
    }

    /// The first struct.
    pub fn first(&self) -> *const c_void {
        self.copies.first().map_or(self.rest, |copy| copy.as_ptr().cast())
    }
}
