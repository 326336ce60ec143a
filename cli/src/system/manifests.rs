//! The manifests of layers and drivers that the Vulkan loader reads, by its own rules, and the libraries that they name.

use super::env::Env;
use crate::system::libraries;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A larger file is no manifest.
const MAX_BYTES: u64 = 1 << 20;

/// Whether somebody has to ask for a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Yes, by its name.
    Explicit,
    /// No, but variables turn it on and off.
    Implicit,
}

/// One layer of one manifest.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The manifest.
    pub manifest: PathBuf,
    /// Explicit or implicit.
    pub kind: Kind,
    /// Its name. Hostile.
    pub name: String,
    /// Its library; `None` for a layer that is only a list of others.
    pub library: Option<Library>,
    /// Variable and value that turn it on.
    pub enable: Option<(String, String)>,
    /// Variable that turns it off.
    pub disable: Option<String>,
}

/// A library that a manifest names.
#[derive(Clone, Debug)]
pub struct Library {
    /// As the manifest has it. Hostile.
    pub named: String,
    /// Where it is; `None` if it is not.
    pub file: Option<PathBuf>,
}

/// A manifest that cannot be used.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The file.
    pub path: PathBuf,
    /// Why. Foreign text in it is escaped by whoever shows it.
    pub reason: String,
    /// Whether it seems to be about our layer.
    pub ours: bool,
}

/// What a search found.
#[derive(Debug, Default)]
pub struct Found {
    /// Layers, in the order in which the loader reads them.
    pub layers: Vec<Layer>,
    /// Manifests that cannot be used.
    pub broken: Vec<Broken>,
}

/// Files and folders of explicit layers: those of the variables, and the others that the loader reads beside them.
pub struct Search {
    /// What the loader reads.
    pub read: Vec<PathBuf>,
    /// What it would read were VK_LAYER_PATH not set.
    pub hidden: Vec<PathBuf>,
}

/// Where the loader looks for explicit layers.
pub fn explicit_search(env: &Env<'_>) -> Search {
    let mut rest = env.paths("VK_ADD_LAYER_PATH").unwrap_or_default();
    rest.extend(env.standard_folders("explicit_layer.d"));
    match env.paths("VK_LAYER_PATH") {
        Some(only) => Search { read: only, hidden: rest },
        None => Search { read: rest, hidden: Vec::new() },
    }
}

/// Where the loader looks for implicit layers.
pub fn implicit_search(env: &Env<'_>) -> Vec<PathBuf> {
    // The two variables are of newer loaders; older ones do not know them.
    env.paths("VK_IMPLICIT_LAYER_PATH").unwrap_or_else(|| {
        let mut folders = env.paths("VK_ADD_IMPLICIT_LAYER_PATH").unwrap_or_default();
        folders.extend(env.standard_folders("implicit_layer.d"));
        folders
    })
}

/// The manifest files of these files and folders.
pub fn files(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for place in places {
        if place.is_file() {
            files.push(place.clone());
            continue;
        }
        let entries = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut inside: Vec<_> = entries.filter(|path| path.extension() == Some("json".as_ref())).collect();
        inside.sort();
        files.extend(inside);
    }
    files
}

/// Reads the layers of these files and folders.
pub fn layers(places: &[PathBuf], kind: Kind) -> Found {
    let mut found = Found::default();
    for path in files(places) {
        match read(&path).and_then(|json| parse(&path, kind, &json)) {
            Ok(layers) => found.layers.extend(layers),
            Err(reason) => {
                let text = std::fs::read(&path).unwrap_or_default();
                let name = path.file_name().unwrap_or_default();
                let ours = name.to_string_lossy().to_lowercase().contains("tilelens")
                    || text.windows(8).any(|word| word.eq_ignore_ascii_case(b"tilelens"));
                found.broken.push(Broken { path, reason, ours });
            }
        }
    }
    found
}

/// Reads a manifest as JSON.
pub fn read(path: &Path) -> Result<Value, String> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| format!("cannot be opened: {error}"))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("is larger than {MAX_BYTES} bytes"));
    }
    serde_json::from_slice(&bytes).map_err(|error| format!("is not JSON: {error}"))
}

fn parse(path: &Path, kind: Kind, json: &Value) -> Result<Vec<Layer>, String> {
    let layers = match (json.get("layer"), json.get("layers").and_then(Value::as_array)) {
        (Some(layer), _) => vec![layer],
        (None, Some(layers)) => layers.iter().collect(),
        (None, None) => return Err("has neither `layer` nor `layers`".into()),
    };
    layers.into_iter().map(|layer| one(path, kind, layer)).collect()
}

fn one(path: &Path, kind: Kind, layer: &Value) -> Result<Layer, String> {
    let name = layer["name"].as_str().ok_or("has a layer without a name")?.to_owned();
    let library = match layer["library_path"].as_str() {
        Some(named) => Some(library(path, named)),
        None if layer.get("component_layers").is_some() => None,
        None => return Err("has a layer without `library_path`".into()),
    };
    let variable = |key: &str| {
        let (name, value) = layer.get(key)?.as_object()?.iter().next()?;
        Some((name.clone(), value.as_str().unwrap_or_default().to_owned()))
    };
    let disable = variable("disable_environment").map(|(name, _)| name);
    if kind == Kind::Implicit && disable.is_none() {
        return Err(
            "is for an implicit layer and lacks `disable_environment`, without which the loader skips it".into()
        );
    }
    Ok(Layer { manifest: path.into(), kind, name, library, enable: variable("enable_environment"), disable })
}

/// The library that the manifest `manifest` names `named`: a path starts at the manifest, a bare name is searched for.
pub fn library(manifest: &Path, named: &str) -> Library {
    let file = match Path::new(named).components().count() > 1 {
        true => Some(manifest.parent().unwrap_or(Path::new(".")).join(named)).filter(|file| file.is_file()),
        false => libraries::find(named.as_ref()),
    };
    Library { named: named.to_owned(), file }
}

impl Layer {
    /// Whether the variables of an implicit layer turn it on. Turning off wins.
    pub fn is_on(&self, env: &Env<'_>) -> bool {
        self.kind == Kind::Implicit
            && !self.is_off(env)
            && self.enable.as_ref().is_none_or(|(name, value)| env.text(name).as_ref() == Some(value))
    }

    /// Whether the variable that turns an implicit layer off is set, to whatever.
    pub fn is_off(&self, env: &Env<'_>) -> bool {
        self.kind == Kind::Implicit && self.disable.as_ref().is_some_and(|name| env.is_set(name))
    }

    /// The library's file without links, to tell whether two are the same.
    pub fn file(&self) -> Option<PathBuf> {
        self.library.as_ref()?.file.as_ref()?.canonicalize().ok()
    }
}
