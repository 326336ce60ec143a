//! The capture file: the recorded run on disk, from which every report can be made again without the program.
//!
//! JSON Lines: a [`Header`], then one [`Record`](tbdr_model::record::Record) a line. The [`Writer`] hands each line to the system in
//! one piece, so a program that is killed leaves at most one cut line, at the end; the [`Reader`] gives all lines before it. Lines are bounded, and
//! whatever else is wrong is an error that names file and line. A [`Folder`] is where the layer puts a capture and, whole or not at
//! all, the report beside it.
#![forbid(unsafe_code)]

mod atomic;
mod error;
mod folder;
mod foreign;
mod header;
mod reader;
#[cfg(feature = "schema")]
mod schema;
mod writer;

pub use atomic::write_atomic;
pub use error::ReadError;
pub use folder::{Access, Folder, append, create_folders};
pub use header::{Header, VERSION};
pub use reader::{Capture, CutTail, MAX_LINE_BYTES, Reader, read};
#[cfg(feature = "schema")]
pub use schema::{Line, schema};
pub use writer::{Appended, Writer};

/// Name of the capture in a run's folder.
pub const CAPTURE_FILE_NAME: &str = "capture.jsonl";
/// Name of the report in a run's folder.
pub const REPORT_FILE_NAME: &str = "report.json";
