//! Live instances by dispatch key. Looked up at creation and query time only, so a lock is fine; it is never held while
//! calling down.

use crate::abi::{GetPhysicalDeviceProcAddr, NextInstance};
use crate::dispatch::table::InstanceTable;
use crate::dispatch::typed;
use crate::sinks::messengers::Messengers;
use ash::vk;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::Arc;

/// One VkInstance.
pub struct Instance {
    /// The handle.
    pub handle: vk::Instance,
    /// The next vkGetInstanceProcAddr.
    pub get_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The next vk_layerGetPhysicalDeviceProcAddr.
    pub get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
    /// Next pointers of the hooked instance commands.
    pub next: InstanceTable,
    /// The queries of a physical device that the layer makes itself.
    pub queries: Queries,
    /// VkApplicationInfo::pApplicationName.
    pub application: String,
    /// VkApplicationInfo::pEngineName.
    pub engine: String,
    /// VK_EXT_layer_settings values given at creation, for our layer.
    pub settings: Vec<(String, Vec<String>)>,
    /// Whether VK_EXT_subpass_merge_feedback is provided (setting `merge_feedback`).
    pub merge_feedback: bool,
    /// The application's messengers.
    pub messengers: Arc<Messengers>,
    /// vkGetPhysicalDeviceFeatures2 under the name by which the application may call it.
    pub features2: Option<vk::PFN_vkGetPhysicalDeviceFeatures2>,
}

/// Queries of a physical device, resolved with the instance: asked for later, some loaders answer with the function of the
/// topmost layer, which does not know the handles seen here.
#[derive(Default)]
pub struct Queries {
    /// vkGetPhysicalDeviceProperties.
    pub properties: Option<vk::PFN_vkGetPhysicalDeviceProperties>,
    /// vkGetPhysicalDeviceMemoryProperties.
    pub memory: Option<vk::PFN_vkGetPhysicalDeviceMemoryProperties>,
}

impl Instance {
    /// An instance that the call down has just created.
    ///
    /// # Safety
    /// `handle` is live and `next` is its link.
    pub unsafe fn new(
        handle: vk::Instance,
        next: &NextInstance,
        application: String,
        engine: String,
        settings: Vec<(String, Vec<String>)>,
    ) -> Self {
        let get = next.get_instance_proc_addr;
        // SAFETY: the next layer's vkGetInstanceProcAddr with its own instance.
        let table = unsafe { InstanceTable::load(&|name| get(handle, name.as_ptr())) };
        // SAFETY: the types belong to the names.
        let queries = unsafe {
            Queries {
                properties: typed(get(handle, c"vkGetPhysicalDeviceProperties".as_ptr())),
                memory: typed(get(handle, c"vkGetPhysicalDeviceMemoryProperties".as_ptr())),
            }
        };
        Self {
            handle,
            get_proc_addr: get,
            get_physical_device_proc_addr: next.get_physical_device_proc_addr,
            next: table,
            queries,
            application,
            engine,
            settings,
            merge_feedback: false,
            messengers: Arc::default(),
            features2: None,
        }
    }

    /// Asks the next layer for `name`.
    pub fn below(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the instance is live as long as it is registered.
        unsafe { (self.get_proc_addr)(self.handle, name.as_ptr()) }
    }
}

static LIVE: RwLock<BTreeMap<usize, Arc<Instance>>> = RwLock::new(BTreeMap::new());

/// Registers an instance.
pub fn insert(key: usize, instance: Arc<Instance>) {
    LIVE.write().insert(key, instance);
}

/// Forgets an instance.
pub fn remove(key: usize) -> Option<Arc<Instance>> {
    LIVE.write().remove(&key)
}

/// The instance with this dispatch key; physical devices share their instance's.
pub fn find(key: usize) -> Option<Arc<Instance>> {
    LIVE.read().get(&key).cloned()
}
