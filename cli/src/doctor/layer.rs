//! Our layer: whether the loader finds it in this environment, can load it, and is asked to.

use super::finding::Findings;
use super::loader::Loader;
use super::probe::Step;
use super::trial;
use crate::system::env::Env;
use crate::system::machine::Machine;
use crate::system::manifests::{self, Found, Kind, Layer};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tbdr_model::text::shown;
use tilelens_manifest::{DISABLE_VARIABLE, ENABLE_VARIABLE, LAYER_NAME, SWITCH_VALUE};

/// What the environment says of our layer.
#[derive(Debug)]
pub struct Verdict {
    /// Whether programs of this environment shall have it, be it there or not.
    pub wanted: bool,
    /// Whether its manifests and libraries have no fault that keeps it from being loaded.
    pub sound: bool,
}

/// All layers that the loader finds.
pub struct Layers {
    /// Explicit ones.
    pub explicit: Found,
    /// Implicit ones.
    pub implicit: Found,
    /// Explicit ones that VK_LAYER_PATH hides.
    pub hidden: Found,
}

impl Layers {
    /// Reads the manifests of all layers.
    pub fn read(env: &Env<'_>) -> Self {
        let search = manifests::explicit_search(env);
        Self {
            explicit: manifests::layers(&search.read, Kind::Explicit),
            implicit: manifests::layers(&manifests::implicit_search(env), Kind::Implicit),
            hidden: manifests::layers(&search.hidden, Kind::Explicit),
        }
    }

    /// Every layer, explicit ones first.
    pub fn all(&self) -> impl Iterator<Item = &Layer> {
        self.explicit.layers.iter().chain(&self.implicit.layers)
    }

    fn ours(&self) -> Vec<&Layer> {
        self.all().filter(|layer| layer.name == LAYER_NAME).collect()
    }
}

/// Examines our layer in the environment. `folder` is for the files of probes.
pub fn examine(env: &Env<'_>, layers: &Layers, loader: &Loader, folder: &Path, findings: &mut Findings) -> Verdict {
    let names = env.instance_layers();
    let named = names.iter().any(|name| name == LAYER_NAME);
    let ours = layers.ours();
    let implicit = ours.iter().find(|layer| layer.kind == Kind::Implicit);
    let switched_on = implicit.is_some_and(|layer| layer.is_on(env));
    let filtered_in = env.filter_matches("VK_LOADER_LAYERS_ENABLE", LAYER_NAME, false);
    let asked = named || filtered_in || env.text(ENABLE_VARIABLE).as_deref() == Some(SWITCH_VALUE);
    let before = findings.count(super::finding::Status::Problem);

    spelling(&names, findings);
    broken(layers, findings);
    hidden(layers, named, findings);
    if ours.is_empty() {
        absent(layers, asked, findings);
    }
    let mut seen = BTreeSet::new();
    for layer in &ours {
        let Some(library) = &layer.library else { continue };
        let place = layer.manifest.display().to_string();
        match &library.file {
            None => findings.problem(
                "layer-library-missing",
                format!("manifest {place}: its library {} is not there", shown(&library.named, 200)),
                "build it (`cargo build --release -p tilelens-layer`) and put it there, or mend `library_path`",
            ),
            Some(file) if seen.insert(file.clone()) => {
                self::library(file, &format!("manifest {place}: "), loader, folder, findings)
            }
            Some(_) => {}
        }
    }
    same_name(&ours, findings);
    two_names(layers, &ours, findings);
    switches(env, &ours, named, switched_on, findings);
    Verdict {
        wanted: named || filtered_in || switched_on,
        sound: findings.count(super::finding::Status::Problem) == before,
    }
}

