//! The Vulkan layer `VK_LAYER_TILELENS_tbdr`.
//!
//! The way of the data: the application calls a hook (`hooks`), the hook calls the next layer and appends a small owned
//! value (`translate`) to the command buffer's recording (`record`); submits hand recordings to the frame, a present
//! closes the frame, and the analysis thread (`worker`) turns it into a capture, a report and log lines (`sinks`).
//!
//! Invariants: nothing is locked while calling down; nothing of the application's memory is written or kept; a fault of
//! ours turns the layer into a pass-through and never reaches the application (`dispatch::guard`). What is not hooked is
//! not in the way: its pointer is the next layer's own.
#![deny(unsafe_code)]
// The library file is named as loaders expect: libVkLayer_tilelens.so.
#![allow(non_snake_case)]

#[allow(unsafe_code)]
mod abi;
#[allow(unsafe_code)]
mod dispatch;
#[allow(unsafe_code)]
mod hooks;
mod record;
mod runtime;
mod sinks;
mod sync;
#[allow(unsafe_code)]
mod translate;
mod worker;
