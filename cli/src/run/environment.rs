//! The variables that put a program under the layer.

use super::library;
use crate::system::env::Env;
use crate::system::manifests::{Kind, explicit_search, layers};
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use tilelens_manifest::{LAYER_NAME, MANIFEST_FILE_NAME, environment_names, explicit_manifest};

/// Two folders with the same manifest and nothing else that a loader reads.
///
/// Loaders disagree which of several manifests with one name counts: the first that they find, or (1.3.239) the last. Where the layer is installed
/// already, ours are put at both ends.
pub struct Manifests {
    first: PathBuf,
    last: PathBuf,
}

impl Manifests {
    /// Writes both for `library` into `folder`.
    pub fn write(folder: &Path, library: &Path) -> Result<Self> {
        let manifests = Self { first: folder.join("manifest"), last: folder.join("manifest-again") };
        let text = explicit_manifest(&library::text(library)?);
        for folder in [&manifests.first, &manifests.last] {
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(folder.join(MANIFEST_FILE_NAME), &text))
                .with_context(|| format!("cannot write a manifest into {}", folder.display()))?;
        }
        Ok(manifests)
    }
}

/// What the program shall run under.
pub struct Wanted<'a> {
    /// The layer's manifests.
    pub manifests: &'a Manifests,
    /// Where the layer makes its folders.
    pub output: &'a Path,
    /// Where the layer tells that it was loaded.
    pub run_log: &'a Path,
    /// Value of `--gpu`.
    pub gpu: Option<&'a [String]>,
    /// Settings that other options stand for, by key.
    pub others: Vec<(&'static str, String)>,
    /// Whether nobody chose how much is logged.
    pub default_log: bool,
    /// The variables as they are.
    pub current: &'a dyn Fn(&str) -> Option<OsString>,
}

/// The variables to set, with their values.
pub fn variables(wanted: &Wanted<'_>) -> Result<Vec<(String, OsString)>> {
    let (path_variable, folders) = layer_path(wanted);
    let layer_path = std::env::join_paths(&folders).with_context(|| {
        format!("the temporary folder {} cannot be in a list of paths; set TMPDIR", wanted.manifests.first.display())
    })?;

    // An empty variable is none, and would leave a settings file in force: a blank is what says nothing.
    let set = |key: &str, value: &OsStr| {
        let [name, _] = environment_names(key);
        (name, if value.is_empty() { " ".into() } else { value.to_os_string() })
    };
    let mut variables = vec![
        (path_variable.into(), layer_path),
        ("VK_INSTANCE_LAYERS".into(), instance_layers((wanted.current)("VK_INSTANCE_LAYERS"))),
        set("output_dir", wanted.output.as_os_str()),
        set("run_log", wanted.run_log.as_os_str()),
        // Both files are what this command promises, whatever a settings file says.
        set("capture", "on".as_ref()),
        set("report", "on".as_ref()),
    ];
    if wanted.output.to_str().is_none() {
        bail!(
            "the path {} is not UTF-8, which the layer's settings must be: choose another with --out",
            wanted.output.display()
        );
    }
    if wanted.default_log {
        // The summary says better what a line per frame would.
        variables.push(set("log_level", "warn".as_ref()));
    }
    if let Some(gpu) = wanted.gpu {
        variables.push(set("gpu", gpu.join(",").as_ref()));
    }
    for (key, value) in &wanted.others {
        variables.push(set(key, value.as_ref()));
    }
    Ok(variables)
}

/// The variable by which the loader finds our manifest, and its folders.
fn layer_path(wanted: &Wanted<'_>) -> (&'static str, Vec<PathBuf>) {
    let env = Env::new(wanted.current);
    let search = explicit_search(&env);
    let ours = [wanted.manifests.first.clone()];
    let installed = layers(&search.read, Kind::Explicit).layers.iter().any(|layer| layer.name == LAYER_NAME);
    if installed {
        let last = [wanted.manifests.last.clone()];
        return ("VK_LAYER_PATH", ours.into_iter().chain(search.read).chain(last).collect());
    }
    // The loader ignores VK_ADD_LAYER_PATH where VK_LAYER_PATH is set.
    let (variable, earlier) = match env.paths("VK_LAYER_PATH") {
        Some(only) => ("VK_LAYER_PATH", only),
        None => ("VK_ADD_LAYER_PATH", env.paths("VK_ADD_LAYER_PATH").unwrap_or_default()),
    };
    (variable, ours.into_iter().chain(earlier).collect())
}

