//! What shaders reach through descriptors.

use crate::record::{Objects, StaticUse};
use ash::vk;

/// The descriptors of images that the stages of a pipeline statically use.
///
/// # Safety
/// `stages` are those of a pipeline create info in progress.
pub unsafe fn stages(_objects: &Objects, _stages: &[vk::PipelineShaderStageCreateInfo<'_>]) -> StaticUse {
    // No module is looked into.
    StaticUse::default()
}

/// The descriptors of images that a shader object statically uses.
///
/// # Safety
/// `info` is an element of the argument of a vkCreateShadersEXT in progress.
pub unsafe fn object(_info: &vk::ShaderCreateInfoEXT<'_>) -> StaticUse {
    StaticUse::default()
}
