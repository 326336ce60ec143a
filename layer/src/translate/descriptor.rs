//! Descriptor set layouts, writes, copies and templates.

use crate::abi;
use crate::record::{Descriptor, LayoutBinding, Objects, PipelineLayout, Set, SetLayout, Template, TemplateEntry};
use ash::vk::{self, Handle};
use std::ffi::c_void;
use tbdr_model::frame::usage;

/// Usages without which no render pass touches an image.
pub const ATTACHMENT: u32 =
    usage::COLOR_ATTACHMENT | usage::DEPTH_STENCIL_ATTACHMENT | usage::TRANSIENT_ATTACHMENT | usage::INPUT_ATTACHMENT;

/// Descriptor types of images that shaders reach by set and binding. Input attachments are reached through the subpass.
fn is_image(kind: vk::DescriptorType) -> bool {
    matches!(
        kind,
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER
            | vk::DescriptorType::SAMPLED_IMAGE
            | vk::DescriptorType::STORAGE_IMAGE
            | vk::DescriptorType::SAMPLE_WEIGHT_IMAGE_QCOM
            | vk::DescriptorType::BLOCK_MATCH_IMAGE_QCOM
    )
}

/// VkDescriptorSetLayoutCreateInfo.
///
/// # Safety
/// `info` is the argument of a vkCreateDescriptorSetLayout in progress.
pub unsafe fn set_layout(info: &vk::DescriptorSetLayoutCreateInfo<'_>) -> SetLayout {
    // SAFETY: the chain and the arrays of a valid create info.
    let (bindings, flags) = unsafe {
        let flags = abi::find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(info.p_next);
        (
            abi::slice(info.p_bindings, info.binding_count),
            flags.map_or(&[][..], |f| abi::slice(f.p_binding_flags, f.binding_count)),
        )
    };
    let binding = |(index, binding): (usize, &vk::DescriptorSetLayoutBinding<'_>)| LayoutBinding {
        number: binding.binding,
        count: binding.descriptor_count,
        images: is_image(binding.descriptor_type) || binding.descriptor_type == vk::DescriptorType::MUTABLE_EXT,
        late: flags.get(index).is_some_and(|f| f.contains(vk::DescriptorBindingFlags::UPDATE_AFTER_BIND)),
    };
    SetLayout::new(bindings.iter().enumerate().map(binding).collect())
}

/// VkPipelineLayoutCreateInfo.
///
/// # Safety
/// `info` is valid.
pub unsafe fn pipeline_layout(objects: &Objects, info: &vk::PipelineLayoutCreateInfo<'_>) -> PipelineLayout {
    // SAFETY: the array of a valid create info.
    let sets = unsafe { abi::slice(info.p_set_layouts, info.set_layout_count) };
    PipelineLayout { sets: sets.iter().map(|layout| objects.set_layouts.get(layout.as_raw())).collect() }
}

/// What a descriptor of an image view holds.
fn descriptor(objects: &Objects, view: vk::ImageView) -> Descriptor {
    if view.is_null() {
        return Descriptor::Other;
    }
    match objects.views.get(view.as_raw()) {
        Some(view) if view.image.created.all_usage() & ATTACHMENT != 0 => Descriptor::View(view),
        Some(_) => Descriptor::Other,
        None => Descriptor::Unknown,
    }
}

/// VkWriteDescriptorSet, into a set.
///
/// # Safety
/// `write` is an element of the argument of a call in progress.
pub unsafe fn write(objects: &Objects, set: &Set, write: &vk::WriteDescriptorSet<'_>) {
    let (binding, element) = (write.dst_binding, write.dst_array_element);
    if !is_image(write.descriptor_type) {
        // Buffers take the place of images in mutable bindings only; others are passed over by the set.
        let others = std::iter::repeat_n(Descriptor::Other, write.descriptor_count as usize);
        set.write(binding, element, others);
        return;
    }
    // SAFETY: the array of a valid write of images.
    let infos = unsafe { abi::slice(write.p_image_info, write.descriptor_count) };
    set.write(binding, element, infos.iter().map(|info| descriptor(objects, info.image_view)));
}

