//! The crate `layer`.
