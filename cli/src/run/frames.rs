//! The options that choose frames, each in the place of a setting.

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use tilelens_manifest::{FrameSet, NotFrames};

/// Which frames are recorded, and what ends them.
#[derive(clap::Args)]
pub struct FrameArgs {
    /// Frames to record, counted from 0 [default: the setting `frames`, else every frame].
    ///
    /// `10..19` is ten frames, both ends included; `10..` has no end; `5` is one frame. `first-count-step` is `count` frames, each
    /// `step` after the one before; count 0 has no end, so `0-0-10` is every tenth frame of the run. Several are separated by
    /// commas. The report says which frames were left out.
    #[arg(long, value_name = "A..B", value_parser = frames)]
    frames: Option<String>,
    /// Record frames that have this debug label, or from each with START to the next with STOP [default: the setting `frames_label`].
    ///
    /// Labels are those of VK_EXT_debug_utils, in command buffers and on queues. An empty text chooses no frames by label. Where other
    /// options choose frames too, a frame must fit all.
    #[arg(long, value_name = "LABEL|START..STOP")]
    frames_label: Option<String>,
    /// Record frames that end while this file exists, for instance between `touch` and `rm` [default: the setting `frames_file`].
    ///
    /// An empty text chooses no frames by file. Where other options choose frames too, a frame must fit all.
    #[arg(long, value_name = "FILE")]
    frames_file: Option<OsString>,
    /// For programs that never present: a frame ends with every N-th submission [default: the setting `frame_submits`].
    #[arg(long, value_name = "N")]
    frame_submits: Option<u32>,
}

fn frames(text: &str) -> Result<String, NotFrames> {
    FrameSet::parse(text).map(|_| text.into())
}

impl FrameArgs {
    /// Key and value of each setting that was given as an option.
    pub fn settings(&self) -> Result<Vec<(&'static str, String)>> {
        let file = self.frames_file.as_ref().map(absolute).transpose()?;
        let given = [
            ("frames", self.frames.clone()),
            ("frames_label", self.frames_label.clone()),
            ("frames_file", file),
            ("frame_submits", self.frame_submits.map(|n| n.to_string())),
        ];
        Ok(given.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
    }
}

/// The program may change its folder. No path stays none.
fn absolute(path: &OsString) -> Result<String> {
    let path = PathBuf::from(path);
    let path = match path.as_os_str().is_empty() {
        true => path,
        false => std::path::absolute(&path).with_context(|| format!("--frames-file {}", path.display()))?,
    };
    match path.to_str() {
        Some(text) => Ok(text.into()),
        None => bail!("--frames-file {}: the path is not UTF-8, which the layer's settings must be", path.display()),
    }
}
