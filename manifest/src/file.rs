//! The settings file that all Vulkan layers share: where it is looked for and how its lines are read.

use crate::names::{FILE_PREFIX, LAYER_NAME, SETTINGS_FILE_NAME};
use crate::problem::{Problem, Source};
use crate::setting::{Setting, nearest_key};
use crate::settings::Settings;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A larger file is not a settings file.
const MAX_BYTES: u64 = 1 << 20;

/// A value of the file with its line.
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) value: String,
}

impl Settings {
    /// The settings file in force: below `$XDG_DATA_HOME` or `$HOME/.local/share` if there is one, else what
    /// `$VK_LAYER_SETTINGS_PATH` names (a file, or a folder that holds one), else `vk_layer_settings.txt` in the working folder.
    pub fn find_file(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
        let set = |name: &str| env(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
        // On Windows this place is a registry key instead, which is not read.
        let of_user = data.filter(|_| !cfg!(windows)).map(|d| d.join("vulkan/settings.d").join(SETTINGS_FILE_NAME));
        if let Some(path) = of_user.filter(|p| p.is_file()) {
            return Some(path);
        }
        if let Some(path) = set("VK_LAYER_SETTINGS_PATH") {
            // Also where nothing is there: whoever set the variable wants to be told.
            return Some(Self::file_at(path));
        }
        Some(PathBuf::from(SETTINGS_FILE_NAME)).filter(|p| p.is_file())
    }

    /// The settings file that `path` names: the file itself, or the one in the folder.
    pub(crate) fn file_at(path: PathBuf) -> PathBuf {
        if path.is_dir() { path.join(SETTINGS_FILE_NAME) } else { path }
    }

    /// Reads the settings file at `path`. Bytes that are not UTF-8 are replaced: they can only spoil their own line.
    pub fn read_file(path: &Path) -> Result<String, Box<Problem>> {
        let problem = |reason: String| {
            Box::new(Problem {
                source: Source::File(path.into(), 0),
                key: String::new(),
                value: String::new(),
                allowed: reason,
                used: "the settings file is left out; make it readable or unset VK_LAYER_SETTINGS_PATH".into(),
            })
        };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|e| problem(format!("cannot be opened: {e}")))?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| problem(format!("cannot be read: {e}")))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(problem(format!("is larger than {MAX_BYTES} bytes, so it is no settings file")));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The lines of `text` that are ours, by key; what is wrong with the others goes to `problems`.
pub(crate) fn parse(path: &Path, text: &str, problems: &mut Vec<Problem>) -> BTreeMap<&'static str, Line> {
    let mut values = BTreeMap::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let number = index + 1;
        let line = line.split('#').next().unwrap_or_default().trim();
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (line, None),
        };
        let (prefix, key) = name.split_once('.').unwrap_or((name, ""));
        if !looks_like_ours(prefix) {
            continue;
        }
        let mut problem = |allowed: String, used: &str| {
            problems.push(Problem {
                source: Source::File(path.into(), number),
                key: key.into(),
                value: value.unwrap_or(line).into(),
                allowed,
                used: used.into(),
            });
        };
        let Some(value) = value else {
            problem(format!("`=` is missing: write `{FILE_PREFIX}.<key> = <value>`"), "the line is left out");
            continue;
        };
        if prefix != FILE_PREFIX {
            problem(format!("the key must begin with `{FILE_PREFIX}.`"), "the line is left out");
            continue;
        }
        let Some(setting) = Setting::find(key) else {
            problem(unknown_key(key), "the line is left out");
            continue;
        };
        let line = Line { number, value: value.into() };
        if let Some(earlier) = values.insert(setting.key, line) {
            problem(format!("was set in line {} already", earlier.number), "the last line counts");
        }
    }
    values
}

/// Our prefix, or what somebody may have taken for it.
fn looks_like_ours(prefix: &str) -> bool {
    let prefix = prefix.to_ascii_lowercase();
    prefix == FILE_PREFIX || prefix == LAYER_NAME.to_ascii_lowercase() || prefix == "tilelens" || prefix == "tbdr"
}

/// The words for a key that is not in the table.
pub(crate) fn unknown_key(key: &str) -> String {
    match nearest_key(key) {
        Some(near) => format!("no such setting; did you mean `{near}`?"),
        None => "no such setting; docs/settings.md lists them".into(),
    }
}
