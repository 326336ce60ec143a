//! The binary interface to the loader, and structs that the Vulkan headers in use do not have yet.
//!
//! Inputs: pointers of the loader. Outputs: typed links. Everything here is `#[repr(C)]` and follows vk_layer.h.

#[cfg(target_os = "android")]
pub mod android;
mod chain;
mod draw;
mod loader;
mod newer;
mod pass;
mod shortened;
mod sizes;

pub use chain::{chain, find, find_out, slice, string};
pub use draw::*;
pub use loader::*;
pub use newer::*;
pub use pass::*;
pub use shortened::Shortened;
