//! Extensions by which something reads or writes images that no recorded command tells of.
//!
//! A program that enables one of them may use it on any image that shaders can reach; nothing is proved of such images then. Extensions
//! whose commands are recorded, as what is known or as what is not, are none of these.

use alloc::string::String;

/// Names of device extensions, and what they let happen unseen.
pub const EXTERNAL_READERS: &[(&str, &str)] = &[
    ("VK_AMDX_shader_enqueue", "shaders start other shaders"),
    ("VK_ARM_data_graph", "data graphs work on tensors that may share memory with images"),
    ("VK_NVX_binary_import", "CUDA kernels run in command buffers"),
    ("VK_NVX_image_view_handle", "kernels and shaders reach image views by number"),
    ("VK_NV_cuda_kernel_launch", "CUDA kernels run in command buffers"),
    ("VK_NV_external_compute_queue", "another API works on the device"),
    ("VK_VALVE_descriptor_set_host_mapping", "the host writes descriptors into memory itself"),
];

/// Those of the enabled extensions, with what they let happen.
pub fn external_readers(enabled: &[String]) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
    EXTERNAL_READERS.iter().copied().filter(|(name, _)| enabled.iter().any(|e| e == name))
}
