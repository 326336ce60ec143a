//! The option `--gpu-profiles` that several subcommands take: GPUs of the user's own, beside the built-in ones.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use tilelens_manifest::{Problem, Settings, UserProfiles};

/// Key of the setting that the option stands for.
const KEY: &str = "gpu_profiles";

/// Where GPU profiles come from.
#[derive(clap::Args)]
pub struct ProfileArgs {
    /// TOML file of GPU profiles of your own, whose GPUs are then chosen by id [default: the setting `gpu_profiles`].
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    gpu_profiles: Vec<PathBuf>,
}

impl ProfileArgs {
    /// The files given.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.gpu_profiles.iter().map(PathBuf::as_path)
    }

    /// The profiles of the files given.
    pub fn given(&self) -> Result<UserProfiles> {
        let mut profiles = UserProfiles::default();
        for path in &self.gpu_profiles {
            profiles.read(path).context("--gpu-profiles")?;
        }
        Ok(profiles)
    }

    /// The profiles of the files given, else those of the settings, whose `problems` are refused: GPUs that are missing are better told
    /// of than left out.
    pub fn in_force(&self, settings: &Settings, problems: &[Problem]) -> Result<UserProfiles> {
        if !self.gpu_profiles.is_empty() {
            return self.given();
        }
        match problems.iter().find(|problem| problem.key == KEY) {
            Some(problem) => bail!("{problem}"),
            None => Ok(settings.user_profiles.clone()),
        }
    }

    /// Key and value of the setting, where the option was given: absolute, because the program may work elsewhere.
    pub fn setting(&self) -> Result<Option<(&'static str, String)>> {
        let mut list = String::new();
        for path in &self.gpu_profiles {
            // The comma after the last keeps a colon in a path from being taken for a separator.
            list += &absolute(path)?;
            list.push(',');
        }
        Ok((!list.is_empty()).then_some((KEY, list)))
    }
}

fn absolute(path: &Path) -> Result<String> {
    let absolute = std::path::absolute(path).with_context(|| format!("--gpu-profiles: no path {}", path.display()))?;
    match absolute.to_str() {
        Some(text) if !text.contains(',') => Ok(text.into()),
        _ => bail!(
            "--gpu-profiles: {} has a comma in its path or is not UTF-8, which a list of settings cannot hold: copy the file elsewhere",
            path.display()
        ),
    }
}
