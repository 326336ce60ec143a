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
    }
    create(driver, (device, info, allocator, out))
}
