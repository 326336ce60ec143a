//! The loader's side of the layer interface, version 2, as documented in the Vulkan-Loader repository (vk_layer.h,
//! LoaderLayerInterface.md).

use ash::vk;
use std::ffi::{c_char, c_void};

/// VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO.
pub const INSTANCE: i32 = 47;
/// VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO.
pub const DEVICE: i32 = 48;
/// VK_LAYER_LINK_INFO.
pub const LINK: u32 = 0;
/// VK_LOADER_DATA_CALLBACK.
pub const DATA_CALLBACK: u32 = 1;
/// VK_LOADER_FEATURES.
pub const FEATURES: u32 = 3;

/// vkGetInstanceProcAddr.
pub type GetInstanceProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;
/// vkGetDeviceProcAddr.
pub type GetDeviceProcAddr = unsafe extern "system" fn(vk::Device, *const c_char) -> vk::PFN_vkVoidFunction;

/// VkLayerInstanceLink.
#[repr(C)]
pub struct InstanceLink {
    /// Next layer's link.
    pub next: *mut InstanceLink,
    /// Next vkGetInstanceProcAddr.
    pub get_instance_proc_addr: GetInstanceProcAddr,
    /// Next vk_layerGetPhysicalDeviceProcAddr.
    pub get_physical_device_proc_addr: Option<GetInstanceProcAddr>,
}

/// VkLayerDeviceLink.
#[repr(C)]
pub struct DeviceLink {
    /// Next layer's link.
    pub next: *mut DeviceLink,
    /// Next vkGetInstanceProcAddr.
    pub get_instance_proc_addr: GetInstanceProcAddr,
    /// Next vkGetDeviceProcAddr.
    pub get_device_proc_addr: GetDeviceProcAddr,
}

/// VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo: same head, a union behind it.
#[repr(C)]
pub struct CreateInfo {
    /// [`INSTANCE`] or [`DEVICE`].
    pub s_type: i32,
    /// Next struct of the chain.
    pub next: *const c_void,
    /// Which member of the union holds.
    pub function: u32,
    /// Pointer to the link, callback, or feature flags. The widest member of the union has two words.
    pub payload: [*mut c_void; 2],
}

/// VkNegotiateLayerInterface.
#[repr(C)]
#[derive(Debug)]
pub struct Negotiate {
    /// 1.
    pub s_type: i32,
    /// Null.
    pub next: *mut c_void,
    /// In: the loader's version. Out: the layer's.
    pub version: u32,
    /// Out: vkGetInstanceProcAddr.
    pub get_instance_proc_addr: Option<GetInstanceProcAddr>,
    /// Out: vkGetDeviceProcAddr.
    pub get_device_proc_addr: Option<GetDeviceProcAddr>,
    /// Out: vk_layerGetPhysicalDeviceProcAddr.
    pub get_physical_device_proc_addr: Option<GetInstanceProcAddr>,
}

/// vkNegotiateLoaderLayerInterfaceVersion.
pub type NegotiateFn = unsafe extern "system" fn(*mut Negotiate) -> vk::Result;

/// The link that the struct chain holds, if the layer above did not advance it.
///
/// # Safety
/// `chain` must be a Vulkan struct chain.
pub unsafe fn link_of(mut chain: *const c_void, s_type: i32) -> Option<*mut c_void> {
    while !chain.is_null() {
        // SAFETY: every struct of a chain begins with sType and pNext, which CreateInfo's head is.
        let info = unsafe { &*chain.cast::<vk::BaseInStructure<'_>>() };
        if info.s_type.as_raw() == s_type {
            // SAFETY: structs of this sType are the loader's and have this form.
            let info = unsafe { &*chain.cast::<CreateInfo>() };
            if info.function == LINK {
                return Some(info.payload[0]);
            }
        }
        chain = info.p_next.cast();
    }
    None
}
