//! What a user has said about findings: the level of each rule, and which findings are wanted.
//!
//! Rules go by their code or name, findings by the identity of their pass or image, which is the same in the next run.

use crate::rules::{Level, RULES, Rule};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Levels and suppressions that a user has set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Level by rule code or name.
    pub levels: BTreeMap<String, Level>,
    /// What is not reported: `CODE`, or `CODE:PATTERN` with a pass or image identity in which `*` stands for anything.
    pub allowed: Vec<String>,
}

impl Policy {
    /// The policy in settings of a run: `rule_levels` is a list of `CODE=level`, `allow` a list of suppressions. Words that fit
    /// nothing are returned.
    pub fn from_settings(settings: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let list = |key: &str| {
            let text = settings.get(key).map_or("", String::as_str);
            text.split(',').map(str::trim).filter(|s| !s.is_empty()).map(String::from).collect::<Vec<_>>()
        };
        let known = |code: &str| RULES.iter().find(|r| r.code.eq_ignore_ascii_case(code) || r.name == code);
        let (mut policy, mut unknown) = (Self::default(), Vec::new());
        for item in list("rule_levels") {
            let parts = item
                .split_once('=')
                .and_then(|(code, level)| Some((known(code.trim())?, Level::by_name(level.trim())?)));
            match parts {
                Some((rule, level)) => {
                    policy.levels.insert(rule.code.to_string(), level);
                }
                None => unknown.push(alloc::format!("rule_levels: {item}")),
            }
        }
        for item in list("allow") {
            let (code, pattern) = item.split_once(':').map_or((item.as_str(), None), |(c, p)| (c, Some(p)));
            match (known(code.trim()), pattern) {
                (Some(rule), Some(pattern)) => policy.allowed.push(alloc::format!("{}:{pattern}", rule.code)),
                (Some(rule), None) => policy.allowed.push(rule.code.to_string()),
                (None, _) => unknown.push(alloc::format!("allow: {item}")),
            }
        }
        (policy, unknown)
    }

    /// The level of a rule under this policy.
    pub fn level(&self, rule: &Rule) -> Level {
        self.levels.get(rule.code).copied().unwrap_or(rule.level)
    }

    /// Whether a finding of this rule in this pass, about this image, is suppressed.
    pub fn allows(&self, rule: &Rule, pass: Option<&str>, attachment: Option<&str>) -> bool {
        self.allowed.iter().any(|item| match item.split_once(':') {
            None => item == rule.code,
            Some((code, pattern)) => {
                code == rule.code && [pass, attachment].into_iter().flatten().any(|id| matches(pattern, id))
            }
        })
    }
}

/// Whether `text` fits `pattern`, in which `*` stands for any characters.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_identities() {
        assert!(matches("shadow*", "shadow map#2"));
        assert!(matches("*depth*", "main depth"));
        assert!(matches("a*b*c", "a-b-b-c"));
        assert!(!matches("shadow", "shadow map"));
        assert!(!matches("*map", "map x"));
        assert!(matches("*", ""));
    }
}
