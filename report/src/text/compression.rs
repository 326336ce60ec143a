//! What the driver that ran the program said of the compression of its images: beside what is modelled of other GPUs.

use super::write::{FAINT, Out, counted};
use std::collections::BTreeMap;
use std::fmt;
use tbdr_model::report::{DriverCompression, Frame, LazyMemory};
use tbdr_model::text::shown;

/// Images that are named for each kind.
const NAMED: usize = 3;
/// Characters of an image's name.
const LONGEST: usize = 40;

pub(super) fn render(out: &mut Out, frame: &Frame) -> fmt::Result {
    let mut kinds: BTreeMap<(u8, String), Vec<&str>> = BTreeMap::new();
    for image in &frame.images {
        if let Some(found) = &image.driver_compression {
            kinds.entry(words(found)).or_default().push(&image.id);
        }
    }
    if !kinds.is_empty() {
        let parts: Vec<_> = kinds.iter().map(|((_, words), images)| format!("{} {words}", names(images))).collect();
        out.wrapped(FAINT, &format!("the driver that ran the program keeps {}", parts.join("; ")), 2)?;
    }
    lazy(out, frame)
}

/// What a driver does with an image; the number is the order in which kinds are told, what is most unusual first.
fn words(found: &DriverCompression) -> (u8, String) {
    let rates = || {
        let rates: Vec<_> = found.fixed_rates.iter().map(u32::to_string).collect();
        match &rates[..] {
            [] => "a fixed rate".into(),
            [one] => format!("a fixed rate of {} per component", counted(one.parse().unwrap_or(0), "bit")),
            several => format!("fixed rates of {} bits per component", several.join(" or ")),
        }
    };
    match found.kind.as_ref() {
        "fixed_rate_explicit" => (0, format!("at {}, as asked", rates())),
        "fixed_rate_default" => (1, format!("at {}, its own choice", rates())),
        "disabled" => (2, "without compression".into()),
        "default" => (3, "without loss, compressed or not as it likes".into()),
        other => (4, format!("as `{}`", shown(other, 30))),
    }
}

/// The first images by name, and how many there are beside.
fn names(images: &[&str]) -> String {
    let named: Vec<_> = images.iter().take(NAMED).map(|id| shown(id, LONGEST)).collect();
    match images.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {}", named.join(", "), counted(more as u64, "other image")),
    }
}

/// Lazily allocated memory that did not stay unbacked.
fn lazy(out: &mut Out, frame: &Frame) -> fmt::Result {
    let committed = |image: &LazyMemory| image.committed_bytes.0 > 0;
    for image in frame.images.iter().filter(|image| image.lazy_memory.as_ref().is_some_and(committed)) {
        let LazyMemory { size_bytes, committed_bytes } = image.lazy_memory.unwrap_or_default();
        let (used, of) = (super::mib(committed_bytes), super::mib(size_bytes));
        let text = format!(
            "the driver that ran the program committed {used} of the {of} of lazily allocated memory that {} lies in",
            shown(&image.id, LONGEST)
        );
        out.wrapped(FAINT, &text, 2)?;
    }
    Ok(())
}