/// Examines a library of the layer: its machine, then whether it can be loaded, and what it exports.
pub fn library(file: &Path, of: &str, loader: &Loader, folder: &Path, findings: &mut Findings) {
    let path = file.display();
    match (Machine::of(file), loader.machine) {
        (None, Some(_)) if cfg!(target_os = "linux") => {
            let what = format!("{of}{path} is no library of this system");
            return findings.problem(
                "layer-library-architecture",
                what,
                "build the layer again: `cargo build -p tilelens-layer`",
            );
        }
        (Some(layer), Some(loader)) if layer != loader => {
            return findings.problem(
                "layer-library-architecture",
                format!("{of}{path} is for {layer}, the Vulkan loader for {loader}"),
                "build the layer for the machine that the program is built for (`cargo build --target`)",
            );
        }
        _ => {}
    }
    let told = match trial::library(folder, file) {
        Ok(told) => told,
        Err(error) => {
            return findings.warning("probe-failed", format!("{path} was not tried: {error:#}"), "see the reason");
        }
    };
    let mut sound = true;
    for step in &told.steps {
        match step {
            Step::NotLoaded { error } => {
                sound = false;
                findings.problem(
                    "layer-library-unloadable",
                    format!("{of}{path} cannot be loaded: {}", shown(error, 300)),
                    "install the library that is named there, or build the layer on this machine",
                );
            }
            Step::NoExport { name } => {
                sound = false;
                findings.problem(
                    "layer-export-missing",
                    format!("{of}{path} lacks the export {name}: it is no Vulkan layer"),
                    "name the layer's own library in the manifest",
                );
            }
            _ => {}
        }
    }
    if let Some(died) = &told.died {
        findings.problem(
            "layer-library-crashes",
            format!("{of}loading {path} {died}"),
            "build the layer on this machine",
        );
    } else if sound {
        findings.ok("layer-library", format!("{of}{path} can be loaded"));
    }
}

/// Names of layers that may have been meant for ours.
fn spelling(names: &[String], findings: &mut Findings) {
    let near = |name: &&String| {
        let lower = name.to_lowercase();
        let ours = LAYER_NAME.to_lowercase();
        name.as_str() != LAYER_NAME
            && name.len() < 256
            && (lower.contains("tilelens") || strsim::damerau_levenshtein(&lower, &ours) <= LAYER_NAME.len() / 4)
    };
    for name in names.iter().filter(near) {
        findings.problem(
            "layer-name-misspelled",
            format!("VK_INSTANCE_LAYERS names `{}`, which is no layer", shown(name, 100)),
            format!("write {LAYER_NAME}; several names are separated by `{}`", if cfg!(windows) { ';' } else { ':' }),
        );
    }
}

fn broken(layers: &Layers, findings: &mut Findings) {
    for broken in layers.explicit.broken.iter().chain(&layers.implicit.broken) {
        let what = format!("manifest {} {}", broken.path.display(), shown(&broken.reason, 200));
        let remedy = match broken.ours {
            true => "copy the manifest again from manifest/json; mind `library_path`",
            false => "reinstall the layer that it belongs to, or remove the file",
        };
        let code = if broken.ours { "layer-manifest-broken" } else { "manifest-broken" };
        findings.problem_if(broken.ours, code, what, remedy);
    }
}

/// VK_LAYER_PATH replaces every other place.
fn hidden(layers: &Layers, named: bool, findings: &mut Findings) {
    if layers.explicit.layers.iter().any(|layer| layer.name == LAYER_NAME) {
        return;
    }
    let Some(layer) = layers.hidden.layers.iter().find(|layer| layer.name == LAYER_NAME) else { return };
    let folder = layer.manifest.parent().unwrap_or(Path::new(".")).display();
    findings.problem_if(
        named,
        "layer-path-hides",
        format!("VK_LAYER_PATH hides the layer's manifest {}", layer.manifest.display()),
        format!("unset VK_LAYER_PATH, or add the folder: VK_LAYER_PATH={folder}:$VK_LAYER_PATH"),
    );
}

fn absent(layers: &Layers, asked: bool, findings: &mut Findings) {
    let excused = layers.hidden.layers.iter().any(|layer| layer.name == LAYER_NAME)
        || [&layers.explicit, &layers.implicit].iter().any(|found| found.broken.iter().any(|broken| broken.ours));
    match asked {
        // Something above said why.
        _ if excused => {}
        true => findings.problem(
            "layer-not-found",
            format!("the environment asks for {LAYER_NAME}, and the loader finds no manifest of it"),
            "use `tilelens run`, or name the folder of VkLayer_tilelens.json in VK_ADD_LAYER_PATH",
        ),
        false => findings
            .ok("layer-not-installed", "the layer is not installed for all programs: `tilelens run` brings it along"),
    }
}

