//! What the layer is called, how it is found and how it is set up.
//!
//! [`SETTINGS`] is the one table of settings: the environment, the settings file, VK_EXT_layer_settings, both manifests and
//! docs/settings.md follow from it. [`Settings`] are the values in force; [`Settings::resolve`] computes them from the three
//! sources and reports every [`Problem`] instead of failing, because the program under the layer must run whatever is set.
//! The conventions are those of the Vulkan-Utility-Libraries (layer settings) and of the Vulkan loader (manifests).
#![forbid(unsafe_code)]

mod advice;
mod docs;
mod file;
mod frames;
mod json;
mod names;
mod problem;
mod profiles;
mod resolve;
mod setting;
mod settings;
mod value;

pub use advice::{NotAnItem, RuleItem, find_rule};
pub use docs::settings_page;
pub use frames::{FrameRange, FrameSet, NotFrames};
pub use json::{explicit_manifest, implicit_manifest};
pub use names::{
    ANDROID_SETTINGS_PATH, API_VERSION, DESCRIPTION, DEVICE_EXTENSIONS, DISABLE_VARIABLE, ENABLE_VARIABLE, Extension,
    FILE_PREFIX, INSTANCE_EXTENSIONS, LAYER_NAME, LIBRARY_STEM, MANIFEST_FILE_NAME, MERGE_FEEDBACK, SETTINGS_FILE_NAME,
    SWITCH_VALUE, TOOL_NAME, TOOLING_INFO, android_properties, environment_names, library_file_name,
};
pub use problem::{Problem, Source};
pub use profiles::{NotProfiles, UserProfiles};
pub use resolve::{Lookup, Sources};
pub use setting::{Choice, Kind, SETTINGS, Setting, View, nearest_key};
pub use settings::{LogFormat, LogLevel, Settings};

/// Version of the layer and of everything built with it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
