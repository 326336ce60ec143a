//! The real layer library, loaded and negotiated with as the loader does.

use super::link::{GetDeviceProcAddr, GetInstanceProcAddr, Negotiate, NegotiateFn};
use crate::artefacts;
use ash::vk;
use libloading::Library;
use std::sync::OnceLock;

/// The loaded layer. It stays loaded: the loader may unload it, which has a test of its own.
pub struct Layer {
    library: Library,
    /// vkGetInstanceProcAddr.
    pub get_instance_proc_addr: GetInstanceProcAddr,
    /// vkGetDeviceProcAddr.
    pub get_device_proc_addr: GetDeviceProcAddr,
    /// vk_layerGetPhysicalDeviceProcAddr.
    pub get_physical_device_proc_addr: Option<GetInstanceProcAddr>,
}

impl Layer {
    /// The layer, loaded once per process.
    pub fn get() -> &'static Self {
        static LAYER: OnceLock<Layer> = OnceLock::new();
        LAYER.get_or_init(|| {
            let path = artefacts::layer();
            // SAFETY: the library has no initialisers besides the standard library's.
            let library = unsafe { Library::new(path) }.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let mut answer = Negotiate::new(2);
            // SAFETY: the exported function has this type by the loader's interface.
            let result = unsafe {
                let negotiate = library.get::<NegotiateFn>(b"vkNegotiateLoaderLayerInterfaceVersion\0").unwrap();
                negotiate(&mut answer)
            };
            assert_eq!(result, vk::Result::SUCCESS);
            Self {
                library,
                get_instance_proc_addr: answer.get_instance_proc_addr.unwrap(),
                get_device_proc_addr: answer.get_device_proc_addr.unwrap(),
                get_physical_device_proc_addr: answer.get_physical_device_proc_addr,
            }
        })
    }

    /// An exported function.
    ///
    /// # Safety
    /// `F` must be the function's type.
    pub unsafe fn export<F: Copy>(&self, name: &str) -> F {
        // SAFETY: promised by the caller.
        *unsafe { self.library.get::<F>(name.as_bytes()) }.unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

impl Negotiate {
    /// What a loader of interface `version` passes, with the layer's fields filled with a value that is no function: a
    /// layer must write every field.
    pub fn new(version: u32) -> Self {
        Self {
            s_type: 1,
            next: std::ptr::null_mut(),
            version,
            get_instance_proc_addr: Some(stale),
            get_device_proc_addr: Some(stale_device),
            get_physical_device_proc_addr: Some(stale),
        }
    }
}

/// Left by "the previous layer" in the fields that negotiation fills.
pub extern "system" fn stale(_: vk::Instance, _: *const std::ffi::c_char) -> vk::PFN_vkVoidFunction {
    None
}

/// As [`stale`].
pub extern "system" fn stale_device(_: vk::Device, _: *const std::ffi::c_char) -> vk::PFN_vkVoidFunction {
    None
}
