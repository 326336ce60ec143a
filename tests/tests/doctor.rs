//! `tilelens doctor` names each fault of a set-up with its remedy, and is silent about a set-up that works.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;
use tilelens_manifest::{LAYER_NAME, MANIFEST_FILE_NAME, explicit_manifest, implicit_manifest};
use tilelens_tests::real::{Missing, on_lavapipe, program};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{artefacts, need};

/// A set-up in which programs run under the layer, until a test plants a fault in it.
struct SetUp {
    folder: Folder,
    command: Command,
}

/// What the doctor said.
struct Said {
    status: i32,
    text: String,
    findings: Vec<serde_json::Value>,
}

impl SetUp {
    /// The layer's manifest is in VK_LAYER_PATH, VK_INSTANCE_LAYERS names it, lavapipe is the driver.
    fn healthy() -> Result<Self, Missing> {
        Self::speaking("json")
    }

    /// The same for a doctor that speaks `format`.
    fn speaking(format: &str) -> Result<Self, Missing> {
        let folder = Folder::new();
        let mut command = on_lavapipe(artefacts::cli())?;
        command.arg("doctor").args(["--format", format]).current_dir(&folder.0).env("HOME", &folder.0);
        for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS"] {
            command.env(variable, folder.0.join(variable));
        }
        command.env("TILELENS_LAYER_LIBRARY", artefacts::layer());
        command.env("VK_LAYER_PATH", folder.0.join("layers")).env("VK_INSTANCE_LAYERS", LAYER_NAME);
        let set_up = Self { folder, command };
        set_up.manifest("layers", &library());
        Ok(set_up)
    }

    /// Writes a manifest for `library` into a folder of that name.
    fn manifest(&self, folder: &str, library: &str) {
        self.file(&format!("{folder}/{MANIFEST_FILE_NAME}"), explicit_manifest(library));
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    fn said(&mut self) -> Said {
        let output = self.command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let json: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text} {:?}", output.stderr));
        assert_eq!(json["schema"], "tilelens.doctor/1");
        let findings = json["findings"].as_array().unwrap().clone();
        Said { status: output.status.code().unwrap(), text, findings }
    }
}

impl Said {
    /// The finding with this code.
    #[track_caller]
    fn finding(&self, code: &str) -> &serde_json::Value {
        let found = self.findings.iter().find(|finding| finding["code"] == code);
        found.unwrap_or_else(|| panic!("no {code} in {}", self.text))
    }

    /// Asserts that a fault is named with all of `words` in what it is and what to do about it.
    #[track_caller]
    fn names(&self, status: &str, code: &str, words: &[&str]) {
        let finding = self.finding(code);
        assert_eq!(finding["status"], status, "{}", self.text);
        let [what, remedy] = ["what", "remedy"].map(|part| finding[part].as_str().unwrap_or_default());
        assert!(!remedy.is_empty() && !what.contains('\n') && !remedy.contains('\n'), "{finding}");
        for word in words {
            assert!(what.contains(word) || remedy.contains(word), "no {word} in {finding}");
        }
        assert_eq!(self.status, i32::from(self.findings.iter().any(|f| f["status"] == "problem")));
    }
}

fn library() -> String {
    artefacts::layer().to_str().unwrap().into()
}

/// The beginning of a library like the layer's, for a machine with words of another size.
fn other_machine() -> Vec<u8> {
    let mut header = fs::read(artefacts::layer()).unwrap()[..64].to_vec();
    header[4] = 3 - header[4];
    header
}

/// A library of this machine that is no layer.
fn some_library() -> PathBuf {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines()
        .filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..])))
        .find(|path| path.to_string_lossy().contains("libc.so"))
        .unwrap()
}

