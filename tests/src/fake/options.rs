//! How the fake driver and the fake loader behave.

use ash::vk;

/// Versions of Vulkan that a device may have.
pub const API_VERSIONS: [u32; 5] = [
    vk::API_VERSION_1_0,
    vk::API_VERSION_1_1,
    vk::API_VERSION_1_2,
    vk::API_VERSION_1_3,
    vk::make_api_version(0, 1, 4, 0),
];

/// Habits of driver and loader that a layer must cope with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Version of the device, e.g. [`vk::API_VERSION_1_3`]: core commands of later versions do not exist.
    pub api: u32,
    /// Whether commands of extensions exist.
    pub extensions: bool,
    /// Names that do not exist although version and extensions say so.
    pub missing: Vec<String>,
    /// Whether names outside the fake driver's table exist too.
    pub unknown_commands: bool,
    /// A destroyed object's handle is the next one to be given out.
    pub reuse_handles: bool,
    /// Every VkRenderPass has the same handle.
    pub constant_render_pass: bool,
    /// The loader's FEATURES and DATA_CALLBACK structs come before the link.
    pub link_last: bool,
    /// The link carries a vk_layerGetPhysicalDeviceProcAddr.
    pub physical_device_proc_addr: bool,
    /// A physical-device query resolved after vkCreateInstance is a trap, see [`super::driver::proc_addr`].
    pub trap_late_queries: bool,
    /// Names of device extensions that the driver offers.
    pub device_extensions: Vec<&'static str>,
    /// The list of device extensions names VK_EXT_subpass_merge_feedback too, which the driver lacks: loaders add what the manifest of an
    /// implicit layer declares.
    pub adds_merge_feedback: bool,
    /// Names of tools that take part in the driver (vkGetPhysicalDeviceToolProperties).
    pub tools: Vec<&'static str>,
    /// Images of a swapchain.
    pub swapchain_images: u32,
    /// memoryTypeBits of every image and buffer. Type 2 is lazily allocated.
    pub memory_type_bits: u32,
    /// What the driver says that its GPU is.
    pub gpu: FakeGpu,
}

/// What tells a GPU from others in VkPhysicalDeviceProperties.
#[derive(Clone, Copy, Debug)]
pub struct FakeGpu {
    /// deviceName.
    pub name: &'static str,
    /// vendorID.
    pub vendor: u32,
    /// deviceID.
    pub device: u32,
    /// driverVersion.
    pub driver_version: u32,
}

impl Default for FakeGpu {
    fn default() -> Self {
        Self { name: "Fake GPU", vendor: 0x1_0005, device: 1, driver_version: 7 }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            api: vk::API_VERSION_1_3,
            extensions: true,
            missing: Vec::new(),
            unknown_commands: false,
            reuse_handles: false,
            constant_render_pass: false,
            link_last: false,
            physical_device_proc_addr: true,
            trap_late_queries: false,
            device_extensions: vec!["VK_KHR_swapchain", "VK_KHR_dynamic_rendering", "VK_EXT_future_thing"],
            adds_merge_feedback: false,
            tools: Vec::new(),
            swapchain_images: 3,
            memory_type_bits: 0b111,
            gpu: FakeGpu::default(),
        }
    }
}

impl Options {
    /// A driver of the newest version, with every command of the table.
    pub fn newest() -> Self {
        Self { api: vk::make_api_version(0, 1, 4, 0), ..Self::default() }
    }

    /// Whether a command that came with `since` exists.
    pub(super) fn has(&self, name: &str, since: &str) -> bool {
        let minor = vk::api_version_minor(self.api);
        let exists = match since {
            "ext" => self.extensions,
            version => version.strip_prefix("1.").and_then(|m| m.parse::<u32>().ok()).is_some_and(|m| m <= minor),
        };
        exists && !self.missing.iter().any(|m| m == name)
    }
}
