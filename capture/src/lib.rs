//! The crate `capture`.
