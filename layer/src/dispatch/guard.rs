//! Fail open: our part of a hook runs under this guard. A panic is caught, logged once, and from then on the layer is a
//! pass-through: hooks call down and record nothing.

use crate::dispatch::table::HookId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Once, OnceLock};

/// Everything is recorded.
const RUNNING: u32 = 0;
/// A fault happened: nothing is recorded any more.
const PASS_THROUGH: u32 = u32::MAX;

/// `RUNNING`, `PASS_THROUGH`, or one more than the hook in which a test wants a panic.
static MODE: AtomicU32 = AtomicU32::new(RUNNING);

/// What the fault was, once there was one.
static FAULT: OnceLock<String> = OnceLock::new();

/// Runs our part of a hook. `None` after a fault.
#[inline(always)]
pub fn guard<R>(hook: HookId, ours: impl FnOnce() -> R) -> Option<R> {
    let mode = MODE.load(Ordering::Relaxed);
    if mode != RUNNING && !may_run(mode, hook) {
        return None;
    }
    match catch_unwind(AssertUnwindSafe(ours)) {
        Ok(value) => Some(value),
        Err(payload) => {
            fault(hook.name(), payload.as_ref());
            None
        }
    }
}

/// Whether the layer has given up recording.
#[inline(always)]
pub fn passing_through() -> bool {
    MODE.load(Ordering::Relaxed) == PASS_THROUGH
}

/// What the fault was, in one line, once the layer has given up recording.
pub fn told_fault() -> Option<&'static str> {
    FAULT.get().map(String::as_str)
}

/// The `inject_panic` setting: the next run of the hook `name` panics.
pub fn inject(name: &str) -> bool {
    match HookId::by_name(name) {
        Some(hook) => {
            MODE.store(hook as u32 + 1, Ordering::Relaxed);
            true
        }
        None => false,
    }
}

#[cold]
fn may_run(mode: u32, hook: HookId) -> bool {
    if mode == PASS_THROUGH {
        return false;
    }
    if mode == hook as u32 + 1 {
        let _ = catch_unwind(|| panic!("injected by the setting inject_panic"))
            .map_err(|payload| fault(hook.name(), payload.as_ref()));
        return false;
    }
    true
}

/// Gives up recording, and says so once. Also called by the analysis thread.
#[cold]
pub fn fault(place: &str, payload: &(dyn std::any::Any + Send)) {
    MODE.store(PASS_THROUGH, Ordering::Relaxed);
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let why = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("unknown");
        // The log itself may be what is at fault.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let told = FAULT.get_or_init(|| crate::sinks::log::fault_line(place, why));
            crate::sinks::log::fault(place, told);
        }));
        let _ = catch_unwind(crate::runtime::run_log_fault);
    });
}

/// Keeps the default panic message off the application's stderr: [`fault`] reports in one line. The library has a standard
/// library of its own, so an application written in Rust is not affected.
pub fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}
