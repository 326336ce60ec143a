//! A capture survives a kill at any byte, and a file that is no capture is told what it is.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use std::fs;
use std::path::PathBuf;
use tbdr_model::frame::{Dispatch, FrameStructure, Image, Op, Pass, Submission, Subpass};
use tbdr_model::record::{FrameRecord, Gap, GapReason, Record, Run};
use tilelens_capture::{Appended, Folder, ReadError, Reader, Writer, read};

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn records() -> Vec<Record> {
    let pass = Pass {
        labels: vec!["main\n\u{1b}[31m\u{202e}\u{0}".into()],
        subpasses: vec![Subpass { drawn: true, ..Subpass::default() }],
        ..Pass::default()
    };
    let frame = FrameStructure {
        images: vec![Image { name: Some("é".repeat(9)), ..Image::default() }],
        submissions: vec![Submission {
            ops: vec![Op::Pass(pass), Op::Dispatch(Dispatch::default())],
            ..Submission::default()
        }],
        ..FrameStructure::default()
    };
    vec![
        Record::Run(Run { program: "app".into(), ..Run::default() }),
        Record::Structure { id: 0, frame },
        Record::Frame(FrameRecord { index: 0, images: vec![u64::MAX], ..FrameRecord::default() }),
        Record::Gap(Gap { first: 1, count: 2, reason: GapReason::Overload }),
        Record::End,
    ]
}

fn write(name: &str) -> PathBuf {
    let path = folder(name).join("capture.jsonl");
    let mut writer = Writer::create(&path).unwrap();
    for record in records() {
        writer.append(&record).unwrap();
    }
    path
}

fn read_text(text: impl AsRef<[u8]>) -> Result<Vec<Record>, ReadError> {
    Reader::new(text.as_ref(), "a/capture.jsonl".as_ref())?.collect()
}

#[test]
fn what_was_recorded_is_what_is_read() {
    let capture = read(&write("whole")).unwrap();
    assert_eq!(capture.records, records());
    assert_eq!(capture.cut, None);
}

#[test]
fn a_program_killed_at_any_byte_leaves_every_whole_line_readable() {
    let bytes = fs::read(write("cut")).unwrap();
    let ends: Vec<_> = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| n + 1).collect();
    for length in 0..=bytes.len() {
        let reader = Reader::new(&bytes[..length], "cut".as_ref());
        // Less than the header is no capture yet.
        if length < ends[0] - 1 {
            assert!(matches!(reader, Err(ReadError::Empty { .. })), "{length}");
            continue;
        }
        let mut reader = reader.unwrap();
        let read: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
        assert_eq!(read, records()[..read.len()]);
        // A line that lacks its line end alone has lost nothing.
        let whole = ends.iter().filter(|&&end| end <= length + 1).count() - 1;
        assert_eq!(read.len(), whole, "{length}");
        let at_line_end = ends.iter().any(|&end| end == length || end == length + 1);
        assert_eq!(reader.cut().map(|cut| cut.line), (!at_line_end).then_some(whole as u64 + 2), "{length}");
    }
}

#[test]
fn a_broken_line_in_the_middle_is_named() {
    let text =
        fs::read_to_string(write("broken")).unwrap().replacen("{\"record\":\"frame\"", "{\"record\":\"fr\u{1b}me\"", 1);
    let error = read_text(text).unwrap_err().to_string();
    assert!(error.starts_with("a/capture.jsonl:4: not a record: "), "{error}");
    assert!(!error.contains('\u{1b}'), "{error}");
    let error = read_text("{\"tilelens_capture\":1,\"writer\":\"0\"}\n{\"record\":\"end\"}\n").unwrap_err().to_string();
    assert!(error.contains(":2: ") && error.contains("must be `run`"), "{error}");
}

#[test]
fn captures_one_after_the_other_in_a_file_are_told_apart() {
    let one = std::fs::read_to_string(write("one_after_the_other")).unwrap();
    let lines = one.lines().count();
    let error = read_text(one.clone() + &one).unwrap_err().to_string();
    assert!(error.contains(&format!(":{}: not a record: another capture begins here", lines + 1)), "{error}");
}

#[test]
fn a_header_without_a_version_is_told_what_should_stand_there() {
    for (found, told) in
        [("\"x\"", "\"x\""), ("-1", "-1"), ("0", "0"), ("null", "null"), ("\"\\u001b[31m\"", "\"\\\\u001b[31m\"")]
    {
        let error = read_text(format!("{{\"tilelens_capture\":{found}}}\n")).unwrap_err();
        assert!(matches!(error, ReadError::Version { .. }), "{found}: {error}");
        let words = format!(":1: `tilelens_capture` is {told} and not the version of the format");
        assert!(error.to_string().contains(&words), "{error}");
    }
}

