//! Names by which the loader, the user and Android know the layer.

/// Name of the layer.
pub const LAYER_NAME: &str = "VK_LAYER_TILELENS_tbdr";
/// Name of the layer as a tool, for people.
pub const TOOL_NAME: &str = "Tilelens";
/// What the layer is, in one line.
pub const DESCRIPTION: &str = "Models the memory traffic of the program on tile-based GPUs";
/// Name of the library without the platform's prefix and suffix.
pub const LIBRARY_STEM: &str = "VkLayer_tilelens";
/// Name of both manifests.
pub const MANIFEST_FILE_NAME: &str = "VkLayer_tilelens.json";
/// Vulkan version that the manifests claim. Loaders before 1.3.228 drop an implicit layer that is older than the application.
pub const API_VERSION: &str = "1.4.328";
/// Variable that turns the implicit layer on when it holds [`SWITCH_VALUE`].
pub const ENABLE_VARIABLE: &str = "ENABLE_TILELENS";
/// Variable that turns the implicit layer off, whatever else is set.
pub const DISABLE_VARIABLE: &str = "DISABLE_TILELENS";
/// Value of both switches.
pub const SWITCH_VALUE: &str = "1";
/// What stands before `.<key>` in a settings file and in Android's properties: the lower-case layer name without `VK_LAYER_`.
pub const FILE_PREFIX: &str = "tilelens_tbdr";
/// Name of the settings file that all Vulkan layers share.
pub const SETTINGS_FILE_NAME: &str = "vk_layer_settings.txt";

/// A Vulkan extension that the layer itself provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Name of the extension.
    pub name: &'static str,
    /// Its specVersion.
    pub spec_version: u32,
    /// Commands of the extension, as a manifest lists them.
    pub entry_points: &'static [&'static str],
}

/// Instance extensions that the layer provides; the manifests declare them, vkEnumerateInstanceExtensionProperties lists them.
pub const INSTANCE_EXTENSIONS: &[Extension] =
    &[Extension { name: "VK_EXT_layer_settings", spec_version: 2, entry_points: &[] }];

/// VK_EXT_tooling_info: the program may ask which tools are at work, whatever the driver knows.
pub const TOOLING_INFO: Extension =
    Extension { name: "VK_EXT_tooling_info", spec_version: 1, entry_points: &["vkGetPhysicalDeviceToolPropertiesEXT"] };

/// VK_EXT_subpass_merge_feedback: the program is told what the first GPU modelled makes of its subpasses; with the setting `merge_feedback`.
pub const MERGE_FEEDBACK: Extension =
    Extension { name: "VK_EXT_subpass_merge_feedback", spec_version: 2, entry_points: &[] };

/// Device extensions that the layer provides; the manifests declare them, vkEnumerateDeviceExtensionProperties lists them.
pub const DEVICE_EXTENSIONS: &[Extension] = &[TOOLING_INFO, MERGE_FEEDBACK];

/// File name of the layer's library on the platform that this was built for.
pub fn library_file_name() -> String {
    format!("{}{LIBRARY_STEM}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Environment variables that set `key`, the one that wins first. `VK_<KEY>` is not among them: other layers share it.
pub fn environment_names(key: &str) -> [String; 2] {
    let key = key.to_uppercase();
    [format!("VK_TILELENS_TBDR_{key}"), format!("VK_TBDR_{key}")]
}

/// Android system property that names the settings file, or its folder.
pub const ANDROID_SETTINGS_PATH: &str = "debug.vulkan.tilelens_tbdr.settings_path";

/// Android system properties that set `key`, the one that wins first; they come before the environment there.
pub fn android_properties(key: &str) -> [String; 2] {
    [format!("debug.vulkan.{FILE_PREFIX}.{key}"), format!("debug.vulkan.tbdr.{key}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_reached_by_the_names_of_the_utility_libraries() {
        let name = LAYER_NAME.strip_prefix("VK_LAYER_").unwrap();
        assert_eq!(FILE_PREFIX, name.to_lowercase());
        let without_vendor = name.split_once('_').unwrap().1;
        assert_eq!(
            environment_names("log_level"),
            [
                format!("VK_{}_LOG_LEVEL", name.to_uppercase()),
                format!("VK_{}_LOG_LEVEL", without_vendor.to_uppercase())
            ]
        );
        assert_eq!(android_properties("gpu"), ["debug.vulkan.tilelens_tbdr.gpu", "debug.vulkan.tbdr.gpu"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn android_and_linux_find_the_library_under_lib_vklayer() {
        assert_eq!(library_file_name(), "libVkLayer_tilelens.so");
    }
}
