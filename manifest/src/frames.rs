//! Sets of frames: `first-count-step` as in the Vulkan-Utility-Libraries, or `A..B` with both ends included.

use std::fmt;

/// Frames `first`, `first + step`, … `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    /// Number of the first frame, counted from 0.
    pub first: u64,
    /// Number of frames; `None` is without end.
    pub count: Option<u64>,
    /// Distance of two frames, at least 1.
    pub step: u64,
}

impl FrameRange {
    /// Whether frame number `frame` is in the range.
    pub const fn contains(self, frame: u64) -> bool {
        if frame < self.first || (frame - self.first) % self.step != 0 {
            return false;
        }
        match self.count {
            Some(count) => (frame - self.first) / self.step < count,
            None => true,
        }
    }

    /// The last frame, or `None` without end.
    pub fn last(self) -> Option<u64> {
        self.count.map(|count| self.first.saturating_add(count.saturating_sub(1).saturating_mul(self.step)))
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((first, last)) = text.split_once("..") {
            let first = number(first)?;
            let last = last.strip_prefix('=').unwrap_or(last);
            let count = match last.trim() {
                "" => None,
                last => Some(number(last)?.checked_sub(first)?.checked_add(1)?),
            };
            return Some(Self { first, count, step: 1 });
        }
        let mut parts = text.split('-');
        let first = number(parts.next()?)?;
        // The convention of the utility libraries: a count of 0 is every frame from the first on.
        let count = parts.next().map_or(Some(1), number)?;
        let step = parts.next().map_or(Some(1), number)?;
        (parts.next().is_none() && step > 0).then_some(Self { first, count: (count > 0).then_some(count), step })
    }
}

/// Digits only: `+5` is not a frame number.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

impl fmt::Display for FrameRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.first, self.count.unwrap_or(0), self.step)
    }
}

/// A text that is no set of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFrames;

impl fmt::Display for NotFrames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frames are {}", FrameSet::SYNTAX)
    }
}

impl std::error::Error for NotFrames {}

/// One or more ranges of frames. "Every frame" is no set at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSet {
    ranges: Vec<FrameRange>,
}

impl FrameSet {
    /// What [`FrameSet::parse`] accepts, for messages.
    pub const SYNTAX: &'static str =
        "`A..B` (both included), `A..`, or `first-count-step` (count 0: no end), several separated by commas";

    /// Reads a set. `Ok(None)` is every frame: empty text, or a range that leaves none out.
    pub fn parse(text: &str) -> Result<Option<Self>, NotFrames> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let ranges = text.split(',').map(FrameRange::parse).collect::<Option<Vec<_>>>().ok_or(NotFrames)?;
        let all = ranges.iter().any(|r| r.first == 0 && r.count.is_none() && r.step == 1);
        Ok((!all).then_some(Self { ranges }))
    }

    /// The ranges, in the order given.
    pub fn ranges(&self) -> &[FrameRange] {
        &self.ranges
    }

    /// Whether frame number `frame` is in the set.
    pub fn contains(&self, frame: u64) -> bool {
        self.ranges.iter().any(|r| r.contains(frame))
    }

    /// The last frame of the set, or `None` without end.
    pub fn last(&self) -> Option<u64> {
        self.ranges.iter().map(|r| r.last()).try_fold(0, |last, r| r.map(|r| last.max(r)))
    }
}

impl fmt::Display for FrameSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, range) in self.ranges.iter().enumerate() {
            if n > 0 {
                f.write_str(",")?;
            }
            range.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{FrameSet, NotFrames};

    fn frames(text: &str) -> Vec<u64> {
        let set = FrameSet::parse(text).unwrap().unwrap();
        (0..30).filter(|&f| set.contains(f)).collect()
    }

    #[test]
    fn a_range_of_two_dots_includes_both_ends() {
        assert_eq!(frames("3..5"), [3, 4, 5]);
        assert_eq!(frames("28.."), [28, 29]);
    }

    #[test]
    fn a_frame_set_of_the_utility_libraries_is_first_count_step() {
        assert_eq!(frames("5"), [5]);
        assert_eq!(frames("5-3"), [5, 6, 7]);
        assert_eq!(frames("5-3-2,20"), [5, 7, 9, 20]);
        assert_eq!(frames("26-0-2"), [26, 28], "count 0 has no end");
    }

    #[test]
    fn every_frame_is_no_set() {
        for text in ["", " ", "0-0", "0-0-1", "0..", "5,0.."] {
            assert_eq!(FrameSet::parse(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_frame_set_is_refused() {
        for text in [
            "x",
            "1-",
            "-1",
            "5..3",
            "1-2-0",
            "1-2-3-4",
            "1,,2",
            "+1",
            "99999999999999999999",
            "0..18446744073709551615",
        ] {
            assert_eq!(FrameSet::parse(text), Err(NotFrames), "{text}");
        }
    }

    #[test]
    fn a_set_reads_back_as_it_is_written_and_knows_its_last_frame() {
        let set = FrameSet::parse("3..5, 9-2-10").unwrap().unwrap();
        assert_eq!(set.to_string(), "3-3-1,9-2-10");
        assert_eq!(FrameSet::parse(&set.to_string()), Ok(Some(set.clone())));
        assert_eq!(set.last(), Some(19));
        assert_eq!(FrameSet::parse("3..").unwrap().unwrap().last(), None);
    }
}