/// Our layer before those that are asked for already: first in the list is nearest to the application.
fn instance_layers(earlier: Option<OsString>) -> OsString {
    let separator = if cfg!(windows) { ";" } else { ":" };
    let earlier = earlier.unwrap_or_default().to_string_lossy().into_owned();
    let others = earlier.split(separator).filter(|name| !name.is_empty() && *name != LAYER_NAME);
    std::iter::once(LAYER_NAME).chain(others).collect::<Vec<_>>().join(separator).into()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn variables_over(current: &[(&str, &str)], gpu: Option<&[String]>) -> BTreeMap<String, String> {
        let wanted = Wanted {
            manifests: &Manifests { first: "/private".into(), last: "/private-again".into() },
            output: Path::new("/out"),
            run_log: Path::new("/private/run.jsonl"),
            gpu,
            others: vec![("allow", "TL006:a:b".into()), ("frames_label", String::new())],
            default_log: true,
            current: &|name| current.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into()),
        };
        let variables = variables(&wanted).unwrap();
        variables.into_iter().map(|(name, value)| (name, value.into_string().unwrap())).collect()
    }

    #[test]
    fn the_layer_is_added_and_nothing_that_was_set_is_lost() {
        let set = variables_over(&[("VK_ADD_LAYER_PATH", "/a:/b"), ("VK_INSTANCE_LAYERS", "VK_LAYER_X")], None);
        assert_eq!(set["VK_ADD_LAYER_PATH"], "/private:/a:/b");
        assert_eq!(set["VK_TILELENS_TBDR_ALLOW"], "TL006:a:b");
        assert_eq!(
            set["VK_TILELENS_TBDR_FRAMES_LABEL"], " ",
            "an option that is empty takes the place of a settings file"
        );
        assert_eq!(set["VK_INSTANCE_LAYERS"], "VK_LAYER_TILELENS_tbdr:VK_LAYER_X");
        assert!(!set.contains_key("VK_LAYER_PATH") && !set.contains_key("VK_TILELENS_TBDR_GPU"));
    }

    #[test]
    fn a_layer_path_that_replaces_the_search_is_extended_instead() {
        let set = variables_over(&[("VK_LAYER_PATH", "/only"), ("VK_ADD_LAYER_PATH", "/ignored")], None);
        assert_eq!(set["VK_LAYER_PATH"], "/private:/only");
        assert!(!set.contains_key("VK_ADD_LAYER_PATH"));
        let set = variables_over(&[("VK_LAYER_PATH", "")], None);
        assert_eq!(set["VK_ADD_LAYER_PATH"], "/private");
    }

    #[test]
    fn where_the_layer_is_installed_already_loaders_that_take_the_last_find_ours_too() {
        let folder = tempfile::tempdir().unwrap();
        let installed = folder.path().join("vulkan/explicit_layer.d");
        std::fs::create_dir_all(&installed).unwrap();
        std::fs::write(installed.join("other.json"), explicit_manifest("./old.so")).unwrap();
        let home = folder.path().to_str().unwrap();
        let set = variables_over(&[("XDG_DATA_HOME", home), ("VK_ADD_LAYER_PATH", "/added")], None);
        let path = &set["VK_LAYER_PATH"];
        assert!(path.starts_with("/private:/added:") && path.ends_with(":/private-again"), "{path}");
        assert!(path.contains(installed.to_str().unwrap()) && !set.contains_key("VK_ADD_LAYER_PATH"), "{path}");
    }

    #[test]
    fn the_layer_is_never_asked_for_twice() {
        let set =
            variables_over(&[("VK_INSTANCE_LAYERS", "A:VK_LAYER_TILELENS_tbdr:B")], Some(&["x".into(), "y".into()]));
        assert_eq!(set["VK_INSTANCE_LAYERS"], "VK_LAYER_TILELENS_tbdr:A:B");
        assert_eq!(set["VK_TILELENS_TBDR_GPU"], "x,y");
    }
}
