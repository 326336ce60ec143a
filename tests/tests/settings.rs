//! Settings by every way that the Vulkan-Utility-Libraries give a layer: environment, settings file, VK_EXT_layer_settings.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk::{self, LayerSettingTypeEXT as Kind};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::fs;
use std::path::Path;
use std::process::Command;
use tbdr_model::record::Record;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::real::vulkan::{Vulkan, Wanted};
use tilelens_tests::real::{self, Layers, sample};
use tilelens_tests::sandbox::{Done, Folder, Sandbox};
use tilelens_tests::script::{Scene, attachment};
use tilelens_tests::{need, process};

const LAYER: &CStr = c"VK_LAYER_TILELENS_tbdr";

/// A VkLayerSettingEXT with values of Vulkan's type `ty`, which `T` is.
fn setting<'a, T>(layer: &'a CStr, key: &'a CStr, ty: Kind, values: &'a [T]) -> vk::LayerSettingEXT<'a> {
    vk::LayerSettingEXT {
        p_layer_name: layer.as_ptr(),
        p_setting_name: key.as_ptr(),
        ty,
        value_count: values.len() as u32,
        p_values: values.as_ptr().cast::<c_void>(),
        ..Default::default()
    }
}

/// Runs a frame of a program that gives `settings`, one VkLayerSettingsCreateInfoEXT for each list.
fn frame(settings: &[&[vk::LayerSettingEXT<'_>]]) {
    let mut infos: Vec<_> =
        settings.iter().map(|settings| vk::LayerSettingsCreateInfoEXT::default().settings(settings)).collect();
    // `push_next` puts each before those that are there.
    let info = infos.iter_mut().rev().fold(vk::InstanceCreateInfo::default(), |info, next| info.push_next(next));
    let app = Chain::new(Options::newest()).create_instance(&info).unwrap();
    let scene = Scene::new(app.open_device(&vk::DeviceCreateInfo::default()).unwrap());
    let image = scene.image(vk::Format::R8G8B8A8_UNORM, 64, 64, 1);
    let pass = scene.render_pass(&[attachment(&image, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
    scene.submit(scene.buffer);
    scene.stop();
}

/// The settings that bear on the report, as the capture keeps them.
#[track_caller]
fn in_force(done: &Done) -> BTreeMap<String, String> {
    let run = done.records().into_iter().find_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    });
    run.unwrap().settings
}

#[test]
fn an_application_sets_values_of_every_type_and_one_value_for_each_item_of_a_list() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let gpus = [c"mali-g76".as_ptr(), c"apple-m1".as_ptr()];
        frame(&[&[
            setting(LAYER, c"gpu", Kind::STRING, &gpus),
            setting(LAYER, c"frame_submits", Kind::UINT32, &[7u32]),
            setting(LAYER, c"max_frame_ops", Kind::INT64, &[70_000i64]),
            setting(LAYER, c"capture_max_bytes", Kind::INT32, &[2_000_000i32]),
            setting(LAYER, c"report", Kind::BOOL32, &[vk::FALSE]),
        ]]);
    });
    let set = in_force(&done);
    let values = ["gpu", "frame_submits", "max_frame_ops", "capture_max_bytes"].map(|key| set[key].as_str());
    assert_eq!(values, ["mali-g76,apple-m1", "7", "70000", "2000000"]);
    assert!(done.folder.reports().is_empty(), "`report` is off");
    assert_eq!(done.folder.log().matches("warn:").count(), 0, "{}", done.folder.log());
}

#[test]
fn the_first_of_several_in_the_chain_counts_and_settings_of_other_layers_are_theirs() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let other = c"VK_LAYER_KHRONOS_validation";
        frame(&[
            &[
                setting(other, c"frame_submits", Kind::UINT32, &[1u32]),
                setting(other, c"nothing", Kind::UINT32, &[1u32]),
            ],
            &[setting(LAYER, c"frame_submits", Kind::UINT32, &[2u32])],
            &[setting(LAYER, c"frame_submits", Kind::UINT32, &[3u32])],
        ]);
    });
    assert_eq!(in_force(&done)["frame_submits"], "2");
    assert_eq!(done.folder.log().matches("warn:").count(), 0, "{}", done.folder.log());
}

