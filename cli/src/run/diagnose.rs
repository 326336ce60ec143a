//! Says why nothing was recorded.

use super::child::Ended;
use super::log::RunLog;
use crate::output;
#[cfg(target_os = "linux")]
use crate::system::libraries;
use crate::system::{machine::Machine, program};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What is said after a fault of the layer, whatever it left.
pub const FAULT: &str = "the layer stepped aside after a fault; its log says more";

/// Tells the user, as far as it can be known, why the layer has nothing of `program`, and what of `earlier` runs must not be taken for
/// results of this one.
pub fn explain(command: &[OsString], library: &Path, log: &RunLog, ended: &Ended, earlier: &[PathBuf]) {
    let [program, arguments @ ..] = command else { return };
    let name = tbdr_model::text::shown(&program.to_string_lossy(), 60);
    if log.faults.is_empty() && log.devices == 0 && arguments.iter().any(|argument| only_tells(argument)) {
        output::message(output::NOTE, "note", &format!("{name} made no Vulkan device: nothing was recorded"));
        return;
    }
    let text = if !log.faults.is_empty() {
        format!("{FAULT}: nothing of {name} was recorded. Please report it")
    } else if log.devices > 0 {
        let killed = if ended.signal.is_some() { " and was killed" } else { "" };
        format!(
            "{name} created a Vulkan device{killed}, and no frame of it ended: it submitted no work, or a process of it was stopped before \
             its first frame ended. Without presents all submissions are one frame; with --frame-submits 1 each is one"
        )
    } else if !log.processes.is_empty() {
        format!("{name} created a Vulkan instance and no device: there is nothing to model")
    } else {
        let reasons = reasons(program, library);
        format!("{name} never loaded the layer{}", match reasons.is_empty() {
            true => ": it created no Vulkan instance. It does not use Vulkan, or not with these arguments on this machine; \
                     `tilelens doctor` looks at this machine, VK_LOADER_DEBUG=all shows what a Vulkan loader does"
                .into(),
            false => format!(":\n  - {}\n`tilelens doctor -- {name}` tells more", reasons.join("\n  - ")),
        })
    };
    output::message(output::WARNING, "warning", &text);
    if !earlier.is_empty() {
        let files: Vec<_> = earlier.iter().map(|file| file.display().to_string()).collect();
        let text = format!(
            "this run left nothing; what lies in the output folder is from an earlier run: {}",
            files.join(", ")
        );
        output::message(output::WARNING, "warning", &text);
    }
}

/// Whether an argument asks a program to say something of itself, as programs do before they draw anything.
fn only_tells(argument: &OsStr) -> bool {
    ["--help", "-h", "--version", "-V"].iter().any(|word| argument == *word)
}

/// Reasons that can be seen from outside.
fn reasons(program: &OsStr, library: &Path) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(path) = program::find(program) {
        if let Some(rights) = program::rights(&path) {
            reasons.push(format!(
                "{} runs with rights {}: the Vulkan loader then ignores variables",
                path.display(),
                rights.how
            ));
        }
        if let (Some(program), Some(layer)) = (Machine::of(&path), Machine::of(library)) {
            if program != layer {
                reasons.push(format!(
                    "{} is for another kind of machine ({program}) than the layer {} ({layer}): build the layer for it too",
                    path.display(),
                    library.display()
                ));
            }
        }
        if program::is_sandbox(&path) {
            reasons.push(
                "the program runs in a sandbox that hides variables and files: run what is in it directly".into(),
            );
        }
    }
    #[cfg(target_os = "linux")]
    reasons.extend(loader_reasons());
    reasons
}

/// Reasons that lie with the Vulkan loader.
#[cfg(target_os = "linux")]
fn loader_reasons() -> Vec<String> {
    let mut reasons = Vec::new();
    match libraries::find("libvulkan.so.1".as_ref()) {
        None => reasons.push(
            "no Vulkan loader (libvulkan.so.1) was found on this machine: install it (Debian: libvulkan1)".into(),
        ),
        // The name stands in the library if it knows the variable.
        Some(path)
            if !libraries::contains(&path, b"VK_ADD_LAYER_PATH") && std::env::var_os("VK_LAYER_PATH").is_none() =>
        {
            reasons.push(format!(
                "the Vulkan loader {} is too old to know VK_ADD_LAYER_PATH: set \
                 VK_LAYER_PATH=/usr/share/vulkan/explicit_layer.d and run again",
                path.display()
            ));
        }
        Some(_) => {}
    }
    if let Some(settings) = libraries::configurator_settings() {
        reasons.push(format!("{} (Vulkan Configurator) decides about layers: switch it off there", settings.display()));
    }
    reasons
}