#[test]
fn a_newer_capture_says_which_version_to_use() {
    let error =
        read_text("{\"tilelens_capture\":7,\"writer\":\"9.1.0\",\"new\":[]}\n{\"what\":1}\n").unwrap_err().to_string();
    assert!(
        error.contains("format version 7") && error.contains("Tilelens 9.1.0") && error.contains("up to version 1")
    );
}

#[test]
fn a_foreign_file_is_told_what_it_looks_like() {
    let cases: [(&[u8], &str); 10] = [
        (b"\x1f\x8b\x08\0\0", "a gzip archive"),
        (b"RDOC\0\0", "a RenderDoc capture"),
        (b"GFXR\0\0\0\0", "a gfxreconstruct capture"),
        (b"\x7fELF\x02\x01", "a program or library"),
        (b"{\n  \"schema\": \"tilelens.report/1\",\n", "a Tilelens report"),
        (b"{\"record\":\"run\",\"program\":\"x\"}\n", "a capture whose first line is missing"),
        (b"{\"capture\":\"x\"}\n", "other JSON"),
        (b"[1, 2]", "other JSON"),
        (b"hello\n", "text"),
        (b"\xff\xfe\0\0\0", "binary data"),
    ];
    for (bytes, what) in cases {
        let error = read_text(bytes).unwrap_err();
        let ReadError::Foreign { looks_like, .. } = &error else { panic!("{error}") };
        assert_eq!(looks_like, what);
    }
    assert!(matches!(read_text("").unwrap_err(), ReadError::Empty { .. }));
    let error = read(&folder("nothing").join("capture.jsonl")).unwrap_err();
    assert!(matches!(error, ReadError::Io { .. }), "{error}");
}

#[test]
fn a_huge_foreign_file_without_line_ends_is_refused_at_once() {
    #[derive(Debug)]
    struct Endless(u64);
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(b'x');
            self.0 += buffer.len() as u64;
            assert!(self.0 < 1 << 20, "read on and on");
            Ok(buffer.len())
        }
    }
    let error = Reader::new(std::io::BufReader::new(Endless(0)), "x".as_ref()).unwrap_err();
    assert!(matches!(error, ReadError::Foreign { .. }));
}

#[test]
fn a_capture_with_a_limit_stays_below_it_and_says_so() {
    let records = records();
    let frame = |index| Record::Frame(FrameRecord { index, images: vec![7; 9], ..FrameRecord::default() });
    let largest = Record::Gap(Gap { first: u64::MAX, count: u64::MAX, reason: GapReason::CaptureLimit });
    let whole = fs::metadata(write("limit-whole")).unwrap().len();
    for limit in (0..200).map(|n| whole + 500 + n * 7) {
        let folder = Folder::create(&folder("limit").join(limit.to_string())).unwrap();
        let mut writer = Writer::create_in(&folder, limit).unwrap();
        for record in &records[..2] {
            assert_eq!(writer.append(record).unwrap(), Appended::Whole);
        }
        let fitted = (0..).take_while(|&index| writer.append(&frame(index)).unwrap() == Appended::Whole).count();
        assert!(fitted < 100, "{limit}");
        for record in [&largest, &largest, &Record::End] {
            assert_eq!(writer.append_last(record).unwrap(), Appended::Whole, "{limit}");
        }
        let path = folder.path().join("capture.jsonl");
        assert!(fs::metadata(&path).unwrap().len() <= limit);
        let read = read(&path).unwrap();
        assert_eq!((read.records.len(), read.cut), (2 + fitted + 3, None));
        assert_eq!(read.records[2 + fitted..], [largest.clone(), largest.clone(), Record::End]);
    }
}

#[test]
fn a_limit_without_room_for_a_header_is_an_error_and_none_at_all_is_no_limit() {
    let folder = Folder::create(&folder("limit-tiny").join("run")).unwrap();
    assert!(Writer::create_in(&folder, 100).unwrap_err().to_string().contains("too few"));
    assert!(!folder.path().join("capture.jsonl").exists());
    let mut writer = Writer::create_in(&folder, 0).unwrap();
    assert!((0..1000).all(|_| writer.append(&records()[1]).unwrap() == Appended::Whole));
}
