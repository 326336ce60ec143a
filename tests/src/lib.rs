//! Bench for whole-system tests of Tilelens.
//!
//! * [`fake`]: a fake Vulkan driver and a fake loader in process, which drive the real layer library.
//! * [`script`]: what an application does, written once and run with and without the layer.
//! * [`sandbox`]: runs the body of a test in a process of its own, with its own settings and folder.
//! * [`real`]: the installed loader, lavapipe and programs.
//! * [`messenger`]: a messenger of VK_EXT_debug_utils that writes down what it hears.
//! * [`workload`]: one command over and over, for benchmarks.
//! * [`artefacts`]: the libraries and programs of this workspace, built when missing.
//!
//! The claims themselves are in `tests/`, one file per group.

// A bench that meets something unexpected stops the test: that is its purpose.
#![allow(clippy::unwrap_used)]

pub mod artefacts;
pub mod fake;
pub mod memory;
pub mod messenger;
pub mod names;
pub mod process;
pub mod real;
pub mod sandbox;
pub mod script;
pub mod workload;
