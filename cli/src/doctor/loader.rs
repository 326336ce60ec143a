//! The Vulkan loader, and what it makes of the drivers: told by a probe that really creates an instance.

use super::finding::Findings;
use super::probe::Step;
use super::trial::Told;
use crate::system::libraries;
use crate::system::machine::Machine;
use std::path::PathBuf;
use tbdr_model::text::shown;

const INSTALL: &str = "install the Vulkan loader (Debian, Ubuntu: libvulkan1)";

/// What is known of the loader.
#[derive(Debug, Default)]
pub struct Loader {
    /// Its file.
    pub file: Option<PathBuf>,
    /// The machine that it is for, which layers and drivers must be for too.
    pub machine: Option<Machine>,
    /// Whether it could be used at all.
    pub works: bool,
}

/// Examines the loader by what the probe `told`, which ran without our layer.
pub fn examine(told: &Told, findings: &mut Findings) -> Loader {
    let file = told.steps.iter().find_map(|step| match step {
        Step::Loaded { file } => file.clone(),
        _ => None,
    });
    let own = std::env::current_exe().ok();
    let machine = file.as_deref().or(own.as_deref()).and_then(Machine::of);
    let mut loader = Loader { machine, works: false, file };
    for step in &told.steps {
        match step {
            Step::NotLoaded { error } => {
                findings.problem(
                    "loader-missing",
                    format!("no Vulkan loader can be loaded: {}", shown(error, 300)),
                    INSTALL,
                );
            }
            Step::NoExport { name } => {
                findings.problem("loader-foreign", format!("what is loaded as Vulkan loader lacks {name}"), INSTALL);
            }
            Step::Version { version } => {
                loader.works = true;
                findings.ok("loader", format!("the Vulkan loader is version {version}{}", place(&loader)));
            }
            Step::Instance { devices, .. } if devices.is_empty() => findings.problem(
                "no-device",
                "an instance can be created, and no driver offers a device",
                "install a driver for the GPU, or the software driver (Debian, Ubuntu: mesa-vulkan-drivers)",
            ),
            Step::Instance { devices, .. } => {
                let names: Vec<_> = devices.iter().map(|name| shown(name, 80)).collect();
                findings.ok("devices", format!("an instance can be created; devices: {}", names.join(", ")));
            }
            Step::NoInstance { result } => {
                let remedy = match result.as_str() {
                    "ERROR_INCOMPATIBLE_DRIVER" => "no driver works: see the drivers below",
                    "ERROR_LAYER_NOT_PRESENT" => "VK_INSTANCE_LAYERS names a layer that is not there: see below",
                    _ => "VK_LOADER_DEBUG=all shows why, with any Vulkan program",
                };
                findings.problem(
                    "no-instance",
                    format!("vkCreateInstance fails with VK_{}", shown(result, 60)),
                    remedy,
                );
            }
            Step::Loaded { .. } | Step::Done => {}
        }
    }
    if let Some(died) = &told.died {
        findings.problem(
            "probe-died",
            format!("a process that creates a Vulkan instance {died}"),
            "a driver or layer of this environment is at fault: select drivers one by one with VK_DRIVER_FILES",
        );
    }
    if let Some(file) = &loader.file {
        // The name stands in the library if it knows the variable.
        if !libraries::contains(file, b"VK_ADD_LAYER_PATH") {
            findings.warning(
                "loader-old",
                format!(
                    "the Vulkan loader {} does not know VK_ADD_LAYER_PATH, which `tilelens run` uses",
                    file.display()
                ),
                "set VK_LAYER_PATH=/usr/share/vulkan/explicit_layer.d, to which `tilelens run` then adds",
            );
        }
    }
    if let Some(settings) = libraries::configurator_settings() {
        findings.warning(
            "configurator",
            format!("{} (Vulkan Configurator) decides about layers before every variable does", settings.display()),
            "turn its overriding of layers off there, or remove the file",
        );
    }
    loader
}

fn place(loader: &Loader) -> String {
    let Some(file) = &loader.file else { return String::new() };
    match file.canonicalize() {
        Ok(real) if real != *file => format!(" ({} -> {})", file.display(), real.display()),
        _ => format!(" ({})", file.display()),
    }
}
