//! What the log has said, for what it says once per process.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::time::Duration;

/// Texts that are remembered: programs choose values of settings, and with them the texts.
const MOST: usize = 256;

static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Whether `text` comes here for the first time.
pub fn first_time(text: &str) -> bool {
    // A forked child may inherit the lock from a thread that it lacks: saying it twice is better than waiting.
    let Some(mut said) = SAID.try_lock_for(Duration::from_millis(100)) else { return true };
    if said.len() >= MOST {
        return !said.contains(text);
    }
    said.insert(text.into())
}
