//! The settings file that all Vulkan layers share: where it is looked for and how its lines are read.

use crate::names::{FILE_PREFIX, LAYER_NAME, SETTINGS_FILE_NAME};
use crate::problem::{Problem, Source};
use crate::setting::{Setting, nearest_key};
use crate::settings::Settings;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A larger file is not a settings file.
const MAX_BYTES: u64 = 1 << 20;

/// The variable that names the settings file or its folder.
const PATH_VARIABLE: &str = "VK_LAYER_SETTINGS_PATH";

/// A value of the file with its line.
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) value: String,
}

impl Settings {
    /// The settings file in force: below `$XDG_DATA_HOME` or `$HOME/.local/share` if there is one, else what
    /// `$VK_LAYER_SETTINGS_PATH` names (a file, or a folder that holds one) if that exists, else `vk_layer_settings.txt` in the working
    /// folder.
    pub fn find_file(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
        of_user(env)
            .or_else(|| named(env).filter(|path| path.exists()).map(Self::file_at))
            .or_else(|| Some(PathBuf::from(SETTINGS_FILE_NAME)).filter(|path| path.is_file()))
    }

    /// A problem if `$VK_LAYER_SETTINGS_PATH` is looked at and names nothing: whoever set it wants to be told.
    pub(crate) fn missing_file(env: &dyn Fn(&str) -> Option<String>) -> Option<Problem> {
        let path = named(env).filter(|path| !path.exists() && of_user(env).is_none())?;
        let used = match Self::find_file(env) {
            Some(other) => format!("{} of the working folder is used instead", other.display()),
            None => "no settings file is used".into(),
        };
        Some(Problem {
            source: Source::Environment(PATH_VARIABLE.into()),
            key: String::new(),
            value: path.to_string_lossy().into_owned(),
            allowed: "there is no such file or folder; name one, or unset the variable".into(),
            used,
        })
    }

    /// The settings file that `path` names: the file itself, or the one in the folder.
    pub(crate) fn file_at(path: PathBuf) -> PathBuf {
        if path.is_dir() { path.join(SETTINGS_FILE_NAME) } else { path }
    }

    /// Reads the settings file at `path`. Bytes that are not UTF-8 are replaced: they can only spoil their own line.
    pub fn read_file(path: &Path) -> Result<String, Box<Problem>> {
        let problem = |reason: String| {
            Box::new(Problem {
                source: Source::File(path.into(), 0),
                key: String::new(),
                value: String::new(),
                allowed: reason,
                used: "the settings file is left out; make it readable or unset VK_LAYER_SETTINGS_PATH".into(),
            })
        };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|e| problem(format!("cannot be opened: {e}")))?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| problem(format!("cannot be read: {e}")))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(problem(format!("is larger than {MAX_BYTES} bytes, so it is no settings file")));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The path in a variable. An empty one is none.
fn path_in(env: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<PathBuf> {
    env(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// What the variable names.
fn named(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    path_in(env, PATH_VARIABLE)
}

/// The user's own file, which the Vulkan Configurator writes, if there is one. On Windows this place is a registry key instead, which is
/// not read.
fn of_user(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let data = path_in(env, "XDG_DATA_HOME").or_else(|| path_in(env, "HOME").map(|home| home.join(".local/share")));
    let file = data.filter(|_| !cfg!(windows))?.join("vulkan/settings.d").join(SETTINGS_FILE_NAME);
    file.is_file().then_some(file)
}

/// The lines of `text` that are ours, by key; what is wrong with the others goes to `problems`.
pub(crate) fn parse(path: &Path, text: &str, problems: &mut Vec<Problem>) -> BTreeMap<&'static str, Line> {
    let mut values = BTreeMap::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let number = index + 1;
        let line = line.split('#').next().unwrap_or_default().trim();
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (line, None),
        };
        let (prefix, key) = name.split_once('.').unwrap_or((name, ""));
        if !looks_like_ours(prefix) {
            continue;
        }
        let mut problem = |allowed: String, used: &str| {
            problems.push(Problem {
                source: Source::File(path.into(), number),
                key: key.into(),
                value: value.unwrap_or(line).into(),
                allowed,
                used: used.into(),
            });
        };
        let Some(value) = value else {
            problem(format!("`=` is missing: write `{FILE_PREFIX}.<key> = <value>`"), "the line is left out");
            continue;
        };
        if prefix != FILE_PREFIX {
            problem(format!("the key must begin with `{FILE_PREFIX}.`"), "the line is left out");
            continue;
        }
        let Some(setting) = Setting::find(key) else {
            problem(unknown_key(key), "the line is left out");
            continue;
        };
        let line = Line { number, value: value.into() };
        if let Some(earlier) = values.insert(setting.key, line) {
            problem(format!("was set in line {} already", earlier.number), "the last line counts");
        }
    }
    values
}

