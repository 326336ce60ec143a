//! The one table of settings.

use crate::advice::RuleItem;
use crate::settings::{LogFormat, LogLevel, Settings};
use crate::value::Value;
use std::path::{Path, PathBuf};
use tbdr_model::gpu::OverBudget;

/// One setting: everything that is shown of it anywhere, and the field it fills.
#[derive(Debug)]
pub struct Setting {
    /// Key in a settings file (after `tilelens_tbdr.`), in VkLayerSettingEXT::pSettingName and, upper case, in the environment.
    pub key: &'static str,
    /// A few words for a configurator.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// The value if nobody sets it, as text.
    pub default: &'static str,
    /// Version of the layer that brought it.
    pub since: &'static str,
    /// For whom it is.
    pub view: View,
    /// Whether two runs that differ in it may have different reports; such settings are kept in the capture.
    pub bears_on_report: bool,
    /// Key and value of the settings of which one must hold, or this one changes nothing; none for a setting that always counts.
    pub only_with: &'static [(&'static str, &'static str)],
    pub(crate) set: fn(&mut Settings, Value),
    pub(crate) get: fn(&Settings) -> String,
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true`, `false`, `on`, `off`, or an integer.
    Bool,
    /// A whole number.
    Uint {
        /// What is counted, where the label does not say so.
        unit: Option<&'static str>,
        /// Smallest value.
        min: u32,
        /// Largest value.
        max: u32,
    },
    /// One of several names.
    Choice(&'static [Choice]),
    /// Texts separated by commas.
    List {
        /// What an item is, in words.
        of: &'static str,
        /// Whether an empty list makes sense.
        may_be_empty: bool,
    },
    /// Items about rules of advice, separated by commas; items that fit no rule are left out.
    Rules(RuleItem),
    /// Path of a folder.
    Folder,
    /// Path of a file to write; empty is none.
    File,
    /// A set of frames; empty is every frame.
    Frames,
    /// Any text; empty is none.
    Text,
}

/// One name of a [`Kind::Choice`].
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The value.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
}

/// For whom a setting is, as in the `view` of a layer manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Everybody.
    Standard,
    /// Who knows what they do.
    Advanced,
    /// Programs and tests.
    Hidden,
}

impl Kind {
    /// What fits, in words, for messages and documentation.
    pub fn allowed(&self) -> String {
        match self {
            Self::Bool => "`true`, `false`, `on`, `off`, `1` or `0`".into(),
            Self::Uint { min, max: u32::MAX, .. } => format!("a whole number, at least {min}"),
            Self::Uint { min, max, .. } => format!("a whole number from {min} to {max}"),
            Self::Choice(choices) => {
                let names: Vec<_> = choices.iter().map(|c| format!("`{}`", c.name)).collect();
                format!("one of {}", names.join(", "))
            }
            Self::List { of, may_be_empty: true } => format!("{of}, separated by commas; may be empty"),
            Self::List { of, may_be_empty: false } => format!("{of}, separated by commas; at least one"),
            Self::Rules(item) => format!("{}, separated by commas; may be empty", item.syntax()),
            Self::Folder => "path of a folder".into(),
            Self::File => "path of a file; empty for none".into(),
            Self::Frames => format!("{}; empty for every frame", crate::FrameSet::SYNTAX),
            Self::Text => "any text; empty for none".into(),
        }
    }
}

const fn choice(name: &'static str, help: &'static str) -> Choice {
    Choice { name, help }
}

const OVER_BUDGET: &[Choice] = &[
    choice(
        OverBudget::ALL[0].name(),
        "Merged in smaller tiles, as the one published measurement shows; the report has the other beside it.",
    ),
    choice(OverBudget::ALL[1].name(), "Not merged, as several releases of the driver were seen to do."),
];
const LOG_LEVELS: &[Choice] = &[
    choice("off", "Nothing."),
    choice("error", "Faults of the layer and files that cannot be written."),
    choice("warn", "Settings that could not be followed, frames that were dropped."),
    choice("info", "One line per frame, and where the report lies."),
    choice("debug", "What the layer sees of the program."),
];
const LOG_FORMATS: &[Choice] =
    &[choice("text", "One line of text each."), choice("json", "One JSON object a line each.")];

/// Something is logged.
const LOGGED: &[(&str, &str)] =
    &[("log_level", "error"), ("log_level", "warn"), ("log_level", "info"), ("log_level", "debug")];

/// The setter of a field: a value of another variant cannot come here, because [`Value::parse`] follows the kind.
macro_rules! field {
    ($variant:ident, $field:ident) => {
        |settings, value| {
            if let Value::$variant(value) = value {
                settings.$field = value;
            }
        }
    };
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn optional_path(path: &Option<PathBuf>) -> String {
    path.as_deref().map(path_text).unwrap_or_default()
}

/// All settings, in the order in which they are shown.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "gpu",
        label: "GPUs",
        help: "GPUs that are modelled, by id, or `all`, or `running` for the one that the program runs on, if it is among them. `tilelens gpus` \
               lists them.",
        kind: Kind::List { of: "ids of GPUs", may_be_empty: false },
        default: "mali-g76,adreno-650,apple-m1",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: field!(List, gpu),
        get: |s| s.gpu.join(","),
    },
    Setting {
        key: "gpu_profiles",
        label: "Profile files",
        help: "TOML files of GPU profiles of your own, of the shape of the built-in ones (`tbdr-model/gpus`) with `family` naming whose \
               decisions apply. Their GPUs are chosen by id, as the built-in ones are. A relative path starts at the program's working \
               folder. The capture keeps the text of those that a chosen GPU comes from.",
        kind: Kind::List { of: "paths of TOML files", may_be_empty: true },
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: &[],
        set: field!(List, gpu_profiles),
        get: |s| s.gpu_profiles.join(","),
    },
    Setting {
        key: "over_budget",
        label: "Above the colour budget",
        help: "What Arm's own driver does with subpasses that could merge but take more colour bits per pixel than Arm documents for the \
               GPU. Its documents say both, and releases differ.",
        kind: Kind::Choice(OVER_BUDGET),
        default: OverBudget::ALL[0].name(),
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: |s, value| {
            if let Value::Choice(n) = value {
                s.over_budget = OverBudget::ALL[n];
            }
        },
        get: |s| s.over_budget.name().into(),
    },
    Setting {
        key: "output_dir",
        label: "Output folder",
        help: "Folder for captures and reports, made if missing. Each device that a program creates gets a folder \
               `<program>-<pid>-<n>` in it. A relative path starts at the program's working folder.",
        kind: Kind::Folder,
        default: "tilelens-out",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: &[],
        set: field!(Folder, output_dir),
        get: |s| path_text(&s.output_dir),
    },
    Setting {
        key: "frames",
        label: "Frames",
        help: "Frames that are recorded and modelled, counted from 0. The others are reported as left out. `0-0-10` is every \
               tenth frame, for captures of long runs.",
        kind: Kind::Frames,
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: field!(Frames, frames),
        get: |s| s.frames.as_ref().map(ToString::to_string).unwrap_or_default(),
    },
    Setting {
        key: "frames_label",
        label: "Frames by label",
        help: "A debug label (VK_EXT_debug_utils) that chooses frames: those in which it is begun or inserted, on a queue or in a command \
               buffer, or in which a queue's region of that name is open. `START..STOP` is from each frame with the label `START` to the \
               next with the label `STOP`, both included. The others are reported as left out. Where `frames` is set too, a frame \
               must fit both.",
        kind: Kind::Text,
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: field!(Text, frames_label),
        get: |s| s.frames_label.clone().unwrap_or_default(),
    },
    Setting {
        key: "frames_file",
        label: "Frames by file",
        help: "A file that starts and stops recording while the program runs: frames are recorded while it exists, unless it says `off`. \
               A number in it records as many frames, counted from where it was noticed, and then none until the file holds \
               something else or is made anew. The other frames are reported as left out. It is looked at once per frame, never by a \
               thread of the program unless `sync` is on. A relative path starts at the program's working folder.",
        kind: Kind::File,
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: &[],
        set: field!(File, frames_file),
        get: |s| optional_path(&s.frames_file),
    },
    Setting {
        key: "frame_submits",
        label: "Submissions per frame",
        help: "For programs that never present: a frame ends with every N-th vkQueueSubmit or vkQueueSubmit2. 0 turns \
               it off: without a present or a VK_EXT_frame_boundary, all work of a device is then one frame.",
        kind: Kind::Uint { unit: None, min: 0, max: u32::MAX },
        default: "0",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: field!(Uint, frame_submits),
        get: |s| s.frame_submits.to_string(),
    },
    Setting {
        key: "outputs",
        label: "Results",
        help: "Debug names (VK_EXT_debug_utils) of images that are results of a frame, as a presented image is. Images \
               that are copied to memory which the host can read count as results without being named.",
        kind: Kind::List { of: "debug names of images", may_be_empty: true },
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: field!(List, outputs),
        get: |s| s.outputs.join(","),
    },
    Setting {
        key: "rule_levels",
        label: "Levels of rules",
        help: "How loud the findings of a rule are, by its code or name; `off` switches it off. `tilelens rules` lists the rules \
               with their own levels.",
        kind: Kind::Rules(RuleItem::Level),
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: field!(List, rule_levels),
        get: |s| s.rule_levels.join(","),
    },
    Setting {
        key: "allow",
        label: "Allowed",
        help: "Findings that are not reported: those of a rule, by its code or name, or those of a rule whose pass or image has an \
               identity (`pass` and `attachment` of a finding) that fits the pattern as a whole. `*` stands for any characters, \
               also for a comma, which separates items, and for `#`, which starts a comment in a settings file.",
        kind: Kind::Rules(RuleItem::Suppression),
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[],
        set: field!(List, allow),
        get: |s| s.allow.join(","),
    },
    Setting {
        key: "log_level",
        label: "Log level",
        help: "How much is logged.",
        kind: Kind::Choice(LOG_LEVELS),
        default: "info",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: &[],
        set: |s, value| {
            if let Value::Choice(n) = value {
                s.log_level = LogLevel::ALL[n];
            }
        },
        get: |s| s.log_level.name().into(),
    },
    Setting {
        key: "log_format",
        label: "Log format",
        help: "How a line of the log is written.",
        kind: Kind::Choice(LOG_FORMATS),
        default: "text",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: LOGGED,
        set: |s, value| {
            if let Value::Choice(n) = value {
                s.log_format = LogFormat::ALL[n];
            }
        },
        get: |s| s.log_format.name().into(),
    },
    Setting {
        key: "log_file",
        label: "Log file",
        help: "File that the log is appended to; empty for the standard error stream.",
        kind: Kind::File,
        default: "",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: LOGGED,
        set: field!(File, log_file),
        get: |s| optional_path(&s.log_file),
    },
    Setting {
        key: "report",
        label: "Write report.json",
        help: "Whether report.json is written.",
        kind: Kind::Bool,
        default: "true",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: &[],
        set: field!(Bool, report),
        get: |s| s.report.to_string(),
    },
    Setting {
        key: "capture",
        label: "Write capture.jsonl",
        help: "Whether the recorded frames are kept, for `tilelens analyze`.",
        kind: Kind::Bool,
        default: "true",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: false,
        only_with: &[],
        set: field!(Bool, capture),
        get: |s| s.capture.to_string(),
    },
    Setting {
        key: "capture_max_bytes",
        label: "Size of a capture",
        help: "Most bytes that a capture.jsonl may have, each device's by itself; 0 for any number. When it is full, recording \
               ends with a gap of reason `capture_limit` and report.json holds what the capture holds; the program runs on. \
               Without a capture (setting `capture`) there is no limit.",
        kind: Kind::Uint { unit: Some("bytes"), min: 0, max: u32::MAX },
        default: "1073741824",
        since: "0.1.0",
        view: View::Standard,
        bears_on_report: true,
        only_with: &[("capture", "true")],
        set: field!(Uint, capture_max_bytes),
        get: |s| s.capture_max_bytes.to_string(),
    },
    Setting {
        key: "merge_feedback",
        label: "Merge feedback",
        help: "Provide VK_EXT_subpass_merge_feedback where the driver lacks it: what the program is told of its subpasses is what the first \
               GPU of the setting `gpu` would make of them, modelled for a framebuffer of one layer. Changes which device extensions the \
               program sees.",
        kind: Kind::Bool,
        default: "false",
        since: "0.1.0",
        view: View::Advanced,
        bears_on_report: false,
        only_with: &[],
        set: field!(Bool, merge_feedback),
        get: |s| s.merge_feedback.to_string(),
    },
    Setting {
        key: "sync",
        label: "Analyse in place",
        help: "Model each frame on the thread that ends it instead of in the background: the program waits, no frame is \
               dropped. For tests and continuous integration.",
        kind: Kind::Bool,
        default: "false",
        since: "0.1.0",
        view: View::Advanced,
        bears_on_report: false,
        only_with: &[],
        set: field!(Bool, sync),
        get: |s| s.sync.to_string(),
    },
    Setting {
        key: "queue_frames",
        label: "Frames in waiting",
        help: "Frames that may wait for their analysis. When there are more, frames are dropped and counted: the program \
               is never made to wait.",
        kind: Kind::Uint { unit: None, min: 1, max: 65536 },
        default: "64",
        since: "0.1.0",
        view: View::Advanced,
        bears_on_report: false,
        only_with: &[("sync", "false")],
        set: field!(Uint, queue_frames),
        get: |s| s.queue_frames.to_string(),
    },
    Setting {
        key: "max_frame_ops",
        label: "Operations per frame",
        help: "A frame with more recorded operations than this is ended early, so that a program which never presents \
               does not fill the memory.",
        kind: Kind::Uint { unit: None, min: 1, max: u32::MAX },
        default: "50000",
        since: "0.1.0",
        view: View::Advanced,
        bears_on_report: true,
        only_with: &[],
        set: field!(Uint, max_frame_ops),
        get: |s| s.max_frame_ops.to_string(),
    },
    Setting {
        key: "run_log",
        label: "Run log",
        help: "File that gets one JSON object a line for each instance and device that runs under the layer; empty for \
               none. `tilelens run` sets it to learn what happened.",
        kind: Kind::File,
        default: "",
        since: "0.1.0",
        view: View::Hidden,
        bears_on_report: false,
        only_with: &[],
        set: field!(File, run_log),
        get: |s| optional_path(&s.run_log),
    },
    Setting {
        key: "inject_panic",
        label: "Inject a fault",
        help: "Name of a Vulkan command whose hook fails on purpose, to test that the program runs on; empty for none.",
        kind: Kind::Text,
        default: "",
        since: "0.1.0",
        view: View::Hidden,
        bears_on_report: false,
        only_with: &[],
        set: field!(Text, inject_panic),
        get: |s| s.inject_panic.clone().unwrap_or_default(),
    },
];

impl Setting {
    /// The setting called `key`.
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|s| s.key == key)
    }
}

/// The key that `key` was most likely meant to be.
pub fn nearest_key(key: &str) -> Option<&'static str> {
    nearest(key, SETTINGS.iter().map(|setting| setting.key))
}

/// The one of `names` that `name` was most likely meant to be.
pub(crate) fn nearest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    // The distance costs length times length, and no name is near a text of a thousand characters.
    if name.len() > 64 {
        return None;
    }
    let name = name.to_lowercase();
    // A name that was written in full, with more before or behind it, is as near as can be.
    let distance = |known: &str| match name.len() > known.len() && name.contains(known) {
        true => 1,
        false => strsim::damerau_levenshtein(&name, known),
    };
    let best = names.min_by_key(|known| (distance(known), usize::MAX - known.len()))?;
    (distance(best) <= 1 + best.len() / 4).then_some(best)
}
