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
    let settings: Vec<_> = SETTINGS.iter().map(setting).collect();
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
        Kind::Uint { min, max, unit } => {
            // A configurator's field holds a signed number.
            put("range", json!({ "min": min, "max": max.min(i32::MAX as u32) }));
            if let Some(unit) = unit {
                put("unit", unit.into());
            }
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
    let view = match setting.view {
        View::Standard => "STANDARD",
        View::Advanced => "ADVANCED",
        View::Hidden => "HIDDEN",
    };
    put("view", view.into());
    if !setting.only_with.is_empty() {
        let settings: Vec<_> = setting.only_with.iter().map(|(key, value)| set_to(key, value)).collect();
        put("dependence", json!({ "mode": "ANY", "settings": settings }));
    }
    Value::Object(map)
}

/// A setting with a value, as presets and dependences name it.
fn set_to(key: &str, value: &str) -> Value {
    let is_bool = Setting::find(key).is_some_and(|setting| matches!(setting.kind, Kind::Bool));
    json!({ "key": key, "value": if is_bool { Value::from(value == "true") } else { value.into() } })
}

fn presets() -> Value {
    json!([{
        "label": "Continuous integration",
        "description": "No frame is dropped, whatever that costs the program; the log is JSON.",
        "platforms": ["WINDOWS", "LINUX", "MACOS", "ANDROID"],
        "status": "BETA",
        "settings": [set_to("sync", "true"), set_to("log_format", "json")]
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

    /// What the Vulkan Configurator writes into a settings file for a value of a manifest.
    fn written(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().map(written).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        }
    }

    /// What a settings file with these lines sets.
    fn settings_of(lines: &str) -> crate::Settings {
        let file = Some(("vk_layer_settings.txt".into(), lines.into()));
        let sources = crate::Sources { env: &|_| None, property: None, file, api: Vec::new() };
        let (settings, problems) = crate::Settings::resolve(&sources);
        assert!(problems.is_empty(), "{problems:?}");
        settings
    }

    #[test]
    fn a_configurator_gets_every_setting_with_the_type_of_its_values() {
        let layer = layer(&explicit_manifest("x.so"));
        let shown = layer["features"]["settings"].as_array().unwrap();
        let keys: Vec<_> = shown.iter().map(|shown| shown["key"].as_str().unwrap()).collect();
        assert_eq!(keys, SETTINGS.iter().map(|setting| setting.key).collect::<Vec<_>>());
        for (shown, setting) in shown.iter().zip(SETTINGS) {
            let expected = match setting.kind {
                Kind::Bool => "BOOL",
                Kind::Uint { .. } => "INT",
                Kind::Choice(_) => "ENUM",
                Kind::List { .. } | Kind::Rules(_) => "LIST",
                Kind::Folder => "SAVE_FOLDER",
                Kind::File => "SAVE_FILE",
                Kind::Frames => "FRAMES",
                Kind::Text => "STRING",
            };
            assert_eq!(shown["type"], expected, "{}", setting.key);
            assert_eq!((&shown["label"], &shown["description"]), (&json!(setting.label), &json!(setting.help)));
            assert_eq!(shown["view"], format!("{:?}", setting.view).to_uppercase());
            assert_eq!(shown["flags"].is_array(), expected == "ENUM");
            assert_eq!(shown["range"].is_object(), expected == "INT");
            assert_eq!(shown["list"].is_array(), expected == "LIST");
        }
    }

    #[test]
    fn what_a_configurator_writes_unless_somebody_changes_something_changes_nothing() {
        let layer = layer(&explicit_manifest("x.so"));
        let settings = layer["features"]["settings"].as_array().unwrap();
        let line = |shown: &Value| {
            format!("tilelens_tbdr.{} = {}\n", shown["key"].as_str().unwrap(), written(&shown["default"]))
        };
        assert_eq!(settings_of(&settings.iter().map(line).collect::<String>()), crate::Settings::default());
    }

    #[test]
    fn every_value_that_a_configurator_offers_is_one_that_the_layer_takes() {
        let layer = layer(&explicit_manifest("x.so"));
        for shown in layer["features"]["settings"].as_array().unwrap() {
            let key = shown["key"].as_str().unwrap();
            let set = |value: &Value| {
                (Setting::find(key).unwrap().get)(&settings_of(&format!("tilelens_tbdr.{key} = {}", written(value))))
            };
            for flag in shown["flags"].as_array().into_iter().flatten() {
                assert_eq!(set(&flag["key"]), flag["key"].as_str().unwrap());
            }
            if let Some(range) = shown["range"].as_object() {
                assert!(range["max"].as_i64().unwrap() <= i64::from(i32::MAX), "the field of a configurator is signed");
                assert!(["min", "max"].iter().all(|end| set(&range[*end]) == written(&range[*end])), "{key}");
            }
            // Frames are digits in the schema, so that every frame is not an empty text.
            if shown["type"] == "FRAMES" {
                assert!(shown["default"].as_str().unwrap().starts_with(|c: char| c.is_ascii_digit()));
            }
        }
    }

    #[test]
    fn presets_and_dependences_are_of_settings_and_values_that_there_are() {
        let layer = layer(&explicit_manifest("x.so"));
        let features = &layer["features"];
        let presets = features["presets"].as_array().unwrap().iter().map(|preset| &preset["settings"]);
        let shown = features["settings"].as_array().unwrap();
        let dependences = shown.iter().filter(|shown| !shown["dependence"].is_null());
        let dependences = dependences.map(|shown| &shown["dependence"]["settings"]);
        let named: Vec<_> = presets.chain(dependences).flat_map(|settings| settings.as_array().unwrap()).collect();
        assert!(named.len() > 4, "{named:?}");
        for named in named {
            let (key, value) = (named["key"].as_str().unwrap(), &named["value"]);
            let of = shown.iter().find(|shown| shown["key"] == key).unwrap();
            let setting = Setting::find(key).unwrap();
            let settings = settings_of(&format!("tilelens_tbdr.{key} = {}", written(value)));
            assert_eq!((setting.get)(&settings), written(value), "{key}");
            assert_eq!(value.is_boolean(), of["type"] == "BOOL", "{key}");
        }
        // What counts only with one value of a setting names that setting for each of them.
        for setting in SETTINGS {
            assert!(setting.only_with.windows(2).all(|pair| pair[0].0 == pair[1].0), "{}", setting.key);
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
