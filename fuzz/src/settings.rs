//! Any bytes, taken for the settings of a process: file, variables, what the application gives, and sets of frames.
//!
//! The bytes are cut at zeros. The first piece is a settings file; each other is, by its first byte, a variable (`E`, as `NAME=value`),
//! a setting by the API (`A`, name and values separated by 0x01), or a set of frames (`F`). Nothing may panic, no message may carry what a
//! terminal obeys or grow with its input, and what is shown of a set of frames must read back as that set.

use std::collections::BTreeMap;
use tilelens_manifest::{FrameSet, Settings, Sources};

/// Runs the target.
pub fn run(bytes: &[u8]) {
    let mut pieces = bytes.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    let file = pieces.next().unwrap_or_default().into_owned();
    let mut variables = BTreeMap::new();
    let mut api = Vec::new();
    for piece in pieces {
        let mut rest = piece.chars();
        match rest.next() {
            Some('E') => {
                let (name, value) = rest.as_str().split_once('=').unwrap_or((rest.as_str(), ""));
                variables.insert(name.to_owned(), value.to_owned());
            }
            Some('A') => {
                let mut items = rest.as_str().split('\u{1}').map(String::from);
                api.push((items.next().unwrap_or_default(), items.collect()));
            }
            Some('F') => frames(rest.as_str()),
            _ => {}
        }
    }
    let env = |name: &str| variables.get(name).cloned();
    let sources = Sources { env: &env, property: None, file: Some(("fuzz/vk_layer_settings.txt".into(), file)), api };
    let (settings, problems) = Settings::resolve(&sources);
    let unknown = Settings::unknown_variables(variables.keys().cloned());
    for problem in problems.iter().chain(&unknown) {
        let text = problem.to_string();
        assert!(text.len() < 20_000, "a message of {} bytes", text.len());
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
    if let Some(set) = &settings.frames {
        frames(&set.to_string());
    }
    // Kept in the capture: GPUs and outputs are lists, whose text has no form that every item survives.
    for (key, value) in settings.effective() {
        if !["gpu", "outputs"].contains(&key.as_str()) {
            let again =
                Sources { env: &|_| None, property: None, file: None, api: vec![(key.clone(), vec![value.clone()])] };
            let (again, problems) = Settings::resolve(&again);
            assert!(problems.is_empty(), "{key} = {value}: {problems:?}");
            assert_eq!(again.effective()[&key], value, "{key}");
        }
    }
    assert!(!settings.gpu.is_empty());
}

fn frames(text: &str) {
    let Ok(Some(set)) = FrameSet::parse(text) else { return };
    let again = FrameSet::parse(&set.to_string()).expect("what is shown of a set reads back");
    assert_eq!(again.as_ref(), Some(&set));
    for frame in [0, 1, 59, u64::MAX - 1, u64::MAX] {
        assert!(!set.contains(frame) || set.last().is_none_or(|last| frame <= last), "{frame} in {set}");
    }
}
