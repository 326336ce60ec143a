//! GPUs chosen by id, by what else they are called, or because they are what really runs.

mod identify;

pub use identify::identify;

use super::{Profile, known};
use crate::record::Device;
use crate::text::shown;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use thiserror::Error;

/// The word for the GPU that really runs.
pub const RUNNING: &str = "running";

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
    /// The GPU that runs was asked for, and none runs or it is not one of those that are modelled.
    #[error("`running`: {device}; name a GPU instead: `tilelens gpus` lists them")]
    Running {
        /// What is wrong with the GPU that runs, made safe to print.
        device: String,
    },
    /// Nothing was chosen.
    #[error("no GPU chosen: name one or more, or `all`; `tilelens gpus` lists them")]
    Empty,
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { alloc::format!(" (near: {})", near.join(", ")) }
}

/// The profiles of these ids, in the order given and each once; `all` stands for every built-in one. Upper and lower case are the
/// same, as are spaces, `_` and `-`; names and aliases are ids too, where no id is meant.
pub fn select(ids: &[impl AsRef<str>]) -> Result<Vec<Profile>, SelectError> {
    choose(ids, known(), None)
}

/// As [`select`], with `running` for the GPU that really runs.
pub fn select_for(ids: &[impl AsRef<str>], device: &Device) -> Result<Vec<Profile>, SelectError> {
    choose(ids, known(), Some(device))
}

fn choose(ids: &[impl AsRef<str>], known: &[Profile], device: Option<&Device>) -> Result<Vec<Profile>, SelectError> {
    let mut chosen: Vec<Profile> = Vec::new();
    for id in ids.iter().map(|id| id.as_ref().trim()).filter(|id| !id.is_empty()) {
        let wanted: Vec<Profile> = match folded(id).as_str() {
            "all" => known.to_vec(),
            RUNNING => running(device)?,
            folded => {
                let unknown = || SelectError::Unknown { id: shown(id, 64), near: near(folded, known) };
                alloc::vec![by_name(folded, known).ok_or_else(unknown)?.clone()]
            }
        };
        for profile in wanted {
            if chosen.iter().all(|c| c.id != profile.id) {
                chosen.push(profile);
            }
        }
    }
    if chosen.is_empty() { Err(SelectError::Empty) } else { Ok(chosen) }
}

fn running(device: Option<&Device>) -> Result<Vec<Profile>, SelectError> {
    let no = |device: String| SelectError::Running { device };
    let device = device.ok_or_else(|| no("no GPU runs here".to_string()))?;
    let profile = identify(device);
    let name = || alloc::format!("the GPU that runs, `{}`, is not modelled", shown(&device.name, 64));
    Ok(alloc::vec![profile.ok_or_else(|| no(name()))?])
}

/// The profile of this id, else of this name, else of this alias.
fn by_name<'a>(folded_name: &str, known: &'a [Profile]) -> Option<&'a Profile> {
    let id = |p: &&Profile| p.id == folded_name;
    let name = |p: &&Profile| folded(&p.name) == folded_name;
    let alias = |p: &&Profile| p.aliases.iter().any(|alias| folded(alias) == folded_name);
    known.iter().find(id).or_else(|| known.iter().find(name)).or_else(|| known.iter().find(alias))
}

/// A name as ids are written; no more of it is looked at than an id may have.
fn folded(name: &str) -> String {
    let fold = |c: char| if matches!(c, '_' | ' ') { '-' } else { c.to_ascii_lowercase() };
    name.chars().take(128).map(fold).collect()
}

/// Up to four ids that contain what was typed or differ from it by little, nearest first.
fn near(folded: &str, known: &[Profile]) -> Vec<String> {
    let typed: String = folded.chars().take(64).collect();
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
    use crate::gpu::builtin;

    fn ids(of: &[&str]) -> Vec<String> {
        select(of).unwrap().into_iter().map(|p| p.id).collect()
    }

    #[test]
    fn gpus_come_in_the_order_asked_for_and_once() {
        assert_eq!(ids(&["apple-m1", " mali-g76", "apple-m1"]), ["apple-m1", "mali-g76"]);
        assert_eq!(select(&["mali-g76", "all"]).unwrap().len(), builtin().len());
    }

    #[test]
    fn a_gpu_is_found_by_what_its_phone_is_sold_with_in_any_case() {
        assert_eq!(ids(&["Snapdragon 865"]), ["adreno-650"]);
        assert_eq!(ids(&["galaxy s10 exynos"]), ["mali-g76"]);
        assert_eq!(ids(&["Mali-G610", "ADRENO_650", "all "])[..2], ["mali-g610", "adreno-650"]);
        assert_eq!(ids(&["apple m1 max"]), ["apple-m1"]);
    }

    #[test]
    fn no_two_gpus_share_an_id_or_an_alias() {
        let known = builtin();
        let mut names: Vec<String> = known.iter().map(|p| p.id.clone()).collect();
        names.extend(known.iter().flat_map(|p| &p.aliases).map(|alias| folded(alias)));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn the_gpu_that_runs_is_chosen_if_it_is_modelled() {
        let device = |vendor_id, name: &str| Device { vendor_id, name: name.to_string(), ..Device::default() };
        let ids = select_for(&["running", "mali-g71"], &device(0x5143, "Adreno (TM) 740")).unwrap();
        assert_eq!(ids.iter().map(|p| p.id.as_str()).collect::<Vec<_>>(), ["adreno-740", "mali-g71"]);
        let error = select_for(&["running"], &device(0x10005, "llvmpipe\u{1b}[1m")).unwrap_err().to_string();
        assert!(error.contains("`llvmpipe\\u{1b}[1m`, is not modelled"), "{error}");
        assert!(select(&["running"]).unwrap_err().to_string().contains("no GPU runs here"));
    }

    #[test]
    fn an_unknown_gpu_is_answered_with_near_ones_and_the_command_that_lists_them() {
        let error = select(&["mali-g67"]).unwrap_err().to_string();
        assert!(error.starts_with("unknown GPU `mali-g67` (near: mali-g"), "{error}");
        assert!(error.ends_with("`tilelens gpus` lists them"), "{error}");
        assert!(select(&["Adreno_6500"]).unwrap_err().to_string().contains("near: adreno-650"));
        assert!(!select(&["zzzzzzzzzzzz"]).unwrap_err().to_string().contains("near"));
    }

    #[test]
    fn nothing_chosen_and_hostile_ids_are_refused() {
        assert_eq!(select(&[""; 2]).unwrap_err(), SelectError::Empty);
        let error = select(&[alloc::format!("\u{1b}[31m{}", "x".repeat(1 << 20))]).unwrap_err().to_string();
        assert!(error.len() < 200 && !error.contains('\u{1b}'), "{error}");
    }
}