/// Our prefix, or what somebody may have taken for it.
fn looks_like_ours(prefix: &str) -> bool {
    let prefix = prefix.to_ascii_lowercase();
    prefix == FILE_PREFIX || prefix == LAYER_NAME.to_ascii_lowercase() || prefix == "tilelens" || prefix == "tbdr"
}

/// The words for a key that is not in the table.
pub(crate) fn unknown_key(key: &str) -> String {
    match nearest_key(key) {
        Some(near) => format!("no such setting; did you mean `{near}`?"),
        None => "no such setting; docs/settings.md lists them".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A folder with empty files at `paths`; removed in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, paths: &[&str]) -> Self {
            let folder = Self(std::env::temp_dir().join(format!("tilelens-{name}-{}", std::process::id())));
            for path in paths {
                fs::create_dir_all(folder.0.join(path).parent().unwrap()).unwrap();
                fs::write(folder.0.join(path), "").unwrap();
            }
            folder
        }

        /// What is found where the variables name these paths of the folder, from the folder on.
        fn found(&self, variables: &[(&str, &str)]) -> Option<PathBuf> {
            let found = Settings::find_file(&|name| self.variable(variables, name))?;
            Some(found.strip_prefix(&self.0).map(Path::to_path_buf).unwrap_or(found))
        }

        fn variable(&self, variables: &[(&str, &str)], name: &str) -> Option<String> {
            let (_, path) = variables.iter().find(|(known, _)| *known == name)?;
            Some(if path.is_empty() { String::new() } else { self.0.join(path).to_string_lossy().into_owned() })
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    #[cfg(not(windows))]
    fn the_users_own_file_comes_before_the_one_that_the_variable_names() {
        let own = "data/vulkan/settings.d/vk_layer_settings.txt";
        let of_home = "home/.local/share/vulkan/settings.d/vk_layer_settings.txt";
        let folder = Folder::new("own", &[own, of_home, "a.txt", "home2/x"]);
        let named = ("VK_LAYER_SETTINGS_PATH", "a.txt");
        let found = |variables: &[(&str, &str)]| folder.found(variables).unwrap();
        assert_eq!(found(&[("XDG_DATA_HOME", "data"), ("HOME", "home"), named]), Path::new(own));
        assert_eq!(found(&[("HOME", "home"), named]), Path::new(of_home));
        assert_eq!(
            found(&[("XDG_DATA_HOME", ""), ("HOME", "home"), named]),
            Path::new(of_home),
            "an empty one is none"
        );
        // XDG_DATA_HOME stands for what HOME would, even if there is nothing in it.
        assert_eq!(found(&[("XDG_DATA_HOME", "home2"), ("HOME", "home"), named]), Path::new("a.txt"));
        assert_eq!(found(&[named]), Path::new("a.txt"));
    }

    #[test]
    fn the_variable_names_a_file_or_its_folder() {
        let folder = Folder::new("named", &["a.txt", "b/vk_layer_settings.txt"]);
        let found = |path| folder.found(&[("VK_LAYER_SETTINGS_PATH", path)]);
        assert_eq!(found("a.txt").unwrap(), Path::new("a.txt"));
        assert_eq!(found("b").unwrap(), Path::new("b/vk_layer_settings.txt"));
        assert_eq!(found(""), None, "there is none in the working folder of this test");
    }

    #[test]
    fn a_variable_that_names_nothing_is_told_unless_it_is_not_looked_at() {
        let folder = Folder::new("missing", &["data/vulkan/settings.d/vk_layer_settings.txt"]);
        let told = |variables: &[(&str, &str)]| {
            Settings::missing_file(&|name| folder.variable(variables, name)).map(|problem| problem.to_string())
        };
        let missing = ("VK_LAYER_SETTINGS_PATH", "no");
        let text = told(&[missing]).unwrap();
        assert!(text.starts_with("VK_LAYER_SETTINGS_PATH: `") && text.contains("no such file"), "{text}");
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[("VK_LAYER_SETTINGS_PATH", "data")]), None);
        #[cfg(not(windows))]
        assert_eq!(told(&[("XDG_DATA_HOME", "data"), missing]), None);
    }
}
