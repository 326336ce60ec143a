//! The installed loader and lavapipe: the layer is not there, as far as a program can tell.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;
use tilelens_tests::real::{self, Layers};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{need, process};

/// What `proc_matrix` prints, with or without the layer.
fn matrix(version: &str, extensions: &str, layer: bool) -> Result<String, real::Missing> {
    let folder = Folder::new();
    let mut command = real::on_lavapipe(Path::new(env!("CARGO_BIN_EXE_proc_matrix")))?;
    command.args([version, extensions]);
    real::settings::apply(&mut command, &folder, &[]);
    if layer {
        let layers = Layers::new(&folder.0).ours();
        layers.enable(&mut command);
        command.env("VK_LOADER_DEBUG", "layer");
        let outcome = process::run(command, &folder.0, Duration::from_secs(60));
        assert!(outcome.status.success(), "{}", outcome.text());
        layers.assert_order(&outcome.stderr);
        return Ok(outcome.stdout);
    }
    let outcome = process::run(command, &folder.0, Duration::from_secs(60));
    assert!(outcome.status.success(), "{}", outcome.text());
    Ok(outcome.stdout)
}

#[test]
fn proc_addresses_are_the_same_with_and_without_the_layer() {
    let mut tables = Vec::new();
    for version in ["1.0", "1.1", "1.2", "1.3"] {
        for extensions in ["none", "all"] {
            let without = need!(matrix(version, extensions, false));
            let with = need!(matrix(version, extensions, true));
            assert!(without.lines().count() > 800);
            for (without, with) in without.lines().zip(with.lines()) {
                assert_eq!(
                    with, without,
                    "Vulkan {version} with {extensions} extensions: name, global, instance, device"
                );
            }
            assert_eq!(with, without);
            tables.push(without);
        }
    }
    // The comparison has teeth: versions and extensions really change the answers.
    tables.dedup();
    assert!(tables.len() > 2, "{}", tables.len());
}

/// Whether the layer takes part when it is installed as an implicit one and these switches are set.
fn implicit(switches: &[(&str, &str)]) -> Result<bool, real::Missing> {
    let folder = Folder::new();
    let home = folder.0.join("data");
    let manifests = home.join("vulkan/implicit_layer.d");
    std::fs::create_dir_all(&manifests).unwrap();
    let library = tilelens_tests::artefacts::layer().to_string_lossy();
    let manifest = tilelens_manifest::implicit_manifest(&library);
    std::fs::write(manifests.join(tilelens_manifest::MANIFEST_FILE_NAME), manifest).unwrap();
    let mut command = real::on_lavapipe(Path::new(env!("CARGO_BIN_EXE_proc_matrix")))?;
    command.args(["1.1", "none"]).env("XDG_DATA_HOME", &home).envs(switches.iter().copied());
    real::settings::apply(&mut command, &folder, &[]);
    command.env("VK_LOADER_DEBUG", "layer,warn,error");
    let outcome = process::run(command, &folder.0, Duration::from_secs(60));
    assert!(outcome.status.success(), "{}", outcome.text());
    let chain = outcome.stderr.split("<Application>").nth(1).unwrap_or_default();
    for line in outcome.stderr.lines().filter(|l| l.contains("TILELENS") || l.contains("tilelens")) {
        assert!(!line.contains("WARNING") && !line.contains("ERROR"), "the loader complains: {line}");
    }
    Ok(chain.contains(tilelens_manifest::LAYER_NAME))
}

#[test]
fn installed_for_all_programs_it_takes_part_only_when_switched_on() {
    let (enable, disable) = (tilelens_manifest::ENABLE_VARIABLE, tilelens_manifest::DISABLE_VARIABLE);
    assert!(!need!(implicit(&[])));
    assert!(need!(implicit(&[(enable, "1")])));
    assert!(!need!(implicit(&[(enable, "yes")])));
    assert!(!need!(implicit(&[(enable, "1"), (disable, "1")])));
}
