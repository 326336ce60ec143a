//! Foreign text made fit to be shown: what applications and files say is hostile until it went through here.

use alloc::string::String;

/// `text` on one line: control, bidirectional and other unprintable characters are escaped, and what is longer than `limit`
/// characters is shortened from the middle, because both ends tell names apart.
pub fn shown(text: &str, limit: usize) -> String {
    // Nearly all text is of this kind.
    if text.len() <= limit && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.into();
    }
    let mut out = String::new();
    // Names may be a megabyte long: no more of the text is looked at than is shown.
    if text.char_indices().nth(limit).is_none() {
        text.chars().for_each(|c| push(&mut out, c));
        return out;
    }
    let kept = limit.saturating_sub(1);
    let tail = kept / 3;
    text.chars().take(kept - tail).for_each(|c| push(&mut out, c));
    out.push('…');
    let from = match tail {
        0 => text.len(),
        _ => text.char_indices().rev().nth(tail - 1).map_or(text.len(), |(at, _)| at),
    };
    text[from..].chars().for_each(|c| push(&mut out, c));
    out
}

fn push(out: &mut String, c: char) {
    match c {
        // Harmless within a line, and escaping them would only make paths and quotes harder to read.
        '\'' | '"' | '\\' => out.push(c),
        // Unicode calls these printable, but they reorder or hide what stands around them.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{61c}' | '\u{feff}' => {
            out.extend(c.escape_unicode());
        }
        _ => out.extend(c.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn terminal_escapes_and_bidirectional_marks_do_not_reach_the_terminal() {
        assert_eq!(shown("a\u{1b}[31m\n\u{202e}b\u{9b}", 99), "a\\u{1b}[31m\\n\\u{202e}b\\u{9b}");
        assert_eq!(shown("C:\\x 'é'", 99), "C:\\x 'é'");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(shown("abcdefghij", 10), "abcdefghij");
        assert_eq!(shown("abcdefghijk", 10), "abcdef…ijk");
        assert_eq!(shown(&"é".repeat(1 << 20), 4), "éé…é");
        assert_eq!([shown("ab", 1), shown("ab", 0)], ["…", "…"]);
    }
}
