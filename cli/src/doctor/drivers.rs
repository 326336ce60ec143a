//! The drivers that the Vulkan loader finds, each with its library found or not.

use super::finding::Findings;
use super::loader::Loader;
use crate::system::env::Env;
use crate::system::machine::Machine;
use crate::system::manifests;
use std::path::{Path, PathBuf};
use tbdr_model::text::shown;

const INSTALL: &str = "install a driver (Debian, Ubuntu: mesa-vulkan-drivers, which has the software driver too)";

/// Examines the drivers of the environment.
pub fn examine(env: &Env<'_>, loader: &Loader, findings: &mut Findings) {
    let (places, variable) = places(env);
    let files = manifests::files(&places);
    if let Some(variable) = variable {
        let missing = places.iter().filter(|place| !place.exists());
        for place in missing {
            findings.problem(
                "driver-manifest-missing",
                format!("{variable} names {}, which is not there", place.display()),
                format!("name the JSON file of a driver in {variable}, or unset it"),
            );
        }
    }
    let mut usable = 0;
    for file in &files {
        usable += usize::from(driver(file, loader, findings));
    }
    if usable == 0 {
        let whence = variable.map_or_else(|| "in the usual folders".into(), |variable| format!("in {variable}"));
        findings.problem("no-driver", format!("no driver that can be used was found {whence}"), INSTALL);
    }
    for variable in ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"] {
        if let Some(value) = env.text(variable) {
            findings.warning(
                "drivers-filtered",
                format!("{variable}={} leaves drivers out", shown(&value, 80)),
                format!("unset {variable} if a driver is missing"),
            );
        }
    }
}

/// Where the loader looks for drivers, and the variable that replaces its usual folders.
fn places(env: &Env<'_>) -> (Vec<PathBuf>, Option<&'static str>) {
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        if let Some(paths) = env.paths(variable) {
            return (paths, Some(variable));
        }
    }
    let mut places = env.paths("VK_ADD_DRIVER_FILES").unwrap_or_default();
    places.extend(env.standard_folders("icd.d"));
    (places, None)
}

/// Examines one driver; whether it can be used.
fn driver(manifest: &Path, loader: &Loader, findings: &mut Findings) -> bool {
    let path = manifest.display();
    let reinstall = "reinstall the driver, or remove the file";
    let json = match manifests::read(manifest) {
        Ok(json) => json,
        Err(reason) => {
            findings.warning("driver-manifest-broken", format!("driver {path} {}", shown(&reason, 200)), reinstall);
            return false;
        }
    };
    let Some(named) = json["ICD"]["library_path"].as_str() else {
        findings.warning("driver-manifest-broken", format!("driver {path} has no ICD.library_path"), reinstall);
        return false;
    };
    let library = manifests::library(manifest, named);
    let Some(file) = library.file else {
        let what = format!("driver {path}: its library {} is not there", shown(named, 200));
        findings.warning("driver-library-missing", what, reinstall);
        return false;
    };
    match (Machine::of(&file), loader.machine) {
        (Some(driver), Some(loader)) if driver != loader => {
            // Usual on a machine with libraries of two kinds: the loader skips it.
            findings.ok(
                "driver-of-another-machine",
                format!("driver {path} is for {driver}: programs of that kind use it"),
            );
            false
        }
        _ => {
            findings.ok("driver", format!("driver {path}: {}", file.display()));
            true
        }
    }
}
