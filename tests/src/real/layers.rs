//! Puts layers into the chain of the real loader in a known order.
//!
//! Loaders differ in how they order VK_INSTANCE_LAYERS; the order of VK_LAYER_PATH's directories, with one manifest each, is
//! honoured by all, and [`Layers::assert_order`] checks it in the loader's own words.

use super::Missing;
use crate::artefacts;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the Khronos validation layer.
pub const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";
/// Name of the gfxreconstruct capture layer.
pub const GFXRECONSTRUCT: &str = "VK_LAYER_LUNARG_gfxreconstruct";
/// Name of MangoHud, which draws figures over a program.
pub const MANGOHUD: &str = "VK_LAYER_MANGOHUD_overlay";
/// Name of vkBasalt, which filters what a program shows.
pub const VKBASALT: &str = "VK_LAYER_VKBASALT_post_processing";
/// Name of Mesa's overlay.
pub const MESA_OVERLAY: &str = "VK_LAYER_MESA_overlay";

/// Layers, the application's side first.
pub struct Layers {
    folder: PathBuf,
    names: Vec<String>,
}

impl Layers {
    /// No layers yet; manifests are copied below `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.join("layers"), names: Vec::new() }
    }

    fn add(mut self, name: &str, manifest: &str) -> Self {
        let folder = self.folder.join(format!("{}", self.names.len()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("layer.json"), manifest).unwrap();
        self.names.push(name.to_owned());
        self
    }

    /// Our layer comes next.
    #[must_use]
    pub fn ours(self) -> Self {
        let manifest = tilelens_manifest::explicit_manifest(&artefacts::layer().to_string_lossy());
        self.add(tilelens_manifest::LAYER_NAME, &manifest)
    }

    /// An installed layer comes next, as an explicit one even if it is installed as an implicit one.
    pub fn installed(self, name: &str, package: &str) -> Result<Self, Missing> {
        let roots = ["/etc/vulkan", "/usr/local/share/vulkan", "/usr/share/vulkan"];
        let folders =
            roots.iter().flat_map(|root| ["explicit", "implicit"].map(|kind| format!("{root}/{kind}_layer.d")));
        let manifest = folders
            .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
            .filter_map(|entry| fs::read_to_string(entry.path()).ok())
            .find(|text| text.contains(&format!("\"{name}\"")));
        match manifest {
            Some(manifest) => Ok(self.add(name, &manifest)),
            None => Err(Missing(format!("{name} is not installed (Debian package {package})"))),
        }
    }

    /// Makes a program run under these layers.
    pub fn enable(&self, command: &mut Command) {
        let folders: Vec<PathBuf> = (0..self.names.len()).map(|i| self.folder.join(i.to_string())).collect();
        command.env("VK_LAYER_PATH", std::env::join_paths(folders).unwrap());
        command.env("VK_INSTANCE_LAYERS", self.names.join(":"));
    }

    /// Asserts that the loader's debug output (`VK_LOADER_DEBUG=layer`) shows these layers in this order.
    #[track_caller]
    pub fn assert_order(&self, loader_output: &str) {
        let mut rest = loader_output;
        let start = rest.find("<Application>").unwrap_or_else(|| panic!("no chain in the loader's output: {rest}"));
        rest = &rest[start..];
        for name in &self.names {
            let at =
                rest.find(name.as_str()).unwrap_or_else(|| panic!("{name} is not where it should be: {loader_output}"));
            rest = &rest[at + name.len()..];
        }
    }
}
