//! tilelens.toml: what a team asks of its program, which `tilelens check` judges and `tilelens init` writes.
//!
//! In: the text of the file. Out: [`Config`], whose values know where they stand, or an error that names the line and what was probably
//! meant. With the feature `schema` its types describe themselves. Reading the file is all the I/O there is.

#![forbid(unsafe_code)]

mod amount;
mod file;
#[cfg(feature = "schema")]
mod schema;
mod tables;
mod values;

pub use amount::{Amount, NotAnAmount};
pub use file::{ConfigError, ConfigFile, nearest};
pub use tables::{
    Allow, Baseline, Budget, Config, FILE_NAME, Frames, Gpus, Limits, PassBudget, Reserve, Rules, Unused, Which,
};
pub use values::{Denied, LevelWord, Limit, Pattern, RuleName, Tolerance, rule_levels};

#[cfg(feature = "schema")]
pub use schema::schema;
