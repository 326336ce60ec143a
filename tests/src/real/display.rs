//! An X server of the test's own.

use super::{Missing, program};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};

/// A running Xvfb, ended when dropped.
pub struct Display {
    server: Child,
    /// Value of DISPLAY.
    pub name: String,
}

impl Display {
    /// Starts a server on a free display number, which the server itself finds.
    pub fn start() -> Result<Self, Missing> {
        let xvfb = program("Xvfb", "xvfb")?;
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for the two descriptors.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        // SAFETY: the descriptors were just made and belong to nobody else.
        let (read, write) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
        let mut command = Command::new(xvfb);
        command.args(["-displayfd", &write.as_raw_fd().to_string(), "-noreset", "-screen", "0", "1280x800x24"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = command.spawn().unwrap_or_else(|e| panic!("Xvfb: {e}"));
        drop(write);
        let mut number = String::new();
        BufReader::new(File::from(read)).read_line(&mut number).unwrap();
        let number = number.trim();
        assert!(!number.is_empty(), "Xvfb did not start");
        Ok(Self { server, name: format!(":{number}") })
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
