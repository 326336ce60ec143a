//! tilelens.toml: what a team asks of every frame of its program. One type for the whole file; unknown keys are refused.
//!
//! `tilelens init` writes the same keys with their defaults; a test holds the two together.

use crate::values::{Denied, LevelWord, Limit, Pattern, RuleName, Tolerance};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

/// Name of the file that is looked for.
pub const FILE_NAME: &str = "tilelens.toml";

/// tilelens.toml: what a team asks of every frame of its program, judged by `tilelens check`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "tilelens.toml"))]
pub struct Config {
    /// Whether what is undecided, and therefore in no sum, fails the check of a budget that the rest keeps.
    pub undecided: Reserve,
    /// Whether frames that are missing from the record, other than those left out as asked, fail the check.
    pub gaps: Reserve,
    /// Which GPUs are checked.
    pub gpus: Gpus,
    /// Which frames count.
    pub frames: Frames,
    /// What may move.
    pub budget: Budget,
    /// Which findings fail.
    pub rules: Rules,
    /// Findings that are wanted.
    pub allow: Vec<Allow>,
    /// An earlier report that frames may not outgrow.
    pub baseline: Option<Baseline>,
}

/// What becomes of a doubt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Reserve {
    /// It is told.
    #[default]
    Allow,
    /// It fails the check.
    Deny,
}

/// `[gpus]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gpus {
    /// Ids; empty for those that the capture was recorded for, or that the report holds.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub profiles: Spanned<Vec<String>>,
    /// Files of GPU profiles of your own, from the folder of the configuration.
    pub files: Vec<PathBuf>,
}

impl Default for Gpus {
    fn default() -> Self {
        Self { profiles: Spanned::new(0..0, Vec::new()), files: Vec::new() }
    }
}

/// `[frames]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Frames {
    /// Which of the frames that are left count.
    pub which: Which,
    /// Frames at the start of the run that do not count.
    pub skip_first: u64,
    /// Distinct frames that occurred less often do not count.
    pub min_count: u64,
}

impl Default for Frames {
    fn default() -> Self {
        Self { which: Which::default(), skip_first: 0, min_count: 1 }
    }
}

/// Which frames count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Which {
    /// Those that occurred at least half as often as the most frequent one.
    #[default]
    Steady,
    /// The one that occurred most often, of several the heaviest.
    MostFrequent,
    /// All.
    Every,
}

/// `[budget]`: bytes per frame of each GPU, unless a GPU has its own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// Read from DRAM.
    pub read: Option<Limit>,
    /// Written to DRAM.
    pub write: Option<Limit>,
    /// Both.
    pub total: Option<Limit>,
    /// Both, of transfer commands alone.
    pub transfers: Option<Limit>,
    /// What findings that are not allowed would save together.
    pub avoidable: Option<Limit>,
    /// `[budget.gpu.ID]`: what replaces these for one GPU.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Limits>"))]
    pub gpu: BTreeMap<Spanned<String>, Limits>,
    /// `[[budget.pass]]`.
    pub pass: Vec<PassBudget>,
}

/// `[budget.gpu.ID]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// Instead of `read` of `[budget]`.
    pub read: Option<Limit>,
    /// Instead of `write` of `[budget]`.
    pub write: Option<Limit>,
    /// Instead of `total` of `[budget]`.
    pub total: Option<Limit>,
    /// Instead of `transfers` of `[budget]`.
    pub transfers: Option<Limit>,
    /// Instead of `avoidable` of `[budget]`.
    pub avoidable: Option<Limit>,
}

/// `[[budget.pass]]`: bytes per frame of each pass that fits.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassBudget {
    /// Identities of passes.
    #[cfg_attr(feature = "schema", schemars(with = "Pattern"))]
    pub pass: Spanned<Pattern>,
    /// Of these images in the pass alone.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Pattern>"))]
    pub attachment: Option<Spanned<Pattern>>,
    /// On these GPUs alone.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub gpu: Vec<Spanned<String>>,
    /// Read from DRAM.
    pub read: Option<Limit>,
    /// Written to DRAM.
    pub write: Option<Limit>,
    /// Both.
    pub total: Option<Limit>,
}

/// `[rules]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rules {
    /// Rules, and levels from which on findings fail.
    pub deny: Vec<Denied>,
    /// What becomes of an `[[allow]]` that nothing needs.
    pub unused_allow: Unused,
    /// Levels of single rules.
    #[serde(deserialize_with = "crate::values::each_once")]
    pub levels: BTreeMap<RuleName, LevelWord>,
}

impl Default for Rules {
    fn default() -> Self {
        let deny = vec![Denied::Level(tbdr_model::rules::Level::Warn)];
        Self { deny, unused_allow: Unused::default(), levels: BTreeMap::new() }
    }
}

/// What becomes of something superfluous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Unused {
    /// Nothing.
    Allow,
    /// It is told.
    #[default]
    Warn,
    /// It fails the check.
    Deny,
}

/// `[[allow]]`: findings that are wanted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Allow {
    /// Code or name of the rule.
    #[cfg_attr(feature = "schema", schemars(with = "RuleName"))]
    pub code: Spanned<RuleName>,
    /// In these passes alone.
    pub pass: Option<Pattern>,
    /// About these images alone.
    pub attachment: Option<Pattern>,
    /// Why; it is shown beside what it allows.
    pub reason: Option<String>,
}

/// `[baseline]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baseline {
    /// A report or capture, or its folder, from the folder of the configuration.
    pub report: PathBuf,
    /// By how much frames, passes and transfers may move more.
    #[serde(default)]
    pub tolerance: Tolerance,
    /// Whether single passes and transfers may not outgrow theirs, or frames as a whole alone.
    #[serde(default = "yes")]
    pub passes: bool,
}

const fn yes() -> bool {
    true
}
