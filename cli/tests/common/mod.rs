//! Runs the command, and plays the layer where only its files matter.
#![allow(clippy::unwrap_used, dead_code, reason = "helpers of tests may panic, and not every test uses each")]

pub mod scene;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use tbdr_model::frame::{
    Attachment, AttachmentUse, Boundary, Format, FrameStructure, Image, ImageRef, LoadOp, Op, Pass, StoreOp,
    Submission, Subpass, SubresourceRange,
};
use tbdr_model::record::{Counters, FrameRecord, Record, Run};
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};
use tilelens_capture::Writer;
use tilelens_manifest::Settings;

/// An empty folder of one test. Tests run beside each other: whoever asks for a name again gets a folder of its own.
pub fn folder(name: &str) -> PathBuf {
    static GIVEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let before = {
        let mut given = GIVEN.lock().unwrap();
        given.push(name.to_string());
        given.iter().filter(|other| *other == name).count() - 1
    };
    let own = if before == 0 { name.to_string() } else { format!("{name}.{before}") };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(own);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The command, in `folder`, with none of our settings in its environment. Any file will do for a layer that nobody loads.
pub fn tilelens(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilelens"));
    command.current_dir(folder).env("TILELENS_LAYER_LIBRARY", env!("CARGO_BIN_EXE_tilelens"));
    for (name, _) in std::env::vars() {
        if name.starts_with("VK_") || name.starts_with("XDG_") {
            command.env_remove(name);
        }
    }
    command.env("HOME", folder);
    command
}

/// What a command wrote and how it ended.
pub struct Told {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// Runs a command to its end.
pub fn told(command: &mut Command) -> Told {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Told {
        status: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// A run of three equal frames with one pass that clears and stores a 64x64 RGBA8 image.
pub fn records() -> Vec<Record> {
    const R8G8B8A8_UNORM: Format = Format(37);
    let extent = Extent2D::new(64, 64);
    let image = Image {
        name: Some("colour".into()),
        format: R8G8B8A8_UNORM,
        dimension: 1,
        extent: Extent3D { width: 64, height: 64, depth: 1 },
        mips: 1,
        layers: 1,
        samples: 1,
        usage: 0x10,
        ..Image::default()
    };
    let pass = Pass {
        name: Some("main".into()),
        render_area: Rect2D { x: 0, y: 0, extent },
        extent,
        layers: 1,
        attachments: vec![Attachment {
            image: Some(ImageRef(0)),
            range: SubresourceRange {
                aspects: tbdr_model::frame::Aspects::COLOR,
                mips: 1,
                layers: 1,
                ..SubresourceRange::default()
            },
            format: R8G8B8A8_UNORM,
            samples: 1,
            load: LoadOp::Clear,
            store: StoreOp::Store,
            ..Attachment::default()
        }],
        subpasses: vec![Subpass { color: vec![Some(AttachmentUse::default())], drawn: true, ..Subpass::default() }],
        ..Pass::default()
    };
    let frame = FrameStructure {
        images: vec![image],
        submissions: vec![Submission { ops: vec![Op::Pass(pass)], ..Submission::default() }],
        boundary: Boundary::Present,
        ..FrameStructure::default()
    };
    let run = Run { program: "app".into(), settings: Settings::default().effective(), ..Run::default() };
    let mut records = vec![Record::Run(run), Record::Structure { id: 0, frame }];
    records.extend((0..3).map(|index| {
        let counters = vec![Counters { draws: 1, vertices: 3, ..Counters::default() }, Counters::default()];
        Record::Frame(FrameRecord { index, images: vec![7], counters, ..FrameRecord::default() })
    }));
    records.push(Record::End);
    records
}

/// Writes a capture of [`records`].
pub fn write_capture(path: &Path) {
    let mut writer = Writer::create(path).unwrap();
    for record in records() {
        writer.append(&record).unwrap();
    }
}