/// Several manifests of one kind that have our name: which of them counts depends on the loader.
fn same_name(ours: &[&Layer], findings: &mut Findings) {
    for kind in [Kind::Explicit, Kind::Implicit] {
        let several: Vec<_> =
            ours.iter().filter(|layer| layer.kind == kind).map(|layer| layer.manifest.display().to_string()).collect();
        if several.len() > 1 {
            // Tried: 1.3.239 loads the last for VK_INSTANCE_LAYERS. Read: current ones keep the first.
            findings.warning(
                "layer-duplicate",
                format!(
                    "{LAYER_NAME} has several manifests: {}; old loaders take the last, new ones the first",
                    several.join(", ")
                ),
                "remove all but one, so that an old library is not loaded by mistake",
            );
        }
    }
    let of = |kind| ours.iter().find(|layer| layer.kind == kind);
    if let (Some(explicit), Some(implicit)) = (of(Kind::Explicit), of(Kind::Implicit)) {
        if explicit.file() != implicit.file() {
            findings.warning(
                "layer-two-libraries",
                format!(
                    "the explicit manifest {} and the implicit {} name different libraries",
                    explicit.manifest.display(),
                    implicit.manifest.display()
                ),
                "let both name the same library, or remove one",
            );
        }
    }
}

/// One library under two layer names: in one chain it would call itself without end.
fn two_names(layers: &Layers, ours: &[&Layer], findings: &mut Findings) {
    let files: BTreeSet<PathBuf> = ours.iter().filter_map(|layer| layer.file()).collect();
    for layer in layers.all().filter(|layer| layer.name != LAYER_NAME) {
        if layer.file().is_some_and(|file| files.contains(&file)) {
            findings.problem(
                "layer-two-names",
                format!(
                    "{} gives the layer's library a second name, {}",
                    layer.manifest.display(),
                    shown(&layer.name, 100)
                ),
                "remove that manifest: under both names at once the library would call itself without end",
            );
        }
    }
}

/// What turns the layer on and off.
fn switches(env: &Env<'_>, ours: &[&Layer], named: bool, switched_on: bool, findings: &mut Findings) {
    let Some(first) = ours.first() else { return };
    let by_switch = format!("{ENABLE_VARIABLE}={SWITCH_VALUE}");
    let only_implicit = ours.iter().all(|layer| layer.kind == Kind::Implicit);
    let enabled = env.text(ENABLE_VARIABLE).as_deref() == Some(SWITCH_VALUE);
    let off = only_implicit && first.is_off(env);
    if off {
        findings.problem_if(
            named || enabled,
            "layer-disabled",
            format!("{DISABLE_VARIABLE} is set, which turns the implicit layer off whatever its value is"),
            format!("unset {DISABLE_VARIABLE}"),
        );
    }
    let variable = "VK_LOADER_LAYERS_DISABLE";
    let filtered = env.filter_matches(variable, LAYER_NAME, only_implicit);
    if filtered {
        // VK_INSTANCE_LAYERS wins over the filter.
        findings.problem_if(
            switched_on && !named,
            "layer-disabled",
            format!("{variable}={} turns the layer off", shown(&env.text(variable).unwrap_or_default(), 80)),
            format!("unset {variable}, or take the pattern for {LAYER_NAME} out"),
        );
    }
    if named || switched_on || off || filtered {
        return;
    }
    if env.filter_matches("VK_LOADER_LAYERS_ENABLE", LAYER_NAME, only_implicit) {
        return findings.ok("layer-asked-for", "VK_LOADER_LAYERS_ENABLE asks for the layer");
    }
    let (how, code) = match only_implicit {
        true => (by_switch, "layer-not-enabled"),
        false => (format!("VK_INSTANCE_LAYERS={LAYER_NAME}"), "layer-not-asked-for"),
    };
    findings.warning(
        code,
        format!("{} is found, and nothing in this environment asks for it", first.manifest.display()),
        format!("use `tilelens run`, which does, or set {how}"),
    );
}
