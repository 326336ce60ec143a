//! Prints, for every command name of the registry, whether the loader's vkGetInstanceProcAddr (without and with an instance)
//! and vkGetDeviceProcAddr know it.
//!
//! Usage: `proc_matrix 1.0|1.1|1.2|1.3 none|all`: API version of the instance, and which extensions are enabled.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ffi::CString;
use std::io::Write;
use tilelens_tests::real::vulkan::{Vulkan, Wanted};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let minor: u32 = arguments[1].trim_start_matches("1.").parse().unwrap();
    let api = vk::make_api_version(0, 1, minor, 0);
    let wanted = Wanted { api, extensions: arguments[2] == "all", ..Wanted::default() };
    let vulkan = Vulkan::new(wanted);
    let mut text = format!("extensions {:?}\n", vulkan.extensions);
    for name in tilelens_tests::names::commands() {
        let c_name = CString::new(name).unwrap();
        let of_nothing = vulkan.instance_address(vk::Instance::null(), &c_name).is_some();
        let of_instance = vulkan.instance_address(vulkan.instance, &c_name).is_some();
        let of_device = vulkan.device_address(&c_name).is_some();
        text.push_str(&format!("{name} {of_nothing} {of_instance} {of_device}\n"));
    }
    std::io::stdout().write_all(text.as_bytes()).unwrap();
    vulkan.stop();
}
