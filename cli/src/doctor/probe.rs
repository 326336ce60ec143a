//! Tries things that may crash, in a process of its own: the Vulkan loader with its drivers and layers, or a library.
//!
//! The process tells each step as a line of JSON on its standard output as soon as it is done, so that a crash leaves what came
//! before it. The only unsafe code of the command is here: it calls C.
#![allow(unsafe_code)]

use anyhow::Result;
use ash::vk;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Try the Vulkan loader, or a layer's library, in this process.
#[derive(clap::Args)]
pub struct Args {
    /// The library to load; without one, the Vulkan loader is tried.
    library: Option<PathBuf>,
}

/// One line of what happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tilelens_probe", rename_all = "snake_case")]
pub enum Step {
    /// A library could not be loaded; the dynamic linker's words.
    NotLoaded {
        /// Its words.
        error: String,
    },
    /// A library is loaded.
    Loaded {
        /// Its file, where the system tells.
        file: Option<PathBuf>,
    },
    /// A loaded library lacks an export that it must have.
    NoExport {
        /// The name of the function.
        name: String,
    },
    /// vkEnumerateInstanceVersion.
    Version {
        /// As three numbers.
        version: String,
    },
    /// vkCreateInstance and vkEnumeratePhysicalDevices succeeded.
    Instance {
        /// Names of the physical devices. Hostile.
        devices: Vec<String>,
        /// Files that were mapped while the instance lived; none where the system does not tell.
        libraries: Vec<PathBuf>,
    },
    /// One of both failed.
    NoInstance {
        /// The result, as the specification spells it without `VK_`.
        result: String,
    },
    /// The end was reached.
    Done,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.library {
        Some(library) => load(library),
        None => instance(),
    }
    say(&Step::Done);
    Ok(ExitCode::SUCCESS)
}

/// Nobody can be told if the reader has gone.
fn say(step: &Step) {
    if let Ok(line) = serde_json::to_string(step) {
        let mut stdout = std::io::stdout();
        let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    }
}

/// Tries a layer's library as the loader does.
fn load(path: &std::path::Path) {
    const NEGOTIATE: &CStr = c"vkNegotiateLoaderLayerInterfaceVersion";
    // SAFETY: its initialisers run, as in every program that loads the layer; that they may misbehave is why this is a process of
    // its own.
    match unsafe { libloading::Library::new(path) } {
        Err(error) => say(&Step::NotLoaded { error: error.to_string() }),
        Ok(library) => {
            say(&Step::Loaded { file: Some(path.into()) });
            // SAFETY: only whether the symbol is there is looked at.
            let export = unsafe { library.get::<*const ()>(NEGOTIATE.to_bytes_with_nul()) };
            if export.is_err() {
                say(&Step::NoExport { name: NEGOTIATE.to_string_lossy().into_owned() });
            }
            // A library that is not ours may not survive being unloaded.
            std::mem::forget(library);
        }
    }
}

/// Creates an instance, in the environment that this process was given.
fn instance() {
    let name = if cfg!(windows) {
        "vulkan-1.dll"
    } else if cfg!(target_os = "macos") {
        "libvulkan.1.dylib"
    } else {
        "libvulkan.so.1"
    };
    // SAFETY: the Vulkan loader, which every Vulkan program loads like this.
    let library = match unsafe { libloading::Library::new(name) } {
        Ok(library) => library,
        Err(error) => return say(&Step::NotLoaded { error: error.to_string() }),
    };
    let stem = name.split(".so").next().unwrap_or(name);
    let named = |path: &PathBuf| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(stem));
    say(&Step::Loaded { file: mapped().into_iter().find(named) });
    const GET_PROC_ADDR: &CStr = c"vkGetInstanceProcAddr";
    // SAFETY: the function has this type by the specification.
    let get = unsafe { library.get::<vk::PFN_vkGetInstanceProcAddr>(GET_PROC_ADDR.to_bytes_with_nul()) };
    let Ok(get_instance_proc_addr) = get.map(|function| *function) else {
        return say(&Step::NoExport { name: GET_PROC_ADDR.to_string_lossy().into_owned() });
    };
    // SAFETY: the loader's own function; the library stays loaded to the end of this function.
    let entry = unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr }) };
    // SAFETY: no more is asked of the caller than a working loader.
    let version = match unsafe { entry.try_enumerate_instance_version() } {
        Ok(version) => version.unwrap_or(vk::API_VERSION_1_0),
        Err(result) => return say(&Step::NoInstance { result: format!("{result:?}") }),
    };
    let [major, minor, patch] =
        [vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version)];
    say(&Step::Version { version: format!("{major}.{minor}.{patch}") });
    match devices(&entry) {
        Ok((devices, libraries)) => say(&Step::Instance { devices, libraries }),
        Err(result) => say(&Step::NoInstance { result: format!("{result:?}") }),
    }
}

/// The names of the physical devices that an instance has, and the libraries that came with it.
fn devices(entry: &ash::Entry) -> Result<(Vec<String>, Vec<PathBuf>), vk::Result> {
    let application =
        vk::ApplicationInfo::default().application_name(c"tilelens doctor").api_version(vk::API_VERSION_1_0);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: a valid create info without extensions; the instance is destroyed below and nothing of it survives.
    unsafe {
        let instance = entry.create_instance(&info, None)?;
        let devices = instance.enumerate_physical_devices().map(|devices| {
            let name = |device| {
                let properties = instance.get_physical_device_properties(device);
                properties
                    .device_name_as_c_str()
                    .map_or_else(|_| "?".into(), |name| name.to_string_lossy().into_owned())
            };
            devices.into_iter().map(name).collect()
        });
        let libraries = mapped();
        instance.destroy_instance(None);
        devices.map(|devices| (devices, libraries))
    }
}

/// The files that are mapped into this process, each once, in order of path.
fn mapped() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let files: BTreeSet<_> =
        maps.lines().filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..]))).collect();
    files.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::Step;

    #[test]
    fn a_step_reads_back_as_it_is_told() {
        let step = Step::Instance { devices: vec!["a\n\"b".into()], libraries: vec!["/x.so".into()] };
        let line = serde_json::to_string(&step).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Step>(&line).unwrap(), step);
    }
}
