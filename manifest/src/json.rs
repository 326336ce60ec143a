//! The manifests by which the Vulkan loader and the Vulkan Configurator find the layer.

use crate::names::{
    API_VERSION, DESCRIPTION, DEVICE_EXTENSIONS, DISABLE_VARIABLE, ENABLE_VARIABLE, Extension, INSTANCE_EXTENSIONS,
    LAYER_NAME, SWITCH_VALUE,
};
use crate::setting::{Kind, SETTINGS, Setting, View};
use serde_json::{Map, Value, json};

/// Manifest of the layer as an explicit one: somebody has to ask for it by name.
pub fn explicit_manifest(library_path: &str) -> String {
    text(manifest(library_path))
}

/// Manifest of the layer as an implicit one: installed for all programs, off until [`ENABLE_VARIABLE`] is set.
pub fn implicit_manifest(library_path: &str) -> String {
    let mut layer = manifest(library_path);
    layer["enable_environment"] = json!({ ENABLE_VARIABLE: SWITCH_VALUE });
    layer["disable_environment"] = json!({ DISABLE_VARIABLE: SWITCH_VALUE });
    text(layer)
}

fn text(layer: Value) -> String {
    // 1.2.0 rather than 1.2.1: loaders that do not know a version warn about it.
    format!("{:#}\n", json!({ "file_format_version": "1.2.0", "layer": layer }))
}

fn manifest(library_path: &str) -> Value {
    let settings: Vec<_> = SETTINGS.iter().filter(|s| s.view != View::Hidden).map(setting).collect();
    json!({
        "name": LAYER_NAME,
        "type": "GLOBAL",
        "library_path": library_path,
        "api_version": API_VERSION,
        "implementation_version": "1",
        "description": DESCRIPTION,
        "introduction": "Tells what a Vulkan program would cost on the tile-based GPUs of phones, tablets, headsets and \
                         small boards: which render passes move how many bytes between the chip and DRAM, and why. \
                         All figures are modelled, not measured.",
        "platforms": ["WINDOWS", "LINUX", "MACOS", "ANDROID"],
        "status": "BETA",
        "instance_extensions": INSTANCE_EXTENSIONS.iter().map(extension).collect::<Vec<_>>(),
        "device_extensions": DEVICE_EXTENSIONS.iter().map(extension).collect::<Vec<_>>(),
        "features": { "presets": presets(), "settings": settings }
    })
}

/// An extension as manifests declare it; only those of devices have commands of their own there.
fn extension(extension: &Extension) -> Value {
    let mut declared = json!({ "name": extension.name, "spec_version": extension.spec_version.to_string() });
    if !extension.entry_points.is_empty() {
        declared["entrypoints"] = json!(extension.entry_points);
    }
    declared
}

fn setting(setting: &Setting) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.into(), value);
    put("key", setting.key.into());
    put("label", setting.label.into());
    put("description", setting.help.into());
    let (kind, default) = match setting.kind {
        Kind::Bool => ("BOOL", Value::from(setting.default == "true")),
        Kind::Uint { min, max } => {
            // A configurator's field holds a signed number.
            put("range", json!({ "min": min, "max": max.min(i32::MAX as u32) }));
            ("INT", setting.default.parse::<u32>().map_or(Value::Null, Value::from))
        }
        Kind::Choice(choices) => {
            let flag = |name: &str, help: &str| json!({ "key": name, "label": name, "description": help });
            put("flags", choices.iter().map(|c| flag(c.name, c.help)).collect());
            ("ENUM", setting.default.into())
        }
        Kind::List { .. } | Kind::Rules(_) => {
            put("list", json!([]));
            ("LIST", setting.default.split(',').filter(|item| !item.is_empty()).collect())
        }
        Kind::Folder => ("SAVE_FOLDER", setting.default.into()),
        Kind::File => ("SAVE_FILE", setting.default.into()),
        // The schema wants digits; this is every frame as well.
        Kind::Frames => ("FRAMES", if setting.default.is_empty() { "0-0" } else { setting.default }.into()),
        Kind::Text => ("STRING", setting.default.into()),
    };
    put("type", kind.into());
    put("default", default);
    put("view", if setting.view == View::Standard { "STANDARD" } else { "ADVANCED" }.into());
    Value::Object(map)
}