#[test]
fn what_an_application_misspells_is_told_once_with_what_was_meant() {
    let done = Sandbox::new().set("sync", "1").run(|_| {
        let word = [c"loud".as_ptr()];
        frame(&[&[
            setting(LAYER, c"frame_submit", Kind::UINT32, &[1u32]),
            setting(LAYER, c"queue_frames", Kind::FLOAT32, &[1.5f32]),
            setting(LAYER, c"log_format", Kind::STRING, &word),
        ]]);
    });
    let log = done.folder.log();
    let told: Vec<_> = log.lines().filter(|line| line.contains("warn:")).collect();
    assert_eq!(told.len(), 3, "{log}");
    assert!(told.iter().all(|line| line.contains("VkLayerSettingsCreateInfoEXT: setting `")), "{log}");
    assert!(log.contains("`frame_submit` = `1`: no such setting; did you mean `frame_submits`?"), "{log}");
    assert!(log.contains("`queue_frames` = `1.5`: must be a whole number from 1 to 65536; using the default"), "{log}");
    assert!(log.contains("`log_format` = `loud`: must be one of `text`, `json`; using the default `text`"), "{log}");
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_application() {
    let folder = Folder::new();
    let file = folder.0.join("any name.txt");
    let lines = "# of two layers\nkhronos_validation.report_flags = error\ntilelens_tbdr.frame_submits = 22 # file\n\
                 tilelens_tbdr.max_frame_ops=22000\r\ntilelens_tbdr.outputs =\n";
    fs::write(&file, lines).unwrap();
    let sandbox = Sandbox::new().env("VK_LAYER_SETTINGS_PATH", file.to_str().unwrap());
    let done = sandbox.set("sync", "1").set("frame_submits", "1").set("gpu", "").run(|_| {
        let names = [c"shadow".as_ptr()];
        frame(&[&[
            setting(LAYER, c"frame_submits", Kind::UINT32, &[333u32]),
            setting(LAYER, c"max_frame_ops", Kind::UINT32, &[333u32]),
            setting(LAYER, c"outputs", Kind::STRING, &names),
            setting(LAYER, c"gpu", Kind::STRING, &[c"apple-m1".as_ptr()]),
        ]]);
    });
    let set = in_force(&done);
    let values = ["frame_submits", "max_frame_ops", "outputs", "gpu"].map(|key| set[key].as_str());
    assert_eq!(values, ["1", "22000", "shadow", "apple-m1"], "an empty value is none");
    assert_eq!(done.folder.log().matches("warn:").count(), 0, "{}", done.folder.log());
}

/// Runs a sample under the layer where `prepare` has set the stage; returns the GPU that was modelled, and the log.
fn modelled(prepare: impl FnOnce(&mut Command, &Path)) -> Result<(String, String), real::Missing> {
    let folder = Folder::new();
    let arguments = ["--size", "64x64", "--frames", "2"];
    let mut command = sample::layered("render_passes", &arguments, &folder, &[("sync", "1")])?;
    let home = folder.0.join("home");
    fs::create_dir_all(&home).unwrap();
    command.env("HOME", &home).env_remove("XDG_DATA_HOME").current_dir(&folder.0);
    prepare(&mut command, &folder.0);
    let outcome = process::run(command, &folder.0, std::time::Duration::from_secs(60));
    assert!(outcome.status.success(), "{}", outcome.text());
    Ok((folder.report().gpus.into_keys().collect::<Vec<_>>().join(","), folder.log()))
}

/// Writes a settings file that chooses a GPU.
fn choose(file: &Path, gpu: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("tilelens_tbdr.gpu = {gpu}\n")).unwrap();
}

const FILE: &str = "vk_layer_settings.txt";

#[test]
fn the_file_of_the_user_comes_before_the_one_that_is_named_and_that_before_the_one_of_the_folder() {
    let of_user = format!("home/.local/share/vulkan/settings.d/{FILE}");
    let files = [(of_user.as_str(), "apple-m1"), ("named/vk_layer_settings.txt", "mali-g76"), (FILE, "adreno-650")];
    for (from, expected) in [(0, "apple-m1"), (1, "mali-g76"), (2, "adreno-650")] {
        let found = modelled(|command, folder| {
            files[from..].iter().for_each(|(file, gpu)| choose(&folder.join(file), gpu));
            if from < 2 {
                command.env("VK_LAYER_SETTINGS_PATH", folder.join("named"));
            }
        });
        let (gpu, log) = need!(found);
        assert_eq!(gpu, expected, "{log}");
        assert_eq!(log.matches("warn:").count(), 0, "{log}");
    }
}