#[test]
fn a_set_up_that_works_is_clean() {
    let mut set_up = need!(SetUp::healthy());
    let before: Vec<_> = fs::read_dir(&set_up.folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let said = set_up.said();
    assert!(said.findings.iter().all(|finding| finding["status"] == "ok"), "{}", said.text);
    assert_eq!(said.status, 0);
    let loaded: Vec<_> =
        said.findings.iter().filter(|f| f["code"] == "layer-loaded").map(|f| f["what"].to_string()).collect();
    assert!(
        loaded.len() == 2 && loaded[0].contains("in this environment") && loaded[1].contains("tilelens run"),
        "{loaded:?}"
    );
    assert!(said.finding("devices")["what"].as_str().unwrap().contains("llvmpipe"), "{}", said.text);
    let version = said.finding("loader")["what"].as_str().unwrap();
    assert!(version.contains("version 1.") && version.contains("libvulkan.so"), "{version}");
    let after: Vec<_> = fs::read_dir(&set_up.folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(after, before, "nothing is left behind");
}

#[test]
fn an_implicit_layer_that_is_switched_on_is_clean() {
    let mut set_up = need!(SetUp::healthy());
    implicit(&mut set_up);
    let said = set_up.said();
    assert!(said.findings.iter().all(|finding| finding["status"] == "ok"), "{}", said.text);
}

/// Makes the layer an implicit one that is switched on.
fn implicit(set_up: &mut SetUp) {
    set_up.file("XDG_DATA_HOME/vulkan/implicit_layer.d/tl.json", implicit_manifest(&library()));
    set_up.command.env_remove("VK_LAYER_PATH").env_remove("VK_INSTANCE_LAYERS").env("ENABLE_TILELENS", "1");
}

#[test]
fn nothing_installed_is_no_fault_because_run_brings_the_layer_along() {
    let mut set_up = need!(SetUp::healthy());
    set_up.command.env_remove("VK_LAYER_PATH").env_remove("VK_INSTANCE_LAYERS");
    let said = set_up.said();
    assert!(said.findings.iter().all(|finding| finding["status"] == "ok"), "{}", said.text);
    said.finding("layer-not-installed");
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.manifest("layers", "./no-such-library.so");
    let said = set_up.said();
    said.names("problem", "layer-library-missing", &["no-such-library.so", MANIFEST_FILE_NAME, "cargo build"]);
    said.finding("layer-not-loaded");
}

#[test]
fn a_library_for_another_machine_is_named() {
    let mut set_up = need!(SetUp::healthy());
    let other = set_up.file("layers/other.so", other_machine());
    set_up.manifest("layers", "./other.so");
    set_up.said().names("problem", "layer-library-architecture", &["other.so", "bits", "--target"]);
    set_up.manifest("layers", &library());
    set_up.command.arg("--layer").arg(other);
    set_up.said().names("problem", "layer-library-architecture", &["tilelens run", "other.so"]);
}

#[test]
fn a_library_that_cannot_be_loaded_is_named_with_the_linkers_words() {
    let mut set_up = need!(SetUp::healthy());
    set_up.file("layers/cut.so", &fs::read(artefacts::layer()).unwrap()[..64]);
    set_up.manifest("layers", "./cut.so");
    set_up.said().names("problem", "layer-library-unloadable", &["cut.so cannot be loaded: ", "build the layer"]);
}

#[test]
fn a_library_of_which_only_a_part_was_copied_crashes_and_that_is_a_finding() {
    let mut set_up = need!(SetUp::healthy());
    let whole = fs::read(artefacts::layer()).unwrap();
    // Enough for the linker to map it, and to meet the missing rest when it touches it.
    set_up.file("layers/part.so", &whole[..100_000]);
    set_up.manifest("layers", "./part.so");
    let said = set_up.said();
    said.names("problem", "layer-library-crashes", &["part.so", "crashed (signal", "build the layer"]);
    said.names("problem", "layer-crashes", &["in this environment", "crashed (signal"]);
    assert!(
        said.finding("layer-loaded")["what"].as_str().unwrap().contains("tilelens run"),
        "the others are tried all the same"
    );
}

#[test]
fn a_library_that_is_no_layer_is_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.manifest("layers", some_library().to_str().unwrap());
    set_up.said().names("problem", "layer-export-missing", &["libc.so", "vkNegotiateLoaderLayerInterfaceVersion"]);
}

#[test]
fn a_broken_manifest_is_named() {
    let mut set_up = need!(SetUp::healthy());
    let text = explicit_manifest(&library());
    set_up.file(&format!("layers/{MANIFEST_FILE_NAME}"), &text[..text.len() / 2]);
    let said = set_up.said();
    said.names("problem", "layer-manifest-broken", &[MANIFEST_FILE_NAME, "is not JSON", "copy the manifest again"]);
    set_up.manifest("layers", &library());
    set_up.file("layers/other.json", "{}");
    set_up.said().names("warning", "manifest-broken", &["other.json", "remove the file"]);
}

#[test]
fn a_layer_path_that_leads_elsewhere_is_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.manifest("XDG_DATA_HOME/vulkan/explicit_layer.d", &library());
    set_up.command.env("VK_LAYER_PATH", set_up.folder.0.join("elsewhere"));
    set_up.said().names("problem", "layer-path-hides", &["VK_LAYER_PATH", "explicit_layer.d", "unset"]);
    fs::remove_dir_all(set_up.folder.0.join("XDG_DATA_HOME")).unwrap();
    set_up.said().names("problem", "layer-not-found", &[LAYER_NAME, "VK_ADD_LAYER_PATH"]);
}

