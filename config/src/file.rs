//! Finds, reads and parses tilelens.toml. Whatever is wrong with it is told with file and line, and with what was probably meant.

use crate::tables::{Config, FILE_NAME};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tbdr_model::text::shown;
use thiserror::Error;

/// Bytes that a configuration may have.
const LARGEST: u64 = 1 << 20;

/// Why there is no configuration.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The current folder, in which it is looked for, cannot be told.
    #[error("cannot tell the current folder; name the file with --config")]
    CurrentFolder(#[source] std::io::Error),
    /// The file cannot be read.
    #[error("cannot read {}; `tilelens init` writes one", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// What the file is cannot be a configuration.
    #[error("{}: {what}: this is no {FILE_NAME}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// It says something that cannot be: file, line, and what was probably meant.
    #[error("{0}")]
    Wrong(String),
}

/// A configuration, and where it says what.
#[derive(Debug, Default)]
pub struct ConfigFile {
    /// The file; `None` for the defaults.
    pub path: Option<PathBuf>,
    /// What it says.
    pub config: Config,
    text: String,
}

impl ConfigFile {
    /// The file that was named, else the nearest one in the current folder and those above it, else the defaults.
    pub fn find(named: Option<&Path>) -> Result<Self, ConfigError> {
        if let Some(path) = named {
            return Self::read(path);
        }
        let here = std::env::current_dir().map_err(ConfigError::CurrentFolder)?;
        match here.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file()) {
            Some(path) => {
                // As short as it can be told.
                let short = path.strip_prefix(&here).map(Path::to_path_buf);
                Self::read(&short.unwrap_or(path))
            }
            None => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> Result<Self, ConfigError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
            .map_err(|source| ConfigError::Unreadable { path: path.into(), source })?;
        Self::parse(path, bytes)
    }

    /// What the bytes of the file `path` say.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let other = |what| ConfigError::Other { path: path.into(), what };
        if bytes.len() as u64 > LARGEST {
            return Err(other("larger than a MiB"));
        }
        let text = String::from_utf8(bytes).map_err(|_| other("not UTF-8"))?;
        let mut file = Self { path: Some(path.into()), text, config: Config::default() };
        match toml::from_str(&file.text) {
            Ok(config) => file.config = config,
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                return Err(ConfigError::Wrong(file.at(&span, &with_near(&in_words(error.message())))));
            }
        }
        Ok(file)
    }

    /// The line of a span, counted from 1.
    pub fn line(&self, span: &Range<usize>) -> usize {
        self.text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
    }

    /// A message about what stands at a span.
    pub fn at(&self, span: &Range<usize>, message: &str) -> String {
        let line = self.line(span);
        let source = self.text.lines().nth(line - 1).unwrap_or_default().trim();
        let source = if source.is_empty() { String::new() } else { format!(" (in `{}`)", shown(source, 80)) };
        format!("{}:{line}: {}{source}", self.name(), shown(message, 800))
    }

    /// The file's name, in messages.
    pub fn name(&self) -> String {
        self.path.as_ref().map_or_else(|| "the defaults".into(), |path| path.display().to_string())
    }

    /// A path that the file names: relative ones start at its folder.
    pub fn beside(&self, path: &Path) -> PathBuf {
        let folder = self.path.as_ref().and_then(|path| path.parent());
        folder.map_or_else(|| path.into(), |folder| folder.join(path))
    }
}

/// What the parser expects, in the words of a reader.
fn in_words(message: &str) -> String {
    let words =
        [("expected u64", "expected a whole number, 0 or more"), ("expected a sequence", "expected a list: `[…]`")];
    words.iter().fold(message.to_string(), |message, (code, words)| message.replace(code, words))
}

/// A message of the parser about an unknown word, with the one of the allowed words that comes nearest.
fn with_near(message: &str) -> String {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match &words[..] {
        [unknown, allowed @ ..] if message.starts_with("unknown ") => match nearest(unknown, allowed.iter().copied()) {
            Some(near) => format!("{message}; did you mean `{near}`?"),
            None => message.into(),
        },
        _ => message.into(),
    }
}

/// The word that comes nearest, if one comes near.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance costs length times length.
    let start = |text: &str| text.chars().take(80).collect::<String>().to_lowercase();
    let word = start(word);
    let distance = |known: &&str| strsim::damerau_levenshtein(&word, &start(known));
    // A name of which a part was written, else one with few other letters.
    let key = |known: &&str| (!(word.len() > 2 && start(known).contains(&word)), distance(known));
    let near = words.into_iter().min_by_key(key)?;
    let close = distance(&near) <= (word.chars().count().max(near.chars().count()) / 2).max(1);
    (close || !key(&near).0).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_probably_meant_is_told() {
        assert_eq!(nearest("totl", ["read", "total", "write"]), Some("total"));
        assert_eq!(nearest("shadow", ["main", "shadow map#2"]), Some("shadow map#2"));
        assert_eq!(nearest("x", ["main", "shadow map"]), None);
        let told = with_near("unknown field `wirte`, expected one of `read`, `write`");
        assert!(told.ends_with("did you mean `write`?"), "{told}");
        assert_eq!(with_near("invalid type"), "invalid type");
    }
}
