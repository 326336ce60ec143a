//! Items of the two settings about advice: levels of rules, and what is not reported.
//!
//! Both are lists whose items name a rule by code or name; an item is kept with the code, as the capture and the model have it. A
//! comma always separates items, so a pattern writes `*` for it; a colon after the first belongs to the pattern.

use crate::problem::shown;
use std::fmt;
use tbdr_model::rules::{Level, RULES, Rule};

/// What an item of a list says of its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleItem {
    /// Its level: `CODE=LEVEL`.
    Level,
    /// That it is not reported, anywhere or where a pattern fits: `CODE` or `CODE:PATTERN`.
    Suppression,
}

/// An item that says nothing about a rule. Shown with [`fmt::Display`] on one line, foreign text escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnItem {
    reason: String,
}

impl fmt::Display for NotAnItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NotAnItem {}

impl RuleItem {
    /// What an item is, in words.
    pub const fn syntax(self) -> &'static str {
        match self {
            Self::Level => "`CODE=off`, `note`, `info`, `warn` or `hazard`",
            Self::Suppression => "`CODE`, or `CODE:PATTERN` with `*` for any characters",
        }
    }

    /// The item in the form that the capture keeps.
    pub fn parse(self, text: &str) -> Result<String, NotAnItem> {
        let text = text.trim();
        match self {
            Self::Level => {
                let Some((word, level)) = text.split_once('=') else {
                    return Err(NotAnItem {
                        reason: format!("`{}` lacks a level: write {}", shown(text), self.syntax()),
                    });
                };
                let rule = find(word)?;
                let Some(level) = Level::by_name(&level.trim().to_ascii_lowercase()) else {
                    let reason = format!("`{}` is no level: write {}", shown(level), self.syntax());
                    return Err(NotAnItem { reason });
                };
                Ok(format!("{}={}", rule.code, level.name()))
            }
            Self::Suppression => match text.split_once(':') {
                None => Ok(find(text)?.code.into()),
                Some((word, pattern)) => {
                    let (rule, pattern) = (find(word)?, pattern.trim());
                    if pattern.is_empty() {
                        let reason = format!("the pattern after `{word}:` is empty: write `{word}` for the whole rule");
                        return Err(NotAnItem { reason });
                    }
                    Ok(format!("{}:{pattern}", rule.code))
                }
            },
        }
    }

    /// Splits each text at commas and reads the items: those that fit, and those that do not with the reason of the first.
    pub(crate) fn parse_all(self, texts: &[String]) -> (Vec<String>, Option<(String, NotAnItem)>) {
        let (mut good, mut bad, mut first) = (Vec::new(), Vec::new(), None);
        for item in texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|item| !item.is_empty()) {
            match self.parse(item) {
                Ok(item) => good.push(item),
                Err(reason) => {
                    bad.push(item);
                    first.get_or_insert(reason);
                }
            }
        }
        (good, first.map(|reason| (bad.join(","), reason)))
    }
}

/// The rule of this code or name, as an item of a list has it.
fn find(word: &str) -> Result<&'static Rule, NotAnItem> {
    find_rule(word).map_err(|NotAnItem { reason }| NotAnItem {
        reason: format!("{reason}, and a comma in a pattern is written `*`"),
    })
}

/// The rule of this code or name; upper and lower case are the same.
pub fn find_rule(word: &str) -> Result<&'static Rule, NotAnItem> {
    let word = word.trim();
    let named = |rule: &&Rule| rule.code.eq_ignore_ascii_case(word) || rule.name.eq_ignore_ascii_case(word);
    RULES.iter().copied().find(named).ok_or_else(|| {
        let near = near(word);
        let near = if near.is_empty() { String::new() } else { format!(" (near: {})", near.join(", ")) };
        NotAnItem { reason: format!("no rule `{}`{near}; `tilelens rules` lists them", shown(word)) }
    })
}

/// Up to three rules whose code or name differs from `word` by little or has it as a part, nearest first.
fn near(word: &str) -> Vec<String> {
    // The distance costs length times length, and no rule is near a text of a thousand characters.
    if word.len() > 64 {
        return Vec::new();
    }
    let word = word.to_lowercase();
    let distance = |known: &str| {
        let known = known.to_lowercase();
        let distance = strsim::damerau_levenshtein(&word, &known);
        let part = word.len() > 2 && known.contains(&word);
        (part || distance <= known.len() / 3).then_some(distance)
    };
    let mut found: Vec<_> = RULES
        .iter()
        .filter_map(|rule| {
            let distance = [rule.code, rule.name].into_iter().filter_map(distance).min()?;
            Some((distance, format!("{} {}", rule.code, rule.name)))
        })
        .collect();
    found.sort();
    found.into_iter().take(3).map(|(_, rule)| rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbdr_model::policy::Policy;

    #[test]
    fn what_fits_is_what_the_model_follows() {
        let (levels, none) = RuleItem::Level.parse_all(&["store-never-read = Off, tl301=INFO".into()]);
        assert_eq!((levels.join(","), none), ("TL006=off,TL301=info".into(), None));
        let (allow, none) = RuleItem::Suppression.parse_all(&["Store-Never-Read:shadow*".into(), "tl001".into()]);
        assert_eq!((allow.join(","), none), ("TL006:shadow*,TL001".into(), None));
        let settings = [("rule_levels".into(), levels.join(",")), ("allow".into(), allow.join(","))].into();
        let (policy, unknown) = Policy::from_settings(&settings);
        assert_eq!((policy.levels.len(), policy.allowed.len(), unknown.len()), (2, 2, 0));
    }

    #[test]
    fn a_pattern_keeps_its_colons() {
        let item = RuleItem::Suppression.parse("TL006:scene: main/C:\\depth#2").unwrap();
        assert_eq!(item, "TL006:scene: main/C:\\depth#2");
        let (policy, unknown) = Policy::from_settings(&[("allow".into(), item.clone())].into());
        assert_eq!((policy.allowed, unknown.len()), (vec![item], 0));
    }

    #[test]
    fn a_comma_in_a_pattern_is_told_apart_from_two_items_by_a_message() {
        let (good, bad) = RuleItem::Suppression.parse_all(&["TL006:colour, main".into()]);
        let (left_out, reason) = bad.unwrap();
        assert_eq!((good.join(","), left_out.as_str()), ("TL006:colour".into(), "main"));
        assert!(reason.to_string().contains("a comma in a pattern is written `*`"), "{reason}");
    }

    #[test]
    fn an_unknown_rule_is_answered_with_near_ones() {
        let told = |item: RuleItem, text: &str| item.parse(text).unwrap_err().to_string();
        assert!(told(RuleItem::Suppression, "store-never-raed").contains("near: TL006 store-never-read"));
        assert!(told(RuleItem::Level, "TL066=off").contains("TL006 store-never-read"));
        assert!(told(RuleItem::Level, "TL006=loud").contains("`loud` is no level"));
        assert!(told(RuleItem::Level, "TL006").contains("lacks a level"));
        assert!(told(RuleItem::Suppression, "TL006:").contains("is empty"));
        let hostile = told(RuleItem::Suppression, &format!("\u{1b}[31m{}", "x".repeat(1 << 20)));
        assert!(hostile.len() < 1000 && !hostile.contains('\u{1b}'), "{hostile}");
    }
}
