//! Files that are whole or not there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Makes or replaces the file `path`: whoever reads it, at any moment, sees the old contents or the new, never a part. A link
/// of that name is replaced, not followed. One writer at a time per path.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
    let mut partial = std::ffi::OsString::from(".");
    partial.push(name);
    partial.push(".partial");
    let partial = path.with_file_name(partial);
    // The name is always the same, so that a kill leaves one stray file at most; what an earlier kill left goes first.
    match fs::remove_file(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // No sync: this guards against a kill, not against a power cut, and a program under the layer must not wait for a disk.
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&partial)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written
}
