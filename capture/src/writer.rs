//! Appends records to a new capture so that a kill at any moment leaves whole lines and at most one cut one.
//!
//! A capture may have a largest size. The writer keeps room below it for the records that say so and end the capture, so that the
//! file is never larger and always ends in order.

use crate::CAPTURE_FILE_NAME;
use crate::folder::{Access, Folder};
use crate::header::Header;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tbdr_model::record::Record;

/// Room for what [`Writer::append_last`] writes: queues, two gaps and the end, with their largest numbers.
const ROOM: u64 = 640;

/// An open capture. Nothing is held back: a record is with the system when [`Writer::append`] returns.
#[derive(Debug)]
pub struct Writer {
    file: File,
    /// Kept for its memory only.
    line: Vec<u8>,
    /// Length of the file up to the last whole line.
    length: u64,
    /// Most bytes that the file may have.
    limit: u64,
    /// Set once a cut line could not be taken back: whatever came after it would be lost to a reader.
    broken: bool,
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is in the file.
    Whole,
    /// The file would be larger than it may be: nothing was written.
    Full,
}

impl Writer {
    /// Makes the file `path`, of any size, and writes the header. The file must not exist; a link is not followed.
    pub fn create(path: &Path) -> io::Result<Self> {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name in UTF-8"))?;
        let folder = Folder::open(path.parent().unwrap_or(Path::new("")), true)?;
        Self::new(folder.create_file(name, Access::Private)?, 0)
    }

    /// Makes the capture of `folder`, which will have at most `limit` bytes (0: any number), and writes the header. Where not even that
    /// fits there is no file, and the error is [`io::ErrorKind::FileTooLarge`].
    pub fn create_in(folder: &Folder, limit: u64) -> io::Result<Self> {
        let made = Self::new(folder.create_file(CAPTURE_FILE_NAME, Access::Private)?, limit);
        if made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::FileTooLarge) {
            folder.remove(CAPTURE_FILE_NAME.as_ref())?;
        }
        made
    }

    fn new(file: File, limit: u64) -> io::Result<Self> {
        let limit = if limit == 0 { u64::MAX } else { limit };
        let mut writer = Self { file, line: Vec::new(), length: 0, limit, broken: false };
        match writer.append_line(&Header::default(), ROOM)? {
            Appended::Whole => Ok(writer),
            Appended::Full => {
                let text = format!("{limit} bytes are too few for a capture");
                Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
            }
        }
    }

    /// Appends one record as one line, if the capture stays small enough. After an error (a full disk, say) the file holds what it
    /// held before, and appending may be tried again.
    pub fn append(&mut self, record: &Record) -> io::Result<Appended> {
        self.append_line(record, ROOM)
    }

    /// Appends a record that ends the capture: [`Record::Gap`] or [`Record::End`]. There is room for two gaps and an end
    /// after [`Writer::append`] said [`Appended::Full`].
    pub fn append_last(&mut self, record: &Record) -> io::Result<Appended> {
        self.append_line(record, 0)
    }

    fn append_line(&mut self, value: &impl Serialize, room: u64) -> io::Result<Appended> {
        if self.broken {
            return Err(io::Error::other("the capture ends in a line that could not be completed"));
        }
        self.line.clear();
        serde_json::to_writer(&mut self.line, value)?;
        self.line.push(b'\n');
        let length = self.length + self.line.len() as u64;
        let fits = length.saturating_add(room) <= self.limit;
        // One write(2) for the line, unless the system itself takes it in pieces.
        if let Err(error) = if fits { self.file.write_all(&self.line) } else { Ok(()) } {
            self.broken = self.file.set_len(self.length).is_err();
            return Err(error);
        }
        // A frame with a very long list of operations must not hold its memory for the rest of the run.
        if self.line.capacity() > 1 << 20 {
            self.line = Vec::new();
        }
        if !fits {
            return Ok(Appended::Full);
        }
        self.length = length;
        Ok(Appended::Whole)
    }
}
