//! When the work of a frame can run: two slots on each queue, one for vertices and compute, one for fragments.
//!
//! A tile-based GPU sorts the triangles of one pass into tiles while it still shades the fragments of the pass before. [`of`] replays the
//! commands of a frame on such a machine, in the order in which they were submitted, and says which work has to wait because a barrier,
//! an event, a subpass dependency or a semaphore says so. Lengths are relative: every piece of work takes one step, however large it is, so
//! that the result says *what* cannot overlap and never how many milliseconds that costs.
//!
//! Two slots, and what stands in them, as Arm documents for Mali GPUs (Khronos Vulkan-Samples, performance/pipeline_barriers) and
//! PowerVR and Adreno work as well. Transfers that touch images run as fragment work and those between buffers as compute work: what Mesa's
//! panvk makes of them. What the host waits for is not in it.

pub mod order;
mod replay;
pub mod stages;
pub mod touches;

pub use replay::{Cause, Part, Piece, Replay, Slot, Wait, of, with};
