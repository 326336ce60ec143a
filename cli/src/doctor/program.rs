//! The program that shall run, and whether this command itself has rights that make the loader ignore variables.

use super::finding::Findings;
use crate::system::machine::Machine;
use crate::system::program;
use std::ffi::OsStr;
use std::path::Path;
use tbdr_model::text::shown;

/// Examines this process: the Vulkan loader ignores variables where the real user is not the effective one.
pub fn own_rights(findings: &mut Findings) {
    #[cfg(unix)]
    {
        use rustix::process::{getegid, geteuid, getgid, getuid};
        if getuid() != geteuid() || getgid() != getegid() {
            findings.problem(
                "elevated",
                "this process has the rights of another user or group: the Vulkan loader ignores variables in it",
                "start programs as the user who shall run them, without setuid",
            );
        }
    }
    #[cfg(not(unix))]
    let _ = findings;
}

/// Examines the program `name`. `library` is the layer's library that `tilelens run` would use.
pub fn examine(name: &OsStr, library: Option<&Path>, findings: &mut Findings) {
    let called = shown(&name.to_string_lossy(), 100);
    let Some(path) = program::find(name) else {
        return findings.problem("program-missing", format!("there is no program {called}"), "mind its path, or PATH");
    };
    let place = path.display();
    let mut sound = true;
    if let Some(rights) = program::rights(&path) {
        sound = false;
        let whom = if rights.for_us { "" } else { " for other users than this one" };
        findings.problem_if(
            rights.for_us,
            "program-elevated",
            format!("{place} runs with rights {}{whom}: the Vulkan loader then ignores variables", rights.how),
            "run a copy without these rights (cp removes them), or install the layer's manifest in /etc/vulkan/implicit_layer.d",
        );
    }
    if let (Some(program), Some(layer)) = (Machine::of(&path), library.and_then(Machine::of)) {
        if program != layer {
            sound = false;
            findings.problem(
                "program-architecture",
                format!("{place} is for {program}, the layer's library for {layer}"),
                "build the layer for the program's machine too (`cargo build --target`) and name it with --layer",
            );
        }
    }
    if program::is_sandbox(&path) {
        sound = false;
        findings.warning(
            "program-sandbox",
            format!("{place} runs programs in a sandbox that hides variables and files"),
            "run what is in the sandbox directly",
        );
    }
    if sound {
        findings.ok("program", format!("{place} can be run under the layer"));
    }
}
