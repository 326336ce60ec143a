//! Render passes of the second kind: the structs chained to them are noted, and a driver with VK_EXT_subpass_merge_feedback answers.

use super::{Driver, create};
use ash::vk;

/// The types of the structs in a chain.
///
/// # Safety
/// `next` is null or the pNext of a valid struct.
pub(super) unsafe fn types(next: *const std::ffi::c_void) -> Vec<vk::StructureType> {
    let mut found = Vec::new();
    let mut next = next.cast::<vk::BaseInStructure<'_>>();
    // SAFETY: by the caller's promise.
    while let Some(item) = unsafe { next.as_ref() } {
        found.push(item.s_type);
        next = item.p_next;
    }
    found
}

/// The struct of this type in a chain.
///
/// # Safety
/// As for [`types`]; a struct of this type is a `T`.
unsafe fn find<'a, T: vk::TaggedStructure>(next: *const std::ffi::c_void) -> Option<&'a T> {
    let mut next = next.cast::<vk::BaseInStructure<'_>>();
    // SAFETY: by the caller's promise.
    while let Some(item) = unsafe { next.as_ref() } {
        if item.s_type == T::STRUCTURE_TYPE {
            // SAFETY: as above.
            return unsafe { next.cast::<T>().as_ref() };
        }
        next = item.p_next;
    }
    None
}

/// What a driver says that merges whatever it gets. The words are no text, as a hostile driver's might be.
///
/// # Safety
/// The structs belong to a call in progress.
unsafe fn merge_everything(info: &vk::RenderPassCreateInfo2<'_>, subpasses: &[vk::SubpassDescription2<'_>]) {
    // SAFETY: by the caller's promise; pointers to answers are valid.
    unsafe {
        if let Some(whole) = find::<vk::RenderPassCreationFeedbackCreateInfoEXT<'_>>(info.p_next) {
            (*whole.p_render_pass_feedback).post_merge_subpass_count = 1;
        }
        for (number, subpass) in subpasses.iter().enumerate() {
            let Some(own) = find::<vk::RenderPassSubpassFeedbackCreateInfoEXT<'_>>(subpass.p_next) else { continue };
            let status = if number == 0 {
                vk::SubpassMergeStatusEXT::NOT_MERGED_UNSPECIFIED
            } else {
                vk::SubpassMergeStatusEXT::MERGED
            };
            (*own.p_subpass_feedback) = vk::RenderPassSubpassFeedbackInfoEXT {
                subpass_merge_status: status,
                post_merge_index: 0,
                description: [b'<' as std::ffi::c_char; vk::MAX_DESCRIPTION_SIZE],
            };
        }
    }
}

/// vkCreateRenderPass2.
#[allow(clippy::type_complexity)]
pub(crate) fn create_render_pass2<A>(
    driver: &'static Driver,
    (device, info, allocator, out): (vk::Device, *const vk::RenderPassCreateInfo2<'_>, *const A, *mut vk::RenderPass),
) -> vk::Result {
    // SAFETY: the specification demands a valid struct with valid arrays and chains.
    unsafe {
        let info = &*info;
        let subpasses = match info.subpass_count {
            0 => &[][..],
            count => std::slice::from_raw_parts(info.p_subpasses, count as usize),
        };
        let mut seen = types(info.p_next);
        seen.extend(subpasses.iter().flat_map(|s| types(s.p_next)));
        driver.state().chained = seen;
        if driver.has_merge_feedback() {
            merge_everything(info, subpasses);
        }
    }
    create(driver, (device, info, allocator, out))
}
