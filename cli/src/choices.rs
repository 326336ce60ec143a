//! The option `--over-budget` of several subcommands: what a driver does where its documents leave it open.

use clap::builder::{PossibleValue, PossibleValuesParser};
use tilelens_manifest::{Kind, Setting};

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
    /// Key and value of the setting, where the option was given.
    pub fn setting(&self) -> Option<(&'static str, String)> {
        self.over_budget.clone().map(|choice| (OVER_BUDGET, choice))
    }
}