#[test]
fn a_layer_that_the_environment_turns_off_is_named() {
    let mut set_up = need!(SetUp::healthy());
    implicit(&mut set_up);
    set_up.command.env("DISABLE_TILELENS", "0");
    set_up.said().names("problem", "layer-disabled", &["DISABLE_TILELENS", "whatever its value", "unset"]);
    set_up.command.env_remove("DISABLE_TILELENS").env("VK_LOADER_LAYERS_DISABLE", "*tilelens*");
    set_up.said().names("problem", "layer-disabled", &["VK_LOADER_LAYERS_DISABLE", "unset"]);
    set_up.command.env_remove("VK_LOADER_LAYERS_DISABLE").env_remove("ENABLE_TILELENS");
    set_up.said().names("warning", "layer-not-enabled", &["ENABLE_TILELENS=1", "tilelens run"]);
}

#[test]
fn a_layer_that_nobody_asks_for_is_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.command.env_remove("VK_INSTANCE_LAYERS");
    set_up.said().names("warning", "layer-not-asked-for", &["VK_INSTANCE_LAYERS=VK_LAYER_TILELENS_tbdr"]);
}

#[test]
fn a_program_with_the_rights_of_another_user_is_named() {
    let mut set_up = need!(SetUp::healthy());
    let program = set_up.folder.0.join("program");
    fs::copy("/bin/true", &program).unwrap();
    // Only root can plant the real thing; a file of one's own gives no rights to oneself, and others are warned.
    let foreign = std::os::unix::fs::chown(&program, Some(65534), None).is_ok();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    set_up.command.args(["--", "./program"]);
    let status = if foreign { "problem" } else { "warning" };
    set_up.said().names(status, "program-elevated", &["setuid", "ignores variables", "run a copy"]);
}

#[test]
fn a_program_with_file_capabilities_is_named() {
    let mut set_up = need!(SetUp::healthy());
    let setcap = need!(program("setcap", "libcap2-bin"));
    let program = set_up.folder.0.join("program");
    fs::copy("/bin/true", &program).unwrap();
    let given = Command::new(setcap).arg("cap_net_raw+ep").arg(&program).output().unwrap();
    set_up.command.args(["--", "./program"]);
    let said = set_up.said();
    if given.status.success() {
        // Root has them all already.
        let root = fs::metadata("/proc/self").unwrap().uid() == 0;
        said.names(if root { "warning" } else { "problem" }, "program-elevated", &["file capabilities", "run a copy"]);
    } else {
        // Not every user or file system may have them: then the program is as good as any.
        assert_eq!(said.finding("program")["status"], "ok");
    }
}

#[test]
fn a_program_for_another_machine_or_that_is_not_there_is_named() {
    let mut set_up = need!(SetUp::healthy());
    let program = set_up.file("program", other_machine());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    set_up.command.args(["--", "./program"]);
    set_up.said().names("problem", "program-architecture", &["program", "bits", "--layer"]);
    fs::remove_file(program).unwrap();
    set_up.said().names("problem", "program-missing", &["./program", "PATH"]);
}

#[test]
fn an_output_folder_that_cannot_be_written_is_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.file("file", "");
    set_up.command.env("VK_TILELENS_TBDR_OUTPUT_DIR", "file/out");
    set_up.said().names("problem", "output-folder", &["file/out", "--out", "output_dir"]);
}

