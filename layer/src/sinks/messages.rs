//! Findings, and what is wrong with settings or with the layer, as messages for the messengers of VK_EXT_debug_utils.

use super::log;
use super::messengers::Message;
use ash::vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
use std::collections::BTreeMap;
use std::ffi::CString;
use tbdr_model::report::Finding;

/// Messages per rule and device; the report has all.
const MOST_PER_RULE: usize = 10;

/// Number of messages about settings. Those about rules have the rule's, and no rule's is so high.
const SETTINGS_NUMBER: i32 = 10_001;
/// Number of the message about a fault of the layer.
const FAULT_NUMBER: i32 = 10_002;

/// Where in the recorded frames the subject of a finding is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Label regions around the pass, outermost first.
    pub labels: Vec<String>,
    /// Identity of the image.
    pub image: Option<u64>,
}

/// What `findings` say, most important first, with what they save on `gpu`. Each finding is one message; `place` tells where it is.
pub fn of(findings: &[Finding], gpu: &str, mut place: impl FnMut(&Finding) -> Place) -> Vec<Message> {
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    findings.iter().for_each(|finding| *all.entry(&finding.code).or_default() += 1);
    let mut said: BTreeMap<&str, usize> = BTreeMap::new();
    let mut messages = Vec::new();
    for finding in findings {
        let count = said.entry(&finding.code).or_default();
        *count += 1;
        if *count > MOST_PER_RULE {
            continue;
        }
        let more = match all.get(finding.code.as_str()) {
            Some(all) if *count == MOST_PER_RULE && *all > MOST_PER_RULE => {
                format!(" ({} more findings of this rule are in the report)", all - MOST_PER_RULE)
            }
            _ => String::new(),
        };
        let (severity, types) = kind(&finding.level);
        let Place { labels, image } = place(finding);
        messages.push(Message {
            severity,
            types,
            id_name: text(format!("Tilelens-{}-{}", finding.code, finding.name)),
            id_number: number(&finding.code),
            text: text(format!("{}{more}", log::finding(finding, gpu))),
            labels: labels.into_iter().rev().map(text).collect(),
            image,
        });
    }
    messages
}

/// What is wrong with a setting.
pub fn setting(problem: &str) -> Message {
    general("Tilelens-settings", SETTINGS_NUMBER, problem)
}

/// That the layer has stepped aside, and why. No error: the program runs on, and some end at the first error that they hear of.
pub fn fault(why: &str) -> Message {
    general("Tilelens-fault", FAULT_NUMBER, why)
}

fn general(id_name: &str, id_number: i32, words: &str) -> Message {
    Message {
        severity: Severity::WARNING,
        types: Type::GENERAL,
        id_name: text(id_name.into()),
        id_number,
        text: text(log::clean(words)),
        labels: Vec::new(),
        image: None,
    }
}

/// Severity and type by a finding's level.
fn kind(level: &str) -> (Severity, Type) {
    match level {
        "hazard" => (Severity::WARNING, Type::VALIDATION),
        "warn" => (Severity::WARNING, Type::PERFORMANCE),
        "info" => (Severity::INFO, Type::PERFORMANCE),
        _ => (Severity::VERBOSE, Type::PERFORMANCE),
    }
}

/// The number in a rule's code, which is never reused: 6 for `TL006`.
fn number(code: &str) -> i32 {
    code.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0)
}

/// `text` as Vulkan takes it: without the NULs that would end it.
pub fn text(text: String) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn finding(code: &str, level: &str, pass: &str) -> Finding {
        Finding {
            code: code.into(),
            name: "store-never-read".into(),
            level: level.into(),
            pass: Some(pass.into()),
            attachment: None,
            frames: Vec::new(),
            saving: BTreeMap::new(),
            after_previous: BTreeMap::new(),
            fix: "Set storeOp to DONT_CARE.".into(),
            why: String::new(),
        }
    }

    fn nowhere(_: &Finding) -> Place {
        Place::default()
    }

    #[test]
    fn every_rule_has_a_number_of_its_own() {
        let mut numbers: Vec<i32> = tbdr_model::rules::RULES.iter().map(|rule| number(rule.code)).collect();
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
        assert!(all > 10 && numbers[0] > 0 && numbers[all - 1] < SETTINGS_NUMBER, "{numbers:?}");
    }

    #[test]
    fn a_rule_is_said_ten_times_and_the_last_time_tells_of_the_rest() {
        let findings: Vec<_> = (0..13).map(|i| finding("TL006", "warn", &format!("pass {i}"))).collect();
        let messages = of(&findings, "mali-g76", nowhere);
        assert_eq!(messages.len(), 10);
        let told = |m: &Message| m.text.to_str().unwrap().ends_with("(3 more findings of this rule are in the report)");
        assert!(told(&messages[9]) && !messages[..9].iter().any(told), "{messages:?}");
        assert_eq!(of(&findings[..10], "mali-g76", nowhere).iter().filter(|m| told(m)).count(), 0);
    }

    #[test]
    fn names_with_control_characters_stay_one_line_of_utf_8() {
        let messages = of(&[finding("TL006", "warn", "a\0b\n\u{1b}[31mc")], "mali-g76", nowhere);
        let text = messages[0].text.to_str().unwrap();
        assert!(text.contains("a\u{fffd}b\u{fffd}\u{fffd}[31mc") && !text.contains(char::is_control), "{text}");
    }

    #[test]
    fn labels_come_innermost_first_as_in_other_layers() {
        let place = |_: &Finding| Place { labels: vec!["frame".into(), "shadow\0map".into()], image: Some(7) };
        let messages = of(&[finding("TL006", "warn", "a")], "mali-g76", place);
        let labels: Vec<_> = messages[0].labels.iter().map(|label| label.to_str().unwrap()).collect();
        assert_eq!((labels, messages[0].image), (vec!["shadow\u{fffd}map", "frame"], Some(7)));
    }

    #[test]
    fn what_is_undefined_is_validation_and_what_costs_is_performance() {
        assert_eq!(kind("hazard"), (Severity::WARNING, Type::VALIDATION));
        assert_eq!(kind("warn"), (Severity::WARNING, Type::PERFORMANCE));
        assert_eq!(kind("info"), (Severity::INFO, Type::PERFORMANCE));
        assert_eq!(kind("note"), (Severity::VERBOSE, Type::PERFORMANCE));
    }
}
