//! The options about advice that several subcommands take, and what they say in place of settings.

use anyhow::{Result, bail};
use tilelens_manifest::{NotAnItem, Problem, RuleItem};

/// Keys of the settings that the options stand for.
const LEVELS: &str = "rule_levels";
const ALLOW: &str = "allow";

/// Which findings are reported, and how loud.
#[derive(clap::Args)]
pub struct AdviceArgs {
    /// Findings that are not reported: `CODE`, or `CODE:PATTERN` with a pass or image; takes the place of the setting `allow`.
    ///
    /// Rules go by code or name. `*` in a pattern stands for any characters, also for a comma, which separates items. `--allow ''`
    /// allows nothing.
    #[arg(long, value_name = "CODE[:PATTERN]", value_delimiter = ',', value_parser = allowed)]
    allow: Option<Vec<String>>,
    /// Levels of rules: off, note, info, warn or hazard; takes the place of the setting `rule_levels`.
    #[arg(long, value_name = "CODE=LEVEL", value_delimiter = ',', value_parser = level)]
    level: Option<Vec<String>>,
}

fn allowed(text: &str) -> Result<String, NotAnItem> {
    item(RuleItem::Suppression, text)
}

fn level(text: &str) -> Result<String, NotAnItem> {
    item(RuleItem::Level, text)
}

/// An empty item is how a list is emptied.
fn item(kind: RuleItem, text: &str) -> Result<String, NotAnItem> {
    if text.trim().is_empty() { Ok(String::new()) } else { kind.parse(text) }
}

impl AdviceArgs {
    /// Key and value of each setting that was given as an option.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let text = |items: &Vec<String>| {
            items.iter().map(String::as_str).filter(|item| !item.is_empty()).collect::<Vec<_>>().join(",")
        };
        let given = [(ALLOW, &self.allow), (LEVELS, &self.level)];
        given.into_iter().filter_map(|(key, items)| Some((key, text(items.as_ref()?)))).collect()
    }

    /// Refuses settings about advice that the layer could only log and leave out, unless an option takes their place.
    pub fn refuse(&self, problems: &[Problem]) -> Result<()> {
        let given: Vec<_> = self.settings().into_iter().map(|(key, _)| key).collect();
        let of_advice = |p: &&Problem| [ALLOW, LEVELS].iter().any(|key| p.key == *key && !given.contains(key));
        match problems.iter().find(of_advice) {
            Some(problem) => bail!("{problem}"),
            None => Ok(()),
        }
    }
}
