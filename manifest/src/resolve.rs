//! From the three sources to the values in force: environment before settings file before VK_EXT_layer_settings.
//!
//! Nothing here fails: a value that does not fit is a [`Problem`] and the next source, at last the default, is used.

use crate::file;
use crate::names::{ANDROID_SETTINGS_PATH, LAYER_NAME, android_properties, environment_names};
use crate::problem::{Problem, Source, shown};
use crate::profiles::NotProfiles;
use crate::setting::{Kind, SETTINGS, Setting, nearest};
use crate::settings::Settings;
use crate::value::Value;
use std::path::PathBuf;

/// What was set, and where.
pub struct Sources<'a> {
    /// Looks an environment variable up.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Looks a system property of Android up, see [`android_properties`]; `None` elsewhere.
    pub property: Option<Lookup<'a>>,
    /// Path and text of the settings file.
    pub file: Option<(PathBuf, String)>,
    /// Key and values of each VkLayerSettingEXT for this layer, as text, in the order of the chain.
    pub api: Vec<(String, Vec<String>)>,
}

/// Looks a variable or a property up by name.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A value that some source gives.
struct Candidate {
    source: Source,
    items: Vec<String>,
}

impl Settings {
    /// The settings in force under `sources`, and everything that was wrong with them.
    pub fn resolve(sources: &Sources<'_>) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut settings = Self::default();
        let lines = sources.file.as_ref().map(|(path, text)| (path, file::parse(path, text, &mut problems)));
        for setting in SETTINGS {
            let mut candidates = Vec::new();
            // What is empty is not set, as in the utility libraries: a property that was set cannot be removed, only emptied, and the
            // Vulkan Configurator writes a line for every setting.
            let set = |value: &String| !value.is_empty();
            let property = |name: &str| (sources.property?)(name).filter(set);
            for name in android_properties(setting.key) {
                if let Some(value) = property(&name) {
                    candidates.push(Candidate { source: Source::Environment(name), items: vec![value] });
                }
            }
            for name in environment_names(setting.key) {
                if let Some(value) = (sources.env)(&name).filter(set) {
                    candidates.push(Candidate { source: Source::Environment(name), items: vec![value] });
                }
            }
            if let Some((path, lines)) = &lines {
                if let Some(line) = lines.get(setting.key).filter(|line| set(&line.value)) {
                    let source = Source::File((*path).clone(), line.number);
                    candidates.push(Candidate { source, items: vec![line.value.clone()] });
                }
            }
            // The specification: the first match in the chain counts.
            if let Some((_, items)) = sources.api.iter().find(|(key, _)| key == setting.key) {
                candidates.push(Candidate { source: Source::Api, items: items.clone() });
            }
            settings.apply(setting, candidates, &mut problems);
        }
        for (key, values) in sources.api.iter().filter(|(key, _)| Setting::find(key).is_none()) {
            problems.push(Problem {
                source: Source::Api,
                key: key.clone(),
                value: values.join(","),
                allowed: format!("{} (layer {LAYER_NAME})", file::unknown_key(key)),
                used: "it is left out".into(),
            });
        }
        (settings, problems)
    }

    /// The settings in force in this process: its environment, the settings file found by the usual rule, and `api`.
    pub fn from_process(api: Vec<(String, Vec<String>)>) -> (Self, Vec<Problem>) {
        Self::from_process_and(None, api)
    }

