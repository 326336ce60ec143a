//! Why a capture cannot be read, each with what to do about it.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a capture cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system does not let us.
    #[error("{}: cannot be read: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Nothing is in it, or not even all of its first line.
    #[error("{}: nothing whole is in it: the program ended before its first frame; run it again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Some other kind of file.
    #[error("{}: not a Tilelens capture: it looks like {looks_like}; {remedy}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it seems to be, in words.
        looks_like: String,
        /// What to do, in words.
        remedy: &'static str,
    },
    /// The first line is that of a capture, and does not say which format it has.
    #[error(
        "{}:1: `tilelens_capture` is {found} and not the version of the format, such as {}; the file was changed after it was written: \
         capture again",
        path.display(),
        crate::VERSION
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// What stands there, escaped.
        found: String,
    },
    /// Written by a later version.
    #[error(
        "{}: the capture has format version {version} (written by Tilelens {writer}) and this Tilelens reads up to version \
         {}; use that Tilelens or a newer one",
        path.display(),
        crate::VERSION
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Format version of the file.
        version: u64,
        /// Who wrote it, escaped.
        writer: String,
    },
    /// A line that is not the last is not a record.
    #[error(
        "{}:{line}: not a record: {reason}; the file was changed after it was written: capture again, or cut the file before \
         this line to keep what comes before",
        path.display()
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}
