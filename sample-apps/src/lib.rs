//! What the sample programs share: a headless device, images, buffers, one-shot submissions, and the check of a program's own pixels.
//!
//! a sample is one short program in `src/bin`: it describes its passes in Vulkan's own structs, draws the triangles of [`scene`], copies the
//! result to a host-visible buffer and compares it with [`expect`], which follows the load and store operations pixel by pixel. Every
//! Vulkan object lives in a guard that destroys it; the order of destruction is the reverse of the order of creation.
//! The samples know Vulkan and nothing of the layer.

pub mod buffer;
pub mod commands;
pub mod error;
pub mod expect;
pub mod gpu;
pub mod image;
pub mod ops;
pub mod owned;
pub mod pipeline;
pub mod pixels;
pub mod scene;
pub mod size;

pub use error::Error;
