//! The crate `manifest`.