#[test]
fn a_named_file_that_is_not_there_is_told_and_that_of_the_folder_counts() {
    let (gpu, log) = need!(modelled(|command, folder| {
        choose(&folder.join(FILE), "mali-g76");
        command.env("VK_LAYER_SETTINGS_PATH", "no/such/file.txt");
    }));
    assert_eq!(gpu, "mali-g76");
    let told: Vec<_> = log.lines().filter(|line| line.contains("warn:")).collect();
    let expected = "VK_LAYER_SETTINGS_PATH: `no/such/file.txt`: there is no such file or folder; name one, or unset the variable; \
                    vk_layer_settings.txt of the working folder is used instead";
    assert!(told.len() == 1 && told[0].contains(expected), "{log}");
}

#[test]
fn variables_are_read_by_two_names_and_never_by_the_one_that_layers_share() {
    let (gpu, log) = need!(modelled(|command, _| {
        command.env("VK_GPU", "apple-m1").env("VK_TBDR_GPU", "adreno-650").env("VK_TILELENS_TBDR_GPU", "mali-g76");
    }));
    assert_eq!(gpu, "mali-g76", "{log}");
    let (gpu, _) = need!(modelled(|command, _| {
        command.env("VK_GPU", "apple-m1").env("VK_TBDR_GPU", "adreno-650");
    }));
    assert_eq!(gpu, "adreno-650");
}

#[test]
fn a_misspelt_variable_is_told_once_with_what_was_meant() {
    let (_, log) = need!(modelled(|command, _| {
        command.env("VK_TILELENS_TBDR_FRAME_SUBMIT", "1");
    }));
    let told: Vec<_> = log.lines().filter(|line| line.contains("warn:")).collect();
    assert!(told.len() == 1 && told[0].contains("VK_TILELENS_TBDR_FRAME_SUBMIT: setting `frame_submit`"), "{log}");
    assert!(told[0].contains("did you mean `frame_submits`?"), "{log}");
}

#[test]
fn through_the_real_loader_an_application_sets_what_nobody_else_has_set() {
    let driver = need!(real::lavapipe());
    let folder = Folder::new();
    let mut stage = Command::new("true");
    Layers::new(&folder.0).ours().enable(&mut stage);
    real::without_implicit_layers(&mut stage);
    let mut sandbox = Sandbox::new().env("VK_DRIVER_FILES", driver.to_str().unwrap());
    sandbox = sandbox.env("VK_ICD_FILENAMES", driver.to_str().unwrap()).set("queue_frames", "9");
    for (name, value) in stage.get_envs() {
        if let Some(value) = value {
            sandbox = sandbox.env(name.to_str().unwrap(), value.to_str().unwrap());
        }
    }
    let sandbox = sandbox.env("VK_TILELENS_TBDR_LOG_FILE", "");
    let done = sandbox.run(|inside| {
        // The path is that of this process's working folder.
        std::env::set_current_dir(&inside.folder.0).unwrap();
        let settings = &[(c"run_log", c"run.jsonl"), (c"queue_frames", c"none"), (c"log_formats", c"text")];
        Vulkan::new(Wanted { api: vk::API_VERSION_1_1, layer: true, settings, ..Wanted::default() }).stop();
    });
    let run_log =
        fs::read_to_string(done.folder.0.join("run.jsonl")).unwrap_or_else(|_| panic!("{}", done.outcome.text()));
    let events: Vec<_> = run_log.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!(events, ["instance", "device"]);
    let warnings: Vec<_> = done.outcome.stderr.lines().filter(|line| line.contains("tilelens: warn:")).collect();
    assert_eq!(warnings.len(), 1, "what the environment sets needs no other value: {warnings:?}");
    assert!(
        warnings[0].contains("`log_formats` = `text`: no such setting; did you mean `log_format`?"),
        "{warnings:?}"
    );
}
