//! The values in force.

use crate::frames::FrameSet;
use crate::profiles::UserProfiles;
use crate::setting::SETTINGS;
use crate::value::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tbdr_model::gpu::{OverBudget, Profile, SelectError};
use tbdr_model::record::Device;

/// What is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// Faults of the layer and files that cannot be written.
    Error,
    /// Settings that could not be followed, frames that were dropped.
    Warn,
    /// One line per frame, and where the report lies.
    #[default]
    Info,
    /// What the layer sees.
    Debug,
}

impl LogLevel {
    /// All levels, quiet first.
    pub const ALL: [Self; 5] = [Self::Off, Self::Error, Self::Warn, Self::Info, Self::Debug];

    /// The level as a setting's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// One line of text each.
    #[default]
    Text,
    /// One JSON object a line each.
    Json,
}

impl LogFormat {
    /// Both formats.
    pub const ALL: [Self; 2] = [Self::Text, Self::Json];

    /// The format as a setting's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// The settings in force. What each means and may be is in [`SETTINGS`] under the field's name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The table holds the documentation; a second copy here would drift.
pub struct Settings {
    pub gpu: Vec<String>,
    pub gpu_profiles: Vec<String>,
    pub over_budget: OverBudget,
    pub output_dir: PathBuf,
    pub frames: Option<FrameSet>,
    pub frames_label: Option<String>,
    pub frames_file: Option<PathBuf>,
    pub frame_submits: u32,
    pub outputs: Vec<String>,
    pub rule_levels: Vec<String>,
    pub allow: Vec<String>,
    pub log_level: LogLevel,
    pub log_format: LogFormat,
    pub log_file: Option<PathBuf>,
    pub merge_feedback: bool,
    pub sync: bool,
    pub queue_frames: u32,
    pub max_frame_ops: u32,
    pub report: bool,
    pub capture: bool,
    pub capture_max_bytes: u32,
    pub run_log: Option<PathBuf>,
    pub inject_panic: Option<String>,
    /// What the files of `gpu_profiles` hold, as far as they can be used; no setting of its own.
    pub user_profiles: UserProfiles,
}

impl Default for Settings {
    /// The defaults of the table.
    fn default() -> Self {
        let mut settings = Self {
            gpu: Vec::new(),
            gpu_profiles: Vec::new(),
            over_budget: OverBudget::default(),
            output_dir: PathBuf::new(),
            frames: None,
            frames_label: None,
            frames_file: None,
            frame_submits: 0,
            outputs: Vec::new(),
            rule_levels: Vec::new(),
            allow: Vec::new(),
            log_level: LogLevel::default(),
            log_format: LogFormat::default(),
            log_file: None,
            merge_feedback: false,
            sync: false,
            queue_frames: 0,
            max_frame_ops: 0,
            report: false,
            capture: false,
            capture_max_bytes: 0,
            run_log: None,
            inject_panic: None,
            user_profiles: UserProfiles::default(),
        };
        for setting in SETTINGS {
            if let Some(value) = Value::parse(&setting.kind, &[setting.default.into()]) {
                (setting.set)(&mut settings, value);
            }
        }
        settings
    }
}

impl Settings {
    /// The settings that bear on the report, by key, as text. Paths, logs and what else depends on the machine are left out,
    /// so that the same program has the same report everywhere.
    pub fn effective(&self) -> BTreeMap<String, String> {
        let table = SETTINGS.iter().filter(|s| s.bears_on_report);
        let mut effective = table.map(|s| (s.key.into(), (s.get)(self))).collect();
        self.user_profiles.record(&self.gpu, &mut effective);
        effective
    }

    /// The GPUs that are modelled where the program runs on `device`.
    pub fn profiles(&self, device: &Device) -> Result<Vec<Profile>, SelectError> {
        self.user_profiles.select(&self.gpu, Some(device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_default_unless_somebody_sets_it() {
        let settings = Settings::default();
        for setting in SETTINGS {
            assert_eq!((setting.get)(&settings), setting.default, "{}", setting.key);
        }
    }

    #[test]
    fn every_setting_can_be_changed() {
        for setting in SETTINGS {
            let mut settings = Settings::default();
            let other = ["off", "7", "error", "json", "true", "x", "TL006", "TL006=off", "not_merged"]
                .into_iter()
                .find_map(|text| {
                    let value = Value::parse(&setting.kind, &[text.into()])?;
                    (setting.set)(&mut settings, value);
                    (settings != Settings::default()).then_some(text)
                });
            assert!(other.is_some(), "{} cannot be changed", setting.key);
        }
    }

    #[test]
    fn a_report_does_not_depend_on_where_it_was_made() {
        let settings =
            Settings { output_dir: "/elsewhere".into(), log_level: LogLevel::Off, sync: true, ..Settings::default() };
        assert_eq!(settings.effective(), Settings::default().effective());
        let keys: Vec<_> = settings.effective().into_keys().collect();
        let expected = [
            "allow",
            "capture_max_bytes",
            "frame_submits",
            "frames",
            "frames_label",
            "gpu",
            "max_frame_ops",
            "outputs",
            "over_budget",
            "rule_levels",
        ];
        assert_eq!(keys, expected);
    }
}