#[test]
fn a_machine_without_a_driver_is_told_what_to_install() {
    let mut set_up = need!(SetUp::healthy());
    set_up.command.env("VK_DRIVER_FILES", "none.json").env("VK_ICD_FILENAMES", "none.json");
    let said = set_up.said();
    said.names("problem", "no-driver", &["VK_DRIVER_FILES", "mesa-vulkan-drivers"]);
    said.names("problem", "driver-manifest-missing", &["none.json"]);
    said.names("problem", "no-instance", &["VK_ERROR_INCOMPATIBLE_DRIVER"]);
    let driver = set_up.file("driver.json", r#"{"ICD": {"library_path": "./gone.so", "api_version": "1.3.0"}}"#);
    set_up.command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver);
    let said = set_up.said();
    said.names("warning", "driver-library-missing", &["gone.so", "reinstall"]);
    said.finding("no-driver");
}

#[test]
fn a_machine_without_a_loader_is_told_what_to_install() {
    let mut set_up = need!(SetUp::healthy());
    set_up.file("libraries/libvulkan.so.1", "no library");
    set_up.command.env("LD_LIBRARY_PATH", set_up.folder.0.join("libraries"));
    set_up.said().names("problem", "loader-missing", &["libvulkan.so.1", "libvulkan1"]);
}

#[test]
fn a_misspelled_name_is_named() {
    let mut set_up = need!(SetUp::healthy());
    for wrong in ["VK_LAYER_TILELENS_tdbr", "VK_LAYER_TILELENS", "VK_LAYER_MESA_overlay,VK_LAYER_TILELENS_tbdr"] {
        set_up.command.env("VK_INSTANCE_LAYERS", wrong);
        set_up.said().names("problem", "layer-name-misspelled", &[wrong, LAYER_NAME, "separated by `:`"]);
    }
}

#[test]
fn two_manifests_of_one_name_are_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.manifest("second", &library());
    let folders = [set_up.folder.0.join("second"), set_up.folder.0.join("layers")];
    set_up.command.env("VK_LAYER_PATH", std::env::join_paths(folders).unwrap());
    let said = set_up.said();
    said.names("warning", "layer-duplicate", &["second/", "layers/", "remove all but one"]);
    assert_eq!(said.status, 0);
}

#[test]
fn run_takes_its_own_library_wherever_else_the_layer_is_installed() {
    let copy = |set_up: &SetUp| {
        let copy = set_up.folder.0.join("copy.so");
        fs::copy(artefacts::layer(), &copy).unwrap();
        copy
    };
    for installed in ["layers", "XDG_DATA_HOME/vulkan/explicit_layer.d"] {
        let mut set_up = need!(SetUp::healthy());
        if installed != "layers" {
            set_up.command.env_remove("VK_LAYER_PATH");
        }
        set_up.manifest(installed, &library());
        let copy = copy(&set_up);
        set_up.command.env("TILELENS_LAYER_LIBRARY", copy);
        let said = set_up.said();
        assert_eq!(said.status, 0, "{}", said.text);
        assert_eq!(said.findings.iter().filter(|f| f["code"] == "layer-loaded").count(), 2, "{}", said.text);
    }
}

#[test]
fn one_library_under_two_names_is_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.file("layers/copy.json", explicit_manifest(&library()).replace(LAYER_NAME, "VK_LAYER_OTHER_name"));
    set_up.said().names("problem", "layer-two-names", &["VK_LAYER_OTHER_name", "copy.json", "remove"]);
}

#[test]
fn a_setting_that_cannot_be_followed_is_named() {
    let mut set_up = need!(SetUp::healthy());
    set_up.command.env("VK_TBDR_QUEUE_FRAMES", "many").env("VK_TILELENS_TBDR_GPU", "riva-tnt2");
    let said = set_up.said();
    said.names("problem", "setting", &["VK_TBDR_QUEUE_FRAMES", "whole number"]);
    said.names("problem", "setting-gpu", &["riva-tnt2", "tilelens gpus"]);
}

#[test]
fn a_name_in_a_manifest_cannot_write_to_the_terminal() {
    let mut set_up = need!(SetUp::speaking("text"));
    let hostile = "{\"layer\": {\"name\": \"VK_LAYER_TILELENS_tbdr\", \"library_path\": \"./\\u001b[31m\\nred.so\"}}";
    set_up.file(&format!("layers/{MANIFEST_FILE_NAME}"), hostile);
    let output = set_up.command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains('\u{1b}') && text.contains("red.so") && text.contains("remedy: build it"), "{text}");
    assert!(text.starts_with("ok ") && text.contains("[layer-library-missing]"), "{text}");
}
