//! What the process has once: settings, log, the end of the process, and the run log of `tilelens run`.

use crate::dispatch::{devices, guard};
use crate::sinks::log;
use crate::sinks::signals::unharmed;
use crate::worker::PATIENCE;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Once, OnceLock};
use std::time::Instant;
use tbdr_model::gpu::Profile;
use tbdr_model::record::Device;
use tilelens_manifest::Settings;

/// The run log of the first instance, for what concerns the whole process.
static RUN_LOG: OnceLock<PathBuf> = OnceLock::new();

/// The settings of an instance: environment, then settings file, then what the application gave with VK_EXT_layer_settings. And what is wrong
/// with them, which has been logged; nothing stops the program.
pub fn settings(api: Vec<(String, Vec<String>)>) -> (Settings, Vec<String>) {
    guard::silence_panics();
    #[cfg(target_os = "android")]
    let (settings, problems) = Settings::from_process_and(Some(&crate::abi::android::property), api);
    #[cfg(not(target_os = "android"))]
    let (settings, problems) = Settings::from_process(api);
    let mut told: Vec<String> = log::init(&settings).into_iter().collect();
    if let Some(path) = &settings.run_log {
        RUN_LOG.get_or_init(|| path.clone());
    }
    told.extend(problems.iter().map(ToString::to_string));
    if let Some(command) = &settings.inject_panic {
        if !guard::inject(command) {
            told.push(format!("inject_panic: {command} is not a hooked command; no panic will happen"));
        }
    }
    told.iter().for_each(|problem| log::warn_once(problem));
    (settings, told)
}

/// The GPUs that are modelled on a device by these settings. Where they name one that there is none of, they are changed to the default ones;
/// that is logged and told.
pub fn profiles(settings: &mut Settings, device: &Device) -> (Vec<Profile>, Option<String>) {
    let error = match settings.profiles(device) {
        Ok(profiles) => return (profiles, None),
        Err(error) => error,
    };
    settings.gpu = Settings::default().gpu;
    let told = format!("{}.gpu: {error}; modelling {} instead", tilelens_manifest::FILE_PREFIX, settings.gpu.join(","));
    log::warn_once(&told);
    (settings.profiles(device).unwrap_or_default(), Some(told))
}

/// Name of the running program, without its folder.
pub fn program() -> String {
    let path = std::env::current_exe().ok().or_else(|| std::env::args_os().next().map(Into::into));
    path.and_then(|p| p.file_name().map(|n| n.to_string_lossy().into_owned())).unwrap_or_default()
}

/// Appends a line to the run log, by which `tilelens run` knows that the layer was loaded.
pub fn run_log(settings: &Settings, event: &str) {
    if let Some(path) = &settings.run_log {
        append(path, event);
    }
}

/// Tells `tilelens run` that the layer has stepped aside.
pub fn run_log_fault() {
    if let Some(path) = RUN_LOG.get() {
        append(path, "fault");
    }
}

fn append(path: &Path, event: &str) {
    use std::io::Write;
    let line = format!("{{\"event\":\"{event}\",\"pid\":{}}}\n", std::process::id());
    let written = unharmed(|| tilelens_capture::append(path).and_then(|mut file| file.write_all(line.as_bytes())));
    if let Err(error) = written {
        log::warn_once(&format!("run_log: cannot write {}: {error}", path.display()));
    }
}

/// Writes what is still to be written when the process ends without destroying its devices.
#[allow(unsafe_code)]
pub fn flush_at_exit() {
    static ONCE: Once = Once::new();
    static OWNER: AtomicU32 = AtomicU32::new(0);
    extern "C" fn at_exit() {
        // A forked child inherits the handler, but neither the thread nor the files.
        if OWNER.load(Ordering::Relaxed) == std::process::id() {
            let deadline = Instant::now() + PATIENCE;
            let _ = std::panic::catch_unwind(|| devices::for_each(|device| device.recorder.finish(deadline)));
        }
    }
    OWNER.store(std::process::id(), Ordering::Relaxed);
    ONCE.call_once(|| {
        // SAFETY: the library is never unloaded (nodelete), so the handler stays valid.
        unsafe {
            libc::atexit(at_exit);
        }
    });
}
