//! What was wrong with a setting, where, and what is used instead.

use std::fmt;
use std::path::PathBuf;

/// Longest piece of foreign text that a message quotes, in characters.
const QUOTED: usize = 120;

/// Foreign text, escaped and shortened.
pub(crate) fn shown(text: &str) -> String {
    tbdr_model::text::shown(text, QUOTED)
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An environment variable (or, on Android, a system property), by name.
    Environment(String),
    /// A line of the settings file, counted from 1; 0 is the file as a whole.
    File(PathBuf, usize),
    /// VkLayerSettingsCreateInfoEXT.
    Api,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => f.write_str(&shown(name)),
            Self::File(path, 0) => f.write_str(&shown(&path.to_string_lossy())),
            Self::File(path, line) => write!(f, "{}:{line}", shown(&path.to_string_lossy())),
            Self::Api => f.write_str("VkLayerSettingsCreateInfoEXT"),
        }
    }
}

/// A setting that could not be followed. Shown with [`fmt::Display`] on one line, foreign text escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the value came from.
    pub source: Source,
    /// The key, as far as there is one.
    pub key: String,
    /// The value as given.
    pub value: String,
    /// What is wrong and what would be right, in words.
    pub allowed: String,
    /// What is used instead, in words.
    pub used: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.source)?;
        if !self.key.is_empty() {
            write!(f, "setting `{}`", shown(&self.key))?;
            if !self.value.is_empty() {
                write!(f, " = `{}`", shown(&self.value))?;
            }
            f.write_str(": ")?;
        } else if !self.value.is_empty() {
            write!(f, "`{}`: ", shown(&self.value))?;
        }
        write!(f, "{}; {}", self.allowed, self.used)
    }
}
