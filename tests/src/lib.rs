//! The crate `tests`.
