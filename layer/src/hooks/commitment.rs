//! What the driver has committed for lazily allocated memory: asked right before it is freed, when all that was ever rendered to it counts. The
//! question is read-only, of Vulkan 1.0, and allowed for memory of such a type only.

use crate::dispatch::devices::Device;
use crate::dispatch::typed;
use crate::record::MemoryBlock;
use ash::vk;
use std::ffi::CStr;
use tbdr_model::record::Commitment;

/// vkGetDeviceMemoryCommitment, on devices with a lazily allocated memory type.
#[derive(Clone, Copy, Default)]
pub struct CommitmentQuery(Option<vk::PFN_vkGetDeviceMemoryCommitment>);

impl CommitmentQuery {
    /// What a device whose lazily allocated memory types are `lazy_types` can be asked.
    ///
    /// # Safety
    /// `get` answers a name with the function of that name.
    pub unsafe fn new(lazy_types: Option<u32>, get: &dyn Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
        let found = lazy_types.filter(|types| *types != 0).and_then(|_| get(c"vkGetDeviceMemoryCommitment"));
        // SAFETY: by the caller's promise.
        Self(unsafe { typed(found) })
    }
}

/// Asks, and notes the answer, where the memory is lazily allocated.
///
/// # Safety
/// `handle` is live and is `block`.
pub unsafe fn ask(device: &Device, handle: vk::DeviceMemory, block: &MemoryBlock) {
    let Some(function) = device.commitment.0.filter(|_| block.is_lazy()) else { return };
    let mut committed = 0;
    // SAFETY: by the caller's promise; its type is lazily allocated, as valid usage demands.
    unsafe { function(device.handle, handle, &raw mut committed) };
    device.recorder.timeline.committed(Commitment { images: block.images(), size: block.size, committed });
}
