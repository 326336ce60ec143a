//! Who writes and who reads which subresource and aspect, within a frame and from frame to frame.
//!
//! [`access`] turns a frame into accesses in execution order; [`liveness`] follows them from frame to frame and says of each
//! load whether its contents were undefined, and of each store and transfer whether anybody read what it wrote. What cannot be proved stays undecided.
//! [`lives`] says which images of which frames are the same one.
//! [`order`] says which submissions of several queues are known to follow each other.

pub mod access;
mod contents;
mod external;
pub mod liveness;
pub mod lives;
pub mod order;
mod span;
pub mod touched;
mod verdict;

pub use access::{Access, Accesses, Event, Maker, Operation, Reader, accesses};
pub use contents::{Discard, Misread, Reading};
pub use external::{EXTERNAL_READERS, external_readers};
pub use liveness::{Fate, Liveness};
pub use lives::Lives;
pub use span::Rect;
