//! What the parts of the layer share between threads by. `interleavings/` compiles those parts with loom's types of the same interface.

pub use parking_lot::{Condvar, Mutex};
pub use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// A function that is const here; loom's types are made at run time.
macro_rules! const_fn {
    ($(#[$meta:meta])* $visibility:vis fn $($rest:tt)*) => { $(#[$meta])* $visibility const fn $($rest)* };
}

/// An array of values that are made alike.
macro_rules! repeat {
    ($count:expr, $value:expr) => {
        [const { $value }; $count]
    };
}

pub(crate) use {const_fn, repeat};
