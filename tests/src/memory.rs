//! Memory that only the test may write, and how much of it the process has.

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::align_of;
use std::ptr;

/// Pages that are filled and then sealed: whoever writes to them afterwards is killed on the spot.
pub struct ReadOnly {
    start: *mut u8,
    size: usize,
    used: Cell<usize>,
}

impl ReadOnly {
    /// At least `size` bytes.
    pub fn new(size: usize) -> Self {
        let size = size.next_multiple_of(4096);
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address of the system's choice touches nothing of ours.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, access, kind, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        Self { start: start.cast(), size, used: Cell::new(0) }
    }

    /// Copies a value there.
    pub fn put<T: Copy>(&self, value: T) -> *const T {
        let offset = self.used.get().next_multiple_of(align_of::<T>());
        assert!(offset + size_of::<T>() <= self.size);
        self.used.set(offset + size_of::<T>());
        // SAFETY: inside the mapping by the check above, aligned, and used by nobody else.
        unsafe {
            let place = self.start.add(offset).cast::<T>();
            place.write(value);
            place
        }
    }

    /// Forbids writing from now on.
    pub fn seal(&self) {
        // SAFETY: the mapping is ours, and no Rust reference to it exists.
        let result = unsafe { libc::mprotect(self.start.cast::<c_void>(), self.size, libc::PROT_READ) };
        assert_eq!(result, 0);
    }
}

/// Bytes of memory that the process really has.
pub fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}
