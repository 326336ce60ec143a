//! What a user may decide about drivers whose documents leave it open.
//!
//! The choices stand among the settings of a run, so that the running layer and whoever reads its capture make the same ones.

use super::{Profile, Tiler};
use crate::text::shown;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Key of [`Choices::over_budget`] among the settings of a run.
const OVER_BUDGET: &str = "over_budget";

/// What Arm's driver does with subpasses that could merge, were there not more colour bits per pixel than Arm documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverBudget {
    /// It merges them in smaller tiles, down to half a tile.
    #[default]
    SmallerTiles,
    /// It does not merge them.
    NotMerged,
}

impl OverBudget {
    /// Both.
    pub const ALL: [Self; 2] = [Self::SmallerTiles, Self::NotMerged];

    /// The value of the setting.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SmallerTiles => "smaller_tiles",
            Self::NotMerged => "not_merged",
        }
    }
}

/// All choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Above Arm's documented colour budget.
    pub over_budget: OverBudget,
}

impl Choices {
    /// The choices among the settings of a run, and a sentence for each that is none.
    pub fn from_settings(settings: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let Some(text) = settings.get(OVER_BUDGET) else { return <(Self, Vec<String>)>::default() };
        match OverBudget::ALL.into_iter().find(|choice| choice.name() == text.trim()) {
            Some(over_budget) => (Self { over_budget }, Vec::new()),
            None => {
                let default = OverBudget::default().name();
                let told = alloc::format!(
                    "a setting that is not known: {OVER_BUDGET}={}, taken as {default}",
                    shown(text, 64)
                );
                (Self::default(), alloc::vec![told])
            }
        }
    }
}

/// Makes the profiles decide by these choices. Those that decided alike still do.
pub(crate) fn choose(profiles: &mut [Profile], choices: &Choices) {
    let mut made: Vec<(Arc<dyn Tiler>, Arc<dyn Tiler>)> = Vec::new();
    for profile in profiles {
        let known = made.iter().find(|(old, _)| Arc::ptr_eq(old, &profile.tiler)).map(|(_, new)| Arc::clone(new));
        let Some(new) = known.or_else(|| profile.tiler.choosing(choices)) else { continue };
        let old = core::mem::replace(&mut profile.tiler, Arc::clone(&new));
        made.push((old, new));
    }
}
