//! Where results go: the log, the application's messengers, the capture and report.json.

pub mod files;
pub mod log;
pub mod messages;
pub mod messengers;
pub mod places;
mod said;
pub mod signals;
mod stderr;

/// Makes the calling thread a background thread: it uses what the application leaves, and takes none of its signals.
#[allow(unsafe_code)]
pub fn background_thread() {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: the set is a local; on Linux setpriority with who = 0 concerns the calling thread only. Failure changes nothing.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
        libc::setpriority(libc::PRIO_PROCESS, 0, 5);
    }
}
