//! The settings that a program of this environment would get.

use super::finding::Findings;
use tilelens_manifest::Settings;

/// Examines the settings file and every setting; returns those in force.
pub fn examine(findings: &mut Findings) -> Settings {
    let env = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    match Settings::find_file(&env) {
        Some(path) => findings.ok("settings-file", format!("settings file: {}", path.display())),
        None => findings.ok("settings-file", "there is no settings file"),
    }
    let (settings, problems) = Settings::from_process(Vec::new());
    for problem in &problems {
        findings.problem(
            "setting",
            problem.to_string(),
            "mend it there; docs/settings.md lists the settings and what they take",
        );
    }
    match settings.user_profiles.check(&settings.gpu) {
        Err(error) => {
            findings.problem("setting-gpu", format!("setting `gpu`: {error}"), "name GPUs that `tilelens gpus` lists")
        }
        Ok(_) if problems.is_empty() => {
            findings.ok("settings", format!("settings are sound; GPUs: {}", settings.gpu.join(", ")))
        }
        Ok(_) => {}
    }
    settings
}
