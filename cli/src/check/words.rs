//! The sentences of a check: which GPU, which pass, which frames, how much, and how much over.

use super::outcome::{CausePart, Figure, Quantity, Scope};
use tbdr_model::report::{Basis, Direction};
use tbdr_model::text::shown;
use tbdr_model::units::Bytes;
use tilelens_report::text::{frame_numbers, mib};

/// Characters of an identity.
const LONGEST: usize = 80;

/// Where something is, in words.
pub fn place(scope: &Scope) -> String {
    let mut parts: Vec<String> = scope.gpu.iter().map(|id| shown(id, 40)).collect();
    parts.extend(scope.pass.iter().map(|id| format!("pass `{}`", shown(id, LONGEST))));
    parts.extend(scope.transfer.iter().map(|id| format!("transfer `{}`", shown(id, LONGEST))));
    parts.extend(scope.attachment.iter().map(|id| format!("attachment `{}`", shown(id, LONGEST))));
    let frames = frames(&scope.frames);
    if !frames.is_empty() {
        parts.push(frames);
    }
    parts.join(", ")
}

/// `frame 7`, `frames 0–59`.
pub fn frames(indices: &[[u64; 3]]) -> String {
    match indices {
        [] => String::new(),
        [[first, last, _]] if first == last => format!("frame {first}"),
        several => format!("frames {}", frame_numbers(several)),
    }
}

/// `12.50 MiB (13107200 bytes)`.
pub fn bytes(bytes: u64) -> String {
    format!("{} ({})", mib(Bytes(bytes)), counted(bytes, "byte"))
}

/// `1 byte`, `2 bytes`.
pub fn counted(n: u64, thing: &str) -> String {
    match (n, thing.strip_suffix("y")) {
        (1, _) => format!("1 {thing}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {thing}s"),
    }
}

/// `<= ` before a figure that is not exact.
fn sign(basis: Basis) -> String {
    if basis == Basis::Exact { String::new() } else { format!("{} ", basis.sign()) }
}

/// That a budget is exceeded.
pub fn over_budget(scope: &Scope, figure: &Figure) -> String {
    let more = match figure.undecided_entries {
        0 => String::new(),
        _ if figure.quantity == Quantity::Avoidable => ", and more where advice is undecided".into(),
        n => format!(", and {} more", undecided(figure.quantity, n)),
    };
    format!(
        "{}: {}{} {}, budget {}: {} over{more}",
        place(scope),
        sign(figure.basis),
        bytes(figure.value),
        figure.quantity.words(),
        bytes(figure.limit),
        bytes(figure.over),
    )
}

/// That a budget holds with a reserve.
pub fn in_doubt(scope: &Scope, figure: &Figure) -> String {
    let mut doubts = Vec::new();
    match figure.undecided_entries {
        0 => {}
        1 => doubts.push(format!("{} is in no sum", undecided(figure.quantity, 1))),
        n => doubts.push(format!("{} are in no sum", undecided(figure.quantity, n))),
    }
    if figure.alternative_bytes > 0 {
        let more = bytes(figure.alternative_bytes);
        doubts.push(format!(
            "the driver may run passes another way (`alternative` in the report), with up to {more} more"
        ));
    }
    format!(
        "{}: {}{} {} {} within the budget of {} as far as is decided; {}",
        place(scope),
        sign(figure.basis),
        bytes(figure.value),
        figure.quantity.words(),
        if figure.value == 1 { "is" } else { "are" },
        bytes(figure.limit),
        doubts.join(", and "),
    )
}

/// What is undecided, in words.
pub fn undecided(quantity: Quantity, n: u64) -> String {
    match quantity {
        // Doubts of the report stand for it, not entries of the ledger.
        Quantity::Avoidable => "some advice that is undecided (see `undecided_advice` of the report)".into(),
        _ => counted(n, "undecided entry"),
    }
}

/// A part of a sum, or what became of it.
pub fn part(part: &CausePart) -> String {
    let direction = match part.direction {
        Direction::Read => "read",
        Direction::Write => "written",
    };
    let aspect = if part.aspect == "buffer" { String::new() } else { format!(" ({})", shown(&part.aspect, 20)) };
    let place = part.place.as_ref().map(|id| format!(" in `{}`", shown(id, LONGEST))).unwrap_or_default();
    let what = format!("{} of `{}`{aspect}{place}", shown(&part.cause, 40), shown(&part.attachment, LONGEST));
    match part.before {
        None => format!("{what}: {} {direction}", bytes(part.bytes)),
        Some(0) => format!("{what}: {} {direction}, 0 before", bytes(part.bytes)),
        Some(before) => format!("{what}: {} {direction}, {} before", bytes(part.bytes), bytes(before)),
    }
}
