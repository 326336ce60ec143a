//! Host image copies (core since 1.4, before that VK_EXT_host_image_copy): the host reads and writes images itself, at once.
//!
//! They take their place among the submissions in the order of the calls. Work that was submitted before may still wait for the host, and
//! then runs after it: of images that the host may copy nothing is proved.

use super::device_of;
use super::transfer::{Object, copy};
use crate::abi::slice;
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::CommandBuffer;
use crate::translate::barrier::host_transitions;
use ash::vk::{self, Handle};
use tbdr_model::frame::TransferKind;

/// Records what the host does, as a command buffer of its own that runs at once.
fn by_host(device: &Device, record: impl FnOnce(&mut CommandBuffer)) {
    let mut state = CommandBuffer::new(false);
    record(&mut state);
    state.end();
    if let Some(recording) = state.frozen() {
        device.recorder.host(recording);
    }
}

/// Memory of the application, which Vulkan has no object for.
const HOST: Object = Object::Host;

macro_rules! host_copies {
    ($($(#[$doc:meta])* $name:ident: $info:ident as $kind:ident, $src:expr => $dst:expr;)+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the specification demands.
        pub unsafe extern "system" fn $name(handle: vk::Device, info: *const vk::$info<'_>) -> vk::Result {
            // SAFETY: a live device; the application's own arguments.
            unsafe {
                let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
                let Some(next) = device.next.$name else { return vk::Result::ERROR_DEVICE_LOST };
                let result = next(handle, info);
                if result.as_raw() >= 0 {
                    guard(HookId::$name, || {
                        let info = &*info;
                        let regions = slice(info.p_regions, info.region_count);
                        let (src, dst): (fn(&vk::$info<'_>) -> Object, fn(&vk::$info<'_>) -> Object) = ($src, $dst);
                        by_host(device, |state| {
                            copy(device, state, TransferKind::$kind, (src(info), dst(info)), regions);
                        });
                    });
                }
                result
            }
        }
    )+};
}

host_copies! {
    /// vkCopyMemoryToImage.
    copy_memory_to_image: CopyMemoryToImageInfoEXT as CopyMemoryToImage, |_| HOST => |i| Object::Image(i.dst_image);
    /// vkCopyImageToMemory.
    copy_image_to_memory: CopyImageToMemoryInfoEXT as CopyImageToMemory, |i| Object::Image(i.src_image) => |_| HOST;
    /// vkCopyImageToImage.
    copy_image_to_image: CopyImageToImageInfoEXT as CopyImage, |i| Object::Image(i.src_image) => |i| Object::Image(i.dst_image);
}

/// vkTransitionImageLayout.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn transition_image_layout(
    handle: vk::Device,
    count: u32,
    transitions: *const vk::HostImageLayoutTransitionInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_DEVICE_LOST };
        let Some(next) = device.next.transition_image_layout else { return vk::Result::ERROR_DEVICE_LOST };
        let result = next(handle, count, transitions);
        if result.as_raw() >= 0 {
            guard(HookId::transition_image_layout, || {
                let transitions = slice(transitions, count);
                by_host(device, |state| {
                    let barrier = host_transitions(&device.recorder.objects, state.recording(), transitions);
                    state.barrier(barrier);
                });
            });
        }
        result
    }
}
