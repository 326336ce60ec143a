//! The environment as the Vulkan loader sees it.

use std::ffi::OsString;
use std::path::PathBuf;

/// Variables, and whether the loader looks at them at all.
pub struct Env<'a> {
    get: &'a dyn Fn(&str) -> Option<OsString>,
}

impl<'a> Env<'a> {
    /// The environment that `get` looks up.
    pub fn new(get: &'a dyn Fn(&str) -> Option<OsString>) -> Self {
        Self { get }
    }

    /// A variable that is set and not empty, as text.
    pub fn text(&self, name: &str) -> Option<String> {
        (self.get)(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
    }

    /// Whether a variable is set, be it to nothing.
    pub fn is_set(&self, name: &str) -> bool {
        (self.get)(name).is_some()
    }

    /// The paths of a list that is set and not empty.
    pub fn paths(&self, name: &str) -> Option<Vec<PathBuf>> {
        let value = (self.get)(name).filter(|value| !value.is_empty())?;
        Some(std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect())
    }

    /// The names of VK_INSTANCE_LAYERS.
    pub fn instance_layers(&self) -> Vec<String> {
        let separator = if cfg!(windows) { ';' } else { ':' };
        let names = self.text("VK_INSTANCE_LAYERS").unwrap_or_default();
        names.split(separator).filter(|name| !name.is_empty()).map(String::from).collect()
    }

    /// Whether a filter variable of the loader (a list of patterns separated by commas) has a pattern for the layer `name`.
    pub fn filter_matches(&self, variable: &str, name: &str, implicit: bool) -> bool {
        let patterns = self.text(variable).unwrap_or_default();
        patterns.split(',').map(str::trim).any(|pattern| match pattern {
            "~all~" => true,
            "~implicit~" => implicit,
            "~explicit~" => !implicit,
            pattern => glob(pattern, name),
        })
    }

    /// The folders that the loader reads where no variable replaces them, each with `suffix` below it.
    pub fn standard_folders(&self, suffix: &str) -> Vec<PathBuf> {
        let home = |below: &str| self.paths("HOME").and_then(|mut home| home.pop()).map(|home| home.join(below));
        let one = |name: &str, below: &str| self.paths(name).or_else(|| home(below).map(|home| vec![home]));
        let list = |name: &str, default: &[&str]| {
            self.paths(name).unwrap_or_else(|| default.iter().map(PathBuf::from).collect())
        };
        let mut folders = one("XDG_CONFIG_HOME", ".config").unwrap_or_default();
        folders.extend(list("XDG_CONFIG_DIRS", &["/etc/xdg"]));
        folders.push("/etc".into());
        folders.extend(one("XDG_DATA_HOME", ".local/share").unwrap_or_default());
        folders.extend(list("XDG_DATA_DIRS", &["/usr/local/share", "/usr/share"]));
        let mut found: Vec<PathBuf> = Vec::new();
        for folder in folders.into_iter().map(|folder| folder.join("vulkan").join(suffix)) {
            if !found.contains(&folder) {
                found.push(folder);
            }
        }
        found
    }
}

/// The loader's patterns: a star at either end, or none; letters of either case.
fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let inner = pattern.trim_matches('*');
    if inner.is_empty() {
        return pattern.contains('*');
    }
    match (pattern.starts_with('*'), pattern.ends_with('*')) {
        (true, true) => name.contains(inner),
        (true, false) => name.ends_with(inner),
        (false, true) => name.starts_with(inner),
        (false, false) => name == inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_of_the_loader_has_stars_at_its_ends() {
        for (pattern, matches) in [
            ("*", true),
            ("VK_LAYER_*", true),
            ("*tbdr", true),
            ("*tilelens*", true),
            ("vk_layer_tilelens_tbdr", true),
            ("tilelens", false),
            ("*_other", false),
            ("", false),
        ] {
            assert_eq!(glob(pattern, "VK_LAYER_TILELENS_tbdr"), matches, "{pattern}");
        }
    }

    #[test]
    fn the_loader_looks_at_home_before_the_system_and_honours_the_variables_of_xdg() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value))
        };
        let get = set(&[("HOME", "/h"), ("XDG_DATA_DIRS", "/a:/b"), ("XDG_CONFIG_HOME", "/c")]);
        let folders = Env::new(&get).standard_folders("icd.d");
        let folders: Vec<_> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
        assert_eq!(
            folders,
            [
                "/c/vulkan/icd.d",
                "/etc/xdg/vulkan/icd.d",
                "/etc/vulkan/icd.d",
                "/h/.local/share/vulkan/icd.d",
                "/a/vulkan/icd.d",
                "/b/vulkan/icd.d"
            ]
        );
    }
}
