//! What the sample programs share: a headless device, images, buffers, one-shot submissions, and the check of a program's own pixels.
//!
//! A sample is one short program in `src/bin`: it describes its passes in Vulkan's own structs, draws a scene, copies the result
//! to a host-visible buffer and compares it with what the specification says: the flat triangles of [`scene`] with [`expect`], which follows
//! the load and store operations pixel by pixel, or the [`room`] with [`visible`], which knows the face that each sample sees; filters
//! over whole pictures with [`picture`]. Every
//! Vulkan object lives in a guard that destroys it; the order of destruction is the reverse of the order of creation.
//! The samples know Vulkan and nothing of the layer.

pub mod buffer;
pub mod commands;
pub mod compare;
pub mod descriptors;
pub mod error;
pub mod expect;
pub mod features;
pub mod flat;
pub mod flat_scene;
pub mod gpu;
pub mod image;
pub mod lighting;
pub mod messenger;
pub mod new_images;
pub mod ops;
pub mod overlay;
pub mod owned;
pub mod pair;
pub mod pass;
pub mod picture;
pub mod pipeline;
pub mod pixels;
pub mod program;
pub mod raster;
pub mod readback;
pub mod room;
pub mod room_pipeline;
pub mod scene;
pub mod screen;
pub mod screen_pass;
pub mod shader_objects;
pub mod size;
pub mod triangles;
pub mod two_passes;
pub mod visible;

pub use error::Error;

/// The SPIR-V of a shader of `shaders/`, as the build has compiled it.
#[macro_export]
macro_rules! shader {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".spv"))
    };
}
