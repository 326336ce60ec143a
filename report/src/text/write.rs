//! What every part of the summary writes with: styles, columns, and numbers in one spelling.

use super::TextOptions;
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Write};
use tbdr_model::report::{Frame, GpuFrame};
use tbdr_model::units::{Bytes, Extent2D};
use unicode_width::UnicodeWidthStr;

/// Titles.
pub(super) const TITLE: Style = Style::new().bold();
/// What can be skipped.
pub(super) const FAINT: Style = Style::new().dimmed();
/// What should not be missed.
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default();
/// Bars.
pub(super) const BAR: Style = AnsiColor::Cyan.on_default();

/// The summary as far as it is written.
pub(super) struct Out {
    pub(super) text: String,
    pub(super) width: usize,
    /// Frame rate of every rate that is shown.
    pub(super) fps: u32,
    /// Whether power is shown.
    pub(super) energy: bool,
    color: bool,
}

impl Out {
    pub(super) fn new(options: &TextOptions) -> Self {
        // Narrower than this nothing can be laid out, and wider than this the eye loses the line.
        let (fps, energy) = (options.fps, options.energy);
        Self { text: String::new(), width: options.width.clamp(60, 140), fps, energy, color: options.color }
    }

    /// `text` in a style.
    pub(super) fn styled(&mut self, style: Style, text: &str) -> fmt::Result {
        if self.color { write!(self.text, "{style}{text}{style:#}") } else { self.text.write_str(text) }
    }

    /// A line in a style.
    pub(super) fn line(&mut self, style: Style, text: &str) -> fmt::Result {
        self.styled(style, text)?;
        self.text.write_char('\n')
    }

    /// `text` broken at spaces to the width; the first line begins after `indent` columns, the others after two more.
    pub(super) fn wrapped(&mut self, style: Style, text: &str, indent: usize) -> fmt::Result {
        let mut line = " ".repeat(indent);
        let mut empty = true;
        for word in text.split_whitespace() {
            if !empty && line.width() + 1 + word.width() > self.width {
                self.line(style, &line)?;
                line = " ".repeat(indent + 2);
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
            empty = false;
        }
        self.line(style, &line)
    }
}

impl Write for Out {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.write_str(text)
    }
}

/// Foreign text within `limit` columns.
pub(super) fn fit(text: &str, limit: usize) -> String {
    let mut characters = limit;
    let mut shown = tbdr_model::text::shown(text, characters);
    // Escapes and wide characters take more columns than characters.
    while shown.width() > limit && characters > 1 {
        characters -= 1;
        shown = tbdr_model::text::shown(text, characters);
    }
    shown
}

/// Foreign text within `limit` columns, padded to them.
pub(super) fn column(text: &str, limit: usize) -> String {
    let shown = fit(text, limit);
    let missing = limit.saturating_sub(shown.width());
    shown + &" ".repeat(missing)
}

/// Bytes as MiB (2^20) with two decimals, computed on integers; what is not nothing never reads as nothing.
pub fn mib(bytes: Bytes) -> String {
    let hundredths = (u128::from(bytes.0) * 100 + (1 << 19)) >> 20;
    match (hundredths, bytes.0) {
        (0, 1..) => "<0.01 MiB".into(),
        _ => format!("{}.{:02} MiB", hundredths / 100, hundredths % 100),
    }
}

/// Bytes per frame as MiB per second at `fps` frames per second.
pub(super) fn mib_per_second(bytes: Bytes, fps: u32) -> String {
    mib(bytes * u64::from(fps)) + "/s"
}

/// `part` of `whole` in percent.
pub(super) fn percent(part: Bytes, whole: Bytes) -> String {
    match whole.0 {
        0 => "0 %".into(),
        _ => format!("{} %", (u128::from(part.0) * 100 + u128::from(whole.0) / 2) / u128::from(whole.0)),
    }
}

/// `1920x1080`.
pub(super) fn extent(extent: Extent2D) -> String {
    format!("{}x{}", extent.width, extent.height)
}

/// `1 frame`, `2 frames`.
pub(super) fn counted(n: u64, thing: &str) -> String {
    let plural = match thing {
        "pass" => "passes",
        "entry" => "entries",
        _ => return format!("{n} {thing}{}", if n == 1 { "" } else { "s" }),
    };
    format!("{n} {}", if n == 1 { thing } else { plural })
}

/// What a GPU reads and writes in a frame.
pub(super) fn total(frame: &GpuFrame) -> Bytes {
    frame.read_bytes + frame.write_bytes
}

/// What a frame moves on the GPU that moves most.
pub fn weight(frame: &Frame) -> Bytes {
    frame.gpus.values().map(total).max().unwrap_or_default()
}

/// Frame numbers as `0–59`, `0–58 every 2`, `7`; at most three ranges.
pub fn frame_numbers(indices: &[[u64; 3]]) -> String {
    let range = |&[first, last, stride]: &[u64; 3]| match stride {
        _ if first == last => first.to_string(),
        0 | 1 => format!("{first}–{last}"),
        _ => format!("{first}–{last} every {stride}"),
    };
    let mut text = indices.iter().take(3).map(range).collect::<Vec<_>>().join(", ");
    if indices.len() > 3 {
        text += ", …";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_not_nothing() {
        let shown: Vec<_> = [0, 1, 5242, 5243, 1 << 20, u64::MAX].map(|n| mib(Bytes(n))).into();
        assert_eq!(shown, ["0.00 MiB", "<0.01 MiB", "<0.01 MiB", "0.01 MiB", "1.00 MiB", "17592186044416.00 MiB"]);
        assert_eq!(percent(Bytes(1), Bytes(3)), "33 %");
        assert_eq!(percent(Bytes(0), Bytes(0)), "0 %");
    }

    #[test]
    fn a_column_is_as_wide_as_it_is_asked_to_be() {
        for text in ["short", "a name that is much too long for it", "\u{1b}\u{1b}\u{1b}\u{1b}", "漢字漢字漢字漢字漢字"]
        {
            assert_eq!(column(text, 12).width(), 12, "{text:?}");
        }
    }
}