    /// As [`Settings::from_process`]; on Android `property` looks the system properties up, which come before the environment.
    pub fn from_process_and(property: Option<Lookup<'_>>, api: Vec<(String, Vec<String>)>) -> (Self, Vec<Problem>) {
        let env = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let mut earlier = Vec::new();
        earlier.extend(Self::missing_file(&env));
        let named = property.and_then(|get| get(ANDROID_SETTINGS_PATH)).filter(|path| !path.is_empty());
        let found = named.map_or_else(|| Self::find_file(&env), |path| Some(Self::file_at(path.into())));
        let file = found.and_then(|path| match Self::read_file(&path) {
            Ok(text) => Some((path, text)),
            Err(problem) => {
                earlier.push(*problem);
                None
            }
        });
        let (mut settings, problems) = Self::resolve(&Sources { env: &env, property, file, api });
        earlier.extend(problems);
        earlier.extend(settings.read_profiles());
        earlier
            .extend(Self::unknown_variables(std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned())));
        (settings, earlier)
    }

    /// Reads the files of `gpu_profiles`; a problem for each that cannot be used.
    fn read_profiles(&mut self) -> Vec<Problem> {
        let problem = |NotProfiles { path, reason }| {
            let source = Source::File(path, 0);
            // The source stands before it already.
            let allowed = reason.strip_prefix(&format!("{source}: ")).map(String::from).unwrap_or(reason);
            let (key, used) = ("gpu_profiles".into(), "its GPUs cannot be chosen".into());
            Problem { source, key, value: String::new(), allowed, used }
        };
        let paths = self.gpu_profiles.clone();
        paths.iter().filter_map(|path| self.user_profiles.read(path.as_ref()).err()).map(problem).collect()
    }

    /// A problem for each variable of `names` that begins as ours do and sets nothing, by name.
    pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<Problem> {
        let mut names: Vec<_> =
            names.filter(|name| name.starts_with("VK_TILELENS_TBDR_") || name.starts_with("VK_TBDR_")).collect();
        names.sort();
        names.retain(|name| !SETTINGS.iter().any(|s| environment_names(s.key).contains(name)));
        let problem = |name: String| {
            let key = name.trim_start_matches("VK_TILELENS_TBDR_").trim_start_matches("VK_TBDR_").to_lowercase();
            let allowed = file::unknown_key(&key);
            Problem {
                source: Source::Environment(name),
                key,
                value: String::new(),
                allowed,
                used: "it is left out".into(),
            }
        };
        names.into_iter().map(problem).collect()
    }

    /// Takes the first candidate that fits. Those that do not fit become problems that say which one was taken.
    fn apply(&mut self, setting: &Setting, candidates: Vec<Candidate>, problems: &mut Vec<Problem>) {
        let mut misfits = Vec::new();
        let mut used = format!("using the default `{}`", setting.default);
        for candidate in candidates {
            if let Some(value) = Value::parse(&setting.kind, &candidate.items) {
                (setting.set)(self, value);
                if let Some((value, reason)) = Value::left_out(&setting.kind, &candidate.items) {
                    problems.push(Problem {
                        source: candidate.source.clone(),
                        key: setting.key.into(),
                        value,
                        allowed: reason,
                        used: "this is left out".into(),
                    });
                }
                used = format!("using `{}` from {}", shown(&(setting.get)(self)), candidate.source);
                break;
            }
            misfits.push(candidate);
        }
        problems.extend(misfits.into_iter().map(|misfit| Problem {
            source: misfit.source,
            key: setting.key.into(),
            value: misfit.items.join(","),
            allowed: format!("must be {}{}", setting.kind.allowed(), did_you_mean(&setting.kind, &misfit.items)),
            used: used.clone(),
        }));
    }
}

