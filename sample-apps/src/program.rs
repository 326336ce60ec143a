//! How every sample ends: what it prints, and its exit status.

use crate::pixels;
use crate::{Error, size::Size};
use std::io::Write;
use std::process::ExitCode;

/// The exit status of `program`: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run. What went
/// wrong is said on standard error.
pub fn exit(program: &str, result: Result<(), Error>) -> ExitCode {
    let status = match &result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Error::WrongPixel { .. }) => 1,
        Err(_) => 2,
    };
    if let Err(error) = result {
        eprintln!("{program}: {error}");
    }
    ExitCode::from(status)
}

/// Prints the hash of the last frame's pixels and how many of them were checked, then `more` on lines of their own.
pub fn report(size: Size, found: &[u8], checked: usize, more: &[String]) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "pixels: {:016x}", pixels::hash(found))?;
    writeln!(out, "checked: {checked} of {}", size.pixels())?;
    for line in more {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
