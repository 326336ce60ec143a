//! The hooked commands, by topic. Every hook has the same shape: call the next layer, keep its result untouched, and record
//! under the guard. Creates register after the call down, destroys forget before it: in between another thread may get the
//! same handle.

pub mod bind_descriptors;
pub mod command_buffer;
pub mod commitment;
pub mod compression;
pub mod conditional;
pub mod debug_marker;
pub mod debug_utils;
pub mod descriptor;
pub mod device;
pub mod device_memory_copy;
pub mod dispatch;
pub mod draw;
pub mod dynamic_state;
pub mod entry;
pub mod events;
pub mod exports;
pub mod extensions;
pub mod fence;
pub mod framebuffer;
pub mod host_copy;
pub mod image;
pub mod instance;
pub mod memory;
pub mod merge_feedback;
pub mod messenger;
pub mod opaque;
pub mod pipeline;
pub mod queue;
pub mod render_pass;
pub mod rendering;
pub mod semaphore;
pub mod shader;
pub mod sparse;
pub mod swapchain;
pub mod sync;
pub mod tile;
pub mod tools;
pub mod transfer;
pub mod video;

use crate::dispatch::devices::{self, Device};
use crate::dispatch::key;

/// The device of a dispatchable object.
///
/// # Safety
/// `raw` is a live VkDevice, VkQueue or VkCommandBuffer, past its creation call.
pub unsafe fn device_of(raw: u64) -> Option<&'static Device> {
    // SAFETY: by the caller's promise.
    devices::find(unsafe { key(raw) })
}

/// A vkCmd* hook without a result: calls down, then records `$body` with the command buffer's state as `$state` and its
/// device as `$device`.
macro_rules! command {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),* $(,)?) |$device:ident, $state:ident| $body:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As the specification demands of the command.
        pub unsafe extern "system" fn $name(command_buffer: ash::vk::CommandBuffer $(, $arg: $ty)*) {
            // SAFETY: the command buffer is live: valid usage of every vkCmd* command.
            let Some(entry) = (unsafe { crate::dispatch::command_buffers::enter(command_buffer) }) else { return };
            if let Some(next) = entry.device.next.$name {
                // SAFETY: the application's own arguments, passed on as they came.
                unsafe { next(command_buffer $(, $arg)*) };
            }
            crate::dispatch::guard::guard(crate::dispatch::table::HookId::$name, || {
                // SAFETY: vkCmd* commands are externally synchronised on the command buffer.
                if let Some($state) = unsafe { entry.state() } {
                    #[allow(unused_variables)]
                    let $device = entry.device;
                    $body
                }
            });
        }
    };
}
pub(crate) use command;
