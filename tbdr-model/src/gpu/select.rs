//! GPUs chosen by id.

use super::{Profile, builtin};
use crate::text::shown;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use thiserror::Error;

/// A choice of GPUs that cannot be met.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectError {
    /// No profile has this id.
    #[error("unknown GPU `{id}`{}; `tilelens gpus` lists them", near_text(near))]
    Unknown {
        /// What was asked for, made safe to print.
        id: String,
        /// Ids that come near it.
        near: Vec<String>,
    },
    /// Nothing was chosen.
    #[error("no GPU chosen: name one or more, or `all`; `tilelens gpus` lists them")]
    Empty,
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { alloc::format!(" (near: {})", near.join(", ")) }
}

/// The profiles of these ids, in the order given and each once; `all` stands for every built-in one.
pub fn select(ids: &[impl AsRef<str>]) -> Result<Vec<Profile>, SelectError> {
    let known = builtin();
    let mut chosen: Vec<Profile> = Vec::new();
    for id in ids.iter().map(|id| id.as_ref().trim()).filter(|id| !id.is_empty()) {
        let wanted: Vec<&Profile> = known.iter().filter(|p| id == "all" || p.id == id).collect();
        if wanted.is_empty() {
            let near = near(id, &known);
            return Err(SelectError::Unknown { id: shown(id, 64), near });
        }
        for profile in wanted {
            if chosen.iter().all(|c| c.id != profile.id) {
                chosen.push(profile.clone());
            }
        }
    }
    if chosen.is_empty() { Err(SelectError::Empty) } else { Ok(chosen) }
}

/// Up to four ids that contain what was typed or differ from it by little, nearest first.
fn near(id: &str, known: &[Profile]) -> Vec<String> {
    let typed: String = id.chars().take(64).collect::<String>().to_ascii_lowercase().replace(['_', ' '], "-");
    let mut scored: Vec<(usize, &str)> = Vec::new();
    for profile in known {
        let contains = typed.len() > 1 && (profile.id.contains(&typed) || typed.contains(&profile.id));
        let distance = if contains { 0 } else { distance(&typed, &profile.id) };
        if distance <= profile.id.len() / 3 {
            scored.push((distance, &profile.id));
        }
    }
    scored.sort_unstable();
    scored.into_iter().take(4).map(|(_, id)| id.to_string()).collect()
}

/// Levenshtein's distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_come_in_the_order_asked_for_and_once() {
        let ids: Vec<String> =
            select(&["apple-m1", " mali-g76", "apple-m1"]).unwrap().into_iter().map(|p| p.id).collect();
        assert_eq!(ids, ["apple-m1", "mali-g76"]);
        assert_eq!(select(&["mali-g76", "all"]).unwrap().len(), builtin().len());
    }

    #[test]
    fn an_unknown_gpu_is_answered_with_near_ones_and_the_command_that_lists_them() {
        let error = select(&["mali-g67"]).unwrap_err().to_string();
        assert!(error.starts_with("unknown GPU `mali-g67` (near: mali-g"), "{error}");
        assert!(error.ends_with("`tilelens gpus` lists them"), "{error}");
        assert!(select(&["Adreno_650"]).unwrap_err().to_string().contains("near: adreno-650"));
        assert!(!select(&["zzzzzzzzzzzz"]).unwrap_err().to_string().contains("near"));
    }

    #[test]
    fn nothing_chosen_and_hostile_ids_are_refused() {
        assert_eq!(select(&[""; 2]).unwrap_err(), SelectError::Empty);
        let error = select(&[alloc::format!("\u{1b}[31m{}", "x".repeat(1 << 20))]).unwrap_err().to_string();
        assert!(error.len() < 200 && !error.contains('\u{1b}'), "{error}");
    }
}
