//! Reads captures, whole or cut short.

use crate::error::ReadError;
use crate::foreign;
use crate::header::{Header, VERSION};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tbdr_model::record::Record;

/// Longest line that is read. A million operations of a frame fit many times; a file that has a longer line is not ours.
/// How deeply a record may nest is bounded by the JSON parser (128).
pub const MAX_LINE_BYTES: u64 = 256 << 20;

/// Bytes of a foreign file that are looked at to say what it is.
const SNIFFED: u64 = 4096;

/// How every header begins.
const HEADER_START: &[u8] = br#"{"tilelens_capture":"#;

/// A capture in memory.
#[derive(Debug)]
pub struct Capture {
    /// The records, in order.
    pub records: Vec<Record>,
    /// Set if the last line was cut: the program was killed while it was written.
    pub cut: Option<CutTail>,
}

/// A last line that is not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutTail {
    /// Its number, counted from 1.
    pub line: u64,
    /// What is missing.
    pub reason: String,
}

/// Reads the whole capture at `path`.
pub fn read(path: &Path) -> Result<Capture, ReadError> {
    let mut reader = Reader::open(path)?;
    let records = reader.by_ref().collect::<Result<_, _>>()?;
    Ok(Capture { records, cut: reader.cut })
}

/// Reads a capture record by record; the memory it takes does not grow with the file.
#[derive(Debug)]
pub struct Reader<R = BufReader<File>> {
    source: R,
    path: PathBuf,
    /// Number of the line last read.
    line: u64,
    buffer: Vec<u8>,
    cut: Option<CutTail>,
    done: bool,
}

impl Reader {
    /// Opens the capture at `path` and reads its header.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(|error| ReadError::Io { path: path.into(), error })?;
        Self::new(BufReader::with_capacity(1 << 16, file), path)
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads a capture from `source`; `path` is how messages call it.
    pub fn new(source: R, path: &Path) -> Result<Self, ReadError> {
        let mut reader = Self { source, path: path.into(), line: 0, buffer: Vec::new(), cut: None, done: false };
        reader.header()?;
        Ok(reader)
    }

    /// The cut tail, once the last record was read.
    pub fn cut(&self) -> Option<&CutTail> {
        self.cut.as_ref()
    }

    fn header(&mut self) -> Result<(), ReadError> {
        let path = self.path.clone();
        // A foreign file may be huge and have no line ends at all: look at its beginning only.
        self.next_line(SNIFFED)?;
        if self.buffer.is_empty() {
            return Err(ReadError::Empty { path });
        }
        let Some(version) = self.version() else {
            // Killed within the very first write: so much of a header as there is.
            let begins = HEADER_START.len().min(self.buffer.len());
            if self.buffer[..begins] == HEADER_START[..begins] && !self.buffer.ends_with(b"\n") {
                return Err(ReadError::Empty { path });
            }
            if let Some(found) = self.wrong_version() {
                return Err(ReadError::Version { path, found });
            }
            let missing = SNIFFED.saturating_sub(self.buffer.len() as u64);
            let _ = self.source.by_ref().take(missing).read_to_end(&mut self.buffer);
            let (looks_like, remedy) = foreign::describe(&self.buffer);
            return Err(ReadError::Foreign { path, looks_like, remedy });
        };
        if version > u64::from(VERSION) {
            let header: Option<Header> = serde_json::from_slice(&self.buffer).ok();
            let writer =
                header.map_or_else(|| "of an unknown version".into(), |h| h.writer.escape_debug().take(40).collect());
            return Err(ReadError::Newer { path, version, writer });
        }
        Ok(())
    }

    /// The format version, if the line in the buffer is a header at all.
    fn version(&self) -> Option<u64> {
        let value: serde_json::Value = serde_json::from_slice(&self.buffer).ok()?;
        value.get("tilelens_capture")?.as_u64().filter(|&version| version > 0)
    }

    /// What a header says in place of a version.
    fn wrong_version(&self) -> Option<String> {
        let value: serde_json::Value = serde_json::from_slice(&self.buffer).ok()?;
        let found = value.get("tilelens_capture")?.to_string();
        let escaped = |c: char| if c == '"' { c.to_string() } else { c.escape_debug().to_string() };
        Some(found.chars().take(40).map(escaped).collect())
    }

    /// Reads a line of at most `limit` bytes with its line end, or less at the end of the file.
    fn next_line(&mut self, limit: u64) -> Result<(), ReadError> {
        self.buffer.clear();
        self.line += 1;
        let read = self.source.by_ref().take(limit).read_until(b'\n', &mut self.buffer);
        read.map(drop).map_err(|error| ReadError::Io { path: self.path.clone(), error })
    }

    fn next_record(&mut self) -> Result<Option<Record>, ReadError> {
        self.next_line(MAX_LINE_BYTES)?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        let whole = self.buffer.ends_with(b"\n");
        if !whole && self.buffer.len() as u64 == MAX_LINE_BYTES {
            return Err(self.broken(format!("longer than {MAX_LINE_BYTES} bytes")));
        }
        match serde_json::from_slice::<Record>(&self.buffer) {
            Ok(record) if self.line == 2 && !matches!(record, Record::Run(_)) => {
                Err(self.broken("the first record must be `run`".into()))
            }
            Ok(record) => Ok(Some(record)),
            Err(_) if !whole => {
                let reason = format!("it ends after {} bytes without a line end", self.buffer.len());
                self.cut = Some(CutTail { line: self.line, reason });
                Ok(None)
            }
            Err(_) if self.buffer.starts_with(HEADER_START) => {
                Err(self.broken("another capture begins here: give each a file of its own".into()))
            }
            // The line is known: what is left is where in it.
            Err(error) => Err(self.broken(error.to_string().replace(" at line 1 column ", " at column "))),
        }
    }

    fn broken(&self, reason: String) -> ReadError {
        // The reason may quote the file.
        let reason = reason.chars().take(200).flat_map(char::escape_debug).collect();
        ReadError::Broken { path: self.path.clone(), line: self.line, reason }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let record = self.next_record();
        self.done = !matches!(record, Ok(Some(_)));
        record.transpose()
    }
}