fn presets() -> Value {
    json!([{
        "label": "Continuous integration",
        "description": "No frame is dropped, whatever that costs the program; the log is JSON.",
        "platforms": ["WINDOWS", "LINUX", "MACOS", "ANDROID"],
        "status": "BETA",
        "settings": [{ "key": "sync", "value": true }, { "key": "log_format", "value": "json" }]
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(text: &str) -> Value {
        let manifest: Value = serde_json::from_str(text).unwrap();
        manifest["layer"].clone()
    }

    #[test]
    fn an_implicit_layer_is_off_until_its_variable_is_set() {
        let implicit = layer(&implicit_manifest("x.so"));
        assert_eq!(implicit["enable_environment"], json!({ "ENABLE_TILELENS": "1" }));
        assert_eq!(implicit["disable_environment"], json!({ "DISABLE_TILELENS": "1" }));
        assert!(layer(&explicit_manifest("x.so")).get("disable_environment").is_none());
    }

    #[test]
    fn a_library_path_is_kept_whatever_is_in_it() {
        assert_eq!(layer(&explicit_manifest("/a \"b\"/\\c.so"))["library_path"], "/a \"b\"/\\c.so");
    }

    #[test]
    fn a_loader_learns_which_device_extension_brings_which_command() {
        let layer = layer(&implicit_manifest("x.so"));
        let expected = json!({
            "name": "VK_EXT_tooling_info",
            "spec_version": "1",
            "entrypoints": ["vkGetPhysicalDeviceToolPropertiesEXT"]
        });
        assert!(layer["device_extensions"].as_array().unwrap().contains(&expected));
    }

    #[test]
    fn a_configurator_gets_every_setting_of_the_schemas_types() {
        let layer = layer(&explicit_manifest("x.so"));
        let settings = layer["features"]["settings"].as_array().unwrap();
        assert_eq!(settings.len(), SETTINGS.iter().filter(|s| s.view != View::Hidden).count());
        for setting in settings {
            for key in ["key", "label", "description", "type", "default"] {
                assert!(!setting[key].is_null(), "{setting} lacks {key}");
            }
            match setting["type"].as_str().unwrap() {
                "BOOL" => assert!(setting["default"].is_boolean()),
                "INT" => assert!(setting["default"].is_u64()),
                "LIST" => assert!(setting["default"].is_array() && setting["list"].is_array()),
                "ENUM" => {
                    assert!(setting["flags"].as_array().unwrap().iter().any(|f| f["key"] == setting["default"]));
                }
                "FRAMES" => assert!(setting["default"].as_str().unwrap().starts_with(|c: char| c.is_ascii_digit())),
                "SAVE_FOLDER" | "SAVE_FILE" | "STRING" => assert!(setting["default"].is_string()),
                other => panic!("{other} is no type of the schema"),
            }
        }
        for preset in layer["features"]["presets"].as_array().unwrap() {
            for set in preset["settings"].as_array().unwrap() {
                assert!(Setting::find(set["key"].as_str().unwrap()).is_some());
            }
        }
    }

    #[test]
    fn the_committed_manifests_are_those_of_this_table() {
        let remedy = "run `cargo xtask manifests`";
        let path = format!("./{}", "libVkLayer_tilelens.so");
        assert_eq!(include_str!("../json/explicit/VkLayer_tilelens.json"), explicit_manifest(&path), "{remedy}");
        assert_eq!(include_str!("../json/implicit/VkLayer_tilelens.json"), implicit_manifest(&path), "{remedy}");
    }
}