/// The name of a choice that a misfit was most likely meant to be, in words.
fn did_you_mean(kind: &Kind, items: &[String]) -> String {
    let (Kind::Choice(choices), [item]) = (kind, items) else { return String::new() };
    let near = nearest(item.trim(), choices.iter().map(|choice| choice.name));
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(env: &[(&str, &str)], file: Option<&str>, api: &[(&str, &[&str])]) -> (Settings, Vec<String>) {
        let env = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_string());
        let sources = Sources {
            env: &env,
            property: None,
            file: file.map(|text| ("a/vk_layer_settings.txt".into(), text.to_string())),
            api: api.iter().map(|(k, v)| ((*k).into(), v.iter().map(|v| (*v).into()).collect())).collect(),
        };
        let (settings, problems) = Settings::resolve(&sources);
        (settings, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_environment_wins_over_the_file_and_the_file_over_the_application() {
        let api: &[(&str, &[&str])] = &[("gpu", &["c"]), ("frame_submits", &["3"]), ("sync", &["true"])];
        let file = Some("tilelens_tbdr.gpu = b\ntilelens_tbdr.frame_submits = 2\nother_layer.gpu = x\n");
        let (settings, problems) = resolve(&[("VK_TILELENS_TBDR_GPU", "a")], file, api);
        assert_eq!((settings.gpu, settings.frame_submits, settings.sync), (vec!["a".into()], 2, true));
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn on_android_a_property_wins_over_the_environment_and_an_empty_one_is_none() {
        let env = |name: &str| (name == "VK_TILELENS_TBDR_GPU").then(|| "b".to_string());
        let with = |properties: &'static [(&str, &str)]| {
            let property = move |name: &str| {
                let found = properties.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_string())
            };
            Settings::resolve(&Sources { env: &env, property: Some(&property), file: None, api: Vec::new() })
        };
        assert_eq!(with(&[("debug.vulkan.tilelens_tbdr.gpu", "a"), ("debug.vulkan.tbdr.gpu", "c")]).0.gpu, ["a"]);
        assert_eq!(with(&[("debug.vulkan.tilelens_tbdr.gpu", ""), ("debug.vulkan.tbdr.gpu", "c")]).0.gpu, ["c"]);
        assert_eq!(with(&[("debug.vulkan.tbdr.gpu", "")]).0.gpu, ["b"], "what was emptied is not set");
        assert!(with(&[("debug.vulkan.gpu", "a")]).1.is_empty(), "properties of other layers are theirs");
        let (settings, problems) = with(&[("debug.vulkan.tilelens_tbdr.sync", "perhaps")]);
        assert!(
            !settings.sync && problems[0].to_string().starts_with("debug.vulkan.tilelens_tbdr.sync: setting `sync`")
        );
    }

    #[test]
    fn on_android_a_property_names_the_settings_file() {
        let folder = std::env::temp_dir().join(format!("tilelens-property-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(crate::SETTINGS_FILE_NAME), "tilelens_tbdr.frame_submits = 7").unwrap();
        let property = |name: &str| {
            (name == "debug.vulkan.tilelens_tbdr.settings_path").then(|| folder.to_string_lossy().into_owned())
        };
        let (settings, _) = Settings::from_process_and(Some(&property), Vec::new());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(settings.frame_submits, 7);
    }

    #[test]
    fn what_is_empty_is_not_set_and_what_is_blank_is_set_to_nothing() {
        let api: &[(&str, &[&str])] = &[("log_level", &["debug"])];
        let file = "tilelens_tbdr.frames_label = frame\ntilelens_tbdr.gpu =\ntilelens_tbdr.log_level =";
        let (settings, problems) =
            resolve(&[("VK_TILELENS_TBDR_FRAMES_LABEL", ""), ("VK_TBDR_SYNC", "")], Some(file), api);
        assert_eq!(settings.frames_label.as_deref(), Some("frame"), "the file's");
        assert_eq!((settings.gpu, settings.log_level), (Settings::default().gpu, crate::LogLevel::Debug));
        assert!(!settings.sync && problems.is_empty(), "{problems:?}");
        let (settings, problems) = resolve(&[("VK_TILELENS_TBDR_FRAMES_LABEL", " ")], Some(file), &[]);
        assert_eq!(settings.frames_label, None);
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn the_variable_that_other_layers_share_sets_nothing() {
        for setting in SETTINGS {
            let shared = format!("VK_{}", setting.key.to_uppercase());
            assert!(!environment_names(setting.key).contains(&shared), "{shared}");
            assert!(Settings::unknown_variables(std::iter::once(shared)).is_empty());
        }
    }

    #[test]
    fn a_choice_that_is_misspelt_is_answered_with_the_one_that_was_meant() {
        let (_, problems) = resolve(&[("VK_TBDR_LOG_LEVEL", "warning")], Some("tilelens_tbdr.log_level = x"), &[]);
        assert!(problems[0].starts_with("VK_TBDR_LOG_LEVEL: setting `log_level` = `warning`: must be one of `off`"));
        assert!(problems[0].contains("; did you mean `warn`?; using the default `info`"), "{problems:?}");
        assert!(problems[1].starts_with("a/vk_layer_settings.txt:1: ") && !problems[1].contains("did you mean"));
    }

    #[test]
    fn the_longer_variable_wins_over_the_shorter() {
        let (settings, _) = resolve(&[("VK_TBDR_GPU", "a"), ("VK_TILELENS_TBDR_GPU", "b")], None, &[]);
        assert_eq!(settings.gpu, ["b"]);
        let (settings, _) = resolve(&[("VK_TBDR_GPU", "a"), ("VK_GPU", "z")], None, &[]);
        assert_eq!(settings.gpu, ["a"]);
    }

    #[test]
    fn a_value_that_does_not_fit_names_its_variable_and_what_is_used_instead() {
        let (settings, problems) = resolve(&[("VK_TILELENS_TBDR_QUEUE_FRAMES", "many\u{1b}[1m")], None, &[]);
        assert_eq!(settings.queue_frames, 64);
        assert_eq!(
            problems,
            [
                "VK_TILELENS_TBDR_QUEUE_FRAMES: setting `queue_frames` = `many\\u{1b}[1m`: must be a whole number from 1 to \
              65536; using the default `64`"
            ]
        );
    }

    #[test]
    fn a_malformed_variable_leaves_the_next_source_in_force() {
        let (settings, problems) =
            resolve(&[("VK_TBDR_LOG_LEVEL", "loud")], Some("tilelens_tbdr.log_level = WARN"), &[]);
        assert_eq!(settings.log_level, crate::LogLevel::Warn);
        assert!(problems[0].ends_with("using `warn` from a/vk_layer_settings.txt:1"), "{problems:?}");
    }

    #[test]
    fn a_malformed_line_costs_only_itself() {
        let file = "\u{feff}# tilelens_tbdr.gpu = x\ntilelens_tbdr.gpu mali-g76\ntilelens_tbdr.frame = 1..2\n\
                    tbdr.sync = 1\ntilelens_tbdr.frames = 1..2 # two\r\nkhronos_validation.x\ntilelens_tbdr.frames = 3..4";
        let (settings, problems) = resolve(&[], Some(file), &[]);
        assert_eq!(settings.frames.unwrap().to_string(), "3-2-1");
        assert!(problems[0].starts_with("a/vk_layer_settings.txt:2: ") && problems[0].contains("`=` is missing"));
        assert!(
            problems[1].starts_with("a/vk_layer_settings.txt:3: ") && problems[1].contains("did you mean `frames`?")
        );
        assert!(
            problems[2].starts_with("a/vk_layer_settings.txt:4: ")
                && problems[2].contains("begin with `tilelens_tbdr.`")
        );
        assert!(problems[3].starts_with("a/vk_layer_settings.txt:7: ") && problems[3].contains("line 5 already"));
        assert_eq!(problems.len(), 4, "{problems:?}");
    }

    #[test]
    fn an_application_that_sets_a_list_gives_one_value_an_item_or_all_in_one() {
        let (settings, problems) = resolve(&[], None, &[("gpu", &["a", "b,c"]), ("gpu", &["later"]), ("gpus", &["a"])]);
        assert_eq!(settings.gpu, ["a", "b", "c"]);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("VkLayerSettingsCreateInfoEXT") && problems[0].contains("did you mean `gpu`?"));
    }

    #[test]
    fn no_gpu_at_all_is_refused_and_no_result_is_fine() {
        let (settings, problems) = resolve(&[("VK_TBDR_GPU", " , "), ("VK_TBDR_OUTPUTS", "")], None, &[]);
        assert_eq!(settings, Settings::default());
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn an_item_that_names_no_rule_costs_only_itself() {
        let env = &[("VK_TBDR_ALLOW", "TL006:shadow: map*, TL999"), ("VK_TBDR_RULE_LEVELS", "store-never-read=OFF")];
        let (settings, problems) = resolve(env, None, &[]);
        assert_eq!(
            (settings.allow, settings.rule_levels),
            (vec!["TL006:shadow: map*".into()], vec!["TL006=off".into()])
        );
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("VK_TBDR_ALLOW: setting `allow` = `TL999`: no rule `TL999`"), "{problems:?}");
        assert!(problems[0].ends_with("; this is left out"), "{problems:?}");
    }

    #[test]
    fn booleans_are_words_or_integers() {
        for (text, value) in [("1", true), ("0", false), ("ON", true), ("off", false), ("True", true), ("-3", true)] {
            assert_eq!(resolve(&[("VK_TBDR_SYNC", text)], None, &[]).0.sync, value, "{text}");
        }
        assert_eq!(resolve(&[("VK_TBDR_SYNC", "yes")], None, &[]).1.len(), 1);
    }

    #[test]
    fn a_misspelt_variable_is_told() {
        let names = ["PATH", "VK_TILELENS_TBDR_GPU", "VK_TBDR_FRAME_SUBMIT", "VK_LAYER_PATH"];
        let problems = Settings::unknown_variables(names.into_iter().map(String::from));
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "VK_TBDR_FRAME_SUBMIT: setting `frame_submit`: no such setting; did you mean `frame_submits`?; it is left out"
            ]
        );
    }
}
