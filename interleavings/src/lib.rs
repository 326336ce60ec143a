//! Every interleaving of the threads that share the layer's lock-free table and its queue, tried with loom.
//!
//! The files of the layer are compiled as they are; [`sync`] gives them loom's types in place of the real ones. `cargo test` runs the claims of
//! `tests/`; LOOM_MAX_PREEMPTIONS tries more than `./test` does.

pub mod sync;

#[path = "../../layer/src/dispatch/handles.rs"]
pub mod handles;

#[path = "../../layer/src/worker/queue.rs"]
pub mod queue;

#[path = "../../layer/src/worker/ended.rs"]
pub mod ended;

/// Tries every interleaving in which threads lose the processor three times at most where they need not: faults that take more are rare, and the
/// number of interleavings is small enough for every change of the layer.
pub fn every(body: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = model.preemption_bound.or(Some(3));
    model.check(body);
}
