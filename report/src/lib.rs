//! The crate `report`.