/// vkUpdateDescriptorSets.
///
/// # Safety
/// The arguments of a call in progress.
pub unsafe fn update(objects: &Objects, writes: &[vk::WriteDescriptorSet<'_>], copies: &[vk::CopyDescriptorSet<'_>]) {
    let mut last: Option<(u64, std::sync::Arc<Set>)> = None;
    for item in writes {
        // Many writes of one set come in a row.
        let handle = item.dst_set.as_raw();
        if last.as_ref().is_none_or(|(before, _)| *before != handle) {
            last = objects.sets.get(handle).map(|set| (handle, set));
        }
        if let Some((_, set)) = &last {
            // SAFETY: by the caller's promise.
            unsafe { write(objects, set, item) };
        }
    }
    for copy in copies {
        let Some(to) = objects.sets.get(copy.dst_set.as_raw()) else { continue };
        let place = (copy.dst_binding, copy.dst_array_element);
        match objects.sets.get(copy.src_set.as_raw()) {
            Some(from) => to.copy(place, &from, (copy.src_binding, copy.src_array_element), copy.descriptor_count),
            None => {
                let unknown = std::iter::repeat_n(Descriptor::Unknown, copy.descriptor_count as usize);
                to.write(place.0, place.1, unknown);
            }
        }
    }
}

/// VkDescriptorUpdateTemplateCreateInfo.
///
/// # Safety
/// `info` is the argument of a vkCreateDescriptorUpdateTemplate in progress.
pub unsafe fn template(info: &vk::DescriptorUpdateTemplateCreateInfo<'_>) -> Template {
    // SAFETY: the array of a valid create info.
    let entries = unsafe { abi::slice(info.p_descriptor_update_entries, info.descriptor_update_entry_count) };
    let entry = |e: &vk::DescriptorUpdateTemplateEntry| TemplateEntry {
        binding: e.dst_binding,
        element: e.dst_array_element,
        count: e.descriptor_count,
        images: is_image(e.descriptor_type),
        offset: e.offset,
        stride: e.stride,
    };
    Template { entries: entries.iter().map(entry).collect(), bind_point: info.pipeline_bind_point.as_raw() }
}

/// vkUpdateDescriptorSetWithTemplate, or a push with one.
///
/// # Safety
/// `data` holds what the template says.
pub unsafe fn update_with(objects: &Objects, set: &Set, template: &Template, data: *const c_void) {
    for entry in &template.entries {
        let numbers = 0..entry.count as usize;
        if entry.images {
            let view = |n: usize| {
                let place = entry.offset.wrapping_add(n.wrapping_mul(entry.stride));
                // SAFETY: by the caller's promise; nothing is said of its alignment.
                let info = unsafe { data.byte_add(place).cast::<vk::DescriptorImageInfo>().read_unaligned() };
                descriptor(objects, info.image_view)
            };
            set.write(entry.binding, entry.element, numbers.map(view));
        } else {
            set.write(entry.binding, entry.element, numbers.map(|_| Descriptor::Other));
        }
    }
}

/// VkDescriptorGetInfoEXT: the view of which the application gets a descriptor, and what that holds.
///
/// # Safety
/// `info` is the argument of a vkGetDescriptorEXT in progress.
pub unsafe fn taken(objects: &Objects, info: &vk::DescriptorGetInfoEXT<'_>) -> Option<(u64, Descriptor)> {
    if !is_image(info.ty) {
        return None;
    }
    // SAFETY: for types of images the union holds a pointer to an image info, or null.
    let image = unsafe { info.data.p_sampled_image.as_ref() }?;
    Some((image.image_view.as_raw(), descriptor(objects, image.image_view)))
}
