//! Commands of descriptor sets: pools, updates, binds, pushes, descriptors in memory.
//!
//! Signatures are those of the Vulkan registry; the word after `=` is what the fake driver does.

use super::commands;
use crate::fake::driver::{allocate_sets, create, destroy, plain};
use ash::vk;
use std::ffi::c_void;

commands! {
    [device 1.0] vkCreateDescriptorSetLayout =>
        (device: vk::Device, create_info: *const vk::DescriptorSetLayoutCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, set_layout: *mut vk::DescriptorSetLayout) -> vk::Result = create;
    [device 1.0] vkDestroyDescriptorSetLayout =>
        (device: vk::Device, descriptor_set_layout: vk::DescriptorSetLayout, allocator: *const
         vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.0] vkCreateDescriptorPool =>
        (device: vk::Device, create_info: *const vk::DescriptorPoolCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, descriptor_pool: *mut vk::DescriptorPool) -> vk::Result = create;
    [device 1.0] vkDestroyDescriptorPool =>
        (device: vk::Device, descriptor_pool: vk::DescriptorPool, allocator: *const vk::AllocationCallbacks<'_>) -> ()
         = destroy;
    [device 1.0] vkResetDescriptorPool =>
        (device: vk::Device, descriptor_pool: vk::DescriptorPool, flags: vk::DescriptorPoolResetFlags) -> vk::Result =
         plain;
    [device 1.0] vkAllocateDescriptorSets =>
        (device: vk::Device, allocate_info: *const vk::DescriptorSetAllocateInfo<'_>, descriptor_sets: *mut
         vk::DescriptorSet) -> vk::Result = allocate_sets;
    [device 1.0] vkFreeDescriptorSets =>
        (device: vk::Device, descriptor_pool: vk::DescriptorPool, descriptor_set_count: u32, descriptor_sets: *const
         vk::DescriptorSet) -> vk::Result = plain;
    [device 1.0] vkUpdateDescriptorSets =>
        (device: vk::Device, descriptor_write_count: u32, descriptor_writes: *const vk::WriteDescriptorSet<'_>,
         descriptor_copy_count: u32, descriptor_copies: *const vk::CopyDescriptorSet<'_>) -> () = plain;
    [device 1.1] vkCreateDescriptorUpdateTemplate | vkCreateDescriptorUpdateTemplateKHR =>
        (device: vk::Device, create_info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>, allocator: *const
         vk::AllocationCallbacks<'_>, descriptor_update_template: *mut vk::DescriptorUpdateTemplate) -> vk::Result =
         create;
    [device 1.1] vkDestroyDescriptorUpdateTemplate | vkDestroyDescriptorUpdateTemplateKHR =>
        (device: vk::Device, descriptor_update_template: vk::DescriptorUpdateTemplate, allocator: *const
         vk::AllocationCallbacks<'_>) -> () = destroy;
    [device 1.1] vkUpdateDescriptorSetWithTemplate | vkUpdateDescriptorSetWithTemplateKHR =>
        (device: vk::Device, descriptor_set: vk::DescriptorSet, descriptor_update_template:
         vk::DescriptorUpdateTemplate, data: *const c_void) -> () = plain;
    [device ext] vkGetDescriptorEXT =>
        (device: vk::Device, descriptor_info: *const vk::DescriptorGetInfoEXT<'_>, data_size: usize, descriptor: *mut
         c_void) -> () = plain;
    [device 1.0] vkCmdBindDescriptorSets =>
        (command_buffer: vk::CommandBuffer, pipeline_bind_point: vk::PipelineBindPoint, layout: vk::PipelineLayout,
         first_set: u32, descriptor_set_count: u32, descriptor_sets: *const vk::DescriptorSet, dynamic_offset_count:
         u32, dynamic_offsets: *const u32) -> () = plain;
    [device 1.4] vkCmdBindDescriptorSets2 | vkCmdBindDescriptorSets2KHR =>
        (command_buffer: vk::CommandBuffer, bind_descriptor_sets_info: *const vk::BindDescriptorSetsInfoKHR<'_>) -> ()
         = plain;
    [device 1.4] vkCmdPushDescriptorSet | vkCmdPushDescriptorSetKHR =>
        (command_buffer: vk::CommandBuffer, pipeline_bind_point: vk::PipelineBindPoint, layout: vk::PipelineLayout,
         set: u32, descriptor_write_count: u32, descriptor_writes: *const vk::WriteDescriptorSet<'_>) -> () = plain;
    [device 1.4] vkCmdPushDescriptorSet2 | vkCmdPushDescriptorSet2KHR =>
        (command_buffer: vk::CommandBuffer, push_descriptor_set_info: *const vk::PushDescriptorSetInfoKHR<'_>) -> () =
         plain;
    [device 1.4] vkCmdPushDescriptorSetWithTemplate | vkCmdPushDescriptorSetWithTemplateKHR =>
        (command_buffer: vk::CommandBuffer, descriptor_update_template: vk::DescriptorUpdateTemplate, layout:
         vk::PipelineLayout, set: u32, data: *const c_void) -> () = plain;
    [device 1.4] vkCmdPushDescriptorSetWithTemplate2 | vkCmdPushDescriptorSetWithTemplate2KHR =>
        (command_buffer: vk::CommandBuffer, push_descriptor_set_with_template_info: *const
         vk::PushDescriptorSetWithTemplateInfoKHR<'_>) -> () = plain;
    [device ext] vkCmdSetDescriptorBufferOffsetsEXT =>
        (command_buffer: vk::CommandBuffer, pipeline_bind_point: vk::PipelineBindPoint, layout: vk::PipelineLayout,
         first_set: u32, set_count: u32, buffer_indices: *const u32, offsets: *const vk::DeviceSize) -> () = plain;
    [device ext] vkCmdSetDescriptorBufferOffsets2EXT =>
        (command_buffer: vk::CommandBuffer, set_descriptor_buffer_offsets_info: *const
         vk::SetDescriptorBufferOffsetsInfoEXT<'_>) -> () = plain;
}
