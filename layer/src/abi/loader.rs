//! The structs of the loader-layer interface (vk_layer.h), interface version 2.

use ash::vk;
use std::ffi::{c_char, c_void};

/// VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO.
pub const LOADER_INSTANCE_CREATE_INFO: vk::StructureType = vk::StructureType::from_raw(47);
/// VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO.
pub const LOADER_DEVICE_CREATE_INFO: vk::StructureType = vk::StructureType::from_raw(48);
/// VkLayerFunction VK_LAYER_LINK_INFO: several structs share a sType, this one holds the link.
const LAYER_LINK_INFO: u32 = 0;
/// LAYER_NEGOTIATE_INTERFACE_STRUCT.
const NEGOTIATE_INTERFACE_STRUCT: u32 = 1;
/// The interface version this layer speaks.
const INTERFACE_VERSION: u32 = 2;

/// `vk_layerGetPhysicalDeviceProcAddr`.
pub type GetPhysicalDeviceProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// VkLayerInstanceLink. Android's loader writes only the first two members: the third is never read there.
#[repr(C)]
pub struct InstanceLink {
    next: *mut InstanceLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    #[cfg(not(target_os = "android"))]
    get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// VkLayerInstanceCreateInfo with the union read as a link.
#[repr(C)]
struct InstanceCreateInfo {
    s_type: vk::StructureType,
    next: *const c_void,
    function: u32,
    link: *mut InstanceLink,
}

/// VkLayerDeviceLink.
#[repr(C)]
pub struct DeviceLink {
    next: *mut DeviceLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// VkLayerDeviceCreateInfo with the union read as a link.
#[repr(C)]
pub struct DeviceCreateInfo {
    s_type: vk::StructureType,
    next: *const c_void,
    function: u32,
    link: *mut DeviceLink,
}

/// What a layer learns from its link at instance creation.
pub struct NextInstance {
    /// The next vkGetInstanceProcAddr.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The next vk_layerGetPhysicalDeviceProcAddr, where the loader gives one.
    pub get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// What a layer learns from its link at device creation.
pub struct NextDevice {
    /// The next vkGetInstanceProcAddr.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The next vkGetDeviceProcAddr.
    pub get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// Finds the loader's struct of type `s_type` whose function is the link.
unsafe fn find_link_info(mut at: *const c_void, s_type: vk::StructureType) -> *mut c_void {
    while !at.is_null() {
        // SAFETY: every struct of a pNext chain starts with VkBaseInStructure; the loader's have `function` after it.
        unsafe {
            let base = at.cast::<vk::BaseInStructure<'_>>();
            if (*base).s_type == s_type && (*at.cast::<InstanceCreateInfo>()).function == LAYER_LINK_INFO {
                return at.cast_mut();
            }
            at = (*base).p_next.cast();
        }
    }
    std::ptr::null_mut()
}

/// Takes this layer's link off the chain of a vkCreateInstance: the loader's struct is advanced, as its contract demands.
///
/// # Safety
/// `next` is the pNext of the VkInstanceCreateInfo that the loader passed.
pub unsafe fn take_instance_link(next: *const c_void) -> Option<NextInstance> {
    // SAFETY: by the caller's promise; a link struct of the loader is writable and its link is valid during the call.
    unsafe {
        let info = find_link_info(next, LOADER_INSTANCE_CREATE_INFO).cast::<InstanceCreateInfo>();
        let link = info.as_ref()?.link.as_ref()?;
        (*info).link = link.next;
        Some(NextInstance {
            get_instance_proc_addr: link.get_instance_proc_addr,
            #[cfg(not(target_os = "android"))]
            get_physical_device_proc_addr: link.get_physical_device_proc_addr,
            #[cfg(target_os = "android")]
            get_physical_device_proc_addr: None,
        })
    }
}

/// Takes this layer's link off the chain of a vkCreateDevice.
///
/// # Safety
/// `next` is the pNext of the VkDeviceCreateInfo that the loader passed.
pub unsafe fn take_device_link(next: *const c_void) -> Option<NextDevice> {
    // SAFETY: as for `take_instance_link`.
    unsafe {
        let info = find_link_info(next, LOADER_DEVICE_CREATE_INFO).cast::<DeviceCreateInfo>();
        let link = info.as_ref()?.link.as_ref()?;
        (*info).link = link.next;
        Some(NextDevice {
            get_instance_proc_addr: link.get_instance_proc_addr,
            get_device_proc_addr: link.get_device_proc_addr,
        })
    }
}

/// VkNegotiateLayerInterface.
#[repr(C)]
pub struct NegotiateInterface {
    s_type: u32,
    next: *mut c_void,
    version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

impl NegotiateInterface {
    /// Answers the loader. Every field is written: the loader reuses the struct from layer to layer.
    pub fn answer(
        &mut self,
        gipa: vk::PFN_vkGetInstanceProcAddr,
        gdpa: vk::PFN_vkGetDeviceProcAddr,
        gpdpa: GetPhysicalDeviceProcAddr,
    ) -> vk::Result {
        if self.s_type != NEGOTIATE_INTERFACE_STRUCT || self.version < INTERFACE_VERSION {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        self.version = INTERFACE_VERSION;
        self.get_instance_proc_addr = Some(gipa);
        self.get_device_proc_addr = Some(gdpa);
        self.get_physical_device_proc_addr = Some(gpdpa);
        vk::Result::SUCCESS
    }
}
