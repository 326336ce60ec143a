//! Writes on the application's threads whose failure is an error value and nothing more.
//!
//! A write to a pipe without reader raises SIGPIPE, one past RLIMIT_FSIZE raises SIGXFSZ, and either kills a program that has not
//! dealt with it; but these writes are ours. The analysis thread blocks all signals already.

/// Runs `writes` with both signals blocked on this thread. What was raised meanwhile is taken away, what was pending before stays.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn unharmed<R>(writes: impl FnOnce() -> R) -> R {
    /// Ends the blocking also if `writes` panics.
    struct Blocked {
        ours: libc::sigset_t,
        before: libc::sigset_t,
    }
    impl Drop for Blocked {
        fn drop(&mut self) {
            let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: all three are initialised; a time of zero never waits. Signals raised by a write are the thread's own, so that
            // none that was sent to the process by others is taken before they are.
            unsafe {
                while libc::sigtimedwait(&raw const self.ours, std::ptr::null_mut(), &raw const now) > 0 {}
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
            }
        }
    }
    // SAFETY: the sets are locals, initialised by sigemptyset, sigpending and pthread_sigmask; the signal numbers are valid.
    let blocked = unsafe {
        let (mut both, mut ours, mut pending, mut before) =
            (std::mem::zeroed(), std::mem::zeroed(), std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&raw mut both);
        libc::sigemptyset(&raw mut ours);
        libc::sigpending(&raw mut pending);
        for signal in [libc::SIGPIPE, libc::SIGXFSZ] {
            libc::sigaddset(&raw mut both, signal);
            if libc::sigismember(&raw const pending, signal) == 0 {
                libc::sigaddset(&raw mut ours, signal);
            }
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const both, &raw mut before);
        Blocked { ours, before }
    };
    let result = writes();
    drop(blocked);
    result
}

/// Runs `writes`. Where a signal cannot be taken back, the program's own treatment of it is left as it is.
#[cfg(not(target_os = "linux"))]
pub fn unharmed<R>(writes: impl FnOnce() -> R) -> R {
    writes()
}
