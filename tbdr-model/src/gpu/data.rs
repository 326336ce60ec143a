//! Profile data: TOML files whose figures carry unit, source and confidence.
//!
//! A file names its sources once, gives each driver policy its figures, and lists GPUs with their hardware figures and the
//! policy they run under. A family reads the figures it knows through [`Figures`], which checks the unit.

use super::{Profile, Tiler};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
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
#[serde(untagged)]
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

/// A profile file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DataError {
    /// Not TOML of the right shape.
    #[error("gpus/{family}.toml: {message}")]
    Shape {
        /// The family.
        family: String,
        /// What the parser says.
        message: String,
    },
    /// A figure is missing or wrong.
    #[error("gpus/{family}.toml, `{gpu}`: figure `{key}`: {remedy}")]
    Figure {
        /// The family.
        family: String,
        /// Id of the GPU.
        gpu: String,
        /// Name of the figure.
        key: String,
        /// What to do.
        remedy: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sources: BTreeMap<String, String>,
    policy: BTreeMap<String, PolicyEntry>,
    gpu: Vec<GpuEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyEntry {
    text: String,
    driver: BTreeMap<String, RawFigure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GpuEntry {
    id: String,
    name: String,
    policy: String,
    hardware: BTreeMap<String, RawFigure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFigure {
    value: Value,
    unit: String,
    source: String,
    confidence: Confidence,
}

/// The figures of one profile, as a family reads them.
#[derive(Clone, Copy, Debug)]
pub struct Figures<'a> {
    family: &'a str,
    gpu: &'a str,
    figures: &'a [Figure],
}

impl Figures<'_> {
    /// A number that fits 32 bits or more, as the unit has it.
    pub fn integer(&self, key: &str, unit: &str) -> Result<u64, DataError> {
        match self.get(key, unit)? {
            Value::Integer(number) => Ok(*number),
            _ => Err(self.refuse(key, "write a whole number")),
        }
    }

    /// A width and a height, both above zero.
    pub fn pair(&self, key: &str, unit: &str) -> Result<[u32; 2], DataError> {
        match self.get(key, unit)? {
            Value::Pair(pair) if !pair.contains(&0) => Ok(*pair),
            _ => Err(self.refuse(key, "write [width, height], both above zero")),
        }
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

    fn get(&self, key: &str, unit: &str) -> Result<&Value, DataError> {
        let figure = self.figures.iter().find(|f| f.key == key).ok_or_else(|| self.refuse(key, "add it"))?;
        if figure.unit == unit { Ok(&figure.value) } else { Err(self.refuse(key, &format!("give it in {unit}"))) }
    }

    /// The error that names this profile and `key`.
    pub fn refuse(&self, key: &str, remedy: &str) -> DataError {
        DataError::Figure {
            family: self.family.to_string(),
            gpu: self.gpu.to_string(),
            key: key.to_string(),
            remedy: remedy.to_string(),
        }
    }
}

/// The profiles of a file.
pub(super) fn load(
    family: &'static str,
    text: &str,
    read: fn(&Figures<'_>) -> Result<Arc<dyn Tiler>, DataError>,
) -> Result<Vec<Profile>, DataError> {
    let shape = |message: String| DataError::Shape { family: family.to_string(), message };
    let file: File = toml::from_str(text).map_err(|error| shape(error.to_string()))?;
    let mut profiles = Vec::new();
    for gpu in &file.gpu {
        let policy = file.policy.get(&gpu.policy).ok_or_else(|| {
            shape(format!("`{}` runs under the policy `{}`: add [policy.{}]", gpu.id, gpu.policy, gpu.policy))
        })?;
        let mut figures = Vec::new();
        for (part, raw) in [(Part::Hardware, &gpu.hardware), (Part::Driver, &policy.driver)] {
            for (key, figure) in raw {
                let source = file.sources.get(&figure.source).ok_or_else(|| {
                    shape(format!("`{}`, figure `{key}`: add `{}` to [sources]", gpu.id, figure.source))
                })?;
                figures.push(Figure {
                    key: key.clone(),
                    part,
                    value: figure.value.clone(),
                    unit: figure.unit.clone(),
                    source: source.clone(),
                    confidence: figure.confidence,
                });
            }
        }
        let tiler = read(&Figures { family, gpu: &gpu.id, figures: &figures })?;
        let (id, name, policy) = (gpu.id.clone(), gpu.name.clone(), policy.text.clone());
        profiles.push(Profile { id, name, policy, family, figures, tiler });
    }
    Ok(profiles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::mali;

    const HEAD: &str = "[sources]\ns = \"a public source\"\n[policy.p]\ntext = \"t\"\n[policy.p.driver]\n";
    const GPU: &str = "[[gpu]]\nid = \"mali-x\"\nname = \"X\"\npolicy = \"p\"\n[gpu.hardware]\n";

    #[test]
    fn a_missing_figure_is_named_with_its_file_and_gpu() {
        let error = load("mali", &format!("{HEAD}{GPU}"), mali::read).unwrap_err().to_string();
        assert_eq!(error, "gpus/mali.toml, `mali-x`: figure `architecture`: add it");
    }

    #[test]
    fn a_figure_in_another_unit_is_refused() {
        let figure = "architecture = { value = 7, unit = \"years\", source = \"s\", confidence = \"driver\" }";
        let error = load("mali", &format!("{HEAD}{GPU}{figure}"), mali::read).unwrap_err().to_string();
        assert!(error.ends_with("give it in generation"), "{error}");
    }

    #[test]
    fn a_figure_without_a_listed_source_is_refused() {
        let figure = "architecture = { value = 7, unit = \"generation\", source = \"none\", confidence = \"driver\" }";
        let error = load("mali", &format!("{HEAD}{GPU}{figure}"), mali::read).unwrap_err().to_string();
        assert!(error.contains("add `none` to [sources]"), "{error}");
    }
}
