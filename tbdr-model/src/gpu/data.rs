//! Profile data: TOML files whose figures carry unit, source and confidence.
//!
//! A file names its sources once, gives each driver policy its figures, and lists GPUs with their hardware figures and the
//! policy they run under. A family reads the figures it knows through [`Figures`], which checks unit and range: files may come
//! from users, and no figure makes a decision overflow or divide by zero.

mod load;

pub(super) use load::load;
pub use load::load_user;

use crate::text::shown;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::ops::RangeInclusive;
use serde::Deserialize;
use thiserror::Error;

/// One figure of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name of the figure.
    pub key: String,
    /// Hardware fact or driver decision.
    pub part: Part,
    /// Value.
    pub value: Value,
    /// Unit.
    pub unit: String,
    /// Public source.
    pub source: String,
    /// How the source knows.
    pub confidence: Confidence,
}

/// What a figure describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A fact of the chip.
    Hardware,
    /// A decision of the driver.
    Driver,
}

/// Value of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "write value = a whole number from 0, true, false, \"a word\" or [width, height]")]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Integer(u64),
    /// Width and height.
    Pair([u32; 2]),
    /// One of the words that the family knows.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(if *flag { "yes" } else { "no" }),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Pair([width, height]) => write!(f, "{width}x{height}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// How a source knows a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A driver's own code decides by it.
    Driver,
    /// A table of the kernel driver.
    Kernel,
    /// The vendor documents it.
    Vendor,
    /// Concluded from the above.
    Inferred,
}

impl Confidence {
    /// The word used in the data files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::Kernel => "kernel",
            Self::Vendor => "vendor",
            Self::Inferred => "inferred",
        }
    }
}

/// A profile file that cannot be used. All texts are fit to be printed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DataError {
    /// Not TOML of the right shape.
    #[error("{file}: {message}")]
    Shape {
        /// The file.
        file: String,
        /// What is wrong, and what to write instead.
        message: String,
    },
    /// A figure is missing or wrong.
    #[error("{file}, `{gpu}`: figure `{key}`: {remedy}")]
    Figure {
        /// The file.
        file: String,
        /// Id of the GPU.
        gpu: String,
        /// Name of the figure.
        key: String,
        /// What to do.
        remedy: String,
    },
}

/// The figures of one profile, as a family reads them.
#[derive(Clone, Copy, Debug)]
pub struct Figures<'a> {
    file: &'a str,
    gpu: &'a str,
    figures: &'a [Figure],
}

impl Figures<'_> {
    /// A whole number.
    pub fn integer(&self, key: &str, unit: &str) -> Result<u64, DataError> {
        match self.get(key, unit)? {
            Value::Integer(number) => Ok(*number),
            _ => Err(self.refuse(key, "write a whole number")),
        }
    }

    /// A whole number within `range`.
    pub fn integer_in(&self, key: &str, unit: &str, range: RangeInclusive<u64>) -> Result<u64, DataError> {
        let number = self.integer(key, unit)?;
        let remedy = || format!("write a whole number from {} to {}", range.start(), range.end());
        if range.contains(&number) { Ok(number) } else { Err(self.refuse(key, &remedy())) }
    }

    /// A power of two within `range`.
    pub fn power_of_two(&self, key: &str, unit: &str, range: RangeInclusive<u64>) -> Result<u64, DataError> {
        let number = self.integer(key, unit)?;
        let remedy = || format!("write a power of two from {} to {}", range.start(), range.end());
        if range.contains(&number) && number.is_power_of_two() { Ok(number) } else { Err(self.refuse(key, &remedy())) }
    }

    /// A width and a height, both above zero.
    pub fn pair(&self, key: &str, unit: &str) -> Result<[u32; 2], DataError> {
        match self.get(key, unit)? {
            Value::Pair(pair) if !pair.contains(&0) => Ok(*pair),
            _ => Err(self.refuse(key, "write [width, height], both above zero")),
        }
    }

    /// A width and a height, both within `range`.
    pub fn pair_in(&self, key: &str, unit: &str, range: RangeInclusive<u32>) -> Result<[u32; 2], DataError> {
        let pair = self.pair(key, unit)?;
        let remedy = || format!("write [width, height], both from {} to {}", range.start(), range.end());
        if pair.iter().all(|side| range.contains(side)) { Ok(pair) } else { Err(self.refuse(key, &remedy())) }
    }

    /// Yes or no.
    pub fn flag(&self, key: &str, unit: &str) -> Result<bool, DataError> {
        match self.get(key, unit)? {
            Value::Flag(flag) => Ok(*flag),
            _ => Err(self.refuse(key, "write true or false")),
        }
    }

    /// A word.
    pub fn text(&self, key: &str, unit: &str) -> Result<&str, DataError> {
        match self.get(key, unit)? {
            Value::Text(text) => Ok(text),
            _ => Err(self.refuse(key, "write a word in quotes")),
        }
    }

    /// One of these words, as what it stands for.
    pub fn word<T: Copy>(&self, key: &str, unit: &str, words: &[(&str, T)]) -> Result<T, DataError> {
        let all = || words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<alloc::vec::Vec<_>>().join(" or ");
        if !self.figures.iter().any(|figure| figure.key == key) {
            return Err(self.refuse(key, &format!("add it, in {unit}: {}", all())));
        }
        let text = self.text(key, unit)?;
        let known = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        known.ok_or_else(|| self.refuse(key, &format!("write {}", all())))
    }

    fn get(&self, key: &str, unit: &str) -> Result<&Value, DataError> {
        let figure = self
            .figures
            .iter()
            .find(|f| f.key == key)
            .ok_or_else(|| self.refuse(key, &format!("add it, in {unit}")))?;
        if figure.unit == unit { Ok(&figure.value) } else { Err(self.refuse(key, &format!("give it in {unit}"))) }
    }

    /// The error that names this file, this profile and `key`.
    pub fn refuse(&self, key: &str, remedy: &str) -> DataError {
        DataError::Figure {
            file: shown(self.file, 200),
            gpu: shown(self.gpu, 64),
            key: key.to_string(),
            remedy: remedy.to_string(),
        }
    }
}
