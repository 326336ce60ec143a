//! Compiles every shader of `shaders/` to SPIR-V in `OUT_DIR` with glslc: `flat.vert` becomes `flat.vert.spv`.
//!
//! The compiler is the one named by `GLSLC`, else `glslc` on the search path.

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=shaders");
    println!("cargo::rerun-if-env-changed=GLSLC");
    match compile_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn compile_all() -> Result<(), String> {
    let out = std::env::var("OUT_DIR").map_err(|e| format!("OUT_DIR: {e}"))?;
    let glslc = std::env::var("GLSLC").unwrap_or_else(|_| "glslc".into());
    let entries = std::fs::read_dir("shaders").map_err(|e| format!("sample-apps/shaders: {e}"))?;
    for entry in entries {
        let path = entry.map_err(|e| format!("sample-apps/shaders: {e}"))?.path();
        if matches!(path.extension().and_then(|e| e.to_str()), Some("vert" | "frag" | "comp")) {
            compile(&glslc, &path, Path::new(&out))?;
        }
    }
    Ok(())
}

fn compile(glslc: &str, shader: &Path, out: &Path) -> Result<(), String> {
    let name = shader.file_name().and_then(|n| n.to_str()).ok_or("a shader's file name is not UTF-8")?;
    let status = Command::new(glslc)
        .args(["--target-env=vulkan1.0", "-O", "-o"])
        .arg(out.join(format!("{name}.spv")))
        .arg(shader)
        .status()
        .map_err(|e| {
            format!(
                "cannot run the shader compiler `{glslc}` ({e}). Install it (Debian, Ubuntu: package glslc; Fedora: glslc; \
                 Arch: shaderc; elsewhere: the Vulkan SDK) or name it in the environment variable GLSLC."
            )
        })?;
    if status.success() { Ok(()) } else { Err(format!("`{glslc}` rejects sample-apps/shaders/{name} ({status})")) }
}
