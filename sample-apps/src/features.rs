//! What a sample may ask of its device beyond Vulkan 1.0: each feature is one or more extensions and the feature structs that switch it on.
//!
//! Every feature here must be supported wherever its extensions are, so nothing but the extensions is looked for.

use ash::{ext, khr, vk};
use std::ffi::CStr;

/// A feature that not every device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// vkCmdBeginRendering.
    DynamicRendering,
    /// Attachments of a dynamic rendering read as input attachments; goes with [`Feature::DynamicRendering`].
    LocalRead,
    /// Shaders without pipelines, all state dynamic; goes with [`Feature::DynamicRendering`].
    ShaderObjects,
    /// Framebuffers without images; needs Vulkan 1.2.
    Imageless,
    /// The host writes images without a buffer and without commands; needs Vulkan 1.2.
    HostImageCopy,
    /// Samples that exist in the pass alone while the attachments have one; needs Vulkan 1.2.
    MultisampledToSingle,
    /// Descriptors recorded into the command buffer.
    PushDescriptors,
    /// Descriptors in memory that the program writes by itself; needs Vulkan 1.2.
    DescriptorBuffers,
    /// Arrays of descriptors of any length, partly written, updated after they are bound; needs Vulkan 1.2.
    Bindless,
    /// What the driver says of the merging of subpasses; needs Vulkan 1.2.
    MergeFeedback,
}

impl Feature {
    /// Its extensions, the one that names the feature first.
    pub fn extensions(self) -> &'static [&'static CStr] {
        match self {
            Self::DynamicRendering => &[khr::dynamic_rendering::NAME],
            Self::LocalRead => &[khr::dynamic_rendering_local_read::NAME],
            Self::ShaderObjects => &[ext::shader_object::NAME],
            Self::Imageless => &[khr::imageless_framebuffer::NAME],
            Self::HostImageCopy => {
                &[ext::host_image_copy::NAME, khr::copy_commands2::NAME, khr::format_feature_flags2::NAME]
            }
            Self::MultisampledToSingle => &[ext::multisampled_render_to_single_sampled::NAME],
            Self::PushDescriptors => &[khr::push_descriptor::NAME],
            Self::DescriptorBuffers => &[ext::descriptor_buffer::NAME, khr::synchronization2::NAME],
            Self::Bindless => &[ext::descriptor_indexing::NAME],
            Self::MergeFeedback => &[ext::subpass_merge_feedback::NAME],
        }
    }

    /// The structs that switch it on at vkCreateDevice.
    pub fn structs(self) -> Vec<Box<dyn vk::ExtendsDeviceCreateInfo>> {
        match self {
            Self::DynamicRendering => {
                vec![Box::new(vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true))]
            }
            Self::LocalRead => vec![Box::new(
                vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR::default().dynamic_rendering_local_read(true),
            )],
            Self::ShaderObjects => {
                vec![Box::new(vk::PhysicalDeviceShaderObjectFeaturesEXT::default().shader_object(true))]
            }
            Self::Imageless => {
                vec![Box::new(vk::PhysicalDeviceImagelessFramebufferFeatures::default().imageless_framebuffer(true))]
            }
            Self::HostImageCopy => {
                vec![Box::new(vk::PhysicalDeviceHostImageCopyFeaturesEXT::default().host_image_copy(true))]
            }
            Self::MultisampledToSingle => vec![Box::new(
                vk::PhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT::default()
                    .multisampled_render_to_single_sampled(true),
            )],
            Self::PushDescriptors => Vec::new(),
            Self::DescriptorBuffers => vec![
                Box::new(vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default().descriptor_buffer(true)),
                Box::new(vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true)),
            ],
            Self::Bindless => vec![Box::new(
                vk::PhysicalDeviceDescriptorIndexingFeatures::default()
                    .runtime_descriptor_array(true)
                    .descriptor_binding_partially_bound(true)
                    .descriptor_binding_sampled_image_update_after_bind(true),
            )],
            Self::MergeFeedback => vec![Box::new(
                vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT::default().subpass_merge_feedback(true),
            )],
        }
    }
}
