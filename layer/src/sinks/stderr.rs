//! The application's standard error as a place for log lines: never waited for, and never mistaken for something else.
//!
//! A pipe that nobody empties takes no more after some kilobytes, and a write to it would stop the thread for good: lines that find
//! it full are lost and counted. A program may close descriptor 2 and get the same number for a file of its own: what
//! the descriptor stood for when the log was set up is remembered, and nothing is written once it stands for something else.
//! What cannot be known is that a file which it stood for from the beginning is no error stream.

use std::sync::atomic::{AtomicU32, Ordering};

/// Lines lost since the last one that was written.
static LOST: AtomicU32 = AtomicU32::new(0);

/// Standard error, as it was when the log was set up.
pub struct Stderr {
    #[cfg(unix)]
    stands_for: Identity,
}

/// Device and inode.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
impl Stderr {
    /// Standard error; `None` if the program has none.
    pub fn open() -> Option<Self> {
        Some(Self { stands_for: identity()? })
    }

    /// Writes a line, or loses it.
    pub fn write(&self, line: &[u8]) {
        use rustix::io::{retry_on_intr, write};
        if identity() != Some(self.stands_for) {
            return;
        }
        let mut rest = line;
        while !rest.is_empty() {
            // After a line was lost the next ones wait for nothing.
            let patience = if LOST.load(Ordering::Relaxed) == 0 { 100 } else { 0 };
            let piece = &rest[..rest.len().min(PIECE)];
            let written = match takes_more(patience) {
                true => retry_on_intr(|| write(rustix::stdio::stderr(), piece)).unwrap_or(0),
                false => 0,
            };
            if written == 0 {
                LOST.fetch_add(1, Ordering::Relaxed);
                return;
            }
            rest = &rest[written..];
        }
    }
}

/// Bytes that a pipe which takes anything takes at once: PIPE_BUF.
#[cfg(unix)]
const PIECE: usize = if cfg!(any(target_os = "linux", target_os = "android")) { 4096 } else { 512 };

/// What descriptor 2 stands for.
#[cfg(unix)]
#[allow(clippy::unnecessary_cast)] // The types differ from system to system.
fn identity() -> Option<Identity> {
    let found = rustix::fs::fstat(rustix::stdio::stderr()).ok()?;
    Some((found.st_dev as u64, found.st_ino as u64))
}

/// Whether a piece can be written without waiting, now or within some milliseconds.
#[cfg(unix)]
fn takes_more(milliseconds: u64) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stderr = rustix::stdio::stderr();
    let timeout = Timespec::try_from(std::time::Duration::from_millis(milliseconds)).unwrap_or_default();
    poll(&mut [PollFd::new(&stderr, PollFlags::OUT)], Some(&timeout)).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
impl Stderr {
    /// Standard error.
    pub fn open() -> Option<Self> {
        Some(Self {})
    }

    /// Writes a line, or loses it.
    pub fn write(&self, line: &[u8]) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line);
    }
}

/// Number of the lines that were lost, once if there is room again.
pub fn lost() -> Option<u32> {
    if LOST.load(Ordering::Relaxed) == 0 {
        return None;
    }
    #[cfg(unix)]
    if !takes_more(0) {
        return None;
    }
    Some(LOST.swap(0, Ordering::Relaxed)).filter(|lost| *lost > 0)
}
