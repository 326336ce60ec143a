//! What a file that is no capture seems to be, so that the message can say which file was meant.

/// Description and remedy for a file that begins with `start`.
pub(crate) fn describe(start: &[u8]) -> (String, &'static str) {
    const CAPTURE_ITSELF: &str = "give the capture.jsonl that `tilelens run` leaves";
    const UNPACK: &str = "unpack it first";
    const OTHER_TOOL: &str = "replay it under the layer with its own tool: `tilelens run -- <replay command>`";
    let magic: [(&[u8], &str, &'static str); 9] = [
        (b"\x1f\x8b", "a gzip archive", UNPACK),
        (b"\x28\xb5\x2f\xfd", "a zstd archive", UNPACK),
        (b"PK\x03\x04", "a zip archive", UNPACK),
        (b"RDOC", "a RenderDoc capture", OTHER_TOOL),
        (b"GFXR", "a gfxreconstruct capture", OTHER_TOOL),
        (b"\x7fELF", "a program or library", "run it: `tilelens run -- <program>`"),
        (b"MZ", "a program or library", "run it: `tilelens run -- <program>`"),
        (b"\x89PNG", "a PNG image", CAPTURE_ITSELF),
        (b"<", "XML or HTML", CAPTURE_ITSELF),
    ];
    if let Some((_, what, remedy)) = magic.iter().find(|(magic, ..)| start.starts_with(magic)) {
        return ((*what).into(), remedy);
    }
    let Ok(text) = std::str::from_utf8(valid_part(start)) else {
        return ("binary data".into(), CAPTURE_ITSELF);
    };
    if text.contains("\"tilelens.report/") {
        return (
            "a Tilelens report".into(),
            "give the capture.jsonl beside it; a report is made from a capture, not read by it",
        );
    }
    if text.contains("\"record\":") {
        return ("a capture whose first line is missing".into(), "capture again");
    }
    let trimmed = text.trim_start();
    if trimmed.starts_with('{') || trimmed.starts_with('[') {
        return ("other JSON".into(), CAPTURE_ITSELF);
    }
    if text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return ("binary data".into(), CAPTURE_ITSELF);
    }
    ("text".into(), CAPTURE_ITSELF)
}

/// `start` without a character that the end cuts in two.
fn valid_part(start: &[u8]) -> &[u8] {
    match std::str::from_utf8(start) {
        Err(error) if error.error_len().is_none() => &start[..error.valid_up_to()],
        _ => start,
    }
}
