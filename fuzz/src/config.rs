//! Any bytes, taken for tilelens.toml.
//!
//! Nothing may panic or take long; what is wrong is told in a bounded message that no terminal obeys and that names file and line; what is
//! right can be asked everything that a check asks of it, and the levels of rules in it are a setting that reads back.

use std::collections::BTreeMap;
use std::path::Path;
use tbdr_model::policy::Policy;
use tilelens_config::{Config, ConfigError, ConfigFile, Pattern, nearest, rule_levels};

/// Runs the target.
pub fn run(bytes: &[u8]) {
    match ConfigFile::parse(Path::new("fuzz/tilelens.toml"), bytes.to_vec()) {
        Ok(file) => asked(&file),
        Err(error) => {
            let text = error.to_string();
            harmless(&text);
            assert!(text.starts_with("fuzz/tilelens.toml:"), "{text:?}");
            if let ConfigError::Wrong(text) = &error {
                let line = text.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
                // What misses at the end is told of the line after the last.
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
                assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "{lines} lines: {text:?}");
            }
        }
    }
}

fn harmless(text: &str) {
    assert!(text.len() < 20_000, "a message of {} bytes", text.len());
    assert!(!text.chars().any(char::is_control), "{text:?}");
}

fn asked(file: &ConfigFile) {
    let Config { gpus, budget, rules, allow, baseline, .. } = &file.config;
    let patterns = budget.pass.iter().flat_map(|pass| [Some(&pass.pass), pass.attachment.as_ref()]).flatten();
    for pattern in patterns {
        asked_pattern(pattern.get_ref());
        harmless(&file.at(&pattern.span(), "no pass fits it"));
    }
    for allow in allow {
        [&allow.pass, &allow.attachment].into_iter().flatten().for_each(asked_pattern);
        harmless(&file.at(&allow.code.span(), allow.code.get_ref().0));
    }
    harmless(&file.at(&gpus.profiles.span(), "unknown GPU"));
    for id in budget.gpu.keys() {
        harmless(&file.at(&id.span(), id.get_ref()));
        let _ = nearest(id.get_ref(), ["mali-g76", "adreno-650"]);
    }
    if let Some(baseline) = baseline {
        for before in [0, 1, 1 << 20, u64::MAX] {
            assert!(baseline.tolerance.most(before) >= before, "{:?}", baseline.tolerance);
        }
        let _ = file.beside(&baseline.report);
    }
    let levels = BTreeMap::from([("rule_levels".to_string(), rule_levels(rules))]);
    let (_, unknown) = Policy::from_settings(&levels);
    assert!(unknown.is_empty(), "{levels:?}: {unknown:?}");
}

fn asked_pattern(pattern: &Pattern) {
    assert!(!pattern.0.trim().is_empty());
    // A pattern without a star fits what it says, and every pattern ends.
    assert!(pattern.0.contains('*') || pattern.fits(&pattern.0), "{pattern:?}");
    let _ = pattern.fits(&"ab#1 ".repeat(64));
}
