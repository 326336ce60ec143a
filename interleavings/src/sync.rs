//! What `layer/src/sync.rs` gives the layer, of loom.

use loom::sync::atomic;
pub use loom::sync::atomic::Ordering;
use std::ops::{Deref, DerefMut};
use std::time::Instant;

/// A function that is const in the layer; loom's types are made at run time.
macro_rules! const_fn {
    ($($function:tt)*) => { $($function)* };
}

/// An array of values that are made alike.
macro_rules! repeat {
    ($count:expr, $value:expr) => {
        std::array::from_fn::<_, { $count }, _>(|_| $value)
    };
}

pub(crate) use {const_fn, repeat};

/// An atomic of loom's, of which every order of uses is tried.
///
/// loom 0.7 remembers of each atomic the last access alone: once a thread has loaded it, that another had before is forgotten, and with it that the
/// first thread's store may come before the other's load. So each use touches a second atomic, by a change that no other change commutes
/// with. It is relaxed: it orders nothing for the program under test.
struct Tried<A> {
    atomic: A,
    uses: atomic::AtomicU32,
}

impl<A> Tried<A> {
    fn new(atomic: A) -> Self {
        Self { atomic, uses: atomic::AtomicU32::new(0) }
    }

    fn touch(&self) -> &A {
        self.uses.fetch_add(1, Ordering::Relaxed);
        &self.atomic
    }
}

/// A pointer.
pub struct AtomicPtr<T>(Tried<atomic::AtomicPtr<T>>);

impl<T> AtomicPtr<T> {
    pub fn new(value: *mut T) -> Self {
        Self(Tried::new(atomic::AtomicPtr::new(value)))
    }

    pub fn load(&self, order: Ordering) -> *mut T {
        self.0.touch().load(order)
    }

    pub fn store(&self, value: *mut T, order: Ordering) {
        self.0.touch().store(value, order);
    }
}

macro_rules! integer {
    ($name:ident, $type:ty) => {
        /// An integer.
        pub struct $name(Tried<atomic::$name>);

        impl $name {
            pub fn new(value: $type) -> Self {
                Self(Tried::new(atomic::$name::new(value)))
            }

            pub fn load(&self, order: Ordering) -> $type {
                self.0.touch().load(order)
            }

            pub fn store(&self, value: $type, order: Ordering) {
                self.0.touch().store(value, order);
            }

            pub fn fetch_add(&self, value: $type, order: Ordering) -> $type {
                self.0.touch().fetch_add(value, order)
            }
        }
    };
}

integer!(AtomicU32, u32);
integer!(AtomicU64, u64);

/// A mutex with the interface of parking_lot's. Deadlines are never reached.
pub struct Mutex<T>(loom::sync::Mutex<T>);

/// A mutex that is held. Empty only while it is waited with.
pub struct Guard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> Guard<'_, T> {
        Guard(Some(self.0.lock().unwrap()))
    }

    pub fn try_lock_until(&self, _: Instant) -> Option<Guard<'_, T>> {
        Some(self.lock())
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().unwrap()
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().unwrap()
    }
}

/// A condition variable with the interface of parking_lot's.
pub struct Condvar(loom::sync::Condvar);

/// How a wait with a deadline ended: never by the deadline.
pub struct Waited;

impl Waited {
    pub fn timed_out(&self) -> bool {
        false
    }
}

impl Condvar {
    pub fn new() -> Self {
        Self(loom::sync::Condvar::new())
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }

    pub fn wait<T>(&self, guard: &mut Guard<'_, T>) {
        let held = guard.0.take().unwrap();
        guard.0 = Some(self.0.wait(held).unwrap());
    }

    pub fn wait_until<T>(&self, guard: &mut Guard<'_, T>, _: Instant) -> Waited {
        self.wait(guard);
        Waited
    }
}
