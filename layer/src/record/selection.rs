//! Which frames are recorded: by number, by debug label, by a file that whoever runs the program makes and removes.
//!
//! Runs on the analysis thread, which alone looks at files. A frame that is not chosen becomes a gap, so that nothing that
//! happens in it is ever taken for not having happened.

use super::timeline::{ClosedFrame, Item};
use std::path::Path;
use tilelens_manifest::Settings;

/// Most bytes of the file that matter.
const MOST_BYTES: u64 = 64;

/// What goes on from frame to frame.
#[derive(Default)]
pub struct Selection {
    /// Whether the frame lies between the labels that start and stop.
    between: bool,
    file: File,
}

/// What the file said last.
#[derive(Default)]
struct File {
    said: Option<String>,
    /// Frames that are still to be recorded, where the file holds a number.
    left: Option<u64>,
}

impl Selection {
    /// Whether a frame is recorded. To be asked of each frame once, in order; `open` are the label regions open on the queues before it.
    pub fn takes<'a>(&mut self, frame: &ClosedFrame, open: impl Iterator<Item = &'a str>, settings: &Settings) -> bool {
        // Each keeps count of what it sees: all are asked.
        let number = settings.frames.as_ref().is_none_or(|frames| frames.contains(frame.index));
        let label = settings.frames_label.as_ref().is_none_or(|label| self.label(label, frame, open));
        let file = settings.frames_file.as_ref().is_none_or(|path| self.file.takes(path));
        number && label && file
    }

    fn label<'a>(&mut self, wanted: &str, frame: &ClosedFrame, mut open: impl Iterator<Item = &'a str>) -> bool {
        let Some((start, stop)) = wanted.split_once("..") else {
            return open.any(|label| label == wanted) || labels(frame).any(|label| label == wanted);
        };
        let mut taken = self.between;
        for label in labels(frame) {
            // One label may do both.
            let now = if label == stop && self.between { false } else { label == start || self.between };
            self.between = now;
            taken |= now;
        }
        taken
    }
}

/// The labels of a frame, in order.
fn labels(frame: &ClosedFrame) -> impl Iterator<Item = &str> {
    frame.items.iter().flat_map(|item| {
        let (own, inner): (Option<&str>, &[_]) = match item {
            Item::LabelBegin(_, text) | Item::Label(text) => (Some(text), &[]),
            Item::Batch { recordings, .. } => (None, recordings),
            Item::LabelEnd(_) => (None, &[]),
        };
        own.into_iter().chain(inner.iter().flat_map(|recording| recording.marks.iter().map(|mark| &**mark)))
    })
}

impl File {
    fn takes(&mut self, path: &Path) -> bool {
        let says = read(path);
        if says != self.said {
            self.left = says.as_deref().and_then(|text| text.parse().ok());
            self.said = says;
        }
        match (&self.said, &mut self.left) {
            (None, _) => false,
            (Some(_), Some(left)) => {
                let takes = *left > 0;
                *left = left.saturating_sub(1);
                takes
            }
            (Some(text), None) => !["off", "false", "stop"].contains(&text.to_ascii_lowercase().as_str()),
        }
    }
}

/// The first words of the file; `None` if there is none.
fn read(path: &Path) -> Option<String> {
    use std::io::Read;
    // A pipe would make the analysis wait for whoever writes to it.
    if !path.metadata().ok()?.is_file() {
        return Some(String::new());
    }
    let mut text = Vec::new();
    std::fs::File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Timeline;
    use std::sync::Arc;
    use tbdr_model::frame::Boundary;

    /// A frame of one batch with these labels around it.
    fn frame(labels: &[&str]) -> ClosedFrame {
        let timeline = Timeline::default();
        labels.iter().for_each(|label| timeline.insert_label(label));
        let batch = super::super::Batch { recordings: vec![Arc::default()], ..Default::default() };
        timeline.submit(1, vec![batch], 0, 1000);
        timeline.close(Boundary::Present, Vec::new()).unwrap_or_else(|| unreachable!())
    }

    fn taken(settings: &Settings, frames: &[&[&str]]) -> Vec<bool> {
        let mut selection = Selection::default();
        frames.iter().map(|labels| selection.takes(&frame(labels), std::iter::empty(), settings)).collect()
    }

    #[test]
    fn a_label_chooses_the_frames_that_have_it() {
        let settings = Settings { frames_label: Some("capture".into()), ..Settings::default() };
        assert_eq!(taken(&settings, &[&[], &["x", "capture"], &["captured"]]), [false, true, false]);
        let mut selection = Selection::default();
        assert!(selection.takes(&frame(&[]), ["capture"].into_iter(), &settings), "an open region");
    }

    #[test]
    fn two_labels_start_and_stop_in_frames_that_count() {
        let settings = Settings { frames_label: Some("on..off".into()), ..Settings::default() };
        let frames: &[&[&str]] = &[&["off"], &["on"], &[], &["off"], &[], &["on", "off"], &[]];
        assert_eq!(taken(&settings, frames), [false, true, true, true, false, true, false]);
    }

    #[test]
    fn a_file_starts_and_stops_and_counts() {
        let path = std::env::temp_dir().join(format!("tilelens-frames-file-{}", std::process::id()));
        let settings = Settings { frames_file: Some(path.clone()), ..Settings::default() };
        let mut selection = Selection::default();
        let mut takes = |says: Option<&str>| {
            match says {
                Some(says) => std::fs::write(&path, says).unwrap_or_else(|e| unreachable!("{e}")),
                None => drop(std::fs::remove_file(&path)),
            }
            selection.takes(&frame(&[]), std::iter::empty(), &settings)
        };
        let says = [
            None,
            Some(""),
            Some("on"),
            Some("off\n"),
            Some("2\n"),
            Some("2\n"),
            Some("2\n"),
            None,
            Some("2"),
            Some("0"),
        ];
        let expected = [false, true, true, false, true, true, false, false, true, false];
        assert_eq!(says.map(&mut takes), expected);
        let _ = std::fs::remove_file(&path);
    }
}
