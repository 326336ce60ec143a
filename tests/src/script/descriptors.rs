//! The part of the script that makes, writes, binds and pushes descriptors, under every name of each command.

use super::shaders::info;
use super::{NO, Scene, objects::Objects};
use crate::fake::App;
use ash::vk::{self, CommandBuffer};
use std::ffi::c_void;
use std::ptr;

const SAMPLED: vk::DescriptorType = vk::DescriptorType::SAMPLED_IMAGE;

/// Objects of this part.
pub(super) struct Descriptors {
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    sets: [vk::DescriptorSet; 2],
    template: vk::DescriptorUpdateTemplate,
    view: vk::ImageView,
}

/// Makes and writes what [`bind`] binds.
pub(super) fn create(scene: &Scene, objects: &Objects) -> Descriptors {
    let app = &scene.app;
    let device = app.device;
    let none = vk::DescriptorBindingFlags::empty();
    let push = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
    let set_layout = scene.set_layout(&[(0, SAMPLED, 2, none)], push);
    let layout = scene.pipeline_layout(&[set_layout]);
    let pool = scene.descriptor_pool();
    let mut sets = [vk::DescriptorSet::null(); 2];
    let layouts = [set_layout; 2];
    let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    call!(app, vkAllocateDescriptorSets(device, &allocate, sets.as_mut_ptr()));
    call!(app, vkFreeDescriptorSets(device, pool, 2, sets.as_ptr()));
    call!(app, vkResetDescriptorPool(device, pool, vk::DescriptorPoolResetFlags::empty()));
    call!(app, vkAllocateDescriptorSets(device, &allocate, sets.as_mut_ptr()));
    let view = objects.color.view;
    let infos = [info(view), info(vk::ImageView::null())];
    let write = vk::WriteDescriptorSet::default().dst_set(sets[0]).descriptor_type(SAMPLED).image_info(&infos);
    let copy = vk::CopyDescriptorSet::default().src_set(sets[0]).dst_set(sets[1]).descriptor_count(2);
    call!(app, vkUpdateDescriptorSets(device, 1, &write, 1, &copy));
    let entries = [vk::DescriptorUpdateTemplateEntry::default().descriptor_type(SAMPLED).descriptor_count(1)];
    let made = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .descriptor_set_layout(set_layout);
    let mut template = vk::DescriptorUpdateTemplate::null();
    call!(app, vkCreateDescriptorUpdateTemplateKHR(device, &made, NO, &mut template));
    call!(app, vkDestroyDescriptorUpdateTemplateKHR(device, template, NO));
    call!(app, vkCreateDescriptorUpdateTemplate(device, &made, NO, &mut template));
    let data: *const c_void = infos.as_ptr().cast();
    call!(
        app,
        vkUpdateDescriptorSetWithTemplate | vkUpdateDescriptorSetWithTemplateKHR(device, sets[0], template, data)
    );
    let mut get = vk::DescriptorGetInfoEXT::default().ty(SAMPLED);
    get.data.p_sampled_image = infos.as_ptr();
    let mut memory = [0u8; 64];
    call!(app, vkGetDescriptorEXT(device, &get, memory.len(), memory.as_mut_ptr().cast()));
    Descriptors { set_layout, layout, pool, sets, template, view }
}

/// Binds, pushes and points at descriptors.
pub(super) fn bind(app: &App, cb: CommandBuffer, made: &Descriptors) {
    let (graphics, layout) = (vk::PipelineBindPoint::GRAPHICS, made.layout);
    let stages = vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::COMPUTE;
    call!(app, vkCmdBindDescriptorSets(cb, graphics, layout, 0, 2, made.sets.as_ptr(), 0, ptr::null()));
    let bind = vk::BindDescriptorSetsInfoKHR::default().stage_flags(stages).layout(layout).descriptor_sets(&made.sets);
    call!(app, vkCmdBindDescriptorSets2 | vkCmdBindDescriptorSets2KHR(cb, &bind));
    let infos = [info(made.view)];
    let writes = [vk::WriteDescriptorSet::default().descriptor_type(SAMPLED).image_info(&infos)];
    call!(app, vkCmdPushDescriptorSet | vkCmdPushDescriptorSetKHR(cb, graphics, layout, 0, 1, writes.as_ptr()));
    let push = vk::PushDescriptorSetInfoKHR::default().stage_flags(stages).layout(layout).descriptor_writes(&writes);
    call!(app, vkCmdPushDescriptorSet2 | vkCmdPushDescriptorSet2KHR(cb, &push));
    let (template, data) = (made.template, infos.as_ptr().cast::<c_void>());
    call!(
        app,
        vkCmdPushDescriptorSetWithTemplate | vkCmdPushDescriptorSetWithTemplateKHR(cb, template, layout, 0, data)
    );
    let mut push =
        vk::PushDescriptorSetWithTemplateInfoKHR::default().descriptor_update_template(template).layout(layout);
    push.p_data = data;
    call!(app, vkCmdPushDescriptorSetWithTemplate2 | vkCmdPushDescriptorSetWithTemplate2KHR(cb, &push));
    let (buffers, offsets) = ([0], [0]);
    call!(app, vkCmdSetDescriptorBufferOffsetsEXT(cb, graphics, layout, 0, 1, buffers.as_ptr(), offsets.as_ptr()));
    let set = vk::SetDescriptorBufferOffsetsInfoEXT::default()
        .stage_flags(stages)
        .layout(layout)
        .buffer_indices(&buffers)
        .offsets(&offsets);
    call!(app, vkCmdSetDescriptorBufferOffsets2EXT(cb, &set));
}

/// Destroys what [`create`] made.
pub(super) fn destroy(app: &App, made: &Descriptors) {
    let device = app.device;
    call!(app, vkDestroyDescriptorUpdateTemplate(device, made.template, NO));
    call!(app, vkDestroyDescriptorPool(device, made.pool, NO));
    call!(app, vkDestroyPipelineLayout(device, made.layout, NO));
    call!(app, vkDestroyDescriptorSetLayout(device, made.set_layout, NO));
}
