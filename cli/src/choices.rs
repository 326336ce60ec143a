//! The option `--over-budget` of several subcommands: what a driver does where its documents leave it open.

use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser};
use tilelens_manifest::{Kind, Problem, Setting, Settings};

/// Key of the setting that the option stands for.
const OVER_BUDGET: &str = "over_budget";

/// Choices about drivers.
#[derive(clap::Args)]
pub struct ChoiceArgs {
    /// What Arm's own driver does with subpasses above the documented colour budget [default: the setting `over_budget`].
    #[arg(long, value_name = "CHOICE", value_parser = choices())]
    over_budget: Option<String>,
}

/// The values of the setting, with their help.
fn choices() -> PossibleValuesParser {
    let values = match Setting::find(OVER_BUDGET).map(|setting| setting.kind) {
        Some(Kind::Choice(choices)) => choices,
        _ => &[],
    };
    values.iter().map(|choice| PossibleValue::new(choice.name).help(choice.help)).collect::<Vec<_>>().into()
}

impl ChoiceArgs {
    /// Key and value of the setting as it holds here: of the option, else of this process's settings.
    pub fn in_force(&self, settings: &Settings, problems: &[Problem]) -> Result<(String, String)> {
        if let Some((key, value)) = self.setting() {
            return Ok((key.into(), value));
        }
        if let Some(problem) = problems.iter().find(|problem| problem.key == OVER_BUDGET) {
            bail!("{problem}");
        }
        Ok((OVER_BUDGET.into(), settings.over_budget.name().into()))
    }

    /// Key and value of the setting, where the option was given.
    pub fn setting(&self) -> Option<(&'static str, String)> {
        self.over_budget.clone().map(|choice| (OVER_BUDGET, choice))
    }
}
