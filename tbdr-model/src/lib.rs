//! What a Vulkan program costs on a tile-based GPU, computed from a recorded frame.
//!
//! The way of the data through this crate: [`record::Record`]s enter a [`session::Session`] in the order in which they were
//! recorded; each distinct [`frame::FrameStructure`] is evaluated once per GPU [profile](gpu::Profile) into a [ledger]; the
//! session's [`report::Report`] is everything that is shown anywhere.
//!
//! The crate is pure: no Vulkan loader, no I/O, no environment, no threads, no clock and no unsafe code. The running layer
//! and the command line feed it the same records and therefore get the same report, byte for byte.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod advice;
pub mod format;
pub mod frame;
pub mod gpu;
pub mod graph;
pub mod identity;
pub mod ledger;
pub mod model;
pub mod policy;
mod price;
pub mod ranges;
pub mod record;
pub mod report;
pub mod rules;
pub mod schedule;
pub mod session;
pub mod text;
pub mod units;
pub mod whatif;
