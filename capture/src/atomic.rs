//! Files that are whole or not there, by path.

use crate::folder::{Access, Folder};
use std::io;
use std::path::Path;

/// [`Folder::write_atomic`] for the file `path`. Its folder may be reached through links, the file itself may be none.
pub fn write_atomic(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
    Folder::open(path.parent().unwrap_or(Path::new("")), true)?.write_atomic(name, bytes, access)
}
