//! Appends records to a new capture so that a kill at any moment leaves whole lines and at most one cut one.

use crate::header::Header;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use tbdr_model::record::Record;

/// An open capture. Nothing is held back: a record is with the system when [`Writer::append`] returns.
#[derive(Debug)]
pub struct Writer {
    file: File,
    /// Kept for its memory only.
    line: Vec<u8>,
    /// Length of the file up to the last whole line.
    length: u64,
    /// Set once a cut line could not be taken back: whatever came after it would be lost to a reader.
    broken: bool,
}

impl Writer {
    /// Makes the file `path` and writes the header. The file must not exist; a link, even a dangling one, is not followed.
    pub fn create(path: &Path) -> io::Result<Self> {
        // Append mode, so that what is written after a cut line was taken back goes to the right place.
        let file = OpenOptions::new().append(true).create_new(true).open(path)?;
        let mut writer = Self { file, line: Vec::new(), length: 0, broken: false };
        writer.append_line(&Header::default())?;
        Ok(writer)
    }

    /// Appends one record as one line. After an error (a full disk, say) the file holds what it held before, and appending
    /// may be tried again.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        self.append_line(record)
    }

    fn append_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        if self.broken {
            return Err(io::Error::other("the capture ends in a line that could not be completed"));
        }
        self.line.clear();
        serde_json::to_writer(&mut self.line, value)?;
        self.line.push(b'\n');
        // One write(2) for the line, unless the system itself takes it in pieces.
        if let Err(error) = self.file.write_all(&self.line) {
            self.broken = self.file.set_len(self.length).is_err();
            return Err(error);
        }
        self.length += self.line.len() as u64;
        // A frame with a very long list of operations must not hold its memory for the rest of the run.
        if self.line.capacity() > 1 << 20 {
            self.line = Vec::new();
        }
        Ok(())
    }
}
